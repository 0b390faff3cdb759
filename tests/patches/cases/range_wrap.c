/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=range_wrap function=flash_write kind=overflow
 * why: The sum of offset and length may wrap; the difference does not. */
struct flash {
    uint32_t size, page, written;
    int protected;
    uint8_t *base;
};

extern int flash_program(struct flash *f, uint32_t offset, const uint8_t *p, uint32_t n);
extern int flash_erase(struct flash *f, uint32_t offset, uint32_t n);
extern int flash_wait(struct flash *f);

int flash_write(struct flash *f, uint32_t offset, const uint8_t *p, uint32_t n)
{
    int ret;

    if (f->protected)
        return -30;
#ifdef PATCHED
    if (offset > f->size || n > f->size - offset)
#else
    if (offset + n > f->size)
#endif
        return -22;
    if (offset % f->page == 0) {
        ret = flash_erase(f, offset, n);
        if (ret < 0)
            return ret;
    }
#ifdef LATER
    ret = flash_wait(f);
    if (ret < 0)
        return ret;
#endif
    ret = flash_program(f, offset, p, n);
    if (ret == 0)
        f->written += n;
    return ret;
}
