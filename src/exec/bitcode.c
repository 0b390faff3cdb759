/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/bitcode.h"

#include <stdlib.h>

#include "exec/code.h"
#include "exec/engine.h"
#include "flow/bitcode.h"

struct body {
    const struct bitcode_code *code;
    struct exec_body made;
};

/* A module as a source of code; what was made of its functions is kept. */
struct source {
    struct bitcode *m;
    struct arena arena;
    VEC(struct body) body;
};

static bool function(void *ctx, uint64_t address, struct exec_function *out)
{
    const struct source *s = ctx;
    const struct bitcode_function *f = bitcode_function_at(s->m, address);
    if (!f)
        return false;
    *out = (struct exec_function){.name = f->name,
                                  .proto = {.nargs = (int)f->nargs,
                                            .nfargs = (int)f->nfargs,
                                            .variadic = f->variadic,
                                            .returns = f->returns,
                                            .returns_float = f->returns_float,
                                            .source = PROTO_DWARF},
                                  .elsewhere = f->declared};
    return true;
}

static uint64_t address(void *ctx, const char *symbol)
{
    const struct source *s = ctx;
    const struct bitcode_function *f = bitcode_function(s->m, symbol, NULL);
    return f ? f->address : 0;
}

/* What is passed as a whole and in parts differently, a list of arguments of any length, is not followed. */
static bool body(void *ctx, uint64_t at, struct exec_body *out)
{
    struct source *s = ctx;
    const struct bitcode_function *f = bitcode_function_at(s->m, at);
    const struct bitcode_code *c = f && !f->declared && !f->variadic ? bitcode_code(s->m, f, NULL) : NULL;
    if (!c)
        return false;
    for (size_t i = 0; i < s->body.len; i++)
        if (s->body.data[i].code == c) {
            *out = s->body.data[i].made;
            return true;
        }
    struct exec_input *input = arena_array(&s->arena, struct exec_input, c->ninputs + 1);
    for (uint32_t i = 0; i < c->ninputs; i++)
        input[i] = (struct exec_input){c->input[i].offset, c->input[i].width};
    *out = (struct exec_body){.graph = flow_bitcode(c, &s->arena),
                              .machine = &c->machine,
                              .input = input,
                              .ninputs = c->ninputs,
                              .frame = c->frame,
                              .top = c->top};
    vec_push(&s->body, (struct body){c, *out});
    return true;
}

static bool object(void *ctx, const char *symbol, struct exec_object *out)
{
    const struct source *s = ctx;
    struct bitcode_symbol b;
    if (!bitcode_symbol(s->m, symbol, &b))
        return false;
    *out = (struct exec_object){.align = b.align, .weak = b.weak, .constant = b.constant};
    return true;
}

static bool data(void *ctx, const char *symbol, uint64_t offset, unsigned bytes, struct exec_datum *out)
{
    const struct source *s = ctx;
    struct bitcode_datum d;
    if (!bitcode_data(s->m, symbol, offset, bytes, &d))
        return false;
    *out = (struct exec_datum){d.value, d.symbol};
    return true;
}

static const char *text(void *ctx, const char *symbol, uint64_t offset, size_t *len)
{
    const struct source *s = ctx;
    return bitcode_string(s->m, symbol, offset, len);
}

static void forget(void *ctx)
{
    struct source *s = ctx;
    vec_free(&s->body);
    arena_free(&s->arena);
    free(s);
}

struct explorer *explorer_new_bitcode(struct bitcode *m, const struct bitcode_code *c, struct terms *t,
                                      struct solver *s, const struct explore_options *opt)
{
    struct source *from = xcalloc(1, sizeof *from);
    from->m = m;
    struct exec_code code = {.ctx = from,
                             .pures = bitcode_pures(),
                             .function = function,
                             .address = address,
                             .body = body,
                             .object = object,
                             .data = data,
                             .text = text,
                             .free = forget};
    return explorer_new_code(&code, &c->machine, t, s, opt);
}
