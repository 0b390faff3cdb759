/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions taken apart.
 *
 * Processors put the outcome of a comparison into flags, and some compare a second time only if the first
 * came out as wanted; what is left of that in a term are sums and shifts of truth values. Whatever it looks
 * like, it is a function of the comparisons in it: one of them is taken for true and for false, and what
 * remains is looked at in turn (Shannon's expansion). Two floats are less, equal or greater; that they may be
 * neither is left out, as everywhere here. */
#include "base/vec.h"
#include "present/normal.h"

enum {
    DEPTH_MAX = 6,   /* comparisons in one condition */
    LOOK_MAX = 3000, /* terms looked at to find one */
};

static bool compares(unsigned kind)
{
    return kind == OP_EQ || kind == OP_ULT || kind == OP_ULE || kind == OP_SLT || kind == OP_SLE ||
           kind == OP_FEQ || kind == OP_FLT || kind == OP_FLE || kind == OP_FUNORD;
}

static bool compares_floats(unsigned kind)
{
    return kind == OP_FEQ || kind == OP_FLT || kind == OP_FLE || kind == OP_FUNORD;
}

/* ---- whether it has to be done ---- */

/* A truth value as a part of a number, other than in what is loaded or called. */
static bool has_truth(const struct exprs *e, expr x, unsigned depth)
{
    enum expr_kind k = expr_kind(e, x);
    if (k == EXPR_MEM || k == EXPR_CALL || depth == 0)
        return false;
    if (expr_is_boolean(e, x))
        return true;
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        if (has_truth(e, expr_kid(e, x, i), depth - 1))
            return true;
    return false;
}

static bool is_plain(const struct exprs *e, expr x)
{
    enum { DEPTH = 12, ATOMS = 8 };
    struct {
        expr x[2];
    } seen[ATOMS];
    unsigned nseen = 0;
    VEC(expr) todo = VEC_INIT;
    bool plain = true;
    vec_push(&todo, x);
    while (todo.len && plain) {
        expr y = vec_pop(&todo);
        if (!expr_is_boolean(e, y)) {
            plain = !has_truth(e, y, DEPTH);
            continue;
        }
        enum op op = (enum op)expr_value(e, y);
        unsigned n = expr_nkids(e, y);
        if (op == OP_AND || op == OP_OR || op == OP_NOT || op == OP_ITE) {
            for (unsigned i = 0; i < n; i++)
                vec_push(&todo, expr_kid(e, y, i));
            continue;
        }
        plain = op != OP_XOR;
        for (unsigned i = 0; i < n && plain; i++)
            plain = !has_truth(e, expr_kid(e, y, i), DEPTH);
        if (!plain || n != 2 || !compares_floats(op))
            continue;
        /* the same floats compared in several ways are one comparison */
        expr a = expr_kid(e, y, 0), b = expr_kid(e, y, 1);
        for (unsigned i = 0; i < nseen; i++)
            plain = plain &&
                    !((seen[i].x[0] == a && seen[i].x[1] == b) || (seen[i].x[0] == b && seen[i].x[1] == a));
        if (nseen < ATOMS) {
            seen[nseen].x[0] = a;
            seen[nseen++].x[1] = b;
        }
    }
    vec_free(&todo);
    return plain;
}

/* ---- doing it ---- */

struct look {
    const struct terms *t;
    struct map seen; /* term -> 1 when there is a comparison in it or it is one */
    unsigned left;
    term found; /* a comparison with none inside */
};

/* Whether there is a comparison in x; the innermost that is met first is found. */
static bool look_for(struct look *l, term x)
{
    uint64_t known;
    unsigned kind = term_kind(l->t, x);
    if (kind >= OP_COUNT_ || l->left == 0)
        return false; /* a leaf, or something loaded or called */
    if (map_get(&l->seen, x, &known))
        return known;
    l->left--;
    bool inside = false;
    for (unsigned i = 0; i < term_nkids(l->t, x) && l->found == TERM_NONE; i++)
        inside = look_for(l, term_kid(l->t, x, i)) || inside;
    bool is = compares(kind) && term_width(l->t, term_kid(l->t, x, 0)) > 1;
    if (is && !inside && l->found == TERM_NONE)
        l->found = x;
    map_set(&l->seen, x, inside || is);
    return inside || is;
}

static expr taken_apart(struct normaliser *n, term x, unsigned depth);

static expr chosen(struct exprs *e, expr c, expr yes, expr no)
{
    bool cy = expr_kind(e, yes) == EXPR_CONST, cn = expr_kind(e, no) == EXPR_CONST;
    expr not = expr_op(e, OP_NOT, &c, 1);
    if (yes == no)
        return yes;
    if (cy && cn)
        return expr_value(e, yes) ? c : not ;
    if (cy)
        return expr_value(e, yes) ? expr_op(e, OP_OR, (expr[]){c, no}, 2)
                                  : expr_op(e, OP_AND, (expr[]){not, no}, 2);
    if (cn)
        return expr_value(e, no) ? expr_op(e, OP_OR, (expr[]){not, yes}, 2)
                                 : expr_op(e, OP_AND, (expr[]){c, yes}, 2);
    return expr_op(e, OP_ITE, (expr[]){c, yes, no}, 3);
}

/* x when the first of two floats is less, equal or greater. */
static expr when(struct normaliser *n, term x, term a, term b, int outcome, unsigned depth)
{
    const struct {
        enum op op;
        bool turned, holds;
    } fact[] = {{OP_FLT, false, outcome < 0}, {OP_FLT, true, outcome > 0},   {OP_FEQ, false, outcome == 0},
                {OP_FEQ, true, outcome == 0}, {OP_FLE, false, outcome <= 0}, {OP_FLE, true, outcome >= 0},
                {OP_FUNORD, false, false},    {OP_FUNORD, true, false}};
    enum { FACTS = sizeof fact / sizeof *fact };
    term from[FACTS], to[FACTS];
    size_t k = 0;
    for (size_t i = 0; i < FACTS; i++) {
        term is = fact[i].turned ? term_bin(n->t, fact[i].op, b, a) : term_bin(n->t, fact[i].op, a, b);
        if (term_is_const(n->t, is))
            continue;
        from[k] = is;
        to[k++] = fact[i].holds ? term_true(n->t) : term_false(n->t);
    }
    return taken_apart(n, term_substitute(n->t, x, from, to, k), depth - 1);
}

static expr by_floats(struct normaliser *n, term x, term atom, unsigned depth)
{
    term a = term_kid(n->t, atom, 0), b = term_kid(n->t, atom, 1);
    expr pair[] = {normal_of(n, a), normal_of(n, b)}, turned[] = {pair[1], pair[0]};
    expr less = when(n, x, a, b, -1, depth), equal = when(n, x, a, b, 0, depth),
         greater = when(n, x, a, b, 1, depth);
    if (equal == greater)
        return chosen(n->e, expr_op(n->e, OP_FLT, pair, 2), less, equal);
    expr above = expr_op(n->e, OP_FLT, turned, 2);
    if (less == equal)
        return chosen(n->e, above, greater, less);
    expr same = expr_op(n->e, OP_FEQ, pair, 2);
    if (less == greater)
        return chosen(n->e, same, equal, less);
    return chosen(n->e, same, equal, chosen(n->e, above, greater, less));
}

static expr taken_apart(struct normaliser *n, term x, unsigned depth)
{
    struct look l = {.t = n->t, .left = LOOK_MAX};
    if (term_is_const(n->t, x))
        return expr_const(n->e, term_is_true(n->t, x));
    look_for(&l, x);
    map_free(&l.seen);
    term atom = l.found;
    if (depth == 0 || l.left == 0 || atom == TERM_NONE || atom == x)
        return normal_of(n, x);
    if (compares_floats(term_kind(n->t, atom)))
        return by_floats(n, x, atom, depth);
    term one = term_true(n->t), zero = term_false(n->t);
    expr yes = taken_apart(n, term_substitute(n->t, x, &atom, &one, 1), depth - 1),
         no = taken_apart(n, term_substitute(n->t, x, &atom, &zero, 1), depth - 1);
    return chosen(n->e, normal_of(n, atom), yes, no);
}

expr normal_truth(struct normaliser *n, term x)
{
    expr e = normal_of(n, x);
    uint64_t known;
    if (term_width(n->t, x) != 1 || is_plain(n->e, e))
        return e;
    if (!map_get(&n->truth, x, &known)) {
        known = taken_apart(n, x, DEPTH_MAX);
        map_set(&n->truth, x, known);
    }
    return (expr)known;
}
