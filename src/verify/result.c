/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the registers is the result, where no debug information says so.
 *
 * The second register is no part of it when one version leaves it, on every way to a return, as a callee or
 * the caller left it, and on one of them the first register holds nothing of the kind: what is nobody's value
 * is not returned. Where pointers have 32 bits the two registers are a number of 64 (structures are returned
 * in memory there), and an address that the function accesses is not the upper half of one.
 *
 * Where they have 64 bits, the upper half of the first register is no part of the result when nothing that
 * either version returns needs it and something shows that it is none: a small negative number whose upper
 * half is 0, or what a callee returned, of which the lower half only was found to be some constant. Both
 * would have to be extended first. */
#include <limits.h>

#include "verify/private.h"

enum { HALF = 32 };

bool result_small_negative(uint64_t v)
{
    enum { ERRNO_MAX = 4095 };
    return v >> HALF == 0 && (int32_t)(uint32_t)v < 0 && (int32_t)(uint32_t)v >= -ERRNO_MAX;
}

/* What the path's condition says the result, or only its lower half, is; TERM_NONE: nothing. */
static term said_to_be(const struct side *s, const struct exec_path *p, term x)
{
    struct terms *t = s->c->t;
    for (unsigned i = 0; i < p->nliterals; i++) {
        term l = p->literal[i];
        if (term_kind(t, l) == OP_EQ && term_kid(t, l, 0) == x && term_is_const(t, term_kid(t, l, 1)))
            return term_kid(t, l, 1);
    }
    return TERM_NONE;
}

static term half_said_to_be(const struct side *s, const struct exec_path *p)
{
    struct terms *t = s->c->t;
    if (s->c->width != 2 * HALF || term_width(t, p->result) != s->c->width)
        return TERM_NONE;
    return said_to_be(s, p, term_extract(t, p->result, 0, HALF));
}

term result_pinned(const struct side *s, const struct exec_path *p)
{
    term whole = said_to_be(s, p, p->result), half = half_said_to_be(s, p);
    if (whole != TERM_NONE)
        return whole;
    return half != TERM_NONE ? term_zext(s->c->t, half, s->c->width) : p->result;
}

/* It is part of x. */
static bool is_part(const struct terms *t, term x, term of)
{
    VEC(term) todo = VEC_INIT;
    struct map seen = {0};
    bool found = false;
    vec_push(&todo, of);
    while (todo.len && !found) {
        term y = vec_pop(&todo);
        found = x == y;
        for (unsigned i = map_set(&seen, y, 1) ? 0 : UINT_MAX; i < term_nkids(t, y); i++)
            vec_push(&todo, term_kid(t, y, i));
    }
    vec_free(&todo);
    map_free(&seen);
    return found;
}

/* The first register has a value of its own, not one half of what is left in both. */
static bool stands_alone(const struct side *s, const struct exec_path *p)
{
    struct terms *t = s->c->t;
    if (is_left_by_callee(s->c, p->result) ||
        is_part(t, explorer_entry(s->x, program_machine(s->p)->ret, s->c->width), p->result))
        return false;
    const struct exec_event *last = p->nevents ? &p->event[p->nevents - 1] : NULL;
    return !last || last->result == TERM_NONE || !is_part(t, last->result, p->result);
}

static void see_second(struct result_signs *r, const struct side *s, const struct exec_path *p)
{
    struct check *c = s->c;
    unsigned reg = program_machine(s->p)->ret2;
    if (reg == UINT16_MAX)
        return;
    term x = exec_path_register(s->x, p, reg, c->width), base;
    uint64_t off;
    term_split(c->t, x, &base, &off);
    if (c->width == HALF && base != TERM_NONE && map_get(&s->based, base, NULL))
        r->address = true;
    if (!is_left_by_callee(c, x) && !is_as_at_entry(c, s->new, x, reg))
        r->set = true;
    else if (stands_alone(s, p))
        r->alone = true;
}

/* All of it is, with a constant. */
static bool is_compared(const struct side *s, const struct exec_path *p, term x)
{
    struct terms *t = s->c->t;
    for (unsigned i = 0; i < p->nliterals; i++) {
        term l = p->literal[i];
        l = term_kind(t, l) == OP_NOT ? term_kid(t, l, 0) : l;
        if (term_nkids(t, l) == 2 && (term_kid(t, l, 0) == x || term_kid(t, l, 1) == x))
            return true;
    }
    return false;
}

static void see_width(struct result_signs *r, const struct side *s, const struct exec_path *p, term x)
{
    struct terms *t = s->c->t;
    uint64_t v;
    unsigned kind = term_kind(t, x);
    if (term_const_u64(t, x, &v)) {
        r->number = r->number || result_small_negative(v);
        r->whole = r->whole || v >> HALF != 0;
    } else if (kind == OP_ITE) {
        see_width(r, s, p, term_kid(t, x, 1));
        see_width(r, s, p, term_kid(t, x, 2));
    } else if (kind == TERM_APPLY) {
        r->number = r->number || (x == p->result && half_said_to_be(s, p) != TERM_NONE);
        r->whole = r->whole || map_get(&s->based, x, NULL) || is_compared(s, p, x);
    } else {
        r->whole = r->whole || kind != OP_ZEXT || term_width(t, term_kid(t, x, 0)) > HALF;
    }
}

void result_see(struct result_signs *r, const struct side *s, const struct exec_path *p)
{
    if (p->end != PATH_RETURN || p->result == TERM_NONE)
        return;
    see_second(r, s, p);
    if (s->c->width == 2 * HALF && term_width(s->c->t, p->result) == s->c->width)
        see_width(r, s, p, p->result);
}

void result_decide(struct check *c, const struct result_signs r[2])
{
    struct exits *x = &c->exits;
    if (c->side[OLD].told || c->side[NEW].told || !(c->opt->assume & VERIFY_ASSUME_RESULT))
        return;
    for (int s = 0; s < 2; s++)
        x->one = x->one || r[s].address || (r[s].alone && !r[s].set);
    x->half = c->width == 2 * HALF && (r[OLD].number || r[NEW].number) && !r[OLD].whole && !r[NEW].whole;
}
