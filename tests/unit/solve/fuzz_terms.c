/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random terms against everything that can contradict them:
 *   simplify  rewritten and as written: equal under random models, known bits hold
 *   prove     rewritten and as written: Z3, given SMT-LIB text, finds no difference
 *   solve     answers of solve_check, query after query as a path condition grows, are those of Z3 given the
 * text of what was not rewritten; models satisfy what was not rewritten engines   the same with cvc5 as a
 * child and in a race text      what was written is read again as the same term, or one that means the same
 *   reader    SMT-LIB text, with everything a person might write, means to the reader what it means to Z3
 *   memory    stores and loads at symbols plus offsets, overlapping, against bytes, with and without an axiom
 *             that two symbols are far apart
 *
 *   fuzz_terms [-s SEED] [-t SECONDS] MODE ROUNDS...    SECONDS: rounds are repeated with new seeds until
 * then */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <z3.h>

#include "base/error.h"
#include "base/map.h"
#include "solve/solve.h"
#include "term/smtlib.h"
#include "test.h"
#include "wild.h"

struct fuzz {
    uint64_t seed, first;
    unsigned long cases, definite, same;
    const struct wild *w;
};

static _Noreturn void wrong(const struct fuzz *f, struct terms *t, const char *what, term x, term y)
{
    fprintf(stderr, "seed %llu: %s\n", (unsigned long long)f->first, what);
    if (f->w)
        wild_print(f->w);
    struct buf b = BUF_INIT;
    if (x)
        term_print(&b, t, x);
    buf_puts(&b, "\n");
    if (y)
        term_print(&b, t, y);
    fprintf(stderr, "%s\n", buf_text(&b));
    buf_free(&b);
    exit(1);
}

static const unsigned small_widths[] = {1, 2, 3, 4, 5, 6, 7, 8};
#define PICK(f, list) ((list)[wild_below(&(f)->seed, sizeof(list) / sizeof *(list))])

/* Any width at all, and widths that go with it. */
static struct wild_style style_any(struct fuzz *f)
{
    struct wild_style s = {{0}};
    static const unsigned usual[] = {8, 16, 32, 64, 128, 256, 512, 63, 65, 33, 31};
    unsigned w = wild_below(&f->seed, 3) == 0   ? PICK(f, usual)
                 : wild_below(&f->seed, 3) == 0 ? 1 + wild_below(&f->seed, OP_MAX_WIDTH)
                                                : 1 + wild_below(&f->seed, 66);
    s.width[0] = w;
    s.width[1] = w;
    s.width[2] = 1;
    s.width[3] = w > 1 ? w / 2 : 2;
    s.width[4] = wild_below(&f->seed, 2) ? 1 + wild_below(&f->seed, w) : w < 256 ? 2 * w : w;
    s.arrays = wild_below(&f->seed, 2);
    s.functions = wild_below(&f->seed, 3) == 0;
    s.array_functions = wild_below(&f->seed, 2);
    s.pures = wild_below(&f->seed, 4) == 0;
    s.floats = wild_below(&f->seed, 4) == 0;
    if (s.arrays)
        s.width[1] = 1 + wild_below(&f->seed, w > 16 ? 16 : w);
    return s;
}

/* What a solver decides at once. */
static struct wild_style style_small(struct fuzz *f)
{
    struct wild_style s = {{0}};
    s.width[0] = wild_below(&f->seed, 8) ? PICK(f, small_widths) : 9 + wild_below(&f->seed, 24);
    s.width[1] = PICK(f, small_widths);
    s.width[2] = 1;
    s.width[3] = s.width[0];
    s.width[4] = PICK(f, small_widths);
    s.arrays = wild_below(&f->seed, 2);
    s.functions = wild_below(&f->seed, 3) == 0;
    s.array_functions = wild_below(&f->seed, 2);
    s.overloaded = wild_below(&f->seed, 2);
    s.fields = wild_below(&f->seed, 3) == 0;
    s.pures = wild_below(&f->seed, 6) == 0;
    s.floats = wild_below(&f->seed, 10) == 0;
    s.float_width = 16;
    return s;
}

/* ---- by evaluation ---- */

static bool known_holds(struct terms *t, term x, struct bits v)
{
    struct term_known k = term_known(t, x);
    for (unsigned i = 0; i < OP_MAX_WIDTH / 64; i++)
        if ((k.zero.w[i] & v.w[i]) || (k.one.w[i] & ~v.w[i]))
            return false;
    return true;
}

static void compare_by_models(struct fuzz *f, struct terms *t, const struct wild *w, const term *plain,
                              const term *full, unsigned models)
{
    term x[2 * WILD_MAX];
    struct bits v[2 * WILD_MAX];
    bool known[2 * WILD_MAX];
    unsigned of[WILD_MAX], n = 0;
    for (unsigned i = 0; i < w->n; i++)
        if (!term_is_array(t, plain[i]))
            of[n++] = i;
    for (unsigned i = 0; i < n; i++) {
        x[2 * i] = plain[of[i]];
        x[2 * i + 1] = full[of[i]];
    }
    for (unsigned k = 0; k < models; k++) {
        struct term_model *m = wild_model(t, w, &f->seed);
        term_eval_all(t, m, x, 2 * n, v, known);
        for (unsigned i = 0; i < 2 * n; i += 2) {
            if (!known[i] || !known[i + 1])
                continue;
            if (!bits_eq(v[i], v[i + 1]))
                wrong(f, t, "rewriting changed the value", x[i], x[i + 1]);
            if (!known_holds(t, x[i], v[i]) || !known_holds(t, x[i + 1], v[i + 1]))
                wrong(f, t, "a bit said to be known is not so", x[i], x[i + 1]);
        }
        term_model_free(m);
    }
}

static void run_simplify(struct fuzz *f)
{
    struct wild w;
    term plain[WILD_MAX], full[WILD_MAX];
    struct terms *t = terms_new();
    struct wild_style style = style_any(f);
    wild_random(&w, &f->seed, &style, 6 + wild_below(&f->seed, 40));
    f->w = &w;
    wild_rules(t, false);
    wild_build(t, &w, plain);
    wild_rules(t, true);
    wild_build(t, &w, full);
    compare_by_models(f, t, &w, plain, full, 12);
    terms_free(t);
}

/* ---- by Z3, from text ---- */

static void ignore_error(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e;
}

/* Effort is in Z3's own units, so answers do not depend on how busy the machine is. */
static enum solve_answer z3_text(const struct fuzz *f, const char *script)
{
    Z3_config config = Z3_mk_config();
    Z3_context c = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(c, ignore_error);
    Z3_ast_vector all = Z3_parse_smtlib2_string(c, script, 0, NULL, NULL, 0, NULL, NULL);
    if (Z3_get_error_code(c) != Z3_OK) {
        fprintf(stderr, "seed %llu: Z3 does not accept the text: %s\n%s\n", (unsigned long long)f->first,
                Z3_get_error_msg(c, Z3_get_error_code(c)), script);
        exit(1);
    }
    Z3_ast_vector_inc_ref(c, all);
    Z3_solver s = Z3_mk_solver(c);
    Z3_solver_inc_ref(c, s);
    Z3_params p = Z3_mk_params(c);
    Z3_params_inc_ref(c, p);
    Z3_params_set_uint(c, p, Z3_mk_string_symbol(c, "rlimit"), 400000);
    Z3_solver_set_params(c, s, p);
    for (unsigned i = 0; i < Z3_ast_vector_size(c, all); i++)
        Z3_solver_assert(c, s, Z3_ast_vector_get(c, all, i));
    Z3_lbool answer = Z3_solver_check(c, s);
    Z3_params_dec_ref(c, p);
    Z3_solver_dec_ref(c, s);
    Z3_ast_vector_dec_ref(c, all);
    Z3_del_context(c);
    return answer == Z3_L_TRUE ? SOLVE_SAT : answer == Z3_L_FALSE ? SOLVE_UNSAT : SOLVE_UNKNOWN;
}

static enum solve_answer ask_text(const struct fuzz *f, struct terms *t, const term *x, size_t n)
{
    struct buf script = BUF_INIT;
    term_smtlib_script(&script, t, x, n, true, false);
    enum solve_answer a = z3_text(f, buf_text(&script));
    buf_free(&script);
    return a;
}

static void run_prove(struct fuzz *f)
{
    struct wild w;
    term plain[WILD_MAX], full[WILD_MAX];
    struct terms *t = terms_new();
    struct wild_style style = style_small(f);
    style.pures = false;
    wild_random(&w, &f->seed, &style, 4 + wild_below(&f->seed, 24));
    f->w = &w;
    wild_rules(t, false);
    wild_build(t, &w, plain);
    wild_rules(t, true);
    wild_build(t, &w, full);
    wild_rules(t, false);
    compare_by_models(f, t, &w, plain, full, 4);
    term all = term_false(t);
    for (unsigned i = 0; i < w.n; i++)
        if (plain[i] != full[i])
            all = term_or(t, all, term_not(t, term_eq(t, plain[i], full[i])));
    if (!term_is_false(t, all) && !w.opaque) {
        enum solve_answer a = ask_text(f, t, &all, 1);
        f->definite += a != SOLVE_UNKNOWN;
        if (a == SOLVE_SAT) {
            for (unsigned i = 0; i < w.n; i++) {
                term one = term_not(t, term_eq(t, plain[i], full[i]));
                if (plain[i] != full[i] && ask_text(f, t, &one, 1) == SOLVE_SAT)
                    wrong(f, t, "Z3 finds a difference", plain[i], full[i]);
            }
            wrong(f, t, "Z3 finds a difference", all, 0);
        }
    }
    terms_free(t);
}

/* ---- queries ---- */

static struct solver *open_solver(struct terms *t, struct solve_options opt)
{
    struct error err = {0};
    struct solver *s = solver_new(t, &opt, &err);
    if (!s) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return s;
}

/* Asks whether full[] holds together; plain[] is the same, not rewritten. */
static enum solve_answer check_query(struct fuzz *f, struct terms *t, struct solver *s, const term *plain,
                                     const term *full, size_t n, bool want_model, enum solve_answer expected)
{
    static const char *const name[] = {"unsat", "sat", "unknown"};
    struct term_model *m = NULL;
    enum solve_answer a = solve_check(s, full, n, want_model ? &m : NULL);
    char what[400];
    bool opaque = f->w->opaque;
    if ((a == SOLVE_UNSAT && expected == SOLVE_SAT && !opaque) ||
        (a == SOLVE_SAT && expected == SOLVE_UNSAT)) {
        snprintf(what, sizeof what, "the answer is %s, Z3 on the text of %zu conjuncts says %s", name[a], n,
                 name[expected]);
        for (size_t i = 0; i < n; i++) {
            struct buf b = BUF_INIT;
            term_print(&b, t, full[i]);
            fprintf(stderr, "assert %s\n", buf_text(&b));
            buf_free(&b);
        }
        wrong(f, t, what, plain[n - 1], full[n - 1]);
    }
    if (a == SOLVE_UNKNOWN && !strstr(solver_reason(s), "time limit") && getenv("FUZZ_UNKNOWN"))
        fprintf(stderr, "seed %llu: unknown: %s\n", (unsigned long long)f->first, solver_reason(s));
    for (size_t i = 0; i < n && m; i++) {
        struct bits v;
        if (!term_eval(t, m, full[i], &v) || bits_is_zero(v))
            wrong(f, t, "the model does not satisfy the query", full[i], 0);
        if (!f->w->of_arrays && term_eval(t, m, plain[i], &v) && bits_is_zero(v))
            wrong(f, t, "the model does not satisfy what was not rewritten", plain[i], full[i]);
    }
    term_model_free(m);
    f->cases++;
    f->definite += a != SOLVE_UNKNOWN;
    return a;
}

/* A path condition: literals over one program, each added to those before when they can hold together. */
static void run_queries(struct fuzz *f, enum solve_engine engine, unsigned queries)
{
    struct wild w;
    term plain[WILD_MAX], full[WILD_MAX], px[16], fx[16];
    struct terms *t = terms_new();
    struct wild_style style = style_small(f);
    wild_random(&w, &f->seed, &style, 10 + wild_below(&f->seed, 50));
    f->w = &w;
    wild_rules(t, false);
    wild_build(t, &w, plain);
    wild_rules(t, true);
    wild_build(t, &w, full);
    struct solver *s = open_solver(t, (struct solve_options){.engine = engine,
                                                             .timeout_ms = 2000,
                                                             .head_start_ms = engine == SOLVE_RACE ? 1 : 0,
                                                             .fp_theory = wild_below(&f->seed, 2)});
    unsigned bits[WILD_MAX], nbits = 0, n = 0;
    for (unsigned i = 0; i < w.n; i++)
        if (w.step[i].width == 1 && w.step[i].kind != WILD_CONST)
            bits[nbits++] = i;
    for (unsigned q = 0; q < queries && nbits; q++) {
        if (n == 12 || wild_below(&f->seed, 12) == 0)
            n = 0;
        unsigned i = bits[wild_below(&f->seed, nbits)];
        bool no = wild_below(&f->seed, 2);
        wild_rules(t, false);
        px[n] = no ? term_not(t, plain[i]) : plain[i];
        if (wild_below(&f->seed, 4) == 0) { /* or a comparison made for the occasion */
            unsigned k = wild_below(&f->seed, w.n);
            if (w.step[k].width > 1) {
                static const enum op order[] = {OP_EQ, OP_ULT, OP_ULE, OP_SLT, OP_SLE};
                enum op op = order[wild_below(&f->seed, 5)];
                term c = term_const_bits(t, w.step[k].width, wild_bits(&f->seed, w.step[k].width));
                bool swap = wild_below(&f->seed, 2);
                px[n] = term_bin(t, op, swap ? c : plain[k], swap ? plain[k] : c);
                wild_rules(t, true);
                fx[n] = term_bin(t, op, swap ? c : full[k], swap ? full[k] : c);
                n++;
                goto ask;
            }
        }
        wild_rules(t, true);
        fx[n] = no ? term_not(t, full[i]) : full[i];
        n++;
    ask:
        wild_rules(t, true);
        enum solve_answer expected = ask_text(f, t, px, n);
        enum solve_answer a = check_query(f, t, s, px, fx, n, wild_below(&f->seed, 2), expected);
        if (a != SOLVE_SAT)
            n--;
    }
    solver_free(s);
    terms_free(t);
}

static void run_solve(struct fuzz *f)
{
    run_queries(f, SOLVE_Z3, 12);
}

static void run_engines(struct fuzz *f)
{
    run_queries(f, wild_below(&f->seed, 2) ? SOLVE_EXTERNAL : SOLVE_RACE, 5);
}

/* ---- text ---- */

static void run_text(struct fuzz *f)
{
    struct wild w;
    term full[WILD_MAX], x[6], conj;
    size_t n = 0;
    struct terms *t = terms_new();
    struct wild_style style = wild_below(&f->seed, 2) ? style_any(f) : style_small(f);
    style.overloaded = style.pures = false;
    wild_random(&w, &f->seed, &style, 6 + wild_below(&f->seed, 40));
    f->w = &w;
    bool rewritten = wild_below(&f->seed, 2);
    wild_rules(t, rewritten);
    wild_build(t, &w, full);
    conj = term_true(t);
    for (unsigned i = w.n; i-- > 0 && n < 6;)
        if (w.step[i].width == 1)
            x[n++] = full[i];
    wild_rules(t, true);
    for (size_t i = 0; i < n; i++)
        conj = term_and(t, conj, x[i]);
    struct buf script = BUF_INIT;
    struct error err = {0};
    term_smtlib_script(&script, t, x, n, false, wild_below(&f->seed, 2));
    term back = term_smtlib_read_script(t, buf_text(&script), script.len, &err);
    if (back == TERM_NONE) {
        fprintf(stderr, "%s\n%s\n", err.text, buf_text(&script));
        wrong(f, t, "what was written cannot be read", conj, 0);
    }
    f->cases += rewritten;
    f->same += rewritten && back == conj;
    for (unsigned k = 0; back != conj && k < 10; k++) {
        struct term_model *m = wild_model(t, &w, &f->seed);
        struct bits u, v;
        if (term_eval(t, m, conj, &u) && term_eval(t, m, back, &v) && !bits_eq(u, v)) {
            fprintf(stderr, "%s\n", buf_text(&script));
            wrong(f, t, "reading what was written gave something else", conj, back);
        }
        term_model_free(m);
    }
    /* written again, read again: nothing changes any more */
    buf_clear(&script);
    term_smtlib_script(&script, t, &back, 1, false, false);
    term again = term_smtlib_read_script(t, buf_text(&script), script.len, &err);
    struct bits u, v;
    struct term_model *m = wild_model(t, &w, &f->seed);
    if (again == TERM_NONE || (term_eval(t, m, again, &u) && term_eval(t, m, back, &v) && !bits_eq(u, v)))
        wrong(f, t, "reading what was written gave something else", back, again);
    term_model_free(m);
    buf_free(&script);
    terms_free(t);
}

/* ---- the reader ---- */

static void run_reader(struct fuzz *f)
{
    struct buf script = BUF_INIT;
    struct error err = {0};
    struct terms *t = terms_new();
    f->w = NULL;
    wild_script(&script, &f->seed);
    term x = term_smtlib_read_script(t, buf_text(&script), script.len, &err);
    if (x == TERM_NONE) {
        fprintf(stderr, "%s\n%s\n", err.text, buf_text(&script));
        wrong(f, t, "a script is refused", 0, 0);
    }
    enum solve_answer expected = z3_text(f, buf_text(&script));
    struct solver *s = open_solver(t, (struct solve_options){0});
    enum solve_answer got = solve_check(s, &x, 1, NULL);
    f->cases++;
    f->definite += expected != SOLVE_UNKNOWN;
    if (got != expected && expected != SOLVE_UNKNOWN) {
        fprintf(stderr, "%s\n", buf_text(&script));
        wrong(f, t, "a script means something else", x, 0);
    }
    solver_free(s);
    buf_free(&script);
    terms_free(t);
}

/* ---- memory ---- */

enum { BASES = 3, LIVES = 4, BYTES_MAX = 64 };

struct place {
    term index;
    uint64_t at;
};

struct memory {
    term x;
    struct map byte;
};

struct bench {
    struct terms *t;
    struct term_model *m;
    unsigned iw;
    term base[BASES];
    uint64_t value[BASES];
    term root;
    struct map initial;
};

static bool far_apart(void *ctx, term a, term b)
{
    const struct bench *e = ctx;
    bool first = a == e->base[0] || b == e->base[0];
    term other = a == e->base[0] ? b : a;
    return first && (other == TERM_NONE || other == e->base[1]);
}

static uint64_t wrap(const struct bench *e, uint64_t x)
{
    return e->iw == 64 ? x : x & ((UINT64_C(1) << e->iw) - 1);
}

static uint8_t byte_at(struct fuzz *f, struct bench *e, const struct memory *m, uint64_t at)
{
    uint64_t v;
    at = wrap(e, at);
    if (map_get(&m->byte, at, &v) || map_get(&e->initial, at, &v))
        return (uint8_t)v;
    v = test_random(&f->seed) & 255;
    map_set(&e->initial, at, v);
    term_model_set_cell(e->m, e->root, at, bits_u64(v, 8));
    return (uint8_t)v;
}

static struct place some_place(struct fuzz *f, struct bench *e)
{
    int64_t offset = (int64_t)wild_below(&f->seed, 48) - 24;
    unsigned b = wild_below(&f->seed, BASES + 2);
    struct place p = {.at = wrap(e, (uint64_t)offset)};
    if (b < BASES) {
        p.at = wrap(e, e->value[b] + (uint64_t)offset);
        p.index = term_add_const(e->t, e->base[b], (uint64_t)offset);
    } else if (b == BASES) { /* scaled: base 2 is small */
        term i = term_bin(e->t, OP_MUL, e->base[2], term_const(e->t, e->iw, 4));
        p.at = wrap(e, e->value[1] + 4 * e->value[2] + (uint64_t)offset);
        p.index = term_add_const(e->t, term_bin(e->t, OP_ADD, e->base[1], i), (uint64_t)offset);
    } else {
        p.index = term_const(e->t, e->iw, p.at);
    }
    return p;
}

static struct memory copy_of(const struct memory *m)
{
    struct memory c = {.x = m->x};
    uint64_t key, v;
    for (size_t i = 0; (i = map_next(&m->byte, i, &key, &v));)
        map_set(&c.byte, key, v);
    return c;
}

static void run_memory(struct fuzz *f)
{
    static const unsigned index_widths[] = {3, 5, 8, 12, 16, 32, 64, 64};
    struct bench e = {.t = terms_new(), .m = term_model_new()};
    struct memory live[LIVES] = {{0}};
    e.iw = PICK(f, index_widths);
    bool apart = e.iw >= 16 && wild_below(&f->seed, 2);
    unsigned most = e.iw == 3 ? 8 : e.iw == 5 ? 32 : BYTES_MAX;
    f->w = NULL;
    if (apart)
        terms_set_distinct(e.t, (struct term_distinct){far_apart, &e});
    for (unsigned i = 0; i < BASES; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%u", i);
        e.base[i] = term_var(e.t, name, e.iw);
        e.value[i] = wrap(&e, wild_below(&f->seed, 3) ? wild_below(&f->seed, 40) : test_random(&f->seed));
        if (i == 2)
            e.value[i] = wrap(&e, wild_below(&f->seed, 6) - 2);
        if (apart && i < 2) /* far from each other and from 0 */
            e.value[i] = wrap(&e, (i ? 0x1000 : 0x9000) + wild_below(&f->seed, 16));
        term_model_set(e.m, e.base[i], bits_u64(e.value[i], e.iw));
    }
    if (apart && wild_below(&f->seed, 2)) /* nothing is said of 0 and the second */
        term_model_set(e.m, e.base[1], bits_u64(e.value[1] = wild_below(&f->seed, 16), e.iw));
    e.root = term_array_var(e.t, "m", e.iw, 8);
    for (unsigned i = 0; i < LIVES; i++)
        live[i].x = e.root;
    for (unsigned step = 0, n = 4 + wild_below(&f->seed, 40); step < n; step++) {
        struct memory *m = &live[wild_below(&f->seed, LIVES)];
        struct place p = some_place(f, &e);
        unsigned bytes =
            wild_below(&f->seed, 4) ? 1u << wild_below(&f->seed, 4) : 1 + wild_below(&f->seed, most);
        if (bytes > most)
            bytes = most;
        f->cases++;
        switch (wild_below(&f->seed, 8)) {
        case 0: { /* copy one over the other */
            struct memory c = copy_of(&live[wild_below(&f->seed, LIVES)]);
            map_free(&m->byte);
            *m = c;
            break;
        }
        case 1: { /* join two */
            term c = term_var(e.t, step % 2 ? "c0" : "c1", 1);
            bool holds = step % 2;
            struct memory *other = &live[wild_below(&f->seed, LIVES)];
            struct memory joined = copy_of(holds ? m : other);
            term_model_set(e.m, c, bits_u64(holds, 1));
            joined.x = term_ite(e.t, c, m->x, other->x);
            map_free(&m->byte);
            *m = joined;
            break;
        }
        case 2:
        case 3:
        case 4: {
            term v = TERM_NONE;
            uint8_t data[BYTES_MAX];
            struct bits value = {{0}};
            if (wild_below(&f->seed, 3) == 0) { /* move what is there */
                struct place from = some_place(f, &e);
                struct memory *src = &live[wild_below(&f->seed, LIVES)];
                v = term_read(e.t, src->x, from.index, bytes * 8);
                for (unsigned i = 0; i < bytes; i++)
                    data[i] = byte_at(f, &e, src, from.at + i);
            } else {
                for (unsigned i = 0; i < bytes; i++)
                    data[i] = (uint8_t)test_random(&f->seed);
                value = bits_from_bytes(data, bytes);
                char name[32];
                snprintf(name, sizeof name, "w%u", step);
                v = wild_below(&f->seed, 2) ? term_const_bits(e.t, bytes * 8, value)
                                            : term_var(e.t, name, bytes * 8);
                if (term_kind(e.t, v) == TERM_VAR)
                    term_model_set(e.m, v, value);
            }
            m->x = term_write(e.t, m->x, p.index, v);
            for (unsigned i = 0; i < bytes; i++)
                map_set(&m->byte, wrap(&e, p.at + i), data[i]);
            break;
        }
        default: {
            term v = term_read(e.t, m->x, p.index, bytes * 8);
            uint8_t data[BYTES_MAX];
            struct bits got;
            for (unsigned i = 0; i < bytes; i++)
                data[i] = byte_at(f, &e, m, p.at + i);
            if (!term_eval(e.t, e.m, v, &got) || !bits_eq(got, bits_from_bytes(data, bytes)))
                wrong(f, e.t, "a load gives something else than the bytes stored", v, m->x);
        }
        }
    }
    for (unsigned i = 0; i < LIVES; i++)
        map_free(&live[i].byte);
    map_free(&e.initial);
    term_model_free(e.m);
    terms_free(e.t);
}

/* ---- */

static const struct {
    const char *name;
    void (*run)(struct fuzz *f);
} modes[] = {
    {"simplify", run_simplify}, {"prove", run_prove},   {"solve", run_solve},   {"engines", run_engines},
    {"text", run_text},         {"memory", run_memory}, {"reader", run_reader},
};

static void run_mode(const char *name, unsigned long rounds, uint64_t seed)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(name, modes[i].name))
            continue;
        struct fuzz f = {0};
        unsigned long cases = 0;
        for (unsigned long k = 0; k < rounds; k++) {
            f.first = seed + k;
            f.seed = (seed + k) * UINT64_C(0x9e3779b97f4a7c15) | 1;
            f.seed ^= f.seed >> 29;
            (void)test_random(&f.seed);
            modes[i].run(&f);
            cases++;
        }
        printf("%s: %lu programs, %lu cases, %lu decided, %lu the same, first seed %llu\n", name, cases,
               f.cases, f.definite, f.same, (unsigned long long)seed);
        fflush(stdout);
        return;
    }
    fprintf(stderr, "fuzz_terms: there is no mode '%s'\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    long seconds = 0;
    int o;
    while ((o = getopt(argc, argv, "s:t:")) != -1) {
        if (o == 's')
            seed = strtoull(optarg, NULL, 10);
        else if (o == 't')
            seconds = strtol(optarg, NULL, 10);
        else
            return 2;
    }
    time_t end = time(NULL) + seconds;
    do {
        for (int i = optind; i + 1 < argc; i += 2) {
            unsigned long rounds = strtoul(argv[i + 1], NULL, 10);
            run_mode(argv[i], rounds, seed);
            seed += seconds ? rounds : 0;
        }
    } while (seconds && time(NULL) < end);
    return 0;
}
