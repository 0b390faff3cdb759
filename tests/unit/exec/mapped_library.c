/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other one. */
int missing(int x);

static const int table[4] = {3, 50, 700, 11};

static __attribute__((noinline)) int twice(int x)
{
    return x * 2;
}

int scale(int x)
{
    if (x > 100)
        return 0;
    return twice(x) + x;
}

int pick(unsigned i)
{
    return table[i & 3];
}

int length(const int *p)
{
    return p[0] * 100 + p[1] * 10 + p[2];
}

int apply(int (*f)(int), int x)
{
    return f(x) * 10;
}

int reports(int x)
{
    return missing(x + 5) + 1;
}

int checked(int x)
{
    if (x == 9)
        __builtin_trap();
    return x;
}
