/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/strategy.h"

#include "verify/private.h"

enum { EFFORT_MS = 5000, FIRST_SHARE = 4, BLOCKS_MANY = 30 };

/* Most of what can be proved is proved block by block, which costs little. Once locals escape, their places
 * matter: a difference may only be that they moved. Callees that the other version may have inlined are
 * followed. Many differences show in the first iterations of a loop, and are quickly found there. Counting
 * iterations and asking the solver at every head is slow, so it gets half of what is left. Merged memory is
 * hard to compare: path by path it is a list of writes again. Last, as many iterations as it takes to show a
 * difference, or until none is left. */
static const struct strategy converging[] = {
    {"block by block, at first", converge_blocks, .share = 2, .effort = 700},
    {"runs, at first", probe_runs, STRATEGY_LARGE, .effort = 300},
    {"converge, at first", converge, .effort = 400, .reason_counts = true},
    {"converge, the frames known, at first", converge, STRATEGY_FRAMES | STRATEGY_INSTEAD, .effort = 400,
     .reason_counts = true},
    {"converge, callees followed, at first", converge, STRATEGY_INLINED | STRATEGY_INSTEAD, .effort = 400,
     .reason_counts = true},
    {"runs", probe_runs, STRATEGY_TIME | STRATEGY_CUT_SHORT, .again = 1, .share = 2},
    {"block by block", converge_blocks, STRATEGY_TIME | STRATEGY_CUT_SHORT, .again = 0, .share = 2},
    {"converge", converge, STRATEGY_TIME | STRATEGY_CUT_SHORT, .again = 2, .reason_counts = true},
    {"converge, the frames known", converge, STRATEGY_FRAMES | STRATEGY_INSTEAD, .reason_counts = true},
    {"two rounds first", converge_unrolled, STRATEGY_TIME | STRATEGY_LOOPS, .rounds = 2},
    {"converge, counting", converge_rich, STRATEGY_TIME | STRATEGY_LOOPS, .share = 2, .reason_counts = true},
    {"paths", paths_compared, STRATEGY_TIME},
    {"two rounds", converge_unrolled, STRATEGY_TIME, .rounds = 2, .learns = true},
    {"three rounds", converge_unrolled, STRATEGY_TIME, .rounds = 3, .learns = true},
    {"six rounds", converge_unrolled, STRATEGY_TIME, .rounds = 6, .learns = true},
    {"ten rounds", converge_unrolled, STRATEGY_TIME, .rounds = 10, .learns = true},
    {"seventy rounds", converge_unrolled, STRATEGY_TIME, .rounds = 70, .learns = true},
};

static const struct strategy by_paths[] = {
    {"paths", paths_compared, .reason_counts = true},
};

const struct strategy *strategy_table(enum verify_strategy which, size_t *n)
{
    *n = which == VERIFY_PATHS ? sizeof by_paths / sizeof *by_paths : sizeof converging / sizeof *converging;
    return which == VERIFY_PATHS ? by_paths : converging;
}

/* Are its needs met? What is learned for it stays known. */
static bool applies(struct check *c, const struct strategy *how)
{
    return !(how->needs & STRATEGY_LARGE && c->pair.side[OLD].g->nblocks < BLOCKS_MANY &&
             c->pair.side[NEW].g->nblocks < BLOCKS_MANY) &&
           !(how->needs & STRATEGY_LOOPS && !c->stats.cut_points) &&
           !(how->needs & STRATEGY_TIME && query_is_late(c)) &&
           !(how->needs & STRATEGY_FRAMES && !(c->escapes && frame_update(&c->pair, c->arena))) &&
           !(how->needs & STRATEGY_INLINED && !check_follow_inlined(c));
}

static enum attempt_outcome run(struct check *c, const struct strategy *how, struct attempt *a)
{
    struct query_limits whole = {0};
    if (how->share || how->effort) {
        uint64_t part = query_left(c) / (how->share ? how->share : FIRST_SHARE),
                 effort = c->opt->timeout_ms / 12;
        effort = how->effort ? how->effort : effort < EFFORT_MS ? EFFORT_MS : effort;
        whole = query_narrow(c, part < effort ? part + 1 : effort);
    }
    enum attempt_outcome out;
    do {
        attempt_begin(c, a);
        out = how->run(c, how, a);
    } while (how->learns && !a->reason.code && a->failed.len && c->escapes &&
             frame_update(&c->pair, c->arena) && !query_is_late(c));
    /* A local was seen to be given away since that was kept from callees. */
    if (out == ATTEMPT_PROVED && !frame_holds(&c->pair)) {
        a->reason = reason_of(c->arena, VERIFY_REASON_FRAMES_DIFFER);
        out = ATTEMPT_OPEN;
    }
    a->cut_short = query_is_late(c) || a->starved;
    if (how->share || how->effort)
        query_widen(c, whole);
    return out;
}

/* Something was refuted, and its input confirms it. */
static bool is_refuted(struct check *c, struct attempt *a)
{
    evidence_confirm(c);
    return attempt_has_refuted(a);
}

static enum verify_verdict walk(struct check *c, const struct strategy *table, size_t n,
                                struct attempt *found, struct verify_reason *reason)
{
    struct verify_reason told = {0};
    unsigned open = 0;
    uint64_t tried = 0, cut_short = 0; /* rows that were */
    size_t first = 0;                  /* row that others took the place of */
    enum attempt_outcome out = ATTEMPT_OPEN;
    bool any = false, refuted = false, doubt = false;
    struct attempt bounded = {0}; /* the one that found no difference in the most rounds */
    for (size_t i = 0; i < n && out == ATTEMPT_OPEN; i++) {
        refuted = any && !(table[i].needs & STRATEGY_INSTEAD) && is_refuted(c, found);
        if (refuted)
            break;
        if (!applies(c, &table[i]) ||
            (table[i].needs & STRATEGY_CUT_SHORT && (tried & ~cut_short) >> table[i].again & 1))
            continue;
        out = run(c, &table[i], found);
        first = table[i].needs & STRATEGY_INSTEAD ? first : i;
        tried |= UINT64_C(1) << first;
        cut_short |= (uint64_t)found->cut_short << first;
        any = true;
        if (table[i].reason_counts) {
            told = found->reason.code  ? found->reason
                   : found->failed.len ? found->failed.data[0].reason
                                       : found->reason;
            open = attempt_failed_set(found);
        }
        doubt = doubt || attempt_has_doubt(found);
        if (found->within > bounded.within) {
            attempt_drop(c, &bounded);
            bounded = *found;
            *found = (struct attempt){0};
        }
    }
    refuted = refuted || out == ATTEMPT_REFUTED || (out != ATTEMPT_PROVED && is_refuted(c, found));
    if (refuted || out == ATTEMPT_PROVED) {
        attempt_drop(c, &bounded);
        return refuted ? VERIFY_UNSAFE : VERIFY_SAFE;
    }
    found->unproved = attempt_failed_set(found) | open;
    *reason = found->failed.len && found->failed.data[0].reason.code ? found->failed.data[0].reason
              : told.code                                            ? told
              : found->unknown.code                                  ? found->unknown
                                    : reason_of(c->arena, VERIFY_REASON_NOT_PROVED);
    if (c->in_the_way.code &&
        (reason->code == VERIFY_REASON_OUT_OF_WORK || reason->code == VERIFY_REASON_OUT_OF_WORK_EXPLORING))
        *reason = c->in_the_way;
    if (bounded.within && doubt) {
        attempt_drop(c, &bounded);
    } else if (bounded.within) {
        bounded.unproved = found->unproved;
        attempt_drop(c, found);
        *found = bounded;
        attempt_resume(c, found);
    }
    return VERIFY_UNKNOWN;
}

/* Runs showed the difference. */
static bool is_by_runs(const struct attempt *a)
{
    bool any = false;
    for (size_t i = 0; i < a->failed.len; i++)
        any = any || (a->failed.data[i].refuted && a->failed.data[i].some);
    return any;
}

/* The code of callees is run now: is there still a difference? */
static enum verify_verdict walk_entered(struct check *c, const struct strategy *table, size_t n,
                                        struct attempt *found, struct verify_reason *reason)
{
    static const struct strategy runs = {"runs, callees entered", probe_runs, .share = 2};
    struct attempt entered = {0};
    if (is_by_runs(found) && run(c, &runs, &entered) == ATTEMPT_REFUTED) {
        attempt_drop(c, found);
        *found = entered;
        attempt_resume(c, found);
        return VERIFY_UNSAFE;
    }
    attempt_drop(c, &entered);
    attempt_resume(c, found);
    if (evidence_confirm_entered(c))
        return VERIFY_UNSAFE;
    return walk(c, table, n, found, reason);
}

enum verify_verdict strategy_walk(struct check *c, const struct strategy *table, size_t n,
                                  struct attempt *found, struct verify_reason *reason)
{
    enum verify_verdict v = walk(c, table, n, found, reason);
    if (v == VERIFY_UNSAFE)
        query_grant(c);
    /* A call of a small function of the file is no event in itself: what its code does is what counts. If it
     * still makes a difference that is what is told; else all is tried again, with their code. */
    if (v == VERIFY_UNSAFE && !evidence_is_certain(c, found) && check_enter_callees(c))
        v = walk_entered(c, table, n, found, reason);
    /* Accesses are known from a cut on, and not on what condition that is reached: nothing is proved by them.
     */
    if (v == VERIFY_UNSAFE && objects_learn(c)) {
        v = walk(c, table, n, found, reason);
        found->within = 0;
        if (v == VERIFY_SAFE) {
            *reason = reason_of(c->arena, VERIFY_REASON_INPUT_UNLIKELY);
            v = VERIFY_UNKNOWN;
        }
    }
    return v;
}
