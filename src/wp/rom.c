/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that never change (exec/rom.h), in the addresses of the pair. */
#include "wp/internal.h"

struct load {
    struct side *s;
    unsigned width;
    term otherwise;
};

static term load_at(void *ctx, term address)
{
    const struct load *l = ctx;
    struct side *s = l->s;
    struct pair *pair = &s->w->pair;
    struct terms *t = pair->t;
    term base;
    uint64_t offset, own;
    term_split(t, address, &base, &offset);
    if (base == TERM_NONE || base == explorer_symbols(s->code->x).sp)
        return l->otherwise;
    term symbol = pair->side[NEW].p ? symbolic_data(pair, base) : TERM_NONE;
    own = offset - s->code->bias;
    if (pair->side[NEW].p) {
        if (symbol == TERM_NONE ||
            (symbol == pair->symbolic.data[0] && !symbolic_own_address(s->code, offset, &own)))
            return l->otherwise;
    }
    if (!symbolic_in_image(s->code, own))
        return l->otherwise;
    /* a pointer plus a large offset is not an element of a table: in a program that may lie anywhere the
     * address of one is made by an instruction, which leaves nothing but an index to add */
    term here = term_const(t, s->code->m->pointer_width, offset);
    if (symbol != TERM_NONE)
        here = term_bin(t, OP_ADD, symbol, here);
    return roms_load(&s->roms, own, here, address, l->width, l->otherwise);
}

term rom_load(struct side *s, term address, unsigned width, term otherwise)
{
    struct load l = {.s = s, .width = width, .otherwise = otherwise};
    return term_choose(s->w->pair.t, address, load_at, &l);
}
