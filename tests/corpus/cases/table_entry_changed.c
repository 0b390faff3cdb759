/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=table_entry_changed function=crc_nibble kind=constant
 * strict: unsafe P3
 * analyst: unsafe
 * why: One entry of a table in read-only memory differs; no instruction does. */
#include <stddef.h>
#include <stdint.h>

static const uint16_t crc_table[16] = {
    0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401,
#ifdef PATCHED
    0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01, 0x8801, 0x4401,
#else
    0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01, 0x8801, 0x4400,
#endif
};

unsigned crc_nibble(unsigned seed, unsigned byte)
{
    uint32_t crc = seed & 0xffff;
    uint32_t t;

    t = crc_table[crc & 15];
    crc = crc >> 4 & 0x0fff;
    crc = crc ^ t ^ crc_table[byte & 15];
    t = crc_table[crc & 15];
    crc = crc >> 4 & 0x0fff;
    return crc ^ t ^ crc_table[byte >> 4 & 15];
}
