/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs for `assay adapt`, some for every family, with near misses beside them; tests/cli/test_adapt.py says what must
 * come out. */
#include <stdint.h>

/* The example of the thesis (listing 1.2). */
int shift_add(int x, unsigned y) { return (x << 1) + (int)(y % 2); }
int sum_mask(int a, int b, int c, int d) { return c + d + (a & b); }
int sum_mask_off(int a, int b, int c, int d) { return c + d + (a & b & ~1); }

/* permute */
int minus(int a, int b) { return a - b; }
int minus_turned(int a, int b) { return b - a; }
int minus_off(int a, int b) { return b - a - (a == 77); }
int pick3(int a, int b, int c) { return a * 3 + b * 5 - c; }
int pick3_turned(int c, int a, int b) { return a * 3 + b * 5 - c; }

/* substitute */
int twice(int a) { return a + a; }
int plus(int a, int b) { return a + b; }
int clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }
int to_byte(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }
int to_byte_off(int x) { return x < 0 ? 0 : x > 255 ? 254 : x; }
unsigned masked(unsigned x) { return (x & 0x5a5a1234u) ^ 0x1badb002u; }
unsigned mask(unsigned x, unsigned m, unsigned k) { return (x & m) ^ k; }

/* convert */
long wide(long x) { return x * 3; }
long narrow_s8(int x) { return (long)(signed char)x * 3; }
long narrow_z16(int x) { return (long)(unsigned short)x * 3; }
long narrow_z12(int x) { return (long)(x & 0xfff) * 3; }
int truth(int x) { return x ? 7 : 0; }
int times7(int x) { return x * 7; }

/* arithmetic */
int square(int x) { return x * x; }
int square_next(int x) { return (x + 1) * (x + 1); }
int is_lower(int c) { return c >= 'a' && c <= 'z'; }
int is_upper(int c) { return c >= 'A' && c <= 'Z'; }

/* return */
int is_letter(int c) { return ((unsigned)c | 32) - 'a' < 26; }
int is_letter_1024(int c) { return ((unsigned)c | 32) - 'a' < 26 ? 1024 : 0; }
unsigned char low_byte(int a, int b) { return (unsigned char)(a * b); }
int product(int a, int b) { return a * b; }

/* memory that is read and written */
struct point { int x, y; };
void set(struct point *p, int x, int y) { p->x = x; p->y = y; }
void set_turned(int y, int x, struct point *p) { p->x = x; p->y = y; }
void set_more(struct point *p, int x, int y) { p->x = x; p->y = y; ((int *)p)[2] = 0; }
void set_zero(struct point *p) { p->x = 0; p->y = 0; }
int get_y(const struct point *p) { return p->y; }
int get_at(const int *p, long i) { return p[i]; }
int get_at_or(const int *p, long i) { return i < 0 ? -1 : p[i]; }
int same(int x) { return x; }
int second(int unused, int x)
{
    return x;
}
int same_and_look(const int *p, int x) { return x + (*(const volatile int *)p & 0); }
int get_near(const struct point *p) { unsigned x = (unsigned)p->x; return p->y + (int)((x * x + x) & 1); }
int get_y_fenced(const struct point *p) { __sync_synchronize(); return p->y; }

/* A table with a bug for the smallest number (listing 1.5). */
unsigned char lookup1(unsigned char *table, int key)
{
    int k = key < 0 ? (int)-(unsigned)key : key;
    if (k > 127)
        return -1;
    return table[key + 127];
}
unsigned char lookup2(unsigned char *table, int len, int key)
{
    if (!(-(len / 2) <= key && key <= len / 2))
        return -1;
    return table[key + len / 2];
}

/* It divides, and so may fault. */
int divide(int a, int b) { return a / b; }
int divide_or_0(int a, int b) { return b ? a / b : 0; }

/* Calls that are followed. */
__attribute__((noinline)) static int helper(int a, int b) { return a * 2 + b; }
int calls_helper(int a) { return helper(a, 4); }
int calls_helper_too(int b, int a) { return helper(a, b); }

/* A loop. */
unsigned sum_to(const unsigned char *p, int n)
{
    unsigned s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
unsigned sum_from(int n, const unsigned char *p, unsigned s)
{
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

#ifdef __x86_64__
/* System calls. */
static inline long syscall3(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
long write_out(const void *p, long n) { return syscall3(1, 1, (long)p, n); }
long write_to(long fd, const void *p, long n) { return syscall3(1, fd, (long)p, n); }
long read_from(long fd, const void *p, long n) { return syscall3(0, fd, (long)p, n); }
int same_and_ask(int x) { syscall3(39, 0, 0, 0); return x; }
long write_twice(long fd, const void *p, long n) { syscall3(1, fd, (long)p, n); return syscall3(1, fd, (long)p, n); }
/* What does not return: by a trap, or with the process. */
long write_or_trap(const void *p, long n)
{
    if (syscall3(1, 1, (long)p, n) < 0)
        __builtin_trap();
    return n;
}
long write_to_or_trap(long n, const void *p, long fd)
{
    if (syscall3(1, fd, (long)p, n) < 0)
        __builtin_trap();
    return n;
}
long write_or_exit(const void *p, long n)
{
    if (syscall3(1, 1, (long)p, n) < 0)
        syscall3(231, 3, 0, 0);
    return n;
}
long write_or_exit_turned(long n, const void *p)
{
    if (syscall3(1, 1, (long)p, n) < 0)
        syscall3(231, 3, 0, 0);
    return n;
}
long write_whatever(const void *p, long n)
{
    syscall3(1, 1, (long)p, n);
    return n;
}
#endif

_Noreturn void never(void) { for (;;) ; }

/* Both arguments make a difference. */
int sum_at(const int *p, const int *q)
{
    return *p + *q;
}
int twice_at(const int *p)
{
    return *p * 2;
}
int sum_at_or(int constant, const int *p, int none)
{
    return *p + (none ? constant : 0);
}

/* Through pointers that memory has; what is called there nobody knows. */
struct ops {
    long state;
    long (*open)(struct ops *);
    long (*close)(struct ops *);
};
long call_open(struct ops *p)
{
    return p->open(p) + 1;
}
long call_close(struct ops *p)
{
    return p->close(p) + 1;
}
long call_both(struct ops *p)
{
    return p->open(p) ? p->close(p) : 0;
}
long call_both_second(long unused, struct ops *p)
{
    return p->open(p) ? p->close(p) : 0;
}
long call_open_only(struct ops *p)
{
    return p->open(p) ? 1 : 0;
}
long call_open_second(long unused, struct ops *p)
{
    return p->open(p) + 1;
}

/* A pointer and a table that the file has. */
static int next_of(int x)
{
    return x + 1;
}
int (*hook)(int) = next_of;
int by_hook(int x)
{
    return hook(x);
}
static int look_up[8] = {3, 1, 4, 1, 5, 9, 2, 6};
int from_table(unsigned i, int add)
{
    return look_up[i & 7] + add;
}
int from_table_turned(int add, unsigned i)
{
    return add + look_up[i & 7];
}
void to_table(unsigned i, int x)
{
    look_up[i & 7] = x;
}

/* More arguments than there are registers for, and as many as the caller likes. */
long sum7(long a, long b, long c, long d, long e, long f, long *g)
{
    return a + b + c + d + e + f + *g;
}
int pick7(long a, long b, long c, long d, long e, long f, int g)
{
    return g;
}
long say(struct ops *p, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, p);
    p->state = __builtin_va_arg(list, long);
    __builtin_va_end(list);
    return p->open(p);
}
long say_turned(long state, struct ops *p)
{
    p->state = state;
    return p->open(p);
}

/* A table of its own, which is there whatever the caller has: but not beyond its end. */
static const unsigned char classes[384] = {
    [128 + '0' ... 128 + '9'] = 8, [128 + 'A' ... 128 + 'Z'] = 1, [128 + 'a' ... 128 + 'z'] = 2};
int is_digit(int c)
{
    return c >= '0' && c <= '9';
}
int is_of_class(int c, int mask)
{
    return (classes[c + 128] & mask) != 0;
}
