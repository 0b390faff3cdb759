/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=branches_inverted function=mode_select kind=refactoring
 * strict: safe
 * analyst: safe
 * why: The two branches of a condition changed places together with its sense. */
#include <stddef.h>
#include <stdint.h>

struct link {
    uint32_t speed, duplex, mode;
};

extern void phy_write(void *phy, unsigned reg, uint32_t v);

int mode_select(struct link *l, void *phy, uint32_t caps)
{
    if (caps == 0)
        return -19;
#ifdef PATCHED
    if (!(caps & 0x20)) {
        l->speed = 100;
        l->duplex = caps & 1;
        phy_write(phy, 0, 0x2000);
    } else {
        l->speed = 1000;
        l->duplex = 1;
        phy_write(phy, 9, 0x300);
    }
#else
    if (caps & 0x20) {
        l->speed = 1000;
        l->duplex = 1;
        phy_write(phy, 9, 0x300);
    } else {
        l->speed = 100;
        l->duplex = caps & 1;
        phy_write(phy, 0, 0x2000);
    }
#endif
    l->mode = 1;
    return 0;
}
