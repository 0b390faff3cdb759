/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=cases_sorted function=event_weight kind=switch-case
 * strict: safe
 * analyst: safe
 * why: The cases of a switch were sorted. */
#include <stddef.h>
#include <stdint.h>

struct hist {
    uint32_t weight, events;
};

extern void hist_decay(struct hist *h);

int event_weight(struct hist *h, unsigned kind)
{
    switch (kind) {
#ifdef PATCHED
    case 3:
        h->weight += 40;
        break;
    case 17:
        h->weight += 7;
        break;
    case 200:
        h->weight >>= 1;
        break;
#else
    case 200:
        h->weight >>= 1;
        break;
    case 3:
        h->weight += 40;
        break;
    case 17:
        h->weight += 7;
        break;
#endif
    default:
        return -22;
    }
    h->events++;
    hist_decay(h);
    return 0;
}
