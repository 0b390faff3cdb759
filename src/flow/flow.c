/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs as they are handed out: built once, kept until dropped. */
#include "flow/flow.h"

#include <stdlib.h>
#include <string.h>

#include "flow/private.h"

struct block_key {
    uint64_t address;
    ir_label label;
    uint32_t bb;
};

static int by_address(const void *x, const void *y)
{
    const struct block_key *a = x, *b = y;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->label < b->label ? -1 : a->label > b->label;
}

static int by_edge(const void *x, const void *y)
{
    const struct flow_edge *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->insn != b->insn)
        return a->insn < b->insn ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static int by_site(const void *x, const void *y)
{
    const struct flow_call *a = x, *b = y;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static int by_block(const void *x, const void *y)
{
    const struct flow_jump_table *a = x, *b = y;
    return a->block < b->block ? -1 : a->block > b->block;
}

static int by_problem(const void *x, const void *y)
{
    const struct flow_problem *a = x, *b = y;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void *keep(struct arena *a, const void *data, size_t n, size_t size)
{
    return n ? arena_dup(a, data, n * size) : NULL;
}

/* Turns what was built into the arrays of a graph; new_index maps a bb to its block. */
static void lay_out(struct builder *b, struct owned_graph *o)
{
    struct flow_graph *g = &o->g;
    size_t n = 0;
    struct block_key *key = xcalloc(b->bb.len, sizeof *key);
    uint32_t *new_index = xcalloc(b->bb.len, sizeof *new_index);
    for (size_t i = 0; i < b->bb.len; i++) {
        new_index[i] = NO_INDEX;
        if (b->bb.data[i].lifted)
            key[n++] = (struct block_key){label_address(b->p, b->bb.data[i].label), b->bb.data[i].label,
                                          (uint32_t)i};
    }
    if (n > 1)
        qsort(key + 1, n - 1, sizeof *key, by_address); /* the entry was made first */
    g->nblocks = (uint32_t)n;
    g->block = arena_array(&o->arena, struct ir_block, n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        g->block[i] = b->bb.data[key[i].bb].b;
        g->ninsns += g->block[i].nmark;
        new_index[key[i].bb] = (uint32_t)i;
    }
    VEC(struct flow_edge) edge = VEC_INIT;
    for (size_t i = 0; i < n; i++) {
        const struct bb *x = &b->bb.data[key[i].bb];
        for (size_t j = 0; j < x->succ.len; j++) {
            const struct succ *s = &x->succ.data[j];
            uint64_t to = map_find(&b->by_label, s->label, NO_INDEX);
            if (to != NO_INDEX && new_index[to] != NO_INDEX)
                vec_push(&edge, (struct flow_edge){(uint32_t)i, new_index[to], s->kind, s->insn, s->value});
        }
    }
    vec_sort(&edge, by_edge);
    g->edge = keep(&o->arena, edge.data, edge.len, sizeof *edge.data);
    g->nedges = (uint32_t)edge.len;
    g->first_edge = arena_array(&o->arena, uint32_t, n + 1);
    for (size_t i = 0, at = 0; i <= n; i++) {
        while (at < edge.len && edge.data[at].from < i)
            at++;
        g->first_edge[i] = (uint32_t)at;
    }
    vec_free(&edge);

    for (size_t i = 0; i < b->call.len; i++)
        b->call.data[i].block = new_index[b->call.data[i].block];
    for (size_t i = 0; i < b->table.len; i++)
        b->table.data[i].block = new_index[b->table.data[i].block];
    vec_sort(&b->call, by_site);
    vec_sort(&b->table, by_block);
    vec_sort(&b->problem, by_problem);
    g->call = keep(&o->arena, b->call.data, b->call.len, sizeof *b->call.data);
    g->ncalls = (uint32_t)b->call.len;
    g->table = keep(&o->arena, b->table.data, b->table.len, sizeof *b->table.data);
    g->ntables = (uint32_t)b->table.len;
    g->problem = keep(&o->arena, b->problem.data, b->problem.len, sizeof *b->problem.data);
    g->nproblems = (uint32_t)b->problem.len;
    g->noreturn = !b->returns;
    free(key);
    free(new_index);
}

void fn_count(struct program *p, uint32_t index, const struct builder *b)
{
    struct fn_state *s = &p->state.data[index];
    s->counted = true;
    s->blocks = s->insns = s->unresolved = 0;
    s->tables = (uint32_t)b->table.len;
    for (size_t i = 0; i < b->bb.len; i++) {
        s->blocks += b->bb.data[i].lifted;
        s->insns += b->bb.data[i].lifted ? b->bb.data[i].b.nmark : 0;
    }
    for (size_t i = 0; i < b->problem.len; i++)
        s->unresolved += b->problem.data[i].kind == PROBLEM_INDIRECT_JUMP;
}

static uint32_t index_of(const struct program *p, const struct flow_function *f)
{
    return (uint32_t)(f - p->function.data);
}

const struct flow_graph *flow_graph(struct program *p, const struct flow_function *f)
{
    uint32_t index = index_of(p, f);
    if (p->state.data[index].owned)
        return &p->state.data[index].owned->g;
    struct owned_graph *o = xcalloc(1, sizeof *o);
    struct builder b;
    builder_init(&b, p, index, &o->arena);
    builder_run(&b);
    fn_count(p, index, &b);
    lay_out(&b, o);
    builder_free(&b);
    p->state.data[index].owned = o;
    if (p->state.data[index].status == FN_UNKNOWN)
        p->state.data[index].status = o->g.noreturn ? FN_NORETURN : FN_RETURNS;
    return &o->g;
}

void fn_drop_graph(struct fn_state *s)
{
    if (!s->owned)
        return;
    arena_free(&s->owned->arena);
    free(s->owned);
    s->owned = NULL;
}

bool flow_is_kept(const struct program *p, const struct flow_function *f)
{
    return p->state.data[index_of(p, f)].owned;
}

void flow_drop(struct program *p, const struct flow_function *f)
{
    fn_drop_graph(&p->state.data[index_of(p, f)]);
}

void flow_analyse_all(struct program *p, flow_progress_fn *progress, void *ctx)
{
    for (size_t i = 0; i < p->function.len; i++) {
        struct fn_state *s = &p->state.data[i];
        if (!s->counted && !(p->function.data[i].flags & FLOW_PART)) {
            bool kept = s->owned != NULL;
            flow_graph(p, &p->function.data[i]);
            if (!kept)
                flow_drop(p, &p->function.data[i]);
        }
        if (progress)
            progress(ctx, i + 1, p->function.len);
    }
}
