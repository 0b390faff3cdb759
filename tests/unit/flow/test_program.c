/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of programs with and without symbols: test_program ARCH-named ARCH-stripped ... */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flow/flow.h"
#include "flow/library.h"

static char **files;
static int nfiles;

static struct program *open_file(const char *path, bool deep)
{
    struct error err = {0};
    struct program_options opt = {.deep = deep};
    struct program *p = program_open(path, &opt, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

static const char *named_file(void)
{
    for (int i = 0; i < nfiles; i++) {
        if (strstr(files[i], "-named"))
            return files[i];
    }
    skip();
    return NULL;
}

static void functions_are_found_by_name_and_address(void **state)
{
    (void)state;
    struct program *p = open_file(named_file(), false);
    struct error err = {0};
    const struct flow_function *f = program_function(p, "dense", &err);
    assert_non_null(f);
    assert_string_equal(f->name, "dense");
    assert_true(f->named && f->sources & BOUND_SYMBOL);
    char spec[32];
    snprintf(spec, sizeof spec, "0x%" PRIx64, f->address);
    assert_ptr_equal(program_function(p, spec, &err), f);
    assert_ptr_equal(program_function_covering(p, f->address + f->size - 1), f);
    char text[64];
    assert_string_equal(program_describe(p, f->address, text, sizeof text), "dense");
    assert_string_equal(program_describe(p, f->address + 4, text, sizeof text), "dense+0x4");
    assert_null(program_describe(p, 1, text, sizeof text));
    program_free(p);
}

static void mistyped_names_get_suggestions(void **state)
{
    (void)state;
    struct program *p = open_file(named_file(), false);
    struct error err = {0};
    assert_null(program_function(p, "desne", &err));
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_non_null(strstr(err.text, "did you mean dense?"));
    assert_null(program_function(p, "nothing_like_it", &err));
    assert_null(strstr(err.text, "did you mean"));
    assert_null(program_function(p, "0x1", &err));
    assert_non_null(strstr(err.text, "no function starts at 0x1"));
    program_free(p);
}

/* The unlikely path of rarely() is a function of its own in the tables, and a part of rarely() here. */
static void cold_parts_belong_to_their_function(void **state)
{
    (void)state;
    for (int i = 0; i < nfiles; i++) {
        struct program *p = open_file(files[i], true);
        const struct flow_function *f;
        size_t n = program_functions(p, &f);
        unsigned parts = 0;
        for (size_t j = 0; j < n; j++) {
            if (!(f[j].flags & FLOW_PART))
                continue;
            assert_true(f[j].parent < n);
            if (strstr(files[i], "-named") && strcmp(f[j].name, "rarely.cold") == 0)
                assert_string_equal(f[f[j].parent].name, "rarely");
            else if (strstr(files[i], "-named"))
                continue; /* those that only return */
            parts++;
            const struct flow_graph *g = flow_graph(p, &f[f[j].parent]);
            bool inside = false;
            for (uint32_t b = 0; b < g->nblocks; b++)
                inside = inside || g->block[b].label == f[j].address;
            assert_true(inside);
            assert_int_equal(g->nproblems, 0);
        }
        assert_true(parts >= 1);
        program_free(p);
    }
}

/* Every function that the symbols name is found without them, with the same graph. */
static void stripped_programs_have_the_same_functions(void **state)
{
    (void)state;
    for (int i = 0; i + 1 < nfiles; i += 2) {
        struct program *a = open_file(files[i], true), *b = open_file(files[i + 1], true);
        const struct flow_function *f;
        size_t n = program_functions(a, &f);
        assert_true(n > 20);
        for (size_t j = 0; j < n; j++) {
            const struct flow_function *g = program_function_at(b, f[j].address);
            assert_non_null(g);
            /* A part that does not come back cannot be told from a tail call without its name. */
            if (strncmp(f[j].name, "machine", 7) == 0 || strncmp(f[j].name, "wide", 4) == 0)
                continue;
            assert_int_equal(f[j].flags & FLOW_PART, g->flags & FLOW_PART);
            const struct flow_graph *x = flow_graph(a, &f[j]), *y = flow_graph(b, g);
            assert_int_equal(x->nblocks, y->nblocks);
            assert_int_equal(x->nedges, y->nedges);
            assert_int_equal(x->ncalls, y->ncalls);
            assert_int_equal(x->noreturn, y->noreturn);
        }
        program_free(a);
        program_free(b);
    }
}

static size_t progress_done, progress_total;

static void progress(void *ctx, size_t done, size_t total)
{
    (void)ctx;
    progress_done = done;
    progress_total = total;
}

static void all_graphs_can_be_counted_and_dropped(void **state)
{
    (void)state;
    struct program *p = open_file(named_file(), false);
    assert_int_equal(program_flow_stats(p).graphs, 0);
    flow_analyse_all(p, progress, NULL);
    struct flow_stats s = program_flow_stats(p);
    const struct flow_function *f;
    size_t n = program_functions(p, &f);
    assert_int_equal(progress_done, progress_total);
    assert_int_equal(s.functions, n);
    assert_true(s.blocks > 100 && s.instructions > s.blocks && s.tables >= 1);
    assert_int_equal(s.unresolved, 0);
    uint32_t blocks = flow_graph(p, &f[n - 1])->nblocks;
    flow_drop(p, &f[n - 1]);
    assert_int_equal(flow_graph(p, &f[n - 1])->nblocks, blocks);
    assert_non_null(flow_library_find(program_library(p), "malloc"));
    program_free(p);
}

static void what_is_no_program_is_an_error(void **state)
{
    (void)state;
    struct error err = {0};
    assert_null(program_open("/nonexistent/program", NULL, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.text, "/nonexistent/program"));
    struct program_options opt = {.data_dir = "/nonexistent"};
    assert_null(program_open(named_file(), &opt, &err));
    assert_non_null(strstr(err.text, "/nonexistent/prototypes.txt"));
}

int main(int argc, char **argv)
{
    files = argv + 1;
    nfiles = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_found_by_name_and_address),
        cmocka_unit_test(mistyped_names_get_suggestions),
        cmocka_unit_test(cold_parts_belong_to_their_function),
        cmocka_unit_test(stripped_programs_have_the_same_functions),
        cmocka_unit_test(all_graphs_can_be_counted_and_dropped),
        cmocka_unit_test(what_is_no_program_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
