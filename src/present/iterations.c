/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/iterations.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"

struct frame {
    uint32_t block, edge;
};

/* Tarjan's algorithm (1972), without recursion. */
void iterations_init(struct iterations *t, const struct flow_graph *g)
{
    uint32_t n = g->nblocks, next = 1;
    uint32_t *number = xcalloc(n + 1, sizeof *number), *low = xcalloc(n + 1, sizeof *low);
    bool *open = xcalloc(n + 1, sizeof *open);
    VEC(struct frame) stack = VEC_INIT;
    VEC(uint32_t) waiting = VEC_INIT;
    *t = (struct iterations){.nblocks = n};
    t->cycle = xcalloc(n + 1, sizeof *t->cycle);
    t->last_path = xcalloc(n + 1, sizeof *t->last_path);
    for (uint32_t root = 0; root < n; root++) {
        if (number[root])
            continue;
        vec_push(&stack, (struct frame){root, g->first_edge[root]});
        while (stack.len) {
            struct frame *f = &vec_last(&stack);
            uint32_t b = f->block;
            if (!number[b]) {
                number[b] = low[b] = next++;
                open[b] = true;
                vec_push(&waiting, b);
            }
            if (f->edge < g->first_edge[b + 1]) {
                uint32_t to = g->edge[f->edge++].to;
                if (!number[to])
                    vec_push(&stack, (struct frame){to, g->first_edge[to]});
                else if (open[to] && number[to] < low[b])
                    low[b] = number[to];
                continue;
            }
            (void)vec_pop(&stack);
            if (stack.len && low[b] < low[vec_last(&stack).block])
                low[vec_last(&stack).block] = low[b];
            if (low[b] != number[b])
                continue;
            bool alone = vec_last(&waiting) == b, cycle = !alone;
            for (uint32_t i = g->first_edge[b]; i < g->first_edge[b + 1]; i++)
                cycle = cycle || g->edge[i].to == b;
            t->ncycles += cycle;
            for (uint32_t m = UINT32_MAX; m != b;) {
                m = vec_pop(&waiting);
                open[m] = false;
                t->cycle[m] = cycle ? t->ncycles : 0;
            }
        }
    }
    t->repeated = xcalloc(t->ncycles + 1, sizeof *t->repeated);
    vec_free(&stack);
    vec_free(&waiting);
    free(number);
    free(low);
    free(open);
}

void iterations_free(struct iterations *t)
{
    free(t->cycle);
    free(t->repeated);
    free(t->last_path);
}

void iterations_of_path(struct iterations *t, const uint32_t *block, unsigned n, uint32_t *first)
{
    /* Who has left a component does not come back to it. */
    uint32_t again = 0;
    t->paths++;
    for (unsigned i = 0; i < n; i++) {
        uint32_t b = block[i], cycle = b < t->nblocks ? t->cycle[b] : 0;
        first[i] = 0;
        if (cycle == 0)
            continue;
        if (t->last_path[b] == t->paths)
            again = cycle;
        t->last_path[b] = t->paths;
        if (again == cycle)
            t->repeated[cycle] = true;
        else
            first[i] = cycle;
    }
}
