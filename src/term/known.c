/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of a term whatever its symbols are: bits, and from them unsigned ranges. */
#include <string.h>

#include "term/internal.h"

static struct term_known nothing(void)
{
    return (struct term_known){{{0}}, {{0}}};
}

static struct bits op2(unsigned op, struct bits a, struct bits b, unsigned width)
{
    struct bits arg[2] = {a, b};
    unsigned widths[2] = {width, width};
    return bits_apply((enum op)op, width, arg, widths, 0);
}

static struct bits op1(unsigned op, struct bits a, unsigned from, unsigned width, unsigned lo)
{
    return bits_apply((enum op)op, width, &a, &from, lo);
}

static void remember(struct terms *t, term x, const struct term_known *k)
{
    unsigned n = words_of(width_of(t, x));
    if (t->known_at.len < t->count) {
        size_t old = t->known_at.len;
        vec_reserve(&t->known_at, t->count);
        t->known_at.len = t->count;
        memset(t->known_at.data + old, 0, (t->count - old) * sizeof *t->known_at.data);
    }
    t->known_at.data[x] = (uint32_t)t->known.len + 1;
    for (unsigned i = 0; i < n; i++)
        vec_push(&t->known, k->zero.w[i]);
    for (unsigned i = 0; i < n; i++)
        vec_push(&t->known, k->one.w[i]);
}

static bool remembered(const struct terms *t, term x)
{
    return is_const(t, x) || kind_of(t, x) == TERM_VAR || (x < t->known_at.len && t->known_at.data[x]);
}

/* Of a term that is remembered; nothing is known of arrays. */
static struct term_known recall(const struct terms *t, term x)
{
    struct term_known k = nothing();
    unsigned width = width_of(t, x), n = words_of(width);
    if (term_const_value(t, x, &k.one)) {
        k.zero = op1(OP_NOT, k.one, width, width, 0);
    } else if (n && x < t->known_at.len && t->known_at.data[x]) {
        const uint64_t *w = &t->known.data[t->known_at.data[x] - 1];
        memcpy(k.zero.w, w, n * sizeof *w);
        memcpy(k.one.w, w + n, n * sizeof *w);
    }
    return k;
}

static unsigned leading(struct bits b, unsigned width)
{
    unsigned n = 0;
    while (n < width && bits_bit(b, width - 1 - n))
        n++;
    return n;
}

static unsigned trailing(struct bits b, unsigned width)
{
    unsigned n = 0;
    for (; n < width && n % 64 == 0 && b.w[n / 64] == UINT64_MAX; n += 64)
        ;
    while (n < width && bits_bit(b, n))
        n++;
    return n < width ? n : width;
}

/* The lowest n of width bits set. */
static struct bits low_ones(unsigned n, unsigned width)
{
    return n ? bits_mask(bits_ones(n), width) : bits_u64(0, width);
}

/* The highest n of width bits set. */
static struct bits high_ones(unsigned n, unsigned width)
{
    if (n == 0)
        return bits_u64(0, width);
    return n >= width ? bits_ones(width) : op1(OP_NOT, low_ones(width - n, width), width, width, 0);
}

/* Sum with carry in: the lowest bits known of both are known of the sum, and so is every bit where both
 * operands and the carry into it are known: a + b computed from the least and from the greatest operands
 * agree there. */
static struct term_known known_sum(struct term_known a, struct term_known b, unsigned width, bool carry)
{
    struct bits c = bits_u64(carry, width), not_az = op1(OP_NOT, a.zero, width, width, 0),
                not_bz = op1(OP_NOT, b.zero, width, width, 0);
    struct bits least = op2(OP_ADD, op2(OP_ADD, a.one, b.one, width), c, width);
    struct bits most = op2(OP_ADD, op2(OP_ADD, not_az, not_bz, width), c, width);
    /* carry into each bit, in both extremes */
    struct bits carry_least = op2(OP_XOR, op2(OP_XOR, least, a.one, width), b.one, width);
    struct bits carry_most = op2(OP_XOR, op2(OP_XOR, most, not_az, width), not_bz, width);
    struct bits known =
        op2(OP_AND, op2(OP_OR, a.zero, a.one, width), op2(OP_OR, b.zero, b.one, width), width);
    struct bits same = op1(OP_NOT, op2(OP_XOR, carry_least, carry_most, width), width, width, 0);
    known = op2(OP_AND, known, same, width);
    struct term_known k;
    k.one = op2(OP_AND, least, known, width);
    k.zero = op2(OP_AND, op1(OP_NOT, least, width, width, 0), known, width);
    return k;
}

static struct term_known known_invert(struct term_known a)
{
    return (struct term_known){.zero = a.one, .one = a.zero};
}

static struct term_known known_shift(const struct terms *t, unsigned op, struct term_known a, term by,
                                     unsigned width)
{
    struct term_known k = nothing();
    struct bits amount;
    if (!term_const_value(t, by, &amount)) {
        if (op == OP_SHL)
            k.zero = low_ones(trailing(a.zero, width), width);
        else if (op == OP_LSHR)
            k.zero = high_ones(leading(a.zero, width), width);
        return k;
    }
    k.zero = op2(op, a.zero, amount, width);
    k.one = op2(op, a.one, amount, width);
    uint64_t n;
    if (!bits_to_u64(amount, &n) || n > width)
        n = width;
    if (op == OP_SHL)
        k.zero = op2(OP_OR, k.zero, low_ones((unsigned)n, width), width);
    else if (op == OP_LSHR)
        k.zero = op2(OP_OR, k.zero, high_ones((unsigned)n, width), width);
    return k;
}

static struct term_known known_count(unsigned width)
{
    struct term_known k = nothing();
    unsigned need = 1;
    while (need < width && 1u << need <= width)
        need++;
    k.zero = high_ones(width - need, width);
    return k;
}

/* From what is remembered of the kids. */
static struct term_known known_node(const struct terms *t, term x)
{
    unsigned op = kind_of(t, x), width = width_of(t, x), n = nkids_of(t, x);
    struct term_known k = nothing(), a = k, b = k;
    if (width == 0 || op >= OP_COUNT_)
        return k;
    if (n > 0)
        a = recall(t, kid_of(t, x, 0));
    if (n > 1)
        b = recall(t, kid_of(t, x, 1));
    unsigned from = n ? width_of(t, kid_of(t, x, 0)) : 0;
    switch (op) {
    case OP_NOT:
        return known_invert(a);
    case OP_NEG:
        k.zero = bits_ones(width);
        return known_sum(k, known_invert(a), width, true);
    case OP_ADD:
        return known_sum(a, b, width, false);
    case OP_SUB:
        return known_sum(a, known_invert(b), width, true);
    case OP_MUL: {
        unsigned shift;
        if (is_pow2(t, kid_of(t, x, 1), &shift)) {
            k.zero = op2(OP_SHL, a.zero, bits_u64(shift, width), width);
            k.one = op2(OP_SHL, a.one, bits_u64(shift, width), width);
            k.zero = op2(OP_OR, k.zero, low_ones(shift, width), width);
            return k;
        }
        unsigned tz = trailing(a.zero, width) + trailing(b.zero, width);
        unsigned la = width - leading(a.zero, width), lb = width - leading(b.zero, width);
        k.zero = low_ones(tz < width ? tz : width, width);
        if (la + lb < width)
            k.zero = op2(OP_OR, k.zero, high_ones(width - la - lb, width), width);
        return k;
    }
    case OP_UDIV: {
        /* a divisor of zero gives all ones: only a constant that is not zero says something */
        struct bits d;
        if (term_const_value(t, kid_of(t, x, 1), &d) && !bits_is_zero(d)) {
            unsigned lz =
                leading(a.zero, width) + (width - 1 - leading(op1(OP_NOT, d, width, width, 0), width));
            k.zero = high_ones(lz < width ? lz : width, width);
        }
        return k;
    }
    case OP_UREM: {
        unsigned lz = leading(a.zero, width);
        struct bits d;
        if (term_const_value(t, kid_of(t, x, 1), &d) && !bits_is_zero(d)) {
            unsigned ld = leading(op1(OP_NOT, d, width, width, 0), width);
            lz = ld > lz ? ld : lz;
        }
        k.zero = high_ones(lz, width);
        return k;
    }
    case OP_AND:
        k.zero = op2(OP_OR, a.zero, b.zero, width);
        k.one = op2(OP_AND, a.one, b.one, width);
        return k;
    case OP_OR:
        k.zero = op2(OP_AND, a.zero, b.zero, width);
        k.one = op2(OP_OR, a.one, b.one, width);
        return k;
    case OP_XOR:
        k.zero = op2(OP_OR, op2(OP_AND, a.zero, b.zero, width), op2(OP_AND, a.one, b.one, width), width);
        k.one = op2(OP_OR, op2(OP_AND, a.zero, b.one, width), op2(OP_AND, a.one, b.zero, width), width);
        return k;
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR:
        return known_shift(t, op, a, kid_of(t, x, 1), width);
    case OP_CONCAT: {
        struct bits arg[2] = {a.zero, b.zero};
        unsigned widths[2] = {from, width - from};
        k.zero = bits_apply(OP_CONCAT, width, arg, widths, 0);
        arg[0] = a.one;
        arg[1] = b.one;
        k.one = bits_apply(OP_CONCAT, width, arg, widths, 0);
        return k;
    }
    case OP_EXTRACT:
        k.zero = op1(OP_EXTRACT, a.zero, from, width, term_extract_lo(t, x));
        k.one = op1(OP_EXTRACT, a.one, from, width, term_extract_lo(t, x));
        return k;
    case OP_ZEXT:
        k.zero = op2(OP_OR, op1(OP_ZEXT, a.zero, from, width, 0), high_ones(width - from, width), width);
        k.one = op1(OP_ZEXT, a.one, from, width, 0);
        return k;
    case OP_SEXT:
        k.zero = op1(OP_SEXT, a.zero, from, width, 0);
        k.one = op1(OP_SEXT, a.one, from, width, 0);
        return k;
    case OP_ITE: {
        struct term_known c = recall(t, kid_of(t, x, 2));
        k.zero = op2(OP_AND, b.zero, c.zero, width);
        k.one = op2(OP_AND, b.one, c.one, width);
        return k;
    }
    case OP_CLZ:
    case OP_CTZ:
    case OP_POPCNT:
        return known_count(width);
    default:
        return k;
    }
}

struct term_known term_known(struct terms *t, term x)
{
    if (!remembered(t, x)) {
        VEC(term) stack = VEC_INIT;
        vec_push(&stack, x);
        while (stack.len) {
            term y = vec_last(&stack);
            size_t before = stack.len;
            if (!remembered(t, y) && kind_of(t, y) < OP_COUNT_) {
                for (unsigned i = 0; i < nkids_of(t, y); i++) {
                    if (!remembered(t, kid_of(t, y, i)))
                        vec_push(&stack, kid_of(t, y, i));
                }
            }
            if (stack.len > before)
                continue;
            stack.len--;
            if (!remembered(t, y)) {
                struct term_known k = known_node(t, y);
                remember(t, y, &k);
            }
        }
        vec_free(&stack);
    }
    return recall(t, x);
}

unsigned known_trailing_zeros(struct terms *t, term x)
{
    return trailing(term_known(t, x).zero, width_of(t, x));
}

unsigned known_leading_zeros(struct terms *t, term x)
{
    return leading(term_known(t, x).zero, width_of(t, x));
}

bool known_top_zero(struct terms *t, term x)
{
    return bits_bit(term_known(t, x).zero, width_of(t, x) - 1);
}

static void meet(uint64_t *lo, uint64_t *hi, uint64_t lo2, uint64_t hi2)
{
    *lo = lo2 > *lo ? lo2 : *lo;
    *hi = hi2 < *hi ? hi2 : *hi;
}

enum { RANGE_DEPTH = 6 };

/* The values start, start + 1, ..., start + size, modulo 2^width: what sums are computed in, since they wrap.
 */
struct span {
    uint64_t start, size;
};

static void range(struct terms *t, term x, unsigned depth, uint64_t *lo, uint64_t *hi);

static struct span span_add(struct span a, struct span b, uint64_t mask)
{
    uint64_t size;
    if (__builtin_add_overflow(a.size, b.size, &size) || size > mask)
        size = mask;
    return (struct span){(a.start + b.start) & mask, size};
}

static struct span span_neg(struct span a, uint64_t mask)
{
    return (struct span){-(a.start + a.size) & mask, a.size};
}

static struct span span_scale(struct span a, uint64_t c, uint64_t mask)
{
    uint64_t size;
    if (c > mask >> 1)
        return span_neg(span_scale(a, -c & mask, mask), mask);
    if (__builtin_mul_overflow(a.size, c, &size) || size > mask)
        size = mask;
    return (struct span){(a.start * c) & mask, size};
}

static struct span span_of(struct terms *t, term x, unsigned depth)
{
    uint64_t mask = mask64(width_of(t, x)), lo, hi, c;
    if (depth < RANGE_DEPTH) {
        switch (kind_of(t, x)) {
        case OP_ADD:
            return span_add(span_of(t, kid_of(t, x, 0), depth + 1), span_of(t, kid_of(t, x, 1), depth + 1),
                            mask);
        case OP_SUB:
            return span_add(span_of(t, kid_of(t, x, 0), depth + 1),
                            span_neg(span_of(t, kid_of(t, x, 1), depth + 1), mask), mask);
        case OP_NEG:
            return span_neg(span_of(t, kid_of(t, x, 0), depth + 1), mask);
        case OP_MUL:
            /* minus the least number is itself: leave it */
            if (small_const(t, kid_of(t, x, 1), &c) && c != (mask >> 1) + 1)
                return span_scale(span_of(t, kid_of(t, x, 0), depth + 1), c, mask);
            break;
        default:
            break;
        }
    }
    range(t, x, depth, &lo, &hi);
    return (struct span){lo, hi - lo};
}

static void range(struct terms *t, term x, unsigned depth, uint64_t *lo, uint64_t *hi)
{
    unsigned width = width_of(t, x);
    assert(width >= 1 && width <= 64);
    uint64_t mask = mask64(width), alo, ahi, blo, bhi, c;
    struct term_known k = term_known(t, x);
    *lo = k.one.w[0];
    *hi = ~k.zero.w[0] & mask;
    if (*lo == *hi || depth >= RANGE_DEPTH)
        return;
    switch (kind_of(t, x)) {
    case OP_ADD:
    case OP_SUB:
    case OP_NEG:
    case OP_MUL: {
        if (kind_of(t, x) == OP_MUL && (!small_const(t, kid_of(t, x, 1), &c) || c == (mask >> 1) + 1))
            break;
        struct span s = span_of(t, x, depth);
        if (s.size <= mask - s.start)
            meet(lo, hi, s.start, s.start + s.size);
        break;
    }
    case OP_ZEXT:
        range(t, kid_of(t, x, 0), depth + 1, &alo, &ahi);
        meet(lo, hi, alo, ahi);
        break;
    case OP_UDIV:
        if (small_const(t, kid_of(t, x, 1), &c) && c) {
            range(t, kid_of(t, x, 0), depth + 1, &alo, &ahi);
            meet(lo, hi, alo / c, ahi / c);
        }
        break;
    case OP_UREM:
        if (small_const(t, kid_of(t, x, 1), &c) && c)
            meet(lo, hi, 0, c - 1);
        break;
    case OP_ITE:
        range(t, kid_of(t, x, 1), depth + 1, &alo, &ahi);
        range(t, kid_of(t, x, 2), depth + 1, &blo, &bhi);
        meet(lo, hi, alo < blo ? alo : blo, ahi > bhi ? ahi : bhi);
        break;
    case OP_CLZ:
    case OP_CTZ:
    case OP_POPCNT:
        meet(lo, hi, 0, width);
        break;
    default:
        break;
    }
}

void term_range(struct terms *t, term x, uint64_t *lo, uint64_t *hi)
{
    range(t, x, 0, lo, hi);
}
