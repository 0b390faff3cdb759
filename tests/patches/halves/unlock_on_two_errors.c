/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=unlock_on_two_errors function=ue_do kind=call-sites parts=2
 * why: Both ways out after an error kept the lock. */
struct ue { int lk, a, b, t; };
extern void ue_lock(int *l), ue_unlock(int *l);
extern int ue_one(struct ue *u), ue_two(struct ue *u);
int ue_do(struct ue *u)
{
    int r;
    ue_lock(&u->lk);
    r = ue_one(u);
    if (r < 0) {
#if FIX(1)
        ue_unlock(&u->lk);
#endif
        return r;
    }
    r = ue_two(u);
    if (r < 0) {
#if FIX(2)
        ue_unlock(&u->lk);
#endif
        return r;
    }
    ue_unlock(&u->lk);
    return 0;
}
