/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=array_alloc_overflow function=array_alloc kind=overflow-check
 * strict: safe
 * analyst: safe
 * why: A product that does not fit in the address space gives no array instead of a small one. */
#include <stddef.h>
#include <stdint.h>

struct array {
    void *items;
    size_t count, size;
};

extern void *mem_alloc(size_t size);
extern void zero_bytes(void *p, size_t n);

void *array_alloc(struct array *a, size_t count, size_t size)
{
    size_t total;
    void *p;

    if (count == 0)
        return NULL;
#ifdef PATCHED
    if (size > (size_t)-1 / count)
        return NULL;
#endif
    total = count * size;
    p = mem_alloc(total);
    if (p == NULL)
        return NULL;
    zero_bytes(p, total);
    a->items = p;
    a->count = count;
    a->size = size;
    return p;
}
