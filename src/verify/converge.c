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

#include "verify/relation.h"
#include "verify/strategy.h"

enum { ROUNDS_MAX = 400, LATER_MAX = 40, CUTS_MAX = 200 };
/* Where every paired block is a cut: so many rounds for each; arrivals of a block that many lead to. */
enum { ROUNDS_A_CUT = 8, LATER_BLOCKS_MAX = 1000 };

struct cut {
    uint32_t block[2];
    struct relation r;
    bool waiting;
};

/* This many rounds of the one are one of the other. */
struct speed {
    uint32_t block[2];
    unsigned rounds[2];
};

/* Where the two are cut. */
struct plan {
    enum relation_kind kind; /* rich: pairing what is reached together, too */
    uint8_t *stop[2];        /* by block */
    /* Block by block: */
    uint32_t *rank;   /* by block of the old version: the lower, the earlier */
    uint8_t *head[2]; /* by block: a loop needs it as a cut */
    unsigned tries, learned;
    VEC(struct speed) speed;
    unsigned visits; /* of a block between two cuts */
};

struct walk {
    struct check *c;
    struct plan *plan;
    VEC(struct cut) cut;
    bool entry; /* the segment from the entry is to be run (again) */
    unsigned rounds;
    struct verify_reason reason;
    /* One stood at this cut when the other had ended, or was elsewhere; side 2: that was not so. */
    unsigned parted_side;
    uint32_t parted_at;
    /* Blocks of the old version that are cuts: where too little is known to go on, and where the two have not
     * come together. */
    VEC(uint32_t) blamed[2];
};

enum { TOO_LITTLE, TOO_EARLY };

static const size_t ENTRY = SIZE_MAX;

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

static void explorers(struct check *c, unsigned visits)
{
    for (int s = 0; s < 2; s++) {
        struct explore_options o = {.merge = true,
                                    .merge_returns = true,
                                    .no_cost_heuristic = true,
                                    .keep_regs = true,
                                    .count_blocks = c->exits.count,
                                    .visits = visits,
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
        if (w->cut.data[i].block[OLD] == o && w->cut.data[i].block[NEW] == n)
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
    findings_open(&found);
    attempt_record(c->now, &found);
    if (change == RELATION_WEAKER)
        w->cut.data[at].waiting = true;
    if (change == RELATION_STRONGER) {
        w->entry = true;
        for (size_t i = 0; i < w->cut.len; i++)
            w->cut.data[i].waiting = w->cut.data[i].r.arrivals > 0;
    }
    unsigned most = w->plan->kind == RELATION_FORGETS ? LATER_BLOCKS_MAX : LATER_MAX;
    ok = change != RELATION_FAILS && w->cut.data[at].r.arrivals < most;
    if (!ok) {
        blame(w, at, TOO_EARLY);
        if (!calls)
            blame(w, from, TOO_LITTLE);
    }
    return ok;
}

static bool arrive(struct walk *w, size_t at, size_t from, const struct end *o, const struct end *n)
{
    return arrive_when(w, at, from, o, n, term_and(w->c->t, o->cond, n->cond),
                       w->plan->kind == RELATION_RICH ? SPLITS_MAX : 0);
}

/* ---- the walk ---- */

static bool is_cut(const struct end *e)
{
    return e->path->end == PATH_CUT;
}

/* One of the two goes on where the other has ended, or at another loop. */
static bool diverge(struct walk *w, const struct end *o, const struct end *n)
{
    struct check *c = w->c;
    term q[] = {o->cond, n->cond, term_not(c->t, n->error)};
    struct findings found = {0};
    const bool faults = !is_cut(n) && !faults_compare(c, o, n, &found);
    if (!faults && !is_cut(n) && !faults_end(n) && !term_is_false(c->t, n->error))
        compare_rejected(c, o, n, &found);
    const bool open = faults || found.failed.len;
    findings_open(&found);
    attempt_record(c->now, &found);
    if (open)
        return false;
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
    for (size_t i = 0; i < w->cut.len; i++)
        if ((is_cut(o) && w->cut.data[i].block[OLD] == o->path->point->block) ||
            (is_cut(n) && w->cut.data[i].block[NEW] == n->path->point->block))
            blame(w, i, TOO_EARLY);
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
    bool ok = true;
    for (int pass = 0; pass < 2 && ok; pass++) {
        if (pass && (from == ENTRY ? w->entry : w->cut.data[from].waiting))
            break;
        for (size_t i = 0; i < e[OLD].len && ok; i++)
            for (size_t k = 0; k < e[NEW].len && ok; k++) {
                const struct end *o = &e[OLD].data[i], *n = &e[NEW].data[k];
                size_t at = is_cut(o) && is_cut(n) ? cut_for(w, o, n) : SIZE_MAX;
                if ((!is_cut(o) && !is_cut(n)) || (at == SIZE_MAX) != pass)
                    continue;
                term q[] = {o->cond, n->cond};
                if (query_possible(c, q, 2, NULL) == NO)
                    continue;
                ok = pass ? diverge(w, o, n) : arrive(w, at, from, o, n);
                if (!pass && w->entry)
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
        if (found.failed.len)
            blame(w, from, TOO_LITTLE);
        /* From a relation a difference may be one that no input makes. */
        if (from != ENTRY)
            findings_open(&found);
        ok = !found.failed.len;
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

static bool walk(struct walk *w)
{
    enum { WRONG_MAX = 64 };
    bool ok = true;
    unsigned wrong = 0;
    size_t from;
    w->entry = true;
    /* Block by block, one walk is to show all that is to blame. */
    while ((ok || (w->plan->kind == RELATION_FORGETS && ++wrong < WRONG_MAX && !query_is_late(w->c))) &&
           next_waiting(w, &from)) {
        if (++w->rounds > ROUNDS_MAX + ROUNDS_A_CUT * w->cut.len) {
            w->reason = reason_of(w->c->arena, VERIFY_REASON_NOT_SETTLED);
            return false;
        }
        ok = step(w, from);
    }
    return ok && !wrong;
}

/* ---- plans ---- */

static void plan_start(struct check *c, struct plan *p)
{
    for (int s = 0; s < 2; s++) {
        uint32_t n = c->pair.side[s].g->nblocks;
        const uint8_t *head = explorer_loop_heads(c->pair.side[s].x, c->pair.side[s].f);
        p->stop[s] = xcalloc(n + 1, 1);
        memcpy(p->stop[s], head, n);
    }
}

static void plan_end(struct plan *p)
{
    for (int s = 0; s < 2; s++) {
        free(p->stop[s]);
        free(p->head[s]);
    }
    free(p->rank);
    vec_free(&p->speed);
}

/* Whether `to` can be reached from `from` (another block). */
static bool reaches(const struct flow_graph *g, uint32_t from, uint32_t to)
{
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    bool found = false;
    vec_push(&todo, from);
    seen[from] = 1;
    while (todo.len && !found) {
        uint32_t b = vec_pop(&todo);
        found = b == to;
        for (uint32_t i = g->first_edge[b]; i < g->first_edge[b + 1]; i++)
            if (!seen[g->edge[i].to]) {
                seen[g->edge[i].to] = 1;
                vec_push(&todo, g->edge[i].to);
            }
    }
    vec_free(&todo);
    free(seen);
    return found;
}

/* Where a loop goes on after the next test that may leave it; MATCH_NONE: there is no one such place. */
static uint32_t behind_test(const struct flow_graph *g, uint32_t head)
{
    uint32_t b = head;
    for (uint32_t fuel = g->nblocks; fuel; fuel--) {
        uint32_t next = MATCH_NONE;
        bool leaves = g->block[b].end.kind == IR_END_RET; /* ARM returns on a condition */
        for (uint32_t i = g->first_edge[b]; i < g->first_edge[b + 1]; i++) {
            uint32_t to = g->edge[i].to;
            if (!reaches(g, to, head))
                leaves = true;
            else if (next != MATCH_NONE && next != to)
                return MATCH_NONE;
            else
                next = to;
        }
        if (next == MATCH_NONE || next == head)
            return MATCH_NONE;
        if (leaves)
            return next;
        b = next;
    }
    return MATCH_NONE;
}

/* Inside the loop where the other version begins its own: what the head there is paired with. */
static uint32_t other_head(const struct walk *w, const struct plan *p)
{
    const struct check *c = w->c;
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    const struct flow_graph *g = c->pair.side[w->parted_side].g;
    int other = w->parted_side == OLD ? NEW : OLD;
    for (uint32_t i = 0; b && i < b->nold; i++) {
        uint32_t at[2] = {i, b->new_of_old[i]};
        if (at[NEW] != MATCH_NONE && p->stop[other][at[other]] &&
            !p->stop[w->parted_side][at[w->parted_side]] && reaches(g, w->parted_at, at[w->parted_side]) &&
            reaches(g, at[w->parted_side], w->parted_at))
            return at[w->parted_side];
    }
    return MATCH_NONE;
}

/* Another way to cut the two, after what went wrong; false when there is none. */
static bool plan_again(const struct walk *w, struct plan *p)
{
    enum { THROUGH = 18 }; /* compilers do not unroll loops wholly that go round more often */
    struct check *c = w->c;
    /* what did not help is not kept */
    for (size_t i = 0; i < p->speed.len; i++)
        p->speed.data[i].rounds[OLD] = p->speed.data[i].rounds[NEW] = 1;
    for (size_t i = 0; i < w->cut.len; i++) {
        const struct cut *k = &w->cut.data[i];
        bool known = k->r.rounds[OLD] == k->r.rounds[NEW];
        for (size_t n = 0; n < p->speed.len && !known; n++)
            known =
                p->speed.data[n].block[OLD] == k->block[OLD] && p->speed.data[n].block[NEW] == k->block[NEW];
        if (known)
            continue;
        vec_push(&p->speed, (struct speed){.block = {k->block[OLD], k->block[NEW]},
                                           .rounds = {k->r.rounds[OLD], k->r.rounds[NEW]}});
        p->visits = p->visits < 10 ? 10 : p->visits;
        return true;
    }
    if (w->parted_side > NEW)
        return false;
    uint8_t *stop = p->stop[w->parted_side];
    uint32_t next = behind_test(c->pair.side[w->parted_side].g, w->parted_at);
    if (next == MATCH_NONE)
        next = other_head(w, p);
    stop[w->parted_at] = 0;
    if (next != MATCH_NONE && !stop[next])
        stop[next] = 1;
    else
        p->visits = THROUGH;
    return true;
}

/* ---- block by block ---- */

/* Numbers blocks so that, but for what leads back, one comes before those it leads to. */
static uint32_t *ranks(const struct flow_graph *g)
{
    uint32_t *rank = xcalloc(g->nblocks + 1, sizeof *rank), *next = xcalloc(g->nblocks + 1, sizeof *next);
    uint32_t left = g->nblocks;
    VEC(uint32_t) way = VEC_INIT;
    for (uint32_t i = 0; i < g->nblocks; i++)
        next[i] = UINT32_MAX;
    for (uint32_t root = 0; root < g->nblocks; root++) {
        if (next[root] != UINT32_MAX)
            continue;
        vec_push(&way, root);
        next[root] = g->first_edge[root];
        while (way.len) {
            uint32_t b = vec_last(&way);
            if (next[b] == g->first_edge[b + 1]) {
                rank[b] = left--;
                way.len--;
                continue;
            }
            uint32_t to = g->edge[next[b]++].to;
            if (next[to] == UINT32_MAX) {
                next[to] = g->first_edge[to];
                vec_push(&way, to);
            }
        }
    }
    vec_free(&way);
    free(next);
    return rank;
}

/* Cuts at all blocks that are paired, too. */
static void plan_blocks(struct check *c, struct plan *p)
{
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    p->rank = ranks(c->pair.side[OLD].g);
    for (int s = 0; s < 2; s++) {
        uint32_t n = c->pair.side[s].g->nblocks;
        p->head[s] = xcalloc(n + 1, 1);
        memcpy(p->head[s], p->stop[s], n);
    }
    for (uint32_t i = 0; b && i < b->nold; i++)
        if (b->new_of_old[i] != MATCH_NONE)
            p->stop[OLD][i] = p->stop[NEW][b->new_of_old[i]] = 1;
}

/* Takes away a cut that no loop needs; false: there is none. */
static bool uncut(struct check *c, struct plan *p, uint32_t old)
{
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    uint32_t new = b &&old < b->nold ? b->new_of_old[old] : MATCH_NONE;
    if (new == MATCH_NONE || !p->stop[OLD][old] || p->head[OLD][old] || p->head[NEW][new])
        return false;
    p->stop[OLD][old] = p->stop[NEW][new] = 0;
    return true;
}

/* Takes away a ring of cuts: those of which one leads to a marked block, or to which a marked block leads. */
static bool uncut_around(struct check *c, struct plan *p, uint8_t *near, bool behind, bool *any)
{
    const struct flow_graph *g = c->pair.side[OLD].g;
    uint8_t *was = xcalloc(g->nblocks + 1, 1);
    bool grown = false;
    memcpy(was, near, g->nblocks);
    for (uint32_t b = 0; b < g->nblocks; b++)
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) {
            uint32_t at = behind ? b : g->edge[e].to, next = behind ? g->edge[e].to : b;
            if (was[at] && !near[next]) {
                near[next] = grown = true;
                *any |= uncut(c, p, next);
            }
        }
    free(was);
    return grown;
}

/* Takes away the cuts that are to blame and, as that goes on not to do, more of what leads to them, where too
 * little is known, or of what they lead to, where the two have not come together. */
static bool plan_coarser(const struct walk *w, struct plan *p)
{
    struct check *c = w->c;
    uint32_t n = c->pair.side[OLD].g->nblocks;
    bool any = false;
    for (int why = 0; why < 2; why++) {
        uint8_t *near = xcalloc(n + 1, 1);
        bool some = false;
        for (size_t i = 0; i < w->blamed[why].len; i++) {
            some |= uncut(c, p, w->blamed[why].data[i]);
            near[w->blamed[why].data[i]] = 1;
        }
        unsigned rings = p->tries / 2;
        while (w->blamed[why].len && (rings || !some) && uncut_around(c, p, near, why == TOO_EARLY, &some))
            rings -= rings > 0;
        any |= some;
        free(near);
    }
    p->tries++;
    return any;
}

/* More is known of the frames than before: the cuts may do as they are. */
static bool learns_frames(struct check *c, struct plan *p)
{
    enum { MOST = 4 };
    return c->escapes && p->learned < MOST && frame_update(&c->pair, c->arena) && ++p->learned;
}

static bool follow_plan(struct check *c, struct plan *p, bool *again)
{
    struct walk w = {.c = c, .plan = p, .parted_side = 2};
    explorers(c, p->visits);
    if (!p->stop[OLD])
        plan_start(c, p);
    if (p->kind == RELATION_FORGETS && !p->rank)
        plan_blocks(c, p);
    pair_heads(&w);
    bool ok = walk(&w) && !c->now->failed.len;
    *again =
        !ok && (p->kind == RELATION_FORGETS ? learns_frames(c, p) || plan_coarser(&w, p) : plan_again(&w, p));
    vec_free(&w.blamed[TOO_LITTLE]);
    vec_free(&w.blamed[TOO_EARLY]);
    for (size_t i = 0; i < w.cut.len; i++)
        relation_free(&w.cut.data[i].r);
    vec_free(&w.cut);
    explorers_done(c);
    c->now->reason = w.reason;
    return ok;
}

enum attempt_outcome converge(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)how;
    (void)a;
    struct plan p = {.visits = 2};
    bool again;
    bool ok = follow_plan(c, &p, &again);
    plan_end(&p);
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
    if (!ok)
        vec_push(&c->warning, "what newly rejected inputs leave behind was not looked at as a whole");
}

enum attempt_outcome converge_blocks(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)how;
    enum { ATTEMPTS_MAX = 12 };
    struct plan p = {.visits = 2, .kind = RELATION_FORGETS};
    bool ok = false, again = true;
    c->query.quick = true;
    for (unsigned i = 0; i < ATTEMPTS_MAX && again && !ok && !query_is_late(c); i++) {
        attempt_begin(c, a);
        ok = follow_plan(c, &p, &again);
    }
    c->query.quick = false;
    plan_end(&p);
    if (ok && a->rejects_inside)
        look_behind_cuts(c, a);
    /* What is in the way of this is not what is to be told. */
    if (!ok)
        attempt_forget(a);
    return ok ? ATTEMPT_PROVED : ATTEMPT_OPEN;
}

enum attempt_outcome converge_unrolled(struct check *c, const struct strategy *how, struct attempt *a)
{
    enum { ENOUGH = 10 }; /* rounds, when something would be in doubt after any number */
    ends e[2] = {VEC_INIT, VEC_INIT}, cut[2] = {VEC_INIT, VEC_INIT};
    bool ok = true;
    explorers(c, how->rounds);
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
