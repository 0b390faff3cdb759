/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small symbolic values over a graph under construction: enough to see what a computed jump depends on, where
 * the stack pointer stands and which comparisons bound an index.
 *
 * An expression is written in terms of what holds at the entry of some block: registers there, memory there,
 * and three things that mean the same everywhere in the function: constants, the stack pointer at function
 * entry (SP0) and the return address register at function entry (LR0). value_back rewrites an expression at
 * the entry of a block into one at the entry of a predecessor. Expressions are hash-consed: equal ones are
 * the same number.
 *
 * Registers that hold a constant or SP0 plus a constant on entry of a block, whatever path led there, are
 * known from a forward analysis. A store through a pointer that is not a known frame address is taken not to
 * change frame slots, and a call not to change them either: compilers only reload an index they compared when
 * that holds. */
#ifndef FLOW_VALUE_H
#define FLOW_VALUE_H

#include "flow/private.h"

typedef uint32_t sym;
#define SYM_NONE UINT32_MAX

enum sym_op {
    SYM_CONST = OP_COUNT_, /* imm */
    SYM_REG,               /* imm: register-file offset */
    SYM_SP0,
    SYM_LR0,
    SYM_LOAD, /* a: address */
    SYM_TOP,  /* imm: unknown, told apart by number */
};

struct sym_node {
    uint8_t op; /* enum op or enum sym_op */
    uint8_t lo; /* OP_EXTRACT */
    uint16_t width;
    sym a, b, c;
    uint64_t imm;
};

/* Values of a modular interval: start, start+1, ..., count of them; count 0 means everything. */
struct range {
    uint64_t start, count;
};

/* A predecessor edge. */
struct pred {
    uint32_t bb;
    uint8_t kind;  /* enum flow_edge_kind */
    uint32_t insn; /* the IR_EXIT, or UINT32_MAX */
};

struct values *values_new(struct builder *b);
void values_free(struct values *v);

const struct sym_node *value_node(const struct values *v, sym x);
sym value_const(struct values *v, unsigned width, uint64_t c);
sym value_op(struct values *v, enum op op, unsigned width, sym a, sym b, sym c, unsigned lo);
/* The value of an IR value of a block, at that block's entry. */
sym value_of(struct values *v, uint32_t bb, ir_val x);
/* A register's value where the block is left (insn: at that side exit), at its entry; before a call's
 * effects. */
sym value_register(struct values *v, uint32_t bb, uint32_t insn, unsigned offset, unsigned width);
sym value_back(struct values *v, sym x, const struct pred *p);
size_t value_preds(struct values *v, uint32_t bb, const struct pred **out);
/* True when x is base + *offset with base SYM_SP0. */
bool value_is_frame(const struct values *v, sym x, int64_t *offset);
bool value_is_const(const struct values *v, sym x, uint64_t *c);

/* The values x can have at the entry of a block, from comparisons on every path there. */
struct range value_range(struct values *v, uint32_t bb, sym x);
/* x with its part `leaf` replaced by a number, when that is all it can be at the entry of the block. */
sym value_settle(struct values *v, uint32_t bb, sym x, sym leaf);
/* The same where the block is left by its end: its own side exits were not taken. */
struct range value_range_at_end(struct values *v, uint32_t bb, sym x);
/* x at the entry of a block is never wider than this many bits, whatever path led there. */
bool value_fits(struct values *v, uint32_t bb, sym x, unsigned bits);
struct range value_range_if(const struct values *v, sym cond, bool truth, sym x);
/* From the shape of the expression alone. */
struct range value_shape_range(const struct values *v, sym x);

/* Evaluates with `var` standing for a number; memory is read from read-only parts of the object. */
bool value_eval(const struct values *v, sym x, sym var, uint64_t number, uint64_t *out);

#endif
