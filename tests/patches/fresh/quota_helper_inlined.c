/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=quota_helper_inlined function=quota_left caller=quota_charge kind=inlined
 * why: What was reserved was not taken off, so that several writers could pass the limit together. */
struct quota {
    uint64_t limit, used, reserved;
    uint32_t grace, warned;
};

extern void quota_warn(const struct quota *q, uint64_t left);

static uint64_t quota_left(const struct quota *q)
{
#ifdef PATCHED
    uint64_t taken = q->used + q->reserved;
#else
    uint64_t taken = q->used;
#endif

    return taken < q->limit ? q->limit - taken : 0;
}

int quota_charge(struct quota *q, uint64_t bytes)
{
    uint64_t left = quota_left(q);

    if (bytes > left) {
        if (q->grace == 0)
            return -122;
        q->grace--;
    }
#ifdef LATER
    if (left < 65536 && q->warned < 3) {
        q->warned++;
        quota_warn(q, left);
    }
#else
    if (left < 4096)
        quota_warn(q, left);
#endif
    q->used += bytes;
    return 0;
}
