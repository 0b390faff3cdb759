/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Z3, cvc5 and the race of both on questions that are hard for at least one of them: equivalences and
 * inversions as comparing two versions of a function makes them. The race should take no longer than 1.2
 * times the better one.
 *
 * The best of several runs (argv[1], 3 unless told), by the clock and by the processor. Of a race half of
 * what the two took counts, and all of what came before: that is how long it takes on a machine with two
 * processors to spare, whatever else runs on this one. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/alloc.h"
#include "solve/solve.h"

enum { LIMIT_MS = 20000 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double spent(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static term var(struct terms *t, const char *name, unsigned width)
{
    return term_var(t, name, width);
}

static term mul(struct terms *t, term a, term b)
{
    return term_bin(t, OP_MUL, a, b);
}

static term add(struct terms *t, term a, term b)
{
    return term_bin(t, OP_ADD, a, b);
}

static term differ(struct terms *t, term a, term b)
{
    return term_not(t, term_eq(t, a, b));
}

/* (a + b)^2 is a^2 + 2ab + b^2 */
static term square_of_sum(struct terms *t)
{
    term a = var(t, "a", 18), b = var(t, "b", 18), s = add(t, a, b);
    term right = add(t, add(t, mul(t, a, a), mul(t, term_const(t, 18, 2), mul(t, a, b))), mul(t, b, b));
    return differ(t, mul(t, s, s), right);
}

/* The divisors of a product of two primes. */
static term factors(struct terms *t)
{
    term a = var(t, "a", 36), b = var(t, "b", 36), one = term_const(t, 36, 1),
         most = term_const(t, 36, 1u << 17);
    term x = term_eq(t, mul(t, a, b), term_const(t, 36, UINT64_C(65521) * 65519));
    x = term_and(t, x, term_bin(t, OP_ULT, one, a));
    x = term_and(t, x, term_bin(t, OP_ULT, one, b));
    return term_and(t, x, term_and(t, term_bin(t, OP_ULT, a, most), term_bin(t, OP_ULT, b, most)));
}

static term hashed(struct terms *t, unsigned n)
{
    term h = term_const(t, 32, 2166136261u);
    for (unsigned i = 0; i < n; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%u", i);
        h = mul(t, term_bin(t, OP_XOR, h, term_zext(t, var(t, name, 8), 32)), term_const(t, 32, 16777619));
    }
    return h;
}

/* Four bytes with a given hash. */
static term inverted_hash(struct terms *t)
{
    return term_eq(t, hashed(t, 4), term_const(t, 32, 0x811c9dc5));
}

/* Counting bits one by one and in parallel. */
static term counted_bits(struct terms *t)
{
    term x = var(t, "x", 32), slow = term_const(t, 32, 0);
    for (unsigned i = 0; i < 32; i++)
        slow = add(t, slow, term_zext(t, term_extract(t, x, i, 1), 32));
    static const uint64_t mask[] = {0x55555555, 0x33333333, 0x0f0f0f0f};
    term fast = x;
    for (unsigned i = 0; i < 3; i++) {
        term m = term_const(t, 32, mask[i]), k = term_const(t, 32, 1u << i);
        fast = add(t, term_bin(t, OP_AND, fast, m), term_bin(t, OP_AND, term_bin(t, OP_LSHR, fast, k), m));
    }
    fast = term_bin(t, OP_LSHR, mul(t, fast, term_const(t, 32, 0x01010101)), term_const(t, 32, 24));
    return differ(t, slow, fast);
}

/* Division by a constant as compilers write it. */
static term divided(struct terms *t)
{
    term x = var(t, "x", 32), wide = mul(t, term_zext(t, x, 64), term_const(t, 64, 0xaaaaaaab));
    return differ(t, term_bin(t, OP_UDIV, x, term_const(t, 32, 3)),
                  term_extract(t, term_bin(t, OP_LSHR, wide, term_const(t, 64, 33)), 0, 32));
}

/* What was divided is quotient times divisor plus remainder. */
static term division(struct terms *t)
{
    term x = var(t, "x", 15), y = var(t, "y", 15);
    term back = add(t, mul(t, term_bin(t, OP_UDIV, x, y), y), term_bin(t, OP_UREM, x, y));
    return term_and(t, differ(t, back, x), differ(t, y, term_const(t, 15, 0)));
}

/* Elements of an array swapped twice at computed places. */
static term swapped(struct terms *t)
{
    term m = term_array_var(t, "m", 32, 8), start = m;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 4; i++) {
            char name[8];
            snprintf(name, sizeof name, "i%u", round ? 3 - i : i);
            term a = var(t, name, 32);
            name[0] = 'j';
            term b = var(t, name, 32), x = term_read(t, m, a, 8), y = term_read(t, m, b, 8);
            m = term_write(t, term_write(t, m, a, y), b, x);
        }
    term at = var(t, "at", 32);
    return differ(t, term_read(t, m, at, 8), term_read(t, start, at, 8));
}

struct cost {
    double wall, cpu;
};

static struct cost ask(term (*make)(struct terms *t), enum solve_engine engine, enum solve_answer *answer)
{
    struct terms *t = terms_new();
    struct solver *s = solver_new(t, &(struct solve_options){.engine = engine, .timeout_ms = LIMIT_MS}, NULL);
    term x = make(t);
    double begun = seconds(), own = spent(RUSAGE_SELF), others = spent(RUSAGE_CHILDREN);
    *answer = solve_check(s, &x, 1, NULL);
    struct cost c = {.wall = seconds() - begun};
    others = spent(RUSAGE_CHILDREN) - others;
    c.cpu = spent(RUSAGE_SELF) - own + (engine == SOLVE_RACE ? others / 2 : others);
    solver_free(s);
    terms_free(t);
    return c;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        term (*make)(struct terms *t);
    } work[] = {{"square of a sum", square_of_sum},
                {"factors", factors},
                {"hash inverted", inverted_hash},
                {"bits counted", counted_bits},
                {"constant divisor", divided},
                {"division", division},
                {"swaps", swapped}};
    static const char *const word[] = {"unsat", "sat", "unknown"};
    static const enum solve_engine engine[] = {SOLVE_Z3, SOLVE_EXTERNAL, SOLVE_RACE};
    int runs = argc > 1 ? atoi(argv[1]) : 3;
    printf("%-18s %26s %26s  %s\n", "question", "wall: Z3 cvc5 race ratio", "cpu: Z3 cvc5 race ratio",
           "answers");
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        struct cost best[3] = {{1e9, 1e9}, {1e9, 1e9}, {1e9, 1e9}};
        enum solve_answer answer[3] = {SOLVE_UNKNOWN, SOLVE_UNKNOWN, SOLVE_UNKNOWN};
        for (int r = 0; r < runs; r++)
            for (unsigned e = 0; e < 3; e++) {
                if (r && answer[e] == SOLVE_UNKNOWN)
                    continue;
                struct cost c = ask(work[i].make, engine[e], &answer[e]);
                best[e].wall = c.wall < best[e].wall ? c.wall : best[e].wall;
                best[e].cpu = c.cpu < best[e].cpu ? c.cpu : best[e].cpu;
            }
        bool first = answer[1] == SOLVE_UNKNOWN || (answer[0] != SOLVE_UNKNOWN && best[0].cpu < best[1].cpu);
        const struct cost *better = &best[first ? 0 : 1];
        printf("%-18s %6.2f %6.2f %6.2f %5.2f %6.2f %6.2f %6.2f %5.2f  %s %s %s\n", work[i].name,
               best[0].wall, best[1].wall, best[2].wall, best[2].wall / better->wall, best[0].cpu,
               best[1].cpu, best[2].cpu, best[2].cpu / better->cpu, word[answer[0]], word[answer[1]],
               word[answer[2]]);
        fflush(stdout);
    }
    return 0;
}
