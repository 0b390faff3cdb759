/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/attempt.h"

#include "verify/private.h"

static void failures_cut(failures *f, size_t n)
{
    for (; f->len > n; f->len--)
        term_model_free(f->data[f->len - 1].model);
}

void attempt_cut_back(struct attempt *a, size_t failed, size_t accepted)
{
    failures_cut(&a->failed, failed);
    failures_cut(&a->accepted, accepted);
}

void attempt_drop(struct check *c, struct attempt *a)
{
    attempt_cut_back(a, 0, 0);
    vec_free(&a->failed);
    vec_free(&a->accepted);
    vec_free(&a->consequence);
    vec_free(&a->exit);
    vec_free(&a->guessed);
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
