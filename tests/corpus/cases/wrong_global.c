/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=wrong_global function=quota_charge kind=global build=exe
 * strict: unsafe P2
 * analyst: unsafe
 * why: The charge goes to another global of the same size and first value. */
#include <stddef.h>
#include <stdint.h>

uint32_t quota_used = 10;
uint32_t quota_soft = 10;
uint32_t quota_limit = 5000;

extern void quota_warn(uint32_t used);

int quota_charge(uint32_t n)
{
    uint32_t used = quota_used + n;

    if (used > quota_limit)
        return -122;
#ifdef PATCHED
    quota_soft = used;
#else
    quota_used = used;
#endif
    if (used > quota_limit / 2)
        quota_warn(used);
    return 0;
}
