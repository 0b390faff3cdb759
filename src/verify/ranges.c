/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What results of library functions can be: `range` and `upto` of data/prototypes.txt.
 *
 * It is so in every run, so every question comes with it. What a register holds beside an `int` is not known.
 */
#include "flow/library.h"
#include "verify/private.h"

/* Of a term that was asked about. */
struct ranges {
    const term *fact;
    size_t n;
};

/* TERM_NONE: the register does not hold all of it. */
static term part_of(const struct check *c, term x, char type)
{
    const unsigned width = type == LIBRARY_INT ? 32 : type == LIBRARY_WIDE ? 64 : c->width;
    return term_is_array(c->t, x) || term_width(c->t, x) < width ? TERM_NONE
                                                                 : term_extract(c->t, x, 0, width);
}

static term within(struct check *c, term result, const struct flow_library_entry *l)
{
    struct terms *t = c->t;
    const unsigned width = term_width(t, result);
    term all = term_true(t);
    if (l->least != INT64_MIN)
        all = term_bin(t, OP_SLE, term_const(t, width, (uint64_t)l->least), result);
    if (l->most != INT64_MAX)
        all = term_and(t, all, term_bin(t, OP_SLE, result, term_const(t, width, (uint64_t)l->most)));
    return all;
}

/* Where nothing is said of negative numbers, there are none: it is a size. */
static term at_most(struct check *c, term result, term most, const struct flow_library_entry *l)
{
    struct terms *t = c->t;
    const unsigned width = c->width;
    term negative = l->least < 0 && l->least != INT64_MIN
                        ? term_bin(t, OP_SLT, result, term_const(t, term_width(t, result), 0))
                        : term_false(t);
    return term_or(t, negative, term_bin(t, OP_ULE, term_zext(t, result, width), term_zext(t, most, width)));
}

/* TERM_NONE: u is no such result. */
static term range_of(struct check *c, term u)
{
    const struct flow_library *all = program_library(c->pair.side[OLD].p);
    const struct term_origin by = term_origin(c->t, u);
    if (!origin_is(c->t, u, ORIGIN_RESULT) || by.part != ORIGIN_RESULT_BOUNDED || !all)
        return TERM_NONE;
    const struct flow_library_entry *l = flow_library_find(all, names_key_name(c, by.name));
    const term result = l ? part_of(c, u, l->result) : TERM_NONE;
    if (result == TERM_NONE)
        return TERM_NONE;
    const term fact = within(c, result, l);
    const term most =
        l->upto >= 0 ? part_of(c, term_kid(c->t, u, (unsigned)by.offset + (unsigned)l->upto), l->arg[l->upto])
                     : TERM_NONE;
    return most == TERM_NONE ? fact : term_and(c->t, fact, at_most(c, result, most, l));
}

struct seen_ranges {
    struct check *c;
    question fact;
};

static bool see_result(void *ctx, term u)
{
    struct seen_ranges *s = ctx;
    const term fact = range_of(s->c, u);
    if (fact != TERM_NONE)
        vec_push(&s->fact, fact);
    return false;
}

/* Conditions are asked about again and again. */
static const struct ranges *ranges_of(struct check *c, term x)
{
    uint64_t known;
    if (map_get(&c->query.ranges, x, &known))
        return (const struct ranges *)(uintptr_t)known;
    struct seen_ranges s = {.c = c};
    term_any(c->t, x, see_result, &s);
    struct ranges *r = arena_new(c->arena, struct ranges);
    *r = (struct ranges){arena_dup(c->arena, s.fact.data, s.fact.len * sizeof(term)), s.fact.len};
    vec_free(&s.fact);
    map_set(&c->query.ranges, x, (uint64_t)(uintptr_t)r);
    return r;
}

void ranges_facts(struct check *c, const term *v, size_t n, question *out)
{
    struct map told = {0};
    for (size_t i = 0; i < n; i++) {
        const struct ranges *r = ranges_of(c, v[i]);
        for (size_t k = 0; k < r->n; k++)
            if (map_set(&told, r->fact[k], 1))
                vec_push(out, r->fact[k]);
    }
    map_free(&told);
}
