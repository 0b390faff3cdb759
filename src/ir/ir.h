/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The intermediate representation: one language for machine code, LLVM bitcode and JVM bytecode.
 *
 * SHAPE. A function is a set of blocks. A block has one entry, a flat array of instructions, and one end; it
 * may also be left early by an IR_EXIT instruction (a side exit), as in a superblock. Instruction i of a
 * block defines value i of that block (some instructions define nothing; their width is 0). Values are local
 * to their block and are used only after they are defined. What lives across blocks is in the register file
 * or in memory.
 *
 * REGISTER FILE. A byte-addressed store private to an activation, read by IR_GET and written by IR_PUT. For
 * machine code its layout is the processor's registers (overlapping accesses such as AL/AX/EAX/RAX simply
 * overlap); for other sources the front end lays out its locals there. `struct ir_machine` (ir/machine.h)
 * names ranges of it. It cannot be reached through memory and has no aliases. It is little-endian.
 *
 * MEMORY. Every access names a space. Space 0 is memory: bytes, addressed by pointers; machine code has no
 * other. Other sources may declare more (one for each field and array type in Java), each with its own index
 * width and cell width: see struct ir_space (ir/machine.h), which also says what calls and unknown effects
 * leave alone. Accesses to different spaces never interfere. An access of n cells at address a touches a,
 * a+1, ..., a+n-1 modulo 2^(index width); the cell at a holds the least significant part (big-endian sources
 * swap explicitly).
 *
 * LABELS. Blocks and code addresses are named by a 64-bit label: the guest address for machine code (bit 0
 * set for Thumb code, as the processor does it), a number chosen by the front end otherwise.
 *
 * INSTRUCTIONS (w is insn.width, [x] an operand value; "guard" may be IR_NONE, meaning always):
 *   any `enum op`     value = op([a],[b],[c],[d]) as base/op.h says; OP_EXTRACT's low bit is in b
 *   IR_CONST          value = constant: w <= 64: the 64-bit number imm (a = low word, b = high word);
 *                     wider: a is an index into block.wide. c is 1 for one that is kept
 *                     (ir_const_kept), else 0
 *   IR_GET            value = w bits of the register file from byte offset a (w is a multiple of 8,
 *                     or 1: then the byte's bit 0)
 *   IR_PUT            register file at byte offset a = [b]; its width is that of [b] (1: the byte
 *                     becomes 0 or 1)
 *   IR_LOAD           value = w bits of space d at [a], if guard [b] holds, otherwise [c] (IR_NONE
 *                     without guard)
 *   IR_STORE          space d at [a] = [b], if guard [c] holds
 *   IR_PURE           value = pure function number a of the block's lift context, of the values
 *                     arg[b .. b+c-1]
 *   IR_EVENT          an intrinsic with observable effect: number a is an index into block.event
 *                     (name, arguments, what it reads and writes). If it has a result, that is the value
 *   IR_UNKNOWN        an instruction that could not be understood: every register-file range and
 *                     memory it `may` touch (block.unknown[a]) holds an arbitrary value afterwards
 *   IR_EXIT           if [a] holds, leave the block for label imm (b = low word, c = high word), for the
 * reason `exit`
 *
 * END. How control leaves when no side exit was taken: see `struct ir_end`.
 *
 * The semantics is total: there is no undefined behaviour, no trap that is not explicit. Division by zero
 * that traps on the processor appears as an explicit exit of kind IR_EXIT_DIVISION before the operator, a
 * quotient that does not fit as one of kind IR_EXIT_QUOTIENT. */
#ifndef IR_IR_H
#define IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/op.h"
#include "base/pure.h"

typedef uint32_t ir_val; /* index of the defining instruction in its block */
typedef uint64_t ir_label;

#define IR_NONE ((ir_val)UINT32_MAX)
#define IR_NO_LABEL ((ir_label)UINT64_MAX)

enum ir_op {
    IR_CONST = OP_COUNT_,
    IR_GET,
    IR_PUT,
    IR_LOAD,
    IR_STORE,
    IR_PURE,
    IR_EVENT,
    IR_UNKNOWN,
    IR_EXIT,
    IR_OP_COUNT_
};

struct ir_insn {
    uint8_t op;     /* enum op or enum ir_op */
    uint8_t exit;   /* IR_EXIT: enum ir_exit */
    uint16_t width; /* of the value defined, 0 when none */
    uint32_t a, b, c, d;
};

static inline uint64_t ir_imm(uint32_t lo, uint32_t hi)
{
    return (uint64_t)hi << 32 | lo;
}

/* Why a side exit is taken. */
enum ir_exit {
    IR_EXIT_JUMP,     /* ordinary control flow to the label */
    IR_EXIT_TRAP,     /* the program asks the processor to stop here (a conditional trap): execution stops */
    IR_EXIT_DIVISION, /* by zero, and the processor raises a fault: likewise */
    IR_EXIT_QUOTIENT, /* that does not fit, and the processor raises a fault: likewise */
    IR_EXIT_MISALIGNED, /* an access that has to be aligned is not, and the processor raises a fault: likewise
                         */
    IR_EXIT_CALL, /* a conditional call (ARM blne): returns to the next instruction, which is the label of the
                     fall-through */
    IR_EXIT_RET,  /* a conditional return; the destination is then end-like: label is IR_NO_LABEL */
};

enum ir_end_kind {
    IR_END_JUMP, /* to `label`, or to value `next` when label is IR_NO_LABEL (computed jump) */
    IR_END_CALL, /* calls `label` / `next`; comes back to `after` (IR_NO_LABEL: never returns) */
    IR_END_RET,  /* returns from the function; `next` is the return address read by the processor, or IR_NONE
                  */
    IR_END_SYSCALL, /* a system call; continues at `after` */
    IR_END_TRAP,    /* stops: ud2, hlt, brk, int3, ... */
    IR_END_THROW,   /* leaves the function by throwing the object `next`, of any width */
    IR_END_UNKNOWN, /* could not be decoded and its length is unknown: nothing is known of what happens next
                     */
};

struct ir_end {
    uint8_t kind;    /* enum ir_end_kind */
    ir_val next;     /* destination value, always defined for JUMP, CALL and RET of machine code */
    ir_label label;  /* destination when constant, else IR_NO_LABEL */
    ir_label after;  /* where execution goes on after a call or system call, else IR_NO_LABEL */
    uint32_t args;   /* explicit arguments arg[args .. args+nargs-1], for sources without a register ABI */
    uint32_t nargs;
    uint32_t result; /* register-file offset for the explicit result; IR_NONE when none */
    uint16_t result_width;
    /* A call whose callee may throw, where this function has a handler: execution goes on at `unwind`, with
     * the object at register-file offset `caught`. Without one the object is thrown on to the caller. */
    bool unwinds;
    ir_label unwind;
    uint32_t caught;
    uint16_t caught_width;
};

/* A range of the register file or (event effects only) of memory at a value. */
struct ir_range {
    uint32_t offset, bytes;
};

enum { IR_EFFECT_MAX = 8 };

/* What the result of an intrinsic is. */
enum ir_makes {
    IR_MAKES_FUNCTION, /* an unknown function of its arguments and of what it reads */
    IR_MAKES_SYMBOL,   /* something that nothing is known of, each time: an input */
    IR_MAKES_NUMBER,   /* a number not below its first argument, a constant, that it never gave before: which
                          object is new */
};

/* An intrinsic: cpuid, rdtsc, a system register access, a fence, a port access, a string or x87 helper, ... */
struct ir_event {
    const char *name;       /* static or in the block's arena: "cpuid", "rdtsc", "fence", "mrs:cntvct_el0" */
    uint32_t args, nargs;   /* values arg[args .. args+nargs-1] */
    ir_val guard;           /* IR_NONE: always happens */
    struct ir_range reads[IR_EFFECT_MAX];
    struct ir_range writes[IR_EFFECT_MAX]; /* hold unknown values afterwards, functions of args and what is read */
    uint8_t nreads, nwrites;
    bool mem_read, mem_write; /* touches mem_bytes bytes of space 0 at value mem_addr */
    ir_val mem_addr;
    uint32_t mem_bytes;
    uint8_t makes;            /* enum ir_makes; the others change nothing: no ranges, no memory */
    bool orders;              /* a barrier or an atomic access: other threads may see memory as it is then */
    bool observable;          /* false for a mere state computation (x87 environment load), true for what the outside can see */
    /* Concrete meaning, or NULL: regs is the whole register file, mem the mem_bytes bytes; returns the result value. */
    struct bits (*eval)(uint8_t *regs, const struct bits *arg, uint8_t *mem);
};

/* What an undecoded instruction may touch. */
struct ir_unknown {
    uint64_t address;
    uint8_t length;
    bool avx512;            /* counted apart */
    bool all_registers;     /* when the written registers could not be told */
    bool mem_write;         /* memory anywhere, in every space that does not survive it (struct ir_space) */
    struct ir_range writes[IR_EFFECT_MAX];
    struct ir_range reads[IR_EFFECT_MAX]; /* as far as they are known */
    uint8_t nwrites, nreads;
    const char *text;       /* disassembly or bytes, for reports */
};

/* Where a guest instruction begins in the instruction array. */
struct ir_mark {
    uint64_t address; /* without the Thumb bit */
    uint32_t first;   /* index of its first IR instruction */
    uint8_t length;
};

struct ir_block {
    ir_label label;
    uint32_t bytes; /* of guest code covered */
    struct ir_insn *insn;
    uint32_t ninsn;
    ir_val *arg; /* operand lists of IR_PURE, IR_EVENT and calls */
    uint32_t narg;
    struct bits *wide; /* constants wider than 64 bits */
    uint32_t nwide;
    struct ir_event *event;
    uint32_t nevent;
    struct ir_unknown *unknown;
    uint32_t nunknown;
    struct ir_mark *mark;
    uint32_t nmark;
    struct ir_end end;
};

/* A block's arrays live in the arena that it was made in. */

/* ---- building (ir/build.c): used by front ends and tests ---- */

struct ir_builder; /* grows one block at a time, reusing its buffers */

struct ir_builder *ir_builder_new(void);
void ir_builder_free(struct ir_builder *b);
void ir_begin(struct ir_builder *b, ir_label label);
void ir_mark_insn(struct ir_builder *b, uint64_t address, unsigned length);
ir_val ir_const(struct ir_builder *b, unsigned width, uint64_t value); /* any width; zero-extended */
/* One that stands for something else, so that nothing is computed of it while building; no wider than 64. */
ir_val ir_const_kept(struct ir_builder *b, unsigned width, uint64_t value);
ir_val ir_const_bits(struct ir_builder *b, unsigned width, struct bits value);
/* Emits an operator; folds it when all operands are constants, and applies only the identities that keep blocks
 * small (extract of concat at a seam, zext to the same width, x & 0, x | 0, x + 0, ite with constant condition). */
ir_val ir_op(struct ir_builder *b, enum op op, unsigned width, const ir_val *arg, unsigned nargs);
ir_val ir_un(struct ir_builder *b, enum op op, ir_val x);              /* SAME and COUNT shapes */
ir_val ir_bin(struct ir_builder *b, enum op op, ir_val x, ir_val y);   /* SAME, COMPARE, CONCAT shapes */
ir_val ir_ite(struct ir_builder *b, ir_val c, ir_val x, ir_val y);
ir_val ir_extract(struct ir_builder *b, ir_val x, unsigned lo, unsigned width);
ir_val ir_zext(struct ir_builder *b, ir_val x, unsigned width);
ir_val ir_sext(struct ir_builder *b, ir_val x, unsigned width);
ir_val ir_get(struct ir_builder *b, unsigned offset, unsigned width);
void ir_put(struct ir_builder *b, unsigned offset, ir_val x);
ir_val ir_load(struct ir_builder *b, unsigned space, ir_val addr, unsigned width, ir_val guard, ir_val otherwise);
void ir_store(struct ir_builder *b, unsigned space, ir_val addr, ir_val value, ir_val guard);
ir_val ir_pure(struct ir_builder *b, unsigned pure_index, unsigned width, const ir_val *arg, unsigned nargs);
/* `e` is copied; its args/nargs are set from arg/nargs here. width 0: no result. */
ir_val ir_event(struct ir_builder *b, const struct ir_event *e, const ir_val *arg, unsigned nargs, unsigned width);
void ir_unknown(struct ir_builder *b, const struct ir_unknown *u);
/* Keeps the arguments of a call for ir_end.args. */
uint32_t ir_args(struct ir_builder *b, const ir_val *arg, unsigned nargs);
void ir_exit(struct ir_builder *b, ir_val cond, enum ir_exit kind, ir_label label);
unsigned ir_width(const struct ir_builder *b, ir_val x);
bool ir_is_const(const struct ir_builder *b, ir_val x, uint64_t *value); /* width <= 64 only */
/* Ends the block, removes values that nothing uses, and copies it to *out with its arrays in `arena`. */
void ir_finish(struct ir_builder *b, struct ir_end end, uint32_t bytes, struct arena *arena, struct ir_block *out);

/* ---- looking at it ---- */

/* Names and widths of pure functions; a front end owns the table. */
struct ir_pures {
    const struct pure *table;
    size_t count;
};

struct buf;
struct ir_machine;

/* Prints a block for people; machine and pures may be NULL (offsets and numbers are printed then). */
void ir_print_block(struct buf *out, const struct ir_block *b, const struct ir_machine *machine,
                    const struct ir_pures *pures);
/* One instruction of it, without a newline; n == ninsn: the block's end. */
void ir_print_insn(struct buf *out, const struct ir_block *b, uint32_t n, const struct ir_machine *machine,
                   const struct ir_pures *pures);

/* A register that the block has set before is what it was set to; others stay as they are. */
ir_val ir_same_value(const struct ir_block *b, ir_val v);
/* What the block leaves in the register, as a value of its own; IR_NONE: it does not set it, or not as one
 * value. */
ir_val ir_value_at_end(const struct ir_block *b, unsigned offset, unsigned width);
/* The value is the stack pointer at the block's entry plus *offset. When it is not, *offset says nothing; a
 * register that something else may have changed since is none. */
bool ir_on_stack(const struct ir_block *b, ir_val v, const struct ir_machine *machine, int64_t *offset);

/* Checks every invariant stated above. Returns true when the block is well formed; otherwise writes the first few
 * violations to *why, one a line ("insn 12 (add): operand b has width 32, not 64"). */
bool ir_validate(const struct ir_block *b, const struct ir_machine *machine, const struct ir_pures *pures, struct buf *why);

#endif
