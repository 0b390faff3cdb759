/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=jpeg_segment_len function=jpeg_skip_segment kind=bound-check
 * strict: safe
 * analyst: safe
 * why: A segment length below two would move the reader backwards. */
#include <stddef.h>
#include <stdint.h>

struct jpeg {
    const uint8_t *p, *end;
    unsigned segments;
};

int jpeg_skip_segment(struct jpeg *j)
{
    unsigned len;

    if ((size_t)(j->end - j->p) < 2)
        return -1;
    len = j->p[0] << 8 | j->p[1];
#ifdef PATCHED
    if (len < 2)
        return -1;
#endif
    if (len > (size_t)(j->end - j->p))
        return -1;
    j->p += len;
    j->segments++;
    return 0;
}
