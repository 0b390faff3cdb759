/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/java.h"

#include <stdlib.h>

#include "exec/code.h"
#include "exec/engine.h"

struct source {
    struct java_lift *l;
    struct arena arena;
    struct map bodies; /* address -> struct exec_body * */
};

static bool function(void *ctx, uint64_t address, struct exec_function *out)
{
    const struct source *s = ctx;
    const struct java_method *m = java_method_at(s->l, address);
    if (!m)
        return false;
    *out = (struct exec_function){.name = m->name, .proto = {.nargs = -1}};
    return true;
}

static bool body(void *ctx, uint64_t address, struct exec_body *out)
{
    struct source *s = ctx;
    uint64_t known;
    /* the entry, also where the address of another place in the method is given */
    address &= ~(uint64_t)UINT32_MAX;
    if (map_get(&s->bodies, address, &known)) {
        *out = *(const struct exec_body *)(uintptr_t)known;
        return true;
    }
    const struct java_code *c = java_code(s->l, address);
    if (!c)
        return false;
    struct exec_input *input = arena_array(&s->arena, struct exec_input, c->ninputs + 1);
    for (uint32_t i = 0; i < c->ninputs; i++)
        input[i] = (struct exec_input){c->input[i], 64};
    struct flow_jump *jump = arena_array(&s->arena, struct flow_jump, c->njumps + 1);
    for (uint32_t i = 0; i < c->njumps; i++)
        jump[i] = (struct flow_jump){c->jump[i].block, c->jump[i].to};
    struct exec_body *made = arena_new(&s->arena, struct exec_body);
    const struct flow_blocks all = {
        .block = c->block, .nblocks = c->nblocks, .jump = jump, .njumps = c->njumps};
    *made = (struct exec_body){.graph = flow_graph_of_blocks(&all, &s->arena),
                               .machine = c->machine,
                               .input = input,
                               .ninputs = c->ninputs,
                               .top = UINT32_MAX};
    map_set(&s->bodies, address, (uint64_t)(uintptr_t)made);
    *out = *made;
    return true;
}

static bool cell(void *ctx, unsigned space, uint64_t index, struct bits *out)
{
    const struct source *s = ctx;
    return java_cell(s->l, space, index, out);
}

static void forget(void *ctx)
{
    struct source *s = ctx;
    map_free(&s->bodies);
    arena_free(&s->arena);
    free(s);
}

struct explorer *explorer_new_java(struct java_lift *l, struct java_method *m, struct terms *t,
                                   struct solver *s, const struct explore_options *opt)
{
    struct source *from = xcalloc(1, sizeof *from);
    struct exec_body entry;
    from->l = l;
    struct exec_code code = {.ctx = from, .free = forget, .function = function, .body = body, .cell = cell};
    if (!body(from, java_address(l, m), &entry)) {
        forget(from);
        return NULL;
    }
    return explorer_new_code(&code, entry.machine, t, s, opt);
}

bool explore_java(struct explorer *x, struct java_lift *l, struct java_method *m, explore_fn *fn, void *ctx,
                  struct error *err)
{
    struct exec_body entry;
    if (!body(x->code->ctx, java_address(l, m), &entry))
        return error_set(err, ERROR_UNSUPPORTED, "%s: no code to explore", m->name);
    return explore_graph(x, entry.graph, fn, ctx, err);
}
