/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/budget.h"
#include "test.h"

static void test_no_limit(void **state)
{
    (void)state;
    struct deadline none = deadline_in(0);
    assert_false(deadline_over(&none));
    assert_true(deadline_left(&none) == UINT64_MAX);
}

/* It is over when the processor was had for so long, and not as long as it was not, however the clock ran. */
static void test_processor_time(void **state)
{
    (void)state;
    enum { MS = 40 };
    struct deadline d = deadline_in(MS);
    struct time_spent before = d.begun;
    assert_true(deadline_left(&d) <= MS);
    while (!deadline_over(&d)) {
        struct time_spent now = time_now();
        assert_true(now.clock_ms >= before.clock_ms && now.processor_ms >= before.processor_ms);
        before = now;
    }
    struct time_spent now = time_now();
    uint64_t clock = now.clock_ms - d.begun.clock_ms, processor = now.processor_ms - d.begun.processor_ms;
    assert_true(clock >= MS);
    assert_true(processor >= MS || clock >= (uint64_t)MS * DEADLINE_PATIENCE);
    assert_int_equal(deadline_left(&d), 0);
}

/* What the clock has to run for a time of the processor is that time or more, but not more than it is patient
 * for. */
static void test_on_the_clock(void **state)
{
    (void)state;
    struct time_spent now = time_now();
    struct time_spent slow = {now.clock_ms - 1000, now.processor_ms}, alone = {0};
    alone.clock_ms = now.clock_ms - now.processor_ms;
    assert_true(time_on_clock(slow, 100) >= 700 && time_on_clock(slow, 100) <= 100 * (DEADLINE_PATIENCE + 1));
    assert_true(time_on_clock(now, 100) >= 100);
    assert_true(time_on_clock(alone, 100) >= 100);
}

/* Work that is counted ends it, and time only where that is not enough. */
static void test_budget(void **state)
{
    (void)state;
    uint64_t done = 100;
    struct budget none = budget_of(&done, 0, 0), b = budget_of(&done, 10, budget_guard(3600000));
    assert_int_equal(budget_left(&b), 10);
    done += 9;
    assert_false(budget_over(&b));
    done += 5;
    assert_true(budget_over(&b) && budget_spent(&b));
    assert_int_equal(budget_left(&b), 0);
    assert_false(budget_over(&none));
    assert_true(budget_left(&none) == UINT64_MAX);
    struct budget brief = budget_of(&done, 10, 1);
    while (!deadline_over(&brief.guard))
        continue;
    assert_true(budget_over(&brief) && !budget_spent(&brief));
    assert_true(budget_guard(0) == 0 && budget_guard(1000) > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_limit),
        cmocka_unit_test(test_processor_time),
        cmocka_unit_test(test_on_the_clock),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
