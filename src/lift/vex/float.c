/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floating-point operators, scalar and lane by lane.
 *
 * Operators of base/op.h yield the one canonical NaN. What the guest's processor yields is put in its place:
 *   x86     the first NaN operand made quiet, else the default NaN, which is negative (Intel SDM vol. 1, 4.8.3.5)
 *   Arm     the first signalling NaN operand made quiet, else the first quiet one, else the default NaN, which is
 *           the canonical one (Arm ARM, FPProcessNaNs); Advanced SIMD of 32-bit Arm always the default NaN
 * Advanced SIMD of 32-bit Arm also treats subnormal operands and results as zero (StandardFPSCRValue). */
#include <assert.h>


#include "lift/vex/arm64_exact.h"
#include "lift/vex/ops_row.h"
#include "lift/vex/pure.h"

/* ---- pieces of a float ---- */

unsigned float_fraction(unsigned w)
{
    switch (w) {
    case 16: return 10;
    case 32: return 23;
    case 64: return 52;
    default: assert(w == 128); return 112;
    }
}

static ir_val one_bit(struct vex_ctx *c, unsigned w, unsigned position)
{
    struct bits x = {{0}};
    x.w[position / 64] = UINT64_C(1) << position % 64;
    return ir_const_bits(c->b, w, x);
}

/* From an exponent field and the uppermost bits of the fraction. */
static ir_val assemble(struct vex_ctx *c, unsigned w, bool negative, unsigned exponent, unsigned fraction_top2)
{
    unsigned p = float_fraction(w);
    uint64_t top = (uint64_t)negative << (w - p + 1) | (uint64_t)exponent << 2 | fraction_top2;
    ir_val upper = ir_const(c->b, w - p + 2, top);
    return ir_bin(c->b, OP_CONCAT, upper, ir_const(c->b, p - 2, 0));
}

static unsigned max_exponent(unsigned w)
{
    return (1u << (w - 1 - float_fraction(w))) - 1;
}

ir_val float_power(struct vex_ctx *c, unsigned w, bool negative, int exponent)
{
    return assemble(c, w, negative, (unsigned)((int)(max_exponent(w) / 2) + exponent), 0);
}

static ir_val compare(struct vex_ctx *c, enum op op, ir_val a, ir_val b)
{
    return ir_op(c->b, op, 1, (ir_val[]){a, b}, 2);
}

ir_val float_is_nan(struct vex_ctx *c, ir_val a)
{
    return compare(c, OP_FUNORD, a, a);
}

ir_val float_quiet(struct vex_ctx *c, ir_val a)
{
    unsigned w = ir_width(c->b, a);
    return ir_bin(c->b, OP_OR, a, one_bit(c, w, float_fraction(w) - 1));
}

static ir_val is_signalling(struct vex_ctx *c, ir_val a)
{
    ir_val quiet_bit = ir_extract(c->b, a, float_fraction(ir_width(c->b, a)) - 1, 1);
    return ir_bin(c->b, OP_AND, float_is_nan(c, a), ir_un(c->b, OP_NOT, quiet_bit));
}

static ir_val default_nan(struct vex_ctx *c, unsigned w)
{
    return assemble(c, w, guest_is_x86(c), max_exponent(w), 2);
}

static ir_val negate(struct vex_ctx *c, ir_val a)
{
    unsigned w = ir_width(c->b, a);
    return ir_bin(c->b, OP_XOR, a, one_bit(c, w, w - 1));
}

ir_val float_mode(struct vex_ctx *c, const ir_val *vex_mode, unsigned otherwise)
{
    return vex_mode ? ir_extract(c->b, *vex_mode, 0, OP_RM_WIDTH) : ir_const(c->b, OP_RM_WIDTH, otherwise);
}

bool float_is_neon(const struct vex_ctx *c, ir_val vector, unsigned w)
{
    return c->arch == MACHINE_ARM && ir_width(c->b, vector) > w;
}

ir_val float_flush(struct vex_ctx *c, ir_val a)
{
    unsigned w = ir_width(c->b, a), p = float_fraction(w);
    ir_val exponent = ir_extract(c->b, a, p, w - 1 - p);
    ir_val tiny = ir_bin(c->b, OP_EQ, exponent, ir_const(c->b, w - 1 - p, 0));
    ir_val zero = ir_bin(c->b, OP_CONCAT, lane_sign(c, a), ir_const(c->b, w - 1, 0));
    return ir_ite(c->b, tiny, zero, a);
}

/* The NaN that an operation on these operands yields; `otherwise` when none of them is one. */
static ir_val chosen_nan(struct vex_ctx *c, const ir_val *x, unsigned n, ir_val otherwise)
{
    ir_val result = otherwise;
    for (unsigned i = n; i-- > 0;)
        result = ir_ite(c->b, float_is_nan(c, x[i]), float_quiet(c, x[i]), result);
    if (guest_is_x86(c) || n < 2)
        return result;
    for (unsigned i = n; i-- > 0;)
        result = ir_ite(c->b, is_signalling(c, x[i]), float_quiet(c, x[i]), result);
    return result;
}

/* The result r of an operation on the operands x, with the right NaN when it is one. */
static ir_val settle(struct vex_ctx *c, bool neon, ir_val r, const ir_val *x, unsigned n)
{
    if (neon)
        return float_flush(c, r);
    ir_val nan = chosen_nan(c, x, n, default_nan(c, ir_width(c->b, r)));
    return ir_ite(c->b, float_is_nan(c, r), nan, r);
}

/* ---- minimum and maximum ---- */

/* minps and maxps: the second operand unless the first is strictly less (greater). */
static ir_val x86_extreme(struct vex_ctx *c, bool max, ir_val a, ir_val b)
{
    return ir_ite(c->b, max ? compare(c, OP_FLT, b, a) : compare(c, OP_FLT, a, b), a, b);
}

/* FPMax, FPMin: zeros are ordered by sign. */
static ir_val arm_extreme(struct vex_ctx *c, bool max, ir_val a, ir_val b)
{
    ir_val same = ir_bin(c->b, max ? OP_AND : OP_OR, a, b);
    ir_val less = compare(c, OP_FLT, a, b), greater = compare(c, OP_FLT, b, a);
    ir_val not_less = ir_ite(c->b, greater, max ? a : b, same);
    return ir_ite(c->b, less, max ? b : a, not_less);
}

/* FPMaxNum, FPMinNum: a quiet NaN loses against a number. */
static ir_val extreme_number(struct vex_ctx *c, bool max, ir_val a, ir_val b)
{
    unsigned w = ir_width(c->b, a);
    ir_val a_quiet = ir_bin(c->b, OP_AND, float_is_nan(c, a), ir_un(c->b, OP_NOT, is_signalling(c, a)));
    ir_val b_quiet = ir_bin(c->b, OP_AND, float_is_nan(c, b), ir_un(c->b, OP_NOT, is_signalling(c, b)));
    ir_val nan = chosen_nan(c, (ir_val[]){a, b}, 2, default_nan(c, w));
    ir_val result = ir_ite(c->b, compare(c, OP_FUNORD, a, b), nan, arm_extreme(c, max, a, b));
    result = ir_ite(c->b, ir_bin(c->b, OP_AND, b_quiet, ir_un(c->b, OP_NOT, float_is_nan(c, a))), a, result);
    return ir_ite(c->b, ir_bin(c->b, OP_AND, a_quiet, ir_un(c->b, OP_NOT, float_is_nan(c, b))), b, result);
}

static ir_val extreme(struct vex_ctx *c, bool max, bool neon, ir_val a, ir_val b)
{
    if (guest_is_x86(c))
        return x86_extreme(c, max, a, b);
    if (c->arch == MACHINE_ARM64 && vex_arm64_prefers_number(c->insn_bytes))
        return extreme_number(c, max, a, b);
    unsigned w = ir_width(c->b, a);
    ir_val nan = neon ? default_nan(c, w) : chosen_nan(c, (ir_val[]){a, b}, 2, default_nan(c, w));
    return ir_ite(c->b, compare(c, OP_FUNORD, a, b), nan, arm_extreme(c, max, a, b));
}

/* ---- steps of Newton's method ---- */

static ir_val arithmetic(struct vex_ctx *c, enum op op, ir_val a, ir_val b)
{
    ir_val mode = ir_const(c->b, OP_RM_WIDTH, OP_RNE);
    return ir_op(c->b, op, ir_width(c->b, a), (ir_val[]){mode, a, b}, 3);
}

static ir_val fused(struct vex_ctx *c, ir_val mode, ir_val a, ir_val b, ir_val addend)
{
    return ir_op(c->b, OP_FMA, ir_width(c->b, a), (ir_val[]){mode, a, b, addend}, 4);
}

/* 32-bit Arm rounds the product, and takes 0 for that of a zero and an infinity. */
static ir_val neon_step(struct vex_ctx *c, bool root, ir_val a, ir_val b)
{
    unsigned w = ir_width(c->b, a);
    ir_val two = float_power(c, w, false, 1), three = assemble(c, w, false, max_exponent(w) / 2 + 1, 2);
    ir_val product = float_flush(c, arithmetic(c, OP_FMUL, a, b));
    ir_val invalid = ir_bin(c->b, OP_AND, float_is_nan(c, product),
                            ir_un(c->b, OP_NOT, compare(c, OP_FUNORD, a, b)));
    product = ir_ite(c->b, invalid, ir_const(c->b, w, 0), product);
    ir_val result = arithmetic(c, OP_FSUB, root ? three : two, product);
    if (root)
        result = arithmetic(c, OP_FDIV, float_flush(c, result), two);
    return float_flush(c, result);
}

/* FPRecipStepFused: 2 - a*b; FPRSqrtStepFused: (3 - a*b) / 2. The halving is done beforehand, on the operand where it
 * is exact, since the fused operation rounds only once. The product of a zero and an infinity counts as 0. */
static ir_val fused_step(struct vex_ctx *c, bool root, ir_val a, ir_val b)
{
    unsigned w = ir_width(c->b, a), p = float_fraction(w);
    ir_val mode = ir_const(c->b, OP_RM_WIDTH, OP_RNE);
    ir_val minus_a = negate(c, a);
    ir_val sum = root ? assemble(c, w, false, max_exponent(w) / 2, 2) : float_power(c, w, false, 1);
    ir_val x = minus_a, y = b;
    if (root) {
        ir_val half = float_power(c, w, false, -1);
        ir_val exponent = ir_extract(c->b, a, p, w - 1 - p);
        ir_val small = ir_bin(c->b, OP_ULT, exponent, ir_const(c->b, w - 1 - p, 2));
        x = ir_ite(c->b, small, minus_a, arithmetic(c, OP_FMUL, minus_a, half));
        y = ir_ite(c->b, small, arithmetic(c, OP_FMUL, b, half), b);
    }
    ir_val result = fused(c, mode, x, y, sum);
    ir_val nan = chosen_nan(c, (ir_val[]){minus_a, b}, 2, sum);
    return ir_ite(c->b, float_is_nan(c, result), nan, result);
}

/* ---- one lane ---- */

static ir_val estimate(struct vex_ctx *c, bool root, bool neon, ir_val a)
{
    unsigned w = ir_width(c->b, a);
    if (guest_is_x86(c) && w == 32)
        return vex_pure_call(c, root ? VEX_PURE_X86_RSQRTSS : VEX_PURE_X86_RCPSS, &a, 1);
    unsigned pure = w == 32 ? (root ? VEX_PURE_ARM_RSQRT_EST_F32 : VEX_PURE_ARM_RECIP_EST_F32)
                            : (root ? VEX_PURE_ARM_RSQRT_EST_F64 : VEX_PURE_ARM_RECIP_EST_F64);
    ir_val result = vex_pure_call(c, pure, &a, 1);
    if (!neon)
        return result;
    return ir_ite(c->b, float_is_nan(c, a), default_nan(c, w), float_flush(c, result));
}

/* FPRecpX: the exponent inverted, the fraction dropped. */
static ir_val reciprocal_exponent(struct vex_ctx *c, ir_val a)
{
    unsigned w = ir_width(c->b, a), p = float_fraction(w), e = w - 1 - p;
    ir_val exponent = ir_extract(c->b, a, p, e);
    ir_val subnormal = ir_bin(c->b, OP_EQ, exponent, ir_const(c->b, e, 0));
    exponent = ir_ite(c->b, subnormal, ir_const(c->b, e, max_exponent(w) - 1), ir_un(c->b, OP_NOT, exponent));
    ir_val result = ir_bin(c->b, OP_CONCAT, ir_bin(c->b, OP_CONCAT, lane_sign(c, a), exponent),
                           ir_const(c->b, p, 0));
    return ir_ite(c->b, float_is_nan(c, a), float_quiet(c, a), result);
}

static ir_val unary(struct vex_ctx *c, enum op op, ir_val mode, bool neon, ir_val a)
{
    ir_val r = ir_op(c->b, op, ir_width(c->b, a), (ir_val[]){mode, a}, 2);
    return settle(c, neon, r, &a, 1);
}

static ir_val float1(struct vex_ctx *c, unsigned kind, ir_val mode, bool neon, ir_val a)
{
    if (neon)
        a = float_flush(c, a);
    switch (kind) {
    case FLOAT_RECIP_EST: return estimate(c, false, neon, a);
    case FLOAT_RSQRT_EST: return estimate(c, true, neon, a);
    case FLOAT_RECIP_EXP: return reciprocal_exponent(c, a);
    case FLOAT_RINT_RNE:
    case FLOAT_RINT_RTN:
    case FLOAT_RINT_RTP:
    case FLOAT_RINT_RTZ:
    case FLOAT_RINT_RNA:
        return unary(c, OP_FRINT, ir_const(c->b, OP_RM_WIDTH, kind - FLOAT_RINT_RNE), neon, a);
    default: return unary(c, kind, mode, neon, a);
    }
}

static ir_val mask(struct vex_ctx *c, ir_val condition, ir_val like)
{
    return ir_sext(c->b, condition, ir_width(c->b, like));
}

static ir_val float2(struct vex_ctx *c, unsigned kind, ir_val mode, bool neon, ir_val a, ir_val b)
{
    if (neon) {
        a = float_flush(c, a);
        b = float_flush(c, b);
    }
    switch (kind) {
    case FLOAT_MAX: return extreme(c, true, neon, a, b);
    case FLOAT_MIN: return extreme(c, false, neon, a, b);
    case FLOAT_MAX_NUM: return extreme_number(c, true, a, b);
    case FLOAT_MIN_NUM: return extreme_number(c, false, a, b);
    case FLOAT_EQ: return mask(c, compare(c, OP_FEQ, a, b), a);
    case FLOAT_LT: return mask(c, compare(c, OP_FLT, a, b), a);
    case FLOAT_LE: return mask(c, compare(c, OP_FLE, a, b), a);
    case FLOAT_GT: return mask(c, compare(c, OP_FLT, b, a), a);
    case FLOAT_GE: return mask(c, compare(c, OP_FLE, b, a), a);
    case FLOAT_UN: return mask(c, compare(c, OP_FUNORD, a, b), a);
    case FLOAT_RECIP_STEP: return neon ? neon_step(c, false, a, b) : fused_step(c, false, a, b);
    case FLOAT_RSQRT_STEP: return neon ? neon_step(c, true, a, b) : fused_step(c, true, a, b);
    default: break;
    }
    ir_val r = ir_op(c->b, kind, ir_width(c->b, a), (ir_val[]){mode, a, b}, 3);
    return settle(c, neon, r, (ir_val[]){a, b}, 2);
}

/* ---- vectors ---- */

/* All sign bits of a vector at once. */
static ir_val change_signs(struct vex_ctx *c, bool absolute, ir_val a, unsigned w)
{
    unsigned width = ir_width(c->b, a);
    struct bits signs = {{0}};
    for (unsigned i = w - 1; i < width; i += w)
        signs.w[i / 64] |= UINT64_C(1) << i % 64;
    ir_val k = ir_const_bits(c->b, width, signs);
    return absolute ? ir_bin(c->b, OP_AND, a, ir_un(c->b, OP_NOT, k)) : ir_bin(c->b, OP_XOR, a, k);
}

/* The opcode of a fused multiply-add of x86-64, 0 for other instructions. */
static unsigned x86_fma_opcode(const struct vex_ctx *c)
{
    const uint8_t *p = c->insn_bytes;
    if (c->arch != MACHINE_AMD64 || !p || p[0] != 0xc4 || (p[1] & 31) != 2 || (p[2] & 3) != 1)
        return 0;
    return p[3] >= 0x96 && p[3] <= 0xbf && (p[3] & 15) >= 6 ? p[3] : 0;
}

static ir_val map1(struct vex_ctx *c, const struct op_row *r, const ir_val *vex_mode, ir_val a)
{
    if (r->kind == FLOAT_NEG && x86_fma_opcode(c)) /* what is subtracted there keeps its sign when it is a NaN */
        return ir_ite(c->b, float_is_nan(c, a), a, change_signs(c, false, a, r->w));
    if (r->kind == FLOAT_NEG || r->kind == FLOAT_ABS)
        return change_signs(c, r->kind == FLOAT_ABS, a, r->w);
    ir_val mode = float_mode(c, vex_mode, OP_RNE);
    bool neon = float_is_neon(c, a, r->w);
    struct lanes x = lanes_split(c, a, r->w);
    unsigned n = r->class == CLASS_FLOAT1_LOW ? 1 : x.n;
    for (unsigned i = 0; i < n; i++)
        x.v[i] = float1(c, r->kind, mode, neon, x.v[i]);
    return lanes_join(c, &x);
}

static ir_val map2(struct vex_ctx *c, const struct op_row *r, const ir_val *vex_mode, ir_val a, ir_val b)
{
    ir_val mode = float_mode(c, vex_mode, OP_RNE);
    bool neon = float_is_neon(c, a, r->w);
    struct lanes x = lanes_split(c, a, r->w), y = lanes_split(c, b, r->w);
    unsigned n = r->class == CLASS_FLOAT2_LOW ? 1 : x.n;
    bool swap = c->arch == MACHINE_ARM64 && vex_arm64_takes_upper_first(c->insn_bytes);
    for (unsigned i = 0; i < n; i++)
        x.v[i] = swap ? float2(c, r->kind, mode, neon, y.v[i], x.v[i]) : float2(c, r->kind, mode, neon, x.v[i], y.v[i]);
    return lanes_join(c, &x);
}

static ir_val pairwise(struct vex_ctx *c, const struct op_row *r, ir_val a, ir_val b)
{
    ir_val mode = float_mode(c, NULL, OP_RNE);
    bool neon = float_is_neon(c, a, r->w);
    struct lanes x = lanes_split(c, a, r->w), y = lanes_split(c, b, r->w), out = {.n = x.n};
    for (unsigned i = 0; i < x.n / 2; i++) {
        out.v[i] = float2(c, r->kind, mode, neon, x.v[2 * i], x.v[2 * i + 1]);
        out.v[x.n / 2 + i] = float2(c, r->kind, mode, neon, y.v[2 * i], y.v[2 * i + 1]);
    }
    return lanes_join(c, &out);
}

/* a*b + addend. Arm looks at the addend's NaN first, and an invalid product hides a quiet one. */
static ir_val multiply_add(struct vex_ctx *c, ir_val mode, ir_val a, ir_val b, ir_val addend)
{
    ir_val r = fused(c, mode, a, b, addend);
    if (guest_is_x86(c))
        return settle(c, false, r, (ir_val[]){a, b, addend}, 3);
    ir_val nan = chosen_nan(c, (ir_val[]){addend, a, b}, 3, default_nan(c, ir_width(c->b, r)));
    ir_val invalid = ir_bin(c->b, OP_AND, float_is_nan(c, arithmetic(c, OP_FMUL, a, b)),
                            ir_un(c->b, OP_NOT, compare(c, OP_FUNORD, a, b)));
    ir_val hides = ir_bin(c->b, OP_AND, invalid, ir_un(c->b, OP_NOT, is_signalling(c, addend)));
    nan = ir_ite(c->b, hides, default_nan(c, ir_width(c->b, r)), nan);
    return ir_ite(c->b, float_is_nan(c, r), nan, r);
}

static ir_val fused_any(struct vex_ctx *c, unsigned kind, const ir_val *arg)
{
    ir_val mode = float_mode(c, &arg[0], OP_RNE);
    ir_val a = arg[1], addend = arg[3];
    /* The header says a*b - addend; the 64-bit Arm front and back ends mean addend - a*b. */
    if (kind == FMA_SUB && c->arch == MACHINE_ARM64)
        a = negate(c, a);
    else if (kind == FMA_SUB || kind == FMA_NEG_SUB)
        addend = negate(c, addend);
    ir_val r = multiply_add(c, mode, a, arg[2], addend);
    return kind == FMA_NEG_ADD || kind == FMA_NEG_SUB ? negate(c, r) : r;
}

static ir_val four_way(struct vex_ctx *c, ir_val a, ir_val b)
{
    ir_val r = ir_const(c->b, 32, Ircr_GT);
    r = ir_ite(c->b, compare(c, OP_FEQ, a, b), ir_const(c->b, 32, Ircr_EQ), r);
    r = ir_ite(c->b, compare(c, OP_FLT, a, b), ir_const(c->b, 32, Ircr_LT), r);
    return ir_ite(c->b, compare(c, OP_FUNORD, a, b), ir_const(c->b, 32, Ircr_UN), r);
}

ir_val vex_float(struct vex_ctx *c, const struct op_row *r, const ir_val *arg, unsigned nargs)
{
    const ir_val *mode = NULL;
    switch ((enum op_class)r->class) {
    case CLASS_FLOAT1:
    case CLASS_FLOAT1_LOW:
        if (nargs == 2)
            mode = arg++;
        return map1(c, r, mode, arg[0]);
    case CLASS_FLOAT2:
    case CLASS_FLOAT2_LOW:
        if (nargs == 3)
            mode = arg++;
        return map2(c, r, mode, arg[0], arg[1]);
    case CLASS_FLOAT_PAIR: return pairwise(c, r, arg[0], arg[1]);
    case CLASS_FMA: return fused_any(c, r->kind, arg);
    default: return four_way(c, arg[0], arg[1]);
    }
}
