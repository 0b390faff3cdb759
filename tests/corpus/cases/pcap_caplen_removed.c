/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=pcap_caplen_removed function=pcap_record kind=widened
 * strict: unsafe P1
 * analyst: unsafe
 * why: The test of the captured length was dropped in a clean-up. */
#include <stddef.h>
#include <stdint.h>

struct pcap {
    uint32_t snaplen, packets;
    uint64_t bytes;
};

extern int packet_deliver(void *sink, const uint8_t *data, uint32_t len);

int pcap_record(struct pcap *p, void *sink, const uint32_t *hdr, const uint8_t *data)
{
    uint32_t caplen = hdr[2];
    uint32_t len = hdr[3];

    if (len == 0)
        return -1;
#ifndef PATCHED
    if (caplen > p->snaplen)
        return -1;
#endif
    p->packets++;
    p->bytes += len;
    if (packet_deliver(sink, data, caplen) < 0)
        return -5;
    return 0;
}
