/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=blob_range_wrap function=blob_read kind=widened
 * strict: unsafe P1
 * analyst: unsafe
 * why: The mirror image of blob_range_overflow: the careful test becomes one that wraps around. */
#include <stddef.h>
#include <stdint.h>

struct blob {
    const uint8_t *base;
    uint32_t size;
    uint32_t reads;
};

extern void copy_bytes(void *to, const void *from, uint32_t n);

int blob_read(struct blob *b, uint32_t off, uint32_t len, void *out)
{
    if (len == 0)
        return -1;
#ifdef PATCHED
    if (off + len > b->size)
        return -1;
#else
    if (off > b->size || len > b->size - off)
        return -1;
#endif
    copy_bytes(out, b->base + off, len);
    b->reads++;
    return (int)(len & 0x7fffffff);
}
