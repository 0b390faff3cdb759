/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signed arithmetic that does not fit its type. No processor says so, and machine code does not tell signed
 * from unsigned; debug information does, of arguments, members and globals. What is computed from such values
 * alone, and is returned or stored as a signed number, is computed once more without a limit: where the two
 * differ, the source's arithmetic overflowed. Conditions of branches are not looked at: they may be checks for
 * just that, written with unsigned numbers. */
#include "poc/check.h"

#include "exec/origin.h"

enum { FUEL = 24, INT_BITS = 32 };

enum sign { SIGN_NONE, SIGN_SIGNED, SIGN_UNSIGNED };

static enum sign sign_of_type(const struct object_type_info *type, unsigned bits)
{
    if (!type || type->size * 8 != bits || (type->kind != TYPE_INT && type->kind != TYPE_ENUM))
        return SIGN_NONE;
    return type->is_signed ? SIGN_SIGNED : SIGN_UNSIGNED;
}

/* Of a value as it is read: an argument, or a place in memory. */
static enum sign sign_of_leaf(const struct poc_side *side, term x)
{
    const struct terms *t = side->t;
    unsigned i, bits = term_width(t, x);
    uint64_t at;
    term of = term_kind(t, x) == OP_EXTRACT ? term_kid(t, x, 0) : x;
    if (origin_is_argument(t, of, &i) && i < side->a->narguments)
        return sign_of_type(side->a->argument[i].type, bits);
    if (term_kind(t, x) != TERM_READ || !term_const_u64(t, term_kid(t, x, 1), &at))
        return SIGN_NONE;
    const struct poc_object *o = poc_object_at(side->a, at);
    return o ? sign_of_type(poc_type_at(o, at - o->base, bits / 8, NULL), bits) : SIGN_NONE;
}

static bool is_sum(const struct terms *t, term x)
{
    enum op k = (enum op)term_kind(t, x);
    return k == OP_ADD || k == OP_SUB || k == OP_NEG || k == OP_MUL;
}

/* Signed, if something in it is and nothing is unsigned. */
static enum sign sign_of(const struct poc_side *side, term x, unsigned fuel)
{
    const struct terms *t = side->t;
    enum sign all = SIGN_NONE;
    unsigned first = 0, n = term_nkids(t, x);
    switch ((int)term_kind(t, x)) {
    case OP_ZEXT:
        /* a narrow number is an int as soon as it is computed with; a wide one that is extended so is unsigned,
         * or known not to be negative */
        return term_width(t, term_kid(t, x, 0)) < INT_BITS ? SIGN_SIGNED : SIGN_NONE;
    case OP_SEXT:
        return SIGN_SIGNED;
    case OP_ITE:
        first = 1;
        break;
    case OP_ADD:
    case OP_SUB:
    case OP_NEG:
    case OP_MUL:
    case OP_SDIV:
    case OP_SREM:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
        break;
    case OP_SHL:
    case OP_ASHR:
        n = 1;
        break;
    default:
        return sign_of_leaf(side, x);
    }
    for (unsigned i = first; i < n && fuel && all != SIGN_UNSIGNED; i++) {
        enum sign one = sign_of(side, term_kid(t, x, i), fuel - 1);
        all = one == SIGN_NONE ? all : one;
    }
    return all;
}

/* The value without a limit, in so many bits. */
static term unlimited(struct poc_side *side, term x, unsigned bits, unsigned fuel)
{
    struct terms *t = side->t;
    if (fuel && is_sum(t, x)) {
        term a = unlimited(side, term_kid(t, x, 0), bits, fuel - 1);
        if (term_kind(t, x) == OP_NEG)
            return term_un(t, OP_NEG, a);
        return term_bin(t, (enum op)term_kind(t, x), a, unlimited(side, term_kid(t, x, 1), bits, fuel - 1));
    }
    if (fuel && term_kind(t, x) == OP_ITE)
        return term_ite(t, term_kid(t, x, 0), unlimited(side, term_kid(t, x, 1), bits, fuel - 1),
                        unlimited(side, term_kid(t, x, 2), bits, fuel - 1));
    return term_sext(t, x, bits);
}

/* When a shift moves bits out of a signed number, or by as much as it has or more. Processors take the amount
 * modulo that; what they drop is what the code was given. */
static term shifted_out(struct poc_side *side, term x, bool any)
{
    struct terms *t = side->t;
    unsigned bits = term_width(t, x);
    term of = term_kid(t, x, 0), by = term_kid(t, x, 1), whole = by;
    while (term_kind(t, whole) == OP_ZEXT || term_kind(t, whole) == OP_EXTRACT)
        whole = term_kid(t, whole, 0);
    term much = term_bin(t, OP_ULE, term_const(t, term_width(t, whole), bits), whole);
    if (term_width(t, whole) > bits)
        much = term_bin(t, OP_ULE, term_const(t, bits, bits), term_extract(t, whole, 0, bits));
    if (term_kind(t, x) != OP_SHL || (!any && sign_of(side, of, FUEL) != SIGN_SIGNED))
        return much;
    return term_or(t, much, term_not(t, term_eq(t, term_bin(t, OP_ASHR, x, by), of)));
}

/* When a quotient is one more than the greatest number: of the least and -1. */
static term quotient_overflowed(struct terms *t, term x)
{
    unsigned bits = term_width(t, x);
    term least = term_const(t, bits, UINT64_C(1) << (bits - 1)), minus_one = term_const(t, bits, ~UINT64_C(0));
    return term_and(t, term_eq(t, term_kid(t, x, 0), least), term_eq(t, term_kid(t, x, 1), minus_one));
}

static term overflowed(struct poc_side *side, term x, struct map *seen, unsigned fuel);

/* ... of what is added up and multiplied. Not of parts of the sum: their order is not the source's. */
static term parts_overflowed(struct poc_side *side, term x, struct map *seen, unsigned fuel)
{
    struct terms *t = side->t;
    term out = term_false(t);
    for (unsigned i = 0; i < term_nkids(t, x) && fuel; i++) {
        term kid = term_kid(t, x, i);
        out = term_or(t, out,
                      is_sum(t, x) && is_sum(t, kid) ? parts_overflowed(side, kid, seen, fuel - 1)
                                                     : overflowed(side, kid, seen, fuel - 1));
    }
    return out;
}

/* When something that the value is computed from overflowed. */
static term overflowed(struct poc_side *side, term x, struct map *seen, unsigned fuel)
{
    struct terms *t = side->t;
    unsigned bits = term_width(t, x), kind = (unsigned)term_kind(t, x);
    if (!fuel || term_is_const(t, x) || term_is_array(t, x) || kind == TERM_READ)
        return term_false(t);
    uint64_t known;
    if (map_get(seen, x, &known))
        return (term)known;
    term out = term_false(t);
    if (kind == OP_ITE) {
        out = term_ite(t, term_kid(t, x, 0), overflowed(side, term_kid(t, x, 1), seen, fuel - 1),
                       overflowed(side, term_kid(t, x, 2), seen, fuel - 1));
    } else {
        out = parts_overflowed(side, x, seen, fuel);
        if ((bits == 32 || bits == 64) && is_sum(t, x) && sign_of(side, x, FUEL) == SIGN_SIGNED)
            out = term_or(t, out, term_not(t, term_eq(t, unlimited(side, x, 2 * bits, FUEL),
                                                      term_sext(t, x, 2 * bits))));
        if ((bits == 32 || bits == 64) && (kind == OP_SHL || kind == OP_LSHR || kind == OP_ASHR) &&
            !term_is_const(t, term_kid(t, x, 1)))
            out = term_or(t, out, shifted_out(side, x, false));
        if ((bits == 32 || bits == 64) && (kind == OP_SDIV || kind == OP_SREM))
            out = term_or(t, out, quotient_overflowed(t, x));
    }
    map_set(seen, x, out);
    return out;
}

/* ---- where nobody knows ---- */

/* At least as much as any order of the sum and its products comes to, and any sign of its values. */
static term magnitude(struct poc_side *side, term x, unsigned bits, unsigned fuel)
{
    struct terms *t = side->t;
    if (fuel && is_sum(t, x)) {
        term a = magnitude(side, term_kid(t, x, 0), bits, fuel - 1);
        if (term_kind(t, x) == OP_NEG)
            return a;
        return term_bin(t, term_kind(t, x) == OP_MUL ? OP_MUL : OP_ADD, a,
                        magnitude(side, term_kid(t, x, 1), bits, fuel - 1));
    }
    term wide = term_sext(t, x, bits);
    return term_ite(t, term_extract(t, x, term_width(t, x) - 1, 1), term_un(t, OP_NEG, wide), wide);
}

static unsigned products(const struct terms *t, term x, unsigned fuel)
{
    unsigned n = term_kind(t, x) == OP_MUL;
    for (unsigned i = 0; fuel && is_sum(t, x) && i < term_nkids(t, x); i++)
        n += products(t, term_kid(t, x, i), fuel - 1);
    return n;
}

static term unclear(struct poc_side *side, term x, struct map *seen, unsigned fuel)
{
    struct terms *t = side->t;
    unsigned kind = term_kind(t, x);
    if (term_is_const(t, x) || !map_set(seen, x, 1))
        return term_false(t);
    if (!fuel)
        return term_true(t);
    unsigned bits = term_is_array(t, x) ? 0 : term_width(t, x);
    term out = term_false(t);
    for (unsigned i = term_is_array(t, x) ? term_nkids(t, x) : 0; i < term_nkids(t, x); i++)
        out = term_or(t, out, unclear(side, term_kid(t, x, i), seen, fuel - 1));
    if ((bits == 32 || bits == 64) && is_sum(t, x)) {
        unsigned wide = products(t, x, FUEL) > 1 ? 4 * bits : 2 * bits;
        term most = term_const_bits(t, wide, bits_ones(bits - 1));
        out = term_or(t, out, term_bin(t, OP_ULT, most, magnitude(side, x, wide, FUEL)));
    }
    if ((bits == 32 || bits == 64) && (kind == OP_SHL || kind == OP_LSHR || kind == OP_ASHR) &&
        !term_is_const(t, term_kid(t, x, 1)))
        out = term_or(t, out, shifted_out(side, x, true));
    if ((bits == 32 || bits == 64) && (kind == OP_SDIV || kind == OP_SREM))
        out = term_or(t, out, quotient_overflowed(t, x));
    return out;
}

typedef term when_fn(struct poc_side *side, term x, struct map *seen, unsigned fuel);

/* When that is so of something that the path returns, hangs on or writes. */
static term when_on_path(struct poc_side *side, const struct exec_path *path, when_fn *when)
{
    struct terms *t = side->t;
    struct map seen = {0};
    term out = path->result == TERM_NONE ? term_false(t) : when(side, path->result, &seen, FUEL);
    for (unsigned i = 0; i < path->nliterals; i++)
        out = term_or(t, out, when(side, path->literal[i], &seen, FUEL));
    for (unsigned i = 0; i < path->nwrites; i++)
        out = term_or(t, out, when(side, path->write[i].value, &seen, FUEL));
    map_free(&seen);
    return out;
}

term check_unclear(struct poc_side *side, const struct exec_path *path)
{
    return when_on_path(side, path, unclear);
}

/* ---- products ---- */

/* So many bits hold the value, with its sign. */
static unsigned bits_needed(struct terms *t, term x)
{
    unsigned bits = term_width(t, x);
    if (term_kind(t, x) == OP_SEXT)
        return term_width(t, term_kid(t, x, 0));
    const struct term_known k = term_known(t, x);
    while (bits > 1 && k.zero.w[(bits - 1) / 64] >> (bits - 1) % 64 & 1)
        bits--;
    return bits < term_width(t, x) ? bits + 1 : bits;
}

/* When a product is too large; where nothing says whether its factors are signed, either way. */
static term is_cut_off(const struct poc_side *side, term x)
{
    struct terms *t = side->t;
    const unsigned bits = term_width(t, x);
    const term a = term_kid(t, x, 0), b = term_kid(t, x, 1);
    if (bits_needed(t, a) + bits_needed(t, b) <= bits)
        return term_false(t);
    const term as_signed = term_bin(t, OP_MUL, term_sext(t, a, 2 * bits), term_sext(t, b, 2 * bits)),
               plain = term_bin(t, OP_MUL, term_zext(t, a, 2 * bits), term_zext(t, b, 2 * bits));
    const term signed_cut = term_not(t, term_eq(t, as_signed, term_sext(t, x, 2 * bits))),
               plain_cut = term_not(t, term_eq(t, plain, term_zext(t, x, 2 * bits)));
    const enum sign sign = sign_of(side, x, FUEL);
    return sign == SIGN_SIGNED     ? signed_cut
           : sign == SIGN_UNSIGNED ? plain_cut
                                   : term_and(t, signed_cut, plain_cut);
}

static term products_cut_off(struct poc_side *side, term x, struct map *seen, unsigned fuel)
{
    struct terms *t = side->t;
    if (!fuel || term_is_const(t, x) || !map_set(seen, x, 1))
        return term_false(t);
    const unsigned bits = term_is_array(t, x) ? 0 : term_width(t, x);
    term out = (bits == 32 || bits == 64) && term_kind(t, x) == OP_MUL ? is_cut_off(side, x) : term_false(t);
    for (unsigned i = 0; bits && i < term_nkids(t, x); i++)
        out = term_or(t, out, products_cut_off(side, term_kid(t, x, i), seen, fuel - 1));
    return out;
}

term check_products(struct poc_side *side, const struct exec_path *path)
{
    return when_on_path(side, path, products_cut_off);
}

/* ---- what a path leaves ---- */

static term result_overflowed(struct poc_side *side, const struct exec_path *path, struct map *seen)
{
    struct terms *t = side->t;
    const struct object_function_debug *d =
        object_debug_function(program_object(side->p), side->f->address);
    unsigned bits = d && d->result ? (unsigned)d->result->size * 8 : 0;
    if (!bits || path->result == TERM_NONE || bits > term_width(t, path->result) ||
        sign_of_type(d->result, bits) != SIGN_SIGNED)
        return term_false(t);
    return overflowed(side, term_extract(t, path->result, 0, bits), seen, FUEL);
}

static term write_overflowed(struct poc_side *side, const struct exec_write *w, struct map *seen)
{
    struct terms *t = side->t;
    uint64_t at;
    if (w->space || !term_const_u64(t, w->address, &at))
        return term_false(t);
    const struct poc_object *o = poc_object_at(side->a, at);
    unsigned bits = term_width(t, w->value);
    if (!o || sign_of_type(poc_type_at(o, at - o->base, bits / 8, NULL), bits) != SIGN_SIGNED)
        return term_false(t);
    return term_and(t, w->guard == TERM_NONE ? term_true(t) : w->guard,
                    overflowed(side, w->value, seen, FUEL));
}

unsigned check_overflows(struct poc_side *side, const struct exec_path *path, struct check_overflow *out, unsigned cap)
{
    struct terms *t = side->t;
    struct map seen = {0};
    unsigned n = 0;
    for (unsigned i = 0; i <= path->nwrites && n < cap; i++) {
        bool stored = i < path->nwrites;
        term when = stored ? write_overflowed(side, &path->write[i], &seen) : result_overflowed(side, path, &seen);
        if (!term_is_false(t, when))
            out[n++] = (struct check_overflow){when, stored && path->write[i].file == 0 ? path->write[i].site : 0};
    }
    map_free(&seen);
    return n;
}
