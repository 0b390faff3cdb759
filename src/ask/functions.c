/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/functions.h"

#include <inttypes.h>

enum { FUNCTIONS_FACTS, FUNCTIONS_KNOWN, FUNCTIONS_ONE, FUNCTIONS_TOTAL };

#define T struct ask_function
static const struct wire_field function_field[] = {
    WIRE_VALUE(T, address),
    WIRE_VALUE(T, size),
    WIRE_TEXT(T, name),
    WIRE_TEXT(T, place),
    WIRE_VALUE(T, named),
    WIRE_VALUE(T, sources),
    WIRE_VALUE(T, flags),
    WIRE_TEXT(T, part_of),
    WIRE_VALUE(T, arguments),
    WIRE_VALUE(T, float_arguments),
    WIRE_VALUE(T, variadic),
    WIRE_ENUM(T, returns, RETURNS_FLOAT + 1),
    WIRE_VALUE(T, prototype),
    WIRE_ENUM(T, noreturn, ASK_KNOWN_TRUE + 1),
};
static const struct wire_type function_type = WIRE_TYPE(T, function_field);
#undef T

#define T struct ask_functions_answer
static const struct wire_field total_field[] = {WIRE_VALUE(T, searched), WIRE_VALUE(T, total)};
static const struct wire_type total_type = WIRE_TYPE(T, total_field);
#undef T

/* ---- where the work is done ---- */

static const char *place_of(const struct program *p, const struct flow_function *f, struct arena *arena)
{
    uint64_t offset;
    const char *section = object_qualifying_section(program_object(p), f->address, &offset);
    return section ? arena_printf(arena, "%s+0x%" PRIx64, section, offset) : NULL;
}

/* `tables`: without a look at the code. */
static struct ask_function function_of(struct program *p, const struct flow_function *f, bool tables,
                                       struct arena *arena)
{
    struct flow_prototype proto = tables ? flow_table_prototype(p, f) : flow_prototype(p, f);
    bool known = proto.source != PROTO_NONE;
    struct ask_function out = {.address = object_display_address(program_object(p), f->address),
                               .place = place_of(p, f, arena),
                               .size = f->size,
                               .name = f->name,
                               .named = f->named,
                               .sources = f->sources,
                               .flags = f->flags,
                               .arguments = known ? proto.nargs : -1,
                               .float_arguments = known ? (int32_t)proto.nfargs : -1,
                               .variadic = proto.variadic,
                               .prototype = proto.source,
                               .noreturn = proto.noreturn ? ASK_KNOWN_TRUE : ASK_NOT_KNOWN};
    if (f->flags & FLOW_PART) {
        const struct flow_function *all;
        size_t n = program_functions(p, &all);
        if (f->parent < n)
            out.part_of = all[f->parent].name;
    }
    if (known && !proto.returns_unknown)
        out.returns = proto.returns_float ? RETURNS_FLOAT : proto.returns ? RETURNS_VALUE : RETURNS_NOTHING;
    if (!tables)
        out.noreturn = proto.noreturn || flow_noreturn(p, f->address) ? ASK_KNOWN_TRUE : ASK_KNOWN_FALSE;
    return out;
}

static void say_functions(struct program *p, unsigned message, bool tables, struct ask_sink *say)
{
    const struct flow_function *f;
    size_t n = program_functions(p, &f);
    bool more = true;
    for (size_t i = 0; more && i < n; i++) {
        struct arena arena = ARENA_INIT;
        struct ask_function one = function_of(p, &f[i], tables, &arena);
        more = ask_say(say, message, &function_type, &one);
        arena_free(&arena);
    }
}

static void say_total(struct ask_sink *say, bool searched, struct flow_stats total)
{
    ask_say(say, FUNCTIONS_TOTAL, &total_type,
            &(struct ask_functions_answer){.searched = searched, .total = total});
}

static void say_front(const struct ask_opened *in, struct ask_sink *say)
{
    struct front_function f;
    size_t n = 0;
    bool more = true;
    for (; in->front->nth(in->file, n, &f); n++) {
        struct ask_function one = {.address = f.address,
                                   .size = f.instructions,
                                   .name = f.name,
                                   .named = true,
                                   .flags = f.declared ? FLOW_EXTERN : 0,
                                   .arguments = f.proto.nargs,
                                   .float_arguments = f.proto.nfargs,
                                   .variadic = f.proto.variadic,
                                   .returns = f.proto.returns_float ? RETURNS_FLOAT
                                              : f.proto.returns     ? RETURNS_VALUE
                                                                    : RETURNS_NOTHING,
                                   .noreturn = f.proto.noreturn ? ASK_KNOWN_TRUE : ASK_KNOWN_FALSE};
        more = more && ask_say(say, FUNCTIONS_ONE, &function_type, &one);
    }
    struct front_info info;
    in->front->info(in->file, &info);
    say_total(say, true,
              (struct flow_stats){.functions = n, .blocks = info.blocks, .instructions = info.instructions});
}

static void searching(void *ctx, size_t done, size_t total)
{
    ask_progress(ctx, "functions scanned", done, total);
}

static void analysing(void *ctx, size_t done, size_t total)
{
    ask_progress(ctx, "functions analysed", done, total);
}

static void say_program(const struct ask_functions *q, struct program *p, struct ask_sink *say)
{
    if (!q->open && !q->tables_only) {
        say_functions(p, FUNCTIONS_KNOWN, true, say);
        program_search(p, say->progress ? searching : NULL, say);
    }
    bool searched = program_searched(p);
    if (searched)
        flow_analyse_all(p, say->progress ? analysing : NULL, say);
    say_functions(p, FUNCTIONS_ONE, !searched, say);
    say_total(say, searched, program_flow_stats(p));
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_functions *q = ((struct ask_functions_answer *)ctx)->q;
    struct arena arena = ARENA_INIT;
    struct ask_opened in;
    bool ok = ask_open(&in, q->open, q->file, &q->object, false, err);
    if (ok) {
        struct ask_facts facts = ask_opened_facts(&in, &arena);
        ask_say(say, FUNCTIONS_FACTS, &ask_facts_type, &facts);
        if (in.front)
            say_front(&in, say);
        else
            say_program(q, in.p, say);
    }
    ask_close(&in);
    arena_free(&arena);
    return ok;
}

/* ---- the answer ---- */

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_functions_answer *a = ctx, total;
    struct ask_function f;
    switch (message) {
    case FUNCTIONS_FACTS:
        return a->begun = wire_get(bytes, n, &ask_facts_type, &a->facts, &a->arena);
    case FUNCTIONS_KNOWN:
    case FUNCTIONS_ONE:
        if (!wire_get(bytes, n, &function_type, &f, &a->arena))
            return false;
        if (message == FUNCTIONS_ONE)
            vec_push(&a->function, f);
        else
            vec_push(&a->known, f);
        return true;
    case FUNCTIONS_TOTAL:
        if (!wire_get(bytes, n, &total_type, &total, &a->arena))
            return false;
        a->finished = true;
        a->searched = total.searched;
        a->total = total.total;
        return true;
    }
    return false;
}

bool ask_functions(const struct ask_functions *q, const struct ask_session *session,
                   struct ask_functions_answer *a, struct error *err)
{
    *a = (struct ask_functions_answer){.q = q};
    if (!ask_put(ask, hear, a, &q->limits, q->limits.timeout, 0, session, &a->end, err))
        return false;
    if (!a->finished) {
        /* Both lists are in the order of addresses, and this one ends where the work was cut short. */
        bool any = a->function.len != 0;
        uint64_t last = any ? vec_last(&a->function).address : 0;
        for (size_t i = 0; i < a->known.len; i++)
            if (!any || a->known.data[i].address > last)
                vec_push(&a->function, a->known.data[i]);
    }
    return true;
}

void ask_functions_free(struct ask_functions_answer *a)
{
    vec_free(&a->function);
    vec_free(&a->known);
    arena_free(&a->arena);
}
