/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of libVEX's operators (IROp).
 *
 * Where VEX leaves an operator to the host (the result of a conversion out of range, the larger of a number and a NaN,
 * what a vector shift by a negative amount does) the guest's processor decides, since that is whose program is
 * read. Shifts by the width or more, which VEX leaves undefined, follow base/op.h. */
#ifndef LIFT_VEX_OPS_H
#define LIFT_VEX_OPS_H

#include "lift/vex/vex.h"

/* Emits op(arg...) and returns its value. Arguments have the widths VEX's typeOfPrimop says; it never fails: an
 * operator that has no meaning here becomes an uninterpreted pure function. */
ir_val vex_op(struct vex_ctx *c, IROp op, const ir_val *arg, unsigned nargs);

/* False for operators that become an uninterpreted function. */
bool vex_op_known(IROp op);

/* "Add32", as in Iop_Add32. */
const char *vex_op_name(IROp op);

#endif
