/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=de_morgan function=port_allowed kind=refactoring
 * strict: safe
 * analyst: safe
 * why: A negated conjunction became a disjunction of negations. */
#include <stddef.h>
#include <stdint.h>

struct filter {
    uint16_t low, high;
    uint32_t hits, proto;
};

extern void conn_track(struct filter *f, unsigned port);

int port_allowed(struct filter *f, unsigned port, uint32_t proto)
{
#ifdef PATCHED
    if (port < f->low || port > f->high || proto != f->proto)
        return -1;
#else
    if (!(port >= f->low && port <= f->high && proto == f->proto))
        return -1;
#endif
    f->hits++;
    conn_track(f, port);
    return 0;
}
