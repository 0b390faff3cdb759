/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=return_code_success function=stream_put kind=return-code
 * strict: unsafe P3
 * analyst: unsafe
 * why: Success was 0 and is the number of bytes now. */
#include <stddef.h>
#include <stdint.h>

struct stream {
    uint8_t *buf;
    unsigned pos, cap;
};

int stream_put(struct stream *s, uint16_t v)
{
    if (s->pos > s->cap)
        return -1;
    if (s->cap - s->pos < 2)
        return -28;
    s->buf[s->pos] = v >> 8;
    s->buf[s->pos + 1] = v & 0xff;
    s->pos += 2;
#ifdef PATCHED
    return 2;
#else
    return 0;
#endif
}
