/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=base64_signed_index function=base64_decode_quad kind=signedness
 * why: Bytes above 127 were negative indices into the table. */
extern const int8_t base64_value[256];

int base64_decode_quad(const char *in, uint8_t *out)
{
    uint32_t word = 0;
    int i, pad = 0;

    for (i = 0; i < 4; i++) {
        int v;

        if (in[i] == '=') {
            pad++;
            word <<= 6;
            continue;
        }
        if (pad)
            return -22;
#ifdef PATCHED
        v = base64_value[(unsigned char)in[i]];
#else
        v = base64_value[(signed char)in[i]];
#endif
        if (v < 0)
            return -84;
        word = word << 6 | (uint32_t)v;
    }
    if (pad > 2)
        return -22;
#ifdef LATER
    if (pad == 2 && (word & 0xffff) != 0)
        return -84;
#endif
    out[0] = (uint8_t)(word >> 16);
    if (pad < 2)
        out[1] = (uint8_t)(word >> 8);
    if (pad < 1)
        out[2] = (uint8_t)word;
    return 3 - pad;
}
