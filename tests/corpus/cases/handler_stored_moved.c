/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=handler_stored_moved function=driver_probe kind=function-pointer build=exe
 * strict: safe
 * analyst: safe
 * why: The mirror image of handler_stored: the stored functions moved because another one grew, and the
 *   probe checks more. */
#include <stddef.h>
#include <stdint.h>

struct driver {
    void (*irq)(void *arg);
    void (*reset)(void *arg);
    uint32_t id, caps;
};

extern uint32_t bus_read(void *bus, unsigned reg);
extern void bus_write(void *bus, unsigned reg, uint32_t value);

void dev_quiesce(void *bus)
{
    bus_write(bus, 8, 0);
#ifdef PATCHED
    bus_write(bus, 12, 0);
    bus_write(bus, 16, 1);
    bus_write(bus, 20, bus_read(bus, 24) & 0xf0);
#endif
}

void irq_level(void *arg)
{
    *(uint32_t *)arg |= 1;
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
#ifdef PATCHED
    if (id == 0)
        return -19;
#endif
    d->id = id & 0xffff;
    d->caps = bus_read(bus, 4);
    d->reset = dev_reset;
    d->irq = irq_level;
    return 0;
}
