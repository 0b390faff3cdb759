/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=rate_divide_zero function=rate_update kind=null-check
 * strict: safe
 * analyst: safe
 * why: A rate over no time is an error instead of a division by zero. */
#include <stddef.h>
#include <stdint.h>

struct rate {
    uint32_t bytes, interval, current, peak;
};

int rate_update(struct rate *r, uint32_t bytes, uint32_t interval)
{
    uint32_t v;

#ifdef PATCHED
    if (interval == 0)
        return -33;
#endif
    v = bytes / interval;
    r->bytes += bytes;
    r->interval = interval;
    r->current = v;
    if (v > r->peak)
        r->peak = v;
    return 0;
}
