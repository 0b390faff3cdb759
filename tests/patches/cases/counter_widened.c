/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=counter_widened function=frag_add kind=structure-offset
 * why: A count of fragments in eight bits starts again at 0 after 255; the fields behind it moved. */
struct reassembly {
    uint32_t id;
#ifdef PATCHED
    uint16_t fragments;
#else
    uint8_t fragments;
#endif
    uint8_t last_seen;
    uint16_t total;
    uint8_t *bytes;
    uint32_t expires;
};

extern int reassembly_done(struct reassembly *r);
extern void reassembly_drop(struct reassembly *r);
extern uint32_t ticks(void);

int frag_add(struct reassembly *r, const uint8_t *data, uint32_t offset, uint32_t length, int last)
{
    if (offset + length > 65535) {
        reassembly_drop(r);
        return -90;
    }
    if (r->fragments >= 250) {
        reassembly_drop(r);
        return -105;
    }
#ifdef LATER
    if (length == 0)
        return 0;
#endif
    memcpy(r->bytes + offset, data, length);
    r->fragments++;
    if (last) {
        r->last_seen = 1;
        r->total = (uint16_t)(offset + length);
    }
#ifdef LATER
    r->expires = ticks() + 300;
#endif
    return r->last_seen ? reassembly_done(r) : 0;
}
