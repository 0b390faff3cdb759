/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay verify` as a summary for a review comment, in Markdown as GitHub and GitLab read it. It is short:
 * what matters first, some functions of each kind by name, the rest counted. Names and expressions come from
 * files, and stand in code spans, where nothing of them can end the span. */
#include <string.h>

#include "report/page.h"
#include "report/verify.h"

enum { NAMED = 20, DIFFERENCES = 3, INPUTS = 6 };

/* A code span is as long as the longest row of backticks in it, and one more. */
static void code(struct buf *out, const char *text)
{
    size_t longest = 0, n = 0;
    for (const char *p = text; *p; p++) {
        n = *p == '`' ? n + 1 : 0;
        longest = n > longest ? n : longest;
    }
    bool pad = *text == '`' || (*text && text[strlen(text) - 1] == '`');
    for (size_t i = 0; i <= longest; i++)
        buf_putc(out, '`');
    buf_printf(out, "%s%s%s", pad ? " " : "", *text ? text : " ", pad ? " " : "");
    for (size_t i = 0; i <= longest; i++)
        buf_putc(out, '`');
}

static void plain(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>()#+-!|~&", *text))
            buf_putc(out, '\\');
        buf_putc(out, *text);
    }
}

/* ---- one function ---- */

static void put_change(struct buf *out, json_t *d)
{
    buf_printf(out, "%s ", str(d, "property"));
    plain(out, str(d, "what"));
    if (has(d, "old")) {
        buf_puts(out, has(d, "new") ? ": was " : ": removed: ");
        code(out, str(d, "old"));
    }
    if (has(d, "new")) {
        buf_puts(out, has(d, "old") ? ", is " : ": added: ");
        code(out, str(d, "new"));
    }
    if (has(d, "condition")) {
        buf_puts(out, ", when ");
        code(out, str(d, "condition"));
    }
    const char *line = has(d, "new_line") ? str(d, "new_line") : str(d, "old_line");
    if (*line) {
        buf_puts(out, " at ");
        code(out, line);
    }
    buf_putc(out, '\n');
}

static void put_input(struct buf *out, json_t *d)
{
    json_t *list = json_object_get(d, "inputs"), *e;
    size_t i;
    json_array_foreach(list, i, e)
    {
        if (i == INPUTS) {
            buf_printf(out, ", and %zu more", json_array_size(list) - i);
            break;
        }
        struct buf one = BUF_INIT;
        buf_printf(&one, "%s = %s", str(e, "name"), str(e, "value"));
        buf_puts(out, i ? ", " : "  - for example ");
        code(out, buf_text(&one));
        buf_free(&one);
    }
    if (json_array_size(list))
        buf_puts(out, strcmp(str(d, "replay"), "replayed") == 0 ? "; both versions were run on it\n" : "\n");
}

static void put_unsafe(struct buf *out, json_t *f)
{
    json_t *list = json_object_get(f, "differences"), *d;
    size_t i;
    buf_putc(out, '\n');
    json_array_foreach(list, i, d)
    {
        if (i == DIFFERENCES) {
            buf_printf(out, "  - and %zu more differences\n", json_array_size(list) - i);
            break;
        }
        if (is_true(d, "accepted"))
            continue;
        buf_puts(out, "  - ");
        put_change(out, d);
        put_input(out, d);
    }
}

static void put_unknown(struct buf *out, json_t *f)
{
    buf_puts(out, ": ");
    plain(out, str(f, "reason"));
    buf_putc(out, '\n');
}

static void put_bounded(struct buf *out, json_t *f)
{
    buf_printf(out, ", in %lld", (long long)num(f, "rounds"));
    put_unknown(out, f);
}

static void put_rejects(struct buf *out, json_t *f)
{
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(f, "now_rejects"), i, e)
    {
        buf_puts(out, i ? ", or " : " now rejects ");
        code(out, has(e, "when") ? str(e, "when") : "inputs that it accepted");
    }
    buf_putc(out, '\n');
}

/* ---- functions of a kind ---- */

static bool is_unsafe(json_t *f)
{
    return strcmp(str(f, "verdict"), "unsafe") == 0 && !has(f, "group");
}

static bool is_unknown(json_t *f)
{
    return strcmp(str(f, "verdict"), "unknown") == 0;
}

static bool is_bounded(json_t *f)
{
    return strcmp(str(f, "verdict"), "bounded") == 0;
}

static bool rejects(json_t *f)
{
    return json_array_size(json_object_get(f, "now_rejects")) > 0;
}

static bool is_minor(json_t *f)
{
    return has(f, "group");
}

static void put_group(struct buf *out, json_t *f)
{
    buf_puts(out, ": ");
    plain(out, str(f, "group"));
    buf_putc(out, '\n');
}

static const char *path_of(json_t *file)
{
    json_t *new = json_object_get(file, "new");
    return str(json_is_object(new) ? new : json_object_get(file, "old"), "path");
}

static void put_kind(struct buf *out, json_t *files, const char *title, bool (*is)(json_t *f),
                     void (*put)(struct buf *out, json_t *f))
{
    size_t i, k, n = 0;
    json_t *file, *f;
    json_array_foreach(files, i, file) json_array_foreach(json_object_get(file, "functions"), k, f)
    {
        if (!is(f) || has(f, "same_in"))
            continue;
        if (n++ == 0)
            buf_printf(out, "\n#### %s\n\n", title);
        if (n > NAMED)
            continue;
        buf_puts(out, "- ");
        code(out, str(f, "name"));
        if (*path_of(file)) {
            buf_puts(out, " of ");
            code(out, path_of(file));
        }
        if (num(f, "also_in"))
            buf_printf(out, " and %lld other program%s", (long long)num(f, "also_in"),
                       plural(num(f, "also_in")));
        put(out, f);
    }
    if (n > NAMED)
        buf_printf(out, "- and %zu more\n", n - NAMED);
}

/* ---- the whole ---- */

static void put_reasons(struct buf *out, json_t *files)
{
    size_t i, k, n = 0;
    json_t *file, *e;
    json_array_foreach(files, i, file)
    {
        if (has(file, "error")) {
            buf_puts(out, n++ ? "- " : "\n#### Files\n\n- ");
            code(out, path_of(file));
            buf_puts(out, ": not compared: ");
            plain(out, str(file, "error"));
            buf_putc(out, '\n');
        }
        json_array_foreach(json_object_get(file, "reasons"), k, e)
        {
            buf_puts(out, n++ ? "- " : "\n#### Files\n\n- ");
            if (*path_of(file)) {
                code(out, path_of(file));
                buf_puts(out, ": ");
            }
            plain(out, json_string_value(e));
            buf_putc(out, '\n');
        }
    }
}

void report_markdown(const struct report *r, struct buf *out)
{
    json_t *doc = report_document((struct report *)r), *files = json_object_get(doc, "files"),
           *s = json_object_get(doc, "summary"), *input = json_object_get(doc, "input");
    const char *verdict = str(doc, "verdict");
    buf_printf(out, "### %s\n\n",
               strcmp(verdict, "safe") == 0      ? "Safe to apply"
               : strcmp(verdict, "unsafe") == 0  ? "Not safe to apply"
               : strcmp(verdict, "bounded") == 0 ? "No difference in a few rounds of loops"
                                                 : "Undetermined whether it is safe to apply");
    if (strcmp(str(doc, "reason"), "identical") == 0)
        buf_puts(out, "**The files are identical.**");
    else
        buf_printf(out, "**%s.**", str(json_object_get(doc, "headline"), "text"));
    if (json_is_false(json_object_get(doc, "complete"))) {
        buf_puts(out, " Not complete: ");
        plain(out, str(doc, "reason"));
        buf_putc(out, '.');
    }
    buf_puts(out, "\n\n");
    code(out, str(input, "old"));
    buf_puts(out, " → ");
    code(out, str(input, "new"));
    buf_printf(out,
               "\n\n| safe | unsafe | unknown | bounded | identical | added | removed "
               "|\n|---|---|---|---|---|---|---|\n"
               "| %lld | %lld | %lld | %lld | %lld | %lld | %lld |\n",
               (long long)num(s, "safe"), (long long)num(s, "unsafe"), (long long)num(s, "unknown"),
               (long long)num(s, "bounded"), (long long)num(s, "identical"), (long long)num(s, "added"),
               (long long)num(s, "removed"));
    put_kind(out, files, "Behaviour changes", is_unsafe, put_unsafe);
    put_kind(out, files, "Undecided", is_unknown, put_unknown);
    put_kind(out, files, "No difference in a few rounds of loops", is_bounded, put_bounded);
    put_reasons(out, files);
    put_kind(out, files, "Rejects more", rejects, put_rejects);
    put_kind(out, files, "Differs only in what a rebuild changes", is_minor, put_group);
}
