/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=register_read_order function=clock_setup kind=refactoring
 * strict: safe
 * analyst: safe
 * why: Independent assignments were sorted, and a temporary was introduced. */
#include <stddef.h>
#include <stdint.h>

struct clock {
    uint32_t rate, div, parent, flags;
};

extern uint32_t parent_rate(uint32_t parent);

int clock_setup(struct clock *c, uint32_t parent, uint32_t div)
{
    uint32_t r;

    if (div == 0 || div > 256)
        return -22;
    r = parent_rate(parent);
    if (r == 0)
        return -19;
#ifdef PATCHED
    uint32_t rate = r / div;

    c->flags = 3;
    c->parent = parent;
    c->div = div - 1;
    c->rate = rate;
#else
    c->rate = r / div;
    c->div = div - 1;
    c->parent = parent;
    c->flags = 3;
#endif
    return 0;
}
