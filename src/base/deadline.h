/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time limits that a busy machine does not shorten: they expire when this much time has passed and this
 * process, with the children it has waited for, has had as much processor time. One that only waits is given
 * up when the clock has run DEADLINE_PATIENCE times as long. */
#ifndef BASE_DEADLINE_H
#define BASE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

enum { DEADLINE_PATIENCE = 8 };

/* How much has passed; two of them make a span. */
struct time_spent {
    uint64_t clock_ms, processor_ms;
};

struct deadline {
    struct time_spent begun;
    uint64_t ms; /* 0: none */
};

struct time_spent time_now(void);
/* The smaller of the two, and an eighth of the clock at least. */
uint64_t time_since(struct time_spent begun);
struct deadline deadline_in(uint64_t ms); /* 0: never */
bool deadline_over(const struct deadline *d);
uint64_t deadline_left(const struct deadline *d); /* UINT64_MAX when there is none */
/* What the clock will probably have to run for this process to get `ms` of a processor, going by what it got
 * since `begun`: for what only knows the clock. */
uint64_t time_on_clock(struct time_spent begun, uint64_t ms);

#endif
