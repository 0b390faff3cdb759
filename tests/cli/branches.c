/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions with a known number of paths. */

/* Two paths with a call on one of them. */
int external(int x);

int call_or_not(int x)
{
    if (x > 10)
        return external(x + 1) + 1;
    return 7;
}

/* Writes through a pointer on one path. */
void store_if(int *p, int x)
{
    if (x)
        *p = x;
}

#define BIT(n)                                                                                               \
    if (x & (1u << (n)))                                                                                     \
        external((int)n);

/* 2^28 paths: nobody waits for the end of this. */
void many(unsigned x)
{
    BIT(0)
    BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10) BIT(11) BIT(12) BIT(13) BIT(14)
        BIT(15) BIT(16) BIT(17) BIT(18) BIT(19) BIT(20) BIT(21) BIT(22) BIT(23) BIT(24) BIT(25) BIT(26)
            BIT(27)
}

/* 8 paths. */
void eight(unsigned x)
{
    BIT(0) BIT(1) BIT(2)
}

/* Never ends by itself. */
unsigned count(unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += (unsigned)external((int)i);
    return sum;
}
