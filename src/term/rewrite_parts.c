/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of extract, concat and the extensions: parts move inward to where the bits come from, then join
 * again. */
#include "term/internal.h"

bool narrow_operand(struct terms *t, unsigned ext, term x, unsigned *width, term *out)
{
    struct bits v;
    if (kind_of(t, x) == ext && (*width == 0 || width_of(t, kid_of(t, x, 0)) == *width)) {
        *out = kid_of(t, x, 0);
        *width = width_of(t, *out);
        return true;
    }
    if (*width == 0 || !term_const_value(t, x, &v))
        return false;
    *out = term_const_bits(t, *width, v);
    unsigned from = *width, to = width_of(t, x);
    struct bits low = bits_mask(v, from);
    return bits_eq(bits_apply((enum op)ext, to, &low, &from, 0), v);
}

/* ---- extract ---- */

term rule_extract_all(struct terms *t, const struct form *f)
{
    return f->width == width_of(t, f->kid[0]) ? f->kid[0] : TERM_NONE;
}

term rule_extract_extract(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    if (kind_of(t, x) != OP_EXTRACT)
        return TERM_NONE;
    return term_extract(t, kid_of(t, x, 0), f->lo + term_extract_lo(t, x), f->width);
}

term rule_extract_concat(struct terms *t, const struct form *f)
{
    if (kind_of(t, f->kid[0]) != OP_CONCAT)
        return TERM_NONE;
    term hi = kid_of(t, f->kid[0], 0), lo = kid_of(t, f->kid[0], 1);
    unsigned n = width_of(t, lo);
    if (f->lo >= n)
        return term_extract(t, hi, f->lo - n, f->width);
    if (f->lo + f->width <= n)
        return term_extract(t, lo, f->lo, f->width);
    return term_concat(t, term_extract(t, hi, 0, f->lo + f->width - n),
                       term_extract(t, lo, f->lo, n - f->lo));
}

term rule_extract_zext(struct terms *t, const struct form *f)
{
    if (kind_of(t, f->kid[0]) != OP_ZEXT)
        return TERM_NONE;
    term x = kid_of(t, f->kid[0], 0);
    unsigned n = width_of(t, x);
    if (f->lo >= n)
        return zero_of(t, f->width);
    if (f->lo + f->width <= n)
        return term_extract(t, x, f->lo, f->width);
    return term_zext(t, term_extract(t, x, f->lo, n - f->lo), f->width);
}

term rule_extract_sext(struct terms *t, const struct form *f)
{
    if (kind_of(t, f->kid[0]) != OP_SEXT)
        return TERM_NONE;
    term x = kid_of(t, f->kid[0], 0);
    unsigned n = width_of(t, x);
    if (f->lo + f->width <= n)
        return term_extract(t, x, f->lo, f->width);
    unsigned lo = f->lo < n ? f->lo : n - 1;
    return term_sext(t, term_extract(t, x, lo, n - lo), f->width);
}

term rule_extract_ite(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    if (kind_of(t, x) != OP_ITE)
        return TERM_NONE;
    term c = kid_of(t, x, 0), y = kid_of(t, x, 2);
    x = term_extract(t, kid_of(t, x, 1), f->lo, f->width);
    return term_ite(t, c, x, term_extract(t, y, f->lo, f->width));
}

static bool is_bitwise(unsigned op)
{
    return op == OP_AND || op == OP_OR || op == OP_XOR || op == OP_NOT;
}

/* Not more than *left bitwise operators on top of x. */
static bool few_bitwise(const struct terms *t, term x, unsigned *left)
{
    if (!is_bitwise(kind_of(t, x)))
        return true;
    if (!*left)
        return false;
    --*left;
    return few_bitwise(t, kid_of(t, x, 0), left) &&
           (kind_of(t, x) == OP_NOT || few_bitwise(t, kid_of(t, x, 1), left));
}

term rule_extract_bitwise(struct terms *t, const struct form *f)
{
    enum { BITWISE_MAX = 8 }; /* hash functions nest them, shifted, without end */
    term x = f->kid[0];
    unsigned op = kind_of(t, x), left = BITWISE_MAX;
    if (!is_bitwise(op) || !few_bitwise(t, x, &left))
        return TERM_NONE;
    term a = term_extract(t, kid_of(t, x, 0), f->lo, f->width);
    if (op == OP_NOT)
        return term_not(t, a);
    return build2(t, op, f->width, a, term_extract(t, kid_of(t, x, 1), f->lo, f->width));
}

/* A sum of many. Its bits at a width that is no machine's are not taken apart: there would be sums of rotated
 * sums at every width that rotating comes by. */
static bool is_long_sum(const struct terms *t, term x)
{
    enum { FEW = 2 };
    term todo[FEW + 2] = {x};
    unsigned n = 1, addends = 1;
    while (n && addends <= FEW) {
        x = todo[--n];
        if (kind_of(t, x) != OP_ADD && kind_of(t, x) != OP_SUB)
            continue;
        addends++;
        todo[n++] = kid_of(t, x, 0);
        todo[n++] = kid_of(t, x, 1);
    }
    return addends > FEW;
}

static bool is_machine_width(unsigned width)
{
    return width % 8 == 0 && (width & (width - 1)) == 0;
}

term rule_extract_low(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    unsigned op = kind_of(t, x);
    if (f->lo != 0 || (!is_machine_width(f->width) && is_long_sum(t, x)) ||
        (op != OP_ADD && op != OP_SUB && op != OP_MUL && op != OP_NEG))
        return TERM_NONE;
    term a = term_extract(t, kid_of(t, x, 0), 0, f->width);
    if (op == OP_NEG)
        return build1(t, OP_NEG, f->width, a);
    return build2(t, op, f->width, a, term_extract(t, kid_of(t, x, 1), 0, f->width));
}

term rule_extract_scaled(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    unsigned k, end = f->lo + f->width;
    if (f->lo && (kind_of(t, x) == OP_ADD || kind_of(t, x) == OP_SUB) &&
        (x = linear_unscale(t, x, f->lo)) != TERM_NONE)
        return term_extract(t, x, 0, f->width);
    x = f->kid[0];
    if (kind_of(t, x) != OP_MUL || !is_pow2(t, kid_of(t, x, 1), &k))
        return TERM_NONE;
    x = kid_of(t, x, 0);
    if (f->lo >= k)
        return term_extract(t, x, f->lo - k, f->width);
    if (end <= k)
        return zero_of(t, f->width);
    return term_concat(t, term_extract(t, x, 0, end - k), zero_of(t, k - f->lo));
}

/* Low bits of a quotient of extended numbers. A zero divisor gives all ones (or +-1) at both widths, and the
 * least number divided by -1 has the same low bits at both. */
term rule_extract_div(struct terms *t, const struct form *f)
{
    term q = f->kid[0], x, y;
    unsigned op = kind_of(t, q), ext = op == OP_UDIV ? OP_ZEXT : OP_SEXT, width = 0;
    if ((op != OP_UDIV && op != OP_SDIV) || f->lo != 0)
        return TERM_NONE;
    bool fits = narrow_operand(t, ext, kid_of(t, q, 0), &width, &x) &&
                narrow_operand(t, ext, kid_of(t, q, 1), &width, &y);
    if (!fits) {
        width = 0;
        fits = narrow_operand(t, ext, kid_of(t, q, 1), &width, &y) &&
               narrow_operand(t, ext, kid_of(t, q, 0), &width, &x);
    }
    if (!fits || f->width > width)
        return TERM_NONE;
    return term_extract(t, build2(t, op, width, x, y), 0, f->width);
}

term rule_extract_read(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    if (kind_of(t, x) != TERM_READ)
        return TERM_NONE;
    term array = kid_of(t, x, 0), index = kid_of(t, x, 1);
    unsigned cw = term_cell_width(t, array);
    if (f->lo % cw || f->width % cw)
        return TERM_NONE;
    return term_read(t, array, term_add_const(t, index, f->lo / cw), f->width);
}

term rule_extract_known(struct terms *t, const struct form *f)
{
    struct term_known k = term_known(t, f->kid[0]);
    unsigned n = width_of(t, f->kid[0]);
    struct bits zero = bits_apply(OP_EXTRACT, f->width, &k.zero, &n, f->lo);
    struct bits one = bits_apply(OP_EXTRACT, f->width, &k.one, &n, f->lo);
    struct bits both[2] = {zero, one};
    unsigned widths[2] = {f->width, f->width};
    if (!bits_eq(bits_apply(OP_OR, f->width, both, widths, 0), bits_ones(f->width)))
        return TERM_NONE;
    return table_const(t, f->width, one);
}

term rule_extract_clz(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    unsigned n = width_of(t, x);
    if ((kind_of(t, x) != OP_CLZ && kind_of(t, x) != OP_CTZ) || f->width != 1 || n < 2 || (n & (n - 1)) ||
        n != 1u << f->lo)
        return TERM_NONE;
    return term_eq(t, kid_of(t, x, 0), zero_of(t, n));
}

/* ---- concat ---- */

term rule_concat_zero(struct terms *t, const struct form *f)
{
    return is_zero(t, f->kid[0]) ? term_zext(t, f->kid[1], f->width) : TERM_NONE;
}

term rule_concat_right(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    if (kind_of(t, x) != OP_CONCAT)
        return TERM_NONE;
    term y = term_concat(t, kid_of(t, x, 1), f->kid[1]);
    return term_concat(t, kid_of(t, x, 0), y);
}

term rule_concat_zext(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    unsigned ext = kind_of(t, x);
    if (ext != OP_ZEXT && ext != OP_SEXT)
        return TERM_NONE;
    return build1(t, ext, f->width, term_concat(t, kid_of(t, x, 0), f->kid[1]));
}

/* hi : lo as one thing, or TERM_NONE. */
static term joined(struct terms *t, term hi, term lo)
{
    unsigned n = width_of(t, lo), total = n + width_of(t, hi);
    if (is_const(t, hi) && is_const(t, lo))
        return term_concat(t, hi, lo);
    if (kind_of(t, hi) == OP_EXTRACT && kind_of(t, lo) == OP_EXTRACT &&
        kid_of(t, hi, 0) == kid_of(t, lo, 0) && term_extract_lo(t, hi) == term_extract_lo(t, lo) + n)
        return term_extract(t, kid_of(t, lo, 0), term_extract_lo(t, lo), total);
    if (kind_of(t, hi) == TERM_READ && kind_of(t, lo) == TERM_READ && kid_of(t, hi, 0) == kid_of(t, lo, 0)) {
        term array = kid_of(t, lo, 0);
        unsigned cw = term_cell_width(t, array), iw = term_index_width(t, array);
        uint64_t d;
        if (linear_difference(t, kid_of(t, hi, 1), kid_of(t, lo, 1), &d) && d == n / cw &&
            (iw >= 32 || total / cw <= 1u << iw))
            return term_read(t, array, kid_of(t, lo, 1), total);
    }
    return TERM_NONE;
}

term rule_concat_join(struct terms *t, const struct form *f)
{
    term hi = f->kid[0], lo = f->kid[1], x = joined(t, hi, lo);
    if (x != TERM_NONE)
        return x;
    if (kind_of(t, lo) == OP_CONCAT) {
        x = joined(t, hi, kid_of(t, lo, 0));
        return x == TERM_NONE ? x : term_concat(t, x, kid_of(t, lo, 1));
    }
    if (kind_of(t, lo) == OP_ZEXT && is_const(t, hi)) {
        term y = kid_of(t, lo, 0);
        x = term_concat(t, hi, zero_of(t, width_of(t, lo) - width_of(t, y)));
        return term_concat(t, x, y);
    }
    return TERM_NONE;
}

term rule_concat_sign(struct terms *t, const struct form *f)
{
    term s = f->kid[0], x = f->kid[1];
    if (width_of(t, s) != 1 || is_const(t, s) || term_extract(t, x, width_of(t, x) - 1, 1) != s)
        return TERM_NONE;
    return term_sext(t, x, f->width);
}

term rule_concat_ite(struct terms *t, const struct form *f)
{
    term hi = f->kid[0], lo = f->kid[1];
    if (kind_of(t, hi) != OP_ITE || kind_of(t, lo) != OP_ITE || kid_of(t, hi, 0) != kid_of(t, lo, 0))
        return TERM_NONE;
    term x = term_concat(t, kid_of(t, hi, 1), kid_of(t, lo, 1));
    term y = term_concat(t, kid_of(t, hi, 2), kid_of(t, lo, 2));
    return term_ite(t, kid_of(t, hi, 0), x, y);
}

/* ---- extensions ---- */

term rule_zext_chain(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    if (f->width == width_of(t, x))
        return x;
    return kind_of(t, x) == OP_ZEXT ? term_zext(t, kid_of(t, x, 0), f->width) : TERM_NONE;
}

term rule_sext_chain(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    if (f->width == width_of(t, x))
        return x;
    if (kind_of(t, x) == OP_SEXT)
        return term_sext(t, kid_of(t, x, 0), f->width);
    if (kind_of(t, x) == OP_ZEXT && width_of(t, kid_of(t, x, 0)) < width_of(t, x))
        return term_zext(t, kid_of(t, x, 0), f->width);
    return TERM_NONE;
}

term rule_sext_sign(struct terms *t, const struct form *f)
{
    return known_top_zero(t, f->kid[0]) ? term_zext(t, f->kid[0], f->width) : TERM_NONE;
}
