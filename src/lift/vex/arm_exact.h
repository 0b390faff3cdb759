/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 32-bit Arm: vfma, vfms, vfnma and vfnms round the product before adding in libVEX's translation; the processor
 * rounds once. ldm and stm go to the word that an address lies in there, as processors did before Armv6; since then
 * an address that is not that of a word is an error. */
#ifndef LIFT_VEX_ARM_EXACT_H
#define LIFT_VEX_ARM_EXACT_H

#include "lift/vex/internal.h"

/* libVEX takes it for another instruction, and has no operators for it: those that round ties away from 0 for
 * those that round them to even. */
bool vex_arm_is_mistaken(UInt word, bool thumb);

/* Corrects the statements from `first` on, which translate the instruction `word` (Thumb: first halfword uppermost). */
void vex_arm_exact(IRSB *sb, Int first, UInt word, bool thumb);

#endif
