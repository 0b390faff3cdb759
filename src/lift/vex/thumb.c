/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/thumb.h"

#include <string.h>

#include <sys/mman.h>

#include "lift/vex/internal.h"
#include "lift/vex/arm_exact.h"
#include "lift/vex/state.h"

/* State next to libVEX's own globals: the decoder's interface has no room for a context. */
static struct {
    unsigned left; /* instructions of the current IT block still to come */
    bool known;    /* whether that number is right */
    bool saw_it;
    bool tried_place;
    bool readable; /* the two pages at `place` exist and are zero */
    UInt place;
} it = {.place = 0x1000000};

enum { PAGE = 0x1000 };

/* Two pages of zeros below 4 GiB, where the decoder may look for IT instructions and finds none. */
static void find_place(void)
{
    static const uintptr_t candidate[] = {0x1000000, 0x2f000000, 0x5a000000, 0x78000000};
    it.tried_place = true;
#ifdef MAP_FIXED_NOREPLACE
    for (unsigned i = 0; i < sizeof candidate / sizeof *candidate && !it.readable; i++) {
        void *want = (void *)candidate[i]; /* NOLINT: an address, not a pointer to anything */
        void *got = mmap(want, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == want) {
            it.readable = true;
            it.place = (UInt)candidate[i];
        } else if (got != MAP_FAILED) {
            munmap(got, 2 * PAGE);
        }
    }
#endif
}

void vex_thumb_begin(bool outside_it)
{
    if (!it.tried_place)
        find_place();
    it.left = 0;
    it.known = outside_it;
    it.saw_it = false;
}

bool vex_thumb_saw_it(void)
{
    return it.saw_it;
}

enum { MAX_MOVED = 32 };

/* Moves address-dependent constants of one decoded instruction. Expressions may be shared, so those done are
 * kept. */
struct mover {
    UInt by;
    const IRConst *moved[MAX_MOVED];
    unsigned nmoved;
};

static void move_const(struct mover *m, IRConst *here, const IRConst *there)
{
    for (unsigned i = 0; i < m->nmoved; i++)
        if (m->moved[i] == here)
            return;
    if (here->tag != there->tag)
        vpanic("thumb: constants of different types");
    if (here->tag != Ico_U32 || here->Ico.U32 == there->Ico.U32)
        return;
    if (there->Ico.U32 - here->Ico.U32 != PAGE || m->nmoved == MAX_MOVED)
        vpanic("thumb: a constant depends on the address in another way");
    here->Ico.U32 += m->by;
    m->moved[m->nmoved++] = here;
}

static void move_expr(struct mover *m, IRExpr *here, const IRExpr *there)
{
    if (!here || !there)
        return;
    if (here->tag != there->tag)
        vpanic("thumb: expressions of different kinds");
    switch (here->tag) {
    case Iex_Const:
        move_const(m, here->Iex.Const.con, there->Iex.Const.con);
        break;
    case Iex_GetI:
        move_expr(m, here->Iex.GetI.ix, there->Iex.GetI.ix);
        break;
    case Iex_Qop:
        move_expr(m, here->Iex.Qop.details->arg1, there->Iex.Qop.details->arg1);
        move_expr(m, here->Iex.Qop.details->arg2, there->Iex.Qop.details->arg2);
        move_expr(m, here->Iex.Qop.details->arg3, there->Iex.Qop.details->arg3);
        move_expr(m, here->Iex.Qop.details->arg4, there->Iex.Qop.details->arg4);
        break;
    case Iex_Triop:
        move_expr(m, here->Iex.Triop.details->arg1, there->Iex.Triop.details->arg1);
        move_expr(m, here->Iex.Triop.details->arg2, there->Iex.Triop.details->arg2);
        move_expr(m, here->Iex.Triop.details->arg3, there->Iex.Triop.details->arg3);
        break;
    case Iex_Binop:
        move_expr(m, here->Iex.Binop.arg1, there->Iex.Binop.arg1);
        move_expr(m, here->Iex.Binop.arg2, there->Iex.Binop.arg2);
        break;
    case Iex_Unop:
        move_expr(m, here->Iex.Unop.arg, there->Iex.Unop.arg);
        break;
    case Iex_Load:
        move_expr(m, here->Iex.Load.addr, there->Iex.Load.addr);
        break;
    case Iex_ITE:
        move_expr(m, here->Iex.ITE.cond, there->Iex.ITE.cond);
        move_expr(m, here->Iex.ITE.iftrue, there->Iex.ITE.iftrue);
        move_expr(m, here->Iex.ITE.iffalse, there->Iex.ITE.iffalse);
        break;
    case Iex_CCall:
        for (unsigned i = 0; here->Iex.CCall.args[i]; i++)
            move_expr(m, here->Iex.CCall.args[i], there->Iex.CCall.args[i]);
        break;
    default:
        break;
    }
}

static void move_dirty(struct mover *m, IRDirty *here, const IRDirty *there)
{
    move_expr(m, here->guard, there->guard);
    move_expr(m, here->mAddr, there->mAddr);
    for (unsigned i = 0; here->args[i]; i++)
        move_expr(m, here->args[i], there->args[i]);
}

static void move_stmt(struct mover *m, IRStmt *here, const IRStmt *there)
{
    if (here->tag != there->tag)
        vpanic("thumb: statements of different kinds");
    switch (here->tag) {
    case Ist_Put:
        move_expr(m, here->Ist.Put.data, there->Ist.Put.data);
        break;
    case Ist_PutI:
        move_expr(m, here->Ist.PutI.details->ix, there->Ist.PutI.details->ix);
        move_expr(m, here->Ist.PutI.details->data, there->Ist.PutI.details->data);
        break;
    case Ist_WrTmp:
        move_expr(m, here->Ist.WrTmp.data, there->Ist.WrTmp.data);
        break;
    case Ist_Store:
        move_expr(m, here->Ist.Store.addr, there->Ist.Store.addr);
        move_expr(m, here->Ist.Store.data, there->Ist.Store.data);
        break;
    case Ist_StoreG:
        move_expr(m, here->Ist.StoreG.details->addr, there->Ist.StoreG.details->addr);
        move_expr(m, here->Ist.StoreG.details->data, there->Ist.StoreG.details->data);
        move_expr(m, here->Ist.StoreG.details->guard, there->Ist.StoreG.details->guard);
        break;
    case Ist_LoadG:
        move_expr(m, here->Ist.LoadG.details->addr, there->Ist.LoadG.details->addr);
        move_expr(m, here->Ist.LoadG.details->alt, there->Ist.LoadG.details->alt);
        move_expr(m, here->Ist.LoadG.details->guard, there->Ist.LoadG.details->guard);
        break;
    case Ist_CAS:
        move_expr(m, here->Ist.CAS.details->addr, there->Ist.CAS.details->addr);
        move_expr(m, here->Ist.CAS.details->expdLo, there->Ist.CAS.details->expdLo);
        move_expr(m, here->Ist.CAS.details->dataLo, there->Ist.CAS.details->dataLo);
        break;
    case Ist_LLSC:
        move_expr(m, here->Ist.LLSC.addr, there->Ist.LLSC.addr);
        move_expr(m, here->Ist.LLSC.storedata, there->Ist.LLSC.storedata);
        break;
    case Ist_Dirty:
        move_dirty(m, here->Ist.Dirty.details, there->Ist.Dirty.details);
        break;
    case Ist_Exit:
        move_expr(m, here->Ist.Exit.guard, there->Ist.Exit.guard);
        move_const(m, here->Ist.Exit.dst, there->Ist.Exit.dst);
        break;
    default:
        break;
    }
}

static void count_it(const UChar *insn)
{
    unsigned mask = insn[0] & 15;
    if (it.left)
        it.left--;
    if (insn[1] == 0xbf && mask) {
        it.saw_it = true;
        it.known = true;
        it.left = 4 - (unsigned)__builtin_ctz(mask);
    }
}

static struct vex_decoded not_decoded(IRSB *sb, Addr address)
{
    addStmtToIRSB(sb, IRStmt_Put((Int)ARM(R15T), IRExpr_Const(IRConst_U32((UInt)address))));
    return (struct vex_decoded){.what_next = VEX_STOP, .jump = Ijk_NoDecode};
}

struct vex_decoded vex_arm_decode(IRSB *sb, const UChar *code, Long delta, Addr address, VexArch arch,
                                  const VexArchInfo *info, const VexAbiInfo *abi, VexEndness host,
                                  Bool diagnose)
{
    Int first = sb->stmts_used;
    if (!(address & 1)) {
        UInt word;
        memcpy(&word, code + delta, sizeof word);
        if (vex_arm_is_mistaken(word, false))
            return not_decoded(sb, address);
        struct vex_decoded d = disInstr_ARM(sb, code, delta, address, arch, info, abi, host, diagnose);
        vex_arm_exact(sb, first, word, false);
        return d;
    }
    const UChar *halfword = code + delta - 1;
    const UInt word =
        (UInt)halfword[1] << 24 | (UInt)halfword[0] << 16 | (UInt)halfword[3] << 8 | halfword[2];
    if (vex_arm_is_mistaken(word, true))
        return not_decoded(sb, address);
    UInt place = it.place + ((UInt)address & 3);
    if (it.known && it.left == 0) {
        if (it.readable)
            place += 32; /* far enough into the page that VEX looks at what is before */
        else
            addStmtToIRSB(sb, IRStmt_Put((Int)ARM(ITSTATE), IRExpr_Const(IRConst_U32(0))));
    }
    count_it(code + delta - 1);
    IRSB *other = emptyIRSB();
    disInstr_ARM(other, code, delta, place + PAGE, arch, info, abi, host, diagnose);
    first = sb->stmts_used;
    struct vex_decoded result = disInstr_ARM(sb, code, delta, place, arch, info, abi, host, diagnose);
    if (sb->stmts_used - first != other->stmts_used)
        vpanic("thumb: different numbers of statements");
    struct mover m = {.by = (UInt)address - place};
    for (Int i = 0; i < other->stmts_used; i++)
        move_stmt(&m, sb->stmts[first + i], other->stmts[i]);
    vex_arm_exact(sb, first, word, true);
    return result;
}
