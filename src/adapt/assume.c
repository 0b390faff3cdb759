/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user says of the state in which the target is called. */
#include "adapt/internal.h"
#include "wp/wp.h"

bool assume_read(struct adapt *a, const struct adapt_code *target, uint64_t bias, struct error *err)
{
    a->given = TERM_NONE;
    return !a->opt->assume || !*a->opt->assume ||
           wp_read_assumptions(a->t, target->p, target->f, bias, a->s, a->opt->assume, a->arena, &a->given,
                               err);
}

static bool has_argument(void *ctx, term x)
{
    unsigned i;
    return origin_is_argument(ctx, x, &i);
}

static bool is_conjunction(const struct terms *t, term x)
{
    return term_kind(t, x) == OP_AND && term_width(t, x) == 1;
}

static term without_arguments(struct terms *t, term x)
{
    if (is_conjunction(t, x))
        return term_and(t, without_arguments(t, term_kid(t, x, 0)), without_arguments(t, term_kid(t, x, 1)));
    return term_any(t, x, has_argument, t) ? term_true(t) : x;
}

term assume_of_inner(const struct adapt *a)
{
    if (a->given == TERM_NONE)
        return TERM_NONE;
    term x = without_arguments(a->t, a->given);
    return term_is_true(a->t, x) ? TERM_NONE : x;
}

struct reading {
    struct adapt *a;
    term memory;
    struct map seen;
    VEC(struct access) access;
};

/* What one condition reads. Within it, one operand of a conjunction, a disjunction or a choice need not be
 * looked at. */
static void collect_of_one(struct reading *r, term x)
{
    struct terms *t = r->a->t;
    unsigned kind = term_kind(t, x), from = kind == TERM_READ ? 1 : 0,
             to = kind == OP_ITE ? 1 : term_nkids(t, x);
    if (!map_set(&r->seen, x, 1) || ((kind == OP_OR || kind == OP_AND) && term_width(t, x) == 1))
        return;
    if (kind == TERM_READ && term_kid(t, x, 0) == r->memory)
        vec_push(&r->access, (struct access){.address = term_kid(t, x, 1),
                                             .when = term_true(t),
                                             .bytes = term_width(t, x) / 8});
    for (unsigned i = from; i < to; i++)
        if (!term_is_array(t, term_kid(t, x, i)))
            collect_of_one(r, term_kid(t, x, i));
}

/* All of them hold. */
static void collect_reads(struct reading *r, term x)
{
    struct terms *t = r->a->t;
    if (is_conjunction(t, x)) {
        collect_reads(r, term_kid(t, x, 0));
        collect_reads(r, term_kid(t, x, 1));
    } else {
        collect_of_one(r, x);
    }
}

void assume_reads(struct adapt *a)
{
    struct reading r = {.a = a, .memory = a->target.memory};
    struct behaviour *b = &a->target.is;
    if (a->given == TERM_NONE)
        return;
    collect_reads(&r, a->given);
    struct access *all = arena_array(a->arena, struct access, b->naccesses + r.access.len + 1);
    for (size_t i = 0; i < b->naccesses; i++)
        all[i] = b->access[i];
    for (size_t i = 0; i < r.access.len; i++)
        all[b->naccesses + i] = r.access.data[i];
    b->access = all;
    b->naccesses += r.access.len;
    map_free(&r.seen);
    vec_free(&r.access);
}
