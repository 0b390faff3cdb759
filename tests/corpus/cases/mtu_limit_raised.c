/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=mtu_limit_raised function=if_set_mtu kind=widened
 * strict: unsafe P1
 * analyst: unsafe
 * why: The upper limit went from 1500 to 9000, so that more is accepted than before. */
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
    const unsigned limit = 9000;
#else
    const unsigned limit = 1500;
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
