/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=pointer_call_argument function=stream_pump kind=indirect-call
 * strict: unsafe P4
 * analyst: unsafe
 * why: A function called through a pointer is handed another length. */
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
    if (s->pos > 0x7fffffff - n)
        return -75;
#ifdef PATCHED
    got = s->ops->read(s, buf, n + 1);
#else
    got = s->ops->read(s, buf, n);
#endif
    if (got < 0)
        return -5;
    s->pos += (unsigned)got;
    return 0;
}
