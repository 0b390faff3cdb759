/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that nobody put in a register on purpose: a callee clobbered it, or it is as it was at entry. */
#include "verify/private.h"

bool clobbered_by_callee(struct check *c, term x)
{
    unsigned kind = term_kind(c->t, x);
    if (kind == TERM_APPLY)
        return origin_is(c->t, x, ORIGIN_CLOBBERED);
    if (kind == OP_EXTRACT || kind == OP_ZEXT)
        return clobbered_by_callee(c, term_kid(c->t, x, 0));
    if (kind == OP_CONCAT)
        return clobbered_by_callee(c, term_kid(c->t, x, 0)) && clobbered_by_callee(c, term_kid(c->t, x, 1));
    if (kind == OP_ITE)
        return clobbered_by_callee(c, term_kid(c->t, x, 1)) && clobbered_by_callee(c, term_kid(c->t, x, 2));
    return false;
}

bool as_at_entry(struct check *c, int side, term x, unsigned reg)
{
    return x == explorer_entry(c->pair.side[side].x, reg, term_width(c->t, x));
}

bool never_set(struct check *c, int side, term x)
{
    unsigned n;
    if (clobbered_by_callee(c, x))
        return true;
    return origin_is_argument(c->t, x, &n) && n >= abi_nparams(c->pair.side[side].abi) &&
           n < program_machine(c->pair.side[side].p)->nargs;
}
