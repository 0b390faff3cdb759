/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=same_place_swapped function=reg_program kind=swapped-writes
 * strict: unsafe P2
 * analyst: unsafe
 * why: Two writes to the same place changed their order, so that the other one stays. */
#include <stddef.h>
#include <stdint.h>

struct regs {
    uint32_t ctrl, status, mask, data[4];
};

extern void bus_sync(void *bus);

int reg_program(struct regs *r, unsigned slot, uint32_t a, uint32_t b, void *bus)
{
    uint32_t *d;

    if (slot > 3)
        return -1;
    d = &r->data[slot];
    r->mask = 0xff;
#ifdef PATCHED
    *d = b;
    *d = a;
#else
    *d = a;
    *d = b;
#endif
    r->ctrl |= 1;
    bus_sync(bus);
    return 0;
}
