/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares are estimated from samples, and bounded where single comparisons tell. */
#include "tell/share.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "exec/origin.h"

enum { SAMPLES = 4096, LEAVES_MAX = 64, CONJUNCTS_MAX = 64 };

struct leaves {
    struct terms *t;
    term leaf[LEAVES_MAX], stand_in[LEAVES_MAX];
    unsigned n;
    bool too_many;
};

/* An independent input: an argument, a word of memory at entry, a callee's result. */
static bool is_leaf(const struct terms *t, term x)
{
    unsigned kind = term_kind(t, x);
    if (term_is_array(t, x))
        return false;
    return kind == TERM_VAR || kind == TERM_APPLY ||
           (kind == TERM_READ && term_kind(t, term_kid(t, x, 0)) == TERM_VAR);
}

/* Outermost ones: what the address of a read is made of does not count. */
static void find_leaves(struct leaves *l, term x)
{
    struct map seen = {0};
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, x);
    while (todo.len) {
        term u = vec_pop(&todo);
        if (!map_set(&seen, u, 1))
            continue;
        if (is_leaf(l->t, u)) {
            if (l->n == LEAVES_MAX) {
                l->too_many = true;
                break;
            }
            unsigned width = term_width(l->t, u);
            struct term_origin o = {.kind = ORIGIN_STAND_IN, .name = "share", .index = l->n, .offset = width};
            l->stand_in[l->n] = origin_symbol(l->t, o, width);
            l->leaf[l->n++] = u;
            continue;
        }
        for (unsigned i = term_nkids(l->t, u); i-- > 0;)
            vec_push(&todo, term_kid(l->t, u, i));
    }
    vec_free(&todo);
    map_free(&seen);
}

struct foreign {
    const struct leaves *l;
};

static bool is_foreign(void *ctx, term x)
{
    const struct leaves *l = ((struct foreign *)ctx)->l;
    unsigned kind = term_kind(l->t, x);
    if (kind == TERM_READ || kind == TERM_APPLY || term_is_array(l->t, x))
        return true;
    if (kind != TERM_VAR)
        return false;
    for (unsigned i = 0; i < l->n; i++)
        if (l->stand_in[i] == x)
            return false;
    return true;
}

static struct bits random_bits(uint64_t *state, unsigned width)
{
    uint8_t byte[OP_MAX_WIDTH / 8];
    for (unsigned i = 0; i < sizeof byte; i += 8) { /* xorshift64*, Vigna 2016 */
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        uint64_t w = *state * UINT64_C(0x2545f4914f6cdd1d);
        memcpy(byte + i, &w, 8);
    }
    struct bits v = bits_from_bytes(byte, (width + 7) / 8);
    return width % 8 ? bits_u64(bits_low(v), width) : v;
}

/* Negative: not known. */
static double sampled(struct terms *t, term when)
{
    struct leaves l = {.t = t};
    if (term_is_true(t, when))
        return 1;
    find_leaves(&l, when);
    if (l.too_many || !l.n)
        return -1;
    term x = term_substitute(t, when, l.leaf, l.stand_in, l.n);
    if (term_any(t, x, is_foreign, &(struct foreign){&l}))
        return -1;
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    unsigned hits = 0;
    for (unsigned k = 0; k < SAMPLES; k++) {
        struct term_model *m = term_model_new();
        for (unsigned i = 0; i < l.n; i++) {
            unsigned width = term_width(t, l.stand_in[i]);
            if (width % 8 && width > 64) {
                term_model_free(m);
                return -1;
            }
            term_model_set(m, l.stand_in[i], random_bits(&state, width));
        }
        struct bits v;
        bool known = term_eval(t, m, x, &v);
        term_model_free(m);
        if (!known)
            return -1;
        hits += !bits_is_zero(v);
    }
    return hits ? (double)hits / SAMPLES : -1;
}

/* ---- bounds ---- */

/* What a comparison with a constant compares when every value of it is equally likely: a leaf, or a part of
 * one. */
static bool uniform(const struct terms *t, term x, term *leaf)
{
    if (term_kind(t, x) == OP_EXTRACT)
        x = term_kid(t, x, 0);
    *leaf = x;
    return is_leaf(t, x);
}

static double values(unsigned width)
{
    double n = 1;
    for (unsigned i = 0; i < width; i++)
        n *= 2;
    return n;
}

/* The share of values of its leaf for which a comparison holds; false when it is no such comparison. */
static bool fraction(const struct terms *t, term x, term *leaf, double *out)
{
    if (term_kind(t, x) == OP_NOT) {
        if (!fraction(t, term_kid(t, x, 0), leaf, out))
            return false;
        *out = 1 - *out;
        return true;
    }
    unsigned kind = term_kind(t, x);
    if (kind != OP_EQ && kind != OP_ULT && kind != OP_ULE && kind != OP_SLT && kind != OP_SLE)
        return false;
    term a = term_kid(t, x, 0), b = term_kid(t, x, 1);
    uint64_t k;
    unsigned width = term_width(t, a);
    bool flipped = width <= 64 && term_const_u64(t, a, &k);
    if (width > 64 || (!flipped && !term_const_u64(t, b, &k)) || !uniform(t, flipped ? b : a, leaf))
        return false;
    double all = values(width), below = (double)k; /* values below the constant */
    if (kind == OP_SLT || kind == OP_SLE)          /* by moving both by half the range */
        below = k >> (width - 1) & 1 ? below - all / 2 : below + all / 2;
    double through = below + 1; /* with the constant */
    double n = kind == OP_EQ                      ? 1
               : kind == OP_ULT || kind == OP_SLT ? (flipped ? all - through : below)
                                                  : (flipped ? all - below : through);
    *out = n / all;
    return true;
}

/* Arguments are independent of each other, so their shares multiply; of anything else the smallest one
 * counts. */
static void bounds(const struct terms *t, term when, double *low, double *high)
{
    term todo[CONJUNCTS_MAX], argument[CONJUNCTS_MAX];
    double least[CONJUNCTS_MAX], other = 1, one = -1;
    unsigned n = 1, arguments = 0, conjuncts = 0;
    bool all = true;
    if (term_is_true(t, when)) {
        *low = *high = 1;
        return;
    }
    todo[0] = when;
    while (n) {
        term x = todo[--n], leaf;
        double share;
        if (term_kind(t, x) == OP_AND && n + 2 <= CONJUNCTS_MAX) {
            todo[n++] = term_kid(t, x, 0);
            todo[n++] = term_kid(t, x, 1);
            continue;
        }
        conjuncts++;
        if (!fraction(t, x, &leaf, &share)) {
            all = false;
            continue;
        }
        one = share;
        if (term_kind(t, leaf) != TERM_VAR) {
            other = share < other ? share : other;
            continue;
        }
        unsigned i = 0;
        while (i < arguments && argument[i] != leaf)
            i++;
        if (i == arguments && arguments < CONJUNCTS_MAX) {
            argument[arguments] = leaf;
            least[arguments++] = 1;
        }
        if (i < arguments && share < least[i])
            least[i] = share;
    }
    double product = 1;
    for (unsigned i = 0; i < arguments; i++)
        product *= least[i];
    *high = product < other ? product : other;
    *low = all && conjuncts == 1 ? one : 0;
}

struct share share_of(struct terms *t, term when, term differ)
{
    struct share s;
    bool exactly = differ != TERM_NONE;
    term both = when == TERM_NONE ? term_true(t) : when;
    if (exactly)
        both = term_and(t, both, differ);
    bounds(t, both, &s.low, &s.high);
    if (!exactly)
        s.low = 0;
    s.likely = sampled(t, both);
    if (s.likely >= 0 && (s.likely < s.low || s.likely > s.high))
        s.likely = (s.low + s.high) / 2;
    return s;
}
