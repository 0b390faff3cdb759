/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=clone_two_fields function=obj_clone kind=hunks parts=2
 * why: A copy kept the lock and the count of references of the original. The copying covers both fields, and
 * shows neither. */
struct obj {
    int kind, refs;
    void *lock;
    char body[4000];
};
extern void obj_done(struct obj *o);
int obj_clone(struct obj *to, const struct obj *from)
{
    memcpy(to, from, sizeof *to);
    if (FIX(1))
        to->lock = NULL;
    if (FIX(2))
        to->refs = 1;
    obj_done(to);
    return 0;
}
