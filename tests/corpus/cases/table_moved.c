/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=table_moved function=crc_nibble kind=refactoring
 * strict: safe
 * analyst: safe
 * why: The mirror image of table_entry_changed: the table is the same and lies behind another one. */
#include <stddef.h>
#include <stdint.h>

#ifdef PATCHED
const uint16_t poly_names[8] = {0xa001, 0x8005, 0x1021, 0x8408, 0x3d65, 0xc867, 0x0589, 0x8bb7};
#endif
static const uint16_t crc_table[16] = {
    0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401,
    0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01, 0x8801, 0x4400,
};

unsigned crc_nibble(unsigned seed, unsigned byte)
{
    uint32_t crc = seed & 0xffff;
    uint32_t t;

    t = crc_table[crc & 15];
#ifdef PATCHED
    crc >>= 4;
#else
    crc = crc >> 4 & 0x0fff;
#endif
    crc = crc ^ t ^ crc_table[byte & 15];
    t = crc_table[crc & 15];
    crc = crc >> 4 & 0x0fff;
    return crc ^ t ^ crc_table[byte >> 4 & 15];
}
