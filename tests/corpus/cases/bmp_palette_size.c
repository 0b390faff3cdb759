/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=bmp_palette_size function=bmp_palette kind=bound-check
 * strict: safe
 * analyst: safe
 * why: A bitmap that claims more colours than its depth can name is rejected. */
#include <stddef.h>
#include <stdint.h>

struct bmp {
    uint16_t bpp;
    uint32_t colors;
    uint32_t offset;
};

extern int stream_seek(void *s, uint32_t off);
extern int stream_read(void *s, void *buf, uint32_t n);

int bmp_palette(struct bmp *b, void *s, void *palette)
{
    if (b->bpp > 8)
        return -2;
    if (b->colors == 0)
        b->colors = (uint32_t)1 << b->bpp;
#ifdef PATCHED
    if (b->colors > 256)
        return -1;
#endif
    if (stream_seek(s, b->offset) < 0)
        return -1;
    if (stream_read(s, palette, b->colors * 4) < 0)
        return -1;
    return 0;
}
