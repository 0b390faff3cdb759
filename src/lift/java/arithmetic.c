/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers: what instructions compute, as the specification has it. */
#include "lift/java/translate.h"

ir_val tr_nearest(struct tr *t)
{
    return tr_constant(t, OP_RM_WIDTH, OP_RNE);
}

static ir_val sign_bit(struct tr *t, unsigned width)
{
    return tr_constant(t, width, UINT64_C(1) << (width - 1));
}

/* What C calls fmod, of the IEEE remainder, which lies between -|y|/2 and |y|/2: adding |y| to a negative one
 * is exact, for what it gives is the exact result. */
static ir_val remainder_of(struct tr *t, ir_val x, ir_val y, unsigned width)
{
    ir_val sign = ir_bin(t->b, OP_AND, x, sign_bit(t, width));
    ir_val magnitude = tr_constant(t, width, width == 64 ? INT64_MAX : INT32_MAX);
    ir_val ax = ir_bin(t->b, OP_AND, x, magnitude), ay = ir_bin(t->b, OP_AND, y, magnitude);
    ir_val r = ir_op(t->b, OP_FREM, width, (ir_val[]){ax, ay}, 2);
    ir_val negative = ir_op(t->b, OP_FLT, 1, (ir_val[]){r, tr_constant(t, width, 0)}, 2);
    ir_val up = ir_op(t->b, OP_FADD, width, (ir_val[]){tr_nearest(t), r, ay}, 3);
    ir_val out = ir_ite(t->b, negative, up, r);
    ir_val nan = ir_op(t->b, OP_FUNORD, 1, (ir_val[]){out, out}, 2);
    ir_val signed_out = ir_bin(t->b, OP_OR, ir_bin(t->b, OP_AND, out, magnitude), sign);
    return ir_ite(t->b, nan, out, signed_out);
}

void tr_binary(struct tr *t, unsigned op)
{
    static const enum op integer[] = {OP_ADD, OP_SUB, OP_MUL, OP_SDIV, OP_SREM};
    static const enum op floating[] = {OP_FADD, OP_FSUB, OP_FMUL, OP_FDIV, OP_FREM};
    unsigned what = (op - J_IADD) / 4;
    char kind = "IJFD"[(op - J_IADD) % 4];
    unsigned width = tr_width_of(kind);
    ir_val y = tr_pop(t), x = tr_pop(t);
    if (kind == 'I' || kind == 'J') {
        if (integer[what] == OP_SDIV || integer[what] == OP_SREM)
            tr_throw_when(t, ir_bin(t->b, OP_EQ, y, tr_constant(t, width, 0)), VM_DIVIDE);
        tr_push(t, kind, ir_bin(t->b, integer[what], x, y));
    } else if (floating[what] == OP_FREM) {
        tr_push(t, kind, remainder_of(t, x, y, width));
    } else {
        tr_push(t, kind, ir_op(t->b, floating[what], width, (ir_val[]){tr_nearest(t), x, y}, 3));
    }
}

void tr_negate(struct tr *t, unsigned op)
{
    char kind = "IJFD"[op - J_INEG];
    ir_val x = tr_pop(t);
    if (kind == 'I' || kind == 'J')
        tr_push(t, kind, ir_un(t->b, OP_NEG, x));
    else
        tr_push(t, kind, ir_bin(t->b, OP_XOR, x, sign_bit(t, tr_width_of(kind))));
}

void tr_shift_or_logic(struct tr *t, unsigned op)
{
    static const enum op ops[] = {OP_SHL, OP_ASHR, OP_LSHR, OP_AND, OP_OR, OP_XOR};
    char kind = (op - J_ISHL) % 2 ? 'J' : 'I';
    unsigned what = (op - J_ISHL) / 2, width = tr_width_of(kind);
    ir_val y = tr_pop(t), x = tr_pop(t);
    if (what < 3)
        y = ir_zext(t->b, ir_bin(t->b, OP_AND, y, tr_constant(t, 32, width - 1)), width);
    tr_push(t, kind, ir_bin(t->b, ops[what], x, y));
}

void tr_convert(struct tr *t, unsigned op)
{
    char from = java_effect[op][0], to = java_effect[op][2];
    ir_val x = tr_pop(t), v;
    unsigned width = tr_width_of(to);
    bool from_int = from == 'I' || from == 'J', to_int = to == 'I' || to == 'J';
    if (op >= J_I2B && op <= J_I2S) {
        v = ir_extract(t->b, x, 0, op == J_I2B ? 8 : 16);
        v = op == J_I2C ? ir_zext(t->b, v, 32) : ir_sext(t->b, v, 32);
    } else if (from_int && to_int) {
        v = to == 'J' ? ir_sext(t->b, x, 64) : ir_extract(t->b, x, 0, 32);
    } else if (from_int) {
        v = ir_op(t->b, OP_S2F, width, (ir_val[]){tr_nearest(t), x}, 2);
    } else if (to_int) {
        v = ir_op(t->b, OP_F2S, width, (ir_val[]){tr_constant(t, OP_RM_WIDTH, OP_RTZ), x}, 2);
    } else {
        v = ir_op(t->b, OP_F2F, width, (ir_val[]){tr_nearest(t), x}, 2);
    }
    tr_push(t, to, v);
}

void tr_compare(struct tr *t, unsigned op)
{
    ir_val y = tr_pop(t), x = tr_pop(t), less = tr_constant(t, 32, UINT32_MAX), equal = tr_constant(t, 32, 0),
           more = tr_constant(t, 32, 1), v;
    if (op == J_LCMP) {
        v = ir_ite(t->b, ir_bin(t->b, OP_EQ, x, y), equal, more);
        v = ir_ite(t->b, ir_bin(t->b, OP_SLT, x, y), less, v);
    } else {
        bool greater = op == J_FCMPG || op == J_DCMPG;
        v = ir_ite(t->b, ir_op(t->b, OP_FEQ, 1, (ir_val[]){x, y}, 2), equal, more);
        v = ir_ite(t->b, ir_op(t->b, OP_FLT, 1, (ir_val[]){x, y}, 2), less, v);
        v = ir_ite(t->b, ir_op(t->b, OP_FUNORD, 1, (ir_val[]){x, y}, 2), greater ? more : less, v);
    }
    tr_push(t, 'I', v);
}
