/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic states. Forking one copies the register slots, the visit counts and the cells of spaces; memory,
 * path condition, events, writes and trace are shared. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

struct state *state_new(struct explorer *x)
{
    struct state *st = x->pool;
    uint32_t slots = x->nslots;
    if (st)
        x->pool = st->next;
    if (st && st->slots_cap < slots) {
        free(st->visits);
        free(st->space);
        free(st);
        st = NULL;
    }
    if (!st) {
        st = xcalloc(1, sizeof *st + slots * sizeof(term));
        st->slots_cap = slots;
    }
    slots = st->slots_cap;
    struct space_cell *space = st->space;
    uint16_t *visits = st->visits;
    uint32_t cap = st->visits_cap, spaces_cap = st->spaces_cap;
    memset(st, 0, offsetof(struct state, reg));
    st->ways = 1;
    st->visits = visits;
    st->visits_cap = cap;
    st->space = space;
    st->spaces_cap = spaces_cap;
    st->slots_cap = slots;
    st->seq = x->seq++;
    x->stats.states++;
    return st;
}

struct state *state_fork(struct explorer *x, const struct state *from)
{
    struct state *st = state_new(x);
    struct space_cell *space = st->space;
    uint16_t *visits = st->visits;
    uint32_t cap = st->visits_cap, spaces_cap = st->spaces_cap;
    uint32_t slots = st->slots_cap;
    uint64_t seq = st->seq;
    memcpy(st, from, sizeof *st + x->nslots * sizeof(term));
    st->next = NULL;
    st->seq = seq;
    st->slots_cap = slots;
    if (cap < from->visits_cap) {
        visits = xreallocarray(visits, from->visits_cap, sizeof *visits);
        cap = from->visits_cap;
    }
    st->visits = visits;
    st->visits_cap = cap;
    if (from->visits_cap)
        memcpy(visits, from->visits, from->visits_cap * sizeof *visits);
    if (spaces_cap < from->nspaces) {
        space = xreallocarray(space, from->nspaces, sizeof *space);
        spaces_cap = from->nspaces;
    }
    st->space = space;
    st->spaces_cap = spaces_cap;
    if (from->nspaces)
        memcpy(space, from->space, from->nspaces * sizeof *space);
    return st;
}

struct state *state_move(struct explorer *x, struct state *from)
{
    struct state *st = state_new(x), spare = *st;
    memcpy(st, from, sizeof *st);
    st->slots_cap = spare.slots_cap;
    from->visits = spare.visits;
    from->visits_cap = spare.visits_cap;
    from->space = spare.space;
    from->spaces_cap = spare.spaces_cap;
    state_free(x, from);
    return st;
}

void state_free(struct explorer *x, struct state *st)
{
    st->next = x->pool;
    x->pool = st;
}

void state_visits(const struct explorer *x, struct state *st, const struct graph *g)
{
    uint32_t n = graph_counts(x, g);
    if (st->visits_cap < n) {
        st->visits = xreallocarray(st->visits, n, sizeof *st->visits);
        st->visits_cap = n;
    }
    if (st->visits_cap)
        memset(st->visits, 0, st->visits_cap * sizeof *st->visits);
}

/* ---- the register file ---- */

term state_slot(struct explorer *x, struct state *st, unsigned slot)
{
    if (st->reg[slot] == TERM_NONE)
        st->reg[slot] = origin_apply(x->t, x->slot_clobber[slot], x->unit * 8, &st->clobber, 1);
    return st->reg[slot];
}

term state_get(struct explorer *x, struct state *st, unsigned offset, unsigned width)
{
    if (width == 1)
        return term_extract(x->t, state_get(x, st, offset, 8), 0, 1);
    unsigned bits = x->unit * 8, at = 0;
    term out = TERM_NONE;
    while (at < width) {
        unsigned slot = (offset + at / 8) / x->unit, lo = (offset + at / 8) % x->unit * 8;
        unsigned n = bits - lo < width - at ? bits - lo : width - at;
        term part = state_slot(x, st, slot);
        if (n != bits)
            part = term_extract(x->t, part, lo, n);
        out = out == TERM_NONE ? part : term_concat(x->t, part, out);
        at += n;
    }
    return out;
}

void state_put(struct explorer *x, struct state *st, unsigned offset, term value)
{
    unsigned width = term_width(x->t, value);
    if (width == 1) {
        value = term_zext(x->t, value, 8);
        width = 8;
    }
    unsigned bits = x->unit * 8, at = 0;
    while (at < width) {
        unsigned slot = (offset + at / 8) / x->unit, lo = (offset + at / 8) % x->unit * 8;
        unsigned n = bits - lo < width - at ? bits - lo : width - at;
        term part = n == width ? value : term_extract(x->t, value, at, n);
        if (n != bits) {
            term old = state_slot(x, st, slot);
            if (lo + n < bits)
                part = term_concat(x->t, term_extract(x->t, old, lo + n, bits - lo - n), part);
            if (lo > 0)
                part = term_concat(x->t, part, term_extract(x->t, old, 0, lo));
        }
        st->reg[slot] = part;
        if (x->slot_arg[slot])
            st->argset |= 1u << (x->slot_arg[slot] - 1);
        at += n;
    }
}

/* ---- the lists ---- */

term state_decided(const struct explorer *x, term value, term literal, term no)
{
    while (value != TERM_NONE && term_kind(x->t, value) == OP_ITE) {
        term cond = term_kid(x->t, value, 0);
        if (cond != literal && cond != no)
            break;
        value = term_kid(x->t, value, cond == literal ? 1 : 2);
    }
    return value;
}

void state_decide(struct explorer *x, struct state *st, term literal)
{
    if (term_is_const(x->t, literal))
        return;
    term no = term_not(x->t, literal);
    for (unsigned i = 0; i < x->nslots; i++)
        st->reg[i] = state_decided(x, st->reg[i], literal, no);
}

void state_assume(struct explorer *x, struct state *st, term literal)
{
    if (term_is_true(x->t, literal))
        return;
    state_decide(x, st, literal);
    struct pc_node *n = arena_alloc(&x->arena, sizeof *n);
    *n = (struct pc_node){literal,
                          TERM_NONE,
                          st->pc ? st->pc->depth + 1 : 1,
                          st->trace ? st->trace->block : UINT32_MAX,
                          st->pc,
                          st->trace ? st->trace->depth : 0};
    st->pc = n;
}

term state_condition(struct explorer *x, const struct state *st)
{
    VEC(struct pc_node *) open = VEC_INIT;
    struct pc_node *n = st->pc;
    for (; n && n->condition == TERM_NONE; n = n->prev)
        vec_push(&open, n);
    term c = n ? n->condition : term_true(x->t);
    while (open.len) {
        n = vec_pop(&open);
        n->condition = c = term_and(x->t, c, n->literal);
    }
    vec_free(&open);
    return c;
}

bool state_has_literal(const struct state *st, term literal)
{
    /* Far enough for the conditions of one region; what lies further back is the solver's business. */
    unsigned fuel = 256;
    for (const struct pc_node *n = st->pc; n && fuel; n = n->prev, fuel--)
        if (n->literal == literal)
            return true;
    return false;
}

static struct history entry_after(struct explorer *x, const struct state *st, const struct history *prev)
{
    return (struct history){.seq = x->history_seq++,
                            .depth = prev ? prev->depth + 1 : 1,
                            .entry = true,
                            .pc = st->pc,
                            .prev = prev};
}

void state_event(struct explorer *x, struct state *st, const struct exec_event *e)
{
    struct event_node *n = arena_alloc(&x->arena, sizeof *n);
    n->h = entry_after(x, st, st->events);
    n->e = *e;
    n->e.file = x->file->index;
    n->e.arg = arena_dup(&x->arena, e->arg, e->nargs * sizeof(term));
    st->events = &n->h;
}

/* A word that is stored to where the function's own parameters lie may be one of who is jumped to. */
static void note_handed(const struct explorer *x, struct state *st, const struct exec_write *w)
{
    enum { WORDS = 64 };
    term base;
    uint64_t at;
    term_split(x->t, w->address, &base, &at);
    const int64_t bytes = (int64_t)term_width(x->t, w->value) / 8,
                  first = (x->width == 32 ? (int32_t)at : (int64_t)at) - (int64_t)x->m->stack_arg;
    for (int64_t i = first; base == x->sp && i < first + bytes; i++)
        if (i >= 0 && i / x->unit < WORDS)
            st->handed |= UINT64_C(1) << i / x->unit;
}

void state_write(struct explorer *x, struct state *st, const struct exec_write *w)
{
    note_handed(x, st, w);
    if (x->opt.no_writes)
        return;
    struct write_node *n = arena_alloc(&x->arena, sizeof *n);
    n->h = entry_after(x, st, st->writes);
    n->w = *w;
    n->w.file = x->file->index;
    st->writes = &n->h;
}

static int by_seq(const void *a, const void *b)
{
    const struct occurrence *l = a, *r = b;
    return l->h->seq < r->h->seq ? -1 : l->h->seq > r->h->seq;
}

struct occurrence *state_history(struct explorer *x, const struct state *st, const struct history *h,
                                 size_t *n)
{
    VEC(const struct history *) todo = VEC_INIT;
    VEC(struct occurrence) out = VEC_INIT;
    struct map seen = {0}, guards = {0};
    while (h || todo.len) {
        if (!h)
            h = vec_pop(&todo);
        if (st->merged && !map_set(&seen, (uint64_t)(uintptr_t)h, 1)) {
            h = NULL;
            continue;
        }
        if (h->entry)
            vec_push(&out, (struct occurrence){h, TERM_NONE});
        if (h->other)
            vec_push(&todo, h->other);
        h = h->prev;
    }
    vec_sort(&out, by_seq);
    for (size_t i = 0; st->merged && i < out.len; i++) {
        struct pc_node *pc = out.data[i].h->pc;
        uint64_t known;
        if (!map_get(&guards, (uint64_t)(uintptr_t)pc, &known)) {
            const struct pc_node *common = merge_common_pc(pc, st->pc);
            term g = TERM_NONE;
            for (const struct pc_node *c = pc; c != common; c = c->prev)
                g = g == TERM_NONE ? c->literal : term_and(x->t, c->literal, g);
            known = g;
            map_set(&guards, (uint64_t)(uintptr_t)pc, known);
        }
        out.data[i].guard = (term)known;
    }
    map_free(&seen);
    map_free(&guards);
    vec_free(&todo);
    *n = out.len;
    return out.data;
}

void state_trace(struct explorer *x, struct state *st, uint32_t block)
{
    struct trace_node *n = arena_alloc(&x->arena, sizeof *n);
    *n = (struct trace_node){block, st->trace ? st->trace->depth + 1 : 1, st->trace, NULL};
    st->trace = n;
}
