/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/verify_schedule.h"

#include <limits.h>

#include "base/budget.h"

/* The first look at a function; what it may shrink to when there are very many; how limits grow. */
enum { FIRST_MS = 1000, FIRST_LEAST_MS = 100, GROWTH = 8 };

struct schedule schedule_begin(const struct ask_verify *q)
{
    return (struct schedule){.timeout_ms = q->how.timeout_ms, .budget_ms = q->budget_ms};
}

void schedule_end(struct schedule *s)
{
    vec_free(&s->left);
}

unsigned schedule_first(const struct schedule *s, size_t nfiles, size_t nfunctions)
{
    uint64_t limit = FIRST_MS, share = s->budget_ms / (nfiles ? nfiles : 1) / (nfunctions ? nfunctions : 1);
    if (s->budget_ms && share < limit)
        limit = share < FIRST_LEAST_MS ? FIRST_LEAST_MS : share;
    if (s->timeout_ms && s->timeout_ms < limit)
        limit = s->timeout_ms;
    return (unsigned)limit;
}

bool schedule_may_decide(const struct verify_result *r, unsigned limit_ms)
{
    enum { SMALLEST_SHARE = 32 }; /* of the limit, that a part of the analysis has for itself */
    if (!verify_is_open(r->verdict) || !limit_ms)
        return false;
    switch (r->reason.code) {
    case VERIFY_REASON_OUT_OF_MEMORY:
    case VERIFY_REASON_WORKER_DIED:
    case VERIFY_REASON_SOLVER_MISSING:
        return false;
    case VERIFY_REASON_QUESTION_TOO_LARGE: /* what is too large depends on the limit */
        return true;
    default:
        return r->reason.remedy == VERIFY_MORE_TIME || r->reason.remedy == VERIFY_MORE_SOLVING ||
               r->stats.work >= (uint64_t)limit_ms * BUDGET_MS / SMALLEST_SHARE;
    }
}

const struct schedule_item *schedule_find(const struct schedule *s, uint32_t file, uint64_t old, uint64_t new)
{
    for (size_t i = 0; i < s->left.len; i++) {
        const struct schedule_item *x = &s->left.data[i];
        if (x->file == file && x->old == old && x->new == new)
            return x;
    }
    return NULL;
}

static void heard_function(struct schedule *s, const struct ask_verified *f)
{
    const struct schedule_item *x = schedule_find(s, s->file, f->old.address, f->new.address);
    uint64_t limit = (uint64_t)f->limit_ms * BUDGET_MS, work = f->result.stats.work;
    if (x) {
        size_t at = (size_t)(x - s->left.data);
        s->left.data[at] = vec_last(&s->left);
        s->left.len--;
    }
    /* Of what the clock ended nothing is known but that it was too much. */
    s->used += f->result.reason.code == VERIFY_REASON_OUT_OF_TIME || (limit && work > limit) ? limit : work;
    if (schedule_may_decide(&f->result, f->limit_ms))
        vec_push(&s->left, (struct schedule_item){.file = s->file,
                                                  .old = f->old.address,
                                                  .new = f->new.address,
                                                  .size = f->old.size + f->new.size,
                                                  .spent_ms = f->limit_ms});
}

bool schedule_hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct schedule *s = ctx;
    struct arena arena = ARENA_INIT;
    struct ask_verified f;
    uint64_t file;
    if (message == PAIR_FILE)
        s->file = s->files++;
    else if (message == VERIFY_SAYS_AGAIN && wire_get(bytes, n, &wire_u64, &file, &arena))
        s->file = (uint32_t)file;
    else if (message == VERIFY_SAYS_FUNCTION && wire_get(bytes, n, &ask_verified_type, &f, &arena))
        heard_function(s, &f);
    arena_free(&arena);
    return false;
}

static int by_size(const void *a, const void *b)
{
    const struct schedule_item *x = a, *y = b;
    uint64_t p[] = {x->size, x->file, x->old, x->new}, q[] = {y->size, y->file, y->old, y->new};
    for (int i = 0; i < 4; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* The limit after one of `ms`; the same when there is none. */
static unsigned larger(const struct schedule *s, unsigned ms)
{
    uint64_t next = (uint64_t)ms * GROWTH;
    /* A round that is hardly smaller than the last one is left out. */
    if (s->timeout_ms)
        return next > s->timeout_ms / 2 ? s->timeout_ms : (unsigned)next;
    if (!s->budget_ms)
        return next > (uint64_t)FIRST_MS * GROWTH ? 0 : (unsigned)next;
    return next > s->budget_ms ? (unsigned)s->budget_ms : (unsigned)next;
}

/* What was asked least is asked next; the same limit holds until all have had it. */
bool schedule_next(struct schedule *s)
{
    enum { WORTH_IT = 2 }; /* less than so much more will hardly decide anything */
    uint64_t left = UINT64_MAX;
    unsigned least = UINT_MAX;
    bool any = false;
    for (size_t i = 0; i < s->left.len; i++)
        if (s->left.data[i].spent_ms < least)
            least = s->left.data[i].spent_ms;
    if (!s->left.len)
        return false;
    unsigned limit = larger(s, least);
    if (limit == least)
        return false;
    if (s->budget_ms) {
        left = s->budget_ms * BUDGET_MS > s->used ? s->budget_ms * BUDGET_MS - s->used : 0;
        if (left / BUDGET_MS < limit) {
            limit = (unsigned)(left / BUDGET_MS); /* the smallest one may have all of it */
            if (limit < (uint64_t)least * WORTH_IT)
                return false;
        }
    }
    uint64_t units = (uint64_t)limit * BUDGET_MS;
    vec_sort(&s->left, by_size);
    for (size_t i = 0; i < s->left.len; i++) {
        struct schedule_item *x = &s->left.data[i];
        x->chosen = x->spent_ms == least && units <= left;
        left -= x->chosen ? units : 0;
        any = any || x->chosen;
    }
    s->limit_ms = limit;
    return any;
}
