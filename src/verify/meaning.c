/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of library functions that are compared by their effects (exec_event.silent).
 *
 * To the solver a result of one is any function of the arguments and of memory. Where only one version makes
 * the call, the other may compute the same without it: from then on all questions that mention such a result
 * come with what the function's meaning says of it, as far as the first bytes decide it, which is always
 * true; and a difference that depends on one stands only if the bytes decide it. Where both versions make the
 * call, a difference stands if what the meaning says of its first bytes allows it; if not, the meaning comes
 * with all questions, too. */
#include "flow/library.h"
#include "verify/meant.h"

enum { FACT_BYTES = 16, RESULTS_MAX = 24 };

/* What the library says of it, if its result is all that it does; else NULL. */
static const struct flow_library_entry *without_effect(const struct check *c, const char *key)
{
    const struct flow_library *all = program_library(c->pair.side[OLD].p);
    const struct flow_library_entry *l = all ? flow_library_find(all, names_key_name(c, key)) : NULL;
    return l && l->attrs & (LIBRARY_PURE | LIBRARY_CONST) ? l : NULL;
}

static void learn(struct strmap *meant, struct arena *arena, const char *key,
                  const struct flow_library_entry *l)
{
    if (!strmap_get(meant, key, NULL))
        strmap_set(meant, arena_strdup(arena, key), (uint64_t)(uintptr_t)l);
}

bool meaning_learn(struct check *c, const struct exec_event *e)
{
    if (!e->silent || !e->name || e->result == TERM_NONE || strmap_get(&c->meant, e->name, NULL))
        return false;
    const struct flow_library_entry *l = without_effect(c, e->name);
    if (!l)
        return false;
    learn(&c->meant, c->arena, e->name, l);
    return true;
}

/* Fills in m if the term is the result of a call of l; NULL is none. */
static bool is_result(struct check *c, term u, const struct flow_library_entry *l, struct meant *m)
{
    if (!l)
        return false;
    *m = (struct meant){.result = u, .l = l};
    unsigned n = term_nkids(c->t, u), args = m->l->nargs, memory = !(m->l->attrs & LIBRARY_CONST);
    /* A function of the program itself with that name may depend on more. */
    if (n != args + memory || (memory && !term_is_array(c->t, term_kid(c->t, u, n - 1))))
        return false;
    for (unsigned i = 0; i < args && i < 3; i++)
        m->arg[i] = term_kid(c->t, u, i);
    m->mem = memory ? term_kid(c->t, u, n - 1) : TERM_NONE;
    return true;
}

static const char *called(struct check *c, term u)
{
    return origin_is(c->t, u, ORIGIN_RESULT) ? term_origin(c->t, u).name : NULL;
}

/* ... that the other version may have replaced by code. */
static bool is_meant(struct check *c, term u, struct meant *m)
{
    uint64_t known;
    const char *name = called(c, u);
    return name && strmap_get(&c->meant, name, &known) &&
           is_result(c, u, (const struct flow_library_entry *)(uintptr_t)known, m);
}

/* ... that both make. */
static bool is_common(struct check *c, term u, struct meant *m)
{
    const char *name = called(c, u);
    return name && !strmap_get(&c->meant, name, NULL) && is_result(c, u, without_effect(c, name), m);
}

/* ---- of several ---- */

/* Turned round, the order is the other one. */
static term turned_round(struct check *c, const struct meant *a, const struct meant *b)
{
    struct terms *t = c->t;
    if (a->l != b->l || !meant_is_order(a) || a->mem != b->mem || a->arg[0] != b->arg[1] ||
        a->arg[1] != b->arg[0] || a->arg[2] != b->arg[2])
        return TERM_NONE;
    if (a->l->like == LIKE_BCMP)
        return term_eq(t, meant_sign_is(c, a->result, 0), meant_sign_is(c, b->result, 0));
    term all = term_true(t);
    for (int sign = -1; sign <= 1; sign++)
        all = term_and(t, all,
                       term_eq(t, meant_sign_is(c, a->result, sign), meant_sign_is(c, b->result, -sign)));
    return all;
}

/* Equal strings are as long: of a comparison and two lengths. */
static term as_long(struct check *c, const struct meant *order, const struct meant *a, const struct meant *b)
{
    if (order->l->like != LIKE_STRCMP || a->l->like != LIKE_STRLEN || b->l->like != LIKE_STRLEN ||
        a->mem != order->mem || b->mem != order->mem || a->arg[0] != order->arg[0] ||
        b->arg[0] != order->arg[1])
        return TERM_NONE;
    return meant_implies(c->t, meant_sign_is(c, order->result, 0), term_eq(c->t, a->result, b->result));
}

/* Of a string's length: what is found in it is before its end, and a bounded length is not more. */
static term within_length(struct check *c, const struct meant *length, const struct meant *a)
{
    struct terms *t = c->t;
    if (length->l->like != LIKE_STRLEN || length->mem != a->mem || length->arg[0] != a->arg[0])
        return TERM_NONE;
    if (a->l->like == LIKE_STRSPN || a->l->like == LIKE_STRCSPN)
        return term_bin(t, OP_ULE, a->result, length->result);
    if (meant_is_place(a) && a->l->like != LIKE_MEMCHR)
        return term_or(t, term_eq(t, a->result, meant_number(c, 0)),
                       term_bin(t, OP_ULE, term_bin(t, OP_SUB, a->result, a->arg[0]), length->result));
    if (a->l->like == LIKE_STRNLEN)
        return term_eq(
            t, a->result,
            term_ite(t, term_bin(t, OP_ULT, length->result, a->arg[1]), length->result, a->arg[1]));
    return TERM_NONE;
}

/* One comparison is of x with y. */
static bool is_of(const struct meant *order, term x, term y)
{
    return (order->arg[0] == x && order->arg[1] == y) || (order->arg[0] == y && order->arg[1] == x);
}

/* Strings that both equal a third are equal. */
static term equal_to_third(struct check *c, const struct meant *a, const struct meant *b,
                           const struct meant *ab)
{
    struct terms *t = c->t;
    if (a->l->like != LIKE_STRCMP || b->l->like != LIKE_STRCMP || ab->l->like != LIKE_STRCMP ||
        a->mem != b->mem || a->mem != ab->mem)
        return TERM_NONE;
    for (unsigned i = 0; i < 4; i++)
        if (a->arg[i % 2] == b->arg[i / 2] && is_of(ab, a->arg[!(i % 2)], b->arg[!(i / 2)]))
            return meant_implies(t,
                                 term_and(t, meant_sign_is(c, a->result, 0), meant_sign_is(c, b->result, 0)),
                                 meant_sign_is(c, ab->result, 0));
    return TERM_NONE;
}

static bool same_arguments(const struct meant *a, const struct meant *b)
{
    return a->l == b->l && a->mem != b->mem && a->mem != TERM_NONE && a->arg[0] == b->arg[0] &&
           a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2];
}

/* This many bytes are compared, and they are the same: then by how much they differ is, too. */
static term compared_again(struct check *c, const struct meant *a, const struct meant *b)
{
    struct terms *t = c->t;
    uint64_t n;
    if (!meant_is_order(a) || !same_arguments(a, b) || a->arg[2] == TERM_NONE ||
        !term_const_u64(t, a->arg[2], &n) || n > MEANT_SHOWN)
        return TERM_NONE;
    term same = term_true(t);
    for (unsigned arg = 0; arg < 2; arg++)
        for (unsigned i = 0; i < n; i++)
            same = term_and(t, same, term_eq(t, meant_byte(c, a, arg, i), meant_byte(c, b, arg, i)));
    return meant_implies(t, same, term_eq(t, a->result, b->result));
}

/* ---- in questions ---- */

struct meant_all {
    struct check *c;
    struct meant of[RESULTS_MAX];
    unsigned n;
};

static bool see_result(void *ctx, term u)
{
    struct meant_all *all = ctx;
    all->n += is_meant(all->c, u, &all->of[all->n]);
    return all->n == RESULTS_MAX;
}

static bool see_common(void *ctx, term u)
{
    struct meant_all *all = ctx;
    all->n += is_common(all->c, u, &all->of[all->n]);
    return all->n == RESULTS_MAX;
}

/* What is so of several together. */
static void add_of_several(const struct meant_all *all, question *out)
{
    struct check *c = all->c;
    for (unsigned i = 0; i < all->n; i++)
        for (unsigned k = 0; k < all->n; k++) {
            const struct meant *a = &all->of[i], *b = &all->of[k];
            term both[2 * RESULTS_MAX + 3];
            unsigned n = 0;
            if (k < i) {
                both[n++] = turned_round(c, a, b);
                both[n++] = compared_again(c, a, b);
            }
            both[n++] = within_length(c, a, b);
            for (unsigned j = 0; j < all->n; j++) {
                both[n++] = as_long(c, &all->of[j], a, b);
                both[n++] = k < i ? equal_to_third(c, a, b, &all->of[j]) : TERM_NONE;
            }
            for (unsigned j = 0; j < n; j++)
                if (both[j] != TERM_NONE)
                    vec_push(out, both[j]);
        }
}

void meaning_facts(struct check *c, const term *v, size_t n, question *out)
{
    struct meant_all all = {.c = c};
    struct meaning m;
    if (!c->meant.len || c->query.native)
        return;
    term_any_of(c->t, v, n, see_result, &all);
    for (unsigned i = 0; i < all.n; i++) {
        const bool far = strmap_get(&c->meant_far, called(c, all.of[i].result), NULL);
        /* Sets and needles make large facts, which most questions do without. */
        if ((far || !meant_is_large(&all.of[i])) && meant_meaning(c, &all.of[i], FACT_BYTES, &m)) {
            vec_push(out, m.fact);
            if (far)
                vec_push(out, m.far);
        }
    }
    add_of_several(&all, out);
}

bool meaning_is_known(struct check *c, term u)
{
    struct meant m;
    struct meaning means;
    return c->meant.len && is_meant(c, u, &m) && meant_meaning(c, &m, 1, &means);
}

/* The n-th value that a result may have; false: there are no more. */
static bool may_yield(const struct meant *m, struct bits first, unsigned width, unsigned n, struct bits *v)
{
    const bool place = meant_is_place(m);
    const uint64_t order[] = {0, 1, UINT32_MAX};
    if (meant_is_order(m)) {
        if (n < sizeof order / sizeof *order)
            *v = bits_u64(order[n], width);
        return n < sizeof order / sizeof *order;
    }
    *v = place && n ? bits_add(first, bits_u64(n - 1, width)) : bits_u64(n, width);
    *v = bits_mask(*v, width);
    return n <= MEANT_SHOWN;
}

void meaning_settle(struct check *c, struct term_model *model, const term *v, size_t n)
{
    struct meant_all all = {.c = c};
    if (!c->meant.len || c->query.native)
        return;
    term_any_of(c->t, v, n, see_result, &all);
    /* What others are made of comes before them. */
    for (unsigned i = 1; i < all.n; i++)
        for (unsigned k = i; k > 0 && all.of[k - 1].result > all.of[k].result; k--) {
            const struct meant m = all.of[k];
            all.of[k] = all.of[k - 1];
            all.of[k - 1] = m;
        }
    for (unsigned i = 0; i < all.n; i++) {
        const struct meant *m = &all.of[i];
        struct meaning means;
        struct bits first, had, value, is;
        if (!meant_meaning(c, m, MEANT_SHOWN, &means) || !term_eval(c->t, model, m->arg[0], &first) ||
            !term_eval(c->t, model, m->result, &had))
            continue;
        const term all_of_it = term_and(c->t, means.fact, means.decided);
        bool ok = term_eval(c->t, model, all_of_it, &is) && !bits_is_zero(is);
        for (unsigned k = 0; !ok && may_yield(m, first, c->width, k, &value); k++) {
            term_model_set(model, m->result, value);
            ok = term_eval(c->t, model, all_of_it, &is) && !bits_is_zero(is);
        }
        if (!ok)
            term_model_set(model, m->result, had);
    }
}

/* What both versions computed by the same call is the same whatever it is. */
static bool is_united(const struct failure *f, term u)
{
    for (size_t i = 0; i < f->nunited; i++)
        if (f->united[1][i] == u)
            return true;
    return false;
}

/* It is called in both versions, given the same, and finds another first byte: then it gives something else,
 * though it is not known what. TERM_NONE: it is not. */
static term finds_other(struct check *c, const struct meant_all *all, const struct meant *m)
{
    term other = TERM_NONE;
    for (unsigned i = 0; i < all->n; i++)
        for (unsigned arg = 0; arg < m->l->nargs && arg < 3 && same_arguments(m, &all->of[i]); arg++) {
            if (!(m->l->pointers >> arg & 1))
                continue;
            term differ =
                term_not(c->t, term_eq(c->t, meant_byte(c, m, arg, 0), meant_byte(c, &all->of[i], arg, 0)));
            other = other == TERM_NONE ? differ : term_or(c->t, other, differ);
        }
    return other;
}

/* Of those that one version makes; returns whose meaning cannot be told, or NULL. */
static const char *ask_inlined(struct check *c, const struct failure *f, const struct meant_all *all,
                               question *q)
{
    if (all->n == RESULTS_MAX)
        return all->of[0].l->name;
    for (unsigned i = 0; i < all->n; i++) {
        struct meaning m;
        if (meant_meaning(c, &all->of[i], MEANT_SHOWN, &m)) {
            vec_push(q, m.fact);
            vec_push(q, m.decided);
            vec_push(q, m.far);
        } else if (!is_united(f, all->of[i].result)) {
            term other = finds_other(c, all, &all->of[i]);
            if (other == TERM_NONE)
                return all->of[i].l->name;
            vec_push(q, other);
        }
    }
    return NULL;
}

static struct meant_all together(const struct meant_all *a, const struct meant_all *b)
{
    struct meant_all all = *a;
    for (unsigned i = 0; i < b->n && all.n < RESULTS_MAX; i++)
        all.of[all.n++] = b->of[i];
    return all;
}

/* Of those that both make: whatever is the same fits its first bytes. Returns the first of them, or NULL. */
static const char *ask_common(struct check *c, const struct meant_all *all, question *q)
{
    const char *first = NULL;
    for (unsigned i = 0; i < all->n; i++) {
        struct meaning m;
        if (!meant_meaning(c, &all->of[i], FACT_BYTES, &m))
            continue;
        vec_push(q, m.fact);
        vec_push(q, m.far);
        vec_push(q, m.given);
        first = first ? first : all->of[i].l->name;
    }
    return first;
}

/* The constant bytes that the model has functions look at. True when the model has other ones there. */
static bool ask_constants(struct check *c, const struct term_model *model, const struct meant_all *all,
                          question *q)
{
    bool other = false;
    for (unsigned i = 0; i < all->n; i++)
        for (unsigned arg = 0; arg < 3 && arg < all->of[i].l->nargs; arg++) {
            struct bits at, is;
            if (!(all->of[i].l->pointers >> arg & 1) || !term_eval(c->t, model, all->of[i].arg[arg], &at))
                continue;
            for (unsigned k = 0; k < MEANT_SHOWN && query_add_constant(c, bits_low(at) + k, 8, q); k++)
                other = other || !term_eval(c->t, model, q->data[q->len - 1], &is) || bits_is_zero(is);
        }
    return other;
}

/* An input that shows the failure, with constant strings as they are. */
static enum answer ask_failure(struct check *c, const struct failure *f, const struct meant_all *all,
                               question *q, struct term_model **model)
{
    enum { ROUNDS = 8 }; /* each tells the strings that the last input has */
    term shown[FAILURE_TERMS];
    size_t nshown = attempt_failure_terms(c, f, shown);
    for (size_t i = 0; i < nshown; i++)
        vec_push(q, shown[i]);
    enum answer r = UNDECIDED;
    c->query.hint = f->model;
    for (unsigned i = 0; i < ROUNDS; i++) {
        *model = NULL;
        r = query_possible(c, q->data, q->len, model);
        if (r != YES || !ask_constants(c, *model, all, q))
            break;
        term_model_free(*model);
        *model = NULL;
        r = UNDECIDED;
    }
    c->query.hint = NULL;
    return r;
}

/* Something beside the call looks at what its argument or its result leads to, behind the first bytes (`any`:
 * anywhere) or nobody knows where. */
struct sharing {
    struct check *c;
    const struct meant *of;
    bool any;
};

static bool reads_far(void *ctx, term u)
{
    const struct sharing *s = ctx;
    struct terms *t = s->c->t;
    uint64_t off, own;
    term base, from;
    if (term_kind(t, u) != TERM_READ)
        return false;
    term_split(t, term_kid(t, u, 1), &base, &off);
    if (base != TERM_NONE && apart_is_summand(t, base, s->of->result))
        return true;
    for (unsigned i = 0; i < 2 && i < s->of->l->nargs; i++) {
        if (!(s->of->l->pointers >> i & 1))
            continue;
        term_split(t, s->of->arg[i], &from, &own);
        if (from != TERM_NONE && base != TERM_NONE && base != from && apart_is_summand(t, base, from))
            return true;
        if (base == from && (s->any || off - own >= FACT_BYTES))
            return true;
    }
    return false;
}

static bool share_argument(struct check *c, const struct meant *a, const struct meant *b)
{
    term x, y;
    uint64_t off;
    for (unsigned i = 0; i < 2 && i < a->l->nargs; i++)
        for (unsigned k = 0; k < 2 && k < b->l->nargs; k++) {
            if (!(a->l->pointers >> i & 1) || !(b->l->pointers >> k & 1))
                continue;
            term_split(c->t, a->arg[i], &x, &off);
            term_split(c->t, b->arg[k], &y, &off);
            if (x != TERM_NONE && y != TERM_NONE &&
                (apart_is_summand(c->t, x, y) || apart_is_summand(c->t, y, x)))
                return true;
        }
    return false;
}

/* Some result hangs on bytes that others look at, too. */
static bool is_shared(struct check *c, const struct meant_all *all, const term *of, size_t n)
{
    for (unsigned i = 0; i < all->n; i++) {
        struct sharing s = {.c = c, .of = &all->of[i]};
        if (all->of[i].mem == TERM_NONE)
            continue;
        for (unsigned k = 0; k < i; k++)
            if (all->of[k].mem != TERM_NONE && share_argument(c, &all->of[i], &all->of[k]))
                return true;
        if (term_any_of(c->t, of, n, reads_far, &s))
            return true;
    }
    return false;
}

/* What a call looks for is not constant or too long to be told, and something else looks at the same string:
 * its name; NULL: there is none. */
static const char *untold(struct check *c, const struct meant_all *all, const term *of, size_t n)
{
    struct meaning m;
    for (unsigned i = 0; i < all->n; i++) {
        struct sharing s = {.c = c, .of = &all->of[i], .any = true};
        if (meant_is_large(&all->of[i]) && !meant_meaning(c, &all->of[i], 1, &m) &&
            term_any_of(c->t, of, n, reads_far, &s))
            return all->of[i].l->name;
    }
    return NULL;
}

/* No string is longer than those that strings_fit looks at. */
static void ask_bounded(struct check *c, const struct meant_all *all, question *q)
{
    struct terms *t = c->t;
    for (unsigned i = 0; i < all->n; i++) {
        const struct meant *m = &all->of[i];
        const enum library_like like = m->l->like;
        const bool length = like == LIKE_STRLEN || like == LIKE_STRNLEN || like == LIKE_STRSPN ||
                            like == LIKE_STRCSPN,
                   place = meant_is_place(m);
        if (m->mem == TERM_NONE || (!length && !place))
            continue;
        term far = length ? m->result : term_bin(t, OP_SUB, m->result, m->arg[0]),
             is = term_bin(t, OP_ULT, far, meant_number(c, STRINGS_REACH - 1));
        vec_push(q, length ? is : term_or(t, is, term_eq(t, m->result, meant_number(c, 0))));
    }
}

/* The bytes decide every result. */
static void ask_decided(struct check *c, const struct meant_all *all, question *q)
{
    struct meaning m;
    for (unsigned i = 0; i < all->n; i++)
        if (meant_meaning(c, &all->of[i], MEANT_SHOWN, &m)) {
            vec_push(q, m.fact);
            vec_push(q, m.decided);
        }
}

/* The model that shows it gets strings that all results fit, or gives way to one with shorter strings. */
static enum answer fit_strings(struct check *c, const struct failure *f, const struct meant_all *all,
                               question *q, struct term_model **model)
{
    for (unsigned step = 0; step < 2; step++) {
        if (strings_fit(c, all->of, all->n, q->data, q->len, model))
            return YES;
        term_model_free(*model);
        *model = NULL;
        if (step)
            ask_decided(c, all, q);
        else
            ask_bounded(c, all, q);
        enum answer r = ask_failure(c, f, all, q, model);
        if (!*model || step)
            return r == NO ? UNDECIDED : r; /* of short strings */
    }
    return UNDECIDED;
}

/* What was refuted is so with what results mean; f gets an input that shows it, or the reason. */
static bool stands(struct check *c, struct failure *f)
{
    const term of[] = {f->when, f->differ, f->value[OLD], f->value[NEW]};
    struct meant_all all = {.c = c}, common = {.c = c};
    struct term_model *model = NULL;
    question q = VEC_INIT;
    enum answer r = YES;
    term_any_of(c->t, of, sizeof of / sizeof *of, see_result, &all);
    term_any_of(c->t, of, sizeof of / sizeof *of, see_common, &common);
    const char *copied = copied_facts(c, of, sizeof of / sizeof *of, &q), *open = ask_inlined(c, f, &all, &q),
               *both = ask_common(c, &common, &q), *hidden = untold(c, &common, of, sizeof of / sizeof *of);
    const struct meant_all every = together(&all, &common);
    add_of_several(&every, &q);
    if (q.len && !open)
        r = ask_failure(c, f, &every, &q, &model);
    if (model && is_shared(c, &every, of, sizeof of / sizeof *of))
        r = fit_strings(c, f, &every, &q, &model);
    vec_free(&q);
    if (model) {
        term_model_free(f->model);
        f->model = model;
    }
    for (unsigned i = 0; i < every.n && r == NO; i++) {
        const char *key = called(c, every.of[i].result);
        learn(&c->meant, c->arena, key, every.of[i].l);
        learn(&c->meant_far, c->arena, key, every.of[i].l);
    }
    if (open)
        f->reason = reason_of(c->arena, VERIFY_REASON_CALL_INLINED, open);
    else if (hidden)
        f->reason = reason_of(c->arena, VERIFY_REASON_RESULT_FITS_NONE, hidden);
    else if (r != YES && (all.n || both))
        f->reason = reason_of(c->arena, VERIFY_REASON_RESULT_FITS_NONE, all.n ? all.of[0].l->name : both);
    else if (r != YES)
        f->reason = reason_of(c->arena, VERIFY_REASON_COPY_FITS_NONE, copied);
    return !open && !hidden && r == YES;
}

void meaning_failures(struct check *c)
{
    for (size_t i = 0; i < c->now->failed.len; i++) {
        struct failure *f = &c->now->failed.data[i];
        f->refuted = f->refuted && (!f->model || stands(c, f));
    }
}
