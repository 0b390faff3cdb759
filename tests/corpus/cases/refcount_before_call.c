/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=refcount_before_call function=object_get kind=order
 * strict: unsafe P2|P4
 * analyst: safe accept=Q1,Q2,Q5
 * why: A counter is advanced before the callee is called that may look at it, and not after. */
#include <stddef.h>
#include <stdint.h>

struct object {
    unsigned refs, state;
    void *ops;
};

extern int object_wake(struct object *o);

int object_get(struct object *o)
{
    int r;

    if (o == NULL)
        return -22;
    if (o->state == 3)
        return -116;
#ifdef PATCHED
    o->refs++;
    r = object_wake(o);
#else
    r = object_wake(o);
    o->refs++;
#endif
    if (r != 0)
        return -5;
    o->state = 1;
    return 0;
}
