/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=check_before_use function=set_palette_entry kind=moved
 * why: The entry was written before its number was looked at. */
struct display {
    uint32_t palette[256];
    uint32_t entries, dirty;
    int depth;
};

extern void display_flush(struct display *d, uint32_t first, uint32_t count);
extern void display_warn(uint32_t index);

int set_palette_entry(struct display *d, uint32_t index, uint32_t red, uint32_t green, uint32_t blue)
{
    uint32_t value;

    if (d->depth != 8)
        return -22;
    value = (red & 0xff) << 16 | (green & 0xff) << 8 | (blue & 0xff);
#ifdef LATER
    value |= 0xff000000u;
#endif
#ifdef PATCHED
    if (index >= d->entries) {
#ifdef LATER
        display_warn(index);
#endif
        return -34;
    }
    d->palette[index] = value;
#else
    d->palette[index] = value;
    if (index >= d->entries) {
#ifdef LATER
        display_warn(index);
#endif
        return -34;
    }
#endif
    d->dirty++;
    if (d->dirty >= 16) {
        display_flush(d, 0, d->entries);
        d->dirty = 0;
    }
    return 0;
}
