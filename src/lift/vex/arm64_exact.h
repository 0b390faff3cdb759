/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AArch64 instructions that libVEX does not translate exactly, found like those of x86_exact.h:
 *
 *   fmla fmls        on vectors round the product before adding; the processor rounds once
 *   frinta fcvtas    round ties to even; the processor rounds them away from zero (fcvtau too)
 *   fmaxnm fminnm    have the operators of fmax and fmin, which differ where one operand is a quiet NaN
 *   pacia1716 ...    do nothing; undecoded.c says what they do
 *   faddp fmaxp ...  operate on odd and even lanes in that order, and the first of two NaNs counts
 *
 * No operator of libVEX says what the last two mean: the meaning of theirs asks which instruction it is in.
 */
#ifndef LIFT_VEX_ARM64_EXACT_H
#define LIFT_VEX_ARM64_EXACT_H

#include "lift/vex/internal.h"

vex_decode_fn vex_arm64_decode;
/* Of the instruction at these bytes (NULL: not known): fmaxnm and the like, scalar, of vectors or across
 * lanes. */
bool vex_arm64_prefers_number(const uint8_t *insn);
/* faddp, fmaxp and their kin. */
bool vex_arm64_is_pairwise(const uint8_t *insn);

#endif
