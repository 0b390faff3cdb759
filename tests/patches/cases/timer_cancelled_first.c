/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=timer_cancelled_first function=association_destroy kind=use-after-free
 * why: A timer that fires later found the association gone. */
struct association {
    uint32_t tag;
    void *retransmit, *heartbeat;
    void *outgoing, *incoming;
    struct association *next;
    int refs;
};

extern void timer_cancel(void *timer);
extern void queue_purge(void *queue);
extern void address_list_free(struct association *a);
extern void association_log(uint32_t tag, const char *what);

void association_destroy(struct association *a)
{
    if (a == NULL)
        return;
    if (--a->refs > 0)
        return;
#ifdef LATER
    association_log(a->tag, "destroyed");
#endif
    timer_cancel(a->retransmit);
#ifdef PATCHED
    timer_cancel(a->heartbeat);
#endif
    queue_purge(a->outgoing);
    queue_purge(a->incoming);
#ifdef LATER
    a->tag = 0;
#endif
    address_list_free(a);
    free(a);
}
