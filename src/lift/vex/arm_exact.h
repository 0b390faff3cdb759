/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 32-bit Arm: vfma, vfms, vfnma and vfnms round the product before adding in libVEX's translation; the processor
 * rounds once. */
#ifndef LIFT_VEX_ARM_EXACT_H
#define LIFT_VEX_ARM_EXACT_H

#include "lift/vex/internal.h"

/* Corrects the statements from `first` on, which translate the instruction `word` (Thumb: first halfword uppermost). */
void vex_arm_exact(IRSB *sb, Int first, UInt word);

#endif
