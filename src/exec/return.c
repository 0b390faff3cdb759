/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a return instruction leads. It reads its destination from the stack or from a register, and code may
 * have put another one there. */
#include "exec/engine.h"

enum { CHOICES_MAX = 8 };

/* What a caller decides, or the file: nothing that a function keeps its return address in, or gets it back
 * from. */
static bool is_given(const struct explorer *x, term base)
{
    switch (term_origin(x->t, base).kind) {
    case ORIGIN_ARGUMENT:
    case ORIGIN_REGISTER:
    case ORIGIN_ADDRESS:
    case ORIGIN_DATA:
        return true;
    default:
        return false;
    }
}

static enum return_to where(struct explorer *x, term to, unsigned depth)
{
    if (to == TERM_NONE || x->ret == TERM_NONE)
        return RETURN_OPEN;
    if (to == x->ret)
        return RETURN_CALLER;
    if (term_kind(x->t, to) == OP_ITE) {
        if (depth == CHOICES_MAX)
            return RETURN_OPEN;
        enum return_to a = where(x, term_kid(x->t, to, 1), depth + 1);
        enum return_to b = where(x, term_kid(x->t, to, 2), depth + 1);
        return a > b ? a : b;
    }
    uint64_t offset;
    term base, home;
    term_split(x->t, x->ret, &home, &offset);
    term_split(x->t, to, &base, &offset);
    if (base == home)
        return RETURN_NEAR;
    if (base == TERM_NONE || base == x->sp || is_given(x, base))
        return RETURN_ELSEWHERE;
    if (term_kind(x->t, base) != TERM_READ)
        return RETURN_OPEN;
    term from;
    term_split(x->t, term_kid(x->t, base, 1), &from, &offset);
    return from == TERM_NONE || is_given(x, from) ? RETURN_ELSEWHERE : RETURN_OPEN;
}

enum return_to explorer_return_to(struct explorer *x, term to)
{
    return where(x, to, 0);
}
