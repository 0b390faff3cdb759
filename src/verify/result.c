/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the registers is the result, where no debug information says so.
 *
 * There is none where on some path to a return none of them is set, and no parameter that comes in one might
 * be returned unchanged; nor in the first one where padding is popped into it.
 *
 * The second register is part of it only if the code sets it for that on every path to a return
 * (abi_sets_result). Popping a word that only aligned the stack does not set it: such a word is a register at
 * entry that is no parameter, or what was in the frame before.
 *
 * Where pointers have 64 bits, the upper half of the first register is no part of the result when nothing
 * that either version returns needs it and something shows that it is none: a small negative number whose
 * upper half is 0, or what a callee returned, of which the lower half only was found to be some constant.
 * Both would have to be extended first. */
#include <stdio.h>

#include "verify/private.h"

enum { HALF = 32 };

bool result_small_negative(uint64_t v)
{
    enum { ERRNO_MAX = 4095 };
    return v >> HALF == 0 && (int32_t)(uint32_t)v < 0 && (int32_t)(uint32_t)v >= -ERRNO_MAX;
}

/* What the path's condition says the result, or only its lower half, is; TERM_NONE: nothing. */
static term said_to_be(const struct pair_side *s, const struct exec_path *p, term x)
{
    struct terms *t = s->pair->t;
    for (unsigned i = 0; i < p->nliterals; i++) {
        term l = p->literal[i];
        if (term_kind(t, l) == OP_EQ && term_kid(t, l, 0) == x && term_is_const(t, term_kid(t, l, 1)))
            return term_kid(t, l, 1);
    }
    return TERM_NONE;
}

static term half_said_to_be(const struct pair_side *s, const struct exec_path *p)
{
    struct terms *t = s->pair->t;
    if (s->pair->width != 2 * HALF || term_width(t, p->result) != s->pair->width)
        return TERM_NONE;
    return said_to_be(s, p, term_extract(t, p->result, 0, HALF));
}

term result_pinned(const struct pair_side *s, const struct exec_path *p)
{
    term whole = said_to_be(s, p, p->result), half = half_said_to_be(s, p);
    if (whole != TERM_NONE)
        return whole;
    return half != TERM_NONE ? term_zext(s->pair->t, half, s->pair->width) : p->result;
}

/* As it was at entry, and no parameter that both versions look at. */
static bool is_padding(const struct pair_side *s, term x, unsigned reg)
{
    const struct check *c = check_of(s);
    unsigned n, own = abi_nparams(c->pair.side[OLD].abi) < abi_nparams(c->pair.side[NEW].abi)
                          ? abi_nparams(c->pair.side[OLD].abi)
                          : abi_nparams(c->pair.side[NEW].abi);
    int64_t off;
    switch (term_kind(c->t, x)) {
    case TERM_VAR:
        if (!origin_is_argument(c->t, x, &n)) /* or the address of something of another file was loaded */
            return !origin_is(c->t, x, ORIGIN_ADDRESS);
        return n >= own && n < program_machine(s->p)->nargs && abi_reloads_result(s->abi, reg);
    case TERM_READ:
        return pair_sp_offset(&c->pair, term_kid(c->t, x, 1), &off) && off < 0;
    default:
        return false;
    }
}

static void see_second(struct result_signs *r, const struct pair_side *s, const struct exec_path *p)
{
    unsigned reg = program_machine(s->p)->ret2;
    if (reg == UINT16_MAX)
        return;
    r->set = r->set || !is_padding(s, exec_path_register(s->x, p, reg, s->pair->width), reg);
    r->padding = !r->set;
}

bool result_is_product(const struct pair_side *s, const struct exec_path *p)
{
    const struct ir_machine *m = program_machine(s->p);
    struct terms *t = s->pair->t;
    unsigned width = s->pair->width;
    if (m->ret2 == UINT16_MAX || p->end != PATH_RETURN)
        return false;
    term high = exec_path_register(s->x, p, m->ret2, width), low = exec_path_register(s->x, p, m->ret, width);
    if (term_kind(t, high) != OP_EXTRACT || term_extract_lo(t, high) != width)
        return false;
    term product = term_kid(t, high, 0);
    if (term_kind(t, product) != OP_MUL || term_width(t, product) != 2 * width ||
        term_extract(t, product, 0, width) != low)
        return false;
    /* Made to see whether it overflows. */
    return !term_any_of(t, p->literal, p->nliterals, term_is_that, &product);
}

/* All of it is, with a constant. */
static bool is_compared(const struct pair_side *s, const struct exec_path *p, term x)
{
    struct terms *t = s->pair->t;
    for (unsigned i = 0; i < p->nliterals; i++) {
        term l = p->literal[i];
        l = term_kind(t, l) == OP_NOT ? term_kid(t, l, 0) : l;
        if (term_nkids(t, l) == 2 && (term_kid(t, l, 0) == x || term_kid(t, l, 1) == x))
            return true;
    }
    return false;
}

static void see_width(struct result_signs *r, const struct pair_side *s, const struct exec_path *p, term x)
{
    struct terms *t = s->pair->t;
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
        r->whole = r->whole || map_get(&check_of(s)->based[s->new], x, NULL) || is_compared(s, p, x);
    } else {
        r->whole = r->whole || kind != OP_ZEXT || term_width(t, term_kid(t, x, 0)) > HALF;
    }
}

/* What comes back in the register is what was there. */
static bool is_untouched(const struct pair_side *s, const struct exec_path *p, unsigned reg, unsigned width)
{
    return exec_path_register(s->x, p, reg, width) == explorer_entry(s->x, reg, width);
}

bool result_on_x87(const struct pair_side *s, const struct exec_path *p)
{
    uint16_t top, width;
    return machine_register_find(program_machine(s->p), "<x87_top>", &top, &width) &&
           !is_untouched(s, p, top, 32);
}

/* Nobody sets the first register, nor one for floats, and nothing is left on the x87 stack. Where floats come
 * in the register that they are returned in, one may be passed through without any instruction that shows it,
 * unless the code is not optimised. */
static bool returns_nothing(const struct pair_side *s, const struct exec_path *p)
{
    const struct ir_machine *m = program_machine(s->p);
    if (p->merged || (m->nfargs && m->fret == m->farg[0] && !abi_is_unoptimised(s->abi)) ||
        (m->fret != UINT16_MAX && !is_untouched(s, p, m->fret, s->pair->width)) || result_on_x87(s, p))
        return false;
    return abi_leaves_result(s->abi, p->block, p->nblocks, is_untouched(s, p, m->ret, s->pair->width));
}

bool result_is_left(const struct pair_side *s, const struct exec_path *p)
{
    const struct ir_machine *m = program_machine(s->p);
    return (m->arch == MACHINE_AMD64 || m->arch == MACHINE_X86) && !p->merged &&
           is_untouched(s, p, m->ret, s->pair->width);
}

/* x86: every return pops a word into the first register, and the word is that register's value at entry,
 * which nobody can mean to return: so compilers drop alignment padding when no number is returned. */
static bool drops_first(const struct pair_side *s, const struct exec_path *p)
{
    const struct ir_machine *m = program_machine(s->p);
    return (m->arch == MACHINE_AMD64 || m->arch == MACHINE_X86) && !p->merged &&
           abi_reloads_result(s->abi, m->ret) && is_untouched(s, p, m->ret, s->pair->width) &&
           !abi_reads_entry(s->abi, m->ret);
}

/* What a call that is its effects gave is in the first register, and nothing else on the path is made of it:
 * it was called for that. */
static void see_asked(struct result_signs *r, const struct pair_side *s, const struct exec_path *p)
{
    const struct terms *t = s->pair->t;
    for (unsigned i = 0; i < p->nevents; i++) {
        const struct exec_event *e = &p->event[i];
        term made = e->result;
        if (!e->silent || made == TERM_NONE || term_kind(t, made) != TERM_APPLY)
            continue;
        bool used = term_any(t, p->condition, term_is_that, &made) ||
                    term_any(t, p->memory, term_is_that, &made) || term_any(t, p->frame, term_is_that, &made);
        for (unsigned k = i + 1; k < p->nevents && !used; k++)
            used = term_any_of(t, p->event[k].arg, p->event[k].nargs, term_is_that, &made);
        bool returned = p->end == PATH_TAIL_CALL ? e->tail
                                                 : p->end == PATH_RETURN && p->result != TERM_NONE &&
                                                       term_any(t, p->result, term_is_that, &made);
        r->used = r->used || used;
        r->returns_call = r->returns_call || (returned && !used);
    }
}

void result_see(struct result_signs *r, const struct pair_side *s, const struct exec_path *p)
{
    see_asked(r, s, p);
    if (p->end != PATH_RETURN || p->result == TERM_NONE)
        return;
    see_second(r, s, p);
    r->ways = true;
    r->product = r->product || result_is_product(s, p);
    r->bare = r->bare || !result_on_x87(s, p);
    r->nothing = r->nothing || returns_nothing(s, p);
    r->left = r->left || result_is_left(s, p);
    r->padded = r->padded || drops_first(s, p);
    r->unpadded = r->unpadded || !is_untouched(s, p, program_machine(s->p)->ret, s->pair->width);
    if (s->pair->width == 2 * HALF && term_width(s->pair->t, p->result) == s->pair->width)
        see_width(r, s, p, p->result);
}

void result_decide(struct check *c, const struct result_signs r[2])
{
    struct exits *x = &c->exits;
    if (abi_is_declared(c->pair.side[OLD].abi) || abi_is_declared(c->pair.side[NEW].abi) ||
        !(c->opt->assume & VERIFY_ASSUME_RESULT))
        return;
    x->returns_call = r[OLD].returns_call && !r[OLD].used && x->user_returns < 0;
    for (int s = 0; s < 2; s++)
        x->padding[s] = r[s].padding;
    x->product = r[OLD].product || r[NEW].product;
    /* ... unless one is set elsewhere. */
    x->unset = (r[OLD].nothing || r[NEW].nothing) && x->user_returns < 0;
    x->padded = (r[OLD].padded || r[NEW].padded) && x->user_returns < 0;
    for (int s = 0; s < 2; s++) {
        bool may = abi_may_return(c->pair.side[s].abi);
        x->unset = x->unset && !may;
        /* A local that some path leaves unset is no padding. */
        x->padded = x->padded && (r[s].padded ? !r[s].unpadded : !may);
    }
    x->half = c->width == 2 * HALF && (r[OLD].number || r[NEW].number) && !r[OLD].whole && !r[NEW].whole;
}
