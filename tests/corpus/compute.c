/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that compute and call nobody: more to mutate than the corpus has. Each is taken out and compiled
 * on its own. */
#include <stddef.h>
#include <stdint.h>

uint32_t adler32(const uint8_t *p, unsigned n)
{
    uint32_t a = 1, b = 0;

    n &= 63;
    for (unsigned i = 0; i < n; i++) {
        a += p[i];
        if (a >= 65521)
            a -= 65521;
        b += a;
        if (b >= 65521)
            b -= 65521;
    }
    return b << 16 | a;
}

int leb128_decode(const uint8_t *p, unsigned n, uint64_t *out)
{
    uint64_t v = 0;
    unsigned shift = 0;

    for (unsigned i = 0; i < n && shift < 63; i++) {
        v |= (uint64_t)(p[i] & 0x7f) << shift;
        shift += 7;
        if ((p[i] & 0x80) == 0) {
            *out = v;
            return (int)i + 1;
        }
    }
    return -1;
}

unsigned bit_reverse(unsigned v, unsigned bits)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
    v = v >> 16 | v << 16;
    return v >> (32 - (bits & 31 ? bits & 31 : 31));
}

int parse_uint(const char *s, unsigned n, uint32_t *out)
{
    uint32_t v = 0;
    unsigned i = 0;

    if (n > 64)
        return -1;
    while (i < n && s[i] == ' ')
        i++;
    if (i == n)
        return -1;
    for (; i < n; i++) {
        unsigned d = (unsigned)(s[i] - '0');

        if (d > 9)
            break;
        if (v > (0xffffffff - d) / 10)
            return -2;
        v = v * 10 + d;
    }
    *out = v;
    return (int)i;
}

int hex_decode(uint8_t *out, const char *s, unsigned n)
{
    if (n & 1 || n > 64)
        return -1;
    for (unsigned i = 0; i < n; i += 2) {
        unsigned v = 0;

        for (unsigned k = 0; k < 2; k++) {
            char c = s[i + k];

            if (c >= '0' && c <= '9')
                v = v << 4 | (unsigned)(c - '0');
            else if (c >= 'a' && c <= 'f')
                v = v << 4 | (unsigned)(c - 'a' + 10);
            else
                return -1;
        }
        out[i / 2] = v;
    }
    return (int)n / 2;
}

int rle_expand(uint8_t *out, unsigned cap, const uint8_t *in, unsigned n)
{
    unsigned o = 0;

    if (cap > 128 || n > 128)
        return -1;
    for (unsigned i = 0; i + 1 < n; i += 2) {
        unsigned run = in[i];

        if (run > cap - o)
            return -1;
        for (unsigned k = 0; k < run; k++)
            out[o++] = in[i + 1];
    }
    return (int)o;
}

uint32_t isqrt(uint32_t x)
{
    uint32_t r = 0, bit = (uint32_t)1 << 30;

    while (bit > x)
        bit >>= 2;
    while (bit != 0) {
        if (x >= r + bit) {
            x -= r + bit;
            r = (r >> 1) + bit;
        } else {
            r >>= 1;
        }
        bit >>= 2;
    }
    return r;
}

int32_t add_saturated(int32_t a, int32_t b)
{
    int64_t s = (int64_t)a + b;

    if (s > 2147483647)
        s = 2147483647;
    if (s < -2147483647)
        s = -2147483647;
    return (int32_t)s;
}

unsigned text_hash(const char *s, unsigned n, unsigned seed)
{
    unsigned h = seed ^ 0x811c9dc5;

    n &= 31;
    while (n-- > 0) {
        char c = *s++;

        if (c >= 'A' && c <= 'Z')
            c += 'a' - 'A';
        h = (h ^ (uint8_t)c) * 16777619;
    }
    return h ^ h >> 15;
}

int sort_small(uint32_t *v, unsigned n)
{
    int moved = 0;

    if (n > 16)
        return -1;
    for (unsigned i = 1; i < n; i++) {
        uint32_t x = v[i];
        unsigned k = i;

        while (k > 0 && v[k - 1] > x) {
            v[k] = v[k - 1];
            k--;
            moved++;
        }
        v[k] = x;
    }
    return moved;
}

void xor_stream(uint8_t *p, unsigned n, uint32_t key)
{
    n &= 63;
    for (unsigned i = 0; i < n; i++) {
        key = key * 1103515245 + 12345;
        p[i] ^= key >> 16;
    }
}

int find_pair(const uint8_t *p, unsigned n, unsigned a, unsigned b)
{
    if (n > 200)
        return -1;
    for (unsigned i = 0; i + 1 < n; i++) {
        if (p[i] == (uint8_t)a && p[i + 1] == (uint8_t)b)
            return (int)i;
    }
    return -2;
}

int days_in_month(unsigned year, unsigned month)
{
    switch (month) {
    case 2:
        if (year % 4 != 0)
            return 28;
        if (year % 100 != 0)
            return 29;
        return year % 400 == 0 ? 29 : 28;
    case 4:
    case 6:
    case 9:
    case 11:
        return 30;
    default:
        if (month < 1 || month > 12)
            return -1;
        return 31;
    }
}

uint64_t blend(uint32_t a, uint32_t b, uint8_t alpha)
{
    uint32_t inv = 255u - alpha;
    uint32_t rb = ((a & 0xff00ff) * alpha + (b & 0xff00ff) * inv) >> 8 & 0xff00ff;
    uint32_t g = ((a & 0x00ff00) * alpha + (b & 0x00ff00) * inv) >> 8 & 0x00ff00;

    if (alpha == 255)
        return a;
    if (alpha == 0)
        return b;
    return (uint64_t)(rb | g) | (uint64_t)alpha << 32;
}

int version_compare(const uint16_t *a, const uint16_t *b, unsigned parts)
{
    if (parts > 8)
        parts = 8;
    for (unsigned i = 0; i < parts; i++) {
        if (a[i] < b[i])
            return 1;
        if (a[i] > b[i])
            return 2;
    }
    return 0;
}

int checksum_header(uint8_t *p, unsigned n)
{
    uint32_t s = 0;

    if (n < 12 || n > 60 || (n & 1) != 0)
        return -22;
    p[10] = 0;
    p[11] = 0;
    for (unsigned i = 0; i < n; i += 2)
        s += (uint32_t)p[i] << 8 | p[i + 1];
    s = (s & 0xffff) + (s >> 16);
    s = (s & 0xffff) + (s >> 16);
    s = ~s;
    p[10] = s >> 8;
    p[11] = s & 0xff;
    return 0;
}

void fade(float *v, unsigned n, int gain)
{
    float g = (float)(gain % 100) / 16.0f;

    n &= 15;
    for (unsigned i = 0; i < n; i++) {
        if (v[i] > 64.0f)
            v[i] = 64.0f;
        v[i] = v[i] * g + 0.5f;
    }
}

int average(const double *v, unsigned n, double *out)
{
    double sum = 0;

    if (n == 0 || n > 16)
        return -22;
    for (unsigned i = 0; i < n; i++)
        sum += v[i];
    *out = sum / (double)n;
    return sum < 0 ? 1 : 0;
}

int to_fixed(double *v, int32_t *out)
{
    double x = *v * 65536.0;

    if (x > 2147483647.0 || x < -2147483648.0)
        return -34;
    *out = (int32_t)x;
    *v = x - (double)*out;
    return 0;
}

uint64_t mul_high(uint64_t a, uint64_t b)
{
    uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    uint64_t mid = ah * bl + (al * bl >> 32);
    uint64_t low = (mid & 0xffffffff) + al * bh;

    return ah * bh + (mid >> 32) + (low >> 32);
}

int64_t clamp64(int64_t v, int64_t low, int64_t high)
{
    if (low > high)
        return -1;
    if (v < low)
        return low;
    return v > high ? high : v;
}

int crc_step(uint64_t state, unsigned n, uint64_t *out)
{
    if (n > 64)
        return -22;
    for (unsigned i = 0; i < n; i++)
        state = state & 1 ? state >> 1 ^ 0xc96c5795d7870f42 : state >> 1;
    *out = state;
    return 0;
}
