/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Division on x86 traps when the divisor is zero or the quotient does not fit.
 *
 * VEX leaves that to the host's division instruction, and drops divisions whose result is not used. So while
 * decoding, every division gets a check before it, in the shape of a dirty call, which VEX does not
 * drop; while translating, the check becomes a side exit. */
#ifndef LIFT_VEX_DIVISION_H
#define LIFT_VEX_DIVISION_H

#include "lift/vex/vex.h"

/* Puts checks before the divisions among the statements from `first` on. */
void vex_check_divisions(IRSB *sb, Int first);

/* Translates a check; false when the dirty call is none. */
bool vex_division_check(struct vex_ctx *c, const IRDirty *d);

#endif
