/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=asn1_length_bytes function=asn1_length kind=bound-check
 * strict: safe
 * analyst: safe
 * why: A long-form length of more than four bytes is refused instead of shifted away. */
#include <stddef.h>
#include <stdint.h>

int asn1_length(const uint8_t **pp, const uint8_t *end, uint32_t *out)
{
    const uint8_t *p = *pp;
    uint32_t v;

    if (p >= end)
        return -1;
    v = *p++;
    if (v & 0x80) {
        unsigned n = v & 0x7f;

        if (n == 0)
            return -1;
#ifdef PATCHED
        if (n > 4)
            return -1;
#endif
        v = 0;
        while (n-- > 0) {
            if (p >= end)
                return -1;
            v = v << 8 | *p++;
        }
    }
    *out = v;
    *pp = p;
    return 0;
}
