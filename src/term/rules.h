/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules: X(name, operators it is tried on, the law). Tried from top to bottom, the first that applies wins.
 * Each holds for all values at all widths at which it applies; tests/unit/term has instances of every one of them
 * and asks a solver. `c`, `d` and `k` stand for constants, n(x) for the width of x. */
#ifndef TERM_RULES_H
#define TERM_RULES_H

#include "term/term.h"

#define ON(op) (UINT64_C(1) << (op))
#define ON_COMMUTATIVE (ON(OP_ADD) | ON(OP_MUL) | ON(OP_AND) | ON(OP_OR) | ON(OP_XOR) | ON(OP_EQ))
#define ON_ORDER (ON(OP_ULT) | ON(OP_ULE) | ON(OP_SLT) | ON(OP_SLE))
#define ON_ALL ((UINT64_C(1) << OP_COUNT_) - 1)
#define ON_BINARY                                                                                               \
    (ON(OP_UDIV) | ON(OP_UREM) | ON(OP_SDIV) | ON(OP_SREM) | ON(OP_AND) | ON(OP_OR) | ON(OP_XOR) | ON(OP_SHL) | \
     ON(OP_LSHR) | ON(OP_ASHR) | ON(OP_CONCAT) | ON_ORDER)
#define ON_UNARY (ON(OP_NOT) | ON(OP_EXTRACT) | ON(OP_ZEXT) | ON(OP_SEXT) | ON(OP_CLZ) | ON(OP_CTZ) | ON(OP_POPCNT))

#define TERM_RULES(X)                                                                                           \
    X(fold, ON_ALL, "an operator on constants is a constant")                                                    \
    X(const_right, ON_COMMUTATIVE, "c + x = x + c, and so for * & | ^ ==")                                       \
    X(commute, ON_COMMUTATIVE, "y + x = x + y, lower number first, and so for * & | ^ ==")                       \
    /* one bit */                                                                                                \
    X(bit_arith, ON(OP_ADD) | ON(OP_SUB) | ON(OP_MUL) | ON(OP_NEG), "one bit: + and - are ^, * is &, -x = x")      \
    X(bit_eq, ON(OP_EQ), "one bit: (x == y) = ~(x ^ y)")                                                          \
    X(bit_order, ON_ORDER, "one bit: (x <u y) = ~x & y, (x <=u y) = ~x | y, signed the other way round")           \
    X(bit_ite, ON(OP_ITE), "one bit: c ? x : y with c, ~c or a constant as x or y is & or |")                      \
    /* not */                                                                                                    \
    X(not_not, ON(OP_NOT), "~~x = x")                                                                             \
    X(not_order, ON(OP_NOT), "~(x < y) = y <= x, ~(x <= y) = y < x")                                              \
    X(not_bool, ON(OP_NOT), "one bit: ~(x & y) = ~x | ~y, ~(x | y) = ~x & ~y")                                    \
    X(not_xor, ON(OP_NOT), "~(x ^ c) = x ^ ~c")                                                                   \
    X(not_sum, ON(OP_NOT), "~(x + c) = -x + (-1 - c)")                                                            \
    X(not_parts, ON(OP_NOT), "~(x : y) = ~x : ~y, ~sext x = sext ~x")                                              \
    /* sums and products */                                                                                      \
    X(sum_linear, ON(OP_ADD) | ON(OP_SUB) | ON(OP_NEG), "k1*x + k2*x + ... : like terms collected, ordered, constant last; x / y * y + x % y = x") \
    X(add_wide, ON(OP_ADD) | ON(OP_SUB) | ON(OP_NEG), "beyond 64 bits or many addends: x + 0 = x, x - x = 0, (x + c) + d = x + (c + d), --x = x") \
    X(mul_linear, ON(OP_MUL), "k * (x + y + c) = k*x + k*y + k*c; 0 * x = 0; 1 * x = x; -1 * x = -x")                \
    X(mul_wide, ON(OP_MUL), "beyond 64 bits: 0 * x = 0, 1 * x = x, -1 * x = -x, (x * c) * d = x * (c * d)")          \
    X(mul_neg, ON(OP_MUL), "-x * y = -(x * y)")                                                                   \
    X(mul_chain, ON(OP_MUL), "(x * c) * y = (x * y) * c; factors in order")                                        \
    /* division */                                                                                               \
    X(div_one, ON(OP_UDIV) | ON(OP_SDIV) | ON(OP_UREM) | ON(OP_SREM), "x / 1 = x, x % 1 = 0, signed -1: -x and 0")  \
    X(div_pow2, ON(OP_UDIV) | ON(OP_UREM), "x / 2^k = x >> k, x % 2^k = zext x[k-1:0]")                             \
    X(div_small, ON(OP_UDIV) | ON(OP_UREM), "x < y: x / y = 0, x % y = x, by ranges")                               \
    X(div_sign, ON(OP_SDIV) | ON(OP_SREM), "x, y >= 0: signed division is unsigned division")                       \
    X(div_narrow, ON(OP_UDIV) | ON(OP_UREM) | ON(OP_SREM), "zext x % zext y = zext (x % y), likewise sext, and / by a constant") \
    /* and, or, xor */                                                                                           \
    X(and_unit, ON(OP_AND), "x & 0 = 0, x & -1 = x, x & x = x, x & ~x = 0")                                        \
    X(or_unit, ON(OP_OR), "x | 0 = x, x | -1 = -1, x | x = x, x | ~x = -1")                                        \
    X(xor_unit, ON(OP_XOR), "x ^ 0 = x, x ^ -1 = ~x, x ^ x = 0")                                                   \
    X(xor_not, ON(OP_XOR), "~x ^ y = ~(x ^ y)")                                                                   \
    X(chain_const, ON(OP_AND) | ON(OP_OR) | ON(OP_XOR), "(x & c) & d = x & (c & d), (x & c) & y = (x & y) & c, and so for | ^") \
    X(absorb, ON(OP_AND) | ON(OP_OR), "x & (x | y) = x, x & (~x | y) = x & y, and dually")                          \
    X(chain_order, ON(OP_AND) | ON(OP_OR) | ON(OP_XOR), "x & (y & z): operands in order, each once, x & ~x inside decides") \
    X(de_morgan, ON(OP_AND) | ON(OP_OR), "wide: ~x & ~y = ~(x | y), ~x | ~y = ~(x & y)")                            \
    X(and_known, ON(OP_AND), "x & c = x when c clears only bits known to be clear")                                \
    X(or_known, ON(OP_OR), "x | c = x when c sets only bits known to be set")                                      \
    X(and_mask, ON(OP_AND), "x & (2^k - 1) = zext x[k-1:0]")                                                       \
    X(parts_const, ON(OP_AND) | ON(OP_OR) | ON(OP_XOR), "(x : y) & c = (x & c1) : (y & c0), and so for | ^ and zext") \
    X(and_sext_bit, ON(OP_AND), "x & sext b = b ? x : 0")                                                          \
    X(or_parts, ON(OP_OR) | ON(OP_XOR), "x | y = x[hi] : y[lo] when the rest is known to be zero")                  \
    X(order_eq, ON(OP_AND) | ON(OP_OR), "x < y | x == y = x <= y, x <= y & x != y = x < y")                         \
    X(order_both, ON(OP_AND) | ON(OP_OR), "x <= y & y <= x = x == y, x < y | y < x = x != y")                       \
    X(sign_overflow, ON(OP_XOR) | ON(OP_AND) | ON(OP_OR), "the signs of a, b, a - b: sign xor overflow = a <s b, borrow = a <u b, ...") \
    /* shifts */                                                                                                 \
    X(shift_zero, ON(OP_SHL) | ON(OP_LSHR) | ON(OP_ASHR), "x << 0 = x, 0 << x = 0")                                \
    X(shl_const, ON(OP_SHL), "x << k = x * 2^k")                                                                  \
    X(lshr_const, ON(OP_LSHR), "x >> k = zext x[n-1:k]")                                                           \
    X(ashr_const, ON(OP_ASHR), "x >>s k = sext x[n-1:k]")                                                          \
    X(ashr_sign, ON(OP_ASHR), "x >= 0: x >>s y = x >> y")                                                          \
    X(shift_past, ON(OP_SHL) | ON(OP_LSHR), "x << y = 0 when y is at least the width")                              \
    /* parts */                                                                                                  \
    X(extract_all, ON(OP_EXTRACT), "x[n-1:0] = x")                                                                \
    X(extract_extract, ON(OP_EXTRACT), "x[a:b][c:d] = x[b+c:b+d]")                                                 \
    X(extract_concat, ON(OP_EXTRACT), "(x : y)[a:b] = x[..], y[..] or both")                                        \
    X(extract_zext, ON(OP_EXTRACT), "(zext x)[a:b] = x[a:b], zext x[..:b] or 0")                                    \
    X(extract_sext, ON(OP_EXTRACT), "(sext x)[a:b] = x[a:b] or sext x[..:b]")                                       \
    X(extract_ite, ON(OP_EXTRACT), "(c ? x : y)[a:b] = c ? x[a:b] : y[a:b]")                                       \
    X(extract_bitwise, ON(OP_EXTRACT), "(x & y)[a:b] = x[a:b] & y[a:b], and so for | ^ ~")                         \
    X(extract_low, ON(OP_EXTRACT), "(x + y)[a:0] = x[a:0] + y[a:0], and so for - * and negation; long sums at 8, 16, 32, 64 bits only") \
    X(extract_scaled, ON(OP_EXTRACT), "(x * 2^k)[a:b] = x[a-k:b-k], zeros below k; (x*2^k + y*2^k + ...)[a:k] = (x + y + ...)[a-k:0]") \
    X(extract_div, ON(OP_EXTRACT), "(zext x / zext y)[n(x)-1:0] = x / y, likewise sext and signed")                \
    X(extract_read, ON(OP_EXTRACT), "whole cells of a read are a smaller read")                                    \
    X(extract_known, ON(OP_EXTRACT), "bits that are known are a constant")                                         \
    X(extract_clz, ON(OP_EXTRACT), "width 2^k: (clz x)[k] = (x == 0), likewise ctz")                               \
    X(concat_zero, ON(OP_CONCAT), "0 : x = zext x")                                                               \
    X(concat_right, ON(OP_CONCAT), "(x : y) : z = x : (y : z)")                                                    \
    X(concat_zext, ON(OP_CONCAT), "zext x : y = zext (x : y)")                                                     \
    X(concat_join, ON(OP_CONCAT), "x[a:b] : x[b-1:c] = x[a:c], adjacent reads are one, adjacent constants are one") \
    X(concat_sign, ON(OP_CONCAT), "sext of x's sign : x = sext x")                                                 \
    X(concat_ite, ON(OP_CONCAT), "(c ? x : y) : (c ? v : w) = c ? x : v : y : w")                                   \
    X(zext_chain, ON(OP_ZEXT), "zext zext x = zext x, zext to the same width is x")                                \
    X(sext_chain, ON(OP_SEXT), "sext sext x = sext x, sext zext x = zext x, sext to the same width is x")           \
    X(sext_sign, ON(OP_SEXT), "x >= 0: sext x = zext x")                                                           \
    /* equality */                                                                                               \
    X(eq_same, ON(OP_EQ), "x == x")                                                                              \
    X(eq_known, ON(OP_EQ), "x != y when a bit or the range tells them apart")                                      \
    X(eq_xor, ON(OP_EQ), "x ^ c == d is x == c ^ d, x ^ y == 0 is x == y, x ^ y == x is y == 0, ~x == ~y is x == y") \
    X(eq_linear, ON(OP_EQ), "x + c == d is x == d - c, x - y == 0 is x == y, common addends cancel, k*x == c is solved") \
    X(eq_zext, ON(OP_EQ), "zext x == c is x == c or false, zext x == zext y is x == y")                            \
    X(eq_sext, ON(OP_EQ), "sext x == c is x == c or false, sext x == sext y is x == y")                            \
    X(eq_concat, ON(OP_EQ), "x : y == c is x == c1 & y == c0, likewise x : y == v : w")                            \
    X(eq_mask, ON(OP_EQ), "x & (ones from a to b) == c is x[a:b] == c or false")                                   \
    X(eq_or_zero, ON(OP_EQ), "x | y == 0 is x == 0 & y == 0")                                                      \
    X(eq_ite, ON(OP_EQ), "(b ? c : d) == c is b, (b ? x : d) == c is b & x == c, (b ? x : y) == x is b | x == y")   \
    /* order */                                                                                                  \
    X(order_same, ON_ORDER, "x <= x, not x < x")                                                                 \
    X(order_const, ON(OP_ULT) | ON(OP_ULE) | ON(OP_SLT) | ON(OP_SLE), "with constants: x <= c is x < c+1, c < x is c+1 <= x; least and greatest values decide or give ==") \
    X(order_known, ON_ORDER, "decided by known bits and ranges")                                                 \
    X(slt_zero, ON(OP_SLT) | ON(OP_SLE), "x <s 0 = x[n-1]")                                                        \
    X(order_sign, ON(OP_SLT) | ON(OP_SLE), "x, y >= 0: x <s y = x <u y")                                           \
    X(order_extend, ON_ORDER, "zext x <u zext y = x <u y, sext x <s sext y = x <s y, also with constants")         \
    X(order_concat, ON(OP_ULT) | ON(OP_ULE), "x : y <u c : 0 is x <u c, c : 0 <=u x : y is c <=u x")                \
    X(order_carry, ON(OP_ULT) | ON(OP_ULE), "x + c <u x is -c <=u x, x + y <u y is x + y <u x, x <u x - y is x <u y") \
    /* choice */                                                                                                 \
    X(ite_const, ON(OP_ITE), "true ? x : y = x")                                                                  \
    X(ite_same, ON(OP_ITE), "c ? x : x = x")                                                                      \
    X(ite_not, ON(OP_ITE), "~c ? x : y = c ? y : x")                                                              \
    X(ite_bit, ON(OP_ITE), "c ? 1 : 0 = zext c, c ? -1 : 0 = sext c")                                              \
    X(ite_nested, ON(OP_ITE), "c ? (c ? x : y) : z = c ? x : z, c ? (d ? x : y) : y = c & d ? x : y")               \
    X(ite_eq, ON(OP_ITE), "x == y ? x : y = y")                                                                   \
    X(ite_extend, ON(OP_ITE), "c ? zext x : zext y = zext (c ? x : y), also with a constant")                      \
    X(lift_unary, ON_UNARY, "an operator on c ? k1 : k2 is c ? f(k1) : f(k2)")                                     \
    X(lift_binary, ON_BINARY, "an operator on c ? k1 : k2 and a constant is c ? f(k1) : f(k2)")                    \
    X(count_known, ON(OP_CLZ) | ON(OP_CTZ) | ON(OP_POPCNT), "leading and trailing bits that are known decide")     \
    X(count_zext, ON(OP_CLZ) | ON(OP_POPCNT), "popcnt zext x = zext popcnt x, clz zext x = zext (clz x) + d")       \
    /* arrays */                                                                                                 \
    X(read_const_array, ON(TERM_READ), "a cell of a constant array is the constant")                             \
    X(read_write, ON(TERM_READ), "a read past writes at known distances: their values or a read of what is below") \
    X(read_ite, ON(TERM_READ), "(c ? a : b)[i] = c ? a[i] : b[i]")                                                \
    X(write_back, ON(TERM_WRITE), "writing what is there changes nothing")                                       \
    X(write_hides, ON(TERM_WRITE), "an earlier write to the same cells is dropped")                              \
    X(write_order, ON(TERM_WRITE), "writes that do not touch each other are kept in order")                      \
    X(aite_same, ON(TERM_AITE), "c ? a : a = a")                                                                 \
    X(aite_const, ON(TERM_AITE), "true ? a : b = a")                                                             \
    X(aite_not, ON(TERM_AITE), "~c ? a : b = c ? b : a")                                                         \
    X(aite_writes, ON(TERM_AITE), "c ? a[i := x] : a = a[i := c ? x : a[i]]")

enum term_rule_id {
#define RULE_ID(id, ops, text) TERM_RULE_##id,
    TERM_RULES(RULE_ID)
#undef RULE_ID
        TERM_RULE_COUNT_
};

#endif
