/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A condition is a list of parts that all hold: each is simplified by the others, and left out where it
 * follows from them. */
#include "tell/condition.h"

#include <string.h>

#include "base/vec.h"
#include "exec/origin.h"

enum {
    PARTS_MAX = 48,
    LENGTH_MAX = 240, /* characters of the text, about */
    PART_LENGTH = 120,
    ASKED_PARTS = 8, /* the solver is asked about this many, up to this size */
    ASKED_SIZE = 160,
};

struct condition {
    const struct condition_teller *by;
    term part[PARTS_MAX]; /* all of them hold */
    unsigned n, beyond;   /* this many more did not fit */
};

static void add(struct condition *o, term x)
{
    struct terms *t = o->by->t;
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, x);
    while (todo.len) {
        term y = vec_pop(&todo);
        if (term_kind(t, y) == OP_AND) {
            vec_push(&todo, term_kid(t, y, 1));
            vec_push(&todo, term_kid(t, y, 0));
        } else if (o->n == PARTS_MAX) {
            o->beyond++;
        } else if (!term_is_true(t, y)) {
            o->part[o->n++] = y;
        }
    }
    vec_free(&todo);
}

static void drop(struct condition *o, unsigned i)
{
    o->n--;
    memmove(&o->part[i], &o->part[i + 1], (o->n - i) * sizeof(term));
}

/* Of a disjunction, that neither side holds. */
static term neither(struct terms *t, term x)
{
    if (term_kind(t, x) != OP_OR)
        return TERM_NONE;
    return term_and(t, term_not(t, term_kid(t, x, 0)), term_not(t, term_kid(t, x, 1)));
}

/* Every part as it reads where the others hold. */
static void simplify(struct condition *o)
{
    struct terms *t = o->by->t;
    for (unsigned i = 0; i < o->n;) {
        term from[3 * PARTS_MAX], to[3 * PARTS_MAX];
        unsigned n = 0;
        for (unsigned k = 0; k < o->n; k++)
            if (k != i) {
                from[n] = o->part[k];
                to[n++] = term_true(t);
                from[n] = term_not(t, o->part[k]);
                to[n++] = term_false(t);
                term alone = neither(t, o->part[k]);
                if (alone != TERM_NONE) {
                    from[n] = alone;
                    to[n++] = term_false(t);
                }
            }
        term y = term_substitute(t, o->part[i], from, to, n);
        if (term_is_true(t, y)) {
            drop(o, i);
            continue;
        }
        if (!term_is_false(t, y))
            o->part[i] = y;
        i++;
    }
    struct condition again = {.by = o->by, .beyond = o->beyond};
    for (unsigned i = 0; i < o->n; i++)
        add(&again, o->part[i]);
    *o = again;
}

/* x >= *low, as the part says it; signed or not. */
static bool lower_bound(const struct terms *t, term part, bool is_signed, term *x, uint64_t *low)
{
    const unsigned less = is_signed ? OP_SLT : OP_ULT, or_equal = is_signed ? OP_SLE : OP_ULE;
    bool negated = term_kind(t, part) == OP_NOT;
    term y = negated ? term_kid(t, part, 0) : part;
    unsigned kind = term_kind(t, y);
    if (kind != less && kind != or_equal)
        return false;
    *x = term_kid(t, y, negated ? 0 : 1);
    if (!term_const_u64(t, term_kid(t, y, negated ? 1 : 0), low))
        return false;
    *low += (kind == less) != negated;
    return true;
}

/* x >= 0, also by its sign bit. */
static bool is_positive(struct terms *t, term part, term x)
{
    term y;
    uint64_t low;
    return part == term_not(t, term_extract(t, x, term_width(t, x) - 1, 1)) ||
           (lower_bound(t, part, true, &y, &low) && x == y && !low);
}

/* x >= 0 && (unsigned)x >= 1001, as compilers test a range, is x >= 1001. */
static void join_bounds(struct condition *o)
{
    struct terms *t = o->by->t;
    for (unsigned i = 0; i < o->n; i++) {
        term x;
        uint64_t low;
        if (!lower_bound(t, o->part[i], false, &x, &low) || low >= UINT64_C(1) << (term_width(t, x) - 1))
            continue;
        for (unsigned k = 0; k < o->n; k++)
            if (k != i && is_positive(t, o->part[k], x)) {
                o->part[i] = term_bin(t, OP_SLE, term_const(t, term_width(t, x), low), x);
                drop(o, k);
                i -= k < i;
                break;
            }
    }
}

static bool is_hard(void *ctx, term x)
{
    unsigned kind = term_kind(ctx, x);
    return kind == OP_MUL || kind == OP_UDIV || kind == OP_SDIV || kind == OP_UREM || kind == OP_SREM;
}

/* Leaves out what follows from the other parts, where that is cheap to see. */
static void drop_implied(struct condition *o)
{
    struct terms *t = o->by->t;
    size_t size = 0;
    if (!o->by->impossible || o->n > ASKED_PARTS || o->beyond)
        return;
    for (unsigned i = 0; i < o->n; i++) {
        size += term_size(t, o->part[i]);
        if (size > ASKED_SIZE || term_any(t, o->part[i], is_hard, t))
            return;
    }
    for (unsigned i = 0; i < o->n && o->n > 1;) {
        term q[ASKED_PARTS];
        memcpy(q, o->part, o->n * sizeof(term));
        q[i] = term_not(t, q[i]);
        if (o->by->impossible(o->by->ctx, q, o->n))
            drop(o, i);
        else
            i++;
    }
}

static bool is_canary(void *ctx, term x)
{
    return origin_is(ctx, x, ORIGIN_CANARY);
}

/* A byte that is written is not what was there: of a write that only one version makes that goes without
 * saying. */
static bool is_overwriting(const struct terms *t, term x)
{
    if (term_kind(t, x) != OP_NOT || term_kind(t, term_kid(t, x, 0)) != OP_EQ)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        term side = term_kid(t, term_kid(t, x, 0), i);
        if (term_kind(t, side) == TERM_READ && term_width(t, side) == 8 &&
            term_kind(t, term_kid(t, side, 0)) == TERM_VAR)
            return true;
    }
    return false;
}

/* More of it was left out than is shown. */
static bool is_riddled(const char *text)
{
    enum { FEW = 3 };
    unsigned n = 0;
    while ((text = strstr(text, "..."))) {
        text += strlen("...");
        n++;
    }
    return n > FEW;
}

const char *condition_text(struct arena *a, const struct condition_teller *by, const struct condition_said *x)
{
    struct terms *t = by->t;
    struct words *w = by->words;
    struct condition o = {.by = by};
    struct buf out = BUF_INIT, one = BUF_INIT;
    unsigned unsaid = 0;
    const char *text = NULL;
    if (x->differ != TERM_NONE && !term_is_true(t, x->differ)) {
        /* What differs is reported separately: here only if it is short. */
        if (words_part(&one, w, x->differ) && one.len <= PART_LENGTH)
            add(&o, x->differ);
        else
            text = "the two values differ";
    }
    if (x->when != TERM_NONE)
        add(&o, x->when);
    simplify(&o);
    for (unsigned i = 0; x->write && i < o.n && o.n > 1;)
        if (is_overwriting(t, o.part[i]))
            drop(&o, i);
        else
            i++;
    drop_implied(&o);
    join_bounds(&o);
    words_tell_apart(w, o.part, o.n);
    for (unsigned i = 0; i < o.n; i++) {
        buf_clear(&one);
        bool whole = words_part(&one, w, o.part[i]);
        if (!whole || one.len > PART_LENGTH || out.len + one.len > LENGTH_MAX ||
            term_any(t, o.part[i], is_canary, t))
            unsaid++;
        else
            buf_printf(&out, "%s%s", out.len ? " && " : "", buf_text(&one));
    }
    unsaid += o.beyond;
    if (o.n == 1) {
        buf_clear(&out);
        words_term(&out, w, o.part[0]);
        unsaid = is_riddled(buf_text(&out));
        if (unsaid)
            buf_clear(&out);
    }
    if (unsaid && !out.len)
        buf_printf(&out, "%u condition%s too long to show", unsaid, unsaid == 1 ? "" : "s");
    else if (unsaid)
        buf_printf(&out, ", and %u more condition%s", unsaid, unsaid == 1 ? "" : "s");
    if (x->rounds && out.len)
        buf_printf(&out, ", with at most %u loop iterations", x->rounds);
    if (out.len)
        text = arena_strdup(a, buf_text(&out));
    words_tell_apart(w, NULL, 0);
    buf_free(&one);
    buf_free(&out);
    return text;
}
