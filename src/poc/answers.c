/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the solver said. It has a cache of its own, but takes a query apart before it looks there. Here a
 * query is the same when it is the same terms in the same order, as it is where candidates have a path in
 * common.
 *
 * Mostly they have one but for little: what is known of single bytes of memory is another in each process, as
 * code is elsewhere in it, and a condition of the candidate's own stands beside those of the original. So
 * queries are ALIKE when they have the same terms but for what is known of memory, and, less so, when they
 * have the same terms of those that the original has, too. The values with which a query could hold are tried
 * on those like it, with what is known there put in their place: that only has to be evaluated. What nobody
 * knew is not asked again where all else is the same; it is charged with the work that it took then. So what one
 * candidate gave up for lack of work the next one gives up, too, at once, instead of doing as much elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "poc/poc.h"

struct query {
    const term *x;
    size_t n;
    enum solve_answer answer;
    bool brief;               /* nobody knows, with little effort */
    uint64_t cost;            /* nobody knows: the work after which that was said */
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
/* Queries that are alike. */
struct family {
    VEC(uint32_t) member; /* indices of queries that can hold */
    bool unknown;         /* nobody knew of one ... */
    uint64_t cost;        /* ... after so much work */
    bool mute;            /* of one nobody knows values, though it can hold */
    struct term_model
        *near[2]; /* values as near to the snapshot as could be: kept from the front, and from the back */
};
/* Values with which a query held, and its terms: the next one on the same path has one more. */
struct held {
    struct term_model *m;
    struct map term;
};
struct poc_answers {
    struct map at; /* digest: 1 + index; of two with one digest the first stays */
    VEC(struct query) query;
    struct map family_at; /* digest of what its queries have in common: 1 + index */
    VEC(struct family) family;
    struct held held[2]; /* the last ones: of two ways that a branch may go */
    unsigned last;       /* of the two */
    uint64_t asked;      /* terms_work() when the solver was asked last */
    term young;          /* terms from this one on are not of the original alone; 0: there are none */
    struct known_states witness, nearest;
    struct arena arena;
};

struct poc_answers *poc_answers_new(void)
{
    return xcalloc(1, sizeof(struct poc_answers));
}

static void family_free(struct family *f)
{
    vec_free(&f->member);
    term_model_free(f->near[0]);
    term_model_free(f->near[1]);
}

void poc_answers_free(struct poc_answers *a)
{
    if (!a)
        return;
    map_free(&a->at);
    for (size_t i = 0; i < a->query.len; i++)
        term_model_free(a->query.data[i].model);
    vec_free(&a->query);
    map_free(&a->family_at);
    for (size_t i = 0; i < a->family.len; i++)
        family_free(&a->family.data[i]);
    vec_free(&a->family);
    for (unsigned i = 0; i < 2; i++) {
        term_model_free(a->held[i].m);
        map_free(&a->held[i].term);
    }
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

/* The model is its own from then on. Which of the queries it is; NULL: none, as its digest is taken. */
static struct query *put(struct poc_answers *a, const term *x, size_t n, enum solve_answer answer, bool brief,
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
        return q;
    }
    if (taken) {
        term_model_free(model);
        return NULL;
    }
    vec_push(&a->query, (struct query){.x = arena_dup(&a->arena, x, n * sizeof *x),
                                       .n = n,
                                       .answer = answer,
                                       .brief = brief,
                                       .model = model});
    map_set(&a->at, digest, a->query.len);
    return &vec_last(&a->query);
}

static const struct term_model *model_of(struct query *q, struct solver *solver)
{
    if (q->answer == SOLVE_SAT && !q->model && !q->shown) {
        q->shown = true;
        solve_try(solver, q->x, q->n, &q->model);
    }
    return q->model;
}

const struct term_model *poc_answers_model(struct poc_answers *a, struct solver *solver, const term *x,
                                           size_t n)
{
    uint64_t digest;
    bool taken;
    struct query *q = find_query(a, x, n, &digest, &taken);
    return q ? model_of(q, solver) : NULL;
}

/* ---- queries that are alike ---- */

void poc_answers_young(struct poc_answers *a, const struct terms *t)
{
    a->young = (term)terms_count(t);
}

static int by_number(const void *a, const void *b)
{
    term x = *(const term *)a, y = *(const term *)b;
    return x < y ? -1 : x > y;
}

typedef VEC(term) term_vec;

/* By what the query has but for what is known of memory: all of it, or what the original has, too. NULL:
 * there is no such family, or nothing to tell it by. */
static struct family *family_of(struct poc_answers *a, const struct poc_query *q, bool old, bool make)
{
    term_vec part = VEC_INIT;
    uint64_t digest[2] = {0, (uint64_t)(uintptr_t)q->of};
    for (size_t i = 0; i < q->n; i++)
        if (i - q->facts >= q->nfacts && (!old || !a->young || q->x[i] < a->young))
            vec_push(&part, q->x[i]);
    vec_sort(&part, by_number);
    size_t n = 0;
    for (size_t i = 0; i < part.len; i++)
        if (!n || part.data[n - 1] != part.data[i])
            part.data[n++] = part.data[i];
    digest[0] = n ? hash_bytes(part.data, n * sizeof *part.data) : 0;
    vec_free(&part);
    if (!n)
        return NULL;
    uint64_t key = hash_bytes(digest, sizeof digest), index = map_find(&a->family_at, key, 0);
    if (!index && !make)
        return NULL;
    if (!index) {
        vec_push(&a->family, (struct family){.unknown = false});
        index = a->family.len;
        map_set(&a->family_at, key, index);
    }
    return &a->family.data[index - 1];
}

static void join(struct family *f, uint32_t member)
{
    if (f && (!f->member.len || vec_last(&f->member) != member))
        vec_push(&f->member, member);
}

static void remember(struct poc_answers *a, struct terms *t, const struct poc_query *q,
                     enum solve_answer answer, bool brief, struct term_model *model)
{
    struct query *known = put(a, q->x, q->n, answer, brief, model);
    const uint64_t cost = *terms_work(t) - a->asked;
    if (known)
        known->cost = cost;
    if (answer == SOLVE_UNSAT) {
        family_of(a, q, true, true);
    } else if (answer == SOLVE_SAT && known) {
        const uint32_t member = (uint32_t)(known - a->query.data);
        join(family_of(a, q, false, true), member);
        join(family_of(a, q, true, true), member);
    } else if (answer == SOLVE_UNKNOWN && !brief) {
        for (unsigned old = 0; old < 2; old++) {
            struct family *f = family_of(a, q, old, true);
            if (!f)
                continue;
            f->unknown = true;
            f->cost = cost;
        }
    }
}

/* "A cell of memory at entry is a number": that number is put there. */
static void set_fact(struct terms *t, struct term_model *m, term fact)
{
    struct bits value;
    if (term_kind(t, fact) != OP_EQ || term_kind(t, term_kid(t, fact, 0)) != TERM_READ ||
        !term_const_value(t, term_kid(t, fact, 1), &value))
        return;
    term_model_set_read(t, m, term_kid(t, fact, 0), value);
}

/* The terms of a query, those that are likeliest not to hold with values of another one last. */
static void in_order(const struct poc_answers *a, const struct poc_query *q, term_vec *x)
{
    for (size_t i = 0; i < q->nfacts; i++)
        vec_push(x, q->x[q->facts + i]);
    for (unsigned young = 0; young < 2; young++)
        for (size_t i = 0; i < q->n; i++)
            if (i - q->facts >= q->nfacts && (a->young && q->x[i] >= a->young) == young)
                vec_push(x, q->x[i]);
}

/* Values of another query, with what is known of memory in this one, if that holds with them; x: its terms.
 */
static struct term_model *adapted(struct terms *t, const struct poc_query *q, const term_vec *x,
                                  const struct term_model *m)
{
    bool known;
    if (!m)
        return NULL;
    struct term_model *with = term_model_copy(m);
    for (size_t i = 0; i < q->nfacts; i++)
        set_fact(t, with, q->x[q->facts + i]);
    if (term_eval_none_false(t, with, x->data, x->len, &known) && known)
        return with;
    term_model_free(with);
    return NULL;
}

static void hold(struct held *h, const struct poc_query *q)
{
    for (size_t i = 0; i < q->n; i++)
        map_set(&h->term, q->x[i], 1);
}

/* The values of one of the last queries, if this one holds with them as they are. */
static struct term_model *still_held(struct poc_answers *a, struct terms *t, const struct poc_query *q)
{
    struct term_model *found = NULL;
    term_vec x = VEC_INIT;
    for (unsigned i = 0; i < 2 && !found; i++) {
        struct held *h = &a->held[(a->last + i) % 2];
        bool known;
        vec_clear(&x);
        for (size_t k = 0; k < q->n; k++)
            if (!map_get(&h->term, q->x[k], NULL))
                vec_push(&x, q->x[k]);
        if (!h->m || !term_eval_none_false(t, h->m, x.data, x.len, &known) || !known)
            continue;
        hold(h, q);
        found = term_model_hold(h->m);
        a->last = (a->last + i) % 2;
    }
    vec_free(&x);
    return found;
}

static struct term_model *model_like(struct poc_answers *a, struct solver *solver, struct terms *t,
                                     const struct poc_query *q)
{
    enum { FEW = 4 };
    const struct family *like = family_of(a, q, true, false);
    /* those like it could never hold */
    if (like && !like->member.len)
        return NULL;
    struct term_model *found = still_held(a, t, q);
    term_vec x = VEC_INIT;
    if (found)
        return found;
    in_order(a, q, &x);
    for (unsigned old = 0; old < 2 && !found; old++) {
        struct family *f = family_of(a, q, old, false);
        const size_t n = f ? f->member.len : 0;
        for (size_t i = n; i-- > 0 && n - i <= FEW && !found;) {
            struct query *one = &a->query.data[f->member.data[i]];
            const struct term_model *m = f->mute ? one->model : model_of(one, solver);
            f->mute = f->mute || !m;
            found = adapted(t, q, &x, m);
        }
    }
    if (found) {
        struct held *h = &a->held[a->last = !a->last];
        term_model_free(h->m);
        map_clear(&h->term);
        h->m = term_model_hold(found);
        hold(h, q);
    }
    vec_free(&x);
    return found;
}

struct term_model *poc_answers_near(struct poc_answers *a, struct terms *t, const struct poc_query *q,
                                    bool back)
{
    struct term_model *found = NULL;
    term_vec x = VEC_INIT;
    in_order(a, q, &x);
    for (unsigned old = 0; old < 2 && !found; old++) {
        const struct family *f = family_of(a, q, old, false);
        found = f ? adapted(t, q, &x, f->near[back]) : NULL;
    }
    vec_free(&x);
    return found;
}

void poc_answers_near_put(struct poc_answers *a, const struct poc_query *q, bool back, bool shown,
                          const struct term_model *m)
{
    for (unsigned old = 0; old < 1u + shown; old++) {
        struct family *f = family_of(a, q, old, true);
        if (!f)
            continue;
        term_model_free(f->near[back]);
        f->near[back] = term_model_copy(m);
    }
}

bool poc_answers_known(struct poc_answers *a, struct solver *solver, struct terms *t,
                       const struct poc_query *q, bool lightly, enum solve_answer *answer)
{
    uint64_t digest;
    bool taken;
    const struct query *same = find_query(a, q->x, q->n, &digest, &taken);
    *answer = same ? same->answer : SOLVE_UNKNOWN;
    if (same && !same->brief) {
        *terms_work(t) += same->answer == SOLVE_UNKNOWN ? same->cost : 0;
        return true;
    }
    struct term_model *m = model_like(a, solver, t, q);
    if (m) {
        *answer = SOLVE_SAT;
        remember(a, t, q, SOLVE_SAT, false, m);
        return true;
    }
    const struct family *f = family_of(a, q, lightly, false);
    const bool unknown = f && f->unknown;
    *terms_work(t) += unknown ? f->cost : 0;
    a->asked = *terms_work(t);
    return unknown;
}

void poc_answers_put(struct poc_answers *a, struct terms *t, const struct poc_query *q,
                     enum solve_answer answer, bool brief)
{
    remember(a, t, q, answer, brief, NULL);
}

enum solve_answer poc_answers_check(struct poc_answers *a, struct solver *solver, struct terms *t,
                                    const struct poc_query *q, bool brief)
{
    enum solve_answer answer;
    struct term_model *model = NULL;
    uint64_t digest;
    bool taken;
    const struct query *same = find_query(a, q->x, q->n, &digest, &taken);
    if (same && same->brief && brief)
        return same->answer;
    if (poc_answers_known(a, solver, t, q, false, &answer))
        return answer;
    answer = brief ? solve_try(solver, q->x, q->n, &model) : solve_check(solver, q->x, q->n, &model);
    remember(a, t, q, answer, brief && answer == SOLVE_UNKNOWN, model);
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
