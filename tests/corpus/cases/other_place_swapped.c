/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=other_place_swapped function=reg_program kind=swapped-writes
 * strict: safe
 * analyst: safe
 * why: Two writes to different fields changed their order, which nobody can see. */
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
#ifdef PATCHED
    r->status = b;
    r->mask = a;
#else
    r->mask = a;
    r->status = b;
#endif
    *d = a ^ b;
    r->ctrl |= 1;
    bus_sync(bus);
    return 0;
}
