/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/division.h"

#include <string.h>

#include "lift/vex/internal.h"

static const char check_name[] = "division";

static bool is_division(const IRStmt *s)
{
    if (s->tag != Ist_WrTmp || s->Ist.WrTmp.data->tag != Iex_Binop)
        return false;
    IROp op = s->Ist.WrTmp.data->Iex.Binop.op;
    return op == Iop_DivModU64to32 || op == Iop_DivModS64to32 || op == Iop_DivModU128to64 ||
           op == Iop_DivModS128to64;
}

void vex_check_divisions(IRSB *sb, Int first)
{
    for (Int i = first; i < sb->stmts_used; i++) {
        if (!is_division(sb->stmts[i]))
            continue;
        const IRExpr *e = sb->stmts[i]->Ist.WrTmp.data;
        bool is_signed = e->Iex.Binop.op == Iop_DivModS64to32 || e->Iex.Binop.op == Iop_DivModS128to64;
        IRExpr **args = mkIRExprVec_3(deepCopyIRExpr(e->Iex.Binop.arg1), deepCopyIRExpr(e->Iex.Binop.arg2),
                                      IRExpr_Const(IRConst_U1(is_signed)));
        /* VEX wants the address of a function; this one is never called. */
        IRDirty *d = unsafeIRDirty_0_N(0, check_name, (void *)(uintptr_t)vex_check_divisions, args);
        addStmtToIRSB(sb, IRStmt_Dirty(d));
        IRStmt *check = sb->stmts[sb->stmts_used - 1];
        memmove(&sb->stmts[i + 1], &sb->stmts[i], (size_t)(sb->stmts_used - 1 - i) * sizeof *sb->stmts);
        sb->stmts[i++] = check;
    }
}

/* The operand width of a division instruction of x86, 0 when it is none: VEX divides bytes and words as wider
 * numbers, so where the processor traps is known from the instruction only. */
static unsigned x86_division_width(const struct vex_ctx *c)
{
    unsigned width = 32, i = 0;
    for (; i < c->insn_length; i++) {
        uint8_t byte = c->insn_bytes[i];
        if (byte == 0x66)
            width = 16;
        else if (c->arch == MACHINE_AMD64 && byte >= 0x40 && byte <= 0x4f)
            width = byte & 8 ? 64 : width;
        else if (byte == 0xf6 || byte == 0xf7)
            return byte == 0xf6 ? 8 : width;
        else if (byte != 0x67 && byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26 &&
                 byte != 0x64 && byte != 0x65 && byte != 0xf2 && byte != 0xf3)
            break;
    }
    return 0;
}

/* Whether a dividend is the sign extension of its lower half: cdq, cqo. */
static bool is_sign_extended(const struct vex_ctx *c, const IRExpr *dividend)
{
    const IRExpr *pair = vex_definition(c, dividend);
    if (!pair || pair->tag != Iex_Binop ||
        (pair->Iex.Binop.op != Iop_32HLto64 && pair->Iex.Binop.op != Iop_64HLto128))
        return false;
    const IRExpr *lo = pair->Iex.Binop.arg2, *hi = vex_definition(c, pair->Iex.Binop.arg1);
    if (hi && hi->tag == Iex_Unop &&
        hi->Iex.Unop.op == Iop_64to32) { /* widened for the register in between */
        hi = vex_definition(c, hi->Iex.Unop.arg);
        hi = hi && hi->tag == Iex_Unop && hi->Iex.Unop.op == Iop_32Uto64 ? vex_definition(c, hi->Iex.Unop.arg)
                                                                         : NULL;
    }
    if (!hi || hi->tag != Iex_Binop || (hi->Iex.Binop.op != Iop_Sar32 && hi->Iex.Binop.op != Iop_Sar64))
        return false;
    const IRExpr *by = hi->Iex.Binop.arg2;
    unsigned sign = hi->Iex.Binop.op == Iop_Sar32 ? 31 : 63;
    return vex_same(c, hi->Iex.Binop.arg1, lo) && by->tag == Iex_Const && by->Iex.Const.con->tag == Ico_U8 &&
           by->Iex.Const.con->Ico.U8 == sign;
}

/* When the quotient of an x86 division by something else than 0 does not fit. IR_NONE: it always does. */
static ir_val does_not_fit(struct vex_ctx *c, const IRExpr *dividend, bool is_signed, const ir_val arg[2])
{
    struct ir_builder *b = c->b;
    unsigned half = ir_width(b, arg[1]), width = x86_division_width(c);
    if (width == 0 || width > half)
        width = half;
    uint64_t k;
    if (!is_signed && width == half) {
        ir_val hi = ir_extract(b, arg[0], half, half);
        return ir_is_const(b, hi, &k) && k == 0 ? IR_NONE : ir_bin(b, OP_ULE, arg[1], hi);
    }
    if (is_signed && width == half && is_sign_extended(c, dividend)) {
        ir_val lo = ir_extract(b, arg[0], 0, half);
        ir_val least = ir_bin(b, OP_EQ, lo, ir_const(b, half, UINT64_C(1) << (half - 1)));
        return ir_bin(b, OP_AND, least, ir_bin(b, OP_EQ, arg[1], ir_const(b, half, UINT64_MAX)));
    }
    ir_val wide = is_signed ? ir_sext(b, arg[1], 2 * half) : ir_zext(b, arg[1], 2 * half);
    ir_val q = ir_bin(b, is_signed ? OP_SDIV : OP_UDIV, arg[0], wide);
    ir_val low = ir_extract(b, q, 0, width);
    ir_val again = is_signed ? ir_sext(b, low, 2 * half) : ir_zext(b, low, 2 * half);
    return ir_un(b, OP_NOT, ir_bin(b, OP_EQ, again, q));
}

bool vex_division_check(struct vex_ctx *c, const IRDirty *d)
{
    if (d->cee->name != check_name)
        return false;
    ir_val arg[2] = {vex_expr(c, d->args[0]), vex_expr(c, d->args[1])};
    bool is_signed = d->args[2]->tag == Iex_Const && d->args[2]->Iex.Const.con->Ico.U1;
    ir_val by_zero = ir_bin(c->b, OP_EQ, arg[1], ir_const(c->b, ir_width(c->b, arg[1]), 0));
    ir_exit(c->b, by_zero, IR_EXIT_DIVISION, c->insn_address);
    ir_val large = does_not_fit(c, d->args[0], is_signed, arg);
    if (large != IR_NONE)
        ir_exit(c->b, large, IR_EXIT_QUOTIENT, c->insn_address);
    return true;
}
