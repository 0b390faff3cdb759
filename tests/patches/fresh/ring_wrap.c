/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=ring_wrap function=ring_write kind=missing-clamp
 * why: A write that was longer than the room ran over what had not been read. */
struct ring {
    uint8_t *data;
    uint32_t size, head, tail;
    uint32_t dropped;
};

uint32_t ring_write(struct ring *r, const uint8_t *from, uint32_t count)
{
    uint32_t used = r->head - r->tail, room = r->size - used, at, first;

#ifdef PATCHED
    if (count > room) {
        r->dropped += count - room;
        count = room;
    }
#else
    if (room == 0)
        return 0;
#endif
#ifdef LATER
    if (r->data == NULL)
        return 0;
#endif
    at = r->head & (r->size - 1);
    first = r->size - at;
    if (first > count)
        first = count;
    memcpy(r->data + at, from, first);
    memcpy(r->data, from + first, count - first);
    r->head += count;
    return count;
}
