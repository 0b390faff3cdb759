/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=mount_two_rights function=mount_allowed kind=conjuncts parts=2
 * why: Neither right was asked for. */
struct mount_request {
    const char *source, *target;
    unsigned flags;
};

extern int capable(unsigned what);
extern int owns(const char *path);
extern int do_mount(const char *source, const char *target, unsigned flags);

int mount_allowed(const struct mount_request *r)
{
    if (r->source == NULL || r->target == NULL)
        return -14;
    if ((FIX(1) && !capable(21)) || (FIX(2) && !owns(r->target)))
        return -1;
    if (r->flags & 0x20)
        return do_mount(r->source, r->target, r->flags & ~2u);
    return do_mount(r->source, r->target, r->flags | 4);
}
