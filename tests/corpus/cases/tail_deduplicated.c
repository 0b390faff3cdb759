/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=tail_deduplicated function=irq_ack kind=refactoring
 * strict: safe
 * analyst: safe
 * why: Two equal ends of branches became one behind them. */
#include <stddef.h>
#include <stdint.h>

struct ctl {
    volatile uint32_t *regs;
    uint32_t pending, served;
};

extern void eoi(struct ctl *c, unsigned irq);
extern void spurious(struct ctl *c);

int irq_ack(struct ctl *c, unsigned irq)
{
    if (irq > 31)
        return -22;
#ifdef PATCHED
    if (c->pending & 1u << irq)
        c->pending &= ~(1u << irq);
    else
        spurious(c);
    c->served++;
    eoi(c, irq);
#else
    if (c->pending & 1u << irq) {
        c->pending &= ~(1u << irq);
        c->served++;
        eoi(c, irq);
    } else {
        spurious(c);
        c->served++;
        eoi(c, irq);
    }
#endif
    return 0;
}
