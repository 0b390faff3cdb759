/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Circuits, and what is known of the result when not all of the operands is. */
#include <stdlib.h>
#include <string.h>

#include "adapt/partial.h"
#include "base/alloc.h"

enum { MOST_GATES = 400 };

struct partial partial_of(uint64_t x, unsigned width)
{
    return (struct partial){word_ones(width), x & word_ones(width)};
}

static const struct partial nothing = {0, 0};

static bool is_known(struct partial x, unsigned width)
{
    return x.known == word_ones(width);
}

static uint64_t largest(struct partial x, unsigned width)
{
    return x.value | (word_ones(width) & ~x.known);
}

/* What both have in common. */
static struct partial either(struct partial x, struct partial y)
{
    uint64_t known = x.known & y.known & ~(x.value ^ y.value);
    return (struct partial){known, x.value & known};
}

/* ---- making them ---- */

struct compiling {
    struct circuit *c;
    const struct terms *t;
    struct map done; /* term -> gate */
    const term *argument;
    unsigned nargs;
};

static bool is_plain(unsigned kind)
{
    return kind < OP_FADD || kind == TERM_CONST || kind == TERM_VAR;
}

static bool compile(struct compiling *k, term x, uint32_t *out)
{
    uint64_t known;
    if (map_get(&k->done, x, &known)) {
        *out = (uint32_t)known;
        return true;
    }
    unsigned kind = term_kind(k->t, x), width = term_width(k->t, x), n = term_nkids(k->t, x);
    struct gate g = {.x = x, .kind = (uint8_t)kind, .width = (uint8_t)width, .nkids = (uint8_t)n};
    if (!is_plain(kind) || !width || width > 64 || n > 3 || k->c->gate.len >= MOST_GATES)
        return false;
    if (kind == TERM_CONST)
        term_const_u64(k->t, x, &g.constant);
    if (kind == TERM_VAR) {
        while (g.constant < k->nargs && k->argument[g.constant] != x)
            g.constant++;
        if (g.constant == k->nargs)
            return false;
        g.arguments = 1u << g.constant;
    }
    if (kind == OP_EXTRACT)
        g.low = (uint8_t)term_extract_lo(k->t, x);
    for (unsigned i = 0; i < n; i++) {
        if (!compile(k, term_kid(k->t, x, i), &g.kid[i]))
            return false;
        g.arguments |= k->c->gate.data[g.kid[i]].arguments;
    }
    *out = (uint32_t)k->c->gate.len;
    vec_push(&k->c->gate, g);
    map_set(&k->done, x, *out);
    return true;
}

bool circuit_make(struct circuit *c, const struct terms *t, term x, const term *argument, unsigned nargs)
{
    struct compiling k = {.c = c, .t = t, .argument = argument, .nargs = nargs};
    uint32_t root;
    *c = (struct circuit){0};
    bool ok = compile(&k, x, &root);
    map_free(&k.done);
    if (ok)
        c->at = xcalloc(c->gate.len, sizeof *c->at);
    else
        circuit_free(c);
    return ok;
}

void circuit_free(struct circuit *c)
{
    vec_free(&c->gate);
    free(c->at);
    c->at = NULL;
}

/* ---- operators ---- */

/* A carry is known where both extremes agree about it. */
static struct partial add(struct partial x, struct partial y, bool carry, unsigned width)
{
    uint64_t mask = word_ones(width), zero_x = ~largest(x, width) & mask, zero_y = ~largest(y, width) & mask;
    uint64_t most = largest(x, width) + largest(y, width) + carry, least = x.value + y.value + carry;
    uint64_t carry_zero = ~(most ^ zero_x ^ zero_y), carry_one = least ^ x.value ^ y.value;
    uint64_t known = x.known & y.known & (carry_zero | carry_one) & mask;
    return (struct partial){known, least & known};
}

static struct partial invert(struct partial x, unsigned width)
{
    return (struct partial){x.known, ~x.value & x.known & word_ones(width)};
}

static struct partial shift_left(struct partial x, unsigned by, unsigned width)
{
    uint64_t mask = word_ones(width);
    return (struct partial){(x.known << by | ((UINT64_C(1) << by) - 1)) & mask, x.value << by & mask};
}

/* By a number that is known: sums of the other. Else as many low bits as are known of both. */
static struct partial multiply(struct partial x, struct partial y, unsigned width)
{
    if (is_known(x, width) && is_known(y, width))
        return partial_of(x.value * y.value, width);
    if (is_known(x, width) || is_known(y, width)) {
        uint64_t by = is_known(x, width) ? x.value : y.value;
        struct partial other = is_known(x, width) ? y : x, sum = partial_of(0, width);
        for (; by; by &= by - 1)
            sum = add(sum, shift_left(other, (unsigned)__builtin_ctzll(by), width), false, width);
        return sum;
    }
    unsigned low_x = ~x.known ? (unsigned)__builtin_ctzll(~x.known) : 64;
    unsigned low_y = ~y.known ? (unsigned)__builtin_ctzll(~y.known) : 64;
    uint64_t mask = word_ones(low_x < low_y ? low_x : low_y) & word_ones(width);
    return (struct partial){mask, x.value * y.value & mask};
}

static struct partial shift_by(unsigned kind, struct partial x, unsigned by, unsigned width)
{
    uint64_t mask = word_ones(width), top = UINT64_C(1) << (width - 1);
    if (kind == OP_SHL)
        return by >= width ? partial_of(0, width) : shift_left(x, by, width);
    uint64_t rest = by >= width ? mask : mask & ~(mask >> by);
    struct partial low = by >= width ? nothing : (struct partial){x.known >> by, x.value >> by};
    if (kind == OP_LSHR || (x.known & top && !(x.value & top)))
        return (struct partial){low.known | rest, low.value};
    return x.known & top ? (struct partial){low.known | rest, low.value | rest} : low;
}

/* Whatever fits what is known of the number of bits. */
static struct partial shift(unsigned kind, struct partial x, struct partial by, unsigned width)
{
    bool any = false;
    struct partial all = nothing;
    if (is_known(by, width))
        return shift_by(kind, x, by.value < width ? (unsigned)by.value : width, width);
    for (unsigned n = 0; n <= width; n++) {
        if (n < width ? ((n ^ by.value) & by.known) != 0 : largest(by, width) < width)
            continue;
        struct partial one = shift_by(kind, x, n, width);
        all = any ? either(all, one) : one;
        any = true;
        if (!all.known)
            break;
    }
    return all;
}

static struct partial truth(int x)
{
    return x < 0 ? nothing : (struct partial){1, (uint64_t)x};
}

static struct partial less(struct partial x, struct partial y, unsigned width, bool sign, bool or_same)
{
    uint64_t top = sign ? UINT64_C(1) << (width - 1) : 0;
    struct partial p = x, q = y;
    if (sign) { /* the same order as without one, when it is turned */
        p.value ^= top & p.known;
        q.value ^= top & q.known;
    }
    uint64_t least_x = p.value, most_x = largest(p, width), least_y = q.value, most_y = largest(q, width);
    if (or_same ? most_x <= least_y : most_x < least_y)
        return truth(1);
    if (or_same ? least_x > most_y : least_x >= most_y)
        return truth(0);
    return truth(-1);
}

static struct partial equal(struct partial x, struct partial y, unsigned width)
{
    if (x.known & y.known & (x.value ^ y.value))
        return truth(0);
    return truth((x.known & y.known) == word_ones(width) ? 1 : -1);
}

struct partial partial_extend(struct partial x, unsigned bits, unsigned width, bool sign)
{
    uint64_t low = word_ones(bits), rest = word_ones(width) & ~low, top = UINT64_C(1) << (bits - 1);
    struct partial out = {x.known & low, x.value & low};
    if (!sign || (x.known & top && !(x.value & top)))
        out.known |= rest;
    else if (x.known & top)
        out = (struct partial){out.known | rest, out.value | rest};
    return out;
}

struct partial partial_truth(struct partial x, unsigned from, unsigned width)
{
    uint64_t mask = word_ones(from), others = word_ones(width) & ~UINT64_C(1);
    if (x.value & mask)
        return partial_of(1, width);
    return (x.known & mask) == mask ? partial_of(0, width) : (struct partial){others, 0};
}

/* Of operands that are known. */
static uint64_t count(unsigned kind, uint64_t x, unsigned width)
{
    if (kind == OP_POPCNT)
        return (uint64_t)__builtin_popcountll(x);
    if (!x)
        return width;
    return (uint64_t)(kind == OP_CTZ ? __builtin_ctzll(x) : __builtin_clzll(x) - (64 - (int)width));
}

static struct partial divide(unsigned kind, uint64_t x, uint64_t y, unsigned width)
{
    const struct bits of[2] = {bits_u64(x, width), bits_u64(y, width)};
    const unsigned widths[2] = {width, width};
    return partial_of(bits_low(bits_apply((enum op)kind, width, of, widths, 0)), width);
}

static struct partial compute(const struct circuit *c, const struct gate *g)
{
    struct partial x = c->at[g->kid[0]], y = c->at[g->kid[1]];
    unsigned width = g->width, from = c->gate.data[g->kid[0]].width;
    switch (g->kind) {
    case OP_NOT:
        return invert(x, width);
    case OP_NEG:
        return add(invert(x, width), partial_of(0, width), true, width);
    case OP_ADD:
        return add(x, y, false, width);
    case OP_SUB:
        return add(x, invert(y, width), true, width);
    case OP_MUL:
        return multiply(x, y, width);
    case OP_UDIV:
    case OP_UREM:
    case OP_SDIV:
    case OP_SREM:
        return is_known(x, width) && is_known(y, width) ? divide(g->kind, x.value, y.value, width) : nothing;
    case OP_AND: {
        uint64_t known = (x.known & y.known) | (x.known & ~x.value) | (y.known & ~y.value);
        return (struct partial){known, x.value & y.value};
    }
    case OP_OR:
        return (struct partial){(x.known & y.known) | x.value | y.value, x.value | y.value};
    case OP_XOR: {
        uint64_t known = x.known & y.known;
        return (struct partial){known, (x.value ^ y.value) & known};
    }
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR:
        return shift(g->kind, x, y, width);
    case OP_EQ:
        return equal(x, y, from);
    case OP_ULT:
    case OP_ULE:
        return less(x, y, from, false, g->kind == OP_ULE);
    case OP_SLT:
    case OP_SLE:
        return less(x, y, from, true, g->kind == OP_SLE);
    case OP_CONCAT: {
        unsigned low = c->gate.data[g->kid[1]].width;
        return (struct partial){x.known << low | y.known, x.value << low | y.value};
    }
    case OP_EXTRACT: {
        uint64_t mask = word_ones(width);
        return (struct partial){x.known >> g->low & mask, x.value >> g->low & mask};
    }
    case OP_ZEXT:
    case OP_SEXT:
        return partial_extend(x, from, width, g->kind == OP_SEXT);
    case OP_ITE:
        return !x.known ? either(y, c->at[g->kid[2]]) : x.value ? y : c->at[g->kid[2]];
    default:
        return is_known(x, width) ? partial_of(count(g->kind, x.value, width), width) : nothing;
    }
}

struct partial circuit_run(struct circuit *c, const struct partial *argument, const uint8_t *instead,
                           const struct partial *value, const uint8_t *forced)
{
    c->broken = false;
    for (size_t i = 0; i < c->gate.len; i++) {
        const struct gate *g = &c->gate.data[i];
        c->at[i] = instead && instead[i]    ? value[instead[i] - 1]
                   : g->kind == TERM_CONST ? partial_of(g->constant, g->width)
                   : g->kind == TERM_VAR   ? argument[g->constant]
                                           : compute(c, g);
        if (forced && forced[i]) {
            struct partial wanted = partial_of(forced[i] - 1, 1);
            c->broken = c->broken || (c->at[i].known && c->at[i].value != wanted.value);
            c->at[i] = wanted;
        }
    }
    return c->at[c->gate.len - 1];
}

uint64_t circuit_number(struct circuit *c, const uint64_t *argument)
{
    struct partial given[32];
    for (size_t i = 0; i < c->gate.len; i++)
        if (c->gate.data[i].kind == TERM_VAR)
            given[c->gate.data[i].constant] =
                partial_of(argument[c->gate.data[i].constant], c->gate.data[i].width);
    return circuit_run(c, given, NULL, NULL, NULL).value;
}
