/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What functions of a few instructions, an idiom of compilers each, show of what they pass, take and return:
 * test_abi AMD64 I386 ARM ARM64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flow/abi/abi.h"

enum { AMD64, I386, ARM, ARM64, FILES };
static struct program *programs[FILES];

static const struct flow_function *find(int file, const char *name)
{
    struct error err = {0};
    const struct flow_function *f = program_function(programs[file], name, &err);
    if (!f)
        fail_msg("%s", err.text);
    return f;
}

/* The function, and its only call of g. */
static struct abi *begin(int file, const char *name, uint64_t *site)
{
    struct abi *abi = abi_new(programs[file], find(file, name));
    const struct flow_graph *g = flow_graph(programs[file], find(file, name));
    for (uint32_t i = 0; site && i < g->ncalls; i++)
        if (g->call[i].name && strcmp(g->call[i].name, "g") == 0) {
            *site = g->call[i].site;
            assert_ptr_equal(abi_call_at(abi, *site), &g->call[i]);
            return abi;
        }
    if (site)
        fail_msg("%s does not call g", name);
    return abi;
}

/* ---- arguments in registers ---- */

static const struct {
    int file;
    const char *function;
    unsigned argument;
    enum abi_evidence set, free;
} arguments[] = {
    {AMD64, "surely_set", 0, ABI_COPY, ABI_NO_EVIDENCE},
    {AMD64, "surely_set", 1, ABI_CONSTANT, ABI_NO_EVIDENCE},
    {AMD64, "surely_set", 2, ABI_VALUE, ABI_NO_EVIDENCE},
    {AMD64, "surely_set", 3, ABI_UNTOUCHED, ABI_NO_EVIDENCE},
    {AMD64, "also_stored", 0, ABI_STILL_USED, ABI_NO_EVIDENCE},
    {AMD64, "also_stored", 1, ABI_VALUE_USED, ABI_NO_EVIDENCE},
    {AMD64, "remainder_beside_quotient", 1, ABI_STILL_USED, ABI_NO_EVIDENCE},
    {AMD64, "remainder_beside_quotient", 2, ABI_REMAINDER, ABI_NO_EVIDENCE},
    {AMD64, "divided_by_number", 3, ABI_DIVISOR, ABI_NO_EVIDENCE},
    {AMD64, "clobbered_by_callee", 0, ABI_COPY, ABI_NO_EVIDENCE},
    {AMD64, "clobbered_by_callee", 1, ABI_CALLEE_LEFT, ABI_CALLEE_LEFT},
    {AMD64, "left_on_one_path", 1, ABI_PATHS_DIFFER, ABI_CALLEE_LEFT},
    {AMD64, "overflow_product", 0, ABI_COPY, ABI_NO_EVIDENCE},
    {AMD64, "overflow_product", 2, ABI_VALUE_SPLIT, ABI_OVERFLOW_PRODUCT},
    {AMD64, "product_passed", 2, ABI_VALUE_SPLIT, ABI_NO_EVIDENCE},
    {AMD64, "loop_bound", 1, ABI_LOOP_BOUND, ABI_NO_EVIDENCE},
    {AMD64, "unoptimised", 0, ABI_VALUE, ABI_NO_EVIDENCE},
    {AMD64, "unoptimised", 1, ABI_USED_UP, ABI_USED_UP},
    {ARM, "saved_with_return", 0, ABI_UNTOUCHED, ABI_NO_EVIDENCE},
    {ARM, "saved_with_return", 1, ABI_CONSTANT, ABI_NO_EVIDENCE},
    {ARM, "saved_with_return", 3, ABI_UNTOUCHED, ABI_NO_EVIDENCE},
    {ARM, "overflow_half", 0, ABI_VALUE, ABI_NO_EVIDENCE},
    {ARM, "overflow_half", 2, ABI_VALUE_SPLIT, ABI_OVERFLOW_LOWER},
    {ARM, "clobbered_by_callee", 2, ABI_CALLEE_LEFT, ABI_CALLEE_LEFT},
    {ARM64, "guard_wiped", 2, ABI_CONSTANT_WIPED, ABI_NO_EVIDENCE},
    {ARM64, "kept_over_call", 1, ABI_OVER_CALL, ABI_NO_EVIDENCE},
    {ARM64, "surely_set", 0, ABI_COPY, ABI_NO_EVIDENCE},
    {ARM64, "surely_set", 1, ABI_CONSTANT, ABI_NO_EVIDENCE},
    {ARM64, "surely_set", 2, ABI_VALUE, ABI_NO_EVIDENCE},
    {ARM64, "surely_set", 3, ABI_UNTOUCHED, ABI_NO_EVIDENCE},
    {ARM64, "clobbered_by_callee", 0, ABI_COPY, ABI_NO_EVIDENCE},
    {ARM64, "clobbered_by_callee", 4, ABI_CALLEE_LEFT, ABI_CALLEE_LEFT},
};

static void test_arguments(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        uint64_t site;
        struct abi *abi = begin(arguments[i].file, arguments[i].function, &site);
        struct abi_answer is = abi_argument(abi, site, arguments[i].argument);
        enum abi_evidence free = abi_free_register(abi, site, arguments[i].argument, 3);
        if (is.why != arguments[i].set || is.set != abi_evidence_set(is.why) || free != arguments[i].free)
            fail_msg("%d: %s, argument %u: \"%s\", free as \"%s\"", arguments[i].file, arguments[i].function,
                     arguments[i].argument, abi_evidence_text(is.why), abi_evidence_text(free));
        abi_free(abi);
    }
}

static void test_how_many(void **state)
{
    (void)state;
    static const struct {
        int file;
        const char *function;
        unsigned most;
    } calls[] = {
        {AMD64, "surely_set", 3},       {AMD64, "clobbered_by_callee", 1}, {AMD64, "left_on_one_path", 1},
        {AMD64, "overflow_product", 2}, {AMD64, "product_passed", 3},      {AMD64, "loop_bound", 2},
        {AMD64, "unoptimised", 1},      {ARM64, "surely_set", 3},          {ARM64, "clobbered_by_callee", 1}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        uint64_t site;
        struct abi *abi = begin(calls[i].file, calls[i].function, &site);
        if (abi_passed(abi, site) != calls[i].most)
            fail_msg("%s: %u arguments", calls[i].function, abi_passed(abi, site));
        assert_int_equal(abi_argument(abi, 0, 0).why, ABI_NOT_SEEN);
        abi_free(abi);
    }
}

/* What a library says is not believed where the code surely passes more. */
static void test_more(void **state)
{
    (void)state;
    uint64_t site;
    struct abi *abi = begin(AMD64, "surely_set", &site);
    assert_true(abi_passes_more(abi, "g", &(struct flow_takes){.nargs = 2}));
    assert_false(abi_passes_more(abi, "g", &(struct flow_takes){.nargs = 3}));
    assert_false(abi_passes_more(abi, "other", &(struct flow_takes){.nargs = 0}));
    abi_free(abi);
    abi = begin(I386, "pushed_register", &site);
    assert_true(abi_passes_more(abi, "g", &(struct flow_takes){.nargs = 0}));
    assert_false(abi_passes_more(abi, "g", &(struct flow_takes){.nargs = 1}));
    abi_free(abi);
}

/* ---- parameters ---- */

static void test_parameters(void **state)
{
    (void)state;
    static const struct {
        int file;
        const char *function;
        unsigned n;
    } of[] = {{AMD64, "surely_set", 0},
              {AMD64, "product_passed", 2},
              {ARM, "saved_with_return", 0},
              {ARM, "overflow_half", 2},
              {ARM64, "clobbered_by_callee", 1}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct abi *abi = begin(of[i].file, of[i].function, NULL);
        if (abi_nparams(abi) != of[i].n || abi_is_declared(abi))
            fail_msg("%s: %u parameters", of[i].function, abi_nparams(abi));
        assert_false(abi_spills_parameters(abi));
        assert_false(abi_is_unoptimised(abi));
        abi_free(abi);
    }
}

static void test_unoptimised(void **state)
{
    (void)state;
    struct abi *abi = begin(AMD64, "unoptimised", NULL);
    assert_int_equal(abi_nparams(abi), 2);
    assert_true(abi_spills_parameters(abi));
    assert_true(abi_is_unoptimised(abi));
    /* Words that begin at these offsets from the stack pointer at entry. */
    assert_int_equal(abi_frame_word(abi, -16, 0), ABI_HOME);
    assert_int_equal(abi_frame_word(abi, -32, 0), ABI_NO_EVIDENCE);
    abi_free(abi);
}

/* ---- words of the stack ---- */

static void test_padding(void **state)
{
    (void)state;
    uint64_t site;
    struct abi *abi = begin(I386, "pushed_register", &site);
    assert_int_equal(abi_word(abi, site, 0).why, ABI_STORED);
    assert_int_equal(abi_word(abi, site, 0).set, ABI_SURE);
    assert_int_equal(abi_word(abi, site, 3).why, ABI_ALIGNMENT);
    assert_int_equal(abi_word(abi, site, 3).set, ABI_LIKELY);
    assert_true(abi_sets_word(abi, site, 0));
    assert_false(abi_sets_word(abi, site, 1));
    /* What was loaded may well be passed three times; a number would be pushed as such. */
    assert_false(abi_words_align(abi, site, 1, 4));
    abi_free(abi);
    abi = begin(I386, "pushed_number", &site);
    assert_true(abi_words_align(abi, site, 1, 4));
    assert_false(abi_words_align(abi, site, 0, 4));
    assert_false(abi_stack_is_irregular(abi));
    abi_free(abi);
}

/* The address of the last instruction but one, which takes a word off the stack. */
static void test_pops(void **state)
{
    (void)state;
    uint64_t site;
    struct abi *abi = begin(I386, "pops", &site);
    const struct flow_graph *g = flow_graph(programs[I386], find(I386, "pops"));
    const struct ir_block *last = &g->block[g->nblocks - 1];
    assert_true(abi_pops(abi, last->mark[0].address));
    assert_false(abi_pops(abi, g->block[0].mark[1].address));
    abi_free(abi);
}

static void test_saved_with_return(void **state)
{
    (void)state;
    struct abi *abi = begin(ARM, "saved_with_return", NULL);
    const struct flow_function *f = find(ARM, "saved_with_return");
    assert_int_equal(abi_frame_word(abi, -8, f->address), ABI_SAVED_WITH_RETURN);
    assert_int_equal(abi_frame_word(abi, -8, f->address + 4), ABI_NO_EVIDENCE);
    abi_free(abi);
}

/* ---- results ---- */

static void test_results(void **state)
{
    (void)state;
    static const struct {
        int file;
        const char *function;
        unsigned registers;
    } of[] = {{AMD64, "one_result", 1}, {AMD64, "two_results", 2}, {AMD64, "no_result", 0},
              {I386, "no_result", 0},   {ARM, "two_results", 2},   {ARM64, "two_results", 2},
              {ARM64, "no_result", 0}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct ir_machine *m = program_machine(programs[of[i].file]);
        struct abi *abi = begin(of[i].file, of[i].function, NULL);
        bool first = abi_sets_result(abi, m->ret, 32, true), second = abi_sets_result(abi, m->ret2, 32, true);
        if (first != (of[i].registers > 0) || second != (of[i].registers > 1) ||
            abi_sets_result_somewhere(abi) != first)
            fail_msg("%s: %d %d", of[i].function, first, second);
        assert_int_equal(abi_may_return(abi), first);
        abi_free(abi);
    }
}

static void test_leaves_result(void **state)
{
    (void)state;
    uint32_t entry = 0;
    struct abi *abi = begin(AMD64, "no_result", NULL);
    assert_true(abi_leaves_result(abi, &entry, 1, true));
    abi_free(abi);
    /* On ARM the first parameter comes in the register of results, and may be handed back. */
    abi = begin(ARM64, "no_result", NULL);
    assert_false(abi_leaves_result(abi, &entry, 1, true));
    abi_free(abi);
    abi = begin(AMD64, "one_result", NULL);
    assert_false(abi_leaves_result(abi, &entry, 1, false));
    abi_free(abi);
}

/* ---- all calls ---- */

static void test_sites(void **state)
{
    (void)state;
    const struct ir_machine *m = program_machine(programs[AMD64]);
    struct abi_sites all = abi_sites_begin(m);
    abi_sites_add(&all, programs[AMD64], find(AMD64, "surely_set"), "g", (const uint64_t[]){0}, 0);
    assert_int_equal(all.most, m->nargs);
    uint64_t site, target;
    struct abi *abi = begin(AMD64, "clobbered_by_callee", &site);
    target = abi_call_at(abi, site)->target;
    abi_free(abi);
    all = abi_sites_begin(m);
    abi_sites_add(&all, programs[AMD64], find(AMD64, "clobbered_by_callee"), "g", &target, 1);
    abi_sites_conclude(&all, m);
    assert_int_equal(all.most, 1);
    assert_int_equal(all.sure, 1);
    assert_true(all.fixed);
    /* Another call surely passes more: then it is no function of a fixed number of arguments. */
    abi_sites_add(&all, programs[AMD64], find(AMD64, "surely_set"), "g", &target, 1);
    abi_sites_conclude(&all, m);
    assert_int_equal(all.sure, 3);
    assert_false(all.fixed);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),   cmocka_unit_test(test_how_many),
        cmocka_unit_test(test_more),        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_unoptimised), cmocka_unit_test(test_padding),
        cmocka_unit_test(test_pops),        cmocka_unit_test(test_saved_with_return),
        cmocka_unit_test(test_results),     cmocka_unit_test(test_leaves_result),
        cmocka_unit_test(test_sites),
    };
    struct error err = {0};
    for (int i = 0; i < FILES && i + 1 < argc; i++)
        if (!(programs[i] = program_open(argv[i + 1], NULL, &err)))
            return 2;
    int failed = argc == FILES + 1 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
    for (int i = 0; i < FILES; i++)
        program_free(programs[i]);
    return failed;
}
