/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=heap_unlink_check function=chunk_unlink caller=heap_free_chunk kind=inlined
 * why: Links that do not lead back were followed, and written through. */
struct chunk {
    uint32_t previous_size, size;
    struct chunk *forward, *back;
};
struct heap {
    struct chunk free_list;
    uint32_t bytes_free, frees;
    int corrupt;
};

extern void heap_abort(const char *what);

static void chunk_unlink(struct heap *h, struct chunk *c)
{
    struct chunk *forward = c->forward, *back = c->back;

#ifdef PATCHED
    if (forward->back != c || back->forward != c) {
        h->corrupt = 1;
        heap_abort("corrupted links");
        return;
    }
#endif
    forward->back = back;
    back->forward = forward;
    h->bytes_free -= c->size & ~7u;
}

void heap_free_chunk(struct heap *h, struct chunk *c)
{
    struct chunk *next = (struct chunk *)((uint8_t *)c + (c->size & ~7u));

#ifdef LATER
    h->frees++;
#endif
    if (!(next->size & 2)) {
        chunk_unlink(h, next);
        c->size += next->size & ~7u;
    }
    c->forward = h->free_list.forward;
    c->back = &h->free_list;
    h->free_list.forward->back = c;
    h->free_list.forward = c;
    h->bytes_free += c->size & ~7u;
    c->size &= ~2u;
#ifdef LATER
    if (h->bytes_free > 1u << 30)
        heap_abort("too much is free");
#endif
}
