/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=png_width_check function=png_set_ihdr kind=bound-check
 * strict: safe
 * analyst: safe
 * why: Images wider or higher than a million pixels are rejected before the row size is computed. */
#include <stddef.h>
#include <stdint.h>

struct png {
    uint32_t width, height;
    uint8_t depth, color;
    uint32_t rowbytes;
    uint32_t flags;
};

int png_set_ihdr(struct png *png, const uint8_t *chunk, size_t len)
{
    if (len != 13)
        return -1;
    uint32_t w = (uint32_t)chunk[0] << 24 | chunk[1] << 16 | chunk[2] << 8 | chunk[3];
    uint32_t h = (uint32_t)chunk[4] << 24 | chunk[5] << 16 | chunk[6] << 8 | chunk[7];
    if (w == 0 || h == 0)
        return -1;
#ifdef PATCHED
    if (w > 1000000 || h > 1000000)
        return -1;
#endif
    png->width = w;
    png->height = h;
    png->depth = chunk[8];
    png->color = chunk[9];
    png->rowbytes = (w * png->depth + 7) >> 3;
    png->flags |= 1;
    return 0;
}
