/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the libraries at hand say about the callees of one function (libraries.c finds that out, once).
 *
 * They say which arguments are looked at. A function may have further parameters that it makes no use of;
 * where the code surely sets a register, or a word of the stack, for the callee that this would leave out,
 * the library is not believed. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { IMPORT_NOT_ASKED, IMPORT_BELIEVED, IMPORT_NOT_BELIEVED };

static int by_name(const void *name, const void *import)
{
    return strcmp(name, ((const struct verify_import *)import)->name);
}

static bool is_given_more(const struct side *s, const struct verify_import *x)
{
    const struct ir_machine *m = program_machine(s->p);
    enum { FLOAT_BITS = 32 };
    for (uint32_t i = 0; i < s->g->ncalls; i++) {
        const struct flow_call *k = &s->g->call[i];
        unsigned n = x->takes.nargs;
        if (!k->name || strcmp(k->name, x->name) != 0)
            continue;
        for (unsigned a = n; a < m->nargs; a++)
            if (arity_at(s, k->site, a) == ARITY_SURE)
                return true;
        if (!m->nargs && arity_sets_word(s, k->site, n))
            return true;
        if (m->nfargs && !x->takes.floats &&
            arity_in_block(m, &s->g->block[k->block], m->farg[0], FLOAT_BITS) == ARITY_SURE)
            return true;
    }
    return false;
}

const struct verify_import *import_told(struct check *c, const char *name)
{
    const struct verify_options *opt = c->opt;
    if (!name || !opt->nimports || !(opt->assume & VERIFY_ASSUME_LIBRARIES))
        return NULL;
    const struct verify_import *x = bsearch(name, opt->import, opt->nimports, sizeof *x, by_name);
    if (!x)
        return NULL;
    if (!c->import_state)
        c->import_state = arena_array(c->arena, uint8_t, opt->nimports);
    uint8_t *state = &c->import_state[x - opt->import];
    if (*state == IMPORT_NOT_ASKED)
        *state = is_given_more(&c->side[OLD], x) || is_given_more(&c->side[NEW], x) ? IMPORT_NOT_BELIEVED
                                                                                    : IMPORT_BELIEVED;
    return *state == IMPORT_BELIEVED ? x : NULL;
}

void imports_ledger(struct check *c)
{
    for (size_t i = 0; c->import_state && i < c->opt->nimports; i++) {
        const struct verify_import *x = &c->opt->import[i];
        if (c->import_state[i] == IMPORT_BELIEVED)
            assume(c, "libraries",
                   arena_printf(c->arena, "%s takes %u argument%s%s, as its code in %s shows", x->name,
                                x->takes.nargs, x->takes.nargs == 1 ? "" : "s",
                                x->takes.floats ? " and perhaps floats" : "", x->library),
                   1);
    }
}
