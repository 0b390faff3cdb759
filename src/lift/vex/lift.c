/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/lift.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "lift/vex/front.h"
#include "lift/vex/state.h"
#include "lift/vex/thumb.h"
#include "lift/vex/undecoded.h"

struct lifter {
    struct vex_front front;
    struct vex_ctx ctx;
    struct disassembler disassembler;
    struct lift_stats stats;
};

const struct ir_machine *lift_machine(enum machine_arch arch)
{
    switch (arch) {
    case MACHINE_AMD64:
        return &vex_machine_amd64;
    case MACHINE_X86:
        return &vex_machine_x86;
    case MACHINE_ARM:
        return &vex_machine_arm;
    case MACHINE_ARM64:
        return &vex_machine_arm64;
    default:
        return NULL;
    }
}

struct lifter *lifter_new(enum machine_arch arch, struct error *err)
{
    struct lifter *l = xcalloc(1, sizeof *l);
    l->ctx.arch = arch;
    l->ctx.machine = lift_machine(arch);
    if (!l->ctx.machine || !vex_front_init(&l->front, arch)) {
        error_set(err, ERROR_UNSUPPORTED,
                  "no lifter for this architecture; x86-64, i386, arm and aarch64 can be lifted");
        free(l);
        return NULL;
    }
    if (!disassembler_init(&l->disassembler, arch)) {
        error_set(err, ERROR_UNSUPPORTED, "Capstone was built without support for %s", l->ctx.machine->name);
        free(l);
        return NULL;
    }
    l->ctx.b = ir_builder_new();
    l->ctx.kept = &l->front.kept;
    return l;
}

void lifter_free(struct lifter *l)
{
    if (!l)
        return;
    ir_builder_free(l->ctx.b);
    disassembler_free(&l->disassembler);
    free(l->ctx.tmp);
    free(l->ctx.def);
    free(l);
}

void lifter_keep_loads(struct lifter *l)
{
    l->front.keep_loads = true;
}

void lifter_keep_constants(struct lifter *l, lift_keep_fn *keep, void *ctx)
{
    l->front.kept.keep = keep;
    l->front.kept.ctx = ctx;
}

struct lift_stats lifter_stats(const struct lifter *l)
{
    return l->stats;
}

/* What the marks of an IRSB say. */
struct extent {
    unsigned whole;        /* instructions that lie within the bytes available */
    size_t bytes;          /* covered by those */
    bool cut;              /* another one runs past them */
    bool undecoded;        /* VEX gave up at... */
    uint64_t undecoded_at; /* ...this address */
    uint64_t last;         /* where the last one lies */
    bool leaves;           /* there is a side exit */
    unsigned skips;        /* this many up to one that is skipped within an IT block; 0: there is none */
    bool awkward;          /* more is done then than to put, load and store */
    unsigned it_left;      /* after all of them: instructions of the IT block still to come */
};

/* Instructions after this one that are in an IT block, where there were `left` before it. */
static unsigned left_in_it(const uint8_t *insn, size_t available, unsigned left)
{
    unsigned mask = available > 1 && insn[1] == 0xbf ? insn[0] & 15 : 0;
    return mask ? 4 - (unsigned)__builtin_ctz(mask) : left ? left - 1 : 0;
}

/* thumb: `it_left` instructions of an IT block are still to come before the first one; else NULL. */
static struct extent measure(const IRSB *sb, uint64_t address, const uint8_t *bytes, size_t available,
                             const unsigned *it_left)
{
    struct extent x = {.it_left = it_left ? *it_left : 0};
    uint64_t last = address, next = address;
    for (Int i = 0; i < sb->stmts_used; i++) {
        const IRStmt *s = sb->stmts[i];
        if (x.skips == x.whole && x.whole)
            x.awkward = x.awkward || (s->tag != Ist_IMark && s->tag != Ist_Put && s->tag != Ist_WrTmp &&
                                      s->tag != Ist_Store && s->tag != Ist_StoreG && s->tag != Ist_LoadG &&
                                      s->tag != Ist_NoOp && s->tag != Ist_AbiHint);
        if (s->tag == Ist_Exit) {
            x.leaves = true;
            if (x.it_left && !x.skips && s->Ist.Exit.dst->tag == Ico_U32 &&
                s->Ist.Exit.dst->Ico.U32 == (next | 1))
                x.skips = x.whole;
        }
        if (s->tag != Ist_IMark)
            continue;
        last = s->Ist.IMark.addr;
        next = last + s->Ist.IMark.len;
        size_t end = (size_t)(last - address) + s->Ist.IMark.len;
        if (end > available || last - address >= available) {
            x.cut = true;
            return x;
        }
        if (it_left)
            x.it_left = left_in_it(bytes + (last - address), available - (size_t)(last - address), x.it_left);
        x.whole++;
        x.bytes = end;
        x.last = last;
    }
    if (sb->jumpkind == Ijk_NoDecode) {
        x.undecoded = true;
        x.undecoded_at = last;
        x.bytes = (size_t)(last - address);
        x.whole--;
    }
    return x;
}

static struct ir_end end_unknown(void)
{
    return (struct ir_end){.kind = IR_END_UNKNOWN,
                           .next = IR_NONE,
                           .label = IR_NO_LABEL,
                           .after = IR_NO_LABEL,
                           .result = IR_NONE};
}

static struct ir_end end_jump(struct vex_ctx *c, ir_label to)
{
    if (c->machine->pointer_width == 32)
        to &= UINT32_MAX;
    return (struct ir_end){.kind = IR_END_JUMP,
                           .next = ir_const(c->b, c->machine->pointer_width, to),
                           .label = to,
                           .after = IR_NO_LABEL,
                           .result = IR_NONE};
}

/* Whether a jump goes to a sum with the link register in it, which holds the address after the jump where a
 * table lies: "add pc, lr, r3". */
static bool jumps_by_table(struct vex_ctx *c, const IRSB *sb, ir_label following)
{
    uint64_t value;
    for (Int i = 0; sb->next->tag == Iex_RdTmp && i < sb->stmts_used; i++) {
        const IRStmt *s = sb->stmts[i];
        if (s->tag != Ist_WrTmp || s->Ist.WrTmp.tmp != sb->next->Iex.RdTmp.tmp ||
            s->Ist.WrTmp.data->tag != Iex_Binop || s->Ist.WrTmp.data->Iex.Binop.op != Iop_Add32)
            continue;
        const IRExpr *sum = s->Ist.WrTmp.data;
        return (ir_is_const(c->b, vex_expr(c, sum->Iex.Binop.arg1), &value) && value == following) ||
               (ir_is_const(c->b, vex_expr(c, sum->Iex.Binop.arg2), &value) && value == following);
    }
    return false;
}

/* The kernel is entered otherwise than programs of the machine do: what the registers mean to it is another
 * matter. */
static void enters_otherwise(struct vex_ctx *c, IRJumpKind how)
{
    bool usual = how == Ijk_Sys_syscall || (c->arch == MACHINE_X86 && how == Ijk_Sys_int128);
    if (!usual)
        vex_ordering(c, arena_printf(c->arena, "kernel entry %x", (unsigned)(how - Ijk_INVALID)), 0);
}

/* `following` is the label after the block's last instruction. */
static struct ir_end end_of(struct vex_ctx *c, const IRSB *sb, ir_label following)
{
    struct ir_end end = {
        .next = vex_expr(c, sb->next), .label = IR_NO_LABEL, .after = IR_NO_LABEL, .result = IR_NONE};
    uint64_t to;
    if (ir_is_const(c->b, end.next, &to))
        end.label = to;
    if (c->machine->pointer_width == 32)
        following &= UINT32_MAX;
    switch (sb->jumpkind) {
    case Ijk_Call:
        /* VEX calls the AArch64 instruction "b" a call too; only one that sets the link register is. */
        if (c->machine->lr != UINT16_MAX && c->link != following) {
            end.kind = IR_END_JUMP;
            break;
        }
        end.kind = IR_END_CALL;
        end.after = following;
        break;
    case Ijk_Ret:
        end.kind = IR_END_RET;
        break;
    case Ijk_Sys_syscall:
    case Ijk_Sys_int32:
    case Ijk_Sys_int128:
    case Ijk_Sys_int129:
    case Ijk_Sys_int130:
    case Ijk_Sys_int145:
    case Ijk_Sys_int210:
    case Ijk_Sys_sysenter:
        enters_otherwise(c, sb->jumpkind);
        end.kind = IR_END_SYSCALL;
        end.after = end.label;
        break;
    case Ijk_SigILL:
    case Ijk_SigTRAP:
    case Ijk_SigSEGV:
    case Ijk_SigBUS:
    case Ijk_SigFPE:
    case Ijk_SigFPE_IntDiv:
    case Ijk_SigFPE_IntOvf:
    case Ijk_MapFail:
        end.kind = IR_END_TRAP;
        end.next = IR_NONE;
        end.label = IR_NO_LABEL;
        break;
    case Ijk_Boring:
    case Ijk_Yield:
    case Ijk_ClientReq:
    case Ijk_NoRedir:
    case Ijk_EmWarn:
    case Ijk_InvalICache:
    case Ijk_FlushDCache:
        end.kind = IR_END_JUMP;
        /* The link register holds the address after the jump: a call written as "mov lr, pc; bx r3". */
        if (c->machine->lr != UINT16_MAX && c->link == following && end.label != following &&
            !jumps_by_table(c, sb, following)) {
            end.kind = IR_END_CALL;
            end.after = following;
        }
        break;
    default:
        return end_unknown();
    }
    return end;
}

/* The instruction at `label` begins in the bytes but does not end there. */
static struct ir_end end_cut(struct lifter *l, ir_label label, size_t available)
{
    struct vex_ctx *c = &l->ctx;
    bool thumb = c->arch == MACHINE_ARM && (label & 1);
    struct ir_unknown u = {.address = label - thumb,
                           .length = (uint8_t)available,
                           .all_registers = true,
                           .mem_write = true,
                           .text = "an instruction cut off by the end of its section"};
    ir_unknown(c->b, &u);
    l->stats.undecoded++;
    return end_unknown();
}

/* One instruction that VEX could not lift. True when the block goes on after it. */
static bool lift_undecoded(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available,
                           unsigned *length, struct ir_end *end)
{
    struct undecoded u = vex_undecoded(&l->ctx, &l->disassembler, label, bytes, available);
    *length = u.length;
    if (u.length)
        l->ctx.marks++;
    if (u.counted && u.avx512)
        l->stats.undecoded_avx512++;
    else if (u.counted)
        l->stats.undecoded++;
    if (u.ends) {
        *end = u.end;
        end->result = IR_NONE;
    }
    return !u.ends;
}

/* Lifts into the builder until the block ends; returns the bytes covered. */
static size_t lift_into(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available,
                        unsigned max_insns, struct ir_end *end)
{
    struct vex_ctx *c = &l->ctx;
    bool thumb = c->arch == MACHINE_ARM && (label & 1), stepping = false, outside_it = max_insns != LIFT_STEP;
    max_insns = max_insns == LIFT_STEP ? 1 : max_insns;
    unsigned left = max_insns ? max_insns : VEX_MAX_INSNS, it_left = 0, most = VEX_MAX_INSNS;
    size_t at = 0;
    while (left > 0) {
        if (at >= available) {
            *end = at ? end_jump(c, label + at) : end_unknown();
            return at;
        }
        unsigned limit = stepping ? 1 : left < most ? left : most;
        if (it_left && it_left < limit)
            limit = it_left;
        IRSB *sb = vex_front_lift(&l->front, label + at, bytes + at, available - at, limit, outside_it);
        struct extent x = {0};
        if (sb) {
            x = measure(sb, label - thumb + at, bytes + at, available - at, thumb ? &it_left : NULL);
            if (x.cut && x.whole == 0) {
                *end = end_cut(l, label + at, available - at);
                return at;
            }
            if (x.cut) {
                left = x.whole;
                continue;
            }
            /* What comes after a skipped one was lifted as if it had not been skipped. */
            if (x.skips && x.skips < x.whole) {
                most = x.skips;
                continue;
            }
            most = VEX_MAX_INSNS;
        } else if (!stepping && limit > 1) {
            stepping = true; /* one at a time, to find the instruction that VEX panics at */
            continue;
        } else {
            l->stats.panics++;
        }
        c->thumb_it = thumb && (!outside_it || vex_thumb_saw_it());
        if (sb) {
            c->insn_address = label - thumb + at;
            c->insn_bytes = bytes + at;
            c->undecoded_at = x.undecoded ? x.undecoded_at : IR_NO_LABEL;
            c->pc = IR_NONE;
            c->skip_at = x.skips && !x.awkward ? x.last : IR_NO_LABEL;
            vex_statements(c, sb);
            at += x.bytes;
            left -= x.whole < left ? x.whole : left;
            it_left = x.it_left;
            outside_it = it_left == 0;
            l->front.cc_op_known = false; /* it was about the first instruction */
        }
        if (!sb || x.undecoded) {
            if (left == 0)
                break;
            unsigned length;
            if (!lift_undecoded(l, label + at, bytes + at, available - at, &length, end))
                return at + length;
            at += length;
            left--;
            it_left -= !sb && it_left;
            outside_it = it_left == 0;
            continue;
        }
        uint64_t next;
        *end = x.skips && x.awkward ? end_unknown() : end_of(c, sb, label + at);
        /* Stopped only because there were enough instructions, or by one that may be followed by another. */
        bool straight = (stepping ? !x.leaves : x.whole == limit) && end->kind == IR_END_JUMP &&
                        ir_is_const(c->b, end->next, &next) && next == label + at;
        bool inside_it = thumb && max_insns == 0 && it_left && end->kind == IR_END_JUMP &&
                         (left == 0 || (ir_is_const(c->b, end->next, &next) && next == label + at));
        if (inside_it)
            left = it_left;
        else if (!straight)
            return at;
    }
    *end = end_jump(c, label + at);
    return at;
}

static void lift_one(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available,
                     unsigned max_insns, struct arena *arena, struct ir_block *out)
{
    struct vex_ctx *c = &l->ctx;
    vex_begin(c, label, arena);
    struct ir_end end = end_unknown();
    size_t covered = lift_into(l, label, bytes, available, max_insns, &end);
    ir_finish(c->b, end, (uint32_t)covered, arena, out);
    l->stats.blocks++;
    l->stats.instructions += c->marks;
    l->stats.ir_insns += out->ninsn;
    l->stats.unmodelled = c->unmodelled;
#ifndef NDEBUG
    struct buf why = BUF_INIT;
    struct ir_pures pures = lift_pures();
    if (!ir_validate(out, c->machine, &pures, &why)) {
        fprintf(stderr, "lifting %#llx gave malformed IR:\n%s", (unsigned long long)label, buf_text(&why));
        assert(!"malformed IR");
    }
    buf_free(&why);
#endif
}

void lift_block(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available, unsigned max_insns,
                struct arena *arena, struct ir_block *out)
{
    l->front.cc_op_known = false;
    lift_one(l, label, bytes, available, max_insns, arena, out);
}

void lift_block_after(struct lifter *l, uint64_t cc_op, ir_label label, const uint8_t *bytes,
                      size_t available, unsigned max_insns, struct arena *arena, struct ir_block *out)
{
    l->front.cc_op_known = true;
    l->front.cc_op_was = cc_op;
    lift_one(l, label, bytes, available, max_insns, arena, out);
}

bool lift_uses_flags(const struct ir_block *b, enum machine_arch arch)
{
    unsigned cc_op = vex_state_cc_op(arch);
    for (uint32_t i = 0; i < b->ninsn; i++) {
        if (b->insn[i].op == IR_GET && b->insn[i].a == cc_op)
            return true;
        if (b->insn[i].op == IR_PUT && b->insn[i].a == cc_op)
            return false;
    }
    return false;
}

bool lift_flags_at(const struct ir_block *b, enum machine_arch arch, uint32_t insn, uint64_t *cc_op)
{
    unsigned offset = vex_state_cc_op(arch);
    for (uint32_t i = insn; i-- > 0;) {
        const struct ir_insn *p = &b->insn[i];
        if (p->op == IR_UNKNOWN || p->op == IR_EVENT)
            return false;
        if (p->op != IR_PUT || p->a != offset)
            continue;
        const struct ir_insn *value = &b->insn[p->b];
        if (value->op != IR_CONST || value->width > 64)
            return false;
        *cc_op = ir_imm(value->a, value->b);
        return true;
    }
    return false;
}

unsigned lift_vex_only(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available,
                       unsigned max_insns)
{
    if (available == 0)
        return 0;
    l->front.cc_op_known = false;
    unsigned limit = max_insns && max_insns < VEX_MAX_INSNS ? max_insns : VEX_MAX_INSNS;
    IRSB *sb = vex_front_lift(&l->front, label, bytes, available, limit, true);
    if (!sb)
        return 0;
    bool thumb = l->ctx.arch == MACHINE_ARM && (label & 1);
    return measure(sb, label - thumb, bytes, available, NULL).whole;
}

unsigned lift_disassemble(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available, char *out,
                          size_t cap)
{
    const cs_insn *i = disassemble(&l->disassembler, label, bytes, available);
    if (!i) {
        if (cap)
            out[0] = '\0';
        return 0;
    }
    snprintf(out, cap, "%s%s%s", i->mnemonic, i->op_str[0] ? " " : "", i->op_str);
    return i->size;
}
