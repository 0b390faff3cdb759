/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=shift_amount function=hash_mix kind=operator
 * strict: unsafe P3
 * analyst: unsafe
 * why: One shift of a hash function went from 13 to 14. */
#include <stddef.h>
#include <stdint.h>

uint32_t hash_mix(uint32_t a, uint32_t b, uint32_t c)
{
    a -= b;
    a -= c;
    a ^= c >> 13;
    b -= c;
    b -= a;
    b ^= a << 8;
    c -= a;
    c -= b;
#ifdef PATCHED
    c ^= b >> 14;
#else
    c ^= b >> 13;
#endif
    a -= b;
    a -= c;
    a ^= c >> 12;
    return a ^ b ^ c;
}
