/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integer vector operators, lane by lane. */
#include <assert.h>

#include "lift/vex/ops_row.h"
#include "lift/vex/pure.h"

struct lanes lanes_split(struct vex_ctx *c, ir_val x, unsigned w)
{
    struct lanes l = {.n = ir_width(c->b, x) / w};
    assert(l.n >= 1 && l.n <= MAX_LANES);
    for (unsigned i = 0; i < l.n; i++)
        l.v[i] = ir_extract(c->b, x, i * w, w);
    return l;
}

/* A balanced tree, so that a lane taken out again is found in a few steps. */
static ir_val join(struct vex_ctx *c, const ir_val *v, unsigned n)
{
    if (n == 1)
        return v[0];
    return ir_bin(c->b, OP_CONCAT, join(c, v + n / 2, n - n / 2), join(c, v, n / 2));
}

ir_val lanes_join(struct vex_ctx *c, const struct lanes *l)
{
    return join(c, l->v, l->n);
}

/* ---- one lane ---- */

static ir_val constant(struct vex_ctx *c, ir_val like, uint64_t value)
{
    return ir_const(c->b, ir_width(c->b, like), value);
}

ir_val lane_sign(struct vex_ctx *c, ir_val a)
{
    return ir_extract(c->b, a, ir_width(c->b, a) - 1, 1);
}

static ir_val extend(struct vex_ctx *c, bool is_signed, ir_val a, unsigned w)
{
    return is_signed ? ir_sext(c->b, a, w) : ir_zext(c->b, a, w);
}

static ir_val select(struct vex_ctx *c, enum op less, ir_val a, ir_val b, bool greater)
{
    ir_val first_is_less = ir_bin(c->b, less, a, b);
    return greater ? ir_ite(c->b, first_is_less, b, a) : ir_ite(c->b, first_is_less, a, b);
}

ir_val lane_bound(struct vex_ctx *c, ir_val a)
{
    unsigned w = ir_width(c->b, a);
    ir_val largest = ir_const(c->b, w, (UINT64_C(1) << (w - 1)) - 1);
    return ir_bin(c->b, OP_XOR, ir_sext(c->b, lane_sign(c, a), w), largest);
}

static ir_val add_saturated(struct vex_ctx *c, bool is_signed, ir_val a, ir_val b)
{
    ir_val sum = ir_bin(c->b, OP_ADD, a, b);
    if (!is_signed)
        return ir_ite(c->b, ir_bin(c->b, OP_ULT, sum, a), constant(c, a, UINT64_MAX), sum);
    ir_val over = ir_bin(c->b, OP_AND, ir_bin(c->b, OP_XOR, a, sum), ir_bin(c->b, OP_XOR, b, sum));
    return ir_ite(c->b, lane_sign(c, over), lane_bound(c, a), sum);
}

static ir_val sub_saturated(struct vex_ctx *c, bool is_signed, ir_val a, ir_val b)
{
    ir_val difference = ir_bin(c->b, OP_SUB, a, b);
    if (!is_signed)
        return ir_ite(c->b, ir_bin(c->b, OP_ULT, a, b), constant(c, a, 0), difference);
    ir_val over = ir_bin(c->b, OP_AND, ir_bin(c->b, OP_XOR, a, b), ir_bin(c->b, OP_XOR, a, difference));
    return ir_ite(c->b, lane_sign(c, over), lane_bound(c, a), difference);
}

/* One operand unsigned, the other signed: two bits more hold every sum. */
static ir_val add_mixed(struct vex_ctx *c, ir_val of_unsigned, ir_val of_signed, bool to_signed)
{
    unsigned w = ir_width(c->b, of_signed), wide = w + 2;
    ir_val sum = ir_bin(c->b, OP_ADD, ir_zext(c->b, of_unsigned, wide), ir_sext(c->b, of_signed, wide));
    ir_val ones = ir_const_bits(c->b, wide, bits_ones(to_signed ? w - 1 : w));
    ir_val least = to_signed ? ir_un(c->b, OP_NOT, ones) : ir_const(c->b, wide, 0);
    ir_val clamped = select(c, OP_SLT, select(c, OP_SLT, sum, ones, false), least, true);
    return ir_extract(c->b, clamped, 0, w);
}

/* Bits w to 1 of the sum or difference of the extended operands, after adding `carry`. */
static ir_val halved(struct vex_ctx *c, enum op op, bool is_signed, ir_val a, ir_val b, unsigned carry)
{
    unsigned w = ir_width(c->b, a);
    ir_val x = ir_bin(c->b, op, extend(c, is_signed, a, w + 1), extend(c, is_signed, b, w + 1));
    if (carry)
        x = ir_bin(c->b, OP_ADD, x, ir_const(c->b, w + 1, carry));
    return ir_extract(c->b, x, 1, w);
}

static ir_val product(struct vex_ctx *c, bool is_signed, ir_val a, ir_val b)
{
    unsigned w = ir_width(c->b, a);
    return ir_bin(c->b, OP_MUL, extend(c, is_signed, a, 2 * w), extend(c, is_signed, b, 2 * w));
}

static ir_val product_high(struct vex_ctx *c, bool is_signed, ir_val a, ir_val b)
{
    unsigned w = ir_width(c->b, a);
    return ir_extract(c->b, product(c, is_signed, a, b), w, w);
}

/* Only the square of the least value overflows when doubled; rounding cannot make another one overflow. */
static ir_val both_least(struct vex_ctx *c, ir_val a, ir_val b)
{
    ir_val least = constant(c, a, UINT64_C(1) << (ir_width(c->b, a) - 1));
    return ir_bin(c->b, OP_AND, ir_bin(c->b, OP_EQ, a, least), ir_bin(c->b, OP_EQ, b, least));
}

static ir_val product_doubled(struct vex_ctx *c, ir_val a, ir_val b)
{
    unsigned w = ir_width(c->b, a);
    ir_val p = product(c, true, a, b);
    ir_val largest = ir_const(c->b, 2 * w, (UINT64_C(1) << (2 * w - 1)) - 1);
    return ir_ite(c->b, both_least(c, a, b), largest, ir_bin(c->b, OP_ADD, p, p));
}

static ir_val product_doubled_high(struct vex_ctx *c, ir_val a, ir_val b, bool rounded)
{
    unsigned w = ir_width(c->b, a);
    ir_val p = product(c, true, a, b);
    p = ir_bin(c->b, OP_ADD, p, p);
    if (rounded)
        p = ir_bin(c->b, OP_ADD, p, ir_const(c->b, 2 * w, UINT64_C(1) << (w - 1)));
    ir_val largest = ir_const(c->b, w, (UINT64_C(1) << (w - 1)) - 1);
    return ir_ite(c->b, both_least(c, a, b), largest, ir_extract(c->b, p, w, w));
}

/* Carry-less product, twice as wide. */
static ir_val polynomial(struct vex_ctx *c, ir_val a, ir_val b)
{
    unsigned w = ir_width(c->b, a);
    ir_val sum = ir_const(c->b, 2 * w, 0);
    ir_val wide = ir_zext(c->b, a, 2 * w);
    for (unsigned i = 0; i < w; i++) {
        ir_val mask = ir_sext(c->b, ir_extract(c->b, b, i, 1), 2 * w);
        ir_val shifted = ir_bin(c->b, OP_SHL, wide, ir_const(c->b, 2 * w, i));
        sum = ir_bin(c->b, OP_XOR, sum, ir_bin(c->b, OP_AND, mask, shifted));
    }
    return sum;
}

ir_val vex_lane2(struct vex_ctx *c, unsigned kind, ir_val a, ir_val b)
{
    if (kind < OP_COUNT_)
        return ir_bin(c->b, kind, a, b);
    unsigned w = ir_width(c->b, a);
    switch ((enum lane_kind)kind) {
    case LANE_EQ: return ir_sext(c->b, ir_bin(c->b, OP_EQ, a, b), w);
    case LANE_GT_S: return ir_sext(c->b, ir_bin(c->b, OP_SLT, b, a), w);
    case LANE_GT_U: return ir_sext(c->b, ir_bin(c->b, OP_ULT, b, a), w);
    case LANE_MAX_S: return select(c, OP_SLT, a, b, true);
    case LANE_MAX_U: return select(c, OP_ULT, a, b, true);
    case LANE_MIN_S: return select(c, OP_SLT, a, b, false);
    case LANE_MIN_U: return select(c, OP_ULT, a, b, false);
    case LANE_AVG_S: return halved(c, OP_ADD, true, a, b, 1);
    case LANE_AVG_U: return halved(c, OP_ADD, false, a, b, 1);
    case LANE_QADD_S: return add_saturated(c, true, a, b);
    case LANE_QADD_U: return add_saturated(c, false, a, b);
    case LANE_QSUB_S: return sub_saturated(c, true, a, b);
    case LANE_QSUB_U: return sub_saturated(c, false, a, b);
    case LANE_QADD_US_S: return add_mixed(c, a, b, true);
    case LANE_QADD_SU_U: return add_mixed(c, b, a, false);
    case LANE_HADD_S: return halved(c, OP_ADD, true, a, b, 0);
    case LANE_HADD_U: return halved(c, OP_ADD, false, a, b, 0);
    case LANE_HSUB_S: return halved(c, OP_SUB, true, a, b, 0);
    case LANE_HSUB_U: return halved(c, OP_SUB, false, a, b, 0);
    case LANE_MULHI_S: return product_high(c, true, a, b);
    case LANE_MULHI_U: return product_high(c, false, a, b);
    case LANE_QDMULHI: return product_doubled_high(c, a, b, false);
    case LANE_QRDMULHI: return product_doubled_high(c, a, b, true);
    case LANE_POLYMUL: return ir_extract(c->b, polynomial(c, a, b), 0, w);
    case LANE_SHL:
    case LANE_SHR:
    case LANE_SAR:
    case LANE_ROL:
    case LANE_SH_S:
    case LANE_SH_U:
    case LANE_RSH_S:
    case LANE_RSH_U:
    case LANE_QSH_S:
    case LANE_QSH_U:
    case LANE_QRSH_S:
    case LANE_QRSH_U: return vex_lane_shift(c, kind, a, b, NULL);
    default: break;
    }
    assert(!"a lane operator of two operands");
    return IR_NONE;
}

ir_val vex_lane1(struct vex_ctx *c, unsigned kind, ir_val a)
{
    if (kind < OP_COUNT_)
        return ir_un(c->b, kind, a);
    unsigned w = ir_width(c->b, a);
    switch ((enum lane_kind)kind) {
    case LANE_ABS: return ir_ite(c->b, lane_sign(c, a), ir_un(c->b, OP_NEG, a), a);
    case LANE_NEZ: {
        ir_val zero = ir_bin(c->b, OP_EQ, a, constant(c, a, 0));
        return ir_sext(c->b, ir_un(c->b, OP_NOT, zero), w);
    }
    case LANE_CLS: {
        /* Leading bits equal to the sign, the sign itself not counted: those that a ^ (a >> 1) has clear. */
        ir_val changes = ir_bin(c->b, OP_XOR, a, ir_bin(c->b, OP_ASHR, a, constant(c, a, 1)));
        return ir_bin(c->b, OP_SUB, ir_un(c->b, OP_CLZ, changes), constant(c, a, 1));
    }
    case LANE_REVERSE_BITS: {
        ir_val bit[MAX_LANES];
        for (unsigned i = 0; i < w; i++)
            bit[i] = ir_extract(c->b, a, w - 1 - i, 1);
        return join(c, bit, w);
    }
    case LANE_RECIP_EST: return vex_pure_call(c, VEX_PURE_ARM_RECIP_EST_U32, &a, 1);
    case LANE_RSQRT_EST: return vex_pure_call(c, VEX_PURE_ARM_RSQRT_EST_U32, &a, 1);
    default: break;
    }
    assert(!"a lane operator of one operand");
    return IR_NONE;
}

/* ---- whole vectors ---- */

static ir_val map1(struct vex_ctx *c, const struct op_row *r, ir_val a)
{
    struct lanes x = lanes_split(c, a, r->w);
    for (unsigned i = 0; i < x.n; i++)
        x.v[i] = vex_lane1(c, r->kind, x.v[i]);
    return lanes_join(c, &x);
}

static ir_val map2(struct vex_ctx *c, const struct op_row *r, ir_val a, ir_val b)
{
    struct lanes x = lanes_split(c, a, r->w), y = lanes_split(c, b, r->w);
    for (unsigned i = 0; i < x.n; i++)
        x.v[i] = vex_lane2(c, r->kind, x.v[i], y.v[i]);
    return lanes_join(c, &x);
}

static ir_val pairwise(struct vex_ctx *c, const struct op_row *r, ir_val a, ir_val b)
{
    struct lanes x = lanes_split(c, a, r->w), y = lanes_split(c, b, r->w), out = {.n = x.n};
    for (unsigned i = 0; i < x.n / 2; i++) {
        out.v[i] = vex_lane2(c, r->kind, x.v[2 * i], x.v[2 * i + 1]);
        out.v[x.n / 2 + i] = vex_lane2(c, r->kind, y.v[2 * i], y.v[2 * i + 1]);
    }
    return lanes_join(c, &out);
}

static ir_val pair_long(struct vex_ctx *c, const struct op_row *r, ir_val a)
{
    struct lanes x = lanes_split(c, a, r->w), out = {.n = x.n / 2};
    for (unsigned i = 0; i < out.n; i++)
        out.v[i] = ir_bin(c->b, OP_ADD, extend(c, r->kind, x.v[2 * i], 2 * r->w),
                          extend(c, r->kind, x.v[2 * i + 1], 2 * r->w));
    return lanes_join(c, &out);
}

static ir_val long_product(struct vex_ctx *c, unsigned kind, ir_val a, ir_val b)
{
    switch ((enum mull_kind)kind) {
    case MULL_U: return product(c, false, a, b);
    case MULL_S: return product(c, true, a, b);
    case MULL_QD: return product_doubled(c, a, b);
    case MULL_POLY: return polynomial(c, a, b);
    }
    return IR_NONE;
}

static ir_val mull(struct vex_ctx *c, const struct op_row *r, ir_val a, ir_val b)
{
    struct lanes x = lanes_split(c, a, r->w), y = lanes_split(c, b, r->w);
    unsigned step = r->class == CLASS_MULL_EVEN ? 2 : 1;
    struct lanes out = {.n = x.n / step};
    for (unsigned i = 0; i < out.n; i++)
        out.v[i] = long_product(c, r->kind, x.v[i * step], y.v[i * step]);
    return lanes_join(c, &out);
}

/* ---- narrowing ---- */

ir_val vex_lane_narrow(struct vex_ctx *c, unsigned kind, ir_val a, ir_val *saturated)
{
    unsigned w = ir_width(c->b, a), to = w / 2;
    ir_val cut = ir_extract(c->b, a, 0, to);
    if (kind == NARROW)
        return cut;
    uint64_t ones = (UINT64_C(1) << to) - 1;
    uint64_t most = kind == NARROW_SS ? ones >> 1 : ones;
    /* The least value as a number of width w. */
    uint64_t least = kind == NARROW_SS ? ~(ones >> 1) : 0;
    ir_val above = ir_bin(c->b, kind == NARROW_UU ? OP_ULT : OP_SLT, ir_const(c->b, w, most), a);
    ir_val result = ir_ite(c->b, above, ir_const(c->b, to, most), cut);
    ir_val out = above;
    if (kind != NARROW_UU) {
        ir_val below = ir_bin(c->b, OP_SLT, a, ir_const(c->b, w, least));
        result = ir_ite(c->b, below, ir_const(c->b, to, least), result);
        out = ir_bin(c->b, OP_OR, above, below);
    }
    if (saturated != NULL)
        *saturated = out;
    return result;
}

static ir_val narrow(struct vex_ctx *c, const struct op_row *r, const ir_val *arg, unsigned nargs)
{
    struct lanes out = {.n = 0};
    for (unsigned i = nargs; i-- > 0;) {
        struct lanes x = lanes_split(c, arg[i], r->w);
        for (unsigned j = 0; j < x.n; j++)
            out.v[out.n++] = vex_lane_narrow(c, r->kind, x.v[j], NULL);
    }
    return lanes_join(c, &out);
}

/* ---- shifts of a vector ---- */

/* VEX returns a saturation flag as the lowest bit of an upper half that is otherwise zero. */
static ir_val with_flag(struct vex_ctx *c, ir_val flag, ir_val x)
{
    return ir_bin(c->b, OP_CONCAT, ir_zext(c->b, flag, ir_width(c->b, x)), x);
}

static ir_val shift_narrow(struct vex_ctx *c, const struct op_row *r, ir_val a, ir_val by)
{
    struct lanes x = lanes_split(c, a, r->w);
    unsigned kind = r->kind & ~(unsigned)ROUND;
    bool is_signed = kind != NARROW_UU;
    ir_val amount = ir_un(c->b, OP_NEG, ir_zext(c->b, by, r->w));
    unsigned shift = r->kind & ROUND ? (is_signed ? LANE_RSH_S : LANE_RSH_U) : (is_signed ? LANE_SH_S : LANE_SH_U);
    ir_val any = ir_const(c->b, 1, 0);
    for (unsigned i = 0; i < x.n; i++) {
        ir_val saturated;
        x.v[i] = vex_lane_narrow(c, kind, vex_lane_shift(c, shift, x.v[i], amount, NULL), &saturated);
        any = ir_bin(c->b, OP_OR, any, saturated);
    }
    return with_flag(c, any, lanes_join(c, &x));
}

static ir_val shift_flag(struct vex_ctx *c, const struct op_row *r, ir_val a, ir_val b)
{
    struct lanes x = lanes_split(c, a, r->w), y = lanes_split(c, b, r->w);
    ir_val any = ir_const(c->b, 1, 0);
    for (unsigned i = 0; i < x.n; i++) {
        ir_val saturated;
        x.v[i] = vex_lane_shift(c, r->kind, x.v[i], y.v[i], &saturated);
        any = ir_bin(c->b, OP_OR, any, saturated);
    }
    return with_flag(c, any, lanes_join(c, &x));
}

static ir_val shift_n(struct vex_ctx *c, const struct op_row *r, ir_val a, ir_val by)
{
    struct lanes x = lanes_split(c, a, r->w);
    ir_val amount = ir_zext(c->b, by, r->w);
    for (unsigned i = 0; i < x.n; i++) {
        if (r->kind < OP_COUNT_) {
            x.v[i] = ir_bin(c->b, r->kind, x.v[i], amount);
        } else if (r->kind == QSHL_SU) {
            /* A negative number saturates to 0, any other is shifted as an unsigned one. */
            ir_val shifted = vex_lane_shift(c, LANE_QSH_U, x.v[i], amount, NULL);
            x.v[i] = ir_ite(c->b, lane_sign(c, x.v[i]), ir_const(c->b, r->w, 0), shifted);
        } else {
            x.v[i] = vex_lane_shift(c, r->kind == QSHL_SS ? LANE_QSH_S : LANE_QSH_U, x.v[i], amount, NULL);
        }
    }
    return lanes_join(c, &x);
}

/* ---- the rest ---- */

static ir_val sign_bits(struct vex_ctx *c, ir_val a)
{
    struct lanes x = lanes_split(c, a, 8);
    for (unsigned i = 0; i < x.n; i++)
        x.v[i] = lane_sign(c, x.v[i]);
    return lanes_join(c, &x);
}

static ir_val sum_of_differences(struct vex_ctx *c, ir_val a, ir_val b)
{
    struct lanes x = lanes_split(c, a, 8), y = lanes_split(c, b, 8);
    unsigned w = ir_width(c->b, a);
    ir_val sum = ir_const(c->b, w, 0);
    for (unsigned i = 0; i < x.n; i++) {
        ir_val more = select(c, OP_ULT, x.v[i], y.v[i], true), less = select(c, OP_ULT, x.v[i], y.v[i], false);
        sum = ir_bin(c->b, OP_ADD, sum, ir_zext(c->b, ir_bin(c->b, OP_SUB, more, less), w));
    }
    return sum;
}

/* pmaddubsw: unsigned bytes of the first operand times signed bytes of the second, neighbours added, saturated. */
static ir_val multiply_add_bytes(struct vex_ctx *c, ir_val a, ir_val b)
{
    struct lanes x = lanes_split(c, a, 8), y = lanes_split(c, b, 8), out = {.n = x.n / 2};
    for (unsigned i = 0; i < out.n; i++) {
        ir_val even = ir_bin(c->b, OP_MUL, ir_zext(c->b, x.v[2 * i], 16), ir_sext(c->b, y.v[2 * i], 16));
        ir_val odd = ir_bin(c->b, OP_MUL, ir_zext(c->b, x.v[2 * i + 1], 16), ir_sext(c->b, y.v[2 * i + 1], 16));
        out.v[i] = add_saturated(c, true, even, odd);
    }
    return lanes_join(c, &out);
}

static ir_val widen(struct vex_ctx *c, ir_val a, unsigned w, bool is_signed)
{
    struct lanes x = lanes_split(c, a, w);
    for (unsigned i = 0; i < x.n; i++)
        x.v[i] = extend(c, is_signed, x.v[i], 2 * w);
    return lanes_join(c, &x);
}

static ir_val vector(struct vex_ctx *c, const struct op_row *r, const ir_val *arg)
{
    unsigned w = ir_width(c->b, arg[0]);
    switch ((enum vector_kind)r->kind) {
    case VECTOR_MSBS: return sign_bits(c, arg[0]);
    case VECTOR_SAD: return sum_of_differences(c, arg[0], arg[1]);
    case VECTOR_MADD_UBSW: return multiply_add_bytes(c, arg[0], arg[1]);
    case VECTOR_WIDEN_S: return widen(c, arg[0], r->w, true);
    case VECTOR_WIDEN_U: return widen(c, arg[0], r->w, false);
    case VECTOR_SET_LOW: return ir_bin(c->b, OP_CONCAT, ir_extract(c->b, arg[0], r->w, w - r->w), arg[1]);
    case VECTOR_KEEP_LOW: return ir_zext(c->b, ir_extract(c->b, arg[0], 0, r->w), w);
    }
    return IR_NONE;
}

ir_val vex_simd(struct vex_ctx *c, const struct op_row *r, const ir_val *arg, unsigned nargs)
{
    switch ((enum op_class)r->class) {
    case CLASS_MAP1: return map1(c, r, arg[0]);
    case CLASS_MAP2: return map2(c, r, arg[0], arg[1]);
    case CLASS_SHIFT_N: return shift_n(c, r, arg[0], arg[1]);
    case CLASS_PAIRWISE: return pairwise(c, r, arg[0], arg[1]);
    case CLASS_PAIR_LONG: return pair_long(c, r, arg[0]);
    case CLASS_MULL:
    case CLASS_MULL_EVEN: return mull(c, r, arg[0], arg[1]);
    case CLASS_NARROW: return narrow(c, r, arg, nargs);
    case CLASS_SHIFT_NARROW: return shift_narrow(c, r, arg[0], arg[1]);
    case CLASS_SHIFT_FLAG: return shift_flag(c, r, arg[0], arg[1]);
    default: return vector(c, r, arg);
    }
}
