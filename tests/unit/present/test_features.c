/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments: two modules of input.c, without and with optimisation, then objects made from it by other
 * compilers. */
#include <string.h>

#include "base/buf.h"
#include "present/feature.h"
#include "test.h"

static int nobjects;
static char **object, **module;

static struct features of_module(struct exprs *t, struct bitcode *m, const char *name)
{
    struct error err = {0};
    struct features f;
    if (!features_of_bitcode(t, m, bitcode_function(m, name, &err), NULL, &f, &err))
        fail_msg("%s", err.text);
    assert_true(f.complete);
    assert_int_equal(f.unknown, 0);
    return f;
}

static struct features of_object(struct exprs *t, const char *path, const char *name, struct bitcode *known)
{
    struct error err = {0};
    struct features f;
    struct program *p = program_open(path, &(struct program_options){0}, &err);
    const struct flow_function *fn = p ? program_function(p, name, &err) : NULL;
    struct features_options opt = {.arity = features_arity_of_bitcode, .arity_ctx = known};
    if (!fn || !features_of_function(t, p, fn, &opt, &f, &err))
        fail_msg("%s", err.text);
    program_free(p);
    return f;
}

static void expect(struct exprs *t, const struct features *have, const struct features *want, unsigned kinds,
                   const char *file, const char *name)
{
    for (size_t i = 0; i < want->list.len; i++) {
        const struct feature *f = &want->list.data[i];
        if (!(kinds >> f->kind & 1) || features_have(have, f, false))
            continue;
        struct buf b = BUF_INIT;
        feature_print(&b, t, f);
        print_error("%s: %s has no %s\n", file, name, buf_text(&b));
        buf_clear(&b);
        for (size_t k = 0; k < have->list.len; k++) {
            buf_puts(&b, "  ");
            feature_print(&b, t, &have->list.data[k]);
            buf_putc(&b, '\n');
        }
        print_error("%s", buf_text(&b));
        buf_free(&b);
        fail();
    }
}

static const char *const names[] = {"checked_length", "new_item", "read_item"};

/* Compilers, levels and processors differ, the features do not. */
static void same_everywhere(void **state)
{
    (void)state;
    struct exprs *t = exprs_new();
    struct bitcode *m = bitcode_open(module[0], NULL), *fast = bitcode_open(module[1], NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct features want = of_module(t, m, names[i]), other = of_module(t, fast, names[i]);
        assert_true(want.list.len > 4);
        expect(t, &other, &want, 15, module[1], names[i]);
        expect(t, &want, &other, 15, module[1], names[i]);
        for (int k = 0; k < nobjects; k++) {
            struct features f = of_object(t, object[k], names[i], m);
            expect(t, &f, &want, 15, object[k], names[i]);
            features_free(&f);
        }
        features_free(&want);
        features_free(&other);
    }
    bitcode_free(m);
    bitcode_free(fast);
    exprs_free(t);
}

static bool has(struct exprs *t, const struct features *f, const char *text)
{
    for (size_t i = 0; i < f->list.len; i++) {
        struct buf b = BUF_INIT;
        feature_print(&b, t, &f->list.data[i]);
        bool same = strcmp(buf_text(&b), text) == 0;
        buf_free(&b);
        if (same)
            return true;
    }
    return false;
}

/* The four kinds, with strings read out, in the words of the paper. */
static void kinds(void **state)
{
    (void)state;
    struct exprs *t = exprs_new();
    struct bitcode *m = bitcode_open(module[0], NULL);
    struct features f = of_module(t, m, "checked_length");
    assert_true(has(t, &f, "return -2"));
    assert_true(has(t, &f, "return mem((arg0 + 4))"));
    assert_true(has(t, &f, "condition (arg0 == 0)"));
    assert_true(has(t, &f, "call report(\"length out of range\", mem((arg0 + 4)))"));
    for (size_t i = 0; i < f.list.len; i++)
        if (f.list.data[i].kind == FEATURE_RETURN)
            assert_int_not_equal(f.list.data[i].under, EXPR_NONE);
    features_free(&f);
    f = of_module(t, m, "set_level");
    assert_true(has(t, &f, "store &level = arg0"));
    features_free(&f);
    f = of_module(t, m, "count_kind");
    assert_true(has(t, &f, "condition (mem(arg0) == arg1)"));
    assert_true(f.executed <= 40); /* as often as there are ways, whatever the loop does */
    features_free(&f);
    bitcode_free(m);
    exprs_free(t);
}

/* A library function is given a float in a vector register, which is no address. */
static void floats_are_no_addresses(void **state)
{
    (void)state;
    struct exprs *t = exprs_new();
    struct bitcode *m = bitcode_open(module[0], NULL);
    for (int k = 0; k < nobjects; k++) {
        struct features f = of_object(t, object[k], "scale_of", m);
        assert_true(has(t, &f, "return -1"));
        features_free(&f);
    }
    bitcode_free(m);
    exprs_free(t);
}

int main(int argc, char **argv)
{
    module = argv + 1;
    object = argv + 3;
    nobjects = argc - 3;
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(same_everywhere),
                                       cmocka_unit_test(floats_are_no_addresses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
