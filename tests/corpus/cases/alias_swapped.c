/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=alias_swapped function=pair_store kind=swapped-writes
 * strict: unsafe P2
 * analyst: unsafe
 * why: Two writes through pointers that may be the same one changed their order. */
#include <stddef.h>
#include <stdint.h>

extern void fence(void *p);

int pair_store(uint32_t *lo, uint32_t *hi, uint32_t a, uint32_t b)
{
    if (lo == NULL)
        return -22;
    if (hi == NULL)
        return -22;
#ifdef PATCHED
    *hi = b;
    *lo = a;
#else
    *lo = a;
    *hi = b;
#endif
    fence(lo);
    return 0;
}
