/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of one program tells whether another one, that differs in a number, does the same. */
#include <stdlib.h>
#include <string.h>

#include "poc/poc.h"
#include "run/scratch.h"
#include "test.h"

static struct program *program[2];
static struct scratch scratch;

/* Whether the other one goes along when this one is given two numbers; what it prints must be what it is. */
static bool goes_along(struct poc_family *f, unsigned member, const char *first, const char *second, const char *prints)
{
    static const char *const path[] = {FAMILY_5, FAMILY_7};
    const struct run_target t = {.m = program_machine(program[member]),
                                 .program = path[member],
                                 .entry = object_info(program_object(program[member]))->entry,
                                 .argument = (const char *const[]){first, second},
                                 .narguments = 2,
                                 .scratch = scratch.path,
                                 .limits = {.time_ms = 600000}};
    struct poc_company with = {.family = f, .member = member, .with = ~UINT64_C(0)};
    const uint64_t *start;
    const size_t n = poc_family_starts(f, &start);
    struct watch_run w;
    struct error err;
    assert_true(n > 0);
    assert_true(watch_stops(&t, start, n, poc_company_stop, &with, &w, &err));
    assert_string_equal(w.text[0], prints);
    watch_run_free(&w);
    assert_true(with.with >> member & 1);
    return with.with >> !member & 1;
}

static void test_company(void **state)
{
    (void)state;
    struct poc_family *f = poc_family_new(program, 2, 1);
#if defined __x86_64__
    assert_non_null(f);
    for (unsigned member = 0; member < 2; member++) {
        assert_true(goes_along(f, member, "3", "9", "1\n2\n"));
        assert_true(goes_along(f, member, "-4", "7", "1\n2\n"));
        assert_false(goes_along(f, member, "3", "6", member ? "1\n1\n" : "1\n2\n"));
        assert_false(goes_along(f, member, "5", "9", member ? "1\n2\n" : "2\n2\n"));
    }
#endif
    poc_family_free(f);
}

/* What is remembered of one is told of those that did the same, and of nobody else. */
static void test_shared(void **state)
{
    (void)state;
    struct poc_shared *s = poc_shared_new();
    struct arena arena = ARENA_INIT;
    const struct poc_did one = {.ok = true, .code = 1}, other = {.ok = true, .code = 2};
    struct poc_did did;
    poc_shared_put(s, "input", 3, 5, &one);
    poc_shared_put(s, "input", 0, 1, &other);
    assert_true(poc_shared_get(s, "input", 3, 2, &did, &arena) && did.code == 1);
    assert_true(poc_shared_get(s, "input", 0, 0, &did, &arena) && did.code == 2);
    assert_false(poc_shared_get(s, "input", 3, 1, &did, &arena));
    assert_false(poc_shared_get(s, "input", 4, 0, &did, &arena));
    assert_false(poc_shared_get(s, "another", 3, 0, &did, &arena));
    arena_free(&arena);
    poc_shared_free(s);
}

int main(void)
{
    struct error err;
    const struct program_options opt = {.object = {.no_debug = true}};
    program[0] = program_open(FAMILY_5, &opt, &err);
    program[1] = program_open(FAMILY_7, &opt, &err);
    if (!program[0] || !program[1] || !scratch_open(&scratch, &err))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_company), cmocka_unit_test(test_shared)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_close(&scratch);
    program_free(program[1]);
    program_free(program[0]);
    return failed;
}
