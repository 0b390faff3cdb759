/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/poc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "report/sarif.h"
#include "report/verify.h"

/* ---- the document ---- */

static const char *const case_name[] = {
    [POC_CASE_NONE] = NULL,
    [POC_CRASH_NORMAL] = "crash-normal",
    [POC_CRASH_SAME] = "crash-same",
    [POC_CRASH_OTHER] = "crash-other",
    [POC_NORMAL_SAME] = "normal-crash",
    [POC_NORMAL_OTHER] = "normal-other-crash",
    [POC_NORMAL_NORMAL] = "regression",
    [POC_STILL] = "still-crashes",
};
static const char *const confirmed_name[] = {
    [POC_UNCONFIRMED] = NULL, [POC_BY_STATE] = "state", [POC_BY_INPUT] = "input"};

static json_t *value_record(const struct ask_poc_value *v)
{
    char was[32], is[32];
    snprintf(was, sizeof was, "%" PRIu64, v->was);
    snprintf(is, sizeof is, "%" PRIu64, v->is);
    return json_pack("{s:o, s:i, s:s, s:s}", "place", report_string(v->name), "bytes", (int)v->bytes, "was",
                     was, "is", is);
}

/* The document of `assay verify`, but for the functions that are the same: all programs here have nearly all.
 */
static json_t *verify_record(const struct ask_poc_verified *v)
{
    size_t i;
    json_t *file;
    if (!v)
        return json_null();
    if (v->error)
        return json_pack("{s:o}", "error", report_string(v->error));
    struct report *r = report_verify(&v->answer, &(struct report_verify){0});
    json_t *doc = json_incref(report_document(r));
    report_free(r);
    json_array_foreach(json_object_get(doc, "files"), i, file) json_object_del(file, "identical");
    return doc;
}

static json_t *candidate_record(const struct ask_poc_candidate *c)
{
    json_t *values = json_array();
    for (size_t i = 0; i < c->nvalues; i++)
        json_array_append_new(values, value_record(&c->value[i]));
    json_t *j =
        json_pack("{s:o, s:s, s:i, s:s?, s:s?, s:o, s:b}", "file", report_string(c->file), "verdict",
                  poc_verdict_name((enum poc_verdict)c->verdict), "case",
                  c->which == POC_STILL ? 0 : (int)c->which, "finding", case_name[c->which], "confirmed_by",
                  confirmed_name[c->confirmed], "condition", report_string(c->when), "whole_class", c->must);
    json_object_set_new(j, "witness", values);
    json_object_set_new(j, "crash",
                        c->kind ? json_string(poc_kind_name((enum poc_kind)c->kind)) : json_null());
    json_object_set_new(j, "proof_of_concept", report_string(c->poc));
    json_object_set_new(j, "same_as", report_string(c->same_as));
    json_object_set_new(j, "not_proved_because", report_string(c->unproved));
    json_object_set_new(j, "paths",
                        json_pack("{s:o, s:o}", "original", report_string(c->path_old), "candidate",
                                  report_string(c->path_new)));
    json_object_set_new(j, "shape", report_string(c->shape));
    json_object_set_new(j, "input", report_string(c->told));
    json_object_set_new(j, "saved", report_string(c->saved));
    json_object_set_new(j, "reason", report_string(c->reason));
    json_object_set_new(j, "classes", json_integer(c->classes));
    json_object_set_new(j, "decided", json_integer(c->decided));
    json_object_set_new(j, "classes_wrong", json_integer(c->wrong));
    json_object_set_new(j, "classes_wholly_wrong", json_integer(c->wholly));
    json_object_set_new(j, "states_kept_out", json_integer(c->kept_out));
    json_object_set_new(j, "exhaustive", json_boolean(c->whole));
    json_object_set_new(j, "verify", verify_record(c->verified));
    return j;
}

static json_t *graph_record(const struct ask_poc_original *o)
{
    static const char *const kind[] = {
        [POC_HEAP] = "heap", [POC_GLOBAL] = "global", [POC_STACK] = "stack", [POC_STRING] = "string"};
    json_t *objects = json_array(), *edges = json_array();
    for (size_t i = 0; i < o->nobjects; i++) {
        const struct ask_poc_object *x = &o->object[i];
        json_array_append_new(objects, json_pack("{s:o, s:o, s:s, s:I, s:I, s:b, s:b}", "name",
                                                 report_string(x->name), "type", report_string(x->type),
                                                 "where", kind[x->kind & 3], "bytes", (json_int_t)x->size,
                                                 "symbolic_bytes", (json_int_t)x->open, "leaf", x->leaf,
                                                 "size_kept", x->size_kept));
    }
    for (size_t i = 0; i < o->nedges; i++)
        json_array_append_new(edges,
                              json_pack("{s:i, s:i, s:o}", "from", (int)o->edge[i].from, "to",
                                        (int)o->edge[i].to, "pointer", report_string(o->edge[i].name)));
    return json_pack("{s:o, s:o}", "objects", objects, "edges", edges);
}

/* ---- which to take ---- */

/* The best first: what is proved, then what nothing was found against, the fewer states were only kept out by
 * the program the better; then what is doubtful, the farther from the proof of concept the better. */
static int rank_of(const struct ask_poc_candidate *c)
{
    static const int order[] = {
        [POC_PROVED] = 0, [POC_NOT_REFUTED] = 1, [POC_DOUBTFUL] = 2, [POC_UNKNOWN] = 3, [POC_REFUTED] = 4};
    return order[c->verdict];
}

static bool is_better(const struct ask_poc_candidate *x, const struct ask_poc_candidate *y)
{
    if (rank_of(x) != rank_of(y))
        return rank_of(x) < rank_of(y);
    if (x->verdict == POC_NOT_REFUTED) {
        if (x->whole != y->whole)
            return x->whole;
        if (x->kept_out != y->kept_out)
            return x->kept_out < y->kept_out;
        return (uint64_t)x->decided * y->classes > (uint64_t)y->decided * x->classes;
    }
    if (x->verdict != POC_DOUBTFUL)
        return false;
    if (x->must != y->must)
        return y->must;
    if (!x->shape != !y->shape)
        return x->shape != NULL;
    return x->nvalues > y->nvalues;
}

static const char *rank_reason(const struct ask_poc_candidate *c)
{
    switch (c->verdict) {
    case POC_PROVED:
        return "right in every state of the snapshot's objects";
    case POC_NOT_REFUTED:
        return c->kept_out ? "nothing found, but for states that the program keeps out"
               : c->whole  ? "nothing found, and no bound was reached"
                           : "nothing found within the bounds";
    default:
        return c->shape  ? "goes wrong in a state of another shape only"
               : c->must ? "goes wrong in all of a class"
                         : "goes wrong in a state";
    }
}

/* Survivors, best first; of equals the one that was named first. */
static json_t *ranking(const struct ask_poc_answer *a)
{
    json_t *list = json_array();
    size_t n = a->candidate.len;
    bool *done = xcalloc(n + 1, sizeof *done);
    for (size_t place = 0; place < n; place++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < n; i++)
            if (!done[i] && (best == SIZE_MAX || is_better(&a->candidate.data[i], &a->candidate.data[best])))
                best = i;
        const struct ask_poc_candidate *c = &a->candidate.data[best];
        done[best] = true;
        if (rank_of(c) > 2)
            break;
        json_array_append_new(
            list, json_pack("{s:o, s:s}", "file", report_string(c->file), "because", rank_reason(c)));
    }
    free(done);
    return list;
}

static json_t *original_record(const struct ask_poc_answer *a, const struct ask_poc_original *o)
{
    json_t *original = json_pack(
        "{s:o, s:o, s:I, s:s, s:o, s:b, s:i, s:i, s:i, s:i, s:b, s:o}", "file", report_string(a->q->old),
        "function", report_string(o->function), "call", (json_int_t)o->call, "crash",
        poc_kind_name((enum poc_kind)o->kind), "place", report_string(o->place), "guarded", o->guarded,
        "objects", (int)o->objects, "symbols", (int)o->symbols, "classes", (int)o->classes, "crashing",
        (int)o->crashing, "exhaustive", o->whole, "reason", report_string(o->reason));
    json_object_set_new(original, "proof_of_concept", report_string(o->poc));
    json_object_set_new(original, "graph", graph_record(o));
    json_object_set_new(original, "shapes", json_integer(o->shapes));
    json_object_set_new(original, "shapes_bound", report_string(o->bound));
    return original;
}

struct report *report_poc(const struct ask_poc_answer *a)
{
    struct report *r = report_new("poc");
    report_add(r, "original", original_record(a, &a->original.data[0]));
    report_add(r, "further", json_array());
    for (size_t i = 1; i < a->original.len; i++)
        report_add(r, "further[]", original_record(a, &a->original.data[i]));
    report_add(r, "rubric", json_string(a->q->how.witness ? "witness" : "class"));
    report_add(r, "heuristic", json_boolean(!a->q->how.any_crash));
    report_add(r, "candidates", json_array());
    unsigned count[POC_VERDICTS_] = {0};
    for (size_t i = 0; i < a->candidate.len; i++) {
        report_add(r, "candidates[]", candidate_record(&a->candidate.data[i]));
        count[a->candidate.data[i].verdict]++;
    }
    report_add(r, "summary",
               json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "asked", (int)ask_poc_candidates(a->q), "refuted",
                         (int)count[POC_REFUTED], "doubtful", (int)count[POC_DOUBTFUL], "not_refuted",
                         (int)count[POC_NOT_REFUTED], "proved", (int)count[POC_PROVED], "unknown",
                         (int)count[POC_UNKNOWN]));
    report_add(r, "ranking", ranking(a));
    /* of the best one */
    const struct ask_poc_candidate *best = NULL;
    for (size_t i = 0; i < a->candidate.len; i++)
        if (!best || is_better(&a->candidate.data[i], best))
            best = &a->candidate.data[i];
    report_add(r, "verdict",
               json_string(poc_verdict_name(best ? (enum poc_verdict)best->verdict : POC_UNKNOWN)));
    report_cut(r, &a->end);
    return r;
}

/* ---- for people ---- */

/* What the original does on the proof of concept that decided about a candidate. */
static const char *crash_of(json_t *doc, json_t *candidate)
{
    json_t *o;
    size_t i;
    json_array_foreach(json_object_get(doc, "further"), i, o)
    {
        if (strcmp(str(o, "proof_of_concept"), str(candidate, "proof_of_concept")) == 0)
            return str(o, "crash");
    }
    return str(json_object_get(doc, "original"), "crash");
}

static void put_finding(json_t *c, const char *crash_of_poc, struct buf *out)
{
    const char *finding = str(c, "finding"), *when = str(c, "condition"), *crash = str(c, "crash");
    bool input = strcmp(str(c, "confirmed_by"), "input") == 0;
    if (strcmp(finding, "still-crashes") == 0) {
        buf_printf(out, "    still crashes on %s: %s\n",
                   str(c, "proof_of_concept")[0] ? str(c, "proof_of_concept") : "the proof of concept",
                   crash);
        return;
    }
    if (strcmp(finding, "crash-same") == 0)
        buf_printf(out, "    still crashes (%s)", crash_of_poc);
    else if (strcmp(finding, "normal-crash") == 0)
        buf_printf(out, "    crashes (%s) where the original does not", crash_of_poc);
    else if (strcmp(finding, "normal-other-crash") == 0)
        buf_printf(out, "    crashes (%s) where the original does not", crash);
    else
        buf_puts(out, "    does something else than the original, which does not crash");
    if (when[0])
        buf_printf(out, " when %s", when);
    buf_putc(out, '\n');
    json_t *values = json_object_get(c, "witness"), *v;
    size_t i;
    if (str(c, "proof_of_concept")[0])
        buf_printf(out, "    found around %s\n", str(c, "proof_of_concept"));
    if (str(c, "shape")[0])
        buf_printf(out, "    in a state with %s%s\n", str(c, "shape"),
                   json_array_size(values) ? "" : "; confirmed by running both from that state");
    if (input)
        buf_printf(out, "    shown by a run of both programs; %s\n", str(c, "input"));
    json_array_foreach(values, i, v)
    {
        if (i == 8) {
            buf_printf(out, "%s ...", ",");
            break;
        }
        buf_printf(out, "%s%s = %s (was %s)", i ? ", " : "    for example ", str(v, "place"), str(v, "is"),
                   str(v, "was"));
    }
    if (json_array_size(values))
        buf_printf(out, "%s\n",
                   !input && strcmp(str(c, "confirmed_by"), "state") == 0
                       ? "; confirmed by running both from that state"
                       : "");
    if (str(c, "saved")[0])
        buf_printf(out, "    input written to %s\n", str(c, "saved"));
    if (num(c, "classes_wrong")) {
        buf_printf(out, "    goes wrong in %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " classes",
                   num(c, "classes_wrong"), num(c, "classes"));
        if (num(c, "classes_wholly_wrong"))
            buf_printf(out, ", in all of %" JSON_INTEGER_FORMAT " of them", num(c, "classes_wholly_wrong"));
        buf_putc(out, '\n');
    }
}

static void put_kept_sizes(json_t *o, struct buf *out)
{
    enum { MOST = 8 };
    json_t *x;
    size_t i, n = 0;
    json_array_foreach(json_object_get(json_object_get(o, "graph"), "objects"), i, x)
    {
        if (!json_is_true(json_object_get(x, "size_kept")) || n++ > MOST)
            continue;
        if (n > MOST) {
            buf_puts(out, ", ...");
            continue;
        }
        buf_printf(out, "%s%s (%" JSON_INTEGER_FORMAT " bytes)",
                   n == 1 ? "sizes that are kept, as nothing in reach says them: " : ", ", str(x, "name"), num(x, "bytes"));
    }
    buf_puts(out, n ? "\n" : "");
}

static void put_original(json_t *o, struct buf *out)
{
    if (!str(o, "function")[0]) {
        buf_printf(out, "%s: %s before its crash was looked at\n", str(o, "file"), str(o, "reason"));
        return;
    }
    buf_printf(out, "%s crashes in ", str(o, "file"));
    if (num(o, "call"))
        buf_printf(out, "call %" JSON_INTEGER_FORMAT " of ", num(o, "call"));
    buf_puts(out, str(o, "function"));
    if (str(o, "proof_of_concept")[0])
        buf_printf(out, " on %s", str(o, "proof_of_concept"));
    buf_printf(out, ": %s", str(o, "crash"));
    if (str(o, "place")[0])
        buf_printf(out, " in %s", str(o, "place"));
    buf_printf(out,
               "\n%" JSON_INTEGER_FORMAT " objects, %" JSON_INTEGER_FORMAT " symbols; %" JSON_INTEGER_FORMAT
               " classes, %" JSON_INTEGER_FORMAT " crash like this",
               num(o, "objects"), num(o, "symbols"), num(o, "classes"), num(o, "crashing"));
    if (!json_is_true(json_object_get(o, "exhaustive")))
        buf_printf(out, " (bounded%s%s)", str(o, "reason")[0] ? ": " : "", str(o, "reason"));
    buf_putc(out, '\n');
    put_kept_sizes(o, out);
}

/* What `assay verify` prints, below the verdict. */
static void put_verified(json_t *v, bool color, struct buf *out)
{
    struct buf text = BUF_INIT;
    if (has(v, "error"))
        buf_printf(&text, "no answer: %s\n", str(v, "error"));
    else if (json_is_object(v))
        report_verify_text(v, color, &text);
    const char *start = "    verify: ";
    for (const char *line = buf_text(&text); *line; line += strcspn(line, "\n") + 1, start = "    ")
        buf_printf(out, "%s%.*s\n", start, (int)strcspn(line, "\n"), line);
    buf_free(&text);
}

void report_poc_text(json_t *doc, bool color, struct buf *out)
{
    json_t *o = json_object_get(doc, "original"), *s = json_object_get(doc, "summary"), *c;
    size_t i;
    put_original(o, out);
    json_array_foreach(json_object_get(doc, "further"), i, c) put_original(c, out);
    json_array_foreach(json_object_get(doc, "candidates"), i, c)
    {
        const char *verdict = str(c, "verdict");
        const char *paint = !color                            ? ""
                            : strcmp(verdict, "refuted") == 0 ? "\033[31m"
                            : strcmp(verdict, "not refuted") == 0 || strcmp(verdict, "proved") == 0
                                ? "\033[32m"
                                : "\033[33m";
        buf_printf(out, "\n%s%-11s%s  %s\n", paint, verdict, color ? "\033[0m" : "", str(c, "file"));
        if (str(c, "same_as")[0])
            buf_printf(out, "    the same code as %s\n", str(c, "same_as"));
        if (str(c, "finding")[0])
            put_finding(c, crash_of(doc, c), out);
        if (str(c, "reason")[0])
            buf_printf(out, "    %s\n", str(c, "reason"));
        if (strcmp(verdict, "not refuted") == 0 || strcmp(verdict, "proved") == 0)
            buf_printf(out, "    behaves in %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " classes%s\n",
                       num(c, "decided"), num(c, "classes"),
                       json_is_true(json_object_get(c, "exhaustive")) ? "" : ", within the bounds");
        if (strcmp(verdict, "not refuted") == 0 && num(c, "states_kept_out"))
            buf_printf(out,
                       "    %" JSON_INTEGER_FORMAT
                       " states in which it goes wrong are not reached by inputs made for them\n",
                       num(c, "states_kept_out"));
        if (!has(c, "same_as"))
            put_verified(json_object_get(c, "verify"), color, out);
    }
    json_t *ranking = json_object_get(doc, "ranking");
    if (json_array_size(ranking) > 1) {
        buf_puts(out, "\nbest first:\n");
        json_array_foreach(ranking, i, c)
            buf_printf(out, "%5zu  %s: %s\n", i + 1, str(c, "file"), str(c, "because"));
    }
    buf_printf(out,
               "\n%" JSON_INTEGER_FORMAT " candidate%s: %" JSON_INTEGER_FORMAT
               " refuted, %" JSON_INTEGER_FORMAT " doubtful, %" JSON_INTEGER_FORMAT " not refuted, ",
               num(s, "asked"), num(s, "asked") == 1 ? "" : "s", num(s, "refuted"), num(s, "doubtful"),
               num(s, "not_refuted"));
    if (num(s, "proved"))
        buf_printf(out, "%" JSON_INTEGER_FORMAT " proved, ", num(s, "proved"));
    buf_printf(out, "%" JSON_INTEGER_FORMAT " unknown\n", num(s, "unknown"));
}

/* ---- SARIF ---- */

void report_poc_sarif(json_t *doc, struct buf *out)
{
    static const struct {
        const char *verdict, *id, *level, *text;
    } rule[] = {
        {"refuted", "poc/refuted", "error", "The repair does not fix the crash, or breaks what worked."},
        {"doubtful", "poc/doubtful", "warning", "A state was found in which the repair goes wrong."},
        {"unknown", "poc/unknown", "note", "Nothing can be said of the repair."},
    };
    json_t *rules = json_array(), *results = json_array(), *c;
    size_t i;
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++)
        json_array_append_new(
            rules, json_pack("{s:s, s:{s:s}}", "id", rule[k].id, "shortDescription", "text", rule[k].text));
    json_array_foreach(json_object_get(doc, "candidates"), i, c)
    {
        for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
            if (strcmp(str(c, "verdict"), rule[k].verdict) != 0)
                continue;
            struct buf text = BUF_INIT;
            if (str(c, "finding")[0])
                put_finding(c, crash_of(doc, c), &text);
            if (str(c, "reason")[0])
                buf_printf(&text, "    %s\n", str(c, "reason"));
            const char *said = buf_text(&text);
            said += strspn(said, " ");
            json_array_append_new(results, json_pack("{s:s, s:s, s:{s:o}, s:[{s:{s:{s:o}}}]}", "ruleId",
                                                     rule[k].id, "level", rule[k].level, "message", "text",
                                                     report_string(*said ? said : rule[k].text), "locations",
                                                     "physicalLocation", "artifactLocation", "uri",
                                                     sarif_uri(str(c, "file"))));
            buf_free(&text);
        }
    }
    sarif_put(out, doc, rules, results);
}
