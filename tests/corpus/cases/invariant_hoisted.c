/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=invariant_hoisted function=hist_count kind=refactoring
 * strict: safe
 * analyst: safe
 * why: A value that does not change in the loop is computed before it. */
#include <stddef.h>
#include <stdint.h>

struct hist {
    uint32_t shift, total;
};

int hist_count(const struct hist *h, const uint8_t *p, unsigned n)
{
    unsigned hits = 0;

    if (n > 4096)
        return -7;
#ifdef PATCHED
    uint32_t want = h->total >> (h->shift & 7);

    for (unsigned i = 0; i < n; i++) {
        if (p[i] == want)
            hits++;
    }
#else
    for (unsigned i = 0; i < n; i++) {
        if (p[i] == h->total >> (h->shift & 7))
            hits++;
    }
#endif
    return (int)hits;
}
