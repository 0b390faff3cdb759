/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/sense.h"

#include <string.h>

#include "present/gather.h"

struct sense {
    const struct weigher *w;
    struct exprs *e;
    const struct reference_parts *parts;
    const struct features *target;
    unsigned bits;
    const char *found;
};

/* The variants of a version, one after the other; NULL after the last. */
static const struct features *variant(const struct sense *s, size_t *at, bool new)
{
    const struct reference_function *f = s->w->f;
    while (*at < f->variant.len) {
        const struct reference_variant *v = &f->variant.data[(*at)++];
        if (!s->bits || v->bits == s->bits)
            return new ? &v->new : &v->old;
    }
    return NULL;
}

static bool is_in(const struct exprs *e, expr part, expr x)
{
    if (x == EXPR_NONE || part == x)
        return x != EXPR_NONE;
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        if (is_in(e, part, expr_kid(e, x, i)))
            return true;
    return false;
}

/* ---- notes ---- */

static bool is_note(const struct exprs *e, expr x, const char *what)
{
    return expr_name(e, x) && strcmp(expr_name(e, x), what) == 0;
}

bool sense_is_note(const struct exprs *e, expr x)
{
    unsigned n = x == EXPR_NONE || expr_kind(e, x) != EXPR_CALL ? 0 : expr_nkids(e, x);
    if (n < 2 || is_note(e, x, SENSE_BOUNDS))
        return n >= 2;
    expr call = expr_kid(e, x, 0);
    return n == 3 && is_note(e, x, SENSE_FOLLOWS) && expr_kind(e, call) == EXPR_SYMBOL && expr_name(e, call);
}

static bool has_note(const struct features *f, expr x)
{
    for (size_t i = 0; i < f->note.len; i++)
        if (f->note.data[i] == x)
            return true;
    return false;
}

static bool some_has_note(const struct sense *s, bool new, expr x)
{
    const struct features *f;
    for (size_t i = 0; (f = variant(s, &i, new)) != NULL;)
        if (has_note(f, x))
            return true;
    return false;
}

static bool all_have_note(const struct sense *s, bool new, expr x)
{
    const struct features *f;
    for (size_t i = 0; (f = variant(s, &i, new)) != NULL;)
        if (!has_note(f, x))
            return false;
    return true;
}

/* Whether the patch bounds a loop that the target does not bound. */
static bool lacks_bound(const struct sense *s)
{
    size_t first = 0;
    const struct features *f = variant(s, &first, true);
    for (size_t i = 0; f && i < f->note.len; i++) {
        expr x = f->note.data[i];
        if (is_note(s->e, x, SENSE_BOUNDS) && !has_note(s->target, x) && all_have_note(s, true, x) &&
            !some_has_note(s, false, x))
            return true;
    }
    return false;
}

static bool knows_call(const struct sense *s, const char *name)
{
    const struct features *f;
    for (unsigned new = 0; new < 2; new ++)
        for (size_t i = 0; (f = variant(s, &i, new)) != NULL;)
            if (features_call(s->e, f, name))
                return true;
    return strcmp(name, GATHER_START) == 0;
}

/* Whether the target stores after a call what the patch stores after another. A call that no reference has may be
 * a later version's. */
static bool is_moved(const struct sense *s)
{
    for (size_t i = 0; i < s->target->note.len; i++) {
        expr x = s->target->note.data[i];
        if (!is_note(s->e, x, SENSE_FOLLOWS) || some_has_note(s, true, x))
            continue;
        struct feature store = {
            .kind = FEATURE_STORE, .what = expr_kid(s->e, x, 1), .value = expr_kid(s->e, x, 2)};
        if (weigh_has(s->w, &store, true) && !weigh_has(s->w, &store, false) &&
            knows_call(s, expr_name(s->e, expr_kid(s->e, x, 0))))
            return true;
    }
    return false;
}

/* ---- conditions ---- */

static bool is_tested(const struct sense *s, expr x)
{
    for (size_t i = 0; s->parts && i < s->parts->part.len; i++) {
        const struct reference_part *p = &s->parts->part.data[i];
        if (p->new && p->whole.kind == FEATURE_CONDITION && is_in(s->e, x, p->whole.what))
            return true;
    }
    return false;
}

/* Whether a condition is of something that no comparison of the patch is of. */
static bool is_of_another(const struct sense *s, expr x)
{
    enum expr_kind k = expr_kind(s->e, x);
    if (k == EXPR_MEM || k == EXPR_CALL || k == EXPR_ARG)
        return !is_tested(s, x);
    for (unsigned i = 0; i < expr_nkids(s->e, x); i++)
        if (is_of_another(s, expr_kid(s->e, x, i)))
            return true;
    return false;
}

static bool has_placed(const struct sense *s, bool new, const struct feature *x)
{
    const struct features *f;
    for (size_t i = 0; (f = variant(s, &i, new)) != NULL;)
        if (features_have(f, x, true))
            return true;
    return false;
}

/* Whether the old version does it where the new one does not: then it is not what a check does that fails. */
static bool is_taken_from(const struct sense *s, const struct feature *x)
{
    const struct features *old, *new;
    for (size_t i = 0, k = 0; (old = variant(s, &i, false)) != NULL && (new = variant(s, &k, true)) != NULL;)
        for (size_t n = 0; n < old->list.len; n++)
            if (feature_same(&old->list.data[n], x) && !features_have(new, &old->list.data[n], true))
                return true;
    return false;
}

/* Whether it is of the result of a call that the patch adds or changes. */
static bool is_of_new_call(const struct sense *s, expr x)
{
    struct feature call = {.kind = FEATURE_CALL, .what = x};
    if (expr_kind(s->e, x) == EXPR_CALL && !weigh_has(s->w, &call, false))
        return true;
    for (unsigned i = 0; i < expr_nkids(s->e, x); i++)
        if (is_of_new_call(s, expr_kid(s->e, x, i)))
            return true;
    return false;
}

/* Whether it is done under the condition of a check that the patch puts before it. */
static bool is_guarded(const struct sense *s, const struct feature *x)
{
    if (x->under == EXPR_NONE || has_placed(s, false, x) || !has_placed(s, true, x) || !is_taken_from(s, x))
        return false;
    expr plain = expr_branch(s->e, x->under);
    for (size_t i = 0; s->parts && i < s->parts->part.len; i++) {
        const struct reference_part *p = &s->parts->part.data[i];
        if (p->new && p->instead == SIZE_MAX && p->whole.kind == FEATURE_CONDITION && p->whole.what == plain)
            return !is_of_new_call(s, plain);
    }
    return false;
}

/* Whether it is done under one condition that is made of the check's and another, as without branches. Where both
 * must hold it is guarded all the same. */
static bool is_guarded_with_another(const struct sense *s, const struct feature *x)
{
    if (x->under == EXPR_NONE || !is_of_another(s, x->under) || has_placed(s, true, x) || has_placed(s, false, x) ||
        (expr_is_boolean(s->e, x->under) && expr_value(s->e, x->under) == OP_AND))
        return false;
    for (size_t i = 0; s->parts && i < s->parts->part.len; i++) {
        const struct reference_part *p = &s->parts->part.data[i];
        struct feature under[2] = {*x, *x};
        under[0].under = p->whole.what;
        under[1].under = expr_op(s->e, OP_NOT, &p->whole.what, 1);
        if (p->new && p->whole.kind == FEATURE_CONDITION && is_in(s->e, p->whole.what, x->under) &&
            p->whole.what != expr_branch(s->e, x->under) && (is_guarded(s, &under[0]) || is_guarded(s, &under[1])))
            return true;
    }
    return false;
}

/* Whether what the patch puts under a condition is done under it in the target, and under another as well: without
 * the check, if an option is not set. */
static bool is_passed_by(const struct sense *s)
{
    for (size_t i = 0; i < s->target->list.len; i++) {
        const struct feature *x = &s->target->list.data[i];
        bool number = x->kind == FEATURE_RETURN && expr_kind(s->e, x->what) == EXPR_CONST;
        if (x->kind == FEATURE_CONDITION || number || feature_is_order(s->e, x))
            continue;
        if (is_guarded_with_another(s, x))
            return true;
        if (!is_guarded(s, x))
            continue;
        for (size_t k = 0; k < s->target->list.len; k++) {
            const struct feature *y = &s->target->list.data[k];
            struct feature condition = {.kind = FEATURE_CONDITION};
            if (!feature_same(x, y) || y->under == EXPR_NONE || y->first || has_placed(s, true, y) ||
                has_placed(s, false, y))
                continue;
            condition.what = expr_branch(s->e, y->under);
            if (!weigh_has(s->w, &condition, true) && !weigh_has(s->w, &condition, false) &&
                is_of_another(s, condition.what))
                return true;
        }
    }
    return false;
}

/* ---- recursion ---- */

/* How the calls of a function by itself pass on one of its arguments. */
struct passes {
    bool same, other; /* as it is; changed */
};

static struct passes passes_on(const struct sense *s, const struct features *f, unsigned k)
{
    struct passes r = {0};
    expr arg = expr_leaf(s->e, EXPR_ARG, NULL, k);
    for (size_t i = 0; i < f->list.len; i++) {
        const struct feature *x = &f->list.data[i];
        if ((!feature_calls(s->e, x, s->w->f->name) && !feature_calls(s->e, x, s->found)) ||
            expr_nkids(s->e, x->what) <= k)
            continue;
        r.same = r.same || expr_kid(s->e, x->what, k) == arg;
        r.other = r.other || (expr_kid(s->e, x->what, k) != arg && is_in(s->e, arg, expr_kid(s->e, x->what, k)));
    }
    return r;
}

/* Whether a loop's counter is compared together with it: the recursion became a loop. */
static bool is_counted(const struct sense *s, const struct features *f, expr arg)
{
    expr n = expr_leaf(s->e, EXPR_OTHER, "n", 0);
    for (size_t i = 0; i < f->list.len; i++)
        if (f->list.data[i].kind == FEATURE_CONDITION && is_in(s->e, n, f->list.data[i].what) &&
            is_in(s->e, arg, f->list.data[i].what))
            return true;
    return false;
}

/* Whether the patch compares an argument that every level of a recursion changes, and the target does not change
 * it. */
static bool recurs_unchanged(const struct sense *s)
{
    enum { ARGS = 16 };
    const struct features *f;
    for (unsigned k = 0; k < ARGS; k++) {
        expr arg = expr_leaf(s->e, EXPR_ARG, NULL, k);
        struct passes all = {0}, own;
        if (!is_tested(s, arg))
            continue;
        for (size_t i = 0; (f = variant(s, &i, true)) != NULL;) {
            own = passes_on(s, f, k);
            all.same = all.same || own.same;
            all.other = all.other || own.other;
        }
        own = passes_on(s, s->target, k);
        if (all.other && ((own.same && !all.same) || (!own.other && !is_counted(s, s->target, arg))))
            return true;
    }
    return false;
}

const char *sense_against(const struct weigher *w, const struct reference_parts *parts,
                          const struct features *target, unsigned bits, const char *found)
{
    struct sense s = {w, w->e, parts, target, bits, found};
    if (lacks_bound(&s))
        return "a loop that the patch bounds may not be bounded";
    if (recurs_unchanged(&s))
        return "the patch limits an argument that a recursion changes, and the target may pass it on unchanged";
    if (is_moved(&s))
        return "something is stored after another call than with the patch";
    if (is_passed_by(&s))
        return "what the patch checks may be done without the check, under a condition that is not the patch's";
    return NULL;
}
