/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay verify` as one page: no other file, no network, usable from the keyboard, without scripts, and on
 * paper. */
#include "report/html.h"

#include <stdio.h>
#include <string.h>

#include "assay/assay.h"
#include "report/page.h"
#include "report/verify.h"

extern const char *const html_style[], *const html_script[]; /* data/page.css, data/page.js */

void html_text(struct buf *out, const char *s)
{
    for (; *s; s++) {
        switch (*s) {
        case '<':
            buf_puts(out, "&lt;");
            break;
        case '>':
            buf_puts(out, "&gt;");
            break;
        case '&':
            buf_puts(out, "&amp;");
            break;
        case '"':
            buf_puts(out, "&quot;");
            break;
        case '\'':
            buf_puts(out, "&#39;");
            break;
        default:
            buf_putc(out, *s);
        }
    }
}

static void put_lines(struct buf *out, const char *const *line)
{
    for (; *line; line++)
        buf_printf(out, "%s\n", *line);
}

void html_svg(struct buf *out, const struct layout *l, const char *label, const char *arrow)
{
    buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "role=\"group\" aria-label=\"%s\">\n<defs><marker id=\"%s\" "
        "viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto-start-reverse\" markerUnits=\"userSpaceOnUse\"><path d=\"M0 0L8 4L0 8z\" "
        "style=\"fill:currentColor;stroke:none\"/></marker></defs>\n",
        l->width, l->height, l->width, l->height, label, arrow);
}

void html_svg_edge(struct buf *out, const struct layout_edge *e, const char *arrow)
{
    buf_puts(out, " d=\"");
    for (size_t i = 0; i < e->npoints; i++)
        buf_printf(out, "%c%d %d", i ? 'L' : 'M', e->x[i], e->y[i]);
    buf_printf(out, "\" marker-end=\"url(#%s)\"", arrow);
}

void html_head(struct buf *out, const char *title, const char *style, bool scripts)
{
    buf_printf(out,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
               "'unsafe-inline'%s\">\n<title>",
               scripts ? "; script-src 'unsafe-inline'" : "");
    html_text(out, title);
    buf_puts(out, "</title>\n<style>\n");
    put_lines(out, html_style);
    buf_printf(out, "%s</style>\n</head>\n", style);
}

/* <open>TEXT<close> */
static void wrapped(struct buf *out, const char *open, const char *text, const char *close)
{
    buf_puts(out, open);
    html_text(out, text);
    buf_puts(out, close);
}

static void fact(struct buf *out, const char *name, const char *value)
{
    if (!*value)
        return;
    wrapped(out, "<dt>", name, "</dt>");
    wrapped(out, "<dd>", value, "</dd>\n");
}

/* ---- differences ---- */

static void put_expressions(struct buf *out, json_t *d)
{
    if (!has(d, "old") && !has(d, "new"))
        return;
    buf_puts(out, "<p>");
    if (has(d, "old"))
        wrapped(out, "was <code class=\"was\">", str(d, "old"), "</code> ");
    if (has(d, "new"))
        wrapped(out, "is <code class=\"now\">", str(d, "new"), "</code>");
    buf_puts(out, "</p>\n");
}

static void put_inputs(struct buf *out, json_t *d)
{
    json_t *inputs = json_object_get(d, "inputs"), *e;
    size_t i;
    if (!json_array_size(inputs))
        return;
    buf_puts(out, "<table class=\"inputs\"><caption class=\"dim\">an input on which they "
                  "differ</caption><thead><tr><th "
                  "scope=\"col\">input</th><th scope=\"col\">value</th></tr></thead><tbody>\n");
    json_array_foreach(inputs, i, e)
    {
        wrapped(out, "<tr><td><code>", str(e, "name"), "</code></td>");
        wrapped(out, "<td><code>", str(e, "value"), "</code></td></tr>\n");
    }
    buf_puts(out, "</tbody></table>\n");
}

static void put_share(struct buf *out, json_t *d)
{
    enum { PERCENT = 10000 };
    char text[160];
    if (!json_is_integer(json_object_get(d, "share_ppm")))
        return;
    snprintf(text, sizeof text, "about %.4g %% of inputs; certainly between %.4g %% and %.4g %%",
             (double)num(d, "share_ppm") / PERCENT, (double)num(d, "share_ppm_low") / PERCENT,
             (double)num(d, "share_ppm_high") / PERCENT);
    fact(out, "share", text);
}

/* One version's run on the input: a row a block. */
static void put_steps(struct buf *out, json_t *list, const char *caption)
{
    json_t *e, *x;
    size_t i, k;
    if (!json_array_size(list))
        return;
    wrapped(out, "<table class=\"steps\"><caption>", caption,
            "</caption><thead><tr><th scope=\"col\">block</th><th scope=\"col\">changed registers</th>"
            "<th scope=\"col\">memory read and written</th></tr></thead><tbody>\n");
    json_array_foreach(list, i, e)
    {
        wrapped(out, "<tr><th scope=\"row\">", has(e, "block") ? str(e, "block") : "end", "</th><td>");
        json_array_foreach(json_object_get(e, "registers"), k, x)
        {
            buf_puts(out, k ? ", " : "");
            html_text(out, json_string_value(json_array_get(x, 0)));
            wrapped(out, " = ", json_string_value(json_array_get(x, 1)), "");
        }
        buf_puts(out, "</td><td>");
        json_array_foreach(json_object_get(e, "memory"), k, x)
        {
            buf_puts(out, k ? "<br>" : "");
            buf_puts(out, json_is_true(json_array_get(x, 2)) ? "<strong>writes</strong> " : "reads ");
            html_text(out, json_string_value(json_array_get(x, 0)));
            wrapped(out, " = ", json_string_value(json_array_get(x, 1)), "");
        }
        buf_puts(out, "</td></tr>\n");
    }
    buf_puts(out, "</tbody></table>\n");
}

static void put_run(struct buf *out, json_t *d)
{
    json_t *old = json_object_get(d, "old_steps"), *new = json_object_get(d, "new_steps");
    if (!json_array_size(old) && !json_array_size(new))
        return;
    buf_puts(out, "<details class=\"run\" open><summary>values at each step</summary>\n<div>\n");
    put_steps(out, old, "old version");
    put_steps(out, new, "new version");
    buf_puts(out, "</div></details>\n");
}

static void put_difference(struct buf *out, json_t *d, size_t trace)
{
    bool accepted = json_is_true(json_object_get(d, "accepted"));
    buf_printf(out, "<li%s><p><strong>", accepted ? " class=\"accepted\"" : "");
    html_text(out, str(d, "property"));
    if (has(d, "question"))
        wrapped(out, " (", str(d, "question"), ")");
    wrapped(out, "</strong> ", str(d, "what"), accepted ? " <em>accepted</em></p>\n" : "</p>\n");
    put_expressions(out, d);
    buf_puts(out, "<dl class=\"facts\">\n");
    fact(out, "when", has(d, "condition") ? str(d, "condition") : "always");
    put_share(out, d);
    fact(out, "old version", has(d, "old_line") ? str(d, "old_line") : str(d, "old_site"));
    fact(out, "new version", has(d, "new_line") ? str(d, "new_line") : str(d, "new_site"));
    struct buf replay = BUF_INIT;
    buf_printf(&replay, "%s%s%s", str(d, "replay"), has(d, "replay_reason") ? ": " : "",
               str(d, "replay_reason"));
    fact(out, "replay", buf_text(&replay));
    buf_free(&replay);
    fact(out, "key", str(d, "key"));
    buf_puts(out, "</dl>\n");
    put_inputs(out, d);
    if (json_array_size(json_object_get(d, "old_trace")) || json_array_size(json_object_get(d, "new_trace")))
        buf_printf(out,
                   "<button type=\"button\" hidden data-trace=\"%zu\" aria-pressed=\"%s\">show its path "
                   "through both versions</button>\n",
                   trace, trace == 0 ? "true" : "false");
    put_run(out, d);
    buf_puts(out, "</li>\n");
}

/* ---- the ledger ---- */

static void put_exits(struct buf *out, json_t *f)
{
    json_t *list = json_object_get(f, "exits"), *e;
    size_t i;
    if (!json_array_size(list))
        return;
    buf_puts(
        out,
        "<h3>Exits</h3>\n<table><thead><tr><th scope=\"col\">version</th><th scope=\"col\">address</th><th "
        "scope=\"col\">class</th><th scope=\"col\">by</th><th scope=\"col\">why</th></tr></thead><tbody>\n");
    json_array_foreach(list, i, e)
    {
        wrapped(out, "<tr><td>", str(e, "side"), "</td>");
        wrapped(out, "<td><code>", str(e, "address"), "</code></td>");
        wrapped(out, "<td>", str(e, "class"), "</td>");
        wrapped(out, "<td>", str(e, "by"), "</td>");
        wrapped(out, "<td>", has(e, "why") ? str(e, "why") : str(e, "end"), "");
        if (has(e, "when"))
            wrapped(out, " when <code>", str(e, "when"), "</code>");
        buf_puts(out, "</td></tr>\n");
    }
    buf_puts(out, "</tbody></table>\n");
}

static void put_ledger(struct buf *out, json_t *f)
{
    json_t *assumptions = json_object_get(f, "assumptions"), *rests = json_object_get(f, "rests_on"),
           *warnings = json_object_get(f, "warnings"), *e;
    size_t i;
    if (json_array_size(assumptions))
        buf_puts(out, "<h3>Assumptions</h3>\n<dl class=\"facts\">\n");
    json_array_foreach(assumptions, i, e)
    {
        struct buf b = BUF_INIT;
        buf_printf(&b, "%s%s%lld time%s", str(e, "text"), has(e, "text") ? "; " : "",
                   (long long)num(e, "count"), num(e, "count") == 1 ? "" : "s");
        fact(out, str(e, "name"), buf_text(&b));
        buf_free(&b);
    }
    if (json_array_size(assumptions))
        buf_puts(out, "</dl>\n");
    if (json_array_size(rests))
        buf_puts(out, "<h3>Callees that changed</h3>\n<ul>\n");
    json_array_foreach(rests, i, e)
    {
        wrapped(out, "<li><code>", str(e, "name"), "</code>: ");
        bool given = json_is_true(json_object_get(e, "given_accepted"));
        wrapped(out, "", str(e, "verdict"), given ? ", given accepted differences</li>\n" : "</li>\n");
    }
    if (json_array_size(rests))
        buf_puts(out, "</ul>\n");
    if (json_array_size(warnings))
        buf_puts(out, "<h3>Warnings</h3>\n<ul>\n");
    json_array_foreach(warnings, i, e) wrapped(out, "<li>", json_string_value(e), "</li>\n");
    if (json_array_size(warnings))
        buf_puts(out, "</ul>\n");
    put_exits(out, f);
}

/* ---- a function ---- */

static void put_function(struct buf *out, json_t *f, size_t n)
{
    const char *verdict = str(f, "verdict");
    json_t *list = json_object_get(f, "differences"), *d;
    size_t i;
    buf_printf(out,
               "<section id=\"f%zu\" aria-labelledby=\"f%zu-name\">\n<h2 id=\"f%zu-name\" tabindex=\"-1\">",
               n, n, n);
    wrapped(out, "<code>", str(f, "name"), "</code> ");
    struct buf readable = BUF_INIT;
    if (readable_name(&readable, str(f, "name")))
        wrapped(out, "<code>", buf_text(&readable), "</code> ");
    buf_free(&readable);
    buf_printf(out, "<span class=\"verdict %s\">%s</span></h2>\n<dl class=\"facts\">\n", verdict,
               report_verdict_text(verdict));
    struct buf b = BUF_INIT;
    json_array_foreach(json_object_get(f, "failed"), i, d)
        buf_printf(&b, "%s%s", i ? ", " : "", json_string_value(d));
    fact(out, strcmp(verdict, "unsafe") == 0 ? "does not hold" : "not proved", buf_text(&b));
    fact(out, "reason", str(f, "reason"));
    json_array_foreach(json_object_get(f, "now_rejects"), i, d)
        fact(out, "now rejects", has(d, "when") ? str(d, "when") : "inputs that it accepted");
    for (int side = 0; side < 2; side++) {
        json_t *place = json_object_get(f, side ? "new" : "old");
        buf_clear(&b);
        buf_printf(&b, "%s at %s, %lld bytes", str(place, "name"), str(place, "address"),
                   (long long)num(place, "size"));
        fact(out, side ? "new version" : "old version", buf_text(&b));
    }
    buf_free(&b);
    buf_puts(out, "</dl>\n");
    if (json_array_size(list))
        buf_puts(out, "<h3>Differences</h3>\n<ol class=\"differences\">\n");
    json_array_foreach(list, i, d) put_difference(out, d, i);
    if (json_array_size(list))
        buf_puts(out, "</ol>\n");
    if (json_object_get(f, "graphs")) {
        html_graphs(out, f, n);
        html_code(out, f);
    }
    put_ledger(out, f);
    buf_puts(out, "</section>\n");
}

/* ---- files ---- */

static void put_names(struct buf *out, json_t *file, const char *list, const char *title)
{
    json_t *e, *names = json_object_get(file, list);
    size_t i;
    if (!json_array_size(names))
        return;
    buf_printf(out, "<h3>%s</h3>\n<ul>\n", title);
    json_array_foreach(names, i, e) wrapped(
        out, "<li><code>", json_is_string(e) ? json_string_value(e) : str(e, "name"), "</code></li>\n");
    buf_puts(out, "</ul>\n");
}

static void put_file(struct buf *out, json_t *doc, json_t *file, bool single)
{
    json_t *new = json_object_get(file, "new"), *old = json_object_get(file, "old"), *e;
    const char *verdict = str(file, "verdict");
    size_t i;
    wrapped(out, "<section class=\"file\">\n<h2 tabindex=\"-1\">",
            single ? "The files" : str(json_is_object(new) ? new : old, "path"), " ");
    buf_printf(out, "<span class=\"verdict %s\">%s</span></h2>\n", verdict, report_verdict_text(verdict));
    buf_puts(out, "<dl class=\"facts\">\n");
    fact(out, "old", str(json_object_get(doc, "input"), "old"));
    fact(out, "old sha256", str(old, "sha256"));
    fact(out, "new", str(json_object_get(doc, "input"), "new"));
    fact(out, "new sha256", str(new, "sha256"));
    fact(out, "status", str(file, "status"));
    fact(out, "not compared", str(file, "error"));
    json_array_foreach(json_object_get(file, "reasons"), i, e) fact(out, "unknown", json_string_value(e));
    json_array_foreach(json_object_get(file, "outside"), i, e) if (!json_is_true(json_object_get(e, "matters")))
        fact(out, "note", str(e, "text"));
    json_array_foreach(json_object_get(file, "data"), i, e)
    {
        struct buf b = BUF_INIT;
        buf_printf(&b, "%s %s: was %s, is %s", str(e, "name"), str(e, "new"), str(e, "old_content"),
                   str(e, "new_content"));
        fact(out, "data changed", buf_text(&b));
        buf_free(&b);
    }
    buf_puts(out, "</dl>\n");
    put_names(out, file, "added", "Added functions");
    put_names(out, file, "removed", "Removed functions");
    put_names(out, file, "ignored", "Functions ignored by the configuration");
    buf_puts(out, "</section>\n");
}

/* What matters comes first: behaviour that changes, what is undecided, what is safe, and what differs as
 * every rebuild does or was told with another file. */
enum { RANKS = 5 };

static int rank_of(json_t *f)
{
    return has(f, "group") || has(f, "same_in")        ? RANKS - 1
           : strcmp(str(f, "verdict"), "unsafe") == 0  ? 0
           : strcmp(str(f, "verdict"), "unknown") == 0 ? 1
           : strcmp(str(f, "verdict"), "bounded") == 0 ? 2
                                                       : 3;
}

/* Files go by the first of their functions. */
static int rank_of_file(json_t *file)
{
    int best = RANKS;
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(file, "functions"), i, f) best = rank_of(f) < best ? rank_of(f) : best;
    return best;
}

/* Lists of the files and of their functions in that order: [[file, [function...]]...]. */
static json_t *ordered(json_t *files)
{
    json_t *out = json_array(), *file, *f;
    size_t i, k;
    for (int rank = 0; rank <= RANKS; rank++)
        json_array_foreach(files, i, file)
        {
            if (rank_of_file(file) != rank)
                continue;
            json_t *list = json_array();
            for (int r = 0; r < RANKS; r++)
                json_array_foreach(json_object_get(file, "functions"), k, f)
                {
                    if (rank_of(f) == r)
                        json_array_append(list, f);
                }
            json_array_append_new(out, json_pack("[O, o]", file, list));
        }
    return out;
}

static void put_contents(struct buf *out, json_t *order)
{
    json_t *pair, *f;
    size_t i, k, n = 0;
    buf_puts(out, "<nav aria-label=\"functions\"><ul>\n");
    json_array_foreach(order, i, pair) json_array_foreach(json_array_get(pair, 1), k, f)
    {
        buf_printf(out, "<li><a href=\"#f%zu\"><code>", n++);
        html_text(out, str(f, "name"));
        buf_printf(out, "</code></a> <span class=\"%s\">%s</span>", str(f, "verdict"), str(f, "verdict"));
        if (has(f, "group"))
            wrapped(out, " <span class=\"dim\">only ", str(f, "group"), "</span>");
        else if (has(f, "same_in"))
            wrapped(out, " <span class=\"dim\">as in ", str(f, "same_in"), "</span>");
        buf_puts(out, "</li>\n");
    }
    buf_puts(out, "</ul></nav>\n");
}

static void put_head(struct buf *out, json_t *doc)
{
    const char *verdict = str(doc, "verdict");
    json_t *s = json_object_get(doc, "summary"), *input = json_object_get(doc, "input"), *e;
    size_t i;
    struct buf title = BUF_INIT;
    buf_printf(&title, "%s: %s", report_verdict_text(verdict), str(input, "new"));
    html_head(out, buf_text(&title), "", true);
    buf_free(&title);
    buf_puts(out, "<body>\n<a class=\"skip\" href=\"#content\">skip to the "
                  "functions</a>\n<header>\n");
    buf_printf(out, "<h1 class=\"%s\">%s", verdict, report_verdict_text(verdict));
    if (num(s, "accepted"))
        buf_printf(out, ", given %lld accepted difference%s", (long long)num(s, "accepted"),
                   num(s, "accepted") == 1 ? "" : "s");
    else if (num(s, "given_accepted"))
        buf_puts(out, ", given differences that were accepted");
    buf_puts(out, "</h1>\n");
    if (strcmp(str(doc, "reason"), "identical") != 0)
        wrapped(out, "<p class=\"headline\"><strong>", str(json_object_get(doc, "headline"), "text"),
                "</strong></p>\n");
    buf_puts(out, "<p>");
    buf_printf(out,
               "Changed functions: %lld safe, %lld unsafe, %lld unknown, %lld bounded; %lld identical, %lld "
               "added, %lld removed.",
               (long long)num(s, "safe"), (long long)num(s, "unsafe"), (long long)num(s, "unknown"),
               (long long)num(s, "bounded"), (long long)num(s, "identical"), (long long)num(s, "added"),
               (long long)num(s, "removed"));
    if (has(doc, "reason"))
        wrapped(out, " ", str(doc, "reason"), ".");
    buf_puts(out, "</p>\n");
    json_array_foreach(json_object_get(doc, "warnings"), i, e)
        wrapped(out, "<p class=\"unknown\">", json_string_value(e), "</p>\n");
    json_t *remedies = report_verify_remedies(doc);
    json_array_foreach(remedies, i, e)
    {
        wrapped(out, "<p class=\"remedy\">Remedy for ", str(e, "for"), ": ");
        wrapped(out, "", str(e, "remedy"), ".</p>\n");
    }
    json_decref(remedies);
    buf_puts(out,
             "<p class=\"keys\">Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous function, <kbd>n</kbd> "
             "<kbd>p</kbd> next and previous changed block, <kbd>Tab</kbd> every element in "
             "turn.</p>\n</header>\n");
}

static size_t put_ordered(struct buf *out, json_t *doc, json_t *order, size_t n)
{
    json_t *pair, *f;
    size_t i, k;
    bool single = is_single(json_object_get(doc, "files"));
    json_array_foreach(order, i, pair)
    {
        if (!single)
            put_file(out, doc, json_array_get(pair, 0), single);
        json_array_foreach(json_array_get(pair, 1), k, f) put_function(out, f, n++);
        if (single)
            put_file(out, doc, json_array_get(pair, 0), single);
    }
    return n;
}

size_t html_verified(struct buf *out, json_t *doc, size_t n)
{
    json_t *order = ordered(json_object_get(doc, "files"));
    n = put_ordered(out, doc, order, n);
    json_decref(order);
    return n;
}

void report_html(const struct report *r, struct buf *out)
{
    json_t *doc = report_document((struct report *)r), *order = ordered(json_object_get(doc, "files"));
    put_head(out, doc);
    put_contents(out, order);
    buf_puts(out, "<main id=\"content\">\n");
    put_ordered(out, doc, order, 0);
    json_decref(order);
    buf_puts(out, "</main>\n<footer><p class=\"dim\">assay " ASSAY_VERSION "</p></footer>\n<script>\n");
    put_lines(out, html_script);
    buf_puts(out, "</script>\n</body>\n</html>\n");
}
