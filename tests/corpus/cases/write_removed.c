/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=write_removed function=inode_touch kind=missing-write
 * strict: unsafe P2
 * analyst: unsafe
 * why: The change counter is no longer advanced. */
#include <stddef.h>
#include <stdint.h>

struct inode {
    uint64_t mtime, ctime, version;
    uint32_t flags, links;
};

extern uint64_t now_ns(void);
extern int mark_dirty(struct inode *i);

int inode_touch(struct inode *i, unsigned what)
{
    uint64_t t;

    if (i->flags & 2)
        return -30;
    t = now_ns();
    if (what & 1)
        i->mtime = t;
    i->ctime = t;
#ifndef PATCHED
    i->version++;
#endif
    i->flags |= 8;
    if (mark_dirty(i) != 0)
        return -5;
    return 0;
}
