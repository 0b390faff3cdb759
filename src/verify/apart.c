/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs whose pointers lead to different places, far apart: what most programs are given, and quickly found.
 */
#include <string.h>

#include "verify/private.h"

enum { NODES_MAX = 20000, ACCESSES_MAX = 1000, PLACES_MAX = 32, CALLS_MAX = 200 };

bool apart_see(void *ctx, term u)
{
    struct apart *all = ctx;
    unsigned kind = term_kind(all->t, u);
    if (kind == TERM_READ || kind == TERM_WRITE) {
        term value = kind == TERM_READ ? u : term_kid(all->t, u, 2);
        struct apart_access a = {term_kid(all->t, u, 1), term_width(all->t, value) / 8, kind == TERM_WRITE};
        vec_push(&all->access, a);
        if (kind == TERM_READ && origin_is(all->t, term_kid(all->t, u, 0), ORIGIN_MEMORY_AFTER))
            vec_push(&all->left, u);
    } else if (origin_is(all->t, u, ORIGIN_ADDRESS)) {
        vec_push(&all->imports, u);
    }
    return ++all->nodes == NODES_MAX || all->access.len == ACCESSES_MAX;
}

bool apart_is_summand(const struct terms *t, term of, term x)
{
    return of == x || (term_kind(t, of) == OP_ADD && (apart_is_summand(t, term_kid(t, of, 0), x) ||
                                                      apart_is_summand(t, term_kid(t, of, 1), x)));
}

void apart_free(struct apart *all)
{
    vec_free(&all->access);
    vec_free(&all->imports);
    vec_free(&all->left);
}

term apart_stack(struct check *c)
{
    /* where a call that pushes its return address leaves an aligned stack pointer */
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    unsigned residue = m->arch == MACHINE_AMD64 ? 8 : m->arch == MACHINE_X86 ? 12 : 0;
    return term_const(c->t, c->width,
                      (c->width == 64 ? UINT64_C(0x7ffd5ea10000) : UINT64_C(0xbea10000)) + residue);
}

struct places {
    struct check *c;
    term from[PLACES_MAX], to[PLACES_MAX];
    size_t n;
};

static bool is_placed(const struct places *p, term at)
{
    bool is = false;
    for (size_t i = 0; i < p->n; i++)
        is = is || p->from[i] == at;
    for (unsigned i = 0; term_kind(p->c->t, at) == OP_ADD && i < 2 && !is; i++)
        is = is_placed(p, term_kid(p->c->t, at, i));
    return is;
}

/* Of what is added up to an address, one that comes from outside. */
static term origin(const struct terms *t, term at)
{
    unsigned kind = term_kind(t, at);
    if (kind == TERM_VAR || kind == TERM_APPLY)
        return at;
    term from = TERM_NONE;
    for (unsigned i = 0; kind == OP_ADD && i < 2 && from == TERM_NONE; i++)
        from = origin(t, term_kid(t, at, i));
    return from;
}

static void place(struct places *p, term at)
{
    struct check *c = p->c;
    term x = p->n == PLACES_MAX || is_placed(p, at) ? TERM_NONE : origin(c->t, at);
    if (x == TERM_NONE)
        return;
    uint64_t to = c->width == 64 ? (UINT64_C(0x2000) + p->n) << 32 : (UINT64_C(0x200) + p->n * 8) << 20;
    p->from[p->n] = x;
    p->to[p->n++] = term_const(c->t, c->width, to);
}

/* ---- calls ---- */

/* What calls yield from a memory, or leave in one, as symbols: to the solver functions of whole memories are hard.
 * Two calls of one function with the same arguments, before which the same was done, yield the same, whatever lies in
 * memory: there are such functions. */
typedef VEC(term) term_vector;
struct stand_ins {
    struct check *c;
    VEC(term) call, symbol;
    struct map order; /* symbols for what was done before -> index of the call */
    struct map key;   /* call -> see key_of */
};

static bool is_order(const struct stand_ins *all, term x)
{
    return origin_is_order(all->c->t, x) || map_get(&all->order, x, NULL);
}

/* Registers hold words; a vector register may be passed as a float, a double or whole. */
static bool same_sort(const struct terms *t, term x, term y)
{
    return term_is_array(t, x) == term_is_array(t, y) && term_width(t, x) == term_width(t, y);
}

/* That two calls of one function are given the same numbers. */
static term given_same(const struct stand_ins *all, term a, term b)
{
    struct terms *t = all->c->t;
    term same = term_true(t);
    for (unsigned i = 0; i < term_nkids(t, a); i++) {
        term x = term_kid(t, a, i), y = term_kid(t, b, i);
        if (!same_sort(t, x, y))
            return term_false(t);
        if (!term_is_array(t, x) && !(is_order(all, x) && is_order(all, y)))
            same = term_and(t, same, term_eq(t, x, y));
    }
    return same;
}

/* And after the same, as far as that can be read off. */
static bool done_same(const struct stand_ins *all, term a, term b)
{
    const struct terms *t = all->c->t;
    bool same = true;
    for (unsigned i = 0; i < term_nkids(t, a); i++)
        same = same && (!is_order(all, term_kid(t, a, i)) || term_kid(t, a, i) == term_kid(t, b, i));
    return same;
}

static term stand_in(void *ctx, term x, const term *kid)
{
    struct stand_ins *all = ctx;
    struct terms *t = all->c->t;
    bool array = term_is_array(t, x), of_array = array;
    if (!term_nkids(t, x))
        return x;
    term y = term_rebuild(t, x, kid);
    if (term_kind(t, y) != TERM_APPLY)
        return y;
    for (unsigned i = 0; i < term_nkids(t, y); i++)
        of_array = of_array || term_is_array(t, term_kid(t, y, i));
    for (size_t i = 0; i < all->call.len && of_array; i++)
        if (term_same_head(t, all->call.data[i], y) && done_same(all, all->call.data[i], y) &&
            term_is_true(t, given_same(all, all->call.data[i], y)))
            return all->symbol.data[i];
    if (!of_array)
        return y;
    uint64_t symbol;
    if (!map_get(&all->c->query.stand_in, y, &symbol)) {
        symbol = array ? term_fresh_array(t, "left", term_index_width(t, y), term_cell_width(t, y))
                       : term_fresh(t, "yields", term_width(t, y));
        map_set(&all->c->query.stand_in, y, symbol);
    }
    vec_push(&all->call, y);
    vec_push(&all->symbol, (term)symbol);
    if (origin_is_order(t, y))
        map_set(&all->order, symbol, all->call.len - 1);
    return (term)symbol;
}

/* Calls that are given the same by the input, after the same was done, have one key. */
static uint64_t key_of(struct stand_ins *all, const struct term_model *model, size_t call)
{
    struct terms *t = all->c->t;
    const term x = all->call.data[call];
    uint64_t key, before;
    if (map_get(&all->key, x, &key))
        return key;
    const char *name = term_name(t, x);
    key = hash_u64(term_width(t, x)) ^ (name ? hash_bytes(name, strlen(name)) : 0);
    for (unsigned i = 0; i < term_nkids(t, x); i++) {
        term kid = term_kid(t, x, i);
        struct bits v;
        if (term_is_array(t, kid))
            continue;
        uint64_t part = map_get(&all->order, kid, &before) ? key_of(all, model, before)
                        : term_eval(t, model, kid, &v)     ? hash_bytes(&v, sizeof v)
                                                           : hash_u64(kid);
        key = hash_u64(key * UINT64_C(0x9e3779b97f4a7c15) + part + i);
    }
    map_set(&all->key, x, key);
    return key;
}

/* Two calls of one key for which symbols stand that the input tells apart: that they are given other things, or yield
 * the same; TERM_NONE: there are none. */
static term tell_apart(struct stand_ins *all, const struct term_model *model)
{
    struct terms *t = all->c->t;
    struct map first = {0};
    term found = TERM_NONE;
    map_clear(&all->key);
    for (size_t i = 0; i < all->call.len && found == TERM_NONE; i++) {
        uint64_t key = key_of(all, model, i), k;
        struct bits v;
        if (map_get(&all->order, all->symbol.data[i], NULL))
            continue;
        if (!map_get(&first, key, &k)) {
            map_set(&first, key, i);
            continue;
        }
        term same = term_eq(t, all->symbol.data[i], all->symbol.data[k]);
        if (term_same_head(t, all->call.data[i], all->call.data[k]) &&
            (!term_eval(t, model, same, &v) || bits_is_zero(v)))
            found = term_or(t, same, term_not(t, given_same(all, all->call.data[i], all->call.data[k])));
    }
    map_free(&first);
    return found;
}

/* An input on which what stands for calls is a function. */
static enum solve_answer solve_calls(struct stand_ins *all, term_vector *q, struct term_model **model)
{
    enum { TRIES = 8 };
    struct solver *s = all->c->query.solver;
    if (all->call.len > CALLS_MAX)
        return SOLVE_UNKNOWN;
    enum solve_answer r = solve_try(s, q->data, q->len, model);
    for (unsigned i = 0; r == SOLVE_SAT; i++) {
        term apart = tell_apart(all, *model);
        if (apart == TERM_NONE)
            return SOLVE_SAT;
        term_model_free(*model);
        *model = NULL;
        vec_push(q, apart);
        /* Others may have been possible. */
        if (i == TRIES || (r = solve_try(s, q->data, q->len, model)) == SOLVE_UNSAT)
            return SOLVE_UNKNOWN;
    }
    return r;
}

/* What calls yield has a value of its own in a model, as tables of functions do not tell memories apart. */
static void say_calls(struct check *c, const struct map *placed, struct map *read, struct map *known,
                      struct stand_ins *all, struct term_model *model)
{
    uint64_t x, y;
    struct bits v;
    VEC(term) call = VEC_INIT, is = VEC_INIT;
    for (size_t i = 0; (i = map_next(placed, i, &x, &y));)
        if (term_kind(c->t, (term)x) == TERM_APPLY) {
            vec_push(&call, (term)x);
            vec_push(&is, (term)y);
        }
    for (size_t i = 0; i < call.len; i++) {
        term z = term_rewrite(c->t, term_rewrite(c->t, is.data[i], read, NULL, NULL), known, stand_in, all);
        if (z == call.data[i])
            continue;
        if (term_is_array(c->t, z))
            term_model_set_array(model, call.data[i], z);
        else if (term_eval(c->t, model, z, &v))
            term_model_set(model, call.data[i], v);
    }
    vec_free(&call);
    vec_free(&is);
}

/* ---- inputs ---- */

enum answer apart_placed(struct check *c, const struct apart_places *p, const term *of, size_t n,
                         struct term_model **model)
{
    term_vector q = VEC_INIT;
    struct map placed = {0}, read = {0}, known = {0};
    struct stand_ins calls = {.c = c};
    for (size_t i = 0; i < p->n; i++) {
        /* A pointer that lies in memory is one that can be written over. */
        term x = term_kind(c->t, p->from[i]) == TERM_READ ? term_rewrite(c->t, p->from[i], &placed, NULL, NULL)
                                                          : p->from[i];
        if (x != p->from[i])
            map_set(&read, x, p->to[i]);
        map_set(&placed, p->from[i], p->to[i]);
        vec_push(&q, term_rewrite(c->t, term_eq(c->t, x, p->to[i]), &known, stand_in, &calls));
    }
    for (size_t i = 0; i < n; i++) {
        term x = term_rewrite(c->t, term_rewrite(c->t, of[i], &placed, NULL, NULL), &read, NULL, NULL);
        vec_push(&q, term_rewrite(c->t, x, &known, stand_in, &calls));
    }
    enum solve_answer r = solve_calls(&calls, &q, model);
    if (r == SOLVE_SAT)
        say_calls(c, &placed, &read, &known, &calls, *model);
    vec_free(&q);
    vec_free(&calls.call);
    vec_free(&calls.symbol);
    map_free(&calls.order);
    map_free(&calls.key);
    map_free(&placed);
    map_free(&read);
    map_free(&known);
    return r == SOLVE_SAT ? YES : r == SOLVE_UNSAT ? NO : UNDECIDED;
}

bool apart_model(struct check *c, const term *of, size_t n, struct term_model **model)
{
    struct places p = {.c = c, .from = {c->sp}, .to = {apart_stack(c)}, .n = 1};
    struct apart all = {.t = c->t};
    bool found = false, writes = false;
    term_any_of(c->t, of, n, apart_see, &all);
    /* An offset added to a pointer is not taken for a pointer if that pointer is also used without it. */
    for (size_t i = 0; i < all.access.len; i++) {
        term base;
        uint64_t off;
        term_split(c->t, all.access.data[i].at, &base, &off);
        if (base != TERM_NONE && term_kind(c->t, base) != OP_ADD)
            place(&p, base);
    }
    for (size_t i = 0; i < all.access.len; i++) {
        int64_t off;
        place(&p, all.access.data[i].at);
        writes =
            writes || (all.access.data[i].write && !pair_sp_offset(&c->pair, all.access.data[i].at, &off));
    }
    if (writes)
        found = apart_placed(c, &(struct apart_places){p.from, p.to, p.n}, of, n, model) == YES;
    apart_free(&all);
    return found;
}
