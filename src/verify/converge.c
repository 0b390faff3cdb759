/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running the two versions together.
 *
 * Each version is cut at its loop heads, and the heads of the two are paired. From a pair of corresponding
 * states both are run, merging, to the next heads and to their exits. Exits are compared. At a pair of heads
 * that can be reached together, what is known is put as a relation (relation.h), which is weakened until it
 * holds at every arrival, however often the loops go round.
 *
 * The first attempt pairs heads as the blocks are paired, and takes for equal only what is the same term.
 * When that fails and there are loops, others follow: with counts and the solver's help, with pairs made of
 * what is reached together, with a loop cut after its test instead of before it (compilers rotate loops),
 * with several rounds of one for one of the other (they unroll them), and with a loop run through that the
 * other version does not have. */
#include <stdlib.h>
#include <string.h>

#include "verify/strategy.h"
#include "verify/walk.h"

enum { ROUNDS_MAX = 400, LATER_MAX = 40, CUTS_MAX = 200 };
/* Where every paired block is a cut: so many rounds for each; arrivals of a block that many lead to. */
enum { ROUNDS_A_CUT = 8, LATER_BLOCKS_MAX = 1000 };

/* ---- segments ---- */

static bool collect(void *ctx, const struct exec_path *p)
{
    VEC(const struct exec_path *) *all = ctx;
    vec_push(all, p);
    return true;
}

static bool run_side(struct check *c, struct pair_side *s, const struct exec_point *from, const uint8_t *stop,
                     ends *out, struct verify_reason *reason)
{
    VEC(const struct exec_path *) paths = VEC_INIT;
    struct error err = {0};
    faults_forget(c, s->new);
    bool ok = explore_segment(s->x, s->f, from, stop, collect, &paths, &err);
    c->stats.segments++;
    if (!ok)
        *reason = reason_of(c->arena, VERIFY_REASON_NOT_EXPLORED, err.text);
    else if (explorer_stats(s->x).dropped) {
        *reason = query_limit(c, true);
        ok = false;
    }
    for (size_t i = 0; ok && i < paths.len; i++) {
        const struct exec_path *p = paths.data[i];
        for (unsigned b = 0; b < p->nblocks; b++)
            c->reached[s->new][p->block[b]] = 1;
        check_see_path(c, s, p);
        vec_push(out, compare_end(c, s, p));
    }
    vec_free(&paths);
    return ok;
}

/* `through`: loops whose conditions are all known are run to their end. */
static void explorers(struct check *c, unsigned visits, bool through)
{
    for (int s = 0; s < 2; s++) {
        struct explore_options o = {.merge = true,
                                    .merge_returns = true,
                                    .no_cost_heuristic = true,
                                    .keep_regs = true,
                                    .count_blocks = c->exits.count,
                                    .visits = visits,
                                    .free_concrete = through,
                                    .max_depth = 1000000,
                                    .max_paths = UINT64_MAX / 2,
                                    .axioms = c->opt->axioms};
        query_explore_within(&o, &c->query.budget);
        check_explorer(c, &c->pair.side[s], &o);
    }
}

static void explorers_done(struct check *c)
{
    for (int s = 0; s < 2; s++) {
        struct explore_stats st = explorer_stats(c->pair.side[s].x);
        c->stats.states += st.states;
        c->stats.merges += st.merges;
        check_explored(&c->pair.side[s]);
    }
}

/* ---- arrivals ---- */

static size_t find_cut(const struct walk *w, uint32_t o, uint32_t n)
{
    for (size_t i = 0; i < w->cut.len; i++)
        if (!w->cut.data[i].gone && w->cut.data[i].block[OLD] == o && w->cut.data[i].block[NEW] == n)
            return i;
    return SIZE_MAX;
}

static size_t cut_for(struct walk *w, const struct end *o, const struct end *n)
{
    size_t i = find_cut(w, o->path->point->block, n->path->point->block);
    bool wanted = w->plan->kind == RELATION_RICH ? w->cut.len < CUTS_MAX
                                                 : w->plan->kind == RELATION_FORGETS && o->cond == n->cond;
    if (i == SIZE_MAX && wanted) {
        i = w->cut.len;
        vec_push(&w->cut, (struct cut){.block = {o->path->point->block, n->path->point->block}});
    }
    return i;
}

static void blame(struct walk *w, size_t cut, int why)
{
    if (cut != ENTRY)
        vec_push(&w->blamed[why], w->cut.data[cut].block[OLD]);
}

static bool list_has(const cut_list *l, size_t cut)
{
    for (size_t i = 0; i < l->len; i++)
        if (l->data[i] == cut)
            return true;
    return false;
}

/* Where the segments from there led. */
static cut_list *ways_from(struct walk *w, size_t from)
{
    return from == ENTRY ? &w->entry_to : &w->cut.data[from].to;
}

/* What leads there is run again. */
static void run_towards(struct walk *w, size_t at)
{
    w->entry = w->entry || list_has(&w->entry_to, at);
    for (size_t i = 0; i < w->cut.len; i++) {
        struct cut *k = &w->cut.data[i];
        k->waiting = k->waiting || (k->r.arrivals && !k->gone && !k->failed && list_has(&k->to, at));
    }
}

static void forget_relation(struct cut *k)
{
    relation_free(&k->r);
    k->r = (struct relation){0};
    k->waiting = k->failed = k->stale = false;
}

/* What is known at a cut may say less than what could be known, as it was found when there were more cuts: it
 * is found anew. False: it says all there is. */
static bool find_anew(struct walk *w, size_t at)
{
    if (at == ENTRY || !w->cut.data[at].stale)
        return false;
    forget_relation(&w->cut.data[at]);
    run_towards(w, at);
    return true;
}

/* A pair of heads is reached together, under a condition. */
static bool arrive_when(struct walk *w, size_t at, size_t from, const struct end *o, const struct end *n,
                        term v, unsigned splits)
{
    struct check *c = w->c;
    struct view view;
    view_start(&view, c, o, n, v);
    struct findings found = calls_compare(&view);
    stray_compare(&view, &found);
    bool ok = !found.failed.len, calls = ok;
    term guard = ok || !splits ? TERM_NONE : compare_undecided_call(&view);
    enum relation_change change = RELATION_FAILS;
    if (ok) {
        change = relation_arrive(&w->cut.data[at].r, &view, w->plan->kind, at == from);
        if (change == RELATION_FAILS)
            w->reason = reason_of(c->arena, VERIFY_REASON_FRAMES_AT_HEAD);
    }
    view_end(&view);
    if (guard != TERM_NONE) {
        findings_drop(&found);
        term half[] = {term_and(c->t, v, guard), term_and(c->t, v, term_not(c->t, guard))};
        ok = true;
        for (int i = 0; i < 2 && ok; i++)
            ok = query_possible(c, &half[i], 1, NULL) == NO ||
                 arrive_when(w, at, from, o, n, half[i], splits - 1);
        return ok;
    }
    const bool forgets = w->plan->kind == RELATION_FORGETS;
    unsigned most = forgets ? LATER_BLOCKS_MAX : LATER_MAX;
    const bool covered = change != RELATION_FAILS && w->cut.data[at].r.arrivals < most;
    if (!covered && forgets && (int)find_anew(w, at) + find_anew(w, from)) {
        findings_drop(&found);
        return true;
    }
    findings_open(&found);
    attempt_record(c->now, &found);
    if (change == RELATION_WEAKER)
        w->cut.data[at].waiting = true;
    if (change == RELATION_STRONGER) {
        w->entry = true;
        for (size_t i = 0; i < w->cut.len; i++)
            w->cut.data[i].waiting = w->cut.data[i].r.arrivals > 0;
    }
    if (!covered) {
        /* What is known there now is not so. */
        w->cut.data[at].failed = forgets;
        w->cut.data[at].waiting = w->cut.data[at].waiting && !forgets;
        blame(w, at, TOO_EARLY);
        w->differ = true;
        if (!calls)
            blame(w, from, TOO_LITTLE);
    }
    return covered;
}

static bool arrive(struct walk *w, size_t at, size_t from, const struct end *o, const struct end *n)
{
    if (!list_has(ways_from(w, from), at))
        vec_push(ways_from(w, from), at);
    if (w->cut.data[at].failed)
        return false;
    return arrive_when(w, at, from, o, n, term_and(w->c->t, o->cond, n->cond),
                       w->plan->kind == RELATION_RICH ? SPLITS_MAX : 0);
}

/* ---- the walk ---- */

static bool is_cut(const struct end *e)
{
    return e->path->end == PATH_CUT;
}

/* One of the two goes on where the other has ended, or at another loop. */
static bool diverge(struct walk *w, size_t from, const struct end *o, const struct end *n)
{
    struct check *c = w->c;
    term q[] = {o->cond, n->cond, term_not(c->t, n->error)};
    struct findings found = {0};
    uint64_t values;
    if (is_cut(n) && doomed(c, n, &values)) {
        rejected_behind_loop(c, o, n, values);
        return true;
    }
    const bool faults = !is_cut(n) && !faults_compare(c, o, n, &found);
    if (!faults && !is_cut(n) && !faults_end(n) && !term_is_false(c->t, n->error))
        compare_rejected(c, o, n, &found);
    const bool open = faults || found.failed.len;
    if (open && find_anew(w, from)) {
        findings_drop(&found);
        return true;
    }
    findings_open(&found);
    attempt_record(c->now, &found);
    if (open) {
        blame(w, from, TOO_LITTLE);
        return false;
    }
    if (term_is_true(c->t, n->error) || query_possible(c, q, 3, NULL) == NO)
        return true;
    term all = term_and(c->t, q[0], term_and(c->t, q[1], q[2]));
    struct view view;
    view_start(&view, c, o, n, all);
    bool never = calls_settle(&view, all, NULL);
    view_end(&view);
    if (never)
        return true;
    bool oc = is_cut(o);
    if (find_anew(w, from))
        return true;
    for (size_t i = 0; i < w->cut.len; i++)
        if (!w->cut.data[i].gone && ((is_cut(o) && w->cut.data[i].block[OLD] == o->path->point->block) ||
                                     (is_cut(n) && w->cut.data[i].block[NEW] == n->path->point->block)))
            blame(w, i, TOO_EARLY);
    if (!is_cut(n))
        blame(w, from, TOO_LITTLE);
    w->parted_side = oc ? OLD : NEW;
    w->parted_at = (oc ? o : n)->path->point->block;
    w->reason =
        reason_of(c->arena, VERIFY_REASON_VERSIONS_PART,
                  (unsigned long long)object_display_address(program_object(o->s->p), o->path->end_address),
                  (unsigned long long)object_display_address(program_object(n->s->p), n->path->end_address));
    return false;
}

/* Where a side stops when it is run from there. */
static void stops_from(const struct walk *w, size_t from, int s, uint8_t *stop)
{
    const struct cut *cut = from == ENTRY ? NULL : &w->cut.data[from];
    for (size_t i = 0; cut && i < w->plan->speed.len; i++) {
        const struct speed *p = &w->plan->speed.data[i];
        if (p->block[OLD] == cut->block[OLD] && p->block[NEW] == cut->block[NEW])
            stop[cut->block[s]] = (uint8_t)p->rounds[s];
    }
}

static bool run_from(struct walk *w, size_t from, ends *e)
{
    struct check *c = w->c;
    bool ok = true;
    for (int s = 0; s < 2 && ok; s++) {
        uint32_t n = c->pair.side[s].g->nblocks;
        uint8_t *stop = xcalloc(n + 1, 1);
        memcpy(stop, w->plan->stop[s], n);
        stops_from(w, from, s, stop);
        ok = run_side(c, &c->pair.side[s], from == ENTRY ? NULL : w->cut.data[from].r.at[s], stop, &e[s],
                      &w->reason);
        free(stop);
    }
    return ok;
}

/* All pairs of heads that can be reached together; then, unless what is known at the beginning has changed by
 * that, where one has ended or both have. */
static bool look_at(struct walk *w, size_t from, const ends *e)
{
    struct check *c = w->c;
    const bool all = w->plan->kind == RELATION_FORGETS; /* that is to blame is looked for */
    bool ok = true;
    for (int pass = 0; pass < 2 && ok; pass++) {
        if (pass && (from == ENTRY ? w->entry : w->cut.data[from].waiting))
            break;
        for (size_t i = 0; i < e[OLD].len && (ok || all); i++)
            for (size_t k = 0; k < e[NEW].len && (ok || all); k++) {
                const struct end *o = &e[OLD].data[i], *n = &e[NEW].data[k];
                size_t at = is_cut(o) && is_cut(n) ? cut_for(w, o, n) : SIZE_MAX;
                if ((!is_cut(o) && !is_cut(n)) || (at == SIZE_MAX) != pass)
                    continue;
                term q[] = {o->cond, n->cond};
                /* Where both go the same way, it is not worth asking whether any input does. */
                if (!(all && q[OLD] == q[NEW]) && query_possible(c, q, 2, NULL) == NO)
                    continue;
                ok = (pass ? diverge(w, from, o, n) : arrive(w, at, from, o, n)) && ok;
                if (!pass && w->entry && !all)
                    return ok;
            }
    }
    return ok;
}

static bool step(struct walk *w, size_t from)
{
    struct check *c = w->c;
    ends e[2] = {VEC_INIT, VEC_INIT};
    c->now->inside = from != ENTRY;
    rejected_again(c->now, from);
    ways_from(w, from)->len = 0;
    bool ok = run_from(w, from, e);
    if (ok) {
        exits_report(c, &e[OLD]);
        exits_report(c, &e[NEW]);
        ok = look_at(w, from, e);
    }
    if (ok && !(from == ENTRY ? w->entry : w->cut.data[from].waiting)) {
        struct findings found = compare_exits(c, &e[OLD], &e[NEW]);
        if (!found.failed.len)
            faults_accesses(c, &e[OLD], &e[NEW], &found);
        ok = !found.failed.len;
        if (!ok && find_anew(w, from)) {
            findings_drop(&found);
            ok = true;
        } else if (!ok) {
            blame(w, from, TOO_LITTLE);
        }
        /* From a relation a difference may be one that no input makes. */
        if (from != ENTRY)
            findings_open(&found);
        attempt_record(c->now, &found);
    }
    vec_free(&e[OLD]);
    vec_free(&e[NEW]);
    if (query_is_late(c)) {
        w->reason = query_limit(c, false);
        ok = false;
    }
    return ok;
}

/* Which loop of one is which of the other: by the pairing of blocks, the rest by order. */
static void pair_heads(struct walk *w)
{
    struct check *c = w->c;
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    const struct flow_graph *g[2] = {c->pair.side[OLD].g, c->pair.side[NEW].g};
    const uint8_t *const *stop = (const uint8_t *const *)w->plan->stop;
    uint8_t *used = xcalloc(g[NEW]->nblocks + 1, 1);
    VEC(uint32_t) left = VEC_INIT;
    for (uint32_t i = 0; i < g[OLD]->nblocks; i++) {
        if (!stop[OLD][i])
            continue;
        uint32_t n = b && i < b->nold ? b->new_of_old[i] : MATCH_NONE;
        if (n == MATCH_NONE || !stop[NEW][n]) {
            vec_push(&left, i);
            continue;
        }
        used[n] = 1;
        vec_push(&w->cut, (struct cut){.block = {i, n}});
    }
    uint32_t n = 0;
    for (size_t i = 0; i < left.len; i++) {
        while (n < g[NEW]->nblocks && (!stop[NEW][n] || used[n]))
            n++;
        if (n < g[NEW]->nblocks)
            vec_push(&w->cut, (struct cut){.block = {left.data[i], n++}});
    }
    c->stats.cut_points = w->cut.len;
    vec_free(&left);
    free(used);
}

/* The next pair that is waiting; false: none. */
static bool next_waiting(struct walk *w, size_t *from)
{
    if (w->entry) {
        w->entry = false;
        *from = ENTRY;
        return true;
    }
    const uint32_t *rank = w->plan->rank;
    size_t first = ENTRY;
    for (size_t i = 0; i < w->cut.len && (rank || first == ENTRY); i++)
        if (w->cut.data[i].waiting &&
            (first == ENTRY || rank[w->cut.data[i].block[OLD]] < rank[w->cut.data[first].block[OLD]]))
            first = i;
    if (first == ENTRY)
        return false;
    w->cut.data[first].waiting = false;
    *from = first;
    return true;
}

/* Goes on until nothing waits. */
static bool walk(struct walk *w)
{
    enum { WRONG_MAX = 64 };
    const bool forgets = w->plan->kind == RELATION_FORGETS;
    bool ok = true;
    unsigned wrong = 0;
    size_t from;
    w->rounds = 0;
    w->differ = false;
    w->reason = (struct verify_reason){0};
    w->blamed[TOO_LITTLE].len = w->blamed[TOO_EARLY].len = w->wrong.len = 0;
    /* Block by block, one walk is to show all that is to blame. */
    while ((ok || (forgets && ++wrong < WRONG_MAX && !query_is_late(w->c))) && next_waiting(w, &from)) {
        if (++w->rounds > ROUNDS_MAX + ROUNDS_A_CUT * w->cut.len) {
            w->reason = reason_of(w->c->arena, VERIFY_REASON_NOT_SETTLED);
            return false;
        }
        ok = step(w, from);
        if (!ok)
            vec_push(&w->wrong, from);
    }
    return ok && !wrong && !w->c->now->failed.len;
}

static void walk_begin(struct walk *w, struct check *c, struct plan *p)
{
    *w = (struct walk){.c = c, .plan = p, .entry = true, .parted_side = 2};
    bool through = false;
    for (int s = 0; s < 2; s++)
        for (uint32_t b = 0; b < c->pair.side[s].g->nblocks; b++)
            through = through || plan_runs_through(c->pair.side[s].g, b);
    explorers(c, p->visits, through);
    if (!p->stop[OLD])
        plan_start(c, p);
    pair_heads(w);
}

static void walk_end(struct walk *w)
{
    for (size_t i = 0; i < w->cut.len; i++) {
        relation_free(&w->cut.data[i].r);
        vec_free(&w->cut.data[i].to);
    }
    vec_free(&w->cut);
    vec_free(&w->entry_to);
    vec_free(&w->wrong);
    vec_free(&w->blamed[TOO_LITTLE]);
    vec_free(&w->blamed[TOO_EARLY]);
    explorers_done(w->c);
    w->c->now->reason = w->reason;
}

/* Cuts were taken away: what led to them is run again, as is what went wrong, and what is known where they
 * led is found anew, since what comes there has come further. The rest may stay as it is. */
static void carry_on(struct walk *w)
{
    uint8_t *const *stop = w->plan->stop;
    for (size_t i = 0; i < w->cut.len; i++) {
        struct cut *k = &w->cut.data[i];
        k->stale = k->r.arrivals;
        if (k->gone || (stop[OLD][k->block[OLD]] && stop[NEW][k->block[NEW]]))
            continue;
        forget_relation(k);
        k->gone = true;
    }
    for (size_t i = 0; i < w->cut.len; i++) {
        struct cut *k = &w->cut.data[i];
        for (size_t n = 0; k->gone && n < k->to.len; n++)
            w->cut.data[k->to.data[n]].failed |= !w->cut.data[k->to.data[n]].gone;
        if (k->gone)
            run_towards(w, i);
        k->to.len = k->gone ? 0 : k->to.len;
    }
    for (size_t i = 0; i < w->cut.len; i++)
        if (w->cut.data[i].failed) {
            forget_relation(&w->cut.data[i]);
            run_towards(w, i);
        }
    for (size_t i = 0; i < w->wrong.len; i++) {
        struct cut *k = w->wrong.data[i] == ENTRY ? NULL : &w->cut.data[w->wrong.data[i]];
        if (!k)
            w->entry = true;
        else
            k->waiting = k->waiting || (k->r.arrivals && !k->gone);
    }
    attempt_forget(w->c->now);
}

/* ---- strategies ---- */

static bool same_frame(const struct frame_map *a, const struct frame_map *b)
{
    bool same = a->nlocals == b->nlocals && a->shift == b->shift && a->low == b->low;
    for (size_t i = 0; i < a->nlocals && same; i++)
        same = a->local[i].new == b->local[i].new && a->local[i].old == b->local[i].old &&
               a->local[i].room == b->local[i].room;
    for (int s = 0; s < 2 && same; s++) {
        same = a->nprivate[s] == b->nprivate[s];
        for (size_t i = 0; i < a->nprivate[s] && same; i++)
            same = a->private[s][i].low == b->private[s][i].low &&
                   a->private[s][i].high == b->private[s][i].high;
    }
    return same;
}

/* More is known of the frames than before: the cuts may do as they are. Where the two were not the same, all
 * that callees do not reach is told apart from what they do: once a local is given away the rest of the frame
 * is in memory, too, and of memory what differs is not told apart from what does not. */
static bool learns_frames(struct check *c, struct plan *p, bool differ)
{
    enum { MOST = 4 };
    if (!c->escapes || p->learned >= MOST)
        return false;
    const struct frame_map was = c->pair.frame;
    if (differ && c->opt->assume & VERIFY_ASSUME_PRIVATE)
        frame_see_all_apart(&c->pair);
    return frame_update(&c->pair, c->arena) && !same_frame(&was, &c->pair.frame) && ++p->learned;
}

static bool follow_plan(struct check *c, struct plan *p, bool *again)
{
    struct walk w;
    walk_begin(&w, c, p);
    bool ok = walk(&w);
    *again = !ok && plan_again(&w, p);
    walk_end(&w);
    return ok;
}

static void warn_of_loops(struct check *c, const struct attempt *a)
{
    if (a->rejects_behind_loop)
        vec_push(&c->warning,
                 "newly rejected inputs may go round loops first: that these end, and what they leave "
                 "behind, was not looked at");
}

enum attempt_outcome converge(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)how;
    struct plan p = {.visits = 2};
    bool again;
    bool ok = follow_plan(c, &p, &again);
    plan_end(&p);
    if (ok)
        warn_of_loops(c, a);
    return ok ? ATTEMPT_PROVED : ATTEMPT_OPEN;
}

enum attempt_outcome converge_rich(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)how;
    enum { ATTEMPTS_MAX = 8 };
    struct plan p = {.visits = 2, .kind = RELATION_RICH};
    bool ok = false, again = true;
    for (unsigned i = 0; i < ATTEMPTS_MAX && again && !ok && !query_is_late(c); i++) {
        attempt_begin(c, a);
        ok = follow_plan(c, &p, &again);
    }
    plan_end(&p);
    if (ok)
        warn_of_loops(c, a);
    return ok ? ATTEMPT_PROVED : ATTEMPT_OPEN;
}

/* What newly rejected inputs leave behind is seen only where the way to their exit is looked at as a whole:
 * tries that, and says so when it cannot be done. */
static void look_behind_cuts(struct check *c, struct attempt *a)
{
    enum { EFFORT_MS = 500, BLOCKS_MAX = 64 };
    struct attempt in_one = {0}, first = *a;
    struct plan p = {.visits = 2};
    bool again;
    uint64_t left = query_left(c);
    const struct query_limits whole = query_narrow(c, left < EFFORT_MS ? left + 1 : EFFORT_MS);
    attempt_begin(c, &in_one);
    bool ok = c->pair.side[NEW].g->nblocks <= BLOCKS_MAX && follow_plan(c, &p, &again);
    plan_end(&p);
    query_widen(c, whole);
    *a = ok ? in_one : first;
    attempt_drop(c, ok ? &first : &in_one);
    attempt_resume(c, a);
    if (ok || a->rejects_behind_loop)
        warn_of_loops(c, a);
    else
        vec_push(&c->warning, "what newly rejected inputs leave behind was not looked at as a whole");
}

/* Goes on with fewer cuts where the two did not come together, until they do: *all, if all of it was walked
 * by the same plan. False: they do not, and there is nothing left to do, or, *again, more is known of the
 * frames. */
static bool follow_blocks(struct check *c, struct plan *p, unsigned *walks, bool *all, bool *again)
{
    enum { WALKS_MAX = 24 };
    struct walk w;
    walk_begin(&w, c, p);
    bool ok = walk(&w);
    *all = ok;
    *again = false;
    while (!ok && !*again && ++*walks < WALKS_MAX && !query_is_late(c)) {
        *again = learns_frames(c, p, w.differ);
        if (!plan_coarser(&w, p) || *again)
            break;
        carry_on(&w);
        ok = walk(&w);
    }
    walk_end(&w);
    return ok;
}

static struct verify_reason in_the_way(const struct attempt *a)
{
    for (size_t i = 0; i < a->failed.len; i++)
        if (a->failed.data[i].reason.code)
            return a->failed.data[i].reason;
    return a->reason;
}

enum attempt_outcome converge_blocks(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)how;
    enum { QUESTIONS = 16 };
    struct plan p = {.visits = 2, .kind = RELATION_FORGETS};
    bool ok = false, all = false, again = true;
    unsigned walks = 0;
    c->query.quick = c->query.one_is_enough = true;
    /* One question that is hard is not to take the time of all others. */
    const uint64_t left = query_left(c);
    c->query.quick_ms = left == UINT64_MAX ? 0 : left / QUESTIONS + 1;
    /* The plan that does is followed once more, from the beginning: what is found counts only then. */
    while ((again || (ok && !all)) && !query_is_late(c)) {
        attempt_begin(c, a);
        ok = follow_blocks(c, &p, &walks, &all, &again);
    }
    ok = ok && all;
    c->query.quick = c->query.one_is_enough = false;
    c->query.quick_ms = 0;
    map_free(&c->query.open);
    plan_end(&p);
    if (ok && a->rejects_inside)
        look_behind_cuts(c, a);
    /* What is in the way of this is not what is to be told, unless all else comes to no end. */
    if (!ok && !query_is_late(c))
        c->in_the_way = in_the_way(a);
    if (!ok)
        attempt_forget(a);
    return ok ? ATTEMPT_PROVED : ATTEMPT_OPEN;
}

enum attempt_outcome converge_unrolled(struct check *c, const struct strategy *how, struct attempt *a)
{
    enum { ENOUGH = 10 }; /* rounds, when something would be in doubt after any number */
    ends e[2] = {VEC_INIT, VEC_INIT}, cut[2] = {VEC_INIT, VEC_INIT};
    bool ok = true;
    explorers(c, how->rounds, false);
    for (int s = 0; s < 2 && ok; s++)
        ok = run_side(c, &c->pair.side[s], NULL, NULL, &e[s], &a->reason);
    for (int s = 0; s < 2 && ok; s++) {
        size_t n = 0;
        for (size_t i = 0; i < e[s].len; i++) {
            if (e[s].data[i].path->end == PATH_LOOP_BOUND)
                vec_push(&cut[s], e[s].data[i]);
            else
                e[s].data[n++] = e[s].data[i];
        }
        e[s].len = n;
        exits_report(c, &e[s]);
    }
    if (ok) {
        struct findings found = compare_exits(c, &e[OLD], &e[NEW]);
        if (!found.failed.len)
            faults_accesses(c, &e[OLD], &e[NEW], &found);
        attempt_record(a, &found);
    }
    bool complete = !cut[OLD].len && !cut[NEW].len;
    if (ok && !complete && !a->failed.len)
        complete = check_are_rejected(c, &cut[NEW], &e[OLD]) && check_are_rejected(c, &cut[NEW], &cut[OLD]) &&
                   check_are_rejected(c, &cut[OLD], &e[NEW]);
    for (int s = 0; s < 2; s++) {
        vec_free(&e[s]);
        vec_free(&cut[s]);
    }
    explorers_done(c);
    attempt_in_rounds(a, complete ? 0 : how->rounds);
    if (ok && complete && !a->failed.len)
        return ATTEMPT_PROVED;
    bool over = !ok || complete || (how->rounds >= ENOUGH && attempt_has_doubt(a));
    return over && how->learns ? ATTEMPT_OVER : ATTEMPT_OPEN;
}
