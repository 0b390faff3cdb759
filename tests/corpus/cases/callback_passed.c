/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=callback_passed function=index_sort kind=function-pointer
 * strict: unsafe P4
 * analyst: unsafe
 * why: Entries are sorted by another comparison function. */
#include <stddef.h>
#include <stdint.h>

struct entry {
    uint32_t key, when;
};

extern void sort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *));

int by_key(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->key, y = ((const struct entry *)b)->key;

    return (x > y) - (x < y);
}

int by_time(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->when, y = ((const struct entry *)b)->when;

    return (x > y) - (x < y);
}

int index_sort(struct entry *e, size_t n, uint32_t *generation)
{
    if (n > 1000)
        return -7;
    if (e == NULL)
        return -14;
#ifdef PATCHED
    sort(e, n, sizeof *e, by_time);
#else
    sort(e, n, sizeof *e, by_key);
#endif
    ++*generation;
    return 0;
}
