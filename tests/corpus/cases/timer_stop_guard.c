/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=timer_stop_guard function=timer_stop kind=null-check
 * strict: safe
 * analyst: safe
 * relies: C
 * why: Stopping a timer that was never made returns at once; there is no return value to tell by. */
#include <stddef.h>
#include <stdint.h>

struct timer {
    struct timer *next, **pprev;
    uint32_t due, period, flags;
    void (*fn)(void *);
    void *arg;
};

extern void timer_lock(void);
extern void timer_unlock(void);
extern void timer_rearm(uint32_t due);

void timer_stop(struct timer *t)
{
#ifdef PATCHED
    if (t == NULL)
        return;
#endif
    timer_lock();
    if (t->flags & 1) {
        *t->pprev = t->next;
        if (t->next != NULL)
            t->next->pprev = t->pprev;
        t->flags &= ~1u;
        t->next = NULL;
        t->pprev = NULL;
    }
    timer_rearm(t->due);
    timer_unlock();
}
