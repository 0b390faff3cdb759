/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reason for *unknown* has a text that can be made and says what helps against it. */
#include "test.h"

#include <string.h>

#include "verify/verify.h"

static void test_every_code(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum verify_remedy remedy;
    } row[] = {
#define X(code, text, remedy) {text, VERIFY_##remedy},
#include "verify/reasons.def"
#undef X
    };
    assert_int_equal(sizeof row / sizeof *row, VERIFY_REASONS - 1);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_true(*row[i].text);
        assert_in_range(row[i].remedy, 0, VERIFY_REMEDIES - 1);
        for (const char *p = row[i].text; (p = strchr(p, '%')); p++)
            assert_true(strncmp(p, "%s", 2) == 0 || strncmp(p, "%u", 2) == 0 || strncmp(p, "%#llx", 5) == 0);
    }
}

static void test_remedies(void **state)
{
    (void)state;
    assert_null(verify_remedy_text(VERIFY_NOTHING_KNOWN));
    for (int a = VERIFY_NOTHING_KNOWN + 1; a < VERIFY_REMEDIES; a++) {
        assert_non_null(verify_remedy_text(a));
        for (int b = VERIFY_NOTHING_KNOWN + 1; b < a; b++)
            assert_string_not_equal(verify_remedy_text(a), verify_remedy_text(b));
    }
}

/* What is told apart is told apart by its code, not by its words. */
static void test_texts(void **state)
{
    (void)state;
    struct arena arena = ARENA_INIT;
    struct verify_reason none = reason_of(&arena, VERIFY_REASON_NONE);
    assert_null(none.text);
    struct verify_reason r =
        reason_of(&arena, VERIFY_REASON_CALL_ARGUMENT_OR_NONE, "submit", 2u, "it is copied");
    assert_string_equal(r.text, "could not decide whether two calls to submit are equal: argument 2, if "
                                "it takes that many: it is copied");
    assert_int_equal(r.remedy, VERIFY_PROTOTYPE);
    r = reason_of(&arena, VERIFY_REASON_VERSIONS_PART, 0x10ull, 0x20ull);
    assert_string_equal(
        r.text, "the versions diverge at 0x10 and 0x20: one stays in a loop and the other does not");
    r = reason_of(&arena, VERIFY_REASON_LOOP_NOT_FOLLOWED, "new", 0x40ull);
    assert_string_equal(r.text, "a loop was not followed to its end in the new version, at 0x40");
    r = reason_of(&arena, VERIFY_REASON_WORKER_DIED, "memory limit of 3 MiB");
    assert_int_equal(r.remedy, VERIFY_NOTHING_KNOWN);
    r = reason_of(&arena, VERIFY_REASON_OUT_OF_MEMORY, "memory limit of 3 MiB");
    assert_int_equal(r.remedy, VERIFY_MORE_MEMORY);
    arena_free(&arena);
}

static void test_properties(void **state)
{
    (void)state;
    char text[16];
    assert_string_equal(verify_properties_text(VERIFY_PROPERTIES_ALL, text, sizeof text), "P1,P2,P3,P4");
    assert_string_equal(verify_properties_text(VERIFY_P1 | VERIFY_P4, text, sizeof text), "P1,P4");
    assert_string_equal(verify_properties_text(0, text, sizeof text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_code), cmocka_unit_test(test_remedies),
                                       cmocka_unit_test(test_texts), cmocka_unit_test(test_properties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
