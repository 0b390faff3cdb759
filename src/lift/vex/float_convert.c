/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversions between floats and integers, and between float formats. */
#include "lift/vex/ops_row.h"

/* Sign and the upper bits of the fraction are kept, and the NaN becomes quiet. */
static ir_val convert_nan(struct vex_ctx *c, ir_val a, unsigned to)
{
    unsigned from = ir_width(c->b, a), p = float_fraction(from), q = float_fraction(to);
    ir_val fraction = ir_extract(c->b, a, 0, p);
    if (p < q)
        fraction = ir_bin(c->b, OP_CONCAT, fraction, ir_const(c->b, q - p, 0));
    else
        fraction = ir_extract(c->b, fraction, p - q, q);
    ir_val exponent = ir_const_bits(c->b, to - 1 - q, bits_ones(to - 1 - q));
    ir_val upper = ir_bin(c->b, OP_CONCAT, lane_sign(c, a), exponent);
    return float_quiet(c, ir_bin(c->b, OP_CONCAT, upper, fraction));
}

static ir_val convert(struct vex_ctx *c, enum op op, unsigned to, ir_val mode, ir_val a)
{
    return ir_op(c->b, op, to, (ir_val[]){mode, a}, 2);
}

static ir_val float_to_float(struct vex_ctx *c, unsigned to, ir_val mode, bool neon, ir_val a)
{
    ir_val r = convert(c, OP_F2F, to, mode, a);
    return neon ? r : ir_ite(c->b, float_is_nan(c, a), convert_nan(c, a, to), r);
}

/* x86 yields the least integer for a NaN and for what does not fit; below the range the operator's clamping gives
 * that already. */
static ir_val float_to_signed(struct vex_ctx *c, unsigned to, ir_val mode, ir_val a)
{
    ir_val r = convert(c, OP_F2S, to, mode, a);
    if (!guest_is_x86(c))
        return r;
    unsigned from = ir_width(c->b, a);
    /* Near 2^(to-1) a float with no more significant bits than that is an integer. */
    ir_val integral = float_fraction(from) + 1 < to ? a : convert(c, OP_FRINT, from, mode, a);
    ir_val limit = float_power(c, from, false, (int)to - 1);
    ir_val fits = ir_op(c->b, OP_FLT, 1, (ir_val[]){integral, limit}, 2);
    ir_val least = ir_bin(c->b, OP_CONCAT, ir_const(c->b, 1, 1), ir_const(c->b, to - 1, 0));
    return ir_ite(c->b, fits, r, least);
}

static ir_val convert_lane(struct vex_ctx *c, unsigned kind, unsigned to, ir_val mode, bool neon, ir_val a)
{
    switch ((enum convert_kind)kind) {
    case CONVERT_F2F: return float_to_float(c, to, mode, neon, a);
    case CONVERT_F2S: return float_to_signed(c, to, mode, a);
    case CONVERT_F2U: return convert(c, OP_F2U, to, mode, a);
    case CONVERT_S2F: return convert(c, OP_S2F, to, mode, a);
    case CONVERT_U2F: return convert(c, OP_U2F, to, mode, a);
    }
    return IR_NONE;
}

/* Through a double: it holds every single and every 32-bit number exactly, scaled by up to 2^32 too. */
static ir_val convert_fixed(struct vex_ctx *c, unsigned kind, ir_val a, ir_val fraction_bits)
{
    ir_val nearest = ir_const(c->b, OP_RM_WIDTH, OP_RNE), zero = ir_const(c->b, OP_RM_WIDTH, OP_RTZ);
    bool to_fixed = kind == CONVERT_F2S || kind == CONVERT_F2U;
    ir_val bias = ir_const(c->b, 64, 1023), n = ir_zext(c->b, fraction_bits, 64);
    ir_val exponent = ir_bin(c->b, to_fixed ? OP_ADD : OP_SUB, bias, n);
    ir_val scale = ir_bin(c->b, OP_SHL, exponent, ir_const(c->b, 64, 52));
    enum op in = to_fixed ? OP_F2F : kind == CONVERT_S2F ? OP_S2F : OP_U2F;
    enum op out = !to_fixed ? OP_F2F : kind == CONVERT_F2S ? OP_F2S : OP_F2U;
    ir_val wide = convert(c, in, 64, nearest, a);
    wide = ir_op(c->b, OP_FMUL, 64, (ir_val[]){nearest, wide, scale}, 3);
    return convert(c, out, 32, to_fixed ? zero : nearest, wide);
}

ir_val vex_convert(struct vex_ctx *c, const struct op_row *r, const ir_val *arg, unsigned nargs)
{
    unsigned kind = r->kind & 15, from = 8 * (r->kind >> 4);
    if (r->class == CLASS_FIXED) {
        struct lanes x = lanes_split(c, arg[0], 32);
        for (unsigned i = 0; i < x.n; i++)
            x.v[i] = convert_fixed(c, kind, x.v[i], arg[1]);
        return lanes_join(c, &x);
    }
    const ir_val *vex_mode = nargs == 2 ? arg++ : NULL;
    ir_val mode = float_mode(c, vex_mode, r->class == CLASS_CONVERT_RZ ? OP_RTZ : OP_RNE);
    if (from == 0)
        return convert_lane(c, kind, r->w, mode, false, arg[0]);
    bool neon = float_is_neon(c, arg[0], from);
    struct lanes x = lanes_split(c, arg[0], from);
    for (unsigned i = 0; i < x.n; i++)
        x.v[i] = convert_lane(c, kind, r->w, mode, neon, x.v[i]);
    return lanes_join(c, &x);
}
