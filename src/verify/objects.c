/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects have bounds: what code accesses at constant distances from one pointer, with no call in between, is
 * one object. A pointer whose accesses do not fit in a variable does not lead into it, and compilers move loads
 * of the variable over stores through the pointer (C17 6.5.6).
 *
 * It is assumed only once all differences found need an input that breaks with it. Only accesses of the old
 * version count, under the condition that both are made: of an input on which that one is not defined nothing
 * is asked. */
#include "verify/private.h"

enum { ACCESSES_MAX = 128, FACTS_MAX = 64 };

/* The variable of the old file at a canonical address. */
static bool variable_at(const struct check *c, uint64_t at, struct object_bounds *out)
{
    const struct pair_side *old = &c->pair.side[OLD];
    uint64_t inside, own = at - old->bias;
    own = c->width == 32 ? (uint32_t)own : own;
    const struct object_symbol *y = object_symbol_at(old->o, own, &inside);
    if (!y || y->type != SYMBOL_OBJECT || inside >= y->size)
        return false;
    *out = (struct object_bounds){at - inside, y->size};
    return true;
}

static void see_variable(struct check *c, uint64_t at)
{
    struct object_bounds v;
    if (!variable_at(c, at, &v))
        return;
    for (size_t i = 0; i < c->objects.variable.len; i++)
        if (c->objects.variable.data[i].at == v.at)
            return;
    vec_push(&c->objects.variable, v);
}

void objects_see(struct check *c, const struct pair_side *s, const struct exec_moment *at, term address,
                 unsigned bytes, term guard)
{
    term base;
    uint64_t off;
    struct object_bounds v;
    if (!c->objects.on)
        return;
    term_split(c->t, canonical_term(&c->pair, s, address), &base, &off);
    if (base == TERM_NONE)
        see_variable(c, off);
    /* an index into a variable is no pointer */
    if (s->new || base == TERM_NONE || base == c->sp || variable_at(c, off, &v) ||
        c->objects.access.len == ACCESSES_MAX)
        return;
    term when = moment_condition(at);
    struct object_access a = {base, moment_world(at), guard == TERM_NONE ? when : term_and(c->t, when, guard),
                              pair_signed(&c->pair, off), bytes};
    for (size_t i = 0; i < c->objects.access.len; i++) {
        const struct object_access *k = &c->objects.access.data[i];
        if (k->base == a.base && k->world == a.world && k->when == a.when && k->low == a.low &&
            k->bytes >= a.bytes)
            return;
    }
    vec_push(&c->objects.access, a);
}

/* Both are made: then what is between them, all included, is in the variable, or has nothing of it. */
static term fact(struct check *c, const struct object_access *a, const struct object_access *b,
                 struct object_bounds v)
{
    struct terms *t = c->t;
    int64_t low = a->low < b->low ? a->low : b->low,
            high = a->low + a->bytes > b->low + b->bytes ? a->low + a->bytes : b->low + b->bytes;
    uint64_t n = (uint64_t)(high - low);
    term d = term_add_const(t, a->base, (uint64_t)low - v.at), size = term_const(t, c->width, v.size);
    term is = term_and(t, term_bin(t, OP_ULE, size, d), term_bin(t, OP_ULE, d, term_const(t, c->width, -n)));
    if (n <= v.size)
        is = term_or(t, is, term_bin(t, OP_ULE, d, term_const(t, c->width, v.size - n)));
    return term_or(t, is, term_not(t, term_and(t, a->when, b->when)));
}

void objects_facts(struct check *c, question *out)
{
    const struct object_access *a = c->objects.access.data;
    unsigned n = 0;
    for (size_t i = 0; c->objects.on && !c->query.native && i < c->objects.access.len; i++)
        for (size_t k = 0; k <= i; k++)
            for (size_t v = 0; v < c->objects.variable.len && n < FACTS_MAX; v++)
                if (a[i].base == a[k].base && a[i].world == a[k].world) {
                    vec_push(out, fact(c, &a[i], &a[k], c->objects.variable.data[v]));
                    n++;
                }
    ledger_count(&c->ledger, LEDGER_ALIASING, n);
}

/* With the input something is accessed through a pointer that leads into a variable. */
static bool needs_overlap(struct check *c, const struct failure *f)
{
    const term of[] = {f->when, f->differ, f->value[OLD], f->value[NEW]};
    struct apart all = {.t = c->t};
    bool found = false;
    term_any_of(c->t, of, sizeof of / sizeof *of, apart_see, &all);
    for (size_t i = 0; i < all.access.len && !found; i++) {
        term base;
        uint64_t off;
        struct bits at;
        struct object_bounds v;
        term_split(c->t, all.access.data[i].at, &base, &off);
        found = base != TERM_NONE && base != c->sp && !variable_at(c, off, &v) &&
                term_eval(c->t, f->model, all.access.data[i].at, &at) && variable_at(c, bits_low(at), &v);
    }
    apart_free(&all);
    return found;
}

bool objects_learn(struct check *c)
{
    if (c->objects.on || !(c->opt->assume & VERIFY_ASSUME_ALIASING))
        return false;
    for (size_t i = 0; i < c->now->failed.len; i++) {
        const struct failure *f = &c->now->failed.data[i];
        if (f->refuted && (!f->model || !needs_overlap(c, f)))
            return false;
    }
    return c->objects.on = true;
}

void objects_free(struct objects *o)
{
    vec_free(&o->access);
    vec_free(&o->variable);
}
