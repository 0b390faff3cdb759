/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One feature: brought into a form in which it is found again, and kept. */
#include "exec/bitcode.h"
#include "present/gather.h"

uint64_t gather_identity(unsigned kind, expr what, expr value, expr under)
{
    return hash_u64(hash_u64((uint64_t)what << 32 | value) ^ under) * 4 + kind;
}

static void find_line(struct gatherer *g, struct feature *f)
{
    struct bitcode_line at;
    struct object_line line;
    if (g->n.m && bitcode_line(g->n.m, f->site, &at)) {
        f->file = at.file;
        f->line = at.line;
    } else if (g->n.p && object_debug_line(program_object(g->n.p), f->site, &line)) {
        f->file = line.file;
        f->line = line.line;
    }
    if (f->file)
        f->file = exprs_keep(g->e, f->file);
}

static void add_one(struct gatherer *g, enum feature_kind kind, expr what, expr value, expr under,
                    uint64_t site)
{
    if (kind == FEATURE_STORE && g->follows)
        gather_follows(g, what, value);
    uint64_t id = gather_identity(kind, what, value, under),
             bare = gather_identity(kind, what, value, EXPR_NONE), at;
    if (map_set(&g->at, hash_u64(bare) ^ hash_u64(site + 1), 1))
        map_set(&g->times, bare, map_find(&g->times, bare, 0) + 1);
    if (map_get(&g->seen, id, &at)) {
        if (!g->in_first)
            g->cycle_of.data[at - 1] = 0;
        return;
    }
    struct feature f = {.kind = (uint8_t)kind, .what = what, .value = value, .under = under, .site = site};
    if (g->opt && g->opt->lines)
        find_line(g, &f);
    vec_push(&g->out->list, f);
    vec_push(&g->cycle_of, g->in_first);
    map_set(&g->seen, id, g->out->list.len);
}

/* Each comparison that a condition is made of. */
static void add_condition(struct gatherer *g, expr x, uint64_t site)
{
    x = expr_branch(g->e, x);
    bool boolean = expr_is_boolean(g->e, x);
    enum op op = boolean ? (enum op)expr_value(g->e, x) : OP_COUNT_;
    if (op == OP_AND || op == OP_OR || op == OP_XOR || op == OP_ITE)
        for (unsigned i = 0; i < expr_nkids(g->e, x); i++)
            add_condition(g, expr_kid(g->e, x, i), site);
    else if (op != OP_FUNORD && expr_kind(g->e, x) != EXPR_CONST)
        add_one(g, FEATURE_CONDITION, x, EXPR_NONE, EXPR_NONE, site);
}

/* A value as it is passed on. A truth value is a number there: what a program without a branch computes, and
 * one with a branch decides. */
static expr number_of(struct gatherer *g, expr x)
{
    if (x == EXPR_NONE)
        return x;
    /* How wide it is kept is not known: an int in a register of 64 bits has zeros above it. */
    if (expr_kind(g->e, x) == EXPR_OP && expr_value(g->e, x) == OP_AND &&
        expr_kid(g->e, x, 1) == expr_const(g->e, UINT32_MAX))
        x = expr_kid(g->e, x, 0);
    /* Whether a char has a sign is the processor's choice. */
    if (expr_kind(g->e, x) == EXPR_OP && expr_value(g->e, x) == OP_SEXT)
        x = expr_kid(g->e, x, 0);
    if (!expr_is_boolean(g->e, x))
        return expr_maybe_place(g->e, x);
    return expr_op(g->e, OP_ITE, (expr[]){x, expr_const(g->e, 1), expr_const(g->e, 0)}, 3);
}

static expr numbers_in(struct gatherer *g, expr call)
{
    VEC(expr) kid = VEC_INIT;
    if (expr_kind(g->e, call) != EXPR_CALL)
        return call;
    for (unsigned i = 0; i < expr_nkids(g->e, call); i++)
        vec_push(&kid, number_of(g, expr_kid(g->e, call, i)));
    expr r = expr_call(g->e, expr_name(g->e, call), kid.data, (unsigned)kid.len);
    vec_free(&kid);
    return r;
}

/* What is chosen without a branch is one feature for each choice, as with a branch. */
static void add_choices(struct gatherer *g, enum feature_kind kind, expr what, expr value, expr under,
                        uint64_t site, unsigned budget)
{
    expr choice = budget > 1 ? expr_choice(g->e, what) : EXPR_NONE;
    if (choice == EXPR_NONE && value != EXPR_NONE && budget > 1)
        choice = expr_choice(g->e, value);
    if (choice == EXPR_NONE && kind == FEATURE_CONDITION)
        add_condition(g, what, site);
    else if (choice == EXPR_NONE)
        add_one(g, kind, what, value, under, site);
    if (choice == EXPR_NONE)
        return;
    add_choices(g, FEATURE_CONDITION, expr_kid(g->e, choice, 0), EXPR_NONE, EXPR_NONE, site, budget / 2);
    for (unsigned i = 1; i < 3; i++) {
        expr to = expr_kid(g->e, choice, i);
        add_choices(g, kind, expr_replace(g->e, what, choice, to),
                    value == EXPR_NONE ? value : expr_replace(g->e, value, choice, to), under, site,
                    budget / 2);
    }
}

void gather_add(struct gatherer *g, enum feature_kind kind, expr what, expr value, expr under, uint64_t site)
{
    enum { CHOICES = 16 };
    if (kind == FEATURE_RETURN)
        what = number_of(g, what);
    else if (kind == FEATURE_CALL)
        what = numbers_in(g, what);
    /* What is done if one of several conditions holds is done under each of them: with a branch for each it
     * is seen so. */
    bool any = under != EXPR_NONE && expr_is_boolean(g->e, under) && expr_value(g->e, under) == OP_OR;
    for (unsigned i = 0; i < (any ? expr_nkids(g->e, under) : 1); i++)
        add_choices(g, kind, what, number_of(g, value), any ? expr_kid(g->e, under, i) : under, site,
                    CHOICES);
}
