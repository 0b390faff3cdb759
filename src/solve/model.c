/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models: made from a solver's values, and evaluated before they are believed. */
#include <string.h>

#include "solve/internal.h"

void value_free(struct value *v)
{
    vec_free(&v->cell);
}

struct value value_copy(const struct value *v)
{
    struct value copy = {.is_array = v->is_array, .bits = v->bits};
    for (size_t i = 0; i < v->cell.len; i++)
        vec_push(&copy.cell, v->cell.data[i]);
    return copy;
}

void assignment_add(struct assignment *a, term x, struct value v)
{
    vec_push(&a->of, x);
    vec_push(&a->value, v);
}

void assignment_append(struct assignment *a, const struct assignment *b)
{
    for (size_t i = 0; i < b->of.len; i++)
        assignment_add(a, b->of.data[i], value_copy(&b->value.data[i]));
}

void assignment_truncate(struct assignment *a, size_t n)
{
    for (size_t i = n; i < a->value.len; i++)
        value_free(&a->value.data[i]);
    a->value.len = a->of.len = n < a->of.len ? n : a->of.len;
}

void assignment_free(struct assignment *a)
{
    assignment_truncate(a, 0);
    vec_free(&a->of);
    vec_free(&a->value);
}

/* ---- what to ask for ---- */

static bool is_uninterpreted(const struct terms *t, term x)
{
    const struct pure *f = term_pure_of(t, x);
    return term_kind(t, x) == TERM_APPLY || (f && !f->eval);
}

static bool is_abstract(const struct terms *t, term x)
{
    unsigned kind = term_kind(t, x);
    const struct pure *f = term_pure_of(t, x);
    return (f && f->eval) || (kind >= OP_FADD && kind < OP_COUNT_);
}

void model_wanted(struct terms *t, const term *x, size_t n, struct term_list *wanted,
                  struct term_list *abstract)
{
    struct map done = {0}; /* 1: operands are on the stack; 2: finished */
    VEC(term) stack = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        vec_push(&stack, x[i]);
    while (stack.len) {
        term y = vec_last(&stack);
        uint64_t state = map_find(&done, y, 0);
        if (!state) {
            map_set(&done, y, 1);
            for (unsigned i = 0; i < term_nkids(t, y); i++)
                if (!map_get(&done, term_kid(t, y, i), NULL))
                    vec_push(&stack, term_kid(t, y, i));
            continue;
        }
        (void)vec_pop(&stack);
        if (state == 2)
            continue;
        map_set(&done, y, 2);
        if (wanted && (term_kind(t, y) == TERM_VAR || is_uninterpreted(t, y)))
            vec_push(wanted, y);
        if (abstract && is_abstract(t, y))
            vec_push(abstract, y);
    }
    vec_free(&stack);
    map_free(&done);
}

/* ---- building ---- */

static void model_set(struct term_model *m, term x, const struct value *v)
{
    if (!v->is_array) {
        term_model_set(m, x, v->bits);
        return;
    }
    term_model_set_default(m, x, v->bits);
    for (size_t i = 0; i < v->cell.len; i++)
        term_model_set_cell(m, x, v->cell.data[i].index, v->cell.data[i].value);
}

static bool has_array_operand(const struct terms *t, term x)
{
    for (unsigned i = 0; i < term_nkids(t, x); i++)
        if (term_is_array(t, term_kid(t, x, i)))
            return true;
    return false;
}

/* The values of all bit-vector operands of these applications, one after the other; array operands count as
 * zero. */
struct operands {
    VEC(term) term;
    VEC(size_t) first; /* of each application */
    struct bits *value;
    bool *known;
};

static void operands_eval(struct operands *o, struct terms *t, const struct term_model *m, const term *x,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        vec_push(&o->first, o->term.len);
        for (unsigned k = 0; k < term_nkids(t, x[i]); k++) {
            term kid = term_kid(t, x[i], k);
            vec_push(&o->term, term_is_array(t, kid) ? term_false(t) : kid);
        }
    }
    vec_push(&o->first, o->term.len);
    o->value = xcalloc(o->term.len + 1, sizeof *o->value);
    o->known = xcalloc(o->term.len + 1, sizeof *o->known);
    term_eval_all(t, m, o->term.data, o->term.len, o->value, o->known);
}

static void operands_free(struct operands *o)
{
    vec_free(&o->term);
    vec_free(&o->first);
    free(o->value);
    free(o->known);
}

static bool operands_known(const struct operands *o, size_t i)
{
    for (size_t k = o->first.data[i]; k < o->first.data[i + 1]; k++)
        if (!o->known[k])
            return false;
    return true;
}

static bool operands_equal(const struct operands *o, size_t i, size_t j)
{
    size_t n = o->first.data[i + 1] - o->first.data[i];
    return n == o->first.data[j + 1] - o->first.data[j] &&
           (!n || !memcmp(o->value + o->first.data[i], o->value + o->first.data[j], n * sizeof *o->value));
}

static bool same_function(const struct terms *t, term x, term y)
{
    if (!term_same_head(t, x, y) || term_width(t, x) != term_width(t, y))
        return false;
    for (unsigned i = 0; i < term_nkids(t, x); i++)
        if (term_width(t, term_kid(t, x, i)) != term_width(t, term_kid(t, y, i)))
            return false;
    return true;
}

/* Applications by function and operand values: calls fn for every pair that agrees in both, until it returns
 * false. */
static bool each_agreeing_pair(struct terms *t, const struct operands *o, const term *x, size_t n,
                               bool (*fn)(void *ctx, size_t i, size_t j), void *ctx)
{
    struct map newest = {0}; /* hash -> 1 + application */
    VEC(size_t) older = VEC_INIT;
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        size_t first = o->first.data[i], len = o->first.data[i + 1] - first;
        const char *name = term_name(t, x[i]);
        uint64_t h = hash_bytes(name, strlen(name)) ^ hash_bytes(o->value + first, len * sizeof *o->value);
        size_t head = (size_t)map_find(&newest, h, 0);
        for (size_t j = head; j && ok; j = older.data[j - 1])
            if (same_function(t, x[i], x[j - 1]) && operands_equal(o, i, j - 1))
                ok = fn(ctx, i, j - 1);
        vec_push(&older, head);
        map_set(&newest, h, i + 1);
    }
    map_free(&newest);
    vec_free(&older);
    return ok;
}

static bool values_equal(void *ctx, size_t i, size_t j)
{
    const struct bits *value = ctx;
    return bits_eq(value[i], value[j]);
}

/* Functions of bit-vectors become tables, which then hold for every application, also ones not seen here. */
static bool build_tables(struct terms *t, struct term_model *m, const struct assignment *a)
{
    VEC(term) app = VEC_INIT;
    VEC(struct bits) result = VEC_INIT;
    for (size_t i = 0; i < a->of.len; i++)
        if (is_uninterpreted(t, a->of.data[i]) && !term_is_array(t, a->of.data[i]) &&
            !has_array_operand(t, a->of.data[i])) {
            vec_push(&app, a->of.data[i]);
            vec_push(&result, a->value.data[i].bits);
        }
    bool ok = true;
    if (app.len) {
        struct operands o = {0};
        operands_eval(&o, t, m, app.data, app.len);
        ok = each_agreeing_pair(t, &o, app.data, app.len, values_equal, result.data);
        for (size_t i = 0; i < app.len; i++)
            if (operands_known(&o, i))
                term_model_set_application(m, t, app.data[i], o.value + o.first.data[i], result.data[i]);
        operands_free(&o);
    }
    vec_free(&app);
    vec_free(&result);
    return ok;
}

struct term_model *model_build(struct terms *t, const struct assignment *a)
{
    struct term_model *m = term_model_new();
    for (size_t i = 0; i < a->of.len; i++)
        model_set(m, a->of.data[i], &a->value.data[i]);
    if (build_tables(t, m, a))
        return m;
    term_model_free(m);
    return NULL;
}

/* ---- checking ---- */

struct consistency {
    struct terms *t;
    const struct term_model *m;
    const term *app;
};

/* Two applications whose bit-vector operands agree: either an array operand differs or the results are the
 * same. */
static bool consistent_pair(void *ctx, size_t i, size_t j)
{
    const struct consistency *c = ctx;
    struct bits v, w;
    for (unsigned k = 0; k < term_nkids(c->t, c->app[i]); k++) {
        term x = term_kid(c->t, c->app[i], k), y = term_kid(c->t, c->app[j], k);
        if (term_is_array(c->t, x) && x != y && term_eval(c->t, c->m, term_eq(c->t, x, y), &v) &&
            bits_is_zero(v))
            return true;
    }
    if (term_is_array(c->t, c->app[i]))
        return term_eval(c->t, c->m, term_eq(c->t, c->app[i], c->app[j]), &v) && !bits_is_zero(v);
    return term_eval(c->t, c->m, c->app[i], &v) && term_eval(c->t, c->m, c->app[j], &w) && bits_eq(v, w);
}

static void array_functions(struct terms *t, const term *x, size_t n, struct term_list *out)
{
    struct term_list wanted = {0};
    model_wanted(t, x, n, &wanted, NULL);
    for (size_t i = 0; i < wanted.len; i++) {
        term y = wanted.data[i];
        if (is_uninterpreted(t, y) && (term_is_array(t, y) || has_array_operand(t, y)))
            vec_push(out, y);
    }
    vec_free(&wanted);
}

bool model_has_array_functions(struct terms *t, const term *x, size_t n)
{
    struct term_list app = {0};
    array_functions(t, x, n, &app);
    bool any = app.len != 0;
    vec_free(&app);
    return any;
}

static bool functions_consistent(struct terms *t, const struct term_model *m, const term *x, size_t n)
{
    struct term_list app = {0};
    array_functions(t, x, n, &app);
    bool ok = true;
    if (app.len > 1) {
        struct operands o = {0};
        struct consistency c = {t, m, app.data};
        operands_eval(&o, t, m, app.data, app.len);
        ok = each_agreeing_pair(t, &o, app.data, app.len, consistent_pair, &c);
        operands_free(&o);
    }
    vec_free(&app);
    return ok;
}

enum model_check model_check(struct terms *t, const struct term_model *m, const term *x, size_t n)
{
    bool known;
    if (!term_eval_none_false(t, m, x, n, &known))
        return MODEL_FAILS;
    if (!known)
        return MODEL_CANNOT_SAY;
    return functions_consistent(t, m, x, n) ? MODEL_HOLDS : MODEL_FAILS;
}
