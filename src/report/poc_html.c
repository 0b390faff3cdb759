/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay poc` as one page: a table of candidates, the object graph of the abstract snapshot with what is a
 * symbol in it, and for each finding the ways of the two programs side by side. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "assay/assay.h"
#include "report/html.h"
#include "report/page.h"
#include "report/poc.h"

static void put_cell(struct buf *out, const char *text)
{
    buf_puts(out, "<td>");
    html_text(out, text);
    buf_puts(out, "</td>");
}

/* The page's colours are those of verdicts: safe, unsafe, unknown. */
static void put_verdict(struct buf *out, const char *verdict)
{
    const char *paint = strcmp(verdict, "refuted") == 0                                         ? "unsafe"
                        : strcmp(verdict, "proved") == 0 || strcmp(verdict, "not refuted") == 0 ? "safe"
                                                                                                : "unknown";
    buf_printf(out, "<span class=\"verdict %s\">%s</span>", paint, verdict);
}

static void put_objects(struct buf *out, json_t *graph)
{
    json_t *objects = json_object_get(graph, "objects"), *edges = json_object_get(graph, "edges"), *o, *e;
    size_t i, k;
    buf_puts(out,
             "<section id=\"objects\">\n<h2>The snapshot</h2>\n<table><caption>Objects that the call "
             "reaches</caption>"
             "<thead><tr><th scope=\"col\">object</th><th scope=\"col\">type</th><th scope=\"col\">where</th>"
             "<th scope=\"col\">bytes</th><th scope=\"col\">symbolic</th><th scope=\"col\">points "
             "to</th></tr></thead><tbody>\n");
    json_array_foreach(objects, i, o)
    {
        buf_printf(out, "<tr id=\"o%zu\">", i);
        put_cell(out, str(o, "name"));
        put_cell(out, str(o, "type"));
        put_cell(out, str(o, "where"));
        json_int_t bytes = num(o, "bytes"), open = num(o, "symbolic_bytes");
        buf_printf(out, "<td>%" JSON_INTEGER_FORMAT "</td><td>%s (%" JSON_INTEGER_FORMAT ")</td><td>", bytes,
                   open == 0       ? "concrete"
                   : open == bytes ? "all"
                                   : "in part",
                   open);
        json_array_foreach(edges, k, e)
        {
            json_t *to = json_array_get(objects, (size_t)num(e, "to"));
            if ((size_t)num(e, "from") != i)
                continue;
            buf_printf(out, "<a href=\"#o%" JSON_INTEGER_FORMAT "\">", num(e, "to"));
            html_text(out, str(to, "name"));
            buf_puts(out, "</a> ");
        }
        buf_puts(out, "</td></tr>\n");
    }
    buf_puts(out, "</tbody></table>\n</section>\n");
}

static void put_list(struct buf *out, const char *places)
{
    buf_puts(out, "<td><ol>");
    for (const char *p = places; *p;) {
        size_t n = strcspn(p, ",");
        char one[256];
        snprintf(one, sizeof one, "%.*s", (int)(n < 250 ? n : 250), p);
        buf_puts(out, "<li>");
        html_text(out, one);
        buf_puts(out, "</li>");
        p += n + strspn(p + n, ", ");
    }
    buf_puts(out, "</ol></td>");
}

static void put_candidate(struct buf *out, json_t *c, size_t n)
{
    json_t *paths = json_object_get(c, "paths"), *values = json_object_get(c, "witness"), *v;
    size_t i;
    buf_printf(out, "<section id=\"c%zu\">\n<h2>", n);
    html_text(out, str(c, "file"));
    buf_puts(out, "</h2>\n<p>");
    put_verdict(out, str(c, "verdict"));
    buf_putc(out, ' ');
    html_text(out, str(c, "finding"));
    buf_puts(out, str(c, "condition")[0] ? " when " : " ");
    html_text(out, str(c, "condition"));
    buf_putc(out, ' ');
    html_text(out, str(c, "reason"));
    buf_puts(out, "</p>\n");
    if (str(c, "shape")[0]) {
        buf_puts(out, "<p>In a state with ");
        html_text(out, str(c, "shape"));
        buf_puts(out, ".</p>\n");
    }
    if (json_array_size(values)) {
        buf_puts(out, "<table><caption>The witness</caption><thead><tr><th scope=\"col\">place</th>"
                      "<th scope=\"col\">was</th><th scope=\"col\">is</th></tr></thead><tbody>\n");
        json_array_foreach(values, i, v)
        {
            buf_puts(out, "<tr>");
            put_cell(out, str(v, "place"));
            put_cell(out, str(v, "was"));
            put_cell(out, str(v, "is"));
            buf_puts(out, "</tr>\n");
        }
        buf_puts(out, "</tbody></table>\n");
    }
    if (str(paths, "original")[0]) {
        buf_puts(out,
                 "<table><caption>The ways of the two</caption><thead><tr><th scope=\"col\">original</th>"
                 "<th scope=\"col\">candidate</th></tr></thead><tbody>\n<tr>");
        put_list(out, str(paths, "original"));
        put_list(out, str(paths, "candidate"));
        buf_puts(out, "</tr>\n</tbody></table>\n");
    }
    buf_puts(out, "</section>\n");
}

void report_poc_html(json_t *doc, struct buf *out)
{
    json_t *original = json_object_get(doc, "original"), *c;
    size_t i;
    html_head(out, "assay poc", "", false);
    buf_puts(out, "<body>\n<header>\n<h1>assay poc</h1>\n<p>");
    html_text(out, str(original, "file"));
    buf_printf(out, " crashes in call %" JSON_INTEGER_FORMAT " of <code>", num(original, "call"));
    html_text(out, str(original, "function"));
    buf_puts(out, "</code>: ");
    html_text(out, str(original, "crash"));
    buf_puts(out, "</p>\n</header>\n<main id=\"content\">\n<table><caption>Candidates</caption><thead><tr>"
                  "<th scope=\"col\">candidate</th><th scope=\"col\">verdict</th></tr></thead><tbody>\n");
    json_array_foreach(json_object_get(doc, "candidates"), i, c)
    {
        buf_printf(out, "<tr><td><a href=\"#c%zu\">", i);
        html_text(out, str(c, "file"));
        buf_puts(out, "</a></td><td>");
        put_verdict(out, str(c, "verdict"));
        buf_puts(out, "</td></tr>\n");
    }
    buf_puts(out, "</tbody></table>\n");
    put_objects(out, json_object_get(original, "graph"));
    json_array_foreach(json_object_get(doc, "candidates"), i, c) put_candidate(out, c, i);
    buf_puts(out,
             "</main>\n<footer><p class=\"dim\">assay " ASSAY_VERSION "</p></footer>\n</body>\n</html>\n");
}
