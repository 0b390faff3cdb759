/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of equality, order and choice. */
#include "term/internal.h"

/* ---- one bit ---- */

term rule_bit_eq(struct terms *t, const struct form *f)
{
    if (width_of(t, f->kid[0]) != 1)
        return TERM_NONE;
    return term_not(t, build2(t, OP_XOR, 1, f->kid[0], f->kid[1]));
}

/* Signed, one bit: 1 is -1, so the order is the other way round. */
term rule_bit_order(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    if (width_of(t, x) != 1)
        return TERM_NONE;
    switch (f->op) {
    case OP_ULT:
        return term_and(t, term_not(t, x), y);
    case OP_ULE:
        return term_or(t, term_not(t, x), y);
    case OP_SLT:
        return term_and(t, x, term_not(t, y));
    default:
        return term_or(t, x, term_not(t, y));
    }
}

term rule_bit_ite(struct terms *t, const struct form *f)
{
    term c = f->kid[0], x = f->kid[1], y = f->kid[2];
    if (f->width != 1)
        return TERM_NONE;
    if (x == t->yes || x == c)
        return term_or(t, c, y);
    if (x == t->no || is_complement(t, x, c))
        return term_and(t, term_not(t, c), y);
    if (y == t->no || y == c)
        return term_and(t, c, x);
    if (y == t->yes || is_complement(t, y, c))
        return term_or(t, term_not(t, c), x);
    if (is_complement(t, x, y))
        return term_not(t, build2(t, OP_XOR, 1, c, x));
    return TERM_NONE;
}

/* ---- equality ---- */

term rule_eq_same(struct terms *t, const struct form *f)
{
    return f->kid[0] == f->kid[1] ? t->yes : TERM_NONE;
}

term rule_eq_known(struct terms *t, const struct form *f)
{
    unsigned width = width_of(t, f->kid[0]);
    if (width == 0)
        return TERM_NONE;
    struct term_known a = term_known(t, f->kid[0]), b = term_known(t, f->kid[1]);
    for (unsigned i = 0; i < words_of(width); i++) {
        if ((a.one.w[i] & b.zero.w[i]) | (a.zero.w[i] & b.one.w[i]))
            return t->no;
    }
    if (width > 64)
        return TERM_NONE;
    uint64_t alo, ahi, blo, bhi;
    term_range(t, f->kid[0], &alo, &ahi);
    term_range(t, f->kid[1], &blo, &bhi);
    return ahi < blo || bhi < alo ? t->no : TERM_NONE;
}

term rule_eq_xor(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    unsigned kx = kind_of(t, x), ky = kind_of(t, y);
    if (kx == OP_NOT && (ky == OP_NOT || is_const(t, y)))
        return term_eq(t, kid_of(t, x, 0), term_not(t, y));
    for (unsigned i = 0; i < 2; i++, x = f->kid[1], y = f->kid[0]) {
        if (kind_of(t, x) != OP_XOR)
            continue;
        term a = kid_of(t, x, 0), b = kid_of(t, x, 1);
        if (is_const(t, b) && is_const(t, y))
            return term_eq(t, a, build2(t, OP_XOR, width_of(t, a), b, y));
        if (is_zero(t, y))
            return term_eq(t, a, b);
        if (a == y || b == y)
            return term_eq(t, a == y ? b : a, zero_of(t, width_of(t, a)));
    }
    return TERM_NONE;
}

/* zext x == zext y for one `ext`; with a constant that is no extension nothing is equal. */
static term eq_extended(struct terms *t, unsigned ext, term x, term y)
{
    term a, b;
    unsigned width = 0;
    if (kind_of(t, x) != ext || !narrow_operand(t, ext, x, &width, &a))
        return TERM_NONE;
    if (narrow_operand(t, ext, y, &width, &b))
        return term_eq(t, a, b);
    if (is_const(t, y))
        return t->no;
    if (kind_of(t, y) != ext)
        return TERM_NONE;
    b = kid_of(t, y, 0);
    unsigned other = width_of(t, b);
    return other < width ? term_eq(t, a, build1(t, ext, width, b)) : term_eq(t, build1(t, ext, other, a), b);
}

term rule_eq_zext(struct terms *t, const struct form *f)
{
    return eq_extended(t, OP_ZEXT, f->kid[0], f->kid[1]);
}

term rule_eq_sext(struct terms *t, const struct form *f)
{
    return eq_extended(t, OP_SEXT, f->kid[0], f->kid[1]);
}

term rule_eq_concat(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; i < 2; i++) {
        term x = f->kid[i], y = f->kid[1 - i];
        if (kind_of(t, x) != OP_CONCAT)
            continue;
        unsigned n = width_of(t, kid_of(t, x, 1)), m = width_of(t, kid_of(t, x, 0)), ky = kind_of(t, y);
        if (ky != TERM_CONST && ky != OP_ZEXT && !(ky == OP_CONCAT && width_of(t, kid_of(t, y, 1)) == n))
            continue;
        term hi = term_eq(t, kid_of(t, x, 0), term_extract(t, y, n, m));
        return term_and(t, hi, term_eq(t, kid_of(t, x, 1), term_extract(t, y, 0, n)));
    }
    return TERM_NONE;
}

term rule_eq_mask(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    struct bits c, d;
    if (kind_of(t, x) != OP_AND || !term_const_value(t, kid_of(t, x, 1), &c) || bits_is_zero(c) ||
        !term_const_value(t, f->kid[1], &d))
        return TERM_NONE;
    unsigned width = width_of(t, x), lo = 0, n = 0;
    while (!bits_bit(c, lo))
        lo++;
    while (lo + n < width && bits_bit(c, lo + n))
        n++;
    for (unsigned i = lo + n; i < width; i++) {
        if (bits_bit(c, i))
            return TERM_NONE;
    }
    for (unsigned i = 0; i < width; i++) {
        if (bits_bit(d, i) && !bits_bit(c, i))
            return t->no;
    }
    return term_eq(t, term_extract(t, kid_of(t, x, 0), lo, n), term_extract(t, f->kid[1], lo, n));
}

term rule_eq_or_zero(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    if (kind_of(t, x) != OP_OR || !is_zero(t, y))
        return TERM_NONE;
    return term_and(t, term_eq(t, kid_of(t, x, 0), y), term_eq(t, kid_of(t, x, 1), y));
}

/* Two different constants. */
static bool differ(const struct terms *t, term x, term y)
{
    return x != y && is_const(t, x) && is_const(t, y);
}

term rule_eq_ite(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; i < 2; i++) {
        term x = f->kid[i], r = f->kid[1 - i];
        if (kind_of(t, x) != OP_ITE)
            continue;
        term c = kid_of(t, x, 0), p = kid_of(t, x, 1), q = kid_of(t, x, 2);
        if (p == r)
            return term_or(t, c, term_eq(t, q, r));
        if (q == r)
            return term_or(t, term_not(t, c), term_eq(t, p, r));
        if (differ(t, p, r))
            return term_and(t, term_not(t, c), term_eq(t, q, r));
        if (differ(t, q, r))
            return term_and(t, c, term_eq(t, p, r));
        if (kind_of(t, r) == OP_ITE && kid_of(t, r, 0) == c) {
            term v = kid_of(t, r, 1), w = kid_of(t, r, 2);
            v = term_eq(t, p, v);
            return term_ite(t, c, v, term_eq(t, q, w));
        }
    }
    return TERM_NONE;
}

/* ---- order ---- */

static bool is_signed(unsigned op)
{
    return op == OP_SLT || op == OP_SLE;
}

static bool is_strict(unsigned op)
{
    return op == OP_ULT || op == OP_SLT;
}

term rule_order_same(struct terms *t, const struct form *f)
{
    if (f->kid[0] != f->kid[1])
        return TERM_NONE;
    return is_strict(f->op) ? t->no : t->yes;
}

static struct bits least(bool sign, unsigned width)
{
    struct bits v = {{0}};
    if (sign)
        v.w[(width - 1) / 64] = UINT64_C(1) << (width - 1) % 64;
    return v;
}

static struct bits greatest(bool sign, unsigned width)
{
    struct bits v = least(sign, width);
    return bits_apply(OP_NOT, width, &v, &width, 0);
}

static struct bits plus_one(struct bits v, unsigned width)
{
    struct bits arg[2] = {v, bits_u64(1, width)};
    unsigned widths[2] = {width, width};
    return bits_apply(OP_ADD, width, arg, widths, 0);
}

/* Only x < c and c <= x remain, without the values at either end of the range. */
term rule_order_const(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    unsigned width = width_of(t, x);
    bool sign = is_signed(f->op), strict = is_strict(f->op);
    struct bits c, min = least(sign, width), max = greatest(sign, width);
    unsigned lt = sign ? OP_SLT : OP_ULT, le = sign ? OP_SLE : OP_ULE;
    if (term_const_value(t, y, &c)) {
        if (!strict)
            return bits_eq(c, max) ? t->yes : build2(t, lt, 1, x, table_const(t, width, plus_one(c, width)));
        if (bits_eq(c, min))
            return t->no;
        if (bits_eq(c, plus_one(min, width)))
            return term_eq(t, x, table_const(t, width, min));
        if (bits_eq(c, max))
            return term_not(t, term_eq(t, x, y));
    } else if (term_const_value(t, x, &c)) {
        if (strict)
            return bits_eq(c, max) ? t->no : build2(t, le, 1, table_const(t, width, plus_one(c, width)), y);
        if (bits_eq(c, min))
            return t->yes;
        if (bits_eq(c, plus_one(min, width)))
            return term_not(t, term_eq(t, y, table_const(t, width, min)));
        if (bits_eq(c, max))
            return term_eq(t, x, y);
    }
    return TERM_NONE;
}

static bool bits_less(unsigned op, struct bits a, struct bits b, unsigned width)
{
    struct bits arg[2] = {a, b};
    unsigned widths[2] = {width, width};
    return !bits_is_zero(bits_apply((enum op)op, 1, arg, widths, 0));
}

/* Least and greatest value by the known bits. */
static void extremes(struct terms *t, term x, bool sign, struct bits *lo, struct bits *hi)
{
    unsigned width = width_of(t, x), top = width - 1;
    struct term_known k = term_known(t, x);
    *lo = k.one;
    *hi = bits_apply(OP_NOT, width, &k.zero, &width, 0);
    if (sign) {
        uint64_t bit = UINT64_C(1) << top % 64;
        if (!bits_bit(k.zero, top))
            lo->w[top / 64] |= bit;
        if (!bits_bit(k.one, top))
            hi->w[top / 64] &= ~bit;
    } else if (width <= 64) {
        term_range(t, x, &lo->w[0], &hi->w[0]);
    }
}

term rule_order_known(struct terms *t, const struct form *f)
{
    unsigned width = width_of(t, f->kid[0]);
    bool sign = is_signed(f->op), strict = is_strict(f->op);
    unsigned lt = sign ? OP_SLT : OP_ULT, le = sign ? OP_SLE : OP_ULE;
    struct bits alo, ahi, blo, bhi;
    extremes(t, f->kid[0], sign, &alo, &ahi);
    extremes(t, f->kid[1], sign, &blo, &bhi);
    if (bits_less(strict ? lt : le, ahi, blo, width))
        return t->yes;
    return bits_less(strict ? le : lt, bhi, alo, width) ? t->no : TERM_NONE;
}

term rule_slt_zero(struct terms *t, const struct form *f)
{
    unsigned width = width_of(t, f->kid[0]);
    if (f->op == OP_SLT && is_zero(t, f->kid[1]))
        return term_extract(t, f->kid[0], width - 1, 1);
    if (f->op == OP_SLE && is_zero(t, f->kid[0]))
        return term_not(t, term_extract(t, f->kid[1], width - 1, 1));
    return TERM_NONE;
}

term rule_order_sign(struct terms *t, const struct form *f)
{
    if (!known_top_zero(t, f->kid[0]) || !known_top_zero(t, f->kid[1]))
        return TERM_NONE;
    return build2(t, f->op == OP_SLT ? OP_ULT : OP_ULE, 1, f->kid[0], f->kid[1]);
}

static term order_extended(struct terms *t, const struct form *f, unsigned ext)
{
    term x = f->kid[0], y = f->kid[1], a, b;
    unsigned width = 0;
    if (kind_of(t, x) == ext ? narrow_operand(t, ext, x, &width, &a) && narrow_operand(t, ext, y, &width, &b)
                             : narrow_operand(t, ext, y, &width, &b) && narrow_operand(t, ext, x, &width, &a))
        return build2(t, f->op, 1, a, b);
    if (kind_of(t, x) != ext || kind_of(t, y) != ext)
        return TERM_NONE;
    a = kid_of(t, x, 0);
    b = kid_of(t, y, 0);
    unsigned n = width_of(t, a), m = width_of(t, b);
    return n < m ? build2(t, f->op, 1, build1(t, ext, m, a), b)
                 : build2(t, f->op, 1, a, build1(t, ext, n, b));
}

/* Both extensions keep the unsigned order, sign extension the signed order too; a strict zero extension turns
 * signed order into unsigned, which rule_order_sign has done before. */
term rule_order_extend(struct terms *t, const struct form *f)
{
    term r = is_signed(f->op) ? TERM_NONE : order_extended(t, f, OP_ZEXT);
    if (r != TERM_NONE)
        return r;
    r = order_extended(t, f, OP_SEXT);
    if (r != TERM_NONE || !is_signed(f->op))
        return r;
    /* a constant outside the range of what is extended */
    for (unsigned i = 0; i < 2; i++) {
        struct bits c;
        term x = f->kid[i];
        if (kind_of(t, x) == OP_SEXT && term_const_value(t, f->kid[1 - i], &c)) {
            bool negative = bits_bit(c, width_of(t, x) - 1);
            return negative == (i == 0) ? t->no : t->yes;
        }
    }
    return TERM_NONE;
}

static bool low_zero(const struct terms *t, term c, unsigned n)
{
    struct bits v;
    return term_const_value(t, c, &v) && bits_is_zero(bits_mask(v, n));
}

term rule_order_concat(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    unsigned kx = kind_of(t, x), ky = kind_of(t, y);
    if (kx == OP_CONCAT && ky == OP_CONCAT && width_of(t, kid_of(t, x, 1)) == width_of(t, kid_of(t, y, 1))) {
        if (kid_of(t, x, 0) == kid_of(t, y, 0))
            return build2(t, f->op, 1, kid_of(t, x, 1), kid_of(t, y, 1));
        if (kid_of(t, x, 1) == kid_of(t, y, 1))
            return build2(t, f->op, 1, kid_of(t, x, 0), kid_of(t, y, 0));
    }
    if (f->op == OP_ULT && kx == OP_CONCAT) {
        term hi = kid_of(t, x, 0);
        unsigned n = width_of(t, kid_of(t, x, 1)), m = width_of(t, hi);
        if (low_zero(t, y, n))
            return build2(t, OP_ULT, 1, hi, term_extract(t, y, n, m));
    }
    if (f->op == OP_ULE && ky == OP_CONCAT) {
        term hi = kid_of(t, y, 0);
        unsigned n = width_of(t, kid_of(t, y, 1)), m = width_of(t, hi);
        if (low_zero(t, x, n))
            return build2(t, OP_ULE, 1, term_extract(t, x, n, m), hi);
    }
    return TERM_NONE;
}

/* x + c wraps exactly when -c <= x; x + y wraps exactly when it is below x, and then it is below y too. */
term rule_order_carry(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    unsigned width = width_of(t, x), kx = kind_of(t, x), ky = kind_of(t, y);
    if (kx == OP_ADD && kid_of(t, x, 0) == y && is_const(t, kid_of(t, x, 1)) && !is_zero(t, kid_of(t, x, 1)))
        return build2(t, OP_ULE, 1, build1(t, OP_NEG, width, kid_of(t, x, 1)), y);
    if (ky == OP_ADD && kid_of(t, y, 0) == x && is_const(t, kid_of(t, y, 1)) && !is_zero(t, kid_of(t, y, 1)))
        return build2(t, OP_ULT, 1, x, build1(t, OP_NEG, width, kid_of(t, y, 1)));
    if (f->op == OP_ULT && kx == OP_ADD && (kid_of(t, x, 0) == y || kid_of(t, x, 1) == y)) {
        term other = kid_of(t, x, 0) == y ? kid_of(t, x, 1) : kid_of(t, x, 0);
        return other < y && !is_const(t, other) ? build2(t, OP_ULT, 1, x, other) : TERM_NONE;
    }
    if (f->op == OP_ULE && ky == OP_ADD && (kid_of(t, y, 0) == x || kid_of(t, y, 1) == x)) {
        term other = kid_of(t, y, 0) == x ? kid_of(t, y, 1) : kid_of(t, y, 0);
        return other < x && !is_const(t, other) ? build2(t, OP_ULE, 1, other, y) : TERM_NONE;
    }
    if (f->op == OP_ULT && ky == OP_SUB && kid_of(t, y, 0) == x)
        return build2(t, OP_ULT, 1, x, kid_of(t, y, 1));
    if (f->op == OP_ULE && kx == OP_SUB && kid_of(t, x, 0) == y)
        return build2(t, OP_ULE, 1, kid_of(t, x, 1), y);
    return TERM_NONE;
}

/* ---- choice ---- */

term rule_ite_const(struct terms *t, const struct form *f)
{
    if (!is_const(t, f->kid[0]))
        return TERM_NONE;
    return f->kid[0] == t->yes ? f->kid[1] : f->kid[2];
}

term rule_ite_same(struct terms *t, const struct form *f)
{
    (void)t;
    return f->kid[1] == f->kid[2] ? f->kid[1] : TERM_NONE;
}

term rule_ite_not(struct terms *t, const struct form *f)
{
    if (kind_of(t, f->kid[0]) != OP_NOT)
        return TERM_NONE;
    return term_ite(t, kid_of(t, f->kid[0], 0), f->kid[2], f->kid[1]);
}

term rule_ite_bit(struct terms *t, const struct form *f)
{
    term c = f->kid[0], x = f->kid[1], y = f->kid[2];
    if (f->width == 1)
        return TERM_NONE;
    if (is_zero(t, y) && is_one(t, x))
        return term_zext(t, c, f->width);
    if (is_zero(t, y) && is_ones(t, x))
        return term_sext(t, c, f->width);
    if (is_zero(t, x) && is_one(t, y))
        return term_zext(t, term_not(t, c), f->width);
    if (is_zero(t, x) && is_ones(t, y))
        return term_sext(t, term_not(t, c), f->width);
    return TERM_NONE;
}

term rule_ite_nested(struct terms *t, const struct form *f)
{
    term c = f->kid[0], x = f->kid[1], y = f->kid[2];
    if (kind_of(t, x) == OP_ITE) {
        term d = kid_of(t, x, 0), p = kid_of(t, x, 1), q = kid_of(t, x, 2);
        if (d == c)
            return term_ite(t, c, p, y);
        if (is_complement(t, c, d))
            return term_ite(t, c, q, y);
        if (q == y)
            return term_ite(t, term_and(t, c, d), p, y);
        if (p == y)
            return term_ite(t, term_and(t, c, term_not(t, d)), q, y);
    }
    if (kind_of(t, y) == OP_ITE) {
        term d = kid_of(t, y, 0), p = kid_of(t, y, 1), q = kid_of(t, y, 2);
        if (d == c)
            return term_ite(t, c, x, q);
        if (is_complement(t, c, d))
            return term_ite(t, c, x, p);
        if (p == x)
            return term_ite(t, term_or(t, c, d), x, q);
        if (q == x)
            return term_ite(t, term_or(t, c, term_not(t, d)), x, p);
    }
    return TERM_NONE;
}

term rule_ite_eq(struct terms *t, const struct form *f)
{
    term c = f->kid[0], x = f->kid[1], y = f->kid[2];
    if (kind_of(t, c) != OP_EQ)
        return TERM_NONE;
    term a = kid_of(t, c, 0), b = kid_of(t, c, 1);
    return (a == x && b == y) || (a == y && b == x) ? y : TERM_NONE;
}

term rule_ite_extend(struct terms *t, const struct form *f)
{
    term x = f->kid[1], y = f->kid[2], a, b;
    for (unsigned i = 0; i < 2; i++) {
        unsigned ext = i ? OP_SEXT : OP_ZEXT, width = 0;
        if (kind_of(t, x) == ext
                ? narrow_operand(t, ext, x, &width, &a) && narrow_operand(t, ext, y, &width, &b)
                : narrow_operand(t, ext, y, &width, &b) && narrow_operand(t, ext, x, &width, &a))
            return build1(t, ext, f->width, term_ite(t, f->kid[0], a, b));
    }
    return TERM_NONE;
}

static bool is_const_choice(const struct terms *t, term x)
{
    return kind_of(t, x) == OP_ITE && is_const(t, kid_of(t, x, 1)) && is_const(t, kid_of(t, x, 2));
}

term rule_lift_unary(struct terms *t, const struct form *f)
{
    if (!is_const_choice(t, f->kid[0]))
        return TERM_NONE;
    struct form p = *f, q = *f;
    p.kid[0] = kid_of(t, f->kid[0], 1);
    q.kid[0] = kid_of(t, f->kid[0], 2);
    term x = rewrite_build(t, &p), y = rewrite_build(t, &q);
    return term_ite(t, kid_of(t, f->kid[0], 0), x, y);
}

term rule_lift_binary(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!is_const_choice(t, f->kid[i]) || !is_const(t, f->kid[1 - i]))
            continue;
        struct form p = *f, q = *f;
        p.kid[i] = kid_of(t, f->kid[i], 1);
        q.kid[i] = kid_of(t, f->kid[i], 2);
        term x = rewrite_build(t, &p), y = rewrite_build(t, &q);
        return term_ite(t, kid_of(t, f->kid[i], 0), x, y);
    }
    return TERM_NONE;
}
