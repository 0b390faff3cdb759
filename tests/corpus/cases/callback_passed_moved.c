/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=callback_passed_moved function=index_sort kind=function-pointer build=obj
 * strict: safe
 * analyst: safe
 * why: The mirror image of callback_passed: the same comparison function, behind one that was added. */
#include <stddef.h>
#include <stdint.h>

struct entry {
    uint32_t key, when;
};

extern void sort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *));

#ifdef PATCHED
int by_time(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->when, y = ((const struct entry *)b)->when;

    return (x > y) - (x < y);
}
#endif

int by_key(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->key, y = ((const struct entry *)b)->key;

    return (x > y) - (x < y);
}

int index_sort(struct entry *e, size_t n, uint32_t *generation)
{
#ifdef PATCHED
    if (n == 0)
        return -1;
#endif
    if (n > 1000)
        return -7;
    if (e == NULL)
        return -14;
    sort(e, n, sizeof *e, by_key);
    ++*generation;
    return 0;
}
