/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LIFT_VEX_KEPT_H
#define LIFT_VEX_KEPT_H

#include "lift/vex/vex.h"

/* Where constants are read from that are kept: behind all registers, and no farther than libVEX can tell
 * registers apart. */
enum { VEX_KEPT = 0xc000, VEX_KEPT_MAX = 256 };

struct vex_kept {
    uint64_t low, high; /* which are: from low on, before high; none if they are equal */
    uint64_t value[VEX_KEPT_MAX];
    unsigned n;
};

/* The same block with constants as wide as a word read from VEX_KEPT on, eight bytes each. Those beyond
 * VEX_KEPT_MAX stay. */
IRSB *vex_keep(struct vex_kept *kept, IRType word, const IRSB *sb);

#endif
