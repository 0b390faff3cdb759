/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explorations that begin with something known: arguments, registers and memory, a snapshot of a process. */
#include "../test.h"

#include <string.h>

#include "exec/replay.h"
#include "exec/start.h"
#include "mini.h"

static void explore(struct mini_run *r, struct explore_options opt, struct exec_start start)
{
    struct error err;
    opt.axioms = AXIOM_ALL;
    explorer_free(r->x);
    vec_clear(&r->path);
    r->x = explorer_new_bare(&mini_machine, (struct ir_pures){NULL, 0}, r->t, r->s, &opt);
    start.g = mini_graph(r->m);
    assert_true(explore_start(r->x, &start, mini_run_keep, r, &err));
}

static term num(struct mini_run *r, uint64_t v)
{
    return term_const(r->t, 64, v);
}

static void replays(struct mini_run *r)
{
    for (size_t i = 0; i < r->path.len; i++) {
        struct replay out;
        if (!replay_path(r->x, r->m->g, r->path.data[i], &out))
            fail_msg("path %zu: %s", i, out.why);
    }
}

/* if (r0 < 0) r0 = -r0; return r0 + r1; */
static void build_abs(struct mini *m)
{
    struct ir_builder *b = mini_begin(m, 0);
    mini_branch(m, ir_bin(b, OP_SLT, ir_get(b, R0, 64), ir_const(b, 64, 0)), 1, 2);
    b = mini_begin(m, 1);
    ir_put(b, R0, ir_un(b, OP_NEG, ir_get(b, R0, 64)));
    mini_jump(m, 2);
    b = mini_begin(m, 2);
    ir_put(b, R0, ir_bin(b, OP_ADD, ir_get(b, R0, 64), ir_get(b, R1, 64)));
    mini_return(m);
}

static void arguments_are_terms(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    build_abs(r.m);
    term shared = term_var(r.t, "shared", 32);
    term arg[] = {num(&r, (uint64_t)-5), shared};
    explore(&r, (struct explore_options){0}, (struct exec_start){.arg = arg, .nargs = 2});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->result, term_bin(r.t, OP_ADD, num(&r, 5), term_zext(r.t, shared, 64)));
    replays(&r);
    /* one of two: the other is the symbol */
    arg[0] = TERM_NONE;
    explore(&r, (struct explore_options){0}, (struct exec_start){.arg = arg, .nargs = 2});
    assert_int_equal(r.path.len, 2);
    replays(&r);
    /* what is assumed decides */
    term positive = term_not(r.t, term_bin(r.t, OP_SLT, term_var(r.t, "arg0", 64), num(&r, 0)));
    explore(&r, (struct explore_options){0}, (struct exec_start){.assume = &positive, .nassumed = 1});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->condition, positive);
    mini_run_end(&r);
}

/* return the first word of the stack plus [0x2000] */
static void stack_arguments_and_words_of_memory(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val word = ir_load(b, 0, ir_get(b, SP, 64), 64, IR_NONE, IR_NONE);
    ir_val global = ir_load(b, 0, ir_const(b, 64, 0x2000), 64, IR_NONE, IR_NONE);
    ir_store(b, 0, ir_get(b, R0, 64), word, IR_NONE);
    ir_put(b, R0, ir_bin(b, OP_ADD, ir_load(b, 0, ir_get(b, SP, 64), 64, IR_NONE, IR_NONE), global));
    mini_return(r.m);
    term arg[] = {TERM_NONE, TERM_NONE, TERM_NONE, TERM_NONE, num(&r, 40)};
    struct exec_store store = {num(&r, 0x2000), num(&r, 2)};
    explore(&r, (struct explore_options){0},
            (struct exec_start){.arg = arg, .nargs = 5, .store = &store, .nstores = 1});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->result, num(&r, 42));
    replays(&r);
    mini_run_end(&r);
}

enum { DATA = 0x5000, STACK = 0x7000 };

/* do { [DATA + 8] += 3; r4 = [DATA] - 1; [DATA] = r4; push and pop r4; } while (r4); return [DATA + 8] */
static void build_countdown(struct mini *m)
{
    struct ir_builder *b = mini_begin(m, 0);
    mini_jump(m, 1);
    b = mini_begin(m, 1);
    ir_val count = ir_const(b, 64, DATA), sum = ir_const(b, 64, DATA + 8);
    ir_store(b, 0, sum, ir_bin(b, OP_ADD, ir_load(b, 0, sum, 64, IR_NONE, IR_NONE), ir_const(b, 64, 3)),
             IR_NONE);
    ir_val left = ir_bin(b, OP_SUB, ir_load(b, 0, count, 64, IR_NONE, IR_NONE), ir_const(b, 64, 1));
    ir_val slot = ir_bin(b, OP_SUB, ir_get(b, SP, 64), ir_const(b, 64, 8));
    ir_store(b, 0, slot, left, IR_NONE);
    ir_store(b, 0, count, ir_load(b, 0, slot, 64, IR_NONE, IR_NONE), IR_NONE);
    mini_branch(m, ir_un(b, OP_NOT, ir_bin(b, OP_EQ, left, ir_const(b, 64, 0))), 1, 2);
    b = mini_begin(m, 2);
    ir_put(b, R0, ir_load(b, 0, ir_const(b, 64, DATA + 8), 64, IR_NONE, IR_NONE));
    mini_return(m);
}

static void a_concrete_loop_runs_to_its_end(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    build_countdown(r.m);
    uint8_t data[16] = {0xe8, 0x03}, stack[0x1000] = {0};
    struct exec_page page[] = {{DATA, data, sizeof data, NULL},
                               {STACK - sizeof stack, stack, sizeof stack, NULL}};
    struct exec_snapshot snapshot = {.page = page, .npages = 2};
    struct exec_set set[] = {{SP, num(&r, STACK - 64)}, {LR, num(&r, 0x1234)}};
    struct exec_start start = {.snapshot = &snapshot, .set = set, .nsets = 2};
    for (unsigned merge = 0; merge < 2; merge++) {
        explore(&r, (struct explore_options){.visits = 2, .free_concrete = true, .merge = merge}, start);
        assert_int_equal(r.path.len, 1);
        assert_int_equal(r.path.data[0]->end, PATH_RETURN);
        assert_int_equal(r.path.data[0]->result, num(&r, 3000));
        replays(&r);
    }
    /* without the option every round counts */
    explore(&r, (struct explore_options){.visits = 2}, start);
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->end, PATH_LOOP_BOUND);
    mini_run_end(&r);
}

/* return [DATA] + [DATA + 8] */
static void build_sum(struct mini *m)
{
    struct ir_builder *b = mini_begin(m, 0);
    ir_val one = ir_load(b, 0, ir_const(b, 64, DATA), 64, IR_NONE, IR_NONE);
    ir_val two = ir_load(b, 0, ir_const(b, 64, DATA + 8), 64, IR_NONE, IR_NONE);
    ir_put(b, R0, ir_bin(b, OP_ADD, one, two));
    mini_return(m);
}

static void open_bytes_of_a_page_are_symbols(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    build_sum(r.m);
    uint8_t data[16] = {7, [8] = 5}, stack[64] = {0}, open[16] = {[8] = 1, 1, 1, 1, 1, 1, 1, 1};
    struct exec_page page[] = {{DATA, data, sizeof data, open},
                               {STACK - sizeof stack, stack, sizeof stack, NULL}};
    struct exec_snapshot snapshot = {.page = page, .npages = 2};
    struct exec_set set[] = {{SP, num(&r, STACK - 64)}, {LR, num(&r, 0x1234)}};
    explore(&r, (struct explore_options){0},
            (struct exec_start){.snapshot = &snapshot, .set = set, .nsets = 2});
    assert_int_equal(r.path.len, 1);
    term cell = term_read(r.t, explorer_symbols(r.x).mem, num(&r, DATA + 8), 64);
    assert_int_equal(r.path.data[0]->result, term_add_const(r.t, cell, 7));
    mini_run_end(&r);
}

static term never_mapped(void *ctx, const struct exec_moment *at, term address, unsigned bytes)
{
    struct mini_run *r = ctx;
    assert_int_equal(bytes, 8);
    (void)at;
    return term_eq(r->t, address, num(r, DATA + 8));
}

static void who_knows_better_says_what_faults(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    build_sum(r.m);
    uint8_t data[16] = {7}, stack[64] = {0};
    struct exec_page page[] = {{DATA, data, sizeof data, NULL},
                               {STACK - sizeof stack, stack, sizeof stack, NULL}};
    struct exec_snapshot snapshot = {.page = page, .npages = 2, .unmapped = never_mapped, .ctx = &r};
    struct exec_set set[] = {{SP, num(&r, STACK - 64)}, {LR, num(&r, 0x1234)}};
    explore(&r, (struct explore_options){.faults = FAULT_UNMAPPED},
            (struct exec_start){.snapshot = &snapshot, .set = set, .nsets = 2});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->end, PATH_FAULT);
    assert_int_equal(r.path.data[0]->fault->address, num(&r, DATA + 8));
    mini_run_end(&r);
}

/* The same loop with a count that is not known: bounded as ever. */
static void open_decisions_are_bounded(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    build_countdown(r.m);
    for (unsigned merge = 0; merge < 2; merge++) {
        explore(&r, (struct explore_options){.visits = 2, .free_concrete = true, .merge = merge},
                (struct exec_start){0});
        unsigned bounds = 0, returns = 0;
        for (size_t i = 0; i < r.path.len; i++) {
            bounds += r.path.data[i]->end == PATH_LOOP_BOUND;
            returns += r.path.data[i]->end == PATH_RETURN;
        }
        assert_int_equal(bounds, 1);
        assert_int_equal(returns, merge ? 1 : 3);
    }
    mini_run_end(&r);
}

/* A concrete loop with an open branch in each round: the branch counts, the rounds do not. */
static void rounds_are_not_merged_with_each_other(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R4, ir_const(b, 64, 5));
    ir_put(b, R5, ir_const(b, 64, 0));
    mini_jump(r.m, 1);
    b = mini_begin(r.m, 1); /* the bit of r0 says whether the round counts */
    ir_val bit = ir_extract(b, ir_bin(b, OP_LSHR, ir_get(b, R0, 64), ir_get(b, R4, 64)), 0, 1);
    mini_branch(r.m, bit, 2, 3);
    b = mini_begin(r.m, 2);
    ir_put(b, R5, ir_bin(b, OP_ADD, ir_get(b, R5, 64), ir_const(b, 64, 1)));
    mini_jump(r.m, 3);
    b = mini_begin(r.m, 3);
    ir_val left = ir_bin(b, OP_SUB, ir_get(b, R4, 64), ir_const(b, 64, 1));
    ir_put(b, R4, left);
    mini_branch(r.m, ir_un(b, OP_NOT, ir_bin(b, OP_EQ, left, ir_const(b, 64, 0))), 1, 4);
    b = mini_begin(r.m, 4);
    ir_put(b, R0, ir_get(b, R5, 64));
    mini_return(r.m);
    explore(
        &r,
        (struct explore_options){.visits = 5, .free_concrete = true, .merge = true, .merge_returns = true},
        (struct exec_start){0});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->end, PATH_RETURN);
    replays(&r);
    explore(&r, (struct explore_options){.visits = 2, .free_concrete = true}, (struct exec_start){0});
    bool bound = false;
    for (size_t i = 0; i < r.path.len; i++)
        bound = bound || r.path.data[i]->end == PATH_LOOP_BOUND;
    assert_true(bound);
    mini_run_end(&r);
}

/* A store to an unknown place may have changed what the snapshot has; elsewhere it is still there. */
static void the_solver_is_told_of_pages(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_store(b, 0, ir_get(b, R0, 64), ir_const(b, 8, 9), IR_NONE);
    ir_put(b, R0, ir_zext(b, ir_load(b, 0, ir_const(b, 64, DATA), 8, IR_NONE, IR_NONE), 64));
    mini_return(r.m);
    uint8_t data[1] = {7};
    struct exec_page page = {DATA, data, 1};
    struct exec_snapshot snapshot = {&page, 1};
    explore(&r, (struct explore_options){0}, (struct exec_start){.snapshot = &snapshot});
    assert_int_equal(r.path.len, 1);
    const term *assume;
    size_t n = explorer_assumptions(r.x, &assume);
    VEC(term) q = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        vec_push(&q, assume[i]);
    term result = r.path.data[0]->result;
    vec_push(&q, term_not(r.t, term_eq(r.t, result, num(&r, 7))));
    vec_push(&q, term_not(r.t, term_eq(r.t, result, num(&r, 9))));
    assert_int_equal(solve_check(r.s, q.data, q.len, NULL), SOLVE_UNSAT);
    q.len -= 1;
    assert_int_equal(solve_check(r.s, q.data, q.len, NULL), SOLVE_SAT);
    vec_free(&q);
    replays(&r);
    mini_run_end(&r);
}

/* [DATA] = [r0]; return [DATA]: what was there before is gone, whatever was copied over it. */
static void a_cell_copied_onto_a_page_is_not_the_page(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val data = ir_const(b, 64, DATA);
    ir_store(b, 0, data, ir_load(b, 0, ir_get(b, R0, 64), 32, IR_NONE, IR_NONE), IR_NONE);
    ir_put(b, R0, ir_zext(b, ir_load(b, 0, data, 32, IR_NONE, IR_NONE), 64));
    mini_return(r.m);
    uint8_t data_byte[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct exec_page page = {DATA, data_byte, sizeof data_byte};
    struct exec_snapshot snapshot = {&page, 1};
    explore(&r, (struct explore_options){0}, (struct exec_start){.snapshot = &snapshot});
    assert_int_equal(r.path.len, 1);
    assert_false(term_is_const(r.t, r.path.data[0]->result));
    replays(&r);
    term at = num(&r, DATA + 4);
    explore(&r, (struct explore_options){0},
            (struct exec_start){.snapshot = &snapshot, .arg = &at, .nargs = 1});
    assert_int_equal(r.path.data[0]->result, num(&r, 0x08070605));
    mini_run_end(&r);
}

/* [DATA] = DATA + (r0 & 0xff); return [DATA]: a pointer that was kept in memory is still a sum. */
static void what_was_stored_on_a_page_stays_whole(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val data = ir_const(b, 64, DATA), low = ir_bin(b, OP_AND, ir_get(b, R0, 64), ir_const(b, 64, 0xff));
    ir_store(b, 0, data, ir_bin(b, OP_ADD, data, low), IR_NONE);
    ir_put(b, R0, ir_load(b, 0, data, 64, IR_NONE, IR_NONE));
    mini_return(r.m);
    uint8_t data_byte[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct exec_page page = {DATA, data_byte, sizeof data_byte};
    struct exec_snapshot snapshot = {&page, 1};
    explore(&r, (struct explore_options){0}, (struct exec_start){.snapshot = &snapshot});
    assert_int_equal(r.path.len, 1);
    term base;
    uint64_t from;
    term_split(r.t, r.path.data[0]->result, &base, &from);
    assert_int_equal(from, DATA);
    replays(&r);
    mini_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_terms),
        cmocka_unit_test(stack_arguments_and_words_of_memory),
        cmocka_unit_test(a_concrete_loop_runs_to_its_end),
        cmocka_unit_test(open_bytes_of_a_page_are_symbols),
        cmocka_unit_test(who_knows_better_says_what_faults),
        cmocka_unit_test(open_decisions_are_bounded),
        cmocka_unit_test(rounds_are_not_merged_with_each_other),
        cmocka_unit_test(the_solver_is_told_of_pages),
        cmocka_unit_test(a_cell_copied_onto_a_page_is_not_the_page),
        cmocka_unit_test(what_was_stored_on_a_page_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
