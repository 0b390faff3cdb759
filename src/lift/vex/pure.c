/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/pure.h"

#include <assert.h>
#include <string.h>

#include "lift/lift.h"
#include "lift/vex/pure_eval.h"

/* Approximations that Intel and AMD processors make differently. */
#define vex_eval_X86_RCPSS NULL
#define vex_eval_X86_RSQRTSS NULL

static const struct pure table[] = {
#include "pure_generic.inc"
#define VEX_PURE_ROW(id, name, width, nargs, ...) {name, width, {__VA_ARGS__}, nargs, vex_eval_##id},
    VEX_PURE_TABLE(VEX_PURE_ROW)
#undef VEX_PURE_ROW
};

_Static_assert(sizeof table / sizeof table[0] == VEX_PURE_COUNT_, "one row for each operator and each named function");

struct ir_pures lift_pures(void)
{
    return (struct ir_pures){table, VEX_PURE_COUNT_};
}

int vex_pure_index(const char *name)
{
    int low = VEX_PURE_BEFORE_ + 1, high = VEX_PURE_COUNT_;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(name, table[middle].name);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

ir_val vex_pure_call(struct vex_ctx *c, unsigned index, const ir_val *arg, unsigned nargs)
{
    assert(index < VEX_PURE_COUNT_ && nargs == table[index].nargs);
    ir_val x = vex_pure_lower(c, index, arg);
    return x != IR_NONE ? x : ir_pure(c->b, index, table[index].width, arg, nargs);
}
