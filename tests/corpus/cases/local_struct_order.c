/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=local_struct_order function=task_spawn kind=refactoring
 * strict: safe
 * analyst: safe
 * why: The mirror image of local_struct_content: the fields are filled in another order, and no task
 *   without a stack is made. */
#include <stddef.h>
#include <stdint.h>

struct attr {
    uint32_t stack, priority, flags;
};

extern int task_create(void (*fn)(void *), void *arg, const struct attr *a);

int task_spawn(void (*fn)(void *), void *arg, uint32_t stack)
{
    struct attr a;

    if (fn == NULL)
        return -22;
#ifdef PATCHED
    if (stack == 0)
        return -22;
    a.flags = 1;
    a.priority = 10;
#endif
    if (stack < 4096)
        stack = 4096;
    a.stack = stack;
#ifndef PATCHED
    a.priority = 10;
    a.flags = 1;
#endif
    if (task_create(fn, arg, &a) != 0)
        return -11;
    return 0;
}
