/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses that are symbols, and data that lies together in two programs. */
#include "test.h"

#include "pair/pair.h"

struct fixture {
    char **file;
    struct program *p[2];
    struct match *m;
    struct terms *t;
    struct pair pair;
};

static void begin(struct fixture *f, unsigned versions)
{
    struct error err = {0};
    const struct flow_function *function[2] = {NULL, NULL};
    f->t = terms_new();
    for (unsigned s = 0; s < versions; s++) {
        f->p[s] = program_open(f->file[s], &(struct program_options){.deep = false}, &err);
        assert_non_null(f->p[s]);
        function[s] = program_function(f->p[s], "given", &err);
        assert_non_null(function[s]);
    }
    f->m = versions == 2 ? match_programs(f->p[OLD], f->p[NEW], NULL, &err) : NULL;
    pair_start_symbolic(&f->pair, f->m, f->p, function, f->t);
    for (unsigned s = 0; s < versions; s++) {
        f->pair.side[s].hooks.ctx = &f->pair.side[s];
        symbolic_hooks(&f->pair.side[s]);
    }
}

static int start(void **state)
{
    static struct fixture f; /* one test at a time */
    f = (struct fixture){.file = *state};
    begin(&f, 2);
    *state = &f;
    return 0;
}

static int start_alone(void **state)
{
    static struct fixture f;
    f = (struct fixture){.file = *state};
    begin(&f, 1);
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    pair_end(&f->pair);
    if (f->m)
        match_free(f->m);
    for (unsigned s = 0; s < 2; s++)
        program_free(f->p[s]);
    terms_free(f->t);
    *state = f->file;
    return 0;
}

static uint64_t symbol(const struct fixture *f, int s, const char *name)
{
    const struct object_symbol *y = object_symbol_by_name(program_object(f->p[s]), name);
    assert_non_null(y);
    return y->address;
}

/* The address as the function's code has it. */
static term constant(struct fixture *f, int s, const char *name)
{
    struct pair_side *side = &f->pair.side[s];
    return side->hooks.constant(side, side->f->address, symbol(f, s, name));
}

static uint64_t resolved(struct fixture *f, int s, term x)
{
    uint64_t own = 0;
    assert_true(f->pair.side[s].hooks.resolve(&f->pair.side[s], x, &own));
    return own;
}

static bool is_from(struct fixture *f, term x, int which)
{
    term base;
    uint64_t offset;
    term_split(f->t, x, &base, &offset);
    return symbolic_data(&f->pair, base) == f->pair.symbolic.data[which];
}

static void test_paired(void **state)
{
    struct fixture *f = *state;
    assert_int_not_equal(symbol(f, OLD, "count"), symbol(f, NEW, "count"));
    assert_false(f->pair.symbolic.used);
    term count = constant(f, OLD, "count");
    assert_true(f->pair.symbolic.used);
    assert_true(is_from(f, count, OLD));
    assert_int_equal(constant(f, NEW, "count"), count);
    assert_int_equal(constant(f, NEW, "primes"), constant(f, OLD, "primes"));
    for (int s = 0; s < 2; s++)
        assert_int_equal(resolved(f, s, count), symbol(f, s, "count"));
}

static void test_only_new(void **state)
{
    struct fixture *f = *state;
    term added = constant(f, NEW, "added");
    assert_true(is_from(f, added, NEW));
    assert_int_equal(resolved(f, NEW, added), symbol(f, NEW, "added"));
    uint64_t own;
    assert_false(f->pair.side[OLD].hooks.resolve(&f->pair.side[OLD], added, &own));
}

/* What the code does not refer to is a number, wherever something lies. */
static void test_numbers(void **state)
{
    struct fixture *f = *state;
    struct pair_side *s = &f->pair.side[OLD];
    assert_int_equal(s->hooks.constant(s, s->f->address, 7), TERM_NONE);
    assert_int_equal(s->hooks.constant(s, s->f->address, symbol(f, OLD, "count") + 1), TERM_NONE);
}

/* For a run the symbols get values, and those are the sides' own addresses again. */
static void test_pinned(void **state)
{
    struct fixture *f = *state;
    term count = constant(f, NEW, "count"), added = constant(f, NEW, "added");
    assert_int_equal(symbolic_to_side(&f->pair.side[NEW], 1234), 1234);
    struct term_model *m = term_model_new();
    term pin = symbolic_pin(&f->pair);
    for (int s = 0; s < 2; s++) { /* one equation a symbol */
        term equation = term_kid(f->t, pin, (unsigned)s);
        unsigned side = term_is_const(f->t, term_kid(f->t, equation, 0));
        struct bits v;
        assert_true(term_eval(f->t, m, term_kid(f->t, equation, !side), &v));
        term_model_set(m, term_kid(f->t, equation, side), v);
    }
    struct bits at;
    assert_true(term_eval(f->t, m, symbolic_apart(&f->pair), &at) && !bits_is_zero(at));
    assert_true(term_eval(f->t, m, count, &at));
    for (int s = 0; s < 2; s++)
        assert_int_equal(symbolic_to_side(&f->pair.side[s], bits_low(at)), symbol(f, s, "count"));
    assert_true(term_eval(f->t, m, added, &at));
    assert_int_equal(symbolic_to_side(&f->pair.side[NEW], bits_low(at)), symbol(f, NEW, "added"));
    term_model_free(m);
}

/* ---- what lies together ---- */

static void test_parts(void **state)
{
    struct fixture *f = *state;
    assert_null(parts_at(&f->pair, NEW, symbol(f, NEW, "added")));
    const struct part *r = parts_at(&f->pair, NEW, symbol(f, NEW, "count"));
    assert_non_null(r);
    uint64_t count[2] = {symbol(f, OLD, "count"), symbol(f, NEW, "count")};
    assert_int_equal(count[OLD] - r->low[OLD], count[NEW] - r->low[NEW]);
    assert_true(count[NEW] - r->low[NEW] < r->size);
    assert_false(r->whole);
    assert_ptr_equal(parts_at(&f->pair, OLD, count[OLD]), r);
    assert_true(parts_is_for(&f->pair.side[NEW], count[NEW]));
    assert_false(parts_is_for(&f->pair.side[NEW], f->pair.side[NEW].f->address)); /* code */

    struct part known = *r;
    uint64_t offset = parts_offset(&f->pair, r, 2), own;
    int64_t inside;
    assert_int_equal(f->pair.parts.all.data[0].number, 1);
    assert_non_null(parts_made_from(&f->pair, offset, &inside));
    assert_int_equal(inside, 2);
    for (unsigned s = 0; s < 2; s++) {
        assert_true(parts_to_side(&f->pair, s, offset, &own));
        assert_int_equal(own, known.low[s] + 2);
    }
}

/* Of an access that leaves a part so many bytes lie in it; the others are looked up where they lie. */
static void test_bounds(void **state)
{
    struct fixture *f = *state;
    struct part r = *parts_at(&f->pair, NEW, symbol(f, NEW, "count"));
    unsigned together;
    uint64_t offset;
    assert_int_equal(parts_settle(&f->pair.side[NEW], r.low[NEW] + r.size - 2, 4, &together, &offset), OLD);
    assert_int_equal(together, 2);
    assert_int_equal(parts_settle(&f->pair.side[NEW], symbol(f, NEW, "added"), 4, &together, &offset), NEW);
    assert_int_equal(offset, symbol(f, NEW, "added"));
}

/* An index that may leave the part leads to what the side has there. */
static void test_index(void **state)
{
    struct fixture *f = *state;
    struct pair_side *new = &f->pair.side[NEW];
    term count = constant(f, NEW, "count"), i = term_var(f->t, "i", f->pair.width);
    unsigned together;
    term at = new->hooks.place(new, term_bin(f->t, OP_ADD, i, count), 1, &together);
    assert_int_equal(term_kind(f->t, at), OP_ITE);
    assert_true(f->pair.parts.near.len > 0);
    /* one that stays inside is the same in both */
    term low = term_bin(f->t, OP_AND, i, term_const(f->t, f->pair.width, 3)),
         address = term_bin(f->t, OP_ADD, low, count);
    struct pair_side *old = &f->pair.side[OLD];
    assert_int_equal(new->hooks.place(new, address, 1, &together),
                     old->hooks.place(old, address, 1, &together));
}

static void test_contents(void **state)
{
    struct fixture *f = *state;
    parts_compare(&f->pair, true);
    assert_int_equal(f->pair.parts.change.len, 1);
    const struct part_change *k = &f->pair.parts.change.data[0];
    assert_int_equal(k->store.address, constant(f, NEW, "limit"));
    assert_int_equal(k->store.value, term_const(f->t, 32, 30));
    assert_int_equal(k->fact, TERM_NONE);
}

/* Where memory may have changed since, both hold what their files say, or the same. */
static void test_contents_open(void **state)
{
    struct fixture *f = *state;
    parts_compare(&f->pair, false);
    assert_int_equal(f->pair.parts.change.len, 1);
    assert_int_equal(term_kind(f->t, f->pair.parts.change.data[0].store.value), OP_ITE);
    assert_int_not_equal(f->pair.parts.change.data[0].fact, TERM_NONE);
}

/* One program alone has its own addresses. */
static void test_alone(void **state)
{
    struct fixture *f = *state;
    uint64_t count = symbol(f, OLD, "count");
    assert_null(parts_at(&f->pair, OLD, count));
    assert_int_equal(symbolic_to_side(&f->pair.side[OLD], count), count);
    assert_true(term_is_true(f->t, symbolic_pin(&f->pair)));
    assert_true(term_is_true(f->t, symbolic_apart(&f->pair)));
    assert_true(symbolic_is_mapped(&f->pair.side[OLD], count));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
#define TEST(name)                                                                                           \
    {                                                                                                        \
#name, name, start, end, argv + 1                                                                    \
    }
    const struct CMUnitTest tests[] = {
        TEST(test_paired),        TEST(test_only_new),
        TEST(test_numbers),       TEST(test_pinned),
        TEST(test_parts),         TEST(test_bounds),
        TEST(test_index),         TEST(test_contents),
        TEST(test_contents_open), {"test_alone", test_alone, start_alone, end, argv + 1}};
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
