/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements and expressions of an IRSB. The IRSB is flat: operands are temporaries or constants. */
#include <assert.h>

#include "lift/vex/front.h"
#include "lift/vex/ops.h"
#include "lift/vex/pure.h"
#include "lift/vex/state.h"

static ir_val number(struct vex_ctx *c, unsigned width, uint64_t n)
{
    struct vex_constant *slot = &c->constant[(n ^ n >> 7 ^ width) % VEX_CONSTANTS];
    if (slot->value == IR_NONE || slot->number != n || slot->width != width)
        *slot = (struct vex_constant){n, ir_const(c->b, width, n), (uint16_t)width};
    return slot->value;
}

static ir_val constant(struct vex_ctx *c, const IRConst *k)
{
    struct bits wide = {{0}};
    union {
        Float f;
        Double d;
        uint32_t u32;
        uint64_t u64;
    } pun = {.u64 = 0};
    switch (k->tag) {
    case Ico_U1:
        return number(c, 1, k->Ico.U1 & 1);
    case Ico_U8:
        return number(c, 8, k->Ico.U8);
    case Ico_U16:
        return number(c, 16, k->Ico.U16);
    case Ico_U32:
    case Ico_F32i:
        return number(c, 32, k->Ico.U32);
    case Ico_U64:
    case Ico_F64i:
        return number(c, 64, k->Ico.U64);
    case Ico_F32:
        pun.f = k->Ico.F32;
        return number(c, 32, pun.u32);
    case Ico_F64:
        pun.d = k->Ico.F64;
        return number(c, 64, pun.u64);
    case Ico_V128: /* a bit for each byte */
        for (unsigned i = 0; i < 16; i++)
            if (k->Ico.V128 >> i & 1)
                wide.w[i / 8] |= UINT64_C(0xff) << (i % 8 * 8);
        return ir_const_bits(c->b, 128, wide);
    case Ico_V256:
        for (unsigned i = 0; i < 32; i++)
            if (k->Ico.V256 >> i & 1)
                wide.w[i / 8] |= UINT64_C(0xff) << (i % 8 * 8);
        return ir_const_bits(c->b, 256, wide);
    default: /* Ico_U128 has no user in the guests here */
        return vex_unmodelled(c, "vex:constant", NULL, 0, 128);
    }
}

ir_val vex_unmodelled(struct vex_ctx *c, const char *name, const ir_val *arg, unsigned nargs, unsigned width)
{
    c->unmodelled++;
    struct ir_event e = {.name = name, .guard = IR_NONE, .mem_addr = IR_NONE, .observable = true};
    return ir_event(c->b, &e, arg, nargs, width);
}

static ir_val reverse_bytes(struct vex_ctx *c, ir_val x)
{
    unsigned width = ir_width(c->b, x);
    ir_val out = ir_extract(c->b, x, 0, width < 8 ? width : 8);
    for (unsigned i = 8; i < width; i += 8)
        out = ir_bin(c->b, OP_CONCAT, out, ir_extract(c->b, x, i, 8));
    return out;
}

static ir_val load(struct vex_ctx *c, IREndness end, ir_val addr, unsigned width, ir_val guard,
                   ir_val otherwise)
{
    if (end == Iend_BE && otherwise != IR_NONE)
        otherwise = reverse_bytes(c, otherwise);
    ir_val x = ir_load(c->b, 0, addr, width, guard, otherwise);
    return end == Iend_BE ? reverse_bytes(c, x) : x;
}

static ir_val if_not_skipped(struct vex_ctx *c, ir_val guard)
{
    if (guard == IR_NONE || c->unless_skipped == IR_NONE)
        return guard == IR_NONE ? c->unless_skipped : guard;
    return ir_bin(c->b, OP_AND, guard, c->unless_skipped);
}

static void store(struct vex_ctx *c, IREndness end, ir_val addr, ir_val value, ir_val guard)
{
    c->loaded = IR_NONE;
    ir_store(c->b, 0, addr, end == Iend_BE ? reverse_bytes(c, value) : value, if_not_skipped(c, guard));
}

static ir_val get(struct vex_ctx *c, unsigned offset, IRType ty)
{
    if (offset == c->machine->pc)
        return c->pc != IR_NONE ? c->pc : ir_const(c->b, c->machine->pointer_width, c->insn_address);
    if (offset >= VEX_KEPT)
        return ir_const_kept(c->b, vex_type_width(ty), c->kept->value[(offset - VEX_KEPT) / 8]);
    return ir_get(c->b, offset, vex_type_width(ty));
}

/* The index of an element of a circular array of registers: (ix + bias) mod n. */
static ir_val array_index(struct vex_ctx *c, const IRRegArray *array, const IRExpr *ix, Int bias)
{
    ir_val i = ir_bin(c->b, OP_ADD, vex_expr(c, ix), ir_const(c->b, 32, (uint32_t)bias));
    unsigned n = (unsigned)array->nElems;
    if ((n & (n - 1)) == 0)
        return ir_bin(c->b, OP_AND, i, ir_const(c->b, 32, n - 1));
    return ir_bin(c->b, OP_UREM, i, ir_const(c->b, 32, n));
}

static ir_val get_indexed(struct vex_ctx *c, const IRRegArray *array, const IRExpr *ix, Int bias)
{
    ir_val index = array_index(c, array, ix, bias), out = IR_NONE;
    unsigned width = vex_type_width(array->elemTy);
    for (unsigned i = 0; i < (unsigned)array->nElems; i++) {
        ir_val element = ir_get(c->b, (unsigned)array->base + i * (width / 8), width);
        out = out == IR_NONE ? element
                             : ir_ite(c->b, ir_bin(c->b, OP_EQ, index, ir_const(c->b, 32, i)), element, out);
    }
    return out;
}

static void put_indexed(struct vex_ctx *c, const IRPutI *p)
{
    ir_val index = array_index(c, p->descr, p->ix, p->bias), value = vex_expr(c, p->data);
    unsigned width = vex_type_width(p->descr->elemTy);
    for (unsigned i = 0; i < (unsigned)p->descr->nElems; i++) {
        unsigned offset = (unsigned)p->descr->base + i * (width / 8);
        ir_val here = ir_bin(c->b, OP_EQ, index, ir_const(c->b, 32, i));
        ir_put(c->b, offset, ir_ite(c->b, here, value, ir_get(c->b, offset, width)));
    }
}

const IRExpr *vex_definition(const struct vex_ctx *c, const IRExpr *e)
{
    return e->tag == Iex_RdTmp ? c->def[e->Iex.RdTmp.tmp] : e;
}

bool vex_same(const struct vex_ctx *c, const IRExpr *x, const IRExpr *y)
{
    if (x->tag != Iex_RdTmp || y->tag != Iex_RdTmp)
        return false;
    if (c->tmp[x->Iex.RdTmp.tmp] == c->tmp[y->Iex.RdTmp.tmp])
        return true;
    const IRExpr *dx = vex_definition(c, x), *dy = vex_definition(c, y);
    return dx && dy && dx->tag == Iex_Unop && dy->tag == Iex_Unop && dx->Iex.Unop.op == dy->Iex.Unop.op &&
           dx->Iex.Unop.arg->tag == Iex_RdTmp && dy->Iex.Unop.arg->tag == Iex_RdTmp &&
           c->tmp[dx->Iex.Unop.arg->Iex.RdTmp.tmp] == c->tmp[dy->Iex.Unop.arg->Iex.RdTmp.tmp];
}

static ir_val binop(struct vex_ctx *c, const IRExpr *e)
{
    ir_val arg[2] = {vex_expr(c, e->Iex.Binop.arg1), vex_expr(c, e->Iex.Binop.arg2)};
    IROp op = e->Iex.Binop.op;
    switch (op) {
    /* Whether memory changed between the load and the store of an atomic operation: never, see cas(). */
    case Iop_CasCmpNE8:
    case Iop_CasCmpNE16:
    case Iop_CasCmpNE32:
    case Iop_CasCmpNE64:
        if (arg[0] == arg[1] || vex_same(c, e->Iex.Binop.arg1, e->Iex.Binop.arg2))
            return ir_const(c->b, 1, 0);
        break;
    default:
        break;
    }
    return vex_op(c, op, arg, 2);
}

ir_val vex_expr(struct vex_ctx *c, const IRExpr *e)
{
    ir_val arg[4];
    switch (e->tag) {
    case Iex_RdTmp:
        assert(e->Iex.RdTmp.tmp < c->ntmp && c->tmp[e->Iex.RdTmp.tmp] != IR_NONE);
        return c->tmp[e->Iex.RdTmp.tmp];
    case Iex_Const:
        return constant(c, e->Iex.Const.con);
    case Iex_Get:
        return get(c, (unsigned)e->Iex.Get.offset, e->Iex.Get.ty);
    case Iex_GetI:
        return get_indexed(c, e->Iex.GetI.descr, e->Iex.GetI.ix, e->Iex.GetI.bias);
    case Iex_Qop:
        arg[0] = vex_expr(c, e->Iex.Qop.details->arg1);
        arg[1] = vex_expr(c, e->Iex.Qop.details->arg2);
        arg[2] = vex_expr(c, e->Iex.Qop.details->arg3);
        arg[3] = vex_expr(c, e->Iex.Qop.details->arg4);
        return vex_op(c, e->Iex.Qop.details->op, arg, 4);
    case Iex_Triop:
        arg[0] = vex_expr(c, e->Iex.Triop.details->arg1);
        arg[1] = vex_expr(c, e->Iex.Triop.details->arg2);
        arg[2] = vex_expr(c, e->Iex.Triop.details->arg3);
        return vex_op(c, e->Iex.Triop.details->op, arg, 3);
    case Iex_Binop:
        return binop(c, e);
    case Iex_Unop:
        arg[0] = vex_expr(c, e->Iex.Unop.arg);
        return vex_op(c, e->Iex.Unop.op, arg, 1);
    case Iex_Load: {
        ir_val addr = vex_expr(c, e->Iex.Load.addr);
        unsigned width = vex_type_width(e->Iex.Load.ty);
        if (width == 128 && vex_must_be_aligned(c)) {
            ir_val low = ir_extract(c->b, addr, 0, 4);
            ir_exit(c->b, ir_un(c->b, OP_NOT, ir_bin(c->b, OP_EQ, low, ir_const(c->b, 4, 0))),
                    IR_EXIT_MISALIGNED, c->insn_address);
        }
        ir_val x = load(c, e->Iex.Load.end, addr, width, c->unless_skipped,
                        c->unless_skipped == IR_NONE ? IR_NONE : ir_const(c->b, width, 0));
        c->loaded = x;
        c->loaded_from = addr;
        return x;
    }
    case Iex_ITE:
        arg[0] = vex_expr(c, e->Iex.ITE.cond);
        arg[1] = vex_expr(c, e->Iex.ITE.iftrue);
        arg[2] = vex_expr(c, e->Iex.ITE.iffalse);
        return ir_ite(c->b, arg[0], arg[1], arg[2]);
    case Iex_CCall:
        return vex_helper(c, e);
    default: /* Iex_GSPTR and Iex_VECRET are arguments of dirty calls only, Iex_Binder of patterns */
        return vex_unmodelled(c, "vex:expression", NULL, 0, c->machine->pointer_width);
    }
}

static void put(struct vex_ctx *c, unsigned offset, const IRExpr *data)
{
    if (vex_state_is_bookkeeping(c->arch, offset))
        return;
    ir_val x = vex_expr(c, data);
    uint64_t k;
    if (offset == c->machine->pc) {
        c->pc = x;
        return;
    }
    if (offset == c->machine->lr)
        c->link = ir_is_const(c->b, x, &k) ? k : 0;
    /* Outside IT blocks the state is zero before and after: see thumb.h. */
    if (c->arch == MACHINE_ARM && offset == ARM(ITSTATE) && !c->thumb_it && ir_is_const(c->b, x, &k) &&
        k == 0)
        return;
    if (c->unless_skipped != IR_NONE)
        x = ir_ite(c->b, c->unless_skipped, x, ir_get(c->b, offset, ir_width(c->b, x)));
    ir_put(c->b, offset, x);
}

static void assign(struct vex_ctx *c, IRTemp tmp, ir_val value)
{
    assert(tmp < c->ntmp);
    c->tmp[tmp] = value;
}

static void load_guarded(struct vex_ctx *c, const IRLoadG *g)
{
    ir_val addr = vex_expr(c, g->addr), guard = if_not_skipped(c, vex_expr(c, g->guard)),
           otherwise = vex_expr(c, g->alt);
    unsigned width = 0;
    bool is_signed = false;
    switch (g->cvt) {
    case ILGop_IdentV128:
    case ILGop_Ident64:
    case ILGop_Ident32:
        assign(c, g->dst, load(c, g->end, addr, ir_width(c->b, otherwise), guard, otherwise));
        return;
    case ILGop_16Sto32:
        is_signed = true;
        width = 16;
        break;
    case ILGop_16Uto32:
        width = 16;
        break;
    case ILGop_8Sto32:
        is_signed = true;
        width = 8;
        break;
    default:
        width = 8;
        break;
    }
    ir_val x = load(c, g->end, addr, width, guard, ir_const(c->b, width, 0));
    x = is_signed ? ir_sext(c->b, x, 32) : ir_zext(c->b, x, 32);
    assign(c, g->dst, ir_ite(c->b, guard, x, otherwise));
}

/* One thread alone sees no difference. */
static struct bits ordering_eval(uint8_t *regs, const struct bits *arg, uint8_t *mem)
{
    (void)regs;
    (void)arg;
    (void)mem;
    return (struct bits){{0}};
}

#define FULL_FENCE "fence:f0" /* as fence_name says of mfence */

ir_val vex_ordering(struct vex_ctx *c, const char *name, unsigned width)
{
    struct ir_event e = {.name = name,
                         .guard = IR_NONE,
                         .mem_addr = IR_NONE,
                         .orders = true,
                         .observable = true,
                         .eval = ordering_eval};
    return ir_event(c->b, &e, NULL, 0, width);
}

/* lock orl $0, N(%esp), with or without REX.W: compilers write it for mfence. */
static bool is_stack_fence(const struct vex_ctx *c)
{
    const uint8_t *p = c->insn_bytes, *end = p + c->insn_length;
    if ((c->arch != MACHINE_AMD64 && c->arch != MACHINE_X86) || c->insn_length < 6 || *p++ != 0xf0)
        return false;
    p += c->arch == MACHINE_AMD64 && *p == 0x48;
    return end - p >= 4 && p[0] == 0x83 && (p[1] == 0x0c || p[1] == 0x4c) && p[2] == 0x24 && end[-1] == 0;
}

/* cmpxchg8b and cmpxchg16b, which VEX takes for locked whether they are or not. */
static bool is_locked(const struct vex_ctx *c)
{
    for (unsigned i = 0; i < c->insn_length && c->insn_bytes[i] != 0x0f; i++)
        if (c->insn_bytes[i] == 0xf0)
            return true;
    return c->arch != MACHINE_AMD64 && c->arch != MACHINE_X86;
}

/* A compare-and-swap is a load, a comparison and a store. Another thread may have stored something else since
 * the expected value was read. Where that was itself just loaded from there (how VEX writes every other locked
 * instruction) the comparison always holds. */
static void cas(struct vex_ctx *c, const IRCAS *x)
{
    ir_val addr = vex_expr(c, x->addr), expected = vex_expr(c, x->expdLo), value = vex_expr(c, x->dataLo);
    bool holds = !x->expdHi && c->loaded != IR_NONE && expected == c->loaded && addr == c->loaded_from;
    unsigned width = ir_width(c->b, expected);
    bool locked = !x->expdHi || is_locked(c);
    ir_val between = locked ? vex_ordering(c, is_stack_fence(c) ? FULL_FENCE : "atomic", holds ? 0 : width)
                            : ir_const(c->b, width, 0);
    if (x->expdHi == NULL) {
        if (holds) {
            assign(c, x->oldLo, expected);
            store(c, x->end, addr, value, IR_NONE);
            return;
        }
        ir_val old = ir_bin(c->b, OP_XOR, load(c, x->end, addr, width, IR_NONE, IR_NONE), between);
        assign(c, x->oldLo, old);
        store(c, x->end, addr, value, ir_bin(c->b, OP_EQ, old, expected));
        return;
    }
    ir_val expected_hi = vex_expr(c, x->expdHi), value_hi = vex_expr(c, x->dataHi);
    ir_val next = ir_bin(c->b, OP_ADD, addr, ir_const(c->b, c->machine->pointer_width, width / 8));
    ir_val at_lo = x->end == Iend_LE ? addr : next, at_hi = x->end == Iend_LE ? next : addr;
    ir_val old_lo = ir_bin(c->b, OP_XOR, load(c, x->end, at_lo, width, IR_NONE, IR_NONE), between);
    ir_val old_hi = load(c, x->end, at_hi, width, IR_NONE, IR_NONE);
    ir_val same =
        ir_bin(c->b, OP_AND, ir_bin(c->b, OP_EQ, old_lo, expected), ir_bin(c->b, OP_EQ, old_hi, expected_hi));
    assign(c, x->oldLo, old_lo);
    assign(c, x->oldHi, old_hi);
    store(c, x->end, at_lo, value, same);
    store(c, x->end, at_hi, value_hi, same);
}

static unsigned monitor_address(const struct vex_ctx *c)
{
    return c->arch == MACHINE_ARM ? ARM_MONITOR_ADDRESS : ARM64_MONITOR_ADDRESS;
}

static unsigned monitor_valid(const struct vex_ctx *c)
{
    return c->arch == MACHINE_ARM ? ARM_MONITOR_VALID : ARM64_MONITOR_VALID;
}

static void clear_monitor(struct vex_ctx *c)
{
    if (c->arch == MACHINE_ARM || c->arch == MACHINE_ARM64)
        ir_put(c->b, monitor_valid(c), ir_const(c->b, 8, 0));
}

/* Exclusive accesses: the store happens when the monitor still watches its address, and never fails for no
 * reason. */
static void exclusive(struct vex_ctx *c, const IRStmt *s)
{
    ir_val addr = vex_expr(c, s->Ist.LLSC.addr);
    if (s->Ist.LLSC.storedata == NULL) {
        unsigned width = vex_type_width(typeOfIRTemp(c->types, s->Ist.LLSC.result));
        ir_val between = vex_ordering(c, "exclusive load", width);
        assign(c, s->Ist.LLSC.result,
               ir_bin(c->b, OP_XOR, load(c, s->Ist.LLSC.end, addr, width, IR_NONE, IR_NONE), between));
        ir_put(c->b, monitor_address(c), addr);
        ir_put(c->b, monitor_valid(c), ir_const(c->b, 8, 1));
        return;
    }
    ir_val data = vex_expr(c, s->Ist.LLSC.storedata);
    ir_val valid = ir_extract(c->b, ir_get(c->b, monitor_valid(c), 8), 0, 1);
    ir_val watched = ir_get(c->b, monitor_address(c), c->machine->pointer_width);
    ir_val ok = ir_bin(c->b, OP_AND, valid, ir_bin(c->b, OP_EQ, watched, addr));
    vex_ordering(c, "exclusive store", 0);
    store(c, s->Ist.LLSC.end, addr, data, ok);
    clear_monitor(c);
    assign(c, s->Ist.LLSC.result, ok);
}

/* Barriers order more or less: each kind has its own name. Accesses that order what is around them have none.
 */
static const char *fence_name(struct vex_ctx *c)
{
    const uint8_t *p = c->insn_bytes;
    unsigned kind = 0;
    if (c->arch == MACHINE_ARM64) {
        uint32_t w = (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
        kind = (w & 0xfffff01f) == 0xd503301f ? w >> 5 & 0x7f : 0;
    } else if (c->arch == MACHINE_ARM && c->insn_length == 4) {
        kind = p[3] == 0xf5 ? p[0] : p[0] == 0xbf && p[1] == 0xf3 ? p[2] : 0;
        if ((p[3] & 0xf) == 0xe && (p[1] & 0xf) == 0xf) /* mcr p15: dsb, dmb or isb, by its last operands */
            kind = 0x100u | (unsigned)(p[0] & 0xf) << 4 | p[0] >> 5;
        else if (p[1] == 0xee && (p[3] & 0xf) == 0xf) /* the same in Thumb */
            kind = 0x100u | (unsigned)(p[2] & 0xf) << 4 | p[2] >> 5;
    } else if (c->insn_length >= 3 && p[c->insn_length - 3] == 0x0f && p[c->insn_length - 2] == 0xae) {
        kind = p[c->insn_length - 1]; /* mfence, lfence, sfence */
    }
    return kind ? arena_printf(c->arena, "fence:%x", kind) : "fence";
}

static void fence(struct vex_ctx *c, IRMBusEvent event)
{
    if (event == Imbe_CancelReservation) {
        clear_monitor(c);
        return;
    }
    vex_ordering(c, fence_name(c), 0);
}

static uint64_t destination(const IRConst *k)
{
    return k->tag == Ico_U32 ? k->Ico.U32 : k->Ico.U64;
}

static void side_exit(struct vex_ctx *c, const IRStmt *s)
{
    uint64_t to = destination(s->Ist.Exit.dst), next = c->insn_address + c->insn_length;
    ir_val cond = vex_expr(c, s->Ist.Exit.guard);
    IRJumpKind kind = s->Ist.Exit.jk;
    if (c->insn_address == c->skip_at && to == (next | 1)) {
        c->unless_skipped = ir_un(c->b, OP_NOT, cond);
        return;
    }
    /* An instruction that is skipped unless its condition holds: on ARM the way around it has its kind. */
    if ((kind == Ijk_Ret || kind == Ijk_Call) && (to == next || to == (next | 1)))
        kind = Ijk_Boring;
    switch (kind) {
    case Ijk_Call:
        ir_exit(c->b, cond, IR_EXIT_CALL, to);
        break;
    case Ijk_Ret:
        ir_exit(c->b, cond, IR_EXIT_RET, IR_NO_LABEL);
        break;
    case Ijk_NoDecode:
    case Ijk_MapFail:
    case Ijk_EmFail:
    case Ijk_SigILL:
    case Ijk_SigTRAP:
        ir_exit(c->b, cond, IR_EXIT_TRAP, to);
        break;
    case Ijk_SigSEGV:
    case Ijk_SigBUS:
        ir_exit(c->b, cond, IR_EXIT_MISALIGNED, to);
        break;
    case Ijk_SigFPE:
    case Ijk_SigFPE_IntDiv:
    case Ijk_SigFPE_IntOvf:
        ir_exit(c->b, cond, IR_EXIT_DIVISION, to);
        break;
    case Ijk_EmWarn:
        /* Only says that VEX does not honour a control word; the program goes on with the next instruction.
         */
        if (to == next)
            break;
        /* fall through */
    default:
        ir_exit(c->b, cond, IR_EXIT_JUMP, to);
        break;
    }
}

static void begin_insn(struct vex_ctx *c, const IRStmt *s)
{
    c->insn_bytes += s->Ist.IMark.addr - c->insn_address;
    c->insn_address = s->Ist.IMark.addr;
    c->insn_length = s->Ist.IMark.len;
    c->loaded = IR_NONE;
    if (c->insn_length && c->insn_address != c->undecoded_at) {
        ir_mark_insn(c->b, c->insn_address, c->insn_length);
        c->marks++;
    }
}

/* A load that the optimiser may have dropped. */
static void unused_load(struct vex_ctx *c, ir_val addr, unsigned width)
{
    if (c->loaded != IR_NONE && c->loaded_from == addr && ir_width(c->b, c->loaded) == width)
        return;
    ir_load(c->b, 0, addr, width, c->unless_skipped,
            c->unless_skipped == IR_NONE ? IR_NONE : ir_const(c->b, width, 0));
}

static void statement(struct vex_ctx *c, const IRStmt *s)
{
    switch (s->tag) {
    case Ist_NoOp:
        break;
    case Ist_AbiHint:
        if (vex_is_load_hint(s))
            unused_load(c, vex_expr(c, s->Ist.AbiHint.base), (unsigned)s->Ist.AbiHint.len * 8);
        break;
    case Ist_IMark:
        begin_insn(c, s);
        break;
    case Ist_Put:
        put(c, (unsigned)s->Ist.Put.offset, s->Ist.Put.data);
        break;
    case Ist_PutI:
        put_indexed(c, s->Ist.PutI.details);
        break;
    case Ist_WrTmp:
        assign(c, s->Ist.WrTmp.tmp, vex_expr(c, s->Ist.WrTmp.data));
        c->def[s->Ist.WrTmp.tmp] = vex_definition(c, s->Ist.WrTmp.data);
        break;
    case Ist_Store:
        store(c, s->Ist.Store.end, vex_expr(c, s->Ist.Store.addr), vex_expr(c, s->Ist.Store.data), IR_NONE);
        break;
    case Ist_LoadG:
        load_guarded(c, s->Ist.LoadG.details);
        break;
    case Ist_StoreG: {
        const IRStoreG *g = s->Ist.StoreG.details;
        store(c, g->end, vex_expr(c, g->addr), vex_expr(c, g->data), vex_expr(c, g->guard));
        break;
    }
    case Ist_CAS:
        cas(c, s->Ist.CAS.details);
        break;
    case Ist_LLSC:
        exclusive(c, s);
        break;
    case Ist_Dirty:
        c->loaded = IR_NONE;
        vex_dirty(c, s->Ist.Dirty.details);
        break;
    case Ist_MBE:
        fence(c, s->Ist.MBE.event);
        break;
    case Ist_Exit:
        side_exit(c, s);
        break;
    }
}

void vex_begin(struct vex_ctx *c, ir_label label, struct arena *arena)
{
    ir_begin(c->b, label);
    c->arena = arena;
    c->marks = 0;
    c->link = 0;
    c->loaded = IR_NONE;
    for (unsigned i = 0; i < VEX_CONSTANTS; i++)
        c->constant[i].value = IR_NONE;
}

void vex_statements(struct vex_ctx *c, const IRSB *sb)
{
    c->types = sb->tyenv;
    c->ntmp = (unsigned)sb->tyenv->types_used;
    if (c->ntmp > c->tmp_cap) {
        c->tmp_cap = c->ntmp * 2;
        c->tmp = xreallocarray(c->tmp, c->tmp_cap, sizeof *c->tmp);
        c->def = xreallocarray(c->def, c->tmp_cap, sizeof *c->def);
    }
    for (unsigned i = 0; i < c->ntmp; i++) {
        c->tmp[i] = IR_NONE;
        c->def[i] = NULL;
    }
    c->unless_skipped = IR_NONE;
    for (Int i = 0; i < sb->stmts_used; i++)
        statement(c, sb->stmts[i]);
    c->unless_skipped = IR_NONE;
}
