/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many questions each stage of the solver takes before the next is asked, on path conditions as an
 * executor makes them: at every branch both sides are asked for, with all the conditions on the way. */
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "solve/solve.h"

enum { DEPTH_MAX = 16 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct walk {
    struct terms *t;
    struct solver *s;
    term path[DEPTH_MAX];
    term (*condition)(struct terms *t, unsigned level);
    unsigned depth;
    uint64_t paths, pruned;
};

static void explore(struct walk *w, unsigned level)
{
    if (level == w->depth) {
        w->paths++;
        return;
    }
    term c = w->condition(w->t, level);
    for (unsigned side = 0; side < 2; side++) {
        w->path[level] = side ? term_not(w->t, c) : c;
        if (solve_check(w->s, w->path, level + 1, NULL) == SOLVE_UNSAT)
            w->pruned++;
        else
            explore(w, level + 1);
    }
}

static term symbol(struct terms *t, unsigned i)
{
    char name[16];
    snprintf(name, sizeof name, "arg%u", i);
    return term_var(t, name, 32);
}

/* if (arg3 > 5) with another argument at every branch. */
static term independent(struct terms *t, unsigned level)
{
    return term_bin(t, OP_ULT, term_const(t, 32, 5 + level), symbol(t, level));
}

/* A cascade of ranges of one argument, as a switch compiled to comparisons. */
static term ranges(struct terms *t, unsigned level)
{
    return term_bin(t, OP_SLT, symbol(t, 0), term_const(t, 32, 10 * level));
}

/* Flags: bits of one word tested one after the other. */
static term flags(struct terms *t, unsigned level)
{
    return term_extract(t, symbol(t, 0), level, 1);
}

/* Fields of a structure behind a pointer, compared with each other and with limits. */
static term fields(struct terms *t, unsigned level)
{
    term m = term_array_var(t, "memory", 64, 8), p = term_var(t, "pointer", 64);
    term a = term_read(t, m, term_add_const(t, p, 4 * (level % 5)), 32);
    term b = level % 3 ? term_const(t, 32, 100 * level)
                       : term_read(t, m, term_add_const(t, p, 4 * (level % 5) + 4), 32);
    return term_bin(t, OP_ULE, a, b);
}

/* Arithmetic no cheap stage sees through. */
static term arithmetic(struct terms *t, unsigned level)
{
    term x = symbol(t, level % 3), y = symbol(t, (level + 1) % 3);
    term sum = term_bin(t, OP_ADD, term_bin(t, OP_MUL, x, term_const(t, 32, 3 + level)), y);
    return term_eq(t, term_bin(t, OP_AND, sum, term_const(t, 32, 15)), term_const(t, 32, level));
}

int main(void)
{
    static const struct {
        const char *name;
        term (*condition)(struct terms *t, unsigned level);
        unsigned depth;
    } work[] = {{"independent", independent, 12},
                {"ranges", ranges, 16},
                {"flags", flags, 12},
                {"fields", fields, 8},
                {"arithmetic", arithmetic, 7}};
    printf("%-12s %6s %7s %8s %10s %7s %7s %7s %7s %12s\n", "workload", "paths", "pruned", "queries",
           "rewriting", "cheap", "cache", "solver", "seconds", "queries/s");
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        struct walk w = {.t = terms_new(), .condition = work[i].condition, .depth = work[i].depth};
        w.s = solver_new(w.t, NULL, NULL);
        double start = seconds();
        explore(&w, 0);
        double took = seconds() - start;
        struct solve_stats st = solver_stats(w.s);
        printf("%-12s %6llu %7llu %8llu %10llu %7llu %7llu %7llu %7.3f %12.0f\n", work[i].name,
               (unsigned long long)w.paths, (unsigned long long)w.pruned, (unsigned long long)st.queries,
               (unsigned long long)st.by_rewriting, (unsigned long long)st.by_cheap,
               (unsigned long long)st.by_cache, (unsigned long long)st.by_solver, took,
               (double)st.queries / took);
        solver_free(w.s);
        terms_free(w.t);
    }
    return 0;
}
