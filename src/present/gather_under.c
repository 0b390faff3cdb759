/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a feature depends on: the conditions without which its block cannot be reached. */
#include <stdlib.h>

#include "present/gather.h"

/* The blocks from which the function can end without running `without`. */
static const uint8_t *avoiding(struct gatherer *g, uint32_t without)
{
    const struct flow_graph *f = g->graph;
    if (g->avoid[without])
        return g->avoid[without];
    uint8_t *set = g->avoid[without] = xcalloc(f->nblocks + 1, 1);
    for (uint32_t i = 0; i < f->nblocks; i++)
        set[i] = i != without && f->first_edge[i] == f->first_edge[i + 1];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = f->nedges; i-- > 0;) {
            const struct flow_edge *e = &f->edge[i];
            if (set[e->to] && !set[e->from] && e->from != without) {
                set[e->from] = 1;
                more = true;
            }
        }
    }
    return set;
}

bool gather_counts(struct gatherer *g, expr x)
{
    expr n = expr_leaf(g->e, EXPR_OTHER, "n", 0);
    return x == n || expr_replace(g->e, x, n, expr_any(g->e)) != x;
}

/* A comparison x with the counter of a loop that was left because it had come to a number: compilers use it
 * in place of that. Of which kind the comparison was cannot be told, so both are there. */
static expr counted(struct gatherer *g, expr x, expr left)
{
    expr n = expr_leaf(g->e, EXPR_OTHER, "n", 0), exit = expr_branch(g->e, left), test = expr_branch(g->e, x);
    for (unsigned i = 0; i < 2; i++) {
        expr c = i ? exit : test;
        if (!expr_is_boolean(g->e, c) || expr_value(g->e, c) != OP_ULT || expr_kid(g->e, c, 0) != n)
            return x;
    }
    expr to = expr_kid(g->e, exit, 1), with[] = {to, expr_kid(g->e, test, 1)};
    if (exit == left || gather_counts(g, to))
        return x;
    expr both[] = {expr_op(g->e, OP_ULT, with, 2), expr_op(g->e, OP_SLT, with, 2)};
    return expr_op(g->e, OP_AND, both, 2);
}

expr gather_known(struct gatherer *g, const struct exec_path *path, unsigned decided, expr x)
{
    enum { LAST = 12 };
    unsigned n = decided < path->nliterals ? decided : path->nliterals;
    bool loop = gather_counts(g, x);
    for (unsigned i = n; i-- > 0 && n - i <= LAST;) {
        expr c = normal_truth(&g->n, path->literal[i]);
        if (loop && gather_counts(g, c)) {
            x = counted(g, x, c);
            loop = false;
        }
        if (expr_kind(g->e, c) == EXPR_OP && expr_value(g->e, c) == OP_EQ &&
            expr_kind(g->e, expr_kid(g->e, c, 1)) == EXPR_CONST)
            x = expr_replace(g->e, x, expr_kid(g->e, c, 0), expr_kid(g->e, c, 1));
        /* Choices that the path's decisions resolve. */
        if (expr_is_boolean(g->e, c) && expr_choice(g->e, x) != EXPR_NONE) {
            expr plain = expr_branch(g->e, c);
            x = expr_replace(g->e, x, plain, expr_const(g->e, plain == c));
        }
    }
    return x;
}

bool gather_is_branch(const struct gatherer *g, const struct exec_path *path, unsigned i)
{
    const struct flow_graph *f = g->graph;
    uint32_t b = path->literal_block[i];
    if (b >= f->nblocks)
        return true;
    uint32_t ways = f->first_edge[b + 1] - f->first_edge[b];
    return ways > 2 || (ways == 2 && (i + 1 == path->nliterals || path->literal_block[i + 1] != b));
}

expr gather_under(struct gatherer *g, const struct exec_path *path, unsigned decided, uint64_t site)
{
    uint64_t block;
    if (!map_get(&g->sites, site, &block))
        return EXPR_NONE;
    const uint8_t *avoid = avoiding(g, (uint32_t)block);
    for (unsigned i = decided < path->nliterals ? decided : path->nliterals; i-- > 0;) {
        uint32_t b = path->literal_block[i];
        if (b < g->graph->nblocks && b != block && avoid[b] && gather_is_branch(g, path, i))
            return gather_known(g, path, i, normal_truth(&g->n, path->literal[i]));
    }
    return EXPR_NONE;
}

uint64_t gather_last_site(const struct gatherer *g, uint32_t block)
{
    if (block >= g->graph->nblocks)
        return 0;
    const struct ir_block *b = &g->graph->block[block];
    return b->nmark ? b->mark[b->nmark - 1].address : b->label;
}
