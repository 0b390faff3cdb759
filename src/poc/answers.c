/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the solver said. It has a cache of its own, but takes a query apart before it looks there. Here a query is the
 * same when it is the same terms in the same order, as it is where candidates have a path in common. */
#include <stdlib.h>
#include <string.h>

#include "poc/poc.h"

struct query {
    const term *x;
    size_t n;
    enum solve_answer answer;
};
struct poc_answers {
    struct map at; /* digest: 1 + index; of two with one digest the first stays */
    VEC(struct query) query;
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
    vec_free(&a->query);
    arena_free(&a->arena);
    free(a);
}

enum solve_answer poc_answers_check(struct poc_answers *a, struct solver *solver, const term *x, size_t n)
{
    uint64_t digest = hash_bytes(x, n * sizeof *x), index = map_find(&a->at, digest, 0);
    const struct query *q = index ? &a->query.data[index - 1] : NULL;
    if (q && q->n == n && memcmp(q->x, x, n * sizeof *x) == 0)
        return q->answer;
    enum solve_answer answer = solve_check(solver, x, n, NULL);
    if (q || answer == SOLVE_UNKNOWN)
        return answer;
    vec_push(&a->query, (struct query){arena_dup(&a->arena, x, n * sizeof *x), n, answer});
    map_set(&a->at, digest, a->query.len);
    return answer;
}
