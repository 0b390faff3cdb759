/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=for_to_while function=sum_words kind=refactoring build=exe
 * strict: safe
 * analyst: safe
 * why: A for loop became a while loop over the same range. */
#include <stddef.h>
#include <stdint.h>

struct check {
    uint32_t sum, words;
};

int sum_words(struct check *c, const uint32_t *p, unsigned n)
{
    uint32_t s = 0;

    if (n > 1024)
        return -7;
#ifdef PATCHED
    unsigned i = 0;

    while (i < n) {
        s = (s << 1 | s >> 31) ^ p[i];
        i++;
    }
#else
    for (unsigned i = 0; i < n; i++)
        s = (s << 1 | s >> 31) ^ p[i];
#endif
    c->sum = s;
    c->words += n;
    return 0;
}
