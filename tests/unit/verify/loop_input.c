/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop, in three versions: 1 rejects more, 2 counts down instead of up, 3 adds something else. */
int sum(const int *p, int n)
{
    int s = 0;
#if VERSION == 1
    if (n > 1000)
        return -1;
#endif
#if VERSION == 2
    for (const int *q = p; n > 0; n--, q++)
        s += *q;
#else
    for (int i = 0; i < n; i++)
        s += p[i] + (VERSION == 3);
#endif
    return s;
}
