/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assay_verify, as a program that links libassay sees it: examples/record.c in three versions. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

struct seen {
    size_t functions;
    enum assay_verdict verdict;
    char failed[16];
    size_t differences;
};

static bool see(void *ctx, const struct assay_verified *f)
{
    struct seen *s = ctx;
    if (strcmp(f->name, "read_record") != 0)
        return true;
    s->functions++;
    s->verdict = f->verdict;
    s->differences = f->differences;
    snprintf(s->failed, sizeof s->failed, "%s", f->failed);
    assert_int_equal(f->old_address, 0); /* it is the first, in an object */
    assert_int_equal(f->new_address, 0);
    assert_int_equal(!(f->failed_set & ASSAY_P2), !strstr(f->failed, "P2"));
    assert_int_equal(f->failed_set == 0, f->verdict == ASSAY_SAFE);
    assert_null(f->remedy); /* it is known */
    return true;
}

static const char *version(void **state, int n)
{
    return ((char **)*state)[n];
}

static void test_safe(void **state)
{
    const char *const only[] = {"read_record", NULL};
    struct assay_verify_options opt = {.functions = only};
    struct assay_error err;
    struct seen s = {0};
    enum assay_verdict verdict = ASSAY_UNKNOWN;
    assert_true(assay_verify(version(state, 0), version(state, 1), &opt, see, &s, &verdict, &err));
    assert_int_equal(verdict, ASSAY_SAFE);
    assert_int_equal(s.functions, 1);
    assert_int_equal(s.verdict, ASSAY_SAFE);
    assert_string_equal(s.failed, "");
}

static void test_unsafe(void **state)
{
    const char *const only[] = {"read_record", NULL};
    struct assay_verify_options opt = {.functions = only};
    struct assay_error err;
    struct seen s = {0};
    enum assay_verdict verdict = ASSAY_SAFE;
    assert_true(assay_verify(version(state, 1), version(state, 2), &opt, see, &s, &verdict, &err));
    assert_int_equal(verdict, ASSAY_UNSAFE);
    assert_int_equal(s.verdict, ASSAY_UNSAFE);
    assert_non_null(strstr(s.failed, "P2"));
    assert_true(s.differences > 0);
    /* Without a function to be called. */
    verdict = ASSAY_SAFE;
    assert_true(assay_verify(version(state, 1), version(state, 2), &opt, NULL, NULL, &verdict, &err));
    assert_int_equal(verdict, ASSAY_UNSAFE);
}

static void test_report(void **state)
{
    struct assay_error err;
    assay_report *r = assay_report_verify(version(state, 0), version(state, 0), NULL, &err);
    assert_non_null(r);
    char *text = assay_report_text(r);
    assert_string_equal(text, "safe: identical, both are the same file\n");
    free(text);
    assay_report_free(r);
}

static void test_bad_input(void **state)
{
    struct assay_error err;
    enum assay_verdict verdict;
    assert_false(assay_verify(version(state, 0), "no/such/file", NULL, NULL, NULL, &verdict, &err));
    assert_int_equal(err.code, 2);
    struct assay_verify_options opt = {.config = "no/such/config"};
    assert_false(assay_verify(version(state, 0), version(state, 1), &opt, NULL, NULL, &verdict, &err));
    assert_non_null(strstr(err.text, "no/such/config"));
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
#define TEST(name) cmocka_unit_test_prestate(name, argv + 1)
    const struct CMUnitTest tests[] = {TEST(test_safe), TEST(test_unsafe), TEST(test_report),
                                       TEST(test_bad_input)};
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
