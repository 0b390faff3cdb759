/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions over structures that are laid out differently, for `assay adapt --family memory`, with near misses beside them;
 * tests/cli/test_adapt.py says what must come out. */
#include <stdint.h>

/* Fields that moved, and have other widths. */
struct account { int balance; short count; unsigned char flags; };
struct ledger { unsigned char flags; long balance; int count; };
void pay(struct account *a, int sum) { a->balance += sum; a->count = (short)(a->count + 1); a->flags |= 1; }
void pay_ledger(int sum, struct ledger *l) { l->balance = (int)l->balance + sum; l->count = (short)(l->count + 1); l->flags |= 1; }
void pay_not_kept(int sum, struct ledger *l) { l->balance = (int)l->balance + sum; l->count = (short)(l->count + 1); l->flags |= 1; if (sum == 77) l->flags = 0; }
void pay_more(int sum, struct ledger *l) { l->balance = (int)l->balance + sum; l->count = (short)(l->count + 2); l->flags |= 1; }
long worth(struct account *a, long rate) { long w = a->balance * rate; a->count = 0; return w; }
long worth_ledger(struct ledger *l, long rate) { long w = l->balance * rate; l->count = 0; return w; }
/* Where there is a structure, it does not matter what becomes of none. */
long worth_or_not(struct account *a, long rate)
{
    return a ? worth(a, rate) : -1;
}
/* One extension off: what is negative comes out otherwise. */
struct debts { unsigned balance; short count; };
long worth_debts(struct debts *d, long rate) { long w = d->balance * rate; d->count = 0; return w; }

/* A stream cipher's state: entries of a word, and of a byte. */
struct words { uint32_t x, y, data[256]; };
struct bytes { uint8_t x, y, data[256]; };
#define SET_UP(first, more)                        \
    uint8_t j = 0;                                 \
    int k = 0;                                     \
    s->x = s->y = 0;                               \
    for (int i = 0; i < 256; i++)                  \
        s->data[i] = (uint8_t)(i + first);         \
    for (int i = 0; i < 256; i++) {                \
        uint8_t t = (uint8_t)s->data[i];           \
        j = (uint8_t)(j + key[k] + t);             \
        s->data[i] = s->data[j];                   \
        s->data[j] = t;                            \
        k = k + 1 < n ? k + 1 : 0;                 \
    }                                              \
    more
void set_up_words(struct words *s, int n, const uint8_t *key) { SET_UP(0, ) }
void set_up_bytes(const uint8_t *key, struct bytes *s, int n) { SET_UP(0, ) }
void set_up_from_1(const uint8_t *key, struct bytes *s, int n) { SET_UP(1, ) }
void set_up_not_kept(const uint8_t *key, struct bytes *s, int n) { SET_UP(0, s->data[255] = 0;) }
#define STREAM(first)                                        \
    uint8_t x = (uint8_t)s->x, y = (uint8_t)s->y;            \
    for (long i = 0; i < n; i++) {                           \
        x = (uint8_t)(x + 1);                                \
        uint8_t a = (uint8_t)s->data[x];                     \
        y = (uint8_t)(y + a);                                \
        uint8_t b = (uint8_t)s->data[y];                     \
        s->data[x] = b;                                      \
        s->data[y] = a;                                      \
        out[i] = in[i] ^ (uint8_t)s->data[(uint8_t)(a + b + first)]; \
    }                                                        \
    s->x = x;                                                \
    s->y = y;
void stream_words(struct words *s, long n, const uint8_t *in, uint8_t *out) { STREAM(0) }
void stream_bytes(uint8_t *out, const uint8_t *in, long n, struct bytes *s) { STREAM(0) }
void stream_off(uint8_t *out, const uint8_t *in, long n, struct bytes *s) { STREAM(1) }

/* A loop of any length. */
struct counters { uint16_t sum, last; };
struct wide_counters { uint32_t last, sum; };
void fill_words(struct wide_counters *c, unsigned long n, const uint8_t *in)
{
    for (unsigned long i = 0; i < n; i++)
        c->last = in[i];
    c->sum = 0;
}
void fill_bytes(const uint8_t *in, unsigned long n, struct counters *c)
{
    for (unsigned long i = 0; i < n; i++)
        c->last = in[i];
    c->sum = 0;
}

/* They differ when there is nothing to take. */
void take(struct counters *c, int n, const uint8_t *in)
{
    c->sum = n ? in[0] : 9;
    c->last = 1;
}
void take_wide(struct wide_counters *c, int n, const uint8_t *in)
{
    c->sum = n ? in[0] : 8;
    c->last = 1;
}
