/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=helper_extracted function=arp_reply kind=refactoring
 * strict: safe
 * analyst: safe
 * why: Writing a big-endian word moved into a helper of its own. */
#include <stddef.h>
#include <stdint.h>

extern int link_send(void *link, const uint8_t *frame, unsigned n);

#ifdef PATCHED
static void put_be32(uint8_t *p, uint32_t v)
{
    p[0] = v >> 24;
    p[1] = v >> 16 & 0xff;
    p[2] = v >> 8 & 0xff;
    p[3] = v & 0xff;
}
#endif

int arp_reply(void *link, uint8_t *frame, uint32_t ip)
{
    if (frame == NULL)
        return -14;
    if (ip == 0)
        return -99;
    frame[0] = 0;
    frame[1] = 2;
#ifdef PATCHED
    put_be32(frame + 2, ip);
#else
    frame[2] = ip >> 24;
    frame[3] = ip >> 16 & 0xff;
    frame[4] = ip >> 8 & 0xff;
    frame[5] = ip & 0xff;
#endif
    return link_send(link, frame, 6);
}
