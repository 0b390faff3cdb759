/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=unlock_on_error function=queue_submit kind=lock
 * why: The lock was kept when the queue was full. */
struct request {
    uint32_t sector, count;
    int write;
};
struct queue {
    void *lock;
    struct request ring[64];
    uint32_t head, tail;
    uint32_t rejected, bytes;
};

extern void mutex_lock(void *m);
extern void mutex_unlock(void *m);
extern void wake_worker(struct queue *q);

int queue_submit(struct queue *q, const struct request *r)
{
    uint32_t next;

    if (r->count == 0 || r->count > 256)
        return -22;
    mutex_lock(q->lock);
    next = (q->tail + 1) & 63;
    if (next == q->head) {
        q->rejected++;
#ifdef PATCHED
        mutex_unlock(q->lock);
#endif
        return -11;
    }
    q->ring[q->tail] = *r;
    q->tail = next;
#ifdef LATER
    q->bytes += r->count << 9;
#endif
    mutex_unlock(q->lock);
#ifdef LATER
    if (r->write || q->bytes > 1 << 20)
        wake_worker(q);
#else
    wake_worker(q);
#endif
    return 0;
}
