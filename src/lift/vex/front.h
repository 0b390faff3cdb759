/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libVEX's front end as a function: bytes in, optimised IRSB out, and a panic is a NULL.
 *
 * An IRSB lives in libVEX's own arena until the next call. */
#ifndef LIFT_VEX_FRONT_H
#define LIFT_VEX_FRONT_H

#include "lift/vex/internal.h"
#include "lift/vex/kept.h"

enum { VEX_MAX_INSNS = 99, VEX_WINDOW = VEX_MAX_INSNS * 15 + 64, VEX_PAD = 64 };

struct vex_front {
    VexArch arch;
    VexArchInfo info;
    VexAbiInfo abi;
    vex_decode_fn *decode;
    vex_spec_fn *spec;
    vex_precise_fn *precise;
    Int pc; /* offset in the guest state */
    IRType word;
    unsigned max_insn_bytes;
    Int cc_op;             /* offset in the guest state */
    bool cc_op_known;      /* set by the caller: condition codes were last set by... */
    uint64_t cc_op_was;    /* ...this operation */
    const uint8_t *marker; /* the four rotations Valgrind gives a meaning of its own; see front.c */
    const uint8_t *thumb_marker;
    bool keep_loads;       /* set by the caller: also those whose value is not used */
    struct vex_kept kept;  /* which ones, the caller says; the rest is of the last block */
    uint8_t code[VEX_WINDOW + VEX_PAD];
};

/* With keep_loads every load is followed by a hint to the ABI (which the optimiser keeps) of its address and
 * size, marked by this as the next instruction's address. */
#define VEX_LOAD_HINT 0x10ad10ad
bool vex_is_load_hint(const IRStmt *s);

/* False when libVEX cannot be brought up for the architecture. */
bool vex_front_init(struct vex_front *f, enum machine_arch arch);

/* Lifts at most max_insns (1 .. VEX_MAX_INSNS) instructions from `bytes`; label has bit 0 set for Thumb. The
 * IRSB may run past `available` (padding is decoded then): the caller looks at its marks. NULL when libVEX
 * panicked. outside_it: the first instruction is known not to be under a Thumb IT instruction. */
IRSB *vex_front_lift(struct vex_front *f, ir_label label, const uint8_t *bytes, size_t available,
                     unsigned max_insns, bool outside_it);

#endif
