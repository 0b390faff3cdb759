/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=mask_then_shift function=rgb_pack kind=refactoring
 * strict: safe
 * analyst: safe
 * why: Masks and shifts changed places, which gives the same bits. */
#include <stddef.h>
#include <stdint.h>

struct pixel {
    uint8_t r, g, b, a;
};

extern void dither(uint16_t *p);

int rgb_pack(uint16_t *out, uint32_t argb, int opaque)
{
    if (out == NULL)
        return -14;
    if (opaque && argb >> 24 != 0xff)
        return -22;
#ifdef PATCHED
    *out = (uint16_t)((argb >> 8 & 0xf800) | (argb >> 5 & 0x07e0) | (argb >> 3 & 0x001f));
#else
    *out = (uint16_t)(((argb & 0xf80000) >> 8) | ((argb & 0x00fc00) >> 5) | ((argb & 0x0000f8) >> 3));
#endif
    dither(out);
    return 0;
}
