/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=three_queues_full function=rx_put kind=functions parts=3
 * why: None of the rings was checked for room. */
struct ring {
    unsigned head, tail;
    uint32_t slot[512];
};

extern void ring_kick(struct ring *r, unsigned why);
extern struct ring rx_ring, tx_ring, ev_ring;

int rx_put(uint32_t v)
{
#if FIX(1)
    if (rx_ring.head - rx_ring.tail >= 512)
        return -105;
#endif
    rx_ring.slot[rx_ring.head++ % 512] = v;
    ring_kick(&rx_ring, 1);
    return 0;
}

int tx_put(uint32_t v)
{
#if FIX(2)
    if (tx_ring.head - tx_ring.tail >= 512)
        return -105;
#endif
    tx_ring.slot[tx_ring.head++ % 512] = v ^ 0x5a5a;
    ring_kick(&tx_ring, 2);
    return 0;
}

int ev_put(uint32_t v, uint32_t kind)
{
    if (kind > 9)
        return -22;
#if FIX(3)
    if (ev_ring.head - ev_ring.tail >= 512)
        return -105;
#endif
    ev_ring.slot[ev_ring.head++ % 512] = v << 4 | kind;
    ring_kick(&ev_ring, 3);
    return 0;
}
