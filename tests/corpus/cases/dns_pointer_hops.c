/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=dns_pointer_hops function=dns_name_skip kind=bound-check
 * strict: safe
 * analyst: safe
 * why: A chain of compression pointers longer than 16 is an error, so that a loop of them ends. */
#include <stddef.h>
#include <stdint.h>

extern void label_seen(void *ctx, const uint8_t *label, unsigned len);

int dns_name_skip(void *ctx, const uint8_t *msg, unsigned size, unsigned pos)
{
#ifdef PATCHED
    int hops = 0;
#endif

    for (;;) {
        unsigned len;

        if (pos >= size)
            return -1;
        len = msg[pos];
        if (len == 0)
            break;
        if (len >= 0xc0) {
            if (pos + 1 >= size)
                return -1;
#ifdef PATCHED
            if (++hops > 16)
                return -1;
#endif
            pos = (len & 0x3f) << 8 | msg[pos + 1];
            continue;
        }
        label_seen(ctx, msg + pos + 1, len);
        pos += len + 1;
    }
    return 0;
}
