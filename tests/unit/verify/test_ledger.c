/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger tells what was relied on, once a thing and in the table's order, and what denies it. */
#include "test.h"

#include <string.h>

#include "verify/ledger.h"

static void test_order(void **state)
{
    (void)state;
    struct arena arena = ARENA_INIT;
    struct ledger l = {0};
    size_t n;
    ledger_list(&l, &arena, &n);
    assert_int_equal(n, 0);
    ledger_count(&l, LEDGER_TERMINATION, 1);
    ledger_say(&l, &arena, LEDGER_FRAME_LOCAL, 0x28ull, 0x18ull);
    ledger_count(&l, LEDGER_ABI, 0);
    ledger_say(&l, &arena, LEDGER_DATA, "count", "total");
    ledger_say(&l, &arena, LEDGER_FRAME_LOCAL, 0x40ull, 0x30ull);
    ledger_say(&l, &arena, LEDGER_DATA_RUN, (size_t)3, "a", "b", "c", "d");
    ledger_count(&l, LEDGER_AXIOM_HEAP, 2);
    ledger_count(&l, LEDGER_AXIOM_HEAP, 3);
    const struct verify_assumption *a = ledger_list(&l, &arena, &n);
    assert_int_equal(n, 6);
    assert_string_equal(a[0].text, "count of the new file is total of the old one");
    assert_string_equal(a[1].text, "3 places from a to b of the new file are those from c to d of the old one");
    assert_string_equal(a[2].text,
                        "the local at sp-0x28 of the new version corresponds to that at sp-0x18 of the old one");
    assert_string_equal(a[3].text,
                        "the local at sp-0x40 of the new version corresponds to that at sp-0x30 of the old one");
    assert_string_equal(a[2].denied_by, "--assume without frame");
    assert_string_equal(a[4].name, "heap");
    assert_string_equal(a[4].denied_by, "--no-axiom heap");
    assert_int_equal(a[4].count, 5);
    assert_string_equal(a[5].name, "termination");
    assert_null(a[5].denied_by);
    ledger_free(&l);
    arena_free(&arena);
}

/* The axioms of the explorer are rows next to each other, under its names. */
static void test_axioms(void **state)
{
    (void)state;
    struct arena arena = ARENA_INIT;
    struct ledger l = {0};
    size_t n;
    for (unsigned i = 0; i < 4; i++)
        ledger_count(&l, LEDGER_AXIOM_FRAME + i, 1);
    const struct verify_assumption *a = ledger_list(&l, &arena, &n);
    assert_int_equal(n, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_string_equal(a[i].name, axiom_name(i));
    ledger_free(&l);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_axioms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
