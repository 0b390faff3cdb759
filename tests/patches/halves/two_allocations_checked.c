/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=two_allocations_checked function=queue_new kind=call-sites parts=2
 * why: Neither allocation was checked. */
struct slot {
    unsigned id;
    void *item;
};
struct queue {
    struct slot *slot;
    unsigned *order;
    unsigned n;
};

extern void queue_trace(const char *what, unsigned n);

int queue_new(struct queue *q, unsigned n)
{
    unsigned i;

    queue_trace("new queue", n);
    q->slot = malloc(n * sizeof *q->slot);
#if FIX(1)
    if (q->slot == NULL)
        return -12;
#endif
    q->order = calloc(n, sizeof *q->order);
#if FIX(2)
    if (q->order == NULL) {
        free(q->slot);
        return -12;
    }
#endif
    for (i = 0; i < n; i++) {
        q->slot[i].id = i + 100;
        q->slot[i].item = NULL;
    }
    q->n = n;
    return 0;
}
