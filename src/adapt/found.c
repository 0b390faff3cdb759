/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An adapter that the solver accepts: written as simply as it goes, run, and answered with its notes. */
#include "adapt/internal.h"

static bool still_right(struct adapt *a, const struct adapter *d)
{
    return !deadline_over(&a->until) && adapter_check(a, d, false, NULL) == CHECK_RIGHT;
}

static void simplify_value(struct adapt *a, struct adapter *d, struct adapt_value *v, bool result)
{
    struct adapt_value before = *v;
    if (!v->scale && v->constant && !a->opt->constant) {
        v->constant = 0;
        if (still_right(a, d))
            return;
        *v = before;
        v->constant = (uint32_t)before.constant;
        if (v->constant >> 31)
            v->constant = (uint64_t)(int64_t)(int32_t)before.constant;
        if (a->width == 64 && v->constant != before.constant && !still_right(a, d))
            *v = before;
        if (a->width == 32)
            *v = before;
        return;
    }
    if (v->scale && v->conversion != ADAPT_AS_IS) {
        v->conversion = ADAPT_AS_IS;
        if (!still_right(a, d)) {
            *v = before;
            v->conversion = ADAPT_S32;
            if (before.conversion == ADAPT_S32 || result || a->width != 64 || !still_right(a, d))
                *v = before;
        }
    }
    if (!result && v->scale && (v->scale != 1 || v->constant) && a->width == 64) {
        /* as an int, when that is all that counts */
        before = *v;
        v->scale = (uint64_t)(int64_t)(int32_t)v->scale;
        v->constant = (uint64_t)(int64_t)(int32_t)v->constant;
        if ((v->scale != before.scale || v->constant != before.constant) && !still_right(a, d))
            *v = before;
    }
}

static void simplify(struct adapt *a, struct adapter *d, unsigned stage)
{
    for (unsigned i = 0; i < d->nargs; i++)
        if (a->inner.used[i] && (stage != STAGE_PERMUTE))
            simplify_value(a, d, &d->arg[i], false);
    if (!a->real)
        simplify_value(a, d, &d->result, true);
}

static bool run_against(struct adapt *a, const struct adapter *d)
{
    enum { UNABLE_MAX = 2000 };
    struct runner *r = runner_new(a);
    unsigned unable = 0;
    enum run_outcome x = RUN_SAME;
    for (uint64_t seed = 1; x != RUN_DIFFERS && a->out->runs < a->opt->runs && unable < UNABLE_MAX;) {
        unsigned many = RUN_LANES;
        x = a->opt->runs - a->out->runs < many ? RUN_UNABLE : runner_try_many(r, d, seed);
        if (x == RUN_UNABLE) {
            many = 1;
            x = runner_try(r, d, seed);
        }
        seed += many;
        a->out->runs += x == RUN_SAME ? many : 0;
        unable += x == RUN_UNABLE;
    }
    runner_free(r);
    return x != RUN_DIFFERS;
}

/* False: they differ there. */
static bool run_natively(struct adapt *a, const struct adapter *d)
{
    const char *why = NULL;
    struct native *n = native_new(a, a->opt->runs, &why);
    enum run_outcome x = n ? native_try(n, d, &a->out->native_runs, &why) : RUN_UNABLE;
    if (n)
        native_free(n);
    if (why)
        adapt_note(a, "not run natively: %s", why);
    return x != RUN_DIFFERS;
}

static uint64_t fingerprint_of_target(struct adapt *a)
{
    struct compared *c = &a->fingerprint.compared;
    if (a->fingerprint.of == a->target.number && c->bits == a->compared.bits && c->pair == a->compared.pair &&
        c->truth == a->compared.truth)
        return a->fingerprint.value;
    struct runner *r = runner_new(a);
    a->fingerprint.of = a->target.number;
    a->fingerprint.compared = a->compared;
    a->fingerprint.value = runner_fingerprint(r, a->opt->runs);
    runner_free(r);
    return a->fingerprint.value;
}

void found_adapter(struct adapt *a, struct adapter *d, unsigned stage, bool simpler)
{
    struct adapt_answer *o = a->out;
    struct terms *t = a->t;
    if (a->target.unfit && !a->same) {
        undecided(a, arena_printf(a->arena,
                                  "one agrees with all that is known of the target, which is not all: %s",
                                  a->target.unfit));
        return;
    }
    if (simpler)
        simplify(a, d, stage);
    if (!run_against(a, d)) {
        undecided(a, "an adapter that the solver accepts differs from the target on the interpreter");
        return;
    }
    if (a->opt->native && !run_natively(a, d)) {
        undecided(a, "an adapter that the solver accepts differs from the target when both are run natively");
        return;
    }
    if (!a->same && (!a->calls || a->given != TERM_NONE) && !adapter_has_inputs(a)) {
        undecided(a, "no input was found that satisfies the assumptions and stays within the bounds");
        return;
    }
    o->verdict = ADAPT_FOUND;
    o->reason = NULL;
    o->adapter = *d;
    o->family = (uint8_t)(1u << stage);
    o->result_bits = a->compared.bits;
    o->result_pair = a->compared.pair;
    if (a->opt->cluster)
        o->cluster = fingerprint_of_target(a);
    o->bounded = !a->same && !term_is_false(t, a->target.is.open);
    bool rounds = o->bounded && loops_agree(a, d);
    o->bounded = o->bounded && !rounds;
    o->trivial =
        a->target.is.world == a->target.world && a->target.is.memory == a->target.memory &&
        (!o->result_bits || term_is_const(t, term_extract(t, a->target.is.result[0], 0, o->result_bits)));
    if (a->opt->modulo_faults)
        adapt_note(a, "inputs on which the target faults do not count");
    if (a->given != TERM_NONE)
        adapt_note(a, "inputs of which the assumptions do not hold do not count");
    if (a->compared.truth)
        adapt_note(a, "of the result only whether it is 0 counts");
    if (rounds)
        adapt_note(a, "loops of both were followed side by side, for any number of rounds");
    if (o->bounded)
        adapt_note(a, "checked for inputs on which the target runs no block more than %u times",
                   a->opt->visits);
    if (a->same)
        adapt_note(a,
                   "both have the same code, and nothing that they call looks at where it was called from");
    else if (a->target.why_doubt)
        adapt_note(a, "what was not followed is taken to do the same when it is given the same (%s)",
                   a->target.why_doubt);
}
