/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the libVEX front end share while one block is translated.
 *
 *   lift.c       the interface of lift/lift.h: blocks, statistics, disassembly
 *   init.c       libVEX itself: initialisation, panics, one front-end call
 *   translate.c  statements and ends of an IRSB
 *   ops*.c       VEX operators (vex_op)
 *   pure*.c      functions kept whole, with a concrete meaning (vex_pure_index)
 *   helper*.c    clean helpers: calls of pure C functions inside IR expressions
 *   flags_*.c    the clean helpers that compute condition codes
 *   dirty.c      dirty helpers: calls with effects
 *   undecoded.c  instructions that VEX does not know
 *   machine_*.c  the register files
 *
 * A VEX temporary of type F32/F64/F128/V128/V256 is simply a value of that many bits; Ity_I1 has width 1. */
#ifndef LIFT_VEX_VEX_H
#define LIFT_VEX_VEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/ir.h"
#include "ir/machine.h"

#include <libvex_basictypes.h>

#include <libvex.h>

struct vex_ctx {
    struct ir_builder *b;
    enum machine_arch arch;
    const struct ir_machine *machine;
    ir_val *tmp;     /* VEX temporary -> value, IR_NONE while undefined */
    unsigned ntmp;
    uint64_t insn_address; /* of the guest instruction being translated, without the Thumb bit */
    unsigned insn_length;
};

/* The width in bits of a VEX type; 0 for Ity_INVALID. */
static inline unsigned vex_type_width(IRType ty)
{
    switch (ty) {
    case Ity_I1: return 1;
    case Ity_I8: return 8;
    case Ity_I16:
    case Ity_F16: return 16;
    case Ity_I32:
    case Ity_F32:
    case Ity_D32: return 32;
    case Ity_I64:
    case Ity_F64:
    case Ity_D64: return 64;
    case Ity_I128:
    case Ity_F128:
    case Ity_D128:
    case Ity_V128: return 128;
    case Ity_V256: return 256;
    default: return 0;
    }
}

#endif
