/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=swap_builtin function=ntoh_header kind=refactoring
 * strict: safe
 * analyst: safe
 * why: A byte order conversion by hand became the compiler's own. */
#include <stddef.h>
#include <stdint.h>

struct header {
    uint32_t magic, length, crc;
};

int ntoh_header(struct header *h)
{
    uint32_t m = h->magic;

#ifdef PATCHED
    m = __builtin_bswap32(m);
#else
    m = m >> 24 | (m >> 8 & 0xff00) | (m << 8 & 0xff0000) | m << 24;
#endif
    if (m != 0x1f8b0801)
        return -22;
    h->magic = m;
    h->length = __builtin_bswap32(h->length);
    h->crc = __builtin_bswap32(h->crc);
    return 0;
}
