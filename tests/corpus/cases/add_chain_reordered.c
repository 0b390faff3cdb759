/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=add_chain_reordered function=hash_mix kind=refactoring
 * strict: safe
 * analyst: safe
 * why: Sums and exclusive ors of a hash function were brought into another order. */
#include <stddef.h>
#include <stdint.h>

uint32_t hash_mix(uint32_t a, uint32_t b, uint32_t c)
{
#ifdef PATCHED
    a = a - (b + c);
#else
    a -= b;
    a -= c;
#endif
    a ^= c >> 13;
    b -= c;
    b -= a;
    b ^= a << 8;
#ifdef PATCHED
    c = c - (a + b);
    c = b >> 13 ^ c;
#else
    c -= a;
    c -= b;
    c ^= b >> 13;
#endif
    a -= b;
    a -= c;
    a ^= c >> 12;
    return a ^ b ^ c;
}
