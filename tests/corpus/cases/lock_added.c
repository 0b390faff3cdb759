/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=lock_added function=counter_add kind=call-added build=obj
 * strict: unsafe P4
 * analyst: safe accept=Q4
 * why: A counter is updated under a lock now. */
#include <stddef.h>
#include <stdint.h>

struct counter {
    void *lock;
    uint64_t value, limit;
};

extern void lock_take(void *l);
extern void lock_drop(void *l);

int counter_add(struct counter *c, uint64_t n)
{
    if (n > c->limit)
        return -34;
#ifdef PATCHED
    lock_take(c->lock);
#endif
    c->value += n;
#ifdef PATCHED
    lock_drop(c->lock);
#endif
    return 0;
}
