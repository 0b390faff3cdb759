/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=extra_output_on_error function=stat_query kind=error-path
 * strict: safe
 * analyst: safe
 * why: The output is cleared when the request fails, so that the caller never sees what was there. */
#include <stddef.h>
#include <stdint.h>

struct result {
    uint64_t size, blocks;
    uint32_t kind;
};

extern int disk_stat(void *disk, uint32_t id, uint64_t *size);

int stat_query(void *disk, uint32_t id, struct result *out)
{
    uint64_t size = 0;

    if (id == 0) {
#ifdef PATCHED
        out->size = 0;
        out->blocks = 0;
        out->kind = 0;
#endif
        return -2;
    }
    if (disk_stat(disk, id, &size) != 0) {
#ifdef PATCHED
        out->size = 0;
        out->blocks = 0;
        out->kind = 0;
#endif
        return -5;
    }
    out->size = size;
    out->blocks = size >> 9;
    out->kind = 1;
    return 0;
}
