/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=tlv_walk_bound function=tlv_walk kind=bound-check
 * strict: safe
 * analyst: safe
 * why: An element that is longer than what is left of the message ends the walk with an error. */
#include <stddef.h>
#include <stdint.h>

extern int tlv_handle(void *ctx, unsigned type, const uint8_t *value, unsigned len);

int tlv_walk(void *ctx, const uint8_t *p, unsigned left)
{
    int n = 0;

    while (left >= 2) {
        unsigned type = p[0];
        unsigned len = p[1];

        p += 2;
        left -= 2;
#ifdef PATCHED
        if (len > left)
            return -71;
#endif
        if (tlv_handle(ctx, type, p, len) < 0)
            return -5;
        p += len;
        left -= len;
        n++;
    }
    return n & 0xffff;
}
