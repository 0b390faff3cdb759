/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thumb code and libVEX.
 *
 * To know that an instruction is not under an IT instruction, VEX's Thumb decoder reads the halfwords before
 * it, at the guest's address in the host's memory: right for Valgrind, where both are one, a wild read
 * anywhere else. It does so unless the address is within the first 18 bytes of a page. So the decoder is
 * called with an address of our choice, twice with different ones, and the constants in which the two results
 * differ are those that depend on the address; they are moved to where the instruction really is. Outside IT
 * blocks the address is in a page of zeros, in which VEX finds no IT instruction; inside them it is one at
 * which VEX does not look and uses the IT state it keeps in a register. */
#ifndef LIFT_VEX_THUMB_H
#define LIFT_VEX_THUMB_H

#include "lift/vex/internal.h"

/* Before a lift: whether the first instruction is known not to be inside an IT block. */
void vex_thumb_begin(bool outside_it);

/* Decodes one instruction of ARM or Thumb code. */
vex_decode_fn vex_arm_decode;

/* An IT instruction was among those lifted. */
bool vex_thumb_saw_it(void);

#endif
