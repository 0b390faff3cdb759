/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=recursion_counts_depth function=nest_walk kind=hunks parts=2
 * why: The depth of a list of lists was not limited; the limit is none where the depth is not counted any more (half-2). */
struct nest {
    struct nest *inner;
    int value;
};

extern void nest_enter(struct nest *t);
extern void nest_leave(struct nest *t);

void nest_walk(struct nest *t, int depth)
{
    if (FIX(1) && depth > 100)
        return;
    nest_enter(t);
    if (t->inner)
        nest_walk(t->inner, !FIX(1) || FIX(2) ? depth + 1 : depth);
    nest_leave(t);
}
