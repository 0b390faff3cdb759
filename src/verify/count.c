/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a loop went round, and what is known of that. */
#include "verify/join.h"

bool join_difference(struct pair *pair, term from, term to, uint64_t *d)
{
    return term_const_u64(pair->t, term_bin(pair->t, OP_SUB, to, from), d);
}

static bool difference_of(struct join *j, const struct location *l, uint64_t *d)
{
    struct terms *t = j->pair->t;
    if (!l->width || l->width > 64 || l->width < 32)
        return false;
    if (l->narrow)
        return join_difference(j->pair, term_extract(t, l->relation, 0, HALF),
                               term_extract(t, l->now, 0, HALF), d);
    return join_difference(j->pair, l->relation, l->now, d);
}

static int64_t as_signed(uint64_t d, unsigned width)
{
    return width == 64 ? (int64_t)d : (int64_t)(int32_t)(uint32_t)d;
}

/* The count in as many bits. */
static term count_as(struct join *j, term count, unsigned width)
{
    return term_width(j->pair->t, count) == width ? count : term_extract(j->pair->t, count, 0, width);
}

static uint64_t least_step(struct join *j, unsigned side)
{
    uint64_t least = 0, d;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        if (l->side != side || !difference_of(j, l, &d) || !d)
            continue;
        int64_t step = as_signed(d, l->narrow ? HALF : l->width);
        uint64_t size = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
        least = !least || size < least ? size : least;
    }
    return least;
}

/* The two go round at different speeds: where both were the same, the one is always this many steps ahead. */
static void compare_speed(struct join *j)
{
    enum { FASTEST = 8 };
    struct pair *pair = j->pair;
    unsigned votes[2][FASTEST + 1] = {{0}}, side = OLD, ratio = 1;
    bool any = false;
    for (int pointers = 1; pointers >= 0 && !any; pointers--)
        for (size_t i = 0; i < j->all.len; i++)
            for (size_t k = 0; k < j->all.len; k++) {
                const struct location *o = &j->all.data[i], *n = &j->all.data[k];
                uint64_t a, b;
                if (o->side != OLD || n->side != NEW || o->relation != n->relation || o->width != n->width ||
                    term_is_const(pair->t, o->relation) == pointers || !difference_of(j, o, &a) || !a ||
                    !difference_of(j, n, &b) || !b)
                    continue;
                int64_t x = as_signed(a, o->width), y = as_signed(b, o->width);
                any = true;
                for (int64_t m = 1; m <= FASTEST; m++) {
                    votes[OLD][m] += y == m * x;
                    votes[NEW][m] += x == m * y;
                }
            }
    /* An index of the one and a pointer of the other begin differently. */
    uint64_t least[2] = {least_step(j, OLD), least_step(j, NEW)};
    for (unsigned s = 0; s < 2 && !any; s++)
        for (unsigned m = 2; m <= FASTEST; m++)
            votes[s][m] += least[s] && least[!s] == m * least[s];
    for (unsigned s = 0; s < 2; s++)
        for (unsigned m = 2; m <= FASTEST; m++)
            if (votes[s][m] > votes[side][ratio]) {
                side = s;
                ratio = m;
            }
    j->r->rounds[side] = ratio;
    j->r->rounds[!side] = 1;
}

void join_start_count(struct join *j)
{
    struct relation *r = j->r;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        uint64_t d;
        if (difference_of(j, l, &d) && d)
            map_set(&r->step[l->side], l->key, d);
    }
    if (!r->step[OLD].len && !r->step[NEW].len)
        return;
    compare_speed(j);
    r->count = term_fresh(j->pair->t, "count", j->pair->width);
    map_set(&r->symbols, r->count, 1);
    j->count_now = term_const(j->pair->t, j->pair->width, 1);
    j->counted = 1;
    j->changed = true;
}

void join_go_on_counting(struct join *j)
{
    struct pair *pair = j->pair;
    struct map votes = {0};
    uint64_t best = 0, most = 0;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        uint64_t step, d;
        if (!map_get(&j->r->step[l->side], l->key, &step) || !difference_of(j, l, &d) || !d)
            continue;
        unsigned width = l->narrow ? HALF : l->width;
        int64_t a = as_signed(d, width), b = as_signed(step, width);
        if (b == 0 || a % b != 0 || a / b < 0)
            continue;
        uint64_t n = map_find(&votes, (uint64_t)(a / b), 0) + 1;
        map_set(&votes, (uint64_t)(a / b), n);
        if (n > most) {
            most = n;
            best = (uint64_t)(a / b);
        }
    }
    map_free(&votes);
    j->counted = best;
    j->count_now = best ? term_add_const(pair->t, j->r->count, best) : term_const(pair->t, pair->width, 0);
}

term join_times(struct join *j, term count, uint64_t step, unsigned width)
{
    struct terms *t = j->pair->t;
    return term_bin(t, OP_MUL, count_as(j, count, width), term_const(t, width, step));
}

/* ---- literals ---- */

void join_keep_literals(struct join *j, unsigned s)
{
    struct pair *pair = j->pair;
    struct exec_point *t = j->r->at[s];
    const struct exec_point *a = j->a[s];
    struct map have = {0};
    VEC(term) both = VEC_INIT;
    for (unsigned i = 0; i < a->nliterals; i++)
        map_set(&have, a->literal[i], 1);
    for (unsigned i = 0; i < t->nliterals; i++) {
        term l = t->literal[i];
        bool own = join_has_symbols(j, l), holds = !own && map_get(&have, l, NULL);
        if (!holds && j->rich && t->nliterals <= LITERALS_MAX) {
            term now = canonical_term(pair, &pair->side[s], l);
            now = own ? join_value_now(j, now) : now;
            term q[] = {j->v->v, now == TERM_NONE ? TERM_NONE : term_not(pair->t, now)};
            holds = now != TERM_NONE && query_possible(j->v->c, q, 2, NULL) == NO;
        }
        if (holds)
            vec_push(&both, l);
        else
            map_set(&j->r->dropped, l, 1);
    }
    j->changed = j->changed || both.len != t->nliterals;
    t->literal = arena_dup(j->arena, both.data, both.len * sizeof(term));
    t->nliterals = (unsigned)both.len;
    vec_free(&both);
    map_free(&have);
}

static void add_literal(struct join *j, unsigned s, term l)
{
    struct exec_point *t = j->r->at[s];
    VEC(term) all = VEC_INIT;
    for (unsigned i = 0; i < t->nliterals; i++)
        vec_push(&all, t->literal[i]);
    vec_push(&all, l);
    t->literal = arena_dup(j->arena, all.data, all.len * sizeof(term));
    t->nliterals = (unsigned)all.len;
    vec_free(&all);
}

void join_guess_small(struct join *j)
{
    struct terms *t = j->pair->t;
    term count = j->r->count;
    unsigned width = term_width(t, count);
    for (unsigned bits = HALF - 1; bits <= HALF && bits < width; bits++)
        add_literal(j, OLD,
                    term_eq(t, term_extract(t, count, bits, width - bits), term_const(t, width - bits, 0)));
}

/* A loop that ends where what is counted meets a bound: how far it is from there, which shrinks by *step with
 * each round; TERM_NONE: it is no such literal. */
static term distance(struct join *j, term l, uint64_t *step)
{
    struct terms *t = j->pair->t;
    if (term_kind(t, l) != OP_NOT || term_kind(t, term_kid(t, l, 0)) != OP_EQ)
        return TERM_NONE;
    term a = term_kid(t, term_kid(t, l, 0), 0), b = term_kid(t, term_kid(t, l, 0), 1), count = j->r->count;
    if (term_is_array(t, a) || term_width(t, a) < HALF || term_width(t, a) > 64)
        return TERM_NONE;
    term far = term_bin(t, OP_SUB, a, b), next = term_add_const(t, count, 1);
    if (!join_difference(j->pair, term_substitute(t, far, &count, &next, 1), far, step) || !*step)
        return TERM_NONE;
    int64_t by = as_signed(*step, term_width(t, a));
    *step = (uint64_t)(by < 0 ? -by : by);
    return by < 0 ? term_un(t, OP_NEG, far) : far;
}

/* It has not come there yet. */
static term not_yet(struct join *j, term l)
{
    struct terms *t = j->pair->t;
    uint64_t step;
    term far = distance(j, l, &step);
    if (far == TERM_NONE)
        return TERM_NONE;
    term none = term_const(t, term_width(t, j->r->count), 0);
    return term_bin(t, OP_ULT, join_times(j, j->r->count, step, term_width(t, far)),
                    term_substitute(t, far, &j->r->count, &none, 1));
}

static bool guess(struct join *j, unsigned s, term l, struct map *have)
{
    if (l == TERM_NONE || term_is_const(j->pair->t, l) || map_get(&j->r->dropped, l, NULL) ||
        !map_set(have, l, 1))
        return false;
    add_literal(j, s, l);
    return true;
}

/* What was decided on the way round the loop, as it was one round before. */
static bool guess_decided(struct join *j, unsigned s, struct map *have)
{
    struct terms *t = j->pair->t;
    term count = j->r->count, before = term_add_const(t, count, 0 - j->counted);
    unsigned n = 0;
    for (unsigned i = 0; i < j->a[s]->nliterals && n < GUESSES_MAX; i++) {
        term l = j->a[s]->literal[i];
        if (!join_has_symbols(j, l) || !join_only_counts(j, l) || map_get(have, l, NULL))
            continue;
        l = term_substitute(t, l, &count, &before, 1);
        n += guess(j, s, l, have);
        n += guess(j, s, not_yet(j, l), have);
    }
    return n;
}

/* Both have the same way to go. */
static bool guess_same_way(struct join *j, struct map *have)
{
    struct pair *pair = j->pair;
    unsigned n = 0;
    for (unsigned i = 0; i < j->a[OLD]->nliterals; i++)
        for (unsigned k = 0; k < j->a[NEW]->nliterals && n < GUESSES_MAX; k++) {
            uint64_t step[2];
            term far[] = {distance(j, j->a[OLD]->literal[i], &step[OLD]),
                          distance(j, j->a[NEW]->literal[k], &step[NEW])};
            if (far[OLD] == TERM_NONE || far[NEW] == TERM_NONE || step[OLD] != step[NEW])
                continue;
            /* what is of one version only means nothing to the other */
            bool shared = true;
            for (unsigned s = 0; s < 2; s++) {
                shared = shared && canonical_term(pair, &pair->side[s], far[s]) == far[s];
                if (term_width(pair->t, far[s]) < term_width(pair->t, far[!s]))
                    far[s] = term_zext(pair->t, far[s], term_width(pair->t, far[!s]));
            }
            if (shared)
                n += guess(j, OLD, term_eq(pair->t, far[OLD], far[NEW]), have);
        }
    return n;
}

bool join_guess_literals(struct join *j)
{
    struct map have[2] = {{0}, {0}};
    bool any = false;
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned i = 0; i < j->r->at[s]->nliterals; i++)
            map_set(&have[s], j->r->at[s]->literal[i], 1);
        any = guess_decided(j, s, &have[s]) || any;
    }
    any = guess_same_way(j, &have[OLD]) || any;
    for (unsigned s = 0; s < 2; s++)
        map_free(&have[s]);
    return any;
}
