/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=pointer_call_kept function=stream_pump kind=indirect-call
 * strict: safe
 * analyst: safe
 * why: The mirror image of pointer_call_argument: the same length, checked once more. */
#include <stddef.h>
#include <stdint.h>

struct stream;
struct stream_ops {
    int (*open)(struct stream *s);
    int (*read)(struct stream *s, void *buf, unsigned n);
};
struct stream {
    const struct stream_ops *ops;
    unsigned pos, limit;
};

int stream_pump(struct stream *s, void *buf, unsigned n)
{
    int got;

    if (n > s->limit)
        return -22;
#ifdef PATCHED
    if (buf == NULL || n == 0)
        return -14;
#endif
    if (s->pos > 0x7fffffff - n)
        return -75;
    got = s->ops->read(s, buf, n);
    if (got < 0)
        return -5;
    s->pos += (unsigned)got;
    return 0;
}
