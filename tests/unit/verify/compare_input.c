/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that differ in one thing each, by VERSION. */
#include <stddef.h>

void first(int);
void second(int);
size_t strlen(const char *);

#if VERSION
#define LEFT "2"
#else
#define LEFT "1"
#endif

/* The second call is given another number; in both versions there is code between the two. */
int calls(int n)
{
    first(n);
    second(VERSION ? n + 1 : n);
    return 0;
}

int same_calls(int n)
{
    first(VERSION ? n * 2 : n + n);
    return 0;
}

int missing_call(int n)
{
    first(n);
    if (!VERSION)
        second(n);
    return 0;
}

int stores(int *p, int *q)
{
    p[1] = 7;
    q[2] = VERSION ? 2 : 1;
    return 0;
}

int is_empty(const char *s)
{
#if VERSION
    return s[0] == 0;
#else
    return strlen(s) == 0;
#endif
}

/* A register that the convention leaves to the callee, and that the only caller reads. */
__asm__(".globl leaves\n.type leaves, @function\nleaves:\n\tmovl $" LEFT ", %r10d\n\txorl %eax, %eax\n\tret\n"
        ".size leaves, .-leaves\n"
        ".globl reads\n.type reads, @function\nreads:\n\tcall leaves\n\taddl %r10d, %eax\n\tret\n"
        ".size reads, .-reads\n"
        ".globl unread\n.type unread, @function\nunread:\n\tmovl $" LEFT ", %r10d\n\txorl %eax, %eax\n\tret\n"
        ".size unread, .-unread\n");
