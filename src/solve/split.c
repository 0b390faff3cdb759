/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases of the conditions that choices hang on.
 *
 * States that were merged are full of choices: a result is this when one branch was taken and that when
 * another was. Whether two such results differ is hard for a solver, which has to find out that the products
 * and the memory under the choices are the same; once it is said which branch is taken, they mostly are the
 * same term. So every case is rewritten with its condition put in, as long as each is then decided without a
 * solver. The first that is not ends it: a query that a solver has to be asked anyway is asked as a whole.
 */
#include "solve/internal.h"

enum {
    DEPTH_MAX = 12,
    CASES_MAX = 96,
    NODES_MAX = 400000, /* rewritten for one query */
    ASKED_MAX = 16,
};

struct split {
    struct terms *t;
    split_ask *ask;
    void *ctx;
    unsigned cases, asked;
    size_t nodes;
    struct assignment *model;
};

/* ---- choosing a condition ---- */

struct atoms {
    struct terms *t;
    struct map seen, choices; /* 1: the term has a choice in it, 0: it has none */
    struct map count;         /* of an atom: in how many conditions it is */
    size_t nodes;
};

static bool is_choice(const struct terms *t, term x)
{
    unsigned kind = term_kind(t, x);
    return kind == OP_ITE || kind == TERM_AITE;
}

static bool is_choice_node(void *ctx, term x)
{
    struct atoms *a = ctx;
    return is_choice(a->t, x);
}

static bool has_choice(struct atoms *a, term x)
{
    uint64_t known;
    if (map_get(&a->choices, x, &known))
        return known;
    bool any = term_any(a->t, x, is_choice_node, a);
    map_set(&a->choices, x, any);
    return any;
}

/* The parts of a condition that are neither conjunctions nor disjunctions, in the one of two forms that has
 * the smaller number. A large condition shares parts, which are looked at once from then on. */
static void count_atoms(struct atoms *a, term condition)
{
    enum { SMALL = 256 };
    struct term_list todo = {0};
    struct map shared = {0};
    vec_push(&todo, condition);
    for (unsigned n = 0; todo.len; n++) {
        term x = vec_pop(&todo), not = term_not(a->t, x);
        unsigned kind = term_kind(a->t, x);
        if (n > SMALL && !map_set(&shared, x, 1))
            continue;
        if (kind == OP_AND || kind == OP_OR) {
            vec_push(&todo, term_kid(a->t, x, 0));
            vec_push(&todo, term_kid(a->t, x, 1));
        } else if (!term_is_const(a->t, x) && !has_choice(a, x)) {
            x = not < x ? not : x;
            map_set(&a->count, x, map_find(&a->count, x, 0) + 1);
        }
    }
    map_free(&shared);
    vec_free(&todo);
}

static bool see_choice(void *ctx, term x)
{
    struct atoms *a = ctx;
    if (map_set(&a->seen, x, 1)) {
        a->nodes++;
        if (is_choice(a->t, x))
            count_atoms(a, term_kid(a->t, x, 0));
    }
    return false;
}

/* The condition that most choices hang on, of several the oldest; TERM_NONE when there are no choices. */
static term choose(struct split *s, const struct term_list *conjunct)
{
    struct atoms a = {.t = s->t};
    uint64_t atom, n, most = 0;
    term best = TERM_NONE;
    for (size_t i = 0; i < conjunct->len; i++)
        term_any(s->t, conjunct->data[i], see_choice, &a);
    for (size_t i = 0; (i = map_next(&a.count, i, &atom, &n));)
        if (n > most || (n == most && atom < best)) {
            best = (term)atom;
            most = n;
        }
    s->nodes += a.nodes;
    map_free(&a.seen);
    map_free(&a.choices);
    map_free(&a.count);
    return best;
}

/* ---- the cases ---- */

static enum solve_answer decide(struct split *s, const struct term_list *conjunct, unsigned depth);

/* Puts what is said plainly into what is said by choices and disjunctions, until nothing new comes of it.
 * False on a contradiction. */
static bool unite(struct split *s, struct term_list *conjunct)
{
    enum { ROUNDS = 4 };
    struct terms *t = s->t;
    struct atoms a = {.t = t};
    bool ok = true, again = true;
    for (unsigned round = 0; round < ROUNDS && ok && again; round++) {
        struct map done = {0};
        struct term_list now = {0};
        again = false;
        for (size_t i = 0; i < conjunct->len; i++) {
            term x = conjunct->data[i];
            if (term_kind(t, x) != OP_OR && !has_choice(&a, x)) {
                map_set(&done, x, term_true(t));
                map_set(&done, term_not(t, x), term_false(t));
            }
        }
        for (size_t i = 0; i < conjunct->len; i++) {
            term x = conjunct->data[i];
            if (!map_get(&done, x, NULL))
                x = term_rewrite(t, x, &done, NULL, NULL);
            again = again || x != conjunct->data[i];
            vec_push(&now, x);
        }
        s->nodes += done.len;
        if (again)
            ok = conjuncts_flatten(t, now.data, now.len, conjunct);
        map_free(&done);
        vec_free(&now);
    }
    map_free(&a.choices);
    return ok;
}

static enum solve_answer decide_case(struct split *s, const struct term_list *conjunct, term c,
                                     unsigned depth)
{
    struct term_list now = {0}, flat = {0};
    size_t before = s->model->of.len;
    bool changed;
    enum solve_answer answer = SOLVE_UNSAT;
    for (size_t i = 0; i < conjunct->len; i++)
        vec_push(&now, conjunct->data[i]);
    vec_push(&now, c);
    s->cases++;
    if (conjuncts_flatten(s->t, now.data, now.len, &flat) && unite(s, &flat) &&
        cheap_propagate(s->t, &flat, s->model, &changed)) {
        enum cheap r = cheap_decide(s->t, &flat, s->model, &changed);
        if (r != CHEAP_UNSAT)
            answer = r == CHEAP_SAT ? SOLVE_SAT : decide(s, &flat, depth + 1);
    }
    if (answer != SOLVE_SAT)
        assignment_truncate(s->model, before);
    vec_free(&now);
    vec_free(&flat);
    return answer;
}

static enum solve_answer decide(struct split *s, const struct term_list *conjunct, unsigned depth)
{
    if (depth > DEPTH_MAX || s->cases > CASES_MAX || s->nodes > NODES_MAX)
        return SOLVE_UNKNOWN;
    term c = choose(s, conjunct);
    if (c == TERM_NONE)
        return depth && ++s->asked <= ASKED_MAX ? s->ask(s->ctx, conjunct, s->model) : SOLVE_UNKNOWN;
    enum solve_answer answer = decide_case(s, conjunct, c, depth);
    return answer == SOLVE_UNSAT ? decide_case(s, conjunct, term_not(s->t, c), depth) : answer;
}

enum solve_answer split_decide(struct terms *t, const term *x, size_t n, split_ask *ask, void *ctx,
                               struct assignment *model)
{
    struct split s = {.t = t, .ask = ask, .ctx = ctx, .model = model};
    struct term_list all = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&all, x[i]);
    enum solve_answer answer = decide(&s, &all, 0);
    vec_free(&all);
    return answer;
}
