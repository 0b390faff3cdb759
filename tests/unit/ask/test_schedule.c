/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How work is shared out: a small limit for all, larger ones for what is left, within the budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ask/verify_schedule.h"
#include "base/budget.h"

static void hear(struct schedule *s, unsigned message, const struct wire_type *type, const void *value)
{
    struct buf b = BUF_INIT;
    wire_put(&b, type, value);
    assert_false(schedule_hear(s, message, buf_text(&b), b.len));
    buf_free(&b);
}

static void say(struct schedule *s, uint64_t address, uint64_t size, unsigned limit_ms,
                struct verify_result result)
{
    hear(s, VERIFY_SAYS_FUNCTION, &ask_verified_type,
         &(struct ask_verified){.name = "f",
                                .old = {.address = address, .size = size},
                                .new = {.address = address, .size = size},
                                .limit_ms = limit_ms,
                                .result = result});
}

static struct verify_result undecided(unsigned ms)
{
    return (struct verify_result){.verdict = VERIFY_UNKNOWN,
                                  .reason = {VERIFY_REASON_OUT_OF_WORK, VERIFY_MORE_TIME, "x"},
                                  .stats.work = (uint64_t)ms * BUDGET_MS};
}

static struct schedule begin(unsigned timeout_ms, uint64_t budget_ms)
{
    struct ask_verify q = {.how = {.timeout_ms = timeout_ms}, .budget_ms = budget_ms};
    return schedule_begin(&q);
}

static void test_first(void **state)
{
    (void)state;
    struct schedule s = begin(60000, 300000);
    assert_int_equal(schedule_first(&s, 1, 20), 1000);
    assert_int_equal(schedule_first(&s, 1, 1000), 300);
    assert_int_equal(schedule_first(&s, 10, 1000000), 100);
    s = begin(500, 300000);
    assert_int_equal(schedule_first(&s, 1, 1), 500);
    s = begin(0, 0);
    assert_int_equal(schedule_first(&s, 1, 1000000), 1000);
}

/* Limits grow up to that of a function, and what is decided is not asked again. */
static void test_rounds(void **state)
{
    (void)state;
    struct schedule s = begin(60000, 0);
    say(&s, 1, 10, 1000, (struct verify_result){.verdict = VERIFY_SAFE});
    say(&s, 2, 30, 1000, undecided(1000));
    say(&s, 3, 20, 1000, undecided(1000));
    assert_true(schedule_next(&s));
    assert_int_equal(s.limit_ms, 8000);
    assert_int_equal(s.left.len, 2);
    assert_int_equal(s.left.data[0].old, 3); /* the smaller one first */
    say(&s, 3, 20, 8000, (struct verify_result){.verdict = VERIFY_UNSAFE});
    say(&s, 2, 30, 8000, undecided(8000));
    assert_true(schedule_next(&s));
    assert_int_equal(s.limit_ms, 60000);
    say(&s, 2, 30, 60000, undecided(60000));
    assert_false(schedule_next(&s));
    schedule_end(&s);

    s = begin(0, 0); /* the last one is without limit */
    say(&s, 1, 10, 1000, undecided(1000));
    assert_true(schedule_next(&s));
    say(&s, 1, 10, 8000, undecided(8000));
    assert_true(schedule_next(&s));
    assert_int_equal(s.limit_ms, 0);
    say(&s, 1, 10, 0, undecided(99999));
    assert_false(schedule_next(&s));
    schedule_end(&s);
}

/* As many as the budget has room for; what they did not need is for the others, with the same limit. */
static void test_budget(void **state)
{
    (void)state;
    struct schedule s = begin(60000, 20000);
    for (uint64_t i = 1; i <= 4; i++)
        say(&s, i, 10 * i, 1000, undecided(1000));
    assert_true(schedule_next(&s)); /* 16 s are left: two of 8 s */
    assert_int_equal(s.limit_ms, 8000);
    assert_true(s.left.data[0].chosen && s.left.data[1].chosen);
    assert_false(s.left.data[2].chosen || s.left.data[3].chosen);
    say(&s, 1, 10, 8000, undecided(1000));
    say(&s, 2, 20, 8000, (struct verify_result){.verdict = VERIFY_SAFE, .stats.work = 1000 * BUDGET_MS});
    assert_true(schedule_next(&s)); /* 14 s are left: one more, and the rest is not enough for the last */
    assert_int_equal(s.limit_ms, 8000);
    assert_false(schedule_find(&s, 0, 1, 1)->chosen);
    assert_true(schedule_find(&s, 0, 3, 3)->chosen);
    assert_false(schedule_find(&s, 0, 4, 4)->chosen);
    say(&s, 3, 30, 8000, undecided(8000));
    assert_true(schedule_next(&s)); /* 6 s are left */
    assert_int_equal(s.limit_ms, 6000);
    assert_true(schedule_find(&s, 0, 4, 4)->chosen);
    say(&s, 4, 40, 6000, undecided(6000));
    assert_false(schedule_next(&s));
    schedule_end(&s);
}

/* What more work does not help with. */
static void test_hopeless(void **state)
{
    (void)state;
    struct verify_result r = undecided(0);
    assert_true(schedule_may_decide(&r, 1000));
    assert_false(schedule_may_decide(&r, 0));
    r.reason = (struct verify_reason){VERIFY_REASON_OUT_OF_MEMORY, VERIFY_MORE_MEMORY, "x"};
    r.stats.work = UINT64_MAX;
    assert_false(schedule_may_decide(&r, 1000));
    r.reason = (struct verify_reason){VERIFY_REASON_MODE, VERIFY_NOTHING_KNOWN, "x"};
    r.stats.work = 10;
    assert_false(schedule_may_decide(&r, 1000));
    r.stats.work = 100 * BUDGET_MS; /* a part of the analysis may have had too little */
    assert_true(schedule_may_decide(&r, 1000));
    r.verdict = VERIFY_SAFE;
    assert_false(schedule_may_decide(&r, 1000));
}

/* Two files may have the same addresses. */
static void test_files(void **state)
{
    (void)state;
    static const struct wire_type none = {0};
    struct schedule s = begin(60000, 300000);
    for (int i = 0; i < 2; i++) {
        hear(&s, PAIR_FILE, &none, NULL);
        say(&s, 1, 10, 1000, undecided(1000));
    }
    assert_int_equal(s.left.len, 2);
    assert_true(schedule_next(&s));
    hear(&s, VERIFY_SAYS_AGAIN, &wire_u64, &(uint64_t){0});
    say(&s, 1, 10, 8000, (struct verify_result){.verdict = VERIFY_SAFE});
    assert_int_equal(s.left.len, 1);
    assert_int_equal(s.left.data[0].file, 1);
    schedule_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first),    cmocka_unit_test(test_rounds), cmocka_unit_test(test_budget),
        cmocka_unit_test(test_hopeless), cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
