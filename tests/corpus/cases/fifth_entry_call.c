/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=fifth_entry_call function=table_walk kind=late-iteration
 * strict: unsafe P4
 * analyst: unsafe
 * why: The fifth entry of a table is handed on with another flag. */
#include <stddef.h>
#include <stdint.h>

struct entry {
    uint32_t key, value;
};

extern int entry_visit(void *ctx, uint32_t key, uint32_t value, int flags);

int table_walk(void *ctx, const struct entry *e, unsigned n)
{
    if (n > 64)
        return -7;
    for (unsigned i = 0; i < n; i++) {
        int flags = e[i].key & 1;

#ifdef PATCHED
        if (i == 4)
            flags |= 2;
#endif
        if (entry_visit(ctx, e[i].key, e[i].value, flags) < 0)
            return -5;
    }
    return 0;
}
