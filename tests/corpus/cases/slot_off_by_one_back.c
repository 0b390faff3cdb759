/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=slot_off_by_one_back function=slot_store kind=off-by-one
 * strict: unsafe P1
 * analyst: unsafe
 * why: The mirror image of slot_off_by_one: the index one past the last slot is accepted now. */
#include <stddef.h>
#include <stdint.h>

struct slots {
    unsigned n;
    unsigned used;
    void **slot;
};

extern void notify(void *owner, unsigned index);

int slot_store(struct slots *s, unsigned index, void *value)
{
    if (value == NULL)
        return -22;
#ifdef PATCHED
    if (index > s->n)
        return -34;
#else
    if (index >= s->n)
        return -34;
#endif
    if (s->slot[index] == NULL)
        s->used++;
    s->slot[index] = value;
    notify(value, index);
    return 0;
}
