/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=copy_direction function=buffer_swap kind=argument build=exe
 * strict: unsafe P4
 * analyst: unsafe
 * why: Source and destination of a copy changed places. */
#include <stddef.h>
#include <stdint.h>

struct dbuf {
    uint8_t *front, *back;
    uint32_t size, swaps;
};

extern void copy_bytes(void *to, const void *from, uint32_t n);
extern void wait_vsync(void);

int buffer_swap(struct dbuf *d)
{
    if (d->size == 0)
        return -22;
    if (d->front == d->back)
        return -22;
    wait_vsync();
#ifdef PATCHED
    copy_bytes(d->back, d->front, d->size);
#else
    copy_bytes(d->front, d->back, d->size);
#endif
    d->swaps++;
    return 0;
}
