/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=utf8_overlong function=utf8_decode kind=missing-check
 * why: Overlong forms and surrogates were decoded, which let a slash through a filter. */
int utf8_decode(const uint8_t *s, size_t left, uint32_t *out)
{
    uint32_t c;
    unsigned need, i;

    if (left == 0)
        return 0;
    c = s[0];
    if (c < 0x80) {
        *out = c;
        return 1;
    }
    if ((c & 0xe0) == 0xc0) {
        need = 2;
        c &= 0x1f;
    } else if ((c & 0xf0) == 0xe0) {
        need = 3;
        c &= 0x0f;
    } else if ((c & 0xf8) == 0xf0) {
        need = 4;
        c &= 0x07;
    } else {
        return -1;
    }
    if (left < need)
        return -2;
    for (i = 1; i < need; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (s[i] & 0x3f);
    }
#ifdef PATCHED
    if ((need == 2 && c < 0x80) || (need == 3 && c < 0x800) || (need == 4 && c < 0x10000))
        return -3;
    if (c >= 0xd800 && c <= 0xdfff)
        return -3;
#endif
#ifdef LATER
    if (c == 0xfeff)
        c = 0x2060;
#endif
    *out = c;
    return (int)need;
}
