/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    DEPTH_MAX = 12,   /* below it nothing is generalised */
    SIDE_MAX = 400,   /* features of one side that are paired; more are left single */
    ARGS_CHOICE = 10, /* arguments of a call of which every subset is tried */
};

/* ---- instances ---- */

bool signature_instance(const struct exprs *t, const struct feature *pattern, const struct feature *f)
{
    return pattern->kind == f->kind && expr_matches(t, pattern->what, f->what) &&
           (pattern->value == EXPR_NONE || expr_matches(t, pattern->value, f->value)) &&
           (pattern->under == EXPR_NONE ||
            (f->under != EXPR_NONE && expr_matches(t, pattern->under, f->under)));
}

const struct feature *signature_find(const struct exprs *t, const struct feature *pattern,
                                     const struct features *target)
{
    for (size_t i = 0; i < target->list.len; i++)
        if (signature_instance(t, pattern, &target->list.data[i]))
            return &target->list.data[i];
    return NULL;
}

/* ---- refinement ---- */

/* x with everything more than `depth` levels down replaced by EXPR_ANY, but for constants, strings and the
 * names of what is called: these are what a patch is about. */
static expr cut(struct exprs *t, expr x, unsigned depth)
{
    enum expr_kind kind = expr_kind(t, x);
    unsigned n = expr_nkids(t, x);
    if (kind == EXPR_CONST || kind == EXPR_STRING || kind == EXPR_ANY)
        return x;
    if (depth == 0 && kind != EXPR_CALL)
        return expr_any(t);
    if (n == 0)
        return x;
    expr *kid = xcalloc(n, sizeof *kid), r;
    for (unsigned i = 0; i < n; i++)
        kid[i] = depth ? cut(t, expr_kid(t, x, i), depth - 1) : expr_any(t);
    if (kind == EXPR_CALL)
        r = expr_call(t, expr_name(t, x), kid, n);
    else if (kind == EXPR_MEM)
        r = expr_mem(t, kid[0]);
    else
        r = expr_pattern(t, x, kid);
    free(kid);
    return r;
}

/* Says something of its own: "_ == 0" is in every other function, and in the next version of this one. */
static bool says_something(const struct exprs *t, expr x)
{
    switch (expr_kind(t, x)) {
    case EXPR_CONST:
        return expr_value(t, x) < -1 || expr_value(t, x) > 2;
    case EXPR_STRING:
    case EXPR_ARG:
    case EXPR_FARG:
    case EXPR_SYMBOL:
    case EXPR_CALL:
        return true;
    default:
        for (unsigned i = 0; i < expr_nkids(t, x); i++)
            if (says_something(t, expr_kid(t, x, i)))
                return true;
        return false;
    }
}

static bool is_free(const struct exprs *t, expr x)
{
    enum expr_kind k = expr_kind(t, x);
    return k != EXPR_CONST && k != EXPR_STRING;
}

/* A call with the arguments of the set, and any others. */
static expr call_with(struct exprs *t, expr call, unsigned set)
{
    unsigned n = expr_nkids(t, call);
    expr kid[32];
    for (unsigned i = 0; i < n; i++)
        kid[i] =
            i >= 32 || set >> i & 1 || !is_free(t, expr_kid(t, call, i)) ? expr_kid(t, call, i) : expr_any(t);
    return expr_call(t, expr_name(t, call), kid, n);
}

/* The fewest arguments that tell it from all calls of the other version. One level only: deeper
 * generalisation meets calls that have nothing to do with the patch. */
static struct feature refine_call(struct exprs *t, struct feature f, const struct features *other)
{
    unsigned n = expr_nkids(t, f.what);
    struct feature best = f;
    if (expr_kind(t, f.what) != EXPR_CALL ||
        (expr_name(t, f.what) && strcmp(expr_name(t, f.what), "reads") == 0) || n > ARGS_CHOICE ||
        (!expr_name(t, f.what) && n == 0))
        return f;
    for (unsigned size = 0; size <= n; size++)
        for (unsigned set = 0; set < 1u << n; set++) {
            if ((unsigned)__builtin_popcount(set) != size)
                continue;
            best.what = call_with(t, f.what, set);
            if (!signature_find(t, &best, other))
                return best;
        }
    return f;
}

bool signature_says_something(const struct exprs *t, const struct feature *f)
{
    return says_something(t, f->what) || (f->value != EXPR_NONE && says_something(t, f->value));
}

struct feature signature_refine(struct exprs *t, struct feature f, const struct features *other)
{
    if (f.kind == FEATURE_CALL)
        return refine_call(t, f, other);
    for (unsigned depth = 1; depth <= DEPTH_MAX; depth++) {
        struct feature g = f;
        g.what = cut(t, f.what, depth);
        if (f.value != EXPR_NONE)
            g.value = cut(t, f.value, depth);
        if (signature_says_something(t, &g) && !signature_find(t, &g, other))
            return g;
    }
    return f;
}

/* ---- ranking ---- */

static unsigned likeness(const struct exprs *t, const struct feature *a, const struct feature *b)
{
    if (a->kind != b->kind)
        return 0;
    unsigned s = expr_similarity(t, a->what, b->what);
    return a->value != EXPR_NONE ? s + expr_similarity(t, a->value, b->value) : s;
}

static unsigned complexity(const struct exprs *t, const struct feature *f)
{
    unsigned c = expr_complexity(t, f->what), v = f->value != EXPR_NONE ? expr_complexity(t, f->value) : 0;
    return c + v < c ? UINT32_MAX : c + v;
}

static unsigned pair_complexity(const struct exprs *t, const struct signature_pair *p)
{
    unsigned a = p->has_old ? complexity(t, &p->old) : 0, b = p->has_new ? complexity(t, &p->new) : 0;
    return a > b ? a : b;
}

static int by_rank(const void *a, const void *b, void *ctx)
{
    const struct signature_pair *l = a, *r = b;
    const struct exprs *t = ctx;
    bool lp = l->has_old && l->has_new, rp = r->has_old && r->has_new;
    if (l->place != r->place)
        return l->place ? 1 : -1;
    if (lp != rp)
        return lp ? -1 : 1;
    unsigned lc = pair_complexity(t, l), rc = pair_complexity(t, r);
    if (lc != rc)
        return lc < rc ? -1 : 1;
    /* so that two runs agree */
    uint64_t lk = expr_key(t, l->has_old ? l->old.what : l->new.what),
             rk = expr_key(t, r->has_old ? r->old.what : r->new.what);
    return lk < rk ? -1 : lk > rk;
}

typedef VEC(struct feature) feature_list;

static void pair_up(struct exprs *t, const feature_list *old, const feature_list *new, bool single,
                    bool place, struct signature *out)
{
    size_t rows = old->len, columns = new->len;
    uint32_t *partner = xcalloc(rows + 1, sizeof *partner);
    bool *taken = xcalloc(columns + 1, sizeof *taken);
    memset(partner, 0xff, (rows + 1) * sizeof *partner);
    if (!single && rows && columns && rows <= SIDE_MAX && columns <= SIDE_MAX) {
        unsigned *weight = xcalloc(rows * columns, sizeof *weight);
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < columns; k++)
                weight[i * columns + k] = likeness(t, &old->data[i], &new->data[k]);
        assign_best(weight, rows, columns, partner);
        free(weight);
    }
    for (size_t i = 0; i < rows; i++) {
        struct signature_pair p = {.old = old->data[i], .has_old = true, .place = place};
        if (partner[i] != UINT32_MAX) {
            p.new = new->data[partner[i]];
            p.has_new = true;
            taken[partner[i]] = true;
        }
        vec_push(&out->pair, p);
    }
    for (size_t k = 0; k < columns; k++)
        if (!taken[k])
            vec_push(&out->pair,
                     (struct signature_pair){.new = new->data[k], .has_new = true, .place = place});
    free(partner);
    free(taken);
}

static void push_once(feature_list *out, struct feature f)
{
    for (size_t k = 0; k < out->len; k++)
        if (out->data[k].kind == f.kind && out->data[k].what == f.what && out->data[k].value == f.value &&
            out->data[k].under == f.under)
            return; /* two that differ may be one when generalised */
    vec_push(out, f);
}

static void only_in(struct exprs *t, const struct features *a, const struct features *b, bool refined,
                    feature_list *out)
{
    struct features own = {0};
    for (size_t i = 0; i < a->list.len; i++)
        if (!a->list.data[i].first && !features_have(b, &a->list.data[i], false))
            vec_push(&own.list, a->list.data[i]);
    for (size_t i = 0; i < own.list.len; i++) {
        struct feature f = own.list.data[i];
        f.under = EXPR_NONE;
        if (!feature_is_minor(t, &own, &f))
            push_once(out, refined ? signature_refine(t, f, b) : f);
    }
    features_free(&own);
}

/* Features that both versions have, but not under this condition. The condition is not generalised: one of
 * which little is left sits above much. What is stored and what is handed to a callee is left open, where
 * that tells the versions apart as well. */
static void only_placed_in(struct exprs *t, const struct features *a, const struct features *b,
                           feature_list *out)
{
    for (size_t i = 0; i < a->list.len; i++) {
        struct feature f = a->list.data[i], open = f;
        if (f.first || f.kind == FEATURE_CONDITION || f.under == EXPR_NONE || !features_have(b, &f, false) ||
            features_have(b, &f, true))
            continue;
        if (f.kind == FEATURE_STORE)
            open.value = expr_any(t);
        else if (f.kind == FEATURE_CALL && expr_kind(t, f.what) == EXPR_CALL && expr_name(t, f.what))
            open.what = call_with(t, f.what, 0);
        push_once(out, signature_find(t, &open, b) ? f : open);
    }
}

bool signature_make(struct exprs *t, const struct features *old, const struct features *new,
                    const struct signature_options *opt, struct signature *out)
{
    static const struct signature_options all = {0};
    feature_list v = VEC_INIT, p = VEC_INIT;
    opt = opt ? opt : &all;
    *out = (struct signature){0};
    only_in(t, old, new, !opt->no_refinement, &v);
    only_in(t, new, old, !opt->no_refinement, &p);
    out->deletion = !p.len;
    pair_up(t, &v, &p, opt->no_ranking, false, out);
    vec_clear(&v);
    vec_clear(&p);
    only_placed_in(t, old, new, &v);
    only_placed_in(t, new, old, &p);
    pair_up(t, &v, &p, opt->no_ranking, true, out);
    out->deletion = out->deletion && out->pair.len && !p.len;
    if (!opt->no_ranking && out->pair.len > 1)
        qsort_r(out->pair.data, out->pair.len, sizeof *out->pair.data, by_rank, t);
    vec_free(&v);
    vec_free(&p);
    return out->pair.len != 0;
}

void signature_free(struct signature *s)
{
    vec_free(&s->pair);
}

/* ---- the test ---- */

struct signature_verdict signature_test(const struct exprs *t, const struct signature *s,
                                        const struct features *target)
{
    struct signature_verdict r = {.answer = SIGNATURE_NEITHER, .decided_by = SIZE_MAX};
    for (size_t i = 0; i < s->pair.len; i++) {
        const struct signature_pair *p = &s->pair.data[i];
        bool old = p->has_old && signature_find(t, &p->old, target),
             new = p->has_new &&signature_find(t, &p->new, target);
        if (old == new)
            continue;
        r.for_old += old;
        r.for_new += new;
        if (r.answer == SIGNATURE_NEITHER) {
            r.answer = old ? SIGNATURE_OLD : SIGNATURE_NEW;
            r.decided_by = i;
        }
    }
    r.paper = r.answer != SIGNATURE_NEITHER ? r.answer : s->deletion ? SIGNATURE_NEW : SIGNATURE_OLD;
    return r;
}
