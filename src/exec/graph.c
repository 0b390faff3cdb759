/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A control-flow graph made ready for exploration: blocks by label, and a weak topological order (Bourdoncle,
 * "Efficient chaotic iteration strategies with widenings", 1993): every block comes after its predecessors
 * but for edges back to the head of a loop, and the blocks of a loop, nested loops included, are contiguous.
 * Running the state that is first in this order first means that everything that can reach a join is there
 * before the join is run. */
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

enum { NEST_MAX = 64 }; /* deeper loops are ordered as if they were flat */

struct orderer {
    struct graph *g;
    uint32_t *region; /* which region a block is being ordered in */
    uint32_t *index, *low;
    uint8_t *on_stack;
    uint32_t next_region, next_position, next_loop, cap_loops;
};

struct frame {
    uint32_t block, edge;
};

static uint32_t new_loop(struct orderer *o, uint32_t head, uint32_t parent)
{
    if (o->next_loop == o->cap_loops) {
        o->cap_loops = o->cap_loops ? 2 * o->cap_loops : 8;
        o->g->loops = xreallocarray(o->g->loops, o->cap_loops, sizeof *o->g->loops);
    }
    o->g->loops[o->next_loop] = (struct loop){head, parent, o->next_position,
                                              parent == UINT32_MAX ? 1 : o->g->loops[parent].depth + 1};
    return o->next_loop++;
}

/* Orders the n blocks of a region (all have region[b] == id): strongly connected components by Tarjan's
 * algorithm, in topological order, each one's head first and then, without it, the rest as a region of its
 * own. */
static void order_region(struct orderer *o, const uint32_t *block, size_t n, uint32_t id, uint32_t loop,
                         unsigned depth)
{
    const struct flow_graph *fg = o->g->g;
    VEC(struct frame) path = VEC_INIT;
    VEC(uint32_t) stack = VEC_INIT, member = VEC_INIT, start = VEC_INIT;
    uint32_t counter = 0;
    for (size_t i = 0; i < n; i++)
        o->index[block[i]] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        if (o->index[block[i]] != UINT32_MAX)
            continue;
        vec_push(&path, (struct frame){block[i], fg->first_edge[block[i]]});
        o->index[block[i]] = o->low[block[i]] = counter++;
        vec_push(&stack, block[i]);
        o->on_stack[block[i]] = 1;
        while (path.len) {
            struct frame *f = &vec_last(&path);
            uint32_t b = f->block;
            if (f->edge < fg->first_edge[b + 1]) {
                const struct flow_edge *e = &fg->edge[f->edge++];
                uint32_t to = e->to;
                if (o->region[to] != id ||
                    e->kind == EDGE_UNWIND) /* not followed: calls are taken not to throw */
                    continue;
                if (o->index[to] == UINT32_MAX) {
                    o->index[to] = o->low[to] = counter++;
                    vec_push(&stack, to);
                    o->on_stack[to] = 1;
                    vec_push(&path, (struct frame){to, fg->first_edge[to]});
                } else if (o->on_stack[to] && o->index[to] < o->low[b]) {
                    o->low[b] = o->index[to];
                }
                continue;
            }
            (void)vec_pop(&path);
            if (path.len && o->low[b] < o->low[vec_last(&path).block])
                o->low[vec_last(&path).block] = o->low[b];
            if (o->low[b] == o->index[b]) {
                vec_push(&start, (uint32_t)member.len);
                uint32_t u;
                do {
                    u = vec_pop(&stack);
                    o->on_stack[u] = 0;
                    vec_push(&member, u);
                } while (u != b);
            }
        }
    }
    vec_push(&start, (uint32_t)member.len);
    /* Components came out last first; the head of one is its last member, the block reached first. */
    for (size_t c = start.len - 1; c-- > 0;) {
        uint32_t *first = &member.data[start.data[c]];
        size_t len = start.data[c + 1] - start.data[c];
        uint32_t head = first[len - 1];
        bool cyclic = len > 1;
        for (uint32_t e = fg->first_edge[head]; e < fg->first_edge[head + 1]; e++)
            cyclic = cyclic || (fg->edge[e].to == head && fg->edge[e].kind != EDGE_UNWIND);
        if (!cyclic) {
            o->g->loop[head] = loop;
            o->g->position[head] = o->next_position++;
            o->region[head] = UINT32_MAX;
            continue;
        }
        uint32_t inner = new_loop(o, head, loop);
        o->g->loop[head] = inner;
        o->g->position[head] = o->next_position++;
        o->region[head] = UINT32_MAX;
        /* Blocks next to the head first, so that inner heads are the natural ones. */
        VEC(uint32_t) rest = VEC_INIT;
        uint32_t sub = o->next_region++;
        for (size_t i = 0; i + 1 < len; i++)
            o->region[first[i]] = sub;
        for (uint32_t e = fg->first_edge[head]; e < fg->first_edge[head + 1]; e++)
            if (o->region[fg->edge[e].to] == sub)
                vec_push(&rest, fg->edge[e].to);
        for (size_t i = len - 1; i-- > 0;)
            vec_push(&rest, first[i]);
        if (depth >= NEST_MAX) {
            for (size_t i = len - 1; i-- > 0;) {
                o->g->loop[first[i]] = inner;
                o->g->position[first[i]] = o->next_position++;
                o->region[first[i]] = UINT32_MAX;
            }
        } else if (len > 1) {
            order_region(o, rest.data, rest.len, sub, inner, depth + 1);
        }
        vec_free(&rest);
    }
    vec_free(&path);
    vec_free(&stack);
    vec_free(&member);
    vec_free(&start);
}

struct graph *graph_prepare(struct explorer *x, const struct flow_graph *fg)
{
    uint64_t known;
    if (map_get(&x->graphs, (uint64_t)(uintptr_t)fg, &known))
        return (struct graph *)(uintptr_t)known;
    struct graph *g = xcalloc(1, sizeof *g);
    uint32_t n = fg->nblocks;
    g->g = x->file->bias && x->file->p ? flow_graph_loaded(x->file->p, fg, x->file->bias) : fg;
    g->position = xcalloc(n + 1, sizeof(uint32_t));
    g->loop = xcalloc(n + 1, sizeof(uint32_t));
    g->visit_slot = xcalloc(n + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++)
        map_set(&g->label, fg->block[i].label, i);
    struct orderer o = {.g = g};
    uint32_t *all = xcalloc(n + 1, sizeof *all);
    o.region = xcalloc(n + 1, sizeof *o.region);
    o.index = xcalloc(n + 1, sizeof *o.index);
    o.low = xcalloc(n + 1, sizeof *o.low);
    o.on_stack = xcalloc(n + 1, 1);
    for (uint32_t i = 0; i < n; i++)
        all[i] = i;
    o.next_region = 1;
    order_region(&o, all, n, 0, UINT32_MAX, 0);
    g->nloops = o.next_loop;
    g->head = xcalloc(n + 1, 1);
    for (uint32_t i = 0; i < g->nloops; i++)
        g->head[g->loops[i].head] = 1;
    for (uint32_t i = 0; i < n; i++)
        g->visit_slot[i] = g->loop[i] == UINT32_MAX ? UINT32_MAX : g->nvisits++;
    free(all);
    free(o.region);
    free(o.index);
    free(o.low);
    free(o.on_stack);
    map_set(&x->graphs, (uint64_t)(uintptr_t)fg, (uint64_t)(uintptr_t)g);
    vec_push(&x->all_graphs, g);
    return g;
}

void graph_free(struct graph *g)
{
    map_free(&g->label);
    free(g->position);
    free(g->loop);
    free(g->loops);
    free(g->visit_slot);
    free(g->returns);
    free(g->head);
    free(g->hot);
    free(g->joined);
    known_free(g);
    free(g);
}

uint32_t graph_block(const struct graph *g, ir_label label)
{
    return (uint32_t)map_find(&g->label, label, UINT32_MAX);
}

bool graph_in_loop(const struct graph *g, uint32_t block, uint32_t loop)
{
    uint32_t l = g->loop[block];
    while (l != UINT32_MAX && l != loop)
        l = g->loops[l].parent;
    return l == loop;
}

bool graph_returns(struct graph *g, uint32_t block)
{
    const struct flow_graph *fg = g->g;
    if (!g->returns) {
        g->returns = xcalloc(fg->nblocks + 1, 1);
        for (uint32_t i = 0; i < fg->nblocks; i++)
            g->returns[i] = fg->block[i].end.kind == IR_END_RET;
        bool changed = true;
        while (changed) {
            changed = false;
            for (uint32_t e = fg->nedges; e-- > 0;)
                if (g->returns[fg->edge[e].to] && !g->returns[fg->edge[e].from]) {
                    g->returns[fg->edge[e].from] = 1;
                    changed = true;
                }
        }
    }
    return g->returns[block];
}
