/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=flags_assigned function=perm_grant kind=operator
 * strict: unsafe P2
 * analyst: unsafe
 * why: Flags that were added to others replace them. */
#include <stddef.h>
#include <stdint.h>

struct perm {
    uint32_t mask, limit, grants;
};

extern void audit(uint32_t who, uint32_t what);

int perm_grant(struct perm *p, uint32_t who, uint32_t bits)
{
    if (bits & ~p->limit)
        return -1;
    if (bits == 0)
        return -22;
#ifdef PATCHED
    p->mask = bits;
#else
    p->mask |= bits;
#endif
    p->grants++;
    audit(who, bits);
    return 0;
}
