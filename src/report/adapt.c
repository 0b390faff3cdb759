/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The document of `assay adapt`, and its text. */
#include "report/adapt.h"

#include <stdlib.h>
#include <string.h>

#include "report/page.h"

static const char *verdict_name(unsigned v)
{
    static const char *const name[] = {
        [ADAPT_FOUND] = "adapter", [ADAPT_NONE] = "none", [ADAPT_UNDECIDED] = "undecided"};
    return name[v];
}

static json_t *function_record(const char *file, const char *name, uint64_t address)
{
    return json_pack("{s:o, s:o, s:o}", "file", report_string(file), "function", report_string(name),
                     "address", report_address(address));
}

static json_t *listed_constants(const struct adapt_options *how)
{
    json_t *all = json_array();
    for (size_t i = 0; i < how->nconstants; i++)
        json_array_append_new(all, json_integer((json_int_t)how->constant[i]));
    return all;
}

struct report *report_adapt(const struct ask_adapt_answer *a)
{
    struct report *r = report_new("adapt");
    const struct ask_adapted *x = &a->adapted;
    if (a->begun) {
        report_add(r, "target", function_record(x->target_file, x->target, x->target_address));
        report_add(r, "inner", function_record(x->inner_file, x->inner, x->inner_address));
        report_add(r, "verdict", json_string(verdict_name(x->verdict)));
        report_add(r, "family", json_string(x->family));
        if (a->q->how.constant)
            report_add(r, "constants", listed_constants(&a->q->how));
        if (x->reason)
            report_add(r, "reason", report_string(x->reason));
        if (x->verdict == ADAPT_FOUND) {
            report_add(r, "arguments", report_strings(x->argument, x->narguments));
            if (x->nfields)
                report_add(r, "structure", report_strings(x->field, x->nfields));
            report_add(r, "result", report_string(x->result));
            report_add(r, "trivial", json_boolean(x->trivial));
            report_add(r, "bounded", json_boolean(x->bounded));
        }
        report_add(r, "target_arguments", json_integer(x->target_args));
        report_add(r, "result_bits", json_integer(x->result_bits));
        report_add(r, "result_in_two_registers", json_boolean(x->result_pair));
        report_add(r, "counts",
                   json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "tests", (json_int_t)x->tests, "checks",
                             (json_int_t)x->checks, "searches", (json_int_t)x->searches, "runs",
                             (json_int_t)x->runs, "native_runs", (json_int_t)x->native_runs, "enumerated",
                             (json_int_t)x->tried));
        report_add(r, "notes", report_strings(x->note, x->nnotes));
        if (x->c)
            report_add(r, "c", json_string(x->c));
        if (x->compiled) {
            json_t *compiled = json_pack("{s:I}", "runs", (json_int_t)x->compiled_runs);
            if (x->not_compiled)
                json_object_set_new(compiled, "reason", report_string(x->not_compiled));
            report_add(r, "compiled", compiled);
        }
        if (a->written)
            report_add(r, "patched", report_string(a->written));
        if (a->verified)
            report_add(r, "verify", json_string(verify_verdict_name(a->verify)));
        if (a->verify_reason)
            report_add(r, "verify_reason", report_string(a->verify_reason));
    }
    report_cut(r, &a->end);
    return r;
}

/* ---- sweeps ---- */

static json_t *swept_record(const struct ask_swept *t)
{
    json_t *j = json_pack("{s:o, s:o, s:s}", "target", report_string(t->target), "inner",
                          report_string(t->inner), "verdict", verdict_name(t->verdict));
    if (t->adapter)
        json_object_set_new(j, "adapter", report_string(t->adapter));
    if (t->family)
        json_object_set_new(j, "family", report_string(t->family));
    if (t->reason)
        json_object_set_new(j, "reason", report_string(t->reason));
    json_object_set_new(j, "trivial", json_boolean(t->trivial));
    json_object_set_new(j, "bounded", json_boolean(t->bounded));
    return j;
}

static int by_name(const void *a, const void *b)
{
    const struct ask_swept *x = a, *y = b;
    int c = strcmp(x->target, y->target);
    return c ? c : strcmp(x->inner, y->inner);
}

/* ---- clusters: which adapted versions of one inner function do the same ---- */

static bool in_cluster(const struct ask_swept *t)
{
    return t->verdict == ADAPT_FOUND && t->cluster;
}

static int by_cluster(const void *a, const void *b)
{
    const struct ask_swept *x = a, *y = b;
    int c = strcmp(x->inner, y->inner);
    if (!c)
        c = (x->cluster > y->cluster) - (x->cluster < y->cluster);
    return c ? c : strcmp(x->target, y->target);
}

struct cluster {
    const struct ask_swept *first;
    size_t targets;
};

/* The largest of an inner function first. */
static int by_size(const void *a, const void *b)
{
    const struct cluster *x = a, *y = b;
    int c = strcmp(x->first->inner, y->first->inner);
    if (!c)
        c = (x->targets < y->targets) - (x->targets > y->targets);
    return c ? c : strcmp(x->first->target, y->first->target);
}

static void report_clusters(struct report *r, const struct ask_adapt_swept *a)
{
    VEC(struct ask_swept) found = VEC_INIT;
    VEC(struct cluster) list = VEC_INIT;
    for (size_t i = 0; i < a->task.len; i++)
        if (in_cluster(&a->task.data[i]))
            vec_push(&found, a->task.data[i]);
    if (found.len)
        qsort(found.data, found.len, sizeof *found.data, by_cluster);
    for (size_t i = 0; i < found.len; i++) {
        const struct ask_swept *t = &found.data[i];
        bool another =
            !i || strcmp(t->inner, found.data[i - 1].inner) != 0 || t->cluster != found.data[i - 1].cluster;
        if (another)
            vec_push(&list, (struct cluster){.first = t});
        list.data[list.len - 1].targets++;
    }
    if (list.len)
        qsort(list.data, list.len, sizeof *list.data, by_size);
    for (size_t i = 0; i < list.len; i++) {
        const struct ask_swept *t = list.data[i].first;
        report_add(r, "clusters[]",
                   json_pack("{s:o, s:I, s:o, s:o}", "inner", report_string(t->inner), "targets",
                             (json_int_t)list.data[i].targets, "first", report_string(t->target), "adapter",
                             report_string(t->adapter)));
    }
    vec_free(&found);
    vec_free(&list);
}

struct report *report_adapt_sweep(const struct ask_adapt_swept *a)
{
    struct report *r = report_new("adapt-sweep");
    size_t n[ADAPT_UNDECIDED + 1] = {0}, trivial = 0;
    /* whatever order they were done in */
    if (a->task.len)
        qsort(a->task.data, a->task.len, sizeof *a->task.data, by_name);
    for (size_t i = 0; i < a->task.len; i++) {
        n[a->task.data[i].verdict]++;
        trivial += a->task.data[i].verdict == ADAPT_FOUND && a->task.data[i].trivial;
        report_add(r, "tasks[]", swept_record(&a->task.data[i]));
    }
    report_add(r, "counts",
               json_pack("{s:I, s:I, s:I, s:I, s:I}", "tasks", (json_int_t)a->task.len, "adapters",
                         (json_int_t)n[ADAPT_FOUND], "trivial", (json_int_t)trivial, "none",
                         (json_int_t)n[ADAPT_NONE], "undecided", (json_int_t)n[ADAPT_UNDECIDED]));
    report_clusters(r, a);
    report_cut(r, &a->end);
    return r;
}

/* How many different things the targets of each inner function do; nothing where it is one target. */
static void cluster_lines(json_t *clusters, struct buf *out)
{
    size_t n = json_array_size(clusters);
    for (size_t i = 0, next; i < n; i = next) {
        const char *inner = str(json_array_get(clusters, i), "inner");
        long long targets = 0;
        for (next = i; next < n && strcmp(str(json_array_get(clusters, next), "inner"), inner) == 0; next++)
            targets += (long long)num(json_array_get(clusters, next), "targets");
        if (targets > 1)
            buf_printf(out, "%s stands in for %lld targets, which do %zu different things\n", inner, targets,
                       next - i);
    }
}

void report_adapt_sweep_text(json_t *doc, bool color, struct buf *out)
{
    struct page page = {.out = out, .color = color, .doc = doc}, *p = &page;
    json_t *t, *c = json_object_get(doc, "counts");
    size_t i;
    json_array_foreach(json_object_get(doc, "tasks"), i, t)
    {
        if (!has(t, "adapter") || is_true(t, "trivial"))
            continue;
        ink(p, INK_BOLD, str(t, "target"));
        buf_printf(out, " <- %s(%s)%s\n", str(t, "inner"), str(t, "adapter"),
                   is_true(t, "bounded") ? ", up to a bound" : "");
    }
    cluster_lines(json_object_get(doc, "clusters"), out);
    buf_printf(out, "%lld pairs: %lld adapters (%lld trivial), %lld none, %lld undecided\n",
               (long long)num(c, "tasks"), (long long)num(c, "adapters"), (long long)num(c, "trivial"),
               (long long)num(c, "none"), (long long)num(c, "undecided"));
}

/* ---- the text of one ---- */

static void result_line(const struct page *p)
{
    long long bits = num(p->doc, "result_bits");
    if (!bits)
        buf_puts(p->out, "  result    not compared\n");
    else if (has(p->doc, "result"))
        buf_printf(p->out, "  result    %s (%lld bits compared%s)\n", str(p->doc, "result"), bits,
                   is_true(p->doc, "result_in_two_registers") ? ", and a second register" : "");
}

/* What became of the C of the adapter. */
static void compiled_line(const struct page *p)
{
    json_t *compiled = json_object_get(p->doc, "compiled");
    if (!compiled)
        return;
    buf_puts(p->out, "  compiled  ");
    if (!num(compiled, "runs") && !has(compiled, "reason"))
        buf_puts(p->out, "and run, but no input could be compared");
    else if (num(compiled, "runs"))
        buf_printf(p->out, "and run against the target on %lld inputs", (long long)num(compiled, "runs"));
    else
        buf_puts(p->out, "and run: no");
    buf_printf(p->out, "%s%s\n", has(compiled, "reason") ? ": " : "", str(compiled, "reason"));
}

static void report_lines(json_t *doc, bool color, struct buf *out);

/* With the adapter as C, the rest is a comment in front of it, so that all of it is a file to compile. */
void report_adapt_text(json_t *doc, bool color, struct buf *out)
{
    struct buf text = BUF_INIT;
    if (!has(doc, "c")) {
        report_lines(doc, color, out);
        return;
    }
    report_lines(doc, false, &text);
    for (const char *line = buf_text(&text); *line;) {
        size_t n = strcspn(line, "\n");
        buf_puts(out, line == buf_text(&text) ? "/* " : " * ");
        buf_put(out, line, n);
        line += n + (line[n] == '\n');
        buf_puts(out, *line ? "\n" : " */\n");
    }
    buf_puts(out, str(doc, "c"));
    buf_free(&text);
}

static void report_lines(json_t *doc, bool color, struct buf *out)
{
    struct page page = {.out = out, .color = color, .doc = doc}, *p = &page;
    json_t *target = json_object_get(doc, "target"), *inner = json_object_get(doc, "inner");
    const char *verdict = str(doc, "verdict");
    if (!*verdict)
        return;
    ink(p, INK_BOLD, str(target, "function"));
    buf_puts(out, " <- ");
    ink(p, INK_BOLD, str(inner, "function"));
    buf_puts(out, ": ");
    if (json_object_get(doc, "arguments")) {
        ink(p, INK_GREEN, "adapter found");
        buf_printf(out, " (%s%s%s)\n", str(doc, "family"), is_true(doc, "trivial") ? ", trivial" : "",
                   is_true(doc, "bounded") ? ", up to a bound" : "");
        buf_printf(out, "  arguments ");
        if (!json_array_size(json_object_get(doc, "arguments")))
            buf_puts(out, "none");
        join(out, ", ", json_object_get(doc, "arguments"));
        buf_putc(out, '\n');
        json_t *field;
        size_t k;
        json_array_foreach(json_object_get(doc, "structure"), k, field)
            buf_printf(out, "  structure %s\n", json_string_value(field));
        result_line(p);
        json_t *counts = json_object_get(doc, "counts");
        buf_printf(out, "  checked   for all inputs%s, and on %lld runs",
                   is_true(doc, "bounded") ? " within the bound" : "", (long long)num(counts, "runs"));
        if (num(counts, "native_runs"))
            buf_printf(out, ", %lld more on this machine", (long long)num(counts, "native_runs"));
        buf_putc(out, '\n');
        compiled_line(p);
    } else if (has(doc, "reason")) {
        ink(p, INK_YELLOW, "undecided");
        buf_printf(out, "\n  because   %s\n", str(doc, "reason"));
    } else {
        ink(p, INK_RED, "none");
        buf_printf(out, " in the family %s, %s\n", str(doc, "family"),
                   json_object_get(doc, "constants") ? "with the constants that are listed"
                                                     : "whatever its constants");
    }
    if (has(doc, "patched"))
        buf_printf(out, "  written   %s\n", str(doc, "patched"));
    if (has(doc, "verify"))
        buf_printf(out, "  verify    %s%s%s\n", str(doc, "verify"), has(doc, "verify_reason") ? ": " : "",
                   str(doc, "verify_reason"));
    json_t *note;
    size_t i;
    json_array_foreach(json_object_get(doc, "notes"), i, note)
        buf_printf(out, "  note      %s\n", json_string_value(note));
}
