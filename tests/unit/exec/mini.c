/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mini.h"

#include <assert.h>
#include <stdlib.h>

static const struct machine_register registers[] = {
    {"r0", R0, 64, false}, {"r1", R1, 64, false},  {"r2", R2, 64, false}, {"r3", R3, 64, false},
    {"r4", R4, 64, false}, {"r5", R5, 64, false},  {"r6", R6, 64, false}, {"r7", R7, 64, false},
    {"r8", R8, 64, false}, {"r9", R9, 64, false},  {"sp", SP, 64, false}, {"lr", LR, 64, false},
    {"pc", PC, 64, false}, {"v0", V0, 256, false},
};

const struct ir_machine mini_machine = {
    .arch = MACHINE_NONE,
    .name = "mini",
    .pointer_width = 64,
    .file_size = V0 + 32,
    .reg = registers,
    .nreg = sizeof registers / sizeof *registers,
    .pc = PC,
    .sp = SP,
    .fp = UINT16_MAX,
    .lr = LR,
    .arg = {R0, R1, R2, R3},
    .nargs = 4,
    .ret = R0,
    .ret2 = UINT16_MAX,
    .fret = UINT16_MAX,
    .saved = {R6, R7, R8, R9},
    .nsaved = 4,
    .syscall_nr = UINT16_MAX,
    .syscall_ret = UINT16_MAX,
};

struct mini *mini_new(void)
{
    struct mini *m = xcalloc(1, sizeof *m);
    m->b = ir_builder_new();
    return m;
}

void mini_free(struct mini *m)
{
    ir_builder_free(m->b);
    arena_free(&m->arena);
    vec_free(&m->block);
    vec_free(&m->call);
    free(m);
}

ir_label mini_label(unsigned n)
{
    return 0x1000 + n * 0x10;
}

struct ir_builder *mini_begin(struct mini *m, unsigned n)
{
    ir_begin(m->b, mini_label(n));
    ir_mark_insn(m->b, mini_label(n), 4);
    return m->b;
}

static void finish(struct mini *m, struct ir_end end)
{
    struct ir_block b;
    end.result = IR_NONE;
    ir_finish(m->b, end, 16, &m->arena, &b);
    vec_push(&m->block, b);
}

void mini_jump(struct mini *m, unsigned to)
{
    ir_val next = ir_const(m->b, 64, mini_label(to));
    finish(m,
           (struct ir_end){.kind = IR_END_JUMP, .next = next, .label = mini_label(to), .after = IR_NO_LABEL});
}

void mini_branch(struct mini *m, ir_val cond, unsigned taken, unsigned fall)
{
    ir_exit(m->b, cond, IR_EXIT_JUMP, mini_label(taken));
    mini_jump(m, fall);
}

void mini_return(struct mini *m)
{
    ir_val next = ir_get(m->b, LR, 64);
    finish(m, (struct ir_end){.kind = IR_END_RET, .next = next, .label = IR_NO_LABEL, .after = IR_NO_LABEL});
}

void mini_trap(struct mini *m)
{
    finish(m,
           (struct ir_end){.kind = IR_END_TRAP, .next = IR_NONE, .label = IR_NO_LABEL, .after = IR_NO_LABEL});
}

void mini_throw(struct mini *m, ir_val object)
{
    finish(m,
           (struct ir_end){.kind = IR_END_THROW, .next = object, .label = IR_NO_LABEL, .after = IR_NO_LABEL});
}

static struct ir_end call_of(struct mini *m, const char *name, unsigned after)
{
    ir_label to = 0x9000;
    for (const char *p = name; *p; p++)
        to = to * 31 + (unsigned char)*p;
    to &= 0xffffff0;
    uint32_t block = (uint32_t)m->block.len;
    vec_push(&m->call,
             (struct flow_call){
                 .block = block, .site = mini_label(block), .target = to, .name = name, .kind = CALL_DIRECT});
    ir_val next = ir_const(m->b, 64, to);
    return (struct ir_end){.kind = IR_END_CALL, .next = next, .label = to, .after = mini_label(after)};
}

void mini_call(struct mini *m, const char *name, unsigned after)
{
    finish(m, call_of(m, name, after));
}

void mini_try(struct mini *m, const char *name, unsigned after, unsigned handler)
{
    struct ir_end end = call_of(m, name, after);
    end.unwinds = true;
    end.unwind = mini_label(handler);
    end.caught = R0;
    end.caught_width = 32;
    finish(m, end);
}

const struct flow_graph *mini_graph(struct mini *m)
{
    if (!m->g)
        m->g = flow_graph_of_blocks(&(struct flow_blocks){.block = m->block.data,
                                                          .nblocks = (uint32_t)m->block.len,
                                                          .call = m->call.data,
                                                          .ncalls = (uint32_t)m->call.len},
                                    &m->arena);
    return m->g;
}

struct mini_run mini_run_begin(void)
{
    struct error err;
    struct mini_run r = {.t = terms_new(), .m = mini_new(), .machine = mini_machine};
    r.s = solver_new(r.t, NULL, &err);
    assert(r.s);
    return r;
}

void mini_run_end(struct mini_run *r)
{
    vec_free(&r->path);
    explorer_free(r->x);
    mini_free(r->m);
    solver_free(r->s);
    terms_free(r->t);
}

bool mini_run_keep(void *ctx, const struct exec_path *p)
{
    struct mini_run *r = ctx;
    vec_push(&r->path, p);
    return true;
}
