/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two versions over one table of terms: canonical addresses, and the frames: observations in, map out. */
#include "test.h"

#include <string.h>

#include "pair/pair.h"

struct fixture {
    char **file;
    struct program *p[2];
    struct match *m;
    struct terms *t;
    struct arena arena;
    struct pair pair;
};

static void begin(struct fixture *f, struct pair_may may)
{
    struct error err = {0};
    uint32_t index[2];
    f->t = terms_new();
    for (int s = 0; s < 2; s++) {
        const struct flow_function *all;
        f->p[s] = program_open(f->file[s], &(struct program_options){.deep = false}, &err);
        assert_non_null(f->p[s]);
        program_functions(f->p[s], &all);
        index[s] = (uint32_t)(program_function(f->p[s], "given", &err) - all);
    }
    f->m = match_programs(f->p[OLD], f->p[NEW], NULL, &err);
    assert_non_null(f->m);
    pair_start(&f->pair, f->m, index[OLD], index[NEW], f->t, may);
}

static int start(void **state)
{
    static struct fixture f; /* one test at a time */
    f = (struct fixture){.file = *state, .arena = ARENA_INIT};
    begin(&f, (struct pair_may){.move_data = true, .move_frame = true});
    *state = &f;
    return 0;
}

static void finish(struct fixture *f)
{
    pair_end(&f->pair);
    match_free(f->m);
    program_free(f->p[OLD]);
    program_free(f->p[NEW]);
    terms_free(f->t);
}

static int end(void **state)
{
    struct fixture *f = *state;
    finish(f);
    arena_free(&f->arena);
    *state = f->file;
    return 0;
}

/* ---- addresses ---- */

static uint64_t symbol(const struct fixture *f, int s, const char *name)
{
    const struct object_symbol *y = object_symbol_by_name(program_object(f->p[s]), name);
    assert_non_null(y);
    return y->address;
}

/* An address as the side's terms have it. */
static term native(const struct fixture *f, int s, const char *name, uint64_t offset)
{
    return term_const(f->t, f->pair.width, symbol(f, s, name) + f->pair.side[s].bias + offset);
}

static term canonical(struct fixture *f, int s, term x)
{
    return canonical_term(&f->pair, &f->pair.side[s], x);
}

static void test_paired_data(void **state)
{
    struct fixture *f = *state;
    assert_int_not_equal(symbol(f, OLD, "count"), symbol(f, NEW, "count"));
    assert_int_equal(canonical(f, NEW, native(f, NEW, "count", 0)), native(f, OLD, "count", 0));
    assert_int_equal(canonical(f, NEW, native(f, NEW, "primes", 4)), native(f, OLD, "primes", 4));
    assert_int_equal(canonical(f, OLD, native(f, OLD, "count", 0)), native(f, OLD, "count", 0));
    assert_false(canonical_has_unpaired(&f->pair, native(f, OLD, "count", 0)));
    /* in the middle of a term, too */
    term x = term_var(f->t, "x", f->pair.width);
    assert_int_equal(canonical(f, NEW, term_bin(f->t, OP_MUL, x, native(f, NEW, "count", 0))),
                     term_bin(f->t, OP_MUL, x, native(f, OLD, "count", 0)));
    uint64_t to;
    assert_true(map_get(&f->pair.canonical.mapped, symbol(f, NEW, "count"), &to));
    assert_int_equal(to, symbol(f, OLD, "count"));
}

static void test_numbers(void **state)
{
    struct fixture *f = *state;
    term seven = term_const(f->t, f->pair.width, 7), narrow = term_const(f->t, 32, symbol(f, NEW, "count"));
    assert_int_equal(canonical(f, NEW, seven), seven);
    assert_int_equal(canonical(f, NEW, narrow), narrow);
}

static void test_unpaired_data(void **state)
{
    struct fixture *f = *state;
    term added = canonical(f, NEW, native(f, NEW, "added", 0));
    uint64_t v;
    assert_true(canonical_has_unpaired(&f->pair, added));
    assert_true(term_const_u64(f->t, added, &v));
    assert_int_equal(canonical_unpaired(&f->pair, v), symbol(f, NEW, "added"));
}

/* Whoever denies that paired data is the same data has none. */
static void test_data_denied(void **state)
{
    struct fixture *f = *state;
    finish(f);
    begin(f, (struct pair_may){.move_frame = true});
    assert_int_not_equal(canonical(f, NEW, native(f, NEW, "count", 0)), native(f, OLD, "count", 0));
    assert_true(canonical_has_unpaired(&f->pair, canonical(f, NEW, native(f, NEW, "count", 0))));
}

/* ---- frames ---- */

static uint64_t call_site(const struct fixture *f, int s, const char *name)
{
    const struct flow_graph *g = f->pair.side[s].g;
    for (uint32_t i = 0; i < g->ncalls; i++)
        if (g->call[i].name && strcmp(g->call[i].name, name) == 0)
            return g->call[i].site;
    fail();
    return 0;
}

/* A call gives the address of what begins there away, as that argument. */
static void gives(struct fixture *f, int s, const char *callee, unsigned argument, int64_t offset)
{
    map_set(&f->pair.observed.access[s], call_site(f, s, callee) << 8 | argument, (uint64_t)offset << 8);
    map_set(&f->pair.observed.declared[s], (uint64_t)offset, 0); /* nothing says how large it is */
}

static term at(const struct fixture *f, int64_t offset)
{
    return term_add_const(f->t, f->pair.sp, (uint64_t)offset);
}

static struct frame_map solved(struct fixture *f)
{
    struct frame_map map;
    struct frame_slots slots;
    frame_solve(&f->pair, &f->arena, &map, &slots);
    map_free(&slots.of[OLD]);
    map_free(&slots.of[NEW]);
    return map;
}

static void test_map(void **state)
{
    (void)state;
    const struct frame_map alike = {0};
    for (int64_t off = -64; off < 64; off++)
        assert_int_equal(frame_offset(&alike, off), off);
    const struct frame_local local[] = {
        {.new = -96, .old = -64, .room = 32}, {.new = -48}, {.new = -16, .old = -8, .room = 8}};
    const struct frame_map map = {.local = local, .nlocals = 3, .shift = 32, .low = -64};
    assert_int_equal(frame_offset(&map, 8), 8); /* parameters and the return address stay */
    assert_int_equal(frame_offset(&map, -96), -64);
    assert_int_equal(frame_offset(&map, -65), -33);
    assert_int_equal(frame_offset(&map, -104), -72); /* below all locals: by the common shift */
    assert_true(frame_offset(&map, -64) < -4096);    /* behind the room that the old one has */
    assert_true(frame_offset(&map, -48) < -4096);    /* the old version gives no such local away */
    assert_int_equal(frame_offset(&map, -9), -1);
}

static void test_alike(void **state)
{
    struct fixture *f = *state;
    assert_false(frame_update(&f->pair, &f->arena)); /* nothing was seen */
    for (int s = 0; s < 2; s++)
        gives(f, s, "fill", 1, -0x30);
    assert_false(frame_update(&f->pair, &f->arena)); /* nothing has moved */
    assert_int_equal(canonical(f, NEW, at(f, -0x28)), at(f, -0x28));
}

static void test_moved(void **state)
{
    struct fixture *f = *state;
    gives(f, OLD, "fill", 1, -0x30);
    gives(f, NEW, "fill", 1, -0x50);
    assert_int_equal(canonical(f, NEW, at(f, -0x50)), at(f, -0x50)); /* seen, but not solved */
    assert_true(frame_update(&f->pair, &f->arena));
    assert_int_equal(canonical(f, NEW, at(f, -0x50)), at(f, -0x30));
    assert_int_equal(canonical(f, NEW, at(f, -0x44)), at(f, -0x24));
    assert_int_equal(canonical(f, NEW, at(f, -0x58)), at(f, -0x38)); /* what lies below moved along */
    assert_int_equal(canonical(f, OLD, at(f, -0x50)), at(f, -0x50));
    assert_false(frame_update(&f->pair, &f->arena)); /* nothing new was seen */
}

/* Solving looks at what was seen and at nothing else, and changes neither that nor the map in use. */
static void test_solve_is_pure(void **state)
{
    struct fixture *f = *state;
    gives(f, OLD, "fill", 1, -0x30);
    gives(f, NEW, "fill", 1, -0x50);
    struct frame_map a = solved(f), b = solved(f);
    assert_int_equal(f->pair.frame.nlocals, 0);
    assert_int_equal(a.nlocals, 1);
    assert_int_equal(a.nlocals, b.nlocals);
    assert_memory_equal(a.local, b.local, a.nlocals * sizeof *a.local);
    assert_true(a.shift == b.shift && a.low == b.low && a.of == b.of);
    assert_true(frame_update(&f->pair, &f->arena)); /* another map in use makes no difference */
    struct frame_map c = solved(f);
    assert_memory_equal(a.local, c.local, a.nlocals * sizeof *a.local);
}

/* One version only gives a local away: the other has no place for it. */
static void test_only_new(void **state)
{
    struct fixture *f = *state;
    gives(f, NEW, "fill", 1, -0x50);
    frame_update(&f->pair, &f->arena);
    assert_true(frame_is_unpaired(&f->pair, canonical(f, NEW, at(f, -0x50))));
    assert_false(frame_is_unpaired(&f->pair, canonical(f, NEW, at(f, -0x58))));
    assert_false(frame_is_unpaired(&f->pair, at(f, -0x50)));
}

/* An access across two locals that moved by different distances: the beginnings were guessed wrong. */
static void test_torn(void **state)
{
    struct fixture *f = *state;
    gives(f, OLD, "fill", 1, -0x30);
    gives(f, NEW, "fill", 1, -0x50);
    gives(f, OLD, "take", 1, -0x10);
    gives(f, NEW, "take", 1, -0x20);
    assert_true(frame_update(&f->pair, &f->arena));
    assert_int_equal(frame_offset(&f->pair.frame, -0x20), -0x10);
    frame_see_access(&f->pair, &f->pair.side[NEW], -0x40, 4, 0x1000);
    assert_false(f->pair.slots.torn);
    frame_see_access(&f->pair, &f->pair.side[NEW], -0x24, 8, 0x1004);
    assert_true(f->pair.slots.torn); /* the map in use is wrong, and stays as it is */
    assert_int_equal(frame_offset(&f->pair.frame, -0x20), -0x10);
    frame_update(&f->pair, &f->arena);
    assert_int_equal(f->pair.frame.nlocals, 0);
    assert_false(f->pair.slots.torn);
    assert_int_equal(frame_offset(&f->pair.frame, -0x20), -0x20);
}

static void test_reach(void **state)
{
    struct fixture *f = *state;
    assert_false(frame_out_of_reach(&f->pair, OLD, -0x40)); /* nothing is known of what is given away */
    gives(f, OLD, "fill", 1, -0x30);
    assert_true(frame_out_of_reach(&f->pair, OLD, -0x40));
    assert_false(frame_out_of_reach(&f->pair, OLD, -0x30));
    assert_false(frame_out_of_reach(&f->pair, NEW, -0x40));
    assert_false(frame_out_of_reach(&f->pair, OLD, -0x10)); /* nobody knows how far it reaches */
    map_set(&f->pair.observed.declared[OLD], (uint64_t)-0x30, 0x10);
    assert_false(frame_out_of_reach(&f->pair, OLD, -0x21));
    assert_true(frame_out_of_reach(&f->pair, OLD, -0x20));
    f->pair.observed.escaped_anywhere[OLD] = true;
    assert_false(frame_out_of_reach(&f->pair, OLD, -0x40));
}

static void test_reads(void **state)
{
    struct fixture *f = *state;
    frame_see_load(&f->pair, &f->pair.side[NEW], -0x20, 4);
    assert_true(frame_is_read(&f->pair, NEW, -0x24, 5));
    assert_false(frame_is_read(&f->pair, NEW, -0x24, 4));
    assert_false(frame_is_read(&f->pair, OLD, -0x20, 4));
    frame_see_access(&f->pair, &f->pair.side[NEW], -0x20, 4, 0x1000);
    frame_see_access(&f->pair, &f->pair.side[NEW], -0x28, 4, 0x1004);
    assert_false(frame_is_unread(&f->pair.side[NEW], 0x1000));
    assert_true(frame_is_unread(&f->pair.side[NEW], 0x1004));
    assert_false(frame_is_unread(&f->pair.side[NEW], 0x1008)); /* it was never seen */
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
        TEST(test_paired_data), TEST(test_numbers), TEST(test_unpaired_data), TEST(test_data_denied),
        TEST(test_map),         TEST(test_alike),   TEST(test_moved),         TEST(test_solve_is_pure),
        TEST(test_only_new),    TEST(test_torn),    TEST(test_reach),         TEST(test_reads)};
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
