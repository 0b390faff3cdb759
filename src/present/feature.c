/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/feature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "exec/bitcode.h"
#include "flow/bitcode.h"
#include "present/gather.h"

enum { WAYS_MIN = 48, WAYS_MAX = 64, BLOCKS_MAX = 4000 };

/* ---- the walk ---- */

/* Looked at once all calls have their names. */
static void on_access(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned bytes,
                      bool write, term guard, uint64_t site)
{
    (void)at, (void)space, (void)bytes, (void)guard;
    struct gatherer *g = ctx;
    if (!write && map_set(&g->loads_seen, hash_u64(address) ^ hash_u64(site * 5 + 2), 1))
        vec_push(&g->loads, (struct load){address, site});
}

static bool on_path(void *ctx, const struct exec_path *path)
{
    gather_path(ctx, path);
    return true;
}

/* Lets a block run once for each edge into it; a path that comes later ends there, with what it has done. */
static bool on_enter(void *ctx, struct exec_moment *at, ir_label label, unsigned times)
{
    (void)times;
    struct gatherer *g = ctx;
    uint64_t i;
    if (!map_get(&g->block, label, &i))
        return true;
    if (g->left[i] == 0 || g->out->executed >= g->max_blocks) {
        g->out->complete = g->out->complete && g->out->executed < g->max_blocks;
        gather_path(g, moment_path(at));
        return false;
    }
    g->left[i]--;
    g->out->executed++;
    return true;
}

static int on_arity(void *ctx, const char *name, uint64_t site)
{
    (void)site;
    struct gatherer *g = ctx;
    const char *other = name && g->opt->rename ? g->opt->rename(g->opt->rename_ctx, name) : NULL;
    return name ? g->opt->arity(g->opt->arity_ctx, other ? other : name) : -1;
}

int features_arity_of_bitcode(void *module, const char *name)
{
    const struct bitcode_function *f = bitcode_function(module, name, NULL);
    return f && !f->variadic ? (int)f->nargs : -1;
}

int features_floats_of_bitcode(void *module, const char *name)
{
    const struct bitcode_function *f = bitcode_function(module, name, NULL);
    return f && !f->variadic ? (int)f->nfargs : -1;
}

static void prepare(struct gatherer *g, const struct flow_graph *graph)
{
    g->graph = graph;
    iterations_init(&g->iterations, graph);
    g->left = xcalloc(graph->nblocks + 1, 1);
    g->avoid = xcalloc(graph->nblocks + 1, sizeof *g->avoid);
    for (uint32_t i = 0; i < graph->nblocks; i++) {
        map_set(&g->block, graph->block[i].label, i);
        for (uint32_t k = 0; k < graph->block[i].nmark; k++)
            map_set(&g->sites, graph->block[i].mark[k].address, i);
    }
    for (uint32_t i = 0; i < graph->nedges; i++)
        if (g->left[graph->edge[i].to] < WAYS_MAX)
            g->left[graph->edge[i].to]++;
    for (uint32_t i = 0; i < graph->nblocks; i++)
        if (g->left[i] < WAYS_MIN)
            g->left[i] = WAYS_MIN;
    g->out->blocks = graph->nblocks;
    g->out->complete = true;
}

static int by_key(const void *a, const void *b, void *ctx)
{
    const struct feature *l = a, *r = b;
    const struct exprs *t = ctx;
    if (l->kind != r->kind)
        return l->kind < r->kind ? -1 : 1;
    uint64_t lk = expr_key(t, l->what), rk = expr_key(t, r->what);
    if (lk != rk)
        return lk < rk ? -1 : 1;
    lk = l->value == EXPR_NONE ? 0 : expr_key(t, l->value);
    rk = r->value == EXPR_NONE ? 0 : expr_key(t, r->value);
    if (lk != rk)
        return lk < rk ? -1 : 1;
    lk = l->under == EXPR_NONE ? 0 : expr_key(t, l->under);
    rk = r->under == EXPR_NONE ? 0 : expr_key(t, r->under);
    return lk < rk ? -1 : lk > rk;
}

static struct explore_options walk_options(const struct features_options *opt, const struct explore_hooks *h,
                                           const struct exec_policy *policy)
{
    return (struct explore_options){.axioms = AXIOM_ALL,
                                    .max_paths = 1 << 20,
                                    .timeout_ms = opt ? opt->timeout_ms : 0,
                                    .hooks = h,
                                    .policy = policy};
}

static void finish(struct gatherer *g, struct explorer *x)
{
    struct explore_stats s = explorer_stats(x);
    for (size_t i = 0; i < g->loads.len; i++)
        gather_read(g, g->loads.data[i].address, g->loads.data[i].site);
    for (size_t i = 0; i < g->out->list.len; i++) {
        struct feature *f = &g->out->list.data[i];
        f->first = g->iterations.repeated[g->cycle_of.data[i]];
        f->sites = (unsigned)map_find(&g->times, gather_identity(f->kind, f->what, f->value, EXPR_NONE), 0);
    }
    g->out->unknown = s.undecoded + s.unresolved_jumps;
    g->out->complete = g->out->complete && s.dropped == 0;
    if (g->out->list.len > 1)
        qsort_r(g->out->list.data, g->out->list.len, sizeof *g->out->list.data, by_key, g->e);
    explorer_free(x);
    terms_free(g->n.t);
    normal_free(&g->n);
    map_free(&g->seen);
    map_free(&g->at);
    map_free(&g->times);
    map_free(&g->noted);
    vec_free(&g->calls);
    map_free(&g->block);
    map_free(&g->sites);
    map_free(&g->reads);
    map_free(&g->looked);
    map_free(&g->loads_seen);
    arena_free(&g->arena);
    vec_free(&g->loads);
    vec_free(&g->first);
    vec_free(&g->place);
    vec_free(&g->cycle_of);
    iterations_free(&g->iterations);
    for (uint32_t i = 0; i < g->graph->nblocks; i++)
        free(g->avoid[i]);
    free(g->avoid);
    free(g->left);
}

bool features_of_function(struct exprs *t, struct program *p, const struct flow_function *f,
                          const struct features_options *opt, struct features *out, struct error *err)
{
    /* High up, so that no number is taken for an address. */
    const struct ir_machine *m = program_machine(p);
    uint64_t bias = m->pointer_width == 64 ? UINT64_C(0x5a0000000000) : UINT64_C(0x5a000000);
    *out = (struct features){0};
    struct gatherer g = {.n = {.e = t, .t = terms_new(), .machine = m, .p = p, .bias = bias},
                         .e = t,
                         .out = out,
                         .opt = opt,
                         .max_blocks = opt && opt->max_blocks ? opt->max_blocks : BLOCKS_MAX};
    struct flow_prototype proto = flow_table_prototype(p, f);
    g.returns = proto.source == PROTO_NONE || proto.returns || proto.returns_float;
    prepare(&g, flow_graph(p, f));
    struct explore_hooks hooks = {.ctx = &g, .enter = on_enter, .access = on_access};
    struct exec_callees callees = {.ctx = &g};
    struct exec_policy policy = exec_policy_sample;
    if (opt && opt->arity) {
        callees.arity = on_arity;
        policy.arguments = EXEC_ARGUMENTS_LISTED;
    }
    struct explore_options o = walk_options(opt, &hooks, &policy);
    o.callees = &callees;
    o.bias = bias;
    struct explorer *x = explorer_new(p, g.n.t, NULL, &o);
    bool ok = explore_function(x, f, on_path, &g, err);
    finish(&g, x);
    return ok;
}

bool features_of_bitcode(struct exprs *t, struct bitcode *m, const struct bitcode_function *f,
                         const struct features_options *opt, struct features *out, struct error *err)
{
    *out = (struct features){0};
    const struct bitcode_code *code = bitcode_code(m, f, err);
    if (!code)
        return false;
    struct arena arena = ARENA_INIT;
    struct gatherer g = {.n = {.e = t, .t = terms_new(), .machine = &code->machine, .m = m, .code = code},
                         .e = t,
                         .out = out,
                         .opt = opt,
                         .returns = f->returns,
                         .max_blocks = opt && opt->max_blocks ? opt->max_blocks : BLOCKS_MAX};
    const struct flow_graph *graph = flow_bitcode(code, &arena);
    prepare(&g, graph);
    struct explore_hooks hooks = {.ctx = &g, .enter = on_enter};
    struct explore_options o = walk_options(opt, &hooks, &exec_policy_sample);
    struct explorer *x = explorer_new_bitcode(m, code, g.n.t, NULL, &o);
    bool ok = explore_graph(x, graph, on_path, &g, err);
    finish(&g, x);
    arena_free(&arena);
    return ok;
}

void features_free(struct features *f)
{
    vec_free(&f->list);
    vec_free(&f->note);
}

/* ---- looking ---- */

bool feature_same(const struct feature *a, const struct feature *b)
{
    return a->kind == b->kind && a->what == b->what && a->value == b->value;
}

bool features_have(const struct features *f, const struct feature *x, bool under)
{
    for (size_t i = 0; i < f->list.len; i++)
        if (feature_same(&f->list.data[i], x) && (!under || f->list.data[i].under == x->under))
            return true;
    return false;
}

bool feature_calls(const struct exprs *t, const struct feature *f, const char *name)
{
    const char *called =
        f->kind == FEATURE_CALL && expr_kind(t, f->what) == EXPR_CALL ? expr_name(t, f->what) : NULL;
    return called && strcmp(called, name) == 0;
}

bool features_call(const struct exprs *t, const struct features *f, const char *name)
{
    for (size_t i = 0; i < f->list.len; i++)
        if (feature_calls(t, &f->list.data[i], name))
            return true;
    return false;
}

bool feature_is_given(const struct exprs *t, const struct feature *f)
{
    const char *name = expr_kind(t, f->what) == EXPR_CALL ? expr_name(t, f->what) : NULL;
    size_t len = name ? strlen(name) : 0, mark = strlen(GATHER_GIVEN);
    return f->kind == FEATURE_STORE && len >= mark && strcmp(name + len - mark, GATHER_GIVEN) == 0;
}

bool feature_is_order(const struct exprs *t, const struct feature *f)
{
    return f->kind == FEATURE_CALL && expr_kind(t, f->what) == EXPR_OTHER;
}

bool feature_is_edge(const struct exprs *t, const struct feature *f)
{
    const char *name = feature_is_order(t, f) ? expr_name(t, f->what) : NULL, *then = GATHER_THEN,
               *second = name ? strstr(name, then) : NULL;
    return second && (strcmp(second + strlen(then), GATHER_RETURN) == 0 ||
                      strncmp(name, GATHER_START GATHER_THEN, strlen(GATHER_START GATHER_THEN)) == 0);
}

bool features_have_run(struct exprs *t, const struct features *f, const struct feature *x, int64_t by)
{
    if (x->kind != FEATURE_STORE)
        return false;
    expr d = expr_const(t, by), place = expr_op(t, OP_ADD, (expr[]){x->what, d}, 2), value = x->value;
    if (expr_kind(t, value) == EXPR_MEM)
        value = expr_mem(t, expr_op(t, OP_ADD, (expr[]){expr_kid(t, value, 0), d}, 2));
    for (size_t i = 0; i < f->list.len; i++)
        if (f->list.data[i].kind == FEATURE_STORE && f->list.data[i].what == place &&
            (f->list.data[i].value == value ||
             f->list.data[i].value == x->value)) /* where in a local is lost */
            return true;
    return false;
}

bool feature_is_minor(struct exprs *t, const struct features *f, const struct feature *x)
{
    enum { WORD = 8 };
    return feature_is_edge(t, x) || features_have_run(t, f, x, -WORD) ||
           features_have_run(t, f, x, -WORD / 2);
}

const char *feature_kind_name(enum feature_kind k)
{
    static const char *const name[] = {"return", "condition", "call", "store"};
    return name[k];
}

void feature_print(struct buf *out, const struct exprs *t, const struct feature *f)
{
    buf_printf(out, "%s ", feature_kind_name((enum feature_kind)f->kind));
    expr_print(out, t, f->what);
    if (f->value != EXPR_NONE) {
        buf_puts(out, " = ");
        expr_print(out, t, f->value);
    }
}

void feature_print_under(struct buf *out, const struct exprs *t, const struct feature *f)
{
    feature_print(out, t, f);
    if (f->under != EXPR_NONE) {
        buf_puts(out, " when ");
        expr_print(out, t, f->under);
    }
}
