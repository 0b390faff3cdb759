/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=double_fetch function=shared_ring_pop kind=race
 * why: The length was read a second time after it had been checked; the other side can change it in between.
 */
struct ring_slot {
    volatile uint32_t length;
    uint8_t data[508];
};
struct shared_ring {
    struct ring_slot *slots;
    volatile uint32_t *producer;
    uint32_t consumer, mask, bad, popped;
};

extern void ring_bell(struct shared_ring *r);

int shared_ring_pop(struct shared_ring *r, uint8_t *to, uint32_t room)
{
    struct ring_slot *s;
    uint32_t length;

    if (*r->producer == r->consumer)
        return 0;
    s = &r->slots[r->consumer & r->mask];
    length = s->length;
    if (length > sizeof s->data || length > room) {
        r->bad++;
        return -90;
    }
#ifdef PATCHED
    memcpy(to, s->data, length);
#else
    memcpy(to, s->data, s->length);
#endif
    r->consumer++;
#ifdef LATER
    r->popped++;
    if ((r->consumer & 15) == 0)
        ring_bell(r);
#else
    ring_bell(r);
#endif
    return (int)length;
}
