/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/java.h"

#include <stdlib.h>
#include <string.h>

#include "report/page.h"

static const char *verdict_name(const struct ask_java_answer *a)
{
    static const char *const name[] = {"holds", "fails", "unknown", "bounded"};
    return name[a->verdict];
}

static json_t *input_records(const struct ask_java_input *input, size_t n)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *one = json_pack("{s:o, s:o, s:o}", "name", report_string(input[i].name), "type",
                                report_string(input[i].type), "value", report_string(input[i].value));
        if (input[i].file && input[i].line) {
            json_object_set_new(one, "file", report_string(input[i].file));
            json_object_set_new(one, "line", json_integer(input[i].line));
        }
        json_array_append_new(inputs, one);
    }
    return inputs;
}

static json_t *failure_record(const struct ask_java_failure *f)
{
    json_t *j = json_pack("{s:s, s:o, s:o}", "check", ask_java_check_name(f->check), "exception",
                          report_string(f->exception), "method", report_string(f->method));
    if (f->file)
        json_object_set_new(j, "file", report_string(f->file));
    if (f->line)
        json_object_set_new(j, "line", json_integer(f->line));
    json_object_set_new(j, "inputs", input_records(f->input, f->ninputs));
    if (f->replay)
        json_object_set_new(j, "replay",
                            json_string(f->replay == JAVA_REPLAY_CONFIRMED ? "confirmed" : "not confirmed"));
    if (f->replay_said)
        json_object_set_new(j, "replay_said", report_string(f->replay_said));
    return j;
}

static json_t *case_record(const struct ask_java_case *c)
{
    json_t *reaches = json_array();
    for (size_t i = 0; i < c->nreaches; i++) {
        const struct ask_java_place *p = &c->reaches[i];
        json_t *place = json_pack("{s:o, s:i, s:b}", "file", report_string(p->file), "line", (int)p->line,
                                  "branch", p->branch);
        if (p->branch)
            json_object_update_new(place, json_pack("{s:o, s:i, s:i}", "method", report_string(p->method), "from",
                                                    (int)p->from, "to", (int)p->to));
        json_array_append_new(reaches, place);
    }
    json_t *j = json_pack("{s:o, s:o}", "inputs", input_records(c->input, c->ninputs), "reaches", reaches);
    if (c->exception)
        json_object_set_new(j, "exception", report_string(c->exception));
    return j;
}

static json_t *line_record(const struct ask_java_line *l)
{
    return json_pack("{s:i, s:b, s:i, s:i}", "line", (int)l->line, "covered", l->covered, "branches",
                     (int)l->branches, "taken", (int)l->taken);
}

/* The lines of a class; where its source is at hand, those without code too. */
static json_t *file_record(const struct ask_java_answer *a, size_t from, size_t to)
{
    json_t *lines = json_array();
    char *source = java_source(a, &a->line[from]), *rest = source;
    uint32_t number = 1;
    for (size_t i = from; i < to || rest; number++) {
        char *text = rest ? strsep(&rest, "\n") : NULL;
        json_t *l = NULL;
        if (i < to && (a->line[i].line <= number || !source))
            l = line_record(&a->line[i++]);
        else if (source)
            l = json_pack("{s:i}", "line", (int)number);
        if (l && text)
            json_object_set_new(l, "text", report_string(text));
        json_array_append_new(lines, l);
    }
    free(source);
    return json_pack("{s:o, s:o, s:o}", "file", report_string(a->line[from].file), "class",
                     report_string(a->line[from].class), "lines", lines);
}

static json_t *coverage(const struct ask_java_answer *a)
{
    json_t *files = json_array();
    json_int_t lines = 0, covered = 0, branches = 0, taken = 0;
    for (size_t i = 0, to; i < a->nlines; i = to) {
        for (to = i; to < a->nlines && strcmp(a->line[to].class, a->line[i].class) == 0; to++) {
            lines++;
            covered += a->line[to].covered;
            branches += a->line[to].branches;
            taken += a->line[to].taken;
        }
        json_array_append_new(files, file_record(a, i, to));
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "lines", lines, "lines_covered", covered, "branches",
                     branches, "branches_taken", taken, "files", files);
}

static json_t *stats(const struct ask_java_counts *c)
{
    const struct {
        const char *name;
        uint64_t n;
    } all[] = {{"mode", c->mode},
               {"work", c->work},
               {"paths", c->paths},
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
    for (size_t i = 0; i < a->cases.len; i++)
        report_add(r, "cases[]", case_record(&a->cases.data[i]));
    if (a->q->coverage)
        report_add(r, "coverage", coverage(a));
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
    if (has(f, "replay"))
        buf_printf(p->out, ", %s by the virtual machine%s%s", str(f, "replay"),
                   has(f, "replay_said") ? ": " : "", has(f, "replay_said") ? str(f, "replay_said") : "");
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

static void text_coverage(const struct page *p, json_t *c)
{
    size_t i, k;
    json_t *file, *l;
    buf_printf(p->out, "  coverage: %lld of %lld lines, %lld of %lld branches\n",
               (long long)num(c, "lines_covered"), (long long)num(c, "lines"),
               (long long)num(c, "branches_taken"), (long long)num(c, "branches"));
    json_array_foreach(json_object_get(c, "files"), i, file)
    {
        json_array_foreach(json_object_get(file, "lines"), k, l)
        {
            if (!json_object_get(l, "covered") ||
                (is_true(l, "covered") && num(l, "taken") == num(l, "branches")))
                continue;
            buf_printf(p->out, "    %s:%lld: ", str(file, "file"), (long long)num(l, "line"));
            if (is_true(l, "covered"))
                buf_printf(p->out, "%lld of %lld branches\n", (long long)num(l, "taken"),
                           (long long)num(l, "branches"));
            else
                buf_puts(p->out, "not reached\n");
        }
    }
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
    if (json_array_size(json_object_get(doc, "cases")))
        buf_printf(out, "  cases: %zu\n", json_array_size(json_object_get(doc, "cases")));
    if (json_object_get(doc, "coverage"))
        text_coverage(&p, json_object_get(doc, "coverage"));
}
