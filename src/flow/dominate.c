/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001). */
#include <string.h>

#include "flow/private.h"

/* A graph with successor and predecessor lists, roots first to be numbered. Node n is the virtual exit (or
 * entry). */
struct lists {
    uint32_t n;
    uint32_t *first, *to;    /* successors in the direction of the walk */
    uint32_t *pfirst, *from; /* predecessors */
};

static void make_lists(struct lists *l, uint32_t n, const uint32_t *a, const uint32_t *b, size_t edges)
{
    l->n = n;
    l->first = xcalloc(n + 1, sizeof *l->first);
    l->pfirst = xcalloc(n + 1, sizeof *l->pfirst);
    l->to = xcalloc(edges, sizeof *l->to);
    l->from = xcalloc(edges, sizeof *l->from);
    for (size_t i = 0; i < edges; i++) {
        l->first[a[i] + 1]++;
        l->pfirst[b[i] + 1]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        l->first[i + 1] += l->first[i];
        l->pfirst[i + 1] += l->pfirst[i];
    }
    uint32_t *at = xcalloc(n + 1, sizeof *at), *pat = xcalloc(n + 1, sizeof *pat);
    for (size_t i = 0; i < edges; i++) {
        l->to[l->first[a[i]] + at[a[i]]++] = b[i];
        l->from[l->pfirst[b[i]] + pat[b[i]]++] = a[i];
    }
    free(at);
    free(pat);
}

static void free_lists(struct lists *l)
{
    free(l->first);
    free(l->pfirst);
    free(l->to);
    free(l->from);
}

/* Nodes reachable from root in reverse post-order; number[] gives a node's post-order number or NO_INDEX. */
static uint32_t post_order(const struct lists *l, uint32_t root, uint32_t *order, uint32_t *number)
{
    uint32_t *stack = xcalloc(l->n, sizeof *stack), *next = xcalloc(l->n, sizeof *next);
    uint8_t *seen = xcalloc(l->n, 1);
    uint32_t depth = 0, done = 0;
    for (uint32_t i = 0; i < l->n; i++)
        number[i] = NO_INDEX;
    stack[depth++] = root;
    seen[root] = 1;
    while (depth) {
        uint32_t x = stack[depth - 1];
        uint32_t e = l->first[x] + next[x];
        if (e < l->first[x + 1]) {
            next[x]++;
            if (!seen[l->to[e]]) {
                seen[l->to[e]] = 1;
                stack[depth++] = l->to[e];
            }
        } else {
            number[x] = done;
            order[done++] = x;
            depth--;
        }
    }
    free(stack);
    free(next);
    free(seen);
    return done;
}

static void dominate(const struct lists *l, uint32_t root, uint32_t *idom)
{
    uint32_t *order = xcalloc(l->n, sizeof *order), *number = xcalloc(l->n, sizeof *number);
    uint32_t reached = post_order(l, root, order, number);
    for (uint32_t i = 0; i < l->n; i++)
        idom[i] = NO_INDEX;
    idom[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = reached; i-- > 0;) {
            uint32_t x = order[i];
            if (x == root)
                continue;
            uint32_t best = NO_INDEX;
            for (uint32_t e = l->pfirst[x]; e < l->pfirst[x + 1]; e++) {
                uint32_t p = l->from[e];
                if (number[p] == NO_INDEX || idom[p] == NO_INDEX)
                    continue;
                if (best == NO_INDEX) {
                    best = p;
                    continue;
                }
                uint32_t a = p, b = best;
                while (a != b) {
                    while (number[a] < number[b])
                        a = idom[a];
                    while (number[b] < number[a])
                        b = idom[b];
                }
                best = a;
            }
            if (idom[x] != best) {
                idom[x] = best;
                changed = true;
            }
        }
    }
    idom[root] = NO_INDEX;
    free(order);
    free(number);
}

static struct owned_graph *owner(const struct flow_graph *g)
{
    return (struct owned_graph *)(uintptr_t)g; /* the graph is its first member, and was not made constant */
}

const uint32_t *flow_dominators(struct program *p, const struct flow_graph *g)
{
    (void)p;
    struct owned_graph *o = owner(g);
    if (o->idom)
        return o->idom;
    uint32_t n = g->nblocks;
    uint32_t *idom = arena_array(&o->arena, uint32_t, n + 1);
    uint32_t *a = xcalloc(g->nedges, sizeof *a), *b = xcalloc(g->nedges, sizeof *b);
    for (uint32_t i = 0; i < g->nedges; i++) {
        a[i] = g->edge[i].from;
        b[i] = g->edge[i].to;
    }
    struct lists l;
    make_lists(&l, n ? n : 1, a, b, g->nedges);
    dominate(&l, 0, idom);
    free_lists(&l);
    free(a);
    free(b);
    return o->idom = idom;
}

const uint32_t *flow_post_dominators(struct program *p, const struct flow_graph *g)
{
    (void)p;
    struct owned_graph *o = owner(g);
    if (o->ipdom)
        return o->ipdom;
    uint32_t n = g->nblocks;
    size_t edges = 0;
    uint32_t *idom = arena_array(&o->arena, uint32_t, n + 1);
    uint32_t *a = xcalloc((size_t)g->nedges + n, sizeof *a), *b = xcalloc((size_t)g->nedges + n, sizeof *b);
    for (uint32_t i = 0; i < g->nedges; i++) {
        a[edges] = g->edge[i].to;
        b[edges++] = g->edge[i].from;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (g->first_edge[i] == g->first_edge[i + 1]) {
            a[edges] = n;
            b[edges++] = i;
        }
    }
    struct lists l;
    make_lists(&l, n + 1, a, b, edges);
    dominate(&l, n, idom);
    for (uint32_t i = 0; i < n; i++) {
        if (idom[i] == n)
            idom[i] = NO_INDEX;
    }
    free_lists(&l);
    free(a);
    free(b);
    return o->ipdom = idom;
}
