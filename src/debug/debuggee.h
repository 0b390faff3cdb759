/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program run instruction by instruction on the concrete interpreter, forwards and backwards.
 *
 * The run begins at a function, with registers and memory as an init file says, and needs nothing of the
 * machine it happens on. Every guest instruction is lifted by itself, so a position is the label of an
 * instruction and, inside it, the number of the IR statement that runs next.
 *
 * What an instruction changes goes into a log before it is changed: old bytes of registers and memory, frames
 * pushed and popped. Going back undoes the log to the instruction's beginning; only a position inside an
 * instruction is then reached by running its first statements again. Everything that changes the run goes
 * through the functions here, so everything can be undone.
 *
 * Memory that neither the file nor the init file nor the run has given a value is uninitialised: it reads as
 * zero, and a note is made. The first page cannot be accessed, and memory the file maps read-only cannot be
 * written. */
#ifndef DEBUG_DEBUGGEE_H
#define DEBUG_DEBUGGEE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "debug/init.h"
#include "exec/concrete.h"
#include "flow/flow.h"
#include "flow/library.h"

/* Why the run cannot continue. */
enum debuggee_state {
    DEBUGGEE_READY,         /* nothing */
    DEBUGGEE_RETURNED,      /* the function the run began with has returned */
    DEBUGGEE_CALL,          /* at the entry of a function that is not in the file and has no model */
    DEBUGGEE_SYSCALL,       /* a system call */
    DEBUGGEE_OVER,          /* called a function that never returns */
    DEBUGGEE_TRAP,          /* the processor raises a fault */
    DEBUGGEE_FAULT,         /* memory that cannot be accessed, or no code there */
    DEBUGGEE_NO_MEANING,    /* an instruction the interpreter has no meaning for */
    DEBUGGEE_UNINITIALISED, /* about to read memory without a value, and asked to stop then */
};

struct debuggee_frame {
    uint64_t site;   /* of the call; 0 for the first */
    ir_label target; /* where the callee begins */
    ir_label after;  /* where it returns to */
    uint64_t sp;     /* when it was entered */
};

/* A function of another file. */
struct debuggee_import {
    const char *name;
    uint64_t address; /* that stands for it where the file has no place for it */
};

/* An access that a watch asks about. */
struct debuggee_access {
    uint64_t address, size;
    bool read, write;
    bool hit, hit_write; /* by the instruction that ran last */
};

enum undo_kind { UNDO_STEP, UNDO_REGISTER, UNDO_MEMORY, UNDO_PUSH, UNDO_POP, UNDO_POP_MORE, UNDO_HEAP };
struct undo {
    uint8_t kind;
    uint8_t n;     /* bytes (REGISTER, MEMORY) */
    uint8_t known; /* MEMORY: which of them had a value */
    uint16_t at;   /* REGISTER: offset; STEP: the statement that left the instruction */
    uint64_t a, b; /* address and old bytes; label; halves of a frame */
};

struct debuggee {
    struct program *p;
    const struct object *o;
    const struct ir_machine *m;
    struct ir_pures pures;
    const char *title; /* "old", "new"; "" when there is one program only */

    struct concrete *c;
    struct map known; /* page number -> bitmap of bytes that have a value (besides the file's) */
    struct map code;  /* label -> struct code of one instruction */
    bool code_stale;  /* code was written: `code` does not hold any more */
    struct arena code_arena, arena;
    VEC(struct debuggee_import) import;
    struct strmap import_name;

    /* where it is */
    ir_label at;
    const struct ir_block *block; /* NULL: not lifted yet, or not code of the file */
    uint32_t n, first;            /* the next statement; the first that is not a constant */
    enum debuggee_state state;
    char why[256];   /* what the state is about */
    ir_label resume; /* SYSCALL: where to go on */
    VEC(struct debuggee_frame) frame;
    uint64_t heap;        /* the next address malloc gives */
    struct map allocated; /* address that malloc gave -> size */
    uint64_t errno_at;
    uint64_t entry_sp;
    uint64_t low_sp;      /* the lowest the stack pointer has been */
    unsigned stack_bytes; /* of arguments on the stack, with the return address */

    /* the way back */
    VEC(struct undo) log;
    size_t log_max;
    size_t mark;    /* in the log: where the instruction at the position was begun */
    bool forgot;    /* the log does not reach back to the beginning any more */
    uint64_t steps; /* instructions run since the beginning */

    /* what the user wants */
    bool stop_uninitialised, zero_calls;
    bool allow; /* the next read of uninitialised memory was asked for */
    VEC(struct debuggee_access) access;

    /* what is to be said */
    struct buf notes;
    unsigned nnotes, notes_left_out;
    struct map noted; /* uninitialised addresses that are named in them already */
};

struct debuggee_options {
    bool stop_uninitialised; /* stop before a read of memory without a value */
    bool zero_calls;         /* functions without a model return 0 instead of stopping the run */
    uint64_t history;        /* bytes the log may take; 0: 512 MiB */
};

/* Borrows the program. `init` may be NULL. NULL and an error when the function is not there or the init file
 * is for something else. */
struct debuggee *debuggee_new(struct program *p, const char *title, const char *function,
                              const struct debug_init *init, const struct debuggee_options *opt,
                              struct error *err);
void debuggee_free(struct debuggee *d);

/* ---- moving ----
 * Each moves by one and returns false when it cannot: d->state says why (forwards), or there is nothing
 * before (backwards). */
bool debuggee_step(struct debuggee *d);      /* to the end of the instruction */
bool debuggee_statement(struct debuggee *d); /* one IR statement; constants are none */
bool debuggee_back(struct debuggee *d);      /* to the beginning of this instruction, or of the one before */
bool debuggee_statement_back(struct debuggee *d);
/* Gives a call or system call that stopped the run its result, and goes on after it. */
bool debuggee_return(struct debuggee *d, uint64_t value, struct error *err);
/* Goes on at another instruction; ARM: bit 0 says Thumb. */
void debuggee_jump(struct debuggee *d, ir_label to);
ir_label debuggee_code_label(const struct debuggee *d,
                             uint64_t address); /* with the Thumb bit where it belongs */

/* Lifts the instruction at the position if that was not done; NULL when there is none. */
const struct ir_block *debuggee_block(struct debuggee *d);
/* One instruction, wherever; NULL when there is no code. Valid until the next step. With cc_op (may be NULL)
 * its IR is the one that holds when that operation set the flags, which is much shorter for instructions that
 * read them. */
const struct ir_block *debuggee_lift(struct debuggee *d, ir_label label, const uint64_t *cc_op);
uint64_t debuggee_cc_op(const struct debuggee *d);                   /* as of now */
uint64_t debuggee_address(const struct debuggee *d, ir_label label); /* without the Thumb bit */
/* The function of another file that an address stands for, or NULL. */
const char *debuggee_import_at(const struct debuggee *d, ir_label label);
const char *debuggee_state_text(enum debuggee_state s);
/* "main+0x12", or an import's name, or the number. */
const char *debuggee_describe(const struct debuggee *d, uint64_t address, char *out, size_t cap);

/* ---- registers and memory ---- */
struct bits debuggee_get(const struct debuggee *d, unsigned offset, unsigned width);
uint64_t debuggee_word(const struct debuggee *d, unsigned offset); /* a register as wide as a pointer */
void debuggee_put(struct debuggee *d, unsigned offset, unsigned width, struct bits value);
/* As the program would: notes, faults (false, with state and why set). */
bool debuggee_load(struct debuggee *d, uint64_t address, uint8_t *out, size_t n);
bool debuggee_store(struct debuggee *d, uint64_t address, const uint8_t *in, size_t n);
/* As a user would: always possible. *known (may be NULL): all of it has a value. */
void debuggee_peek(const struct debuggee *d, uint64_t address, uint8_t *out, size_t n, bool *known);
void debuggee_poke(struct debuggee *d, uint64_t address, const uint8_t *in, size_t n);
bool debuggee_known(const struct debuggee *d, uint64_t address);
uint64_t debuggee_mask(const struct debuggee *d, uint64_t x); /* to the width of a pointer */
/* Whether it is in the frames of the run itself, as deep as the stack has been, or one of its arguments on
 * the stack: what no caller looks at. */
bool debuggee_in_frames(const struct debuggee *d, uint64_t address);
void debuggee_note(struct debuggee *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Flags by name ("zf", "cf", "nf", ...), through what the lifter itself knows of them. False when there is no
 * such flag. */
bool debuggee_flag(struct debuggee *d, const char *name, bool *value);
bool debuggee_set_flag(struct debuggee *d, const char *name, bool value);
/* "zf sf" and so on; `all` lists the names instead of those that are set. */
void debuggee_flags(struct debuggee *d, bool all, struct buf *out);

/* ---- functions of the C library (import.c) ---- */
enum import_outcome { IMPORT_NONE, IMPORT_DONE, IMPORT_OVER, IMPORT_FAULT };
/* Whether there is a model. */
bool import_modelled(const struct debuggee *d, const char *name);
/* Does what the function does, but for returning. */
enum import_outcome import_run(struct debuggee *d, const char *name);
/* Argument i of a call just made, by the calling convention. */
uint64_t import_argument(const struct debuggee *d, unsigned i);

#endif
