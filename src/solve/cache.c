/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers by sorted set of terms. An unsatisfiable set is found again inside every larger one; models are
 * kept to be tried on other queries (after the counterexample cache of KLEE). */
#include <string.h>

#include "solve/internal.h"

struct entry {
    size_t first, n; /* in cache.term */
    enum solve_answer answer;
    size_t model;       /* in cache.model, when SAT */
    const char *reason; /* when UNKNOWN */
    enum reply_why why;
    uint64_t units;     /* what it could take, when that was too little; 0: it was not */
    uint32_t by_hash;   /* 1 + the next entry with that hash */
    uint32_t by_last;   /* unsatisfiable ones: 1 + the next entry with that largest term */
};

struct cache {
    VEC(struct entry) entry;
    VEC(term) term;
    VEC(struct assignment) model;
    struct map by_hash, by_last;
    struct arena reasons;
};

struct cache *cache_new(void)
{
    return xcalloc(1, sizeof(struct cache));
}

static void cache_clear(struct cache *c)
{
    for (size_t i = 0; i < c->model.len; i++)
        assignment_free(&c->model.data[i]);
    vec_free(&c->entry);
    vec_free(&c->term);
    vec_free(&c->model);
    map_free(&c->by_hash);
    map_free(&c->by_last);
    arena_free(&c->reasons);
    *c = (struct cache){0};
}

void cache_free(struct cache *c)
{
    cache_clear(c);
    free(c);
}

static bool is_subset(const term *small, size_t m, const term *large, size_t n)
{
    size_t i = 0;
    for (size_t j = 0; i < m && j < n && m - i <= n - j; j++)
        if (small[i] == large[j])
            i++;
    return i == m;
}

bool cache_find(const struct cache *c, const term *x, size_t n, enum solve_answer *answer,
                const struct assignment **model, const char **reason, enum reply_why *why, uint64_t units)
{
    enum { MORE = 2 }; /* times what was too little may be enough */
    *model = NULL;
    *reason = NULL;
    for (size_t i = map_find(&c->by_hash, hash_bytes(x, n * sizeof *x), 0); i;
         i = c->entry.data[i - 1].by_hash) {
        const struct entry *e = &c->entry.data[i - 1];
        if (e->n != n || memcmp(c->term.data + e->first, x, n * sizeof *x))
            continue;
        if (e->units && (!units || units / MORE >= e->units))
            break;
        *answer = e->answer;
        *reason = e->reason;
        *why = e->why;
        if (e->answer == SOLVE_SAT)
            *model = &c->model.data[e->model];
        return true;
    }
    /* The largest term of an unsatisfiable subset is one of ours. */
    for (size_t k = 0; k < n; k++) {
        unsigned tries = 0;
        for (size_t i = map_find(&c->by_last, x[k], 0); i && tries < 32;
             i = c->entry.data[i - 1].by_last, tries++) {
            const struct entry *e = &c->entry.data[i - 1];
            if (is_subset(c->term.data + e->first, e->n, x, k + 1)) {
                *answer = SOLVE_UNSAT;
                return true;
            }
        }
    }
    return false;
}

void cache_add(struct cache *c, const term *x, size_t n, enum solve_answer answer,
               const struct assignment *model, const char *reason, enum reply_why why, uint64_t units)
{
    enum { TERMS_MAX = 4 << 20, MODELS_MAX = 1 << 16 };
    if (!n)
        return;
    if (c->term.len + n > TERMS_MAX || c->model.len >= MODELS_MAX)
        cache_clear(c);
    uint64_t h = hash_bytes(x, n * sizeof *x);
    struct entry e = {
        .first = c->term.len, .n = n, .answer = answer, .by_hash = (uint32_t)map_find(&c->by_hash, h, 0)};
    for (size_t i = 0; i < n; i++)
        vec_push(&c->term, x[i]);
    if (answer == SOLVE_SAT) {
        struct assignment copy = {0};
        assignment_append(&copy, model);
        e.model = c->model.len;
        vec_push(&c->model, copy);
    } else if (answer == SOLVE_UNKNOWN) {
        e.reason = arena_strdup(&c->reasons, reason);
        e.why = why;
        e.units = why == WHY_STEPS || why == WHY_TIME ? units : 0;
    } else {
        e.by_last = (uint32_t)map_find(&c->by_last, x[n - 1], 0);
        map_set(&c->by_last, x[n - 1], c->entry.len + 1);
    }
    vec_push(&c->entry, e);
    map_set(&c->by_hash, h, c->entry.len);
}

const struct assignment *cache_recent(const struct cache *c, size_t i)
{
    return i < c->model.len ? &c->model.data[c->model.len - 1 - i] : NULL;
}
