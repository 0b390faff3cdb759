/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/java.h"

#include <string.h>

#include "report/page.h"

static const char *verdict_name(const struct ask_java_answer *a)
{
    static const char *const name[] = {"holds", "fails", "unknown", "bounded"};
    return name[a->verdict];
}

static json_t *failure_record(const struct ask_java_failure *f)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < f->ninputs; i++)
        json_array_append_new(inputs, json_pack("{s:o, s:o, s:o}", "name", report_string(f->input[i].name),
                                                "type", report_string(f->input[i].type), "value",
                                                report_string(f->input[i].value)));
    json_t *j = json_pack("{s:s, s:o, s:o}", "check", ask_java_check_name(f->check), "exception",
                          report_string(f->exception), "method", report_string(f->method));
    if (f->file)
        json_object_set_new(j, "file", report_string(f->file));
    if (f->line)
        json_object_set_new(j, "line", json_integer(f->line));
    json_object_set_new(j, "inputs", inputs);
    return j;
}

static json_t *stats(const struct ask_java_counts *c)
{
    const struct {
        const char *name;
        uint64_t n;
    } all[] = {{"paths", c->paths},
               {"infeasible", c->infeasible},
               {"forks", c->forks},
               {"regions", c->regions},
               {"merges", c->merges},
               {"splices", c->spliced},
               {"merges_refused", c->merges_refused},
               {"states", c->states},
               {"blocks_executed", c->blocks},
               {"calls_followed", c->calls},
               {"queries", c->queries},
               {"solver_calls", c->solver_calls},
               {"solver_gave_up", c->solver_gave_up},
               {"terms", c->terms},
               {"classes", c->classes}};
    json_t *j = json_object();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_object_set_new(j, all[i].name, json_integer((json_int_t)all[i].n));
    return j;
}

struct report *report_java(const struct ask_java_answer *a, bool with_stats)
{
    struct report *r = report_new("java");
    report_add(r, "method", report_string(a->method));
    report_add(r, "verdict", json_string(verdict_name(a)));
    report_add(r, "mode", json_integer(a->q->mode));
    for (size_t i = 0; i < a->failure.len; i++)
        report_add(r, "failures[]", failure_record(&a->failure.data[i]));
    if (a->finished) {
        report_add(r, "paths", json_integer((json_int_t)a->counts.paths));
        report_add(r, "unknown", report_strings(a->unknown, a->nunknown));
        report_add(r, "assumed", report_strings(a->assumed, a->nassumed));
        if (with_stats)
            report_add(r, "stats", stats(&a->counts));
    }
    report_cut(r, &a->end);
    return r;
}

/* ---- text ---- */

static void text_failure(const struct page *p, json_t *f)
{
    size_t i;
    json_t *e;
    buf_puts(p->out, "  ");
    ink(p, INK_RED, str(f, "exception"));
    buf_printf(p->out, " in %s", str(f, "method"));
    if (has(f, "file") && num(f, "line"))
        buf_printf(p->out, " (%s:%lld)", str(f, "file"), (long long)num(f, "line"));
    buf_putc(p->out, '\n');
    json_array_foreach(json_object_get(f, "inputs"), i, e)
        buf_printf(p->out, "    %s %s = %s\n", str(e, "type"),
                   strcmp(str(e, "name"), str(e, "type")) == 0 ? "input" : str(e, "name"), str(e, "value"));
}

static void text_list(const struct page *p, const char *member, const char *label)
{
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(p->doc, member), i, e)
        buf_printf(p->out, "  %s: %s\n", label, json_string_value(e) ? json_string_value(e) : "");
}

void report_java_text(json_t *doc, bool color, struct buf *out)
{
    const struct page p = {.out = out, .color = color, .doc = doc};
    const char *verdict = str(doc, "verdict");
    size_t i;
    json_t *f;
    ink(&p, INK_BOLD, str(doc, "method"));
    buf_puts(out, ": ");
    ink(&p,
        strcmp(verdict, "holds") == 0   ? INK_GREEN
        : strcmp(verdict, "fails") == 0 ? INK_RED
                                        : INK_YELLOW,
        strcmp(verdict, "bounded") == 0 ? "no failure within the bounds" : verdict);
    if (json_object_get(doc, "paths"))
        buf_printf(out, ", %lld path%s", (long long)num(doc, "paths"), plural(num(doc, "paths")));
    buf_putc(out, '\n');
    json_array_foreach(json_object_get(doc, "failures"), i, f) text_failure(&p, f);
    text_list(&p, "unknown", strcmp(verdict, "bounded") == 0 ? "bound" : "not known");
    text_list(&p, "assumed", "note");
}
