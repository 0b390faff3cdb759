/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Z3, cvc5 and the race of both on questions that are hard for at least one of them: equivalences and
 * inversions as comparing two versions of a function makes them. The race should take no longer than 1.2
 * times the better one.
 *
 * Seconds by the clock, the best of several runs (argv[1], 3 unless told) that take turns, of the questions
 * whose names contain argv[2]. Two processors have to be free. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static term at(struct terms *t, term base, unsigned i)
{
    return add(t, base, term_const(t, 32, 4 * i));
}

static term smaller(struct terms *t, term a, term b)
{
    return term_ite(t, term_bin(t, OP_SLT, b, a), b, a);
}

static term larger(struct terms *t, term a, term b)
{
    return term_ite(t, term_bin(t, OP_SLT, b, a), a, b);
}

/* Words sorted in memory by exchanging neighbours, and in registers by a network. */
static term sorted(struct terms *t)
{
    enum { N = 4 };
    static const unsigned network[][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}};
    term m = term_array_var(t, "m", 32, 8), p = var(t, "p", 32), x[N], all = term_false(t);
    for (unsigned i = 0; i < N; i++)
        x[i] = term_read(t, m, at(t, p, i), 32);
    for (unsigned k = 0; k < sizeof network / sizeof *network; k++) {
        term *a = &x[network[k][0]], *b = &x[network[k][1]], low = smaller(t, *a, *b);
        *b = larger(t, *a, *b);
        *a = low;
    }
    for (unsigned end = N; end > 1; end--)
        for (unsigned i = 0; i + 1 < end; i++) {
            term a = term_read(t, m, at(t, p, i), 32), b = term_read(t, m, at(t, p, i + 1), 32);
            m = term_write(t, m, at(t, p, i), smaller(t, a, b));
            m = term_write(t, m, at(t, p, i + 1), larger(t, a, b));
        }
    for (unsigned i = 0; i < N; i++)
        all = term_or(t, all, differ(t, x[i], term_read(t, m, at(t, p, i), 32)));
    return all;
}

/* The slot of a key in a table of 2^BITS, or the next ones when others are there. */
static term slot_of(struct terms *t, term keys, term key)
{
    enum { BITS = 4, PROBES = 3 };
    term h = term_bin(t, OP_LSHR, mul(t, key, term_const(t, 32, 2654435769u)), term_const(t, 32, 32 - BITS));
    term mask = term_const(t, 32, (1u << BITS) - 1), found = h;
    for (unsigned i = PROBES; i-- > 0;) {
        term here = term_bin(t, OP_AND, add(t, h, term_const(t, 32, i)), mask);
        term k = term_read(t, keys, here, 32);
        term mine = term_or(t, term_eq(t, k, key), term_eq(t, k, term_const(t, 32, 0)));
        found = i == PROBES - 1 ? here : term_ite(t, mine, here, found);
    }
    return found;
}

/* What was put into a hash table is found there after two others were. */
static term looked_up(struct terms *t)
{
    term keys = term_array_var(t, "keys", 32, 32), values = term_array_var(t, "values", 32, 32);
    term k[3], v[3], x = term_true(t), zero = term_const(t, 32, 0);
    for (unsigned i = 0; i < 16; i++)
        x = term_and(t, x, term_eq(t, term_read(t, keys, term_const(t, 32, i), 32), zero));
    for (unsigned i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "k%u", i);
        k[i] = var(t, name, 32);
        name[0] = 'v';
        v[i] = var(t, name, 32);
        x = term_and(t, x, differ(t, k[i], zero));
        for (unsigned j = 0; j < i; j++)
            x = term_and(t, x, differ(t, k[i], k[j]));
        term slot = slot_of(t, keys, k[i]);
        keys = term_write(t, keys, slot, k[i]);
        values = term_write(t, values, slot, v[i]);
    }
    return term_and(t, x, differ(t, term_read(t, values, slot_of(t, keys, k[0]), 32), v[0]));
}

/* Sums that stop at the ends of their range: by the signs, and in a wider type. */
static term saturated(struct terms *t)
{
    enum { N = 5 };
    term a = term_const(t, 32, 0), b = a, least = term_const(t, 32, 0x80000000),
         most = term_const(t, 32, 0x7fffffff);
    term low = term_sext(t, least, 64), high = term_sext(t, most, 64);
    for (unsigned i = 0; i < N; i++) {
        char name[8];
        snprintf(name, sizeof name, "x%u", i);
        term x = var(t, name, 32), s = add(t, a, x);
        term over = term_bin(t, OP_AND, term_bin(t, OP_XOR, a, s), term_bin(t, OP_XOR, x, s));
        term end = term_bin(t, OP_XOR, term_bin(t, OP_ASHR, s, term_const(t, 32, 31)), least);
        a = term_ite(t, term_bin(t, OP_SLT, over, term_const(t, 32, 0)), end, s);
        term w = add(t, term_sext(t, b, 64), term_sext(t, x, 64));
        b = term_extract(t, smaller(t, larger(t, w, low), high), 0, 32);
    }
    return differ(t, a, b);
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
    } work[] = {{"square of a sum", square_of_sum},
                {"factors", factors},
                {"hash inverted", inverted_hash},
                {"bits counted", counted_bits},
                {"constant divisor", divided},
                {"division", division},
                {"swaps", swapped},
                {"words sorted", sorted},
                {"hash table", looked_up},
                {"sums that saturate", saturated}};
    static const char *const word[] = {"unsat", "sat", "unknown"};
    static const enum solve_engine engine[] = {SOLVE_Z3, SOLVE_EXTERNAL, SOLVE_RACE};
    int runs = argc > 1 ? atoi(argv[1]) : 3;
    const char *only = argc > 2 ? argv[2] : "";
    printf("%-20s %7s %7s %7s %6s  %s\n", "question", "Z3", "cvc5", "race", "ratio", "answers");
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        double best[3] = {1e9, 1e9, 1e9};
        enum solve_answer answer[3] = {SOLVE_UNKNOWN, SOLVE_UNKNOWN, SOLVE_UNKNOWN};
        if (!strstr(work[i].name, only))
            continue;
        for (int r = 0; r < runs; r++)
            for (unsigned e = 0; e < 3; e++) {
                if (r && answer[e] == SOLVE_UNKNOWN)
                    continue;
                double took = ask(work[i].make, engine[e], &answer[e]);
                best[e] = took < best[e] ? took : best[e];
            }
        double better = 1e9;
        for (unsigned e = 0; e < 2; e++)
            if (answer[e] != SOLVE_UNKNOWN && best[e] < better)
                better = best[e];
        printf("%-20s %7.3f %7.3f %7.3f %6.2f  %s %s %s\n", work[i].name, best[0], best[1], best[2],
               better < 1e9 ? best[2] / better : 1, word[answer[0]], word[answer[1]], word[answer[2]]);
        fflush(stdout);
    }
    return 0;
}
