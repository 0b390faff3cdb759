/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=utf8_continuation function=utf8_next kind=bound-check
 * strict: safe
 * analyst: safe
 * why: The second byte of a two-byte sequence has to be a continuation byte. */
#include <stddef.h>
#include <stdint.h>

extern void glyph_add(void *run, uint32_t code);

int utf8_next(void *run, const uint8_t *s, unsigned n)
{
    uint32_t code;
    int used;

    if (n == 0)
        return -1;
    if (s[0] < 0x80) {
        code = s[0];
        used = 1;
    } else if ((s[0] & 0xe0) == 0xc0) {
        if (n < 2)
            return -1;
#ifdef PATCHED
        if ((s[1] & 0xc0) != 0x80)
            return -1;
#endif
        code = (uint32_t)(s[0] & 0x1f) << 6 | (s[1] & 0x3f);
        used = 2;
    } else {
        return -1;
    }
    glyph_add(run, code);
    return used;
}
