/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators compute, for Arm guests, what the cases in arm_cases.txt say (its path is the first argument). */
#include "eval.h"

#include <stdio.h>
#include <string.h>

static const char *cases_file;

static IROp op_named(const char *name)
{
    for (int op = Iop_INVALID + 1; op < Iop_LAST; op++)
        if (strcmp(vex_op_name((IROp)op), name) == 0)
            return (IROp)op;
    fail_msg("no operator is called %s", name);
    return Iop_INVALID;
}

static struct bits number(const char *text, unsigned width)
{
    struct bits x = {{0}};
    if (text == NULL || strncmp(text, "0x", 2) != 0 || !bits_parse_hex(text + 2, strlen(text + 2), width, &x))
        fail_msg("not a number of %u bits: %s", width, text ? text : "(nothing)");
    return x;
}

static void recorded_cases_hold(void **state)
{
    (void)state;
    FILE *f = fopen(cases_file, "r");
    assert_non_null(f);
    struct eval *arm64 = eval_new(MACHINE_ARM64), *arm = eval_new(MACHINE_ARM);
    char line[1024];
    unsigned count = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        if (line[0] == '#')
            continue;
        struct eval *e = strcmp(strtok(line, " \n"), "arm64") == 0 ? arm64 : arm;
        IROp op = op_named(strtok(NULL, " \n"));
        struct bits arg[4];
        for (unsigned i = 0; i < eval_arity(op); i++)
            arg[i] = number(strtok(NULL, " \n"), eval_arg_width(op, i));
        assert_string_equal(strtok(NULL, " \n"), "=");
        eval_check(e, op, arg, number(strtok(NULL, " \n"), eval_result_width(op)));
        count++;
    }
    fclose(f);
    eval_free(arm64);
    eval_free(arm);
    assert_true(count > 900);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    cases_file = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_cases_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
