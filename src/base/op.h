/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pure operators, shared by the IR (src/ir) and by terms (src/term).
 *
 * A value is a bit-vector of 1 to OP_MAX_WIDTH bits; width 1 is also the Boolean. Every operator is total: what it
 * yields is defined for all operands, and base/bits.h and base/fp.h are the one implementation of that meaning.
 *
 * Columns: X(enumerator, printed name, number of operands, shape)
 *
 * Shapes say which widths go with which:
 *   SAME     every operand and the result have the instruction's width w
 *   COMPARE  operands have one common width, the result has width 1
 *   CONCAT   result width is the sum; the first operand is the upper part
 *   EXTRACT  one operand and a constant low bit position `lo`; the result is bits lo .. lo+w-1
 *   EXTEND   one operand narrower than (or as wide as) the result
 *   ITE      operand 0 has width 1, operands 1, 2 and the result have width w
 *   COUNT    one operand, result of the same width
 *   FROUND   operand 0 is a rounding mode (width 3), the others and the result are floats of width w
 *   FSAME    operands and result are floats of width w, no rounding
 *   FCMP     two floats of one width, the result has width 1
 *   F2F      rounding mode, float of another format: result is a float of width w
 *   F2I      rounding mode, float: result is an integer of width w
 *   I2F      rounding mode, integer: result is a float of width w
 *
 * Meaning, where it is not obvious (as in SMT-LIB's theory FixedSizeBitVectors wherever that defines it):
 *   udiv x 0 = all ones; urem x 0 = x; sdiv x 0 = 1 if x < 0 else -1; srem x 0 = x; sdiv MIN -1 = MIN;
 *   srem takes the sign of the dividend. A shift by w or more yields 0 (shl, lshr) or w copies of the sign bit
 *   (ashr); the shift amount is an unsigned number of the same width w.
 *   clz 0 = ctz 0 = w; popcnt counts ones.
 *
 * Floats are IEEE 754 binary formats told apart by width: 16, 32, 64, 128. A rounding mode is 0 nearest-even,
 * 1 toward -inf, 2 toward +inf, 3 toward zero, 4 nearest-away; 5 to 7 behave as 0. An arithmetic operation whose
 * result is a NaN yields the canonical one (quiet, sign 0, payload 0); feq, flt, fle are false and funord true when
 * an operand is a NaN. No exception flags. frint rounds to an integral value in the same format. fmin and fmax are
 * not operators: processors disagree about them, lifters build them from comparisons.
 *   f2s, f2u: round by the mode, then clamp to the range of the result; a NaN gives 0.
 * frem is the IEEE remainder (x - y*n, n the integer nearest to x/y). */
#ifndef BASE_OP_H
#define BASE_OP_H

#define OP_TABLE(X)                    \
    X(OP_NOT, "not", 1, SAME)          \
    X(OP_NEG, "neg", 1, SAME)          \
    X(OP_ADD, "add", 2, SAME)          \
    X(OP_SUB, "sub", 2, SAME)          \
    X(OP_MUL, "mul", 2, SAME)          \
    X(OP_UDIV, "udiv", 2, SAME)        \
    X(OP_UREM, "urem", 2, SAME)        \
    X(OP_SDIV, "sdiv", 2, SAME)        \
    X(OP_SREM, "srem", 2, SAME)        \
    X(OP_AND, "and", 2, SAME)          \
    X(OP_OR, "or", 2, SAME)            \
    X(OP_XOR, "xor", 2, SAME)          \
    X(OP_SHL, "shl", 2, SAME)          \
    X(OP_LSHR, "lshr", 2, SAME)        \
    X(OP_ASHR, "ashr", 2, SAME)        \
    X(OP_EQ, "eq", 2, COMPARE)         \
    X(OP_ULT, "ult", 2, COMPARE)       \
    X(OP_ULE, "ule", 2, COMPARE)       \
    X(OP_SLT, "slt", 2, COMPARE)       \
    X(OP_SLE, "sle", 2, COMPARE)       \
    X(OP_CONCAT, "concat", 2, CONCAT)  \
    X(OP_EXTRACT, "extract", 1, EXTRACT) \
    X(OP_ZEXT, "zext", 1, EXTEND)      \
    X(OP_SEXT, "sext", 1, EXTEND)      \
    X(OP_ITE, "ite", 3, ITE)           \
    X(OP_CLZ, "clz", 1, COUNT)         \
    X(OP_CTZ, "ctz", 1, COUNT)         \
    X(OP_POPCNT, "popcnt", 1, COUNT)   \
    X(OP_FADD, "fadd", 3, FROUND)      \
    X(OP_FSUB, "fsub", 3, FROUND)      \
    X(OP_FMUL, "fmul", 3, FROUND)      \
    X(OP_FDIV, "fdiv", 3, FROUND)      \
    X(OP_FMA, "fma", 4, FROUND)        \
    X(OP_FSQRT, "fsqrt", 2, FROUND)    \
    X(OP_FRINT, "frint", 2, FROUND)    \
    X(OP_FREM, "frem", 2, FSAME)       \
    X(OP_FEQ, "feq", 2, FCMP)          \
    X(OP_FLT, "flt", 2, FCMP)          \
    X(OP_FLE, "fle", 2, FCMP)          \
    X(OP_FUNORD, "funord", 2, FCMP)    \
    X(OP_F2F, "f2f", 2, F2F)           \
    X(OP_F2S, "f2s", 2, F2I)           \
    X(OP_F2U, "f2u", 2, F2I)           \
    X(OP_S2F, "s2f", 2, I2F)           \
    X(OP_U2F, "u2f", 2, I2F)

enum op {
#define OP_ENUM(id, name, arity, shape) id,
    OP_TABLE(OP_ENUM)
#undef OP_ENUM
    OP_COUNT_
};

enum op_shape {
    OP_SHAPE_SAME,
    OP_SHAPE_COMPARE,
    OP_SHAPE_CONCAT,
    OP_SHAPE_EXTRACT,
    OP_SHAPE_EXTEND,
    OP_SHAPE_ITE,
    OP_SHAPE_COUNT,
    OP_SHAPE_FROUND,
    OP_SHAPE_FSAME,
    OP_SHAPE_FCMP,
    OP_SHAPE_F2F,
    OP_SHAPE_F2I,
    OP_SHAPE_I2F,
};

enum { OP_MAX_WIDTH = 512, OP_MAX_ARITY = 4, OP_RM_WIDTH = 3 };

/* Rounding modes. */
enum { OP_RNE = 0, OP_RTN = 1, OP_RTP = 2, OP_RTZ = 3, OP_RNA = 4 };

struct op_info {
    const char *name;
    unsigned char arity;
    unsigned char shape; /* enum op_shape */
};

extern const struct op_info op_info[OP_COUNT_];

/* NULL when an operator may be applied to operands of these widths with this result width (and low bit, for
 * extract); otherwise what is wrong, a static string. Used by the IR validator and by the term table. */
const char *op_check(enum op op, unsigned width, const unsigned *arg_width, unsigned lo);

#endif
