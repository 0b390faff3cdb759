/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=returned_constant function=region_base kind=constant
 * strict: unsafe P3
 * analyst: unsafe
 * why: The returned base went from 0x500000 to 0x500002, which only looks like an address that moved. */
#include <stddef.h>
#include <stdint.h>

struct region {
    uint32_t id, size, hits;
};

extern void region_map(uint32_t id, uint32_t size);

long region_base(struct region *r)
{
    if (r->id > 7)
        return -1;
    if (r->size == 0)
        return -1;
    region_map(r->id, r->size);
    r->hits++;
#ifdef PATCHED
    return 0x500002;
#else
    return 0x500000;
#endif
}
