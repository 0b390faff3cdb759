/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of 8 and 16 bits. What lies beside them in the register is nobody's, but without debug information
 * only the code shows how wide they are. */
#include "verify/private.h"

enum { INT = 32 }; /* bits of an int */

/* The bits of a result from `lo` up to those of an int are as in a register at entry, or in a parameter on
 * the stack: an instruction set the rest alone. */
static bool is_beside_entry(struct check *c, int side, term x, unsigned lo)
{
    const struct ir_machine *m = program_machine(c->pair.side[side].p);
    if (term_kind(c->t, x) == OP_ITE)
        return is_beside_entry(c, side, term_kid(c->t, x, 1), lo) &&
               is_beside_entry(c, side, term_kid(c->t, x, 2), lo);
    const term beside = term_extract(c->t, x, lo, INT - lo);
    unsigned index;
    int64_t off;
    if (term_kind(c->t, beside) == OP_EXTRACT && origin_is_argument(c->t, term_kid(c->t, beside, 0), &index))
        return term_extract_lo(c->t, beside) == lo;
    if (term_kind(c->t, beside) == TERM_READ)
        return pair_sp_offset(&c->pair, term_kid(c->t, beside, 1), &off) && off > 0;
    for (unsigned i = 0; i <= m->nargs; i++) {
        const unsigned reg = i < m->nargs ? m->arg[i] : m->ret;
        if (beside == term_extract(c->t, explorer_entry(c->pair.side[side].x, reg, INT), lo, INT - lo))
            return true;
    }
    return false;
}

struct narrow {
    struct terms *t;
    unsigned width;
    bool some;
};

static bool is_wider_parameter(void *ctx, term x)
{
    struct narrow *n = ctx;
    unsigned index;
    for (unsigned i = 0; i < term_nkids(n->t, x); i++) {
        if (!origin_is_argument(n->t, term_kid(n->t, x, i), &index))
            continue;
        if (term_kind(n->t, x) != OP_EXTRACT || term_extract_lo(n->t, x) || term_width(n->t, x) != n->width)
            return true;
        n->some = true;
    }
    return false;
}

/* It is made of parameters that have so many bits. */
static bool is_of_narrow(struct check *c, term x, unsigned width)
{
    struct narrow n = {.t = c->t, .width = width};
    return !term_any(c->t, x, is_wider_parameter, &n) && n.some;
}

bool narrow_may_be(struct view *w, term a, term b)
{
    struct check *c = w->c;
    const struct pair_side *new = &c->pair.side[NEW];
    if (check_declaration(&c->pair.side[OLD]) || term_width(c->t, a) < INT || term_width(c->t, b) < INT)
        return false;
    const struct object_function_debug *d = object_debug_function(new->o, new->f->address);
    if (d && d->result && d->result->kind == TYPE_FLOAT)
        return true;
    for (unsigned k = 8; k < INT; k *= 2) {
        const bool said = d && d->result && d->result->size * 8 == k;
        if ((said || is_beside_entry(c, OLD, a, k) || is_beside_entry(c, NEW, b, k) ||
             is_of_narrow(c, a, k) || is_of_narrow(c, b, k)) &&
            view_same(w, TERM_NONE, term_extract(c->t, a, 0, k), term_extract(c->t, b, 0, k), NULL) != NO)
            return true;
    }
    return false;
}
