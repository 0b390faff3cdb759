/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A little processor and graphs built by hand, for tests of the executor that need no lifter and no file. */
#ifndef TEST_EXEC_MINI_H
#define TEST_EXEC_MINI_H

#include "base/vec.h"
#include "exec/explore.h"
#include "solve/solve.h"

/* 64-bit registers r0 .. r9, sp, lr, pc. r0 .. r3 are arguments, r0 the result, r6 .. r9 are callee-saved. */
enum {
    R0 = 0,
    R1 = 8,
    R2 = 16,
    R3 = 24,
    R4 = 32,
    R5 = 40,
    R6 = 48,
    R7 = 56,
    R8 = 64,
    R9 = 72,
    SP = 80,
    LR = 88,
    PC = 96,
    V0 = 104 /* 256 bits */
};
extern const struct ir_machine mini_machine;

struct mini {
    struct ir_builder *b;
    struct arena arena;
    VEC(struct ir_block) block;
    VEC(struct flow_call) call;
    const struct flow_graph *g; /* once mini_graph was called */
};

struct mini *mini_new(void);
void mini_free(struct mini *m);
/* Begins block number n (its label is 0x1000 + n * 0x10); blocks come in order. */
struct ir_builder *mini_begin(struct mini *m, unsigned n);
ir_label mini_label(unsigned n);
void mini_jump(struct mini *m, unsigned to);
void mini_branch(struct mini *m, ir_val cond, unsigned taken, unsigned fall);
void mini_return(struct mini *m);
void mini_trap(struct mini *m);
void mini_throw(struct mini *m, ir_val object);
/* Calls a function by name and goes on at block `after`. */
void mini_call(struct mini *m, const char *name, unsigned after);
/* The same; what it throws is put in r0, and block `handler` goes on with it. */
void mini_try(struct mini *m, const char *name, unsigned after, unsigned handler);
/* Call it last. */
const struct flow_graph *mini_graph(struct mini *m);

/* A graph under exploration, and the paths that were delivered. */
struct mini_run {
    struct terms *t;
    struct solver *s;
    struct explorer *x;
    struct mini *m;
    struct ir_machine machine; /* mini_machine, for a test to change */
    VEC(const struct exec_path *) path;
};
struct mini_run mini_run_begin(void);
void mini_run_end(struct mini_run *r);
bool mini_run_keep(void *ctx, const struct exec_path *p); /* explore_fn; ctx is the run */

#endif
