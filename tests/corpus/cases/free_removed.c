/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=free_removed function=cache_drop kind=call-removed
 * strict: unsafe P4
 * analyst: unsafe
 * why: A block is no longer given back, which is a leak. */
#include <stddef.h>
#include <stdint.h>

struct cache {
    void *block;
    size_t size;
    unsigned drops;
};

extern void mem_free(void *p);
extern void stats_drop(size_t size);

int cache_drop(struct cache *c)
{
    if (c->block == NULL)
        return -2;
    stats_drop(c->size);
#ifndef PATCHED
    mem_free(c->block);
#endif
    c->block = NULL;
    c->size = 0;
    c->drops++;
    return 0;
}
