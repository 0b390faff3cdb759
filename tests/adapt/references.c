/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small functions that fragments of ARM code are asked to be: `identity` first, which finds those that are trivial; the
 * other 24 are of the kinds that the thesis takes from a media player. */
typedef unsigned uint32_t;

int identity(int x) { return x; }

int clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }
unsigned abs_diff(int a, int b) { return a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a; }
uint32_t bswap32(uint32_t x) { return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24; }
int compare(int a, int b) { return (a > b) - (a < b); }
int even(int x) { return (x & 1) == 0; }
int median(int a, int b, int c)
{
    int lo = a < b ? a : b, hi = a < b ? b : a;
    return c < lo ? lo : c > hi ? hi : c;
}
unsigned length_of(unsigned x) { return x < 0x80 ? 1 : x < 0x4000 ? 2 : x < 0x200000 ? 3 : 4; }
unsigned tile_pos(unsigned x, unsigned y, unsigned w, unsigned h) { return (y >> 1) * (w << 1) + x + (y & h); }
int before(unsigned a, unsigned b, unsigned n) { return a + n < b; }
unsigned pack_rgb(unsigned r, unsigned g, unsigned b) { return r << 16 | g << 8 | b; }
unsigned samples(unsigned layer, unsigned low) { return layer == 1 ? 384 : layer == 3 && low ? 576 : 1152; }
int maximum(int a, int b) { return a > b ? a : b; }
int minimum(int a, int b) { return a < b ? a : b; }
unsigned rotate(unsigned x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }
unsigned align_up(unsigned x, unsigned a) { return (x + a - 1) & ~(a - 1); }
unsigned ceil_div4(unsigned x) { return (x + 3) >> 2; }
unsigned field(unsigned x, unsigned at, unsigned mask) { return x >> (at & 31) & mask; }
unsigned insert(unsigned x, unsigned y, unsigned mask) { return (x & ~mask) | (y & mask); }
int sign(int x) { return x < 0 ? -1 : x > 0; }
int average(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
unsigned gray(unsigned x) { return x ^ x >> 1; }
int lower_case(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
int in_range(unsigned x, unsigned lo, unsigned n) { return x - lo < n; }
unsigned scale_add(unsigned a, unsigned b, unsigned c) { return a * b + c; }
