/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=rect_or_to_and function=rect_clip kind=widened
 * strict: unsafe P1
 * analyst: unsafe
 * why: Either side out of range was an error; now both have to be. */
#include <stddef.h>
#include <stdint.h>

struct rect {
    uint32_t x, y, w, h;
};

extern void damage_add(const struct rect *r);

int rect_clip(struct rect *r, uint32_t width, uint32_t height)
{
#ifdef PATCHED
    if (r->x >= width && r->y >= height)
        return -1;
#else
    if (r->x >= width || r->y >= height)
        return -1;
#endif
    if (r->w > width - r->x)
        r->w = width - r->x;
    if (r->h > height - r->y)
        r->h = height - r->y;
    damage_add(r);
    return 0;
}
