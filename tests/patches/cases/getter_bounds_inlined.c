/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=getter_bounds_inlined function=reader_u16 caller=parse_sof_segment kind=inlined
 * why: Two bytes were read when only one was left. The function is small enough to disappear in those that
 * call it. */
struct reader {
    const uint8_t *p, *end;
    int failed;
};
struct frame {
    uint16_t width, height;
    uint8_t precision, components;
    uint8_t sampling[4];
};

extern void decode_error(const char *what);

static uint8_t reader_u8(struct reader *r)
{
    if (r->p >= r->end) {
        r->failed = 1;
        return 0;
    }
    return *r->p++;
}

static uint16_t reader_u16(struct reader *r)
{
    uint16_t v;

#ifdef PATCHED
    if (r->end - r->p < 2) {
#else
    if (r->p >= r->end) {
#endif
        r->failed = 1;
        return 0;
    }
    v = (uint16_t)(r->p[0] << 8 | r->p[1]);
    r->p += 2;
    return v;
}

int parse_sof_segment(struct reader *r, struct frame *f)
{
    unsigned i;

    f->precision = reader_u8(r);
    if (f->precision != 8) {
        decode_error("precision");
        return -1;
    }
    f->height = reader_u16(r);
    f->width = reader_u16(r);
#ifdef LATER
    if (f->width == 0) {
        decode_error("width");
        return -1;
    }
#endif
    f->components = reader_u8(r);
    if (f->components > 4)
        return -1;
    for (i = 0; i < f->components; i++)
        f->sampling[i] = reader_u8(r);
#ifdef LATER
    for (; i < 4; i++)
        f->sampling[i] = 0x11;
#endif
    return r->failed ? -1 : 0;
}
