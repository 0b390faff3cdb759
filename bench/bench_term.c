/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What building terms costs: hash-consing alone, rewriting, reading past writes, and memory a node. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/map.h"
#include "term/term.h"

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void show(const char *what, struct terms *t, uint64_t calls, double seconds)
{
    struct terms_stats s = terms_stats(t);
    printf("%-34s %8.2f M/s  nodes %9llu  found %5.1f%%  rules/call %.2f  bytes/node %.1f\n", what,
           (double)calls / seconds * 1e-6, (unsigned long long)s.nodes,
           s.lookups ? 100.0 * (double)s.hits / (double)s.lookups : 0, (double)s.rewrites / (double)calls,
           (double)s.bytes / (double)s.nodes);
    terms_free(t);
}

enum { VARS = 256 };

/* Two operators, random operands among the last terms made: few repeat. */
static void grow(const char *what, bool rules, unsigned count)
{
    static const enum op ops[] = {OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR, OP_MUL, OP_UDIV, OP_LSHR};
    struct terms *t = terms_new();
    term recent[VARS];
    for (unsigned i = 0; i < VARS; i++)
        recent[i] = term_fresh(t, "v", 64);
    for (size_t i = 0; !rules && i < term_rule_count(); i++)
        terms_rule_enable(t, i, false);
    double start = now();
    for (unsigned i = 0; i < count; i++) {
        uint64_t h = hash_u64(i);
        recent[h % VARS] = term_bin(t, ops[h >> 16 & 7], recent[h >> 24 & 255], recent[h >> 32 & 255]);
    }
    show(what, t, count, now() - start);
}

/* The same expressions over and over, as an executor does that runs two versions of a program. */
static void repeat(unsigned count)
{
    struct terms *t = terms_new();
    term sp = term_var(t, "sp", 64), x = term_var(t, "x", 64);
    double start = now();
    for (unsigned i = 0; i < count; i += 5) {
        term a = term_add_const(t, sp, (uint64_t)(i % 4096) * 8);
        term b = term_bin(t, OP_ADD, term_extract(t, x, 0, 32), term_const(t, 32, i % 4096));
        term c = term_zext(t, b, 64);
        term_bin(t, OP_ULT, a, c);
    }
    show("the same again", t, count, now() - start);
}

static void frame(unsigned count)
{
    struct terms *t = terms_new();
    term sp = term_var(t, "sp", 64), mem = term_array_var(t, "mem", 64, 8), x = term_var(t, "x", 64);
    double start = now();
    for (unsigned i = 0; i < count; i++) {
        term at = term_add_const(t, sp, -(uint64_t)(8 + hash_u64(i) % 24 * 8));
        x = term_add_const(t, term_read(t, mem, at, 64), i);
        mem = term_write(t, mem, at, x);
    }
    show("load, add, store in a frame", t, 3ull * count, now() - start);
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000000;
    grow("new nodes, rules off", false, n);
    grow("new nodes, rules on", true, n);
    repeat(n);
    frame(n / 10);
    return 0;
}
