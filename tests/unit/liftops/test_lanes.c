/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vector operators of integers compute in each lane what a plain C function says. */
#include "eval.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

static i128 sx(uint64_t a, unsigned w)
{
    return (i128)((int64_t)(a << (64 - w)) >> (64 - w));
}

static i128 clamp(i128 x, i128 least, i128 most)
{
    return x < least ? least : x > most ? most : x;
}

static i128 clamp_s(i128 x, unsigned w)
{
    return clamp(x, -((i128)1 << (w - 1)), ((i128)1 << (w - 1)) - 1);
}

static i128 clamp_u(i128 x, unsigned w)
{
    return clamp(x, 0, ((i128)1 << w) - 1);
}

/* ---- one lane; what is above w bits of a result does not matter ---- */

typedef uint64_t lane2_fn(uint64_t a, uint64_t b, unsigned w);

#define LANE2(name, expression)                                                                              \
    static uint64_t name(uint64_t a, uint64_t b, unsigned w)                                                 \
    {                                                                                                        \
        (void)w;                                                                                             \
        return (uint64_t)(expression);                                                                       \
    }

LANE2(add, a + b)
LANE2(sub, a - b)
LANE2(mul, a *b)
LANE2(qadd_s, clamp_s(sx(a, w) + sx(b, w), w))
LANE2(qadd_u, clamp_u((i128)a + (i128)b, w))
LANE2(qsub_s, clamp_s(sx(a, w) - sx(b, w), w))
LANE2(qsub_u, clamp_u((i128)a - (i128)b, w))
LANE2(suqadd, clamp_s((i128)a + sx(b, w), w))
LANE2(usqadd, clamp_u(sx(a, w) + (i128)b, w))
LANE2(hadd_s, (sx(a, w) + sx(b, w)) >> 1)
LANE2(hadd_u, ((i128)a + (i128)b) >> 1)
LANE2(hsub_s, (sx(a, w) - sx(b, w)) >> 1)
LANE2(hsub_u, ((i128)a - (i128)b) >> 1)
LANE2(avg_s, (sx(a, w) + sx(b, w) + 1) >> 1)
LANE2(avg_u, ((i128)a + (i128)b + 1) >> 1)
LANE2(max_s, sx(a, w) > sx(b, w) ? a : b)
LANE2(max_u, a > b ? a : b)
LANE2(min_s, sx(a, w) < sx(b, w) ? a : b)
LANE2(min_u, a < b ? a : b)
LANE2(eq, a == b ? UINT64_MAX : 0)
LANE2(gt_s, sx(a, w) > sx(b, w) ? UINT64_MAX : 0)
LANE2(gt_u, a > b ? UINT64_MAX : 0)
LANE2(mulhi_s, (sx(a, w) * sx(b, w)) >> w)
LANE2(mulhi_u, ((u128)a * b) >> w)
LANE2(qdmulhi, clamp_s((sx(a, w) * sx(b, w) * 2) >> w, w))
LANE2(qrdmulhi, clamp_s((sx(a, w) * sx(b, w) * 2 + ((i128)1 << (w - 1))) >> w, w))

static uint64_t polymul(uint64_t a, uint64_t b, unsigned w)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < w; i++)
        for (unsigned j = 0; j < w; j++)
            r ^= (a >> i & b >> j & 1) << (i + j);
    return r;
}

/* Shifts as the Arm ARM says: by the signed low byte, on integers without limit, then rounded and saturated. */
static i128 shift(i128 a, int by, bool round, i128 least, i128 most, bool *saturated)
{
    for (; by > 0 && a != 0; by--) {
        a *= 2;
        if (least != most && (a < least || a > most)) {
            *saturated = true;
            return clamp(a, least, most);
        }
        if (least == most)
            a = (i128)(int64_t)a; /* only the low 64 bits matter */
    }
    if (by >= 0)
        return a;
    by = -by;
    if (by > 65)
        return round ? 0 : a < 0 ? -1 : 0;
    return (a + (round ? (i128)1 << (by - 1) : 0)) >> by;
}

enum { U, S, R = 2, Q = 4 };

static uint64_t any_shift(uint64_t a, int by, unsigned w, unsigned how, bool *saturated)
{
    i128 x = how & S ? sx(a, w) : (i128)a;
    i128 least = 0, most = 0;
    if (how & Q) {
        least = how & S ? -((i128)1 << (w - 1)) : 0;
        most = how & S ? ((i128)1 << (w - 1)) - 1 : ((i128)1 << w) - 1;
    }
    return (uint64_t)shift(x, by, how & R, least, most, saturated);
}

#define SHIFT_LANE(name, how, amount)                                                                        \
    static uint64_t name(uint64_t a, uint64_t b, unsigned w)                                                 \
    {                                                                                                        \
        bool saturated;                                                                                      \
        return any_shift(a, (amount), w, (how), &saturated);                                                 \
    }

SHIFT_LANE(sshl, S, (int8_t)b)
SHIFT_LANE(ushl, U, (int8_t)b)
SHIFT_LANE(srshl, S | R, (int8_t)b)
SHIFT_LANE(urshl, U | R, (int8_t)b)
SHIFT_LANE(sqshl, S | Q, (int8_t)b)
SHIFT_LANE(uqshl, U | Q, (int8_t)b)
SHIFT_LANE(sshl_negated, S, (int8_t)-(int8_t)b)
SHIFT_LANE(ushl_negated, U, (int8_t)-(int8_t)b)

LANE2(shl_modulo, a << (b & (w - 1)))
LANE2(shr_modulo, a >> (b & (w - 1)))
LANE2(sar_modulo, sx(a, w) >> (b & (w - 1)))
LANE2(rol, b & (w - 1) ? a << (b & (w - 1)) | a >> (w - (b & (w - 1))) : a)

/* ---- tables of operators ---- */

struct row2 {
    IROp op;
    unsigned w;
    lane2_fn *fn;
};

#define D3(op, s, fn) {Iop_##op##8##s##x8, 8, fn}, {Iop_##op##16##s##x4, 16, fn}, {Iop_##op##32##s##x2, 32, fn}
#define D4(op, s, fn) D3(op, s, fn), {Iop_##op##64##s##x1, 64, fn}
#define Q3(op, s, fn) {Iop_##op##8##s##x16, 8, fn}, {Iop_##op##16##s##x8, 16, fn}, {Iop_##op##32##s##x4, 32, fn}
#define Q4(op, s, fn) Q3(op, s, fn), {Iop_##op##64##s##x2, 64, fn}
#define O2(op, s, fn) {Iop_##op##8##s##x32, 8, fn}, {Iop_##op##16##s##x16, 16, fn}
#define O3(op, s, fn) O2(op, s, fn), {Iop_##op##32##s##x8, 32, fn}
#define O4(op, s, fn) O3(op, s, fn), {Iop_##op##64##s##x4, 64, fn}
#define W2(op, s, fn) {Iop_##op##8##s##x4, 8, fn}, {Iop_##op##16##s##x2, 16, fn}

static const struct row2 binary[] = {
    W2(Add, , add), D3(Add, , add), Q4(Add, , add), O4(Add, , add),
    W2(Sub, , sub), D3(Sub, , sub), Q4(Sub, , sub), O4(Sub, , sub),
    D3(Mul, , mul), Q3(Mul, , mul), {Iop_Mul16x16, 16, mul}, {Iop_Mul32x8, 32, mul},
    {Iop_QAdd32S, 32, qadd_s}, {Iop_QSub32S, 32, qsub_s},
    W2(QAdd, S, qadd_s), D4(QAdd, S, qadd_s), Q4(QAdd, S, qadd_s), O2(QAdd, S, qadd_s),
    W2(QAdd, U, qadd_u), D4(QAdd, U, qadd_u), Q4(QAdd, U, qadd_u), O2(QAdd, U, qadd_u),
    W2(QSub, S, qsub_s), D4(QSub, S, qsub_s), Q4(QSub, S, qsub_s), O2(QSub, S, qsub_s),
    W2(QSub, U, qsub_u), D4(QSub, U, qsub_u), Q4(QSub, U, qsub_u), O2(QSub, U, qsub_u),
    Q4(QAddExtUSsatSS, , suqadd), Q4(QAddExtSUsatUU, , usqadd),
    W2(HAdd, S, hadd_s), W2(HAdd, U, hadd_u), W2(HSub, S, hsub_s), W2(HSub, U, hsub_u),
    {Iop_Avg8Ux8, 8, avg_u}, {Iop_Avg16Ux4, 16, avg_u}, Q4(Avg, U, avg_u), Q4(Avg, S, avg_s), O2(Avg, U, avg_u),
    D3(Max, S, max_s), Q4(Max, S, max_s), O3(Max, S, max_s), D3(Max, U, max_u), Q4(Max, U, max_u), O3(Max, U, max_u),
    D3(Min, S, min_s), Q4(Min, S, min_s), O3(Min, S, min_s), D3(Min, U, min_u), Q4(Min, U, min_u), O3(Min, U, min_u),
    D3(CmpEQ, , eq), Q4(CmpEQ, , eq), O4(CmpEQ, , eq),
    D3(CmpGT, S, gt_s), Q4(CmpGT, S, gt_s), O4(CmpGT, S, gt_s), D3(CmpGT, U, gt_u), Q4(CmpGT, U, gt_u),
    {Iop_MulHi16Ux4, 16, mulhi_u}, {Iop_MulHi16Sx4, 16, mulhi_s}, Q3(MulHi, U, mulhi_u), Q3(MulHi, S, mulhi_s),
    {Iop_MulHi16Ux16, 16, mulhi_u}, {Iop_MulHi16Sx16, 16, mulhi_s},
    {Iop_QDMulHi16Sx4, 16, qdmulhi}, {Iop_QDMulHi32Sx2, 32, qdmulhi},
    {Iop_QDMulHi16Sx8, 16, qdmulhi}, {Iop_QDMulHi32Sx4, 32, qdmulhi},
    {Iop_QRDMulHi16Sx4, 16, qrdmulhi}, {Iop_QRDMulHi32Sx2, 32, qrdmulhi},
    {Iop_QRDMulHi16Sx8, 16, qrdmulhi}, {Iop_QRDMulHi32Sx4, 32, qrdmulhi},
    {Iop_PolynomialMul8x8, 8, polymul}, {Iop_PolynomialMul8x16, 8, polymul},
    Q4(Sh, S, sshl), Q4(Sh, U, ushl), Q4(Rsh, S, srshl), Q4(Rsh, U, urshl),
    D4(Sal, , sshl), Q4(Sal, , sshl), D4(QShl, , uqshl), Q4(QShl, , uqshl), D4(QSal, , sqshl), Q4(QSal, , sqshl),
    Q4(Rol, , rol),
};

static const struct row2 shifts_elsewhere[] = {
    D3(Shl, , shl_modulo), Q4(Shl, , shl_modulo), D3(Shr, , shr_modulo), Q4(Shr, , shr_modulo),
    D3(Sar, , sar_modulo), Q4(Sar, , sar_modulo),
};

static const struct row2 shifts_on_arm[] = {
    D3(Shl, , ushl), Q4(Shl, , ushl), D3(Shr, , ushl_negated), Q4(Shr, , ushl_negated),
    D3(Sar, , sshl_negated), Q4(Sar, , sshl_negated),
};

static uint64_t lane_of(struct bits x, unsigned i, unsigned w)
{
    uint64_t v = x.w[i * w / 64] >> i * w % 64;
    return w == 64 ? v : v & ((UINT64_C(1) << w) - 1);
}

static void set_lane(struct bits *x, unsigned i, unsigned w, uint64_t v)
{
    if (w < 64)
        v &= (UINT64_C(1) << w) - 1;
    x->w[i * w / 64] |= v << i * w % 64;
}

enum { ROUNDS = 120 };

static void check_rows(struct eval *e, const struct row2 *row, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        unsigned width = eval_result_width(row[r].op), w = row[r].w;
        for (int round = 0; round < ROUNDS; round++) {
            struct bits arg[2] = {eval_operand(e, width, w), eval_operand(e, width, w)}, expected = {{0}};
            for (unsigned i = 0; i < width / w; i++)
                set_lane(&expected, i, w, row[r].fn(lane_of(arg[0], i, w), lane_of(arg[1], i, w), w));
            eval_check(e, row[r].op, arg, expected);
        }
    }
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void binary_operators_work_lane_by_lane(void **state)
{
    check_rows(*state, binary, COUNT(binary));
    check_rows(*state, shifts_elsewhere, COUNT(shifts_elsewhere));
}

static void vector_shifts_of_32_bit_arm_go_both_ways(void **state)
{
    (void)state;
    struct eval *e = eval_new(MACHINE_ARM);
    check_rows(e, shifts_on_arm, COUNT(shifts_on_arm));
    /* vshl.u64 and vshl.s64 on one doubleword arrive as scalar shifts. */
    for (int round = 0; round < ROUNDS; round++) {
        struct bits arg[2] = {eval_operand(e, 64, 64), eval_operand(e, 8, 8)};
        uint64_t a = arg[0].w[0], by = arg[1].w[0];
        eval_check(e, Iop_Shl64, arg, bits_u64(ushl(a, by, 64), 64));
        eval_check(e, Iop_Shr64, arg, bits_u64(ushl_negated(a, by, 64), 64));
        eval_check(e, Iop_Sar64, arg, bits_u64(sshl_negated(a, by, 64), 64));
    }
    eval_free(e);
}

/* ---- one operand ---- */

typedef uint64_t lane1_fn(uint64_t a, unsigned w);

static uint64_t abs_lane(uint64_t a, unsigned w)
{
    return (uint64_t)(sx(a, w) < 0 ? -sx(a, w) : sx(a, w));
}

static uint64_t nez(uint64_t a, unsigned w)
{
    (void)w;
    return a ? UINT64_MAX : 0;
}

static uint64_t popcount(uint64_t a, unsigned w)
{
    (void)w;
    return (uint64_t)__builtin_popcountll(a);
}

static uint64_t clz(uint64_t a, unsigned w)
{
    unsigned n = 0;
    while (n < w && !(a >> (w - 1 - n) & 1))
        n++;
    return n;
}

static uint64_t ctz(uint64_t a, unsigned w)
{
    unsigned n = 0;
    while (n < w && !(a >> n & 1))
        n++;
    return n;
}

static uint64_t cls(uint64_t a, unsigned w)
{
    unsigned n = 0;
    while (n + 1 < w && (a >> (w - 2 - n) & 1) == a >> (w - 1))
        n++;
    return n;
}

static uint64_t reverse_bits(uint64_t a, unsigned w)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < w; i++)
        r |= (a >> i & 1) << (w - 1 - i);
    return r;
}

static uint64_t reversed(uint64_t a, unsigned w, unsigned chunk)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < w; i += chunk)
        r |= (a >> i & ((UINT64_C(1) << chunk) - 1)) << (w - chunk - i);
    return r;
}

static uint64_t reverse8(uint64_t a, unsigned w)
{
    return reversed(a, w, 8);
}

static uint64_t reverse16(uint64_t a, unsigned w)
{
    return reversed(a, w, 16);
}

static uint64_t reverse32(uint64_t a, unsigned w)
{
    return reversed(a, w, 32);
}

static const struct {
    IROp op;
    unsigned w;
    lane1_fn *fn;
} unary[] = {
    W2(CmpNEZ, , nez), D3(CmpNEZ, , nez), Q4(CmpNEZ, , nez), O4(CmpNEZ, , nez),
    D3(Abs, , abs_lane), Q4(Abs, , abs_lane),
    {Iop_Cnt8x8, 8, popcount}, {Iop_Cnt8x16, 8, popcount},
    D3(Clz, , clz), Q4(Clz, , clz), Q4(Ctz, , ctz), D3(Cls, , cls), Q3(Cls, , cls),
    {Iop_Reverse1sIn8_x16, 8, reverse_bits},
    {Iop_Reverse8sIn32_x1, 32, reverse8}, {Iop_Reverse8sIn16_x4, 16, reverse8}, {Iop_Reverse8sIn32_x2, 32, reverse8},
    {Iop_Reverse8sIn64_x1, 64, reverse8}, {Iop_Reverse16sIn32_x2, 32, reverse16},
    {Iop_Reverse16sIn64_x1, 64, reverse16}, {Iop_Reverse32sIn64_x1, 64, reverse32},
    {Iop_Reverse8sIn16_x8, 16, reverse8}, {Iop_Reverse8sIn32_x4, 32, reverse8}, {Iop_Reverse8sIn64_x2, 64, reverse8},
    {Iop_Reverse16sIn32_x4, 32, reverse16}, {Iop_Reverse16sIn64_x2, 64, reverse16},
    {Iop_Reverse32sIn64_x2, 64, reverse32},
};

static void unary_operators_work_lane_by_lane(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(unary); r++) {
        unsigned width = eval_result_width(unary[r].op), w = unary[r].w;
        for (int round = 0; round < ROUNDS; round++) {
            struct bits arg = eval_operand(e, width, w), expected = {{0}};
            for (unsigned i = 0; i < width / w; i++)
                set_lane(&expected, i, w, unary[r].fn(lane_of(arg, i, w), w));
            eval_check(e, unary[r].op, &arg, expected);
        }
    }
}

/* ---- shifts by one amount ---- */

static uint64_t sqshlu(uint64_t a, int by, unsigned w)
{
    bool saturated;
    return sx(a, w) < 0 ? 0 : any_shift(a, by, w, U | Q, &saturated);
}

static uint64_t plain_shift(uint64_t a, int by, unsigned w, unsigned how)
{
    bool saturated;
    return any_shift(a, by, w, how, &saturated);
}

enum shift_n { LEFT, RIGHT, RIGHT_S, LEFT_QS, LEFT_QU, LEFT_QSU };

static const struct {
    IROp op;
    unsigned w;
    enum shift_n how;
} by_scalar[] = {
    D3(ShlN, , LEFT), Q4(ShlN, , LEFT), {Iop_ShlN16x16, 16, LEFT}, {Iop_ShlN32x8, 32, LEFT}, {Iop_ShlN64x4, 64, LEFT},
    D3(ShrN, , RIGHT), Q4(ShrN, , RIGHT), {Iop_ShrN16x16, 16, RIGHT}, {Iop_ShrN32x8, 32, RIGHT},
    {Iop_ShrN64x4, 64, RIGHT}, D3(SarN, , RIGHT_S), Q4(SarN, , RIGHT_S), {Iop_SarN16x16, 16, RIGHT_S},
    {Iop_SarN32x8, 32, RIGHT_S},
    D4(QShlNsatSS, , LEFT_QS), Q4(QShlNsatSS, , LEFT_QS), D4(QShlNsatUU, , LEFT_QU), Q4(QShlNsatUU, , LEFT_QU),
    D4(QShlNsatSU, , LEFT_QSU), Q4(QShlNsatSU, , LEFT_QSU),
};

static uint64_t shift_by_scalar(enum shift_n how, uint64_t a, int by, unsigned w)
{
    switch (how) {
    case LEFT: return plain_shift(a, by, w, U);
    case RIGHT: return plain_shift(a, -by, w, U);
    case RIGHT_S: return plain_shift(a, -by, w, S);
    case LEFT_QS: return plain_shift(a, by, w, S | Q);
    case LEFT_QU: return plain_shift(a, by, w, U | Q);
    default: return sqshlu(a, by, w);
    }
}

static void vectors_shift_by_a_scalar(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(by_scalar); r++) {
        unsigned width = eval_result_width(by_scalar[r].op), w = by_scalar[r].w;
        for (int round = 0; round < ROUNDS; round++) {
            int by = (int)(eval_random(e) % w);
            struct bits arg[2] = {eval_operand(e, width, w), bits_u64((uint64_t)by, 8)}, expected = {{0}};
            for (unsigned i = 0; i < width / w; i++)
                set_lane(&expected, i, w, shift_by_scalar(by_scalar[r].how, lane_of(arg[0], i, w), by, w));
            eval_check(e, by_scalar[r].op, arg, expected);
        }
    }
}

/* ---- shifts that also say whether a lane saturated ---- */

static const struct {
    IROp op;
    unsigned w;
    unsigned how;
} flagged[] = {
    Q4(QandUQsh, , U | Q), Q4(QandSQsh, , S | Q), Q4(QandUQRsh, , U | Q | R), Q4(QandSQRsh, , S | Q | R),
};

static void saturating_shifts_report_saturation(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(flagged); r++) {
        unsigned w = flagged[r].w;
        for (int round = 0; round < ROUNDS; round++) {
            struct bits arg[2] = {eval_operand(e, 128, w), eval_operand(e, 128, w)}, expected = {{0}};
            bool any = false;
            for (unsigned i = 0; i < 128 / w; i++)
                set_lane(&expected, i, w,
                         any_shift(lane_of(arg[0], i, w), (int8_t)lane_of(arg[1], i, w), w, flagged[r].how, &any));
            expected.w[2] = any;
            eval_check(e, flagged[r].op, arg, expected);
        }
    }
}

/* ---- narrowing ---- */

enum { CUT, SS, SU, UU };

static uint64_t narrowed(uint64_t a, unsigned w, unsigned how, bool *saturated)
{
    i128 x = how == UU ? (i128)a : sx(a, w), y = x;
    if (how == SS)
        y = clamp_s(x, w / 2);
    else if (how != CUT)
        y = clamp_u(x, w / 2);
    *saturated |= x != y;
    return (uint64_t)y;
}

#define NARROW3(op, a, b, how)                                                                               \
    {Iop_##op##16##a##to8##b##x8, 16, how}, {Iop_##op##32##a##to16##b##x4, 32, how},                         \
        {Iop_##op##64##a##to32##b##x2, 64, how}

static const struct {
    IROp op;
    unsigned w;
    unsigned how;
} narrowing[] = {
    NARROW3(NarrowUn, , , CUT), NARROW3(QNarrowUn, S, S, SS), NARROW3(QNarrowUn, S, U, SU), NARROW3(QNarrowUn, U, U, UU),
    {Iop_NarrowBin16to8x8, 16, CUT}, {Iop_NarrowBin32to16x4, 32, CUT}, {Iop_NarrowBin16to8x16, 16, CUT},
    {Iop_NarrowBin32to16x8, 32, CUT}, {Iop_NarrowBin64to32x4, 64, CUT},
    {Iop_QNarrowBin16Sto8Ux8, 16, SU}, {Iop_QNarrowBin16Sto8Sx8, 16, SS}, {Iop_QNarrowBin32Sto16Sx4, 32, SS},
    {Iop_QNarrowBin16Sto8Ux16, 16, SU}, {Iop_QNarrowBin32Sto16Ux8, 32, SU}, {Iop_QNarrowBin16Sto8Sx16, 16, SS},
    {Iop_QNarrowBin32Sto16Sx8, 32, SS}, {Iop_QNarrowBin16Uto8Ux16, 16, UU}, {Iop_QNarrowBin32Uto16Ux8, 32, UU},
    {Iop_QNarrowBin64Sto32Sx4, 64, SS}, {Iop_QNarrowBin64Uto32Ux4, 64, UU},
};

static void narrowing_saturates(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(narrowing); r++) {
        IROp op = narrowing[r].op;
        unsigned w = narrowing[r].w, width = eval_arg_width(op, 0), n = width / w, arity = eval_arity(op);
        for (int round = 0; round < ROUNDS; round++) {
            struct bits arg[2] = {eval_operand(e, width, w), eval_operand(e, width, w)}, expected = {{0}};
            bool ignored = false;
            for (unsigned i = 0; i < n * arity; i++) {
                /* The low half of the result is the last operand. */
                struct bits from = arg[arity - 1 - i / n];
                set_lane(&expected, i, w / 2, narrowed(lane_of(from, i % n, w), w, narrowing[r].how, &ignored));
            }
            eval_check(e, op, arg, expected);
        }
    }
}

static const struct {
    IROp op;
    unsigned w;
    unsigned how;
    bool round;
} shift_narrowing[] = {
#define SHIFT_NARROW3(op, a, b, how, round)                                                                  \
    {Iop_##op##16##a##to8##b##x8, 16, how, round}, {Iop_##op##32##a##to16##b##x4, 32, how, round},           \
        {Iop_##op##64##a##to32##b##x2, 64, how, round}
    SHIFT_NARROW3(QandQShrNnarrow, U, U, UU, false),  SHIFT_NARROW3(QandQSarNnarrow, S, S, SS, false),
    SHIFT_NARROW3(QandQSarNnarrow, S, U, SU, false),  SHIFT_NARROW3(QandQRShrNnarrow, U, U, UU, true),
    SHIFT_NARROW3(QandQRSarNnarrow, S, S, SS, true),  SHIFT_NARROW3(QandQRSarNnarrow, S, U, SU, true),
};

static void shifting_and_narrowing_reports_saturation(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(shift_narrowing); r++) {
        unsigned w = shift_narrowing[r].w, how = shift_narrowing[r].how;
        for (int round = 0; round < ROUNDS; round++) {
            int by = 1 + (int)(eval_random(e) % (w / 2));
            struct bits arg[2] = {eval_operand(e, 128, w), bits_u64((uint64_t)by, 8)}, expected = {{0}};
            bool any = false;
            for (unsigned i = 0; i < 128 / w; i++) {
                uint64_t a = lane_of(arg[0], i, w);
                i128 x = how == UU ? (i128)a : sx(a, w);
                x = (x + (shift_narrowing[r].round ? (i128)1 << (by - 1) : 0)) >> by;
                i128 y = how == SS ? clamp_s(x, w / 2) : clamp_u(x, w / 2);
                any |= x != y;
                set_lane(&expected, i, w / 2, (uint64_t)y);
            }
            expected.w[1] = any;
            eval_check(e, shift_narrowing[r].op, arg, expected);
        }
    }
}

/* ---- widening, products, neighbours ---- */

static uint64_t wide_product(IROp op, uint64_t a, uint64_t b, unsigned w, bool is_signed)
{
    switch (op) {
    case Iop_PolynomialMull8x8: return polymul(a, b, w);
    case Iop_QDMull16Sx4:
    case Iop_QDMull32Sx2: return (uint64_t)clamp_s(sx(a, w) * sx(b, w) * 2, 2 * w);
    default: return is_signed ? (uint64_t)(sx(a, w) * sx(b, w)) : a * b;
    }
}

static const struct {
    IROp op;
    unsigned w;
    bool is_signed;
} products[] = {
    D3(Mull, U, false), D3(Mull, S, true), {Iop_QDMull16Sx4, 16, true}, {Iop_QDMull32Sx2, 32, true},
    {Iop_PolynomialMull8x8, 8, false}, Q3(MullEven, U, false), Q3(MullEven, S, true),
};

static void widening_products(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(products); r++) {
        IROp op = products[r].op;
        unsigned w = products[r].w, width = eval_arg_width(op, 0), step = width == 128 ? 2 : 1;
        for (int round = 0; round < ROUNDS; round++) {
            struct bits arg[2] = {eval_operand(e, width, w), eval_operand(e, width, w)}, expected = {{0}};
            for (unsigned i = 0; i < width / w / step; i++)
                set_lane(&expected, i, 2 * w,
                         wide_product(op, lane_of(arg[0], i * step, w), lane_of(arg[1], i * step, w), w,
                                      products[r].is_signed));
            eval_check(e, op, arg, expected);
        }
    }
}

static const struct {
    IROp op;
    unsigned w;
    bool is_signed;
} widening[] = {
    {Iop_Widen8Uto16x8, 8, false},  {Iop_Widen16Uto32x4, 16, false}, {Iop_Widen32Uto64x2, 32, false},
    {Iop_Widen8Sto16x8, 8, true},   {Iop_Widen16Sto32x4, 16, true},  {Iop_Widen32Sto64x2, 32, true},
};

static const struct {
    IROp op;
    unsigned w;
    bool is_signed;
} pair_sums[] = {
    D3(PwAddL, U, false), D3(PwAddL, S, true), Q3(PwAddL, U, false), Q3(PwAddL, S, true),
};

static void lanes_become_wider(void **state)
{
    struct eval *e = *state;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t r = 0; r < COUNT(widening); r++) {
            unsigned w = widening[r].w;
            struct bits arg = eval_operand(e, 64, w), expected = {{0}};
            for (unsigned i = 0; i < 64 / w; i++) {
                uint64_t a = lane_of(arg, i, w);
                set_lane(&expected, i, 2 * w, widening[r].is_signed ? (uint64_t)sx(a, w) : a);
            }
            eval_check(e, widening[r].op, &arg, expected);
        }
        for (size_t r = 0; r < COUNT(pair_sums); r++) {
            unsigned w = pair_sums[r].w, width = eval_arg_width(pair_sums[r].op, 0);
            struct bits arg = eval_operand(e, width, w), expected = {{0}};
            for (unsigned i = 0; i < width / w; i += 2) {
                uint64_t a = lane_of(arg, i, w), b = lane_of(arg, i + 1, w);
                set_lane(&expected, i / 2, 2 * w,
                         pair_sums[r].is_signed ? (uint64_t)(sx(a, w) + sx(b, w)) : a + b);
            }
            eval_check(e, pair_sums[r].op, &arg, expected);
        }
    }
}

static const struct row2 pairwise[] = {
    D3(PwAdd, , add), Q3(PwAdd, , add), D3(PwMax, S, max_s), D3(PwMax, U, max_u), D3(PwMin, S, min_s), D3(PwMin, U, min_u),
};

/* vpadd d0, d1, d2: the low half comes from d1. */
static void pairwise_operators_combine_neighbours(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(pairwise); r++) {
        unsigned w = pairwise[r].w, width = eval_result_width(pairwise[r].op), n = width / w;
        for (int round = 0; round < ROUNDS; round++) {
            struct bits arg[2] = {eval_operand(e, width, w), eval_operand(e, width, w)}, expected = {{0}};
            for (unsigned i = 0; i < n; i++) {
                struct bits from = arg[i / (n / 2)];
                unsigned j = 2 * (i % (n / 2));
                set_lane(&expected, i, w, pairwise[r].fn(lane_of(from, j, w), lane_of(from, j + 1, w), w));
            }
            eval_check(e, pairwise[r].op, arg, expected);
        }
    }
}

/* ---- moves: which lane of the operands (first operand's lanes, then the second's) goes where ---- */

typedef unsigned move_fn(unsigned i, unsigned n);

static unsigned interleave_lo(unsigned i, unsigned n)
{
    return i / 2 + (i % 2 ? 0 : n);
}

static unsigned interleave_hi(unsigned i, unsigned n)
{
    return n / 2 + i / 2 + (i % 2 ? 0 : n);
}

static unsigned interleave_even(unsigned i, unsigned n)
{
    return i / 2 * 2 + (i % 2 ? 0 : n);
}

static unsigned interleave_odd(unsigned i, unsigned n)
{
    return i / 2 * 2 + 1 + (i % 2 ? 0 : n);
}

static unsigned cat_even(unsigned i, unsigned n)
{
    return i < n / 2 ? n + 2 * i : 2 * (i - n / 2);
}

static unsigned cat_odd(unsigned i, unsigned n)
{
    return cat_even(i, n) + 1;
}

static const struct {
    IROp op;
    unsigned w;
    move_fn *from;
} moves[] = {
    D3(InterleaveLO, , interleave_lo), Q4(InterleaveLO, , interleave_lo),
    D3(InterleaveHI, , interleave_hi), Q4(InterleaveHI, , interleave_hi),
    {Iop_InterleaveOddLanes8x8, 8, interleave_odd}, {Iop_InterleaveOddLanes16x4, 16, interleave_odd},
    {Iop_InterleaveEvenLanes8x8, 8, interleave_even}, {Iop_InterleaveEvenLanes16x4, 16, interleave_even},
    Q3(InterleaveOddLanes, , interleave_odd), Q3(InterleaveEvenLanes, , interleave_even),
    {Iop_CatOddLanes8x8, 8, cat_odd}, {Iop_CatOddLanes16x4, 16, cat_odd},
    {Iop_CatEvenLanes8x8, 8, cat_even}, {Iop_CatEvenLanes16x4, 16, cat_even},
    Q3(CatOddLanes, , cat_odd), Q3(CatEvenLanes, , cat_even),
};

static void lanes_go_where_they_should(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(moves); r++) {
        unsigned w = moves[r].w, width = eval_result_width(moves[r].op), n = width / w;
        struct bits arg[2] = {eval_operand(e, width, width), eval_operand(e, width, width)}, expected = {{0}};
        for (unsigned i = 0; i < n; i++) {
            unsigned from = moves[r].from(i, n);
            set_lane(&expected, i, w, lane_of(arg[from / n], from % n, w));
        }
        eval_check(e, moves[r].op, arg, expected);
    }
}

static const struct {
    IROp op;
    unsigned w;
    bool or_zero;
} permutations[] = {
    {Iop_Perm8x8, 8, false}, {Iop_Perm8x16, 8, false}, {Iop_Perm32x4, 32, false}, {Iop_Perm32x8, 32, false},
    {Iop_PermOrZero8x8, 8, true}, {Iop_PermOrZero8x16, 8, true},
};

static void permutations_take_their_indices_from_lanes(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < COUNT(permutations); r++) {
        unsigned w = permutations[r].w, width = eval_result_width(permutations[r].op), n = width / w;
        for (int round = 0; round < ROUNDS; round++) {
            struct bits arg[2] = {eval_operand(e, width, w), {{0}}}, expected = {{0}};
            for (unsigned i = 0; i < n; i++) {
                uint64_t random = eval_random(e), index = random % n;
                bool zero = permutations[r].or_zero && random >> 63;
                set_lane(&arg[1], i, w, index | (uint64_t)zero << (w - 1));
                set_lane(&expected, i, w, zero ? 0 : lane_of(arg[0], (unsigned)index, w));
            }
            eval_check(e, permutations[r].op, arg, expected);
        }
    }
}

static const struct {
    IROp get, set;
    unsigned w;
} elements[] = {
    {Iop_GetElem8x8, Iop_SetElem8x8, 8},     {Iop_GetElem16x4, Iop_SetElem16x4, 16},
    {Iop_GetElem32x2, Iop_SetElem32x2, 32},  {Iop_GetElem8x16, Iop_SetElem8x16, 8},
    {Iop_GetElem16x8, Iop_SetElem16x8, 16},  {Iop_GetElem32x4, Iop_SetElem32x4, 32},
    {Iop_GetElem64x2, Iop_SetElem64x2, 64},
};

static void elements_are_read_replaced_and_sliced(void **state)
{
    struct eval *e = *state;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t r = 0; r < COUNT(elements); r++) {
            unsigned w = elements[r].w, width = eval_arg_width(elements[r].get, 0), n = width / w;
            unsigned index = (unsigned)(eval_random(e) % n);
            struct bits arg[3] = {eval_operand(e, width, w), bits_u64(index, 8), eval_operand(e, w, w)};
            eval_check(e, elements[r].get, arg, bits_u64(lane_of(arg[0], index, w), w));
            struct bits expected = {{0}};
            for (unsigned i = 0; i < n; i++)
                set_lane(&expected, i, w, i == index ? arg[2].w[0] : lane_of(arg[0], i, w));
            eval_check(e, elements[r].set, arg, expected);
        }
        for (unsigned wide = 0; wide < 2; wide++) {
            unsigned bytes = wide ? 16 : 8, by = (unsigned)(eval_random(e) % (bytes + 1));
            struct bits arg[3] = {eval_operand(e, bytes * 8, 8), eval_operand(e, bytes * 8, 8), bits_u64(by, 8)};
            struct bits expected = {{0}};
            for (unsigned i = 0; i < bytes; i++)
                set_lane(&expected, i, 8,
                         i + by < bytes ? lane_of(arg[1], i + by, 8) : lane_of(arg[0], i + by - bytes, 8));
            eval_check(e, wide ? Iop_SliceV128 : Iop_Slice64, arg, expected);
        }
    }
}

static const IROp duplicates[] = {Iop_Dup8x8, Iop_Dup16x4, Iop_Dup32x2, Iop_Dup8x16, Iop_Dup16x8, Iop_Dup32x4};

static void other_vector_operators(void **state)
{
    struct eval *e = *state;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t r = 0; r < COUNT(duplicates); r++) {
            unsigned w = eval_arg_width(duplicates[r], 0), width = eval_result_width(duplicates[r]);
            struct bits arg = eval_operand(e, w, w), expected = {{0}};
            for (unsigned i = 0; i < width / w; i++)
                set_lane(&expected, i, w, arg.w[0]);
            eval_check(e, duplicates[r], &arg, expected);
        }
        struct bits x = eval_operand(e, 128, 8);
        uint64_t msbs = 0;
        for (unsigned i = 0; i < 16; i++)
            msbs |= (lane_of(x, i, 8) >> 7) << i;
        eval_check(e, Iop_GetMSBs8x16, &x, bits_u64(msbs, 16));
        struct bits low = bits_mask(x, 64);
        eval_check(e, Iop_GetMSBs8x8, &low, bits_u64(msbs, 8));

        struct bits four[2] = {eval_operand(e, 32, 8), eval_operand(e, 32, 8)};
        uint64_t sum = 0;
        for (unsigned i = 0; i < 4; i++) {
            int d = (int)lane_of(four[0], i, 8) - (int)lane_of(four[1], i, 8);
            sum += (uint64_t)(d < 0 ? -d : d);
        }
        eval_check(e, Iop_Sad8Ux4, four, bits_u64(sum, 32));

        struct bits set[2] = {eval_operand(e, 128, 32), eval_operand(e, 64, 32)};
        struct bits expected = set[0];
        expected.w[0] = set[1].w[0];
        eval_check(e, Iop_SetV128lo64, set, expected);
        set[1] = bits_mask(set[1], 32);
        expected.w[0] = (set[0].w[0] & ~UINT64_C(0xffffffff)) | set[1].w[0];
        eval_check(e, Iop_SetV128lo32, set, expected);
        eval_check(e, Iop_ZeroHI64ofV128, set, bits_mask(set[0], 64));
        eval_check(e, Iop_ZeroHI96ofV128, set, bits_mask(set[0], 32));
        eval_check(e, Iop_ZeroHI112ofV128, set, bits_mask(set[0], 16));
        eval_check(e, Iop_ZeroHI120ofV128, set, bits_mask(set[0], 8));

        struct bits quad[4];
        for (unsigned i = 0; i < 4; i++)
            quad[i] = eval_operand(e, 64, 64);
        struct bits all = {{quad[3].w[0], quad[2].w[0], quad[1].w[0], quad[0].w[0]}};
        eval_check(e, Iop_64x4toV256, quad, all);
        eval_check(e, Iop_V256to64_0, &all, quad[3]);
        eval_check(e, Iop_V256to64_1, &all, quad[2]);
        eval_check(e, Iop_V256to64_2, &all, quad[1]);
        eval_check(e, Iop_V256to64_3, &all, quad[0]);
    }
}

static int setup(void **state)
{
    *state = eval_new(MACHINE_ARM64);
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
        cmocka_unit_test(binary_operators_work_lane_by_lane),
        cmocka_unit_test(vector_shifts_of_32_bit_arm_go_both_ways),
        cmocka_unit_test(unary_operators_work_lane_by_lane),
        cmocka_unit_test(vectors_shift_by_a_scalar),
        cmocka_unit_test(saturating_shifts_report_saturation),
        cmocka_unit_test(narrowing_saturates),
        cmocka_unit_test(shifting_and_narrowing_reports_saturation),
        cmocka_unit_test(widening_products),
        cmocka_unit_test(lanes_become_wider),
        cmocka_unit_test(pairwise_operators_combine_neighbours),
        cmocka_unit_test(lanes_go_where_they_should),
        cmocka_unit_test(permutations_take_their_indices_from_lanes),
        cmocka_unit_test(elements_are_read_replaced_and_sliced),
        cmocka_unit_test(other_vector_operators),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
