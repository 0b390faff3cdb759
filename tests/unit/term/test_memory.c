/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays: reads and writes with base-plus-offset indices behave as bytes of memory do, also where indices
 * wrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/map.h"
#include "recipe.h"

/* ---- random programs against bytes ---- */

enum { BASES = 3 };

struct world {
    struct terms *t;
    struct term_model *m;
    struct rng r;
    unsigned iw;
    term base[BASES];
    uint64_t at[BASES]; /* the bases' values */
    term cond;
    bool holds;
};

struct memory {
    term x;
    struct map byte; /* what was written, by address */
};

static uint64_t mask_of(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* The memory before anything is written, the same in the model: some bytes around the bases. */
static uint8_t initial(const struct world *w, uint64_t address)
{
    for (unsigned i = 0; i < BASES; i++) {
        if (((address - w->at[i] + 8) & mask_of(w->iw)) < 16)
            return (uint8_t)(hash_u64(address) | 1);
    }
    return 0;
}

static uint64_t pick_index(struct world *w, term *index)
{
    unsigned b = rng_below(&w->r, BASES + 1);
    int offset = (int)rng_below(&w->r, 14) - 7;
    uint64_t mask = mask_of(w->iw), v;
    if (b == BASES) { /* a constant, near a base or near the end where it wraps */
        v = ((rng_below(&w->r, 2) ? w->at[0] : 0) + (uint64_t)(int64_t)offset) & mask;
        *index = term_const(w->t, w->iw, v);
        return v;
    }
    v = (w->at[b] + (uint64_t)(int64_t)offset) & mask;
    *index = term_add_const(w->t, w->base[b], (uint64_t)(int64_t)offset & mask);
    return v;
}

static uint8_t byte_at(const struct world *w, const struct memory *mem, uint64_t address)
{
    uint64_t v;
    return map_get(&mem->byte, address, &v) ? (uint8_t)v : initial(w, address);
}

static void random_write(struct world *w, struct memory *mem)
{
    unsigned n = 1u << rng_below(&w->r, 4), width = n * 8;
    term index, value;
    uint64_t address = pick_index(w, &index);
    struct bits v = random_bits(&w->r, width);
    if (rng_below(&w->r, 4) == 0) { /* what is there already */
        value = term_read(w->t, mem->x, index, width);
        assert_true(term_eval(w->t, w->m, value, &v));
    } else if (rng_below(&w->r, 2)) {
        value = term_const_bits(w->t, width, v);
    } else {
        value = recipe_var(w->t, width, rng_below(&w->r, 3));
        assert_true(term_eval(w->t, w->m, value, &v));
    }
    mem->x = term_write(w->t, mem->x, index, value);
    for (unsigned i = 0; i < n; i++)
        map_set(&mem->byte, (address + i) & mask_of(w->iw), (uint8_t)(v.w[i / 8] >> i % 8 * 8));
}

static void check_read(struct world *w, const struct memory *mem)
{
    unsigned n = 1 + rng_below(&w->r, 9);
    term index, x;
    uint64_t address = pick_index(w, &index);
    struct bits v;
    x = term_read(w->t, mem->x, index, n * 8);
    assert_true(term_eval(w->t, w->m, x, &v));
    for (unsigned i = 0; i < n; i++)
        assert_int_equal((uint8_t)(v.w[i / 8] >> i % 8 * 8), byte_at(w, mem, (address + i) & mask_of(w->iw)));
    assert_int_equal(rebuild_all(w->t, x), x);
}

static void copy_memory(struct memory *to, const struct memory *from)
{
    uint64_t k, v;
    to->x = from->x;
    map_clear(&to->byte);
    for (size_t i = 0; (i = map_next(&from->byte, i, &k, &v));)
        map_set(&to->byte, k, v);
}

/* Both sides of a branch write, then the memories are joined. */
static void random_join(struct world *w, struct memory *mem)
{
    struct memory other = {0};
    copy_memory(&other, mem);
    for (unsigned i = rng_below(&w->r, 3); i > 0; i--)
        random_write(w, &other);
    for (unsigned i = rng_below(&w->r, 3); i > 0; i--)
        random_write(w, mem);
    term x = term_ite(w->t, w->cond, mem->x, other.x);
    if (!w->holds)
        copy_memory(mem, &other);
    mem->x = x;
    map_free(&other.byte);
}

static void run_world(uint64_t seed)
{
    static const unsigned index_widths[] = {5, 8, 16, 32, 64};
    struct world w = {.t = terms_new(), .m = term_model_new(), .r = {seed}};
    w.iw = index_widths[rng_below(&w.r, 5)];
    for (unsigned i = 0; i < BASES; i++) {
        static const char *const name[BASES] = {"p", "q", "sp"};
        w.base[i] = term_var(w.t, name[i], w.iw);
        w.at[i] = rng_next(&w.r) & mask_of(w.iw);
        if (i && rng_below(&w.r, 2)) /* often they alias */
            w.at[i] = (w.at[i - 1] + rng_below(&w.r, 6)) & mask_of(w.iw);
        if (rng_below(&w.r, 3) == 0) /* or wrap */
            w.at[i] = -(uint64_t)rng_below(&w.r, 8) & mask_of(w.iw);
        term_model_set(w.m, w.base[i], bits_u64(w.at[i], w.iw));
    }
    w.cond = term_var(w.t, "cond", 1);
    w.holds = rng_below(&w.r, 2);
    term_model_set(w.m, w.cond, bits_u64(w.holds, 1));
    for (unsigned n = 1; n <= 8; n *= 2) {
        for (unsigned i = 0; i < 3; i++)
            term_model_set(w.m, recipe_var(w.t, n * 8, i), random_bits(&w.r, n * 8));
    }
    struct memory mem = {.x = term_array_var(w.t, "mem", w.iw, 8)};
    for (unsigned i = 0; i < BASES; i++) {
        for (int k = -8; k < 8; k++) {
            uint64_t a = (w.at[i] + (uint64_t)(int64_t)k) & mask_of(w.iw);
            term_model_set_cell(w.m, mem.x, a, bits_u64(initial(&w, a), 8));
        }
    }
    for (unsigned i = 0; i < 30; i++) {
        if (rng_below(&w.r, 8) == 0)
            random_join(&w, &mem);
        else
            random_write(&w, &mem);
        check_read(&w, &mem);
    }
    for (unsigned i = 0; i < 10; i++)
        check_read(&w, &mem);
    assert_int_equal(rebuild_all(w.t, mem.x), mem.x);
    map_free(&mem.byte);
    term_model_free(w.m);
    terms_free(w.t);
}

static void test_random_programs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++)
        run_world(seed * 0x9e3779b97f4a7c15u);
}

/* ---- what a reader of a verdict relies on ---- */

struct setup {
    struct terms *t;
    term mem, sp, p, x, y;
};

static struct setup set_up(void)
{
    struct setup s = {.t = terms_new()};
    s.mem = term_array_var(s.t, "mem", 64, 8);
    s.sp = term_var(s.t, "sp", 64);
    s.p = term_var(s.t, "p", 64);
    s.x = term_var(s.t, "x", 64);
    s.y = term_var(s.t, "y", 64);
    return s;
}

static term slot(struct setup *s, int64_t offset)
{
    return term_add_const(s->t, s->sp, (uint64_t)offset);
}

static void test_order_of_independent_stores_does_not_matter(void **state)
{
    (void)state;
    struct setup s = set_up();
    int64_t offset[] = {-8, -16, -32, -24, 0, -40};
    term one = s.mem, other = s.mem;
    for (unsigned i = 0; i < 6; i++) {
        one = term_write(s.t, one, slot(&s, offset[i]), i % 2 ? s.x : s.y);
        unsigned k = 5 - i;
        other = term_write(s.t, other, slot(&s, offset[k]), k % 2 ? s.x : s.y);
    }
    assert_int_equal(one, other);
    terms_free(s.t);
}

static void test_aliasing_stores_stay_in_order(void **state)
{
    (void)state;
    struct setup s = set_up();
    term a = term_write(s.t, term_write(s.t, s.mem, s.p, s.x), s.sp, s.y);
    term b = term_write(s.t, term_write(s.t, s.mem, s.sp, s.y), s.p, s.x);
    assert_int_not_equal(a, b);
    term r = term_read(s.t, a, s.p, 64);
    assert_int_equal(term_kind(s.t, r), TERM_READ);
    assert_int_equal(term_kid(s.t, r, 0), a);
    terms_free(s.t);
}

static bool stack_is_apart(void *ctx, term a, term b)
{
    const struct setup *s = ctx;
    return (a == s->sp && b == s->p) || (a == s->p && b == s->sp);
}

static void test_supplied_knowledge_lets_reads_pass(void **state)
{
    (void)state;
    struct setup s = set_up();
    term m = term_write(s.t, term_write(s.t, s.mem, s.p, s.x), slot(&s, -8), s.y);
    assert_int_not_equal(term_read(s.t, m, s.p, 64), s.x);
    terms_set_distinct(s.t, (struct term_distinct){stack_is_apart, &s});
    assert_int_equal(term_read(s.t, m, s.p, 64), s.x);
    struct term_distinct by = terms_set_distinct(s.t, (struct term_distinct){0});
    assert_true(by.fn == stack_is_apart && by.ctx == &s);
    assert_int_not_equal(term_read(s.t, m, s.p, 64), s.x);
    /* whoever goes takes along what it set, not what others did */
    terms_set_distinct(s.t, by);
    terms_drop_distinct(s.t, s.t);
    assert_int_equal(term_read(s.t, m, s.p, 64), s.x);
    terms_drop_distinct(s.t, &s);
    assert_int_not_equal(term_read(s.t, m, s.p, 64), s.x);
    terms_free(s.t);
}

static void test_push_and_pop_leave_memory_as_it_was(void **state)
{
    (void)state;
    struct setup s = set_up();
    term saved = term_read(s.t, s.mem, slot(&s, -8), 64);
    term m = term_write(s.t, s.mem, slot(&s, -8), s.x);
    m = term_write(s.t, m, slot(&s, -8), saved);
    assert_int_equal(m, s.mem);
    terms_free(s.t);
}

static void test_bytes_written_are_read_as_a_word(void **state)
{
    (void)state;
    struct setup s = set_up();
    term m = s.mem;
    for (unsigned i = 0; i < 8; i++)
        m = term_write(s.t, m, term_add_const(s.t, s.p, i), term_extract(s.t, s.x, i * 8, 8));
    assert_int_equal(term_read(s.t, m, s.p, 64), s.x);
    term r = term_read(s.t, m, term_add_const(s.t, s.p, 6), 32);
    assert_int_equal(term_extract(s.t, r, 0, 16), term_extract(s.t, s.x, 48, 16));
    assert_int_equal(term_extract(s.t, r, 16, 16), term_read(s.t, s.mem, term_add_const(s.t, s.p, 8), 16));
    terms_free(s.t);
}

static void test_array_indexing_does_not_disturb_what_lies_before(void **state)
{
    (void)state;
    struct setup s = set_up();
    term i = term_zext(s.t, term_var(s.t, "i", 8), 64);
    term element = term_bin(s.t, OP_ADD, slot(&s, -2048), term_bin(s.t, OP_SHL, i, term_const(s.t, 64, 2)));
    term m = term_write(s.t, term_write(s.t, s.mem, slot(&s, -8), s.x), element, term_const(s.t, 32, 1));
    assert_int_equal(term_read(s.t, m, slot(&s, -8), 64), s.x);
    assert_int_not_equal(term_read(s.t, m, slot(&s, -2048), 32), term_read(s.t, s.mem, slot(&s, -2048), 32));
    terms_free(s.t);
}

static void test_many_joins_stay_small(void **state)
{
    (void)state;
    struct setup s = set_up();
    term m = s.mem;
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%u", i);
        term c = term_var(s.t, name, 1);
        term old = term_read(s.t, m, slot(&s, -8), 64);
        m = term_ite(s.t, c, term_write(s.t, m, slot(&s, -8), term_add_const(s.t, old, 1)), m);
    }
    assert_int_equal(term_read(s.t, m, slot(&s, -16), 64), term_read(s.t, s.mem, slot(&s, -16), 64));
    assert_true(term_size(s.t, m) < 1000);
    terms_free(s.t);
}

/* Two memories that have nothing in common are still read through, once each. */
static void test_reads_through_choices_share(void **state)
{
    (void)state;
    struct setup s = set_up();
    term m = s.mem;
    for (unsigned i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%u", i);
        term c = term_var(s.t, name, 1);
        term after = term_apply_array(s.t, "call", 64, 8, &m, 1);
        m = term_ite(s.t, c, after, m);
    }
    term r = term_read(s.t, m, s.sp, 64);
    assert_true(term_size(s.t, r) < 400);
    assert_int_equal(term_read(s.t, m, s.sp, 64), r);
    terms_free(s.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_order_of_independent_stores_does_not_matter),
        cmocka_unit_test(test_aliasing_stores_stay_in_order),
        cmocka_unit_test(test_supplied_knowledge_lets_reads_pass),
        cmocka_unit_test(test_push_and_pop_leave_memory_as_it_was),
        cmocka_unit_test(test_bytes_written_are_read_as_a_word),
        cmocka_unit_test(test_array_indexing_does_not_disturb_what_lies_before),
        cmocka_unit_test(test_many_joins_stay_small),
        cmocka_unit_test(test_reads_through_choices_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
