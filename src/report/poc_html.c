/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay poc` as one page: a table of candidates, the object graph of the abstract snapshot with what is a
 * symbol in it, and for each finding the ways of the two programs side by side. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/assay.h"
#include "base/alloc.h"
#include "base/vec.h"
#include "report/html.h"
#include "report/layout.h"
#include "report/page.h"
#include "report/poc.h"
#include "report/verify.h"

static const char style[] =
    "figure{overflow-x:auto;margin:0}svg text{font:12px monospace;fill:currentColor}"
    ".object rect{fill:none;stroke:currentColor}.object.mixed rect{stroke-dasharray:6 3}"
    ".object.symbolic rect{stroke-dasharray:2 3}.object .label{font-weight:bold}"
    ".pointer{fill:none;stroke:currentColor}\n";

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

/* The object graph: what the call is given above, what is reached from there below. How much of an object is
 * symbols is told by its frame. */
static void draw_objects(struct buf *out, json_t *graph)
{
    enum { DRAWN = 60, CHARS = 30, CHAR_WIDTH = 7, LINE_HEIGHT = 16 };
    json_t *objects = json_object_get(graph, "objects"), *edges = json_object_get(graph, "edges"), *o, *e;
    size_t n = json_array_size(objects), i;
    if (!n || n > DRAWN)
        return;
    VEC(struct layout_edge) edge = VEC_INIT;
    VEC(const char *) name = VEC_INIT;
    struct layout_node *node = xcalloc(n + 1, sizeof *node);
    bool *reached = xcalloc(n + 1, sizeof *reached);
    struct buf *label = xcalloc(n + 1, sizeof *label);
    /* node 0 is the call; the page shows it as the function's name */
    node[0] = (struct layout_node){.width = 9 * CHAR_WIDTH, .height = LINE_HEIGHT + 8};
    json_array_foreach(objects, i, o)
    {
        buf_printf(&label[i], "%.*s", CHARS, str(o, "name"));
        size_t len = strlen(str(o, "type"));
        len = len > label[i].len ? len : label[i].len;
        len = len < 12 ? 12 : len > CHARS ? CHARS : len;
        node[i + 1] =
            (struct layout_node){.width = (int)len * CHAR_WIDTH + 14, .height = 3 * LINE_HEIGHT + 6};
    }
    json_array_foreach(edges, i, e)
    {
        size_t from = (size_t)num(e, "from"), to = (size_t)num(e, "to");
        if (from >= n || to >= n)
            continue;
        vec_push(&edge, (struct layout_edge){.from = from + 1, .to = to + 1});
        vec_push(&name, str(e, "pointer"));
        reached[to] = reached[to] || to > from;
    }
    for (i = 0; i < n; i++)
        if (!reached[i]) {
            vec_push(&edge, (struct layout_edge){.from = 0, .to = i + 1});
            vec_push(&name, "");
        }
    struct layout l = {.node = node, .nnodes = n + 1, .edge = edge.data, .nedges = edge.len};
    layout_graph(&l);
    buf_puts(out, "<figure>");
    html_svg(out, &l, "objects of the snapshot and what points to what", "arrow");
    for (i = 0; i < l.nedges; i++) {
        buf_puts(out, "<path class=\"pointer\"");
        html_svg_edge(out, &l.edge[i], "arrow");
        buf_puts(out, "><title>");
        html_text(out, name.data[i]);
        buf_puts(out, "</title></path>\n");
    }
    buf_printf(out, "<text x=\"%d\" y=\"%d\">the call</text>\n", node[0].x + 4, node[0].y + LINE_HEIGHT);
    json_array_foreach(objects, i, o)
    {
        const struct layout_node *at = &node[i + 1];
        json_int_t bytes = num(o, "bytes"), open = num(o, "symbolic_bytes");
        buf_printf(
            out,
            "<a href=\"#o%zu\"><g class=\"object %s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "rx=\"3\"/><text class=\"label\" x=\"%d\" y=\"%d\">",
            i,
            open == 0       ? "concrete"
            : open == bytes ? "symbolic"
                            : "mixed",
            at->x, at->y, at->width, at->height, at->x + 7, at->y + LINE_HEIGHT);
        html_text(out, buf_text(&label[i]));
        buf_printf(out, "</text><text x=\"%d\" y=\"%d\">", at->x + 7, at->y + 2 * LINE_HEIGHT);
        buf_clear(&label[i]);
        buf_printf(&label[i], "%.*s", CHARS, str(o, "type"));
        html_text(out, buf_text(&label[i]));
        buf_printf(out,
                   "</text><text x=\"%d\" y=\"%d\">%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT
                   " symbolic</text></g></a>\n",
                   at->x + 7, at->y + 3 * LINE_HEIGHT, open, bytes);
        buf_free(&label[i]);
    }
    buf_puts(
        out,
        "</svg>\n<figcaption>Solid frames are kept as they were, dashed ones are symbols in part, dotted "
        "ones wholly.</figcaption></figure>\n");
    layout_free(&l);
    free(node);
    free(reached);
    free(label);
    vec_free(&edge);
    vec_free(&name);
}

static void put_objects(struct buf *out, json_t *graph)
{
    json_t *objects = json_object_get(graph, "objects"), *edges = json_object_get(graph, "edges"), *o, *e;
    size_t i, k;
    buf_puts(out, "<section id=\"objects\">\n<h2>The snapshot</h2>\n");
    draw_objects(out, graph);
    buf_puts(out,
             "<table><caption>Objects that the call "
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

/* What `assay verify` says of it; functions have numbers from *functions on. */
static void put_verified(struct buf *out, json_t *v, size_t *functions)
{
    if (!json_is_object(v))
        return;
    buf_puts(out, "<h3>assay verify ");
    if (has(v, "verdict"))
        buf_printf(out, "<span class=\"verdict %s\">%s</span>", str(v, "verdict"),
                   report_verdict_text(str(v, "verdict")));
    buf_puts(out, "</h3>\n<p>");
    html_text(out, has(v, "error") ? str(v, "error") : str(json_object_get(v, "headline"), "text"));
    buf_puts(out, "</p>\n");
    *functions = html_verified(out, v, *functions);
}

static void put_candidate(struct buf *out, json_t *c, size_t n, size_t *functions)
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
    if (!has(c, "same_as"))
        put_verified(out, json_object_get(c, "verify"), functions);
    buf_puts(out, "</section>\n");
}

void report_poc_html(json_t *doc, struct buf *out)
{
    json_t *original = json_object_get(doc, "original"), *c;
    size_t i, functions = 0;
    html_head(out, "assay poc", style, false);
    buf_puts(out, "<body>\n<header>\n<h1>assay poc</h1>\n<p>");
    html_text(out, str(original, "file"));
    if (str(original, "function")[0]) {
        buf_puts(out, " crashes in ");
        if (num(original, "call"))
            buf_printf(out, "call %" JSON_INTEGER_FORMAT " of ", num(original, "call"));
        buf_puts(out, "<code>");
        html_text(out, str(original, "function"));
        buf_puts(out, "</code>: ");
        html_text(out, str(original, "crash"));
    }
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
    json_array_foreach(json_object_get(doc, "candidates"), i, c) put_candidate(out, c, i, &functions);
    buf_puts(out,
             "</main>\n<footer><p class=\"dim\">assay " ASSAY_VERSION "</p></footer>\n</body>\n</html>\n");
}
