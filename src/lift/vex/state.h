/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things are in the register files: the VEX guest state, and after it what VEX leaves to its
 * surroundings.
 *
 * VEX's bookkeeping fields (emulation notes, cache ranges, the address of the last system call) are no part
 * of the processor; writes to them are dropped and they have no name in the register tables. */
#ifndef LIFT_VEX_STATE_H
#define LIFT_VEX_STATE_H

#include <stddef.h>

#include "lift/vex/vex.h"

#include <libvex_guest_amd64.h>
#include <libvex_guest_arm.h>
#include <libvex_guest_arm64.h>
#include <libvex_guest_x86.h>

#define AMD64(field) offsetof(VexGuestAMD64State, guest_##field)
#define X86(field) offsetof(VexGuestX86State, guest_##field)
#define ARM(field) offsetof(VexGuestARMState, guest_##field)
#define ARM64(field) offsetof(VexGuestARM64State, guest_##field)

/* The exclusive monitor: the address of the last load-exclusive and whether it still holds. */
#define ARM_MONITOR_ADDRESS sizeof(VexGuestARMState)
#define ARM_MONITOR_VALID (ARM_MONITOR_ADDRESS + 4)
#define ARM_FILE (ARM_MONITOR_ADDRESS + 16)
#define ARM64_MONITOR_ADDRESS sizeof(VexGuestARM64State)
#define ARM64_MONITOR_VALID (ARM64_MONITOR_ADDRESS + 8)
#define ARM64_FILE (ARM64_MONITOR_ADDRESS + 16)

/* i386 reads thread-local storage through segments; what matters of a descriptor is its base. The other
 * segments are flat. */
#define X86_FS_BASE sizeof(VexGuestX86State)
#define X86_GS_BASE (X86_FS_BASE + 4)
#define X86_FILE (X86_FS_BASE + 16)

#define AMD64_FILE sizeof(VexGuestAMD64State)

extern const struct ir_machine vex_machine_amd64, vex_machine_x86, vex_machine_arm, vex_machine_arm64;

static inline unsigned vex_state_cc_op(enum machine_arch arch)
{
    switch (arch) {
    case MACHINE_AMD64:
        return AMD64(CC_OP);
    case MACHINE_X86:
        return X86(CC_OP);
    case MACHINE_ARM:
        return ARM(CC_OP);
    default:
        return ARM64(CC_OP);
    }
}

/* True for the bookkeeping fields. */
static inline bool vex_state_is_bookkeeping(enum machine_arch arch, unsigned offset)
{
    switch (arch) {
    case MACHINE_AMD64:
        return offset == AMD64(EMNOTE) || (offset >= AMD64(CMSTART) && offset < AMD64(GS_CONST)) ||
               offset == AMD64(IP_AT_SYSCALL);
    case MACHINE_X86:
        return offset >= X86(EMNOTE) && offset < X86_FS_BASE;
    case MACHINE_ARM:
        return offset >= ARM(EMNOTE) && offset <= ARM(IP_AT_SYSCALL);
    case MACHINE_ARM64:
        return offset >= ARM64(EMNOTE) && offset <= ARM64(IP_AT_SYSCALL);
    default:
        return false;
    }
}

#endif
