/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work limits. Work is counted, so that the same question ends in the same place however fast or busy the
 * machine is. Counting is not exact: a clock guards it, and only what the clock ends can differ from run to
 * run. */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include "base/deadline.h"

enum { BUDGET_MS = 10000 }; /* units that take about a millisecond */

struct budget {
    const uint64_t *done;  /* counted by whoever works; NULL: nothing is counted */
    uint64_t begun, units; /* 0 units: no limit */
    struct deadline guard;
};

/* How long the guard waits for work that should take this long: three times that, plus a few seconds for what
 * is not counted; 0: forever. */
uint64_t budget_guard(uint64_t ms);
/* This many units and this much time from now on; 0: no limit of that kind. */
struct budget budget_of(const uint64_t *done, uint64_t units, uint64_t guard_ms);
uint64_t budget_left(const struct budget *b); /* units; UINT64_MAX when they are not limited */
bool budget_spent(const struct budget *b);    /* by work alone */
bool budget_over(const struct budget *b);

#endif
