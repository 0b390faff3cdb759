/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adapters one by one: the baseline that synthesis is measured against. */
#include "adapt/internal.h"

/* Agrees with the target on some runs on the interpreter. */
static bool agrees(struct runner *r, const struct adapter *d)
{
    enum { TESTS = 12 };
    unsigned agreed = 0;
    for (unsigned seed = 0; seed < TESTS; seed++) {
        enum run_outcome x = runner_try(r, d, seed);
        if (x == RUN_DIFFERS)
            return false;
        agreed += x == RUN_SAME;
    }
    return agreed;
}

/* False: they cannot be run natively. */
static bool enumerate_natively(struct adapt *a, struct enumeration *e, struct adapter *out, bool *found)
{
    enum { INPUTS = 200 };
    const char *why = NULL;
    struct native *n = native_new(a, INPUTS, &why);
    bool progress;
    while (
        n && !*found && e->done < e->all && has_time(a) &&
        native_enumerate(n, e, a->opt->timeout_ms ? deadline_left(&a->until) : 0, &a->out->tried, out, &why))
        *found = try_candidate(a, out, &progress);
    if (n)
        native_free(n);
    if (why)
        adapt_note(a, "not run natively: %s", why);
    return !why;
}

/* The thesis's baseline: every adapter of the family, in an order like a random one, is run against the
 * tests. */
bool search_one_by_one(struct adapt *a, unsigned stage, bool converts, struct adapter *out)
{
    struct enumeration e = enumeration_of(a, stage, converts);
    bool found = false, progress;
    if (a->opt->native && enumerate_natively(a, &e, out, &found))
        return found;
    struct runner *r = runner_new(a);
    while (!found && has_time(a) && enumeration_next(&e, out)) {
        a->out->tried++;
        found = agrees(r, out) && try_candidate(a, out, &progress);
    }
    runner_free(r);
    return found;
}
