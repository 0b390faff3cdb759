/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of sums, products, quotients and shifts (sums of up to 64 bits are in term/linear.c). */
#include "term/internal.h"

term rule_const_right(struct terms *t, const struct form *f)
{
    if (!is_const(t, f->kid[0]) || is_const(t, f->kid[1]))
        return TERM_NONE;
    return build2(t, f->op, f->width, f->kid[1], f->kid[0]);
}

/* Sums order their addends themselves, by what is under a coefficient. */
term rule_commute(struct terms *t, const struct form *f)
{
    if (f->kid[0] <= f->kid[1] || is_const(t, f->kid[1]) ||
        (f->op == OP_ADD && f->width >= 2 && f->width <= 64))
        return TERM_NONE;
    if (f->op == OP_AND || f->op == OP_OR || f->op == OP_XOR || f->op == OP_MUL) {
        /* a chain leans to the left whatever the numbers, see rule_chain_order */
        if (kind_of(t, f->kid[0]) == f->op)
            return TERM_NONE;
    } else if (f->op == OP_ADD && kind_of(t, f->kid[0]) == OP_ADD) {
        return TERM_NONE;
    }
    return build2(t, f->op, f->width, f->kid[1], f->kid[0]);
}

term rule_bit_arith(struct terms *t, const struct form *f)
{
    if (f->width != 1)
        return TERM_NONE;
    if (f->op == OP_NEG)
        return f->kid[0];
    return build2(t, f->op == OP_MUL ? OP_AND : OP_XOR, 1, f->kid[0], f->kid[1]);
}

term rule_add_wide(struct terms *t, const struct form *f)
{
    term a = f->kid[0], b = f->nkids > 1 ? f->kid[1] : a;
    if (f->op == OP_NEG)
        return kind_of(t, a) == OP_NEG ? kid_of(t, a, 0) : TERM_NONE;
    if (is_zero(t, b))
        return a;
    if (f->op == OP_SUB) {
        if (a == b)
            return zero_of(t, f->width);
        return is_const(t, b) ? build2(t, OP_ADD, f->width, a, build1(t, OP_NEG, f->width, b)) : TERM_NONE;
    }
    if (kind_of(t, a) == OP_ADD && is_const(t, kid_of(t, a, 1))) {
        term x = kid_of(t, a, 0), c = kid_of(t, a, 1);
        if (is_const(t, b))
            return build2(t, OP_ADD, f->width, x, build2(t, OP_ADD, f->width, c, b));
        return build2(t, OP_ADD, f->width, build2(t, OP_ADD, f->width, x, b), c);
    }
    if (kind_of(t, b) == OP_ADD && is_const(t, kid_of(t, b, 1))) {
        term y = kid_of(t, b, 0), c = kid_of(t, b, 1);
        return build2(t, OP_ADD, f->width, build2(t, OP_ADD, f->width, a, y), c);
    }
    return TERM_NONE;
}

term rule_mul_wide(struct terms *t, const struct form *f)
{
    term a = f->kid[0], b = f->kid[1];
    if (is_zero(t, b))
        return b;
    if (is_one(t, b))
        return a;
    if (is_ones(t, b))
        return build1(t, OP_NEG, f->width, a);
    if (is_const(t, b) && kind_of(t, a) == OP_MUL && is_const(t, kid_of(t, a, 1)))
        return build2(t, OP_MUL, f->width, kid_of(t, a, 0), build2(t, OP_MUL, f->width, kid_of(t, a, 1), b));
    return TERM_NONE;
}

term rule_mul_neg(struct terms *t, const struct form *f)
{
    term a = f->kid[0], b = f->kid[1];
    if (kind_of(t, a) == OP_NEG)
        return build1(t, OP_NEG, f->width, build2(t, OP_MUL, f->width, kid_of(t, a, 0), b));
    if (kind_of(t, b) == OP_NEG)
        return build1(t, OP_NEG, f->width, build2(t, OP_MUL, f->width, a, kid_of(t, b, 0)));
    return TERM_NONE;
}

term rule_mul_chain(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; i < 2; i++) {
        term a = f->kid[i], b = f->kid[1 - i];
        if (kind_of(t, a) == OP_MUL && is_const(t, kid_of(t, a, 1)) && !is_const(t, b)) {
            term x = build2(t, OP_MUL, f->width, kid_of(t, a, 0), b);
            return build2(t, OP_MUL, f->width, x, kid_of(t, a, 1));
        }
    }
    /* x * (y * z) = (x * y) * z with x, y, z in order: one step at a time, the constructors do the rest */
    term a = f->kid[0], b = f->kid[1];
    if (kind_of(t, b) == OP_MUL)
        return build2(t, OP_MUL, f->width, build2(t, OP_MUL, f->width, a, kid_of(t, b, 0)), kid_of(t, b, 1));
    if (kind_of(t, a) == OP_MUL && kind_of(t, b) != OP_MUL && !is_const(t, b) && kid_of(t, a, 1) > b) {
        term x = build2(t, OP_MUL, f->width, kid_of(t, a, 0), b);
        return build2(t, OP_MUL, f->width, x, kid_of(t, a, 1));
    }
    return TERM_NONE;
}

/* ---- division ---- */

term rule_div_one(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    bool rem = f->op == OP_UREM || f->op == OP_SREM, sign = f->op == OP_SDIV || f->op == OP_SREM;
    if (is_ones(t, y) && sign)
        return rem ? zero_of(t, f->width) : build1(t, OP_NEG, f->width, x);
    if (!is_one(t, y))
        return TERM_NONE;
    return rem ? zero_of(t, f->width) : x;
}

term rule_div_pow2(struct terms *t, const struct form *f)
{
    unsigned k;
    if (!is_pow2(t, f->kid[1], &k) || k == 0)
        return TERM_NONE;
    term part =
        f->op == OP_UDIV ? term_extract(t, f->kid[0], k, f->width - k) : term_extract(t, f->kid[0], 0, k);
    return term_zext(t, part, f->width);
}

term rule_div_small(struct terms *t, const struct form *f)
{
    uint64_t lo, hi, dlo, dhi;
    if (f->width > 64)
        return TERM_NONE;
    term_range(t, f->kid[0], &lo, &hi);
    term_range(t, f->kid[1], &dlo, &dhi);
    if (hi >= dlo)
        return TERM_NONE;
    return f->op == OP_UDIV ? zero_of(t, f->width) : f->kid[0];
}

term rule_div_sign(struct terms *t, const struct form *f)
{
    if (!known_top_zero(t, f->kid[0]) || !known_top_zero(t, f->kid[1]))
        return TERM_NONE;
    /* x sdiv 0 is -1 for x >= 0, as x udiv 0 is all ones */
    return build2(t, f->op == OP_SDIV ? OP_UDIV : OP_UREM, f->width, f->kid[0], f->kid[1]);
}

term rule_div_narrow(struct terms *t, const struct form *f)
{
    unsigned ext = f->op == OP_SREM ? OP_SEXT : OP_ZEXT, width = 0;
    term x, y;
    if (kind_of(t, f->kid[0]) != ext || !narrow_operand(t, ext, f->kid[0], &width, &x) ||
        !narrow_operand(t, ext, f->kid[1], &width, &y))
        return TERM_NONE;
    /* x / 0 is all ones, of whichever width: only a divisor that is not zero can be narrowed */
    if (f->op == OP_UDIV && (!is_const(t, y) || is_zero(t, y)))
        return TERM_NONE;
    return build1(t, ext, f->width, build2(t, f->op, width, x, y));
}

/* ---- shifts ---- */

term rule_shift_zero(struct terms *t, const struct form *f)
{
    return is_zero(t, f->kid[1]) || is_zero(t, f->kid[0]) ? f->kid[0] : TERM_NONE;
}

/* A constant amount; all amounts past the width are the width. */
static bool amount_of(const struct terms *t, const struct form *f, unsigned *k)
{
    struct bits v;
    uint64_t n;
    if (!term_const_value(t, f->kid[1], &v))
        return false;
    *k = bits_to_u64(v, &n) && n < f->width ? (unsigned)n : f->width;
    return true;
}

term rule_shl_const(struct terms *t, const struct form *f)
{
    unsigned k;
    if (!amount_of(t, f, &k))
        return TERM_NONE;
    if (k == f->width)
        return zero_of(t, f->width);
    struct bits v = {{0}};
    v.w[k / 64] = UINT64_C(1) << k % 64;
    return build2(t, OP_MUL, f->width, f->kid[0], table_const(t, f->width, v));
}

term rule_lshr_const(struct terms *t, const struct form *f)
{
    unsigned k;
    if (!amount_of(t, f, &k))
        return TERM_NONE;
    if (k == f->width)
        return zero_of(t, f->width);
    return term_zext(t, term_extract(t, f->kid[0], k, f->width - k), f->width);
}

term rule_ashr_const(struct terms *t, const struct form *f)
{
    unsigned k;
    if (!amount_of(t, f, &k))
        return TERM_NONE;
    if (k == f->width)
        k--;
    return term_sext(t, term_extract(t, f->kid[0], k, f->width - k), f->width);
}

term rule_ashr_sign(struct terms *t, const struct form *f)
{
    return known_top_zero(t, f->kid[0]) ? build2(t, OP_LSHR, f->width, f->kid[0], f->kid[1]) : TERM_NONE;
}

term rule_shift_past(struct terms *t, const struct form *f)
{
    uint64_t lo, hi;
    if (f->width > 64)
        return TERM_NONE;
    term_range(t, f->kid[1], &lo, &hi);
    return lo >= f->width ? zero_of(t, f->width) : TERM_NONE;
}

/* ---- counting ---- */

term rule_count_known(struct terms *t, const struct form *f)
{
    struct term_known k = term_known(t, f->kid[0]);
    for (unsigned i = 0; f->op != OP_POPCNT && i < f->width; i++) {
        unsigned bit = f->op == OP_CLZ ? f->width - 1 - i : i;
        if (bits_bit(k.one, bit))
            return term_const(t, f->width, i);
        if (!bits_bit(k.zero, bit))
            break;
    }
    return TERM_NONE;
}

term rule_count_zext(struct terms *t, const struct form *f)
{
    if (kind_of(t, f->kid[0]) != OP_ZEXT)
        return TERM_NONE;
    term x = kid_of(t, f->kid[0], 0);
    unsigned from = width_of(t, x);
    term n = term_zext(t, build1(t, f->op, from, x), f->width);
    return f->op == OP_POPCNT ? n : term_add_const(t, n, f->width - from);
}
