/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=palette_negative function=palette_get kind=bound-check
 * strict: safe
 * analyst: safe
 * why: A negative index was taken for one below the limit. */
#include <stddef.h>
#include <stdint.h>

struct palette {
    int count;
    uint8_t rgb[256][3];
};

extern void trace_color(int index, unsigned value);

int palette_get(const struct palette *p, int index, uint32_t *out)
{
    const uint8_t *c;

#ifdef PATCHED
    if (index < 0 || index >= p->count)
        return -1;
#else
    if (index >= p->count)
        return -1;
#endif
    c = p->rgb[index];
    *out = (uint32_t)c[0] << 16 | c[1] << 8 | c[2];
    trace_color(index, *out);
    return 0;
}
