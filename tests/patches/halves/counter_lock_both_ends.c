/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=counter_lock_both_ends function=stat_bump kind=hunks parts=2
 * why: The counters were changed without the lock. */
struct stats {
    uint64_t bytes, packets;
    int lock;
    unsigned drops;
};

extern void spin_lock(int *l);
extern void spin_unlock(int *l);
extern void stat_alarm(unsigned drops);
extern void memory_barrier(void);

int stat_bump(struct stats *s, unsigned bytes, int dropped)
{
#if FIX(1)
    spin_lock(&s->lock);
#endif
    s->bytes += bytes;
    s->packets++;
    if (dropped && ++s->drops == 1000)
        stat_alarm(s->drops);
#if FIX(1)
    spin_unlock(&s->lock);
#endif
#if FIX(2)
    memory_barrier();
#endif
    return (int)s->drops;
}
