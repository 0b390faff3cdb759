/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/build.h"

IRExpr *vex_assign(IRSB *sb, IRType type, IRExpr *e)
{
    IRTemp t = newIRTemp(sb->tyenv, type);
    addStmtToIRSB(sb, IRStmt_WrTmp(t, e));
    return IRExpr_RdTmp(t);
}

void vex_put(IRSB *sb, size_t offset, IRExpr *e)
{
    addStmtToIRSB(sb, IRStmt_Put((Int)offset, e));
}

const IRExpr *vex_assigned(const IRSB *sb, Int first, const IRExpr *e)
{
    for (Int i = first; e->tag == Iex_RdTmp && i < sb->stmts_used; i++) {
        const IRStmt *s = sb->stmts[i];
        if (s->tag == Ist_WrTmp && s->Ist.WrTmp.tmp == e->Iex.RdTmp.tmp) {
            e = s->Ist.WrTmp.data;
            i = first - 1;
        }
    }
    return e;
}

void vex_rewrite(IRSB *sb, Int first, IRExpr *(*fn)(const IRSB *sb, Int first, IRExpr *e))
{
    for (Int i = first; i < sb->stmts_used; i++) {
        IRStmt *s = sb->stmts[i];
        if (s->tag == Ist_WrTmp)
            s->Ist.WrTmp.data = fn(sb, first, s->Ist.WrTmp.data);
        else if (s->tag == Ist_Put && s->Ist.Put.data->tag != Iex_Const)
            s->Ist.Put.data = fn(sb, first, s->Ist.Put.data);
    }
}
