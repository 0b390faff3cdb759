/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VeriBin's own strategy: all paths of both versions, each block at most twice on a path. A valid path of the
 * new version is paired with one of the old version whose condition it implies, the most similar ones tried
 * first. If every valid path of either version is in a pair the functions are DIVISIBLE and only the pairs
 * are compared; otherwise all paths are compared with all. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"
#include "verify/strategy.h"

enum { PATHS_MAX = 3000, TRIES_MAX = 50, ROUNDS = 2 };

struct gathering {
    struct check *c;
    struct pair_side *s;
    ends *out, *cut; /* cut: that run a block too often, or are too long */
};

static bool gather(void *ctx, const struct exec_path *p)
{
    struct gathering *g = ctx;
    for (unsigned b = 0; b < p->nblocks; b++)
        g->c->reached[g->s->new][p->block[b]] = 1;
    bool cut = p->end == PATH_LOOP_BOUND || p->end == PATH_DEPTH;
    if (!cut)
        check_see_path(g->c, g->s, p);
    vec_push(cut ? g->cut : g->out, compare_end(g->c, g->s, p));
    return !query_is_late(g->c);
}

/* Blocks in common over all blocks. */
static double similar(const struct match_blocks *b, const struct end *o, const struct end *n)
{
    size_t common = 0;
    for (unsigned i = 0; b && i < o->path->nblocks; i++) {
        uint32_t k = o->path->block[i] < b->nold ? b->new_of_old[o->path->block[i]] : MATCH_NONE;
        for (unsigned j = 0; k != MATCH_NONE && j < n->path->nblocks; j++)
            if (n->path->block[j] == k) {
                common++;
                break;
            }
    }
    return (double)common / (double)(o->path->nblocks + n->path->nblocks);
}

struct choice {
    size_t index;
    double similar;
};

static int by_similarity(const void *a, const void *b)
{
    const struct choice *l = a, *r = b;
    if (l->similar != r->similar)
        return l->similar > r->similar ? -1 : 1;
    return l->index < r->index ? -1 : l->index > r->index;
}

static bool is_error(const struct check *c, const struct end *e)
{
    return term_is_true(c->t, e->error) && !e->bad;
}

/* Finds a partner for every valid path; false when some has none. */
static bool divide(struct check *c, const ends *o, const ends *n, size_t *of)
{
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    uint8_t *met = xcalloc(o->len + 1, 1);
    bool ok = true;
    struct choice *choice = xcalloc(o->len + 1, sizeof *choice);
    for (size_t i = 0; i < n->len && ok; i++) {
        of[i] = SIZE_MAX;
        if (is_error(c, &n->data[i]))
            continue;
        size_t count = 0;
        for (size_t k = 0; k < o->len; k++)
            if (!is_error(c, &o->data[k]))
                choice[count++] = (struct choice){k, similar(b, &o->data[k], &n->data[i])};
        qsort(choice, count, sizeof *choice, by_similarity);
        for (size_t k = 0; k < count && k < TRIES_MAX && of[i] == SIZE_MAX; k++) {
            const struct end *e = &o->data[choice[k].index];
            term q[] = {n->data[i].cond, term_not(c->t, e->cond)};
            if (n->data[i].cond == e->cond || query_possible(c, q, 2, NULL) == NO) {
                of[i] = choice[k].index;
                met[of[i]] = 1;
            }
        }
        ok = of[i] != SIZE_MAX && !query_is_late(c);
    }
    for (size_t k = 0; k < o->len && ok; k++)
        ok = met[k] || is_error(c, &o->data[k]);
    free(choice);
    free(met);
    return ok;
}

static void compare_all(struct check *c, ends *e, struct attempt *a)
{
    size_t *of = xcalloc(e[NEW].len + 1, sizeof *of);
    a->divisible = divide(c, &e[OLD], &e[NEW], of);
    if (!a->divisible) {
        struct findings found = compare_exits(c, &e[OLD], &e[NEW]);
        attempt_record(a, &found);
        free(of);
        return;
    }
    for (size_t i = 0; i < e[NEW].len; i++) {
        struct findings found = {0};
        for (size_t k = 0; of[i] == SIZE_MAX && k < e[OLD].len; k++)
            if (faults_compare(c, &e[OLD].data[k], &e[NEW].data[i], &found) && !faults_end(&e[NEW].data[i]))
                compare_rejected(c, &e[OLD].data[k], &e[NEW].data[i], &found);
        if (of[i] == SIZE_MAX) {
            attempt_record(a, &found);
            continue;
        }
        ends o = {&e[OLD].data[of[i]], 1, 1}, n = {&e[NEW].data[i], 1, 1};
        found = compare_exits(c, &o, &n);
        attempt_record(a, &found);
        a->path_pairs++;
    }
    free(of);
}

/* What changed of a side lies on the paths to these ends. */
static bool are_changes_on(struct check *c, int side, const ends *e)
{
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    const uint32_t n = c->pair.side[side].g->nblocks, known = b ? side ? b->nnew : b->nold : 0;
    uint8_t *on = xcalloc(n + 1, 1);
    bool all = b && known >= n;
    for (size_t i = 0; i < e->len; i++)
        for (unsigned k = 0; k < e->data[i].path->nblocks; k++)
            on[e->data[i].path->block[k]] = 1;
    for (uint32_t i = 0; i < n && all; i++)
        all = on[i] || (side ? b->new_status : b->old_status)[i] == MATCH_BLOCK_IDENTICAL;
    free(on);
    return all;
}

static bool is_no_argument(void *ctx, term x)
{
    const struct terms *t = ctx;
    unsigned index;
    return !term_nkids(t, x) && !term_is_const(t, x) && !origin_is_argument(t, x, &index);
}

/* Those that depend on arguments alone: what calls yield and what is in memory has other names in each
 * version as long as the calls and stores before are not compared. */
static ends by_arguments(const struct check *c, const ends *all)
{
    ends out = VEC_INIT;
    for (size_t i = 0; i < all->len; i++)
        if (!term_any(c->t, all->data[i].cond, is_no_argument, c->t))
            vec_push(&out, all->data[i]);
    return out;
}

/* No arguments take one version beyond the bound and not the other, unless they are rejected. */
static bool leave_together(struct check *c, const ends e[2], const ends cut[2])
{
    bool together = true;
    for (int s = 0; s < 2; s++) {
        ends beyond = by_arguments(c, &cut[s]), within = by_arguments(c, &e[!s]);
        together = together && check_are_rejected(c, &beyond, &within);
        vec_free(&beyond);
        vec_free(&within);
    }
    return together;
}

/* Nothing differs on paths that run no block more than ROUNDS times. That says something only if what changed
 * lies on such paths, and if the versions leave that bound together. */
static bool holds_within(struct check *c, const struct attempt *a, const ends e[2], const ends cut[2])
{
    return !a->failed.len && !a->accepted.len && are_changes_on(c, OLD, &e[OLD]) &&
           are_changes_on(c, NEW, &e[NEW]) && leave_together(c, e, cut);
}

enum attempt_outcome paths_compared(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)how;
    ends e[2] = {VEC_INIT, VEC_INIT}, cut[2] = {VEC_INIT, VEC_INIT};
    bool ok = true;
    for (int s = 0; s < 2; s++) {
        struct explore_options o = {.visits = ROUNDS,
                                    .axioms = c->opt->axioms,
                                    .keep_regs = true,
                                    .prune = true,
                                    .count_blocks = c->exits.count,
                                    .max_paths = PATHS_MAX};
        struct gathering g = {c, &c->pair.side[s], &e[s], &cut[s]};
        struct error err = {0};
        query_explore_within(&o, &c->query.budget);
        faults_forget(c, s);
        check_explorer(c, &c->pair.side[s], &o);
        ok = explore_function(c->pair.side[s].x, c->pair.side[s].f, gather, &g, &err) && ok;
        if (explorer_stats(c->pair.side[s].x).dropped)
            ok = false;
        check_explored(&c->pair.side[s]);
    }
    for (int s = 0; s < 2; s++)
        exits_report(c, &e[s]);
    c->stats.paths += e[OLD].len + e[NEW].len;
    if (ok) {
        compare_all(c, e, a);
        struct findings found = {0};
        if (!a->failed.len)
            faults_accesses(c, &e[OLD], &e[NEW], &found);
        attempt_record(a, &found);
        likely_failures(c);
        meaning_failures(c);
    }
    const bool bounded = cut[OLD].len || cut[NEW].len;
    if (bounded)
        attempt_in_rounds(a, ROUNDS);
    if (!ok)
        a->reason = reason_of(c->arena, VERIFY_REASON_TOO_MANY_PATHS);
    else if (a->failed.len)
        a->reason = a->failed.data[0].reason.code ? a->failed.data[0].reason : a->unknown;
    else if (bounded)
        a->reason = reason_of(c->arena, VERIFY_REASON_TWO_ROUNDS);
    if (ok && bounded && holds_within(c, a, e, cut))
        a->within = ROUNDS;
    for (int s = 0; s < 2; s++) {
        vec_free(&e[s]);
        vec_free(&cut[s]);
    }
    return attempt_has_refuted(a)            ? ATTEMPT_REFUTED
           : !ok || bounded || a->failed.len ? ATTEMPT_OPEN
                                             : ATTEMPT_PROVED;
}
