/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a patch in an object? Arguments: modules of patch.c before and after, without optimisation and with;
 * then pairs of objects before and after. */
#include <string.h>

#include "base/buf.h"
#include "present/signature.h"
#include "test.h"

static char **module; /* old, new, old, new */
static char **object; /* old, new, old, new, ... */
static int nobjects;

static const char *const names[] = {"name_hash", "ladder", "verify_signer", "set_cofactor",
                                    "set_top",   "drop",   "finish"};
enum { NAMES = sizeof names / sizeof *names };

static struct features of_module(struct exprs *t, struct bitcode *m, const char *name)
{
    struct error err = {0};
    struct features f;
    if (!features_of_bitcode(t, m, bitcode_function(m, name, &err), NULL, &f, &err))
        fail_msg("%s", err.text);
    return f;
}

/* The references of the paper are compiled both ways: what inlining and loops do to one, they do not do to
 * the other. */
static enum signature_answer test(struct exprs *t, const struct signature *s, const struct features *target)
{
    struct signature_verdict a = signature_test(t, &s[0], target);
    return a.answer != SIGNATURE_NEITHER ? a.answer : signature_test(t, &s[1], target).paper;
}

static void decides(void **state)
{
    (void)state;
    struct exprs *t = exprs_new();
    struct bitcode *m[4];
    struct signature s[NAMES][2];
    struct error err = {0};
    unsigned right = 0, wrong = 0;
    for (int i = 0; i < 4; i++)
        assert_non_null(m[i] = bitcode_open(module[i], &err));
    for (size_t i = 0; i < NAMES; i++)
        for (int k = 0; k < 2; k++) {
            struct features old = of_module(t, m[2 * k], names[i]),
                            new = of_module(t, m[2 * k + 1], names[i]);
            assert_true(signature_make(t, &old, &new, NULL, &s[i][k]));
            /* A reference has its own side and not the other's. */
            assert_int_equal(signature_test(t, &s[i][k], &old).paper, SIGNATURE_OLD);
            assert_int_equal(signature_test(t, &s[i][k], &new).paper, SIGNATURE_NEW);
            features_free(&old);
            features_free(&new);
        }
    for (int o = 0; o < nobjects; o++) {
        struct program *p = program_open(object[o], &(struct program_options){0}, &err);
        struct features_options opt = {.arity = features_arity_of_bitcode, .arity_ctx = m[1]};
        for (size_t i = 0; i < NAMES; i++) {
            struct features f;
            const struct flow_function *fn = p ? program_function(p, names[i], &err) : NULL;
            if (!fn || !features_of_function(t, p, fn, &opt, &f, &err))
                fail_msg("%s", err.text);
            bool ok = test(t, s[i], &f) == (o % 2 ? SIGNATURE_NEW : SIGNATURE_OLD);
            *(ok ? &right : &wrong) += 1;
            if (!ok)
                print_error("%s: %s is taken for the other\n", object[o], names[i]);
            features_free(&f);
        }
        program_free(p);
    }
    print_message("%u of %u right\n", right, right + wrong);
    assert_int_equal(wrong, 0);
    for (size_t i = 0; i < NAMES; i++)
        for (int k = 0; k < 2; k++)
            signature_free(&s[i][k]);
    for (int i = 0; i < 4; i++)
        bitcode_free(m[i]);
    exprs_free(t);
}

/* The example of the paper's section 3.2: only the number tells the two apart. */
static void refines(void **state)
{
    (void)state;
    struct exprs *t = exprs_new();
    struct bitcode *old = bitcode_open(module[0], NULL), *new = bitcode_open(module[1], NULL);
    struct features v = of_module(t, old, "set_top"), p = of_module(t, new, "set_top");
    struct signature s;
    assert_true(signature_make(t, &v, &p, NULL, &s));
    for (size_t i = 1; i < s.pair.len; i++) /* the rest is about where the two results are returned */
        assert_true(s.pair.data[i].place);
    struct buf b = BUF_INIT;
    feature_print(&b, t, &s.pair.data[0].old);
    buf_puts(&b, "; ");
    feature_print(&b, t, &s.pair.data[0].new);
    assert_string_equal(buf_text(&b), "condition (_ <s 65); condition (_ <s 64)");
    buf_free(&b);
    signature_free(&s);
    assert_false(signature_make(t, &v, &v, NULL, &s)); /* nothing tells equal versions apart */
    signature_free(&s);
    features_free(&v);
    features_free(&p);
    bitcode_free(old);
    bitcode_free(new);
    exprs_free(t);
}

/* Against every assignment there is. */
static unsigned best_of(const unsigned *w, size_t rows, size_t columns, size_t row, unsigned used)
{
    if (row == rows)
        return 0;
    unsigned best = best_of(w, rows, columns, row + 1, used);
    for (size_t k = 0; k < columns; k++)
        if (!(used >> k & 1)) {
            unsigned with = w[row * columns + k] + best_of(w, rows, columns, row + 1, used | 1u << k);
            best = with > best ? with : best;
        }
    return best;
}

static void assigns(void **state)
{
    (void)state;
    uint64_t seed = 77;
    for (int i = 0; i < 300; i++) {
        size_t rows = 1 + test_random(&seed) % 6, columns = 1 + test_random(&seed) % 6;
        unsigned w[36], sum = 0, used = 0;
        uint32_t partner[6];
        for (size_t k = 0; k < rows * columns; k++)
            w[k] = (unsigned)(test_random(&seed) % 8);
        assign_best(w, rows, columns, partner);
        for (size_t k = 0; k < rows; k++) {
            if (partner[k] == UINT32_MAX)
                continue;
            assert_true(partner[k] < columns);
            assert_false(used >> partner[k] & 1);
            used |= 1u << partner[k];
            sum += w[k * columns + partner[k]];
        }
        assert_int_equal(sum, best_of(w, rows, columns, 0, 0));
    }
}

/* A condition that is there already moves above what was under another: the patch adds to it, although it has
 * no feature that is new by itself. */
static void not_only_taken_away(void **state)
{
    (void)state;
    struct exprs *t = exprs_new();
    struct signature s;
    struct features old = {0}, new = {0};
    expr x = expr_leaf(t, EXPR_ARG, NULL, 0), zero = expr_const(t, 0), ten = expr_const(t, 10);
    expr none = expr_op(t, OP_EQ, (expr[]){x, zero}, 2), few = expr_op(t, OP_ULT, (expr[]){x, ten}, 2),
         call = expr_call(t, "take", &x, 1);
    struct feature condition = {.kind = FEATURE_CONDITION, .what = few},
                   gone = {.kind = FEATURE_CONDITION, .what = none},
                   take = {.kind = FEATURE_CALL, .what = call, .under = none};
    vec_push(&old.list, condition);
    vec_push(&old.list, gone);
    vec_push(&new.list, condition);
    assert_true(signature_make(t, &old, &new, NULL, &s));
    assert_true(s.deletion);
    signature_free(&s);
    vec_push(&old.list, take);
    take.under = few;
    vec_push(&new.list, take);
    assert_true(signature_make(t, &old, &new, NULL, &s));
    assert_false(s.deletion);
    signature_free(&s);
    features_free(&old);
    features_free(&new);
    exprs_free(t);
}

int main(int argc, char **argv)
{
    module = argv + 1;
    object = argv + 5;
    nobjects = argc - 5;
    const struct CMUnitTest tests[] = {cmocka_unit_test(assigns), cmocka_unit_test(refines),
                                       cmocka_unit_test(decides), cmocka_unit_test(not_only_taken_away)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
