/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every rule is proved on instances: they are built without any rule, with this rule alone and with all
 * rules; the three must be equal for all values. Small widths by trying all values, larger ones by asking Z3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances.h"
#include "recipe.h"
#include "z3_terms.h"

static const struct {
    const char *rule;
    unsigned least, greatest;
    const char *text;
} instance[] = {
#define INSTANCE(rule, least, greatest, text) {#rule, least, greatest, text},
    INSTANCES(INSTANCE)
#undef INSTANCE
};

enum { INSTANCE_COUNT = sizeof instance / sizeof *instance };

/* ---- reading instances ---- */

struct reader {
    struct terms *t;
    const char *at;
    unsigned width;
};

static term read_term(struct reader *r);

static void word(struct reader *r, char *out, size_t cap)
{
    size_t n = 0;
    while (*r->at == ' ')
        r->at++;
    while (*r->at && *r->at != ' ' && *r->at != ')' && *r->at != '(' && n + 1 < cap)
        out[n++] = *r->at++;
    out[n] = 0;
}

/* 5, W, 2W, W+1, 2W-1 */
static unsigned size_of(struct reader *r, const char *s)
{
    char *end;
    unsigned long n = strtoul(s, &end, 10);
    if (*end != 'W')
        return (unsigned)n;
    unsigned v = end == s ? r->width : (unsigned)n * r->width;
    return end[1] ? (unsigned)((int)v + atoi(end + 1)) : v;
}

static unsigned size(struct reader *r)
{
    char s[32];
    word(r, s, sizeof s);
    return size_of(r, s);
}

static term constant(struct reader *r, char *s)
{
    char *colon = strchr(s, ':');
    unsigned width = colon ? size_of(r, colon + 1) : r->width;
    if (colon)
        *colon = 0;
    struct bits v = {{0}};
    v.w[(width - 1) / 64] = UINT64_C(1) << (width - 1) % 64;
    if (strcmp(s, "min") == 0)
        return term_const_bits(r->t, width, v);
    if (strcmp(s, "max") == 0)
        return term_const_bits(r->t, width, bits_apply(OP_NOT, width, &v, &width, 0));
    long n = strtol(s, NULL, 10);
    v = bits_u64((uint64_t)labs(n), width);
    return term_const_bits(r->t, width, n < 0 ? bits_apply(OP_NEG, width, &v, &width, 0) : v);
}

static term variable(struct reader *r, const char *s)
{
    unsigned half = r->width > 1 ? r->width / 2 : 1;
    if (strchr("mn", *s))
        return term_array_var(r->t, s, r->width, 8);
    return term_var(r->t, s,
                    strchr("pq", *s)    ? half
                    : strchr("bde", *s) ? 1
                    : strchr("uv", *s)  ? 8
                                        : r->width);
}

static term list(struct reader *r)
{
    char op[32];
    term kid[OP_MAX_ARITY] = {0}, x;
    unsigned n = 0, a, b;
    word(r, op, sizeof op);
    if (strcmp(op, "extract") == 0) {
        a = size(r);
        b = size(r);
        x = term_extract(r->t, read_term(r), b, a - b + 1);
    } else if (strcmp(op, "zext") == 0 || strcmp(op, "sext") == 0) {
        a = size(r);
        x = read_term(r);
        x = *op == 'z' ? term_zext(r->t, x, a) : term_sext(r->t, x, a);
    } else if (strcmp(op, "read") == 0) {
        a = size(r);
        kid[0] = read_term(r);
        x = term_read(r->t, kid[0], read_term(r), a);
    } else if (strcmp(op, "aconst") == 0) {
        x = term_array_const(r->t, r->width, read_term(r));
    } else {
        while (*r->at != ')')
            kid[n++] = read_term(r);
        if (strcmp(op, "write") == 0)
            x = term_write(r->t, kid[0], kid[1], kid[2]);
        else if (strcmp(op, "aite") == 0 || strcmp(op, "ite") == 0)
            x = term_ite(r->t, kid[0], kid[1], kid[2]);
        else {
            unsigned i = 0;
            while (i < OP_COUNT_ && strcmp(op_info[i].name, op) != 0)
                i++;
            assert_true(i < OP_COUNT_);
            x = n == 1 ? term_un(r->t, (enum op)i, kid[0]) : term_bin(r->t, (enum op)i, kid[0], kid[1]);
        }
    }
    assert_int_equal(*r->at, ')');
    r->at++;
    return x;
}

static term read_term(struct reader *r)
{
    char s[32];
    while (*r->at == ' ')
        r->at++;
    if (*r->at == '(') {
        r->at++;
        return list(r);
    }
    word(r, s, sizeof s);
    return *s == '#' ? constant(r, s + 1) : variable(r, s);
}

static term build(struct terms *t, const char *text, unsigned width)
{
    struct reader r = {t, text, width};
    return read_term(&r);
}

/* ---- comparing ---- */

enum { EXHAUSTIVE_BITS = 8 };

static bool has_arrays(struct terms *t, const term *symbol, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (term_is_array(t, symbol[i]))
            return true;
    }
    return false;
}

/* Equal for all values of the symbols of x? False also means: too many values to try. */
static bool tried_all(struct terms *t, term x, term y, bool *equal)
{
    term symbol[16];
    size_t n = term_symbols(t, x, symbol, 16);
    unsigned bits = 0;
    for (size_t i = 0; i < n; i++)
        bits += term_width(t, symbol[i]);
    if (bits > EXHAUSTIVE_BITS || has_arrays(t, symbol, n))
        return false;
    *equal = true;
    struct term_model *m = term_model_new();
    for (uint64_t v = 0; v < UINT64_C(1) << bits && *equal; v++) {
        uint64_t rest = v;
        for (size_t i = 0; i < n; i++) {
            term_model_set(m, symbol[i], bits_u64(rest, term_width(t, symbol[i])));
            rest >>= term_width(t, symbol[i]);
        }
        struct bits a, b;
        *equal = term_eval(t, m, x, &a) && term_eval(t, m, y, &b) && bits_eq(a, b);
    }
    term_model_free(m);
    return true;
}

struct tally {
    struct z3 *z3;
    unsigned proved, unanswered, wrong, silent;
};

static void compare(struct terms *t, term x, term y, unsigned width, const char *text, struct tally *tally)
{
    bool equal;
    enum z3_verdict v;
    if (x == y || tried_all(t, x, y, &equal))
        v = x == y || equal ? Z3_SAME : Z3_DIFFERENT;
    else
        v = z3_compare(tally->z3, t, x, y, 2000000);
    tally->proved += v == Z3_SAME;
    tally->unanswered += v == Z3_NO_ANSWER;
    if (v == Z3_DIFFERENT) {
        print_error("%s at width %u: not equal to what it was rewritten to\n", text, width);
        tally->wrong++;
    }
}

static size_t rule_number(const char *name)
{
    for (size_t i = 0; i < term_rule_count(); i++) {
        if (strcmp(term_rule(i).name, name) == 0)
            return i;
    }
    fail_msg("no rule is called %s", name);
    return 0;
}

static const unsigned widths[] = {1, 2, 3, 4, 7, 8, 16, 32, 64, 128};

static void check_instance(size_t i, struct tally *tally)
{
    size_t rule = rule_number(instance[i].rule);
    const char *text = instance[i].text;
    unsigned tried = 0;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        unsigned width = widths[k];
        if (width < instance[i].least || width > instance[i].greatest)
            continue;
        struct terms *t = terms_new();
        static const char *const order[] = {"x", "y", "z", "w"};
        for (unsigned v = 0; v < 4; v++)
            term_var(t, order[v], width);
        all_rules(t, false);
        term plain = build(t, text, width);
        terms_rule_enable(t, rule, true);
        term alone = build(t, text, width);
        all_rules(t, true);
        uint64_t before = terms_rule_fired(t, rule);
        term full = build(t, text, width);
        if (terms_rule_fired(t, rule) == before) {
            print_error("rule %s does not fire on %s at width %u\n", instance[i].rule, text, width);
            tally->silent++;
        }
        compare(t, plain, full, width, text, tally);
        if (alone != full && width <= 8)
            compare(t, plain, alone, width, text, tally);
        tried++;
        terms_free(t);
    }
    assert_true(tried > 0);
}

static void test_each_rule_holds(void **state)
{
    (void)state;
    struct tally tally = {.z3 = z3_new()};
    for (size_t i = 0; i < INSTANCE_COUNT; i++)
        check_instance(i, &tally);
    z3_free(tally.z3);
    print_message("%u equalities proved, %u without an answer\n", tally.proved, tally.unanswered);
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.silent, 0);
    assert_true(tally.unanswered * 50 < tally.proved);
}

static void test_each_rule_has_instances(void **state)
{
    (void)state;
    for (size_t r = 0; r < term_rule_count(); r++) {
        unsigned n = 0;
        for (size_t i = 0; i < INSTANCE_COUNT; i++)
            n += strcmp(instance[i].rule, term_rule(r).name) == 0;
        if (n == 0)
            fail_msg("rule %s has no instance", term_rule(r).name);
    }
}

/* Random expressions at widths no one can try all values of. */
static void test_random_against_solver(void **state)
{
    (void)state;
    struct rng r = {0xa55a};
    struct tally tally = {.z3 = z3_new()};
    for (unsigned i = 0; i < 100; i++) {
        static const unsigned random_widths[] = {8, 16, 32, 64};
        struct terms *t = terms_new();
        struct recipe p;
        term out[RECIPE_MAX];
        recipe_random(&p, &r, random_widths[rng_below(&r, 4)], 4 + rng_below(&r, 8));
        for (unsigned k = 0; k < p.n;
             k++) { /* division and products of unknowns are not for a solver in a hurry */
            if (p.step[k].op >= OP_MUL && p.step[k].op <= OP_SREM)
                p.step[k].op = OP_SUB;
        }
        all_rules(t, false);
        term x = recipe_build(t, &p, out);
        all_rules(t, true);
        term y = recipe_build(t, &p, out);
        switch (z3_compare(tally.z3, t, x, y, 1000000)) {
        case Z3_SAME:
            tally.proved++;
            break;
        case Z3_DIFFERENT:
            fail_msg("random expression %u changed its meaning", i);
            break;
        default:
            tally.unanswered++;
            break;
        }
        terms_free(t);
    }
    z3_free(tally.z3);
    assert_true(tally.unanswered * 10 < tally.proved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rule_has_instances),
        cmocka_unit_test(test_each_rule_holds),
        cmocka_unit_test(test_random_against_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
