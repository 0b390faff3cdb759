/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=heap_unlink_abort function=heap_unlink kind=assertion build=exe
 * strict: safe
 * analyst: safe
 * why: Unlinking a chunk whose neighbours do not point back ends the program. */
#include <stddef.h>
#include <stdint.h>

struct chunk {
    size_t size;
    struct chunk *fd, *bk;
};

extern void abort(void) __attribute__((noreturn));

void heap_unlink(struct chunk *c, size_t *total)
{
    struct chunk *f = c->fd;
    struct chunk *b = c->bk;

#ifdef PATCHED
    if (f->bk != c || b->fd != c)
        abort();
#endif
    f->bk = b;
    b->fd = f;
    *total -= c->size & ~(size_t)7;
    c->fd = NULL;
    c->bk = NULL;
}
