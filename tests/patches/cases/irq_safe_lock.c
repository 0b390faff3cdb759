/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=irq_safe_lock function=uart_put kind=lock
 * why: The interrupt handler takes the same lock. */
struct uart {
    volatile uint32_t *regs;
    uint8_t ring[256];
    uint32_t head, tail, overruns, sent;
    int lock;
};

extern void spin_lock(int *lock);
extern void spin_unlock(int *lock);
extern unsigned long spin_lock_irqsave(int *lock);
extern void spin_unlock_irqrestore(int *lock, unsigned long flags);

int uart_put(struct uart *u, const uint8_t *p, unsigned n)
{
    unsigned i;
#ifdef PATCHED
    unsigned long flags;

    flags = spin_lock_irqsave(&u->lock);
#else
    spin_lock(&u->lock);
#endif
    for (i = 0; i < n; i++) {
        uint32_t next = (u->head + 1) & 255;

        if (next == u->tail) {
            u->overruns++;
            break;
        }
        u->ring[u->head] = p[i];
        u->head = next;
    }
#ifdef LATER
    u->sent += i;
    if (i > 0)
#endif
        u->regs[3] |= 2;
#ifdef PATCHED
    spin_unlock_irqrestore(&u->lock, flags);
#else
    spin_unlock(&u->lock);
#endif
    return (int)i;
}
