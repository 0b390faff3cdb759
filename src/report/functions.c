/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/functions.h"

#include "report/facts.h"

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

static json_t *number_or_null(int32_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *function_record(const struct ask_function *f, const char *format)
{
    static const char *const returns[] = {
        [RETURNS_NOTHING] = "nothing", [RETURNS_VALUE] = "value", [RETURNS_FLOAT] = "float"};
    json_t *j = json_object();
    json_object_set_new(j, "address", report_address(f->address));
    if (f->place)
        json_object_set_new(j, "place", report_string(f->place));
    json_object_set_new(j, "size", json_integer((json_int_t)f->size));
    json_object_set_new(j, "name", report_string(f->name));
    json_object_set_new(j, "named", json_boolean(f->named));
    json_t *list = json_array();
    if (format)
        json_array_append_new(list, json_string(format));
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (f->sources & sources[i].bit)
            json_array_append_new(list, json_string(sources[i].name));
    json_object_set_new(j, "sources", list);
    list = json_array();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (f->flags & flags[i].bit)
            json_array_append_new(list, json_string(flags[i].name));
    json_object_set_new(j, "flags", list);
    if (f->part_of)
        json_object_set_new(j, "part_of", report_string(f->part_of));
    json_object_set_new(j, "arguments", number_or_null(f->arguments));
    json_object_set_new(j, "float_arguments", number_or_null(f->float_arguments));
    json_object_set_new(j, "variadic", json_boolean(f->variadic));
    json_object_set_new(j, "returns", report_string(returns[f->returns]));
    json_object_set_new(j, "prototype", json_string(format ? format : proto_source_name(f->prototype)));
    json_object_set_new(j, "noreturn",
                        f->noreturn == ASK_NOT_KNOWN ? json_null()
                                                     : json_boolean(f->noreturn == ASK_KNOWN_TRUE));
    return j;
}

struct report *report_functions(const struct ask_functions_answer *a)
{
    struct report *r = report_new("functions");
    const struct flow_stats *s = &a->total;
    report_add(r, "input", facts_record(&a->facts));
    report_add(r, "functions", json_array());
    for (size_t i = 0; i < a->function.len; i++)
        report_add(r, "functions[]", function_record(&a->function.data[i], a->facts.short_format));
    if (a->finished) {
        json_t *j = json_pack("{s:I}", "functions", (json_int_t)s->functions);
        if (a->searched) {
            json_object_set_new(j, "blocks", json_integer((json_int_t)s->blocks));
            json_object_set_new(j, "instructions", json_integer((json_int_t)s->instructions));
            json_object_set_new(j, "jump_tables", json_integer((json_int_t)s->tables));
            json_object_set_new(j, "unresolved_jumps", json_integer((json_int_t)s->unresolved));
            json_object_set_new(j, "functions_with_unresolved_jumps",
                                json_integer((json_int_t)s->functions_unresolved));
        }
        report_add(r, "totals", j);
    }
    report_cut(r, &a->end);
    return r;
}
