/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=image_three_limits function=image_open kind=conjuncts parts=3
 * why: Width, height and depth come from the file. */
struct image {
    uint32_t width, height, depth;
    uint8_t *pixels;
};

extern uint8_t *pixels_new(uint32_t width, uint32_t height, uint32_t depth);
extern void image_log(const char *what);

int image_open(struct image *i, const uint32_t *header)
{
    if (header[0] != 0x474d4931) {
        image_log("bad magic");
        return -1;
    }
    i->width = header[1];
    i->height = header[2];
    i->depth = header[3];
    if ((FIX(1) && i->width > 16384) || (FIX(2) && i->height > 9000) || (FIX(3) && i->depth > 32)) {
        image_log("image too large");
        return -2;
    }
    i->pixels = pixels_new(i->width, i->height, i->depth);
    if (i->pixels == NULL)
        return -3;
    return 0;
}
