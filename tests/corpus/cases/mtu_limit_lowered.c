/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=mtu_limit_lowered function=if_set_mtu kind=bound-check
 * strict: safe
 * analyst: safe
 * why: The upper limit went from 9000 to 1500, which only rejects more. */
#include <stddef.h>
#include <stdint.h>

struct netif {
    unsigned mtu, up, changes;
};

extern int hw_set_mtu(struct netif *n, unsigned mtu);
extern void link_event(struct netif *n, int what);

int if_set_mtu(struct netif *n, unsigned mtu)
{
#ifdef PATCHED
    const unsigned limit = 1500;
#else
    const unsigned limit = 9000;
#endif
    if (mtu < 68 || mtu > limit)
        return -22;
    if (hw_set_mtu(n, mtu) != 0)
        return -5;
    n->mtu = mtu;
    n->changes++;
    if (n->up)
        link_event(n, 4);
    return 0;
}
