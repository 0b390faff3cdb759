/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=assertion_removed function=stack_pop kind=assertion
 * strict: unsafe P1
 * analyst: unsafe
 * why: The test for an empty stack, which ended the program, is gone. */
#include <stddef.h>
#include <stdint.h>

struct stack {
    uint32_t depth, high;
    uint64_t *cell;
};

extern void __assert_fail(const char *what, const char *file, unsigned line, const char *func)
    __attribute__((noreturn));

uint64_t stack_pop(struct stack *s)
{
#ifndef PATCHED
    if (s->depth == 0)
        __assert_fail("s->depth != 0", "stack.c", 88, "stack_pop");
#endif
    s->depth--;
    if (s->depth < s->high / 4)
        s->high /= 2;
    return s->cell[s->depth];
}
