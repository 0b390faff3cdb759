/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=lock_before_read function=cnt_bump2 kind=hunks parts=2
 * why: The lock was not taken; taken behind the read (half-2) it protects nothing. */
struct cnt2 { int lk; long v; long w; };
extern void lk_take2(int *l), lk_drop2(int *l);
extern long cnt_calc2(long);
long cnt_bump2(struct cnt2 *c)
{
    long r;
#if FIX(1) && FIX(2)
    lk_take2(&c->lk);
#endif
    r = cnt_calc2(c->v);
    c->v = r + 3;
#if FIX(1) && !FIX(2)
    lk_take2(&c->lk);
#endif
#if FIX(1)
    lk_drop2(&c->lk);
#endif
    return r;
}
