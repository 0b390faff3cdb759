/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms in the words of a program, and the smallest difference of two. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "exec/origin.h"
#include "tell/words.h"

enum { PTR = 64 };

struct fixture {
    const char *path;
    struct program *p;
    struct terms *t;
    struct words *w;
    term mem, arg[5];
};

static term argument(struct terms *t, unsigned i)
{
    return origin_symbol(t, (struct term_origin){.kind = ORIGIN_ARGUMENT, .index = i}, PTR);
}

static int start(void **state)
{
    static struct fixture f; /* one test at a time */
    struct error err = {0};
    f = (struct fixture){.path = *state};
    f.p = program_open(f.path, &(struct program_options){.deep = false}, &err);
    assert_non_null(f.p);
    f.t = terms_new();
    f.w = words_new(f.t, f.p, program_function(f.p, "show", &err));
    f.mem = origin_array(f.t, (struct term_origin){.kind = ORIGIN_MEMORY}, PTR, 8);
    for (unsigned i = 0; i < 5; i++)
        f.arg[i] = argument(f.t, i);
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    words_free(f->w);
    terms_free(f->t);
    program_free(f->p);
    *state = (void *)(uintptr_t)f->path;
    return 0;
}

static void says(struct fixture *f, term x, const char *text)
{
    struct buf b = BUF_INIT;
    words_term(&b, f->w, x);
    assert_string_equal(buf_text(&b), text);
    buf_free(&b);
}

static term at(struct fixture *f, term base, uint64_t offset, unsigned width)
{
    return term_read(f->t, f->mem, term_add_const(f->t, base, offset), width);
}

static term low(struct fixture *f, term x)
{
    return term_extract(f->t, x, 0, 32);
}

static term number(struct fixture *f, unsigned width, uint64_t v)
{
    return term_const(f->t, width, v);
}

static uint64_t address(struct fixture *f, const char *name)
{
    const struct object_symbol *s = object_symbol_by_name(program_object(f->p), name);
    assert_non_null(s);
    return s->address;
}

static void test_fields(void **state)
{
    struct fixture *f = *state;
    term image = f->arg[0];
    says(f, at(f, image, 0, 32), "image->width");
    says(f, term_bin(f->t, OP_MUL, at(f, image, 0, 32), number(f, 32, 32)), "image->width * 32");
    says(f, at(f, image, 10, 16), "image->kind.depth[1]");
    says(f, at(f, image, 14, 8), "image->kind.flag");
    says(f, term_add_const(f->t, image, 4), "&image->height");
    says(f, at(f, at(f, image, 16, PTR), 0, 8), "*image->name");
    says(f, at(f, f->arg[4], 8, 64), "longs[1]");
    says(f, at(f, f->arg[4], 0, 64), "*longs");
    /* Nothing is known of what lies behind a structure, or across two fields. */
    says(f, at(f, image, 2, 32), "*(int *)(image + 2)");
    says(f, at(f, image, 0, 64), "*(long *)image");
}

static void test_without_types(void **state)
{
    struct fixture *f = *state;
    term other = argument(f->t, 7), sp = origin_symbol(f->t, (struct term_origin){.kind = ORIGIN_SP}, PTR);
    says(f, at(f, other, 8, 32), "*(int *)(arg7 + 8)");
    says(f, at(f, term_add_const(f->t, other, (uint64_t)-3), 0, 8), "*(char *)(arg7 - 3)");
    says(f, at(f, sp, (uint64_t)-0x28, 32), "local_28");
    says(f, term_add_const(f->t, sp, (uint64_t)-0x28), "&local_28");
}

static void test_indices(void **state)
{
    struct fixture *f = *state;
    term n = term_zext(f->t, low(f, f->arg[2]), PTR), m = term_sext(f->t, low(f, f->arg[3]), PTR);
    says(f, term_read(f->t, f->mem, term_bin(f->t, OP_ADD, f->arg[1], n), 8), "text[n]");
    term scaled = term_bin(f->t, OP_MUL, m, number(f, PTR, 8));
    says(f, term_read(f->t, f->mem, term_bin(f->t, OP_ADD, f->arg[4], scaled), 64), "longs[m]");
    term c = term_read(f->t, f->mem, term_bin(f->t, OP_ADD, f->arg[1], n), 8);
    says(f, term_eq(f->t, c, number(f, 8, '\n')), "text[n] == '\\n'");
    says(f, term_not(f->t, term_eq(f->t, c, number(f, 8, '\''))), "text[n] != '\\''");
}

static void test_comparisons(void **state)
{
    struct fixture *f = *state;
    term n = low(f, f->arg[2]), m = low(f, f->arg[3]);
    says(f, term_bin(f->t, OP_ULT, n, number(f, 32, 10)), "n < 10");
    says(f, term_bin(f->t, OP_ULT, m, number(f, 32, 10)), "(unsigned)m < 10");
    says(f, term_bin(f->t, OP_SLT, m, number(f, 32, 10)), "m < 10");
    says(f, term_bin(f->t, OP_SLT, number(f, 32, 10), m), "m >= 11");
    says(f, term_extract(f->t, f->arg[3], 31, 1), "m < 0");
    says(f, term_not(f->t, term_extract(f->t, f->arg[3], 31, 1)), "m >= 0");
    term both =
        term_and(f->t, term_bin(f->t, OP_SLT, m, number(f, 32, 10)), term_eq(f->t, n, number(f, 32, 3)));
    says(f, term_not(f->t, both), "m >= 10 || n != 3");
}

static void test_globals(void **state)
{
    struct fixture *f = *state;
    says(f, at(f, number(f, PTR, address(f, "count")), 0, 32), "count");
    says(f, at(f, number(f, PTR, address(f, "table")), 8, 32), "table[2]");
    says(f, number(f, PTR, address(f, "helper")), "helper");
    says(f, number(f, PTR, address(f, "table")), "&table");
    struct buf b = BUF_INIT;
    words_place(&b, f->w, number(f, PTR, address(f, "count")), 4);
    assert_string_equal(buf_text(&b), "count");
    buf_free(&b);
}

static void test_calls(void **state)
{
    struct fixture *f = *state;
    term world = origin_symbol(f->t, (struct term_origin){.kind = ORIGIN_WORLD}, 64);
    term kid[] = {f->arg[1], f->mem, world};
    struct term_origin find = {.kind = ORIGIN_RESULT, .name = "find"},
                       print = {.kind = ORIGIN_RESULT, .name = "printf", .index = 3},
                       leaves = {.kind = ORIGIN_MEMORY_AFTER, .name = "find"};
    term found = origin_apply(f->t, find, PTR, kid, 3);
    says(f, found, "find(text)");
    says(f, at(f, found, 4, 32), "find(text)->height");
    says(f, origin_apply(f->t, print, PTR, kid, 3), "printf(text)");
    term inside = origin_apply_array(f->t, leaves, PTR, 8, kid, 3);
    says(f, term_read(f->t, inside, f->arg[0], 32), "image->width");
}

/* What a term is said to be depends on where it comes from, whatever the program calls its functions. */
static void test_names_mislead(void **state)
{
    struct fixture *f = *state;
    term world = origin_symbol(f->t, (struct term_origin){.kind = ORIGIN_WORLD}, 64);
    static const char *const name[] = {"arg0", "heap:errno", "clobber:rax", "sp", "world:x", "find/3", "*"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char text[64];
        struct term_origin o = {.kind = ORIGIN_RESULT, .name = name[i]};
        snprintf(text, sizeof text, "%s(text)", name[i]);
        says(f, origin_apply(f->t, o, PTR, (term[]){f->arg[1], f->mem, world}, 3), text);
    }
    term object = origin_symbol(f->t, (struct term_origin){.kind = ORIGIN_ADDRESS, .name = "local"}, PTR);
    says(f, at(f, object, (uint64_t)-0x28, 32), "*(int *)(&local - 40)");
    says(f, term_var(f->t, "arg0 ", PTR), "arg0 ");
}

/* Addresses that are symbols of an analysis: only what it says they are. */
static bool is_table(void *ctx, term x, struct program **of, uint64_t *at_address)
{
    struct fixture *f = ctx;
    (void)of;
    *at_address = address(f, "table");
    return x == term_find_var(f->t, "place");
}

static void test_addresses(void **state)
{
    struct fixture *f = *state;
    term place = term_var(f->t, "place", PTR);
    words_addresses(f->w, is_table, f, false);
    says(f, place, "&table");
    says(f, at(f, place, 0, 32), "table[0]");
    says(f, number(f, PTR, 0x401234), "0x401234");
    words_call(f->w, place, "here");
    says(f, place, "here");
}

static void test_long_ones_are_cut(void **state)
{
    struct fixture *f = *state;
    term x = f->arg[0];
    for (unsigned i = 0; i < 200; i++)
        x = term_bin(f->t, OP_XOR, term_bin(f->t, OP_MUL, x, x),
                     term_bin(f->t, OP_LSHR, x, f->arg[1 + i % 3]));
    struct buf b = BUF_INIT;
    words_term(&b, f->w, x);
    assert_non_null(strstr(buf_text(&b), "..."));
    assert_in_range(b.len, 10, 2000);
    buf_free(&b);
}

static void test_smallest(void **state)
{
    struct fixture *f = *state;
    term width = at(f, f->arg[0], 0, 32), m = low(f, f->arg[3]);
    term a = term_bin(f->t, OP_ADD, term_bin(f->t, OP_MUL, width, number(f, 32, 30)), m),
         b = term_bin(f->t, OP_ADD, term_bin(f->t, OP_MUL, width, number(f, 32, 7)), m);
    words_smallest(f->t, &a, &b);
    says(f, a, "image->width * 30");
    says(f, b, "image->width * 7");
    /* what is read is told, not where */
    a = term_bin(f->t, OP_MUL, at(f, f->arg[0], 0, 32), number(f, 32, 30));
    b = term_bin(f->t, OP_MUL, at(f, f->arg[0], 4, 32), number(f, 32, 30));
    words_smallest(f->t, &a, &b);
    says(f, a, "image->width");
    assert_int_equal(term_kind(f->t, b), TERM_READ);
}

static void test_bits(void **state)
{
    struct fixture *f = *state;
    term width = at(f, f->arg[0], 0, 32);
    says(f, term_extract(f->t, width, 0, 29), "image->width & 0x1fffffff");
    says(f, term_extract(f->t, width, 4, 5), "(image->width >> 4) & 0x1f");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
#define TEST(name) cmocka_unit_test_prestate_setup_teardown(name, start, end, argv[1])
    const struct CMUnitTest tests[] = {
        TEST(test_fields),        TEST(test_without_types), TEST(test_indices),
        TEST(test_comparisons),   TEST(test_globals),       TEST(test_calls),
        TEST(test_names_mislead), TEST(test_addresses),     TEST(test_long_ones_are_cut),
        TEST(test_smallest),      TEST(test_bits),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
