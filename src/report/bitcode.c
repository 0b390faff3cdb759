/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a module of bitcode is and which functions it has; its graphs and paths are made where others are. */
#include "report/bitcode.h"

#include <string.h>

void report_bitcode_input(const struct bitcode *m, struct report_sink sink)
{
    const struct bitcode_info *i = bitcode_info(m);
    json_t *j = json_object();
    char arch[32];
    size_t n = strcspn(i->target, "-");
    memcpy(arch, i->target, n = n < sizeof arch - 1 ? n : sizeof arch - 1);
    arch[n] = 0;
    json_object_set_new(j, "file", report_string(i->name));
    json_object_set_new(j, "sha256", json_string(i->sha256));
    json_object_set_new(j, "build_id", json_null());
    json_object_set_new(j, "architecture", report_string(arch));
    json_object_set_new(j, "supported", json_true());
    json_object_set_new(j, "bits", json_integer(i->pointer_width));
    json_object_set_new(j, "big_endian", json_boolean(i->big_endian));
    json_object_set_new(j, "type", json_string("LLVM bitcode"));
    json_object_set_new(j, "target", report_string(i->target));
    json_object_set_new(j, "source", report_string(i->source));
    sink.put(sink.ctx, "input", j);
}

static json_t *function_record(const struct bitcode_function *f)
{
    json_t *j = json_object(), *sources = json_array(), *flags = json_array();
    json_array_append_new(sources, json_string("bitcode"));
    if (f->declared)
        json_array_append_new(flags, json_string("extern"));
    json_object_set_new(j, "address", report_address(f->address));
    json_object_set_new(j, "size", json_integer(f->instructions));
    json_object_set_new(j, "name", report_string(f->name));
    json_object_set_new(j, "named", json_true());
    json_object_set_new(j, "sources", sources);
    json_object_set_new(j, "flags", flags);
    json_object_set_new(j, "arguments", json_integer(f->nargs));
    json_object_set_new(j, "float_arguments", json_integer(f->nfargs));
    json_object_set_new(j, "variadic", json_boolean(f->variadic));
    json_object_set_new(j, "returns",
                        json_string(f->returns_float ? "float"
                                    : f->returns     ? "value"
                                                     : "nothing"));
    json_object_set_new(j, "prototype", json_string("bitcode"));
    json_object_set_new(j, "noreturn", json_boolean(f->noreturn));
    return j;
}

bool report_bitcode_functions(struct bitcode *m, struct report_sink sink, struct error *err)
{
    (void)err;
    const struct bitcode_function *f;
    size_t n = bitcode_functions(m, &f);
    report_bitcode_input(m, sink);
    sink.put(sink.ctx, "functions", json_array());
    for (size_t i = 0; i < n; i++)
        if (!sink.put(sink.ctx, "functions[]", function_record(&f[i])))
            break;
    json_t *j = json_object();
    json_object_set_new(j, "functions", json_integer((json_int_t)n));
    json_object_set_new(j, "blocks", json_integer((json_int_t)bitcode_info(m)->blocks));
    json_object_set_new(j, "instructions", json_integer((json_int_t)bitcode_info(m)->instructions));
    json_object_set_new(j, "jump_tables", json_integer(0));
    json_object_set_new(j, "unresolved_jumps", json_integer(0));
    json_object_set_new(j, "functions_with_unresolved_jumps", json_integer(0));
    sink.put(sink.ctx, "totals", j);
    return true;
}
