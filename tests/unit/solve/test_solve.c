/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries with known answers through every engine, and solvers that lie. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "solve/solve.h"

static const char *const engine_name[] = {"z3", "external", "race"};

/* A cheap stage must not take the questions meant for the engines: multiplying and dividing keeps guesses
 * away. */
static term obscure(struct terms *t, const char *name)
{
    term x = term_var(t, name, 32);
    return term_bin(t, OP_XOR, term_bin(t, OP_MUL, x, term_const(t, 32, 0x01000193)),
                    term_const(t, 32, 0x811c9dc5));
}

struct fixture {
    struct terms *t;
    struct solver *s;
};

static struct fixture start(struct solve_options opt)
{
    struct fixture f = {.t = terms_new()};
    struct error err = {0};
    f.s = solver_new(f.t, &opt, &err);
    if (!f.s)
        fail_msg("%s", err.text);
    return f;
}

/* Also asserts that no child of this process is left, running or unwaited. */
static void end(struct fixture *f)
{
    solver_free(f->s);
    terms_free(f->t);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void expect(struct fixture *f, const term *x, size_t n, enum solve_answer want, const char *what)
{
    struct term_model *m = NULL;
    enum solve_answer got = solve_check(f->s, x, n, &m);
    if (got != want)
        fail_msg("%s: answer %d, expected %d; %s", what, got, want, solver_reason(f->s));
    assert_int_equal(m != NULL, got == SOLVE_SAT);
    for (size_t i = 0; i < n && m; i++) {
        struct bits v;
        assert_true(term_eval(f->t, m, x[i], &v));
        assert_true(bits_eq(v, bits_u64(1, 1)));
    }
    term_model_free(m);
}

/* ---- every kind of query through every engine ---- */

static void ask_bits(struct fixture *f)
{
    struct terms *t = f->t;
    term x = obscure(t, "x"), y = obscure(t, "y");
    term sum = term_bin(t, OP_ADD, x, y);
    term q[] = {term_eq(t, sum, term_const(t, 32, 0x12345678)),
                term_bin(t, OP_ULT, x, term_const(t, 32, 1000)),
                term_bin(t, OP_SLT, y, term_const(t, 32, 0x20000000))};
    expect(f, q, 3, SOLVE_SAT, "a sum");
    term div[] = {term_eq(t, term_bin(t, OP_UDIV, x, term_const(t, 32, 10)), term_const(t, 32, 7)),
                  term_eq(t, term_bin(t, OP_UREM, x, term_const(t, 32, 10)), term_const(t, 32, 3)),
                  term_not(t, term_eq(t, x, term_const(t, 32, 73)))};
    expect(f, div, 3, SOLVE_UNSAT, "division determines");
}

static void ask_counts(struct fixture *f)
{
    struct terms *t = f->t;
    term x = term_extract(t, obscure(t, "x"), 5, 13);
    term q[] = {term_eq(t, term_un(t, OP_CLZ, x), term_const(t, 13, 3)),
                term_eq(t, term_un(t, OP_CTZ, x), term_const(t, 13, 2)),
                term_eq(t, term_un(t, OP_POPCNT, x), term_const(t, 13, 6))};
    expect(f, q, 3, SOLVE_SAT, "counts");
    term no[] = {term_eq(t, term_un(t, OP_CLZ, x), term_const(t, 13, 8)),
                 term_bin(t, OP_ULT, term_const(t, 13, 5), term_un(t, OP_POPCNT, x))};
    expect(f, no, 2, SOLVE_UNSAT, "more ones than bits");
}

static void ask_booleans(struct fixture *f)
{
    struct terms *t = f->t;
    term p = term_var(t, "p", 1), q = term_var(t, "q", 1), x = obscure(t, "x");
    term wide = term_concat(t, p, term_concat(t, q, term_extract(t, x, 7, 1)));
    term a[] = {term_eq(t, wide, term_const(t, 3, 5)),
                term_eq(t, term_extract(t, x, 0, 7), term_const(t, 7, 99)),
                term_eq(t, term_sext(t, p, 32), term_bin(t, OP_OR, x, term_const(t, 32, 0x7fffffff)))};
    expect(f, a, 3, SOLVE_SAT, "width 1 in larger values");
    term no[] = {term_bin(t, OP_XOR, p, q),
                 term_bin(t, OP_XOR, q, term_bin(t, OP_ULT, x, term_const(t, 32, 7))),
                 term_bin(t, OP_XOR, p, term_bin(t, OP_ULT, x, term_const(t, 32, 7)))};
    expect(f, no, 3, SOLVE_UNSAT, "three of two");
    term nor[] = {term_bin(t, OP_OR, p, q),
                  term_not(t, term_bin(t, OP_XOR, p, term_bin(t, OP_ULT, x, term_const(t, 32, 7)))),
                  term_not(t, term_bin(t, OP_XOR, q, term_bin(t, OP_ULT, x, term_const(t, 32, 5)))),
                  term_bin(t, OP_ULT, term_const(t, 32, 9), x)};
    expect(f, nor, 4, SOLVE_UNSAT, "neither, as it is larger");
}

static void ask_arrays(struct fixture *f)
{
    struct terms *t = f->t;
    term m = term_array_var(t, "mem", 32, 8), x = obscure(t, "x"), y = obscure(t, "y");
    term w = term_write(t, m, x, term_const(t, 32, 0x11223344));
    term a[] = {term_eq(t, term_read(t, w, y, 32), term_const(t, 32, 0x55112233)),
                term_bin(t, OP_ULT, x, term_const(t, 32, 0xfffffff0))};
    expect(f, a, 2, SOLVE_SAT, "overlapping read");
    term no[] = {term_not(t, term_eq(t, term_read(t, w, y, 8), term_read(t, m, y, 8))),
                 term_bin(t, OP_ULT, term_bin(t, OP_ADD, x, term_const(t, 32, 3)), y),
                 term_bin(t, OP_ULT, x, term_const(t, 32, 0xfffffff0))};
    expect(f, no, 3, SOLVE_UNSAT, "a write changes only its cells");
    term v = term_array_var(t, "other", 32, 8);
    term differ[] = {term_not(t, term_eq(t, w, v)),
                     term_eq(t, term_read(t, v, x, 32), term_const(t, 32, 0x11223344))};
    expect(f, differ, 2, SOLVE_SAT, "different arrays");
    term zero = term_array_const(t, 32, term_const(t, 8, 0));
    term constant[] = {term_eq(t, m, zero),
                       term_not(t, term_eq(t, term_read(t, m, x, 8), term_const(t, 8, 0)))};
    expect(f, constant, 2, SOLVE_UNSAT, "constant array");
}

static void ask_functions(struct fixture *f)
{
    struct terms *t = f->t;
    term x = obscure(t, "x"), y = obscure(t, "y");
    term fx = term_apply(t, "f", 32, &x, 1), fy = term_apply(t, "f", 32, &y, 1),
         ffx = term_apply(t, "f", 32, &fx, 1);
    term a[] = {term_eq(t, fx, term_const(t, 32, 5)), term_eq(t, fy, term_const(t, 32, 6)),
                term_eq(t, ffx, term_const(t, 32, 7))};
    expect(f, a, 3, SOLVE_SAT, "function");
    term no[] = {term_eq(t, x, y), term_not(t, term_eq(t, fx, fy))};
    expect(f, no, 2, SOLVE_UNSAT, "equal arguments, different results");
}

/* As calls are: the result and the memory after are functions of the arguments and the memory before. */
static void ask_array_functions(struct fixture *f)
{
    struct terms *t = f->t;
    term m = term_array_var(t, "mem", 32, 8), x = obscure(t, "x"), y = obscure(t, "y");
    term m2 = term_write(t, m, y, term_const(t, 8, 1));
    term arg1[] = {m, x}, arg2[] = {m2, x};
    term r1 = term_apply(t, "call.result", 32, arg1, 2), r2 = term_apply(t, "call.result", 32, arg2, 2);
    term a1 = term_apply_array(t, "call.memory", 32, 8, arg1, 2),
         a2 = term_apply_array(t, "call.memory", 32, 8, arg2, 2);
    term a[] = {term_not(t, term_eq(t, r1, r2)), term_eq(t, term_read(t, a1, y, 8), term_const(t, 8, 9)),
                term_eq(t, term_read(t, a2, y, 8), term_const(t, 8, 8))};
    expect(f, a, 3, SOLVE_SAT, "calls with different memory");
    term no[] = {term_not(t, term_eq(t, r1, r2)), term_eq(t, term_read(t, m, y, 8), term_const(t, 8, 1))};
    expect(f, no, 2, SOLVE_UNSAT, "a write that changes nothing");
}

static void ask_floats(struct fixture *f)
{
    struct terms *t = f->t;
    term x = term_var(t, "fx", 32), rm = term_const(t, OP_RM_WIDTH, OP_RNE);
    term sum[] = {rm, x, term_const(t, 32, 0x3f800000)};
    term plus = term_op(t, OP_FADD, 32, sum, 3);
    term a[] = {term_eq(t, plus, term_const(t, 32, 0x40700000))};
    expect(f, a, 1, SOLVE_SAT, "x + 1 = 3.75");
    /* x + 1 == x + 1 unless it is a NaN: feq is false then */
    term no[] = {term_not(t, term_bin(t, OP_FEQ, plus, plus)),
                 term_not(t, term_bin(t, OP_FUNORD, plus, plus))};
    expect(f, no, 2, SOLVE_UNSAT, "ordered floats equal themselves");
}

static void test_engines(void **state)
{
    (void)state;
    void (*const ask[])(struct fixture *) = {ask_bits,      ask_counts,          ask_booleans, ask_arrays,
                                             ask_functions, ask_array_functions, ask_floats};
    for (unsigned engine = SOLVE_Z3; engine <= SOLVE_RACE; engine++) {
        for (size_t i = 0; i < sizeof ask / sizeof *ask; i++) {
            struct fixture f = start((struct solve_options){
                .engine = engine, .timeout_ms = 600000, .fp_theory = ask[i] == ask_floats});
            ask[i](&f);
            struct solve_stats st = solver_stats(f.s);
            if (!st.by_solver)
                fail_msg("kind %zu never reached %s", i, engine_name[engine]);
            assert_int_equal(st.queries, st.by_rewriting + st.by_cheap + st.by_cache + st.by_solver);
            assert_int_equal(st.queries, st.sat + st.unsat + st.unknown);
            end(&f);
        }
    }
}

/* ---- stages before the engine ---- */

static void test_decided_by_rewriting(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){0});
    term x = term_var(f.t, "x", 32), q[] = {term_eq(f.t, x, x), term_true(f.t)};
    expect(&f, q, 2, SOLVE_SAT, "nothing to show");
    expect(&f, (term[]){term_false(f.t)}, 1, SOLVE_UNSAT, "false");
    expect(&f, NULL, 0, SOLVE_SAT, "no assertion");
    assert_int_equal(solver_stats(f.s).by_rewriting, 3);
    end(&f);
}

static void test_decided_cheaply(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){0});
    struct terms *t = f.t;
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32), fx = term_apply(t, "f", 32, &x, 1);
    term p = term_bin(t, OP_ULT, fx, y);
    expect(&f, (term[]){term_bin(t, OP_SLT, x, y), p, term_not(t, p)}, 3, SOLVE_UNSAT,
           "a literal and its negation");
    expect(&f,
           (term[]){term_bin(t, OP_ULT, x, term_const(t, 32, 10)),
                    term_bin(t, OP_ULT, term_const(t, 32, 20), x)},
           2, SOLVE_UNSAT, "an empty interval");
    expect(
        &f,
        (term[]){term_bin(t, OP_SLT, x, term_const(t, 32, 0)), term_bin(t, OP_ULT, x, term_const(t, 32, 20))},
        2, SOLVE_UNSAT, "negative and small");
    expect(&f,
           (term[]){term_bin(t, OP_SLE, term_const(t, 32, 0), x),
                    term_bin(t, OP_SLT, x, term_const(t, 32, 2)),
                    term_not(t, term_eq(t, x, term_const(t, 32, 0))),
                    term_not(t, term_eq(t, x, term_const(t, 32, 1)))},
           4, SOLVE_UNSAT, "an interval with every value excluded");
    expect(&f,
           (term[]){term_eq(t, x, term_const(t, 32, 3)),
                    term_eq(t, term_bin(t, OP_MUL, x, x), term_const(t, 32, 10))},
           2, SOLVE_UNSAT, "an equality put into the rest");
    expect(&f,
           (term[]){term_bin(t, OP_ULT, term_const(t, 32, 0x1233), x),
                    term_bin(t, OP_ULT, x, term_const(t, 32, 0x1236)),
                    term_not(t, term_eq(t, x, term_const(t, 32, 0x1234)))},
           3, SOLVE_SAT, "an interval with a value left");
    expect(&f, (term[]){term_eq(t, y, term_const(t, 32, 77)), term_eq(t, fx, y)}, 2, SOLVE_SAT,
           "a chain of equalities");
    struct solve_stats st = solver_stats(f.s);
    assert_int_equal(st.by_cheap, 6);
    assert_int_equal(st.by_solver, 1);
    end(&f);
}

/* The interval stage against evaluation, over random bounds at a width where every value can be tried. */
static void test_intervals_are_right(void **state)
{
    (void)state;
    uint64_t seed = 20240611;
    static const enum op compare[] = {OP_ULT, OP_ULE, OP_SLT, OP_SLE, OP_EQ};
    for (unsigned round = 0; round < 400; round++) {
        struct fixture f = start((struct solve_options){0});
        struct terms *t = f.t;
        term x = term_var(t, "x", 5), q[4];
        unsigned n = 2 + test_random(&seed) % 3;
        for (unsigned i = 0; i < n; i++) {
            term c = term_const(t, 5, test_random(&seed) % 32);
            bool swap = test_random(&seed) & 1;
            unsigned lo = test_random(&seed) % 4;
            switch (test_random(&seed) % 4) {
            case 0:
                q[i] = term_eq(t, term_extract(t, x, lo, 2), term_const(t, 2, test_random(&seed) % 4));
                break;
            case 1:
                q[i] = term_eq(t, term_bin(t, OP_AND, x, c), term_const(t, 5, test_random(&seed) % 32));
                break;
            default:
                q[i] = term_bin(t, compare[test_random(&seed) % 5], swap ? c : x, swap ? x : c);
            }
            if (test_random(&seed) & 1)
                q[i] = term_not(t, q[i]);
        }
        bool possible = false;
        for (unsigned v = 0; v < 32; v++) {
            term value = term_const(t, 5, v);
            bool all = true;
            for (unsigned i = 0; i < n; i++)
                all &= term_is_true(t, term_substitute(t, q[i], &x, &value, 1));
            possible |= all;
        }
        expect(&f, q, n, possible ? SOLVE_SAT : SOLVE_UNSAT, "an interval");
        end(&f);
    }
}

/* Arrays that are only read: decided without them where reads keep apart, and rightly where they do not. */
static void test_fields(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){0});
    struct terms *t = f.t;
    term m = term_array_var(t, "m", 64, 8), n = term_array_var(t, "n", 32, 8), p = term_var(t, "p", 64);
    term q = term_var(t, "q", 32);
    term a = term_read(t, m, p, 32), b = term_read(t, m, term_add_const(t, p, 4), 32);
    term low = term_read(t, m, term_add_const(t, p, 2), 16), ten = term_const(t, 32, 10);
    expect(&f, (term[]){term_bin(t, OP_ULT, a, ten), term_bin(t, OP_ULT, ten, b)}, 2, SOLVE_SAT,
           "two fields");
    expect(&f, (term[]){term_bin(t, OP_ULT, a, ten), term_bin(t, OP_ULT, b, a), term_bin(t, OP_ULT, ten, b)},
           3, SOLVE_UNSAT, "two fields in a circle");
    expect(&f, (term[]){term_bin(t, OP_ULT, a, ten), term_eq(t, low, term_const(t, 16, 3))}, 2, SOLVE_UNSAT,
           "a field and its upper half");
    expect(&f, (term[]){term_eq(t, a, term_const(t, 32, 0x12345)), term_eq(t, low, term_const(t, 16, 1))}, 2,
           SOLVE_SAT, "a field and its upper half agree");
    /* The base is read from another array. */
    term far = term_read(t, m, term_zext(t, term_read(t, n, q, 32), 64), 32);
    expect(&f,
           (term[]){term_eq(t, far, term_const(t, 32, 77)),
                    term_eq(t, term_read(t, n, term_add_const(t, q, 4), 32), term_const(t, 32, 5)),
                    term_bin(t, OP_ULT, term_const(t, 32, 0x5000), term_read(t, n, q, 32))},
           3, SOLVE_SAT, "through a pointer");
    /* Two bases may be one place. */
    term r = term_var(t, "r", 64), c = term_read(t, m, r, 32);
    expect(&f, (term[]){term_eq(t, p, r), term_not(t, term_eq(t, a, c))}, 2, SOLVE_UNSAT,
           "one place, two values");
    expect(&f,
           (term[]){term_not(t, term_eq(t, a, c)),
                    term_bin(t, OP_ULT, term_bin(t, OP_SUB, p, r), term_const(t, 64, 4))},
           2, SOLVE_SAT, "overlapping places");
    end(&f);
}

/* Two versions of a switch whose arms multiply: once it is said which arm is taken, they are the same term. A
 * solver would have to compare products. */
static void test_choices(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){0});
    struct terms *t = f.t;
    term op = term_var(t, "op", 32), x = obscure(t, "x"), y = obscure(t, "y");
    term is[4], arm[] = {term_bin(t, OP_MUL, x, y), term_bin(t, OP_ADD, x, y), term_bin(t, OP_MUL, x, x),
                         term_bin(t, OP_MUL, y, y)};
    for (unsigned i = 0; i < 4; i++)
        is[i] = term_eq(t, op, term_const(t, 32, i + 1));
    term in_range = term_and(t, term_bin(t, OP_ULT, op, term_const(t, 32, 5)),
                             term_not(t, term_eq(t, op, term_const(t, 32, 0))));
    term up = term_ite(t, is[0], arm[0], term_ite(t, is[1], arm[1], term_ite(t, is[2], arm[2], arm[3])));
    term down = term_ite(t, term_or(t, is[3], is[2]), term_ite(t, is[3], arm[3], arm[2]),
                         term_ite(t, is[1], arm[1], arm[0]));
    expect(&f, (term[]){in_range, term_not(t, term_eq(t, up, down))}, 2, SOLVE_UNSAT, "the same arms");
    assert_int_equal(solver_stats(f.s).by_solver, 0);
    /* With one arm another, they differ, and the model says where. */
    term other = term_ite(t, term_or(t, is[3], is[2]), term_ite(t, is[3], arm[2], arm[2]),
                          term_ite(t, is[1], arm[1], arm[0]));
    expect(&f, (term[]){in_range, term_not(t, term_eq(t, up, other))}, 2, SOLVE_SAT, "another arm");
    /* What is known of the condition elsewhere counts: here it excludes the arm. */
    expect(
        &f,
        (term[]){in_range, term_or(t, is[0], term_or(t, is[1], is[2])), term_not(t, term_eq(t, up, other))},
        3, SOLVE_UNSAT, "another arm that is not taken");
    end(&f);
}

/* Merged paths: how many of the numbers are positive, and the sum of choices that says so. What follows from
 * the choices alone takes no solver; what holds on one of the paths has a model. */
static void test_joined_conditions(void **state)
{
    (void)state;
    enum { N = 8 };
    struct fixture f = start((struct solve_options){0});
    term count = term_const(f.t, 32, 0), zero = count, least = term_const(f.t, 32, 5);
    for (unsigned i = 0; i < N; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        term x = term_var(f.t, name, 32), positive = term_bin(f.t, OP_SLT, term_const(f.t, 32, 0), x);
        count = term_ite(f.t, positive, term_add_const(f.t, count, 1), count);
        least = term_ite(f.t, positive, x, least);
    }
    term most = term_bin(f.t, OP_SLT, term_const(f.t, 32, N), count),
         some = term_bin(f.t, OP_SLT, term_const(f.t, 32, N - 1), count);
    term none = term_bin(f.t, OP_SLE, least, zero);
    expect(&f, &most, 1, SOLVE_UNSAT, "more than all");
    expect(&f, &some, 1, SOLVE_SAT, "all");
    expect(&f, &none, 1, SOLVE_UNSAT, "a positive number that is not");
    assert_int_equal(solver_stats(f.s).by_solver, 0);
    end(&f);
}

/* What is known to be possible is not asked again, but for what bears on the question. */
static void test_extends(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){0});
    term x = term_var(f.t, "x", 32), hard = term_eq(f.t, obscure(f.t, "y"), obscure(f.t, "z"));
    term small = term_bin(f.t, OP_ULT, x, term_const(f.t, 32, 10)),
         large = term_bin(f.t, OP_ULT, term_const(f.t, 32, 20), x);
    term known[] = {hard, small};
    assert_int_equal(solve_extends(f.s, known, 2, term_bin(f.t, OP_ULT, x, term_const(f.t, 32, 5))),
                     SOLVE_SAT);
    assert_int_equal(solve_extends(f.s, known, 2, large), SOLVE_UNSAT);
    assert_int_equal(solver_stats(f.s).by_solver, 0);
    assert_int_equal(solve_extends(f.s, known, 2, term_not(f.t, hard)), SOLVE_UNSAT);
    end(&f);
}

static void test_cache(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){0});
    struct terms *t = f.t;
    term x = obscure(t, "x"), y = obscure(t, "y"), z = obscure(t, "z");
    term two = term_const(t, 32, 2), three = term_const(t, 32, 3);
    term even = term_eq(t, term_bin(t, OP_UREM, term_bin(t, OP_UDIV, x, three), two), term_const(t, 32, 0));
    term half = term_eq(t, term_bin(t, OP_UDIV, x, term_const(t, 32, 6)), term_const(t, 32, 700));
    term odd = term_eq(t, term_bin(t, OP_UDIV, x, three), term_const(t, 32, 1401));
    expect(&f, (term[]){even, half}, 2, SOLVE_SAT, "first time");
    uint64_t asked = solver_stats(f.s).by_solver;
    expect(&f, (term[]){half, even}, 2, SOLVE_SAT, "again, in another order");
    assert_int_equal(solver_stats(f.s).by_solver, asked);
    assert_int_equal(solver_stats(f.s).by_cache, 1);
    /* A part that has nothing to do with the rest is not asked about again, and models are put together. */
    term other = term_eq(t, term_bin(t, OP_MUL, y, y), term_bin(t, OP_ADD, y, term_const(t, 32, 0x4d2)));
    enum solve_answer first = solve_check(f.s, (term[]){other}, 1, NULL);
    asked = solver_stats(f.s).by_solver;
    expect(&f, (term[]){even, half, other}, 3, first, "two parts");
    assert_int_equal(solver_stats(f.s).by_solver, asked);
    /* What is impossible stays so with more assertions on the same symbols. */
    term third = term_bin(t, OP_ULT, term_bin(t, OP_MUL, x, z), term_const(t, 32, 1000));
    expect(&f, (term[]){even, odd}, 2, SOLVE_UNSAT, "even and odd");
    uint64_t known = solver_stats(f.s).by_cache;
    asked = solver_stats(f.s).by_solver;
    expect(&f, (term[]){even, odd, third, half}, 4, SOLVE_UNSAT, "and more");
    assert_int_equal(solver_stats(f.s).by_solver, asked);
    assert_int_equal(solver_stats(f.s).by_cache, known + 1);
    end(&f);
}

static void test_valid(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){0});
    struct terms *t = f.t;
    term x = obscure(t, "x"), limit = term_bin(t, OP_ULT, x, term_const(t, 32, 100));
    term square = term_bin(t, OP_ULT, term_bin(t, OP_MUL, x, x), term_const(t, 32, 10000));
    assert_int_equal(solve_valid(f.s, &limit, 1, square), SOLVE_UNSAT);
    assert_int_equal(solve_valid(f.s, NULL, 0, square), SOLVE_SAT);
    end(&f);
}

/* ---- floats and functions the solver does not know ---- */

static void test_floats_fall_back_to_the_theory(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){.timeout_ms = 600000});
    struct terms *t = f.t;
    term x = term_var(t, "x", 32), rm = term_const(t, OP_RM_WIDTH, OP_RNE);
    term product = term_op(t, OP_FMUL, 32, (term[]){rm, x, x}, 3);
    /* 1.5 * 1.5 = 2.25: no guess finds it, and as an uninterpreted function any x would do. */
    expect(&f, (term[]){term_eq(t, product, term_const(t, 32, 0x40100000))}, 1, SOLVE_SAT, "a square root");
    term y = term_var(t, "y", 32);
    term ab = term_op(t, OP_FADD, 32, (term[]){rm, x, y}, 3),
         ba = term_op(t, OP_FADD, 32, (term[]){rm, y, x}, 3);
    assert_int_equal(solve_valid(f.s, NULL, 0, term_eq(t, ab, ba)), SOLVE_UNSAT);
    end(&f);
}

static struct bits mix(const struct bits *arg)
{
    return bits_u64((bits_low(arg[0]) * 0x9e3779b1u) >> 7, 32);
}

static void test_pure_functions_are_learnt(void **state)
{
    (void)state;
    static const struct pure f = {.name = "mix", .width = 32, .arg_width = {32}, .nargs = 1, .eval = mix};
    struct fixture x = start((struct solve_options){0});
    struct terms *t = x.t;
    term v = obscure(t, "v"), r = term_pure(t, &f, &v);
    /* With v one of two values, knowing the function at both decides. */
    term two = term_or(t, term_eq(t, v, term_const(t, 32, 5)), term_eq(t, v, term_const(t, 32, 6)));
    struct bits six = bits_u64(6, 32);
    term hit = term_eq(t, r, term_const_bits(t, 32, mix(&six)));
    expect(&x, (term[]){two, hit}, 2, SOLVE_SAT, "the argument that gives this result");
    term miss = term_eq(t, r, term_const(t, 32, 1));
    expect(&x, (term[]){two, miss}, 2, SOLVE_UNSAT, "no argument gives this result");
    end(&x);
}

/* Conversions at the edges of their ranges: the theory must agree with evaluation, which is exact. */
static void test_float_theory_agrees(void **state)
{
    (void)state;
    static const uint32_t pattern[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x4effffff,
                                       0x4f000000, 0xcf000000, 0xcf000001, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0x7f800001, 0x3fc00000, 0xc0200000, 0x00000001,
                                       0x42fe0000, 0x43000000, 0x437f8000};
    static const struct {
        enum op op;
        unsigned width;
    } convert[] = {{OP_F2S, 8},  {OP_F2U, 8},  {OP_F2S, 32}, {OP_F2U, 32},   {OP_F2F, 16},
                   {OP_F2F, 64}, {OP_S2F, 16}, {OP_U2F, 64}, {OP_FRINT, 32}, {OP_FSQRT, 32}};
    struct fixture f = start((struct solve_options){.fp_theory = true, .timeout_ms = 600000});
    struct terms *t = f.t;
    term x = term_var(t, "x", 32);
    for (size_t i = 0; i < sizeof convert / sizeof *convert; i++) {
        /* One query for all patterns and modes: some x of these, converted, is not what evaluation says. */
        term wrong = term_false(t);
        for (size_t k = 0; k < sizeof pattern / sizeof *pattern; k++) {
            unsigned mode = (unsigned)(k + i) % 5;
            term rm = term_const(t, OP_RM_WIDTH, mode), c = term_const(t, 32, pattern[k]);
            term symbolic = term_op(t, convert[i].op, convert[i].width, (term[]){rm, x}, 2);
            term exact = term_op(t, convert[i].op, convert[i].width, (term[]){rm, c}, 2);
            assert_true(term_is_const(t, exact));
            wrong =
                term_or(t, wrong, term_and(t, term_eq(t, x, c), term_not(t, term_eq(t, symbolic, exact))));
        }
        if (solve_check(f.s, &wrong, 1, NULL) != SOLVE_UNSAT)
            fail_msg("%s to %u bits: the theory differs from evaluation; %s", op_info[convert[i].op].name,
                     convert[i].width, solver_reason(f.s));
    }
    end(&f);
}

/* A rounding mode that is not known, where the result is known whatever it is: Z3 4.8.12 ends the process
 * over a choice of rounding modes whose outcomes it computes. */
static void test_any_rounding_mode(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){.fp_theory = true, .timeout_ms = 600000});
    struct terms *t = f.t;
    term mode = term_var(t, "mode", OP_RM_WIDTH), nan = term_const(t, 16, 0xfc01), x = term_var(t, "x", 16);
    term sum = term_op(t, OP_FADD, 16, (term[]){mode, nan, nan}, 3);
    term more = term_op(t, OP_FMUL, 16, (term[]){mode, sum, sum}, 3);
    term q[] = {term_or(t, term_bin(t, OP_FLE, x, sum), term_not(t, term_bin(t, OP_FUNORD, more, more)))};
    expect(&f, q, 1, SOLVE_UNSAT, "a NaN stays one");
    term least = term_op(t, OP_F2F, 16, (term[]){mode, term_const(t, 32, 0xff800000)}, 2);
    term all = term_op(t, OP_FMA, 16, (term[]){mode, least, term_const(t, 16, 0xff80), least}, 4);
    expect(&f, (term[]){term_not(t, term_eq(t, all, term_const(t, 16, 0x7e00)))}, 1, SOLVE_UNSAT,
           "a NaN from an infinity");
    term third =
        term_op(t, OP_FDIV, 16, (term[]){mode, term_const(t, 16, 0x3c00), term_const(t, 16, 0x4200)}, 3);
    expect(&f, (term[]){term_eq(t, third, term_const(t, 16, 0x3556))}, 1, SOLVE_SAT, "one third rounded up");
    expect(&f, (term[]){term_eq(t, third, term_const(t, 16, 0x3557))}, 1, SOLVE_UNSAT, "no mode gives more");
    term away = term_bin(t, OP_ULT, term_const(t, OP_RM_WIDTH, OP_RNA), mode); /* as 0, to nearest */
    expect(&f, (term[]){away, term_eq(t, third, term_const(t, 16, 0x3556))}, 2, SOLVE_UNSAT,
           "not to nearest");
    end(&f);
}

/* Two functions with one name are two functions: what a model says of one must not be taken for the other
 * when the model is tried on the next query. */
static void test_functions_of_one_name(void **state)
{
    (void)state;
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        struct fixture f = start((struct solve_options){.timeout_ms = 600000});
        struct terms *t = f.t;
        term x = term_var(t, "x", 8), y = term_var(t, "y", 8);
        term wide_x = term_apply(t, "g", 16, &x, 1), small_x = term_apply(t, "g", 8, &x, 1);
        term first[] = {term_eq(t, wide_x, term_const(t, 16, 0x1234)),
                        term_eq(t, small_x, term_const(t, 8, 0x56)),
                        term_eq(t, term_bin(t, OP_MUL, x, x), term_const(t, 8, 9))};
        expect(&f, first, 3, SOLVE_SAT, "both have a value");
        term a = narrow ? small_x : wide_x, b = term_apply(t, "g", narrow ? 8 : 16, &y, 1);
        term second[] = {term_eq(t, x, y), term_not(t, term_eq(t, a, b))};
        expect(&f, second, 2, SOLVE_UNSAT, "equal operands, equal results");
        term third[] = {first[0], first[1], first[2], second[0], second[1]};
        expect(&f, third, 5, SOLVE_UNSAT, "equal operands, equal results");
        end(&f);
    }
}

static void only_own_symbols(void *ctx, term symbol, struct bits value)
{
    (void)value;
    assert_true(term_name(ctx, symbol)[0] != '|');
}

/* What stands for reads inside the solver is not part of the answer. */
static void test_models_name_the_querys_symbols(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){.timeout_ms = 600000});
    struct terms *t = f.t;
    term m = term_array_var(t, "m", 64, 8), p = term_var(t, "p", 64);
    term product = term_bin(t, OP_MUL, term_read(t, m, p, 32), term_read(t, m, term_add_const(t, p, 4), 32));
    term q[] = {term_eq(t, product, term_const(t, 32, 77)), term_bin(t, OP_ULT, term_const(t, 64, 9), p)};
    struct term_model *model = NULL;
    assert_int_equal(solve_check(f.s, q, 2, &model), SOLVE_SAT);
    term_model_each(t, model, only_own_symbols, t);
    term_model_free(model);
    end(&f);
}

/* Z3 would take the process with it. */
static void test_nested_too_deep(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){.timeout_ms = 600000});
    struct terms *t = f.t;
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32);
    for (unsigned i = 0; i < 100000; i++)
        x = term_bin(t, i % 2 ? OP_XOR : OP_MUL, x, y);
    term q = term_eq(t, x, term_const(t, 32, 77));
    expect(&f, &q, 1, SOLVE_UNKNOWN, "nested");
    assert_non_null(strstr(solver_reason(f.s), "deep"));
    end(&f);
}

/* ---- limits ---- */

/* The product of two 32-bit primes: neither solver factors it in the time given. */
static term hard(struct terms *t)
{
    term a = term_zext(t, term_var(t, "a", 32), 64), b = term_zext(t, term_var(t, "b", 32), 64);
    term one = term_const(t, 64, 1);
    term product =
        term_eq(t, term_bin(t, OP_MUL, a, b), term_const(t, 64, UINT64_C(3037000493) * 4000000007u));
    return term_and(t, product, term_and(t, term_bin(t, OP_ULT, one, a), term_bin(t, OP_ULT, a, b)));
}

static void test_time_limit(void **state)
{
    (void)state;
    for (unsigned engine = SOLVE_Z3; engine <= SOLVE_RACE; engine++) {
        struct fixture f =
            start((struct solve_options){.engine = engine, .timeout_ms = engine == SOLVE_RACE ? 400 : 100});
        term q = hard(f.t);
        expect(&f, &q, 1, SOLVE_UNKNOWN, engine_name[engine]);
        assert_non_null(strstr(solver_reason(f.s), "time limit"));
        assert_int_equal(solver_limit(f.s), SOLVE_LIMIT_WORK);
        /* Asking again does not take the time again. */
        uint64_t spent = solver_stats(f.s).solver_ms;
        expect(&f, &q, 1, SOLVE_UNKNOWN, engine_name[engine]);
        assert_non_null(strstr(solver_reason(f.s), "time limit"));
        assert_int_equal(solver_limit(f.s), SOLVE_LIMIT_WORK);
        assert_int_equal(solver_stats(f.s).solver_ms, spent);
        assert_int_equal(solver_stats(f.s).unknown, 2);
        end(&f);
    }
}

/* A limit in steps cuts the same questions off on every machine, and says so. */
static void test_effort_limit(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){.timeout_ms = 600000, .effort = 500000});
    term q = hard(f.t);
    expect(&f, &q, 1, SOLVE_UNKNOWN, "Z3");
    assert_string_equal(solver_reason(f.s), "limit of 500000 steps");
    assert_int_equal(solver_limit(f.s), SOLVE_LIMIT_WORK);
    term easy = term_eq(f.t, term_bin(f.t, OP_UREM, term_var(f.t, "a", 32), term_const(f.t, 32, 1000)),
                        term_const(f.t, 32, 999));
    expect(&f, &easy, 1, SOLVE_SAT, "Z3");
    end(&f);
}

/* Nor is one begun whose products alone, of which Z3 counts nothing, take far more than that. */
static void test_products_count(void **state)
{
    (void)state;
    enum { MS = 10, PRODUCTS = 40 };
    struct fixture f = start((struct solve_options){.timeout_ms = 600000, .effort = MS * SOLVE_STEPS_MS});
    struct terms *t = f.t;
    term mem = term_array_var(t, "mem", 64, 8), x = term_var(t, "x", 64), y = x;
    for (unsigned i = 0; i < PRODUCTS; i++)
        y = term_bin(t, OP_MUL, y, term_read(t, mem, term_add_const(t, x, 8 * i), 64));
    term q = term_eq(t, y, term_const(t, 64, UINT64_C(3037000493) * 4000000007u));
    const uint64_t before = *terms_work(t);
    expect(&f, &q, 1, SOLVE_UNKNOWN, "Z3");
    assert_int_equal(solver_limit(f.s), SOLVE_LIMIT_WORK);
    assert_true(*terms_work(t) - before < (uint64_t)MS * BUDGET_MS / 2);
    end(&f);
}

/* What was given up with little work is not asked again with as little, but is with more. */
static void test_more_work(void **state)
{
    (void)state;
    enum { LITTLE = 50 };
    struct fixture f = start((struct solve_options){.timeout_ms = 600000, .effort = 500000});
    term q = hard(f.t);
    for (unsigned i = 0; i < 2; i++) {
        solver_until(f.s, budget_of(terms_work(f.t), (uint64_t)LITTLE * BUDGET_MS, 0));
        expect(&f, &q, 1, SOLVE_UNKNOWN, "with little");
        assert_int_equal(solver_stats(f.s).by_solver, 1);
        assert_int_equal(solver_stats(f.s).by_cache, i);
    }
    solver_until(f.s, budget_of(terms_work(f.t), 0, 0));
    expect(&f, &q, 1, SOLVE_UNKNOWN, "with more");
    assert_int_equal(solver_stats(f.s).by_solver, 2);
    end(&f);
}

/* Branches on words read behind stores that may or may not be in the way: the model of one path is turned
 * into that of the next, and Z3's arrays are not needed for each. A contradiction is still found. */
static void test_similar_models(void **state)
{
    (void)state;
    enum { BRANCHES = 10 };
    struct fixture f = start((struct solve_options){.timeout_ms = 600000});
    struct terms *t = f.t;
    term mem = term_array_var(t, "mem", 64, 8), from = term_var(t, "from", 64), to = term_var(t, "to", 64),
         x[BRANCHES + 1];
    for (unsigned i = 0; i < BRANCHES; i++) {
        term word = term_read(t, mem, term_add_const(t, from, 4 * i), 32);
        term more = term_bin(t, OP_SLT, term_const(t, 32, 3 * i + 7), word);
        x[i] = i % 2 ? more : term_not(t, more);
        expect(&f, x, i + 1, SOLVE_SAT, "one side");
        x[i] = term_not(t, x[i]);
        expect(&f, x, i + 1, SOLVE_SAT, "the other side");
        mem =
            term_write(t, mem, term_add_const(t, to, 4 * i), term_bin(t, OP_MUL, word, term_const(t, 32, 3)));
    }
    struct solve_stats stats = solver_stats(f.s);
    assert_int_equal(stats.queries, 2 * BRANCHES);
    assert_true(stats.by_solver <= 2);
    assert_true(stats.repaired > 0);
    x[BRANCHES] = term_bin(t, OP_ULT, term_add_const(t, from, 1), term_add_const(t, from, 1));
    expect(&f, x, BRANCHES + 1, SOLVE_UNSAT, "a contradiction");
    end(&f);
}

/* So many rounds of a hash function; the choice of each written in one way or another, or wrongly in the last. */
static term hash_rounds(struct terms *t, unsigned rounds, bool otherwise, bool wrong)
{
    term s[4], sum = TERM_NONE;
    for (unsigned i = 0; i < 4; i++) {
        char name[] = {'s', (char)('0' + i), 0};
        s[i] = term_var(t, name, 32);
    }
    for (unsigned i = 0; i < rounds; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%u", i % 16);
        term a = s[0], b = s[1], c = s[2], d = s[3], w = term_var(t, name, 32),
             k = term_const(t, 32, (uint64_t)0x9e3779b9 * (i + 1) & UINT32_MAX);
        if (otherwise) {
            term yes = term_bin(t, OP_AND, b, c), no = term_bin(t, OP_AND, term_not(t, b), d);
            sum = term_bin(t, OP_ADD, term_bin(t, OP_ADD, k, no), term_bin(t, OP_ADD, a, yes));
            sum = term_bin(t, OP_ADD, sum, w);
        } else {
            term f = term_bin(t, OP_XOR, d, term_bin(t, OP_AND, b, term_bin(t, OP_XOR, c, d)));
            sum = term_bin(t, OP_ADD, term_bin(t, OP_ADD, a, w), term_bin(t, OP_ADD, f, k));
        }
        if (wrong && i + 1 == rounds)
            sum = term_bin(t, OP_OR, sum, term_const(t, 32, 1));
        unsigned by = 5 + i % 4 * 6;
        term up = term_bin(t, OP_SHL, sum, term_const(t, 32, by)),
             down = term_bin(t, OP_LSHR, sum, term_const(t, 32, 32 - by));
        sum = term_bin(t, OP_ADD, term_bin(t, otherwise ? OP_XOR : OP_OR, up, down), b);
        s[0] = d;
        s[3] = c;
        s[2] = b;
        s[1] = sum;
    }
    return sum;
}

/* Beyond a solver as a whole, easy round by round. */
static void test_equal_parts_are_found(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){.effort = 2000 * SOLVE_STEPS_MS});
    term one = hash_rounds(f.t, 64, false, false), other = hash_rounds(f.t, 64, true, false);
    assert_true(one != other);
    term differ = term_not(f.t, term_eq(f.t, one, other));
    expect(&f, &differ, 1, SOLVE_UNSAT, "64 rounds in two ways");
    assert_true(solver_stats(f.s).merged >= 60);
    end(&f);
}

static void test_unequal_ones_are_not(void **state)
{
    (void)state;
    struct fixture f = start((struct solve_options){.effort = 200 * SOLVE_STEPS_MS});
    term one = hash_rounds(f.t, 64, false, false), other = hash_rounds(f.t, 64, true, true);
    term differ = term_not(f.t, term_eq(f.t, one, other));
    assert_int_not_equal(solve_check(f.s, &differ, 1, NULL), SOLVE_UNSAT);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_parts_are_found),
        cmocka_unit_test(test_unequal_ones_are_not),
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_decided_by_rewriting),
        cmocka_unit_test(test_decided_cheaply),
        cmocka_unit_test(test_similar_models),
        cmocka_unit_test(test_intervals_are_right),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_joined_conditions),
        cmocka_unit_test(test_extends),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_floats_fall_back_to_the_theory),
        cmocka_unit_test(test_pure_functions_are_learnt),
        cmocka_unit_test(test_float_theory_agrees),
        cmocka_unit_test(test_any_rounding_mode),
        cmocka_unit_test(test_functions_of_one_name),
        cmocka_unit_test(test_models_name_the_querys_symbols),
        cmocka_unit_test(test_nested_too_deep),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_effort_limit),
        cmocka_unit_test(test_products_count),
        cmocka_unit_test(test_more_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
