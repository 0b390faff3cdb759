/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two programs: numbers below LIMIT are small in them. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int chosen(int n);
int chosen(int n)
{
    __asm__ volatile("");
    return n < LIMIT ? 1 : 2;
}

int main(int n, char **v)
{
    for (int i = 1; i < n; i++)
        printf("%d\n", chosen(atoi(v[i])));
    return 0;
}
