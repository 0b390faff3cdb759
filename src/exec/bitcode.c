/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/bitcode.h"

#include <stdlib.h>
#include <string.h>

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

static struct flow_prototype prototype_of(const struct bitcode_function *f)
{
    return (struct flow_prototype){.nargs = (int)f->nargs,
                                   .nfargs = (int)f->nfargs,
                                   .variadic = f->variadic,
                                   .returns = f->returns,
                                   .returns_float = f->returns_float,
                                   .source = PROTO_DWARF};
}

static bool function(void *ctx, uint64_t address, struct exec_function *out)
{
    const struct source *s = ctx;
    const struct bitcode_function *f = bitcode_function_at(s->m, address);
    if (!f)
        return false;
    *out = (struct exec_function){.name = f->name, .proto = prototype_of(f), .elsewhere = f->declared};
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
    struct exec_code source = {.ctx = from,
                               .pures = bitcode_pures(),
                               .function = function,
                               .address = address,
                               .body = body,
                               .object = object,
                               .data = data,
                               .text = text,
                               .free = forget};
    return explorer_new_code(&source, &c->machine, t, s, opt);
}

/* ---- for the commands (exec/front.h) ---- */

static void *open_file(const char *path, struct error *err)
{
    return bitcode_open(path, err);
}

static void free_file(void *file)
{
    bitcode_free(file);
}

static void info(void *file, struct front_info *out)
{
    const struct bitcode_info *i = bitcode_info(file);
    *out = (struct front_info){.file = i->name,
                               .target = i->target,
                               .source = i->source,
                               .pointer_width = i->pointer_width,
                               .big_endian = i->big_endian,
                               .blocks = i->blocks,
                               .instructions = i->instructions};
    memcpy(out->sha256, i->sha256, sizeof out->sha256);
}

static struct front_function front_function(const struct bitcode_function *f)
{
    struct front_function out = {.name = f->name,
                                 .address = f->address,
                                 .instructions = f->instructions,
                                 .declared = f->declared,
                                 .proto = prototype_of(f)};
    out.proto.noreturn = f->noreturn;
    return out;
}

static bool nth(void *file, size_t i, struct front_function *out)
{
    const struct bitcode_function *f;
    if (i >= bitcode_functions(file, &f))
        return false;
    *out = front_function(&f[i]);
    return true;
}

static bool find(void *file, const char *spec, struct front_function *out, struct error *err)
{
    const struct bitcode_function *f = bitcode_function(file, spec, err);
    if (f)
        *out = front_function(f);
    return f != NULL;
}

static bool code(void *file, uint64_t at, struct arena *arena, struct front_code *out, struct error *err)
{
    const struct bitcode_code *c = bitcode_code(file, bitcode_function_at(file, at), err);
    if (c)
        *out = (struct front_code){flow_bitcode(c, arena), &c->machine, bitcode_pures()};
    return c != NULL;
}

static void insn_text(void *file, uint64_t insn, struct buf *out)
{
    bitcode_text(file, insn, out);
}

static bool line(void *file, uint64_t insn, const char **source, unsigned *number)
{
    struct bitcode_line l;
    if (!bitcode_line(file, insn, &l) || !l.file)
        return false;
    *source = l.file;
    *number = l.line;
    return true;
}

static struct explorer *explorer(void *file, uint64_t at, struct terms *t, struct solver *s,
                                 const struct explore_options *opt)
{
    return explorer_new_bitcode(file, bitcode_code(file, bitcode_function_at(file, at), NULL), t, s, opt);
}

const struct front_end front_bitcode = {.name = "LLVM bitcode",
                                        .short_name = "bitcode",
                                        .is_file = bitcode_is_file,
                                        .open = open_file,
                                        .free = free_file,
                                        .info = info,
                                        .nth = nth,
                                        .find = find,
                                        .code = code,
                                        .text = insn_text,
                                        .line = line,
                                        .explorer = explorer};
