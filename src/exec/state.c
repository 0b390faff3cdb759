/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic states. Forking one copies the register slots and the visit counts; memory, path condition, events,
 * writes and trace are shared. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

struct state *state_new(struct explorer *x)
{
    struct state *st = x->pool;
    if (st) {
        x->pool = st->next;
    } else {
        st = xcalloc(1, sizeof *st + x->nterms * sizeof(term));
    }
    uint8_t *visits = st->visits;
    uint32_t cap = st->visits_cap;
    memset(st, 0, offsetof(struct state, reg));
    st->visits = visits;
    st->visits_cap = cap;
    st->seq = x->seq++;
    x->stats.states++;
    return st;
}

struct state *state_fork(struct explorer *x, const struct state *from)
{
    struct state *st = state_new(x);
    uint8_t *visits = st->visits;
    uint32_t cap = st->visits_cap;
    uint64_t seq = st->seq;
    memcpy(st, from, sizeof *st + x->nterms * sizeof(term));
    st->next = NULL;
    st->seq = seq;
    if (cap < from->visits_cap) {
        visits = xrealloc(visits, from->visits_cap);
        cap = from->visits_cap;
    }
    st->visits = visits;
    st->visits_cap = cap;
    if (from->visits_cap)
        memcpy(visits, from->visits, from->visits_cap);
    return st;
}

void state_free(struct explorer *x, struct state *st)
{
    st->next = x->pool;
    x->pool = st;
}

void state_visits(struct state *st, uint32_t n)
{
    if (st->visits_cap < n) {
        st->visits = xrealloc(st->visits, n);
        st->visits_cap = n;
    }
    if (st->visits_cap)
        memset(st->visits, 0, st->visits_cap);
}

/* ---- the register file ---- */

term state_slot(struct explorer *x, struct state *st, unsigned slot)
{
    if (st->reg[slot] == TERM_NONE)
        st->reg[slot] = term_apply(x->t, x->slot_name[slot], x->unit * 8, &st->clobber, 1);
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

void state_assume(struct explorer *x, struct state *st, term literal)
{
    if (term_is_true(x->t, literal))
        return;
    struct pc_node *n = arena_alloc(&x->arena, sizeof *n);
    st->condition = term_and(x->t, st->condition, literal);
    *n = (struct pc_node){literal, st->condition, st->pc ? st->pc->depth + 1 : 1, st->pc};
    st->pc = n;
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

void state_event(struct explorer *x, struct state *st, const struct exec_event *e)
{
    struct event_node *n = arena_alloc(&x->arena, sizeof *n);
    *n = (struct event_node){*e, st->events ? st->events->depth + 1 : 1, st->events};
    n->e.arg = arena_dup(&x->arena, e->arg, e->nargs * sizeof(term));
    st->events = n;
}

void state_write(struct explorer *x, struct state *st, const struct exec_write *w)
{
    struct write_node *n = arena_alloc(&x->arena, sizeof *n);
    *n = (struct write_node){*w, st->writes ? st->writes->depth + 1 : 1, st->writes};
    st->writes = n;
}

void state_trace(struct explorer *x, struct state *st, uint32_t block)
{
    struct trace_node *n = arena_alloc(&x->arena, sizeof *n);
    *n = (struct trace_node){block, st->trace ? st->trace->depth + 1 : 1, st->trace, NULL};
    st->trace = n;
}
