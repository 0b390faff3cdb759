/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/prove.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "solve/solve.h"

enum {
    SAMPLES = 24,
    UNKNOWNS_MAX = 12, /* in one expression; with more, nothing is tried */
    DEPTH_MAX = 4,     /* of proofs inside unknowns */
    QUESTIONS_MAX = 64,
    QUESTION_MS = 200,
    COMPLEX_MAX = 60,
};

struct prover {
    struct exprs *e;
    struct terms *t;
    struct solver *s; /* NULL until it is needed: it takes longer to start than most tests take */
    struct map known; /* pair of expressions -> 1 equal, 2 opposite, 3 neither */
    uint64_t asked;
};

struct prover *prover_new(struct exprs *e)
{
    struct prover *p = xcalloc(1, sizeof *p);
    p->e = e;
    p->t = terms_new();
    return p;
}

void prover_free(struct prover *p)
{
    if (!p)
        return;
    solver_free(p->s);
    terms_free(p->t);
    map_free(&p->known);
    free(p);
}

uint64_t prover_asked(const struct prover *p)
{
    return p->asked;
}

/* ---- expressions as terms ---- */

struct unknowns {
    VEC(expr) of;   /* what each stands for */
    VEC(term) term; /* parallel */
};

struct reading {
    struct prover *p;
    unsigned width;
    struct unknowns *known; /* of the other side; NULL on the first */
    struct unknowns own;
    unsigned depth;
    bool too_much;
};

enum relation { SAME = 1, OPPOSITE, NEITHER };
static enum relation relate(struct prover *p, expr x, expr y, unsigned depth);

/* Is y, an unknown, the same as x: of one kind, and made from the same. */
static bool same_unknown(struct prover *p, expr x, expr y, unsigned depth)
{
    const struct exprs *e = p->e;
    unsigned n = expr_nkids(e, x);
    const char *a = expr_name(e, x), *b = expr_name(e, y);
    if (x == y)
        return true;
    if (expr_kind(e, x) != expr_kind(e, y) || n == 0 || expr_nkids(e, y) != n || depth >= DEPTH_MAX ||
        (a != b && (!a || !b || strcmp(a, b) != 0)))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (relate(p, expr_kid(e, x, i), expr_kid(e, y, i), depth + 1) != SAME)
            return false;
    return true;
}

static term unknown(struct reading *r, expr x)
{
    for (size_t i = 0; i < r->own.of.len; i++)
        if (r->own.of.data[i] == x)
            return r->own.term.data[i];
    term t = TERM_NONE;
    for (size_t i = 0; r->known && i < r->known->of.len && t == TERM_NONE; i++)
        if (same_unknown(r->p, r->known->of.data[i], x, r->depth))
            t = r->known->term.data[i];
    if (t == TERM_NONE) {
        char name[48];
        snprintf(name, sizeof name, "u%u.%" PRIx64, r->width, expr_key(r->p->e, x));
        t = term_var(r->p->t, name, r->width);
    }
    vec_push(&r->own.of, x);
    vec_push(&r->own.term, t);
    r->too_much = r->too_much || r->own.of.len > UNKNOWNS_MAX;
    return t;
}

static term widened(struct reading *r, term x)
{
    return term_width(r->p->t, x) == r->width ? x : term_zext(r->p->t, x, r->width);
}

static term truth(struct reading *r, term x)
{
    if (term_width(r->p->t, x) == 1)
        return x;
    return term_not(r->p->t, term_eq(r->p->t, x, term_const(r->p->t, r->width, 0)));
}

static term read_expr(struct reading *r, expr x);

static term read_op(struct reading *r, expr x)
{
    struct terms *t = r->p->t;
    const struct exprs *e = r->p->e;
    enum op op = (enum op)expr_value(e, x);
    unsigned n = expr_nkids(e, x);
    term k[3];
    switch (op) {
    case OP_NOT:
        return term_not(t, read_expr(r, expr_kid(e, x, 0)));
    case OP_NEG:
        return term_un(t, OP_NEG, widened(r, read_expr(r, expr_kid(e, x, 0))));
    case OP_ITE:
        k[0] = truth(r, read_expr(r, expr_kid(e, x, 0)));
        k[1] = widened(r, read_expr(r, expr_kid(e, x, 1)));
        k[2] = widened(r, read_expr(r, expr_kid(e, x, 2)));
        return term_ite(t, k[0], k[1], k[2]);
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_UDIV:
    case OP_UREM:
    case OP_SDIV:
    case OP_SREM:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR:
    case OP_EQ:
    case OP_ULT:
    case OP_SLT:
        break;
    default:
        return unknown(r, x);
    }
    k[0] = read_expr(r, expr_kid(e, x, 0));
    for (unsigned i = 1; i < n && !r->too_much; i++) {
        k[1] = read_expr(r, expr_kid(e, x, i));
        bool logical = (op == OP_AND || op == OP_OR || op == OP_XOR || op == OP_EQ) &&
                       term_width(t, k[0]) == 1 && term_width(t, k[1]) == 1;
        if (!logical) {
            k[0] = widened(r, k[0]);
            k[1] = widened(r, k[1]);
        }
        k[0] = term_bin(t, op, k[0], k[1]);
    }
    return k[0];
}

static term read_expr(struct reading *r, expr x)
{
    if (r->too_much)
        return term_const(r->p->t, r->width, 0);
    switch (expr_kind(r->p->e, x)) {
    case EXPR_CONST:
        return term_const(r->p->t, r->width, (uint64_t)expr_value(r->p->e, x));
    case EXPR_OP:
        return read_op(r, x);
    default:
        return unknown(r, x);
    }
}

/* ---- the same, the opposite, or neither ---- */

static uint64_t sample_value(uint64_t *seed, unsigned i, unsigned unknown)
{
    static const uint64_t special[] = {0,          1,   UINT64_MAX, 2, 0x80000000, 0x7fffffff,
                                       0xffffffff, 255, 256,        3, 16,         64};
    enum { N = sizeof special / sizeof *special };
    *seed = hash_u64(*seed + 0x9e3779b97f4a7c15);
    if (i < N)
        return special[(i + unknown * 5) % N];
    return i % 3 == 0 ? *seed : i % 3 == 1 ? *seed % 1024 : *seed % 65536;
}

/* What is left possible after some values were tried: a set of 1 << SAME and 1 << OPPOSITE. */
static unsigned by_samples(struct prover *p, const struct reading *a, const struct reading *b, term x, term y)
{
    unsigned left = 1u << SAME | (term_width(p->t, x) == 1 ? 1u << OPPOSITE : 0);
    uint64_t seed = 1;
    for (unsigned i = 0; i < SAMPLES && left; i++) {
        struct term_model *m = term_model_new();
        unsigned k = 0;
        for (size_t u = 0; u < a->own.term.len; u++)
            term_model_set(m, a->own.term.data[u], bits_u64(sample_value(&seed, i, k++), a->width));
        for (size_t u = 0; u < b->own.term.len; u++) {
            bool set = false;
            for (size_t v = 0; v < a->own.term.len; v++)
                set = set || a->own.term.data[v] == b->own.term.data[u];
            if (!set)
                term_model_set(m, b->own.term.data[u], bits_u64(sample_value(&seed, i, k++), a->width));
        }
        struct bits v, w;
        if (!term_eval(p->t, m, x, &v) || !term_eval(p->t, m, y, &w))
            left = 0;
        else
            left &= bits_eq(v, w) ? 1u << SAME : 1u << OPPOSITE;
        term_model_free(m);
    }
    return left;
}

static bool always(struct prover *p, term x)
{
    if (term_is_const(p->t, x))
        return term_is_true(p->t, x);
    if (p->asked >= QUESTIONS_MAX)
        return false;
    if (!p->s)
        p->s = solver_new(p->t, &(struct solve_options){.timeout_ms = QUESTION_MS}, NULL);
    p->asked++;
    return p->s && solve_valid(p->s, NULL, 0, x) == SOLVE_UNSAT;
}

static enum relation relate_at(struct prover *p, expr x, expr y, unsigned width, unsigned depth)
{
    struct reading a = {.p = p, .width = width, .depth = depth};
    struct reading b = {.p = p, .width = width, .depth = depth, .known = &a.own};
    term l = read_expr(&a, x), r = read_expr(&b, y);
    enum relation found = NEITHER;
    if (!a.too_much && !b.too_much) {
        if (term_width(p->t, l) != term_width(p->t, r)) {
            l = widened(&a, l);
            r = widened(&b, r);
        }
        unsigned left = by_samples(p, &a, &b, l, r);
        if (left & 1u << SAME && always(p, term_eq(p->t, l, r)))
            found = SAME;
        else if (left & 1u << OPPOSITE && always(p, term_eq(p->t, l, term_not(p->t, r))))
            found = OPPOSITE;
    }
    vec_free(&a.own.of);
    vec_free(&a.own.term);
    vec_free(&b.own.of);
    vec_free(&b.own.term);
    return found;
}

static enum relation relate(struct prover *p, expr x, expr y, unsigned depth)
{
    uint64_t key = (uint64_t)x << 32 | y, known;
    if (x == y)
        return SAME;
    if (expr_complexity(p->e, x) > COMPLEX_MAX || expr_complexity(p->e, y) > COMPLEX_MAX)
        return NEITHER;
    if (map_get(&p->known, key, &known))
        return (enum relation)known;
    map_set(&p->known, key, NEITHER); /* while it is being asked */
    enum relation r = relate_at(p, x, y, 64, depth);
    if (r == NEITHER)
        r = relate_at(p, x, y, 32, depth);
    map_set(&p->known, key, r);
    return r;
}

/* ---- patterns ---- */

static bool has_any(const struct exprs *e, expr x)
{
    if (expr_kind(e, x) == EXPR_ANY)
        return true;
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        if (has_any(e, expr_kid(e, x, i)))
            return true;
    return false;
}

static bool same_head(const struct exprs *e, expr x, expr y)
{
    const char *a = expr_name(e, x), *b = expr_name(e, y);
    return expr_kind(e, x) == expr_kind(e, y) && expr_nkids(e, x) == expr_nkids(e, y) &&
           expr_value(e, x) == expr_value(e, y) && text_same(a, b);
}

static bool matches(struct prover *p, expr pattern, expr x, bool branch)
{
    const struct exprs *e = p->e;
    if (expr_matches(e, pattern, x))
        return true;
    if (!has_any(e, pattern)) {
        enum relation r = relate(p, pattern, x, 0);
        return r == SAME || (branch && r == OPPOSITE);
    }
    if (!same_head(e, pattern, x))
        return false;
    unsigned n = expr_nkids(e, x), fit = 0;
    for (unsigned i = 0; i < n; i++)
        fit += matches(p, expr_kid(e, pattern, i), expr_kid(e, x, i), false);
    return n && fit == n;
}

bool prover_instance(struct prover *p, const struct feature *pattern, const struct feature *f)
{
    return f->kind == pattern->kind && (pattern->under == EXPR_NONE || f->under != EXPR_NONE) &&
           matches(p, pattern->what, f->what, f->kind == FEATURE_CONDITION) &&
           (pattern->value == EXPR_NONE || matches(p, pattern->value, f->value, false)) &&
           (pattern->under == EXPR_NONE || matches(p, pattern->under, f->under, false));
}
