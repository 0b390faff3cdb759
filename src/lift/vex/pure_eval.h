/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the named functions of pure.h compute: one vex_eval_ID for each. Those without a concrete meaning (results
 * that differ between processors of one architecture) are NULL in the table and have none. */
#ifndef LIFT_VEX_PURE_EVAL_H
#define LIFT_VEX_PURE_EVAL_H

#include "lift/vex/pure.h"

typedef struct bits vex_eval_fn(const struct bits *arg);

#define VEX_EVAL_DECLARE(id, ...) vex_eval_fn vex_eval_##id;
VEX_PURE_TABLE(VEX_EVAL_DECLARE)
#undef VEX_EVAL_DECLARE

#endif
