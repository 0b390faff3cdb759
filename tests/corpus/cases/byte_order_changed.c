/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=byte_order_changed function=header_write kind=constant
 * strict: unsafe P2
 * analyst: unsafe
 * why: A field of a header is written in the other byte order. */
#include <stddef.h>
#include <stdint.h>

int header_write(uint8_t *out, unsigned cap, uint16_t type, uint32_t length)
{
    if (cap < 8)
        return -1;
    out[0] = 0x7f;
    out[1] = 1;
#ifdef PATCHED
    out[2] = type & 0xff;
    out[3] = type >> 8;
#else
    out[2] = type >> 8;
    out[3] = type & 0xff;
#endif
    out[4] = length >> 24;
    out[5] = length >> 16 & 0xff;
    out[6] = length >> 8 & 0xff;
    out[7] = length & 0xff;
    return 8;
}
