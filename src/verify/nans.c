/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which NaN it is. Where both operands of a sum or a product are NaNs, the processor passes on one of them;
 * IEEE 754 (6.2.3) and C leave open which one, and compilers exchange operands. So two results of
 * floating-point arithmetic that are both NaNs refute nothing. */
#include <string.h>

#include "verify/private.h"

static bool computes(const struct terms *t, term u, unsigned width)
{
    switch (term_kind(t, u)) {
    case OP_FADD:
    case OP_FSUB:
    case OP_FMUL:
    case OP_FDIV:
    case OP_FMA:
    case OP_FSQRT:
    case OP_F2F:
        return term_width(t, u) == width;
    default:
        return false;
    }
}

static bool computes_float(void *ctx, term u)
{
    return computes(ctx, u, 32);
}

static bool computes_double(void *ctx, term u)
{
    return computes(ctx, u, 64);
}

static term is_nan(struct terms *t, term x)
{
    bool is_double = term_width(t, x) == 64;
    unsigned width = is_double ? 64 : 32;
    term magnitude = term_bin(t, OP_AND, x, term_const(t, width, is_double ? INT64_MAX : INT32_MAX));
    uint64_t infinity = is_double ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f800000);
    return term_bin(t, OP_ULT, term_const(t, width, infinity), magnitude);
}

/* As numbers of that width, the two are the same or both NaNs, one by one. */
static term same_numbers(struct terms *t, term a, term b, unsigned width)
{
    term same = term_true(t);
    for (unsigned at = 0; at < term_width(t, a); at += width) {
        term x = term_extract(t, a, at, width), y = term_extract(t, b, at, width);
        term nans = term_and(t, is_nan(t, x), is_nan(t, y));
        same = term_and(t, same, term_or(t, term_eq(t, x, y), nans));
    }
    return same;
}

term nans_same(struct check *c, term a, term b)
{
    struct terms *t = c->t;
    term is = term_false(t);
    unsigned width = term_width(t, a);
    if (width % 64 == 0 && term_any(t, a, computes_double, t) && term_any(t, b, computes_double, t))
        is = term_or(t, is, same_numbers(t, a, b, 64));
    if (width % 32 == 0 && term_any(t, a, computes_float, t) && term_any(t, b, computes_float, t))
        is = term_or(t, is, same_numbers(t, a, b, 32));
    return is;
}

term nans_apart(struct check *c, const struct failure *f)
{
    struct terms *t = c->t;
    term a = f->value[OLD], b = f->value[NEW];
    bool numbers = a != TERM_NONE && b != TERM_NONE && !term_is_array(t, a) && !term_is_array(t, b) &&
                   term_width(t, a) == term_width(t, b);
    return numbers ? term_not(t, nans_same(c, a, b)) : term_true(t);
}

/* A number for a symbol, another one in each round. */
static uint64_t sample(term symbol, unsigned round, bool is_double)
{
    static const double all[] = {1, 1e16, -1e16, 0.1, 3, -2.5, 1e300, 0x1p-1074, 0, -0.0, 1e-9, 7};
    double x = all[hash_u64((uint64_t)symbol << 8 | round) % (sizeof all / sizeof *all)];
    float y = (float)x;
    uint64_t wide;
    uint32_t narrow;
    memcpy(&wide, &x, sizeof wide);
    memcpy(&narrow, &y, sizeof narrow);
    return is_double ? wide : narrow;
}

struct term_model *nans_other_input(struct check *c, const struct failure *f, const term *q, size_t n)
{
    enum { SYMBOLS_MAX = 16, TRIES = 64 };
    struct terms *t = c->t;
    term symbol[SYMBOLS_MAX];
    if (term_is_true(t, nans_apart(c, f)))
        return NULL;
    bool is_double = term_any(t, f->value[OLD], computes_double, t);
    size_t found = term_symbols(t, f->value[OLD], symbol, SYMBOLS_MAX);
    for (unsigned round = 0; found <= SYMBOLS_MAX && round < TRIES; round++) {
        struct term_model *m = term_model_copy(f->model);
        for (size_t i = 0; i < found; i++)
            if (!term_is_array(t, symbol[i]) && term_width(t, symbol[i]) >= (is_double ? 64 : 32))
                term_model_set(m, symbol[i],
                               bits_u64(sample(symbol[i], round, is_double), term_width(t, symbol[i])));
        bool shows = true;
        struct bits v;
        for (size_t i = 0; i < n && shows; i++)
            shows = term_eval(t, m, q[i], &v) && !bits_is_zero(v);
        if (shows)
            return m;
        term_model_free(m);
    }
    return NULL;
}
