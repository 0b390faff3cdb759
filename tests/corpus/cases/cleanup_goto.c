/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=cleanup_goto function=driver_attach kind=error-path
 * strict: safe
 * analyst: safe
 * why: What was set up is taken down again in the reverse order when a later step fails. */
#include <stddef.h>
#include <stdint.h>

struct dev {
    void *regs;
    int irq, state;
};

extern void *map_regs(struct dev *d);
extern void unmap_regs(void *regs);
extern int irq_request(struct dev *d, int irq);
extern void irq_release(int irq);
extern int dev_register(struct dev *d);

int driver_attach(struct dev *d, int irq)
{
    d->regs = map_regs(d);
    if (d->regs == NULL)
        return -12;
    if (irq_request(d, irq) != 0) {
#ifdef PATCHED
        unmap_regs(d->regs);
        d->regs = NULL;
#endif
        return -16;
    }
    if (dev_register(d) != 0) {
#ifdef PATCHED
        irq_release(irq);
        unmap_regs(d->regs);
        d->regs = NULL;
#endif
        return -5;
    }
    d->irq = irq;
    d->state = 1;
    return 0;
}
