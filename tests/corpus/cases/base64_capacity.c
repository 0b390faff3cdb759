/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=base64_capacity function=base64_encode kind=bound-check
 * strict: safe
 * analyst: safe
 * why: The encoder is told how large its output is and refuses what does not fit. */
#include <stddef.h>
#include <stdint.h>

extern const char base64_alphabet[64];

int base64_encode(char *out, unsigned cap, const uint8_t *in, unsigned n)
{
    unsigned o = 0;

    if (n > 0x10000)
        return -1;
#ifdef PATCHED
    if ((n + 2) / 3 * 4 + 1 > cap)
        return -1;
#endif
    for (unsigned i = 0; i + 2 < n; i += 3) {
        uint32_t v = (uint32_t)in[i] << 16 | in[i + 1] << 8 | in[i + 2];

        out[o++] = base64_alphabet[v >> 18];
        out[o++] = base64_alphabet[v >> 12 & 63];
        out[o++] = base64_alphabet[v >> 6 & 63];
        out[o++] = base64_alphabet[v & 63];
    }
    out[o] = '\0';
    return (int)o;
}
