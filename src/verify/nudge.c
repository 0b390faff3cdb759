/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs near one that is known.
 *
 * Most conditions on the way of a run turn on one number: an argument, a word of memory, what a callee returned. A few
 * values of each are tried on the input at hand, those that the conditions speak of, before a solver is asked. What
 * callees yield stays a function: of what they are given, and of what was done before. */
#include <string.h>

#include "verify/private.h"

enum { CONSTANTS_MAX = 10, ROUNDS = 4, CALLS_MAX = 400, NODES_MAX = 400 };
enum { WHOLE_MAX = 6 }; /* changes whose effect on all that is asked is looked at, in a round */
enum { DRAWS = 96 };    /* changes of several values at once */
enum { NUDGE_MS = 50 }; /* of work; what helps is mostly among the first that is tried */

struct nudge {
    struct check *c;
    const term *all;
    size_t n;
    const struct term_model *model;
    struct budget budget;
    VEC(bool) holds;  /* by term */
    VEC(term) call;
    struct map given; /* what calls are given -> index of `value`; -> their keys */
    struct map key;
    VEC(struct bits) value;
};

/* All at once: what they share is evaluated once. */
static void evaluate(struct terms *t, const struct term_model *model, const term *x, size_t n, struct bits *value,
                     bool *known)
{
    if (n)
        term_eval_all(t, model, x, n, value, known);
}

/* ---- calls as functions ---- */

static bool see_call(void *ctx, term x)
{
    struct nudge *g = ctx;
    if (term_kind(g->c->t, x) == TERM_APPLY && !term_is_array(g->c->t, x))
        vec_push(&g->call, x);
    return g->call.len == CALLS_MAX;
}

/* What calls are given, and yield, in the model. */
static void see_given(struct nudge *g, const struct term_model *model)
{
    struct terms *t = g->c->t;
    VEC(term) all = VEC_INIT;
    VEC(bool) known = VEC_INIT;
    map_clear(&g->key);
    map_clear(&g->given);
    vec_clear(&g->value);
    for (size_t i = 0; i < g->call.len; i++)
        for (unsigned k = 0; k <= term_nkids(t, g->call.data[i]); k++) {
            term x = k ? term_kid(t, g->call.data[i], k - 1) : g->call.data[i];
            if (!term_is_array(t, x) && !map_get(&g->given, x, NULL)) {
                map_set(&g->given, x, all.len);
                vec_push(&all, x);
                vec_push(&known, false);
                vec_push(&g->value, (struct bits){{0}});
            }
        }
    evaluate(t, model, all.data, all.len, g->value.data, known.data);
    for (size_t i = 0; i < all.len; i++)
        if (!known.data[i])
            g->value.data[i] = bits_u64(all.data[i], 64);
    vec_free(&all);
    vec_free(&known);
}

/* Calls that are given the same after the same was done have one key. Memory does not count: such functions there
 * are. */
static uint64_t key_of(struct nudge *g, term x)
{
    struct terms *t = g->c->t;
    uint64_t key;
    if (map_get(&g->key, x, &key))
        return key;
    const struct term_origin o = term_origin(t, x);
    key = hash_u64(((uint64_t)o.kind << 48 | (uint64_t)o.part << 32 | o.index) ^ hash_u64(o.offset)) ^
          (o.name ? hash_bytes(o.name, strlen(o.name)) : 0);
    for (unsigned i = 0; i < term_nkids(t, x); i++) {
        term kid = term_kid(t, x, i);
        uint64_t at;
        if (term_is_array(t, kid))
            continue;
        uint64_t part = origin_is_order(t, kid) && term_kind(t, kid) == TERM_APPLY ? key_of(g, kid)
                        : map_get(&g->given, kid, &at) ? hash_bytes(&g->value.data[at], sizeof(struct bits))
                                                       : hash_u64(kid);
        key = hash_u64(key * UINT64_C(0x9e3779b97f4a7c15) + part + i);
    }
    map_set(&g->key, x, key);
    return key;
}

/* Calls of one key yield the same. */
static bool is_function(struct nudge *g, const struct term_model *model)
{
    struct map first = {0};
    bool ok = g->call.len < CALLS_MAX;
    see_given(g, model);
    for (size_t i = 0; i < g->call.len && ok; i++) {
        term x = g->call.data[i];
        uint64_t key = key_of(g, x), yields = map_find(&g->given, x, 0), other;
        if (origin_is_order(g->c->t, x) || meaning_is_known(g->c, x))
            continue;
        if (map_get(&first, key, &other))
            ok = bits_eq(g->value.data[yields], g->value.data[other]);
        else
            map_set(&first, key, yields);
    }
    map_free(&first);
    return ok;
}

static void nudge_free(struct nudge *g)
{
    vec_free(&g->holds);
    vec_free(&g->call);
    map_free(&g->given);
    map_free(&g->key);
    vec_free(&g->value);
}

bool nudge_is_function(struct check *c, const struct term_model *model, const term *all, size_t n)
{
    struct nudge g = {.c = c, .all = all, .n = n};
    term_any_of(c->t, all, n, see_call, &g);
    bool is = is_function(&g, model);
    nudge_free(&g);
    return is;
}

/* ---- what can be changed ---- */

static bool is_leaf(const struct check *c, term x)
{
    unsigned kind = term_kind(c->t, x);
    return kind == TERM_VAR || kind == TERM_READ || kind == TERM_APPLY;
}

static bool can_change(const struct check *c, term x)
{
    return term_kind(c->t, x) == TERM_READ || origin_is(c->t, x, ORIGIN_RESULT) ||
           origin_is(c->t, x, ORIGIN_ALLOCATION) ||
           (term_kind(c->t, x) == TERM_VAR && x != c->sp && !origin_is(c->t, x, ORIGIN_CALLER) &&
            !origin_is(c->t, x, ORIGIN_RETURN_ADDRESS) && !origin_is(c->t, x, ORIGIN_ADDRESS));
}

/* What conditions are made of, down to symbols, reads and calls, and the comparisons and constants on the way. */
struct skeleton {
    VEC(term) leaf, compared;
    VEC(struct bits) constant;
    bool multiplies; /* or divides, by something that is no constant */
};

static struct skeleton skeleton_of(const struct check *c, const term *x, size_t n)
{
    struct skeleton s = {VEC_INIT, VEC_INIT, VEC_INIT, false};
    struct map seen = {0};
    VEC(term) todo = VEC_INIT;
    for (size_t i = n; i-- > 0;)
        vec_push(&todo, x[i]);
    while (todo.len && seen.len < NODES_MAX) {
        term y = vec_pop(&todo);
        struct bits v;
        unsigned kind = term_kind(c->t, y);
        if (term_is_array(c->t, y) || !map_set(&seen, y, 1))
            continue;
        if (is_leaf(c, y)) {
            vec_push(&s.leaf, y);
            continue;
        }
        if (term_const_value(c->t, y, &v) && term_width(c->t, y) > 1 && s.constant.len < CONSTANTS_MAX)
            vec_push(&s.constant, v);
        if (kind == OP_MUL || kind == OP_UDIV || kind == OP_SDIV || kind == OP_UREM || kind == OP_SREM)
            s.multiplies = s.multiplies || !term_is_const(c->t, term_kid(c->t, y, 1));
        if ((kind == OP_EQ || kind == OP_ULT || kind == OP_ULE || kind == OP_SLT || kind == OP_SLE) &&
            !term_is_array(c->t, term_kid(c->t, y, 0)) && s.compared.len < CONSTANTS_MAX)
            vec_push(&s.compared, y);
        for (unsigned i = term_nkids(c->t, y); i-- > 0;)
            vec_push(&todo, term_kid(c->t, y, i));
    }
    vec_free(&todo);
    map_free(&seen);
    return s;
}

/* Where something new lies, if it was made. */
static struct bits place_of(const struct check *c, term object)
{
    return c->width == 64 ? bits_u64((UINT64_C(0x4000) + (object & 0xfff)) << 32, 64)
                          : bits_u64((UINT64_C(0x400) + (object & 0x1ff)) << 20, 32);
}

/* A word of a file that nobody writes is what it is. */
static bool is_fixed(struct check *c, const struct term_model *model, term read)
{
    struct bits at;
    return !term_eval(c->t, model, term_kid(c->t, read, 1), &at) ||
           query_constant(c, bits_low(at), term_width(c->t, read)) != TERM_NONE;
}

static bool change(struct nudge *g, struct term_model *model, term leaf, struct bits v)
{
    struct terms *t = g->c->t;
    if (term_kind(t, leaf) == TERM_READ)
        return !is_fixed(g->c, model, leaf) && term_model_set_read(t, model, leaf, v);
    term_model_set(model, leaf, v);
    if (term_kind(t, leaf) != TERM_APPLY || meaning_is_known(g->c, leaf))
        return true;
    see_given(g, model);
    uint64_t key = key_of(g, leaf);
    for (size_t i = 0; i < g->call.len; i++)
        if (key_of(g, g->call.data[i]) == key)
            term_model_set(model, g->call.data[i], v);
    return true;
}

/* ---- trying ---- */

/* How many hold. */
static size_t holding(struct nudge *g, const struct term_model *model)
{
    size_t n = 0;
    VEC(struct bits) value = VEC_INIT;
    vec_clear(&g->holds);
    for (size_t i = 0; i < g->n; i++) {
        vec_push(&value, (struct bits){{0}});
        vec_push(&g->holds, false);
    }
    evaluate(g->c->t, model, g->all, g->n, value.data, g->holds.data);
    for (size_t i = 0; i < g->n; i++)
        n += g->holds.data[i] = g->holds.data[i] && !bits_is_zero(value.data[i]);
    vec_free(&value);
    return n;
}

/* The value of a leaf that is tried: as the constants are, or off by one; as far away as what is compared is; or
 * one at the end of a range. False: there are no more. */
static bool candidate(const struct skeleton *s, size_t literals, struct bits now, unsigned width, size_t k,
                      struct bits *v)
{
    const struct bits one = bits_u64(1, width), top = bits_shl(one, width - 1);
    const struct bits common[] = {{{0}}, one, bits_ones(width), top, bits_sub(top, one)};
    if (k < 3 * s->constant.len) {
        *v = s->constant.data[k / 3];
        *v = k / 3 >= literals ? bits_add(now, *v) : *v;
        *v = k % 3 == 1 ? bits_add(*v, one) : k % 3 == 2 ? bits_sub(*v, one) : *v;
    } else {
        k -= 3 * s->constant.len;
        if (k >= sizeof common / sizeof *common)
            return false;
        *v = common[k];
    }
    *v = bits_mask(*v, width);
    return true;
}

/* What other calls of the same functions yield comes first: calls that are given the same have to yield the
 * same. */
static void add_yielded(const struct nudge *g, struct skeleton *s)
{
    struct terms *t = g->c->t;
    size_t had = s->constant.len;
    for (size_t i = 0; i < s->leaf.len; i++)
        for (size_t k = 0; k < g->call.len && term_kind(t, s->leaf.data[i]) == TERM_APPLY; k++) {
            struct bits v;
            if (g->call.data[k] != s->leaf.data[i] && term_same_head(t, g->call.data[k], s->leaf.data[i]) &&
                s->constant.len < had + CONSTANTS_MAX && term_eval(t, g->model, g->call.data[k], &v))
                vec_push(&s->constant, v);
        }
    size_t n = s->constant.len - had;
    VEC(struct bits) all = VEC_INIT;
    for (size_t i = 0; i < s->constant.len; i++)
        vec_push(&all, s->constant.data[i < n ? had + i : i - n]);
    for (size_t i = 0; i < all.len; i++)
        s->constant.data[i] = all.data[i];
    vec_free(&all);
}

/* Something of what does not hold would. */
static bool mends(const struct nudge *g, const struct term_model *small, const term *broken, size_t n)
{
    bool any = false;
    for (size_t b = 0; b < n && !any; b++) {
        struct bits is;
        any = term_eval(g->c->t, small, broken[b], &is) && !bits_is_zero(is);
    }
    return any;
}

/* A product turns on several values at once: each of some leaves gets one of those that are tried, or a power
 * of two and what is next to it. */
static struct term_model *draw(struct nudge *g, const struct skeleton *s, const struct bits *value,
                               const bool *known, struct term_model *small, const term *broken, size_t n,
                               size_t *held)
{
    struct check *c = g->c;
    struct term_model *found = NULL;
    unsigned whole = 0;
    for (uint64_t i = 0; i < DRAWS && !found && whole < WHOLE_MAX && !budget_over(&g->budget); i++) {
        VEC(struct bits) drawn = VEC_INIT;
        for (size_t k = 0; k < s->leaf.len; k++) {
            const unsigned width = term_width(c->t, s->leaf.data[k]);
            const uint64_t any = hash_u64(i * 64 + k + 1);
            struct bits v = bits_shl(bits_u64(1, width), any % width);
            v = any >> 16 & 1 ? bits_sub(v, bits_u64(any >> 17 & 1, width)) : v;
            const bool stays = !known[k] || !can_change(c, s->leaf.data[k]) || any >> 8 & 1 ||
                               origin_is(c->t, s->leaf.data[k], ORIGIN_ALLOCATION);
            if (!stays && any >> 18 & 1)
                candidate(s, s->constant.len, value[k], width, any >> 20 & 15, &v);
            vec_push(&drawn, stays ? value[k] : bits_mask(v, width));
            term_model_set(small, s->leaf.data[k], vec_last(&drawn));
        }
        if (mends(g, small, broken, n)) {
            whole++;
            struct term_model *model = term_model_copy(g->model);
            bool ok = true;
            for (size_t k = 0; k < s->leaf.len && ok; k++)
                ok = !known[k] || bits_eq(drawn.data[k], value[k]) ||
                     change(g, model, s->leaf.data[k], drawn.data[k]);
            const size_t now = ok ? holding(g, model) : 0;
            if (now > *held) {
                *held = now;
                found = model;
            } else {
                term_model_free(model);
            }
        }
        vec_free(&drawn);
    }
    return found;
}

/* One leaf gets another value, or several do, so that more hold; NULL: none helps. */
static struct term_model *step(struct nudge *g, size_t *held)
{
    struct check *c = g->c;
    struct terms *t = c->t;
    VEC(term) broken = VEC_INIT;
    VEC(struct bits) value = VEC_INIT;
    VEC(bool) known = VEC_INIT;
    struct term_model *found = NULL, *small = term_model_new();
    for (size_t i = 0; i < g->n; i++)
        if (!g->holds.data[i])
            vec_push(&broken, g->all[i]);
    struct skeleton s = skeleton_of(c, broken.data, broken.len);
    add_yielded(g, &s);
    const size_t literals = s.constant.len;
    for (size_t i = 0; i < s.leaf.len + broken.len + 2; i++) {
        vec_push(&value, (struct bits){{0}});
        vec_push(&known, false);
    }
    evaluate(t, g->model, s.leaf.data, s.leaf.len, value.data, known.data);
    for (size_t i = 0; i < s.leaf.len; i++)
        term_model_set(small, s.leaf.data[i], value.data[i]);
    for (size_t i = 0; i < s.compared.len; i++) {
        const term side[2] = {term_kid(t, s.compared.data[i], 0), term_kid(t, s.compared.data[i], 1)};
        const unsigned width = term_width(t, side[0]);
        struct bits v[2];
        if (term_eval(t, small, side[0], &v[0]) && term_eval(t, small, side[1], &v[1])) {
            const struct bits d = bits_mask(bits_sub(v[1], v[0]), width), e = bits_mask(bits_sub(v[0], v[1]), width);
            vec_push(&s.constant, bits_sext(d, width, OP_MAX_WIDTH));
            vec_push(&s.constant, bits_sext(e, width, OP_MAX_WIDTH));
        }
    }
    unsigned whole = 0;
    for (size_t i = 0; i < s.leaf.len && !found && whole < WHOLE_MAX; i++) {
        const term leaf = s.leaf.data[i];
        const struct bits now = value.data[i];
        struct bits v;
        if (!known.data[i] || !can_change(c, leaf))
            continue;
        for (size_t k = 0; !found && whole < WHOLE_MAX && !budget_over(&g->budget) &&
                           candidate(&s, literals, now, term_width(t, leaf), k, &v);
             k++) {
            if (origin_is(t, leaf, ORIGIN_ALLOCATION) && !bits_is_zero(v))
                v = place_of(c, leaf);
            if (bits_eq(v, now))
                continue;
            term_model_set(small, leaf, v);
            if (!mends(g, small, broken.data, broken.len))
                continue;
            whole++;
            struct term_model *model = term_model_copy(g->model);
            const size_t n = change(g, model, leaf, v) ? holding(g, model) : 0;
            if (n > *held) {
                *held = n;
                found = model;
            } else {
                term_model_free(model);
            }
        }
        term_model_set(small, leaf, now);
    }
    if (!found && s.multiplies)
        found = draw(g, &s, value.data, known.data, small, broken.data, broken.len, held);
    if (!found)
        holding(g, g->model);
    term_model_free(small);
    vec_free(&s.leaf);
    vec_free(&s.compared);
    vec_free(&s.constant);
    vec_free(&broken);
    vec_free(&value);
    vec_free(&known);
    return found;
}

struct term_model *nudge_model(struct check *c, const struct term_model *hint, const term *all, size_t n)
{
    struct nudge g = {.c = c, .all = all, .n = n, .model = hint, .budget = query_budget(c, NUDGE_MS)};
    struct term_model *own = NULL;
    term_any_of(c->t, all, n, see_call, &g);
    size_t held = holding(&g, hint);
    if (held < n && c->meant.len) {
        own = term_model_copy(hint);
        meaning_settle(c, own, all, n);
        g.model = own;
        held = holding(&g, own);
    }
    for (unsigned i = 0; i < ROUNDS && held < n; i++) {
        struct term_model *better = step(&g, &held);
        if (!better)
            break;
        term_model_free(own);
        g.model = own = better;
    }
    if (own && (held < n || !is_function(&g, own))) {
        term_model_free(own);
        own = NULL;
    }
    nudge_free(&g);
    return own;
}
