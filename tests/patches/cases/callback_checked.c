/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=callback_checked function=event_dispatch kind=null-check
 * why: A handler that was taken away was called. */
struct handler {
    void (*call)(void *arg, int event, const void *data);
    void *arg;
    uint32_t mask, calls;
};
struct dispatcher {
    struct handler handler[16];
    uint32_t used, pending;
    int depth;
};

extern void dispatcher_idle(struct dispatcher *d);

int event_dispatch(struct dispatcher *d, int event, const void *data)
{
    uint32_t i, bit = 1u << (event & 31);
    int called = 0;

    d->depth++;
    for (i = 0; i < d->used; i++) {
        struct handler *h = &d->handler[i];

        if (!(h->mask & bit))
            continue;
#ifdef PATCHED
        if (h->call == NULL)
            continue;
#endif
#ifdef LATER
        h->calls++;
#endif
        h->call(h->arg, event, data);
        called++;
    }
    d->depth--;
    d->pending &= ~bit;
#ifdef LATER
    if (d->pending == 0 && d->depth == 0)
        dispatcher_idle(d);
#endif
    return called;
}
