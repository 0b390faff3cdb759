/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=handler_stored function=driver_probe kind=function-pointer
 * strict: unsafe P2
 * analyst: unsafe
 * why: Another function is stored as the interrupt handler. */
#include <stddef.h>
#include <stdint.h>

struct driver {
    void (*irq)(void *arg);
    void (*reset)(void *arg);
    uint32_t id, caps;
};

extern uint32_t bus_read(void *bus, unsigned reg);

void irq_level(void *arg)
{
    *(uint32_t *)arg |= 1;
}

void irq_edge(void *arg)
{
    *(uint32_t *)arg ^= 0x100;
}

void dev_reset(void *arg)
{
    *(uint32_t *)arg = 0;
}

int driver_probe(struct driver *d, void *bus)
{
    uint32_t id = bus_read(bus, 0);

    if (id == 0xffffffff)
        return -19;
    d->id = id & 0xffff;
    d->caps = bus_read(bus, 4);
    d->reset = dev_reset;
#ifdef PATCHED
    d->irq = irq_edge;
#else
    d->irq = irq_level;
#endif
    return 0;
}
