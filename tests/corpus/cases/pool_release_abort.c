/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=pool_release_abort function=pool_release kind=assertion
 * strict: safe
 * analyst: safe
 * why: Giving a block back to a pool it is not from ends the program. */
#include <stddef.h>
#include <stdint.h>

struct pool {
    char *base;
    size_t size, block;
    void *free;
    unsigned live;
};

extern void pool_log(const char *what, void *p);
extern void abort(void) __attribute__((noreturn));

void pool_release(struct pool *pool, void *p)
{
    size_t off = (size_t)((char *)p - pool->base);

#ifdef PATCHED
    if (off >= pool->size || off % pool->block != 0) {
        pool_log("foreign block", p);
        abort();
    }
#endif
    *(void **)p = pool->free;
    pool->free = p;
    pool->live--;
    if (pool->live == 0)
        pool_log("empty", (void *)off);
}
