/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What main.c calls. */
#ifdef __clang__
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noinline, noclone, used))
#endif

extern int counter;
int twice(int x);
int thrice(int x);
int limit_of(int kind);

KEEP int twice(int x)
{
    return x * 2 + (counter & 1);
}

#ifndef REMOVED
KEEP int unused_one(int x)
{
    int r = 0;
    for (int i = 0; i < x; i++)
        r += i * counter;
    return r;
}
#endif

KEEP int thrice(int x)
{
    return x * 3 + (counter & 1);
}

KEEP int limit_of(int kind)
{
    static const int limit[] = {100, 2000, 30000, 7};
    return limit[kind & 3];
}
