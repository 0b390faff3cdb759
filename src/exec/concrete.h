/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The concrete interpreter of the IR.
 *
 * Every space is a set of pages made on demand. A cell is its bytes, the lowest first; one of
 * memory (space 0) is a byte. A `concrete` runs blocks it is handed; a driver (exec/replay.c, debug/run.c)
 * fetches the blocks of a program by label. Reading memory that was never written asks `fill`, so that a
 * caller may serve a program's image, or symbols' values of a model, or refuse (a fault). */
#ifndef EXEC_CONCRETE_H
#define EXEC_CONCRETE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "ir/ir.h"
#include "ir/machine.h"

enum concrete_stop {
    CONCRETE_JUMP, /* goes on at .label */
    CONCRETE_CALL, /* calls .label, would come back to .after */
    CONCRETE_RET,  /* returns to .label */
    CONCRETE_SYSCALL,
    CONCRETE_TRAP,
    CONCRETE_THROW,      /* .thrown */
    CONCRETE_FAULT,      /* memory access refused: .address */
    CONCRETE_NO_MEANING, /* an event, pure function or IR_UNKNOWN without concrete meaning: .what */
};

struct concrete_result {
    enum concrete_stop stop;
    enum ir_exit exit;  /* by which side exit the block was left; IR_EXIT_JUMP when by none */
    ir_label label, after;
    bool computed;      /* the label is a value, not one that the block names */
    uint64_t address;   /* guest address of the instruction that stopped or ended it; for a fault, the data address */
    bool fault_write;
    const char *what;
    struct bits thrown;
    uint64_t steps;     /* IR instructions executed */
};

/* Supplies the cell at an address on first access; false refuses. */
typedef bool concrete_fill_fn(void *ctx, unsigned space, uint64_t address, uint8_t *cell);
/* Called for every memory access, for tests and traces. May be NULL. */
typedef void concrete_access_fn(void *ctx, unsigned space, uint64_t address, unsigned cells, bool write);

/* Where what an instruction accesses lies in memory, and how many of the bytes from there on lie together. */
typedef uint64_t concrete_settle_fn(void *ctx, uint64_t address, unsigned bytes, unsigned *together);

struct concrete;

struct concrete *concrete_new(const struct ir_machine *m, struct ir_pures pures, concrete_fill_fn *fill, void *ctx);
void concrete_free(struct concrete *c);
void concrete_reset(struct concrete *c); /* registers and memory forgotten */
void concrete_watch(struct concrete *c, concrete_access_fn *fn, void *ctx);
/* For programs whose data was moved apart; events of the IR with memory of their own are not asked about. */
void concrete_settle(struct concrete *c, concrete_settle_fn *fn, void *ctx);

uint8_t *concrete_registers(struct concrete *c); /* machine->file_size bytes, read and written freely */
/* Another register file, of `m->file_size` zeroes, takes the place of the present one, which is given back
 * with its machine by concrete_leave: the registers of a callee. They nest. */
void concrete_enter(struct concrete *c, const struct ir_machine *m);
void concrete_leave(struct concrete *c);
struct bits concrete_get(const struct concrete *c, unsigned offset, unsigned width);
void concrete_set(struct concrete *c, unsigned offset, unsigned width, struct bits value);
/* n cells. */
bool concrete_read(struct concrete *c, unsigned space, uint64_t address, uint8_t *out, size_t n);
bool concrete_write(struct concrete *c, unsigned space, uint64_t address, const uint8_t *in, size_t n);

/* Runs one block from its first instruction. */
struct concrete_result concrete_run_block(struct concrete *c, const struct ir_block *b);

/* The same one instruction at a time, for a stepper: concrete_begin, then instructions 0, 1, ..., ninsn, the last being the
 * block's end. concrete_step returns false when the block was left or could not go on, and *result then says how; an
 * instruction that could not be run has changed nothing. concrete_value is what instruction v of that block gave. */
void concrete_begin(struct concrete *c, const struct ir_block *b);
bool concrete_step(struct concrete *c, const struct ir_block *b, uint32_t n, struct concrete_result *result);
struct bits concrete_value(const struct concrete *c, ir_val v);
uint64_t concrete_word(const struct concrete *c, ir_val v); /* its low 64 bits */

#endif
