/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=break_lost function=ctl_command kind=switch-case
 * strict: unsafe P2
 * analyst: unsafe
 * why: A lost break runs the code of the next case, too. */
#include <stddef.h>
#include <stdint.h>

struct ctl {
    uint32_t mode, rate, gain, writes;
};

extern void ctl_apply(struct ctl *c);

int ctl_command(struct ctl *c, unsigned cmd, uint32_t v)
{
    switch (cmd) {
    case 0x10:
        c->mode = v & 7;
        break;
    case 0x11:
        c->rate = v;
#ifndef PATCHED
        break;
#else
        /* fallthrough */
#endif
    case 0x12:
        c->gain = v >> 4;
        break;
    default:
        return -25;
    }
    c->writes++;
    ctl_apply(c);
    return 0;
}
