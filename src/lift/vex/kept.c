/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants that libVEX must not compute with, as they only stand for something: the address of a symbol of
 * another file. Each is read from a register that no machine has while the block is optimised, so that what
 * is made of it stays an operation. Those in other places than these (of guarded loads, of compare-and-swap)
 * stay what they are: nothing is made of them. */
#include "lift/vex/kept.h"

#include <string.h>

struct keeper {
    struct vex_kept *kept;
    IRType word;
    IRSB *out;
    struct number {
        bool known;
        uint64_t value;
    } *tmp; /* those that hold a number, by temporary */
    IRTemp ntmp;
    uint64_t insn; /* the instruction, and its length */
    unsigned length;
};

static struct number number(const struct keeper *k, const IRExpr *e)
{
    if (e->tag == Iex_RdTmp)
        return e->Iex.RdTmp.tmp < k->ntmp ? k->tmp[e->Iex.RdTmp.tmp] : (struct number){0};
    if (e->tag != Iex_Const)
        return (struct number){0};
    const IRConst *c = e->Iex.Const.con;
    return (struct number){c->tag == Ico_U64 || c->tag == Ico_U32,
                           c->tag == Ico_U64 ? c->Ico.U64 : c->Ico.U32};
}

/* What addresses are put together with: the program counter and a distance; halves or quarters, in Thumb code
 * on the condition that the instruction is not skipped. */
static struct number computed(const struct keeper *k, const IRExpr *e)
{
    if (e->tag == Iex_ITE) {
        const struct number when = number(k, e->Iex.ITE.cond);
        return !when.known ? when : number(k, when.value ? e->Iex.ITE.iftrue : e->Iex.ITE.iffalse);
    }
    if (e->tag == Iex_Unop && e->Iex.Unop.op == Iop_32Uto64)
        return number(k, e->Iex.Unop.arg);
    if (e->tag != Iex_Binop)
        return number(k, e);
    const struct number a = number(k, e->Iex.Binop.arg1), b = number(k, e->Iex.Binop.arg2);
    const bool known = a.known && b.known;
    switch (e->Iex.Binop.op) {
    case Iop_Add64:
        return (struct number){known, a.value + b.value};
    case Iop_Add32:
        return (struct number){known, (uint32_t)(a.value + b.value)};
    case Iop_And32:
    case Iop_And64:
        return (struct number){known, a.value & b.value};
    case Iop_Or32:
    case Iop_Or64:
        return (struct number){known, a.value | b.value};
    case Iop_CmpNE32:
        return (struct number){known, a.value != b.value};
    default:
        return (struct number){0};
    }
}

/* Also one that an earlier instruction made and left in a register: flattening has put it in here. */
static bool is_kept(const struct keeper *k, struct number n)
{
    bool made = false;
    for (unsigned i = 0; n.known && i < k->kept->n; i++)
        made = made || k->kept->value[i] == n.value;
    return made || (n.known && k->kept->keep(k->kept->ctx, k->insn, k->length, n.value));
}

static IRExpr *read_kept(struct keeper *k, uint64_t value)
{
    unsigned i = 0;
    while (i < k->kept->n && k->kept->value[i] != value)
        i++;
    if (i == VEX_KEPT_MAX)
        return NULL;
    if (i == k->kept->n)
        k->kept->value[k->kept->n++] = value;
    IRTemp t = newIRTemp(k->out->tyenv, k->word);
    addStmtToIRSB(k->out, IRStmt_WrTmp(t, IRExpr_Get(VEX_KEPT + 8 * (Int)i, k->word)));
    return IRExpr_RdTmp(t);
}

static IRExpr *atom(struct keeper *k, IRExpr *e)
{
    const struct number n = number(k, e);
    bool whole = e->tag == Iex_Const && typeOfIRConst(e->Iex.Const.con) == k->word;
    IRExpr *kept = whole && is_kept(k, n) ? read_kept(k, n.value) : NULL;
    return kept ? kept : e;
}

static IRExpr *call(struct keeper *k, const IRExpr *e)
{
    IRExpr **args = shallowCopyIRExprVec(e->Iex.CCall.args);
    for (unsigned i = 0; args[i]; i++)
        args[i] = atom(k, args[i]);
    return IRExpr_CCall(e->Iex.CCall.cee, e->Iex.CCall.retty, args);
}

/* Of a flat IRSB: one operator over atoms. */
static IRExpr *expression(struct keeper *k, IRExpr *e)
{
    switch (e->tag) {
    case Iex_Unop:
        return IRExpr_Unop(e->Iex.Unop.op, atom(k, e->Iex.Unop.arg));
    case Iex_Binop: {
        IRExpr *first = atom(k, e->Iex.Binop.arg1);
        return IRExpr_Binop(e->Iex.Binop.op, first, atom(k, e->Iex.Binop.arg2));
    }
    case Iex_Load:
        return IRExpr_Load(e->Iex.Load.end, e->Iex.Load.ty, atom(k, e->Iex.Load.addr));
    case Iex_ITE: {
        IRExpr *yes = atom(k, e->Iex.ITE.iftrue);
        return IRExpr_ITE(e->Iex.ITE.cond, yes, atom(k, e->Iex.ITE.iffalse));
    }
    case Iex_CCall:
        return call(k, e);
    default:
        return atom(k, e);
    }
}

static IRStmt *assignment(struct keeper *k, IRTemp to, IRExpr *e)
{
    const struct number n = computed(k, e);
    bool whole = typeOfIRTemp(k->out->tyenv, to) == k->word;
    IRExpr *kept = whole && is_kept(k, n) ? read_kept(k, n.value) : NULL;
    k->tmp[to] = n; /* also of one that is kept: the next instruction may make the rest of the address */
    return IRStmt_WrTmp(to, kept ? kept : expression(k, e));
}

static IRStmt *statement(struct keeper *k, IRStmt *s)
{
    IRExpr *at;
    switch (s->tag) {
    case Ist_IMark:
        k->insn = s->Ist.IMark.addr;
        k->length = s->Ist.IMark.len;
        return s;
    case Ist_WrTmp:
        return assignment(k, s->Ist.WrTmp.tmp, s->Ist.WrTmp.data);
    case Ist_Put:
        return IRStmt_Put(s->Ist.Put.offset, atom(k, s->Ist.Put.data));
    case Ist_Store:
        at = atom(k, s->Ist.Store.addr);
        return IRStmt_Store(s->Ist.Store.end, at, atom(k, s->Ist.Store.data));
    default:
        return s;
    }
}

IRSB *vex_keep(struct vex_kept *kept, IRType word, const IRSB *sb)
{
    const IRTemp n = (IRTemp)sb->tyenv->types_used;
    struct keeper k = {kept, word, deepCopyIRSBExceptStmts(sb), LibVEX_Alloc(n * sizeof *k.tmp), n};
    memset(k.tmp, 0, n * sizeof *k.tmp);
    kept->n = 0;
    for (Int i = 0; i < sb->stmts_used; i++)
        addStmtToIRSB(k.out, statement(&k, sb->stmts[i]));
    return k.out;
}
