/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/ops.h"

#include <assert.h>
#include <string.h>

#include "lift/lift.h"
#include "lift/vex/ops_row.h"
#include "lift/vex/pure.h"

const char *vex_op_name(IROp op)
{
    assert(op > Iop_INVALID && op < Iop_LAST);
    return lift_pures().table[vex_pure_of_op(op)].name + strlen("vex:");
}

bool vex_op_known(IROp op)
{
    return op > Iop_INVALID && op < Iop_LAST && vex_op_row[op - Iop_INVALID].class != CLASS_NONE;
}

ir_val vex_op(struct vex_ctx *c, IROp op, const ir_val *arg, unsigned nargs)
{
    assert(op > Iop_INVALID && op < Iop_LAST && nargs >= 1 && nargs <= 4);
    const struct op_row *r = &vex_op_row[op - Iop_INVALID];
    switch ((enum op_class)r->class) {
    case CLASS_NONE: return vex_pure_call(c, vex_pure_of_op(op), arg, nargs);
    case CLASS_PURE: return vex_pure_call(c, VEX_PURE_BEFORE_ + 1 + r->kind, arg, nargs);

    case CLASS_UN: return ir_un(c->b, r->kind, arg[0]);
    case CLASS_BIN: return ir_bin(c->b, r->kind, arg[0], arg[1]);
    case CLASS_ZEXT: return ir_zext(c->b, arg[0], r->w);
    case CLASS_SEXT: return ir_sext(c->b, arg[0], r->w);
    case CLASS_EXTRACT: return ir_extract(c->b, arg[0], r->kind, r->w);
    case CLASS_SAME: return arg[0];
    case CLASS_CONCAT: {
        ir_val x = arg[0];
        for (unsigned i = 1; i < nargs; i++)
            x = ir_bin(c->b, OP_CONCAT, x, arg[i]);
        return x;
    }
    case CLASS_SHIFT:
    case CLASS_SCALAR: return vex_scalar(c, r, arg);

    case CLASS_MAP1:
    case CLASS_MAP2:
    case CLASS_SHIFT_N:
    case CLASS_PAIRWISE:
    case CLASS_PAIR_LONG:
    case CLASS_MULL:
    case CLASS_MULL_EVEN:
    case CLASS_NARROW:
    case CLASS_SHIFT_NARROW:
    case CLASS_SHIFT_FLAG:
    case CLASS_VECTOR: return vex_simd(c, r, arg, nargs);

    case CLASS_MOVE: return vex_move(c, r, arg);

    case CLASS_FLOAT1:
    case CLASS_FLOAT2:
    case CLASS_FLOAT1_LOW:
    case CLASS_FLOAT2_LOW:
    case CLASS_FLOAT_PAIR:
    case CLASS_FMA:
    case CLASS_FCMP: return vex_float(c, r, arg, nargs);

    case CLASS_CONVERT:
    case CLASS_CONVERT_RZ:
    case CLASS_FIXED: return vex_convert(c, r, arg, nargs);
    }
    return vex_pure_call(c, vex_pure_of_op(op), arg, nargs);
}
