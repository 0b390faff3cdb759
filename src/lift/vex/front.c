/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/front.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "lift/vex/arm64_exact.h"
#include "lift/vex/division.h"
#include "lift/vex/state.h"
#include "lift/vex/thumb.h"
#include "lift/vex/x86_exact.h"

/* libVEX keeps its state in globals and calls back without a context, so what belongs to a call in progress
 * is one object beside it. Processes, not threads, do work in parallel. */
static struct {
    jmp_buf panic;
    bool running;
} call;

static __attribute__((noreturn)) void on_failure(void)
{
    if (call.running)
        longjmp(call.panic, 1);
    abort(); /* only a helper called with arguments outside its contract gets here */
}

static void on_log(const HChar *text, SizeT n)
{
    (void)text;
    (void)n;
}

static void init_once(void)
{
    if (vex_initdone)
        return;
    VexControl control;
    LibVEX_default_VexControl(&control);
    control.iropt_verbosity = 0;
    control.iropt_level = 2;
    control.iropt_register_updates_default = VexRegUpdSpAtMemAccess;
    control.iropt_unroll_thresh = 0;
    control.guest_chase = False;
    LibVEX_Init(on_failure, on_log, 0, &control);
}

/* Four rotations that together do nothing, followed by an exchange of a register with itself, are how a
 * program talks to Valgrind, and VEX gives them that meaning (one of them even takes IR from a global). On a
 * processor they do nothing, so the first two are swapped before VEX sees them: same effect, no longer
 * recognised. */
enum { MARKER_BYTES = 16, MARKER_BYTES_X86 = 12 };
static const uint8_t marker_amd64[MARKER_BYTES] = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d,
                                                   0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33};
static const uint8_t marker_x86[MARKER_BYTES_X86] = {0xc1, 0xc7, 0x03, 0xc1, 0xc7, 0x0d,
                                                     0xc1, 0xc7, 0x1d, 0xc1, 0xc7, 0x13};
static const uint8_t marker_arm[MARKER_BYTES] = {0xec, 0xc1, 0xa0, 0xe1, 0xec, 0xc6, 0xa0, 0xe1,
                                                 0xec, 0xce, 0xa0, 0xe1, 0xec, 0xc9, 0xa0, 0xe1};
static const uint8_t marker_thumb[MARKER_BYTES] = {0x4f, 0xea, 0xfc, 0x0c, 0x4f, 0xea, 0x7c, 0x3c,
                                                   0x4f, 0xea, 0x7c, 0x7c, 0x4f, 0xea, 0xfc, 0x4c};
static const uint8_t marker_arm64[MARKER_BYTES] = {0x8c, 0x0d, 0xcc, 0x93, 0x8c, 0x35, 0xcc, 0x93,
                                                   0x8c, 0xcd, 0xcc, 0x93, 0x8c, 0xf5, 0xcc, 0x93};

static void disarm_marker(uint8_t *code, const uint8_t *marker, size_t size)
{
    if (memcmp(code, marker, size) != 0)
        return;
    memcpy(code, marker + size / 4, size / 4);
    memcpy(code + size / 4, marker, size / 4);
}

/* libVEX's shortcut for the overflow flag of 32-bit Arm after a subtraction with carry forgets to shift the
 * sign bit down. Without the shortcut the helper is called, and flags_arm.c gives it its meaning. */
static IRExpr *spec_arm(const HChar *helper, IRExpr **args, IRStmt **before, Int nbefore)
{
    if (!strcmp(helper, "armg_calculate_flag_v"))
        return NULL;
    return guest_arm_spechelper(helper, args, before, nbefore);
}

bool vex_front_init(struct vex_front *f, enum machine_arch arch)
{
    memset(f, 0, sizeof *f);
    LibVEX_default_VexArchInfo(&f->info);
    LibVEX_default_VexAbiInfo(&f->abi);
    f->info.endness = VexEndnessLE;
    switch (arch) {
    case MACHINE_AMD64:
        f->arch = VexArchAMD64;
        f->decode = vex_x86_decode;
        f->spec = guest_amd64_spechelper;
        f->precise = guest_amd64_state_requires_precise_mem_exns;
        f->pc = AMD64(RIP);
        f->info.hwcaps = VEX_HWCAPS_AMD64_SSE3 | VEX_HWCAPS_AMD64_SSSE3 | VEX_HWCAPS_AMD64_CX16 |
                         VEX_HWCAPS_AMD64_LZCNT | VEX_HWCAPS_AMD64_AVX | VEX_HWCAPS_AMD64_RDTSCP |
                         VEX_HWCAPS_AMD64_BMI | VEX_HWCAPS_AMD64_AVX2 | VEX_HWCAPS_AMD64_RDRAND |
                         VEX_HWCAPS_AMD64_F16C | VEX_HWCAPS_AMD64_RDSEED;
#ifdef VEX_HWCAPS_AMD64_FMA3
        f->info.hwcaps |= VEX_HWCAPS_AMD64_FMA3 | VEX_HWCAPS_AMD64_FMA4;
#endif
        f->abi.guest_stack_redzone_size = 128;
        f->abi.guest_amd64_assume_fs_is_const = True;
        f->abi.guest_amd64_assume_gs_is_const = True;
        f->max_insn_bytes = 15;
        f->marker = marker_amd64;
        break;
    case MACHINE_X86:
        f->arch = VexArchX86;
        f->decode = vex_x86_decode;
        f->spec = guest_x86_spechelper;
        f->precise = guest_x86_state_requires_precise_mem_exns;
        f->pc = X86(EIP);
        f->info.hwcaps = VEX_HWCAPS_X86_MMXEXT | VEX_HWCAPS_X86_SSE1 | VEX_HWCAPS_X86_SSE2 |
                         VEX_HWCAPS_X86_SSE3 | VEX_HWCAPS_X86_LZCNT;
        f->max_insn_bytes = 15;
        f->marker = marker_x86;
        break;
    case MACHINE_ARM:
        f->arch = VexArchARM;
        f->decode = vex_arm_decode;
        f->spec = spec_arm;
        f->precise = guest_arm_state_requires_precise_mem_exns;
        f->pc = ARM(R15T);
        f->info.hwcaps =
            8 | VEX_HWCAPS_ARM_VFP | VEX_HWCAPS_ARM_VFP2 | VEX_HWCAPS_ARM_VFP3 | VEX_HWCAPS_ARM_NEON;
        f->max_insn_bytes = 4;
        f->marker = marker_arm;
        f->thumb_marker = marker_thumb;
        break;
    case MACHINE_ARM64:
        f->arch = VexArchARM64;
        f->decode = vex_arm64_decode;
        f->spec = guest_arm64_spechelper;
        f->precise = guest_arm64_state_requires_precise_mem_exns;
        f->pc = ARM64(PC);
        f->info.hwcaps = ~0u;
        f->info.arm64_dMinLine_lg2_szB = 6;
        f->info.arm64_iMinLine_lg2_szB = 6;
        f->max_insn_bytes = 4;
        f->marker = marker_arm64;
        break;
    default:
        return false;
    }
    f->word = arch == MACHINE_AMD64 || arch == MACHINE_ARM64 ? Ity_I64 : Ity_I32;
    f->cc_op = (Int)vex_state_cc_op(arch);
    init_once();
    return true;
}

/* Decodes until an instruction ends the block or there are max_insns. */
static IRSB *decode(struct vex_front *f, Addr address, unsigned max_insns)
{
    IRSB *sb = emptyIRSB();
    Long delta = 0;
    bool thumb = f->arch == VexArchARM && (address & 1);
    const uint8_t *marker = thumb ? f->thumb_marker : f->marker;
    size_t marker_size = f->arch == VexArchX86 ? MARKER_BYTES_X86 : MARKER_BYTES;
    const UChar *code = f->code + thumb; /* VEX counts from the Thumb bit on */
    struct vex_decoded d = {.what_next = VEX_CONTINUE};
    if (f->cc_op_known) {
        IRConst *was = f->word == Ity_I64 ? IRConst_U64(f->cc_op_was) : IRConst_U32((UInt)f->cc_op_was);
        addStmtToIRSB(sb, IRStmt_Put(f->cc_op, IRExpr_Const(was)));
    }
    for (unsigned n = 0; n < max_insns && d.what_next == VEX_CONTINUE; n++) {
        IRStmt *mark = IRStmt_IMark(address + (Addr)delta - thumb, 0, thumb);
        addStmtToIRSB(sb, mark);
        Int first = sb->stmts_used;
        disarm_marker(f->code + delta, marker, marker_size);
        d = f->decode(sb, code, delta, address + (Addr)delta, f->arch, &f->info, &f->abi, VexEndnessLE,
                      False);
        mark->Ist.IMark.len = d.length;
        if (f->arch == VexArchAMD64 || f->arch == VexArchX86)
            vex_check_divisions(sb, first);
        delta += d.length;
    }
    sb->next = IRExpr_Get(f->pc, f->word);
    sb->offsIP = f->pc;
    sb->jumpkind = d.what_next == VEX_CONTINUE ? Ijk_Boring : d.jump;
    return sb;
}

static IRSB *hint_loads(const struct vex_front *f, const IRSB *sb)
{
    IRSB *out = deepCopyIRSBExceptStmts(sb);
    for (Int i = 0; i < sb->stmts_used; i++) {
        const IRStmt *s = sb->stmts[i];
        addStmtToIRSB(out, sb->stmts[i]);
        if (s->tag != Ist_WrTmp || s->Ist.WrTmp.data->tag != Iex_Load)
            continue;
        IRConst *mark = f->word == Ity_I64 ? IRConst_U64(VEX_LOAD_HINT) : IRConst_U32(VEX_LOAD_HINT);
        addStmtToIRSB(out, IRStmt_AbiHint(s->Ist.WrTmp.data->Iex.Load.addr,
                                          sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty), IRExpr_Const(mark)));
    }
    return out;
}

bool vex_is_load_hint(const IRStmt *s)
{
    const IRExpr *nia = s->Ist.AbiHint.nia;
    if (nia->tag != Iex_Const)
        return false;
    const IRConst *c = nia->Iex.Const.con;
    return (c->tag == Ico_U64 ? c->Ico.U64 : c->Ico.U32) == VEX_LOAD_HINT;
}

IRSB *vex_front_lift(struct vex_front *f, ir_label label, const uint8_t *bytes, size_t available,
                     unsigned max_insns, bool outside_it)
{
    bool thumb = f->arch == VexArchARM && (label & 1);
    size_t window = (size_t)max_insns * f->max_insn_bytes + VEX_PAD;
    size_t n = available < window ? available : window;
    memcpy(f->code, bytes, n);
    /* What follows must not make the block longer than it is: int3, a permanently undefined Thumb
     * instruction. */
    memset(f->code + n, f->arch == VexArchARM64 ? 0 : f->arch == VexArchARM ? 0xde : 0xcc, VEX_PAD);

    if (thumb)
        vex_thumb_begin(outside_it);
    IRSB *volatile sb = NULL;
    if (setjmp(call.panic) == 0) {
        call.running = true;
        vexSetAllocModeTEMP_and_clear();
        sb = do_minimal_initial_iropt_BB(decode(f, label, max_insns));
        if (f->kept.keep)
            sb = vex_keep(&f->kept, f->word, sb);
        if (f->keep_loads)
            sb = hint_loads(f, sb);
        sb = do_iropt_BB(sb, f->spec, f->precise, VexRegUpdSpAtMemAccess, label, f->arch);
    } else {
        sb = NULL;
    }
    call.running = false;
    return sb;
}
