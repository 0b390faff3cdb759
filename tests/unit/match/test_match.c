/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program in many versions (input/, make-inputs): what each version changed is found, and nothing else.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/match.h"

static const char *input_dir; /* set once by main */

static const char *const built[] = {
    "x86_64-gcc-O0-so",    "x86_64-gcc-O2-so",  "x86_64-gcc-O2-exe", "x86_64-clang-O1-so",
    "x86_64-clang-O3-exe", "aarch64-gcc-O0-so", "aarch64-gcc-O2-so", "aarch64-gcc-O2-exe",
    "aarch64-clang-Os-so", "i686-gcc-O1-so",    "i686-gcc-O1-exe",   "arm-gcc-O1-so",
    "thumb-gcc-O2-so",     "thumb-gcc-O2-exe",
};
enum { BUILT = sizeof built / sizeof *built };

static const char *const functions[] = {"helper",   "parse",   "classify", "combine",  "reset",
                                        "complain", "operate", "show",     "weigh",    "number",
                                        "field",    "twice",   "thrice",   "limit_of", "_start"};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

struct pair {
    struct program *old, *new;
    struct match *m;
    const char *name;
    bool ignored;
};

static struct program *open_input(const char *name, const char *variant)
{
    char path[4096];
    struct error err = {0};
    snprintf(path, sizeof path, "%s/%s-%s", input_dir, name, variant);
    struct program *p = program_open(path, &(struct program_options){.deep = true}, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

static struct pair compare(const char *name, const char *old, const char *new, bool ignore_names)
{
    struct error err = {0};
    struct pair x = {open_input(name, old), open_input(name, new), NULL, name, ignore_names};
    x.m = match_programs(x.old, x.new, &(struct match_options){.ignore_names = ignore_names}, &err);
    if (!x.m)
        fail_msg("%s", err.text);
    return x;
}

static void drop(struct pair *x)
{
    match_free(x->m);
    program_free(x->old);
    program_free(x->new);
}

static uint64_t address_of(struct program *p, const char *name)
{
    const struct object_symbol *s = object_symbol_by_name(program_object(p), name);
    if (!s)
        fail_msg("no symbol %s", name);
    return s->address & (s->thumb ? ~UINT64_C(1) : ~UINT64_C(0));
}

static const struct match_pair *pair_of(const struct pair *x, const char *name)
{
    const struct match_pair *p = match_function(x->m, address_of(x->old, name));
    if (!p)
        fail_msg("%s: %s is no function", x->name, name);
    return p;
}

/* These index a table in read-only data. Without names nothing tells where it ends, so that what the linker put behind it may
 * be taken for a part of it, and padding for a zero that ends it; and in a program at a fixed address its address in an instruction is a number like others. Either may
 * give a change too many, which is the safe side. */
static bool has_open_table(const struct pair *x, const char *function)
{
    bool indexes = strcmp(function, "limit_of") == 0 || strcmp(function, "weigh") == 0 ||
                   (x->ignored && (strcmp(function, "operate") == 0 || strcmp(function, "show") == 0));
    return indexes && (x->ignored || strstr(x->name, "-exe"));
}

/* Every function but `except` is unchanged and paired with the one of its name. */
static void others_unchanged(const struct pair *x, const char *except)
{
    const struct flow_function *f;
    program_functions(x->new, &f);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (except && strcmp(functions[i], except) == 0)
            continue;
        const struct match_pair *p = pair_of(x, functions[i]);
        if (p->status != MATCH_IDENTICAL && !has_open_table(x, functions[i]))
            fail_msg("%s%s: %s is said to be changed (%d, status %d): %#llx %#llx", x->name,
                     x->ignored ? " without names" : "", functions[i], p->change, p->status,
                     (unsigned long long)p->old_at, (unsigned long long)p->new_at);
        if (f[p->new].address != address_of(x->new, functions[i]))
            fail_msg("%s: %s is paired with %s", x->name, functions[i], f[p->new].name);
    }
}

/* How many of the functions with open tables are said to be changed. */
static size_t open_tables_changed(const struct pair *x)
{
    size_t n = 0;
    for (size_t i = 0; i < FUNCTIONS; i++)
        n += has_open_table(x, functions[i]) && pair_of(x, functions[i])->status != MATCH_IDENTICAL;
    return n;
}

static void one_changed(const char *variant, const char *function, unsigned change)
{
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", variant, !names);
            others_unchanged(&x, function);
            const struct match_pair *p = pair_of(&x, function);
            if (p->status != MATCH_CHANGED || p->change != change)
                fail_msg("%s %s: %s has status %d, change %d", built[i], variant, function, p->status,
                         p->change);
            drop(&x);
        }
}

/* ---- no change ---- */

static void linked_elsewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", "moved", !names);
            /* The number that is a variable's address in one and another's in the other may be either: not
             * shown to be the same. */
            bool fixed = strstr(built[i], "-exe") != NULL;
            others_unchanged(&x, fixed ? "number" : NULL);
            assert_int_not_equal(address_of(x.old, "parse"), address_of(x.new, "parse"));
            const struct match_pair *p = match_function_new(x.m, address_of(x.new, "front"));
            assert_non_null(p);
            assert_int_equal(p->status, MATCH_ADDED);
            assert_int_equal(match_stats(x.m).removed, 0);
            assert_true(match_stats(x.m).changed <= fixed + open_tables_changed(&x));
            drop(&x);
        }
}

static void linked_in_another_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", "swapped", !names);
            others_unchanged(&x, NULL);
            assert_int_equal(match_stats(x.m).added + match_stats(x.m).removed, 0);
            assert_int_equal(match_stats(x.m).changed, open_tables_changed(&x));
            drop(&x);
        }
}

static void renamed(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", "RENAMED", !names);
            const struct flow_function *f;
            program_functions(x.new, &f);
            const struct match_pair *p = pair_of(&x, "helper");
            assert_int_equal(p->status, MATCH_IDENTICAL);
            assert_int_equal(f[p->new].address, address_of(x.new, "assistant"));
            assert_int_equal(match_stats(x.m).added + match_stats(x.m).removed + match_stats(x.m).changed, 0);
            drop(&x);
        }
}

/* ---- one change ---- */

static void constant_changed(void **state)
{
    (void)state;
    one_changed("CONSTANT", "parse", MATCH_CHANGE_CODE);
}

static void callee_changed(void **state)
{
    (void)state;
    one_changed("CALLEE", "combine", MATCH_CHANGE_CALLEE);
}

/* As one_changed, where compilers differ in how the change shows. */
static void one_changed_somehow(const char *variant, const char *function)
{
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", variant, !names);
            others_unchanged(&x, function);
            if (pair_of(&x, function)->status != MATCH_CHANGED)
                fail_msg("%s %s, names %d: %s is said to be unchanged", built[i], variant, names, function);
            drop(&x);
        }
}

static void variable_changed(void **state)
{
    (void)state;
    one_changed_somehow("VARIABLE", "reset");
}

static void numbers_are_not_addresses(void **state)
{
    (void)state;
    one_changed_somehow("NUMBER", "number");
    one_changed_somehow("FIELD", "field");
}

static void string_changed(void **state)
{
    (void)state;
    one_changed("STRING", "complain", MATCH_CHANGE_DATA);
}

static void table_changed(void **state)
{
    (void)state;
    one_changed_somehow("TABLE", "weigh");
}

static void function_added(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", "ADDED", !names);
            others_unchanged(&x, NULL);
            const struct match_pair *p = match_function_new(x.m, address_of(x.new, "extra"));
            assert_int_equal(p->status, MATCH_ADDED);
            struct match_stats s = match_stats(x.m);
            /* On i386 it brings another helper that reads the program counter. */
            if (s.added < 1 || s.added > 1 + (strncmp(built[i], "i686", 4) == 0) || s.removed || s.changed != open_tables_changed(&x))
                fail_msg("%s, names %d: %zu added, %zu removed, %zu changed", built[i], names, s.added,
                         s.removed, s.changed);
            drop(&x);
        }
}

static void function_removed(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", "REMOVED", !names);
            others_unchanged(&x, NULL);
            assert_int_equal(pair_of(&x, "unused_one")->status, MATCH_REMOVED);
            struct match_stats s = match_stats(x.m);
            assert_int_equal(s.removed, 1);
            assert_int_equal(s.added, 0);
            assert_int_equal(s.changed, open_tables_changed(&x));
            drop(&x);
        }
}

/* ---- blocks ---- */

static void blocks_of_a_changed_function(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++) {
        struct pair x = compare(built[i], "base", "CONSTANT", true);
        const struct match_pair *p = pair_of(&x, "parse");
        const struct match_blocks *b = match_blocks(x.m, p->old, p->new);
        uint32_t changed = 0;
        assert_true(b->nold > 2);
        assert_int_equal(b->nold, b->nnew);
        assert_int_equal(b->new_of_old[0], 0);
        for (uint32_t k = 0; k < b->nold; k++) {
            assert_int_not_equal(b->new_of_old[k], MATCH_NONE);
            assert_int_equal(b->old_of_new[b->new_of_old[k]], k);
            changed += b->old_status[k] == MATCH_BLOCK_CHANGED;
        }
        assert_int_equal(changed, 1); /* the comparison */
        drop(&x);
    }
}

static void blocks_of_a_moved_function(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++) {
        struct pair x = compare(built[i], "base", "moved", false);
        for (size_t f = 0; f < FUNCTIONS; f++) {
            if (strcmp(functions[f], "number") == 0)
                continue;
            const struct match_pair *p = pair_of(&x, functions[f]);
            const struct match_blocks *b = match_blocks(x.m, p->old, p->new);
            assert_int_equal(b->nold, b->nnew);
            for (uint32_t k = 0; k < b->nold; k++)
                if (b->old_status[k] != MATCH_BLOCK_IDENTICAL || b->new_of_old[k] != k)
                    fail_msg("%s: block %u of %s", built[i], k, functions[f]);
        }
        drop(&x);
    }
}

/* ---- data ---- */

static void data_is_paired(void **state)
{
    (void)state;
    static const char *const variables[] = {"counter", "total"};
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", "moved", !names);
            for (size_t k = 0; k < 2; k++) {
                uint64_t to = 0, back = 0, from = address_of(x.old, variables[k]),
                         want = address_of(x.new, variables[k]);
                unsigned why = 0;
                if (!match_data(x.m, from, &to, &why) || to != want)
                    fail_msg("%s: %s is at %#llx, not %#llx", built[i], variables[k],
                             (unsigned long long)want, (unsigned long long)to);
                assert_true(names ? why == MATCH_BY_NAME : why == MATCH_BY_USE || why == MATCH_BY_ORDER);
                assert_true(match_data_back(x.m, want, &back, NULL));
                assert_int_equal(back, from);
                assert_true(match_same_address(x.m, from, want));
                assert_false(match_same_address(x.m, from, address_of(x.new, variables[!k])));
            }
            drop(&x);
        }
}

static void imports_are_paired_by_name(void **state)
{
    (void)state;
    struct pair x = compare("x86_64-gcc-O2-so", "base", "moved", true);
    const struct object_stub *s;
    size_t n = object_stubs(program_object(x.old), &s), seen = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t to = 0;
        if (!s[i].name || strcmp(s[i].name, "puts") != 0)
            continue;
        seen++;
        assert_true(match_data(x.m, s[i].address, &to, NULL));
        assert_string_equal(object_stub_at(program_object(x.new), to)->name, "puts");
    }
    assert_true(seen > 0);
    drop(&x);
}

static void changed_data_is_listed(void **state)
{
    (void)state;
    struct pair x = compare("x86_64-gcc-O2-so", "base", "TABLE", false);
    const struct match_datum *d;
    assert_int_equal(match_data_changes(x.m, &d), 1);
    assert_string_equal(d[0].name, "weight");
    assert_false(d[0].writable);
    drop(&x);
    x = compare("x86_64-gcc-O2-so", "base", "moved", false);
    assert_int_equal(match_data_changes(x.m, &d), 0);
    drop(&x);
}

/* ---- the rest ---- */

static void itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++)
        for (int names = 0; names < 2; names++) {
            struct pair x = compare(built[i], "base", "base", !names);
            others_unchanged(&x, NULL);
            assert_int_equal(match_stats(x.m).identical, match_stats(x.m).functions_old);
            drop(&x);
        }
}

static void assert_same(const struct match *x, const struct match *y)
{
    const struct match_pair *a, *b;
    size_t n = match_pairs(x, &a);
    assert_int_equal(n, match_pairs(y, &b));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a[i].old, b[i].old);
        assert_int_equal(a[i].new, b[i].new);
        assert_int_equal(a[i].status, b[i].status);
        assert_int_equal(a[i].reasons, b[i].reasons);
        assert_true(a[i].sure == b[i].sure);
    }
}

static void same_answer_twice(void **state)
{
    (void)state;
    struct pair x = compare("aarch64-gcc-O2-so", "base", "CONSTANT", true),
                y = compare("aarch64-gcc-O2-so", "base", "CONSTANT", true);
    assert_same(x.m, y.m);
    drop(&x);
    drop(&y);
}

/* A match that is made from one with another number in the same function gives the same answer as a new one;
 * none is made where something else differs, too, or the function is not known to have changed. */
static void same_answer_with_another_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILT; i++) {
        struct pair x = compare(built[i], "base", "CONSTANT", false),
                    y = compare(built[i], "base", "ANOTHER", false);
        struct match *m = match_like(x.m, y.new);
        if (!m)
            fail_msg("%s: no match was made", built[i]);
        assert_same(y.m, m);
        assert_ptr_equal(match_program(m, true), y.new);
        const struct flow_function *f;
        const size_t n = program_functions(y.old, &f);
        for (size_t k = 0; k < n; k++) {
            uint64_t ref[2][64];
            const size_t count = match_references(y.m, false, (uint32_t)k, ref[0], 64);
            assert_int_equal(match_references(m, false, (uint32_t)k, ref[1], 64), count);
            for (size_t r = 0; r < count && r < 64; r++) {
                uint64_t to[2] = {0, 0};
                const bool there = match_data(y.m, ref[0][r], &to[0], NULL);
                assert_int_equal(match_data(m, ref[0][r], &to[1], NULL), there);
                assert_int_equal(to[0], to[1]);
            }
        }
        const struct match_pair *p = match_function(m, address_of(y.old, "parse"));
        const struct match_blocks *b = match_blocks(m, p->old, p->new),
                                  *c = match_blocks(y.m, p->old, p->new);
        assert_int_equal(p->status, MATCH_CHANGED);
        assert_int_equal(b->nnew, c->nnew);
        assert_memory_equal(b->new_status, c->new_status, c->nnew);
        assert_null(match_like(m, x.old)); /* nothing has changed there */
        static const char *const other[] = {"CALLEE", "STRING", "TABLE", "ADDED", "moved"};
        for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
            struct program *p2 = open_input(built[i], other[k]);
            assert_null(match_like(x.m, p2));
            program_free(p2);
        }
        match_free(m);
        drop(&y);
        drop(&x);
    }
}

/* What was read of the old program for another match gives the same answer as reading it anew. */
static void same_answer_with_what_was_read(void **state)
{
    (void)state;
    struct error err = {0};
    for (size_t i = 0; i < BUILT; i++) {
        struct pair x = compare(built[i], "base", "VARIABLE", false),
                    y = compare(built[i], "base", "STRING", false);
        struct match *m = match_programs(x.old, y.new, &(struct match_options){.like = x.m}, &err);
        assert_non_null(m);
        assert_same(y.m, m);
        match_free(m);
        drop(&x);
        drop(&y);
    }
}

static void other_processors_are_refused(void **state)
{
    (void)state;
    struct error err = {0};
    struct program *a = open_input("x86_64-gcc-O2-so", "base"), *b = open_input("aarch64-gcc-O2-so", "base");
    assert_null(match_programs(a, b, NULL, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.text, "aarch64"));
    program_free(a);
    program_free(b);
}

static void reasons_are_told(void **state)
{
    (void)state;
    char text[128];
    assert_string_equal(match_reasons_text(MATCH_BY_NAME | MATCH_BY_CODE, text, sizeof text),
                        "name, identical code");
    assert_string_equal(match_reasons_text(0, text, sizeof text), "");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    input_dir = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(itself),
        cmocka_unit_test(linked_elsewhere),
        cmocka_unit_test(linked_in_another_order),
        cmocka_unit_test(renamed),
        cmocka_unit_test(constant_changed),
        cmocka_unit_test(callee_changed),
        cmocka_unit_test(variable_changed),
        cmocka_unit_test(numbers_are_not_addresses),
        cmocka_unit_test(string_changed),
        cmocka_unit_test(table_changed),
        cmocka_unit_test(function_added),
        cmocka_unit_test(function_removed),
        cmocka_unit_test(blocks_of_a_changed_function),
        cmocka_unit_test(blocks_of_a_moved_function),
        cmocka_unit_test(data_is_paired),
        cmocka_unit_test(imports_are_paired_by_name),
        cmocka_unit_test(changed_data_is_listed),
        cmocka_unit_test(same_answer_twice),
        cmocka_unit_test(same_answer_with_what_was_read),
        cmocka_unit_test(same_answer_with_another_number),
        cmocka_unit_test(other_processors_are_refused),
        cmocka_unit_test(reasons_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
