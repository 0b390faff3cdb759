/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every operator of libVEX becomes well-formed IR of the right width for every guest. */
#include "eval.h"

#include <string.h>

static const enum machine_arch guests[] = {MACHINE_AMD64, MACHINE_X86, MACHINE_ARM, MACHINE_ARM64};

static bool computes(IROp op)
{
    /* Approximations that x86 processors make differently have no concrete meaning. */
    return vex_op_known(op) && strstr(vex_op_name(op), "Est32F") == NULL;
}

static void every_operator_becomes_well_formed_code(void **state)
{
    (void)state;
    for (size_t g = 0; g < sizeof guests / sizeof guests[0]; g++) {
        struct eval *e = eval_new(guests[g]);
        for (int op = Iop_INVALID + 1; op < Iop_LAST; op++) {
            struct bits arg[4];
            for (unsigned i = 0; i < eval_arity((IROp)op); i++)
                arg[i] = eval_operand(e, eval_arg_width((IROp)op, i), eval_arg_width((IROp)op, i));
            if (computes((IROp)op))
                eval_op(e, (IROp)op, arg);
            else
                eval_lower(e, (IROp)op);
        }
        eval_free(e);
    }
}

/* What our guests' front ends emit has a meaning; what only other processors have is let be. */
static const char *const foreign[] = {
    "D32", "D64", "D128", "DPB", "BCD", "bcd", "r32", "F128toI128", "RndF128", "TruncF128", "RSqrtEst5Good", "F64toF64",
    "TruncF64asF32", "RoundF64toF32", "Scale2_", "Log2_", "Exp2_", "F16toF64x2", "F64toF16x2", "toQ", "PolynomialMulAdd",
    "BitMatrix", "PackOdd", "PackEven", "Perm8x16x2", "MultU64", "Cipher", "SHA", "bitswap",
};

static bool is_foreign(const char *name)
{
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (strstr(name, foreign[i]) != NULL)
            return true;
    return name[strspn(name, "0123456789")] == '\0'; /* libVEX itself has no name for it */
}

static void only_operators_of_other_processors_lack_a_meaning(void **state)
{
    (void)state;
    for (int op = Iop_INVALID + 1; op < Iop_LAST; op++)
        if (!vex_op_known((IROp)op) && !is_foreign(vex_op_name((IROp)op)))
            fail_msg("%s has no meaning", vex_op_name((IROp)op));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_becomes_well_formed_code),
        cmocka_unit_test(only_operators_of_other_processors_lack_a_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
