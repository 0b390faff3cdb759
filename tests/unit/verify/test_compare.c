/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the comparison of two ends answers: calls, memories, what callers read, what library functions mean.
 * The answers are values; the attempt under way is not touched. compare_input.c in two versions. */
#include "test.h"

#include <string.h>

#include "asked.h"

struct compared {
    struct asked x;
    struct end end[2];
    struct view w;
};

static bool take_return(void *ctx, const struct exec_path *p)
{
    const struct exec_path **out = ctx;
    assert_int_equal(p->end, PATH_RETURN); /* returns are merged */
    *out = p;
    return true;
}

static void start(struct compared *k, void **state, const char *function)
{
    char **version = *state;
    *k = (struct compared){0};
    asked_start(&k->x, version[0], version[1], function);
    struct check *c = &k->x.c;
    for (int s = 0; s < 2; s++) {
        const struct explore_options o = {.merge = true,
                                          .merge_returns = true,
                                          .no_cost_heuristic = true,
                                          .keep_regs = true,
                                          .axioms = AXIOM_ALL};
        struct pair_side *side = &c->pair.side[s];
        const struct exec_path *path = NULL;
        struct error err = {0};
        check_explorer(c, side, &o);
        assert_true(explore_function(side->x, side->f, take_return, &path, &err));
        assert_non_null(path);
        k->end[s] = compare_end(c, side, path);
    }
    view_start(&k->w, c, &k->end[OLD], &k->end[NEW], term_and(c->t, k->end[OLD].cond, k->end[NEW].cond));
}

static void end(struct compared *k)
{
    assert_int_equal(k->x.a.failed.len, 0); /* nobody recorded anything */
    assert_int_equal(k->x.a.accepted.len, 0);
    view_end(&k->w);
    asked_end(&k->x);
}

/* ---- calls ---- */

static void test_other_argument(void **state)
{
    struct compared k;
    start(&k, state, "calls");
    struct findings found = calls_compare(&k.w);
    assert_int_equal(found.failed.len, 1);
    const struct failure *f = &found.failed.data[0];
    assert_true(f->refuted && f->model);
    assert_int_equal(f->property, VERIFY_P4);
    assert_int_equal(f->question, VERIFY_Q5);
    assert_string_equal(f->what, "argument 1 of second");
    assert_true(findings_refute(&found));
    findings_open(&found);
    assert_false(findings_refute(&found));
    findings_drop(&found);
    assert_int_equal(found.failed.len, 0);
    end(&k);
}

static void test_same_calls(void **state)
{
    struct compared k;
    start(&k, state, "same_calls");
    struct findings found = calls_compare(&k.w);
    assert_int_equal(found.failed.len, 0);
    findings_drop(&found);
    end(&k);
}

static void test_missing_call(void **state)
{
    struct compared k;
    start(&k, state, "missing_call");
    struct findings found = calls_compare(&k.w), all = {0};
    assert_int_equal(found.failed.len, 1);
    assert_string_equal(found.failed.data[0].what, "calls to second");
    assert_non_null(found.failed.data[0].event[OLD]);
    assert_null(found.failed.data[0].event[NEW]);
    findings_add(&all, &found);
    assert_int_equal(found.failed.len, 0);
    assert_int_equal(all.failed.len, 1);
    findings_drop(&all);
    end(&k);
}

/* ---- memories ---- */

static void test_memory(void **state)
{
    struct compared k;
    start(&k, state, "stores");
    struct check *c = &k.x.c;
    term a = view_see(&k.w, k.end[OLD].mem), b = view_see(&k.w, k.end[NEW].mem);
    assert_int_equal(memory_same(&k.w, TERM_NONE, a, a, NULL).same, YES);
    struct term_model *model = NULL;
    struct memory_answer m = memory_same(&k.w, TERM_NONE, a, b, &model);
    assert_int_equal(m.same, NO);
    assert_non_null(model);
    /* where it differs the old one has 1 and the new one 2, or a byte of them */
    struct bits v[2];
    assert_true(term_eval(c->t, model, term_read(c->t, a, m.at, 8), &v[OLD]));
    assert_true(term_eval(c->t, model, term_read(c->t, b, m.at, 8), &v[NEW]));
    assert_int_equal(bits_low(v[OLD]), 1);
    assert_int_equal(bits_low(v[NEW]), 2);
    term_model_free(model);
    end(&k);
}

/* ---- what callers read ---- */

static void test_read_by_caller(void **state)
{
    struct compared k;
    struct findings found = {0};
    start(&k, state, "leaves");
    callers_compare(&k.w, &found);
    assert_int_equal(found.failed.len, 1);
    assert_int_equal(found.failed.data[0].property, VERIFY_P3);
    assert_string_equal(found.failed.data[0].what, "r10, which a caller in the file reads");
    findings_drop(&found);
    end(&k);
}

static void test_read_by_nobody(void **state)
{
    struct compared k;
    struct findings found = {0};
    start(&k, state, "unread");
    callers_compare(&k.w, &found);
    assert_int_equal(found.failed.len, 0);
    findings_drop(&found);
    end(&k);
}

/* ---- what library functions mean ---- */

/* strlen gives 0 exactly where the first byte is 0: but that counts only once its call found no partner. */
static void test_meaning(void **state)
{
    struct compared k;
    start(&k, state, "is_empty");
    struct check *c = &k.x.c;
    term a = view_see(&k.w, k.end[OLD].result), b = view_see(&k.w, k.end[NEW].result);
    question facts = VEC_INIT;
    meaning_facts(c, &a, 1, &facts);
    assert_int_equal(facts.len, 0);
    assert_int_not_equal(view_same(&k.w, TERM_NONE, a, b, NULL), YES);
    assert_int_equal(k.end[OLD].path->nevents, 1);
    assert_true(meaning_learn(c, &k.end[OLD].path->event[0]));
    assert_false(meaning_learn(c, &k.end[OLD].path->event[0])); /* it is known */
    meaning_facts(c, &a, 1, &facts);
    assert_true(facts.len > 0);
    assert_int_equal(view_same(&k.w, TERM_NONE, a, b, NULL), YES);
    vec_free(&facts);
    end(&k);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
#define TEST(name) cmocka_unit_test_prestate(name, argv + 1)
    const struct CMUnitTest tests[] = {
        TEST(test_other_argument), TEST(test_same_calls),     TEST(test_missing_call), TEST(test_memory),
        TEST(test_read_by_caller), TEST(test_read_by_nobody), TEST(test_meaning)};
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
