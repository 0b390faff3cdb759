/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Independent parts of a query. What a term depends on is kept, as path conditions repeat their terms. */
#include <string.h>

#include "solve/internal.h"

struct slicer {
    struct terms *t;
    VEC(uint64_t) pool; /* runs of: length, keys. A key is a symbol, or NAME_KEY plus a function's number */
    struct map run;     /* term -> 1 + position of its run */
    struct strmap function;
    struct arena names;
};

#define NAME_KEY ((uint64_t)1 << 32)

struct slicer *slicer_new(struct terms *t)
{
    struct slicer *s = xcalloc(1, sizeof *s);
    s->t = t;
    return s;
}

void slicer_free(struct slicer *s)
{
    vec_free(&s->pool);
    map_free(&s->run);
    strmap_free(&s->function);
    arena_free(&s->names);
    free(s);
}

static uint64_t function_key(struct slicer *s, const char *name)
{
    uint64_t id;
    if (!strmap_get(&s->function, name, &id)) {
        id = s->function.len;
        strmap_set(&s->function, arena_strdup(&s->names, name), id);
    }
    return NAME_KEY + id;
}

/* The position of the run of keys x depends on. */
static size_t run_of(struct slicer *s, term x)
{
    uint64_t at;
    if (map_get(&s->run, x, &at))
        return (size_t)at - 1;
    VEC(term) stack = VEC_INIT;
    struct map seen = {0}, keys = {0};
    size_t start = s->pool.len;
    vec_push(&s->pool, 0);
    vec_push(&stack, x);
    while (stack.len) {
        term y = vec_pop(&stack);
        if (!map_set(&seen, y, 1))
            continue;
        unsigned kind = term_kind(s->t, y);
        const struct pure *f = term_pure_of(s->t, y);
        uint64_t key = 0;
        if (kind == TERM_VAR)
            key = y;
        else if (kind == TERM_APPLY || (f && !f->eval))
            key = function_key(s, term_name(s->t, y));
        if (key && map_set(&keys, key, 1))
            vec_push(&s->pool, key);
        for (unsigned i = 0; i < term_nkids(s->t, y); i++)
            vec_push(&stack, term_kid(s->t, y, i));
    }
    s->pool.data[start] = s->pool.len - start - 1;
    map_set(&s->run, x, start + 1);
    vec_free(&stack);
    map_free(&seen);
    map_free(&keys);
    return start;
}

static size_t root(size_t *parent, size_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

size_t slice(struct slicer *s, const term *x, size_t n, size_t *part)
{
    struct map owner = {0}; /* key -> 1 + the first term that has it */
    for (size_t i = 0; i < n; i++)
        part[i] = i;
    for (size_t i = 0; i < n; i++) {
        size_t at = run_of(s, x[i]);
        for (size_t k = 1; k <= s->pool.data[at]; k++) {
            uint64_t key = s->pool.data[at + k], first = map_find(&owner, key, 0);
            if (!first) {
                map_set(&owner, key, i + 1);
                continue;
            }
            size_t a = root(part, (size_t)first - 1), b = root(part, i);
            if (a < b)
                part[b] = a;
            else
                part[a] = b;
        }
    }
    map_free(&owner);
    /* A root is the smallest of its component, so it is numbered before the others are looked at. */
    size_t count = 0;
    VEC(size_t) number = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        vec_push(&number, root(part, i));
    for (size_t i = 0; i < n; i++)
        part[i] = number.data[i] == i ? count++ : part[number.data[i]];
    vec_free(&number);
    return count;
}
