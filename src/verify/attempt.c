/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/attempt.h"

#include <assert.h>

#include "verify/private.h"

static void failures_add(failures *to, failures *from)
{
    for (size_t i = 0; i < from->len; i++)
        vec_push(to, from->data[i]);
    vec_free(from);
}

static void failures_drop(failures *f)
{
    for (size_t i = 0; i < f->len; i++)
        term_model_free(f->data[i].model);
    vec_free(f);
}

void findings_add(struct findings *to, struct findings *from)
{
    failures_add(&to->failed, &from->failed);
    failures_add(&to->accepted, &from->accepted);
    failures_add(&to->consequence, &from->consequence);
}

void findings_drop(struct findings *f)
{
    failures_drop(&f->failed);
    failures_drop(&f->accepted);
    failures_drop(&f->consequence);
}

bool findings_refute(const struct findings *f)
{
    for (size_t i = 0; i < f->failed.len; i++)
        if (f->failed.data[i].refuted)
            return true;
    return false;
}

void findings_open(struct findings *f)
{
    for (size_t i = 0; i < f->failed.len; i++)
        f->failed.data[i].refuted = false;
}

void attempt_record(struct attempt *a, struct findings *found)
{
    assert(!found->consequence.len);
    failures_add(&a->failed, &found->failed);
    failures_add(&a->accepted, &found->accepted);
}

void attempt_forget(struct attempt *a)
{
    failures_drop(&a->failed);
    failures_drop(&a->accepted);
    a->reason = (struct verify_reason){0};
}

void attempt_drop(struct check *c, struct attempt *a)
{
    failures_drop(&a->failed);
    failures_drop(&a->accepted);
    vec_free(&a->exit);
    vec_free(&a->guessed);
    vec_free(&a->rejection);
    vec_free(&a->touched);
    for (size_t i = 0; i < a->explorers.len; i++) {
        for (int s = 0; s < 2; s++)
            if (c->pair.side[s].x == a->explorers.data[i])
                c->pair.side[s].x = NULL;
        explorer_free(a->explorers.data[i]);
    }
    vec_free(&a->explorers);
    *a = (struct attempt){0};
}

void attempt_begin(struct check *c, struct attempt *a)
{
    attempt_drop(c, a);
    c->now = a;
}

void attempt_resume(struct check *c, struct attempt *a)
{
    c->now = a;
    for (int s = 0; s < 2; s++)
        c->pair.side[s].x = a->x[s];
}

void attempt_in_rounds(struct attempt *a, unsigned rounds)
{
    for (size_t i = 0; i < a->failed.len; i++)
        a->failed.data[i].rounds = rounds;
}

term attempt_seen(struct check *c, const struct failure *f, const struct pair_side *s, term x)
{
    term y = canonical_term(&c->pair, s, x);
    return s->new && f && f->nunited ? term_substitute(c->t, y, f->united[0], f->united[1], f->nunited) : y;
}

size_t attempt_failure_terms(struct check *c, const struct failure *f, term out[FAILURE_TERMS])
{
    const term all[FAILURE_TERMS] = {f->when, f->differ, f->likely,
                                     f->place == TERM_NONE ? TERM_NONE
                                                           : pair_outside_frames(&c->pair, f->place)};
    size_t n = 0;
    for (size_t i = 0; i < FAILURE_TERMS; i++)
        if (all[i] != TERM_NONE)
            out[n++] = all[i];
    return n;
}

bool attempt_has_refuted(const struct attempt *a)
{
    for (size_t i = 0; i < a->failed.len; i++)
        if (a->failed.data[i].refuted)
            return true;
    return false;
}

bool attempt_has_doubt(const struct attempt *a)
{
    for (size_t i = 0; i < a->failed.len; i++)
        if (a->failed.data[i].doubt)
            return true;
    return false;
}

unsigned attempt_failed_set(const struct attempt *a)
{
    unsigned set = 0;
    for (size_t i = 0; i < a->failed.len; i++)
        set |= a->failed.data[i].property;
    return set;
}
