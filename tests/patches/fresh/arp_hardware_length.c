/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=arp_hardware_length function=arp_input kind=missing-check
 * why: Lengths of addresses were taken from the packet and never compared with those of the table. */
struct arp_packet {
    uint16_t hardware, protocol;
    uint8_t hlen, plen;
    uint16_t operation;
    uint8_t sender_mac[6];
    uint32_t sender_ip;
    uint8_t target_mac[6];
    uint32_t target_ip;
} __attribute__((packed));
struct arp_table {
    uint32_t address;
    uint8_t mac[6];
    uint32_t replies, learned;
};

extern void arp_learn(struct arp_table *t, uint32_t ip, const uint8_t *mac, unsigned length);
extern void arp_reply(struct arp_table *t, const struct arp_packet *p);

int arp_input(struct arp_table *t, const struct arp_packet *p, unsigned size)
{
    if (size < sizeof *p)
        return -1;
    if (p->hardware != 0x0100 || p->protocol != 0x0008)
        return -2;
#ifdef PATCHED
    if (p->hlen != 6 || p->plen != 4)
        return -3;
#endif
    if (p->sender_ip == t->address)
        return -4;
#ifdef LATER
    t->learned++;
#endif
    arp_learn(t, p->sender_ip, p->sender_mac, p->hlen);
    if (p->operation == 0x0100 && p->target_ip == t->address) {
        arp_reply(t, p);
        t->replies++;
    }
    return 0;
}
