/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of strategies and the loop that walks it; and that an attempt leaves nothing behind. The last
 * tests run real strategies on examples/record.c in three versions. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "asked.h"
#include "verify/strategy.h"

/* ---- the tables ---- */

static void test_tables(void **state)
{
    (void)state;
    size_t n;
    const struct strategy *s = strategy_table(VERIFY_CONVERGE, &n);
    assert_true(n > 1);
    assert_int_equal(s[0].needs, 0);              /* always tried */
    assert_int_equal(s[1].needs, STRATEGY_LARGE); /* small functions are compared whole */
    unsigned rounds = 0;
    for (size_t i = 0; i < n; i++) {
        assert_non_null(s[i].run);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(s[i].name, s[k].name);
        if (s[i].learns) {
            assert_true(s[i].rounds > rounds); /* ever more of them */
            rounds = s[i].rounds;
        }
    }
    assert_true(s[n - 1].learns);
    s = strategy_table(VERIFY_PATHS, &n);
    assert_int_equal(n, 1);
    assert_string_equal(s[0].name, "paths");
}

/* ---- the loop, with strategies that only say what they are told to ---- */

struct walked {
    struct check c;
    struct verify_options opt;
    struct arena arena;
    struct attempt found;
};

static const char *tried[8];
static unsigned ntried;
static uint64_t given_ms[8];

static struct walked *walk_start(void)
{
    static struct walked w; /* one test at a time */
    w = (struct walked){.arena = ARENA_INIT, .opt.timeout_ms = 24000};
    w.c.opt = &w.opt;
    w.c.arena = &w.arena;
    w.c.t = terms_new();
    w.c.query.budget = query_budget(&w.c, w.opt.timeout_ms);
    ntried = 0;
    return &w;
}

static void walk_end(struct walked *w)
{
    attempt_drop(&w->c, &w->found);
    terms_free(w->c.t);
    arena_free(&w->arena);
}

static void note(struct check *c, const struct strategy *how)
{
    given_ms[ntried] = query_left(c);
    tried[ntried++] = how->name;
}

static enum attempt_outcome is_open(struct check *c, const struct strategy *how, struct attempt *a)
{
    note(c, how);
    assert_ptr_equal(c->now, a);
    assert_int_equal(a->failed.len, 0); /* whatever the one before has found */
    a->reason = reason_of(c->arena, VERIFY_REASON_NOT_EXPLORED, how->name);
    vec_push(&a->failed, ((struct failure){.property = VERIFY_P2}));
    return ATTEMPT_OPEN;
}

static enum attempt_outcome refutes(struct check *c, const struct strategy *how, struct attempt *a)
{
    note(c, how);
    vec_push(&a->failed, ((struct failure){.property = VERIFY_P3, .refuted = true}));
    return ATTEMPT_OPEN; /* what it found is still to be confirmed */
}

static enum attempt_outcome proves(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)a;
    note(c, how);
    return ATTEMPT_PROVED;
}

static enum attempt_outcome is_over(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)a;
    note(c, how);
    return ATTEMPT_OVER;
}

static void test_first_proof_ends_it(void **state)
{
    (void)state;
    struct walked *w = walk_start();
    const struct strategy table[] = {{"a", is_open}, {"b", proves}, {"c", is_open}};
    struct verify_reason reason = {0};
    assert_int_equal(strategy_walk(&w->c, table, 3, &w->found, &reason), VERIFY_SAFE);
    assert_int_equal(ntried, 2);
    assert_int_equal(reason.code, VERIFY_REASON_NONE);
    assert_int_equal(w->found.failed.len, 0);
    walk_end(w);
}

static void test_difference_ends_it(void **state)
{
    (void)state;
    struct walked *w = walk_start();
    struct verify_reason reason = {0};
    const struct strategy table[] = {{"a", refutes}, {"b", proves}};
    assert_int_equal(strategy_walk(&w->c, table, 2, &w->found, &reason), VERIFY_UNSAFE);
    assert_int_equal(ntried, 1);
    assert_int_equal(attempt_failed_set(&w->found), VERIFY_P3);
    walk_end(w);
}

/* One that takes the place of another is tried before the other's differences are believed. */
static void test_instead(void **state)
{
    (void)state;
    struct walked *w = walk_start();
    struct verify_reason reason = {0};
    const struct strategy table[] = {{"a", refutes}, {"b", proves, STRATEGY_INSTEAD}};
    assert_int_equal(strategy_walk(&w->c, table, 2, &w->found, &reason), VERIFY_SAFE);
    assert_int_equal(ntried, 2);
    walk_end(w);
}

static void test_needs(void **state)
{
    (void)state;
    struct walked *w = walk_start();
    struct verify_reason reason = {0};
    const struct strategy table[] = {{"loops", proves, STRATEGY_LOOPS},
                                     {"frames", proves, STRATEGY_FRAMES},
                                     {"a", is_open},
                                     {"time", is_over, STRATEGY_TIME}};
    assert_int_equal(strategy_walk(&w->c, table, 4, &w->found, &reason), VERIFY_UNKNOWN);
    assert_int_equal(ntried, 2);
    assert_string_equal(tried[0], "a");
    assert_string_equal(tried[1], "time");
    w->c.query.late = true;
    ntried = 0;
    strategy_walk(&w->c, table, 4, &w->found, &reason);
    assert_int_equal(ntried, 1); /* not the last */
    w->c.stats.cut_points = 1;
    ntried = 0;
    assert_int_equal(strategy_walk(&w->c, table, 4, &w->found, &reason), VERIFY_SAFE);
    assert_string_equal(tried[0], "loops");
    walk_end(w);
}

static void test_reason(void **state)
{
    (void)state;
    struct walked *w = walk_start();
    struct verify_reason reason = {0};
    const struct strategy table[] = {
        {"a", is_open}, {"b", is_open, .reason_counts = true}, {"c", is_over}, {"d", proves}};
    assert_int_equal(strategy_walk(&w->c, table, 4, &w->found, &reason), VERIFY_UNKNOWN);
    assert_int_equal(ntried, 3); /* what is over is over */
    assert_string_equal(reason.text, "b");
    assert_int_equal(w->found.unproved, VERIFY_P2);
    const struct strategy none[] = {{"c", is_over}};
    assert_int_equal(strategy_walk(&w->c, none, 1, &w->found, &reason), VERIFY_UNKNOWN);
    assert_int_equal(reason.code, VERIFY_REASON_NOT_PROVED);
    walk_end(w);
}

static void test_budget(void **state)
{
    (void)state;
    struct walked *w = walk_start();
    struct verify_reason reason = {0};
    const struct strategy table[] = {{"all", is_open}, {"part", is_open, .share = 8}, {"rest", is_over}};
    strategy_walk(&w->c, table, 3, &w->found, &reason);
    assert_int_equal(ntried, 3);
    assert_true(given_ms[1] <= w->opt.timeout_ms / 8 + 1);
    assert_true(given_ms[1] > 0);
    assert_true(given_ms[0] > 2 * given_ms[1]);
    assert_true(given_ms[2] > 2 * given_ms[1]); /* the share is given back */
    walk_end(w);
}

/* ---- real ones ---- */

/* Everything that a person is told of an attempt. */
static const char *said(struct check *c, const struct attempt *a, enum attempt_outcome out)
{
    struct buf b = BUF_INIT;
    buf_printf(&b, "%d %s %u exits:", out, a->reason.text ? a->reason.text : "", attempt_failed_set(a));
    for (size_t i = 0; i < a->exit.len; i++)
        buf_printf(&b, " %d %llx %s", a->exit.data[i].error, (unsigned long long)a->exit.data[i].address,
                   a->exit.data[i].why);
    for (size_t i = 0; i < a->failed.len; i++)
        buf_printf(&b, "\n%d %s", a->failed.data[i].refuted, a->failed.data[i].key);
    const char *text = arena_strdup(c->arena, buf_text(&b));
    buf_free(&b);
    return text;
}

/* Running a strategy twice gives the same: nothing of the first attempt, nor of others in between, is left.
 */
static void run_twice(void **state, int old, int new)
{
    struct asked x;
    char **version = *state;
    asked_start(&x, version[old], version[new], "read_record");
    size_t n;
    const struct strategy *s = strategy_table(VERIFY_CONVERGE, &n);
    const char *first[32];
    assert_true(n <= sizeof first / sizeof *first);
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < n; i++) {
            attempt_begin(&x.c, &x.a);
            const char *text = said(&x.c, &x.a, s[i].run(&x.c, &s[i], &x.a));
            if (turn)
                assert_string_equal(text, first[i]);
            first[i] = text;
        }
    attempt_drop(&x.c, &x.a);
    assert_null(x.c.pair.side[OLD].x); /* what explored for it is gone with it */
    assert_null(x.c.pair.side[NEW].x);
    asked_end(&x);
}

static void test_twice_safe(void **state)
{
    run_twice(state, 0, 1);
}

static void test_twice_unsafe(void **state)
{
    run_twice(state, 1, 2);
}

/* Runs show a difference where there is one, with an input; they prove nothing. */
static void test_runs(void **state)
{
    char **version = *state;
    for (int old = 0; old < 2; old++) {
        struct asked x;
        asked_start(&x, version[old], version[old + 1], "read_record");
        attempt_begin(&x.c, &x.a);
        const struct strategy how = {"runs", probe_runs};
        enum attempt_outcome out = probe_runs(&x.c, &how, &x.a);
        assert_int_equal(out, old ? ATTEMPT_REFUTED : ATTEMPT_OPEN);
        assert_int_equal(attempt_has_refuted(&x.a), old);
        for (size_t i = 0; i < x.a.failed.len; i++)
            assert_true(!x.a.failed.data[i].refuted || x.a.failed.data[i].model);
        asked_end(&x);
    }
}

/* One that does another again is tried if that ran out of its share, or was not tried. */
static void test_cut_short(void **state)
{
    (void)state;
    struct walked *w = walk_start();
    struct verify_reason reason = {0};
    const struct strategy table[] = {
        {"a", is_open, .effort = 10}, {"again", proves, STRATEGY_CUT_SHORT, .again = 0}, {"last", is_over}};
    assert_int_equal(strategy_walk(&w->c, table, 3, &w->found, &reason), VERIFY_UNKNOWN);
    assert_int_equal(ntried, 2);
    assert_true(given_ms[0] <= 10);
    const struct strategy skipped[] = {{"loops", is_open, STRATEGY_LOOPS, .effort = 10},
                                       {"again", proves, STRATEGY_CUT_SHORT, .again = 0}};
    ntried = 0;
    assert_int_equal(strategy_walk(&w->c, skipped, 2, &w->found, &reason), VERIFY_SAFE);
    assert_int_equal(ntried, 1);
    walk_end(w);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
#define TEST(name) cmocka_unit_test_prestate(name, argv + 1)
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_first_proof_ends_it),
                                       cmocka_unit_test(test_difference_ends_it),
                                       cmocka_unit_test(test_instead),
                                       cmocka_unit_test(test_needs),
                                       cmocka_unit_test(test_cut_short),
                                       TEST(test_runs),
                                       cmocka_unit_test(test_reason),
                                       cmocka_unit_test(test_budget),
                                       TEST(test_twice_safe),
                                       TEST(test_twice_unsafe)};
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
