/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms as bytes: what is read is what was written, in the same table the same number; broken bytes are refused
 * and leave no trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recipe.h"
#include "term/pack.h"

enum { SOME_KIND = TERM_ORIGIN_OTHERS + 3, SYMBOLS_MAX = 64 };

static void spell(struct buf *out, const struct term_origin *o)
{
    buf_puts(out, o->name ? o->name : "it");
    if (o->part || o->index)
        buf_printf(out, ".%u.%u", o->part, o->index);
}

static bool sound(const struct term_origin *o, bool function, unsigned width)
{
    return o->kind <= SOME_KIND + 2 && (function || width != 24);
}

static struct bits twice(const struct bits *arg)
{
    return bits_u64(arg[0].w[0] * 2, 32);
}

static const struct pure pures[] = {{.name = "twice", .width = 32, .arg_width = {32}, .nargs = 1, .eval = twice}};
static const struct term_knows knows = {.spell = spell, .sound = sound, .pure = pures, .npures = 1};

static struct packed *read(const struct terms *t, const void *bytes, size_t n)
{
    struct unpack u = unpack_begin(bytes, n);
    struct packed *p = packed_read(&u, t, &knows);
    if (p && !unpack_done(&u)) {
        packed_free(p);
        p = NULL;
    }
    return p;
}

static void read_roots(struct terms *t, const struct buf *b, term *root, size_t n)
{
    struct packed *p = read(t, b->data, b->len);
    assert_non_null(p);
    assert_int_equal(packed_roots(p), n);
    packed_build(p, t, root);
    packed_free(p);
}

/* The same values for symbols of the same name. */
static struct term_model *model_like(const struct terms *t, const struct term_model *m, struct terms *other, term x)
{
    term symbol[SYMBOLS_MAX];
    size_t n = term_symbols(other, x, symbol, SYMBOLS_MAX);
    struct term_model *out = term_model_new();
    for (size_t i = 0; i < n; i++) {
        struct bits v;
        term there = term_find_var(t, term_name(other, symbol[i]));
        assert_true(there != TERM_NONE);
        assert_true(term_eval((struct terms *)t, m, there, &v));
        term_model_set(out, symbol[i], v);
    }
    return out;
}

static void check_random(struct rng *r, unsigned width)
{
    struct terms *t = terms_new(), *other = terms_new();
    struct recipe p;
    term step[RECIPE_MAX], same, there;
    struct buf b = BUF_INIT;
    recipe_random(&p, r, width, 4 + rng_below(r, 14));
    term x = recipe_build(t, &p, step);
    assert_true(term_pack(&b, t, &x, 1));
    read_roots(t, &b, &same, 1);
    assert_int_equal(same, x);
    read_roots(other, &b, &there, 1);
    assert_int_equal(term_width(other, there), term_width(t, x));
    for (unsigned k = 0; k < 4; k++) {
        struct term_model *m = term_model_new();
        struct bits v, w;
        random_model(t, m, r, x);
        struct term_model *n = model_like(t, m, other, there);
        assert_true(term_eval(t, m, x, &v) && term_eval(other, n, there, &w));
        assert_true(bits_eq(v, w));
        term_model_free(m);
        term_model_free(n);
    }
    buf_free(&b);
    terms_free(t);
    terms_free(other);
}

static void test_random_terms(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 3, 8, 16, 32, 64, 128, 200, 512};
    struct rng r = {20261120};
    for (unsigned i = 0; i < 3000; i++)
        check_random(&r, widths[rng_below(&r, sizeof widths / sizeof *widths)]);
}

/* One of everything that is no operator over bit-vectors. */
static term one_of_all(struct terms *t, term *memory)
{
    const struct term_origin sp = {.kind = SOME_KIND, .part = 7, .index = 9, .offset = UINT64_MAX, .name = "sp"},
                             mem = {.kind = SOME_KIND + 1}, call = {.kind = SOME_KIND + 2, .name = "puts"};
    term p = term_symbol(t, &sp, spell, 64), m = term_array_symbol(t, &mem, spell, 64, 8);
    term new = term_fresh(t, "new", 64), other = term_fresh_array(t, "unknown", 64, 8);
    term far = term_add_const(t, p, 16), arg[] = {p, m};
    term result = term_apply_origin(t, &call, spell, 32, arg, 2);
    term made = term_apply_origin_array(t, &call, spell, 64, 8, arg, 2);
    term low = term_extract(t, new, 0, 32), doubled = term_pure(t, &pures[0], &low);
    term zero = term_array_const(t, 64, term_const(t, 8, 0));
    term all = term_write(t, term_ite(t, term_eq(t, p, new), m, made), far, doubled);
    *memory = term_ite(t, term_eq(t, all, other), all, zero);
    return term_bin(t, OP_ADD, result, term_read(t, *memory, term_apply(t, "named", 64, &p, 1), 32));
}

static void test_everything(void **state)
{
    (void)state;
    struct terms *t = terms_new(), *other = terms_new();
    struct buf b = BUF_INIT, again = BUF_INIT;
    term root[4] = {TERM_NONE, TERM_NONE, TERM_NONE, term_true(t)}, there[4], back[4];
    root[0] = one_of_all(t, &root[1]);
    assert_true(term_pack(&b, t, root, 4));
    read_roots(other, &b, there, 4);
    assert_int_equal(there[2], TERM_NONE);
    assert_true(term_is_true(other, there[3]));
    assert_int_equal(term_size(other, there[0]), term_size(t, root[0]));
    struct buf one = BUF_INIT, two = BUF_INIT;
    term_print(&one, t, root[0]);
    term_print(&two, other, there[0]);
    assert_string_equal(buf_text(&one), buf_text(&two));
    /* and once more: what is fresh is another symbol each time, all else is the same */
    read_roots(other, &b, back, 4);
    assert_int_not_equal(back[0], there[0]);
    assert_true(term_pack(&again, other, there, 4));
    struct packed *p = read(other, again.data, again.len);
    assert_true(packed_is(p, 0, 32) && !packed_is(p, 0, 64) && !packed_is(p, 0, 0));
    assert_true(packed_is_array(p, 1, 64, 8) && !packed_is_array(p, 1, 32, 8) && !packed_is(p, 1, 64));
    assert_true(packed_is(p, 2, 0) && !packed_is_array(p, 2, 64, 8));
    packed_free(p);
    buf_free(&one);
    buf_free(&two);
    buf_free(&b);
    buf_free(&again);
    terms_free(t);
    terms_free(other);
}

/* A symbol that stands for a term of its table goes nowhere else. */
static void test_only_of_its_table(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct buf b = BUF_INIT;
    const struct term_origin o = {.kind = TERM_ORIGIN_READ, .index = 5, .name = "read"};
    term x = term_symbol(t, &o, spell, 8);
    assert_false(term_pack(&b, t, &x, 1));
    buf_free(&b);
    terms_free(t);
}

/* A symbol that the table has as something else, a name that is spelled like one with an origin, one that
 * cannot be. */
static void test_other_sort(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct buf b = BUF_INIT;
    const struct term_origin o = {.kind = SOME_KIND, .name = "sp"};
    term list[2] = {term_symbol(t, &o, spell, 64), term_var(t, "plain", 16)};
    assert_true(term_pack(&b, t, list, 2));
    for (unsigned i = 0; i < 4; i++) {
        struct terms *other = terms_new();
        if (i == 0)
            term_symbol(other, &o, spell, 32);
        else if (i == 1)
            term_array_symbol(other, &o, spell, 64, 8);
        else if (i == 2)
            term_array_var(other, "plain", 64, 8);
        else
            term_symbol(other, &(struct term_origin){.kind = SOME_KIND, .name = "plain"}, spell, 16);
        size_t before = terms_count(other);
        assert_null(read(other, b.data, b.len));
        assert_int_equal(terms_count(other), before);
        terms_free(other);
    }
    buf_clear(&b);
    list[0] = term_symbol(t, &(struct term_origin){.kind = SOME_KIND + 1}, spell, 24);
    assert_true(term_pack(&b, t, list, 1));
    assert_null(read(t, b.data, b.len));
    buf_free(&b);
    terms_free(t);
}

/* Bytes that were changed, left out, or added are refused, or mean other terms that fit together. */
static void test_broken(void **state)
{
    (void)state;
    struct rng r = {7};
    struct terms *t = terms_new();
    struct buf b = BUF_INIT;
    struct recipe p;
    term step[RECIPE_MAX], root[3];
    unsigned refused = 0, read_anyway = 0;
    recipe_random(&p, &r, 64, 14);
    root[0] = one_of_all(t, &root[1]);
    root[2] = recipe_build(t, &p, step);
    assert_true(term_pack(&b, t, root, 3));
    for (size_t n = 0; n < b.len; n++)
        assert_null(read(t, b.data, n));
    uint8_t *bytes = malloc(b.len + 1);
    for (unsigned i = 0; i < 60000; i++) {
        struct terms *other = terms_new();
        size_t len = b.len, at = rng_below(&r, (unsigned)b.len);
        memcpy(bytes, b.data, b.len);
        for (unsigned k = 0; k <= rng_below(&r, 3); k++)
            bytes[rng_below(&r, (unsigned)b.len)] = (uint8_t)rng_next(&r);
        if (rng_below(&r, 4) == 0) {
            memmove(bytes + at, bytes + at + 1, len - at - 1);
            len--;
        }
        size_t before = terms_count(other);
        struct packed *q = read(other, bytes, len);
        if (q) {
            term *out = calloc(packed_roots(q) + 1, sizeof *out);
            packed_build(q, other, out);
            for (size_t k = 0; k < packed_roots(q); k++)
                assert_true(out[k] == TERM_NONE || packed_is_array(q, k, 64, 8) || !term_width(other, out[k]) ||
                            packed_is(q, k, term_width(other, out[k])));
            free(out);
            read_anyway++;
        } else {
            assert_int_equal(terms_count(other), before);
            refused++;
        }
        packed_free(q);
        terms_free(other);
    }
    assert_true(refused > 1000 && read_anyway > 1000);
    free(bytes);
    buf_free(&b);
    terms_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_terms),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_only_of_its_table),
        cmocka_unit_test(test_other_sort),
        cmocka_unit_test(test_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
