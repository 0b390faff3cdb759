/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Z3, cvc5 and the race of both on questions that are hard for at least one of them: equivalences and inversions as
 * comparing two versions of a function makes them. The race should take no longer than 1.2 times the better one.
 * Wall time, the best of several runs (argv[1], 3 unless told). */
#include <stdio.h>
#include <stdlib.h>
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
    term a = var(t, "a", 14), b = var(t, "b", 14), s = add(t, a, b);
    term right = add(t, add(t, mul(t, a, a), mul(t, term_const(t, 14, 2), mul(t, a, b))), mul(t, b, b));
    return differ(t, mul(t, s, s), right);
}

/* a * (b * c) is (a * b) * c */
static term associative(struct terms *t)
{
    term a = var(t, "a", 11), b = var(t, "b", 11), c = var(t, "c", 11);
    return differ(t, mul(t, a, mul(t, b, c)), mul(t, mul(t, a, b), c));
}

/* The divisors of a product of two primes. */
static term factors(struct terms *t)
{
    term a = var(t, "a", 44), b = var(t, "b", 44), one = term_const(t, 44, 1), most = term_const(t, 44, 1u << 21);
    term x = term_eq(t, mul(t, a, b), term_const(t, 44, UINT64_C(1048573) * 1048571));
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

/* Five bytes with a given hash. */
static term inverted_hash(struct terms *t)
{
    return term_eq(t, hashed(t, 5), term_const(t, 32, 0x12345678));
}

/* Counting bits one by one and in parallel. */
static term counted_bits(struct terms *t)
{
    term x = var(t, "x", 64), slow = term_const(t, 64, 0);
    for (unsigned i = 0; i < 64; i++)
        slow = add(t, slow, term_zext(t, term_extract(t, x, i, 1), 64));
    static const uint64_t mask[] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                    UINT64_C(0x0f0f0f0f0f0f0f0f)};
    term fast = x;
    for (unsigned i = 0; i < 3; i++) {
        term m = term_const(t, 64, mask[i]), k = term_const(t, 64, 1u << i);
        fast = add(t, term_bin(t, OP_AND, fast, m), term_bin(t, OP_AND, term_bin(t, OP_LSHR, fast, k), m));
    }
    fast = term_bin(t, OP_LSHR, mul(t, fast, term_const(t, 64, UINT64_C(0x0101010101010101))), term_const(t, 64, 56));
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

static double ask(term (*make)(struct terms *t), enum solve_engine engine, enum solve_answer *answer)
{
    struct terms *t = terms_new();
    struct solver *s = solver_new(t, &(struct solve_options){.engine = engine, .timeout_ms = LIMIT_MS}, NULL);
    term x = make(t);
    double begun = seconds();
    *answer = solve_check(s, &x, 1, NULL);
    double took = seconds() - begun;
    solver_free(s);
    terms_free(t);
    return took;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        term (*make)(struct terms *t);
    } work[] = {{"square of a sum", square_of_sum}, {"associativity", associative}, {"factors", factors},
                {"hash inverted", inverted_hash},   {"bits counted", counted_bits}, {"constant divisor", divided},
                {"division", division},             {"swaps", swapped}};
    static const char *const word[] = {"unsat", "sat", "unknown"};
    static const enum solve_engine engine[] = {SOLVE_Z3, SOLVE_EXTERNAL, SOLVE_RACE};
    int runs = argc > 1 ? atoi(argv[1]) : 3;
    printf("%-18s %8s %8s %8s %6s  %s\n", "question", "Z3", "cvc5", "race", "ratio", "answers");
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        double best[3] = {1e9, 1e9, 1e9};
        enum solve_answer answer[3] = {SOLVE_UNKNOWN, SOLVE_UNKNOWN, SOLVE_UNKNOWN};
        for (int r = 0; r < runs; r++)
            for (unsigned e = 0; e < 3; e++) {
                if (r && best[e] > LIMIT_MS / 1000 * 0.9)
                    continue;
                double took = ask(work[i].make, engine[e], &answer[e]);
                best[e] = took < best[e] ? took : best[e];
            }
        double better = best[0] < best[1] ? best[0] : best[1];
        printf("%-18s %7.2fs %7.2fs %7.2fs %6.2f  %s %s %s\n", work[i].name, best[0], best[1], best[2],
               best[2] / better, word[answer[0]], word[answer[1]], word[answer[2]]);
        fflush(stdout);
    }
    return 0;
}
