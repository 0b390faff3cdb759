/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random expressions mean the same with all rules and with none; what is built is a normal form; known bits
 * hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "recipe.h"

static const unsigned widths[] = {1, 2, 3, 4, 5, 7, 8, 8, 16, 32, 64, 128, 200};

static void explain(struct terms *t, const struct recipe *p, term x, term y)
{
    fprintf(stderr, "recipe:\n");
    for (unsigned i = 0; i < p->n; i++) {
        const struct step *s = &p->step[i];
        char hex[160];
        bits_format_hex(s->value, s->width, hex, sizeof hex);
        if (s->op == STEP_CONST)
            fprintf(stderr, "  s%u:%u = %s\n", i, s->width, hex);
        else if (s->op == STEP_VAR)
            fprintf(stderr, "  s%u:%u = v%u\n", i, s->width, s->lo);
        else
            fprintf(stderr, "  s%u:%u = %s s%u s%u s%u lo %u\n", i, s->width, op_info[s->op].name, s->kid[0],
                    s->kid[1], s->kid[2], s->lo);
    }
    struct buf b = BUF_INIT;
    term_print(&b, t, x);
    buf_puts(&b, "\nis not\n");
    term_print(&b, t, y);
    fprintf(stderr, "%s\n", buf_text(&b));
    buf_free(&b);
}

static bool known_holds(struct terms *t, term x, struct bits v)
{
    struct term_known k = term_known(t, x);
    for (unsigned i = 0; i < OP_MAX_WIDTH / 64; i++) {
        if ((k.zero.w[i] & v.w[i]) || (k.one.w[i] & ~v.w[i]))
            return false;
    }
    return true;
}

static void check_one(struct terms *t, struct rng *r, unsigned width)
{
    struct recipe p;
    term plain[RECIPE_MAX], full[RECIPE_MAX];
    recipe_random(&p, r, width, 4 + rng_below(r, 12));
    all_rules(t, false);
    term x = recipe_build(t, &p, plain);
    all_rules(t, true);
    term y = recipe_build(t, &p, full);
    for (unsigned k = 0; k < 6; k++) {
        struct term_model *m = term_model_new();
        struct bits a, b;
        random_model(t, m, r, x);
        assert_true(term_eval(t, m, x, &a));
        assert_true(term_eval(t, m, y, &b));
        if (!bits_eq(a, b) || !known_holds(t, x, a) || !known_holds(t, y, b)) {
            explain(t, &p, x, y);
            fail_msg("%s",
                     bits_eq(a, b) ? "a bit said to be known is not so" : "rewriting changed the value");
        }
        term_model_free(m);
    }
    term z = rebuild_all(t, y);
    if (z != y) {
        explain(t, &p, y, z);
        fail_msg("not a normal form: built again it becomes another term");
    }
}

static void test_rules_keep_meaning(void **state)
{
    (void)state;
    const char *rounds_text = getenv("TERM_FUZZ_ROUNDS"), *seed = getenv("TERM_FUZZ_SEED");
    unsigned long rounds = rounds_text ? strtoul(rounds_text, NULL, 10) : 100000;
    struct rng r = {seed ? strtoull(seed, NULL, 10) : 0x5eed};
    struct terms *t = terms_new();
    for (unsigned long i = 0; i < rounds; i++) {
        if (i % 2000 == 1999) {
            terms_free(t);
            t = terms_new();
        }
        check_one(t, &r, widths[rng_below(&r, sizeof widths / sizeof *widths)]);
    }
    terms_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules_keep_meaning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
