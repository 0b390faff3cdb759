/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that nobody put in a register on purpose: a callee clobbered it, or it is as it was at entry. */
#include "verify/private.h"

static enum term_visit find_other(void *ctx, term x)
{
    const struct terms *t = ctx;
    unsigned kind = term_kind(t, x);
    if (kind == OP_EXTRACT || kind == OP_ZEXT || kind == OP_CONCAT || kind == OP_ITE)
        return TERM_INTO;
    return kind == TERM_APPLY && origin_is(t, x, ORIGIN_CLOBBERED) ? TERM_PAST : TERM_STOP;
}

bool clobbered_by_callee(struct check *c, term x)
{
    return !term_visit_parts(c->t, x, find_other, c->t);
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

bool carries_no_parameter(const struct check *c, int side, unsigned offset)
{
    const struct pair_side *s = &c->pair.side[side];
    const struct ir_machine *m = program_machine(s->p);
    const struct object_function_debug *d = check_declaration(s);
    unsigned floats = 0;
    bool plain = d && !d->variadic;
    if (!d && !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS))
        return false;
    for (unsigned i = 0; i < m->nargs; i++)
        if (m->arg[i] == offset)
            return i >= abi_nparams(s->abi);
    for (size_t i = 0; plain && i < d->nparams; i++) {
        const struct object_type_info *t = d->param[i].type;
        plain = t && (t->kind == TYPE_INT || t->kind == TYPE_BOOL || t->kind == TYPE_ENUM ||
                      t->kind == TYPE_POINTER || t->kind == TYPE_FLOAT);
        floats += plain && t->kind == TYPE_FLOAT;
    }
    /* The registers are those of vectors, of several slots; on ARM two floats share one. */
    for (unsigned i = floats; plain && i < m->nfargs; i++)
        if (offset >= m->farg[i] && offset < m->farg[i] + (m->arch == MACHINE_ARM ? 8u : 16u))
            return !abi_reads_entry(s->abi, offset);
    return false;
}
