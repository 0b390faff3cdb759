/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making and reading VEX IR, for the instructions translated or corrected here (*_exact.c). */
#ifndef LIFT_VEX_BUILD_H
#define LIFT_VEX_BUILD_H

#include "lift/vex/internal.h"

/* A new temporary holding e. */
IRExpr *vex_assign(IRSB *sb, IRType type, IRExpr *e);
void vex_put(IRSB *sb, size_t offset, IRExpr *e);
/* What a temporary assigned in the statements from `first` on stands for, through copies; other expressions are
 * themselves. */
const IRExpr *vex_assigned(const IRSB *sb, Int first, const IRExpr *e);
/* Replaces every value assigned or put from `first` on by fn of it; a constant that is put stays. */
void vex_rewrite(IRSB *sb, Int first, IRExpr *(*fn)(const IRSB *sb, Int first, IRExpr *e));

#endif
