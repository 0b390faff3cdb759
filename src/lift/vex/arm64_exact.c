/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/arm64_exact.h"

#include <string.h>

#include "lift/vex/build.h"
#include "lift/vex/state.h"

static UInt field(UInt word, unsigned hi, unsigned lo)
{
    return word >> lo & ((1u << (hi - lo + 1)) - 1);
}

static size_t vector(unsigned r)
{
    return ARM64(Q0) + 16 * r;
}

/* Lane i of a vector register as a float. */
static IRExpr *lane(IRSB *sb, unsigned r, unsigned i, bool is_double)
{
    IRType type = is_double ? Ity_F64 : Ity_F32;
    return vex_assign(sb, type, IRExpr_Get((Int)(vector(r) + i * (is_double ? 8 : 4)), type));
}

/* The rounding mode in FPCR bits 23:22, in VEX's encoding: the two bits exchanged. */
static IRExpr *rounding(IRSB *sb)
{
    IRExpr *fpcr = vex_assign(sb, Ity_I32, IRExpr_Get((Int)ARM64(FPCR), Ity_I32));
    IRExpr *high = vex_assign(sb, Ity_I32, IRExpr_Binop(Iop_Shr32, fpcr, IRExpr_Const(IRConst_U8(23))));
    IRExpr *low = vex_assign(sb, Ity_I32, IRExpr_Binop(Iop_Shr32, fpcr, IRExpr_Const(IRConst_U8(21))));
    high = vex_assign(sb, Ity_I32, IRExpr_Binop(Iop_And32, high, IRExpr_Const(IRConst_U32(1))));
    low = vex_assign(sb, Ity_I32, IRExpr_Binop(Iop_And32, low, IRExpr_Const(IRConst_U32(2))));
    return vex_assign(sb, Ity_I32, IRExpr_Binop(Iop_Or32, high, low));
}

struct multiply_add {
    bool subtract, is_double, by_element;
    unsigned d, n, m, lanes, index;
    bool whole; /* all 128 bits; otherwise the upper ones become zero */
};

/* FMLA, FMLS: vectors (three registers), by element, and scalar by element. */
static bool is_multiply_add(UInt word, struct multiply_add *f)
{
    memset(f, 0, sizeof *f);
    f->d = field(word, 4, 0);
    f->n = field(word, 9, 5);
    f->is_double = field(word, 22, 22);
    bool q = field(word, 30, 30);
    if ((word & 0xbf20fc00) == 0x0e20cc00) { /* 0 Q 0 01110 op sz 1 m 110011 */
        f->subtract = field(word, 23, 23);
        f->m = field(word, 20, 16);
        f->lanes = f->is_double ? 2 : q ? 4 : 2;
        f->whole = q;
        return q || !f->is_double;
    }
    bool scalar = (word & 0xff80b400) == 0x5f801000;
    if (scalar || (word & 0xbf80b400) == 0x0f801000) { /* size 1x, opcode 0x01, H:L:M */
        bool h = field(word, 11, 11), l = field(word, 21, 21);
        f->by_element = true;
        f->subtract = field(word, 14, 14);
        f->m = field(word, 20, 16);
        f->index = f->is_double ? h : (unsigned)h << 1 | l;
        f->lanes = scalar ? 1 : f->is_double ? 2 : q ? 4 : 2;
        f->whole = !scalar && q;
        return !(f->is_double && l) && (scalar || q || !f->is_double);
    }
    return false;
}

static void multiply_add(IRSB *sb, const struct multiply_add *f)
{
    IRExpr *mode = rounding(sb), *result[4];
    IROp add = f->is_double ? Iop_MAddF64 : Iop_MAddF32, negate = f->is_double ? Iop_NegF64 : Iop_NegF32;
    IRType type = f->is_double ? Ity_F64 : Ity_F32;
    for (unsigned i = 0; i < f->lanes; i++) {
        IRExpr *n = lane(sb, f->n, i, f->is_double);
        if (f->subtract)
            n = vex_assign(sb, type, IRExpr_Unop(negate, n));
        result[i] = vex_assign(sb, type, IRExpr_Qop(add, mode, n, lane(sb, f->m, f->by_element ? f->index : i, f->is_double),
                                                lane(sb, f->d, i, f->is_double)));
    }
    if (!f->whole)
        addStmtToIRSB(sb, IRStmt_Put((Int)vector(f->d), IRExpr_Const(IRConst_V128(0))));
    for (unsigned i = 0; i < f->lanes; i++)
        addStmtToIRSB(sb, IRStmt_Put((Int)(vector(f->d) + i * (f->is_double ? 8 : 4)), result[i]));
}

/* FRINTA and FCVTAS/FCVTAU, scalar and vector. */
static bool rounds_ties_away(UInt word)
{
    return (word & 0xff3ffc00) == 0x1e264000 || (word & 0x7f3efc00) == 0x1e240000 || (word & 0xbfbffc00) == 0x2e218800 ||
           (word & 0x9fbffc00) == 0x0e21c800 || (word & 0xdfbffc00) == 0x5e21c800;
}

static bool is_nearest(const IRExpr *e)
{
    return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U32 && e->Iex.Const.con->Ico.U32 == Irrm_NEAREST;
}

/* Every operator of the instruction with a constant rounding mode gets the right one. */
static IRExpr *with_ties_away(const IRSB *sb, Int first, IRExpr *e)
{
    if (!e)
        return e;
    if (is_nearest(e)) /* assigned to a temporary first */
        return IRExpr_Const(IRConst_U32(Irrm_NEAREST_TIE_AWAY_0));
    if (e->tag == Iex_Unop)
        return IRExpr_Unop(e->Iex.Unop.op, with_ties_away(sb, first, e->Iex.Unop.arg));
    if (e->tag != Iex_Binop)
        return e;
    IRExpr *mode = e->Iex.Binop.arg1;
    IRType result, t1, t2, t3, t4;
    typeOfPrimop(e->Iex.Binop.op, &result, &t1, &t2, &t3, &t4);
    bool rounds = is_nearest(mode) && (t2 == Ity_F64 || t2 == Ity_F32);
    return IRExpr_Binop(e->Iex.Binop.op, rounds ? IRExpr_Const(IRConst_U32(Irrm_NEAREST_TIE_AWAY_0)) : mode, e->Iex.Binop.arg2);
}

static UInt word_at(const uint8_t *insn)
{
    UInt word = 0;
    if (insn)
        memcpy(&word, insn, sizeof word);
    return word;
}

struct encoding {
    UInt mask, value;
};

static bool is_one_of(UInt word, const struct encoding *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((word & e[i].mask) == e[i].value)
            return true;
    return false;
}

bool vex_arm64_prefers_number(const uint8_t *insn)
{
    UInt word = word_at(insn);
    return (word & 0xff20ec00) == 0x1e206800 || (word & 0x9f20fc00) == 0x0e20c400 || (word & 0x9f3ffc00) == 0x0e30c800 ||
           (word & 0xff3ffc00) == 0x7e30c800;
}

bool vex_arm64_takes_upper_first(const uint8_t *insn)
{
    static const struct encoding reversed[] = {
        {0xffa0fc00, 0x6e20d400}, /* faddp .4s .2d */
        {0xff20fc00, 0x6e20f400}, /* fmaxp, fminp */
        {0xff20fc00, 0x6e20c400}, /* fmaxnmp, fminnmp */
        {0xff7ffc00, 0x6e30f800}, /* fmaxv, fminv */
        {0xff7ffc00, 0x6e30c800}, /* fmaxnmv, fminnmv */
        {0xbfe0fc00, 0x2e401400}, /* faddp .4h .8h */
    };
    return is_one_of(word_at(insn), reversed, sizeof reversed / sizeof *reversed);
}

/* What libVEX takes for another instruction, and has no operators for. */
static bool is_mistaken(UInt word)
{
    static const struct encoding mistaken[] = {
        {0xffffff3f, 0xd503211f}, /* pacia1716, pacib1716, autia1716, autib1716: hints */
        {0xffa0fc00, 0x5e20dc00}, /* fmulx s d: fmul */
        {0xbfa0fc00, 0x0e20dc00}, /* fmulx .2s .4s .2d */
        {0xff80f400, 0x7f809000}, /* fmulx s d, by element */
        {0xbf80f400, 0x2f809000}, /* fmulx .2s .4s .2d, by element */
        {0xfffffc00, 0x7e616800}, /* fcvtxn s: fcvtn */
        {0xbffffc00, 0x2e616800}, /* fcvtxn, fcvtxn2 */
        {0xffe0ec00, 0x1ee00800}, /* fmul h, fdiv h: fadd h */
        {0xbf3ffc00, 0x0e30c800}, /* fmaxnmv h, fminnmv h: those of .4s */
        {0xbf3ffc00, 0x0e30f800}, /* fmaxv h, fminv h */
        {0xff20f400, 0x7e008400}, /* sqrdmlah, sqrdmlsh: the product is rounded and saturated, then the sum */
        {0xbf20f400, 0x2e008400}, /* ... of vectors */
        {0xff00d400, 0x7f00d000}, /* ... by element */
        {0xbf00d400, 0x2f00d000}, /* ... of vectors, by element */
    };
    return is_one_of(word, mistaken, sizeof mistaken / sizeof *mistaken);
}

struct vex_decoded vex_arm64_decode(IRSB *sb, const UChar *code, Long delta, Addr address, VexArch arch, const VexArchInfo *info,
                                    const VexAbiInfo *abi, VexEndness host, Bool diagnose)
{
    UInt word;
    memcpy(&word, code + delta, sizeof word);
    if (is_mistaken(word)) {
        addStmtToIRSB(sb, IRStmt_Put((Int)ARM64(PC), IRExpr_Const(IRConst_U64(address))));
        return (struct vex_decoded){.what_next = VEX_STOP, .jump = Ijk_NoDecode};
    }
    struct multiply_add f;
    if (is_multiply_add(word, &f)) {
        multiply_add(sb, &f);
        addStmtToIRSB(sb, IRStmt_Put((Int)ARM64(PC), IRExpr_Const(IRConst_U64(address + 4))));
        return (struct vex_decoded){.length = 4, .what_next = VEX_CONTINUE};
    }
    Int first = sb->stmts_used;
    struct vex_decoded d = disInstr_ARM64(sb, code, delta, address, arch, info, abi, host, diagnose);
    if (rounds_ties_away(word))
        vex_rewrite(sb, first, with_ties_away);
    return d;
}
