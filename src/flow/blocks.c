/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of code that another front end made. Edges are what exits and ends of the blocks say; where a
 * computed jump leads, only the front end knows. */
#include <stdio.h>

#include "base/map.h"
#include "base/vec.h"
#include "flow/flow.h"

struct maker {
    struct map label; /* -> block */
    VEC(struct flow_edge) edge;
};

static void add_edge(struct maker *m, uint32_t from, ir_label to, enum flow_edge_kind kind, uint32_t insn)
{
    uint64_t block;
    if (map_get(&m->label, to, &block))
        vec_push(&m->edge, (struct flow_edge){from, (uint32_t)block, (uint8_t)kind, insn, 0});
}

static void add_edges(struct maker *m, uint32_t from, const struct ir_block *b)
{
    bool branches = false;
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_EXIT && b->insn[i].exit == IR_EXIT_JUMP) {
            add_edge(m, from, ir_imm(b->insn[i].b, b->insn[i].c), EDGE_TAKEN, i);
            branches = true;
        }
    if (b->end.kind == IR_END_CALL)
        add_edge(m, from, b->end.after, EDGE_RETURN, UINT32_MAX);
    else if (b->end.kind == IR_END_JUMP && b->end.label != IR_NO_LABEL)
        add_edge(m, from, b->end.label, branches ? EDGE_FALL : EDGE_JUMP, UINT32_MAX);
    if (b->end.unwinds)
        add_edge(m, from, b->end.unwind, EDGE_UNWIND, UINT32_MAX);
}

/* What was not understood. */
static void add_problems(struct flow_graph *g, struct arena *arena)
{
    VEC(struct flow_problem) list = VEC_INIT;
    for (uint32_t i = 0; i < g->nblocks; i++) {
        const struct ir_block *b = &g->block[i];
        for (uint32_t k = 0; k < b->nunknown; k++) {
            struct flow_problem p = {.kind = PROBLEM_UNDECODED, .address = b->unknown[k].address};
            snprintf(p.text, sizeof p.text, "unsupported: %s", b->unknown[k].text);
            vec_push(&list, p);
        }
        if (b->end.kind == IR_END_UNKNOWN)
            vec_push(&list,
                     (struct flow_problem){.kind = PROBLEM_UNDECODED,
                                           .address = b->nmark ? b->mark[b->nmark - 1].address : b->label,
                                           .text = "an unsupported block terminator"});
    }
    g->nproblems = (uint32_t)list.len;
    g->problem = arena_dup(arena, list.data, list.len * sizeof *list.data);
    vec_free(&list);
}

static int by_place(const void *a, const void *b)
{
    const struct flow_edge *l = a, *r = b;
    if (l->from != r->from)
        return l->from < r->from ? -1 : 1;
    if (l->insn != r->insn)
        return l->insn < r->insn ? -1 : 1;
    return l->to < r->to ? -1 : l->to > r->to;
}

struct flow_graph *flow_graph_of_blocks(const struct flow_blocks *from, struct arena *arena)
{
    struct maker m = {0};
    uint32_t n = from->nblocks;
    struct flow_graph *g = arena_new(arena, struct flow_graph);
    *g = (struct flow_graph){.block = from->block,
                             .nblocks = n,
                             .first_edge = arena_array(arena, uint32_t, n + 1),
                             .call = arena_dup(arena, from->call, from->ncalls * sizeof *from->call),
                             .ncalls = from->ncalls,
                             .noreturn = true};
    for (uint32_t i = 0; i < n; i++) {
        map_set(&m.label, g->block[i].label, i);
        g->ninsns += g->block[i].nmark;
        g->noreturn = g->noreturn && g->block[i].end.kind != IR_END_RET;
    }
    for (uint32_t i = 0; i < n; i++)
        add_edges(&m, i, &g->block[i]);
    for (uint32_t i = 0; i < from->njumps; i++)
        add_edge(&m, from->jump[i].block, from->jump[i].to, EDGE_SWITCH, UINT32_MAX);
    vec_sort(&m.edge, by_place);
    for (uint32_t i = 0, e = 0; i <= n; i++) {
        while (e < m.edge.len && m.edge.data[e].from < i)
            e++;
        g->first_edge[i] = e;
    }
    g->nedges = (uint32_t)m.edge.len;
    g->edge = arena_dup(arena, m.edge.data, m.edge.len * sizeof *m.edge.data);
    vec_free(&m.edge);
    map_free(&m.label);
    add_problems(g, arena);
    return g;
}
