/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=index_to_pointer function=checksum_add kind=refactoring
 * strict: safe
 * analyst: safe
 * why: A loop over an index became one over a pointer. */
#include <stddef.h>
#include <stdint.h>

struct sum {
    uint32_t value, bytes;
};

int checksum_add(struct sum *s, const uint8_t *p, uint32_t n)
{
    uint32_t v = s->value;

    if (n > 65536)
        return -7;
#ifdef PATCHED
    const uint8_t *end = p + n;

    while (p != end)
        v = v * 31 + *p++;
#else
    for (uint32_t i = 0; i < n; i++)
        v = v * 31 + p[i];
#endif
    s->value = v;
    s->bytes += n;
    return 0;
}
