/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=stale_load_across_call function=buf_extend kind=order
 * strict: unsafe P2
 * analyst: unsafe
 * why: A length is read before a call that may change it, and was read after it. */
#include <stddef.h>
#include <stdint.h>

struct buf {
    uint8_t *data;
    uint32_t len, cap;
};

extern int buf_reserve(struct buf *b, uint32_t n);

int buf_extend(struct buf *b, uint8_t v)
{
    uint32_t at;

    if (b->cap > 0x1000000)
        return -12;
#ifdef PATCHED
    at = b->len;
    if (buf_reserve(b, 1) != 0)
        return -12;
#else
    if (buf_reserve(b, 1) != 0)
        return -12;
    at = b->len;
#endif
    b->data[at] = v;
    b->len = at + 1;
    return 0;
}
