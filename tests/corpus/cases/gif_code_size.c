/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=gif_code_size function=gif_start_lzw kind=bound-check build=exe
 * strict: safe
 * analyst: safe
 * why: Code sizes over twelve bits overran the table of codes. */
#include <stddef.h>
#include <stdint.h>

struct lzw {
    uint32_t clear, eoi, next, limit;
    uint8_t min_size, size;
};

extern void lzw_reset(struct lzw *z);

int gif_start_lzw(struct lzw *z, const uint8_t *p, unsigned n)
{
    unsigned size;

    if (n < 1)
        return -1;
    size = p[0];
#ifdef PATCHED
    if (size < 2 || size > 12)
        return -1;
#else
    if (size < 2)
        return -1;
#endif
    z->min_size = size;
    z->size = size + 1;
    z->clear = 1u << (size & 31);
    z->eoi = z->clear + 1;
    z->next = z->clear + 2;
    z->limit = z->clear << 1;
    lzw_reset(z);
    return 0;
}
