/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports for people. */
#include "report/report.h"

#include <string.h>

#include "report/adapt.h"
#include "report/cache.h"
#include "report/diff.h"
#include "report/java.h"
#include "report/page.h"
#include "report/poc.h"
#include "report/present.h"
#include "report/verify.h"
#include "report/wp.h"

static void pad(const struct page *p, enum ink i, const char *text, int width)
{
    ink(p, i, text);
    for (int n = (int)strlen(text); n < width; n++)
        buf_putc(p->out, ' ');
}

/* ---- info ---- */

static void fact(const struct page *p, json_t *m, const char *label, const char *name)
{
    const char *value = json_string_value(json_object_get(m, name));
    if (value) {
        buf_puts(p->out, "  ");
        pad(p, INK_DIM, label, 13);
        buf_printf(p->out, "%s\n", value);
    }
}

static void text_program(const struct page *p, json_t *m)
{
    ink(p, INK_BOLD, str(m, "file"));
    buf_printf(p->out, ": %s, %s, %lld-bit, %s, %s%s\n", str(m, "type"), str(m, "architecture"),
               (long long)num(m, "bits"), is_true(m, "static") ? "static" : "dynamic",
               is_true(m, "stripped") ? "stripped" : "with symbols",
               is_true(m, "supported") ? "" : ", architecture not supported");
    fact(p, m, "sha256", "sha256");
    fact(p, m, "build-id", "build_id");
    fact(p, m, "entry", "entry");
    fact(p, m, "soname", "soname");
    fact(p, m, "interpreter", "interpreter");
    fact(p, m, "debug file", "debug_file");
    buf_puts(p->out, "  ");
    pad(p, INK_DIM, "tables", 13);
    buf_printf(p->out, "%lld symbols, %lld stubs, %lld function bounds\n", (long long)num(m, "symbols"),
               (long long)num(m, "stubs"), (long long)num(m, "function_bounds"));
    json_t *s;
    size_t i;
    json_array_foreach(json_object_get(m, "sections"), i, s)
        buf_printf(p->out, "  %18s %10lld %-4s %s\n", str(s, "address"), (long long)num(s, "size"),
                   str(s, "flags"), str(s, "name"));
    json_t *problems = json_object_get(m, "problems");
    if (json_array_size(problems)) {
        buf_puts(p->out, "  ");
        ink(p, INK_YELLOW, "not used");
        buf_putc(p->out, '\n');
    }
    json_array_foreach(problems, i, s)
        buf_printf(p->out, "  %18s %s\n", str(s, "address"), str(s, "text"));
}

static void text_info(const struct page *p)
{
    size_t i;
    json_t *m, *members = json_object_get(p->doc, "members");
    json_array_foreach(members, i, m)
    {
        if (json_object_get(m, "error"))
            buf_printf(p->out, "%s: %s\n", str(m, "path"), str(m, "error"));
        else if (json_object_get(m, "sha256"))
            text_program(p, m);
        else if (json_object_get(m, "link"))
            buf_printf(p->out, "%s -> %s\n", str(m, "path"), str(m, "link"));
        else
            buf_printf(p->out, "%s: %lld bytes, not a program\n", str(m, "path"), (long long)num(m, "size"));
    }
}

/* ---- functions ---- */

static void text_functions(const struct page *p)
{
    size_t i;
    json_t *f;
    if (p->color)
        buf_puts(p->out, "\033[2m");
    buf_printf(p->out, "%-18s %8s %4s %-7s %-9s %-26s %s", "ADDRESS", "SIZE", "ARGS", "RETURNS", "PROTOTYPE",
               "FOUND BY", "NAME");
    buf_puts(p->out, p->color ? "\033[0m\n" : "\n");
    json_array_foreach(json_object_get(p->doc, "functions"), i, f)
    {
        struct buf args = BUF_INIT, by = BUF_INIT;
        json_t *n = json_object_get(f, "arguments");
        if (json_is_integer(n))
            buf_printf(&args, "%lld%s", (long long)(json_integer_value(n) + num(f, "float_arguments")),
                       is_true(f, "variadic") ? "+" : "");
        else
            buf_puts(&args, "?");
        join(&by, ",", json_object_get(f, "sources"));
        const char *returns = is_true(f, "noreturn")                          ? "never"
                              : json_is_string(json_object_get(f, "returns")) ? str(f, "returns")
                                                                              : "?";
        buf_printf(p->out, "%-18s %8lld %4s %-7s %-9s %-26s ", str(f, "address"), (long long)num(f, "size"),
                   buf_text(&args), returns, str(f, "prototype"), buf_text(&by));
        ink(p, INK_BOLD, str(f, "name"));
        if (*str(f, "place"))
            buf_printf(p->out, " (%s)", str(f, "place"));
        json_t *flags = json_object_get(f, "flags");
        if (json_array_size(flags)) {
            buf_puts(p->out, " [");
            join(p->out, ",", flags);
            if (json_object_get(f, "part_of"))
                buf_printf(p->out, " of %s", str(f, "part_of"));
            buf_putc(p->out, ']');
        }
        buf_putc(p->out, '\n');
        buf_free(&args);
        buf_free(&by);
    }
    json_t *t = json_object_get(p->doc, "totals");
    if (json_object_get(t, "blocks"))
        buf_printf(
            p->out,
            "%lld function%s, %lld blocks, %lld instructions, %lld jump table%s, %lld unresolved jump%s\n",
            (long long)num(t, "functions"), plural(num(t, "functions")), (long long)num(t, "blocks"),
            (long long)num(t, "instructions"), (long long)num(t, "jump_tables"),
            plural(num(t, "jump_tables")), (long long)num(t, "unresolved_jumps"),
            plural(num(t, "unresolved_jumps")));
    else if (t)
        buf_printf(p->out, "%lld function%s known from tables; the code was not searched\n",
                   (long long)num(t, "functions"), plural(num(t, "functions")));
    else {
        size_t n = json_array_size(json_object_get(p->doc, "functions"));
        buf_printf(p->out, "%zu function%s known so far, ", n, plural((json_int_t)n));
        ink(p, INK_YELLOW, "not complete");
        buf_printf(p->out, ": %s\n", str(p->doc, "reason"));
    }
}

/* ---- cfg and lift ---- */

/* The source line an instruction comes from, when it is another one than that of the instruction before. */
static void text_source(const struct page *p, json_t *before, json_t *insn)
{
    json_t *source = json_object_get(insn, "source"), *inlined = json_object_get(insn, "inlined"), *name;
    size_t i;
    if (!source || (before && json_equal(source, json_object_get(before, "source"))))
        return;
    struct buf b = BUF_INIT;
    buf_puts(&b, json_string_value(source));
    json_array_foreach(inlined, i, name)
        buf_printf(&b, "%s%s", i ? ", " : ", inlined ", json_string_value(name) ? json_string_value(name) : "?");
    buf_puts(p->out, "  ");
    ink(p, INK_DIM, buf_text(&b));
    buf_putc(p->out, '\n');
    buf_free(&b);
}

static void text_block(const struct page *p, json_t *b)
{
    size_t i, k;
    json_t *insn, *line, *e;
    buf_putc(p->out, '\n');
    struct buf head = BUF_INIT;
    buf_printf(&head, "block %lld", (long long)num(b, "index"));
    ink(p, INK_BOLD, buf_text(&head));
    buf_free(&head);
    buf_printf(p->out, " at %s", str(b, "address"));
    if (json_object_get(b, "size")) /* bitcode has none */
        buf_printf(p->out, ", %lld bytes", (long long)num(b, "size"));
    buf_puts(p->out, is_true(b, "landing") ? ", landing pad: entered when a call throws\n" : "\n");
    json_array_foreach(json_object_get(b, "instructions"), i, insn)
    {
        json_t *ir = json_object_get(insn, "ir");
        text_source(p, i ? json_array_get(json_object_get(b, "instructions"), i - 1) : NULL, insn);
        buf_puts(p->out, "  ");
        pad(p, INK_DIM, str(insn, "address"), 10);
        buf_puts(p->out, "  ");
        ink(p, ir ? INK_CYAN : INK_BOLD, str(insn, "text"));
        buf_putc(p->out, '\n');
        json_array_foreach(ir, k, line) buf_printf(p->out, "      %s\n", json_string_value(line));
    }
    json_t *next = json_object_get(b, "successors");
    if (!json_array_size(next)) {
        buf_printf(p->out, "  -> %s\n", str(b, "end"));
        return;
    }
    json_array_foreach(next, i, e)
    {
        buf_printf(p->out, "%s block %lld (%s", i ? "," : "  ->", (long long)num(e, "to"), str(e, "kind"));
        if (json_object_get(e, "value"))
            buf_printf(p->out, " %lld", (long long)num(e, "value"));
        buf_putc(p->out, ')');
    }
    buf_putc(p->out, '\n');
}

static void text_graph(const struct page *p)
{
    json_t *f = json_object_get(p->doc, "function"), *blocks = json_object_get(p->doc, "blocks"), *e;
    size_t i;
    ink(p, INK_BOLD, str(f, "name"));
    buf_printf(p->out, " at %s: ", str(f, "address"));
    if (json_object_get(f, "size"))
        buf_printf(p->out, "%lld bytes, ", (long long)num(f, "size"));
    buf_printf(p->out, "%zu block%s, %lld instruction%s%s\n", json_array_size(blocks),
               plural((json_int_t)json_array_size(blocks)), (long long)num(f, "instructions"),
               plural(num(f, "instructions")), is_true(f, "noreturn") ? ", never returns" : "");
    json_array_foreach(blocks, i, e) text_block(p, e);
    json_t *calls = json_object_get(p->doc, "calls");
    if (json_array_size(calls))
        buf_puts(p->out, "\ncalls\n");
    json_array_foreach(calls, i, e)
        buf_printf(p->out, "  %s  %s%s (%s%s)\n", str(e, "site"),
                   json_is_string(json_object_get(e, "name")) ? str(e, "name") : "?",
                   is_true(e, "noreturn") ? ", which never returns" : "", str(e, "kind"),
                   is_true(e, "conditional") ? ", conditional" : "");
    json_t *tables = json_object_get(p->doc, "jump_tables");
    if (json_array_size(tables))
        buf_puts(p->out, "\njump tables\n");
    json_array_foreach(tables, i, e) buf_printf(
        p->out, "  block %lld: %lld entries of %lld bytes%s%s\n", (long long)num(e, "block"),
        (long long)num(e, "entries"), (long long)num(e, "entry_size"),
        json_is_string(json_object_get(e, "address")) ? " at " : ", in the code", str(e, "address"));
    json_t *problems = json_object_get(p->doc, "problems");
    if (json_array_size(problems)) {
        buf_putc(p->out, '\n');
        ink(p, INK_YELLOW, "not resolved");
        buf_putc(p->out, '\n');
    }
    json_array_foreach(problems, i, e)
        buf_printf(p->out, "  %s  %s: %s\n", str(e, "address"), str(e, "kind"), str(e, "text"));
}

/* ---- explore ---- */

/* A labelled value that may have several lines (term_print's where-list): the rest is indented under the
 * first. */
static void labelled(const struct page *p, const char *label, const char *text)
{
    enum { LABEL = 9 };
    buf_puts(p->out, "  ");
    pad(p, INK_DIM, label, LABEL);
    for (; *text; text++) {
        buf_putc(p->out, *text);
        if (*text == '\n' && text[1])
            for (int i = 0; i < LABEL + 2; i++)
                buf_putc(p->out, ' ');
    }
    if (text[-1] != '\n')
        buf_putc(p->out, '\n');
}

static void text_event(const struct page *p, json_t *e)
{
    struct buf b = BUF_INIT;
    size_t i;
    json_t *a;
    if (json_is_string(json_object_get(e, "result")))
        buf_printf(&b, "%s = ", str(e, "result"));
    if (strcmp(str(e, "kind"), "call") != 0)
        buf_printf(&b, "%s ", str(e, "kind"));
    if (json_is_string(json_object_get(e, "name")))
        buf_puts(&b, str(e, "name"));
    else
        buf_printf(&b, "(*%s)", str(e, "target"));
    buf_putc(&b, '(');
    json_array_foreach(json_object_get(e, "arguments"), i, a)
        buf_printf(&b, "%s%s", i ? ", " : "", json_string_value(a) ? json_string_value(a) : "?");
    buf_putc(&b, ')');
    json_array_foreach(json_object_get(e, "reads_besides"), i, a)
        buf_printf(&b, "%s%s", i ? ", " : " reading ", json_string_value(a) ? json_string_value(a) : "?");
    if (json_object_get(e, "guard"))
        buf_printf(&b, "  if %s", str(e, "guard"));
    labelled(p, "calls", buf_text(&b));
    buf_free(&b);
}

static void text_path(const struct page *p, size_t number, json_t *path)
{
    size_t i;
    json_t *e;
    struct buf b = BUF_INIT;
    buf_printf(&b, "path %zu", number);
    buf_putc(p->out, '\n');
    ink(p, INK_BOLD, buf_text(&b));
    buf_free(&b);
    const char *end = str(path, "end");
    buf_printf(p->out, ": %s at %s%s\n", end, str(path, "end_address"),
               is_true(path, "merged") ? ", merged" : "");
    json_t *conditions = json_object_get(path, "conditions");
    json_array_foreach(conditions, i, e) labelled(p, i ? "and" : "when", json_string_value(e));
    if (!json_array_size(conditions))
        labelled(p, "when", "always");
    if (json_is_string(json_object_get(path, "result")))
        labelled(p, "result", str(path, "result"));
    json_array_foreach(json_object_get(path, "events"), i, e) text_event(p, e);
    json_array_foreach(json_object_get(path, "writes"), i, e)
    {
        struct buf w = BUF_INIT;
        buf_printf(&w, "mem%lld[%s] = %s", (long long)num(e, "bytes") * 8, str(e, "address"),
                   str(e, "value"));
        if (json_object_get(e, "guard"))
            buf_printf(&w, "  if %s", str(e, "guard"));
        labelled(p, "writes", buf_text(&w));
        buf_free(&w);
    }
    json_array_foreach(json_object_get(path, "where"), i, e)
    {
        struct buf w = BUF_INIT;
        buf_printf(&w, "%s = %s", str(e, "name"), str(e, "term"));
        labelled(p, i ? "" : "where", buf_text(&w));
        buf_free(&w);
    }
}

static void text_ledger(const struct page *p, json_t *l)
{
    static const struct {
        const char *name, *text;
    } line[] = {
        {"loop_bound_hits", "paths cut short at the visit bound"},
        {"undecoded_instructions", "undecoded instructions"},
        {"unknown_effects", "instructions with unknown effects"},
        {"unresolved_jumps", "unresolved jumps"},
        {"solver_gave_up", "queries the solver gave up on"},
        {"arguments_guessed", "calls with an unknown number of arguments"},
        {"returns_unproved", "returns not proved to reach the caller"},
    };
    const char *axiom;
    json_t *n;
    struct buf b = BUF_INIT;
    json_object_foreach(json_object_get(l, "axioms_used"), axiom, n) if (json_integer_value(n))
        buf_printf(&b, "%s%s (%lld)", b.len ? ", " : "", axiom, (long long)json_integer_value(n));
    if (b.len) {
        buf_putc(p->out, '\n');
        labelled(p, "assumes", buf_text(&b));
    }
    bool any = b.len != 0;
    buf_free(&b);
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        if (!num(l, line[i].name))
            continue;
        if (!any)
            buf_putc(p->out, '\n');
        any = true;
        struct buf t = BUF_INIT;
        buf_printf(&t, "%s: %lld", line[i].text, (long long)num(l, line[i].name));
        labelled(p, "note", buf_text(&t));
        buf_free(&t);
    }
}

static void text_explore(const struct page *p)
{
    size_t i, k;
    json_t *x, *path;
    json_array_foreach(json_object_get(p->doc, "explored"), i, x)
    {
        json_t *paths = json_object_get(x, "paths");
        if (i)
            buf_putc(p->out, '\n');
        ink(p, INK_BOLD, str(x, "function"));
        if (json_object_get(x, "address"))
            buf_printf(p->out, " at %s", str(x, "address"));
        buf_printf(p->out, ": %zu path%s", json_array_size(paths),
                   plural((json_int_t)json_array_size(paths)));
        if (!is_true(x, "complete")) {
            buf_puts(p->out, ", ");
            ink(p, INK_YELLOW, "not complete");
            buf_printf(p->out, ": %s", json_object_get(x, "reason") ? str(x, "reason") : "stopped early");
        }
        buf_putc(p->out, '\n');
        json_array_foreach(paths, k, path) text_path(p, k + 1, path);
        text_ledger(p, json_object_get(x, "ledger"));
    }
}

static void text_wp(const struct page *p)
{
    report_wp_text(p->doc, p->color, p->out);
}

static void text_verify(const struct page *p)
{
    report_verify_text(p->doc, p->color, p->out);
}

static void text_diff(const struct page *p)
{
    report_diff_text(p->doc, p->color, p->out);
}

void report_stats_text(const struct report *r, struct buf *out)
{
    json_t *doc = report_document((struct report *)r), *x;
    size_t i;
    json_array_foreach(json_object_get(doc, "explored"), i, x)
    {
        json_t *stats = json_object_get(x, "stats");
        if (!stats)
            continue;
        buf_printf(out, "statistics of %s\n", str(x, "function"));
        put_counters(out, stats);
    }
    if (has(doc, "method") && json_object_get(doc, "stats")) {
        buf_printf(out, "statistics of %s\n", str(doc, "method"));
        put_counters(out, json_object_get(doc, "stats"));
    }
    report_verify_stats_text(doc, out);
}

static void text_java(const struct page *p)
{
    report_java_text(p->doc, p->color, p->out);
}

static void text_present(const struct page *p)
{
    report_present_text(p->doc, p->color, p->out);
}

static void text_poc(const struct page *p)
{
    report_poc_text(p->doc, p->color, p->out);
}

static void text_adapt_sweep(const struct page *p)
{
    report_adapt_sweep_text(p->doc, p->color, p->out);
}

static void text_adapt(const struct page *p)
{
    report_adapt_text(p->doc, p->color, p->out);
}

static void text_cache(const struct page *p)
{
    report_cache_text(p->doc, p->out);
}

void report_text(const struct report *r, struct report_style style, struct buf *out)
{
    static const struct {
        const char *schema;
        void (*render)(const struct page *p);
    } renderer[] = {
        {"assay/info/1", text_info},       {"assay/functions/1", text_functions},
        {"assay/cfg/1", text_graph},       {"assay/lift/1", text_graph},
        {"assay/explore/1", text_explore}, {"assay/verify/1", text_verify},
        {"assay/diff/1", text_diff},       {"assay/wp/1", text_wp},
        {"assay/present/1", text_present}, {"assay/poc/1", text_poc},
        {"assay/adapt/1", text_adapt},     {"assay/java/1", text_java},
        {"assay/adapt-sweep/1", text_adapt_sweep}, {"assay/cache/1", text_cache},
    };
    struct page p = {.out = out, .color = style.color, .doc = report_document((struct report *)r)};
    for (size_t i = 0; i < sizeof renderer / sizeof *renderer; i++)
        if (strcmp(str(p.doc, "schema"), renderer[i].schema) == 0)
            renderer[i].render(&p);
}
