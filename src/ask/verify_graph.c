/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graphs of two versions of a function, block by block, for the page that shows them side by side. */
#include "ask/code.h"
#include "ask/verify.h"

enum { BLOCKS_MAX = 4000 }; /* of one side; a page with more can no longer be read */

static const char *edge_name(const struct flow_graph *g, const struct flow_edge *e, bool branch)
{
    const struct ir_block *b = &g->block[e->from];
    if (e->kind == EDGE_RETURN)
        return "return";
    if (e->kind == EDGE_UNWIND)
        return "unwind";
    if (e->kind == EDGE_SWITCH)
        return "switch";
    if (branch) /* libVEX may turn a branch round */
        return g->block[e->to].label == b->label + b->bytes ? "fall" : "taken";
    return "jump";
}

static void fill_block(struct program *p, const struct flow_graph *g, uint32_t index, struct arena *arena,
                       struct ask_block *out)
{
    const struct ir_block *b = &g->block[index];
    uint32_t first = g->first_edge[index], n = g->first_edge[index + 1] - first;
    struct ask_insn *insn = arena_array(arena, struct ask_insn, b->nmark + 1);
    struct ask_edge *edge = arena_array(arena, struct ask_edge, n + 1);
    for (uint32_t i = 0; i < b->nmark; i++)
        insn[i] = (struct ask_insn){object_display_address(program_object(p), b->mark[i].address),
                                    compare_code(p, b, &b->mark[i], arena),
                                    code_source_at(p, b->mark[i].address, arena)};
    for (uint32_t e = 0; e < n; e++)
        edge[e] = (struct ask_edge){g->edge[first + e].to, edge_name(g, &g->edge[first + e], n == 2)};
    out->address = object_display_address(
        program_object(p), program_machine(p)->arch == MACHINE_ARM ? b->label & ~UINT64_C(1) : b->label);
    out->insn = insn;
    out->ninsns = b->nmark;
    out->successor = edge;
    out->nsuccessors = n;
}

static size_t side_graph(struct program *p, const struct flow_function *f, const uint8_t *status,
                         const uint32_t *partner, struct arena *arena, const struct ask_block **out)
{
    const struct flow_graph *g = flow_graph(p, f);
    uint32_t n = g->nblocks < BLOCKS_MAX ? g->nblocks : BLOCKS_MAX;
    struct ask_block *list = arena_array(arena, struct ask_block, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        fill_block(p, g, i, arena, &list[i]);
        list[i].status = partner[i] == MATCH_NONE ? MATCH_BLOCK_NONE : status[i];
        list[i].partner = partner[i];
    }
    *out = list;
    return n;
}

void ask_verify_graphs(const struct compared *c, const struct match_pair *x, struct arena *arena,
                       struct ask_verified *out)
{
    const struct match_blocks *b = match_blocks(c->m, x->old, x->new);
    out->has_graphs = true;
    out->nblocks[0] =
        side_graph(c->p[0], &c->f[0][x->old], b->old_status, b->new_of_old, arena, &out->block[0]);
    out->nblocks[1] =
        side_graph(c->p[1], &c->f[1][x->new], b->new_status, b->old_of_new, arena, &out->block[1]);
}
