/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/budget.h"

uint64_t budget_guard(uint64_t ms)
{
    enum { PATIENCE = 3, GRACE_MS = 5000 };
    return ms ? ms * PATIENCE + GRACE_MS : 0;
}

struct budget budget_of(const uint64_t *done, uint64_t units, uint64_t guard_ms)
{
    return (struct budget){done, done ? *done : 0, done ? units : 0, deadline_in(guard_ms)};
}

uint64_t budget_left(const struct budget *b)
{
    if (!b->units)
        return UINT64_MAX;
    uint64_t spent = *b->done - b->begun;
    return spent < b->units ? b->units - spent : 0;
}

bool budget_spent(const struct budget *b)
{
    return budget_left(b) == 0;
}

bool budget_over(const struct budget *b)
{
    return budget_spent(b) || deadline_over(&b->guard);
}
