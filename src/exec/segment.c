/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/segment.h"

#include <assert.h>
#include <string.h>

#include "exec/engine.h"

/* ---- points ---- */

struct exec_point *segment_point(struct explorer *x, struct state *st)
{
    struct exec_point *p = arena_new(&x->arena, struct exec_point);
    for (unsigned i = 0; i < x->nslots; i++)
        state_slot(x, st, i);
    unsigned n = st->pc ? st->pc->depth : 0;
    term *literal = arena_array(&x->arena, term, n + 1);
    *p = (struct exec_point){
        .block = st->block,
        .reg = arena_dup(&x->arena, st->reg, x->nslots * sizeof(term)),
        .nregs = x->nslots,
        .spaces = space_snapshot(x, st),
        .mem = st->mem,
        .frame = st->frame,
        .world = st->world,
        .length = st->length,
        .escaped = st->flat,
        .saved = st->saved,
        .literal = literal,
        .nliterals = n,
        .argset = st->argset,
        .handed = st->handed,
        .filled = st->filled,
        .fill = st->fill,
    };
    arguments_pending(x, st, p);
    for (const struct pc_node *c = st->pc; c; c = c->prev)
        literal[--n] = c->literal;
    return p;
}

void segment_restore(struct explorer *x, struct state *st, const struct exec_point *p)
{
    assert(p->nregs == x->nslots);
    memcpy(st->reg, p->reg, x->nslots * sizeof(term));
    space_restore(x, st, p->spaces);
    st->block = p->block;
    st->mem = p->mem;
    st->frame = p->frame;
    st->world = p->world;
    st->length = p->length;
    st->flat = p->escaped;
    st->saved = p->saved;
    st->argset = p->argset;
    st->handed = p->handed;
    st->filled = p->filled;
    st->fill = p->fill;
    st->from = p;
    st->began = st->last_call = x->history_seq;
    for (unsigned i = 0; i < p->nliterals; i++)
        state_assume(x, st, p->literal[i]);
}

struct exec_point *exec_point_copy(struct explorer *x, const struct exec_point *p)
{
    struct exec_point *c = arena_dup(&x->arena, p, sizeof *c);
    c->reg = arena_dup(&x->arena, p->reg, p->nregs * sizeof(term));
    c->literal = arena_dup(&x->arena, p->literal, p->nliterals * sizeof(term));
    return c;
}

void exec_point_escape(struct explorer *x, struct exec_point *p)
{
    struct state *st = state_new(x);
    st->mem = p->mem;
    st->frame = p->frame;
    st->flat = p->escaped;
    st->saved = p->saved;
    memory_escape(x, st);
    p->mem = st->mem;
    p->escaped = st->flat;
    state_free(x, st);
}

bool exec_point_agree(struct explorer *x, struct exec_point *a, struct exec_point *b)
{
    const struct saved_set *l = a->saved, *r = b->saved;
    if (l->n == r->n && memcmp(l->offset, r->offset, l->n * sizeof l->offset[0]) == 0)
        return true;
    if (a->escaped || b->escaped)
        return false;
    struct saved_set *s = arena_alloc(&x->arena, sizeof *s + l->n * sizeof s->offset[0]);
    s->n = 0;
    for (unsigned i = 0; i < l->n; i++)
        for (unsigned k = 0; k < r->n; k++)
            if (l->offset[i] == r->offset[k])
                s->offset[s->n++] = l->offset[i];
    a->saved = b->saved = s;
    return true;
}

bool exec_point_join_pending(struct explorer *x, struct exec_point *a, const struct exec_point *b)
{
    struct exec_word *all = arena_array(&x->arena, struct exec_word, a->npending + b->npending + 1);
    unsigned n = 0, i = 0, k = 0;
    bool more = (b->pending_more && !a->pending_more) || (b->filled && !a->filled) ||
                (b->filled && a->fill != b->fill && a->fill != TERM_NONE) || b->handed & ~a->handed;
    while (i < a->npending || k < b->npending) {
        const struct exec_word *p = i < a->npending ? &a->pending[i] : NULL,
                               *q = k < b->npending ? &b->pending[k] : NULL;
        struct exec_word w = !p || (q && q->offset < p->offset) ? *q : *p;
        bool both = p && q && p->offset == q->offset;
        w.site = both && p->site != q->site ? 0 : w.site;
        w.idle = w.idle && !(both && !q->idle);
        more |= !p || w.offset != p->offset || w.site != p->site || w.idle != p->idle;
        i += p && w.offset == p->offset;
        k += q && w.offset == q->offset;
        all[n++] = w;
    }
    a->pending = all;
    a->npending = n;
    a->pending_more = a->pending_more || b->pending_more;
    a->handed |= b->handed;
    if (b->filled)
        a->fill = a->filled && a->fill != b->fill ? TERM_NONE : b->fill;
    a->filled = a->filled || b->filled;
    return more;
}

term explorer_constant(struct explorer *x, uint64_t address, unsigned width)
{
    term known = x->opt.axioms & AXIOM_LITERAL ? memory_readonly(x, x->file, address, width) : TERM_NONE;
    x->stats.axiom_used[AXIOM_LITERAL_IX] += known != TERM_NONE;
    return known;
}

bool explorer_in_frame(struct explorer *x, term v)
{
    return memory_tainted(x, v);
}

/* ---- lengths ---- */

static term longer(struct explorer *x, term length)
{
    uint64_t n, known;
    if (term_const_u64(x->t, length, &n))
        return term_const(x->t, 32, n < EXEC_LENGTH_LOOPS ? n + 1 : n);
    if (map_get(&x->longer, length, &known))
        return (term)known;
    /* Merging only makes if-then-elses of constants. Their depth is that of the merges of one segment. */
    assert(term_kind(x->t, length) == OP_ITE);
    term out = term_ite(x->t, term_kid(x->t, length, 0), longer(x, term_kid(x->t, length, 1)),
                        longer(x, term_kid(x->t, length, 2)));
    map_set(&x->longer, length, out);
    return out;
}

term segment_longer(struct explorer *x, term length, bool loop)
{
    if (length == TERM_NONE)
        return TERM_NONE;
    return loop ? term_const(x->t, 32, EXEC_LENGTH_LOOPS) : longer(x, length);
}

/* ---- segments ---- */

const uint8_t *explorer_loop_heads(struct explorer *x, const struct flow_function *f)
{
    return graph_prepare(x, flow_graph(x->file->p, f))->head;
}

bool explore_segment(struct explorer *x, const struct flow_function *f, const struct exec_point *from,
                     const uint8_t *stop, explore_fn *fn, void *ctx, struct error *err)
{
    assert(x->opt.merge && x->opt.merge_returns && x->opt.keep_regs);
    return explore_start(x, &(struct exec_start){.f = f, .point = from, .stop = stop}, fn, ctx, err);
}
