/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pair of ends under comparison: terms of both simplified under a condition, with the results of equal
 * calls replaced by one another. */
#include <string.h>

#include "verify/private.h"

enum { VIEW_LITERALS_MAX = 400 };

/* What a condition decides: from[i] is to[i]. */
static void view_literals(struct check *c, term cond, term *from, term *to, size_t *n)
{
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, cond);
    while (todo.len && *n + 2 < VIEW_LITERALS_MAX) {
        term l = vec_pop(&todo);
        if (term_is_const(c->t, l))
            continue;
        if (term_kind(c->t, l) == OP_AND && term_width(c->t, l) == 1) {
            vec_push(&todo, term_kid(c->t, l, 0));
            vec_push(&todo, term_kid(c->t, l, 1));
            continue;
        }
        from[*n] = l;
        to[(*n)++] = term_true(c->t);
        term no = term_not(c->t, l);
        from[*n] = no;
        to[(*n)++] = term_false(c->t);
        /* x == constant: x is that constant. */
        if (term_kind(c->t, l) == OP_EQ && term_is_const(c->t, term_kid(c->t, l, 1)) &&
            !term_is_array(c->t, term_kid(c->t, l, 0)) && *n + 1 < VIEW_LITERALS_MAX) {
            from[*n] = term_kid(c->t, l, 0);
            to[(*n)++] = term_kid(c->t, l, 1);
        }
    }
    vec_free(&todo);
}

term end_guard(const struct end *e, term guard)
{
    struct check *c = check_of(e->s);
    return guard == TERM_NONE ? term_true(c->t) : canonical_term(&c->pair, e->s, guard);
}

void view_start(struct view *w, struct check *c, const struct end *o, const struct end *n, term v)
{
    *w = (struct view){.c = c, .o = o, .n = n, .v = v, .whole = v};
    term from[VIEW_LITERALS_MAX], to[VIEW_LITERALS_MAX];
    size_t count = 0;
    view_literals(c, v, from, to, &count);
    for (size_t i = 0; i < count; i++)
        map_set(&w->known, from[i], to[i]);
}

void view_end(struct view *w)
{
    map_free(&w->known);
    map_free(&w->joined);
    map_free(&w->made);
    map_free(&w->rewritten);
    map_free(&w->origin);
}

/* Seen under a condition, an address may be a constant, and what lies there known. */
static term see_node(void *ctx, term x, const term *kid)
{
    struct view *w = ctx;
    struct terms *t = w->c->t;
    uint64_t at;
    if (!term_nkids(t, x))
        return x;
    term y = term_rebuild(t, x, kid);
    if (y == x || term_kind(t, y) != TERM_READ || !term_const_u64(t, term_kid(t, y, 1), &at) ||
        term_array_root(t, term_kid(t, y, 0)) != explorer_symbols(w->c->pair.side[OLD].x).mem ||
        term_width(t, y) > 64)
        return y;
    term known = query_constant(w->c, at, term_width(t, y));
    return known == TERM_NONE ? y : known;
}

term view_see(struct view *w, term x)
{
    uint64_t key, value;
    if (x == TERM_NONE)
        return x;
    if (!w->rewritten.len)
        for (size_t i = 0; (i = map_next(&w->known, i, &key, &value));)
            map_set(&w->rewritten, key, value);
    if (!term_nkids(w->c->t, x))
        return (term)map_find(&w->rewritten, x, x);
    return term_rewrite(w->c->t, x, &w->rewritten, see_node, w);
}

/* A term of a side, canonical and as seen. */
term view_side(struct view *w, const struct end *e, term x)
{
    return view_see(w, canonical_term(&w->c->pair, e->s, x));
}

void view_take(struct view *w, term from, term to)
{
    map_set(&w->known, from, to);
    map_set(&w->joined, from, to);
}

void view_taken(struct view *w)
{
    /* What a later call made is made of what earlier ones did, so it is looked for in the whole, where that
     * still reads as it did. What it was taken for may have been taken for something else since. */
    enum { PASSES = 2 };
    w->v = w->whole;
    for (unsigned i = 0; i < PASSES; i++) {
        struct map done = {0};
        uint64_t key, value;
        for (size_t k = 0; (k = map_next(&w->joined, k, &key, &value));)
            map_set(&done, key, value);
        w->v = term_rewrite(w->c->t, w->v, &done, NULL, NULL);
        map_free(&done);
    }
    map_clear(&w->rewritten);
}

/* Keeps of what is known only what calls made. */
void view_open(struct view *w)
{
    struct map kept = {0};
    uint64_t key, value;
    for (size_t i = 0; (i = map_next(&w->known, i, &key, &value));)
        if (term_kind(w->c->t, (term)key) == TERM_APPLY && term_kind(w->c->t, (term)value) == TERM_APPLY)
            map_set(&kept, key, value);
    for (size_t i = 0; (i = map_next(&w->made, i, &key, &value));)
        map_set(&kept, key, value);
    map_free(&w->known);
    w->known = kept;
    map_clear(&w->rewritten);
}

static enum answer ask_same(struct view *w, term when, term a, term b, struct term_model **model)
{
    struct check *c = w->c;
    term q[] = {w->v, when == TERM_NONE ? term_true(c->t) : when, term_not(c->t, term_eq(c->t, a, b))};
    enum answer r = query_possible(c, q, 3, model);
    return r == NO ? YES : r == YES ? NO : UNDECIDED;
}

/* Products and quotients of what is not known: solvers are slow with them. */
static bool is_hard(void *ctx, term x)
{
    const struct terms *t = ctx;
    switch (term_kind(t, x)) {
    case OP_MUL:
    case OP_UDIV:
    case OP_SDIV:
    case OP_UREM:
    case OP_SREM:
        return !term_is_const(t, term_kid(t, x, 1));
    }
    return false;
}

static bool commutes(unsigned kind)
{
    return kind == OP_ADD || kind == OP_MUL || kind == OP_AND || kind == OP_OR || kind == OP_XOR ||
           kind == OP_EQ;
}

/* Two that are hard are equal if they are made alike of what is equal. */
static bool is_congruent(struct view *w, term when, term a, term b, unsigned depth)
{
    struct terms *t = w->c->t;
    unsigned n = term_nkids(t, a);
    if (a == b)
        return true;
    if (!depth || term_is_array(t, a) || term_is_array(t, b) || term_width(t, a) != term_width(t, b))
        return false;
    if (!term_any(t, a, is_hard, t) && !term_any(t, b, is_hard, t))
        return ask_same(w, when, a, b, NULL) == YES;
    if (!n || !term_same_head(t, a, b))
        return false;
    bool swap = n == 2 &&
                (term_kid(t, a, 0) == term_kid(t, b, 1) || term_kid(t, a, 1) == term_kid(t, b, 0)) &&
                commutes(term_kind(t, a));
    for (unsigned i = 0; i < n; i++)
        if (!is_congruent(w, when, term_kid(t, a, i), term_kid(t, b, swap ? 1 - i : i), depth - 1))
            return false;
    return true;
}

enum answer view_same(struct view *w, term when, term a, term b, struct term_model **model)
{
    enum { DEPTH = 6 };
    struct check *c = w->c;
    if (a == b)
        return YES;
    if (a == TERM_NONE || b == TERM_NONE)
        return NO;
    if (!term_is_array(c->t, a) && term_width(c->t, a) != term_width(c->t, b))
        return NO;
    if (term_is_const(c->t, a) && term_is_const(c->t, b) && !model)
        return NO;
    if (!term_is_array(c->t, a) && term_any(c->t, a, is_hard, c->t) && is_congruent(w, when, a, b, DEPTH))
        return YES;
    return ask_same(w, when, a, b, model);
}

/* The condition excludes this pair. */
bool view_excludes(struct view *w, term all)
{
    term seen = view_see(w, all);
    return query_possible(w->c, &seen, 1, NULL) == NO;
}
