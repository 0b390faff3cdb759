/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making one state of two that wait before the same block.
 *
 * The order in which states are run decides which ones meet (graph.c): a state runs only when no other can
 * still reach its block in the same iteration of the loops around it. So a region between a branch and its
 * join is run on both sides, inner regions first, and met by its two sides at the join; a side that returned,
 * trapped or ran into a bound is simply not there, which is what a single-path case is. Nothing has to be
 * known of post-dominators, and gotos, switches and early exits are no special case.
 *
 * With c the condition that tells the sides apart, registers become if-then-else terms; a store on one side
 * becomes a conditional store on both (write(m, a, ite(c, v, read(m, a)))), or memory as a whole becomes an
 * if-then-else when there are too many; events and writes get c as their guard. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

enum {
    WRITES_MAX = 24, /* conditional stores made for one merge */
    COST_MAX = 3,    /* see cost_of */
    GROUP_MAX = 256, /* states at one point among which the best pair is looked for */
    KIN_MAX = 8,     /* of them that a state is compared with which is not next to it */
};

/* ---- which state is next ---- */

static unsigned nest_of(const struct graph *g, uint32_t block, uint32_t *out, unsigned cap)
{
    unsigned n = 0;
    uint32_t l = g->loop[block];
    if (l == UINT32_MAX)
        return 0;
    unsigned depth = g->loops[l].depth;
    for (; l != UINT32_MAX; l = g->loops[l].parent, n++)
        if (depth - 1 - n < cap)
            out[depth - 1 - n] = l;
    return depth < cap ? depth : cap;
}

enum { NEST = 72 };

static int compare(const struct activation *a, const struct state *l, const struct state *r)
{
    const struct graph *g = a->g;
    uint32_t ln[NEST], rn[NEST];
    unsigned nl = nest_of(g, l->block, ln, NEST), nr = nest_of(g, r->block, rn, NEST);
    for (unsigned d = 0; d < nl || d < nr; d++) {
        if (d < nl && d < nr && ln[d] == rn[d]) {
            uint32_t slot = g->visit_slot[g->loops[ln[d]].head];
            if (l->visits[slot] != r->visits[slot])
                return l->visits[slot] < r->visits[slot] ? -1 : 1;
            continue;
        }
        uint32_t lp = d < nl ? g->loops[ln[d]].position : g->position[l->block];
        uint32_t rp = d < nr ? g->loops[rn[d]].position : g->position[r->block];
        return lp < rp ? -1 : 1;
    }
    uint32_t lp = g->position[l->block], rp = g->position[r->block];
    return lp < rp ? -1 : lp > rp;
}

bool merge_before(const struct activation *a, const struct state *l, const struct state *r)
{
    int c = compare(a, l, r);
    return c ? c < 0 : l->seq < r->seq;
}

bool merge_same_point(const struct activation *a, const struct state *l, const struct state *r)
{
    return l->block == r->block && compare(a, l, r) == 0;
}

/* ---- conditions ---- */

struct pc_node *merge_common_pc(struct pc_node *l, struct pc_node *r)
{
    while (l != r) {
        uint32_t dl = l ? l->depth : 0, dr = r ? r->depth : 0;
        if (dl >= dr)
            l = l->prev;
        if (dr >= dl)
            r = r->prev;
    }
    return l;
}

struct tail {
    term first; /* the literal decided first after the common part */
    term rest;  /* the others */
    term all;
    unsigned n;
};

static struct tail tail_of(struct explorer *x, const struct pc_node *from, const struct pc_node *to)
{
    struct tail t = {term_true(x->t), term_true(x->t), term_true(x->t), 0};
    for (; from != to; from = from->prev, t.n++) {
        if (t.n)
            t.rest = term_and(x->t, t.first, t.rest);
        t.first = from->literal;
    }
    t.all = term_and(x->t, t.first, t.rest);
    return t;
}

/* ---- memory ---- */

/* The newest array both were made from by writes, and how many. TERM_NONE when there is none. Terms are
 * numbered as they are made, so the larger of two different ones is never below the other. */
static term common_array(struct explorer *x, term l, term r, unsigned *writes)
{
    *writes = 0;
    while (l != r) {
        term *big = l > r ? &l : &r;
        if (term_kind(x->t, *big) != TERM_WRITE)
            return TERM_NONE;
        *big = term_kid(x->t, *big, 0);
        ++*writes;
    }
    return l;
}

/* m with the writes between `from` and `to` done only where c holds (or only where it does not). */
static term write_if(struct explorer *x, term m, term from, term to, term c, bool positive)
{
    term chain[WRITES_MAX];
    unsigned n = 0;
    for (; from != to; from = term_kid(x->t, from, 0))
        chain[n++] = from;
    while (n) {
        term w = chain[--n], address = term_kid(x->t, w, 1), v = term_kid(x->t, w, 2);
        term old = term_read(x->t, m, address, term_width(x->t, v));
        m = term_write(x->t, m, address, positive ? term_ite(x->t, c, v, old) : term_ite(x->t, c, old, v));
    }
    return m;
}

static bool needs_array_ite(struct explorer *x, term l, term r)
{
    unsigned writes;
    return l != r && (common_array(x, l, r, &writes) == TERM_NONE || writes > WRITES_MAX);
}

term merge_array(struct explorer *x, term c, term l, term r)
{
    if (l == r)
        return l;
    unsigned writes;
    term base = common_array(x, l, r, &writes);
    if (base == TERM_NONE || writes > WRITES_MAX)
        return term_ite(x->t, c, l, r);
    return write_if(x, write_if(x, base, l, base, c, true), r, base, c, false);
}

/* ---- histories ---- */

static const struct history *merge_history(struct explorer *x, const struct history *l,
                                           const struct history *r, uint64_t l_call, uint64_t r_call)
{
    /* One may have all of the other. */
    const struct history *a = l, *b = r;
    while (a && (!b || a->depth > b->depth))
        a = a->prev;
    while (b && (!a || b->depth > a->depth))
        b = b->prev;
    if (a == b && (a == l || b == r) && (l_call == r_call || (!l && !r)))
        return a == l ? r : l;
    if (!l)
        return merge_history(x, r, l, r_call, l_call);
    struct merge_node *n = arena_alloc(&x->arena, sizeof *n);
    *n = (struct merge_node){.h = {.seq = x->history_seq++,
                                   .depth = (!r || l->depth > r->depth ? l->depth : r->depth) + 1,
                                   .prev = l,
                                   .other = r},
                             .last_call = {l_call, r_call}};
    return &n->h;
}

/* ---- merging ---- */

/* What a merge costs later on: one for each register that differs and that may become part of an address or a
 * jump target (cost.c), two when memory or a space as a whole becomes an if-then-else. */
static unsigned cost_of(struct activation *a, const struct state *l, const struct state *r)
{
    struct explorer *x = a->x;
    const struct slot_set *hot = graph_hot(x, a->g, l->block);
    unsigned cost = 0;
    for (unsigned i = 0; i < x->nslots; i++)
        cost += l->reg[i] != r->reg[i] && l->reg[i] != TERM_NONE && r->reg[i] != TERM_NONE &&
                slot_set_has(hot, i);
    cost += needs_array_ite(x, l->mem, r->mem) ? 2 : 0;
    for (uint32_t i = 0; i < l->nspaces && cost <= COST_MAX; i++)
        cost += needs_array_ite(x, l->space[i].array, space_get(x, r, l->space[i].space)) ? 2 : 0;
    return cost;
}

static bool same_saved(const struct saved_set *a, const struct saved_set *b)
{
    return a == b || (a->n == b->n && memcmp(a->offset, b->offset, a->n * sizeof a->offset[0]) == 0);
}

static const struct saved_set *common_saved(struct explorer *x, const struct saved_set *a,
                                            const struct saved_set *b)
{
    if (same_saved(a, b))
        return a;
    struct saved_set *s = arena_alloc(&x->arena, sizeof *s + a->n * sizeof s->offset[0]);
    s->n = 0;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned k = 0; k < b->n; k++)
            if (a->offset[i] == b->offset[k])
                s->offset[s->n++] = a->offset[i];
    return s;
}

/* Makes both agree on where locals live. False when that is impossible. */
static bool align_frames(struct explorer *x, struct state *l, struct state *r)
{
    if (l->flat && r->flat)
        return same_saved(l->saved, r->saved);
    if (!l->flat && !r->flat) {
        l->saved = r->saved = common_saved(x, l->saved, r->saved);
        return true;
    }
    struct state *kept = l->flat ? r : l;
    kept->saved = l->flat ? l->saved : r->saved;
    memory_escape(x, kept);
    return true;
}

/* Whether what happened between the branch and here is more than the options let a region have. */
static bool region_refused(const struct explorer *x, const struct state *l, const struct state *r)
{
    if (!x->opt.whole_regions && !x->opt.flat_regions && x->opt.returns == EXEC_RETURNS_ALL)
        return false;
    const struct pc_node *shared = merge_common_pc(l->pc, r->pc), *from[] = {l->pc, r->pc};
    if (x->opt.whole_regions && shared && shared->thrown)
        return true;
    for (unsigned i = 0; i < 2; i++)
        for (const struct pc_node *p = from[i]; p != shared; p = p->prev)
            if (p->apart || (x->opt.flat_regions && p->calls))
                return true;
    return false;
}

/* For the statistics. */
static void count_region(struct activation *a, const struct state *l, const struct state *r,
                         const struct pc_node *shared)
{
    struct explorer *x = a->x;
    const struct pc_node *from[] = {l->pc, r->pc};
    for (unsigned i = 0; i < 2; i++)
        for (const struct pc_node *p = from[i]; p != shared; p = p->prev)
            x->stats.spliced += p->calls;
    x->stats.merges++;
    if (l->block == UINT32_MAX)
        return;
    if (!a->g->joined)
        a->g->joined = xcalloc(a->g->g->nblocks + 1, 1);
    x->stats.regions += !a->g->joined[l->block];
    a->g->joined[l->block] = 1;
}

struct state *merge_states(struct activation *a, struct state *l, struct state *r, bool always)
{
    struct explorer *x = a->x;
    unsigned sp = x->m->sp / x->unit, pc = x->m->pc / x->unit;
    bool refused = l->reg[sp] != r->reg[sp] || region_refused(x, l, r) || known_lost(a, l, r) ||
                   (!always && !x->opt.no_cost_heuristic && cost_of(a, l, r) > COST_MAX) ||
                   !align_frames(x, l, r);
    if (refused) {
        x->stats.merge_refused++;
        return NULL;
    }
    struct pc_node *common = merge_common_pc(l->pc, r->pc);
    count_region(a, l, r, common);
    struct tail lt = tail_of(x, l->pc, common), rt = tail_of(x, r->pc, common);
    term c, both;
    if (lt.n && rt.n && lt.first == term_not(x->t, rt.first)) {
        c = lt.first;
        both = term_ite(x->t, c, lt.rest, rt.rest);
    } else {
        c = rt.n == 1 && lt.n != 1 ? term_not(x->t, rt.all) : lt.all;
        both = term_or(x->t, lt.all, rt.all);
    }
    l->pc = common;
    state_assume(x, l, both);

    bool lost = l->clobber != r->clobber;
    for (unsigned i = 0; i < x->nslots; i++) {
        if (i == pc || (l->reg[i] == r->reg[i] && (l->reg[i] != TERM_NONE || !lost)))
            continue;
        if (l->reg[i] == TERM_NONE && r->reg[i] == TERM_NONE)
            continue; /* a function of the clobber token, merged below */
        l->reg[i] = term_ite(x->t, c, state_slot(x, l, i), state_slot(x, r, i));
    }
    if (lost)
        l->clobber = term_ite(x->t, c, l->clobber, r->clobber);
    l->mem = merge_array(x, c, l->mem, r->mem);
    l->frame = merge_array(x, c, l->frame, r->frame);
    if (space_differ(x, l, r))
        space_merge(x, l, r, c);
    l->world = term_ite(x->t, c, l->world, r->world);
    if (l->returns_to != r->returns_to)
        l->returns_to = l->returns_to == TERM_NONE || r->returns_to == TERM_NONE
                            ? TERM_NONE
                            : term_ite(x->t, c, l->returns_to, r->returns_to);
    l->length = l->length == TERM_NONE || r->length == TERM_NONE ? TERM_NONE
                                                                 : term_ite(x->t, c, l->length, r->length);
    l->events = merge_history(x, l->events, r->events, 0, 0);
    l->writes = merge_history(x, l->writes, r->writes, l->last_call, r->last_call);
    l->last_call = l->last_call < r->last_call ? l->last_call : r->last_call;
    if (l->trace != r->trace) {
        struct trace_node *n = arena_alloc(&x->arena, sizeof *n);
        uint32_t dl = l->trace ? l->trace->depth : 0, dr = r->trace ? r->trace->depth : 0;
        *n = (struct trace_node){UINT32_MAX, dl > dr ? dl : dr, l->trace, r->trace};
        l->trace = n;
    }
    for (uint32_t i = 0; i < graph_counts(x, a->g); i++)
        if (r->visits[i] > l->visits[i])
            l->visits[i] = r->visits[i];
    l->steps = l->steps > r->steps ? l->steps : r->steps;
    l->argset |=
        r->argset; /* one argument too many is compared in vain, one too few may be the one that matters */
    l->handed |= r->handed;
    if (l->raised != r->raised || l->raised_to != r->raised_to)
        l->raised = 0;
    if (r->filled)
        l->fill = l->filled && l->fill != r->fill ? TERM_NONE : r->fill;
    l->filled = l->filled || r->filled;
    l->ways += r->ways;
    l->merged = true;
    l->decided = false; /* what told them apart is decided no more */
    state_free(x, r);
    return l;
}

/* Those that are next to each other, the pair with the longest common history first: inner regions before
 * outer ones. */
static size_t merge_neighbours(struct activation *a, struct state **st, size_t n, bool always)
{
    bool *refused = xcalloc(n + 1, sizeof *refused);
    for (;;) {
        size_t best = n;
        uint32_t depth = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            if (refused[i])
                continue;
            const struct pc_node *c = merge_common_pc(st[i]->pc, st[i + 1]->pc);
            uint32_t d = c ? c->depth : 0;
            if (best == n || d > depth) {
                best = i;
                depth = d;
            }
            if (n > GROUP_MAX)
                break;
        }
        if (best == n)
            break;
        struct state *m = merge_states(a, st[best], st[best + 1], always);
        if (!m) {
            refused[best] = true;
            continue;
        }
        st[best] = m;
        memmove(&st[best + 1], &st[best + 2], (n - best - 2) * sizeof *st);
        memmove(&refused[best], &refused[best + 1], (n - best - 1) * sizeof *refused);
        if (best > 0)
            refused[best - 1] = false;
        n--;
    }
    free(refused);
    return n;
}

/* Neighbours differ in a number that has to stay known; of the others some have it in common. There are as
 * many of these numbers as a loop has turns, where there are as many paths as ways to make the turns: so of a
 * filter that copies some of n elements n + 1 states are left, not 2^n. */
static size_t merge_kin(struct activation *a, struct state **st, size_t n, bool always)
{
    uint64_t *key = xcalloc(n + 1, sizeof *key);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct state *m = NULL;
        uint64_t k = known_key(a, st[i]);
        unsigned tries = 0;
        for (size_t j = kept; j-- > 0 && !m && tries < KIN_MAX;) {
            if (key[j] != k || (j + 1 == kept && kept == i))
                continue;
            tries++;
            m = merge_states(a, st[j], st[i], always);
            if (m)
                st[j] = m;
        }
        if (!m) {
            key[kept] = k;
            st[kept++] = st[i];
        }
    }
    free(key);
    return kept;
}

size_t merge_group(struct activation *a, struct state **st, size_t n, bool always)
{
    const struct explore_options *o = &a->x->opt;
    n = merge_neighbours(a, st, n, always);
    /* with regions, only the sides of a branch are */
    return n > 2 && o->keep_known && o->returns == EXEC_RETURNS_ALL ? merge_kin(a, st, n, always) : n;
}
