/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public library, used as a stranger would: only its header is included. The program looked at is
 * examples/demo.c, compiled for this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <assay/assay.h>

static int open_demo(void **state)
{
    struct assay_error err;
    const char *path = *state;
    *state = assay_open(path, NULL, &err);
    return *state ? 0 : -1;
}

static int close_demo(void **state)
{
    assay_close(*state);
    return 0;
}

static void test_version(void **state)
{
    (void)state;
    assert_string_equal(assay_version(), ASSAY_VERSION);
}

static void test_facts(void **state)
{
    assert_int_equal(strlen(assay_sha256(*state)), 64);
    assert_non_null(assay_build_id(*state));
#ifdef __x86_64__
    assert_string_equal(assay_architecture(*state), "x86-64");
#else
    assert_string_equal(assay_architecture(*state), "aarch64");
#endif
}

static void test_functions(void **state)
{
    struct assay_function f, found;
    struct assay_error err;
    size_t n = assay_function_count(*state), named = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(assay_function_get(*state, i, &f));
        assert_true(f.address >= last);
        last = f.address;
        named += strcmp(f.name, "clamp") == 0 || strcmp(f.name, "main") == 0;
    }
    assert_int_equal(named, 2);
    assert_false(assay_function_get(*state, n, &f));
    assert_true(assay_function_find(*state, "clamp", &f, &err));
    assert_int_equal(f.arguments, 3);
    assert_true(f.returns_value);
    assert_false(f.noreturn);
    assert_true(assay_function_find(*state, "fail", &found, &err));
    assert_true(found.noreturn);
    assert_false(assay_function_find(*state, "clmap", &f, &err));
    assert_int_equal(err.code, 2);
    assert_non_null(strstr(err.text, "clamp"));
}

struct tally {
    size_t paths, returning, stop_after;
};

static bool tally(void *ctx, const struct assay_path *path)
{
    struct tally *t = ctx;
    t->paths++;
    t->returning += path->result != NULL;
    assert_non_null(path->condition);
    return t->paths != t->stop_after;
}

static void test_paths(void **state)
{
    struct assay_error err;
    struct tally t = {0};
    assert_true(
        assay_explore(*state, "parse", &(struct assay_explore_options){.paths = true}, tally, &t, &err));
    assert_true(t.paths >= 3);
    assert_in_range(t.returning, 3, t.paths);
    struct tally one = {.stop_after = 1};
    assert_true(
        assay_explore(*state, "parse", &(struct assay_explore_options){.paths = true}, tally, &one, &err));
    assert_int_equal(one.paths, 1);
    assert_false(assay_explore(*state, "nothing_like_it", NULL, tally, &t, &err));
}

static void has(char *text, const char *part)
{
    assert_non_null(text);
    assert_non_null(strstr(text, part));
    free(text);
}

static void test_reports(void **state)
{
    struct assay_error err;
    assay_report *r = assay_report_functions(*state, &err);
    has(assay_report_text(r), "clamp");
    has(assay_report_json(r), "\"schema\": \"assay/functions/1\"");
    assert_null(assay_report_dot(r));
    assay_report_free(r);
    r = assay_report_cfg(*state, "main", &err);
    has(assay_report_dot(r), "digraph \"main\"");
    has(assay_report_text(r), "parse");
    assay_report_free(r);
    r = assay_report_lift(*state, "clamp", &err);
    has(assay_report_text(r), "return");
    assay_report_free(r);
    r = assay_report_explore(*state, "clamp", NULL, &err);
    has(assay_report_text(r), "arg0");
    assay_report_free(r);
    assert_null(assay_report_cfg(*state, "clmap", &err));
    assert_int_equal(err.code, 2);
}

static void test_bad_input(void **state)
{
    (void)state;
    struct assay_error err;
    assert_null(assay_open("/no/such/file", NULL, &err));
    assert_int_equal(err.code, 2);
    assert_non_null(strstr(err.text, "/no/such/file"));
    assert_null(assay_open("/no/such/file", NULL, NULL));
    assert_null(assay_report_info("/no/such/file", &err));
    assay_report_free(NULL);
    assay_close(NULL);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test_prestate_setup_teardown(test_facts, open_demo, close_demo, argv[1]),
        cmocka_unit_test_prestate_setup_teardown(test_functions, open_demo, close_demo, argv[1]),
        cmocka_unit_test_prestate_setup_teardown(test_paths, open_demo, close_demo, argv[1]),
        cmocka_unit_test_prestate_setup_teardown(test_reports, open_demo, close_demo, argv[1]),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
