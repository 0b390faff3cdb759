/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two versions of a function that gives a local and its data away; with NEW the data lies elsewhere. */
int fill(char *, int);
int take(int *, const int *);
int loop(int);

#ifdef NEW
int added[16] = {1};
#endif
int count = 5;
#ifdef NEW
int limit = 30;
#else
int limit = 20;
#endif
const int primes[] = {2, 3, 5, 7};

int given(int n)
{
    char buffer[32];
#ifdef NEW
    if (n > limit)
        return -1;
    added[n & 15]++;
#endif
    fill(buffer, n < limit ? n : limit);
    return take(&count, primes) + buffer[3];
}
