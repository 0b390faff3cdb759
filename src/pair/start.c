/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pair/pair.h"

static void side_start(struct pair *pair, int which, uint32_t index)
{
    struct pair_side *s = &pair->side[which];
    const struct flow_function *all;
    s->pair = pair;
    s->new = which;
    s->p = match_program(pair->m, which);
    program_functions(s->p, &all);
    s->f = &all[index];
    s->index = index;
    s->o = program_object(s->p);
    s->g = flow_graph(s->p, s->f);
    s->abi = abi_new(s->p, s->f);
    s->proto = *abi_prototype(s->abi);
    enum object_type type = object_info(s->o)->type;
    /* Numbers that no program computes with by chance; not negative, nor are their lower halves. */
    if (type == OBJECT_PIE || type == OBJECT_SHARED) {
        if (program_machine(s->p)->pointer_width == 64)
            s->bias = which ? UINT64_C(0x6d354e520000) : UINT64_C(0x5a932d310000);
        else
            s->bias = which ? UINT64_C(0x6d350000) : UINT64_C(0x3a930000);
    }
}

void pair_start(struct pair *pair, struct match *m, uint32_t old, uint32_t new, struct terms *t,
                struct pair_may may)
{
    *pair = (struct pair){.m = m, .t = t, .may = may};
    side_start(pair, OLD, old);
    side_start(pair, NEW, new);
    pair->width = program_machine(pair->side[OLD].p)->pointer_width;
    pair->sp = origin_symbol(t, (struct term_origin){.kind = ORIGIN_SP}, pair->width);
    canonical_start(pair);
}

void pair_end(struct pair *pair)
{
    canonical_free(pair);
    frame_free(pair);
    for (int s = 0; s < 2; s++)
        abi_free(pair->side[s].abi);
}
