/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=pointer_call_slot function=stream_rewind kind=indirect-call
 * strict: unsafe P4
 * analyst: unsafe
 * why: Another function of the table of operations is called. */
#include <stddef.h>
#include <stdint.h>

struct stream;
struct stream_ops {
    int (*open)(struct stream *s, unsigned at);
    int (*seek)(struct stream *s, unsigned at);
};
struct stream {
    const struct stream_ops *ops;
    unsigned pos, limit;
};

int stream_rewind(struct stream *s, unsigned at)
{
    int r;

    if (at > s->limit)
        return -22;
    if (s->ops == NULL)
        return -19;
#ifdef PATCHED
    r = s->ops->open(s, at);
#else
    r = s->ops->seek(s, at);
#endif
    if (r != 0)
        return -5;
    s->pos = at;
    return 0;
}
