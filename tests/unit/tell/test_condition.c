/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions as they are told, and the share of inputs they cover. */
#include "test.h"

#include <string.h>

#include "exec/origin.h"
#include "tell/condition.h"
#include "tell/share.h"

struct fixture {
    const char *path;
    struct program *p;
    struct terms *t;
    struct words *w;
    struct arena arena;
    term a, b; /* arguments of 32 bits */
    unsigned asked;
    bool knows; /* what is asked is impossible */
};

static int start(void **state)
{
    static struct fixture f; /* one test at a time */
    struct error err = {0};
    f = (struct fixture){.path = *state};
    f.p = program_open(f.path, &(struct program_options){.deep = false}, &err);
    assert_non_null(f.p);
    f.t = terms_new();
    f.w = words_new(f.t, f.p, NULL);
    f.a = term_extract(f.t, term_var(f.t, "arg0", 64), 0, 32);
    f.b = term_extract(f.t, term_var(f.t, "arg1", 64), 0, 32);
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    words_free(f->w);
    terms_free(f->t);
    arena_free(&f->arena);
    program_free(f->p);
    *state = (void *)(uintptr_t)f->path;
    return 0;
}

static bool impossible(void *ctx, const term *q, unsigned n)
{
    struct fixture *f = ctx;
    (void)q;
    assert_true(n > 1);
    f->asked++;
    return f->knows;
}

static const char *said(struct fixture *f, struct condition_said x)
{
    return condition_text(&f->arena, &(struct condition_teller){f->t, f->w, impossible, f}, &x);
}

static term below(struct fixture *f, term x, uint64_t n)
{
    return term_bin(f->t, OP_SLT, x, term_const(f->t, 32, n));
}

static void test_parts(void **state)
{
    struct fixture *f = *state;
    term low = below(f, f->a, 5), other = below(f, f->b, 7);
    assert_null(said(f, (struct condition_said){.when = TERM_NONE, .differ = TERM_NONE}));
    assert_null(said(f, (struct condition_said){.when = term_true(f->t), .differ = TERM_NONE}));
    assert_string_equal(said(f, (struct condition_said){.when = low, .differ = TERM_NONE}), "arg0 < 5");
    assert_int_equal(f->asked, 0); /* nothing to compare it with */
    term both = term_and(f->t, low, other);
    assert_string_equal(said(f, (struct condition_said){.when = both, .differ = TERM_NONE}),
                        "arg0 < 5 && arg1 < 7");
    assert_int_equal(f->asked, 2);
    assert_string_equal(said(f, (struct condition_said){.when = low, .differ = TERM_NONE, .rounds = 2}),
                        "arg0 < 5, with at most 2 loop iterations");
    /* said once, though it is in both */
    assert_string_equal(said(f, (struct condition_said){.when = both, .differ = low}),
                        "arg0 < 5 && arg1 < 7");
}

static void test_implied_parts_are_left_out(void **state)
{
    struct fixture *f = *state;
    f->knows = true; /* one part is always left */
    term low = below(f, f->a, 5), other = below(f, f->b, 7), both = term_and(f->t, low, other);
    assert_string_equal(said(f, (struct condition_said){.when = both, .differ = TERM_NONE}), "arg1 < 7");
    /* nobody to ask */
    assert_string_equal(condition_text(&f->arena, &(struct condition_teller){.t = f->t, .words = f->w},
                                       &(struct condition_said){.when = both, .differ = TERM_NONE}),
                        "arg0 < 5 && arg1 < 7");
}

/* That a write changes what was there goes without saying. */
static void test_writes(void **state)
{
    struct fixture *f = *state;
    term byte = term_read(f->t, term_array_var(f->t, "mem", 64, 8), term_var(f->t, "arg2", 64), 8);
    term changed = term_not(f->t, term_eq(f->t, byte, term_const(f->t, 8, 3)));
    term when = term_and(f->t, changed, below(f, f->a, 5));
    assert_string_equal(said(f, (struct condition_said){.when = when, .differ = TERM_NONE, .write = true}),
                        "arg0 < 5");
    assert_non_null(
        strstr(said(f, (struct condition_said){.when = when, .differ = TERM_NONE}), " && arg0 < 5"));
}

static void test_shares(void **state)
{
    struct fixture *f = *state;
    term half = term_bin(f->t, OP_ULT, f->a, term_const(f->t, 32, UINT64_C(1) << 31)),
         quarter = term_bin(f->t, OP_ULT, f->b, term_const(f->t, 32, UINT64_C(1) << 30));
    struct share s = share_of(f->t, TERM_NONE, half);
    assert_true(s.low == 0.5 && s.high == 0.5 && s.likely == 0.5);
    s = share_of(f->t, half, TERM_NONE); /* where values differ there is not known */
    assert_true(s.low == 0 && s.high == 0.5);
    s = share_of(f->t, half, quarter);
    assert_true(s.high > 0 && s.high <= 0.25 && s.likely > 0 && s.likely <= s.high);
    s = share_of(f->t, TERM_NONE, TERM_NONE);
    assert_true(s.low == 0 && s.high == 1 && s.likely == 1);
    s = share_of(f->t, TERM_NONE, below(f, f->a, (UINT64_C(1) << 31) + 1)); /* too seldom for samples */
    assert_true(s.likely < 0 && s.low == s.high && s.low > 0);
}

/* What is read of one place in two states of memory is told apart, or a condition contradicts itself. */
static void test_two_states(void **state)
{
    struct fixture *f = *state;
    struct terms *t = f->t;
    term before = origin_array(t, (struct term_origin){.kind = ORIGIN_MEMORY}, 64, 8),
         at = term_var(t, "arg0", 64);
    term after = origin_apply_array(t, (struct term_origin){.kind = ORIGIN_MEMORY_AFTER, .name = "fill"}, 64,
                                    8, &before, 1);
    term zero = term_const(t, 32, 0), one = term_eq(t, term_read(t, before, at, 32), zero),
         two = term_not(t, term_eq(t, term_read(t, after, at, 32), zero));
    const char *text = said(f, (struct condition_said){.when = term_and(t, one, two), .differ = TERM_NONE});
    assert_non_null(strstr(text, " at entry == 0"));
    assert_non_null(strstr(text, " after fill != 0"));
    text = said(f, (struct condition_said){.when = one, .differ = TERM_NONE});
    assert_null(strstr(text, "at entry"));
}

/* As compilers test a range. */
static void test_range(void **state)
{
    struct fixture *f = *state;
    struct terms *t = f->t;
    term positive = term_not(t, term_extract(t, f->a, 31, 1));
    term large = term_bin(t, OP_ULE, term_const(t, 32, 1001), f->a);
    const char *text =
        said(f, (struct condition_said){.when = term_and(t, positive, large), .differ = TERM_NONE});
    assert_non_null(strstr(text, ">= 1001"));
    assert_null(strstr(text, "&&"));
    assert_null(strstr(text, "unsigned"));
    text = said(f, (struct condition_said){.when = large, .differ = TERM_NONE});
    assert_non_null(strstr(text, "unsigned"));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
#define TEST(name) cmocka_unit_test_prestate_setup_teardown(name, start, end, argv[1])
    const struct CMUnitTest tests[] = {
        TEST(test_parts),      TEST(test_implied_parts_are_left_out),
        TEST(test_writes),     TEST(test_shares),
        TEST(test_two_states), TEST(test_range),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
