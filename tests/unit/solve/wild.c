/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wild.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

unsigned wild_below(uint64_t *seed, unsigned n)
{
    return (unsigned)((test_random(seed) >> 33) % n);
}

/* Often a value at which something happens: 0, 1, -1, the least, a power of two, a mask. */
struct bits wild_bits(uint64_t *seed, unsigned width)
{
    struct bits v = {{0}};
    unsigned k = wild_below(seed, width);
    switch (wild_below(seed, 9)) {
    case 0:
        return v;
    case 1:
        return bits_u64(wild_below(seed, 9), width);
    case 2:
        return bits_ones(width);
    case 3:
        return bits_mask(bits_shl(bits_u64(1, 512), k), width);
    case 4:
        return bits_ones(k + 1);
    case 5:
        return bits_mask(bits_shl(bits_ones(512), k), width);
    case 6:
        return bits_mask(bits_sub(bits_u64(0, 512), bits_u64(wild_below(seed, 9), 512)), width);
    case 7:
        return bits_mask(bits_sub(bits_shl(bits_u64(1, 512), width - 1), bits_u64(wild_below(seed, 2), 512)),
                         width);
    default:
        for (unsigned i = 0; i < 8; i++)
            v.w[i] = test_random(seed);
        return bits_mask(v, width);
    }
}

/* A float at which something happens: zeros, infinities, NaNs, subnormals, integers. */
static struct bits float_bits(uint64_t *seed, unsigned width)
{
    unsigned exponent = width == 16   ? 5
                        : width == 32 ? 8
                        : width == 64 ? 11
                                      : 15,
             fraction = width - exponent - 1;
    struct bits v = wild_bits(seed, width);
    unsigned bias = (1u << (exponent - 1)) - 1, e = 0;
    switch (wild_below(seed, 5)) {
    case 0:
        return v;
    case 1:
        e = 0;
        break;
    case 2:
        e = (1u << exponent) - 1;
        break;
    default:
        e = bias + wild_below(seed, 2 * fraction < bias ? 2 * fraction : bias) -
            (wild_below(seed, 4) ? 0 : 3);
        break;
    }
    v = bits_mask(wild_below(seed, 3) ? bits_shl(v, fraction - wild_below(seed, 5)) : v, fraction);
    v = bits_add(v, bits_shl(bits_u64(e, 64), fraction));
    return wild_below(seed, 2) ? bits_add(v, bits_shl(bits_u64(1, 64), width - 1)) : v;
}

static bool is_float(unsigned width)
{
    return width == 16 || width == 32 || width == 64 || width == 128;
}

/* ---- making programs ---- */

static unsigned add(struct wild *w, struct wild_step s)
{
    w->step[w->n] = s;
    return w->n++;
}

static bool full(const struct wild *w)
{
    return w->n + 12 >= WILD_MAX;
}

static unsigned leaf(struct wild *w, uint64_t *seed, unsigned width)
{
    struct wild_step s = {.kind = WILD_VAR, .width = (uint16_t)width, .lo = wild_below(seed, 3)};
    if (width && wild_below(seed, 5) < 2) {
        s.kind = WILD_CONST;
        s.value = w->style.floats && is_float(width) ? float_bits(seed, width) : wild_bits(seed, width);
    }
    return add(w, s);
}

/* Another width made from a step there is: by cutting or by extending. */
static unsigned adapted(struct wild *w, uint64_t *seed, unsigned width)
{
    unsigned from = wild_below(seed, w->n), has = w->step[from].width;
    if (!has || has == width)
        return leaf(w, seed, width);
    struct wild_step s = {.kind = WILD_OP, .nkids = 1, .width = (uint16_t)width, .kid = {(uint8_t)from}};
    if (has > width) {
        s.op = OP_EXTRACT;
        s.lo = wild_below(seed, 3) ? wild_below(seed, 2) * (has - width) : wild_below(seed, has - width + 1);
    } else {
        s.op = wild_below(seed, 2) ? OP_ZEXT : OP_SEXT;
    }
    return add(w, s);
}

static uint8_t operand(struct wild *w, uint64_t *seed, unsigned width)
{
    unsigned found[WILD_MAX], n = 0;
    for (unsigned i = 0; i < w->n; i++)
        if (w->step[i].width == width)
            found[n++] = i;
    if (n && wild_below(seed, 8) < 6)
        return (uint8_t)
            found[wild_below(seed, 3) ? n - 1 - wild_below(seed, n < 4 ? n : 4) : wild_below(seed, n)];
    if (w->n && width && wild_below(seed, 4) == 0)
        return (uint8_t)adapted(w, seed, width);
    return (uint8_t)leaf(w, seed, width);
}

static unsigned some_width(const struct wild *w, uint64_t *seed)
{
    return w->style.width[wild_below(seed, WILD_WIDTHS)];
}

/* A base and a constant not far from it, as addresses are. */
static uint8_t index_operand(struct wild *w, uint64_t *seed)
{
    uint8_t base = operand(w, seed, w->index_width);
    if (wild_below(seed, 3) == 0)
        return base;
    struct wild_step c = {.kind = WILD_CONST, .width = (uint16_t)w->index_width};
    c.value = bits_mask(bits_sub(bits_u64(wild_below(seed, 9), 512), bits_u64(4, 512)), w->index_width);
    uint8_t by = (uint8_t)add(w, c);
    return (uint8_t)add(
        w,
        (struct wild_step){.kind = WILD_OP, .op = OP_ADD, .nkids = 2, .width = c.width, .kid = {base, by}});
}

static unsigned cells_width(const struct wild *w, uint64_t *seed)
{
    unsigned most = 8;
    while (most * w->cell_width > OP_MAX_WIDTH || (w->index_width < 8 && most > 1u << w->index_width))
        most /= 2;
    return w->cell_width * (1 + wild_below(seed, most));
}

static void field_step(struct wild *w, uint64_t *seed)
{
    unsigned iw = w->index_width;
    struct wild_step base = {.kind = WILD_VAR, .width = (uint16_t)iw};
    struct wild_step offset = {
        .kind = WILD_CONST, .width = (uint16_t)iw, .value = bits_u64(wild_below(seed, 12), iw)};
    struct wild_step sum = {.kind = WILD_OP, .op = OP_ADD, .nkids = 2, .width = (uint16_t)iw};
    struct wild_step read = {.kind = WILD_READ, .nkids = 2, .width = (uint16_t)cells_width(w, seed)};
    if (wild_below(seed, 12) == 0)
        base.lo = 1;
    sum.kid[0] = wild_below(seed, 12) ? (uint8_t)add(w, base) : operand(w, seed, iw);
    sum.kid[1] = (uint8_t)add(w, offset);
    read.kid[0] = (uint8_t)add(w, (struct wild_step){.kind = WILD_VAR, .lo = wild_below(seed, 2)});
    read.kid[1] = wild_below(seed, 8) ? (uint8_t)add(w, sum) : sum.kid[1];
    add(w, read);
}

static void array_step(struct wild *w, uint64_t *seed)
{
    struct wild_step s = {0};
    if (w->style.fields) {
        field_step(w, seed);
        return;
    }
    switch (wild_below(seed, 9)) {
    case 0:
        s = (struct wild_step){.kind = WILD_ARRAY_ITE, .nkids = 3};
        s.kid[0] = operand(w, seed, 1);
        s.kid[1] = operand(w, seed, 0);
        s.kid[2] = operand(w, seed, 0);
        break;
    case 1:
        s = (struct wild_step){.kind = WILD_ARRAY_EQ, .nkids = 2, .width = 1};
        s.kid[0] = operand(w, seed, 0);
        s.kid[1] = operand(w, seed, 0);
        break;
    case 2:
        if (wild_below(seed, 2))
            return;
        s = (struct wild_step){.kind = WILD_ARRAY_CONST, .nkids = 1};
        s.kid[0] = operand(w, seed, w->cell_width);
        break;
    case 3:
    case 4:
    case 5:
        s = (struct wild_step){.kind = WILD_READ, .nkids = 2, .width = (uint16_t)cells_width(w, seed)};
        s.kid[0] = operand(w, seed, 0);
        s.kid[1] = index_operand(w, seed);
        break;
    default:
        s = (struct wild_step){.kind = WILD_WRITE, .nkids = 3};
        s.kid[0] = operand(w, seed, 0);
        s.kid[1] = index_operand(w, seed);
        s.kid[2] = operand(w, seed, cells_width(w, seed));
        break;
    }
    add(w, s);
}

/* Functions f0, f1, ... of one to three operands. Without overloading a number stands for one signature. */
static void function_step(struct wild *w, uint64_t *seed)
{
    unsigned which = wild_below(seed, 4);
    uint64_t fixed = which * 7919 + w->style.width[0];
    uint64_t *from = w->style.overloaded ? seed : &fixed;
    struct wild_step s = {.kind = WILD_APPLY, .lo = w->style.overloaded ? 0 : which};
    (void)test_random(&fixed);
    s.nkids = (uint8_t)(1 + wild_below(from, 2));
    s.width = (uint16_t)w->style.width[wild_below(from, WILD_WIDTHS)];
    for (unsigned i = 0; i < s.nkids; i++) {
        unsigned width = w->style.width[wild_below(from, WILD_WIDTHS)];
        bool array = w->style.array_functions && w->style.arrays && which & 1 && i == 0;
        s.kid[i] = operand(w, seed, array ? 0 : width);
        w->of_arrays |= array;
    }
    if (w->style.array_functions && w->style.arrays && which == 3) {
        s.kind = WILD_APPLY_ARRAY;
        s.width = 0;
        w->of_arrays = true;
    }
    add(w, s);
}

static struct bits eval_mix(const struct bits *arg)
{
    struct bits v = bits_mul(arg[0], bits_u64(0x9e35, 64));
    return bits_mask(bits_add(v, bits_lshr(arg[1], 3)), 8);
}

static const struct pure pures[] = {
    {.name = "mix", .width = 8, .arg_width = {8, 8}, .nargs = 2, .eval = eval_mix},
    {.name = "secret", .width = 8, .arg_width = {8}, .nargs = 1, .eval = NULL},
};

static void pure_step(struct wild *w, uint64_t *seed)
{
    unsigned which = wild_below(seed, 2);
    struct wild_step s = {
        .kind = WILD_PURE, .nkids = pures[which].nargs, .width = pures[which].width, .lo = which};
    for (unsigned i = 0; i < s.nkids; i++)
        s.kid[i] = operand(w, seed, pures[which].arg_width[i]);
    w->opaque |= pures[which].eval != NULL;
    add(w, s);
}

static void float_step(struct wild *w, uint64_t *seed)
{
    static const unsigned formats[] = {16, 32, 64, 128};
    struct wild_step s = {.kind = WILD_OP, .op = (uint8_t)(OP_FADD + wild_below(seed, OP_COUNT_ - OP_FADD))};
    unsigned f = w->style.float_width ? w->style.float_width : formats[wild_below(seed, 4)], first = 1,
             from = f;
    s.nkids = op_info[s.op].arity;
    s.width = (uint16_t)f;
    switch (op_info[s.op].shape) {
    case OP_SHAPE_FSAME:
        first = 0;
        break;
    case OP_SHAPE_FCMP:
        first = 0;
        s.width = 1;
        break;
    case OP_SHAPE_F2F:
        from = formats[wild_below(seed, w->style.float_width ? 2 : 4)];
        break;
    case OP_SHAPE_F2I:
        s.width = (uint16_t)some_width(w, seed);
        break;
    case OP_SHAPE_I2F:
        from = some_width(w, seed);
        break;
    default:
        break;
    }
    unsigned width[OP_MAX_ARITY];
    for (unsigned i = 0; i < s.nkids; i++)
        width[i] = i < first ? OP_RM_WIDTH : from;
    if (op_check(s.op, s.width, width, 0))
        return;
    for (unsigned i = 0; i < s.nkids; i++)
        s.kid[i] = operand(w, seed, width[i]);
    w->opaque |= s.op == OP_FREM;
    add(w, s);
}

static void bit_step(struct wild *w, uint64_t *seed)
{
    struct wild_step s = {.kind = WILD_OP, .op = (uint8_t)wild_below(seed, OP_POPCNT + 1)};
    unsigned width = some_width(w, seed), n;
    s.width = (uint16_t)width;
    s.nkids = op_info[s.op].arity;
    switch (op_info[s.op].shape) {
    case OP_SHAPE_COMPARE:
        s.width = 1;
        s.kid[0] = operand(w, seed, width);
        s.kid[1] = operand(w, seed, width);
        break;
    case OP_SHAPE_CONCAT:
        if (width < 2)
            return;
        n = 1 + wild_below(seed, width - 1);
        s.kid[0] = operand(w, seed, n);
        s.kid[1] = operand(w, seed, width - n);
        break;
    case OP_SHAPE_EXTRACT:
        s.kid[0] = operand(w, seed, width);
        s.width = (uint16_t)(1 + wild_below(seed, width));
        s.lo = wild_below(seed, 3) ? wild_below(seed, width - s.width + 1) : 0;
        break;
    case OP_SHAPE_EXTEND:
        s.kid[0] = operand(w, seed, 1 + wild_below(seed, width));
        break;
    case OP_SHAPE_ITE:
        s.kid[0] = operand(w, seed, 1);
        s.kid[1] = operand(w, seed, width);
        s.kid[2] = operand(w, seed, width);
        break;
    default:
        for (unsigned i = 0; i < s.nkids; i++)
            s.kid[i] = operand(w, seed, width);
        break;
    }
    add(w, s);
}

void wild_random(struct wild *w, uint64_t *seed, const struct wild_style *style, unsigned size)
{
    w->style = *style;
    w->n = 0;
    w->opaque = w->of_arrays = false;
    w->index_width = style->width[0];
    w->cell_width = style->width[1];
    for (unsigned i = 0; i < size && !full(w); i++) {
        unsigned what = wild_below(seed, 10);
        if (what < 3 && style->arrays)
            array_step(w, seed);
        else if (what == 3 && style->functions)
            function_step(w, seed);
        else if (what == 4 && style->pures)
            pure_step(w, seed);
        else if (what < 8 && what > 4 && style->floats)
            float_step(w, seed);
        else
            bit_step(w, seed);
    }
    if (!w->n)
        leaf(w, seed, style->width[0]);
}

/* ---- building ---- */

static term build_step(struct terms *t, const struct wild *w, const struct wild_step *s, const term *kid)
{
    char name[32];
    switch (s->kind) {
    case WILD_VAR:
        if (!s->width) {
            snprintf(name, sizeof name, "a%u_%u_%u", w->index_width, w->cell_width, s->lo);
            return term_array_var(t, name, w->index_width, w->cell_width);
        }
        snprintf(name, sizeof name, "v%u_%u", s->width, s->lo);
        return term_var(t, name, s->width);
    case WILD_CONST:
        return term_const_bits(t, s->width, s->value);
    case WILD_READ:
        return term_read(t, kid[0], kid[1], s->width);
    case WILD_WRITE:
        return term_write(t, kid[0], kid[1], kid[2]);
    case WILD_ARRAY_ITE:
        return term_ite(t, kid[0], kid[1], kid[2]);
    case WILD_ARRAY_CONST:
        return term_array_const(t, w->index_width, kid[0]);
    case WILD_ARRAY_EQ:
        return term_eq(t, kid[0], kid[1]);
    case WILD_APPLY:
        snprintf(name, sizeof name, "f%u", s->lo);
        return term_apply(t, name, s->width, kid, s->nkids);
    case WILD_APPLY_ARRAY:
        snprintf(name, sizeof name, "f%u", s->lo);
        return term_apply_array(t, name, w->index_width, w->cell_width, kid, s->nkids);
    case WILD_PURE:
        return term_pure(t, &pures[s->lo], kid);
    default:
        return s->op == OP_EXTRACT ? term_extract(t, kid[0], s->lo, s->width)
                                   : term_op(t, (enum op)s->op, s->width, kid, s->nkids);
    }
}

void wild_build(struct terms *t, const struct wild *w, term *out)
{
    for (unsigned i = 0; i < w->n; i++) {
        term kid[WILD_KIDS] = {0};
        for (unsigned k = 0; k < w->step[i].nkids; k++)
            kid[k] = out[w->step[i].kid[k]];
        out[i] = build_step(t, w, &w->step[i], kid);
    }
}

void wild_rules(struct terms *t, bool on)
{
    for (size_t i = 0; i < term_rule_count(); i++)
        terms_rule_enable(t, i, on);
}

static void model_array(struct term_model *m, const struct wild *w, uint64_t *seed, term x,
                        const struct bits *near, unsigned nnear)
{
    term_model_set_default(m, x, wild_bits(seed, w->cell_width));
    for (unsigned i = 0; i < 12; i++) {
        struct bits at = nnear ? bits_add(near[wild_below(seed, nnear)], bits_u64(wild_below(seed, 5), 64))
                               : bits_u64(i, 64);
        uint64_t index;
        if (bits_to_u64(bits_mask(at, w->index_width), &index))
            term_model_set_cell(m, x, index, wild_bits(seed, w->cell_width));
    }
}

/* A function of one small operand gets a value for each, others one value for all. */
static void model_function(struct term_model *m, const struct wild *w, uint64_t *seed,
                           const struct wild_step *s)
{
    char name[32];
    snprintf(name, sizeof name, "f%u", s->lo);
    term_model_set_function_default(m, name, wild_bits(seed, s->width));
    unsigned width = w->step[s->kid[0]].width;
    for (uint64_t v = 0; s->nkids == 1 && width && width <= 4 && v < 1u << width; v++) {
        struct bits arg = bits_u64(v, width);
        term_model_set_function(m, name, &arg, 1, wild_bits(seed, s->width));
    }
}

struct term_model *wild_model(struct terms *t, const struct wild *w, uint64_t *seed)
{
    struct term_model *m = term_model_new();
    struct bits near[8];
    unsigned nnear = 0;
    for (unsigned i = 0; i < w->n; i++) {
        const struct wild_step *s = &w->step[i];
        if (s->kind == WILD_VAR && s->width) {
            struct bits v = w->style.floats && is_float(s->width) ? float_bits(seed, s->width)
                                                                  : wild_bits(seed, s->width);
            term_model_set(m, build_step(t, w, s, NULL), v);
            if (s->width == w->index_width && nnear < 8)
                near[nnear++] = v;
        } else if (s->kind == WILD_APPLY) {
            model_function(m, w, seed, s);
        }
    }
    for (unsigned i = 0; i < w->n; i++)
        if (w->step[i].kind == WILD_VAR && !w->step[i].width)
            model_array(m, w, seed, build_step(t, w, &w->step[i], NULL), near, nnear);
    return m;
}

void wild_print(const struct wild *w)
{
    static const char *const kind[] = {"var",  "const",       "op",       "read",           "write", "ite",
                                       "fill", "array-equal", "function", "array-function", "pure"};
    fprintf(stderr, "arrays from %u to %u bits\n", w->index_width, w->cell_width);
    for (unsigned i = 0; i < w->n; i++) {
        const struct wild_step *s = &w->step[i];
        char hex[160];
        bits_format_hex(s->value, s->width ? s->width : 1, hex, sizeof hex);
        fprintf(stderr, "  s%u:%u = %s", i, s->width,
                s->kind == WILD_OP ? op_info[s->op].name : kind[s->kind]);
        if (s->kind == WILD_CONST)
            fprintf(stderr, " %s", hex);
        for (unsigned k = 0; k < s->nkids; k++)
            fprintf(stderr, " s%u", s->kid[k]);
        fprintf(stderr, " (%u)\n", s->lo);
    }
}
