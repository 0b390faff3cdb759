/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators compute what libVEX's own C functions for them compute (it has one where a host lacks an instruction:
 * priv/host_generic_simd*.h). They settle which operand is the upper one. */
#include "eval.h"

enum { ROUNDS = 200 };

#define BINARY64(X)                                                                                          \
    X(Add32x2) X(Add16x4) X(Add8x8) X(QAdd16Sx4) X(QAdd8Sx8) X(QAdd16Ux4) X(QAdd8Ux8) X(Sub32x2) X(Sub16x4)  \
    X(Sub8x8) X(QSub16Sx4) X(QSub8Sx8) X(QSub16Ux4) X(QSub8Ux8) X(Mul16x4) X(Mul32x2) X(MulHi16Sx4)          \
    X(MulHi16Ux4) X(CmpEQ32x2) X(CmpEQ16x4) X(CmpEQ8x8) X(CmpGT32Sx2) X(CmpGT16Sx4) X(CmpGT8Sx8)             \
    X(QNarrowBin32Sto16Sx4) X(QNarrowBin16Sto8Sx8) X(QNarrowBin16Sto8Ux8) X(NarrowBin32to16x4)               \
    X(NarrowBin16to8x8) X(InterleaveHI8x8) X(InterleaveLO8x8) X(InterleaveHI16x4) X(InterleaveLO16x4)        \
    X(InterleaveHI32x2) X(InterleaveLO32x2) X(CatOddLanes16x4) X(CatEvenLanes16x4) X(Avg8Ux8) X(Avg16Ux4)    \
    X(Max16Sx4) X(Max8Ux8) X(Min16Sx4) X(Min8Ux8)

#define BINARY32(X)                                                                                          \
    X(Add16x2) X(Sub16x2) X(HAdd16Ux2) X(HAdd16Sx2) X(HSub16Ux2) X(HSub16Sx2) X(QAdd16Ux2) X(QAdd16Sx2)      \
    X(QSub16Ux2) X(QSub16Sx2) X(Add8x4) X(Sub8x4) X(HAdd8Ux4) X(HAdd8Sx4) X(HSub8Ux4) X(HSub8Sx4)            \
    X(QAdd8Ux4) X(QAdd8Sx4) X(QSub8Ux4) X(QSub8Sx4) X(Sad8Ux4) X(QAdd32S) X(QSub32S)

#define SHIFT64(X)                                                                                           \
    X(ShlN8x8, 8) X(ShlN16x4, 16) X(ShlN32x2, 32) X(ShrN16x4, 16) X(ShrN32x2, 32) X(SarN8x8, 8) X(SarN16x4, 16) \
    X(SarN32x2, 32)

#define BINARY128(X)                                                                                         \
    X(Mul32x4) X(Max32Sx4) X(Min32Sx4) X(Max32Ux4) X(Min32Ux4) X(Max16Ux8) X(Min16Ux8) X(Max8Sx16) X(Min8Sx16) \
    X(CmpEQ64x2) X(CmpGT64Sx2) X(QNarrowBin32Sto16Ux8) X(NarrowBin16to8x16) X(NarrowBin32to16x8)

#define DECLARE64(op) ULong h_generic_calc_##op(ULong, ULong);
#define DECLARE32(op) UInt h_generic_calc_##op(UInt, UInt);
#define DECLARE_SHIFT(op, w) ULong h_generic_calc_##op(ULong, UInt);
#define DECLARE128(op) void h_generic_calc_##op(V128 *, V128 *, V128 *);
BINARY64(DECLARE64)
BINARY32(DECLARE32)
SHIFT64(DECLARE_SHIFT)
BINARY128(DECLARE128)
ULong h_generic_calc_Perm8x8(ULong, ULong);
ULong h_generic_calc_PermOrZero8x8(ULong, ULong);
void h_generic_calc_Perm32x8(V256 *, V256 *, V256 *);

static void sixty_four_bits(void **state)
{
    static const struct {
        IROp op;
        ULong (*fn)(ULong, ULong);
    } rows[] = {
#define ROW(op) {Iop_##op, h_generic_calc_##op},
        BINARY64(ROW)
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int round = 0; round < ROUNDS; round++) {
            unsigned lane = 8u << eval_random(*state) % 3;
            struct bits arg[2] = {eval_operand(*state, 64, lane), eval_operand(*state, 64, lane)};
            eval_check(*state, rows[r].op, arg, bits_u64(rows[r].fn(arg[0].w[0], arg[1].w[0]), 64));
        }
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t index = eval_random(*state) & UINT64_C(0x0707070707070707);
        struct bits arg[2] = {eval_operand(*state, 64, 8), bits_u64(index, 64)};
        eval_check(*state, Iop_Perm8x8, arg, bits_u64(h_generic_calc_Perm8x8(arg[0].w[0], index), 64));
        index |= eval_random(*state) & UINT64_C(0x8080808080808080);
        arg[1] = bits_u64(index, 64);
        eval_check(*state, Iop_PermOrZero8x8, arg, bits_u64(h_generic_calc_PermOrZero8x8(arg[0].w[0], index), 64));
    }
}

static void thirty_two_bits(void **state)
{
    static const struct {
        IROp op;
        UInt (*fn)(UInt, UInt);
    } rows[] = {BINARY32(ROW)};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int round = 0; round < ROUNDS; round++) {
            unsigned lane = 8u << eval_random(*state) % 3;
            struct bits arg[2] = {eval_operand(*state, 32, lane), eval_operand(*state, 32, lane)};
            eval_check(*state, rows[r].op, arg, bits_u64(rows[r].fn((UInt)arg[0].w[0], (UInt)arg[1].w[0]), 32));
        }
}

static void shifts(void **state)
{
    static const struct {
        IROp op;
        unsigned w;
        ULong (*fn)(ULong, UInt);
    } rows[] = {
#define SHIFT_ROW(op, w) {Iop_##op, w, h_generic_calc_##op},
        SHIFT64(SHIFT_ROW)
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int round = 0; round < ROUNDS; round++) {
            unsigned by = (unsigned)(eval_random(*state) % rows[r].w);
            struct bits arg[2] = {eval_operand(*state, 64, rows[r].w), bits_u64(by, 8)};
            eval_check(*state, rows[r].op, arg, bits_u64(rows[r].fn(arg[0].w[0], by), 64));
        }
}

static void wider_vectors(void **state)
{
    static const struct {
        IROp op;
        void (*fn)(V128 *, V128 *, V128 *);
    } rows[] = {BINARY128(ROW)};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int round = 0; round < ROUNDS; round++) {
            unsigned lane = 8u << eval_random(*state) % 4;
            struct bits arg[2] = {eval_operand(*state, 128, lane), eval_operand(*state, 128, lane)};
            V128 x, y, z;
            bits_to_bytes(arg[0], x.w8, 16);
            bits_to_bytes(arg[1], y.w8, 16);
            rows[r].fn(&z, &x, &y);
            eval_check(*state, rows[r].op, arg, bits_from_bytes(z.w8, 16));
        }
    for (int round = 0; round < ROUNDS; round++) {
        struct bits arg[2] = {eval_operand(*state, 256, 32), {{0}}};
        for (unsigned i = 0; i < 4; i++)
            arg[1].w[i] = eval_random(*state) & UINT64_C(0x0000000700000007);
        V256 x, y, z;
        bits_to_bytes(arg[0], x.w8, 32);
        bits_to_bytes(arg[1], y.w8, 32);
        h_generic_calc_Perm32x8(&z, &x, &y);
        eval_check(*state, Iop_Perm32x8, arg, bits_from_bytes(z.w8, 32));
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
        cmocka_unit_test(sixty_four_bits),
        cmocka_unit_test(thirty_two_bits),
        cmocka_unit_test(shifts),
        cmocka_unit_test(wider_vectors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
