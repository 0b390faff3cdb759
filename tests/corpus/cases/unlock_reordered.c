/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=unlock_reordered function=ring_publish kind=call-reordered
 * strict: unsafe P4
 * analyst: unsafe
 * why: The lock is released before readers are woken, where it was held. */
#include <stddef.h>
#include <stdint.h>

struct ring {
    unsigned head, count;
    void *lock;
    uint32_t *slots;
};

extern void lock_take(void *l);
extern void lock_drop(void *l);
extern void readers_wake(void *l, unsigned n);

int ring_publish(struct ring *r, uint32_t v)
{
    if (r->slots == NULL)
        return -22;
    lock_take(r->lock);
    r->slots[r->head & 63] = v;
    r->head++;
#ifdef PATCHED
    lock_drop(r->lock);
    readers_wake(r->lock, 1);
#else
    readers_wake(r->lock, 1);
    lock_drop(r->lock);
#endif
    return 0;
}
