/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Near the proof of concept. Where all paths are too many, those are followed that decide as the proof of concept does
 * but for a few times. Each state is followed with values for it, a GUIDE: those of the proof of concept, or those with
 * a few changed so that one decision is another, as concolic execution has it. What a condition is with them is
 * evaluated; only whether it can be otherwise is asked, with little effort. Blocks that the call allocates are about as
 * large as on the proof of concept, so that their cells can be told apart. */
#include "poc/near.h"

#include <stdlib.h>

struct guide {
    struct term_model *m;
    unsigned others; /* decisions that are others than those of the first guide */
};

struct poc_near {
    VEC(struct guide) guide;
    size_t first;    /* of this exploration */
    size_t last;     /* that was followed */
    size_t told;     /* so many of the explorer's assumptions are in the guides */
    unsigned most;   /* decisions that may be others */
    bool gates;      /* ... and one more, by which a number is what it has to be */
    bool left_out;   /* states were, or nobody knows whether some decision could be another */
    struct map size; /* of a block that the call allocates: most bytes */
};

static struct term_model *snapshot_model(const struct poc_side *side)
{
    struct term_model *m = term_model_new();
    const struct poc_abstract *a = side->a;
    unsigned width = side->s->m->pointer_width;
    for (unsigned i = 0; i < a->narguments; i++)
        term_model_set(m, poc_argument_symbol(side->t, width, i), bits_u64(a->argument[i].value, width));
    term mem = explorer_symbols(side->x).mem;
    for (size_t i = 0; i < a->npages; i++)
        for (size_t k = 0; a->open[i] && k < a->page[i].size; k++)
            if (a->open[i][k])
                term_model_set_cell(m, mem, a->page[i].address + k, bits_u64(a->page[i].byte[k], 8));
    return m;
}

void near_begin(struct poc_side *side, const struct term_model *const *first, unsigned nfirst, unsigned most)
{
    struct poc_near *n = side->near ? side->near : xcalloc(1, sizeof *n);
    side->near = n;
    n->first = n->last = n->guide.len;
    n->told = 0;
    n->most = most;
    n->gates = !side->against && !side->watched_size;
    for (unsigned i = 0; i < nfirst && first[i]; i++)
        vec_push(&n->guide, ((struct guide){term_model_copy(first[i]), 0}));
    if (n->guide.len == n->first)
        vec_push(&n->guide, ((struct guide){snapshot_model(side), 0}));
}

void near_free(struct poc_near *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->guide.len; i++)
        term_model_free(n->guide.data[i].m);
    vec_free(&n->guide);
    map_free(&n->size);
    free(n);
}

bool near_left_out(const struct poc_near *n)
{
    return n && n->left_out;
}

/* Bytes of the snapshot that are read at addresses which are not known: the explorer assumes what they are. */
static void tell_guides(const struct poc_side *side)
{
    struct poc_near *n = side->near;
    const term *fact;
    size_t count = explorer_assumptions(side->x, &fact);
    term mem = explorer_symbols(side->x).mem;
    for (; n->told < count; n->told++) {
        term x = fact[n->told], read = term_kind(side->t, x) == OP_EQ ? term_kid(side->t, x, 0) : TERM_NONE;
        uint64_t at, byte;
        if (read == TERM_NONE || term_kind(side->t, read) != TERM_READ || term_kid(side->t, read, 0) != mem ||
            term_width(side->t, read) != 8 || !term_const_u64(side->t, term_kid(side->t, read, 1), &at) ||
            !term_const_u64(side->t, term_kid(side->t, x, 1), &byte))
            continue;
        for (size_t i = n->first; i < n->guide.len; i++)
            term_model_set_cell(n->guide.data[i].m, mem, at, bits_u64(byte, 8));
    }
}

static bool holds_with(const struct poc_side *side, const struct term_model *m, term x, bool *holds)
{
    struct bits v;
    bool known = term_eval(side->t, m, x, &v);
    *holds = known && bits_low(v) == 1;
    return known;
}

/* The guide of a state; SIZE_MAX: it has none. Mostly it is the one that was followed last. */
static size_t guide_of(const struct poc_side *side, term condition)
{
    struct poc_near *n = side->near;
    bool holds;
    tell_guides(side);
    if (holds_with(side, n->guide.data[n->last].m, condition, &holds) && holds)
        return n->last;
    for (size_t i = n->guide.len; i-- > n->first;)
        if (i != n->last && holds_with(side, n->guide.data[i].m, condition, &holds) && holds)
            return n->last = i;
    return SIZE_MAX;
}

unsigned near_guides(const struct poc_side *side, term condition, const struct term_model **out, unsigned most)
{
    const struct poc_near *n = side->near;
    unsigned found = 0;
    bool holds;
    tell_guides(side);
    for (size_t i = n->first; i < n->guide.len && found < most; i++)
        if (holds_with(side, n->guide.data[i].m, condition, &holds) && holds)
            out[found++] = n->guide.data[i].m;
    return found;
}

struct leaves {
    const struct terms *t;
    VEC(term) leaf;
};

static bool see_leaf(void *ctx, term x)
{
    struct leaves *l = ctx;
    unsigned i;
    bool read = term_kind(l->t, x) == TERM_READ && origin_is(l->t, term_kid(l->t, x, 0), ORIGIN_MEMORY) &&
                term_is_const(l->t, term_kid(l->t, x, 1));
    if (read || origin_is_argument(l->t, x, &i))
        vec_push(&l->leaf, x);
    return false;
}

static void set_leaf(const struct poc_side *side, struct term_model *m, term leaf, struct bits v)
{
    if (term_kind(side->t, leaf) == TERM_READ)
        term_model_set_read(side->t, m, leaf, v);
    else
        term_model_set(m, leaf, v);
}

/* The guide with the values that another model has for leaves. */
static struct term_model *changed(const struct poc_side *side, const struct term_model *guide,
                                  const struct term_model *by, const term *leaf, size_t n)
{
    struct term_model *m = term_model_copy(guide);
    for (size_t i = 0; i < n; i++) {
        struct bits v;
        if (term_eval(side->t, by, leaf[i], &v))
            set_leaf(side, m, leaf[i], v);
    }
    return m;
}

/* All but one of the leaves have the values of the guide. */
static term with_all_but(const struct poc_side *side, const struct term_model *guide, const struct leaves *l, size_t but,
                         term x)
{
    VEC(term) from = VEC_INIT, to = VEC_INIT;
    for (size_t i = 0; i < l->leaf.len; i++) {
        struct bits v;
        term leaf = l->leaf.data[i];
        if (i == but || !term_eval(side->t, guide, leaf, &v))
            continue;
        vec_push(&from, leaf);
        vec_push(&to, term_const_bits(side->t, term_width(side->t, leaf), v));
    }
    x = term_substitute(side->t, x, from.data, to.data, from.len);
    vec_free(&from);
    vec_free(&to);
    return x;
}

static enum solve_answer ask(const struct poc_side *side, term x, struct term_model **found)
{
    VEC(term) q = VEC_INIT;
    const term *known;
    size_t n = explorer_assumptions(side->x, &known);
    for (size_t i = 0; i < n; i++)
        vec_push(&q, known[i]);
    vec_push(&q, x);
    enum solve_answer a = term_is_false(side->t, x) ? SOLVE_UNSAT : solve_try(side->solver, q.data, q.len, found);
    vec_free(&q);
    return a;
}

/* Values near the one that a leaf has. */
static uint64_t neighbour(uint64_t was, unsigned k)
{
    static const int64_t by[] = {1, -1, 2, -2, 4, -4, 8, -8};
    return was + (uint64_t)by[k];
}
enum { NEIGHBOURS = 8 };

/* A guide with which both of that hold, where a leaf has a value next to the one it had. */
static bool add_neighbour(struct poc_side *side, struct guide guide, term both, term leaf)
{
    struct bits was;
    bool holds = false;
    if (!term_eval(side->t, guide.m, leaf, &was))
        return false;
    struct term_model *m = term_model_copy(guide.m);
    for (unsigned k = 0; k < NEIGHBOURS && !holds; k++) {
        set_leaf(side, m, leaf, bits_u64(neighbour(bits_low(was), k), term_width(side->t, leaf)));
        holds = holds_with(side, m, both, &holds) && holds;
    }
    if (holds)
        vec_push(&side->near->guide, ((struct guide){m, guide.others + 1}));
    else
        term_model_free(m);
    return holds;
}

/* Guides for a state that goes the other way than guide i does: with one other value, or else with as few as may be. */
static bool add_guides(struct poc_side *side, size_t i, term so_far, term other)
{
    enum { SINGLE = 6 };
    struct poc_near *n = side->near;
    struct guide guide = n->guide.data[i];
    struct leaves l = {.t = side->t};
    term both = term_and(side->t, so_far, other);
    term_any(side->t, other, see_leaf, &l);
    size_t own = l.leaf.len;
    term_any(side->t, so_far, see_leaf, &l);
    bool near = false;
    for (size_t k = 0; k < own && k < SINGLE; k++)
        near = add_neighbour(side, guide, both, l.leaf.data[k]) || near;
    enum solve_answer a = SOLVE_UNSAT;
    for (size_t k = 0; k <= own && k <= SINGLE; k++) {
        struct term_model *found = NULL;
        bool single = k < own && k < SINGLE;
        if (!single && near)
            break;
        a = ask(side, single ? with_all_but(side, guide.m, &l, k, both) : both, &found);
        bool holds = false;
        for (unsigned all = 0; all < 2 && !holds && a == SOLVE_SAT; all++) {
            struct term_model *m = changed(side, guide.m, found, single ? &l.leaf.data[k] : l.leaf.data,
                                           single ? 1 : all ? l.leaf.len : own);
            if (holds_with(side, m, both, &holds) && holds)
                vec_push(&n->guide, ((struct guide){m, guide.others + 1}));
            else
                term_model_free(m);
        }
        term_model_free(found);
        near = near || holds;
    }
    n->left_out = n->left_out || (a != SOLVE_UNSAT && !near);
    vec_free(&l.leaf);
    return near;
}

/* Whether another guide of the state goes the other way. */
static bool is_split(const struct poc_side *side, size_t i, term so_far, term cond, bool holds)
{
    const struct poc_near *n = side->near;
    for (size_t k = n->first; k < n->guide.len; k++) {
        bool now, other;
        if (k != i && holds_with(side, n->guide.data[k].m, cond, &other) && other != holds &&
            holds_with(side, n->guide.data[k].m, so_far, &now) && now)
            return true;
    }
    return false;
}

/* Whether the decision is that a number is what it has to be: a checksum, a length that must fit. What gets by the error
 * of the proof of concept is often refused there. Not where a block is overflowed: what is behind such a decision uses
 * the rest of it, of which nobody knows that it is right. */
static bool is_gate(const struct terms *t, term x)
{
    enum { LEAST = 16 };
    return term_kind(t, x) == OP_EQ && !term_is_array(t, term_kid(t, x, 0)) &&
           term_width(t, term_kid(t, x, 0)) >= LEAST;
}

enum exec_choice near_choose(void *ctx, struct exec_moment *at, const struct flow_function *f, term cond, uint32_t from,
                             uint32_t to)
{
    (void)f, (void)from, (void)to;
    struct poc_side *side = ctx;
    struct poc_near *n = side->near;
    term so_far = moment_condition(at);
    bool holds;
    size_t i = guide_of(side, so_far);
    if (i == SIZE_MAX || !holds_with(side, n->guide.data[i].m, cond, &holds))
        return EXEC_CHOICE_BOTH;
    if (is_split(side, i, so_far, cond, holds))
        return EXEC_CHOICE_FORK;
    term other = holds ? term_not(side->t, cond) : cond;
    if (n->guide.data[i].others < n->most + (n->gates && is_gate(side->t, other))) {
        if (add_guides(side, i, so_far, other))
            return EXEC_CHOICE_FORK;
    } else {
        n->left_out = true;
    }
    return holds ? EXEC_CHOICE_HOLDS : EXEC_CHOICE_NOT;
}

void near_allocates(struct poc_side *side, struct exec_moment *at)
{
    enum { SMALL = 32, ROOM = 16 };
    const struct ir_machine *m = side->s->m;
    struct terms *t = side->t;
    struct poc_near *n = side->near;
    struct bits was;
    uint64_t most;
    if (!m->nargs)
        return;
    term size = moment_register(at, m->arg[0], m->pointer_width);
    size_t i = term_is_const(t, size) ? SIZE_MAX : guide_of(side, moment_condition(at));
    if (i == SIZE_MAX || !term_eval(t, n->guide.data[i].m, size, &was))
        return;
    if (!map_get(&n->size, size, &most)) {
        if (bits_low(was) > SMALL) {
            term is = term_const(t, m->pointer_width, bits_low(was));
            moment_assume(at, term_eq(t, size, is));
            moment_set(at, m->arg[0], is);
            n->left_out = true;
            return;
        }
        most = bits_low(was) + ROOM;
        map_set(&n->size, size, most);
    }
    moment_assume(at, term_bin(t, OP_ULE, size, term_const(t, m->pointer_width, most)));
    bool known = side->against && side->against->near && map_get(&side->against->near->size, size, NULL);
    n->left_out = n->left_out || !known;
}

bool near_size(const struct poc_side *side, term size, uint64_t *most)
{
    return side->near && map_get(&side->near->size, size, most);
}
