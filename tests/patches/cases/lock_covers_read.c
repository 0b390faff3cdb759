/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=lock_covers_read function=balance_withdraw kind=lock
 * why: The balance was compared before the lock was taken. */
struct account_row {
    void *lock;
    int64_t balance, limit;
    uint32_t version;
    uint32_t failures;
};

extern void row_lock(void *l);
extern void row_unlock(void *l);
extern int journal_append(const struct account_row *a, int64_t amount);

int balance_withdraw(struct account_row *a, int64_t amount)
{
    int ret = 0;

    if (amount <= 0)
        return -22;
#ifdef PATCHED
    row_lock(a->lock);
    if (a->balance < amount) {
        row_unlock(a->lock);
        return -1;
    }
#else
    if (a->balance < amount)
        return -1;
    row_lock(a->lock);
#endif
#ifdef LATER
    if (amount > a->limit) {
        row_unlock(a->lock);
        return -75;
    }
#endif
    ret = journal_append(a, -amount);
    if (ret == 0) {
        a->balance -= amount;
        a->version++;
    }
#ifdef LATER
    else
        a->failures++;
#endif
    row_unlock(a->lock);
    return ret;
}
