/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the members of a policy mean, and which go together. */
#include "../test.h"

#include <string.h>

#include "exec/start.h"
#include "mini.h"

static const struct exec_policy *const named[] = {&exec_policy_look, &exec_policy_prove, &exec_policy_compare,
                                                  &exec_policy_sample};
enum { NAMED = sizeof named / sizeof *named };

static void explore_knowing(struct mini_run *r, const struct exec_policy *policy,
                            const struct exec_callees *callees)
{
    struct error err;
    struct explore_options opt = {.axioms = AXIOM_ALL, .policy = policy, .callees = callees};
    explorer_free(r->x);
    vec_clear(&r->path);
    r->x = explorer_new_bare(&mini_machine, (struct ir_pures){NULL, 0}, r->t, NULL, &opt);
    assert_true(explore_graph(r->x, mini_graph(r->m), mini_run_keep, r, &err));
}

static void explore(struct mini_run *r, const struct exec_policy *policy)
{
    explore_knowing(r, policy, NULL);
}

static void what_goes_together(void **s)
{
    (void)s;
    const struct explore_options paths = {0}, merging = {.merge = true};
    for (unsigned i = 0; i < NAMED; i++) {
        struct exec_policy p = *named[i];
        assert_true(exec_policy_fits(&p, &paths));
        assert_int_equal(exec_policy_fits(&p, &merging), !p.induction);
        p.proof = true;
        p.arguments = EXEC_ARGUMENTS_POSSIBLE;
        p.callee_code = p.escapes = true;
        p.induction = false;
        assert_true(exec_policy_fits(&p, &merging));
        /* a proof assumes of no callee that it does less than it may, and guesses nothing low */
        struct exec_policy q = p;
        q.arguments = EXEC_ARGUMENTS_SET;
        assert_false(exec_policy_fits(&q, &paths));
        q = p;
        q.callee_code = false;
        assert_false(exec_policy_fits(&q, &paths));
        q = p;
        q.escapes = false;
        assert_false(exec_policy_fits(&q, &paths));
        q = p;
        q.induction = true;
        assert_false(exec_policy_fits(&q, &paths));
    }
    /* those that verdicts of safety rest on are proofs */
    assert_true(exec_policy_prove.proof && exec_policy_compare.proof);
}

/* sp -= 144; [sp + 128] = 6; f(sp + 136); sp += 144; return [sp - 16]: below the locals there is room for arguments */
static void what_a_callee_changes_of_an_escaped_frame(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val slot = ir_bin(b, OP_SUB, ir_get(b, SP, 64), ir_const(b, 64, 16));
    ir_put(b, SP, ir_bin(b, OP_SUB, slot, ir_const(b, 64, 128)));
    ir_store(b, 0, slot, ir_const(b, 64, 6), IR_NONE);
    ir_put(b, R0, ir_bin(b, OP_ADD, slot, ir_const(b, 64, 8)));
    mini_call(r.m, "f", 1);
    b = mini_begin(r.m, 1);
    slot = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, 128));
    ir_put(b, R0, ir_load(b, 0, slot, 64, IR_NONE, IR_NONE));
    ir_put(b, SP, ir_bin(b, OP_ADD, slot, ir_const(b, 64, 16)));
    mini_return(r.m);
    for (unsigned i = 0; i < NAMED; i++) {
        explore(&r, named[i]);
        assert_int_equal(r.path.len, 1);
        assert_int_equal(r.path.data[0]->escaped, named[i]->escapes);
        assert_int_equal(r.path.data[0]->result == term_const(r.t, 64, 6), !named[i]->escapes);
    }
    mini_run_end(&r);
}

/* r2 = 5; second(first(), ?, r2): nobody set r1. */
static void what_a_callee_is_given(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    mini_begin(r.m, 0);
    mini_call(r.m, "first", 1);
    struct ir_builder *b = mini_begin(r.m, 1);
    ir_put(b, R2, ir_const(b, 64, 5));
    mini_call(r.m, "second", 2);
    mini_begin(r.m, 2);
    mini_return(r.m);
    for (unsigned i = 0; i < NAMED; i++) {
        explore(&r, named[i]);
        assert_int_equal(r.path.len, 1);
        assert_int_equal(r.path.data[0]->nevents, 2);
        const struct exec_event *e = &r.path.data[0]->event[1];
        unsigned shown = e->nargs - e->nhidden;
        if (named[i]->arguments == EXEC_ARGUMENTS_POSSIBLE) {
            assert_true(shown >= 3);
            assert_int_equal(e->arg[2], term_const(r.t, 64, 5));
        } else {
            assert_int_equal(shown, 1);
        }
    }
    mini_run_end(&r);
}

struct knowing {
    bool exactly;
    int words, most;
    unsigned asked_takes, asked_arity, asked_most;
};

static bool takes(void *ctx, const char *name, struct flow_takes *out)
{
    struct knowing *k = ctx;
    (void)name;
    k->asked_takes++;
    if (k->exactly)
        *out = (struct flow_takes){.nargs = 2};
    return k->exactly;
}

static int arity(void *ctx, const char *name, uint64_t site)
{
    struct knowing *k = ctx;
    (void)name;
    k->asked_arity += site != 0;
    return k->words;
}

static int most(void *ctx, const char *name)
{
    struct knowing *k = ctx;
    (void)name;
    k->asked_most++;
    return k->most;
}

/* first(): what is known of it exactly comes before how many words it takes, and that before how many at
 * most. */
static void what_is_known_of_callees(void **s)
{
    (void)s;
    static const struct {
        struct knowing k;
        unsigned shown;
        bool bounded;
    } row[] = {{{.exactly = true, .words = 1, .most = 3}, 2, false}, {{.words = 1, .most = 3}, 1, true}};
    struct mini_run r = mini_run_begin();
    mini_begin(r.m, 0);
    mini_call(r.m, "first", 1);
    mini_begin(r.m, 1);
    mini_return(r.m);
    for (unsigned i = 0; i < NAMED; i++)
        for (size_t n = 0; n < sizeof row / sizeof *row; n++) {
            struct knowing k = row[n].k;
            const struct exec_callees callees = {.ctx = &k, .takes = takes, .arity = arity, .most = most};
            explore_knowing(&r, named[i], &callees);
            const struct exec_event *e = &r.path.data[0]->event[0];
            assert_int_equal(e->nargs - e->nhidden, row[n].shown);
            assert_int_equal(e->bounded, row[n].bounded);
            assert_int_equal(k.asked_takes, 1);
            assert_int_equal(k.asked_arity, !k.exactly);
            assert_int_equal(k.asked_most, 0);
        }
    /* the most that it may take is asked for only where less would be a guess */
    for (unsigned i = 0; i < NAMED; i++) {
        struct knowing k = {.words = -1, .most = 2};
        const struct exec_callees callees = {.ctx = &k, .takes = takes, .arity = arity, .most = most};
        explore_knowing(&r, named[i], &callees);
        bool possible = named[i]->arguments == EXEC_ARGUMENTS_POSSIBLE;
        const struct exec_event *e = &r.path.data[0]->event[0];
        assert_int_equal(k.asked_most, possible);
        if (possible)
            assert_int_equal(e->nargs - e->nhidden, 2);
    }
    mini_run_end(&r);
}

/* while (r0) r0 = r0 - 1; return r0 */
static void loops_by_induction_are_not_unrolled(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    mini_begin(r.m, 0);
    mini_jump(r.m, 1);
    struct ir_builder *b = mini_begin(r.m, 1);
    mini_branch(r.m, ir_bin(b, OP_EQ, ir_get(b, R0, 64), ir_const(b, 64, 0)), 3, 2);
    b = mini_begin(r.m, 2);
    ir_put(b, R0, ir_bin(b, OP_SUB, ir_get(b, R0, 64), ir_const(b, 64, 1)));
    mini_jump(r.m, 1);
    mini_begin(r.m, 3);
    mini_return(r.m);
    for (unsigned i = 0; i < NAMED; i++) {
        explore(&r, named[i]);
        bool unknown = false;
        for (size_t k = 0; k < r.path.len; k++) {
            const struct exec_path *p = r.path.data[k];
            for (unsigned l = 0; l < p->nliterals; l++) {
                term v = p->literal[l];
                while (term_nkids(r.t, v) && term_origin(r.t, v).kind != ORIGIN_LOOP)
                    v = term_kid(r.t, v, 0);
                unknown = unknown || term_origin(r.t, v).kind == ORIGIN_LOOP;
            }
        }
        assert_int_equal(unknown, named[i]->induction);
    }
    mini_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_together),
        cmocka_unit_test(what_is_known_of_callees),
        cmocka_unit_test(what_a_callee_changes_of_an_escaped_frame),
        cmocka_unit_test(what_a_callee_is_given),
        cmocka_unit_test(loops_by_induction_are_not_unrolled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
