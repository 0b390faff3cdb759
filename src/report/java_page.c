/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `assay java` covered, as one page on the source, without scripts; and a witness as the
 * software-verification competition exchanges them. */
#include <string.h>

#include "assay/assay.h"
#include "report/html.h"
#include "report/java.h"
#include "report/page.h"

static const char page_style[] =
    "table.source{border-collapse:collapse;font-family:monospace}"
    "table.source td{padding:0 .6em;white-space:pre}"
    "tr.yes td.n{background:#9d9}tr.no td.n{background:#e99}tr.half td.n{background:#ed8}";

static void put_line(struct buf *out, json_t *l)
{
    long long branches = (long long)num(l, "branches"), taken = (long long)num(l, "taken");
    const char *class = !json_object_get(l, "covered") ? ""
                        : !is_true(l, "covered")       ? "no"
                        : taken < branches             ? "half"
                                                       : "yes";
    buf_printf(out, "<tr class=\"%s\"><td class=\"n\">%lld</td><td>", class, (long long)num(l, "line"));
    if (branches)
        buf_printf(out, "%lld/%lld", taken, branches);
    buf_puts(out, "</td><td>");
    if (has(l, "text"))
        html_text(out, str(l, "text"));
    buf_puts(out, "</td></tr>\n");
}

void report_java_page(json_t *doc, struct buf *out)
{
    json_t *c = json_object_get(doc, "coverage"), *file, *line;
    size_t i, k;
    html_head(out, str(doc, "method"), page_style, false);
    buf_puts(out, "<body><h1>");
    html_text(out, str(doc, "method"));
    buf_printf(out, "</h1>\n<p>%s. Lines: %lld of %lld. Branches: %lld of %lld.</p>\n", str(doc, "verdict"),
               (long long)num(c, "lines_covered"), (long long)num(c, "lines"),
               (long long)num(c, "branches_taken"), (long long)num(c, "branches"));
    json_array_foreach(json_object_get(c, "files"), i, file)
    {
        buf_puts(out, "<h2>");
        html_text(out, str(file, "file"));
        buf_puts(out, "</h2>\n<table class=\"source\">\n");
        json_array_foreach(json_object_get(file, "lines"), k, line) put_line(out, line);
        buf_puts(out, "</table>\n");
    }
    buf_puts(out, "</body></html>\n");
}

/* ---- witnesses ---- */

static void put_data(struct buf *out, const char *indent, const char *key, const char *text)
{
    buf_printf(out, "%s<data key=\"%s\">", indent, key);
    html_text(out, text);
    buf_puts(out, "</data>\n");
}

static void put_place(struct buf *out, json_t *at)
{
    if (has(at, "file"))
        put_data(out, "      ", "originfile", str(at, "file"));
    if (num(at, "line"))
        buf_printf(out, "      <data key=\"startline\">%lld</data>\n", (long long)num(at, "line"));
}

void report_java_witness(json_t *doc, const char *property, const char *program, const char *when,
                         struct buf *out)
{
    json_t *failure = json_array_get(json_object_get(doc, "failures"), 0), *input;
    static const char *const keys[][2] = {
        {"witness-type", "graph"},  {"sourcecodelang", "graph"}, {"producer", "graph"},
        {"specification", "graph"}, {"programfile", "graph"},    {"architecture", "graph"},
        {"creationtime", "graph"},  {"entry", "node"},           {"violation", "node"},
        {"assumption", "edge"},     {"originfile", "edge"},      {"startline", "edge"}};
    size_t i;
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
                  "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
                  "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n");
    for (i = 0; i < sizeof keys / sizeof *keys; i++)
        buf_printf(out, "  <key id=\"%s\" attr.name=\"%s\" attr.type=\"string\" for=\"%s\"/>\n", keys[i][0],
                   keys[i][0], keys[i][1]);
    buf_puts(out, "  <graph edgedefault=\"directed\">\n");
    put_data(out, "    ", "witness-type", failure ? "violation_witness" : "correctness_witness");
    put_data(out, "    ", "sourcecodelang", "Java");
    put_data(out, "    ", "producer", "assay");
    put_data(out, "    ", "specification", property);
    put_data(out, "    ", "programfile", program);
    put_data(out, "    ", "architecture", "64bit");
    put_data(out, "    ", "creationtime", when);
    buf_puts(out, "    <node id=\"n0\"><data key=\"entry\">true</data></node>\n");
    size_t n = 0;
    json_array_foreach(json_object_get(failure, "inputs"), i, input)
    {
        buf_printf(out, "    <edge source=\"n%zu\" target=\"n%zu\">\n", n, n + 1);
        struct buf text = BUF_INIT;
        buf_printf(&text, "%s = %s", str(input, "name"), str(input, "value"));
        put_data(out, "      ", "assumption", buf_text(&text));
        put_place(out, input);
        buf_free(&text);
        buf_printf(out, "    </edge>\n    <node id=\"n%zu\"/>\n", ++n);
    }
    if (failure) {
        buf_printf(out, "    <edge source=\"n%zu\" target=\"end\">\n", n);
        put_place(out, failure);
        buf_puts(out, "    </edge>\n");
        buf_puts(out, "    <node id=\"end\"><data key=\"violation\">true</data></node>\n");
    }
    buf_puts(out, "  </graph>\n</graphml>\n");
}
