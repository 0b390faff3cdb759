/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IEEE 754 arithmetic on bit patterns, computed exactly on integers and rounded once.
 *
 * The host's floating-point unit is not used: results must not depend on it (NaN payloads, rounding to nearest-away,
 * half and quad precision), and one generic path serves all four formats. */
#ifndef BASE_FP_H
#define BASE_FP_H

#include "base/bits.h"

/* The float operators of base/op.h, called by bits_apply. */
struct bits fp_apply(enum op op, unsigned width, const struct bits *arg, const unsigned *arg_width);

#endif
