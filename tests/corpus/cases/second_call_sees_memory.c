/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=second_call_sees_memory function=queue_drain kind=memory-between-calls
 * strict: unsafe P2|P4
 * analyst: unsafe
 * why: The second of two equal calls returns something else, because the memory it reads was changed in
 *   between. */
#include <stddef.h>
#include <stdint.h>

struct queue {
    unsigned head, tail, limit;
    void **items;
};

extern unsigned queue_used(struct queue *q);
extern void queue_report(unsigned before, unsigned after);

int queue_drain(struct queue *q)
{
    unsigned before, after;

    if (q->limit == 0)
        return -22;
    before = queue_used(q);
#ifdef PATCHED
    after = queue_used(q);
    q->head = q->tail;
#else
    q->head = q->tail;
    after = queue_used(q);
#endif
    queue_report(before, after);
    q->limit = before;
    return 0;
}
