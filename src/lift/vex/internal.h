/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of libVEX that its public headers do not declare (priv/guest_generic_bb_to_IR.h, priv/ir_opt.h,
 * priv/main_util.h, priv/guest_*_defs.h; the same in valgrind 3.19 to 3.24).
 *
 * LibVEX_FrontEnd, which is public, cannot be used: compiled for a 64-bit host it asserts on every i386 guest
 * (the size of that guest's state is no multiple of 16), and its Thumb decoder reads memory at the guest's
 * addresses (thumb.h). So the two halves of it that matter, decoding instruction by instruction and
 * optimising, are called one by one. */
#ifndef LIFT_VEX_INTERNAL_H
#define LIFT_VEX_INTERNAL_H

#include "lift/vex/vex.h"

/* VEX's DisResult. */
struct vex_decoded {
    UInt length;
    UInt what_next; /* VEX_STOP or VEX_CONTINUE */
    UInt hint;
    IRJumpKind jump;
};

enum { VEX_STOP = 0x10, VEX_CONTINUE = 0x11 };

typedef struct vex_decoded vex_decode_fn(IRSB *sb, const UChar *code, Long delta, Addr address, VexArch arch,
                                         const VexArchInfo *info, const VexAbiInfo *abi, VexEndness host,
                                         Bool diagnose);
typedef IRExpr *vex_spec_fn(const HChar *helper, IRExpr **args, IRStmt **before, Int nbefore);
typedef Bool vex_precise_fn(Int first, Int last, VexRegisterUpdates updates);

extern vex_decode_fn disInstr_AMD64, disInstr_X86, disInstr_ARM, disInstr_ARM64;
extern vex_spec_fn guest_amd64_spechelper, guest_x86_spechelper, guest_arm_spechelper, guest_arm64_spechelper;
extern vex_precise_fn guest_amd64_state_requires_precise_mem_exns, guest_x86_state_requires_precise_mem_exns,
    guest_arm_state_requires_precise_mem_exns, guest_arm64_state_requires_precise_mem_exns;

/* Flattens expressions; do_iropt_BB wants it done. */
extern IRSB *do_minimal_initial_iropt_BB(IRSB *sb);
extern IRSB *do_iropt_BB(IRSB *sb, vex_spec_fn *spec, vex_precise_fn *precise, VexRegisterUpdates updates,
                         Addr address, VexArch arch);
extern void vexSetAllocModeTEMP_and_clear(void);
extern void vpanic(const HChar *why) __attribute__((noreturn));
extern Bool vex_initdone;

#endif
