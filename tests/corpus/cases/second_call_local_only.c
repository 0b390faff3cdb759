/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=second_call_local_only function=queue_peak kind=memory-between-calls
 * strict: safe
 * analyst: safe
 * why: The mirror image of second_call_sees_memory: what moved across the call is known to nobody else. */
#include <stddef.h>
#include <stdint.h>

struct queue {
    unsigned head, tail, limit;
    void **items;
};

extern unsigned queue_used(struct queue *q);
extern void queue_report(unsigned before, unsigned after);

int queue_peak(struct queue *q, unsigned scale)
{
    unsigned before, after;
    unsigned factor[2];

    if (scale > 4)
        return -22;
    before = queue_used(q);
#ifdef PATCHED
    after = queue_used(q);
    factor[0] = scale + 1;
    factor[1] = scale + 2;
#else
    factor[0] = scale + 1;
    factor[1] = scale + 2;
    after = queue_used(q);
#endif
    queue_report(before * factor[0], after * factor[1]);
    q->limit = before;
    return 0;
}
