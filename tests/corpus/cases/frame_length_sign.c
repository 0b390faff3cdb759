/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=frame_length_sign function=frame_accept kind=bound-check build=exe
 * strict: safe
 * analyst: safe
 * why: A length read as signed is now also refused when it is negative. */
#include <stddef.h>
#include <stdint.h>

struct frame {
    int length;
    int kind;
    uint32_t sequence;
};

extern int frame_body(struct frame *f, const uint8_t *p, int n);

int frame_accept(struct frame *f, const uint8_t *p)
{
    int length = (int)((uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]);

    if (length > 16384)
        return -90;
#ifdef PATCHED
    if (length < 0)
        return -90;
#endif
    f->length = length;
    f->kind = p[4];
    f->sequence++;
    if (frame_body(f, p + 5, length) != 0)
        return -5;
    return 0;
}
