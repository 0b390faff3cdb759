/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two memories that were written in the same order, store by store.
 *
 * Long sums are not brought into one form by rewriting alone, and a solver that is given hundreds of stores at
 * addresses that depend on one another gets nowhere. But where both stores of a pair are made of the same loads
 * it is enough that the address and the value are the same whatever these loads give. What is proved so
 * takes the place of the other in all that follows. */
#include "adapt/view.h"
#include "solve/solve.h"

struct sweep {
    struct adapt *a;
    struct map same;   /* of the second -> of the first */
    struct map done;   /* what became of terms of the second */
    struct map symbol; /* load -> symbol */
    unsigned asked;
};

enum { QUESTIONS = 3000 };

static term replace(void *ctx, term x, const term *kid)
{
    const struct sweep *w = ctx;
    uint64_t known;
    term y = term_rebuild(w->a->t, x, kid);
    return map_get(&w->same, y, &known) ? (term)known : y;
}

static term as_first(struct sweep *w, term x)
{
    return term_rewrite(w->a->t, x, &w->done, replace, w);
}

/* ---- sums ---- */

/* Adds `times` x to the sum: how often each part occurs; constants under 0. */
static void add_up(const struct terms *t, term x, uint64_t times, struct map *sum)
{
    uint64_t known = 0, factor;
    for (; term_kind(t, x) == OP_ADD; x = term_kid(t, x, 0))
        add_up(t, term_kid(t, x, 1), times, sum);
    if (term_kind(t, x) == OP_MUL && term_const_u64(t, term_kid(t, x, 1), &factor)) {
        add_up(t, term_kid(t, x, 0), times * factor, sum);
        return;
    }
    term part = x;
    if (term_const_u64(t, x, &factor)) {
        part = TERM_NONE;
        times *= factor;
    }
    map_get(sum, (uint64_t)part + 1, &known);
    map_set(sum, (uint64_t)part + 1, known + times);
}

/* Sums of the same parts. */
static bool is_same_sum(const struct terms *t, term x, term y)
{
    unsigned width = term_width(t, x);
    if (!width || width > 64 || term_width(t, y) != width || term_kind(t, x) != OP_ADD || term_kind(t, y) != OP_ADD)
        return false;
    struct map sum = {0};
    add_up(t, x, 1, &sum);
    add_up(t, y, UINT64_MAX, &sum);
    uint64_t part, times, left = 0;
    for (size_t i = 0; (i = map_next(&sum, i, &part, &times));)
        left |= times & word_ones(width);
    map_free(&sum);
    return !left;
}

/* ---- what does not depend on what loads give ---- */

static term without_loads(struct sweep *w, term x, struct map *done)
{
    struct terms *t = w->a->t;
    uint64_t known;
    if (map_get(done, x, &known))
        return (term)known;
    term y = x;
    if (term_kind(t, x) == TERM_READ) {
        if (map_get(&w->symbol, x, &known))
            return (term)known;
        y = term_fresh(t, "load", term_width(t, x));
        map_set(&w->symbol, x, y);
    } else if (term_nkids(t, x) && term_nkids(t, x) <= 8 && !term_is_array(t, x)) {
        term kid[8];
        for (unsigned i = 0; i < term_nkids(t, x); i++)
            kid[i] = without_loads(w, term_kid(t, x, i), done);
        y = term_rebuild(t, x, kid);
    }
    map_set(done, x, y);
    return y;
}

static bool is_always(struct sweep *w, term x, term y)
{
    struct terms *t = w->a->t;
    struct map done = {0};
    if (term_is_array(t, x) || term_is_array(t, y) || term_width(t, x) != term_width(t, y))
        return false;
    if (is_same_sum(t, x, y))
        return true;
    term equal = term_eq(t, without_loads(w, x, &done), without_loads(w, y, &done));
    map_free(&done);
    if (term_is_true(t, equal))
        return true;
    if (term_is_false(t, equal) || w->asked++ > QUESTIONS)
        return false;
    term not = term_not(t, equal);
    return solve_try(w->a->s, &not, 1, NULL) == SOLVE_UNSAT;
}

/* The smallest parts in which the two differ are the same. */
static bool agree(struct sweep *w, term x, term y)
{
    const struct terms *t = w->a->t;
    if (x == y)
        return true;
    unsigned differ = 0, at = 0;
    bool alike = term_same_head(t, x, y) && term_nkids(t, x) == term_nkids(t, y);
    for (unsigned i = 0; alike && i < term_nkids(t, x); i++)
        if (term_kid(t, x, i) != term_kid(t, y, i)) {
            differ++;
            at = i;
        }
    if (alike && differ == 1 && agree(w, term_kid(t, x, at), term_kid(t, y, at)))
        return true;
    if (!is_always(w, x, y))
        return false;
    map_set(&w->same, y, x);
    map_free(&w->done);
    w->done = (struct map){0};
    return true;
}

/* ---- stores ---- */

static size_t chain_of(const struct terms *t, term array)
{
    size_t n = 0;
    for (; term_kind(t, array) == TERM_WRITE; array = term_kid(t, array, 0))
        n++;
    return n;
}

static void list_stores(const struct terms *t, term array, size_t n, term *out)
{
    for (; n; array = term_kid(t, array, 0))
        out[--n] = array;
}

bool sweep_same(struct adapt *a, term x, term y)
{
    struct terms *t = a->t;
    size_t n = chain_of(t, x);
    if (x == y)
        return true;
    if (n != chain_of(t, y) || term_array_root(t, x) != term_array_root(t, y))
        return false;
    struct sweep w = {.a = a};
    term *first = xmalloc((n + 1) * sizeof *first), *second = xmalloc((n + 1) * sizeof *second);
    list_stores(t, x, n, first);
    list_stores(t, y, n, second);
    bool same = true;
    for (size_t i = 0; i < n && same; i++)
        for (unsigned k = 1; k <= 2 && same; k++)
            same = agree(&w, term_kid(t, first[i], k), as_first(&w, term_kid(t, second[i], k)));
    free(first);
    free(second);
    map_free(&w.same);
    map_free(&w.done);
    map_free(&w.symbol);
    return same;
}
