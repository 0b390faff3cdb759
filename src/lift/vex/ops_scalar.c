/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integer operators on whole values that are not a single operator of ours. */
#include "lift/vex/ops_row.h"

/* VEX's 32-bit Arm front end passes vshl's shift amount to the scalar 64-bit shifts as it comes: a signed byte, whose
 * negative values shift the other way. */
static ir_val shift(struct vex_ctx *c, enum op op, ir_val x, ir_val by)
{
    unsigned w = ir_width(c->b, x);
    if (c->arch != MACHINE_ARM || w != 64)
        return ir_bin(c->b, op, x, ir_zext(c->b, by, w));
    unsigned kind = op == OP_SHL ? LANE_SHL : op == OP_LSHR ? LANE_SHR : LANE_SAR;
    return vex_lane_shift(c, kind, x, ir_zext(c->b, by, w), NULL);
}

static ir_val is_zero(struct vex_ctx *c, ir_val x)
{
    return ir_bin(c->b, OP_EQ, x, ir_const(c->b, ir_width(c->b, x), 0));
}

static ir_val cmp_ord(struct vex_ctx *c, enum op less, ir_val x, ir_val y)
{
    unsigned w = ir_width(c->b, x);
    ir_val differ = ir_ite(c->b, ir_bin(c->b, less, x, y), ir_const(c->b, w, 8), ir_const(c->b, w, 4));
    return ir_ite(c->b, ir_bin(c->b, OP_EQ, x, y), ir_const(c->b, w, 2), differ);
}

/* Operands are brought to the wider of the two widths; quotient and remainder are cut to w bits each. */
static ir_val divmod(struct vex_ctx *c, bool is_signed, ir_val x, ir_val y, unsigned w)
{
    unsigned wide = ir_width(c->b, x);
    y = is_signed ? ir_sext(c->b, y, wide) : ir_zext(c->b, y, wide);
    ir_val quotient = ir_bin(c->b, is_signed ? OP_SDIV : OP_UDIV, x, y);
    ir_val remainder = ir_bin(c->b, is_signed ? OP_SREM : OP_UREM, x, y);
    return ir_bin(c->b, OP_CONCAT, ir_extract(c->b, remainder, 0, w), ir_extract(c->b, quotient, 0, w));
}

static ir_val divide_extended(struct vex_ctx *c, bool is_signed, ir_val x, ir_val y)
{
    unsigned w = ir_width(c->b, x);
    x = ir_bin(c->b, OP_CONCAT, x, ir_const(c->b, w, 0));
    y = is_signed ? ir_sext(c->b, y, 2 * w) : ir_zext(c->b, y, 2 * w);
    return ir_extract(c->b, ir_bin(c->b, is_signed ? OP_SDIV : OP_UDIV, x, y), 0, w);
}

/* Dividing by zero gives zero on ARM. The other guests trap first. */
static ir_val divide(struct vex_ctx *c, enum op op, ir_val x, ir_val y)
{
    ir_val quotient = ir_bin(c->b, op, x, y);
    if (c->arch != MACHINE_ARM && c->arch != MACHINE_ARM64)
        return quotient;
    return ir_ite(c->b, is_zero(c, y), ir_const(c->b, ir_width(c->b, x), 0), quotient);
}

ir_val vex_scalar(struct vex_ctx *c, const struct op_row *r, const ir_val *arg)
{
    struct ir_builder *b = c->b;
    if (r->class == CLASS_SHIFT)
        return shift(c, r->kind, arg[0], arg[1]);
    unsigned w = ir_width(b, arg[0]);
    switch ((enum scalar_kind)r->kind) {
    case SCALAR_CMP_NE: return ir_un(b, OP_NOT, ir_bin(b, OP_EQ, arg[0], arg[1]));
    case SCALAR_CMP_NEZ: return ir_un(b, OP_NOT, is_zero(c, arg[0]));
    case SCALAR_CMPW_NEZ: return ir_sext(b, ir_un(b, OP_NOT, is_zero(c, arg[0])), w);
    case SCALAR_CMP_ORD_S: return cmp_ord(c, OP_SLT, arg[0], arg[1]);
    case SCALAR_CMP_ORD_U: return cmp_ord(c, OP_ULT, arg[0], arg[1]);
    case SCALAR_LEFT: return ir_bin(b, OP_OR, arg[0], ir_un(b, OP_NEG, arg[0]));
    case SCALAR_MAX_U: return ir_ite(b, ir_bin(b, OP_ULT, arg[0], arg[1]), arg[1], arg[0]);
    case SCALAR_MUL_S: return ir_bin(b, OP_MUL, ir_sext(b, arg[0], 2 * w), ir_sext(b, arg[1], 2 * w));
    case SCALAR_MUL_U: return ir_bin(b, OP_MUL, ir_zext(b, arg[0], 2 * w), ir_zext(b, arg[1], 2 * w));
    case SCALAR_DIVMOD_S: return divmod(c, true, arg[0], arg[1], r->w);
    case SCALAR_DIVMOD_U: return divmod(c, false, arg[0], arg[1], r->w);
    case SCALAR_DIV_S: return divide(c, OP_SDIV, arg[0], arg[1]);
    case SCALAR_DIV_U: return divide(c, OP_UDIV, arg[0], arg[1]);
    case SCALAR_DIV_EXT_S: return divide_extended(c, true, arg[0], arg[1]);
    case SCALAR_DIV_EXT_U: return divide_extended(c, false, arg[0], arg[1]);
    }
    return IR_NONE;
}
