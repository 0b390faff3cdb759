/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the executor is tried on: compiled for every instruction set and at several optimisation levels.
 * Freestanding; the functions declared here are in other objects. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
typedef __SIZE_TYPE__ size;

int puts(const char *s);
int printf(const char *fmt, ...);
void *malloc(size n);
void *memset(void *p, int c, size n);
void *memcpy(void *d, const void *s, size n);
void exit(int code) __attribute__((noreturn));
int outside(int a, int b);
void fill(int *p);
void three(int *a, int *b, int *c);

int global_count;
int global_table[8];
const int squares[10] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};
int (*hook)(int);

int t_abs(int x)
{
    return x < 0 ? -x : x;
}

int t_sign(int x)
{
    if (x < 0)
        return -1;
    if (x > 0)
        return 1;
    return 0;
}

int t_alias(int *p, int *q)
{
    *p = 1;
    *q = 2;
    return *p;
}

int t_sum(const int *a, u32 n)
{
    int s = 0;
    for (u32 i = 0; i < n; i++)
        s += a[i];
    return s;
}

int t_switch(int x)
{
    switch (x) {
    case 0:
        global_count = 3;
        return outside(1, 2);
    case 1:
        global_count += 7;
        return 5;
    case 2:
        return outside(3, x);
    case 3:
        global_table[1] = x;
        return 11;
    case 4:
        return -x;
    case 5:
        puts("five");
        return 1;
    case 6:
        return global_count;
    case 8:
        return 99;
    default:
        return 0;
    }
}

int t_square(u32 i)
{
    return i < 10 ? squares[i] : -1;
}

void t_hello(int n)
{
    if (n > 3)
        puts("hello");
    else
        printf("n=%d %s\n", n, "low");
}

int t_kept(int x)
{
    volatile int local = x + 1;
    int before = outside(x, 3);
    return local + before;
}

int t_escaped(void)
{
    int local = 7;
    fill(&local);
    return local;
}

int t_escaped_some(int x)
{
    int a = 1, b = 2, c = 3;
    three(&a, &b, &c);
    return a * x + b - c;
}

void *t_alloc(int v)
{
    int *p = malloc(16);
    if (!p)
        return 0;
    p[0] = v;
    p[1] = v + 1;
    global_table[0] = 5;
    if (p[0] != v)
        exit(1);
    return p;
}

int t_div(int a, int b)
{
    return a / b;
}

u32 t_udiv(u32 a, u32 b)
{
    return b ? a / b + a % b : 0;
}

u64 t_wide(u64 a, u64 b)
{
    u64 c = a + b;
    return c < a ? c ^ 0xffffffffffull : c << 3;
}

s64 t_wide_shift(s64 a, u32 n)
{
    return a >> (n & 63);
}

int t_nested(int a, int b, int c)
{
    int r = 0;
    if (a > 0) {
        if (b > a)
            r = b - a;
        else if (c)
            r = outside(a, c);
        else
            r = -1;
        if (r == 3)
            global_count++;
    } else {
        r = b & c;
    }
    return r + (c > 5 ? 2 : 1);
}

u32 t_bits(u32 x)
{
    u32 n = 0;
    if (x & 1)
        n += 1;
    if (x & 2)
        n += 2;
    if (x & 4)
        n ^= 5;
    if (x & 8)
        n *= 3;
    return n + __builtin_popcount(x & 0xf0) + (x ? __builtin_ctz(x) : 32);
}

int t_string(const char *s)
{
    if (s[0] == '-' && s[1] == '-')
        return s[2] == 0 ? 1 : 2;
    if (s[0] == '+')
        return 3;
    return 0;
}

u32 t_length(const char *s)
{
    u32 n = 0;
    while (s[n])
        n++;
    return n;
}

struct point {
    short x, y;
    int z;
    u8 tag;
};

int t_struct(struct point *p, int dx)
{
    p->x = (short)(p->x + dx);
    p->y = -p->y;
    if (p->tag == 7)
        p->z = p->x * p->y;
    return p->z;
}

void t_copy(struct point *d, const struct point *s)
{
    *d = *s;
    d->tag = 1;
}

void t_clear(u8 *p)
{
    memset(p, 0, 12);
    p[3] = 1;
}

int t_local_array(u32 i, int v)
{
    volatile int a[4] = {1, 2, 3, 4};
    a[i & 3] = v;
    return a[2];
}

int t_swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
    return *a - *b;
}

int t_indirect(int x)
{
    return hook ? hook(x + 1) + 1 : x;
}

int t_many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    return g > h ? a + b * 2 + c * 3 + d : e - f + g * h;
}

int t_goto(int n)
{
    int tries = 0;
again:
    if (outside(n, tries) == 0)
        return tries;
    if (++tries < n)
        goto again;
    return -1;
}

u32 t_hash(const u8 *p)
{
    u32 h = 5381;
    for (int i = 0; i < 2; i++)
        h = h * 33 + p[i];
    return h ^ h >> 7;
}

u16 t_swab(u16 x)
{
    return (u16)(x << 8 | x >> 8);
}

int t_minmax(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

__attribute__((noinline)) static int clamp(int x)
{
    if (x < 0)
        return 0;
    if (x > 100)
        return 100;
    return x;
}

int t_clamped(int a, int b)
{
    return clamp(a) + clamp(b);
}

int t_tail(int a, int b)
{
    if (a == b)
        return 0;
    return outside(b, a);
}

double t_double(double a, double b)
{
    return a > b ? a + b : a * b;
}

float t_float(float a, int n)
{
    return n ? a / (float)n : a;
}

int t_to_int(double d)
{
    return d > 10.0 ? (int)d : 3;
}
