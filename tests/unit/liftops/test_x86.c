/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floating-point operators compute, for x86 guests, what the processor this test runs on computes: NaNs, signed zeros,
 * conversions out of range and all. Skipped on other processors. */
#include "eval.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "lift/vex/pure.h"

#define TARGET __attribute__((target("avx2,fma,f16c,sse4.2,aes,bmi2,pclmul")))

enum { ROUNDS = 400 };

static bool unsupported(void)
{
    /* Whatever has these has f16c too. */
    return !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma");
}

static void put(struct bits *x, const void *p, size_t n)
{
    *x = bits_from_bytes(p, n);
}

/* Two vectors in, one out. */
typedef void binary_fn(const uint8_t *a, const uint8_t *b, uint8_t *out);

/* Written out, since compilers exchange the operands of what they take for a commutative operation. */
#define INSTRUCTION(name, type)                                                                              \
    TARGET static void name(const uint8_t *a, const uint8_t *b, uint8_t *out)                                \
    {                                                                                                        \
        type x, y;                                                                                           \
        memcpy(&x, a, sizeof x);                                                                             \
        memcpy(&y, b, sizeof y);                                                                             \
        __asm__("v" #name " %2, %1, %0" : "=x"(x) : "x"(x), "x"(y));                                         \
        memcpy(out, &x, sizeof x);                                                                           \
    }
#define INSTRUCTION256(name)                                                                                 \
    TARGET static void name##256(const uint8_t *a, const uint8_t *b, uint8_t *out)                           \
    {                                                                                                        \
        __m256i x, y;                                                                                        \
        memcpy(&x, a, sizeof x);                                                                             \
        memcpy(&y, b, sizeof y);                                                                             \
        __asm__("v" #name " %2, %1, %0" : "=x"(x) : "x"(x), "x"(y));                                         \
        memcpy(out, &x, sizeof x);                                                                           \
    }
#define SSE(name)                                                                                            \
    INSTRUCTION(name##ps, __m128i) INSTRUCTION(name##pd, __m128i) INSTRUCTION(name##ss, __m128i)             \
    INSTRUCTION(name##sd, __m128i)
#define AVX(name) SSE(name) INSTRUCTION256(name##ps) INSTRUCTION256(name##pd)

AVX(add)
AVX(sub)
AVX(mul)
AVX(div)
AVX(max)
AVX(min)
SSE(cmpeq)
SSE(cmplt)
SSE(cmple)
SSE(cmpunord)

TARGET static void pmaddubsw(const uint8_t *a, const uint8_t *b, uint8_t *out)
{
    _mm_storeu_si128((__m128i *)out, _mm_maddubs_epi16(_mm_loadu_si128((const __m128i *)a),
                                                       _mm_loadu_si128((const __m128i *)b)));
}

#define ALL(op, name)                                                                                        \
    {Iop_##op##32Fx4, 32, name##ps}, {Iop_##op##64Fx2, 64, name##pd}, {Iop_##op##32F0x4, 32, name##ss},      \
        {Iop_##op##64F0x2, 64, name##sd}
#define ALL256(op, name) ALL(op, name), {Iop_##op##32Fx8, 32, name##ps256}, {Iop_##op##64Fx4, 64, name##pd256}

static const struct {
    IROp op;
    unsigned w;
    binary_fn *fn;
} binary[] = {
    ALL256(Add, add),   ALL256(Sub, sub),   ALL256(Mul, mul),      ALL256(Div, div),
    ALL256(Max, max),   ALL256(Min, min),   ALL(CmpEQ, cmpeq),     ALL(CmpLT, cmplt),
    ALL(CmpLE, cmple),  ALL(CmpUN, cmpunord),
};

static void check_binary(struct eval *e, IROp op, unsigned w, binary_fn *fn)
{
    unsigned width = eval_result_width(op), first = eval_arity(op) - 2;
    for (int round = 0; round < ROUNDS; round++) {
        struct bits arg[3] = {{{0}}};
        uint8_t a[32], b[32], out[32];
        arg[first] = eval_float_operand(e, width, w);
        arg[first + 1] = eval_float_operand(e, width, w);
        bits_to_bytes(arg[first], a, 32);
        bits_to_bytes(arg[first + 1], b, 32);
        fn(a, b, out);
        struct bits expected;
        put(&expected, out, width / 8);
        eval_check(e, op, arg, expected);
    }
}

static void binary_operators_are_the_instructions(void **state)
{
    if (unsupported())
        skip();
    for (size_t i = 0; i < sizeof binary / sizeof binary[0]; i++)
        check_binary(*state, binary[i].op, binary[i].w, binary[i].fn);
    check_binary(*state, Iop_PwExtUSMulQAdd8x16, 16, pmaddubsw);
}

/* Scalars that take a rounding mode, against the SSE instruction under that mode. */
static unsigned set_mode(unsigned mode)
{
    unsigned old = _mm_getcsr();
    _mm_setcsr((old & ~0x6000u) | mode << 13);
    return old;
}

#define SCALAR_ARITHMETIC(op, name)                                                                          \
    {Iop_##op##F32, 32, name##ss}, {Iop_##op##F64, 64, name##sd}

static const struct {
    IROp op;
    unsigned w;
    binary_fn *fn;
} scalar[] = {
    SCALAR_ARITHMETIC(Add, add),
    SCALAR_ARITHMETIC(Sub, sub),
    SCALAR_ARITHMETIC(Mul, mul),
    SCALAR_ARITHMETIC(Div, div),
};

static void scalar_arithmetic_obeys_the_rounding_mode(void **state)
{
    struct eval *e = *state;
    if (unsupported())
        skip();
    for (size_t i = 0; i < sizeof scalar / sizeof scalar[0]; i++)
        for (int round = 0; round < ROUNDS; round++) {
            unsigned mode = (unsigned)eval_random(e) & 3, w = scalar[i].w;
            struct bits arg[3] = {bits_u64(mode, 32), eval_float_operand(e, w, w), eval_float_operand(e, w, w)};
            uint8_t a[16], b[16], out[16];
            bits_to_bytes(arg[1], a, 16);
            bits_to_bytes(arg[2], b, 16);
            unsigned old = set_mode(mode);
            scalar[i].fn(a, b, out);
            _mm_setcsr(old);
            struct bits expected;
            put(&expected, out, w / 8);
            eval_check(e, scalar[i].op, arg, expected);
        }
}

/* One operand, 16 or 32 bytes in and out, under a rounding mode. */
typedef void unary_fn(const uint8_t *a, uint8_t *out, unsigned mode);

/* The barriers keep the computation between the two changes of the mode. */
#define UNARY(name, expression)                                                                              \
    TARGET static void name(const uint8_t *a, uint8_t *out, unsigned mode)                                   \
    {                                                                                                        \
        unsigned old = set_mode(mode);                                                                       \
        __asm__ volatile("" : : : "memory");                                                                 \
        __m128 ps = _mm_loadu_ps((const float *)a);                                                          \
        __m128d pd = _mm_loadu_pd((const double *)a);                                                        \
        __m128i si = _mm_loadu_si128((const __m128i *)a);                                                    \
        __m256 ps256 = _mm256_loadu_ps((const float *)a);                                                    \
        __m256d pd256 = _mm256_loadu_pd((const double *)a);                                                  \
        __m256i si256 = _mm256_loadu_si256((const __m256i *)a);                                              \
        (void)ps, (void)pd, (void)si, (void)ps256, (void)pd256, (void)si256;                                 \
        __typeof__(expression) r = (expression);                                                             \
        memcpy(out, &r, sizeof r);                                                                           \
        __asm__ volatile("" : : : "memory");                                                                 \
        _mm_setcsr(old);                                                                                     \
    }

UNARY(sqrtps, _mm_sqrt_ps(ps))
UNARY(sqrtpd, _mm_sqrt_pd(pd))
UNARY(sqrtps256, _mm256_sqrt_ps(ps256))
UNARY(sqrtpd256, _mm256_sqrt_pd(pd256))
UNARY(sqrtss, _mm_sqrt_ss(ps))
UNARY(sqrtsd, _mm_sqrt_sd(pd, pd))
UNARY(cvtps2dq, _mm_cvtps_epi32(ps))
UNARY(cvtps2dq256, _mm256_cvtps_epi32(ps256))
UNARY(cvtdq2ps, _mm_cvtepi32_ps(si))
UNARY(cvtdq2ps256, _mm256_cvtepi32_ps(si256))
UNARY(cvtsd2si32, _mm_cvtsd_si32(pd))
UNARY(cvtsd2si64, _mm_cvtsd_si64(pd))
UNARY(cvtss2si32, _mm_cvtss_si32(ps))
UNARY(cvtss2si64, _mm_cvtss_si64(ps))
UNARY(cvtsi2sd32, _mm_cvtsi32_sd(pd, _mm_cvtsi128_si32(si)))
UNARY(cvtsi2sd64, _mm_cvtsi64_sd(pd, _mm_cvtsi128_si64(si)))
UNARY(cvtsi2ss32, _mm_cvtsi32_ss(ps, _mm_cvtsi128_si32(si)))
UNARY(cvtsi2ss64, _mm_cvtsi64_ss(ps, _mm_cvtsi128_si64(si)))
UNARY(cvtss2sd, _mm_cvtss_sd(pd, ps))
UNARY(cvtsd2ss, _mm_cvtsd_ss(ps, pd))
UNARY(vcvtph2ps, _mm_cvtph_ps(si))
UNARY(vcvtph2ps256, _mm256_cvtph_ps(si))
UNARY(vcvtps2ph, _mm_cvtps_ph(ps, 4))
UNARY(vcvtps2ph256, _mm256_cvtps_ph(ps256, 4))
UNARY(roundss, _mm_round_ss(ps, ps, 4))
UNARY(roundsd, _mm_round_sd(pd, pd, 4))

static const struct {
    IROp op;
    unsigned lane; /* of the operand, 0 for integers */
    unary_fn *fn;
} unary[] = {
    {Iop_Sqrt32Fx4, 32, sqrtps},       {Iop_Sqrt64Fx2, 64, sqrtpd},      {Iop_Sqrt32Fx8, 32, sqrtps256},
    {Iop_Sqrt64Fx4, 64, sqrtpd256},    {Iop_Sqrt32F0x4, 32, sqrtss},     {Iop_Sqrt64F0x2, 64, sqrtsd},
    {Iop_SqrtF32, 32, sqrtss},         {Iop_SqrtF64, 64, sqrtsd},        {Iop_F32toI32Sx4, 32, cvtps2dq},
    {Iop_F32toI32Sx8, 32, cvtps2dq256}, {Iop_I32StoF32x4, 0, cvtdq2ps},  {Iop_I32StoF32x8, 0, cvtdq2ps256},
    {Iop_F64toI32S, 64, cvtsd2si32},   {Iop_F64toI64S, 64, cvtsd2si64},  {Iop_F32toI32S, 32, cvtss2si32},
    {Iop_F32toI64S, 32, cvtss2si64},   {Iop_I32StoF64, 0, cvtsi2sd32},   {Iop_I64StoF64, 0, cvtsi2sd64},
    {Iop_I32StoF32, 0, cvtsi2ss32},    {Iop_I64StoF32, 0, cvtsi2ss64},   {Iop_F32toF64, 32, cvtss2sd},
    {Iop_F64toF32, 64, cvtsd2ss},      {Iop_F16toF32x4, 16, vcvtph2ps},  {Iop_F16toF32x8, 16, vcvtph2ps256},
    {Iop_F32toF16x4, 32, vcvtps2ph},   {Iop_F32toF16x8, 32, vcvtps2ph256}, {Iop_RoundF32toInt, 32, roundss},
    {Iop_RoundF64toInt, 64, roundsd},
};

static void conversions_and_roots_are_the_instructions(void **state)
{
    struct eval *e = *state;
    if (unsupported())
        skip();
    for (size_t i = 0; i < sizeof unary / sizeof unary[0]; i++) {
        IROp op = unary[i].op;
        unsigned value = eval_arity(op) - 1, width = eval_arg_width(op, value);
        for (int round = 0; round < ROUNDS; round++) {
            unsigned mode = value ? (unsigned)eval_random(e) & 3 : 0;
            struct bits arg[2] = {bits_u64(mode, 32)};
            arg[value] = unary[i].lane ? eval_float_operand(e, width, unary[i].lane)
                                       : eval_operand(e, width, width > 64 ? 32 : width);
            uint8_t in[32], out[32];
            bits_to_bytes(arg[value], in, 32);
            unary[i].fn(in, out, mode);
            struct bits expected;
            put(&expected, out, eval_result_width(op) / 8);
            eval_check(e, op, arg, expected);
        }
    }
}

/* x*y + z in the three forms of the instruction, which differ in what each register is for. */
#define FUSED(name, mnemonic, type, d, s, t)                                                                 \
    TARGET static type name(type x, type y, type z)                                                          \
    {                                                                                                        \
        __asm__(mnemonic " %2, %1, %0" : "+x"(d) : "x"(s), "x"(t));                                          \
        return d;                                                                                            \
    }

FUSED(fma132_64, "vfmadd132sd", double, x, z, y)
FUSED(fma213_64, "vfmadd213sd", double, y, x, z)
FUSED(fma231_64, "vfmadd231sd", double, z, x, y)
FUSED(fma132_32, "vfmadd132ss", float, x, z, y)
FUSED(fma213_32, "vfmadd213ss", float, y, x, z)
FUSED(fma231_32, "vfmadd231ss", float, z, x, y)

static void fused_multiplication_rounds_once(void **state)
{
    struct eval *e = *state;
    if (unsupported())
        skip();
    double (*const wide[])(double, double, double) = {fma132_64, fma213_64, fma231_64};
    float (*const narrow[])(float, float, float) = {fma132_32, fma213_32, fma231_32};
    for (int round = 0; round < 3 * ROUNDS; round++) {
        struct bits arg[4] = {bits_u64(0, 32)}, expected;
        double d[3];
        float f[3];
        for (int i = 0; i < 3; i++) {
            arg[i + 1] = eval_float_operand(e, 64, 64);
            bits_to_bytes(arg[i + 1], (uint8_t *)&d[i], 8);
        }
        double r = wide[round % 3](d[0], d[1], d[2]);
        put(&expected, &r, 8);
        eval_check(e, Iop_MAddF64, arg, expected);
        for (int i = 0; i < 3; i++) {
            arg[i + 1] = eval_float_operand(e, 32, 32);
            bits_to_bytes(arg[i + 1], (uint8_t *)&f[i], 4);
        }
        float s = narrow[round % 3](f[0], f[1], f[2]);
        put(&expected, &s, 4);
        eval_check(e, Iop_MAddF32, arg, expected);
    }
}

/* ucomisd's ZF, PF, CF are bits 6, 2, 0 of VEX's result. */
static void comparisons_set_the_flags_of_ucomisd(void **state)
{
    struct eval *e = *state;
    for (int round = 0; round < ROUNDS; round++) {
        struct bits arg[2] = {eval_float_operand(e, 64, 64), eval_float_operand(e, 64, 64)};
        if ((round & 7) == 0)
            arg[1] = arg[0];
        double x, y;
        bits_to_bytes(arg[0], (uint8_t *)&x, 8);
        bits_to_bytes(arg[1], (uint8_t *)&y, 8);
        unsigned char zf, pf, cf;
        __asm__("ucomisd %4, %3\n\tsetz %0\n\tsetp %1\n\tsetc %2" : "=q"(zf), "=q"(pf), "=q"(cf) : "x"(x), "x"(y) : "cc");
        eval_check(e, Iop_CmpF64, arg, bits_u64((unsigned)(zf << 6 | pf << 2 | cf), 32));
        arg[0] = eval_float_operand(e, 32, 32);
        arg[1] = (round & 7) == 1 ? arg[0] : eval_float_operand(e, 32, 32);
        float f, g;
        bits_to_bytes(arg[0], (uint8_t *)&f, 4);
        bits_to_bytes(arg[1], (uint8_t *)&g, 4);
        __asm__("ucomiss %4, %3\n\tsetz %0\n\tsetp %1\n\tsetc %2" : "=q"(zf), "=q"(pf), "=q"(cf) : "x"(f), "x"(g) : "cc");
        eval_check(e, Iop_CmpF32, arg, bits_u64((unsigned)(zf << 6 | pf << 2 | cf), 32));
    }
}

/* fistp of 16 bits: outside the range, 0x8000. */
static void sixteen_bit_integers_have_an_indefinite_value(void **state)
{
    struct eval *e = *state;
    for (int round = 0; round < ROUNDS; round++) {
        struct bits arg[2] = {bits_u64(0, 32), eval_float_operand(e, 64, 64)};
        double x;
        bits_to_bytes(arg[1], (uint8_t *)&x, 8);
        int16_t out;
        __asm__("fldl %1\n\tfistps %0" : "=m"(out) : "m"(x));
        eval_check(e, Iop_F64toI16S, arg, bits_u64((uint16_t)out, 16));
    }
}

/* fld and fstp of 80 bits, through a double. */
static void the_80_bit_format_converts_exactly(void **state)
{
    struct eval *e = *state;
    const struct pure *table = lift_pures().table;
    for (int round = 0; round < 5 * ROUNDS; round++) {
        uint64_t r = eval_random(e), mantissa = eval_random(e);
        const uint16_t near[] = {0, 0x7fff, 0x3fff, 0x3fff - 1022 - 52 + r % 60, 0x3fff + 1020 + r % 6, r >> 16 & 0x7fff};
        uint16_t exponent = near[(r >> 8) % 6];
        if (r >> 60 < 8)
            mantissa &= UINT64_MAX << r % 63;
        if (r >> 63)
            mantissa = (mantissa & ~UINT64_C(0x7ff)) | 0x400; /* half way */
        mantissa = exponent ? mantissa | UINT64_C(1) << 63 : mantissa & ~(UINT64_C(1) << 63);
        struct bits wide = {{mantissa, (r >> 40 & 0x8000) | exponent}}, expected;
        uint8_t memory[16];
        bits_to_bytes(wide, memory, 16);
        double d;
        __asm__ volatile("fldt %1\n\tfstpl %0" : "=m"(d) : "m"(memory));
        put(&expected, &d, 8);
        assert_true(bits_eq(table[vex_pure_index("x87:f80to64")].eval(&wide), expected));

        struct bits narrow = eval_float_operand(e, 64, 64);
        bits_to_bytes(narrow, (uint8_t *)&d, 8);
        __asm__ volatile("fldl %1\n\tfstpt %0" : "=m"(memory) : "m"(d));
        put(&expected, memory, 10);
        assert_true(bits_eq(table[vex_pure_index("x87:f64to80")].eval(&narrow), expected));
    }
}

static double x87(const char *name, double x, double y)
{
    struct bits arg[3] = {bits_u64(0, 32)};
    put(&arg[1], &x, 8);
    put(&arg[2], &y, 8);
    struct bits r = lift_pures().table[vex_pure_index(name)].eval(arg);
    double d;
    bits_to_bytes(r, (uint8_t *)&d, 8);
    return d;
}

static unsigned x87_flags(const char *name, double x, double y)
{
    struct bits arg[3] = {bits_u64(0, 32)};
    put(&arg[1], &x, 8);
    put(&arg[2], &y, 8);
    return (unsigned)lift_pures().table[vex_pure_index(name)].eval(arg).w[0];
}

static void check_same(const char *name, double x, double y, double got, double expected)
{
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("%s(%a, %a) is %a, not %a", name, x, y, got, expected);
}

#define X87_2(instruction, x, y, r, flags)                                                                   \
    __asm__ volatile("fldl %3\n\tfldl %2\n\t" instruction "\n\tfnstsw %1\n\tfstpl %0\n\tfstp %%st(0)"      \
                     : "=m"(r), "=m"(flags)                                                                  \
                     : "m"(x), "m"(y))

/* Remainders and scaling are exact; the quotient's low bits are in C0, C3, C1, and C2 says that it is not done. */
static void x87_remainders_are_the_instructions(void **state)
{
    struct eval *e = *state;
    enum { CONDITION = 0x4700, NOT_DONE = 0x400 };
    for (int round = 0; round < 5 * ROUNDS; round++) {
        double x, y, r;
        uint16_t flags;
        bits_to_bytes(eval_float_operand(e, 64, 64), (uint8_t *)&x, 8);
        bits_to_bytes(eval_float_operand(e, 64, 64), (uint8_t *)&y, 8);
        if (x != x || y != y)
            continue;
        X87_2("fprem", x, y, r, flags);
        if (flags & NOT_DONE)
            continue; /* how far it got is up to the processor */
        check_same("fprem", x, y, x87("x87:prem", x, y), r);
        if (r == r)
            assert_int_equal(x87_flags("x87:prem.flags", x, y), flags & CONDITION);
        X87_2("fprem1", x, y, r, flags);
        check_same("fprem1", x, y, x87("x87:prem1", x, y), r);
        if (r == r)
            assert_int_equal(x87_flags("x87:prem1.flags", x, y), flags & CONDITION);
        X87_2("fscale", x, y, r, flags);
        check_same("fscale", x, y, x87("x87:scale", x, y), r);
    }
}

static bool near(double a, double b)
{
    int64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return a == b || (a != a && b != b) || (x - y >= -2 && x - y <= 2);
}

/* To the last bit or two of a double, on operands where the processor's own argument reduction is good. */
static void x87_transcendentals_are_close(void **state)
{
    struct eval *e = *state;
    for (int round = 0; round < ROUNDS; round++) {
        double x = (double)(int64_t)eval_random(e) * 0x1p-62, y = (double)(eval_random(e) >> 1) * 0x1p-58 + 0x1p-20, r;
        uint16_t flags;
        X87_2("fsin", x, y, r, flags);
        assert_true(near(x87("x87:sin", x, 0), r));
        X87_2("fcos", x, y, r, flags);
        assert_true(near(x87("x87:cos", x, 0), r));
        __asm__ volatile("fldl %1\n\tfptan\n\tfstp %%st(0)\n\tfstpl %0" : "=m"(r) : "m"(x));
        assert_true(near(x87("x87:tan", x, 0), r));
        double half = x / 2;
        X87_2("f2xm1", half, y, r, flags);
        assert_true(near(x87("x87:2xm1", half, 0), r));
        __asm__ volatile("fldl %1\n\tfldl %2\n\tfyl2x\n\tfstpl %0" : "=m"(r) : "m"(x), "m"(y));
        assert_true(near(x87("x87:yl2x", x, y), r));
        double small = half / 8;
        __asm__ volatile("fldl %1\n\tfldl %2\n\tfyl2xp1\n\tfstpl %0" : "=m"(r) : "m"(y), "m"(small));
        assert_true(near(x87("x87:yl2xp1", y, small), r));
        __asm__ volatile("fldl %1\n\tfldl %2\n\tfpatan\n\tfstpl %0" : "=m"(r) : "m"(x), "m"(y));
        assert_true(near(x87("x87:atan", x, y), r));
    }
}

static int setup(void **state)
{
    *state = eval_new(MACHINE_AMD64);
    return 0;
}

static int teardown(void **state)
{
    eval_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_operators_are_the_instructions),
        cmocka_unit_test(scalar_arithmetic_obeys_the_rounding_mode),
        cmocka_unit_test(conversions_and_roots_are_the_instructions),
        cmocka_unit_test(fused_multiplication_rounds_once),
        cmocka_unit_test(comparisons_set_the_flags_of_ucomisd),
        cmocka_unit_test(sixteen_bit_integers_have_an_indefinite_value),
        cmocka_unit_test(the_80_bit_format_converts_exactly),
        cmocka_unit_test(x87_remainders_are_the_instructions),
        cmocka_unit_test(x87_transcendentals_are_close),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

#else

int main(void)
{
    return 77; /* skipped */
}

#endif
