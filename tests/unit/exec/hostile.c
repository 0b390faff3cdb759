/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code that keeps to no calling convention, or uses the stack in unusual ways. Compiled like input.c. */
struct big {
    long a[4];
};
struct numbers {
    int v[6];
};
struct big far_big(long x);
int far_use(int *p);
extern int far_one, far_two;
static int near;
int global_word;
double (*far_double)(void);

__attribute__((noinline)) static struct big make(long x)
{
    struct big b = {{x, x + 1, global_word, x + 3}};
    return b;
}

long h_large_result(long x)
{
    struct big b = make(x);
    return b.a[2];
}

long h_large_result_elsewhere(long x)
{
    struct big b = far_big(x);
    return b.a[1];
}

__attribute__((noinline)) static long use(struct big b, int k)
{
    global_word++;
    return b.a[k & 3] + b.a[2];
}

long h_large_argument(long x)
{
    struct big b = {{x, 2, x + 7, 4}};
    return use(b, (int)x);
}

int h_computed_size(int i, int n)
{
    volatile char *p = __builtin_alloca(n);
    p[100] = 7;
    return p[i];
}

int h_index_of_argument(int i, struct numbers s)
{
    s.v[0] = 7;
    return s.v[i];
}

__attribute__((noinline)) static int leaf(int a)
{
    global_word = a;
    return a * 3;
}

int h_registers_left_alone(int a, int b, int c)
{
    int r = leaf(a);
    return r + b * c;
}

int _setjmp(void *buffer);
long jump_buffer[64];

int h_returns_twice(void)
{
    volatile int n = 0;
    if (_setjmp(jump_buffer) == 0) {
        n = 1;
        far_use(0);
        return 5;
    }
    return n;
}

int *const pointers[4] = {&near, &far_one, &near, &far_two};
struct four {
    int *p[4];
};

void h_copies_pointers(struct four *out)
{
    near++;
    *out = *(const struct four *)pointers;
}

int h_double_result(void)
{
    return far_double() > 1.0 ? 1 : 2;
}

#ifndef __clang__
int h_nested(int x)
{
    int y = x;
    __attribute__((noinline)) int inner(int z)
    {
        y += z;
        return y;
    }
    inner(3);
    return y;
}
#endif
