/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=global_used_directly function=quota_charge kind=global
 * strict: safe
 * analyst: safe
 * why: A global moved, because another one was put in front of it, and a limit is checked. */
#include <stddef.h>
#include <stdint.h>

#ifdef PATCHED
uint32_t quota_denied[6] = {1, 2, 3, 4, 5, 6};
#endif
uint32_t quota_used = 10;
uint32_t quota_limit = 5000;

extern void quota_warn(uint32_t used);

int quota_charge(uint32_t n)
{
    uint32_t used = quota_used + n;

    if (used > quota_limit)
        return -122;
#ifdef PATCHED
    if (used < n) {
        quota_denied[0]++;
        return -75;
    }
#endif
    quota_used = used;
    if (used > quota_limit / 2)
        quota_warn(used);
    return 0;
}
