/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=slot_off_by_one function=slot_store kind=off-by-one
 * strict: safe
 * analyst: safe
 * why: The index one past the last slot is refused; everything accepted now was accepted before. */
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
    if (index >= s->n)
        return -34;
#else
    if (index > s->n)
        return -34;
#endif
    if (s->slot[index] == NULL)
        s->used++;
    s->slot[index] = value;
    notify(value, index);
    return 0;
}
