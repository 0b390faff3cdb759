/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adapters as terms, as numbers and as text mean the same; every adapter of a family is met once. */
#include "test.h"

#include <string.h>

#include "adapt/internal.h"

static void test_values(void **state)
{
    (void)state;
    for (unsigned width = 32; width <= 64; width += 32) {
        struct adapt a = {.t = terms_new(), .width = width};
        for (uint64_t n = 0; n < 2000; n++) {
            uint64_t arg[2] = {test_word(n * 5, width), test_word(n * 5 + 1, width)}, want;
            struct adapt_value v = {.conversion = (uint8_t)(n % ADAPT_CONVERSIONS),
                                    .two = n % 3 == 0,
                                    .arg = n % 2,
                                    .arg2 = (n + 1) % 2,
                                    .scale = n % 7 ? test_word(n * 5 + 2, width) : 0,
                                    .scale2 = test_word(n * 5 + 3, width),
                                    .constant = test_word(n * 5 + 4, width)};
            if (width == 32 &&
                (v.conversion == ADAPT_S32 || v.conversion == ADAPT_Z32 || v.conversion == ADAPT_BOOL32))
                continue;
            term given[2] = {term_const(a.t, width, arg[0]), term_const(a.t, width, arg[1])};
            assert_true(term_const_u64(a.t, value_term(&a, &v, given), &want));
            assert_int_equal(value_number(&v, width, arg), want);
        }
        terms_free(a.t);
    }
}

static void test_text(void **state)
{
    (void)state;
    static const struct {
        struct adapt_value v;
        const char *text;
    } list[] = {
        {{.scale = 1}, "#0"},
        {{.constant = 255}, "255"},
        {{.constant = UINT64_MAX}, "-1"},
        {{.scale = UINT64_MAX, .arg = 1, .constant = 4}, "-#1 + 4"},
        {{.scale = 1, .arg = 2, .conversion = ADAPT_S32}, "32-to-64S(#2)"},
        {{.scale = 1, .conversion = ADAPT_Z8}, "8-to-64Z(#0)"},
        {{.scale = 1, .conversion = ADAPT_BOOL}, "(#0 != 0)"},
        {{.scale = 1, .two = true, .arg2 = 1, .scale2 = UINT64_MAX}, "#0 - #1"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct buf b = BUF_INIT;
        adapt_print_value(&b, &list[i].v, 64, "#");
        assert_string_equal(buf_text(&b), list[i].text);
        buf_free(&b);
    }
}

static bool same_value(const struct adapt_value *x, const struct adapt_value *y)
{
    return x->conversion == y->conversion && x->two == y->two && x->arg == y->arg && x->arg2 == y->arg2 &&
           x->scale == y->scale && x->scale2 == y->scale2 && x->constant == y->constant;
}

/* Arguments of the target that it does not look at are not among the choices. */
static void test_enumeration(void **state)
{
    (void)state;
    static const uint64_t constant[] = {0, 1, 10};
    struct adapt a = {
        .width = 64,
        .target = {.nargs = 3, .shape = {.words = 3}, .nuse = 2, .nuse_words = 2, .use = {0, 2}},
        .inner = {.nargs = 2, .shape = {.words = 2}, .used = {true, true}}};
    static const uint64_t counts[] = {[STAGE_PERMUTE] = 9, [STAGE_SUBSTITUTE] = 25};
    for (unsigned stage = STAGE_PERMUTE; stage <= STAGE_SUBSTITUTE; stage++) {
        uint64_t n = form_count(&a, stage, false, 3);
        assert_int_equal(n, counts[stage]);
        struct adapter all[25];
        for (uint64_t i = 0; i < n; i++) {
            form_nth(&a, stage, false, constant, 3, i, &all[i]);
            for (unsigned k = 0; k < 2; k++)
                assert_true(stage == STAGE_PERMUTE || !all[i].arg[k].scale || all[i].arg[k].arg != 1);
            for (uint64_t j = 0; j < i; j++)
                assert_false(same_value(&all[i].arg[0], &all[j].arg[0]) &&
                             same_value(&all[i].arg[1], &all[j].arg[1]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_enumeration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
