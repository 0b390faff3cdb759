/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=fill_loop_off_by_one function=row_fill kind=loop-bound
 * strict: unsafe P2
 * analyst: unsafe
 * why: The last pixel of a row is not written any more. */
#include <stddef.h>
#include <stdint.h>

struct image {
    uint8_t *pixels;
    uint32_t width, height, stride;
};

int row_fill(struct image *im, uint32_t y, uint8_t value)
{
    uint8_t *row;

    if (y >= im->height)
        return -1;
    row = im->pixels + (size_t)y * im->stride;
#ifdef PATCHED
    for (uint32_t x = 0; x + 1 < im->width; x++)
#else
    for (uint32_t x = 0; x < im->width; x++)
#endif
        row[x] = value ^ (uint8_t)x;
    return 0;
}
