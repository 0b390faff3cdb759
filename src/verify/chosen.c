/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that the program chose, and numbers that it computed.
 *
 * A negative constant means an error where a branch, or a comparison, leads to it. The same number may come
 * out of arithmetic on what the function is given: a mask, a field, a difference. That is a result. */
#include "verify/private.h"

/* It is computed from what the function is given; not a number that a callee returned, or that stands in a
 * local. A parameter is `given` that number where the path says so. */
static bool is_computed(const struct terms *t, term x, bool given)
{
    unsigned n;
    while (term_kind(t, x) == OP_ZEXT || ((term_kind(t, x) == OP_EXTRACT || term_kind(t, x) == OP_SEXT) &&
                                          term_width(t, term_kid(t, x, 0)) > 1 && term_width(t, x) > 1))
        x = term_kid(t, x, 0);
    switch (term_kind(t, x)) {
    case TERM_VAR:
        return !given && origin_is_argument(t, x, &n);
    case TERM_CONST:
    case TERM_READ:
    case TERM_APPLY:
    case OP_ITE:
        return false;
    default:
        return true;
    }
}

/* When a flag is set by a comparison, or a branch decides it: it is not just a bit of something. */
static term flag_chosen(const struct check *c, term flag, unsigned fuel)
{
    struct terms *t = c->t;
    unsigned kind = term_kind(t, flag);
    if (fuel && (kind == OP_OR || kind == OP_AND)) {
        term a = flag_chosen(c, term_kid(t, flag, 0), fuel - 1),
             b = flag_chosen(c, term_kid(t, flag, 1), fuel - 1);
        return kind == OP_OR ? term_or(t, a, b) : term_and(t, a, b);
    }
    term bit = kind == OP_NOT ? term_kid(t, flag, 0) : flag;
    bool computed = term_kind(t, bit) == OP_EXTRACT && !map_get(&c->exits.decided, bit, NULL);
    return computed ? term_false(t) : flag;
}

/* The flag of which alone the number is made; TERM_NONE: there is none. */
static term flag_of(const struct terms *t, term x)
{
    while (!term_is_array(t, x) && term_width(t, x) > 1) {
        term next = TERM_NONE;
        const unsigned kind = term_kind(t, x);
        if (kind == TERM_VAR || kind == TERM_READ || kind == TERM_APPLY || kind == OP_EXTRACT)
            return TERM_NONE;
        for (unsigned i = 0; i < term_nkids(t, x); i++) {
            if (term_is_const(t, term_kid(t, x, i)))
                continue;
            if (next != TERM_NONE)
                return TERM_NONE;
            next = term_kid(t, x, i);
        }
        if (next == TERM_NONE)
            return TERM_NONE;
        x = next;
    }
    return term_is_array(t, x) ? TERM_NONE : x;
}

struct shared {
    const struct terms *t;
    term in;
};

/* Something that changes, and is in the other term, too. */
static bool is_shared(void *ctx, term x)
{
    struct shared *s = ctx;
    const unsigned kind = term_kind(s->t, x);
    return (kind == TERM_VAR || kind == TERM_READ || kind == TERM_APPLY) &&
           term_any(s->t, s->in, term_is_that, &x);
}

/* Some processors give 0, or what is filled in, where a shift is by too much, or something is divided by 0.
 */
static bool takes_another_way(unsigned kind)
{
    return kind == OP_SHL || kind == OP_LSHR || kind == OP_ASHR || kind == OP_UDIV || kind == OP_SDIV;
}

bool chosen_is_left_over(const struct terms *t, term x)
{
    for (unsigned k = 1; term_kind(t, x) == OP_ITE && k <= 2; k++) {
        term arm = term_kid(t, x, k);
        while (term_kind(t, arm) == OP_ZEXT || term_kind(t, arm) == OP_SEXT)
            arm = term_kid(t, arm, 0);
        const unsigned kind = term_kind(t, arm);
        struct shared s = {t, term_kid(t, x, 0)};
        uint64_t constant;
        if (term_const_u64(t, term_kid(t, x, 3 - k), &constant) && !constant && takes_another_way(kind) &&
            term_any(t, term_kid(t, arm, 1), is_shared, &s))
            return true;
    }
    return false;
}

static term returns_chosen(struct check *c, term result, int64_t v, bool given, unsigned fuel)
{
    struct terms *t = c->t;
    const unsigned kind = term_kind(t, result);
    if (fuel && kind == OP_ITE)
        return term_ite(t, term_kid(t, result, 0),
                        returns_chosen(c, term_kid(t, result, 1), v, given, fuel - 1),
                        returns_chosen(c, term_kid(t, result, 2), v, given, fuel - 1));
    term inner = result;
    while (term_kind(t, inner) == OP_ZEXT)
        inner = term_kid(t, inner, 0);
    term is = exits_returns(c, result, v);
    if (term_kind(t, inner) == OP_SEXT && term_width(t, term_kid(t, inner, 0)) == 1)
        return term_and(t, is, flag_chosen(c, term_kid(t, inner, 0), fuel));
    term flag = flag_of(t, result);
    if (flag != TERM_NONE && flag_chosen(c, flag, fuel) == flag)
        return is;
    return is_computed(t, result, given) ? term_false(t) : is;
}

term chosen_returns(struct check *c, term result, int64_t v, bool given)
{
    enum { FUEL = 12 };
    return returns_chosen(c, result, v, given, FUEL);
}

struct verify_reason chosen_or_computed(struct check *c)
{
    struct buf b = BUF_INIT;
    for (size_t i = 0; i < c->exits.sure; i++)
        if (c->exits.invalid.data[i] < 0 && c->exits.invalid_by.data[i] == VERIFY_BY_B)
            buf_printf(&b, "%s%lld", b.len ? " or " : "", (long long)c->exits.invalid.data[i]);
    struct verify_reason r = reason_of(c->arena, VERIFY_REASON_SAFE_IF_VALUE_FAILS, buf_text(&b));
    buf_free(&b);
    return r;
}
