/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=returned_constant_same function=region_base kind=refactoring
 * strict: safe
 * analyst: safe
 * why: The mirror image of returned_constant: the same base, computed from another unit. */
#include <stddef.h>
#include <stdint.h>

struct region {
    uint32_t id, size, hits;
};

extern void region_map(uint32_t id, uint32_t size);

long region_base(struct region *r)
{
    unsigned long pages = 0x500;

    if (r->id > 7)
        return -1;
    if (r->size == 0)
        return -1;
    region_map(r->id, r->size);
    r->hits++;
#ifdef PATCHED
    return (long)(pages << 12);
#else
    return (long)(pages * 4096);
#endif
}
