/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LIFT_VEX_KEPT_H
#define LIFT_VEX_KEPT_H

#include "lift/lift.h"
#include "lift/vex/vex.h"

/* Where constants are read from that are kept: behind all registers, and no farther than libVEX can tell
 * registers apart. */
enum { VEX_KEPT = 0xc000, VEX_KEPT_MAX = 256 };

struct vex_kept {
    lift_keep_fn *keep; /* NULL: none are */
    void *ctx;
    uint64_t value[VEX_KEPT_MAX];
    unsigned n;
};

/* The same block with constants as wide as a word read from VEX_KEPT on, eight bytes each. There are no more
 * than VEX_KEPT_MAX, as an instruction makes at most two such numbers. */
IRSB *vex_keep(struct vex_kept *kept, IRType word, const IRSB *sb);

#endif
