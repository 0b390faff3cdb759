/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What library functions copy.
 *
 * To the solver, memory after strcpy, strdup, realloc and their like holds any bytes. A difference that looks at
 * these stands only if an input shows it on which what was copied is as at its source, and the rest as it was. */
#include <string.h>

#include "flow/library.h"
#include "verify/meant.h"

enum { COPIES_MAX = 64 };

struct copied {
    struct check *c;
    question *out;
    struct map seen;
    const char *name; /* of the first function */
};

/* A call: `after` has what it left. Its arguments stand before the memory that it found, and what is passed
 * besides, before these. */
struct copying {
    const struct flow_library_entry *l;
    term after, before;
    unsigned first; /* argument, of its kids */
};

static bool copying_of(const struct check *c, term after, struct copying *out)
{
    const struct terms *t = c->t;
    const struct flow_library *library = program_library(c->pair.side[OLD].p);
    const char *name = origin_is(t, after, ORIGIN_MEMORY_AFTER) ? term_origin(t, after).name : NULL;
    const struct flow_library_entry *l =
        library && name ? flow_library_find(library, names_key_name(c, name)) : NULL;
    unsigned at = 0;
    while (l && at < term_nkids(t, after) && !term_is_array(t, term_kid(t, after, at)))
        at++;
    if (!l || at == term_nkids(t, after) || at < l->nargs)
        return false;
    *out = (struct copying){l, after, term_kid(t, after, at), at - l->nargs};
    return true;
}

static term argument(const struct terms *t, const struct copying *k, unsigned i)
{
    return term_kid(t, k->after, k->first + i);
}

/* It is what the call returned. */
static bool made_by(const struct terms *t, term object, const struct copying *k)
{
    const bool allocated = origin_is(t, object, ORIGIN_ALLOCATION);
    const unsigned first = allocated ? 0 : k->first;
    bool same = (allocated || origin_is(t, object, ORIGIN_RESULT)) &&
                term_nkids(t, object) >= first + k->l->nargs && term_origin(t, object).name &&
                strcmp(term_origin(t, object).name, term_origin(t, k->after).name) == 0;
    for (unsigned i = 0; i < k->l->nargs && same; i++)
        same = term_kid(t, object, first + i) == argument(t, k, i);
    return same;
}

/* The first argument, if the address lies where that leads. */
static term led_by_first(const struct terms *t, const struct copying *k, term address)
{
    const term to = argument(t, k, 0);
    term base, part;
    uint64_t off;
    term_split(t, to, &part, &off);
    term_split(t, address, &base, &off);
    return part != TERM_NONE && base != TERM_NONE && apart_is_summand(t, base, part) ? to : TERM_NONE;
}

/* The object that the call made, if the address lies there. */
static term made_at(const struct terms *t, const struct copying *k, term address)
{
    term base;
    uint64_t off;
    term_split(t, address, &base, &off);
    while (base != TERM_NONE && term_kind(t, base) == OP_ADD) {
        for (unsigned i = 1; i < term_nkids(t, base); i++)
            if (made_by(t, term_kid(t, base, i), k))
                return term_kid(t, base, i);
        base = term_kid(t, base, 0);
    }
    return base != TERM_NONE && made_by(t, base, k) ? base : TERM_NONE;
}

static bool see_read(void *ctx, term x)
{
    struct copied *all = ctx;
    struct terms *t = all->c->t;
    if (term_kind(t, x) != TERM_READ || !map_set(&all->seen, x, 1))
        return false;
    term after = term_kid(t, x, 0);
    const term at = term_kid(t, x, 1);
    while (term_kind(t, after) == TERM_WRITE)
        after = term_kid(t, after, 0);
    struct copying k;
    if (!copying_of(all->c, after, &k))
        return false;
    const enum library_like like = k.l->like;
    const bool into = like == LIKE_STRCPY || like == LIKE_STPCPY || like == LIKE_STRNCPY,
               makes = like == LIKE_STRDUP || like == LIKE_STRNDUP || like == LIKE_REALLOC;
    if (!into && !makes)
        return false;
    const term to = into ? led_by_first(t, &k, at) : made_at(t, &k, at);
    /* What lies elsewhere stays as it is, but for what is freed. */
    if (like == LIKE_REALLOC && to == TERM_NONE && led_by_first(t, &k, at) != TERM_NONE)
        return false;
    term source = at;
    if (to != TERM_NONE)
        source = term_bin(t, OP_ADD, argument(t, &k, into), term_bin(t, OP_SUB, at, to));
    const unsigned width = term_width(t, x);
    const term same = term_eq(t, term_read(t, after, at, width), term_read(t, k.before, source, width));
    if (!term_is_true(t, same))
        vec_push(all->out, same);
    all->name = all->name ? all->name : k.l->name;
    return all->out->len >= COPIES_MAX;
}

const char *copied_facts(struct check *c, const term *of, size_t n, question *out)
{
    struct copied all = {.c = c, .out = out};
    term_any_of(c->t, of, n, see_read, &all);
    /* What is copied may be a copy itself. */
    for (size_t i = 0; i < out->len && out->len < COPIES_MAX; i++)
        term_any(c->t, out->data[i], see_read, &all);
    map_free(&all.seen);
    return all.name;
}
