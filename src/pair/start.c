/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pair/pair.h"

static void side_start(struct pair *pair, int which, struct program *p, const struct flow_function *f)
{
    struct pair_side *s = &pair->side[which];
    const struct flow_function *all;
    program_functions(p, &all);
    s->pair = pair;
    s->new = which;
    s->p = p;
    s->f = f;
    s->index = (uint32_t)(f - all);
    s->o = program_object(s->p);
    s->m = program_machine(s->p);
    s->g = flow_graph(s->p, s->f);
    s->abi = abi_new(s->p, s->f);
    s->proto = *abi_prototype(s->abi);
}

static void side_move(struct pair_side *s)
{
    enum object_type type = object_info(s->o)->type;
    /* Numbers that no program computes with by chance; not negative, nor are their lower halves. */
    if (type == OBJECT_PIE || type == OBJECT_SHARED) {
        if (s->m->pointer_width == 64)
            s->bias = s->new ? UINT64_C(0x6d354e520000) : UINT64_C(0x5a932d310000);
        else
            s->bias = s->new ? UINT64_C(0x6d350000) : UINT64_C(0x3a930000);
    }
}

static void start(struct pair *pair, struct program *const p[2], const struct flow_function *const f[2])
{
    for (int s = 0; s < 2 && p[s]; s++)
        side_start(pair, s, p[s], f[s]);
    pair->width = pair->side[OLD].m->pointer_width;
    pair->sp = origin_symbol(pair->t, (struct term_origin){.kind = ORIGIN_SP}, pair->width);
    if (p[NEW])
        canonical_start(pair);
}

void pair_start(struct pair *pair, struct match *m, uint32_t old, uint32_t new, struct terms *t,
                struct pair_may may)
{
    struct program *p[2];
    const struct flow_function *f[2];
    *pair = (struct pair){.m = m, .t = t, .may = may};
    for (int s = 0; s < 2; s++) {
        p[s] = match_program(m, s);
        program_functions(p[s], &f[s]);
        f[s] += s ? new : old;
    }
    start(pair, p, f);
    for (int s = 0; s < 2; s++)
        side_move(&pair->side[s]);
}

void pair_start_symbolic(struct pair *pair, struct match *m, struct program *const p[2],
                         const struct flow_function *const f[2], struct terms *t)
{
    *pair = (struct pair){.m = m, .t = t, .may = {.move_data = true}};
    start(pair, p, f);
    symbolic_start(pair);
}

void pair_end(struct pair *pair)
{
    canonical_free(pair);
    frame_free(pair);
    symbolic_free(pair);
    parts_free(pair);
    for (int s = 0; s < 2; s++)
        abi_free(pair->side[s].abi);
}
