/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SMT-LIB text: what is printed is read back as the same term and understood by other solvers; what is wrong
 * is said with its place; hostile text costs an error and nothing else. */
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <z3.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "solve/solve.h"

/* ---- random terms ---- */

static const unsigned widths[] = {1, 7, 8, 16, 32, 64, 100};

struct source {
    struct terms *t;
    uint64_t seed;
    bool floats;
};

static unsigned pick(struct source *s, unsigned n)
{
    return (unsigned)(test_random(&s->seed) % n);
}

static term random_term(struct source *s, unsigned width, unsigned depth);

static term random_array(struct source *s, unsigned depth)
{
    struct terms *t = s->t;
    term m = term_array_var(t, pick(s, 2) ? "mem" : "other memory", 32, 8);
    if (!depth)
        return m;
    switch (pick(s, 4)) {
    case 0:
        return term_write(t, random_array(s, depth - 1), random_term(s, 32, depth - 1),
                          random_term(s, pick(s, 2) ? 8 : 32, depth - 1));
    case 1:
        return term_ite(t, random_term(s, 1, depth - 1), random_array(s, depth - 1), m);
    case 2: {
        term arg[] = {random_array(s, depth - 1), random_term(s, 32, depth - 1)};
        return term_apply_array(t, "after", 32, 8, arg, 2);
    }
    default:
        return pick(s, 3) ? m : term_array_const(t, 32, random_term(s, 8, 0));
    }
}

static term random_leaf(struct source *s, unsigned width)
{
    char name[32];
    if (pick(s, 3) == 0) {
        struct bits v = {0};
        for (unsigned i = 0; i < width; i++)
            v.w[i / 64] |= (uint64_t)pick(s, 2) << i % 64;
        return term_const_bits(s->t, width, v);
    }
    static const char *const style[] = {"x%u.%u", "a b %u.%u", "bvadd%u!%u", "$%u.%u"};
    snprintf(name, sizeof name, style[pick(s, 4)], pick(s, 2), width);
    return term_var(s->t, name, width);
}

static term random_term(struct source *s, unsigned width, unsigned depth)
{
    static const enum op unary[] = {OP_NOT, OP_NEG, OP_CLZ, OP_CTZ, OP_POPCNT};
    static const enum op compare[] = {OP_EQ, OP_ULT, OP_ULE, OP_SLT, OP_SLE};
    static const enum op round[] = {OP_FADD, OP_FMUL, OP_FDIV};
    struct terms *t = s->t;
    if (!depth)
        return random_leaf(s, width);
    depth--;
    switch (pick(s, width == 1 ? 11 : 10)) {
    case 0:
        return term_un(t, unary[pick(s, width > 64 ? 2 : 5)], random_term(s, width, depth));
    case 1:
        return term_ite(t, random_term(s, 1, depth), random_term(s, width, depth),
                        random_term(s, width, depth));
    case 2: {
        unsigned from = widths[pick(s, 7)];
        if (from > width)
            return term_extract(t, random_term(s, from, depth), pick(s, from - width + 1), width);
        return pick(s, 2) ? term_zext(t, random_term(s, from, depth), width)
                          : term_sext(t, random_term(s, from, depth), width);
    }
    case 3: {
        if (width == 1)
            return random_term(s, 1, depth);
        unsigned hi = 1 + pick(s, width - 1);
        return term_concat(t, random_term(s, hi, depth), random_term(s, width - hi, depth));
    }
    case 4:
        if (width % 8 == 0 && width <= 64)
            return term_read(t, random_array(s, depth), random_term(s, 32, depth), width);
        return random_leaf(s, width);
    case 5: {
        char name[32];
        term arg[] = {random_term(s, 8, depth), random_term(s, width, depth)};
        snprintf(name, sizeof name, "f%u", width);
        return term_apply(t, name, width, arg, 2);
    }
    case 6:
        if (s->floats && (width == 32 || width == 64)) {
            term arg[] = {random_term(s, OP_RM_WIDTH, 0), random_term(s, width, depth),
                          random_term(s, width, depth)};
            return term_op(t, round[pick(s, 3)], width, arg, 3);
        }
        return random_leaf(s, width);
    case 10: {
        unsigned w = widths[pick(s, 7)];
        return term_bin(t, compare[pick(s, 5)], random_term(s, w, depth), random_term(s, w, depth));
    }
    default:
        return term_bin(t, OP_ADD + pick(s, OP_ASHR - OP_ADD + 1), random_term(s, width, depth),
                        random_term(s, width, depth));
    }
}

/* ---- round trips ---- */

static void test_round_trip(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct source s = {.t = t, .seed = 4711, .floats = true};
    struct solver *solver =
        solver_new(t, &(struct solve_options){.timeout_ms = 600000, .effort = 1000000}, NULL);
    unsigned same = 0, proved = 0, rounds = 300;
    for (unsigned i = 0; i < rounds; i++) {
        term x = random_term(&s, 1, 3);
        struct buf text = BUF_INIT;
        struct error err = {0};
        term_smtlib_script(&text, t, &x, 1, false, false);
        term back = term_smtlib_read_script(t, buf_text(&text), text.len, &err);
        if (!back)
            fail_msg("%s in:\n%s", err.text, buf_text(&text));
        if (back == x) {
            same++;
        } else {
            enum solve_answer a = solve_valid(solver, NULL, 0, term_eq(t, x, back));
            if (a == SOLVE_SAT)
                fail_msg("read back as something else:\n%s", buf_text(&text));
            proved += a == SOLVE_UNSAT;
        }
        buf_free(&text);
    }
    /* Reads of several cells, counts and the like are spelled out in SMT-LIB's own functions: equal, but not
     * the same term. Everything else comes back as it was, and few questions may be too hard. */
    assert_true(same >= rounds / 3);
    assert_true(same + proved >= rounds * 90 / 100);
    solver_free(solver);
    terms_free(t);
}

static term lookup(void *ctx, const char *name)
{
    return term_find_var(ctx, name);
}

static void test_expression_round_trip(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 32), m = term_array_var(t, "mem", 32, 8);
    term sum = term_bin(t, OP_ADD, x, x);
    for (unsigned i = 0; i < 100; i++) /* 2^100 when written as a tree */
        sum = term_bin(t, OP_XOR, term_bin(t, OP_MUL, sum, sum), term_bin(t, OP_UDIV, x, sum));
    term e[] = {sum, term_read(t, m, x, 8), term_eq(t, x, term_const(t, 32, 3))};
    for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
        struct buf text = BUF_INIT;
        struct error err = {0};
        term_smtlib(&text, t, e[i]);
        term back = term_smtlib_read(t, buf_text(&text), text.len, lookup, t, &err);
        if (back != e[i])
            fail_msg("%s: %s", buf_text(&text), err.text);
        assert_true(text.len < 100000);
        buf_free(&text);
    }
    terms_free(t);
}

/* The printed script means the same to Z3's own reader and to cvc5. */
static void test_scripts_for_other_readers(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct solver *s = solver_new(t, &(struct solve_options){.timeout_ms = 600000, .effort = 1000000}, NULL);
    struct solver *other =
        solver_new(t,
                   &(struct solve_options){
                       .engine = SOLVE_EXTERNAL, .command = "cvc5 --rlimit-per=100000", .timeout_ms = 600000},
                   NULL);
    assert_non_null(other);
    Z3_config config = Z3_mk_config();
    unsigned decided = 0;
    for (unsigned i = 0; i < 60; i++) {
        struct source source = {.t = t, .seed = 1000 + i, .floats = i & 1};
        term x = random_term(&source, 1, 3);
        struct buf text = BUF_INIT;
        enum solve_answer a = solve_check(s, &x, 1, NULL), b = solve_check(other, &x, 1, NULL);
        if (strstr(solver_reason(other), "reports") || strstr(solver_reason(other), "begins"))
            fail_msg("cvc5: %s", solver_reason(other));
        term_smtlib_script(&text, t, &x, 1, source.floats, true);
        Z3_context c = Z3_mk_context(config);
        Z3_set_error_handler(c, NULL);
        Z3_ast_vector v = Z3_parse_smtlib2_string(c, buf_text(&text), 0, NULL, NULL, 0, NULL, NULL);
        if (Z3_get_error_code(c) != Z3_OK)
            fail_msg("Z3: %s\n%s", Z3_get_error_msg(c, Z3_get_error_code(c)), buf_text(&text));
        (void)v;
        Z3_del_context(c);
        if (a != SOLVE_UNKNOWN && b != SOLVE_UNKNOWN) {
            decided++;
            if (a != b)
                fail_msg("Z3 and cvc5 disagree:\n%s", buf_text(&text));
        }
        buf_free(&text);
    }
    assert_true(decided > 40);
    Z3_del_config(config);
    solver_free(other);
    solver_free(s);
    terms_free(t);
}

static void test_clashing_names(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct solver *s =
        solver_new(t, &(struct solve_options){.engine = SOLVE_EXTERNAL, .timeout_ms = 600000}, NULL);
    /* Names SMT-LIB cannot have as they are, and one name for a symbol and two functions. */
    static const char *const name[] = {"and",         "bvadd",  "let",    "@x",        ".y",       "a|b",
                                       "back\\slash", "",       "sp ace", "1st",       "f",        "$12",
                                       "exit",        "assert", "reset",  "set-logic", "check-sat"};
    term all = term_true(t), total = term_const(t, 32, 0);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        term x = term_var(t, name[i], 32);
        total = term_bin(t, OP_ADD, total, term_bin(t, OP_MUL, x, x));
        all = term_and(t, all, term_bin(t, OP_ULT, x, term_const(t, 32, 1000 + i)));
    }
    term x = term_var(t, "f", 32), wide = term_zext(t, x, 64);
    term f1 = term_apply(t, "f", 32, &x, 1), f2 = term_apply(t, "f", 64, &wide, 1);
    term q[] = {all, term_eq(t, total, term_const(t, 32, 123457)), term_eq(t, f1, term_const(t, 32, 5)),
                term_eq(t, f2, term_const(t, 64, 6))};
    struct term_model *m = NULL;
    if (solve_check(s, q, 4, &m) != SOLVE_SAT)
        fail_msg("%s", solver_reason(s));
    term_model_free(m);
    solver_free(s);
    terms_free(t);
}

/* ---- reading what people write ---- */

static void test_reading(void **state)
{
    (void)state;
    static const struct {
        const char *left, *right; /* over x, y: 8 bits; p: Bool; m: array of 8 to 8 */
    } same[] = {
        {"(bvnand x y)", "(bvnot (bvand x y))"},
        {"(bvnor x y)", "(bvnot (bvor x y))"},
        {"(bvxnor x y)", "(bvnot (bvxor x y))"},
        {"(bvcomp x y)", "(ite (= x y) #b1 #b0)"},
        {"(bvugt x y)", "(bvult y x)"},
        {"(bvuge x y)", "(not (bvult x y))"},
        {"(bvsgt x y)", "(bvslt y x)"},
        {"(bvsge x y)", "(bvsle y x)"},
        {"((_ rotate_left 3) x)", "(bvor (bvshl x #x03) (bvlshr x #x05))"},
        {"((_ rotate_right 11) x)", "((_ rotate_left 5) x)"},
        {"((_ repeat 2) x)", "(concat x x)"},
        {"((_ zero_extend 8) x)", "(concat #x00 x)"},
        {"((_ extract 3 0) x)", "((_ extract 3 0) (bvand x (_ bv15 8)))"},
        {"(bvadd x y #x01)", "(bvadd (bvadd x y) #x01)"},
        {"(=> p p (= x y))", "(or (not p) (= x y))"},
        {"(and p)", "p"},
        {"(xor p p p)", "p"},
        {"(distinct x y #x00)", "(and (not (= x y)) (not (= x #x00)) (not (= y #x00)))"},
        {"(= x y #x00)", "(and (= x y) (= y #x00))"},
        {"(let ((x y) (y x)) (bvsub x y))", "(bvsub y x)"},
        {"(let ((z x)) (let ((z (bvadd z z))) z))", "(bvadd x x)"},
        {"(! (= x y) :named eq)", "(= x y)"},
        {"(select (store m x y) x)", "y"},
        {"(select ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x07) x)", "#x07"},
        {"|x|", "x"},
        {"(twice (twice x))", "(bvshl x #x02)"},
        {"(ite p x y)", "(ite (not p) y x)"},
        {"(bvsmod x #x00)", "x"},
        {"(bvsmod #xf9 #x03)", "#x02"},
        {"(bvsmod #x07 #xfd)", "#xfe"},
    };
    struct terms *t = terms_new();
    struct solver *s = solver_new(t, NULL, NULL);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct buf b = BUF_INIT;
        struct error err = {0};
        buf_printf(&b,
                   "; a comment\n(set-logic QF_AUFBV)\n(set-info :source |who knows|)\n(define-sort Byte () "
                   "(_ BitVec 8))\n"
                   "(declare-const x Byte)(declare-fun y () Byte)(declare-const p Bool)\n"
                   "(declare-const m (Array Byte Byte))\n"
                   "(define-fun twice ((v Byte)) Byte (bvadd v v))\n"
                   "(assert (not (= %s %s)))\n(check-sat)\n(exit)\nthis is not looked at",
                   same[i].left, same[i].right);
        term x = term_smtlib_read_script(t, buf_text(&b), b.len, &err);
        if (!x)
            fail_msg("%s: %s", same[i].left, err.text);
        if (solve_check(s, &x, 1, NULL) != SOLVE_UNSAT)
            fail_msg("%s is not %s", same[i].left, same[i].right);
        buf_free(&b);
    }
    solver_free(s);
    terms_free(t);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } bad[] = {
        {"(declare-const x (_ BitVec 32))\n(declare-const y (_ BitVec 64))\n(assert (= x (bvadd x y)))",
         "3:14: bvadd: operands have widths 32 and 64"},
        {"(assert (= #x0 #x00))", "1:9: =: operands have sorts (_ BitVec 4) and (_ BitVec 8)"},
        {"(assert #x00)", "1:9: assert: the expression is (_ BitVec 8), expected Bool"},
        {"(assert (and true #x00))", "1:9: and: operand 2 is (_ BitVec 8), expected Bool"},
        {"(assert (= x #x00))", "1:12: unknown symbol 'x'"},
        {"(assert (frob true))", "1:10: unknown function 'frob'"},
        {"(assert (not true false))", "1:9: not: expected 1 operand, found 2"},
        {"(assert (= 5 #x00))", "1:12: '5' is a number"},
        {"(assert ((_ extract 8 0) #x00))", "1:10: extract: bits 8 to 0 of an operand of width 8"},
        {"(assert (let ((a true)) b))", "1:25: unknown symbol 'b'"},
        {"(assert (let (a true) a))", "1:15: let: expected (NAME VALUE)"},
        {"(declare-const x (_ BitVec 0))", "1:28: BitVec: the width must be at least 1"},
        {"(declare-const x (_ BitVec 513))", "1:28: BitVec: 513 is more than 512"},
        {"(declare-const x Int)", "1:18: unknown sort 'Int'"},
        {"(declare-const x Bool)(declare-const x Bool)", "1:38: declare-const: 'x' is declared already"},
        {"(declare-const bvadd Bool)", "1:16: declare-const: 'bvadd' has a meaning of its own"},
        {"(define-fun f ((a Bool)) Bool a)(assert (f #x00))",
         "1:41: f: operand 1 is (_ BitVec 8), expected Bool"},
        {"(assert (forall ((x Bool)) x))", "1:10: 'forall': quantifiers are not supported"},
        {"(push 1)", "1:1: the command 'push' is not supported here"},
        {"(assert true", "1:1: the list opened here is not closed"},
        {"(assert true))", "1:14: ')' closes nothing"},
        {"(assert |true)", "expected '|'"},
        {"(assert #q0)", "expected #x or #b"},
        {"(assert #b012)", "not a binary digit"},
        {"(assert (concat #x00))", "concat: expected at least 2 operands, found 1"},
        {"(assert (_ bv256 8))", "expected a literal"},
        {"assert", "expected a command"},
        {"()", "expected a command"},
        {"(assert ())", "expected an expression"},
        {"(declare-fun f (Bool) Bool)(assert f)", "'f' is a function of 1 operands"},
        {"(assert (select #x00 #x00))", "expected an array"},
        {"(assert ((_ repeat 100) #xffff))", "repeat: 100 copies of 16 bits"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct terms *t = terms_new();
        struct error err = {0};
        assert_int_equal(term_smtlib_read_script(t, bad[i].text, strlen(bad[i].text), &err), TERM_NONE);
        assert_int_equal(err.kind, ERROR_INPUT);
        if (!strstr(err.text, bad[i].want))
            fail_msg("%s\ngives  %s\nnot    %s", bad[i].text, err.text, bad[i].want);
        terms_free(t);
    }
}

/* A name another part of the program uses with a different sort is an error of the text, not of the program.
 */
static void test_known_symbol(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct error err = {0};
    term x = term_var(t, "x", 32);
    const char *text = "(declare-const x (_ BitVec 8))";
    assert_int_equal(term_smtlib_read_script(t, text, strlen(text), &err), TERM_NONE);
    assert_non_null(strstr(err.text, "1:16: 'x' is known with the sort (_ BitVec 32)"));
    text = "(declare-const x (_ BitVec 32))(assert (= x #x00000001))";
    assert_int_equal(term_smtlib_read_script(t, text, strlen(text), &err),
                     term_eq(t, x, term_const(t, 32, 1)));
    terms_free(t);
}

/* ---- hostile text ---- */

static void repeat(struct buf *b, const char *s, unsigned n)
{
    while (n--)
        buf_puts(b, s);
}

static term read_new(const struct buf *b, struct error *err)
{
    struct terms *t = terms_new();
    term x = term_smtlib_read_script(t, buf_text(b), b->len, err);
    terms_free(t);
    return x;
}

static void test_hostile(void **state)
{
    (void)state;
    enum { DEEP = 200000 };
    struct error err = {0};
    struct buf b = BUF_INIT;
    repeat(&b, "(", DEEP);
    assert_int_equal(read_new(&b, &err), TERM_NONE);
    buf_clear(&b);
    buf_puts(&b, "(declare-const x (_ BitVec 8))(assert (= x ");
    repeat(&b, "(bvnot (bvmul x ", DEEP);
    buf_puts(&b, "x");
    repeat(&b, "))", DEEP);
    buf_puts(&b, "))");
    assert_int_not_equal(read_new(&b, &err), TERM_NONE);
    /* Nested lets that each use the last twice. */
    buf_clear(&b);
    buf_puts(&b, "(declare-const v0 (_ BitVec 8))(assert ");
    for (unsigned i = 1; i < 5000; i++)
        buf_printf(&b, "(let ((v%u (bvmul v%u v%u))) ", i, i - 1, i - 1);
    buf_puts(&b, "(= v4999 v0)");
    repeat(&b, ")", 5000);
    assert_int_not_equal(read_new(&b, &err), TERM_NONE);
    /* Macros that double at every step. */
    buf_clear(&b);
    buf_puts(&b, "(define-fun f0 ((a (_ BitVec 8)) (b (_ BitVec 8))) (_ BitVec 8) (bvmul a (bvxor b a)))");
    for (unsigned i = 1; i < 64; i++)
        buf_printf(&b,
                   "(define-fun f%u ((a (_ BitVec 8)) (b (_ BitVec 8))) (_ BitVec 8) (f%u (f%u a b) (f%u b "
                   "(bvnot a))))",
                   i, i - 1, i - 1, i - 1);
    assert_int_equal(read_new(&b, &err), TERM_NONE);
    assert_non_null(strstr(err.text, "too large"));
    buf_free(&b);
}

/* A chain of writes far deeper than any stack, out and in again. */
static void test_long_chain(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term m = term_array_var(t, "mem", 64, 8), x = term_var(t, "x", 64);
    term w = m;
    for (unsigned i = 0; i < 20000; i++)
        w = term_write(t, w, term_bin(t, OP_MUL, x, term_const(t, 64, 2 * i + 3)), term_const(t, 8, i & 255));
    term q = term_not(t, term_eq(t, w, m));
    struct buf text = BUF_INIT;
    struct error err = {0};
    term_smtlib_script(&text, t, &q, 1, false, false);
    assert_true(text.len < 4000000);
    term back = term_smtlib_read_script(t, buf_text(&text), text.len, &err);
    if (!back)
        fail_msg("%s", err.text);
    assert_int_equal(back, q);
    buf_free(&text);
    terms_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_expression_round_trip),
        cmocka_unit_test(test_scripts_for_other_readers),
        cmocka_unit_test(test_clashing_names),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_known_symbol),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
