/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

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

static json_t *function_record(struct program *p, const struct flow_function *f)
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
    struct flow_prototype proto = flow_prototype(p, f);
    bool known = proto.source != PROTO_NONE;
    json_object_set_new(j, "arguments", known && proto.nargs >= 0 ? json_integer(proto.nargs) : json_null());
    json_object_set_new(j, "float_arguments", known ? json_integer(proto.nfargs) : json_null());
    json_object_set_new(j, "variadic", json_boolean(proto.variadic));
    json_object_set_new(j, "returns",
                        !known ? json_null()
                               : json_string(proto.returns_float ? "float"
                                             : proto.returns     ? "value"
                                                                 : "nothing"));
    json_object_set_new(j, "prototype", json_string(proto_source_name(proto.source)));
    json_object_set_new(j, "noreturn", json_boolean(proto.noreturn || flow_noreturn(p, f->address)));
    return j;
}

static void analysing(void *ctx, size_t done, size_t total)
{
    const struct report_sink *sink = ctx;
    sink->progress(sink->ctx, "functions analysed", done, total);
}

bool report_functions(struct program *p, struct report_sink sink, struct error *err)
{
    (void)err;
    report_input(p, sink);
    flow_analyse_all(p, sink.progress ? analysing : NULL, &sink);
    const struct flow_function *f;
    size_t n = program_functions(p, &f);
    sink.put(sink.ctx, "functions", json_array());
    for (size_t i = 0; i < n; i++)
        if (!sink.put(sink.ctx, "functions[]", function_record(p, &f[i])))
            break;
    struct flow_stats s = program_flow_stats(p);
    json_t *j = json_object();
    json_object_set_new(j, "functions", json_integer((json_int_t)n));
    json_object_set_new(j, "blocks", json_integer((json_int_t)s.blocks));
    json_object_set_new(j, "instructions", json_integer((json_int_t)s.instructions));
    json_object_set_new(j, "jump_tables", json_integer((json_int_t)s.tables));
    json_object_set_new(j, "unresolved_jumps", json_integer((json_int_t)s.unresolved));
    json_object_set_new(j, "functions_with_unresolved_jumps",
                        json_integer((json_int_t)s.functions_unresolved));
    sink.put(sink.ctx, "totals", j);
    return true;
}
