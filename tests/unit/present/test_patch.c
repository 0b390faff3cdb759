/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading and applying diffs; a reference as bytes and back; proofs. */
#include <string.h>

#include "present/cache.h"
#include "present/patch.h"
#include "present/prove.h"
#include "test.h"

static const char diff[] = "From someone\n--- a/x.c\t2024\n+++ b/x.c\n@@ -2,3 +2,4 @@ int f(void)\n "
                           "two\n-three\n+THREE\n+more\n four\n"
                           "--- /dev/null\n+++ b/y.c\n@@ -0,0 +1 @@\n+new\n";

static void applies(const char *text, bool reverse, const char *want)
{
    struct patch p;
    struct error err = {0};
    struct buf out = BUF_INIT;
    assert_true(patch_read(&p, "d", diff, sizeof diff - 1, &err));
    assert_int_equal(p.file.len, 2);
    assert_null(p.file.data[1].old_path);
    assert_int_equal(patch_apply(&p, &p.file.data[0], text, strlen(text), reverse, &out, &err), want != NULL);
    if (want)
        assert_string_equal(buf_text(&out), want);
    else
        assert_non_null(strstr(err.text, "hunk 1 of b/x.c"));
    buf_free(&out);
    patch_free(&p);
}

static void patches(void **state)
{
    (void)state;
    applies("one\ntwo\nthree\nfour\nfive\n", false, "one\ntwo\nTHREE\nmore\nfour\nfive\n");
    /* moved, without an end of the last line, with other ends of lines; backwards */
    applies("0\n0\n0\none\ntwo\nthree\nfour", false, "0\n0\n0\none\ntwo\nTHREE\nmore\nfour");
    applies("one\r\ntwo\r\nthree\r\nfour\r\n", false, "one\r\ntwo\r\nTHREE\nmore\nfour\r\n");
    applies("one\ntwo\nTHREE\nmore\nfour\n", true, "one\ntwo\nthree\nfour\n");
    applies("one\ntwo\n3\nfour\n", false, NULL);
    applies("", false, NULL);
    assert_string_equal(patch_path("a/src/x.c", 1), "src/x.c");
    assert_null(patch_path("a/../../x.c", 1));
    assert_null(patch_path("/etc/passwd", 0));
    assert_null(patch_path("x.c", 1));
}

/* Whatever is cut off a diff, there is an answer. */
static void cut_diffs(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof diff; n++) {
        struct patch p;
        struct error err = {0};
        if (!patch_read(&p, "d", diff, n, &err))
            assert_int_equal(err.kind, ERROR_INPUT);
        patch_free(&p);
    }
}

static void bytes(void **state)
{
    (void)state;
    struct exprs *e = exprs_new();
    struct reference r, back;
    struct buf out = BUF_INIT;
    expr a = expr_leaf(e, EXPR_ARG, NULL, 0), call = expr_call(e, "f", (expr[]){a, expr_const(e, -7)}, 2);
    reference_init(&r, e);
    struct reference_variant v = {.how = "-O0", .bits = 64};
    vec_push(&v.old.list,
             (struct feature){.kind = FEATURE_CALL, .what = call, .site = 1 << 20, .file = "x.c", .line = 3});
    vec_push(&v.new.list, (struct feature){.kind = FEATURE_RETURN, .what = a, .under = call});
    struct reference_function f = {.name = "g"};
    vec_push(&f.variant, v);
    vec_push(&r.function, f);
    strmap_set(&r.arity, "f", 2);
    reference_write(&r, &out);
    reference_init(&back, e);
    assert_true(reference_read(&back, (const uint8_t *)out.data, out.len));
    assert_int_equal(reference_arity(&back, "f"), 2);
    const struct reference_variant *w = &back.function.data[0].variant.data[0];
    assert_int_equal(w->bits, 64);
    assert_int_equal(w->old.list.data[0].what, call);
    assert_string_equal(w->old.list.data[0].file, "x.c");
    assert_int_equal(w->new.list.data[0].under, call);
    reference_free(&back);
    /* damaged or cut off: refused, or something else, but never worse */
    for (size_t i = 0; i < out.len; i++) {
        reference_init(&back, e);
        assert_false(reference_read(&back, (const uint8_t *)out.data, i));
        reference_free(&back);
        out.data[i] ^= 0x55;
        reference_init(&back, e);
        (void)reference_read(&back, (const uint8_t *)out.data, out.len);
        reference_free(&back);
        out.data[i] ^= 0x55;
    }
    buf_free(&out);
    reference_free(&r);
    exprs_free(e);
}

static expr op(struct exprs *e, enum op o, expr x, expr y)
{
    return expr_op(e, o, (expr[]){x, y}, 2);
}

static bool proved(struct exprs *e, expr x, expr y)
{
    struct prover *p = prover_new(e);
    struct feature a = {.kind = FEATURE_CONDITION, .what = x}, b = {.kind = FEATURE_CONDITION, .what = y};
    bool r = prover_instance(p, &a, &b);
    prover_free(p);
    return r;
}

static void proofs(void **state)
{
    (void)state;
    struct exprs *e = exprs_new();
    expr x = expr_leaf(e, EXPR_ARG, NULL, 0), y = expr_leaf(e, EXPR_ARG, NULL, 1), two = expr_const(e, 2),
         four = expr_const(e, 4);
    /* x & ~3 == 0 is x < 4, in another form */
    assert_true(
        proved(e, op(e, OP_ULT, x, four),
               expr_op(e, OP_EQ, (expr[]){op(e, OP_AND, x, expr_const(e, -4)), expr_const(e, 0)}, 2)));
    assert_false(proved(e, op(e, OP_ULT, x, four), op(e, OP_ULT, x, expr_const(e, 5))));
    /* what is in memory is the same when its address is proved to be */
    expr twice = op(e, OP_MUL, x, two), shifted = op(e, OP_SHL, x, expr_const(e, 1));
    assert_true(proved(e, op(e, OP_EQ, expr_mem(e, op(e, OP_ADD, y, twice)), four),
                       op(e, OP_EQ, expr_mem(e, op(e, OP_ADD, y, shifted)), four)));
    assert_false(proved(e, op(e, OP_EQ, expr_mem(e, x), four), op(e, OP_EQ, expr_mem(e, y), four)));
    exprs_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(patches), cmocka_unit_test(cut_diffs),
                                       cmocka_unit_test(bytes), cmocka_unit_test(proofs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
