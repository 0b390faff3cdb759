/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=leak_on_error function=load_texture kind=context
 * why: The pixels are not given back when the palette cannot be read; elsewhere they are. */
struct image {
    unsigned width, height, depth;
    uint8_t *pixels;
    uint32_t *palette;
};

extern int stream_read(void *s, void *to, size_t size);
extern int stream_skip(void *s, size_t size);
extern uint8_t *pixels_alloc(unsigned width, unsigned height);
extern void pixels_free(uint8_t *p);
extern int decode_rows(void *s, uint8_t *pixels, unsigned width, unsigned height);

int load_texture(void *s, struct image *im)
{
    uint8_t head[8];
    uint32_t colours[256];

    if (stream_read(s, head, 8) < 8)
        return -5;
    im->width = head[0] | (unsigned)head[1] << 8;
    im->height = head[2] | (unsigned)head[3] << 8;
    im->depth = head[4];
#ifdef LATER
    if (im->width > 8192 || im->height > 8192)
        return -27;
#endif
    im->pixels = pixels_alloc(im->width, im->height);
    if (im->pixels == NULL)
        return -12;
    if (im->depth == 8) {
        if (stream_read(s, colours, sizeof colours) < (int)sizeof colours) {
#ifdef PATCHED
            pixels_free(im->pixels);
#endif
            return -5;
        }
        memcpy(im->palette, colours, sizeof colours);
    }
#ifdef LATER
    stream_skip(s, head[5]);
#endif
    if (decode_rows(s, im->pixels, im->width, im->height) < 0) {
        pixels_free(im->pixels);
        return -74;
    }
    return 0;
}
