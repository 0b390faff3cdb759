/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay present` as one page, without scripts: a table of patches and programs, and what decided each of
 * them. */
#include <string.h>

#include "assay/assay.h"
#include "report/html.h"
#include "report/page.h"
#include "report/present.h"

static void put_cell(struct buf *out, const char *tag, const char *text)
{
    buf_printf(out, "<%s>", tag);
    html_text(out, text);
    buf_printf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

/* The page's colours are those of verdicts: safe, unsafe, unknown. */
static const char *class_of(const char *verdict)
{
    return strcmp(verdict, "patched") == 0 ? "safe" : present_is_unfixed(verdict) ? "unsafe" : "unknown";
}

static void put_verdict(struct buf *out, json_t *j)
{
    buf_printf(out, "<span class=\"verdict %s\">%s</span>", class_of(str(j, "verdict")), str(j, "verdict"));
}

static void put_side(struct buf *out, const char *label, json_t *side)
{
    buf_puts(out, "<tr>");
    put_cell(out, "th scope=\"row\"", label);
    put_cell(out, "td", json_is_object(side) ? str(side, "feature") : "nothing");
    put_cell(out, "td", str(side, "line"));
    put_cell(out, "td", is_true(side, "found") ? str(side, "address") : "not found");
    buf_puts(out, "</tr>\n");
}

static void put_feature(struct buf *out, json_t *f)
{
    buf_puts(out, "<table><caption>");
    html_text(out, str(f, "function"));
    buf_printf(out, ": indicates %s%s%s", str(f, "says"), is_true(f, "decided") ? ", and decides" : "",
               strcmp(str(f, "by"), "solver") == 0 ? " (by the solver)" : "");
    buf_puts(out, "</caption><thead><tr><th></th><th scope=\"col\">feature</th><th scope=\"col\">source</th>"
                  "<th scope=\"col\">in the target</th></tr></thead><tbody>\n");
    put_side(out, "before", json_object_get(f, "old"));
    put_side(out, "after", json_object_get(f, "new"));
    buf_puts(out, "</tbody></table>\n");
}

static void put_parts(struct buf *out, json_t *parts)
{
    json_t *p;
    size_t i;
    if (json_array_size(parts) == 0)
        return;
    buf_puts(out, "<table><caption>Parts of the patch</caption><thead><tr><th scope=\"col\">function</th>"
                  "<th scope=\"col\">change</th><th scope=\"col\">feature</th><th scope=\"col\">source</th>"
                  "<th scope=\"col\">in the target</th></tr></thead><tbody>\n");
    json_array_foreach(parts, i, p)
    {
        static const char *const column[] = {"function", "change", "feature", "line", "state"};
        buf_puts(out, "<tr>");
        for (size_t k = 0; k < sizeof column / sizeof *column; k++)
            put_cell(out, "td", str(p, column[k]));
        buf_puts(out, "</tr>\n");
    }
    buf_puts(out, "</tbody></table>\n");
}

static void put_result(struct buf *out, json_t *r, size_t n)
{
    json_t *f;
    size_t i;
    buf_printf(out, "<section id=\"r%zu\">\n<h2>", n);
    html_text(out, str(r, "patch"));
    buf_puts(out, " in ");
    html_text(out, str(r, "target"));
    buf_puts(out, "</h2>\n<p>");
    put_verdict(out, r);
    buf_printf(out, " confidence %.2f ", json_number_value(json_object_get(r, "confidence")));
    html_text(out, str(r, "reason"));
    buf_puts(out, "</p>\n<ul>\n");
    json_array_foreach(json_object_get(r, "functions"), i, f)
    {
        buf_puts(out, "<li><code>");
        html_text(out, str(f, "name"));
        buf_puts(out, "</code> ");
        html_text(out, str(f, "address"));
        buf_putc(out, ' ');
        put_verdict(out, f);
        buf_putc(out, ' ');
        html_text(out, str(f, "reason"));
        buf_puts(out, "</li>\n");
    }
    buf_puts(out, "</ul>\n");
    put_parts(out, json_object_get(r, "parts"));
    json_array_foreach(json_object_get(r, "features"), i, f) if (strcmp(str(f, "says"), "nothing") != 0)
        put_feature(out, f);
    buf_puts(out, "</section>\n");
}

void report_present_html(json_t *doc, struct buf *out)
{
    json_t *results = json_object_get(doc, "results"), *r;
    size_t i;
    html_head(out, "assay present", "", false);
    buf_puts(out,
             "<body>\n<header>\n<h1>assay present</h1>\n</header>\n<main id=\"content\">\n"
             "<table><caption>Patches and programs</caption><thead><tr><th scope=\"col\">patch</th>"
             "<th scope=\"col\">verdict</th><th scope=\"col\">program</th></tr></thead><tbody>\n");
    json_array_foreach(results, i, r)
    {
        buf_puts(out, "<tr>");
        put_cell(out, "td", str(r, "patch"));
        buf_puts(out, "<td>");
        put_verdict(out, r);
        buf_printf(out, "</td><td><a href=\"#r%zu\">", i);
        html_text(out, str(r, "target"));
        buf_puts(out, "</a></td></tr>\n");
    }
    buf_puts(out, "</tbody></table>\n");
    json_array_foreach(results, i, r) put_result(out, r, i);
    buf_puts(out,
             "</main>\n<footer><p class=\"dim\">assay " ASSAY_VERSION "</p></footer>\n</body>\n</html>\n");
}
