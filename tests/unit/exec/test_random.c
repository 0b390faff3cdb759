/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random little functions, explored path by path and merged, against the concrete interpreter: for every
 * input exactly one path of each exploration applies, and its result and memory are those of the run. */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/concrete.h"
#include "mini.h"

enum { BASE_BYTE = 0x11, STACK = 0x70000000 };

static ir_val pick(struct ir_builder *b, uint64_t *seed)
{
    return ir_get(b, R0 + test_random(seed) % 6 * 8, 64);
}

/* An address: a local, or near an argument. */
static ir_val address(struct ir_builder *b, uint64_t *seed)
{
    uint64_t k = test_random(seed) % 4;
    if (k == 0)
        return ir_bin(b, OP_ADD, ir_get(b, SP, 64),
                      ir_const(b, 64, (uint64_t)-8 * (1 + test_random(seed) % 4)));
    if (k == 1) /* a local array with an index that is not known */
        return ir_bin(b, OP_ADD, ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-32)),
                      ir_bin(b, OP_AND, pick(b, seed), ir_const(b, 64, 7)));
    return ir_bin(b, OP_ADD, ir_get(b, k == 2 ? R6 : R7, 64), ir_const(b, 64, test_random(seed) % 8));
}

static void build(struct mini *m, uint64_t *seed)
{
    static const enum op ops[] = {OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR, OP_MUL};
    unsigned n = 4 + test_random(seed) % 9;
    for (unsigned i = 0; i < n; i++) {
        struct ir_builder *b = mini_begin(m, i);
        for (unsigned k = test_random(seed) % 4; k; k--) {
            unsigned to = R0 + test_random(seed) % 6 * 8;
            switch (test_random(seed) % 5) {
            case 0:
                ir_put(b, to, ir_const(b, 64, test_random(seed) % 4));
                break;
            case 1:
                ir_store(b, 0, address(b, seed), ir_extract(b, pick(b, seed), 0, 8 << test_random(seed) % 4),
                         IR_NONE);
                break;
            case 2: {
                unsigned w = 8 << test_random(seed) % 4;
                ir_put(b, to, ir_zext(b, ir_load(b, 0, address(b, seed), w, IR_NONE, IR_NONE), 64));
                break;
            }
            case 3:
                ir_store(b, 0, address(b, seed), pick(b, seed),
                         ir_bin(b, OP_ULT, pick(b, seed), ir_const(b, 64, 2)));
                break;
            default:
                ir_put(b, to, ir_bin(b, ops[test_random(seed) % 6], pick(b, seed), pick(b, seed)));
                break;
            }
        }
        if (i + 1 == n || test_random(seed) % 9 == 0) {
            mini_return(m);
        } else if (test_random(seed) % 12 == 0) {
            mini_trap(m);
        } else if (test_random(seed) % 3) {
            unsigned back = test_random(seed) % 5 == 0, to = i + 1 + test_random(seed) % (n - i - 1);
            ir_val c = ir_bin(b, test_random(seed) % 2 ? OP_ULT : OP_EQ, pick(b, seed),
                              ir_const(b, 64, test_random(seed) % 4));
            mini_branch(m, c, back ? (unsigned)(test_random(seed) % (i + 1)) : to, i + 1);
        } else {
            mini_jump(m, i + 1 + test_random(seed) % (n - i - 1));
        }
    }
}

struct paths {
    struct explorer *x;
    VEC(const struct exec_path *) path;
};

static bool keep(void *ctx, const struct exec_path *p)
{
    struct paths *r = ctx;
    vec_push(&r->path, p);
    return true;
}

static bool fill(void *ctx, unsigned space, uint64_t at, uint8_t *byte)
{
    (void)ctx, (void)space, (void)at;
    *byte = BASE_BYTE;
    return true;
}

static VEC(uint64_t) touched;

static void watch(void *ctx, unsigned space, uint64_t at, unsigned bytes, bool write)
{
    (void)ctx, (void)space;
    for (unsigned i = 0; write && i < bytes; i++)
        vec_push(&touched, at + i);
}

/* How the run ends: PATH_RETURN, PATH_TRAP, or PATH_LOOP_BOUND when it goes on for long. */
static enum path_end run(struct concrete *c, const struct flow_graph *g)
{
    uint32_t block = 0;
    for (unsigned step = 0; step < 200; step++) {
        struct concrete_result r = concrete_run_block(c, &g->block[block]);
        if (r.stop == CONCRETE_RET)
            return PATH_RETURN;
        if (r.stop == CONCRETE_TRAP)
            return PATH_TRAP;
        assert_int_equal(r.stop, CONCRETE_JUMP);
        block = (uint32_t)((r.label - 0x1000) / 0x10);
    }
    return PATH_LOOP_BOUND;
}

static bool is_true(struct terms *t, struct term_model *m, term x)
{
    struct bits v;
    assert_true(term_eval(t, m, x, &v));
    return !bits_is_zero(v);
}

static void compare(struct terms *t, struct paths *ps, struct term_model *m, struct concrete *c,
                    enum path_end end, uint64_t *seen)
{
    const struct exec_path *hit = NULL;
    for (size_t i = 0; i < ps->path.len; i++) {
        if (!is_true(t, m, ps->path.data[i]->condition))
            continue;
        assert_null(hit);
        hit = ps->path.data[i];
    }
    assert_non_null(hit);
    if (hit->end == PATH_LOOP_BOUND)
        return;
    assert_int_equal(hit->end, end);
    ++*seen;
    struct bits v;
    if (end == PATH_RETURN) {
        assert_true(term_eval(t, m, hit->result, &v));
        assert_true(bits_eq(v, concrete_get(c, R0, 64)));
    }
    terms_set_distinct(t, (struct term_distinct){0});
    term at = term_var(t, "address!", 64);
    for (size_t i = 0; i < touched.len; i++) {
        uint8_t byte;
        bool local = touched.data[i] >= STACK - 4096 && touched.data[i] < STACK;
        term_model_set(m, at, bits_u64(touched.data[i], 64));
        assert_true(concrete_read(c, 0, touched.data[i], &byte, 1));
        assert_true(
            term_eval(t, m, term_read(t, local && !hit->escaped ? hit->frame : hit->memory, at, 8), &v));
        assert_int_equal(byte, bits_low(v));
    }
    /* Writes happened exactly where their guards say: the last one to a byte has its value. */
    for (unsigned i = 0; i < hit->nwrites; i++) {
        bool last = true;
        struct bits a, b;
        assert_true(term_eval(t, m, hit->write[i].address, &a));
        if (hit->write[i].guard != TERM_NONE && !is_true(t, m, hit->write[i].guard))
            continue;
        for (unsigned k = i + 1; k < hit->nwrites && last; k++) {
            assert_true(term_eval(t, m, hit->write[k].address, &b));
            bool happens = hit->write[k].guard == TERM_NONE || is_true(t, m, hit->write[k].guard);
            last = !happens || bits_low(b) + 8 <= bits_low(a) || bits_low(a) + 8 <= bits_low(b);
        }
        uint8_t byte;
        assert_true(term_eval(t, m, hit->write[i].value, &v));
        assert_true(concrete_read(c, 0, bits_low(a), &byte, 1));
        if (last)
            assert_int_equal(byte, bits_low(v) & 0xff);
    }
}

static void paths_and_merged_states_are_what_runs_do(void **s)
{
    (void)s;
    uint64_t seed = 12345, seen = 0, merges = 0;
    for (unsigned round = 0; round < 150; round++) {
        struct mini *m = mini_new();
        struct terms *t = terms_new();
        build(m, &seed);
        const struct flow_graph *g = mini_graph(m);
        struct paths set[3] = {0};
        struct error err;
        for (unsigned k = 0; k < 3; k++) {
            struct explore_options opt = {
                .axioms = AXIOM_ALL, .merge = k > 0, .merge_returns = k == 2, .no_cost_heuristic = k == 2};
            set[k].x = explorer_new_bare(&mini_machine, (struct ir_pures){NULL, 0}, t, NULL, &opt);
            assert_true(explore_graph(set[k].x, g, keep, &set[k], &err));
            merges += explorer_stats(set[k].x).merges;
        }
        for (unsigned input = 0; input < 6; input++) {
            struct term_model *model = term_model_new();
            struct concrete *c = concrete_new(&mini_machine, (struct ir_pures){NULL, 0}, fill, NULL);
            vec_clear(&touched);
            concrete_watch(c, watch, NULL);
            for (unsigned r = 0; r < mini_machine.nreg; r++) {
                const struct machine_register *reg = &mini_machine.reg[r];
                char name[8];
                uint64_t v = reg->offset == SP                        ? STACK
                             : reg->offset >= R6 && reg->offset <= R7 ? 0x2000 + test_random(&seed) % 12
                                                                      : test_random(&seed) % 5;
                if (reg->offset <= R3)
                    snprintf(name, sizeof name, "arg%u", reg->offset / 8);
                else
                    snprintf(name, sizeof name, "%s", reg->name);
                term_model_set(model, term_var(t, name, reg->width), bits_u64(v, 64));
                concrete_set(c, reg->offset, 64, bits_u64(v, 64));
            }
            term_model_set(model, term_var(t, "caller", 64), bits_u64(STACK, 64));
            term_model_set_default(model, term_array_var(t, "mem", 64, 8), bits_u64(BASE_BYTE, 8));
            enum path_end end = run(c, g);
            for (unsigned k = 0; k < 3; k++)
                compare(t, &set[k], model, c, end, &seen);
            concrete_free(c);
            term_model_free(model);
        }
        for (unsigned k = 0; k < 3; k++) {
            explorer_free(set[k].x);
            vec_free(&set[k].path);
        }
        terms_free(t);
        mini_free(m);
    }
    vec_free(&touched);
    assert_true(seen > 1000);
    assert_true(merges > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths_and_merged_states_are_what_runs_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
