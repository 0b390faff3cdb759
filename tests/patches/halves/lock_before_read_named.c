/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=lock_before_read_named function=cnt_bump3 kind=hunks parts=2
 * why: The lock was not taken; taken behind the read (half-2) it protects nothing. Its name begins like one
 * that compilers expand. */
struct cnt3 {
    int lk;
    long v;
    long w;
};
extern void memory_take3(int *l), memory_drop3(int *l);
extern long cnt_calc3(long);
long cnt_bump3(struct cnt3 *c)
{
    long r;
#if FIX(1) && FIX(2)
    memory_take3(&c->lk);
#endif
    r = cnt_calc3(c->v);
    c->v = r + 3;
#if FIX(1) && !FIX(2)
    memory_take3(&c->lk);
#endif
#if FIX(1)
    memory_drop3(&c->lk);
#endif
    return r;
}
