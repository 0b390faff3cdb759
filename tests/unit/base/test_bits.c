/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators on bit-vectors: exhaustively at small widths against their definitions in integers, and at every width
 * against laws that tie them together. */
#include <string.h>

#include "base/bits.h"
#include "test.h"

static uint64_t apply1(enum op op, unsigned w, uint64_t x)
{
    struct bits a = bits_u64(x, w);
    return bits_low(bits_apply(op, w, &a, &w, 0));
}

static struct bits apply2b(enum op op, unsigned w, struct bits x, struct bits y)
{
    struct bits arg[] = {x, y};
    unsigned width[] = {w, w};
    unsigned out = op_info[op].shape == OP_SHAPE_COMPARE ? 1 : op == OP_CONCAT ? 2 * w : w;
    return bits_apply(op, out, arg, width, 0);
}

static uint64_t apply2(enum op op, unsigned w, uint64_t x, uint64_t y)
{
    return bits_low(apply2b(op, w, bits_u64(x, w), bits_u64(y, w)));
}

static int64_t as_signed(uint64_t x, unsigned w)
{
    return x >> (w - 1) & 1 ? (int64_t)x - ((int64_t)1 << w) : (int64_t)x;
}

static void small_widths_match_their_definitions(void **state)
{
    (void)state;
    for (unsigned w = 1; w <= 5; w++) {
        uint64_t n = 1u << w, mask = n - 1;
        for (uint64_t x = 0; x < n; x++) {
            int64_t sx = as_signed(x, w);
            assert_int_equal(apply1(OP_NOT, w, x), mask - x);
            assert_int_equal(apply1(OP_NEG, w, x), (n - x) & mask);
            uint64_t ones = 0, leading = w, trailing = w;
            for (unsigned i = 0; i < w; i++)
                if (x >> i & 1) {
                    ones++;
                    leading = w - 1 - i;
                    if (trailing == w)
                        trailing = i;
                }
            assert_int_equal(apply1(OP_POPCNT, w, x), ones & mask);
            assert_int_equal(apply1(OP_CLZ, w, x), leading & mask);
            assert_int_equal(apply1(OP_CTZ, w, x), trailing & mask);
            for (uint64_t y = 0; y < n; y++) {
                int64_t sy = as_signed(y, w);
                assert_int_equal(apply2(OP_ADD, w, x, y), (x + y) & mask);
                assert_int_equal(apply2(OP_SUB, w, x, y), (x - y) & mask);
                assert_int_equal(apply2(OP_MUL, w, x, y), x * y & mask);
                assert_int_equal(apply2(OP_UDIV, w, x, y), y ? x / y : mask);
                assert_int_equal(apply2(OP_UREM, w, x, y), y ? x % y : x);
                assert_int_equal(apply2(OP_SDIV, w, x, y), (y ? (uint64_t)(sx / sy) : sx < 0 ? 1 : mask) & mask);
                assert_int_equal(apply2(OP_SREM, w, x, y), (y ? (uint64_t)(sx % sy) : x) & mask);
                assert_int_equal(apply2(OP_SHL, w, x, y), y >= w ? 0 : x << y & mask);
                assert_int_equal(apply2(OP_LSHR, w, x, y), y >= w ? 0 : x >> y);
                assert_int_equal(apply2(OP_ASHR, w, x, y), (uint64_t)(sx >> (y >= w ? w - 1 : y)) & mask);
                assert_int_equal(apply2(OP_ULT, w, x, y), x < y);
                assert_int_equal(apply2(OP_ULE, w, x, y), x <= y);
                assert_int_equal(apply2(OP_SLT, w, x, y), sx < sy);
                assert_int_equal(apply2(OP_SLE, w, x, y), sx <= sy);
                assert_int_equal(apply2(OP_EQ, w, x, y), x == y);
                assert_int_equal(apply2(OP_CONCAT, w, x, y), x << w | y);
            }
        }
    }
}

static struct bits random_bits(uint64_t *seed, unsigned w)
{
    struct bits r;
    for (unsigned i = 0; i < 8; i++)
        r.w[i] = test_random(seed) & (test_random(seed) | -(test_random(seed) & 1));
    /* short numbers too, so that quotients are interesting */
    return bits_mask(bits_lshr(bits_mask(r, w), (unsigned)(test_random(seed) % w)), w);
}

static void laws_hold_at_every_width(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (unsigned w = 1; w <= OP_MAX_WIDTH; w++) {
        for (int round = 0; round < 20; round++) {
            struct bits x = random_bits(&seed, w), y = random_bits(&seed, w);
            struct bits zero = {{0}};
            assert_true(bits_eq(apply2b(OP_SUB, w, apply2b(OP_ADD, w, x, y), y), x));
            assert_true(bits_eq(apply2b(OP_MUL, w, x, y), apply2b(OP_MUL, w, y, x)));
            assert_true(bits_eq(apply2b(OP_XOR, w, apply2b(OP_XOR, w, x, y), y), x));
            /* x = (x / y) * y + x % y, remainder below divisor */
            struct bits q = apply2b(OP_UDIV, w, x, y), r = apply2b(OP_UREM, w, x, y);
            assert_true(bits_eq(apply2b(OP_ADD, w, apply2b(OP_MUL, w, q, y), r), bits_is_zero(y) ? r : x));
            assert_true(bits_is_zero(y) || bits_ucmp(r, y) < 0);
            q = apply2b(OP_SDIV, w, x, y), r = apply2b(OP_SREM, w, x, y);
            assert_true(bits_is_zero(y) || bits_eq(apply2b(OP_ADD, w, apply2b(OP_MUL, w, q, y), r), x));
            /* slt is ult with the sign bits flipped */
            struct bits top = bits_shl(bits_u64(1, 64), w - 1);
            assert_true(bits_eq(apply2b(OP_SLT, w, x, y),
                                apply2b(OP_ULT, w, apply2b(OP_XOR, w, x, top), apply2b(OP_XOR, w, y, top))));
            /* extract and concat are inverse */
            unsigned lo = (unsigned)(test_random(&seed) % w);
            if (lo) {
                struct bits part[] = {bits_apply(OP_EXTRACT, w - lo, &x, &w, lo), bits_apply(OP_EXTRACT, lo, &x, &w, 0)};
                unsigned widths[] = {w - lo, lo};
                assert_true(bits_eq(bits_apply(OP_CONCAT, w, part, widths, 0), x));
                struct bits s = bits_apply(OP_SEXT, w, &part[0], &widths[0], 0);
                struct bits amount = bits_u64(lo, 64);
                if (lo < (w < 64 ? UINT64_C(1) << w : UINT64_MAX))
                    assert_true(bits_eq(s, apply2b(OP_ASHR, w, x, bits_mask(amount, w))));
            }
            uint8_t bytes[64];
            bits_to_bytes(x, bytes, 64);
            assert_true(bits_eq(bits_from_bytes(bytes, 64), x));
            char text[200];
            size_t n = bits_format_hex(x, w, text, sizeof text);
            assert_true(bits_parse_hex(text + 2, n - 2, w, &r));
            assert_true(bits_eq(r, x));
            assert_true(bits_is_zero(apply2b(OP_SHL, w, x, zero)) == bits_is_zero(x));
        }
    }
}

static void bad_hexadecimal_is_refused(void **state)
{
    (void)state;
    struct bits b;
    assert_false(bits_parse_hex("", 0, 8, &b));
    assert_false(bits_parse_hex("1g", 2, 8, &b));
    assert_false(bits_parse_hex("100", 3, 8, &b));
    assert_true(bits_parse_hex("0ff", 3, 8, &b));
    char ones[200];
    memset(ones, 'f', sizeof ones);
    assert_true(bits_parse_hex(ones, 128, 512, &b));
    assert_false(bits_parse_hex(ones, 129, 512, &b));
}

/* Widths that the operator takes, none above 64 bits. */
static unsigned random_widths(enum op op, uint64_t *seed, unsigned *width, unsigned *lo)
{
    unsigned w = 1 + (unsigned)(test_random(seed) % 64), v = 1 + (unsigned)(test_random(seed) % w);
    *lo = 0;
    for (unsigned k = 0; k < OP_MAX_ARITY; k++)
        width[k] = w;
    switch (op_info[op].shape) {
    case OP_SHAPE_COMPARE: return 1;
    case OP_SHAPE_EXTEND: width[0] = v; return w;
    case OP_SHAPE_ITE: width[0] = 1; return w;
    case OP_SHAPE_EXTRACT: *lo = w - v; return v;
    case OP_SHAPE_CONCAT:
        width[0] = w > 1 ? w - 1 : 1;
        width[1] = 1;
        return width[0] + 1;
    default: return w;
    }
}

static void many_words_at_once_are_the_same(void **state)
{
    (void)state;
    enum { MANY = 9 };
    uint64_t seed = 77;
    for (unsigned op = 0; op < OP_COUNT_; op++)
        for (unsigned round = 0; round < 200 && op_info[op].shape <= OP_SHAPE_COUNT; round++) {
            unsigned width[OP_MAX_ARITY], lo, out = random_widths(op, &seed, width, &lo);
            uint64_t word[OP_MAX_ARITY][MANY], got[MANY];
            const uint64_t *arg[OP_MAX_ARITY];
            for (unsigned k = 0; k < OP_MAX_ARITY; k++) {
                arg[k] = word[k];
                for (unsigned i = 0; i < MANY; i++)
                    word[k][i] = test_random(&seed) >> test_random(&seed) % 64 & word_ones(width[k]);
            }
            assert_true(bits_apply_words(op, out, arg, width, lo, MANY, got));
            for (unsigned i = 0; i < MANY; i++) {
                struct bits one[OP_MAX_ARITY];
                for (unsigned k = 0; k < OP_MAX_ARITY; k++)
                    one[k] = bits_u64(word[k][i], width[k]);
                assert_int_equal(got[i], bits_low(bits_apply(op, out, one, width, lo)));
                uint64_t alone[OP_MAX_ARITY], result;
                for (unsigned k = 0; k < OP_MAX_ARITY; k++)
                    alone[k] = word[k][i];
                assert_true(bits_apply_word(op, out, alone, width, lo, &result));
                assert_int_equal(got[i], result);
            }
        }
    uint64_t x = 5, y = 7, z;
    const uint64_t *arg[] = {&x, &y, &y};
    assert_false(bits_apply_word(OP_ADD, 65, (uint64_t[]){5, 7}, (unsigned[]){65, 65}, 0, &z));
    assert_false(bits_apply_word(OP_EXTRACT, 1, (uint64_t[]){5}, (unsigned[]){65}, 0, &z));
    assert_false(bits_apply_word(OP_FADD, 32, (uint64_t[]){0, 7, 7}, (unsigned[]){OP_RM_WIDTH, 32, 32}, 0, &z));
    assert_false(bits_apply_words(OP_ADD, 65, arg, (unsigned[]){65, 65}, 0, 1, &z));
    assert_false(bits_apply_words(OP_EQ, 1, arg, (unsigned[]){128, 128}, 0, 1, &z));
    assert_false(bits_apply_words(OP_FADD, 32, arg, (unsigned[]){OP_RM_WIDTH, 32, 32}, 0, 1, &z));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_words_at_once_are_the_same),
        cmocka_unit_test(small_widths_match_their_definitions),
        cmocka_unit_test(laws_hold_at_every_width),
        cmocka_unit_test(bad_hexadecimal_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
