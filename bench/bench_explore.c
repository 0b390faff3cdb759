/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What symbolic execution costs: exploring sequential ifs with and without merging, and forking a state whose
 * memory has been written more and more often (the time must not grow with the memory). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "exec/engine.h"

enum { R0 = 0, R1 = 8, SP = 80, LR = 88, PC = 96 };

static const struct machine_register registers[] = {{"r0", R0, 64, false},
                                                    {"r1", R1, 64, false},
                                                    {"sp", SP, 64, false},
                                                    {"lr", LR, 64, false},
                                                    {"pc", PC, 64, false}};

/* As large as the register file of x86-64. */
static const struct ir_machine machine = {.name = "bench",
                                          .pointer_width = 64,
                                          .file_size = 912,
                                          .reg = registers,
                                          .nreg = 5,
                                          .pc = PC,
                                          .sp = SP,
                                          .fp = UINT16_MAX,
                                          .lr = LR,
                                          .arg = {R0, R1},
                                          .nargs = 2,
                                          .ret = R0,
                                          .ret2 = UINT16_MAX,
                                          .fret = UINT16_MAX,
                                          .syscall_nr = UINT16_MAX,
                                          .syscall_ret = UINT16_MAX};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool count(void *ctx, const struct exec_path *p)
{
    (void)p;
    ++*(uint64_t *)ctx;
    return true;
}

static ir_label label(unsigned n)
{
    return 0x1000 + n * 16;
}

static void finish(struct ir_builder *b, struct arena *arena, struct ir_block *out, unsigned to)
{
    ir_val next = to ? ir_const(b, 64, label(to)) : ir_get(b, LR, 64);
    struct ir_end end = {.kind = to ? IR_END_JUMP : IR_END_RET,
                         .next = next,
                         .label = to ? label(to) : IR_NO_LABEL,
                         .after = IR_NO_LABEL,
                         .result = IR_NONE};
    ir_finish(b, end, 16, arena, out);
}

/* n times: if (bit i of r0) { r1 += 2i + 1; local = r1; } */
static void ifs(unsigned n, bool merge)
{
    struct arena arena = ARENA_INIT;
    struct ir_builder *b = ir_builder_new();
    unsigned nblocks = 2 * n + 1, nedges = 0;
    struct ir_block *block = xcalloc(nblocks, sizeof *block);
    struct flow_edge *edge = xcalloc(3 * n + 1, sizeof *edge);
    uint32_t *first = xcalloc(nblocks + 1, sizeof *first);
    for (unsigned i = 0; i < n; i++) {
        ir_begin(b, label(2 * i));
        ir_exit(b, ir_extract(b, ir_get(b, R0, 64), i, 1), IR_EXIT_JUMP, label(2 * i + 1));
        finish(b, &arena, &block[2 * i], 2 * i + 2);
        first[2 * i] = nedges;
        edge[nedges++] = (struct flow_edge){2 * i, 2 * i + 1, EDGE_TAKEN, 0, 0};
        edge[nedges++] = (struct flow_edge){2 * i, 2 * i + 2, EDGE_FALL, UINT32_MAX, 0};
        ir_begin(b, label(2 * i + 1));
        ir_val v = ir_bin(b, OP_ADD, ir_get(b, R1, 64), ir_const(b, 64, 2 * i + 1));
        ir_put(b, R1, v);
        ir_store(b, 0, ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-16)), v, IR_NONE);
        finish(b, &arena, &block[2 * i + 1], 2 * i + 2);
        first[2 * i + 1] = nedges;
        edge[nedges++] = (struct flow_edge){2 * i + 1, 2 * i + 2, EDGE_JUMP, UINT32_MAX, 0};
    }
    ir_begin(b, label(2 * n));
    ir_put(b, R0, ir_get(b, R1, 64));
    finish(b, &arena, &block[2 * n], 0);
    first[2 * n] = first[2 * n + 1] = nedges;
    struct flow_graph g = {
        .block = block, .nblocks = nblocks, .edge = edge, .nedges = nedges, .first_edge = first};

    struct terms *t = terms_new();
    struct explore_options opt = {.merge = merge, .axioms = AXIOM_ALL, .max_paths = 1u << 20};
    struct explorer *x = explorer_new_bare(&machine, (struct ir_pures){NULL, 0}, t, NULL, &opt);
    uint64_t paths = 0;
    struct error err;
    double start = now();
    if (!explore_graph(x, &g, count, &paths, &err))
        fprintf(stderr, "bench_explore: %s\n", err.text);
    double s = now() - start;
    printf("%2u ifs %-7s %6llu paths %9.3f ms %10.0f paths/s %8zu terms\n", n, merge ? "merged" : "paths",
           (unsigned long long)paths, s * 1e3, (double)paths / s, terms_count(t));
    explorer_free(x);
    terms_free(t);
    ir_builder_free(b);
    arena_free(&arena);
    free(block);
    free(edge);
    free(first);
}

static void forks(unsigned writes)
{
    struct terms *t = terms_new();
    struct explore_options opt = {.axioms = AXIOM_ALL};
    struct explorer *x = explorer_new_bare(&machine, (struct ir_pures){NULL, 0}, t, NULL, &opt);
    struct state *st = start_state(x, NULL);
    for (unsigned i = 0; i < writes; i++)
        memory_store(x, st, 0, term_add_const(t, x->entry[R0 / 8], 8ull * i), term_const(t, 64, i), TERM_NONE,
                     0);
    enum { N = 200000 };
    double start = now();
    for (unsigned i = 0; i < N; i++)
        state_free(x, state_fork(x, st));
    double s = now() - start;
    printf("fork with %6u stores in memory: %6.0f ns\n", writes, s / N * 1e9);
    state_free(x, st);
    explorer_free(x);
    terms_free(t);
}

int main(void)
{
    for (unsigned writes = 1; writes <= 10000; writes *= 100)
        forks(writes);
    for (unsigned i = 0; i < 3; i++) {
        ifs(12, false);
        ifs(40, true);
    }
    return 0;
}
