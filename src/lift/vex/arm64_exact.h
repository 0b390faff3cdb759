/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AArch64 instructions that libVEX does not translate exactly, found like those of x86_exact.h:
 *
 *   fmla fmls        on vectors round the product before adding; the processor rounds once
 *   frinta fcvtas    round ties to even; the processor rounds them away from zero (fcvtau too) */
#ifndef LIFT_VEX_ARM64_EXACT_H
#define LIFT_VEX_ARM64_EXACT_H

#include "lift/vex/internal.h"

vex_decode_fn vex_arm64_decode;

#endif
