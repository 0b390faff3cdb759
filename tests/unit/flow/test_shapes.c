/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shapes.c as compilers turn it into code for each instruction set: test_shapes ARCH-COMPILER-LEVEL-MODEL...
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flow/flow.h"

static char **files;
static int nfiles;

struct subject {
    struct program *p;
    const char *file; /* base name */
    bool gcc, optimised, size;
    enum machine_arch arch;
};

static struct subject open_subject(const char *path)
{
    struct error err = {0};
    struct subject s = {.p = program_open(path, NULL, &err)};
    if (!s.p)
        fail_msg("%s", err.text);
    const char *slash = strrchr(path, '/');
    s.file = slash ? slash + 1 : path;
    s.gcc = strstr(s.file, "-gcc-") != NULL;
    s.optimised = strstr(s.file, "-O0-") == NULL;
    s.size = strstr(s.file, "-Os-") != NULL;
    s.arch = program_machine(s.p)->arch;
    return s;
}

static const struct flow_function *function(struct subject *s, const char *name)
{
    struct error err = {0};
    const struct flow_function *f = program_function(s->p, name, &err);
    if (!f)
        fail_msg("%s: %s", s->file, err.text);
    return f;
}

static const struct flow_graph *graph(struct subject *s, const char *name)
{
    return flow_graph(s->p, function(s, name));
}

static void expect(bool holds, const struct subject *s, const char *name, const char *what)
{
    if (!holds)
        fail_msg("%s: %s: %s", s->file, name, what);
}

static unsigned switch_targets(const struct flow_graph *g, uint32_t block)
{
    unsigned n = 0;
    for (uint32_t i = g->first_edge[block]; i < g->first_edge[block + 1]; i++)
        n += g->edge[i].kind == EDGE_SWITCH;
    return n;
}

/* gcc for AArch64 compares for fewer than 17 arms, and newer clangs do without optimisation: then there is no computed
 * jump at all. */
static bool compares(const struct subject *s, const struct flow_graph *g)
{
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (g->block[i].end.kind == IR_END_JUMP && g->block[i].end.label == IR_NO_LABEL)
            return false;
    return s->arch == MACHINE_ARM64 && g->ntables == 0;
}

/* A single table with this many entries and distinct destinations. */
static void expect_table(struct subject *s, const char *name, uint32_t entries, unsigned targets,
                         uint64_t first)
{
    const struct flow_graph *g = graph(s, name);
    expect(g->nproblems == 0, s, name, g->nproblems ? g->problem[0].text : "");
    if (compares(s, g) && (entries < 17 || !s->gcc))
        return;
    expect(g->ntables == 1, s, name, "one table expected");
    expect(g->table[0].entries == entries, s, name, "wrong number of entries");
    /* gcc for ARM jumps into a row of branches: one target an entry. */
    unsigned n = switch_targets(g, g->table[0].block);
    expect(n == targets || (s->arch == MACHINE_ARM && s->gcc && n == entries), s, name,
           "wrong number of targets");
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < g->nedges; i++) {
        if (g->edge[i].kind == EDGE_SWITCH && g->edge[i].value < least)
            least = g->edge[i].value;
    }
    /* Compilers may subtract the first case before they compare. */
    expect(least == first || least == 0, s, name, "wrong selector values");
}

static const struct flow_call *call_to(const struct flow_graph *g, const char *name)
{
    for (uint32_t i = 0; i < g->ncalls; i++) {
        /* lld reaches far functions of the other instruction set through "__...Thunk_NAME". */
        const char *n = g->call[i].name, *thunk = n ? strstr(n, "Thunk_") : NULL;
        if (n && strcmp(thunk ? thunk + 6 : n, name) == 0)
            return &g->call[i];
    }
    return NULL;
}

static unsigned indirect_calls(const struct flow_graph *g)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < g->ncalls; i++)
        n += g->call[i].kind == CALL_INDIRECT || g->call[i].kind == CALL_TAIL_INDIRECT;
    return n;
}

#define FOR_EACH_SUBJECT(s)                                                                                  \
    for (int file_ = 0; file_ < nfiles; file_++)                                                             \
        for (struct subject s = open_subject(files[file_]); s.p; program_free(s.p), s.p = NULL)

static void switches_have_exactly_their_targets(void **state)
{
    (void)state;
    FOR_EACH_SUBJECT(s)
    {
        expect_table(&s, "dense", 8, 8, 0);
        expect_table(&s, "holes", 13, 10, 20);
        expect_table(&s, "bytes", 7, 7, 'a');
        expect_table(&s, "machine", 6, 6, 0);
        expect_table(&s, "wide", 24, 24, 0);
        if (s.arch == MACHINE_AMD64) {
            expect_table(&s, "read_again", 4, 4, 0);
            expect_table(&s, "kept_byte", 7, 7, 0);
            expect_table(&s, "kept_short", 7, 7, 0);
        }
    }
}

static void switches_nest(void **state)
{
    (void)state;
    FOR_EACH_SUBJECT(s)
    {
        const struct flow_graph *g = graph(&s, "nested");
        expect(g->nproblems == 0, &s, "nested", "problems");
        if (compares(&s, g))
            continue;
        expect(g->ntables == 2, &s, "nested", "two tables expected");
        for (unsigned i = 0; i < 2; i++)
            expect(g->table[i].entries == 6 || g->table[i].entries == 7, &s, "nested",
                   "wrong number of entries");
    }
}

static void what_never_returns_ends_its_block(void **state)
{
    (void)state;
    FOR_EACH_SUBJECT(s)
    {
        expect(graph(&s, "stop")->noreturn, &s, "stop", "returns");
        expect(graph(&s, "stop_wrapper")->noreturn, &s, "stop_wrapper", "returns");
        expect(flow_noreturn(s.p, function(&s, "stop_wrapper")->address), &s, "stop_wrapper", "returns");
        expect(!flow_noreturn(s.p, function(&s, "check")->address), &s, "check", "does not return");
        const struct flow_graph *g = graph(&s, "check");
        const struct flow_call *c = call_to(g, "stop_wrapper");
        expect(g->nproblems == 0, &s, "check", "problems");
        expect(c && c->noreturn, &s, "check", "its call of stop_wrapper returns");
        expect(g->first_edge[c->block] == g->first_edge[c->block + 1], &s, "check",
               "the block goes on behind the call");
    }
}

static void tail_calls_are_calls(void **state)
{
    (void)state;
    FOR_EACH_SUBJECT(s)
    {
        const struct flow_graph *g = graph(&s, "tail");
        const struct flow_call *c = call_to(g, "tail_target");
        expect(c != NULL && g->nproblems == 0, &s, "tail", "no call of tail_target");
        /* Not every compiler does it where arguments are on the stack, or at the first level. */
        if (s.optimised && s.arch != MACHINE_X86 && !strstr(s.file, "-O1-"))
            expect(c->kind == CALL_TAIL, &s, "tail", "not a tail call");
        else if (!s.optimised)
            expect(c->kind == CALL_DIRECT || c->kind == CALL_STUB, &s, "tail", "not a plain call");
        g = graph(&s, "maybe_tail");
        expect(call_to(g, "tail_target") != NULL && g->nproblems == 0 && !g->noreturn, &s, "maybe_tail",
               "no call");
        g = graph(&s, "dispatch");
        expect(g->nproblems == 0 && indirect_calls(g) == 1, &s, "dispatch", "one indirect call expected");
        g = graph(&s, "by_pointer");
        expect(g->nproblems == 0 && indirect_calls(g) == 1, &s, "by_pointer", "one indirect call expected");
    }
}

static void prototypes_come_from_the_code(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int nargs;
    } takes[] = {{"many_arguments", 8}, {"dense", 3},  {"check", 2}, {"recurse", 1},
                 {"no_result", 2},      {"nested", 4}, {"entry", 0}};
    FOR_EACH_SUBJECT(s)
    {
        for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
            struct flow_prototype p = flow_prototype(s.p, function(&s, takes[i].name));
            expect(p.source == PROTO_CODE, &s, takes[i].name, "its prototype is not from the code");
            if (p.nargs != takes[i].nargs)
                fail_msg("%s: %s: %d arguments, not %d", s.file, takes[i].name, p.nargs, takes[i].nargs);
            bool returns = strcmp(takes[i].name, "no_result") != 0;
            if (s.optimised || returns)
                expect(p.returns == returns || s.arch == MACHINE_X86, &s, takes[i].name,
                       "result not recognised");
        }
        struct flow_prototype through = flow_prototype(s.p, function(&s, "hand_through"));
        /* clang may tell that nothing is returned: by popping into the result register. */
        expect(!through.returns && (through.returns_unknown || strstr(s.file, "amd64-clang")), &s, "hand_through",
               "what it returns is claimed");
        expect(s.arch != MACHINE_AMD64 || !flow_prototype(s.p, function(&s, "no_result")).returns_unknown ||
                   !s.optimised,
               &s, "no_result", "it is not known that nothing is returned");
        if (s.arch == MACHINE_AMD64) {
            struct flow_prototype v = flow_prototype(s.p, function(&s, "variadic"));
            expect(v.variadic && v.nfargs == 0 && (v.nargs == 2 || !s.optimised), &s, "variadic",
                   "not recognised");
        }
        expect(flow_prototype(s.p, function(&s, "stop_wrapper")).noreturn, &s, "stop_wrapper",
               "prototype returns");
    }
}

/* What flow.h promises of every graph. */
static void graphs_are_well_formed(void **state)
{
    (void)state;
    FOR_EACH_SUBJECT(s)
    {
        const struct flow_function *f;
        size_t n = program_functions(s.p, &f);
        for (size_t i = 0; i < n; i++) {
            const struct flow_graph *g = flow_graph(s.p, &f[i]);
            expect(i == 0 || f[i - 1].address < f[i].address, &s, f[i].name, "functions are not in order");
            if (g->nblocks == 0)
                continue;
            const uint32_t *idom = flow_dominators(s.p, g), *ipdom = flow_post_dominators(s.p, g);
            expect((g->block[0].label & ~UINT64_C(1)) == f[i].address || f[i].address & 1, &s, f[i].name,
                   "entry is not first");
            expect(idom[0] == UINT32_MAX, &s, f[i].name, "the entry is dominated");
            for (uint32_t b = 0; b < g->nblocks; b++) {
                expect(b == 0 || idom[b] != UINT32_MAX, &s, f[i].name, "a block is not reached");
                expect(ipdom[b] == UINT32_MAX || ipdom[b] < g->nblocks, &s, f[i].name, "bad post-dominator");
                expect(b < 2 || (g->block[b - 1].label & ~UINT64_C(1)) + g->block[b - 1].bytes <=
                                    g->block[b].label,
                       &s, f[i].name, "blocks overlap");
                for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
                    expect(g->edge[e].from == b && g->edge[e].to < g->nblocks, &s, f[i].name, "bad edge");
            }
        }
    }
}

static void every_code_byte_of_a_function_is_found(void **state)
{
    (void)state;
    FOR_EACH_SUBJECT(s)
    {
        /* x86 code has no constants between instructions: blocks cover a function but for alignment. */
        if (s.arch != MACHINE_AMD64 && s.arch != MACHINE_X86)
            continue;
        static const char *const name[] = {"dense", "holes", "nested", "machine", "wide", "check", "recurse"};
        for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
            const struct flow_function *f = function(&s, name[i]);
            const struct flow_graph *g = flow_graph(s.p, f);
            uint64_t covered = 0;
            for (uint32_t b = 0; b < g->nblocks; b++)
                covered += g->block[b].bytes;
            expect(covered <= f->size && covered * 100 >= f->size * 60, &s, name[i], "code was not found");
        }
    }
}

int main(int argc, char **argv)
{
    files = argv + 1;
    nfiles = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_have_exactly_their_targets),    cmocka_unit_test(switches_nest),
        cmocka_unit_test(what_never_returns_ends_its_block),      cmocka_unit_test(tail_calls_are_calls),
        cmocka_unit_test(prototypes_come_from_the_code),          cmocka_unit_test(graphs_are_well_formed),
        cmocka_unit_test(every_code_byte_of_a_function_is_found),
    };
    return nfiles ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
