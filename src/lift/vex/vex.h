/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the libVEX front end share while one block is translated.
 *
 *   lift.c       the interface of lift/lift.h: blocks, statistics, disassembly
 *   front.c      libVEX itself: initialisation, panics, decoding and optimising a block (internal.h: what it
 * calls) thumb.c      what Thumb code needs in addition translate.c  statements of an IRSB ops*.c       VEX
 * operators (vex_op) pure*.c      functions kept whole, with a concrete meaning (vex_pure_index) helper.c
 * clean helpers: calls of pure C functions inside IR expressions flags_*.c    the clean helpers that compute
 * condition codes dirty.c      dirty helpers: calls with effects division.c   the traps of x86 divisions
 *   aligned.c    which operands of SSE have to be aligned
 *   undecoded.c  instructions that VEX does not know
 *   build.c      making VEX IR, for the next
 *   kept.c       constants that are not computed with
 *   *_exact.c    instructions that VEX does not translate exactly
 *   state.h      where things are in the register file
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

enum { VEX_CONSTANTS = 64 };

struct vex_kept;

struct vex_ctx {
    struct ir_builder *b;
    const struct vex_kept *kept;
    enum machine_arch arch;
    const struct ir_machine *machine;
    ir_val *tmp;        /* VEX temporary -> value, IR_NONE while undefined */
    const IRExpr **def; /* VEX temporary -> the expression it was assigned, NULL when it was not by WrTmp */
    unsigned ntmp, tmp_cap;
    const IRTypeEnv *types;
    struct arena *arena;   /* of the block being made: names and texts of events */
    uint64_t insn_address; /* of the guest instruction being translated, without the Thumb bit */
    unsigned insn_length;
    const uint8_t *insn_bytes; /* its bytes */
    uint64_t undecoded_at;     /* the instruction VEX gave up at: described by undecoded.c, not marked here */
    uint64_t marks;            /* guest instructions marked in the block */
    ir_val pc;                 /* what the program counter holds, IR_NONE: the address of the instruction */
    uint64_t link;             /* constant last put into the link register, 0 when none */
    bool thumb_it;             /* the Thumb IT state may be other than zero at the end of the block */
    uint64_t skip_at; /* Thumb: the way around this instruction inside an IT block is no exit, but ... */
    ir_val unless_skipped; /* ... what the instruction does depends on this; IR_NONE: on nothing */
    /* The last load, as long as nothing was stored: recognises the load half of an atomic read-modify-write.
     */
    ir_val loaded, loaded_from;
    /* Constants made lately, so that one number is one value as often as possible. */
    struct vex_constant {
        uint64_t number;
        ir_val value; /* IR_NONE: empty */
        uint16_t width;
    } constant[VEX_CONSTANTS];
    uint64_t unmodelled; /* operators and helpers without a meaning so far */
};

/* The width in bits of a VEX type; 0 for Ity_INVALID. */
static inline unsigned vex_type_width(IRType ty)
{
    switch (ty) {
    case Ity_I1:
        return 1;
    case Ity_I8:
        return 8;
    case Ity_I16:
    case Ity_F16:
        return 16;
    case Ity_I32:
    case Ity_F32:
    case Ity_D32:
        return 32;
    case Ity_I64:
    case Ity_F64:
    case Ity_D64:
        return 64;
    case Ity_I128:
    case Ity_F128:
    case Ity_D128:
    case Ity_V128:
        return 128;
    case Ity_V256:
        return 256;
    default:
        return 0;
    }
}

/* translate.c: the value of an expression (of a flat IRSB: a temporary, a constant or one operator over
 * those). */
ir_val vex_expr(struct vex_ctx *c, const IRExpr *e);
/* An event: what is done to memory next, other threads see done at once, or in this order. Gives `width` bits
 * that are 0 where no other thread has come between. */
ir_val vex_ordering(struct vex_ctx *c, const char *name, unsigned width);
/* What a temporary was assigned (through copies), or the expression itself; NULL when not known. */
const IRExpr *vex_definition(const struct vex_ctx *c, const IRExpr *e);
/* A 16-byte operand of the instruction that is being translated has to be aligned. */
bool vex_must_be_aligned(const struct vex_ctx *c);
/* Two operands that are the same value, or the same part of the same value. */
bool vex_same(const struct vex_ctx *c, const IRExpr *x, const IRExpr *y);
/* A fresh arbitrary value: the result of something not modelled, as an event without arguments. */
ir_val vex_unmodelled(struct vex_ctx *c, const char *name, const ir_val *arg, unsigned nargs, unsigned width);
/* A new block begins. */
void vex_begin(struct vex_ctx *c, ir_label label, struct arena *arena);
/* All statements of an IRSB. */
void vex_statements(struct vex_ctx *c, const IRSB *sb);

/* helper.c: a clean helper, by name. */
ir_val vex_helper(struct vex_ctx *c, const IRExpr *call);
/* dirty.c */
void vex_dirty(struct vex_ctx *c, const IRDirty *d);

/* flags_x86.c: condition codes of i386 and amd64; thunk is {cc_op, dep1, dep2, ndep}. Results are as wide as
 * a general register, as the helpers they stand for. */
ir_val vex_x86_condition(struct vex_ctx *c, ir_val cond, const ir_val thunk[4]);
ir_val vex_x86_flags(struct vex_ctx *c, const ir_val thunk[4]);
ir_val vex_x86_carry(struct vex_ctx *c, const ir_val thunk[4]);

/* flags_arm.c: the same for arm and arm64; cond has width 4. */
enum vex_nzcv { VEX_V = 28, VEX_C = 29, VEX_Z = 30, VEX_N = 31 };
ir_val vex_arm_condition(struct vex_ctx *c, ir_val cond, ir_val cc_op, const ir_val dep[3]);
ir_val vex_arm_flag(struct vex_ctx *c, enum vex_nzcv flag, const ir_val thunk[4]);
ir_val vex_arm_flags(struct vex_ctx *c, const ir_val thunk[4]);

#endif
