/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A candidate read off the terms: what must be put in place of the inner function's arguments so that its
 * terms become the target's. It is a guess, which is checked like any other. */
#include <string.h>

#include "adapt/internal.h"

enum { STEPS_MAX = 20000, FLOAT_NUMBERS = 6, FLOAT_WAYS = 200 };

struct unifier {
    struct adapt *a;
    term bound[ADAPT_ARGUMENTS]; /* as wide as the argument; TERM_NONE: not yet */
    struct map plain;            /* terms of the inner function without its arguments */
    struct map done;             /* pairs that went well, and bound what they do */
    unsigned steps;
};

static bool is_argument(const struct unifier *u, term x, unsigned *i)
{
    return summary_argument(&u->a->inner, x, i) && *i < u->a->inner.nargs;
}

static bool has_argument(void *ctx, term x)
{
    unsigned i;
    return is_argument(ctx, x, &i);
}

static bool is_plain(struct unifier *u, term y)
{
    uint64_t known;
    if (map_get(&u->plain, y, &known))
        return known;
    bool plain = !term_any(u->a->t, y, has_argument, u);
    map_set(&u->plain, y, plain);
    return plain;
}

/* A term of the target, cut to some low bits, as it was before it was cut: those bits of it are the same. */
static term widen(struct terms *t, term x, unsigned width)
{
    unsigned n = term_width(t, x), kind = term_kind(t, x);
    uint64_t c;
    if (n == width)
        return x;
    if (term_const_u64(t, x, &c))
        return term_sext(t, x, width);
    if (kind == OP_EXTRACT && term_extract_lo(t, x) == 0 && term_width(t, term_kid(t, x, 0)) == width)
        return term_kid(t, x, 0);
    if (kind == OP_ADD || kind == OP_SUB || kind == OP_MUL)
        return term_bin(t, (enum op)kind, widen(t, term_kid(t, x, 0), width),
                        widen(t, term_kid(t, x, 1), width));
    if (kind == OP_NEG)
        return term_un(t, OP_NEG, widen(t, term_kid(t, x, 0), width));
    return term_zext(t, x, width);
}

static bool bind(struct unifier *u, unsigned i, term x)
{
    struct terms *t = u->a->t;
    if (u->bound[i] == TERM_NONE)
        u->bound[i] = x;
    if (u->bound[i] == x)
        return true;
    /* two readings of its low bits: the one that was not cut counts */
    uint64_t a, b;
    if (term_const_u64(t, u->bound[i], &a) && term_const_u64(t, x, &b) && (uint32_t)a == (uint32_t)b) {
        u->bound[i] = b == (uint32_t)b ? x : u->bound[i];
        return true;
    }
    return false;
}

static bool is_commutative(unsigned kind)
{
    return kind == OP_ADD || kind == OP_MUL || kind == OP_AND || kind == OP_OR || kind == OP_XOR ||
           kind == OP_EQ;
}

static bool unify(struct unifier *u, term x, term y)
{
    struct terms *t = u->a->t;
    unsigned i, kind = term_kind(t, y);
    if (x == y && is_plain(u, y))
        return true;
    if (++u->steps > STEPS_MAX || term_is_array(t, x) != term_is_array(t, y) ||
        (!term_is_array(t, x) && term_width(t, x) != term_width(t, y)))
        return false;
    uint64_t key = (uint64_t)x << 32 | y;
    if (map_get(&u->done, key, NULL))
        return true;
    if (is_argument(u, y, &i))
        return bind(u, i, x);
    if (kind == OP_EXTRACT && term_extract_lo(t, y) == 0 && is_argument(u, term_kid(t, y, 0), &i))
        return bind(u, i, widen(t, x, term_width(t, term_kid(t, y, 0))));
    if (kind == OP_ZEXT || kind == OP_SEXT) {
        term low = term_extract(t, x, 0, term_width(t, term_kid(t, y, 0)));
        if ((kind == OP_ZEXT ? term_zext : term_sext)(t, low, term_width(t, y)) == x)
            return unify(u, low, term_kid(t, y, 0));
    }
    /* registers that carry nothing are others in each */
    if (kind == TERM_VAR && term_kind(t, x) == TERM_VAR)
        return term_origin(t, y).kind == TERM_ORIGIN_FRESH || x == y;
    if (kind == OP_ADD && term_is_const(t, term_kid(t, y, 1)) && is_argument(u, term_kid(t, y, 0), &i) &&
        term_kind(t, x) != OP_ADD)
        return bind(u, i, term_bin(t, OP_SUB, x, term_kid(t, y, 1)));
    unsigned n = term_nkids(t, y);
    if (!term_same_head(t, x, y) || !n || is_plain(u, y))
        return false;
    term before[ADAPT_ARGUMENTS];
    memcpy(before, u->bound, sizeof before);
    bool ok = true;
    for (unsigned k = 0; ok && k < n; k++)
        ok = unify(u, term_kid(t, x, k), term_kid(t, y, k));
    if (!ok && n == 2 && is_commutative(kind)) {
        memcpy(u->bound, before, sizeof before);
        ok = unify(u, term_kid(t, x, 0), term_kid(t, y, 1)) && unify(u, term_kid(t, x, 1), term_kid(t, y, 0));
    }
    if (!ok)
        memcpy(u->bound, before, sizeof before);
    else
        map_set(&u->done, key, 1);
    return ok;
}

/* ---- terms as values ---- */

static bool add_linear(struct adapt *a, term x, uint64_t factor, struct adapt_value *v)
{
    struct terms *t = a->t;
    uint64_t c;
    unsigned i;
    if (term_const_u64(t, x, &c)) {
        v->constant += factor * c;
        return true;
    }
    switch (term_kind(t, x)) {
    case OP_ADD:
        return add_linear(a, term_kid(t, x, 0), factor, v) && add_linear(a, term_kid(t, x, 1), factor, v);
    case OP_SUB:
        return add_linear(a, term_kid(t, x, 0), factor, v) && add_linear(a, term_kid(t, x, 1), -factor, v);
    case OP_NEG:
        return add_linear(a, term_kid(t, x, 0), -factor, v);
    case OP_MUL:
        return term_const_u64(t, term_kid(t, x, 1), &c) && add_linear(a, term_kid(t, x, 0), factor * c, v);
    }
    if (!summary_argument(&a->target, x, &i) || i >= a->target.nargs)
        return false;
    if (!v->scale) {
        v->arg = i;
        v->scale = factor;
    } else if (!v->two && (v->scale == 1 || factor == 1)) {
        v->two = true;
        v->arg2 = i;
        v->scale2 = factor;
    } else {
        return false;
    }
    return true;
}

static uint64_t cut(uint64_t x, unsigned width)
{
    return width == 32 ? (uint32_t)x : x;
}

static bool term_value(struct adapt *a, term x, struct adapt_value *out)
{
    struct terms *t = a->t;
    *out = (struct adapt_value){0};
    unsigned kind = term_kind(t, x);
    if (kind == OP_ZEXT || kind == OP_SEXT) {
        term low = term_kid(t, x, 0);
        unsigned bits = term_width(t, low);
        bool sign = kind == OP_SEXT;
        out->conversion = bits == 32   ? (sign ? ADAPT_S32 : ADAPT_Z32)
                          : bits == 16 ? (sign ? ADAPT_S16 : ADAPT_Z16)
                          : bits == 8  ? (sign ? ADAPT_S8 : ADAPT_Z8)
                                       : ADAPT_AS_IS;
        if (out->conversion == ADAPT_AS_IS)
            return false;
        x = widen(t, low, a->width);
    }
    if (!add_linear(a, x, 1, out))
        return false;
    out->scale = cut(out->scale, a->width);
    out->scale2 = cut(out->scale2, a->width);
    out->constant = cut(out->constant, a->width);
    return !is_address(a, out->constant);
}

/* A float for a float, as it is, or a constant; words for a word. */
static bool is_of_kind(const struct adapt *a, unsigned i, const struct adapt_value *v)
{
    unsigned bits = summary_float_bits(&a->inner, i);
    if (!bits)
        return (!v->scale || v->arg < a->target.shape.words) && (!v->two || v->arg2 < a->target.shape.words);
    return v->conversion == ADAPT_AS_IS && !v->two &&
           (!v->scale || (v->scale == 1 && !v->constant && summary_float_bits(&a->target, v->arg) == bits));
}

/* The smallest family that has the value. */
static unsigned stage_of(const struct adapt_value *v)
{
    if (!v->scale)
        return STAGE_SUBSTITUTE;
    if (v->scale != 1 || v->two || v->constant)
        return STAGE_ARITHMETIC;
    return v->conversion == ADAPT_AS_IS ? STAGE_PERMUTE : STAGE_CONVERT;
}

/* Numbers that the target computes with. */
struct numbers {
    struct terms *t;
    struct map seen;
    term list[FLOAT_NUMBERS];
    unsigned n;
};

static bool note_numbers(void *ctx, term x)
{
    struct numbers *o = ctx;
    bool computes = term_kind(o->t, x) >= OP_FADD && term_kind(o->t, x) < OP_COUNT_;
    for (unsigned i = 0; computes && i < term_nkids(o->t, x) && o->n < FLOAT_NUMBERS; i++) {
        term k = term_kid(o->t, x, i);
        bool known = !term_is_const(o->t, k);
        for (unsigned j = 0; j < o->n; j++)
            known = known || o->list[j] == k;
        if (!known)
            o->list[o->n++] = k;
    }
    return false;
}

/* The n-th way to make floating-point arguments of the target's and its numbers. */
static bool float_way(struct adapt *a, unsigned n, term *out)
{
    const struct behaviour *x = &a->target.is;
    const term list[] = {x->result[0], x->returns, x->memory, x->world};
    struct numbers o = {.t = a->t};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        term_any_of_many(a->t, list[i], &o.seen, note_numbers, &o);
    map_free(&o.seen);
    for (unsigned i = a->inner.shape.floats; i-- > 0;) {
        const unsigned bits = a->inner.shape.float_bits[i];
        term option[ADAPT_FLOATS + FLOAT_NUMBERS];
        unsigned options = 0;
        for (unsigned k = 0; k < a->target.shape.floats; k++)
            if (a->target.shape.float_bits[k] == bits)
                option[options++] = a->target.arg[a->target.shape.words + k];
        for (unsigned k = 0; k < o.n; k++)
            if (term_width(a->t, o.list[k]) == bits)
                option[options++] = term_zext(a->t, o.list[k], a->width);
        if (!options)
            return false;
        out[i] = option[n % options];
        n /= options;
    }
    return n == 0;
}

/* `floats`: what the inner function is given of these; NULL: that is looked for, too. */
static bool unify_all(struct adapt *a, const term *floats, struct adapter *out, unsigned *stage)
{
    struct unifier u = {.a = a};
    struct behaviour given = a->inner.is;
    const unsigned words = a->inner.shape.words;
    if (floats)
        given = behaviour_with(a, &a->inner.is, &a->inner.arg[words], floats, a->inner.shape.floats);
    for (unsigned i = 0; floats && i < a->inner.shape.floats; i++)
        u.bound[words + i] = floats[i];
    const struct behaviour *x = &a->target.is, *y = &given;
    *stage = STAGES;
    bool some = unify(&u, x->world, y->world);
    some = unify(&u, x->memory, y->memory) || some;
    some = (a->compared.bits && unify(&u, x->result[0], y->result[0])) || some;
    some = unify(&u, x->returns, y->returns) || some;
    map_free(&u.plain);
    map_free(&u.done);
    *out = (struct adapter){.nargs = a->inner.nargs, .width = a->width, .result = {.scale = 1}};
    unsigned largest = STAGE_PERMUTE;
    uint32_t taken = 0;
    for (unsigned i = 0; some && i < out->nargs; i++) {
        struct adapt_value *v = &out->arg[i];
        if (!a->inner.used[i])
            continue;
        if ((u.bound[i] != TERM_NONE && !term_value(a, u.bound[i], v)) || !is_of_kind(a, i, v))
            return false;
        unsigned s = stage_of(v);
        if (s == STAGE_PERMUTE && taken >> v->arg & 1)
            s = STAGE_SUBSTITUTE;
        taken |= 1u << v->arg;
        largest = s > largest ? s : largest;
        bool listed = !a->opt->constant;
        for (size_t k = 0; k < a->opt->nconstants; k++)
            listed = listed || v->constant == a->opt->constant[k];
        if (!listed && (!v->scale || v->constant))
            return false;
    }
    if (some)
        *stage = largest;
    return some;
}

bool unify_candidate(struct adapt *a, unsigned n, struct adapter *out, unsigned *stage)
{
    term floats[ADAPT_FLOATS];
    if (!n)
        return unify_all(a, NULL, out, stage) || a->inner.shape.floats;
    return n <= FLOAT_WAYS && a->inner.shape.floats && float_way(a, n - 1, floats) &&
           (unify_all(a, floats, out, stage) || (*stage = STAGES));
}

/* ---- a target that does nothing but call the inner function ---- */

static bool calls_inner(struct adapt *a, const struct only_call *c)
{
    const struct flow_function *f = NULL;
    struct error ignored;
    if (a->target.code.p == a->inner.code.p)
        f = program_function(a->target.code.p, c->name, &ignored);
    return f && f->address == a->inner.code.f->address;
}

bool call_candidate(struct adapt *a, struct adapter *out, unsigned *stage)
{
    struct terms *t = a->t;
    const struct only_call *c = a->target.only_call;
    if (!c || a->real || a->target.shape.floats || a->inner.shape.floats || a->compared.pair ||
        !term_is_false(t, a->target.is.open) || !term_is_true(t, a->target.is.returns) ||
        !calls_inner(a, c) || c->nargs < a->inner.nargs)
        return false;
    *out = (struct adapter){.nargs = a->inner.nargs, .width = a->width, .result = {.scale = 1}};
    *stage = STAGE_PERMUTE;
    for (unsigned i = 0; i < out->nargs; i++) {
        if (!term_value(a, c->arg[i], &out->arg[i]))
            return false;
        *stage = stage_of(&out->arg[i]) > *stage ? stage_of(&out->arg[i]) : *stage;
    }
    if (*stage == STAGE_PERMUTE)
        *stage = STAGE_SUBSTITUTE; /* one argument may have been taken twice */
    if (!a->compared.bits)
        return true;
    term returned = term_extract(t, c->returned, 0, a->compared.bits);
    for (unsigned k = 0; k < (a->opt->families & ADAPT_RETURN ? ADAPT_CONVERSIONS : 1); k++) {
        out->result.conversion = (uint8_t)k;
        if ((a->width == 64 || (k != ADAPT_S32 && k != ADAPT_Z32)) &&
            term_extract(t, value_term(a, &out->result, &c->result), 0, a->compared.bits) == returned)
            return true;
    }
    return false;
}
