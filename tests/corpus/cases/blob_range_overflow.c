/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=blob_range_overflow function=blob_read kind=overflow-check
 * strict: safe
 * analyst: safe
 * why: An offset and a length whose sum wraps around no longer pass the test against the size. */
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
    if (off > b->size || len > b->size - off)
        return -1;
#else
    if (off + len > b->size)
        return -1;
#endif
    copy_bytes(out, b->base + off, len);
    b->reads++;
    return (int)(len & 0x7fffffff);
}
