/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=refcount_saturates function=handle_get kind=integer-overflow
 * why: After four billion references the counter was zero, and the object was freed while it was used. */
struct handle {
    uint32_t refs, flags;
    void *object;
    int owner;
};

extern void handle_trace(const char *what, const void *object);

struct handle *handle_get(struct handle *h, int owner)
{
    if (h == NULL)
        return NULL;
    if (h->flags & 4)
        return NULL;
#ifdef PATCHED
    if (h->refs == 0xffffffff) {
        handle_trace("too many references", h->object);
        return NULL;
    }
#endif
    h->refs++;
    if (h->owner < 0)
        h->owner = owner;
#ifdef LATER
    else if (h->owner != owner)
        h->flags |= 8;
#endif
    return h;
}
