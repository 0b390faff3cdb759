/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <stdlib.h>

static const struct {
    unsigned bit;
    const char *name;
} sources[] = {
    {BOUND_SYMBOL, "symbol"},
    {BOUND_DYNSYM, "dynsym"},
    {BOUND_DWARF, "dwarf"},
    {BOUND_EH_FRAME, "eh_frame"},
    {BOUND_EXIDX, "exidx"},
    {BOUND_ENTRY, "entry"},
    {BOUND_INIT, "init"},
    {FLOW_SOURCE_CALL, "call"},
    {FLOW_SOURCE_TAIL, "tail call"},
    {FLOW_SOURCE_POINTER, "pointer"},
    {FLOW_SOURCE_SCAN, "scan"},
    {FLOW_SOURCE_USER, "user"},
};

static const struct {
    unsigned bit;
    const char *name;
} flags[] = {
    {FLOW_PLT, "plt"},     {FLOW_PART, "part"},     {FLOW_THUMB, "thumb"},
    {FLOW_IFUNC, "ifunc"}, {FLOW_EXTERN, "extern"},
};

static const char *proto_source_name(unsigned s)
{
    switch (s) {
    case PROTO_DWARF:
        return "dwarf";
    case PROTO_LIBRARY:
        return "library";
    case PROTO_CODE:
        return "code";
    }
    return "none";
}

static json_t *returned(const struct flow_prototype *p)
{
    if (p->source == PROTO_NONE || p->returns_unknown)
        return json_null();
    return json_string(p->returns_float ? "float" : p->returns ? "value" : "nothing");
}

/* `tables`: without a look at the code. */
static json_t *function_record(struct program *p, const struct flow_function *f, bool tables)
{
    json_t *j = json_object();
    json_object_set_new(j, "address", report_address(f->address));
    json_object_set_new(j, "size", json_integer((json_int_t)f->size));
    json_object_set_new(j, "name", report_string(f->name));
    json_object_set_new(j, "named", json_boolean(f->named));
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (f->sources & sources[i].bit)
            json_array_append_new(list, json_string(sources[i].name));
    json_object_set_new(j, "sources", list);
    list = json_array();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (f->flags & flags[i].bit)
            json_array_append_new(list, json_string(flags[i].name));
    json_object_set_new(j, "flags", list);
    if (f->flags & FLOW_PART) {
        const struct flow_function *all;
        size_t n = program_functions(p, &all);
        if (f->parent < n)
            json_object_set_new(j, "part_of", report_string(all[f->parent].name));
    }
    struct flow_prototype proto = tables ? flow_table_prototype(p, f) : flow_prototype(p, f);
    bool known = proto.source != PROTO_NONE;
    json_object_set_new(j, "arguments", known && proto.nargs >= 0 ? json_integer(proto.nargs) : json_null());
    json_object_set_new(j, "float_arguments", known ? json_integer(proto.nfargs) : json_null());
    json_object_set_new(j, "variadic", json_boolean(proto.variadic));
    json_object_set_new(j, "returns", returned(&proto));
    json_object_set_new(j, "prototype", json_string(proto_source_name(proto.source)));
    json_t *noreturn = proto.noreturn ? json_true() : json_null();
    if (!tables)
        noreturn = json_boolean(proto.noreturn || flow_noreturn(p, f->address));
    json_object_set_new(j, "noreturn", noreturn);
    return j;
}

static void analysing(void *ctx, size_t done, size_t total)
{
    const struct report_sink *sink = ctx;
    sink->progress(sink->ctx, "functions analysed", done, total);
}

static void put_functions(struct program *p, const char *place, bool tables, struct report_sink sink)
{
    const struct flow_function *f;
    size_t n = program_functions(p, &f);
    for (size_t i = 0; i < n; i++)
        if (!sink.put(sink.ctx, place, function_record(p, &f[i], tables)))
            break;
}

void report_functions_known(struct program *p, struct report_sink sink)
{
    report_input(p, sink);
    put_functions(p, "known[]", true, sink);
}

bool report_functions(struct program *p, struct report_sink sink, struct error *err)
{
    (void)err;
    bool tables = !program_searched(p);
    report_input(p, sink);
    if (!tables)
        flow_analyse_all(p, sink.progress ? analysing : NULL, &sink);
    sink.put(sink.ctx, "functions", json_array());
    put_functions(p, "functions[]", tables, sink);
    struct flow_stats s = program_flow_stats(p);
    json_t *j = json_object();
    json_object_set_new(j, "functions", json_integer((json_int_t)s.functions));
    if (!tables) {
        json_object_set_new(j, "blocks", json_integer((json_int_t)s.blocks));
        json_object_set_new(j, "instructions", json_integer((json_int_t)s.instructions));
        json_object_set_new(j, "jump_tables", json_integer((json_int_t)s.tables));
        json_object_set_new(j, "unresolved_jumps", json_integer((json_int_t)s.unresolved));
        json_object_set_new(j, "functions_with_unresolved_jumps",
                            json_integer((json_int_t)s.functions_unresolved));
    }
    sink.put(sink.ctx, "totals", j);
    return true;
}

static uint64_t address_of(json_t *function)
{
    const char *text = json_string_value(json_object_get(function, "address"));
    return text ? strtoull(text, NULL, 16) : 0;
}

void report_functions_settle(struct report *r)
{
    json_t *doc = report_document(r), *known = json_object_get(doc, "known"), *f;
    if (known && !json_object_get(doc, "totals")) {
        /* Both lists are in the order of addresses, and this one ends where the work was cut short. */
        json_t *list = json_object_get(doc, "functions");
        if (!list) {
            list = json_array();
            json_object_set_new(doc, "functions", list);
        }
        size_t i, n = json_array_size(list);
        uint64_t last = n ? address_of(json_array_get(list, n - 1)) : 0;
        json_array_foreach(known, i, f) if (!n || address_of(f) > last) json_array_append(list, f);
    }
    json_object_del(doc, "known");
}
