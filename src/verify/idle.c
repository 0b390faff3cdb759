/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exits of a function without a result at which nothing was done.
 *
 * `if (i > 15) return;` before `t[i] = v;` is a check like any other, but in a short function its path is not
 * shorter than others. That it does nothing at all where the old version does something says the same, if the
 * new version does all of that on other paths: then it was not taken out. Such an exit rejects its input by
 * heuristic C where the old version stores at a computed place and the exit depends on what the place is
 * computed from. It does, too, where the old version accesses memory through NULL. Elsewhere it may as well
 * leave undone what must be done: that is unknown. Where that is likely it is a difference like any other:
 * something is freed or released, or only stored through a pointer, where the caller may look for it, or only
 * set to a constant, as a lock is. */
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"

enum { DONE_MAX = 256, PAGE = 4096 };

static bool is_call(const struct check *c, const struct pair_side *s, const struct exec_event *v,
                    unsigned *attrs)
{
    const struct flow_library_entry *l = names_library(c, s, v);
    *attrs = l ? l->attrs : 0;
    return !(*attrs & (LIBRARY_CONST | LIBRARY_PURE));
}

static bool is_store(struct check *c, const struct pair_side *s, const struct exec_write *w)
{
    int64_t off;
    return w->space ||
           (!w->local && !pair_sp_offset(&c->pair, canonical_term(&c->pair, s, w->address), &off));
}

/* ---- what the new version does somewhere ---- */

/* Symbols and words of memory that a term is made of; those that a word's address is made of are not. */
static void add_parts(const struct terms *t, term x, struct map *out)
{
    VEC(term) todo = VEC_INIT;
    struct map seen = {0};
    vec_push(&todo, x);
    while (todo.len) {
        term u = vec_pop(&todo);
        if (!map_set(&seen, u, 1) || term_is_array(t, u))
            continue;
        unsigned kind = term_kind(t, u);
        if (kind == TERM_VAR || kind == TERM_READ || kind == TERM_APPLY)
            map_set(out, u, 1);
        for (unsigned i = 0; kind != TERM_READ && kind != TERM_APPLY && i < term_nkids(t, u); i++)
            vec_push(&todo, term_kid(t, u, i));
    }
    vec_free(&todo);
    map_free(&seen);
}

static bool all_in(const struct map *of, const struct map *in)
{
    uint64_t part, one;
    for (size_t i = 0; (i = map_next(of, i, &part, &one));)
        if (!map_get(in, part, NULL))
            return false;
    return true;
}

/* The same, or made of the same: a check tells the compiler more about a number, so that it may be extended
 * otherwise. */
static bool is_alike(struct check *c, term a, term b)
{
    if (a == b || term_is_array(c->t, a) || term_is_array(c->t, b) ||
        term_width(c->t, a) != term_width(c->t, b) || term_width(c->t, a) > 64)
        return a == b;
    term base[2];
    uint64_t off[2];
    term_split(c->t, a, &base[0], &off[0]);
    term_split(c->t, b, &base[1], &off[1]);
    if (off[0] != off[1] || base[0] == TERM_NONE || base[1] == TERM_NONE)
        return false;
    struct map part[2] = {0};
    for (int i = 0; i < 2; i++)
        add_parts(c->t, base[i], &part[i]);
    bool is = all_in(&part[0], &part[1]) && all_in(&part[1], &part[0]);
    map_free(&part[0]);
    map_free(&part[1]);
    return is;
}

/* It does so on some path, whatever the callee is given. */
static bool calls_somewhere(const struct check *c, const struct exec_event *v)
{
    for (size_t i = 0; v->kind == EVENT_CALL && v->name && i < c->exits.calls.len; i++)
        if (strcmp(c->exits.calls.data[i], v->name) == 0)
            return true;
    return false;
}

void idle_see(struct check *c, const struct exec_path *p)
{
    for (unsigned i = 0; i < p->nwrites && c->exits.stores.len < DONE_MAX; i++) {
        const struct exec_write *w = &p->write[i];
        bool known = w->local || w->space;
        for (size_t k = 0; k < c->exits.stores.len && !known; k++)
            known =
                c->exits.stores.data[k].address == w->address && c->exits.stores.data[k].value == w->value;
        if (!known)
            vec_push(&c->exits.stores, ((struct exits_store){w->address, w->value}));
    }
    for (unsigned i = 0; i < p->nevents && c->exits.calls.len < DONE_MAX; i++) {
        const struct exec_event *v = &p->event[i];
        if (v->kind == EVENT_CALL && v->name && !calls_somewhere(c, v))
            vec_push(&c->exits.calls, arena_strdup(c->arena, v->name));
    }
}

static term of_new(struct check *c, term x)
{
    return canonical_term(&c->pair, &c->pair.side[NEW], x);
}

static bool stores_somewhere(struct check *c, term address, term value)
{
    for (size_t i = 0; i < c->exits.stores.len; i++)
        if (is_alike(c, of_new(c, c->exits.stores.data[i].address), address) &&
            is_alike(c, of_new(c, c->exits.stores.data[i].value), value))
            return true;
    return false;
}

/* ---- what the old version does ---- */

/* A place in what a pointer leads to, other than an element of an array. */
static bool is_field(const struct terms *t, term address)
{
    term base;
    uint64_t off;
    term_split(t, address, &base, &off);
    unsigned kind = base == TERM_NONE ? TERM_CONST : term_kind(t, base);
    return (kind == TERM_VAR || kind == TERM_READ || kind == TERM_APPLY) && off < PAGE;
}

/* Something of the file is there. */
static bool is_in_file(const struct object *o, uint64_t address)
{
    const struct object_section *s;
    size_t n = object_sections(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].alloc && !s[i].tls && address - s[i].address < s[i].size)
            return true;
    return false;
}

/* When that is in the page of NULL. What looks like a distance from a pointer may be the address of a
 * variable with an index added. */
static term is_null(struct check *c, term address)
{
    term base;
    uint64_t off;
    term_split(c->t, address, &base, &off);
    bool variable = off && is_in_file(program_object(c->pair.side[OLD].p), off);
    return is_field(c->t, address) && !variable
               ? term_bin(c->t, OP_ULT, address, term_const(c->t, c->width, PAGE))
               : term_false(c->t);
}

/* When something of which the term is made is read through NULL. */
static term reads_null(struct check *c, term x)
{
    struct terms *t = c->t;
    term is = term_false(t);
    struct map seen = {0};
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, x);
    while (todo.len) {
        term u = vec_pop(&todo);
        /* what is below a condition may not be read */
        if (!map_set(&seen, u, 1) || term_is_array(t, u) || term_kind(t, u) == OP_ITE ||
            term_width(t, u) == 1)
            continue;
        if (term_kind(t, u) == TERM_READ)
            is = term_or(t, is, is_null(c, term_kid(t, u, 1)));
        for (unsigned i = 0; i < term_nkids(t, u); i++)
            vec_push(&todo, term_kid(t, u, i));
    }
    vec_free(&todo);
    map_free(&seen);
    return is;
}

/* The address is that of an element, and the condition is about which one, and about nothing else. */
static bool is_checked(struct check *c, term address, term condition)
{
    const struct terms *t = c->t;
    term base;
    uint64_t off;
    term_split(c->t, address, &base, &off);
    if (base == TERM_NONE || is_field(t, address))
        return false;
    struct map place = {0}, asked = {0};
    add_parts(t, base, &place);
    add_parts(t, condition, &asked);
    bool is = asked.len && all_in(&asked, &place);
    map_free(&place);
    map_free(&asked);
    return is;
}

/* What the old version does at that exit, and the new one leaves out. */
struct left {
    term when;    /* something is */
    term faults;  /* ... and leads through NULL */
    bool never;   /* the new version does not do it elsewhere, or it must be done */
    bool checked; /* some store is at a computed place that the exit depends on */
    bool handed; /* some other store is through a pointer, where the caller may look for it, or of a constant,
                    which may end what was begun elsewhere */
    bool other;  /* some call, or a constant stored, may be what must be done in any case */
};

static void see_store(struct check *c, const struct end *o, term idle, const struct exec_write *w,
                      struct left *out)
{
    struct terms *t = c->t;
    term address = canonical_term(&c->pair, o->s, w->address),
         value = canonical_term(&c->pair, o->s, w->value), guard = end_guard(o, w->guard);
    term null = is_null(c, address);
    out->when = term_or(t, out->when, guard);
    null = term_or(t, null, term_or(t, reads_null(c, address), reads_null(c, value)));
    out->faults = term_or(t, out->faults, term_and(t, guard, null));
    out->never = out->never || w->space || !stores_somewhere(c, address, value);
    bool checked = is_checked(c, address, idle);
    out->checked = out->checked || checked;
    out->handed = out->handed || (!checked && (is_field(t, address) || term_is_const(t, value)));
    out->other = out->other || (!checked && term_is_const(t, value));
}

/* `idle`: when the exit is reached, and nothing was done. */
static struct left left_out(struct check *c, const struct end *o, term idle)
{
    struct terms *t = c->t;
    struct left out = {.when = term_false(t), .faults = term_false(t)};
    for (unsigned i = 0; i < o->path->nevents; i++) {
        const struct exec_event *v = &o->path->event[i];
        unsigned attrs;
        if (!is_call(c, o->s, v, &attrs))
            continue;
        term guard = end_guard(o, v->guard);
        out.when = term_or(t, out.when, guard);
        for (unsigned k = 0; k < v->nargs; k++)
            if (!term_is_array(t, v->arg[k]))
                out.faults =
                    term_or(t, out.faults,
                            term_and(t, guard, reads_null(c, canonical_term(&c->pair, o->s, v->arg[k]))));
        out.never = out.never || attrs & (LIBRARY_FREE | LIBRARY_RELEASE) || !calls_somewhere(c, v);
        out.other = true;
    }
    for (unsigned i = 0; i < o->path->nwrites; i++)
        if (is_store(c, o->s, &o->path->write[i]))
            see_store(c, o, idle, &o->path->write[i], &out);
    out.never = out.never || (out.handed && !out.checked);
    return out;
}

/* ---- the new version's exit ---- */

static bool is_whole(const struct exec_path *p)
{
    for (unsigned i = 0; i < p->nblocks; i++)
        if (p->block[i] == 0)
            return true;
    return false;
}

/* When nothing was done on the way to the exit. */
static term does_nothing(struct check *c, const struct end *n)
{
    struct terms *t = c->t;
    term some = term_false(t);
    for (unsigned i = 0; i < n->path->nevents; i++) {
        unsigned attrs;
        if (is_call(c, n->s, &n->path->event[i], &attrs))
            some = term_or(t, some, end_guard(n, n->path->event[i].guard));
    }
    for (unsigned i = 0; i < n->path->nwrites; i++)
        if (is_store(c, n->s, &n->path->write[i]))
            some = term_or(t, some, end_guard(n, n->path->write[i].guard));
    return term_not(t, some);
}

/* Nobody means to return it: it is what was in the register at entry, or what the check looked at. */
static bool is_left(const struct check *c, const struct end *o, const struct end *n, const struct map *asked,
                    term x, unsigned fuel)
{
    const struct terms *t = c->t;
    unsigned number;
    if (x == o->result)
        return true;
    if (fuel && term_kind(t, x) == OP_ITE)
        return is_left(c, o, n, asked, term_kid(t, x, 1), fuel - 1) &&
               is_left(c, o, n, asked, term_kid(t, x, 2), fuel - 1);
    const bool argument = origin_is_argument(t, x, &number);
    if (origin_is_register(t, x) && !argument)
        return true;
    if (term_is_const(t, x) || (!abi_is_unoptimised(n->s->abi) && !argument))
        return false;
    struct map of = {0};
    add_parts(t, x, &of);
    bool is = all_in(&of, asked);
    map_free(&of);
    return is;
}

/* What is in the result's register may be left over: at the exit, when it is `idle`, and in the old version,
 * where it is no number. */
static bool is_left_over(struct check *c, const struct end *o, const struct end *n, term idle)
{
    enum { FUEL = 8 };
    uint64_t v;
    if (abi_is_declared(c->pair.side[OLD].abi) || abi_is_declared(c->pair.side[NEW].abi) ||
        c->exits.user_returns >= 0 || n->result == TERM_NONE || o->result == TERM_NONE ||
        n->parts[RESULT_X87] != TERM_NONE)
        return false;
    if (term_const_u64(c->t, o->result, &v) && v < PAGE)
        return false;
    struct map asked = {0};
    add_parts(c->t, idle, &asked);
    bool is = is_left(c, o, n, &asked, n->result, FUEL);
    map_free(&asked);
    return is;
}

void idle_class(struct check *c, const struct end *o, struct end *n)
{
    struct terms *t = c->t;
    n->undecided = term_false(t);
    if (!(c->opt->heuristics & VERIFY_BY_C) || n->path->end != PATH_RETURN || !o->returns || o->bad ||
        !is_whole(n->path) || !is_whole(o->path) || term_is_true(t, n->error))
        return;
    term idle = does_nothing(c, n);
    if (term_is_false(t, idle))
        return;
    const bool none = n->result == TERM_NONE && n->parts[RESULT_X87] == TERM_NONE;
    n->left_over = c->exits.idle && is_left_over(c, o, n, term_and(t, n->cond, idle));
    const bool guess = n->left_over || (c->exits.idle && none);
    const struct left left = left_out(c, o, term_and(t, n->cond, idle));
    idle = term_and(t, idle, term_and(t, left.when, term_not(t, n->error)));
    if (left.never || !guess)
        idle = term_and(t, idle, left.faults);
    if (term_is_false(t, idle))
        return;
    if (!(n->by & VERIFY_BY_C))
        n->otherwise = n->error;
    n->by |= VERIFY_BY_C;
    n->idle = idle;
    n->error = term_or(t, n->error, idle);
    if (!left.checked || left.other || n->left_over)
        n->undecided = term_and(t, idle, term_not(t, left.faults));
}

void idle_compare(struct check *c, const struct end *o, const struct end *n, struct findings *found)
{
    const term q[] = {o->cond, n->cond, n->undecided == TERM_NONE ? term_false(c->t) : n->undecided,
                      term_not(c->t, o->error)};
    if (term_is_false(c->t, q[2]) || query_possible(c, q, 4, NULL) == NO)
        return;
    struct failure f = {.property = VERIFY_PROPERTIES_ALL,
                        .path = {o->path, n->path},
                        .when = term_and(c->t, term_and(c->t, q[0], q[1]), q[2]),
                        .what = "an exit that may reject its input",
                        .site = {o->path->end_address, n->path->end_address},
                        .whole = true};
    f.reason =
        reason_of(c->arena, n->left_over ? VERIFY_REASON_SAFE_IF_VOID : VERIFY_REASON_SAFE_IF_IDLE_REJECTS,
                  (unsigned long long)object_display_address(program_object(n->s->p), n->path->end_address));
    accept_or_fail(c, found, f);
}
