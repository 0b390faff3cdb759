/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/arm_exact.h"

#include "lift/vex/build.h"

/* VFMA and VFMS, VFNMA and VFNMS of single and double precision, under any condition. */
static bool is_fused(UInt word)
{
    return (word & 0x0fb00e10) == 0x0ea00a00 || (word & 0x0fb00e10) == 0x0e900a00;
}

static bool is_negation(const IRExpr *e)
{
    return e->tag == Iex_Unop && (e->Iex.Unop.op == Iop_NegF64 || e->Iex.Unop.op == Iop_NegF32);
}

/* The product under e, through negations, which are counted; NULL when it is none. */
static const IRTriop *product(const IRSB *sb, Int first, const IRExpr *e, bool *negated)
{
    *negated = false;
    for (e = vex_assigned(sb, first, e); is_negation(e); e = vex_assigned(sb, first, e->Iex.Unop.arg))
        *negated = !*negated;
    if (e->tag != Iex_Triop)
        return NULL;
    const IRTriop *t = e->Iex.Triop.details;
    return t->op == Iop_MulF64 || t->op == Iop_MulF32 ? t : NULL;
}

/* A sum with a product in it as one operation. */
static IRExpr *fuse(const IRSB *sb, Int first, IRExpr *e)
{
    if (e->tag == Iex_Unop)
        return IRExpr_Unop(e->Iex.Unop.op, fuse(sb, first, e->Iex.Unop.arg));
    if (e->tag == Iex_ITE) /* under a condition */
        return IRExpr_ITE(e->Iex.ITE.cond, fuse(sb, first, e->Iex.ITE.iftrue), fuse(sb, first, e->Iex.ITE.iffalse));
    if (e->tag != Iex_Triop)
        return e;
    const IRTriop *sum = e->Iex.Triop.details;
    if (sum->op != Iop_AddF64 && sum->op != Iop_AddF32)
        return e;
    bool is_double = sum->op == Iop_AddF64, negated;
    IRExpr *other = sum->arg2;
    const IRTriop *p = product(sb, first, sum->arg3, &negated);
    if (!p) {
        other = sum->arg3;
        p = product(sb, first, sum->arg2, &negated);
    }
    if (!p)
        return e;
    IRExpr *x = negated ? IRExpr_Unop(is_double ? Iop_NegF64 : Iop_NegF32, p->arg2) : p->arg2;
    return IRExpr_Qop(is_double ? Iop_MAddF64 : Iop_MAddF32, sum->arg1, x, p->arg3, other);
}

static bool is_multiple(UInt word, bool thumb)
{
    if (thumb)
        return (word & 0xf0000000) == 0xc0000000 || (word & 0xfe400000) == 0xe8000000;
    return (word & 0x0e000000) == 0x08000000 && word >> 28 != 15;
}

static IRExpr *unmask(const IRSB *sb, Int first, IRExpr *e)
{
    (void)sb;
    (void)first;
    if (e->tag != Iex_Binop || e->Iex.Binop.op != Iop_And32 || e->Iex.Binop.arg2->tag != Iex_Const ||
        e->Iex.Binop.arg2->Iex.Const.con->Ico.U32 != ~3u)
        return e;
    return e->Iex.Binop.arg1;
}

bool vex_arm_is_mistaken(UInt word, bool thumb)
{
    static const UInt vector_arm = 0xf3000000, vector_thumb = 0xff000000;
    const UInt vector = thumb ? vector_thumb : vector_arm;
    return (word & 0xffbf0cd0) == 0xfeb80840 ||            /* vrinta of a number */
           (word & 0xffbf0c50) == 0xfebc0840 ||            /* vcvta of one */
           (word & 0xffb30f90) == (vector | 0x00b20500) || /* vrinta of a vector */
           (word & 0xffb30f10) == (vector | 0x00b30000);   /* vcvta of one */
}

void vex_arm_exact(IRSB *sb, Int first, UInt word, bool thumb)
{
    if (is_multiple(word, thumb))
        vex_rewrite(sb, first, unmask);
    if (is_fused(word))
        vex_rewrite(sb, first, fuse);
}
