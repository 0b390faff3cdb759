/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of two files that are mapped at once (test_mapped.c). */
int scale(int x);
int pick(unsigned i);
int length(const int *p);
int apply(int (*f)(int), int x);
int reports(int x);
int checked(int x);

/* filled in by the loader */
int (*hook)(int) = scale;

int through_stub(int x)
{
    return scale(x) + 1;
}

int through_pointer(int x)
{
    return hook(x) + 2;
}

int last(int x)
{
    return scale(x + 1);
}

int reads_there(unsigned i)
{
    return pick(i) + pick(2);
}

static const int here[4] = {2, 4, 6, 0};

int passes_own(void)
{
    return length(here);
}

static int minus(int x)
{
    return x - here[1];
}

int there_and_back(int x)
{
    return apply(minus, x) + here[0];
}

int unknown_there(int x)
{
    return reports(x) + 1;
}

int traps_there(int x)
{
    return checked(x) + 1;
}
