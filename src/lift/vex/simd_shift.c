/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shifts of one lane by another. */
#include "lift/vex/ops_row.h"

enum { ROUNDING = 1, SATURATING = 2 };

/* Arm's SSHL, USHL and their rounding and saturating variants: the amount is the signed low byte of `by`, a negative
 * one shifts right. */
static ir_val shift_either_way(struct vex_ctx *c, bool is_signed, unsigned how, ir_val a, ir_val by, ir_val *saturated)
{
    struct ir_builder *b = c->b;
    unsigned w = ir_width(b, a);
    enum op right_shift = is_signed ? OP_ASHR : OP_LSHR;
    ir_val amount = ir_extract(b, by, 0, 8);
    ir_val to_right = ir_extract(b, amount, 7, 1);
    ir_val n = ir_zext(b, amount, w), m = ir_zext(b, ir_un(b, OP_NEG, amount), w);

    ir_val left = ir_bin(b, OP_SHL, a, n);
    if (how & SATURATING) {
        ir_val kept = ir_bin(b, OP_EQ, ir_bin(b, right_shift, left, n), a);
        ir_val bound = is_signed ? lane_bound(c, a) : ir_const_bits(b, w, bits_ones(w));
        left = ir_ite(b, kept, left, bound);
        if (saturated != NULL)
            *saturated = ir_un(b, OP_NOT, ir_bin(b, OP_OR, kept, to_right));
    }
    /* Adding half of the last place before the shift is adding the last bit shifted out after it. */
    ir_val right = ir_bin(b, right_shift, a, m);
    if (how & ROUNDING) {
        ir_val one = ir_const(b, w, 1);
        ir_val last = ir_bin(b, OP_AND, ir_bin(b, right_shift, a, ir_bin(b, OP_SUB, m, one)), one);
        right = ir_bin(b, OP_ADD, right, last);
    }
    return ir_ite(b, to_right, right, left);
}

static ir_val rotate_left(struct vex_ctx *c, ir_val a, ir_val by)
{
    unsigned w = ir_width(c->b, a);
    ir_val n = ir_bin(c->b, OP_AND, by, ir_const(c->b, w, w - 1));
    ir_val m = ir_bin(c->b, OP_SUB, ir_const(c->b, w, w), n);
    return ir_bin(c->b, OP_OR, ir_bin(c->b, OP_SHL, a, n), ir_bin(c->b, OP_LSHR, a, m));
}

/* Shl, Shr and Sar by lanes: VEX means the amount modulo the width, but its 32-bit Arm front end uses them for vshl,
 * with negated amounts where the name says right. */
static ir_val shift_one_way(struct vex_ctx *c, unsigned kind, ir_val a, ir_val by)
{
    unsigned w = ir_width(c->b, a);
    if (c->arch == MACHINE_ARM) {
        ir_val amount = kind == LANE_SHL ? by : ir_un(c->b, OP_NEG, by);
        return shift_either_way(c, kind == LANE_SAR, 0, a, amount, NULL);
    }
    enum op op = kind == LANE_SHL ? OP_SHL : kind == LANE_SHR ? OP_LSHR : OP_ASHR;
    return ir_bin(c->b, op, a, ir_bin(c->b, OP_AND, by, ir_const(c->b, w, w - 1)));
}

ir_val vex_lane_shift(struct vex_ctx *c, unsigned kind, ir_val a, ir_val by, ir_val *saturated)
{
    switch (kind) {
    case LANE_ROL: return rotate_left(c, a, by);
    case LANE_SH_S: return shift_either_way(c, true, 0, a, by, NULL);
    case LANE_SH_U: return shift_either_way(c, false, 0, a, by, NULL);
    case LANE_RSH_S: return shift_either_way(c, true, ROUNDING, a, by, NULL);
    case LANE_RSH_U: return shift_either_way(c, false, ROUNDING, a, by, NULL);
    case LANE_QSH_S: return shift_either_way(c, true, SATURATING, a, by, saturated);
    case LANE_QSH_U: return shift_either_way(c, false, SATURATING, a, by, saturated);
    case LANE_QRSH_S: return shift_either_way(c, true, SATURATING | ROUNDING, a, by, saturated);
    case LANE_QRSH_U: return shift_either_way(c, false, SATURATING | ROUNDING, a, by, saturated);
    default: return shift_one_way(c, kind, a, by);
    }
}
