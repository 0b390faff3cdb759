/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=bitreader_width function=bits_read kind=bound-check
 * strict: safe
 * analyst: safe
 * why: More bits than a word has cannot be asked for any more. */
#include <stddef.h>
#include <stdint.h>

struct bits {
    const uint8_t *p;
    uint64_t hold;
    unsigned have;
};

extern int bits_refill(struct bits *b);

int bits_read(struct bits *b, unsigned n, uint32_t *out)
{
#ifdef PATCHED
    if (n > 32)
        return -1;
#endif
    while (b->have < n) {
        if (bits_refill(b) < 0)
            return -1;
    }
    *out = (uint32_t)(b->hold & (((uint64_t)1 << (n & 63)) - 1));
    b->hold >>= n & 63;
    b->have -= n;
    return 0;
}
