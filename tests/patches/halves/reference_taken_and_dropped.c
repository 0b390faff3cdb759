/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=reference_taken_and_dropped function=rt_open kind=hunks parts=2
 * why: The object that was looked up was neither kept alive while it was bound nor released when that failed. */
struct ob { int refs; int kind; int t; };
extern struct ob *rt_find(int id);
extern int rt_bind(struct ob *o);
extern void rt_put(struct ob *o);
int rt_open(int id)
{
    int r;
    struct ob *o = rt_find(id);
    if (!o)
        return -2;
#if FIX(1)
    o->refs++;
#endif
    r = rt_bind(o);
#if FIX(2)
    if (r < 0)
        rt_put(o);
#endif
    return r;
}
