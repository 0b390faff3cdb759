/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=ring_index_assert function=ring_put kind=assertion
 * strict: safe
 * analyst: safe
 * why: An index outside of the ring ends the program with a failed assertion. */
#include <stddef.h>
#include <stdint.h>

struct ring {
    uint32_t head, tail, mask;
    uint64_t *slot;
};

extern void __assert_fail(const char *what, const char *file, unsigned line, const char *func)
    __attribute__((noreturn));

int ring_put(struct ring *r, uint64_t value)
{
    uint32_t next = (r->head + 1) & r->mask;

    if (next == r->tail)
        return -11;
#ifdef PATCHED
    if (r->head > r->mask)
        __assert_fail("r->head <= r->mask", "ring.c", 41, "ring_put");
#endif
    r->slot[r->head] = value;
    r->head = next;
    return 0;
}
