/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the debugger run, for every instruction set; with -DNEW the other version. */
typedef unsigned long size;

void *memcpy(void *to, const void *from, size n);
void *malloc(size n);
size strlen(const char *s);
int strcmp(const char *a, const char *b);
void abort(void);
int ask(int what);
void log_event(int kind);
void reset_position(void);

int counter = 5;
int limits[4] = {10, 20, 30, 40};

#ifdef NEW
/* Moves everything behind it. */
__attribute__((noinline)) int another(int x)
{
    return x * 7 + limits[x & 3];
}
int more_data[16] = {1};
#endif

__attribute__((noinline)) int sum(const int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

__attribute__((noinline)) unsigned fact(unsigned n)
{
    if (n < 2)
        return 1;
    return n * fact(n - 1);
}

__attribute__((noinline)) int inner(int x)
{
    counter += x;
    return counter;
}

__attribute__((noinline)) int outer(int x)
{
    int a = inner(x);
    int b = inner(x + 1);
    return a * 100 + b;
}

__attribute__((noinline)) char *copy(const char *s)
{
    size n = strlen(s) + 1;
    char *p = malloc(n);
    if (!p)
        return 0;
    return memcpy(p, s, n);
}

__attribute__((noinline)) int password(const char *s)
{
    return strcmp(s, "secret") == 0;
}

__attribute__((noinline)) int asks(int x)
{
    return ask(x) + 1;
}

__attribute__((noinline)) int never(int x)
{
    if (x)
        abort();
    return 1;
}

__attribute__((noinline)) int deref(const int *p)
{
    return *p + 1;
}

__attribute__((noinline)) void overwrite(char *p)
{
    *p = 'x';
}

__attribute__((noinline)) int forever(int x)
{
    for (;;)
        x = inner(x);
}

/* The story of the paper: a message that was handled alone falls through into the handling of another. */
enum { NAV = 42, DEPLOY = 43 };
__attribute__((noinline)) int process_message(int kind)
{
    switch (kind) {
    case NAV:
        log_event(kind);
#ifndef NEW
        break;
#endif
    case DEPLOY:
        reset_position();
        break;
    default:
        return -1;
    }
    return 0;
}

/* The same but for where things are. */
__attribute__((noinline)) int same(int x)
{
    int *p = &limits[x & 3];
    return inner(*p);
}

__attribute__((noinline)) int result(int x)
{
#ifdef NEW
    return x > 100 ? 99 : x;
#else
    return x > 100 ? 100 : x;
#endif
}

__attribute__((noinline)) void writes(int x)
{
    limits[1] = x;
#ifdef NEW
    if (x == 7)
        limits[2] = 0;
#endif
}

__attribute__((noinline)) int argument(int x)
{
#ifdef NEW
    return ask(x + (x == 3));
#else
    return ask(x);
#endif
}

__attribute__((noinline)) void through(int *p, int x)
{
#ifdef NEW
    *p = x == 9 ? 0 : x;
#else
    *p = x;
#endif
}

__attribute__((noinline)) double half(double x)
{
    return x / 2;
}
