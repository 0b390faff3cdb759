/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spaces beside memory: a made-up machine with three hundred of them, as a front end for objects would have.
 */
#include "../test.h"

#include <stdio.h>
#include <string.h>

#include "exec/concrete.h"
#include "exec/replay.h"
#include "mini.h"

enum { NEXT = 1, VALUE = 2, TAG = 3, LOG = 4, FAR = 300, SPACES = 300 };

static struct ir_space space[SPACES];
static char space_name[SPACES][8];
static struct ir_machine machine;

static int declare(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SPACES; i++) {
        snprintf(space_name[i], sizeof space_name[i], "f%u", i + 1);
        space[i] = (struct ir_space){.name = space_name[i], .index_width = 32, .cell_width = 32};
    }
    space[VALUE - 1].cell_width = 64;
    space[TAG - 1].survives_calls = space[TAG - 1].survives_unknown = true;
    space[LOG - 1].survives_calls = true;
    machine = mini_machine;
    machine.space = space;
    machine.nspaces = SPACES;
    return 0;
}

static void explore(struct mini_run *r, struct explore_options opt)
{
    struct error err;
    opt.axioms = AXIOM_ALL;
    r->x = explorer_new_bare(&machine, (struct ir_pures){NULL, 0}, r->t, r->s, &opt);
    const struct flow_graph *g = mini_graph(r->m);
    for (uint32_t i = 0; i < g->nblocks; i++)
        assert_true(ir_validate(&g->block[i], &machine, NULL, NULL));
    assert_true(explore_graph(r->x, g, mini_run_keep, r, &err));
}

static term entry(struct mini_run *r, unsigned n)
{
    return term_array_var(r->t, space[n - 1].name, 32, space[n - 1].cell_width);
}

static term low(struct mini_run *r, unsigned argument)
{
    char name[8];
    snprintf(name, sizeof name, "arg%u", argument);
    return term_extract(r->t, term_var(r->t, name, 64), 0, 32);
}

static ir_val ref(struct ir_builder *b, unsigned at)
{
    return ir_extract(b, ir_get(b, at, 64), 0, 32);
}

static void give(struct ir_builder *b, ir_val v)
{
    ir_put(b, R0, ir_zext(b, v, 64));
}

static ir_val load(struct ir_builder *b, unsigned space_, ir_val at)
{
    return ir_load(b, space_, at, space[space_ - 1].cell_width, IR_NONE, IR_NONE);
}

static void store(struct ir_builder *b, unsigned space_, ir_val at, ir_val v)
{
    ir_store(b, space_, at, v, IR_NONE);
}

static void replays(struct mini_run *r)
{
    for (size_t i = 0; i < r->path.len; i++) {
        struct replay out;
        if (!replay_path(r->x, r->m->g, r->path.data[i], &out))
            fail_msg("path %zu: %s", i, out.why);
    }
}

/* r0.next = r1; r1.value = 7; return r0.next.next + r0.f300 */
static void cells_are_as_wide_as_declared(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    store(b, NEXT, ref(b, R0), ref(b, R1));
    store(b, VALUE, ref(b, R1), ir_const(b, 64, 7));
    ir_val far = load(b, FAR, ref(b, R0));
    give(b, ir_bin(b, OP_ADD, load(b, NEXT, load(b, NEXT, ref(b, R0))), far));
    mini_return(r.m);
    explore(&r, (struct explore_options){0});
    assert_int_equal(r.path.len, 1);
    const struct exec_path *p = r.path.data[0];
    term next = term_write(r.t, entry(&r, NEXT), low(&r, 0), low(&r, 1));
    assert_int_equal(exec_spaces_array(r.x, p->spaces, NEXT), next);
    assert_int_equal(exec_spaces_array(r.x, p->spaces, VALUE),
                     term_write(r.t, entry(&r, VALUE), low(&r, 1), term_const(r.t, 64, 7)));
    assert_int_equal(exec_spaces_array(r.x, p->spaces, FAR), entry(&r, FAR));
    term sum = term_bin(r.t, OP_ADD, term_read(r.t, next, low(&r, 1), 32),
                        term_read(r.t, entry(&r, FAR), low(&r, 0), 32));
    assert_int_equal(p->result, term_zext(r.t, sum, 64));
    assert_int_equal(p->nwrites, 2);
    assert_int_equal(p->write[0].space, NEXT);
    assert_int_equal(p->write[1].space, VALUE);
    replays(&r);
    mini_run_end(&r);
}

/* if (r1) r0.next = r1 else r0.value = 1; return r0.next: one state, each space with its own choice. */
static void spaces_are_merged(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    mini_branch(r.m, ir_bin(b, OP_EQ, ref(b, R1), ir_const(b, 32, 0)), 1, 2);
    b = mini_begin(r.m, 1);
    store(b, VALUE, ref(b, R0), ir_const(b, 64, 1));
    mini_jump(r.m, 3);
    b = mini_begin(r.m, 2);
    store(b, NEXT, ref(b, R0), ref(b, R1));
    mini_jump(r.m, 3);
    b = mini_begin(r.m, 3);
    give(b, load(b, NEXT, ref(b, R0)));
    mini_return(r.m);
    explore(&r, (struct explore_options){.merge = true, .merge_returns = true});
    assert_int_equal(r.path.len, 1);
    term null = term_eq(r.t, low(&r, 1), term_const(r.t, 32, 0)), before = entry(&r, NEXT);
    term want = term_ite(r.t, null, term_read(r.t, before, low(&r, 0), 32), low(&r, 1));
    assert_int_equal(r.path.data[0]->result, term_zext(r.t, want, 64));
    replays(&r);
    mini_run_end(&r);
}

/* A call on one side only: what it may have changed is a choice, also in a space that nobody had touched. */
static void effects_on_one_side_are_merged(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R6, ir_get(b, R0, 64));
    mini_branch(r.m, ir_bin(b, OP_EQ, ref(b, R1), ir_const(b, 32, 0)), 1, 2);
    mini_begin(r.m, 1);
    mini_call(r.m, "f", 2);
    b = mini_begin(r.m, 2);
    give(b, load(b, NEXT, ref(b, R6)));
    mini_return(r.m);
    explore(&r, (struct explore_options){.merge = true, .merge_returns = true, .no_cost_heuristic = true});
    assert_int_equal(r.path.len, 1);
    term null = term_eq(r.t, low(&r, 1), term_const(r.t, 32, 0));
    term got = r.path.data[0]->result, yes = term_true(r.t), no = term_false(r.t);
    term stays = term_zext(r.t, term_read(r.t, entry(&r, NEXT), low(&r, 0), 32), 64);
    assert_int_equal(term_substitute(r.t, got, &null, &no, 1), stays);
    assert_int_not_equal(term_substitute(r.t, got, &null, &yes, 1), stays);
    replays(&r);
    mini_run_end(&r);
}

/* r6.next = r6.tag = 5; f(); return r6.NTH */
static term after_call(struct mini_run *r, unsigned which, bool unknown)
{
    struct ir_builder *b = mini_begin(r->m, 0);
    ir_put(b, R6, ir_get(b, R0, 64));
    store(b, NEXT, ref(b, R6), ir_const(b, 32, 5));
    store(b, TAG, ref(b, R6), ir_const(b, 32, 5));
    store(b, LOG, ref(b, R6), ir_const(b, 32, 5));
    if (unknown) {
        ir_unknown(b, &(struct ir_unknown){.text = "???", .mem_write = true});
        mini_jump(r->m, 1);
    } else {
        mini_call(r->m, "f", 1);
    }
    b = mini_begin(r->m, 1);
    give(b, load(b, which, ref(b, R6)));
    mini_return(r->m);
    explore(r, (struct explore_options){0});
    assert_int_equal(r->path.len, 1);
    return r->path.data[0]->result;
}

static void effects_change_what_does_not_survive_them(void **s)
{
    (void)s;
    static const struct {
        unsigned space;
        bool unknown, survives;
    } cases[] = {
        {NEXT, false, false}, {TAG, false, true}, {LOG, false, true}, {FAR, false, false},
        {NEXT, true, false},  {TAG, true, true},  {LOG, true, false}, {FAR, true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mini_run r = mini_run_begin();
        term got = after_call(&r, cases[i].space, cases[i].unknown), at = low(&r, 0);
        if (cases[i].survives)
            assert_int_equal(got, term_const(r.t, 64, 5));
        else
            assert_false(term_is_const(r.t, got));
        /* nothing of what is there now is what was there at entry */
        assert_int_not_equal(got, term_zext(r.t, term_read(r.t, entry(&r, cases[i].space), at, 32), 64));
        if (!cases[i].unknown)
            replays(&r);
        mini_run_end(&r);
    }
}

/* What a call returns depends on what it sees: two functions of which one stored first. */
static void results_depend_on_spaces(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct mini *other = mini_new();
    struct ir_builder *b = mini_begin(r.m, 0);
    store(b, NEXT, ref(b, R1), ir_const(b, 32, 5));
    mini_call(r.m, "f", 1);
    mini_begin(r.m, 1);
    mini_return(r.m);
    mini_begin(other, 0);
    mini_call(other, "f", 1);
    mini_begin(other, 1);
    mini_return(other);
    explore(&r, (struct explore_options){0});
    struct error err;
    assert_true(explore_graph(r.x, mini_graph(other), mini_run_keep, &r, &err));
    assert_int_equal(r.path.len, 2);
    assert_int_not_equal(r.path.data[0]->result, r.path.data[1]->result);
    vec_clear(&r.path);
    assert_true(explore_graph(r.x, other->g, mini_run_keep, &r, &err));
    assert_true(explore_graph(r.x, other->g, mini_run_keep, &r, &err));
    assert_int_equal(r.path.data[0]->result, r.path.data[1]->result);
    mini_free(other);
    mini_run_end(&r);
}

/* An address of the frame that was stored in a space is known to callees: they may change the local. */
static void a_frame_address_in_a_space_escapes(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    space[FAR - 1].cell_width = 64;
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val slot = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-16));
    ir_put(b, R6, slot);
    ir_store(b, 0, slot, ir_const(b, 64, 1), IR_NONE);
    store(b, FAR, ref(b, R0), slot);
    mini_call(r.m, "f", 1);
    b = mini_begin(r.m, 1);
    ir_put(b, R0, ir_load(b, 0, ir_get(b, R6, 64), 64, IR_NONE, IR_NONE));
    mini_return(r.m);
    explore(&r, (struct explore_options){0});
    assert_false(term_is_const(r.t, r.path.data[0]->result));
    mini_run_end(&r);
    declare(NULL);
}

struct seen {
    unsigned space[4], cells[4], n;
};

static void see(void *ctx, const struct exec_moment *at, unsigned space_, term address, unsigned cells,
                bool write, term guard, uint64_t site)
{
    (void)at, (void)address, (void)write, (void)guard, (void)site;
    struct seen *seen = ctx;
    seen->space[seen->n] = space_;
    seen->cells[seen->n++] = cells;
}

static void hooks_see_every_space(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct seen seen = {.n = 0};
    struct explore_hooks hooks = {.ctx = &seen, .access = see};
    struct ir_builder *b = mini_begin(r.m, 0);
    store(b, NEXT, ref(b, R0), ref(b, R1));
    give(b, ir_load(b, VALUE, ref(b, R0), 64, IR_NONE, IR_NONE));
    ir_store(b, 0, ir_get(b, R0, 64), ref(b, R1), IR_NONE);
    mini_return(r.m);
    explore(&r, (struct explore_options){.hooks = &hooks});
    assert_int_equal(seen.n, 3);
    assert_int_equal(seen.space[0], NEXT);
    assert_int_equal(seen.cells[0], 1);
    assert_int_equal(seen.space[1], VALUE);
    assert_int_equal(seen.cells[1], 1);
    assert_int_equal(seen.space[2], 0);
    assert_int_equal(seen.cells[2], 4);
    mini_run_end(&r);
}

/* Addresses wrap at the index width, cells hold their whole width, and spaces are apart. */
static void the_interpreter_has_them_too(void **s)
{
    (void)s;
    struct concrete *c = concrete_new(&machine, (struct ir_pures){NULL, 0}, NULL, NULL);
    uint8_t in[16], out[16];
    for (unsigned i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i + 1);
    assert_true(concrete_write(c, VALUE, UINT32_MAX, in, 2));
    assert_true(concrete_read(c, VALUE, 0, out, 1));
    assert_memory_equal(out, in + 8, 8);
    assert_true(concrete_read(c, VALUE, UINT32_MAX, out, 2));
    assert_memory_equal(out, in, 16);
    assert_false(concrete_read(c, NEXT, 0, out, 1));
    concrete_reset(c);
    assert_false(concrete_read(c, VALUE, 0, out, 1));
    concrete_free(c);
}

/* for (i = 0, k = 0; i < 6; i++) if (bit i of r0) r1[k++] = 7 */
static struct explore_stats filter(struct explore_options opt)
{
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R4, ir_const(b, 64, 0));
    ir_put(b, R5, ir_const(b, 64, 0));
    mini_jump(r.m, 1);
    b = mini_begin(r.m, 1);
    mini_branch(r.m, ir_bin(b, OP_EQ, ir_get(b, R4, 64), ir_const(b, 64, 6)), 5, 2);
    b = mini_begin(r.m, 2);
    ir_val bit = ir_extract(b, ir_bin(b, OP_LSHR, ir_get(b, R0, 64), ir_get(b, R4, 64)), 0, 1);
    mini_branch(r.m, bit, 3, 4);
    b = mini_begin(r.m, 3);
    ir_val k = ir_get(b, R5, 64);
    store(b, NEXT, ir_bin(b, OP_CONCAT, ir_const(b, 16, 1), ir_extract(b, k, 0, 16)), ir_const(b, 32, 7));
    ir_put(b, R5, ir_bin(b, OP_ADD, k, ir_const(b, 64, 1)));
    mini_jump(r.m, 4);
    b = mini_begin(r.m, 4);
    ir_put(b, R4, ir_bin(b, OP_ADD, ir_get(b, R4, 64), ir_const(b, 64, 1)));
    mini_jump(r.m, 1);
    mini_begin(r.m, 5);
    mini_return(r.m);
    opt.merge = true;
    opt.visits = 100;
    explore(&r, opt);
    assert_int_equal(r.path.len, 1);
    replays(&r);
    struct explore_stats stats = explorer_stats(r.x);
    mini_run_end(&r);
    return stats;
}

/* Where k must stay known there is a state for each k, however it came about: 1 + 2 + ... + 6 forks, not 63. */
static void numbers_that_index_stay_known(void **s)
{
    (void)s;
    assert_int_equal(filter((struct explore_options){0}).forks, 6);
    struct explore_stats kept = filter((struct explore_options){.keep_known = TAG, .work = 1000000});
    assert_int_equal(kept.forks, 21);
    /* 21 states run the body of the loop, where 63 would have */
    assert_true(kept.apart > 2.5 * (double)kept.run && kept.apart < 3.5 * (double)kept.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_as_wide_as_declared),
        cmocka_unit_test(spaces_are_merged),
        cmocka_unit_test(effects_on_one_side_are_merged),
        cmocka_unit_test(effects_change_what_does_not_survive_them),
        cmocka_unit_test(results_depend_on_spaces),
        cmocka_unit_test(a_frame_address_in_a_space_escapes),
        cmocka_unit_test(hooks_see_every_space),
        cmocka_unit_test(numbers_that_index_stay_known),
        cmocka_unit_test(the_interpreter_has_them_too),
    };
    return cmocka_run_group_tests(tests, declare, NULL);
}
