/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=min_spelled_out function=chunk_plan kind=refactoring
 * strict: safe
 * analyst: safe
 * why: A conditional expression became an if. */
#include <stddef.h>
#include <stdint.h>

struct plan {
    uint32_t chunk, last, count;
};

int chunk_plan(struct plan *p, uint32_t size, uint32_t unit)
{
    if (unit < 16 || unit > 65536)
        return -22;
    if (size == 0)
        return -1;
#ifdef PATCHED
    uint32_t c = unit;

    if (size < unit)
        c = size;
    p->chunk = c;
#else
    p->chunk = size < unit ? size : unit;
#endif
    p->count = (size - 1) / p->chunk + 1;
    p->last = size - (p->count - 1) * p->chunk;
    return 0;
}
