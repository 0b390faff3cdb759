/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=length_signed function=ioctl_set_table kind=signedness
 * why: A negative count passed the comparison. */
struct table_request {
    int count;
    uint32_t flags;
    const uint32_t *values;
};
struct controller {
    uint32_t table[64];
    uint32_t loaded, status;
};

extern int copy_in(void *to, const void *user, size_t n);
extern void controller_kick(struct controller *c);

int ioctl_set_table(struct controller *c, const void *user)
{
    struct table_request req;

    if (copy_in(&req, user, sizeof req))
        return -14;
    if (req.flags & ~3u)
        return -22;
#ifdef PATCHED
    if ((unsigned)req.count > 64)
#else
    if (req.count > 64)
#endif
        return -22;
#ifdef LATER
    if (c->status & 8)
        return -16;
#endif
    if (copy_in(c->table, req.values, (size_t)req.count * sizeof c->table[0]))
        return -14;
    c->loaded = (uint32_t)req.count;
#ifdef LATER
    c->status |= req.flags;
#endif
    if (req.flags & 1)
        controller_kick(c);
    return 0;
}
