/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floating point against the host's own unit, in the four rounding modes it has, on numbers near every boundary. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "test.h"

static const int host_mode[] = {[OP_RNE] = FE_TONEAREST, [OP_RTN] = FE_DOWNWARD, [OP_RTP] = FE_UPWARD, [OP_RTZ] = FE_TOWARDZERO};

static uint64_t seed = 7;

/* Patterns with exponents bunched around zero, the extremes and each other. */
static uint64_t pattern(unsigned width)
{
    unsigned fraction = width == 32 ? 23 : 52, exponent = width - 1 - fraction;
    uint64_t bias = (UINT64_C(1) << (exponent - 1)) - 1, e, f = test_random(&seed);
    switch (test_random(&seed) % 6) {
    case 0: e = 0; break;
    case 1: e = 2 * bias + 1; f = test_random(&seed) % 4 ? 0 : f; break;
    case 2: e = 2 * bias - test_random(&seed) % 3; break;
    case 3: e = test_random(&seed) % (2 * bias); break;
    default: e = bias - 30 + test_random(&seed) % 64; break;
    }
    switch (test_random(&seed) % 5) {
    case 0: f = 0; break;
    case 1: f = UINT64_MAX; break;
    case 2: f &= f << 1 & f << 2 & f << 3; break;
    case 3: f &= ~UINT64_C(0) << (fraction - 4); break;
    }
    uint64_t x = (test_random(&seed) & 1) << (width - 1) | e << fraction | (f & ((UINT64_C(1) << fraction) - 1));
    return x;
}

static uint64_t ours(enum op op, unsigned width, unsigned rm, uint64_t x, uint64_t y, uint64_t z, unsigned arg)
{
    struct bits a[] = {bits_u64(rm, 3), bits_u64(x, arg), bits_u64(y, arg), bits_u64(z, arg)};
    unsigned w[] = {3, arg, arg, arg};
    unsigned skip = op_info[op].shape == OP_SHAPE_FCMP || op_info[op].shape == OP_SHAPE_FSAME;
    return bits_low(bits_apply(op, width, a + skip, w + skip, 0));
}

static double d(uint64_t x)
{
    double r;
    memcpy(&r, &x, sizeof r);
    return r;
}

static float f(uint64_t x)
{
    float r;
    uint32_t y = (uint32_t)x;
    memcpy(&r, &y, sizeof r);
    return r;
}

static uint64_t of_d(double x)
{
    uint64_t r;
    memcpy(&r, &x, sizeof r);
    return isnan(x) ? UINT64_C(0x7ff8000000000000) : r;
}

static uint64_t of_f(float x)
{
    uint32_t r;
    memcpy(&r, &x, sizeof r);
    return isnan(x) ? 0x7fc00000 : r;
}

static void doubles_match_the_host(void **state)
{
    (void)state;
    for (int i = 0; i < 60000; i++) {
        unsigned rm = (unsigned)(test_random(&seed) % 4);
        uint64_t x = pattern(64), y = pattern(64), z = pattern(64);
        volatile double a = d(x), b = d(y), c = d(z), r[7];
        fesetround(host_mode[rm]);
        r[0] = a + b;
        r[1] = a - b;
        r[2] = a * b;
        r[3] = a / b;
        r[4] = sqrt(a);
        r[5] = fma(a, b, c);
        r[6] = nearbyint(a);
        volatile float narrow = (float)a;
        volatile double from_int = (double)(int64_t)x, from_uint = (double)x;
        fesetround(FE_TONEAREST);
        static const enum op op[] = {OP_FADD, OP_FSUB, OP_FMUL, OP_FDIV, OP_FSQRT, OP_FMA, OP_FRINT};
        for (unsigned k = 0; k < 7; k++)
            assert_int_equal(ours(op[k], 64, rm, x, y, z, 64), of_d(r[k]));
        assert_int_equal(ours(OP_F2F, 32, rm, x, 0, 0, 64), of_f(narrow));
        assert_int_equal(ours(OP_S2F, 64, rm, x, 0, 0, 64), of_d(from_int));
        assert_int_equal(ours(OP_U2F, 64, rm, x, 0, 0, 64), of_d(from_uint));
        assert_int_equal(ours(OP_FREM, 64, 0, x, y, 0, 64), of_d(remainder(d(x), d(y))));
        assert_int_equal(ours(OP_FLT, 1, 0, x, y, 0, 64), d(x) < d(y));
        assert_int_equal(ours(OP_FLE, 1, 0, x, y, 0, 64), d(x) <= d(y));
        assert_int_equal(ours(OP_FEQ, 1, 0, x, y, 0, 64), d(x) == d(y));
        assert_int_equal(ours(OP_FUNORD, 1, 0, x, y, 0, 64), isunordered(d(x), d(y)));
    }
}

static void floats_match_the_host(void **state)
{
    (void)state;
    for (int i = 0; i < 60000; i++) {
        unsigned rm = (unsigned)(test_random(&seed) % 4);
        uint64_t x = pattern(32), y = pattern(32), z = pattern(32);
        volatile float a = f(x), b = f(y), c = f(z), r[7];
        fesetround(host_mode[rm]);
        r[0] = a + b;
        r[1] = a - b;
        r[2] = a * b;
        r[3] = a / b;
        r[4] = sqrtf(a);
        r[5] = fmaf(a, b, c);
        r[6] = nearbyintf(a);
        volatile float from_int = (float)(int64_t)(x << 31 ^ y);
        fesetround(FE_TONEAREST);
        static const enum op op[] = {OP_FADD, OP_FSUB, OP_FMUL, OP_FDIV, OP_FSQRT, OP_FMA, OP_FRINT};
        for (unsigned k = 0; k < 7; k++)
            assert_int_equal(ours(op[k], 32, rm, x, y, z, 32), of_f(r[k]));
        assert_int_equal(ours(OP_F2F, 64, rm, x, 0, 0, 32), of_d((double)f(x)));
        assert_int_equal(ours(OP_S2F, 32, rm, x << 31 ^ y, 0, 0, 64), of_f(from_int));
        assert_int_equal(ours(OP_FLT, 1, 0, x, y, 0, 32), f(x) < f(y));
    }
}

static void conversion_to_integers_clamps(void **state)
{
    (void)state;
    assert_int_equal(ours(OP_F2S, 32, OP_RTZ, of_d(-1.9), 0, 0, 64), 0xffffffff);
    assert_int_equal(ours(OP_F2S, 32, OP_RTN, of_d(-1.1), 0, 0, 64), 0xfffffffe);
    assert_int_equal(ours(OP_F2S, 32, OP_RNE, of_d(2.5), 0, 0, 64), 2);
    assert_int_equal(ours(OP_F2S, 32, OP_RNA, of_d(2.5), 0, 0, 64), 3);
    assert_int_equal(ours(OP_F2S, 32, OP_RTZ, of_d(1e300), 0, 0, 64), 0x7fffffff);
    assert_int_equal(ours(OP_F2S, 32, OP_RTZ, of_d(-1e300), 0, 0, 64), 0x80000000);
    assert_int_equal(ours(OP_F2U, 32, OP_RTZ, of_d(-5.0), 0, 0, 64), 0);
    assert_int_equal(ours(OP_F2U, 8, OP_RTZ, of_d(255.7), 0, 0, 64), 255);
    assert_int_equal(ours(OP_F2U, 8, OP_RNE, of_d(255.7), 0, 0, 64), 255);
    assert_int_equal(ours(OP_F2S, 64, OP_RTZ, of_d(NAN), 0, 0, 64), 0);
    assert_int_equal(ours(OP_F2S, 64, OP_RTZ, of_d(-0x1p63), 0, 0, 64), UINT64_C(1) << 63);
    assert_int_equal(ours(OP_F2U, 64, OP_RTZ, of_d(INFINITY), 0, 0, 64), UINT64_MAX);
    assert_int_equal(ours(OP_F2S, 64, OP_RTZ, of_d(0x1p62 + 0x1p20), 0, 0, 64), (UINT64_C(1) << 62) + (1 << 20));
}

/* Half precision: every value survives the way through single precision, and known roundings. */
static void halves_round_trip(void **state)
{
    (void)state;
    for (uint64_t h = 0; h < 0x10000; h++) {
        uint64_t wide = ours(OP_F2F, 32, OP_RNE, h, 0, 0, 16), back = ours(OP_F2F, 16, OP_RNE, wide, 0, 0, 32);
        if ((h & 0x7c00) == 0x7c00 && (h & 0x3ff))
            assert_int_equal(back, 0x7e00);
        else
            assert_int_equal(back, h);
    }
    assert_int_equal(ours(OP_F2F, 16, OP_RNE, of_d(65519.0), 0, 0, 64), 0x7bff);
    assert_int_equal(ours(OP_F2F, 16, OP_RNE, of_d(65520.0), 0, 0, 64), 0x7c00);
    assert_int_equal(ours(OP_F2F, 16, OP_RTZ, of_d(1e9), 0, 0, 64), 0x7bff);
    assert_int_equal(ours(OP_F2F, 16, OP_RNE, of_d(0x1p-25), 0, 0, 64), 0);
    assert_int_equal(ours(OP_F2F, 16, OP_RNA, of_d(0x1p-25), 0, 0, 64), 1);
    assert_int_equal(ours(OP_FADD, 16, OP_RNE, 0x3c00, 0x1000, 0, 16), 0x3c00); /* 1 + 2^-11 ties to even */
}

/* Quad precision agrees with double precision wherever the latter is exact. */
static void quads_contain_doubles(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        uint64_t x = pattern(64), y = pattern(64);
        struct bits a[] = {bits_u64(OP_RNE, 3), bits_u64(x, 64), bits_u64(y, 64)};
        unsigned w64[] = {3, 64, 64}, w128[] = {3, 128, 128};
        struct bits qx[] = {a[0], a[1]}, qy[] = {a[0], a[2]};
        struct bits q[] = {a[0], bits_apply(OP_F2F, 128, qx, w64, 0), bits_apply(OP_F2F, 128, qy, w64, 0)};
        struct bits product[] = {a[0], bits_apply(OP_FMUL, 128, q, w128, 0)};
        /* the product of two 53-bit significands is exact in 113 bits, so rounding happens once, on the way back */
        assert_int_equal(bits_low(bits_apply(OP_F2F, 64, product, w128, 0)), ours(OP_FMUL, 64, OP_RNE, x, y, 0, 64));
        struct bits sum[] = {a[0], bits_apply(OP_FMUL, 128, (struct bits[]){a[0], q[1], q[1]}, w128, 0)};
        struct bits root[] = {a[0], bits_apply(OP_FSQRT, 128, sum, w128, 0)};
        uint64_t absolute = of_d(fabs(d(x)));
        assert_int_equal(bits_low(bits_apply(OP_F2F, 64, root, w128, 0)), absolute);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_match_the_host),        cmocka_unit_test(floats_match_the_host),
        cmocka_unit_test(conversion_to_integers_clamps), cmocka_unit_test(halves_round_trip),
        cmocka_unit_test(quads_contain_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
