/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How operators are described: one row for each IROp, indexed by op - Iop_INVALID.
 *
 * A row names a class (which function lowers it), a kind (what that function does with it: an `enum op` or one of the
 * enumerators below) and a width, usually that of a lane. The number of lanes follows from the width of the
 * arguments, so Add8x8, Add8x16 and Add8x32 share one description. Lane 0 is the least significant. */
#ifndef LIFT_VEX_OPS_ROW_H
#define LIFT_VEX_OPS_ROW_H

#include "lift/vex/vex.h"

enum op_class {
    CLASS_NONE, /* an uninterpreted function */

    /* ops_scalar.c: whole values */
    CLASS_UN,      /* kind: enum op */
    CLASS_BIN,     /* kind: enum op */
    CLASS_SHIFT,   /* by an I8; kind: enum op */
    CLASS_ZEXT,    /* to w */
    CLASS_SEXT,    /* to w */
    CLASS_EXTRACT, /* w bits from bit `kind` */
    CLASS_SAME,    /* the argument itself */
    CLASS_CONCAT,  /* the arguments, first one uppermost */
    CLASS_SCALAR,  /* kind: enum scalar_kind */

    /* simd.c: lanes of width w */
    CLASS_MAP1,   /* kind: enum lane_kind (or enum op) */
    CLASS_MAP2,   /* likewise */
    CLASS_SHIFT_N, /* vector by I8; kind: enum op or QSHL_* */
    CLASS_PAIRWISE, /* Foo of neighbours, low half from the first argument; kind as CLASS_MAP2 */
    CLASS_PAIR_LONG, /* sums of neighbours, twice as wide; kind: SIGNED or UNSIGNED */
    CLASS_MULL,   /* products twice as wide; kind: enum mull_kind */
    CLASS_MULL_EVEN, /* the same of even lanes */
    CLASS_NARROW, /* lanes of width w to half of it; two arguments: first one uppermost; kind: enum narrow_kind */
    CLASS_SHIFT_NARROW, /* by I8, then narrow, with a saturation flag; kind: enum narrow_kind, ROUND */
    CLASS_SHIFT_FLAG, /* by lanes, with a saturation flag; kind as CLASS_MAP2 */
    CLASS_VECTOR, /* kind: enum vector_kind */

    /* simd_move.c: lanes of width w go elsewhere */
    CLASS_MOVE, /* kind: enum move_kind */

    /* float.c */
    CLASS_FLOAT1,     /* one operand, rounding mode before it or nearest; kind: enum op or enum float_kind */
    CLASS_FLOAT2,     /* two operands, likewise */
    CLASS_FLOAT1_LOW, /* lowest lane only, the others from the operand */
    CLASS_FLOAT2_LOW, /* lowest lane only, the others from the first operand */
    CLASS_FLOAT_PAIR, /* FLOAT2 of neighbours, low half from the first argument */
    CLASS_FMA,        /* kind: enum fma_kind */
    CLASS_FCMP,       /* VEX's four-way result */

    /* float_convert.c: from lanes of 8 * (kind >> 4) bits (0: the whole argument) to lanes of w bits; the low four
     * bits of kind: enum convert_kind */
    CLASS_CONVERT,
    CLASS_CONVERT_RZ, /* the same, always toward zero */
    CLASS_FIXED,      /* to and from fixed point, the number of fraction bits in an I8 */

    CLASS_PURE, /* named pure function number VEX_PURE_BEFORE_ + 1 + kind */
};

enum scalar_kind {
    SCALAR_CMP_NE,
    SCALAR_CMP_NEZ,
    SCALAR_CMPW_NEZ,
    SCALAR_CMP_ORD_S,
    SCALAR_CMP_ORD_U,
    SCALAR_LEFT,
    SCALAR_MAX_U,
    SCALAR_MUL_S, /* twice as wide */
    SCALAR_MUL_U,
    SCALAR_DIVMOD_S, /* quotient below remainder, each w wide */
    SCALAR_DIVMOD_U,
    SCALAR_DIV_EXT_S, /* dividend shifted up by its width */
    SCALAR_DIV_EXT_U,
    SCALAR_DIV_S,
    SCALAR_DIV_U,
};

enum { UNSIGNED, SIGNED };

/* Lane operators that are not an `enum op`. */
enum lane_kind {
    LANE_EQ = OP_COUNT_, /* comparisons: all ones or zero */
    LANE_GT_S,
    LANE_GT_U,
    LANE_MAX_S,
    LANE_MAX_U,
    LANE_MIN_S,
    LANE_MIN_U,
    LANE_AVG_S, /* (a + b + 1) / 2 */
    LANE_AVG_U,
    LANE_QADD_S, /* saturating */
    LANE_QADD_U,
    LANE_QSUB_S,
    LANE_QSUB_U,
    LANE_QADD_US_S, /* unsigned + signed, saturated as signed */
    LANE_QADD_SU_U, /* signed + unsigned, saturated as unsigned */
    LANE_HADD_S, /* halving */
    LANE_HADD_U,
    LANE_HSUB_S,
    LANE_HSUB_U,
    LANE_MULHI_S,
    LANE_MULHI_U,
    LANE_QDMULHI, /* high half of twice the product, saturated */
    LANE_QRDMULHI,
    LANE_POLYMUL,
    LANE_SHL, /* by lanes; see simd_shift.c for what differs between guests */
    LANE_SHR,
    LANE_SAR,
    LANE_ROL,
    LANE_SH_S, /* left by a signed byte, right when it is negative */
    LANE_SH_U,
    LANE_RSH_S, /* the same, rounding when it shifts right */
    LANE_RSH_U,
    LANE_QSH_S, /* the same, saturating */
    LANE_QSH_U,
    LANE_QRSH_S,
    LANE_QRSH_U,
    /* one operand */
    LANE_ABS,
    LANE_NEZ, /* all ones or zero */
    LANE_CLS,
    LANE_REVERSE_BITS,
    LANE_RECIP_EST, /* Arm's integer estimates */
    LANE_RSQRT_EST,
    LANE_KIND_END_
};

enum { QSHL_SS = OP_COUNT_, QSHL_UU, QSHL_SU };

enum mull_kind { MULL_U, MULL_S, MULL_QD, MULL_POLY };

/* ROUND is or-ed in. */
enum narrow_kind { NARROW, NARROW_SS, NARROW_SU, NARROW_UU, ROUND = 16 };

enum vector_kind {
    VECTOR_MSBS,
    VECTOR_SAD,
    VECTOR_MADD_UBSW,
    VECTOR_WIDEN_S,
    VECTOR_WIDEN_U,
    VECTOR_SET_LOW, /* of the first argument to the second */
    VECTOR_KEEP_LOW, /* the low w bits, zero above */
};

enum move_kind {
    MOVE_INTERLEAVE_LO,
    MOVE_INTERLEAVE_HI,
    MOVE_INTERLEAVE_EVEN,
    MOVE_INTERLEAVE_ODD,
    MOVE_CAT_EVEN,
    MOVE_CAT_ODD,
    MOVE_DUP64, /* result width */
    MOVE_DUP128,
    MOVE_SLICE,
    MOVE_GET,
    MOVE_SET,
    MOVE_REVERSE8, /* chunks of 8, 16, 32 bits within each lane */
    MOVE_REVERSE16,
    MOVE_REVERSE32,
    MOVE_PERM,
    MOVE_PERM_OR_ZERO,
};

/* Float operators that are not an `enum op`. */
enum float_kind {
    FLOAT_NEG = OP_COUNT_,
    FLOAT_ABS,
    FLOAT_RECIP_EST,
    FLOAT_RSQRT_EST,
    FLOAT_RECIP_EXP,
    FLOAT_RECIP_STEP,
    FLOAT_RSQRT_STEP,
    FLOAT_MAX,
    FLOAT_MIN,
    FLOAT_MAX_NUM,
    FLOAT_MIN_NUM,
    FLOAT_EQ, /* comparisons: all ones or zero */
    FLOAT_LT,
    FLOAT_LE,
    FLOAT_GT,
    FLOAT_GE,
    FLOAT_UN,
    FLOAT_RINT_RNE, /* rounding to an integer, mode in the operator */
    FLOAT_RINT_RTN,
    FLOAT_RINT_RTP,
    FLOAT_RINT_RTZ,
    FLOAT_RINT_RNA,
};

enum fma_kind { FMA_ADD, FMA_SUB, FMA_NEG_ADD, FMA_NEG_SUB };

enum convert_kind { CONVERT_F2F, CONVERT_F2S, CONVERT_F2U, CONVERT_S2F, CONVERT_U2F };

struct op_row {
    uint8_t class; /* enum op_class */
    uint8_t kind;
    uint16_t w;
};

extern const struct op_row vex_op_row[Iop_LAST - Iop_INVALID];

/* ---- lanes ---- */

enum { MAX_LANES = 32 };

struct lanes {
    ir_val v[MAX_LANES];
    unsigned n;
};

struct lanes lanes_split(struct vex_ctx *c, ir_val x, unsigned w);
ir_val lanes_join(struct vex_ctx *c, const struct lanes *l);

/* ---- one function for each group of classes ---- */

ir_val vex_scalar(struct vex_ctx *c, const struct op_row *r, const ir_val *arg);
ir_val vex_simd(struct vex_ctx *c, const struct op_row *r, const ir_val *arg, unsigned nargs);
ir_val vex_move(struct vex_ctx *c, const struct op_row *r, const ir_val *arg);
ir_val vex_float(struct vex_ctx *c, const struct op_row *r, const ir_val *arg, unsigned nargs);
ir_val vex_convert(struct vex_ctx *c, const struct op_row *r, const ir_val *arg, unsigned nargs);

/* The sign bit, and the bound that a signed operation overflows to when the sign of a says in which direction. */
ir_val lane_sign(struct vex_ctx *c, ir_val a);
ir_val lane_bound(struct vex_ctx *c, ir_val a);

ir_val vex_lane1(struct vex_ctx *c, unsigned kind, ir_val a);
ir_val vex_lane2(struct vex_ctx *c, unsigned kind, ir_val a, ir_val b);
/* Lane shifts, simd_shift.c. When `saturated` is not NULL, a value of width 1 saying so is put there. */
ir_val vex_lane_shift(struct vex_ctx *c, unsigned kind, ir_val a, ir_val by, ir_val *saturated);
ir_val vex_lane_narrow(struct vex_ctx *c, unsigned kind, ir_val a, ir_val *saturated);

/* ---- floats ---- */

/* Bits of the fraction of the format that is w bits wide. */
unsigned float_fraction(unsigned w);
/* (-1)^negative * 2^exponent */
ir_val float_power(struct vex_ctx *c, unsigned w, bool negative, int exponent);
ir_val float_is_nan(struct vex_ctx *c, ir_val a);
ir_val float_quiet(struct vex_ctx *c, ir_val a);
/* The rounding mode in VEX's first argument, or the one given when there is none. */
ir_val float_mode(struct vex_ctx *c, const ir_val *vex_mode, unsigned otherwise);
/* Is this vector operator one of 32-bit Arm's Advanced SIMD, which flushes subnormals and knows only one NaN? */
bool float_is_neon(const struct vex_ctx *c, ir_val vector, unsigned w);
/* A subnormal becomes a zero of its sign. */
ir_val float_flush(struct vex_ctx *c, ir_val a);

/* What differs between guests. */
static inline bool guest_is_x86(const struct vex_ctx *c)
{
    return c->arch == MACHINE_AMD64 || c->arch == MACHINE_X86;
}

#endif
