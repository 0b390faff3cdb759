/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that are not spelled out in operators: the remainder of C's fmod, and the arithmetic of the
 * 80-bit format, which base/op.h does not have. They are computed where the host does it exactly. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lift/llvm/bitcode.h"

static struct bits mod32(const struct bits *arg)
{
    uint32_t a = (uint32_t)bits_low(arg[0]), b = (uint32_t)bits_low(arg[1]);
    float x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = fmodf(x, y);
    memcpy(&a, &x, sizeof a);
    return bits_u64(isnan(x) ? 0x7fc00000 : a, 32);
}

static struct bits mod64(const struct bits *arg)
{
    uint64_t a = bits_low(arg[0]), b = bits_low(arg[1]);
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = fmod(x, y);
    memcpy(&a, &x, sizeof a);
    return bits_u64(isnan(x) ? UINT64_C(0x7ff8000000000000) : a, 64);
}

#if LDBL_MANT_DIG == 64
#define HOST(f) f

static long double from_bits(struct bits v)
{
    long double x = 0;
    bits_to_bytes(v, (uint8_t *)&x, 10);
    return x;
}

static struct bits to_bits(long double x)
{
    uint8_t bytes[sizeof x];
    static const struct bits nan = {{UINT64_C(0xc000000000000000), 0x7fff}};
    memcpy(bytes, &x, sizeof x);
    return isnan(x) ? nan : bits_from_bytes(bytes, 10);
}

#define BINARY(name, expression)                                                                             \
    static struct bits name(const struct bits *arg)                                                          \
    {                                                                                                        \
        volatile long double x = from_bits(arg[0]), y = from_bits(arg[1]);                                   \
        return to_bits(expression);                                                                          \
    }
BINARY(x87_add, x + y)
BINARY(x87_sub, x - y)
BINARY(x87_mul, x *y)
BINARY(x87_div, x / y)
BINARY(x87_rem, fmodl(x, y))

#define COMPARE(name, expression)                                                                            \
    static struct bits name(const struct bits *arg)                                                          \
    {                                                                                                        \
        long double x = from_bits(arg[0]), y = from_bits(arg[1]);                                            \
        return bits_u64(expression, 1);                                                                      \
    }
COMPARE(x87_eq, x == y)
COMPARE(x87_lt, isless(x, y))
COMPARE(x87_le, islessequal(x, y))
COMPARE(x87_unord, isunordered(x, y))

static struct bits x87_from_f32(const struct bits *arg)
{
    uint32_t a = (uint32_t)bits_low(arg[0]);
    float x;
    memcpy(&x, &a, sizeof x);
    return to_bits(x);
}

static struct bits x87_from_f64(const struct bits *arg)
{
    uint64_t a = bits_low(arg[0]);
    double x;
    memcpy(&x, &a, sizeof x);
    return to_bits(x);
}

static struct bits x87_to_f32(const struct bits *arg)
{
    float x = (float)from_bits(arg[0]);
    uint32_t a;
    memcpy(&a, &x, sizeof a);
    return bits_u64(isnan(x) ? 0x7fc00000 : a, 32);
}

static struct bits x87_to_f64(const struct bits *arg)
{
    double x = (double)from_bits(arg[0]);
    uint64_t a;
    memcpy(&a, &x, sizeof a);
    return bits_u64(isnan(x) ? UINT64_C(0x7ff8000000000000) : a, 64);
}

static struct bits x87_from_s64(const struct bits *arg)
{
    return to_bits((long double)(int64_t)bits_low(arg[0]));
}

static struct bits x87_from_u64(const struct bits *arg)
{
    return to_bits((long double)bits_low(arg[0]));
}

/* Out of range is undefined in C, so it is clamped, as the operators of other formats do. */
static struct bits x87_to_s64(const struct bits *arg)
{
    long double x = from_bits(arg[0]);
    int64_t v = isnan(x) ? 0 : x >= 0x1p63L ? INT64_MAX : x < -0x1p63L ? INT64_MIN : (int64_t)x;
    return bits_u64((uint64_t)v, 64);
}

static struct bits x87_to_u64(const struct bits *arg)
{
    long double x = from_bits(arg[0]);
    return bits_u64(isnan(x) || x <= 0 ? 0 : x >= 0x1p64L ? UINT64_MAX : (uint64_t)x, 64);
}

#define UNARY(name, function)                                                                                \
    static struct bits name(const struct bits *arg)                                                          \
    {                                                                                                        \
        return to_bits(function(from_bits(arg[0])));                                                         \
    }
UNARY(x87_sqrt, sqrtl)
UNARY(x87_floor, floorl)
UNARY(x87_ceil, ceill)
UNARY(x87_trunc, truncl)
UNARY(x87_round, roundl)
UNARY(x87_rint, rintl)
#else
#define HOST(f) NULL
#endif

static const struct pure table[] = {
    {"f32.rem", 32, {32, 32}, 2, mod32},
    {"f64.rem", 64, {64, 64}, 2, mod64},
    {"f16.rem", 16, {16, 16}, 2, NULL},
    {"f128.rem", 128, {128, 128}, 2, NULL},
    {"x87.add", 80, {80, 80}, 2, HOST(x87_add)},
    {"x87.sub", 80, {80, 80}, 2, HOST(x87_sub)},
    {"x87.mul", 80, {80, 80}, 2, HOST(x87_mul)},
    {"x87.div", 80, {80, 80}, 2, HOST(x87_div)},
    {"x87.rem", 80, {80, 80}, 2, HOST(x87_rem)},
    {"x87.sqrt", 80, {80}, 1, HOST(x87_sqrt)},
    {"x87.floor", 80, {80}, 1, HOST(x87_floor)},
    {"x87.ceil", 80, {80}, 1, HOST(x87_ceil)},
    {"x87.trunc", 80, {80}, 1, HOST(x87_trunc)},
    {"x87.round", 80, {80}, 1, HOST(x87_round)},
    {"x87.rint", 80, {80}, 1, HOST(x87_rint)},
    {"x87.eq", 1, {80, 80}, 2, HOST(x87_eq)},
    {"x87.lt", 1, {80, 80}, 2, HOST(x87_lt)},
    {"x87.le", 1, {80, 80}, 2, HOST(x87_le)},
    {"x87.unord", 1, {80, 80}, 2, HOST(x87_unord)},
    {"x87.from_f32", 80, {32}, 1, HOST(x87_from_f32)},
    {"x87.from_f64", 80, {64}, 1, HOST(x87_from_f64)},
    {"x87.to_f32", 32, {80}, 1, HOST(x87_to_f32)},
    {"x87.to_f64", 64, {80}, 1, HOST(x87_to_f64)},
    {"x87.from_s64", 80, {64}, 1, HOST(x87_from_s64)},
    {"x87.from_u64", 80, {64}, 1, HOST(x87_from_u64)},
    {"x87.to_s64", 64, {80}, 1, HOST(x87_to_s64)},
    {"x87.to_u64", 64, {80}, 1, HOST(x87_to_u64)},
};

struct ir_pures bitcode_pures(void)
{
    return (struct ir_pures){table, sizeof table / sizeof *table};
}
