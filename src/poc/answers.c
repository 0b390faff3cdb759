/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the solver said. It has a cache of its own, but takes a query apart before it looks there. Here a
 * query is the same when it is the same terms in the same order, as it is where candidates have a path in
 * common. */
#include <stdlib.h>
#include <string.h>

#include "poc/poc.h"

struct query {
    const term *x;
    size_t n;
    enum solve_answer answer;
    bool brief;               /* nobody knows, with little effort */
    bool shown;               /* a model was asked for ... */
    struct term_model *model; /* ... with which it holds; NULL: none is known */
};
/* Of a query in the states of a side, with values kept from the front or from the back. */
struct known_state {
    const struct poc_side *of;
    const term *x;
    size_t n;
    bool back;
    struct poc_witness witness; /* in `witness` */
    struct term_model *nearest; /* in `nearest` */
};
struct known_states {
    struct map at; /* digest: 1 + index; of two with one digest the first stays */
    VEC(struct known_state) all;
};
struct poc_answers {
    struct map at; /* digest: 1 + index; of two with one digest the first stays */
    VEC(struct query) query;
    struct known_states witness, nearest;
    struct arena arena;
};

struct poc_answers *poc_answers_new(void)
{
    return xcalloc(1, sizeof(struct poc_answers));
}

void poc_answers_free(struct poc_answers *a)
{
    if (!a)
        return;
    map_free(&a->at);
    for (size_t i = 0; i < a->query.len; i++)
        term_model_free(a->query.data[i].model);
    vec_free(&a->query);
    map_free(&a->witness.at);
    vec_free(&a->witness.all);
    for (size_t i = 0; i < a->nearest.all.len; i++)
        term_model_free(a->nearest.all.data[i].nearest);
    map_free(&a->nearest.at);
    vec_free(&a->nearest.all);
    arena_free(&a->arena);
    free(a);
}

static struct query *find_query(const struct poc_answers *a, const term *x, size_t n, uint64_t *digest,
                                bool *taken)
{
    *digest = hash_bytes(x, n * sizeof *x);
    uint64_t index = map_find(&a->at, *digest, 0);
    struct query *q = index ? &a->query.data[index - 1] : NULL;
    *taken = q != NULL;
    return q && q->n == n && memcmp(q->x, x, n * sizeof *x) == 0 ? q : NULL;
}

enum solve_answer poc_answers_known(const struct poc_answers *a, const term *x, size_t n)
{
    uint64_t digest;
    bool taken;
    const struct query *q = find_query(a, x, n, &digest, &taken);
    return q ? q->answer : SOLVE_UNKNOWN;
}

/* The model is its own from then on. */
static void put(struct poc_answers *a, const term *x, size_t n, enum solve_answer answer, bool brief,
                struct term_model *model)
{
    uint64_t digest;
    bool taken;
    struct query *q = find_query(a, x, n, &digest, &taken);
    if (q) {
        q->answer = answer;
        q->brief = brief;
        term_model_free(q->model);
        q->model = model;
    } else if (!taken) {
        vec_push(&a->query, (struct query){.x = arena_dup(&a->arena, x, n * sizeof *x),
                                           .n = n,
                                           .answer = answer,
                                           .brief = brief,
                                           .model = model});
        map_set(&a->at, digest, a->query.len);
    } else {
        term_model_free(model);
    }
}

void poc_answers_put(struct poc_answers *a, const term *x, size_t n, enum solve_answer answer, bool brief)
{
    put(a, x, n, answer, brief, NULL);
}

const struct term_model *poc_answers_model(struct poc_answers *a, struct solver *solver, const term *x,
                                           size_t n)
{
    uint64_t digest;
    bool taken;
    struct query *q = find_query(a, x, n, &digest, &taken);
    if (q && q->answer == SOLVE_SAT && !q->model && !q->shown) {
        q->shown = true;
        solve_try(solver, x, n, &q->model);
    }
    return q ? q->model : NULL;
}

enum solve_answer poc_answers_check(struct poc_answers *a, struct solver *solver, const term *x, size_t n,
                                    bool brief)
{
    uint64_t digest;
    bool taken;
    const struct query *q = find_query(a, x, n, &digest, &taken);
    if (q && (!q->brief || brief))
        return q->answer;
    struct term_model *model = NULL;
    enum solve_answer answer = brief ? solve_try(solver, x, n, &model) : solve_check(solver, x, n, &model);
    put(a, x, n, answer, brief && answer == SOLVE_UNKNOWN, model);
    return answer;
}

static uint64_t state_digest(const struct poc_side *of, const term *x, size_t n, bool back)
{
    uint64_t part[3] = {hash_bytes(x, n * sizeof *x), (uint64_t)(uintptr_t)of, back};
    return hash_bytes(part, sizeof part);
}

static const struct known_state *find_state(const struct known_states *s, const struct poc_side *of,
                                            const term *x, size_t n, bool back)
{
    uint64_t index = map_find(&s->at, state_digest(of, x, n, back), 0);
    const struct known_state *k = index ? &s->all.data[index - 1] : NULL;
    bool same = k && k->of == of && k->n == n && k->back == back && memcmp(k->x, x, n * sizeof *x) == 0;
    return same ? k : NULL;
}

/* Room for another one; NULL: its digest is taken. */
static struct known_state *add_state(struct poc_answers *a, struct known_states *s, const struct poc_side *of,
                                     const term *x, size_t n, bool back)
{
    uint64_t digest = state_digest(of, x, n, back);
    if (map_find(&s->at, digest, 0))
        return NULL;
    vec_push(&s->all, (struct known_state){
                          .of = of, .x = arena_dup(&a->arena, x, n * sizeof *x), .n = n, .back = back});
    map_set(&s->at, digest, s->all.len);
    return &vec_last(&s->all);
}

const struct poc_witness *poc_answers_witness(struct poc_answers *a, const struct poc_side *of, const term *x,
                                              size_t n, bool back)
{
    const struct known_state *k = find_state(&a->witness, of, x, n, back);
    return k ? &k->witness : NULL;
}

void poc_answers_witness_put(struct poc_answers *a, const struct poc_side *of, const term *x, size_t n,
                             bool back, const struct poc_witness *w)
{
    struct known_state *k = add_state(a, &a->witness, of, x, n, back);
    if (!k)
        return;
    k->witness = *w;
    k->witness.value = arena_dup(&a->arena, w->value ? (void *)w->value : "", w->nvalues * sizeof *w->value);
    for (size_t i = 0; i < w->nvalues; i++)
        if (w->value[i].name)
            k->witness.value[i].name = arena_strdup(&a->arena, w->value[i].name);
}

bool poc_answers_nearest(const struct poc_answers *a, const struct poc_side *of, const term *x, size_t n,
                         bool back, const struct term_model **m)
{
    const struct known_state *k = find_state(&a->nearest, of, x, n, back);
    *m = k ? k->nearest : NULL;
    return k != NULL;
}

void poc_answers_nearest_put(struct poc_answers *a, const struct poc_side *of, const term *x, size_t n,
                             bool back, struct term_model *m)
{
    struct known_state *k = add_state(a, &a->nearest, of, x, n, back);
    if (k)
        k->nearest = m;
    else
        term_model_free(m);
}
