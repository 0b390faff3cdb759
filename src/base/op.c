/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/op.h"

#include <stdbool.h>
#include <stddef.h>

const struct op_info op_info[OP_COUNT_] = {
#define OP_INFO(id, name, arity, shape) [id] = {name, arity, OP_SHAPE_##shape},
    OP_TABLE(OP_INFO)
#undef OP_INFO
};

static bool is_float_width(unsigned w)
{
    return w == 16 || w == 32 || w == 64 || w == 128;
}

const char *op_check(enum op op, unsigned width, const unsigned *arg_width, unsigned lo)
{
    unsigned n = op_info[op].arity;
    if (width < 1 || width > OP_MAX_WIDTH)
        return "result width out of range";
    for (unsigned i = 0; i < n; i++)
        if (arg_width[i] < 1 || arg_width[i] > OP_MAX_WIDTH)
            return "operand width out of range";
    switch ((enum op_shape)op_info[op].shape) {
    case OP_SHAPE_SAME:
    case OP_SHAPE_COUNT:
        for (unsigned i = 0; i < n; i++)
            if (arg_width[i] != width)
                return "operand width differs from result width";
        return NULL;
    case OP_SHAPE_COMPARE:
        if (width != 1)
            return "a comparison has width 1";
        return arg_width[0] == arg_width[1] ? NULL : "compared operands differ in width";
    case OP_SHAPE_CONCAT:
        return arg_width[0] + arg_width[1] == width ? NULL : "concat width is not the sum of its operands'";
    case OP_SHAPE_EXTRACT:
        return lo <= arg_width[0] && width <= arg_width[0] - lo ? NULL : "extract reaches past its operand";
    case OP_SHAPE_EXTEND:
        return arg_width[0] <= width ? NULL : "extension to a narrower width";
    case OP_SHAPE_ITE:
        if (arg_width[0] != 1)
            return "the condition of ite has width 1";
        return arg_width[1] == width && arg_width[2] == width ? NULL : "branches of ite differ in width";
    case OP_SHAPE_FROUND:
        if (arg_width[0] != OP_RM_WIDTH)
            return "a rounding mode has width 3";
        for (unsigned i = 1; i < n; i++)
            if (arg_width[i] != width)
                return "float operand width differs from result width";
        return is_float_width(width) ? NULL : "no float format of this width";
    case OP_SHAPE_FSAME:
        if (arg_width[0] != width || arg_width[1] != width)
            return "float operand width differs from result width";
        return is_float_width(width) ? NULL : "no float format of this width";
    case OP_SHAPE_FCMP:
        if (width != 1)
            return "a comparison has width 1";
        if (arg_width[0] != arg_width[1])
            return "compared floats differ in width";
        return is_float_width(arg_width[0]) ? NULL : "no float format of this width";
    case OP_SHAPE_F2F:
        if (arg_width[0] != OP_RM_WIDTH)
            return "a rounding mode has width 3";
        return is_float_width(width) && is_float_width(arg_width[1]) ? NULL : "no float format of this width";
    case OP_SHAPE_F2I:
        if (arg_width[0] != OP_RM_WIDTH)
            return "a rounding mode has width 3";
        return is_float_width(arg_width[1]) ? NULL : "no float format of this width";
    case OP_SHAPE_I2F:
        if (arg_width[0] != OP_RM_WIDTH)
            return "a rounding mode has width 3";
        return is_float_width(width) ? NULL : "no float format of this width";
    }
    return "unknown operator";
}
