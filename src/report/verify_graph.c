/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graphs of two versions of a function, block by block, for the page that shows them side by side. */
#include <string.h>

#include "report/code.h"
#include "report/compare.h"
#include "report/verify.h"

enum { BLOCKS_MAX = 4000 }; /* of one side; a page with more can no longer be read */

static json_t *instructions(struct program *p, const struct ir_block *b)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->nmark; i++) {
        char text[CODE_TEXT];
        code_text(p, b, &b->mark[i], text);
        compare_name_target(p, text, sizeof text);
        json_t *j = json_object();
        json_object_set_new(j, "address", report_address(b->mark[i].address));
        json_object_set_new(j, "text", report_string(text));
        struct object_line line;
        if (object_debug_line(program_object(p), b->mark[i].address, &line) && line.file)
            code_put_source(j, line.file, line.line);
        json_array_append_new(list, j);
    }
    return list;
}

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

static json_t *successors(const struct flow_graph *g, uint32_t block)
{
    json_t *list = json_array();
    uint32_t first = g->first_edge[block], last = g->first_edge[block + 1];
    bool branch = last - first == 2;
    for (uint32_t e = first; e < last; e++)
        json_array_append_new(list, json_pack("{s:I, s:s}", "to", (json_int_t)g->edge[e].to, "kind",
                                              edge_name(g, &g->edge[e], branch)));
    return list;
}

static json_t *side_graph(struct program *p, const struct flow_function *f, const uint8_t *status,
                          const uint32_t *partner)
{
    static const char *const name[] = {"same", "changed", "alone"};
    const struct flow_graph *g = flow_graph(p, f);
    bool arm = program_machine(p)->arch == MACHINE_ARM;
    json_t *list = json_array();
    for (uint32_t i = 0; i < g->nblocks && i < BLOCKS_MAX; i++) {
        json_t *j = json_object();
        uint64_t label = g->block[i].label;
        json_object_set_new(j, "address", report_address(arm ? label & ~UINT64_C(1) : label));
        json_object_set_new(j, "status",
                            json_string(name[partner[i] == MATCH_NONE ? MATCH_BLOCK_NONE : status[i]]));
        json_object_set_new(j, "partner",
                            partner[i] == MATCH_NONE ? json_null() : json_integer((json_int_t)partner[i]));
        json_object_set_new(j, "instructions", instructions(p, &g->block[i]));
        json_object_set_new(j, "successors", successors(g, i));
        json_array_append_new(list, j);
    }
    return list;
}

json_t *report_verify_graphs(const struct compared *c, const struct match_pair *x)
{
    const struct match_blocks *b = match_blocks(c->m, x->old, x->new);
    return json_pack("{s:o, s:o}", "old", side_graph(c->p[0], &c->f[0][x->old], b->old_status, b->new_of_old),
                     "new", side_graph(c->p[1], &c->f[1][x->new], b->new_status, b->old_of_new));
}

void report_verify_drop_graphs(struct report *r)
{
    size_t i, k, n;
    json_t *file, *f, *d;
    json_array_foreach(json_object_get(report_document(r), "files"), i, file)
        json_array_foreach(json_object_get(file, "functions"), k, f)
    {
        json_object_del(f, "graphs");
        json_array_foreach(json_object_get(f, "differences"), n, d)
        {
            json_object_del(d, "old_steps");
            json_object_del(d, "new_steps");
        }
    }
}
