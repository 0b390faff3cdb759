/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=narrower_store function=packet_build kind=narrowing
 * strict: unsafe P2
 * analyst: unsafe
 * why: A 32-bit length is stored through a 16-bit cast now. */
#include <stddef.h>
#include <stdint.h>

struct packet {
    uint32_t length, crc;
    uint16_t type, flags;
    const void *data;
};

extern uint32_t crc_of(const void *p, uint32_t n);

int packet_build(struct packet *p, const void *data, uint32_t len)
{
    if (len > 0x100000)
        return -90;
#ifdef PATCHED
    p->length = (uint16_t)len;
#else
    p->length = len;
#endif
    p->type = 7;
    p->flags = len & 1;
    p->data = data;
    p->crc = crc_of(data, len);
    return 0;
}
