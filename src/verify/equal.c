/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is equal at an arrival. */
#include "verify/join.h"

/* Each is compared with many others, and may be large. NULL when the model does not tell. */
static const struct bits *value_in(struct join *j, unsigned model, term x)
{
    uint64_t at;
    struct bits v;
    if (!map_get(&j->valued[model], x, &at)) {
        at = term_eval(j->pair->t, j->model[model], x, &v) ? j->value.len + 1 : 0;
        if (at)
            vec_push(&j->value, v);
        map_set(&j->valued[model], x, at);
    }
    return at ? &j->value.data[at - 1] : NULL;
}

static bool told_apart(struct join *j, term a, term b)
{
    for (unsigned i = 0; i < j->nmodels; i++) {
        const struct bits *x = value_in(j, i, a);
        struct bits v = x ? *x : (struct bits){0};
        const struct bits *y = value_in(j, i, b);
        if (x && y && !bits_eq(v, *y))
            return true;
    }
    return false;
}

/* What a callee left in a register is equal to itself only. */
static enum term_visit find_leaving(void *ctx, term x)
{
    struct join *j = ctx;
    return term_kind(j->pair->t, x) == TERM_APPLY && clobbered_by_callee(j->v->c, x) ? TERM_STOP : TERM_INTO;
}

static bool has_leavings(struct join *j, term x)
{
    return term_visit_parts(j->pair->t, x, find_leaving, j);
}

/* Both choose between the same two by the same condition, or the other way round. */
static bool same_choice(struct join *j, term a, term b)
{
    struct terms *t = j->pair->t;
    if (term_kind(t, a) != OP_ITE || term_kind(t, b) != OP_ITE)
        return false;
    term p = term_kid(t, a, 0), q = term_kid(t, b, 0), x = term_kid(t, a, 1), y = term_kid(t, a, 2),
         u = term_kid(t, b, 1), v = term_kid(t, b, 2);
    if ((x == u || same_choice(j, x, u)) && (y == v || same_choice(j, y, v)))
        return join_equal(j, p, q);
    return (x == v || same_choice(j, x, v)) && (y == u || same_choice(j, y, u)) &&
           join_equal(j, p, term_not(t, q));
}

static bool ask_equal(struct join *j, term a, term b)
{
    struct terms *t = j->pair->t;
    if (term_is_array(t, a))
        return memory_identical(j->v, a, b);
    if (told_apart(j, a, b))
        return false;
    if (same_choice(j, a, b))
        return true;
    if (has_leavings(j, a) || has_leavings(j, b) || j->asked >= ASKED_MAX)
        return false;
    struct term_model *model = NULL;
    j->asked++;
    enum answer r = view_same(j->v, TERM_NONE, a, b, j->nmodels < MODELS_MAX ? &model : NULL);
    if (r == NO && model)
        j->model[j->nmodels++] = model;
    else
        term_model_free(model);
    return r == YES;
}

bool join_equal(struct join *j, term a, term b)
{
    struct terms *t = j->pair->t;
    uint64_t known;
    if (a == b)
        return true;
    const bool asks = j->rich || (j->forgets && a != TERM_NONE && term_is_array(t, a));
    if (!asks || a == TERM_NONE || b == TERM_NONE || term_is_array(t, a) != term_is_array(t, b) ||
        term_width(t, a) != term_width(t, b) || (term_is_const(t, a) && term_is_const(t, b)))
        return false;
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    if (map_get(&j->equal, key, &known))
        return known;
    bool same = ask_equal(j, a, b);
    map_set(&j->equal, key, same);
    return same;
}

/* ---- narrow values ---- */

static bool known_small(struct pair *pair, term x)
{
    struct term_known k = term_known(pair->t, x);
    for (unsigned i = HALF; i < 2 * HALF; i++)
        if (!bits_bit(k.zero, i))
            return false;
    return true;
}

/* A word that is half as wide holds the same two numbers. */
static bool has_half(const struct join *j, const struct location *l)
{
    struct terms *t = j->pair->t;
    term was = term_extract(t, l->relation, 0, HALF), is = term_extract(t, l->now, 0, HALF);
    for (size_t i = 0; i < j->all.len; i++)
        if (j->all.data[i].width == HALF && j->all.data[i].relation == was && j->all.data[i].now == is)
            return true;
    return false;
}

/* The location holds no more than its lower half, then and now. */
static bool is_narrow(struct join *j, const struct location *l)
{
    struct pair *pair = j->pair;
    if (l->width != 2 * HALF || !known_small(pair, l->relation))
        return false;
    if (j->rich && term_is_const(pair->t, l->relation) && term_is_const(pair->t, l->now))
        return known_small(pair, l->now) && has_half(j, l);
    return known_small(pair, l->now) ||
           join_equal(j, term_extract(pair->t, l->now, HALF, HALF), term_const(pair->t, HALF, 0));
}

void join_see_narrow(struct join *j)
{
    for (size_t i = 0; i < j->all.len; i++)
        j->all.data[i].narrow = is_narrow(j, &j->all.data[i]);
}
