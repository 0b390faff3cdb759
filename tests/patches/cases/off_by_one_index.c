/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=off_by_one_index function=route_add kind=bounds
 * why: The table has 128 places, and number 128 is not one of them. */
struct route {
    uint32_t network, mask, gateway;
    int metric;
};
struct routes {
    int count;
    struct route entry[128];
    uint32_t changes;
};

extern void route_log(const struct route *r, int added);

int route_add(struct routes *t, uint32_t network, uint32_t mask, uint32_t gateway, int metric)
{
    struct route *r;
    int i;

    if (network & ~mask)
        return -22;
#ifdef LATER
    if (metric < 0)
        metric = 1;
#endif
    for (i = 0; i < t->count; i++)
        if (t->entry[i].network == network && t->entry[i].mask == mask) {
            t->entry[i].gateway = gateway;
            return i;
        }
#ifdef PATCHED
    if (t->count >= 128)
#else
    if (t->count > 128)
#endif
        return -28;
    r = &t->entry[t->count++];
    r->network = network;
    r->mask = mask;
    r->gateway = gateway;
    r->metric = metric;
    route_log(r, 1);
#ifdef LATER
    t->changes++;
#endif
    return t->count - 1;
}
