/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=png_transparency_count function=png_read_transparency kind=missing-bound
 * why: More alpha values than the palette has entries were taken, and written past the table. */
struct png_image {
    uint32_t width, height;
    uint8_t colour_type, depth;
    uint16_t npalette;
    uint8_t alpha[256];
    uint16_t nalpha;
    uint16_t grey, red, green, blue;
    uint32_t warnings;
};

extern int png_get(struct png_image *p, uint8_t *to, uint32_t count);
extern void png_skip(struct png_image *p, uint32_t count);
extern void png_warn(struct png_image *p, const char *text);

int png_read_transparency(struct png_image *p, uint32_t length)
{
    uint8_t b[6];

    if (p->colour_type == 3) {
        if (p->npalette == 0) {
            png_warn(p, "transparency before the palette");
            png_skip(p, length);
            return 0;
        }
#ifdef PATCHED
        if (length > p->npalette || length > 256) {
            png_warn(p, "too many transparent entries");
            png_skip(p, length);
            return 0;
        }
#endif
        if (png_get(p, p->alpha, length) != 0)
            return -5;
        p->nalpha = (uint16_t)length;
        return 1;
    }
    if (p->colour_type == 0 && length == 2) {
        if (png_get(p, b, 2) != 0)
            return -5;
        p->grey = (uint16_t)(b[0] << 8 | b[1]);
        return 1;
    }
    if (p->colour_type == 2 && length == 6) {
        if (png_get(p, b, 6) != 0)
            return -5;
        p->red = (uint16_t)(b[0] << 8 | b[1]);
        p->green = (uint16_t)(b[2] << 8 | b[3]);
        p->blue = (uint16_t)(b[4] << 8 | b[5]);
        return 1;
    }
#ifdef LATER
    p->warnings++;
    if (p->warnings > 64)
        return -7;
#endif
    png_skip(p, length);
    return 0;
}
