/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The x87 functions that VEX keeps as operators on doubles. They are computed in long double and rounded once, to
 * nearest: VEX itself passes no other rounding mode here, and processors promise only the last bit or so. */
#include "lift/vex/pure_eval.h"

#include <math.h>
#include <string.h>

static double number(struct bits x)
{
    double d;
    memcpy(&d, &x.w[0], sizeof d);
    return d;
}

static struct bits bits_of(long double x)
{
    double d = (double)x;
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    /* The processor's own NaN has the sign set; which one libm makes is up to it. */
    return bits_u64(isnan(d) ? UINT64_C(0xfff8000000000000) : u, 64);
}

static struct bits quiet(struct bits x)
{
    return bits_u64(x.w[0] | UINT64_C(0x0008000000000000), 64);
}

/* True when an operand is a NaN, which is then the result. */
static bool propagates(struct bits a, struct bits b, struct bits *result)
{
    if (isnan(number(a)))
        *result = quiet(a);
    else if (isnan(number(b)))
        *result = quiet(b);
    else
        return false;
    return true;
}

/* fsin, fcos and fptan leave an operand of 2^63 or more alone. */
static bool too_large(double x)
{
    return fabs(x) >= 0x1p63 && !isinf(x);
}

#define X87_UNARY(id, guard, expression)                                                                     \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        struct bits nan;                                                                                     \
        if (propagates(a[1], a[1], &nan))                                                                    \
            return nan;                                                                                      \
        long double x = number(a[1]);                                                                        \
        return (guard) ? a[1] : bits_of(expression);                                                         \
    }

X87_UNARY(X87_SIN, too_large((double)x), sinl(x))
X87_UNARY(X87_COS, too_large((double)x), cosl(x))
X87_UNARY(X87_TAN, too_large((double)x), tanl(x))
X87_UNARY(X87_2XM1, x == 0, expm1l(x * 0.693147180559945309417232121458176568L))

#define X87_BINARY(id, expression)                                                                           \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        struct bits nan;                                                                                     \
        if (propagates(a[1], a[2], &nan))                                                                    \
            return nan;                                                                                      \
        long double x = number(a[1]), y = number(a[2]);                                                      \
        return bits_of(expression);                                                                          \
    }

/* Multiplying by 2^trunc(y): past 2^40 every finite double is gone either way. */
static long double scale(long double x, long double y)
{
    if (isinf(y) && ((y > 0 && x == 0) || (y < 0 && isinf(x))))
        return NAN;
    long double n = truncl(y);
    if (n > 1 << 14)
        n = 1 << 14;
    if (n < -(1 << 14))
        n = -(1 << 14);
    if (isinf(y))
        return y > 0 ? copysignl(INFINITY, x) : copysignl(0, x);
    return ldexpl(x, (int)n);
}

X87_BINARY(X87_ATAN, atan2l(x, y))
X87_BINARY(X87_YL2X, x * log2l(y))
X87_BINARY(X87_YL2XP1, x * (log1pl(y) / 0.693147180559945309417232121458176568L))
X87_BINARY(X87_SCALE, scale(x, y))

/* fprem and fprem1 reduce by at most 2^63 at a time. With an exponent difference D of 64 or more they subtract a
 * multiple of y * 2^(D-N) only, N between 32 and 63, and report by C2 that the reduction is not complete. */
struct remainder {
    double value;
    unsigned flags; /* C3, C2, C1, C0 at bits 14, 10, 9, 8 */
};

enum { C0 = 1 << 8, C1 = 1 << 9, C2 = 1 << 10, C3 = 1 << 14 };

static struct remainder reduce(double x, double y, bool nearest)
{
    if (isinf(x) || y == 0)
        return (struct remainder){NAN, 0};
    if (x == 0 || isinf(y))
        return (struct remainder){x, 0};
    int distance = ilogb(x) - ilogb(y);
    if (distance >= 64) {
        int n = 32 + distance % 32;
        return (struct remainder){fmod(x, ldexp(y, distance - n)), C2};
    }
    /* The quotient's low bits: reduce by 8y first, then what is left is a small quotient. */
    double rest = fmod(fabs(x), 8 * fabs(y));
    if (isinf(8 * y))
        rest = fabs(x);
    unsigned quotient = 0;
    for (int i = 2; i >= 0; i--) {
        double step = ldexp(fabs(y), i);
        if (rest >= step) {
            rest -= step;
            quotient |= 1u << i;
        }
    }
    if (nearest) {
        double twice = rest - (fabs(y) - rest);
        if (twice > 0 || (twice == 0 && (quotient & 1))) {
            rest -= fabs(y);
            quotient++;
        }
    }
    unsigned flags = (quotient & 4 ? C0 : 0) | (quotient & 2 ? C3 : 0) | (quotient & 1 ? C1 : 0);
    return (struct remainder){signbit(x) ? -rest : rest, flags};
}

static struct bits remainder_value(const struct bits *a, bool nearest)
{
    struct bits nan;
    if (propagates(a[1], a[2], &nan))
        return nan;
    return bits_of(reduce(number(a[1]), number(a[2]), nearest).value);
}

static struct bits remainder_flags(const struct bits *a, bool nearest)
{
    struct bits nan;
    if (propagates(a[1], a[2], &nan))
        return bits_u64(0, 32);
    return bits_u64(reduce(number(a[1]), number(a[2]), nearest).flags, 32);
}

struct bits vex_eval_X87_PREM(const struct bits *a)
{
    return remainder_value(a, false);
}

struct bits vex_eval_X87_PREM_FLAGS(const struct bits *a)
{
    return remainder_flags(a, false);
}

struct bits vex_eval_X87_PREM1(const struct bits *a)
{
    return remainder_value(a, true);
}

struct bits vex_eval_X87_PREM1_FLAGS(const struct bits *a)
{
    return remainder_flags(a, true);
}

/* ---- the 80-bit format: an explicit integer bit, otherwise the exponent of the 128-bit format ---- */

static const uint64_t integer_bit = UINT64_C(1) << 63;
static const uint64_t fraction64 = (UINT64_C(1) << 52) - 1;

static struct bits convert(struct bits x, unsigned from, unsigned to)
{
    const struct bits arg[2] = {bits_u64(OP_RNE, OP_RM_WIDTH), x};
    const unsigned width[2] = {OP_RM_WIDTH, from};
    return bits_apply(OP_F2F, to, arg, width, 0);
}

struct bits vex_eval_X87_F80_TO_F64(const struct bits *a)
{
    uint64_t m = a[0].w[0], sign = a[0].w[1] >> 15 & 1, exponent = a[0].w[1] & 0x7fff;
    /* Without its integer bit a number is subnormal, or none that a processor since the 387 knows. */
    if (exponent != 0 && !(m & integer_bit))
        return bits_u64(UINT64_C(0xfff8000000000000), 64);
    if (exponent == 0x7fff && m != integer_bit)
        return quiet(bits_u64(sign << 63 | UINT64_C(0x7ff) << 52 | (m >> 11 & fraction64), 64));
    if (exponent == 0 && (m & integer_bit))
        exponent = 1;
    m &= ~integer_bit;
    const struct bits wide = {{m << 49, m >> 15 | exponent << 48 | sign << 63}};
    return convert(wide, 128, 64);
}

struct bits vex_eval_X87_F64_TO_F80(const struct bits *a)
{
    uint64_t sign = a[0].w[0] >> 63, fraction = a[0].w[0] & fraction64;
    if (isnan(number(a[0]))) {
        const struct bits nan = {{integer_bit | integer_bit >> 1 | fraction << 11, sign << 15 | 0x7fff}};
        return nan;
    }
    struct bits wide = convert(a[0], 64, 128);
    uint64_t exponent = wide.w[1] >> 48 & 0x7fff;
    uint64_t m = wide.w[1] << 15 | wide.w[0] >> 49;
    const struct bits r = {{exponent ? m | integer_bit : m & ~integer_bit, sign << 15 | exponent}};
    return r;
}
