/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs whose pointers lead to different places, far apart: what most programs are given, and quickly found.
 */
#include "verify/private.h"

enum { NODES_MAX = 20000, ACCESSES_MAX = 1000, PLACES_MAX = 32 };

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

term apart_stack(struct check *c)
{
    unsigned residue = c->width == 64 && explorer_symbols(c->pair.side[OLD].x).frame_top ? 8 : 0;
    if (program_machine(c->pair.side[OLD].p)->arch == MACHINE_X86)
        residue = 12;
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

/* What calls yield has a value of its own in a model, as tables of functions do not tell memories apart. */
static void say_calls(struct check *c, const struct map *placed, struct term_model *model)
{
    uint64_t x, y;
    struct bits v;
    for (size_t i = 0; (i = map_next(placed, i, &x, &y));) {
        if (term_kind(c->t, (term)x) != TERM_APPLY || x == y)
            continue;
        if (term_is_array(c->t, (term)x))
            term_model_set_array(model, (term)x, (term)y);
        else if (term_eval(c->t, model, (term)y, &v))
            term_model_set(model, (term)x, v);
    }
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
    if (writes) {
        VEC(term) q = VEC_INIT;
        struct map placed = {0};
        for (size_t i = 0; i < p.n; i++) {
            map_set(&placed, p.from[i], p.to[i]);
            vec_push(&q, term_eq(c->t, p.from[i], p.to[i]));
        }
        for (size_t i = 0; i < n; i++)
            vec_push(&q, term_rewrite(c->t, of[i], &placed, NULL, NULL));
        found = solve_try(c->query.solver, q.data, q.len, model) == SOLVE_SAT;
        if (found)
            say_calls(c, &placed, *model);
        vec_free(&q);
        map_free(&placed);
    }
    vec_free(&all.left);
    vec_free(&all.access);
    vec_free(&all.imports);
    return found;
}
