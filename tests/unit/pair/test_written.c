/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memories as what was written to them. */
#include "test.h"

#include "pair/pair.h"
#include "pair/written.h"

struct fixture {
    struct terms *t;
    struct pair pair; /* without programs: terms only */
    term mem, p, q, sp;
};

static int start(void **state)
{
    static struct fixture f;
    f = (struct fixture){.t = terms_new()};
    f.mem = term_array_var(f.t, "mem", 64, 8);
    f.p = term_var(f.t, "p", 64);
    f.q = term_var(f.t, "q", 64);
    f.sp = term_var(f.t, "sp", 64);
    f.pair = (struct pair){.t = f.t, .width = 64, .sp = f.sp};
    *state = &f;
    return 0;
}

static int end(void **state)
{
    terms_free(((struct fixture *)*state)->t);
    return 0;
}

static term number(struct fixture *f, uint64_t v)
{
    return term_const(f->t, 32, v);
}

static term stored(struct fixture *f, term array, term base, int64_t off, uint64_t v)
{
    return term_write(f->t, array, term_add_const(f->t, base, (uint64_t)off), number(f, v));
}

static void test_all(void **state)
{
    struct fixture *f = *state;
    term other = term_array_var(f->t, "other", 64, 8);
    term left = stored(f, stored(f, f->mem, f->p, 0, 1), f->q, 0, 2), right = stored(f, other, f->q, 8, 3);
    term both = term_ite(f->t, term_var(f->t, "c", 1), left, right);
    written_list all = VEC_INIT;
    written_all(f->t, both, &all);
    assert_int_equal(term_kind(f->t, both), TERM_AITE);
    assert_int_equal(all.len, 3);
    vec_free(&all);
    assert_true(written_has(f->t, both, f->q, number(f, 2)));
    assert_true(written_has(f->t, both, f->p, number(f, 1)));
    assert_false(written_has(f->t, both, f->p, number(f, 2)));
    assert_true(written_bytes(f->t, both, f->q, 4));
    assert_false(written_bytes(f->t, both, f->q, 2));
}

static void test_instead(void **state)
{
    struct fixture *f = *state;
    term a = stored(f, stored(f, f->mem, f->p, 0, 1), f->q, 0, 2);
    assert_int_equal(written_instead(f->t, a, f->p, number(f, 1), number(f, 7)),
                     stored(f, stored(f, f->mem, f->p, 0, 7), f->q, 0, 2));
    assert_int_equal(written_instead(f->t, a, f->p, number(f, 1), TERM_NONE), stored(f, f->mem, f->q, 0, 2));
    assert_int_equal(written_instead(f->t, a, f->p, number(f, 5), number(f, 7)), a);
}

static void test_last(void **state)
{
    struct fixture *f = *state;
    term a = stored(f, stored(f, stored(f, f->mem, f->q, 0, 9), f->p, 0, 1), f->p, 4, 2), base = TERM_NONE;
    struct map bytes = {0};
    assert_int_equal(written_last(f->t, a, &base, &bytes), stored(f, f->mem, f->q, 0, 9));
    assert_int_equal(base, f->p);
    assert_int_equal(bytes.len, 8);
    map_free(&bytes);
}

/* First what only one of them writes; writes to the frame are no places. */
static void test_places(void **state)
{
    struct fixture *f = *state;
    term common = stored(f, f->mem, f->p, 0, 1);
    term a = stored(f, common, f->sp, -8, 4), b = stored(f, stored(f, common, f->sp, -8, 5), f->q, 0, 2);
    written_list place = VEC_INIT;
    written_places(&f->pair, a, b, &place);
    assert_int_equal(place.len, 2);
    assert_int_equal(term_kid(f->t, place.data[0], 1), f->q);
    assert_int_equal(term_kid(f->t, place.data[1], 1), f->p);
    vec_free(&place);
}

static void test_outside(void **state)
{
    struct fixture *f = *state;
    term a = stored(f, stored(f, stored(f, f->mem, f->sp, -16, 1), f->p, 0, 2), f->sp, -8, 3);
    assert_int_equal(written_outside(&f->pair, a), stored(f, f->mem, f->p, 0, 2));
    /* above the frame it stays */
    term above = stored(f, f->mem, f->sp, 8, 1);
    assert_int_equal(written_outside(&f->pair, above), above);
    /* under a choice, too */
    term c = term_var(f->t, "c", 1), other = term_array_var(f->t, "other", 64, 8);
    term merged = term_ite(f->t, c, stored(f, f->mem, f->sp, -16, 1), stored(f, other, f->p, 0, 2));
    assert_int_equal(written_outside(&f->pair, merged),
                     term_ite(f->t, c, f->mem, stored(f, other, f->p, 0, 2)));
}

static void test_frames(void **state)
{
    struct fixture *f = *state;
    struct term_model *m = term_model_new();
    struct bits v;
    term_model_set(m, f->sp, bits_u64(0x7ff00000, 64));
    term_model_set(m, f->p, bits_u64(0x7feffff8, 64));
    assert_true(term_eval(f->t, m, pair_outside_frames(&f->pair, f->p), &v) && bits_is_zero(v));
    term_model_set(m, f->p, bits_u64(0x7ff00000, 64));
    assert_true(term_eval(f->t, m, pair_outside_frames(&f->pair, f->p), &v) && !bits_is_zero(v));
    term_model_set(m, f->p, bits_u64(0x1000, 64));
    assert_true(term_eval(f->t, m, pair_outside_frames(&f->pair, f->p), &v) && !bits_is_zero(v));
    term_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all, start, end),
        cmocka_unit_test_setup_teardown(test_instead, start, end),
        cmocka_unit_test_setup_teardown(test_last, start, end),
        cmocka_unit_test_setup_teardown(test_places, start, end),
        cmocka_unit_test_setup_teardown(test_outside, start, end),
        cmocka_unit_test_setup_teardown(test_frames, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
