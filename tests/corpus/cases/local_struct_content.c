/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=local_struct_content function=task_spawn kind=argument
 * strict: unsafe P4
 * analyst: unsafe
 * why: A structure on the stack, handed over by its address, holds another priority. */
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
    if (stack < 4096)
        stack = 4096;
    a.stack = stack;
#ifdef PATCHED
    a.priority = 20;
#else
    a.priority = 10;
#endif
    a.flags = 1;
    if (task_create(fn, arg, &a) != 0)
        return -11;
    return 0;
}
