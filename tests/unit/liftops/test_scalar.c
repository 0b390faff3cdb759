/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integer operators compute what C computes. */
#include "eval.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

enum { ROUNDS = 300 };

static int64_t sx(uint64_t a, unsigned w)
{
    return w >= 64 ? (int64_t)a : (int64_t)(a << (64 - w)) >> (64 - w);
}

/* The result may have bits above the operator's width. */
typedef uint64_t word_fn(uint64_t a, uint64_t b, unsigned w);

#define WORD(name, expression)                                                                               \
    static uint64_t name(uint64_t a, uint64_t b, unsigned w)                                                 \
    {                                                                                                        \
        (void)b, (void)w;                                                                                    \
        return (uint64_t)(expression);                                                                       \
    }

WORD(add, a + b)
WORD(sub, a - b)
WORD(mul, a *b)
WORD(or_, a | b)
WORD(and_, a & b)
WORD(xor_, a ^ b)
WORD(not_, ~a)
WORD(shl, b < w ? a << b : 0)
WORD(shr, b < w ? a >> b : 0)
WORD(sar, sx(a, w) >> (b < w ? b : w - 1))
WORD(eq, a == b)
WORD(ne, a != b)
WORD(nez, a != 0)
WORD(nez_mask, a != 0 ? UINT64_MAX : 0)
WORD(left, a | -a)
WORD(lt_s, sx(a, w) < sx(b, w))
WORD(le_s, sx(a, w) <= sx(b, w))
WORD(lt_u, a < b)
WORD(le_u, a <= b)
WORD(ord_s, sx(a, w) < sx(b, w) ? 8 : sx(a, w) > sx(b, w) ? 4 : 2)
WORD(ord_u, a < b ? 8 : a > b ? 4 : 2)
WORD(max_u, a > b ? a : b)
WORD(mull_s, sx(a, w) * sx(b, w))
WORD(mull_u, a *b)
WORD(popcnt, __builtin_popcountll(a))
WORD(clz, a ? (unsigned)__builtin_clzll(a) - (64 - w) : w)
WORD(ctz, a ? (unsigned)__builtin_ctzll(a) : w)
WORD(zext, a)
WORD(sext, sx(a, w))
WORD(high, a >> (w / 2))

#define ALL4(op, fn) {Iop_##op##8, fn}, {Iop_##op##16, fn}, {Iop_##op##32, fn}, {Iop_##op##64, fn}
#define LAST2(op, fn) {Iop_##op##32, fn}, {Iop_##op##64, fn}

static const struct {
    IROp op;
    word_fn *fn;
} words[] = {
    ALL4(Add, add), ALL4(Sub, sub), ALL4(Mul, mul), ALL4(Or, or_), ALL4(And, and_), ALL4(Xor, xor_), ALL4(Not, not_),
    ALL4(Shl, shl), ALL4(Shr, shr), ALL4(Sar, sar), ALL4(CmpEQ, eq), ALL4(CmpNE, ne), ALL4(CasCmpEQ, eq),
    ALL4(CasCmpNE, ne), ALL4(ExpCmpNE, ne), ALL4(CmpNEZ, nez), ALL4(Left, left), LAST2(CmpwNEZ, nez_mask),
    LAST2(PopCount, popcnt), LAST2(Clz, clz), LAST2(Ctz, ctz), LAST2(ClzNat, clz), LAST2(CtzNat, ctz),
    {Iop_CmpLT32S, lt_s}, {Iop_CmpLT64S, lt_s}, {Iop_CmpLE32S, le_s}, {Iop_CmpLE64S, le_s},
    {Iop_CmpLT32U, lt_u}, {Iop_CmpLT64U, lt_u}, {Iop_CmpLE32U, le_u}, {Iop_CmpLE64U, le_u},
    {Iop_CmpORD32S, ord_s}, {Iop_CmpORD64S, ord_s}, {Iop_CmpORD32U, ord_u}, {Iop_CmpORD64U, ord_u}, {Iop_Max32U, max_u},
    {Iop_MullS8, mull_s}, {Iop_MullS16, mull_s}, {Iop_MullS32, mull_s},
    {Iop_MullU8, mull_u}, {Iop_MullU16, mull_u}, {Iop_MullU32, mull_u},
    {Iop_8Uto16, zext}, {Iop_8Uto32, zext}, {Iop_8Uto64, zext}, {Iop_16Uto32, zext}, {Iop_16Uto64, zext},
    {Iop_32Uto64, zext}, {Iop_8Sto16, sext}, {Iop_8Sto32, sext}, {Iop_8Sto64, sext}, {Iop_16Sto32, sext},
    {Iop_16Sto64, sext}, {Iop_32Sto64, sext}, {Iop_1Uto8, zext}, {Iop_1Uto32, zext}, {Iop_1Uto64, zext},
    {Iop_1Sto8, sext}, {Iop_1Sto16, sext}, {Iop_1Sto32, sext}, {Iop_1Sto64, sext},
    {Iop_64to8, zext}, {Iop_32to8, zext}, {Iop_16to8, zext}, {Iop_64to16, zext}, {Iop_32to16, zext}, {Iop_64to32, zext},
    {Iop_32to1, zext}, {Iop_64to1, zext}, {Iop_16HIto8, high}, {Iop_32HIto16, high}, {Iop_64HIto32, high},
    {Iop_Not1, not_}, {Iop_And1, and_}, {Iop_Or1, or_},
};

static void words_compute_as_in_c(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < sizeof words / sizeof words[0]; r++) {
        IROp op = words[r].op;
        unsigned w = eval_arg_width(op, 0);
        for (int round = 0; round < ROUNDS; round++) {
            struct bits arg[2] = {eval_operand(e, w, w)};
            if (eval_arity(op) == 2)
                arg[1] = eval_operand(e, eval_arg_width(op, 1), eval_arg_width(op, 1));
            uint64_t expected = words[r].fn(arg[0].w[0], arg[1].w[0], w);
            eval_check(e, op, arg, bits_u64(expected, eval_result_width(op)));
        }
    }
}

static struct bits from_u128(u128 x)
{
    struct bits r = {{(uint64_t)x, (uint64_t)(x >> 64)}};
    return r;
}

static u128 to_u128(struct bits x)
{
    return (u128)x.w[1] << 64 | x.w[0];
}

static struct bits halves(uint64_t high, uint64_t low, unsigned w)
{
    return w == 64 ? from_u128((u128)high << 64 | low) : bits_u64(high << w | (low & ((UINT64_C(1) << w) - 1)), 2 * w);
}

/* Divisors are not zero and quotients fit: elsewhere the processor traps first. */
static void division(void **state)
{
    struct eval *e = *state;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t a = eval_operand(e, 64, 64).w[0], b = eval_operand(e, 64, 64).w[0] | 1;
        struct bits arg[2] = {bits_u64(a, 64), bits_u64(b, 64)};
        eval_check(e, Iop_DivU64, arg, bits_u64(a / b, 64));
        eval_check(e, Iop_DivModU64to64, arg, halves(a % b, a / b, 64));
        if (!(a == UINT64_C(1) << 63 && b == UINT64_MAX)) {
            int64_t x = (int64_t)a, y = (int64_t)b;
            eval_check(e, Iop_DivS64, arg, bits_u64((uint64_t)(x / y), 64));
            eval_check(e, Iop_DivModS64to64, arg, halves((uint64_t)(x % y), (uint64_t)(x / y), 64));
        }
        uint32_t d = (uint32_t)b | 1;
        arg[1] = bits_u64(d, 32);
        uint64_t dividend = a % ((uint64_t)d << 32);
        arg[0] = bits_u64(dividend, 64);
        eval_check(e, Iop_DivModU64to32, arg, halves(dividend % d, dividend / d, 32));
        int64_t signed_dividend = (int64_t)(int32_t)a * 3;
        arg[0] = bits_u64((uint64_t)signed_dividend, 64);
        int32_t s = (int32_t)d;
        eval_check(e, Iop_DivModS64to32, arg,
                   halves((uint64_t)(signed_dividend % s) & UINT32_MAX, (uint64_t)(signed_dividend / s), 32));
        uint32_t n = (uint32_t)a;
        arg[0] = bits_u64(n, 32);
        eval_check(e, Iop_DivU32, arg, bits_u64(n / d, 32));
        eval_check(e, Iop_DivModU32to32, arg, halves(n % d, n / d, 32));
        if (!(n == 0x80000000 && s == -1)) {
            eval_check(e, Iop_DivS32, arg, bits_u64((uint32_t)((int32_t)n / s), 32));
            eval_check(e, Iop_DivModS32to32, arg,
                       halves((uint32_t)((int32_t)n % s), (uint64_t)((int32_t)n / s), 32));
        }
        if (n < d)
            eval_check(e, Iop_DivU32E, arg, bits_u64(((uint64_t)n << 32) / d, 32));

        u128 wide = (u128)(a % b) << 64 | eval_random(e);
        struct bits long_arg[2] = {from_u128(wide), bits_u64(b, 64)};
        eval_check(e, Iop_DivModU128to64, long_arg, halves((uint64_t)(wide % b), (uint64_t)(wide / b), 64));
        i128 signed_wide = (i128)(int64_t)a * 5;
        int64_t divisor = (int64_t)b;
        if (divisor > 10 || divisor < -10) {
            long_arg[0] = from_u128((u128)signed_wide);
            eval_check(e, Iop_DivModS128to64, long_arg,
                       halves((uint64_t)(signed_wide % divisor), (uint64_t)(signed_wide / divisor), 64));
        }
    }
}

static void double_words(void **state)
{
    struct eval *e = *state;
    for (int round = 0; round < ROUNDS; round++) {
        struct bits arg[2] = {eval_operand(e, 64, 64), eval_operand(e, 64, 64)};
        uint64_t a = arg[0].w[0], b = arg[1].w[0];
        eval_check(e, Iop_MullU64, arg, from_u128((u128)a * b));
        eval_check(e, Iop_MullS64, arg, from_u128((u128)((i128)(int64_t)a * (int64_t)b)));
        struct bits both = halves(a, b, 64);
        eval_check(e, Iop_64HLto128, arg, both);
        eval_check(e, Iop_64HLtoV128, arg, both);
        eval_check(e, Iop_128to64, &both, arg[1]);
        eval_check(e, Iop_128HIto64, &both, arg[0]);
        eval_check(e, Iop_V128HIto64, &both, arg[0]);
        eval_check(e, Iop_V128to32, &both, bits_u64(b, 32));
        eval_check(e, Iop_64UtoV128, arg, arg[0]);
        unsigned by = (unsigned)eval_random(e) & 127;
        struct bits shift[2] = {both, bits_u64(by, 8)};
        eval_check(e, Iop_ShlV128, shift, from_u128(to_u128(both) << by));
        eval_check(e, Iop_ShrV128, shift, from_u128(to_u128(both) >> by));
        struct bits half[2] = {bits_u64(a, 32), bits_u64(b, 32)};
        eval_check(e, Iop_32HLto64, half, bits_u64(a << 32 | (uint32_t)b, 64));
        struct bits vectors[2] = {both, halves(b, a, 64)};
        struct bits wide = {{a, b, b, a}};
        eval_check(e, Iop_V128HLtoV256, vectors, wide);
        eval_check(e, Iop_V256toV128_0, &wide, vectors[1]);
        eval_check(e, Iop_V256toV128_1, &wide, vectors[0]);
        eval_check(e, Iop_XorV128, vectors, from_u128(to_u128(vectors[0]) ^ to_u128(vectors[1])));
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
        cmocka_unit_test(words_compute_as_in_c),
        cmocka_unit_test(division),
        cmocka_unit_test(double_words),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
