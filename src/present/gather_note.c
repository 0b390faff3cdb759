/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes: what bounds the loops of a function, and which call each of its stores follows (present/sense.h). */
#include <string.h>

#include "present/gather.h"
#include "present/sense.h"

static void note(struct gatherer *g, expr x)
{
    if (map_set(&g->noted, x, 1))
        vec_push(&g->out->note, x);
}

/* ---- loops ---- */

enum { TERMS_MAX = 3 };

struct sum {
    expr term[TERMS_MAX];
    unsigned n;
    bool counts, other; /* the counter is in it; something is that makes it no bound */
};

/* What a sum is of, without numbers and signs. */
static void add_terms(struct gatherer *g, expr x, struct sum *s)
{
    unsigned n = expr_nkids(g->e, x), variable = 0;
    if (expr_kind(g->e, x) == EXPR_CONST)
        return;
    if (x == expr_leaf(g->e, EXPR_OTHER, "n", 0)) {
        s->counts = true;
        return;
    }
    for (unsigned i = 0; i < n; i++)
        variable += expr_kind(g->e, expr_kid(g->e, x, i)) != EXPR_CONST;
    if (expr_kind(g->e, x) == EXPR_OP && (expr_value(g->e, x) == OP_ADD || variable == 1)) {
        for (unsigned i = 0; i < n; i++)
            add_terms(g, expr_kid(g->e, x, i), s);
        return;
    }
    unsigned at = 0;
    while (at < s->n && expr_key(g->e, s->term[at]) < expr_key(g->e, x))
        at++;
    if (at < s->n && s->term[at] == x)
        return;
    s->other = s->other || s->n == TERMS_MAX || gather_counts(g, x);
    if (s->other)
        return;
    memmove(&s->term[at + 1], &s->term[at], (s->n - at) * sizeof *s->term);
    s->term[at] = x;
    s->n++;
}

void gather_bounds(struct gatherer *g, expr x, uint32_t block)
{
    uint32_t cycle = block < g->iterations.nblocks ? g->iterations.cycle[block] : 0;
    struct sum s = {0};
    x = expr_branch(g->e, x);
    if (!cycle || !expr_is_boolean(g->e, x))
        return;
    enum op op = (enum op)expr_value(g->e, x);
    if (op == OP_AND || op == OP_OR || op == OP_ITE)
        for (unsigned i = 0; i < expr_nkids(g->e, x); i++)
            gather_bounds(g, expr_kid(g->e, x, i), block);
    if (op != OP_EQ && op != OP_ULT && op != OP_SLT)
        return;
    add_terms(g, expr_kid(g->e, x, 0), &s);
    add_terms(g, expr_kid(g->e, x, 1), &s);
    if (!s.counts || s.other || s.n == 0)
        return;
    expr kid[TERMS_MAX + 1], bounds = expr_call(g->e, SENSE_BOUNDS, s.term, s.n);
    if (!map_set(&g->noted, hash_u64((uint64_t)bounds << 32) ^ hash_u64(cycle), 1))
        return;
    uint64_t times = map_find(&g->noted, UINT64_C(1) << 32 | bounds, 0) + 1;
    map_set(&g->noted, UINT64_C(1) << 32 | bounds, times);
    memcpy(kid, s.term, s.n * sizeof *kid);
    kid[s.n] = expr_const(g->e, (int64_t)times);
    note(g, expr_call(g->e, SENSE_BOUNDS, kid, s.n + 1));
}

/* ---- stores ---- */

/* A call after a store sees what was stored, unless there was another call in between. */
const char *gather_before(struct gatherer *g, const struct exec_write *w)
{
    const char *before = GATHER_START;
    struct terms *t = g->n.t;
    for (size_t i = 0; i < g->calls.len; i++) {
        const struct exec_event *e = g->calls.data[i].event;
        if (e->decided > w->decided ||
            (e->decided == w->decided &&
             term_read(t, e->mem_before, w->address, term_width(t, w->value)) == w->value))
            break;
        before = g->calls.data[i].name;
    }
    return before;
}

void gather_follows(struct gatherer *g, expr place, expr value)
{
    expr kid[] = {expr_leaf(g->e, EXPR_SYMBOL, g->follows, 0), place, value};
    note(g, expr_call(g->e, SENSE_FOLLOWS, kid, 3));
}
