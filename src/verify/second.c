/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What registers behind the first of a result may hold that is none: what the first was computed from. */
#include "verify/private.h"

/* One of the values that the result is chosen from. */
struct wanted {
    const struct terms *t;
    uint64_t value;
};

static enum term_visit find_constant(void *ctx, term x)
{
    const struct wanted *w = ctx;
    unsigned kind = term_kind(w->t, x);
    uint64_t value;
    if (term_const_u64(w->t, x, &value))
        return value == w->value ? TERM_STOP : TERM_PAST;
    return kind == OP_ITE || kind == OP_ZEXT ? TERM_INTO : TERM_PAST;
}

static bool is_chosen_from(const struct terms *t, term result, term x)
{
    struct wanted w = {.t = t};
    return term_const_u64(t, x, &w.value) && term_visit_parts(t, result, find_constant, &w);
}

/* The second register was set to choose the first from: a select of constants does not read it in the IR. */
static bool is_of_select(const struct check *c, const struct end *e, term x)
{
    term r = canonical_term(e->s->pair, e->s, e->path->result);
    while (r != TERM_NONE && term_kind(c->t, r) == OP_ZEXT)
        r = term_kid(c->t, r, 0);
    return r != TERM_NONE && term_kind(c->t, r) == OP_ITE && is_chosen_from(c->t, r, x);
}

/* The first register is chosen by a comparison of which the second holds the difference: sbcs has to put it
 * somewhere. */
static bool is_of_comparison(const struct terms *t, term result, term x)
{
    unsigned kind = result == TERM_NONE ? TERM_NONE : term_kind(t, result);
    if (kind == OP_ZEXT || kind == OP_EXTRACT)
        return is_of_comparison(t, term_kid(t, result, 0), x);
    return kind == OP_ITE && x != TERM_NONE && !term_is_const(t, x) && term_kind(t, x) != TERM_VAR &&
           (term_any(t, term_kid(t, result, 0), term_is_that, &x) ||
            is_of_comparison(t, term_kid(t, result, 1), x) || is_of_comparison(t, term_kid(t, result, 2), x));
}

/* The first register was computed from what the other holds, which may have been put there for that; unless
 * it is said what is returned. */
static bool is_operand(const struct check *c, term first, term x)
{
    if (abi_is_declared(c->pair.side[OLD].abi) && abi_is_declared(c->pair.side[NEW].abi))
        return false;
    while (x != TERM_NONE && (term_kind(c->t, x) == OP_ZEXT || term_kind(c->t, x) == OP_SEXT ||
                              term_kind(c->t, x) == OP_EXTRACT))
        x = term_kid(c->t, x, 0);
    return first != TERM_NONE && x != TERM_NONE && first != x && !term_is_const(c->t, x) &&
           term_any(c->t, first, term_is_that, &x);
}

/* The same of a float, beside which its register holds something else. */
static bool is_float_operand(const struct check *c, term first, term x)
{
    enum { SINGLE = 32, DOUBLE = 64 };
    return x != TERM_NONE && term_width(c->t, x) > DOUBLE &&
           (is_operand(c, first, term_extract(c->t, x, 0, DOUBLE)) ||
            is_operand(c, first, term_extract(c->t, x, 0, SINGLE)));
}

/* On the way out a word of the frame is popped into it, which may only have been in the way; or it is what
 * the first is copied from, or what the next round of a loop is to use. */
static bool serves_otherwise(const struct check *c)
{
    const unsigned second = program_machine(c->pair.side[OLD].p)->ret2;
    bool is = false;
    for (int s = 0; s < 2 && second != UINT16_MAX && !is; s++)
        is = abi_reloads_result(c->pair.side[s].abi, second) ||
             abi_copies_result(c->pair.side[s].abi, second) ||
             (!abi_is_declared(c->pair.side[s].abi) && abi_serves_elsewhere(c->pair.side[s].abi, second));
    return is;
}

bool second_may_be_left(const struct check *c, unsigned part, const struct end *o, term a,
                        const struct end *n, term b)
{
    const term second[] = {o->parts[part], n->parts[part]};
    if (part > RESULT_FLOAT && part < RESULT_UPPER)
        return is_float_operand(c, o->parts[RESULT_FLOAT], second[OLD]) ||
               is_float_operand(c, n->parts[RESULT_FLOAT], second[NEW]);
    return part == RESULT_SECOND &&
           (serves_otherwise(c) || (is_of_select(c, o, a) && is_of_select(c, n, b)) ||
            is_of_comparison(c->t, o->result, second[OLD]) ||
            is_of_comparison(c->t, n->result, second[NEW]) || is_operand(c, o->result, second[OLD]) ||
            is_operand(c, n->result, second[NEW]));
}
