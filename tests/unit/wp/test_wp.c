/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions as they are written, and how the verification condition grows. argv[1] is input.c, compiled. */
#include "wp/wp.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *input_file;

static struct wp_options defaults(const char *const *post)
{
    return (struct wp_options){.post = post,
                               .unroll = 5,
                               .stack_base = 0x40000000,
                               .stack_size = 0x800000,
                               .solve = {.fp_theory = true}};
}

struct answer {
    bool ok;
    enum wp_verdict verdict;
    struct wp_stats stats;
    struct error err;
};

static struct answer check(struct program *p, const char *function, const struct wp_options *o)
{
    struct answer a = {0};
    const struct flow_function *f = program_function(p, function, &a.err);
    assert_non_null(f);
    struct wp_result r;
    a.ok = wp_check(p, f, NULL, NULL, NULL, o, &r, &a.err);
    a.verdict = r.verdict;
    a.stats = r.stats;
    wp_result_free(&r);
    return a;
}

static struct program *open_input(void)
{
    struct error err = {0};
    struct program *p = program_open(input_file, &(struct program_options){0}, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

/* Each of these holds whatever the arguments are. */
static const char *const always[] = {
    "ret == a",
    "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9",
    "2 << 3 == 16 && -1 < 0 && 7 / 2 == 3 && 7 % 4 == 3",
    "a < 0 || a >= 0",
    "b >= 0",                  /* unsigned */
    "(int)b < 0 ==> b > 1000", /* the same bits */
    "(unsigned)a >= 0u",
    "a == (int)(long)a",
    "(char)a == a ==> -128 <= a && a <= 127",
    "(uint8_t)a <= 255 && (uint8_t)a >= 0",
    "a & 1 == 1 || true",
    "!(a == 3 && a == 4)",
    "~a == -a - 1",
    "a ^ a == 0 || a",
    "(a ^ b) == (b ^ a)",
    "(a > 3 ? 1 : 2) < 3",
    "c - c == 0",
    "p->values[2] == p->values[1 + 1]",
    "p->values[3] == mem32[(long)p + 4 + 12]",
    "*p->values == p->values[0]",
    "p->flag < 8 && p->rest < 32",
    "p->low == (short)mem16[p]",
    "p->next->low == init(p->next->low)",
    "p[1].low == p[1].low",
    "arg0 == a && $rsp - 8 == init($rsp)",
    "'a' == 97 && 0x10 == 16",
    "(int)rax == a",
};

static const char *const sometimes[] = {
    "a > 3",      "b < 10", "a == b", "c < 0", "p->low == 1", "p->values[0] <= p->values[1]",
    "a * a >= 0", /* it overflows */
};

/* The text, and what the message must say. */
static const struct {
    const char *text, *says;
} mistakes[] = {
    {"", "column 1"},
    {"ret ==", "unexpected end"},
    {"ret == )", "column 8"},
    {"(ret == 1", "expected ')'"},
    {"ret = 1", "column 5"},
    {"ret == 1 2", "column 10"},
    {"q == 1", "not a parameter, register"},
    {"a->low == 1", "pointer to a structure"},
    {"p->high == 1", "no field"},
    {"a[0] == 1", "not known to be a pointer"},
    {"mem7[a] == 1", "mem8, mem16"},
    {"ret@new == 1", "comparing two"},
    {"init(ret) == 1", "no return value at entry"},
    {"p->", "name of a field"},
    {"12abc == 1", "not a number"},
};

static void test_conditions(void **state)
{
    (void)state;
    struct program *p = open_input();
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        const char *post[] = {always[i], NULL};
        struct wp_options o = defaults(post);
        struct answer a = check(p, "arithmetic", &o);
        if (!a.ok || a.verdict != WP_UNSAT)
            fail_msg("%s: %s", always[i], a.ok ? "does not always hold" : a.err.text);
    }
    for (size_t i = 0; i < sizeof sometimes / sizeof *sometimes; i++) {
        const char *post[] = {sometimes[i], NULL};
        struct wp_options o = defaults(post);
        struct answer a = check(p, "arithmetic", &o);
        if (!a.ok || a.verdict != WP_SAT)
            fail_msg("%s: %s", sometimes[i], a.ok ? "no countermodel" : a.err.text);
    }
    program_free(p);
}

static void test_mistakes(void **state)
{
    (void)state;
    struct program *p = open_input();
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const char *post[] = {mistakes[i].text, NULL};
        struct wp_options o = defaults(post);
        struct answer a = check(p, "arithmetic", &o);
        assert_false(a.ok);
        assert_int_equal(a.err.kind, ERROR_USAGE);
        if (!strstr(a.err.text, mistakes[i].says))
            fail_msg("%s: says \"%s\", not \"%s\"", mistakes[i].text, a.err.text, mistakes[i].says);
    }
    program_free(p);
}

/* Four times the branches have a power of paths more; the condition must not. */
static void test_growth(void **state)
{
    (void)state;
    struct program *p = open_input();
    static const char *const name[] = {"branches4", "branches16", "branches64"};
    size_t size[3];
    for (unsigned i = 0; i < 3; i++) {
        const char *post[] = {"ret == ret + 0 * mem32[ret] || ret == 5", "ret != 77", NULL};
        struct wp_options o = defaults(post);
        o.solve.effort = 1; /* the answer is not what is asked about */
        struct answer a = check(p, name[i], &o);
        if (!a.ok)
            fail_msg("%s", a.err.text);
        size[i] = a.stats.condition;
        assert_true(a.stats.paths < 8);
    }
    assert_true(size[0] > 20);
    assert_true(size[1] < 6 * size[0]);
    assert_true(size[2] < 6 * size[1]);
    program_free(p);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    input_file = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
