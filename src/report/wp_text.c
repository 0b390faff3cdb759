/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `assay wp` prints: as CBAT does where it says the same, and the reasons below. */
#include <inttypes.h>
#include <string.h>

#include "report/html.h"
#include "report/page.h"
#include "report/wp.h"

static const char *headline(json_t *e)
{
    const char *v = str(e, "verdict");
    return strcmp(v, "unsat") == 0    ? "UNSAT!"
           : strcmp(v, "sat") == 0    ? "SAT!"
           : strcmp(v, "absent") == 0 ? "-"
                                      : "UNKNOWN!";
}

static void put_register(struct buf *out, json_t *r, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", str(r, "name"), suffix);
    buf_printf(out, "    %-8s |->  #x%s\n", name, str(r, "value") + 2);
}

static void put_pieces(struct buf *out, json_t *run, const char *suffix)
{
    json_t *r;
    size_t k;
    json_array_foreach(json_object_get(run, "memory"), k, r)
    {
        if (is_true(r, "matters"))
            buf_printf(out, "    mem%s[%s]  |->  %s\n", suffix, str(r, "address"), str(r, "bytes"));
    }
}

/* What two versions start with is the same, but for addresses of things that lie elsewhere. */
static void put_model(struct buf *out, json_t *e)
{
    json_t *runs = json_object_get(e, "runs"), *r;
    json_t *a = json_array_get(runs, 0), *b = json_array_get(runs, 1);
    json_t *mine = json_object_get(a, "registers"), *other = json_object_get(b, "registers");
    size_t k;
    buf_puts(out, "\nModel:\n");
    json_array_foreach(mine, k, r)
    {
        json_t *there = b ? json_array_get(other, k) : r;
        bool same = strcmp(str(r, "value"), str(there, "value")) == 0;
        if (is_true(r, "matters") || is_true(there, "matters"))
            put_register(out, r, same ? "" : "_orig");
        if (!same && (is_true(r, "matters") || is_true(there, "matters")))
            put_register(out, there, "_mod");
    }
    bool same = !b || json_equal(json_object_get(a, "memory"), json_object_get(b, "memory"));
    put_pieces(out, a, same ? "" : "_orig");
    if (!same)
        put_pieces(out, b, "_mod");
}

static void put_goals(struct buf *out, json_t *e)
{
    json_t *g;
    size_t i;
    buf_puts(out, "\nRefuted goals:\n");
    json_array_foreach(json_object_get(e, "refuted"), i, g)
    {
        buf_printf(out, "    %s%s%s%s\n", str(g, "tag"), *str(g, "version") ? " [" : "", str(g, "version"),
                   *str(g, "version") ? "]" : "");
        if (*str(g, "values"))
            buf_printf(out, "        %s\n", str(g, "values"));
    }
}

static void put_paths(struct buf *out, json_t *e)
{
    json_t *run, *x, *r;
    size_t i, k, n;
    json_array_foreach(json_object_get(e, "runs"), i, run)
    {
        buf_printf(out, "\nPath%s%s%s:\n", *str(run, "version") ? " of the " : "", str(run, "version"),
                   *str(run, "version") ? " version" : "");
        json_array_foreach(json_object_get(run, "path"), k, x)
        {
            buf_printf(out, "    %s", str(x, "block"));
            json_array_foreach(json_object_get(x, "changed"), n, r)
                buf_printf(out, "%s%s=%s", n ? " " : "  ", str(r, "name"), str(r, "value"));
            buf_putc(out, '\n');
        }
        json_array_foreach(json_object_get(run, "calls"), k, x)
        {
            buf_printf(out, "    calls %s at %s%s", str(x, "name"), str(x, "site"),
                       is_true(x, "summarised") ? " (summarised)" : "");
            if (*str(x, "result"))
                buf_printf(out, ", which returns %s", str(x, "result"));
            buf_putc(out, '\n');
        }
        buf_printf(out, "    %s\n", str(run, "end"));
    }
}

static void put_notes(struct buf *out, json_t *e)
{
    json_t *n;
    size_t i;
    if (!json_array_size(json_object_get(e, "rests_on")))
        return;
    buf_puts(out, "\nAssumes:\n");
    json_array_foreach(json_object_get(e, "rests_on"), i, n)
        buf_printf(out, "    %s\n", json_string_value(n));
}

static void put_one(struct buf *out, json_t *e)
{
    json_t *text;
    size_t i;
    json_array_foreach(json_object_get(e, "ir"), i, text) buf_printf(out, "%s\n", json_string_value(text));
    json_array_foreach(json_object_get(e, "internal"), i, text) buf_printf(out, "%s\n", json_string_value(text));
    if (*str(e, "smtlib"))
        buf_printf(out, "%s\n", str(e, "smtlib"));
    buf_printf(out, "%s\n", headline(e));
    if (*str(e, "reason"))
        buf_printf(out, "    %s\n", str(e, "reason"));
    if (strcmp(str(e, "verdict"), "unsat") == 0 && is_true(e, "bounded"))
        buf_printf(out, "    for up to %d loop iterations\n",
                   (int)json_integer_value(json_object_get(e, "unrolled")));
    if (json_object_get(e, "runs")) {
        put_model(out, e);
        put_goals(out, e);
        if (is_true(e, "show_paths"))
            put_paths(out, e);
    }
    put_notes(out, e);
}

void report_wp_text(json_t *doc, bool color, struct buf *out)
{
    (void)color;
    if (is_true(doc, "page")) {
        report_wp_page(doc, out);
        return;
    }
    json_t *list = json_object_get(doc, "checked"), *e;
    size_t i;
    if (!is_true(doc, "several")) {
        if (json_array_size(list))
            put_one(out, json_array_get(list, 0));
        return;
    }
    unsigned count[4] = {0};
    json_array_foreach(list, i, e)
    {
        buf_printf(out, "%-8s  %s%s%s\n", headline(e), str(e, "function"), *str(e, "reason") ? ": " : "",
                   str(e, "reason"));
        const char *v = str(e, "verdict");
        count[strcmp(v, "unsat") == 0 ? 0 : strcmp(v, "sat") == 0 ? 1 : strcmp(v, "absent") == 0 ? 3 : 2]++;
    }
    buf_printf(out, "%u hold, %u do not, %u unknown", count[0], count[1], count[2]);
    if (count[3])
        buf_printf(out, "; %u not in the modified program", count[3]);
    buf_putc(out, '\n');
}

/* ---- the page ---- */

static const char style[] =
    "body{font-family:sans-serif;margin:2em;max-width:70em}pre,td,th{font-family:monospace}"
    "table{border-collapse:collapse}td,th{padding:.1em .8em;text-align:left;border-bottom:1px solid #ddd}"
    ".unsat{color:#060}.sat{color:#a00}.unknown{color:#a60}.runs{display:flex;gap:2em;flex-wrap:wrap}"
    ".block{border:1px solid #bbb;margin:.4em 0;padding:.3em .6em;white-space:pre;font-family:monospace}"
    ".taken{border:2px solid #c00;background:#fff3f0}";

static void page_code(struct buf *out, json_t *run)
{
    json_t *b, *line;
    size_t i, k;
    buf_printf(out, "<div><h3>%s</h3>", *str(run, "version") ? str(run, "version") : "path");
    json_array_foreach(json_object_get(run, "code"), i, b)
    {
        buf_printf(out, "<div class=\"block%s\">", is_true(b, "taken") ? " taken" : "");
        json_array_foreach(json_object_get(b, "code"), k, line)
        {
            buf_printf(out, "%s  ", str(line, "address"));
            html_text(out, str(line, "text"));
            buf_putc(out, '\n');
        }
        buf_puts(out, "</div>");
    }
    buf_puts(out, "</div>");
}

void report_wp_page(json_t *doc, struct buf *out)
{
    json_t *e, *x;
    size_t i, k;
    buf_printf(out,
               "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>assay "
               "wp</title><style>%s</style>"
               "</head><body>\n",
               style);
    json_array_foreach(json_object_get(doc, "checked"), i, e)
    {
        buf_puts(out, "<h1>");
        html_text(out, str(e, "function"));
        buf_printf(out, ": <span class=\"%s\">%s</span></h1>\n", str(e, "verdict"), headline(e));
        if (*str(e, "reason")) {
            buf_puts(out, "<p>");
            html_text(out, str(e, "reason"));
            buf_puts(out, "</p>\n");
        }
        if (json_object_get(e, "runs")) {
            buf_puts(out, "<h2>Refuted goals</h2><ul>");
            json_array_foreach(json_object_get(e, "refuted"), k, x)
            {
                buf_puts(out, "<li>");
                html_text(out, str(x, "tag"));
                if (*str(x, "values")) {
                    buf_puts(out, ": ");
                    html_text(out, str(x, "values"));
                }
                buf_puts(out, "</li>");
            }
            buf_puts(out, "</ul>\n<h2>Countermodel</h2><table>");
            json_t *run = json_array_get(json_object_get(e, "runs"), 0);
            json_array_foreach(json_object_get(run, "registers"), k, x) if (is_true(x, "matters"))
                buf_printf(out, "<tr><td>%s</td><td>%s</td></tr>", str(x, "name"), str(x, "value"));
            json_array_foreach(json_object_get(run, "memory"), k, x) if (is_true(x, "matters"))
                buf_printf(out, "<tr><td>mem[%s]</td><td>%s</td></tr>", str(x, "address"), str(x, "bytes"));
            buf_puts(out, "</table>\n<h2>Path</h2><div class=\"runs\">");
            json_array_foreach(json_object_get(e, "runs"), k, x) page_code(out, x);
            buf_puts(out, "</div>\n");
        }
        buf_puts(out, "<h2>Assumptions</h2><ul>");
        json_array_foreach(json_object_get(e, "rests_on"), k, x)
        {
            buf_puts(out, "<li>");
            html_text(out, json_string_value(x));
            buf_puts(out, "</li>");
        }
        buf_puts(out, "</ul>\n");
    }
    buf_puts(out, "</body></html>\n");
}
