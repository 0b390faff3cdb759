/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/buf.h"
#include "present/expr.h"
#include "test.h"

static int set_up(void **state)
{
    *state = exprs_new();
    return 0;
}

static int tear_down(void **state)
{
    exprs_free(*state);
    return 0;
}

static expr arg(struct exprs *t, int i)
{
    return expr_leaf(t, EXPR_ARG, NULL, i);
}

static expr op(struct exprs *t, enum op o, expr x, expr y)
{
    return expr_op(t, o, (expr[]){x, y}, 2);
}

static void is_printed(struct exprs *t, expr x, const char *want)
{
    struct buf b = BUF_INIT;
    expr_print(&b, t, x);
    assert_string_equal(buf_text(&b), want);
    buf_free(&b);
}

static void sums(void **state)
{
    struct exprs *t = *state;
    expr a = arg(t, 0), b = arg(t, 1), c2 = expr_const(t, 2), c3 = expr_const(t, 3);
    assert_int_equal(op(t, OP_ADD, a, b), op(t, OP_ADD, b, a));
    assert_int_equal(op(t, OP_ADD, op(t, OP_ADD, a, c2), op(t, OP_ADD, b, c3)),
                     op(t, OP_ADD, op(t, OP_ADD, b, a), expr_const(t, 5)));
    assert_int_equal(op(t, OP_SUB, op(t, OP_ADD, a, c3), c3), a);
    assert_int_equal(op(t, OP_SUB, a, op(t, OP_SUB, c2, b)), op(t, OP_SUB, op(t, OP_ADD, a, b), c2));
    assert_int_not_equal(op(t, OP_SUB, a, b), op(t, OP_SUB, b, a));
    is_printed(t, op(t, OP_ADD, c2, a), "(arg0 + 2)");
    is_printed(t, op(t, OP_ADD, c2, c3), "5");
}

static void conditions(void **state)
{
    struct exprs *t = *state;
    expr a = arg(t, 0), b = arg(t, 1), c = expr_const(t, 9), less = op(t, OP_ULT, a, b);
    /* a < b and a >= b are one branch, and so are a > 9, a >= 10, a < 10 and a <= 9. */
    assert_int_equal(expr_branch(t, op(t, OP_ULE, b, a)), less);
    expr ten = op(t, OP_SLT, a, expr_const(t, 10));
    assert_int_equal(expr_branch(t, op(t, OP_SLT, c, a)), ten);
    assert_int_equal(expr_branch(t, op(t, OP_SLE, expr_const(t, 10), a)), ten);
    assert_int_equal(expr_branch(t, op(t, OP_SLE, a, c)), ten);
    assert_int_not_equal(op(t, OP_SLT, a, b), less);
    assert_int_equal(op(t, OP_EQ, a, b), op(t, OP_EQ, b, a));
    /* One comparison for two. */
    expr sixteen = expr_const(t, 16);
    assert_int_equal(op(t, OP_ULT, op(t, OP_OR, a, b), sixteen),
                     op(t, OP_AND, op(t, OP_ULT, a, sixteen), op(t, OP_ULT, b, sixteen)));
    is_printed(t, op(t, OP_EQ, expr_const(t, 0), a), "(arg0 == 0)");
}

/* Compilers test both ends of a range at once, from inside or from outside. */
static void ranges(void **state)
{
    struct exprs *t = *state;
    expr a = arg(t, 0);
    expr inside = op(t, OP_ULT, op(t, OP_ADD, a, expr_const(t, -3)), expr_const(t, 698)),
         outside = op(t, OP_ULT, op(t, OP_ADD, a, expr_const(t, -701)), expr_const(t, -698));
    assert_int_equal(expr_branch(t, outside), expr_branch(t, inside));
    assert_int_not_equal(outside, inside);
    /* by the carry of x - 701 + 698 */
    expr carry = op(t, OP_ULT, op(t, OP_ADD, a, expr_const(t, -3)), op(t, OP_ADD, a, expr_const(t, -701)));
    assert_int_equal(carry, inside);
    assert_int_equal(
        op(t, OP_ULT, op(t, OP_ADD, a, expr_const(t, -701)), op(t, OP_ADD, a, expr_const(t, -3))), outside);
    /* x - 501 < -501 is x >= 501 and nothing else */
    expr above = op(t, OP_ULT, op(t, OP_ADD, a, expr_const(t, -501)), expr_const(t, -501));
    assert_int_equal(expr_branch(t, above), op(t, OP_ULT, a, expr_const(t, 501)));
}

static void patterns(void **state)
{
    struct exprs *t = *state;
    expr a = arg(t, 0), any = expr_any(t), two = expr_const(t, 2);
    expr top = expr_call(t, "bn_get_top", &a, 1), more = op(t, OP_ADD, top, two);
    expr call = expr_call(t, "bn_wexpand", (expr[]){a, more}, 2);
    expr general = expr_call(t, "bn_wexpand", (expr[]){any, op(t, OP_ADD, any, two)}, 2);
    assert_true(expr_matches(t, general, call));
    assert_false(expr_matches(t, call, general));
    assert_true(expr_matches(t, any, call));
    expr one = expr_call(t, "bn_wexpand", (expr[]){a, op(t, OP_ADD, top, expr_const(t, 1))}, 2);
    assert_false(expr_matches(t, general, one));
    /* Definitions 3.3 and 3.4. */
    assert_int_equal(expr_complexity(t, any), 0);
    assert_int_equal(expr_complexity(t, general), 3);
    assert_int_equal(expr_complexity(t, call), 6);
    assert_int_equal(expr_similarity(t, call, one), 5);
    assert_int_equal(expr_similarity(t, a, two), 0);
    is_printed(t, call, "bn_wexpand(arg0, (bn_get_top(arg0) + 2))");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(sums, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(conditions, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(ranges, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(patterns, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
