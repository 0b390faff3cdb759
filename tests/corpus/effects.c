/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions whose effects leave through more than registers and plain stores: library functions that read and
 * write memory, vectors, atomic accesses. Each is taken out and compiled on its own, with what stands above
 * the first one. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>

typedef uint32_t lanes __attribute__((vector_size(16)));

int name_copy(char *out, const char *name, unsigned cap)
{
    unsigned n = (unsigned)strnlen(name, 64);

    if (n >= cap || cap > 64)
        return -1;
    memcpy(out, name, n);
    out[n] = 0;
    return (int)n;
}

int header_same(uint8_t *a, uint8_t *b, unsigned n)
{
    n &= 31;
    a[0] = 1;
    b[0] = 2;
    if (memcmp(a, b, n) == 0)
        return 0;
    a[0] = 3;
    return memcmp(a + 1, b + 1, n) < 0 ? 1 : 2;
}

unsigned field_length(char *s, unsigned max)
{
    s[63] = 0;
    if (max < 63)
        s[max] = 0;
    return (unsigned)strlen(s);
}

int separator_at(char *s, int c)
{
    char *p;

    s[40] = 0;
    s[7] = ':';
    p = strchr(s, c & 0xff);
    if (p == NULL)
        return -1;
    *p = '/';
    return (int)(p - s);
}

int digits_after(char *s, unsigned skip)
{
    unsigned n;

    skip &= 7;
    s[30] = 0;
    n = (unsigned)strspn(s + skip, "0123456789");
    s[skip] = '+';
    return (int)n + (int)strcspn(s, ",;");
}

void shift_window(uint8_t *window, const uint8_t *in, unsigned n)
{
    n &= 63;
    memmove(window, window + n, 128 - n);
    memcpy(window + 128 - n, in, n);
    window[0] = (uint8_t)n;
}

void wipe_after(uint8_t *key, uint8_t *out, unsigned n)
{
    n &= 31;
    memcpy(out, key, n);
    memset(key, 0, n);
    out[n] = 1;
}

int words_order(char *a, char *b)
{
    int r;

    a[20] = 0;
    b[20] = 0;
    r = strcmp(a, b);
    b[0] = 'x';
    if (r == 0)
        return 0;
    return r < 0 ? 1 : 2;
}

int prefix_strip(char *s, const char *prefix, unsigned n)
{
    n &= 15;
    s[50] = 0;
    if (strncmp(s, prefix, n) != 0)
        return 0;
    memmove(s, s + n, strlen(s + n) + 1);
    return (int)n;
}

unsigned last_slash(char *s)
{
    char *p;

    s[9] = '/';
    s[60] = 0;
    p = strrchr(s, '/');
    p[0] = 0;
    return (unsigned)strlen(s) + (unsigned)(p - s);
}

int distance_of(int a, int b, int *out)
{
    *out = abs(a >> 1);
    return abs((a >> 2) - (b >> 2)) + *out;
}

void lanes_add(lanes *out, const lanes *a, const lanes *b)
{
    lanes v = *a + *b;

    out[0] = v;
    out[1] = v ^ *a;
}

void lanes_blend(lanes *out, const lanes *a, const lanes *b)
{
    lanes mask = (lanes)(*a > *b);

    *out = (*a & mask) | (*b & ~mask);
}

uint32_t lanes_sum(const lanes *a, unsigned n)
{
    lanes v = {0, 1, 2, 3};

    n &= 7;
    for (unsigned i = 0; i < n; i++)
        v += a[i];
    return v[0] + v[1] * 3 + v[2] * 5 + v[3] * 7;
}

void lanes_shift(lanes *p, unsigned by)
{
    lanes v = p[0] << (by & 15);

    v[2] = by;
    p[1] = v - p[1];
}

lanes *lanes_reverse(lanes *p)
{
    lanes v = __builtin_shufflevector(p[0], p[0], 3, 2, 1, 0);

    p[0] = v;
    p[2] = v + p[1];
    return p + 1;
}

int counter_take(int *count, int max)
{
    int had = __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);

    if (had >= max)
        return -1;
    return had & 0xffff;
}

int reference_drop(int *count, int *freed)
{
    if (__atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL) != 1)
        return 0;
    *freed = 1;
    return 1;
}

int lock_try(int *lock, int owner)
{
    int expected = 0;

    owner |= 1;
    if (!__atomic_compare_exchange_n(lock, &expected, owner, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    return 1;
}

unsigned flag_swap(unsigned *flag, unsigned value, unsigned *last)
{
    unsigned old = __atomic_exchange_n(flag, value, __ATOMIC_SEQ_CST);

    *last = old;
    return old & 0xff;
}

void bits_publish(unsigned *bits, unsigned value, unsigned *data)
{
    *data = value;
    __atomic_fetch_or(bits, 4, __ATOMIC_RELEASE);
    data[1] = value + 1;
}

void bits_withdraw(unsigned *bits, unsigned *data)
{
    __atomic_fetch_and(bits, 0xfffffffb, __ATOMIC_SEQ_CST);
    *data = 0;
}
