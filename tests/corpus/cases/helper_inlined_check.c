/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=helper_inlined_check function=icmp_type kind=refactoring
 * strict: safe
 * analyst: safe
 * why: A small static predicate was written out where it is used, and one more type is refused. */
#include <stddef.h>
#include <stdint.h>

struct icmp {
    uint8_t type, code;
    uint16_t sum;
    uint32_t count[4];
};

extern void icmp_handle(struct icmp *m, unsigned class);

#ifndef PATCHED
static int is_query(unsigned type)
{
    return type == 8 || type == 13;
}
#endif

int icmp_type(struct icmp *m)
{
    unsigned class = 1;

    if (m->type > 40)
        return -71;
#ifdef PATCHED
    if (m->type == 5)
        return -1;
    if (m->type == 8 || m->type == 13)
        class = 2;
#else
    if (is_query(m->type))
        class = 2;
#endif
    m->count[class]++;
    icmp_handle(m, class);
    return 0;
}
