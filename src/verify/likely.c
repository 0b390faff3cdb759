/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs that a program can be given.
 *
 * To the processor every number is an address. Compilers know more: a pointer is aligned as its type asks
 * for, so that two words are in the same place or have nothing in common, and what is constant is not written
 * to, though another file has it and nothing here says that it is constant. What only an input shows that
 * breaks with that is no difference between the programs. Nothing is proved by this: it becomes *unknown*. */
#include <stdlib.h>

#include "verify/private.h"

enum { NODES_MAX = 20000, ACCESSES_MAX = 1000, DEPTH_MAX = 8, PLACES_MAX = 32, NEAR = 1 << 20 };

struct access {
    term at;
    unsigned bytes;
    bool write;
};

/* Words that terms read and write. */
struct found {
    const struct terms *t;
    size_t nodes;
    VEC(struct access) access;
    VEC(term) imports; /* addresses of what another file has */
};

static bool see_access(void *ctx, term u)
{
    struct found *all = ctx;
    unsigned kind = term_kind(all->t, u);
    if (kind == TERM_READ || kind == TERM_WRITE) {
        term value = kind == TERM_READ ? u : term_kid(all->t, u, 2);
        struct access a = {term_kid(all->t, u, 1), term_width(all->t, value) / 8, kind == TERM_WRITE};
        vec_push(&all->access, a);
    } else if (origin_is(all->t, u, ORIGIN_ADDRESS)) {
        vec_push(&all->imports, u);
    }
    return ++all->nodes == NODES_MAX || all->access.len == ACCESSES_MAX;
}

/* ---- pointers to different places ---- */

term likely_stack(struct check *c)
{
    unsigned residue = c->width == 64 && explorer_symbols(c->side[OLD].x).frame_top ? 8 : 0;
    if (program_machine(c->side[OLD].p)->arch == MACHINE_X86)
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

bool likely_apart(struct check *c, const term *of, size_t n, struct term_model **model)
{
    struct places p = {.c = c, .from = {c->sp}, .to = {likely_stack(c)}, .n = 1};
    struct found all = {.t = c->t};
    bool found = false, writes = false;
    term_any_of(c->t, of, n, see_access, &all);
    /* What is added to a pointer is not taken for one, if the pointer is used without, too. */
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
        writes = writes || (all.access.data[i].write && !is_sp_offset(c, all.access.data[i].at, &off));
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
        found = solve_try(c->solver, q.data, q.len, model) == SOLVE_SAT;
        if (found)
            say_calls(c, &placed, *model);
        vec_free(&q);
        map_free(&placed);
    }
    vec_free(&all.access);
    vec_free(&all.imports);
    return found;
}

/* ---- words that overlap ---- */

/* The base is aligned as far as the distance from it is; where that says something. */
static term aligned(struct check *c, struct access p)
{
    term base;
    uint64_t off;
    term_split(c->t, p.at, &base, &off);
    uint64_t by = off & -off;
    by = by && by < p.bytes ? by : p.bytes;
    if (base == TERM_NONE || base == c->sp || by < 2 || by & (by - 1) || by > c->width / 8)
        return term_true(c->t);
    term low = term_bin(c->t, OP_AND, base, term_const(c->t, c->width, by - 1));
    return term_eq(c->t, low, term_const(c->t, c->width, 0));
}

/* The address is made from that of the import, other than by what lies there. */
static bool is_made_from(const struct terms *t, term x, term import, unsigned depth)
{
    bool made = x == import;
    unsigned kind = term_kind(t, x);
    if (depth && kind != TERM_READ && kind != TERM_APPLY)
        for (unsigned i = 0; i < term_nkids(t, x) && !made; i++)
            made = is_made_from(t, term_kid(t, x, i), import, depth - 1);
    return made;
}

/* What is read of it, if its address is made from that of the import, lies near that; what is written does
 * not. */
static term apart(struct check *c, term import, struct access p)
{
    int64_t off;
    bool own = is_made_from(c->t, p.at, import, DEPTH_MAX);
    term near = term_const(c->t, c->width, NEAR), d = term_bin(c->t, OP_SUB, p.at, import);
    if (own == p.write || is_sp_offset(c, p.at, &off))
        return term_true(c->t);
    return p.write ? term_bin(c->t, OP_ULE, term_add_const(c->t, near, NEAR), term_add_const(c->t, d, NEAR))
                   : term_bin(c->t, OP_ULT, d, near);
}

static term likely(struct check *c, const struct found *all)
{
    term is = term_true(c->t);
    for (size_t i = 0; i < all->access.len; i++) {
        is = term_and(c->t, is, aligned(c, all->access.data[i]));
        for (size_t k = 0; k < all->imports.len; k++)
            is = term_and(c->t, is, apart(c, all->imports.data[k], all->access.data[i]));
    }
    return is;
}

/* Of the input: a write changes a part of another word, or what is read of an import. */
static bool is_odd(struct check *c, const struct found *all, struct term_model *model)
{
    struct bits v;
    bool odd = false;
    uint64_t *at = xcalloc(all->access.len + 1, sizeof *at);
    const struct access *a = all->access.data;
    bool *known = xcalloc(all->access.len + 1, sizeof *known);
    for (size_t i = 0; i < all->access.len; i++)
        if ((known[i] = term_eval(c->t, model, a[i].at, &v)))
            at[i] = bits_low(v);
    for (size_t i = 0; i < all->access.len && !odd; i++)
        for (size_t k = 0; k < all->access.len && a[i].write; k++) {
            uint64_t d = at[k] - at[i], few = a[i].bytes < a[k].bytes ? a[i].bytes : a[k].bytes;
            if (!known[i] || !known[k] || (d >= a[i].bytes && -d >= a[k].bytes))
                continue;
            odd = odd || d % few;
            for (size_t m = 0; m < all->imports.len && !a[k].write; m++)
                odd = odd || (is_made_from(c->t, a[k].at, all->imports.data[m], DEPTH_MAX) &&
                              !is_made_from(c->t, a[i].at, all->imports.data[m], DEPTH_MAX));
        }
    free(at);
    free(known);
    return odd;
}

/* Looks for another input that shows the difference if the one that was found is odd. False when there is
 * none.
 */
static bool has_likely_input(struct check *c, struct failure *f)
{
    const term of[] = {f->when, f->differ, f->value[OLD], f->value[NEW]};
    struct found all = {.t = c->t};
    struct term_model *model = NULL;
    term_any_of(c->t, of, sizeof of / sizeof *of, see_access, &all);
    bool ok = !is_odd(c, &all, f->model);
    if (!ok) {
        f->likely = likely(c, &all);
        term q[] = {f->likely, f->when == TERM_NONE ? term_true(c->t) : f->when,
                    f->differ == TERM_NONE ? term_true(c->t) : f->differ,
                    f->place == TERM_NONE ? term_true(c->t) : outside_frames(c, f->place)};
        ok = possible(c, q, sizeof q / sizeof *q, &model) == YES;
    }
    if (model) {
        term_model_free(f->model);
        f->model = model;
    }
    vec_free(&all.access);
    vec_free(&all.imports);
    return ok;
}

void likely_failures(struct check *c)
{
    for (size_t i = 0; i < c->now->failed.len; i++) {
        struct failure *f = &c->now->failed.data[i];
        if (!f->refuted || !f->model || has_likely_input(c, f))
            continue;
        f->refuted = false;
        f->reason = reason_of(c->arena, VERIFY_REASON_INPUT_UNLIKELY);
    }
}
