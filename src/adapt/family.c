/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families of adapters: a value is one of a list of options, some of them with constants that are free. */
#include <string.h>

#include "adapt/internal.h"

const char *adapt_family_name(unsigned family)
{
    switch (family) {
    case ADAPT_PERMUTE:
        return "permute";
    case ADAPT_SUBSTITUTE:
        return "substitute";
    case ADAPT_CONVERT:
        return "convert";
    case ADAPT_ARITHMETIC:
        return "arithmetic";
    case ADAPT_RETURN:
        return "return";
    case ADAPT_MEMORY:
        return "memory";
    }
    return "?";
}

/* ---- conversions ---- */

const struct conversion adapt_conversion[ADAPT_CONVERSIONS] = {
    [ADAPT_S32] = {32, true},     [ADAPT_Z32] = {32, false},  [ADAPT_S16] = {16, true},
    [ADAPT_Z16] = {16, false},    [ADAPT_S8] = {8, true},     [ADAPT_Z8] = {8, false},
    [ADAPT_BOOL32] = {32, false}, [ADAPT_BOOL8] = {8, false},
};

static bool conversion_is_there(unsigned c, unsigned width)
{
    return c == ADAPT_AS_IS || c == ADAPT_BOOL || adapt_conversion[c].bits < width;
}

static term convert_term(struct terms *t, unsigned c, term x)
{
    unsigned width = term_width(t, x);
    if (c == ADAPT_AS_IS)
        return x;
    if (c == ADAPT_BOOL)
        return term_zext(t, term_not(t, term_eq(t, x, term_const(t, width, 0))), width);
    term low = term_extract(t, x, 0, adapt_conversion[c].bits);
    if (c > ADAPT_BOOL)
        return term_zext(t, term_not(t, term_eq(t, low, term_const(t, adapt_conversion[c].bits, 0))), width);
    return adapt_conversion[c].sign ? term_sext(t, low, width) : term_zext(t, low, width);
}

static uint64_t cut(uint64_t x, unsigned width)
{
    return width >= 64 ? x : x & ((UINT64_C(1) << width) - 1);
}

static uint64_t convert_value(unsigned c, uint64_t x, unsigned width)
{
    if (c == ADAPT_AS_IS)
        return x;
    if (c == ADAPT_BOOL)
        return x != 0;
    uint64_t low = cut(x, adapt_conversion[c].bits);
    if (c > ADAPT_BOOL)
        return low != 0;
    if (adapt_conversion[c].sign && low >> (adapt_conversion[c].bits - 1))
        low |= ~UINT64_C(0) << adapt_conversion[c].bits;
    return cut(low, width);
}

/* ---- options ---- */

struct choice {
    struct adapt_value v;
    bool any_scale, any_constant; /* these are free */
    unsigned float_bits;          /* the constant is a floating-point number of so many; 0: a word */
};

/* Option k of a floating-point argument: another one of as many bits, or a constant. */
static bool float_choice(const struct adapt *a, unsigned stage, unsigned bits, unsigned k, struct choice *out)
{
    *out = (struct choice){.v = {.scale = 1}};
    for (unsigned i = a->target.shape.words; i < a->target.nargs; i++)
        if (summary_float_bits(&a->target, i) == bits && k-- == 0) {
            out->v.arg = i;
            return true;
        }
    *out = (struct choice){.any_constant = true, .float_bits = bits};
    return k == 0 && stage != STAGE_PERMUTE && !a->opt->constant;
}

/* Option k of argument `of` of the inner function; false: there are no more. */
static bool argument_choice(const struct adapt *a, unsigned stage, unsigned of, unsigned k,
                            struct choice *out)
{
    /* what the target does not look at can be a constant as well; only where there are none it is taken */
    bool all = stage == STAGE_PERMUTE;
    unsigned n = all ? a->target.shape.words : a->target.nuse_words, bits = summary_float_bits(&a->inner, of);
    if (bits)
        return float_choice(a, stage, bits, k, out);
    *out = (struct choice){.v = {.scale = 1}};
    if (stage != STAGE_PERMUTE) {
        if (k == 0) {
            out->v.scale = 0;
            out->any_constant = true;
            return true;
        }
        k--;
    }
    if (k < n) {
        out->v.arg = all ? k : a->target.use[k];
        return true;
    }
    k -= n;
    if (stage < STAGE_CONVERT)
        return false;
    for (unsigned c = 1; c < ADAPT_CONVERSIONS; c++) {
        if (!conversion_is_there(c, a->width))
            continue;
        if (k < n) {
            out->v.arg = a->target.use[k];
            out->v.conversion = (uint8_t)c;
            return true;
        }
        k -= n;
    }
    if (stage < STAGE_ARITHMETIC)
        return false;
    out->any_constant = true;
    for (unsigned c = ADAPT_AS_IS; c <= ADAPT_Z32; c++) {
        if (!conversion_is_there(c, a->width))
            continue;
        if (k < n) {
            out->v.arg = a->target.use[k];
            out->v.conversion = (uint8_t)c;
            out->any_scale = true;
            return true;
        }
        k -= n;
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            if (i == j)
                continue;
            /* the sum once, the difference in both directions */
            for (unsigned minus = i < j ? 0 : 1; minus < 2; minus++) {
                if (k == 0) {
                    out->v.two = true;
                    out->v.arg = a->target.use[i];
                    out->v.arg2 = a->target.use[j];
                    out->v.scale2 = minus ? cut(UINT64_MAX, a->width) : 1;
                    return true;
                }
                k--;
            }
        }
    return false;
}

static bool result_choice(const struct adapt *a, unsigned stage, bool converts, unsigned k,
                          struct choice *out)
{
    *out = (struct choice){.v = {.scale = 1}};
    if (k == 0)
        return true;
    k--;
    if (!converts || a->real)
        return false;
    for (unsigned c = 1; c < ADAPT_CONVERSIONS; c++) {
        if (!conversion_is_there(c, a->width))
            continue;
        if (k == 0) {
            out->v.conversion = (uint8_t)c;
            return true;
        }
        k--;
    }
    if (stage < STAGE_ARITHMETIC)
        return false;
    out->any_constant = true;
    for (unsigned c = ADAPT_AS_IS; c <= ADAPT_Z32; c++) {
        if (!conversion_is_there(c, a->width))
            continue;
        for (unsigned minus = 0; minus < 2; minus++) {
            if (k == 0) {
                out->v.conversion = (uint8_t)c;
                out->v.scale = minus ? cut(UINT64_MAX, a->width) : 1;
                return true;
            }
            k--;
        }
    }
    return false;
}

/* ---- values as terms ---- */

static term linear(struct terms *t, unsigned width, const struct adapt_value *v, term scale, term constant,
                   const term *arg)
{
    term x = constant == TERM_NONE ? term_const(t, width, v->constant) : constant;
    if (scale != TERM_NONE)
        x = term_bin(t, OP_ADD, term_bin(t, OP_MUL, arg[v->arg], scale), x);
    else if (v->scale)
        x = term_bin(t, OP_ADD, term_bin(t, OP_MUL, arg[v->arg], term_const(t, width, v->scale)), x);
    if (v->two)
        x = term_bin(t, OP_ADD, term_bin(t, OP_MUL, arg[v->arg2], term_const(t, width, v->scale2)), x);
    return convert_term(t, v->conversion, x);
}

term value_term(struct adapt *a, const struct adapt_value *v, const term *arg)
{
    return linear(a->t, a->width, v, TERM_NONE, TERM_NONE, arg);
}

uint64_t value_number(const struct adapt_value *v, unsigned width, const uint64_t *arg)
{
    uint64_t x = v->constant;
    if (v->scale)
        x += v->scale * arg[v->arg];
    if (v->two)
        x += v->scale2 * arg[v->arg2];
    return convert_value(v->conversion, cut(x, width), width);
}

/* ---- forms ---- */

enum { SELECT = 16 }; /* bits of a selector */

static struct unknown unknown_new(struct adapt *a)
{
    return (struct unknown){term_fresh(a->t, "select", SELECT), term_fresh(a->t, "scale", a->width),
                            term_fresh(a->t, "constant", a->width)};
}

void form_make(struct form *f, struct adapt *a, unsigned stage, bool converts_result)
{
    *f = (struct form){.stage = stage, .converts_result = converts_result};
    for (unsigned i = 0; i < a->inner.nargs; i++)
        f->arg[i] = unknown_new(a);
    f->result = unknown_new(a);
}

static term choose(struct adapt *a, const struct unknown *u, const struct choice *c, unsigned k,
                   const term *arg, term otherwise)
{
    struct terms *t = a->t;
    term x = linear(t, a->width, &c->v, c->any_scale ? u->scale : TERM_NONE,
                    c->any_constant ? u->constant : TERM_NONE, arg);
    return otherwise == TERM_NONE
               ? x
               : term_ite(t, term_eq(t, u->select, term_const(t, SELECT, k)), x, otherwise);
}

term form_argument(struct adapt *a, const struct form *f, unsigned i, const term *arg)
{
    struct choice c;
    term x = TERM_NONE;
    for (unsigned k = 0; argument_choice(a, f->stage, i, k, &c); k++)
        x = choose(a, &f->arg[i], &c, k, arg, x);
    return x == TERM_NONE ? term_const(a->t, a->width, 0) : x;
}

term form_result(struct adapt *a, const struct form *f, term returned)
{
    struct choice c;
    term x = TERM_NONE;
    for (unsigned k = 0; result_choice(a, f->stage, f->converts_result, k, &c); k++)
        x = choose(a, &f->result, &c, k, &returned, x);
    return x;
}

term no_address(struct adapt *a, term constant)
{
    struct terms *t = a->t;
    term ok = term_true(t);
    for (unsigned side = 0; side < 2; side++) {
        const struct summary *s = side ? &a->inner : &a->target;
        const struct object_segment *seg;
        size_t n = s->bias ? object_segments(program_object(s->code.p), &seg) : 0;
        for (size_t i = 0; i < n; i++) {
            term index = term_add_const(t, constant, -(s->bias + seg[i].address));
            ok = term_and(t, ok, term_bin(t, OP_ULE, term_const(t, a->width, seg[i].size), index));
        }
    }
    return ok;
}

/* Each argument that the target needs goes in somewhere. */
static term form_uses_needed(struct adapt *a, const struct form *f)
{
    struct terms *t = a->t;
    struct choice c;
    term all = term_true(t);
    for (unsigned i = 0; i < a->target.nargs; i++) {
        if (!(a->needs >> i & 1))
            continue;
        term some = term_false(t);
        for (unsigned j = 0; j < a->inner.nargs; j++)
            for (unsigned k = 0; a->inner.used[j] && argument_choice(a, f->stage, j, k, &c); k++)
                if ((c.v.scale && c.v.arg == i) || (c.v.two && c.v.arg2 == i))
                    some = term_or(t, some, term_eq(t, f->arg[j].select, term_const(t, SELECT, k)));
        all = term_and(t, all, some);
    }
    return all;
}

term form_constraint(struct adapt *a, const struct form *f)
{
    struct terms *t = a->t;
    struct choice c;
    unsigned results = 0;
    while (result_choice(a, f->stage, f->converts_result, results, &c))
        results++;
    term all = term_bin(t, OP_ULT, f->result.select, term_const(t, SELECT, results));
    for (unsigned i = 0; i < a->inner.nargs; i++) {
        const struct unknown *u = &f->arg[i];
        unsigned options = 0, bits = summary_float_bits(&a->inner, i);
        if (!a->inner.used[i])
            continue;
        while (argument_choice(a, f->stage, i, options, &c))
            options++;
        /* what nothing can be made of is 0 */
        all = term_and(t, all, term_bin(t, OP_ULT, u->select, term_const(t, SELECT, options ? options : 1)));
        if (bits && !options)
            continue;
        if (!bits)
            all = term_and(t, all, no_address(a, u->constant));
        for (unsigned k = 0; f->stage == STAGE_PERMUTE && k < i; k++)
            if (a->inner.used[k] && summary_float_bits(&a->inner, k) == bits)
                all = term_and(t, all, term_not(t, term_eq(t, u->select, f->arg[k].select)));
        term listed = term_false(t);
        for (size_t k = 0; k < a->opt->nconstants; k++)
            listed =
                term_or(t, listed, term_eq(t, u->constant, term_const(t, a->width, a->opt->constant[k])));
        if (a->opt->constant && !bits)
            all = term_and(t, all, listed);
    }
    return term_and(t, all, form_uses_needed(a, f));
}

static uint64_t in_model(struct adapt *a, struct term_model *m, term x)
{
    struct bits b;
    return term_eval(a->t, m, x, &b) ? bits_low(b) : 0;
}

static struct adapt_value decode(struct adapt *a, struct term_model *m, const struct unknown *u,
                                 const struct choice *c)
{
    struct adapt_value v = c->v;
    if (c->any_scale)
        v.scale = in_model(a, m, u->scale);
    if (c->any_constant)
        v.constant = in_model(a, m, u->constant);
    return v;
}

void form_decode(struct adapt *a, const struct form *f, struct term_model *m, struct adapter *out)
{
    struct choice c;
    *out = (struct adapter){.nargs = a->inner.nargs, .width = a->width};
    for (unsigned i = 0; i < out->nargs; i++) {
        if (!a->inner.used[i])
            continue;
        /* the last of the list is what remains when no selector says otherwise; constraints keep it within */
        if (argument_choice(a, f->stage, i, (unsigned)in_model(a, m, f->arg[i].select), &c) ||
            argument_choice(a, f->stage, i, 0, &c))
            out->arg[i] = decode(a, m, &f->arg[i], &c);
    }
    if (!result_choice(a, f->stage, f->converts_result, (unsigned)in_model(a, m, f->result.select), &c))
        result_choice(a, f->stage, false, 0, &c);
    out->result = decode(a, m, &f->result, &c);
}

/* ---- one by one ---- */

/* Options with their free constants spelled out. */
static uint64_t spelled(const struct choice *c, size_t nconstants)
{
    return (c->any_constant ? nconstants : 1) * (c->any_scale ? nconstants : 1);
}

static uint64_t arguments_count(const struct adapt *a, unsigned stage, unsigned i, size_t nconstants)
{
    struct choice c;
    uint64_t n = 0;
    for (unsigned k = 0; argument_choice(a, stage, i, k, &c); k++)
        n += spelled(&c, nconstants);
    return n ? n : 1;
}

static uint64_t results_count(const struct adapt *a, unsigned stage, bool converts, size_t nconstants)
{
    struct choice c;
    uint64_t n = 0;
    for (unsigned k = 0; result_choice(a, stage, converts, k, &c); k++)
        n += spelled(&c, nconstants);
    return n;
}

uint64_t form_count(const struct adapt *a, unsigned stage, bool converts_result, size_t nconstants)
{
    uint64_t all = results_count(a, stage, converts_result, nconstants);
    for (unsigned i = 0; i < a->inner.nargs; i++)
        if (a->inner.used[i] && __builtin_mul_overflow(all, arguments_count(a, stage, i, nconstants), &all))
            return UINT64_MAX;
    return all;
}

static uint64_t float_pattern(double x, unsigned bits)
{
    float y = (float)x;
    uint64_t all;
    uint32_t half;
    memcpy(&all, &x, sizeof all);
    memcpy(&half, &y, sizeof half);
    return bits == 32 ? half : all;
}

static struct adapt_value spell_out(const struct choice *c, const uint64_t *constant, size_t nconstants,
                                    uint64_t n)
{
    struct adapt_value v = c->v;
    if (c->any_constant) {
        v.constant = constant[n % nconstants];
        if (c->float_bits)
            v.constant = float_pattern((double)(int64_t)v.constant, c->float_bits);
        n /= nconstants;
    }
    if (c->any_scale)
        v.scale = constant[n % nconstants];
    return v;
}

void form_nth(const struct adapt *a, unsigned stage, bool converts_result, const uint64_t *constant,
              size_t nconstants, uint64_t n, struct adapter *out)
{
    struct choice c = {.v = {.scale = 1}};
    *out = (struct adapter){.nargs = a->inner.nargs, .width = a->width};
    uint64_t one = results_count(a, stage, converts_result, nconstants), at = n % one;
    n /= one;
    for (unsigned k = 0; result_choice(a, stage, converts_result, k, &c) && at >= spelled(&c, nconstants);
         k++)
        at -= spelled(&c, nconstants);
    out->result = spell_out(&c, constant, nconstants, at);
    for (unsigned i = 0; i < out->nargs; i++) {
        if (!a->inner.used[i])
            continue;
        one = arguments_count(a, stage, i, nconstants);
        at = n % one;
        n /= one;
        bool there = false;
        for (unsigned k = 0; (there = argument_choice(a, stage, i, k, &c)) && at >= spelled(&c, nconstants);
             k++)
            at -= spelled(&c, nconstants);
        if (there)
            out->arg[i] = spell_out(&c, constant, nconstants, at);
    }
}

static const uint64_t small_constants[] = {0, 1, UINT64_MAX, 2, 10, 16, 32, 255, (uint64_t)-32};

struct enumeration enumeration_of(const struct adapt *a, unsigned stage, bool converts)
{
    const bool listed = a->opt->constant;
    struct enumeration e = {.a = a,
                            .stage = stage,
                            .converts = converts,
                            .constant = listed ? a->opt->constant : small_constants,
                            .nconstants = listed ? a->opt->nconstants
                                                 : sizeof small_constants / sizeof *small_constants};
    e.all = form_count(a, stage, converts, e.nconstants);
    e.step = e.all > 7 ? e.all / 2 + 1 : 1;
    while (e.all > 1 &&
           e.all % e.step == 0) /* prime to the count for all practical sizes: every one is met */
        e.step++;
    return e;
}

bool enumeration_next(struct enumeration *e, struct adapter *out)
{
    if (e->done >= e->all)
        return false;
    form_nth(e->a, e->stage, e->converts, e->constant, e->nconstants, e->at, out);
    e->at = (e->at + e->step) % e->all;
    e->done++;
    return true;
}
