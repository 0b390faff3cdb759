/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=record_offset_and_length function=record_read kind=conjuncts parts=2
 * why: Neither the offset nor the length of a record was compared with the size of the file. */
struct record {
    uint32_t offset, length;
    uint8_t kind;
};
struct store {
    const uint8_t *base;
    uint32_t size;
    uint32_t reads;
};

extern void store_note(const char *what, uint32_t value);

int record_read(struct store *s, const struct record *r, uint8_t *out, uint32_t room)
{
    if (r->kind != 7) {
        store_note("not a record", r->kind);
        return -1;
    }
    if ((FIX(1) && r->offset > s->size) || (FIX(2) && r->length > room))
        return -22;
    memcpy(out, s->base + r->offset, r->length);
    s->reads++;
    return (int)r->length;
}
