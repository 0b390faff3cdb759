/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Widening of loops instead of unrolling, for analyses that look at what a loop does and need no proof
 * (exec_policy.induction).
 *
 * What a register or a word of the frame holds when the head of a loop is reached for the second time is
 * compared with what it held the first time. Where a constant was added, it becomes loop(start, step): start
 * plus step times the number of iterations, which is anything. Where it was followed to what it leads to, as
 * in a list, it becomes chain(start, a, offset): the place of some link, the first of which is at start + a,
 * and each other one so far into what the one before leads to. Where something else changed, it becomes
 * next(start). So a counter that started as a constant no longer is one, and the loop can be left.
 *
 * What leaves a loop in its first iteration does so with values that depend on whether the compiler put the
 * test at the beginning or at the end, and is not followed: the second iteration leaves it, too. Only a loop
 * that turned out never to come to a second iteration is explored again without that.
 *
 * Memory is anything then: what was decided about it in the first iteration need not hold in the second.
 *
 * A loop that is left at its end tests the value of the next iteration: then loop(start, step) is that, and
 * the value at its head is one step behind, so that the tests of both kinds of loops are the same. */
#include "exec/engine.h"

struct loop_entry {
    uint32_t head;
    bool again; /* it was reached for the second time */
    const struct loop_entry *prev;
    term frame, mem;
    term reg[]; /* by slot */
};

enum { WRITES_MAX = 64 }; /* to the frame in one iteration that are looked at */

/* A value that is followed: to is what lies at from, with constants added to either; TERM_NONE when it is
 * not. */
static term followed(struct explorer *x, term from, term to)
{
    unsigned width = term_width(x->t, from);
    term fbase, tbase, abase;
    uint64_t foff, toff, aoff;
    term_split(x->t, from, &fbase, &foff);
    term_split(x->t, to, &tbase, &toff);
    if (width != x->width || fbase == TERM_NONE || tbase == TERM_NONE ||
        term_kind(x->t, tbase) != TERM_READ || term_width(x->t, tbase) != width)
        return TERM_NONE;
    term_split(x->t, term_kid(x->t, tbase, 1), &abase, &aoff);
    if (abase != fbase)
        return TERM_NONE;
    /* from + a is the place of the first link, what lies there plus a + toff that of the next */
    uint64_t a = aoff - foff;
    term kid[] = {from, term_const(x->t, width, a), term_const(x->t, width, a + toff)};
    return term_add_const(x->t, origin_apply(x->t, (struct term_origin){.kind = ORIGIN_CHAIN}, width, kid, 3),
                          -a);
}

static term changed(struct explorer *x, term from, term to, bool behind)
{
    unsigned width = term_width(x->t, from);
    term fbase, tbase;
    uint64_t foff, toff;
    if (from == to)
        return to;
    if (width > 64) /* a vector */
        return origin_apply(x->t, (struct term_origin){.kind = ORIGIN_NEXT}, width, &from, 1);
    term_split(x->t, from, &fbase, &foff);
    term_split(x->t, to, &tbase, &toff);
    if (fbase == tbase) {
        term step = term_const(x->t, width, toff - foff);
        term v =
            origin_apply(x->t, (struct term_origin){.kind = ORIGIN_LOOP}, width, (term[]){from, step}, 2);
        return behind ? term_add_const(x->t, v, foff - toff) : v;
    }
    term chain = followed(x, from, to);
    if (chain != TERM_NONE)
        return chain;
    /* A narrower counter in a register. Of what changes otherwise it is not known how large it becomes. */
    if (width == 64 || width == 32) {
        unsigned half = width / 2;
        term high = term_extract(x->t, to, half, half),
             low[] = {term_extract(x->t, from, 0, half), term_extract(x->t, to, 0, half)};
        term_split(x->t, low[0], &fbase, &foff);
        term_split(x->t, low[1], &tbase, &toff);
        if (high == term_extract(x->t, from, half, half) && fbase == tbase)
            return term_concat(x->t, high, changed(x, low[0], low[1], behind));
    }
    return origin_apply(x->t, (struct term_origin){.kind = ORIGIN_NEXT}, width, &from, 1);
}

/* x where the path has decided what it was chosen by. */
static term decided(const struct explorer *x, const struct state *st, term v)
{
    enum { LAST = 16 };
    unsigned n = 0;
    for (const struct pc_node *c = st->pc; c && n < LAST && term_kind(x->t, v) == OP_ITE; c = c->prev, n++) {
        term by = term_kid(x->t, v, 0);
        if (c->literal == by)
            v = term_kid(x->t, v, 1);
        else if (term_kind(x->t, c->literal) == OP_NOT && term_kid(x->t, c->literal, 0) == by)
            v = term_kid(x->t, v, 2);
    }
    return v;
}

static void enter_again(struct explorer *x, struct state *st, const struct loop_entry *first, bool behind)
{
    for (unsigned i = 0; i < x->nslots; i++)
        if (st->reg[i] != TERM_NONE && first->reg[i] != TERM_NONE)
            st->reg[i] = changed(x, first->reg[i], decided(x, st, st->reg[i]), behind);
    if (st->mem != first->mem)
        st->mem = term_fresh_array(x->t, "loop_mem", x->width, 8);
    if (x->m->nspaces)
        space_forget(x, st);
    term frame = st->frame;
    unsigned n = 0;
    for (term w = frame; w != first->frame && term_kind(x->t, w) == TERM_WRITE && n < WRITES_MAX;
         w = term_kid(x->t, w, 0), n++) {
        term at = term_kid(x->t, w, 1);
        unsigned width = term_width(x->t, term_kid(x->t, w, 2));
        st->frame = term_write(
            x->t, st->frame, at,
            changed(x, term_read(x->t, first->frame, at, width), term_read(x->t, frame, at, width), behind));
    }
}

static bool contains(const struct graph *g, uint32_t head, uint32_t block)
{
    uint32_t l = g->loop[block];
    while (l != UINT32_MAX && g->loops[l].head != head)
        l = g->loops[l].parent;
    return l != UINT32_MAX;
}

/* Whether the loop can be left from the block, other than by its head. */
static bool leaves(const struct graph *g, uint32_t block, uint32_t head)
{
    for (uint32_t i = g->g->first_edge[block]; i < g->g->first_edge[block + 1]; i++)
        if (!contains(g, head, g->g->edge[i].to))
            return true;
    return false;
}

static const struct loop_entry *entry_of(const struct state *st, uint32_t head)
{
    const struct loop_entry *e = st->loops;
    while (e && e->head != head)
        e = e->prev;
    return e;
}

static struct loop_entry *push(struct explorer *x, struct state *st, uint32_t head, bool again)
{
    unsigned n = again ? 0 : x->nslots;
    struct loop_entry *e = arena_alloc(&x->arena, sizeof *e + n * sizeof(term));
    *e = (struct loop_entry){
        .head = head, .again = again, .prev = st->loops, .frame = st->frame, .mem = st->mem};
    for (unsigned i = 0; i < n; i++)
        e->reg[i] = st->reg[i];
    st->loops = e;
    return e;
}

void loop_arrive(struct activation *a, struct state *st, uint32_t head)
{
    struct explorer *x = a->x;
    const struct loop_entry *e = entry_of(st, head);
    if (!e) {
        push(x, st, head, false);
    } else if (!e->again) {
        enter_again(x, st, e, leaves(a->g, st->block, head));
        push(x, st, head, true);
        map_set(&x->repeated, head, 1);
    }
}

bool loop_first_exit(const struct activation *a, const struct state *st, uint32_t block)
{
    struct explorer *x = a->x;
    for (uint32_t l = a->g->loop[st->block]; l != UINT32_MAX; l = a->g->loops[l].parent) {
        uint32_t head = a->g->loops[l].head;
        const struct loop_entry *e = entry_of(st, head);
        if (contains(a->g, head, block))
            break;
        if (e && !e->again && st->block != head &&
            (!x->whole_iterations || map_get(&x->repeated, head, NULL))) {
            map_set(&x->cut, head, 1);
            return true;
        }
    }
    return false;
}

bool loop_lost(const struct explorer *x)
{
    uint64_t head, one;
    for (size_t i = 0; (i = map_next(&x->cut, i, &head, &one));)
        if (!map_get(&x->repeated, head, NULL))
            return true;
    return false;
}
