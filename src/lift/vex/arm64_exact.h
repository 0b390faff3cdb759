/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AArch64 instructions that libVEX does not translate exactly, found like those of x86_exact.h:
 *
 *   fmla fmls        on vectors round the product before adding; the processor rounds once
 *   frinta fcvtas    round ties to even; the processor rounds them away from zero (fcvtau too)
 *   fmaxnm fminnm    have the operators of fmax and fmin, which differ where one operand is a quiet NaN
 *   faddp fmaxv ...  take the upper of two lanes first, in most forms, and the first of two NaNs counts
 *   fmulx            multiplies as fmul does; the product of a zero and an infinity is 2
 *   fcvtxn           rounds as fcvtn does; the processor rounds to odd
 *   fmul fdiv        of half precision add
 *   fmaxv fminv ...  of half precision are those of single precision
 *   sqrdmlah ...     round and saturate twice
 *   pacia1716 ...    do nothing; undecoded.c says what they do
 *
 * No operator of libVEX says what fmaxnm and faddp mean: the meaning of theirs asks which instruction it is
 * in. Those from fmulx on are left undecoded.
 */
#ifndef LIFT_VEX_ARM64_EXACT_H
#define LIFT_VEX_ARM64_EXACT_H

#include "lift/vex/internal.h"

vex_decode_fn vex_arm64_decode;
/* Of the instruction at these bytes (NULL: not known): fmaxnm and the like, scalar, of vectors or across
 * lanes. */
bool vex_arm64_prefers_number(const uint8_t *insn);
/* faddp, fmaxv and their kin, in the forms in which the operator's first operand is the upper lane. */
bool vex_arm64_takes_upper_first(const uint8_t *insn);

#endif
