/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A control-flow graph for Graphviz. */
#include "report/report.h"

#include <string.h>

#include "report/page.h"

void report_dot_escaped(struct buf *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            buf_putc(out, '\\');
        if (*s == '\n')
            buf_puts(out, "\\l");
        else
            buf_putc(out, *s);
    }
}

static void put_block(struct buf *out, json_t *b)
{
    size_t i;
    json_t *e;
    long long index = json_integer_value(json_object_get(b, "index"));
    buf_printf(out, "  b%lld [label=\"block %lld  %s\\l", index, index, str(b, "address"));
    json_array_foreach(json_object_get(b, "instructions"), i, e)
    {
        buf_printf(out, "%s  ", str(e, "address"));
        report_dot_escaped(out, str(e, "text"));
        buf_puts(out, "\\l");
    }
    buf_puts(out, "\"];\n");
    json_array_foreach(json_object_get(b, "successors"), i, e)
    {
        static const struct {
            const char *kind, *look;
        } looks[] = {
            {"taken", "color=darkgreen"},
            {"fall", "color=firebrick"},
            {"switch", "color=blue"},
            {"return", "style=dashed"},
            {"unwind", "style=dotted"},
        };
        buf_printf(out, "  b%lld -> b%lld", index, (long long)json_integer_value(json_object_get(e, "to")));
        for (size_t k = 0; k < sizeof looks / sizeof *looks; k++)
            if (strcmp(str(e, "kind"), looks[k].kind) == 0)
                buf_printf(out, " [%s]", looks[k].look);
        buf_puts(out, ";\n");
    }
}

void report_dot(const struct report *r, struct buf *out)
{
    json_t *doc = report_document((struct report *)r), *b;
    size_t i;
    buf_puts(out, "digraph \"");
    report_dot_escaped(out, str(json_object_get(doc, "function"), "name"));
    buf_puts(
        out,
        "\" {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\"];\n");
    json_array_foreach(json_object_get(doc, "blocks"), i, b) put_block(out, b);
    json_t *problems = json_object_get(doc, "problems");
    json_array_foreach(problems, i, b)
    {
        buf_printf(out, "  p%zu [shape=note, color=orange, label=\"%s  ", i, str(b, "address"));
        report_dot_escaped(out, str(b, "kind"));
        buf_puts(out, "\\l");
        report_dot_escaped(out, str(b, "text"));
        buf_puts(out, "\\l\"];\n");
    }
    buf_puts(out, "}\n");
}
