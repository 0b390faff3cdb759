/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=image_area_overflow function=bitmap_alloc kind=overflow
 * why: Width times height times four wraps in 32 bits. */
struct bitmap {
    uint32_t width, height, stride;
    uint8_t *pixels;
    uint32_t colour;
};

extern void bitmap_error(const char *what, uint32_t width, uint32_t height);
extern void *pool_alloc(uint32_t bytes);

int bitmap_alloc(struct bitmap *b, uint32_t width, uint32_t height, int cleared)
{
    uint32_t bytes;

    if (width == 0 || height == 0) {
        bitmap_error("empty bitmap", width, height);
        return -22;
    }
#ifdef PATCHED
    if (width > 0x7fffffffu / 4 / height) {
        bitmap_error("bitmap too large", width, height);
        return -75;
    }
#endif
    b->stride = width * 4;
    bytes = b->stride * height;
#ifdef LATER
    b->colour = 0xff000000u;
#endif
    b->pixels = pool_alloc(bytes);
    if (b->pixels == NULL)
        return -12;
    if (cleared)
        memset(b->pixels, 0, bytes);
    b->width = width;
    b->height = height;
#ifdef LATER
    if (width > 16384)
        bitmap_error("wide bitmap", width, height);
#endif
    return 0;
}
