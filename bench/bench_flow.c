/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_flow [-s] [-v] FILE...: finds all functions and all control flow of each file and says how much there
 * is, what was not resolved, and what it cost. -s: functions from tables only (shallow). -v: lists what was
 * not resolved. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "flow/flow.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *const problem_name[] = {"indirect jump", "overlap", "undecoded", "out of bounds", "limit"};

static void list_problems(struct program *p)
{
    const struct flow_function *f;
    size_t n = program_functions(p, &f);
    for (size_t i = 0; i < n; i++) {
        if (f[i].flags & FLOW_PART)
            continue;
        const struct flow_graph *g = flow_graph(p, &f[i]);
        for (uint32_t j = 0; j < g->nproblems; j++)
            printf("  %s: 0x%" PRIx64 ": %s: %s\n", f[i].name, g->problem[j].address,
                   problem_name[g->problem[j].kind], g->problem[j].text);
        flow_drop(p, &f[i]);
    }
}

int main(int argc, char **argv)
{
    struct program_options opt = {.deep = true};
    bool verbose = false;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-s") == 0) {
            opt.deep = false;
            continue;
        }
        if (strcmp(argv[i], "-v") == 0) {
            verbose = true;
            continue;
        }
        double start = now();
        struct error err = {0};
        struct program *p = program_open(argv[i], &opt, &err);
        if (!p) {
            fprintf(stderr, "%s\n", err.text);
            failed = 1;
            continue;
        }
        double opened = now();
        flow_analyse_all(p, NULL, NULL);
        double done = now();
        struct flow_stats s = program_flow_stats(p);
        struct rusage use;
        getrusage(RUSAGE_SELF, &use);
        const struct flow_function *f;
        size_t n = program_functions(p, &f), noreturn = 0, parts = 0, found = 0;
        for (size_t j = 0; j < n; j++) {
            noreturn += flow_noreturn(p, f[j].address);
            parts += (f[j].flags & FLOW_PART) != 0;
            found += f[j].sources >= FLOW_SOURCE_CALL && f[j].sources % FLOW_SOURCE_CALL == 0;
        }
        printf("%s\n  functions %" PRIu64 " (found by code %zu, parts %zu, noreturn %zu), blocks %" PRIu64
               ", instructions %" PRIu64 "\n  tables %" PRIu64 ", unresolved jumps %" PRIu64 " in %" PRIu64
               " functions (%.2f %%)"
               "\n  open %.2f s, all %.2f s, peak %.0f MiB\n",
               argv[i], s.functions, found, parts, noreturn, s.blocks, s.instructions, s.tables, s.unresolved,
               s.functions_unresolved,
               s.functions ? 100.0 * (double)s.functions_unresolved / (double)s.functions : 0.0,
               opened - start, done - start, (double)use.ru_maxrss / 1024);
        if (verbose)
            list_problems(p);
        program_free(p);
    }
    return failed;
}
