/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/deadline.h"

#include <sys/resource.h>

#include "base/system.h"

static uint64_t timeval_ms(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_usec / 1000;
}

struct time_spent time_now(void)
{
    struct timespec own;
    struct rusage children;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (struct time_spent){now_ms(), timespec_ms(own) + timeval_ms(children.ru_utime) +
                                             timeval_ms(children.ru_stime)};
}

uint64_t time_since(struct time_spent begun)
{
    struct time_spent now = time_now();
    uint64_t clock = now.clock_ms - begun.clock_ms, processor = now.processor_ms - begun.processor_ms;
    uint64_t least = clock / DEADLINE_PATIENCE;
    processor = processor > least ? processor : least;
    return processor < clock ? processor : clock;
}

struct deadline deadline_in(uint64_t ms)
{
    return (struct deadline){time_now(), ms};
}

uint64_t deadline_left(const struct deadline *d)
{
    if (!d->ms)
        return UINT64_MAX;
    uint64_t spent = time_since(d->begun);
    return spent < d->ms ? d->ms - spent : 0;
}

bool deadline_over(const struct deadline *d)
{
    return deadline_left(d) == 0;
}

uint64_t time_on_clock(struct time_spent begun, uint64_t ms)
{
    enum { SETTLED_MS = 50 }; /* a shorter span says little, and the two clocks tick differently */
    uint64_t clock = now_ms() - begun.clock_ms, spent = time_since(begun);
    return clock < SETTLED_MS || !spent ? ms : ms * clock / spent;
}
