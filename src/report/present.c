/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The document of `assay present`. */
#include "report/present.h"

#include <string.h>

static json_t *feature_record(const struct ask_feature *f)
{
    if (!f->has)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "feature", report_string(f->text));
    json_object_set_new(j, "line", report_string(f->line));
    json_object_set_new(j, "found", json_boolean(f->found));
    json_object_set_new(j, "address", f->found ? report_address(f->address) : json_null());
    return j;
}

static json_t *evidence_record(const struct ask_evidence *e)
{
    json_t *j = json_object();
    json_object_set_new(j, "function", report_string(e->function));
    json_object_set_new(j, "kind", report_string(e->kind));
    json_object_set_new(j, "reference", report_string(e->reference));
    json_object_set_new(j, "says",
                        json_string(e->old.found == e->new.found ? "nothing"
                                    : e->new.found               ? "patched"
                                                                 : "vulnerable"));
    json_object_set_new(j, "decided", json_boolean(e->decided));
    json_object_set_new(j, "by", json_string(e->solved ? "solver" : "form"));
    json_object_set_new(j, "old", feature_record(&e->old));
    json_object_set_new(j, "new", feature_record(&e->new));
    return j;
}

static json_t *share(double x)
{
    return json_real((double)(int)(x * 1000 + 0.5) / 1000);
}

static json_t *function_record(const struct ask_present_function *f)
{
    json_t *j = json_object();
    json_object_set_new(j, "name", report_string(f->name));
    json_object_set_new(j, "found", report_string(f->found));
    json_object_set_new(j, "address", f->found ? report_address(f->address) : json_null());
    json_object_set_new(j, "by_likeness", json_boolean(f->guessed));
    json_object_set_new(j, "verdict", json_string(present_verdict_name((enum present_verdict)f->verdict)));
    json_object_set_new(j, "confidence", share(f->confidence));
    json_object_set_new(j, "common", share(f->context));
    json_object_set_new(j, "reason", report_string(f->reason));
    return j;
}

static json_t *part_record(const struct ask_part *p)
{
    static const char *const state[] = {"there", "missing", "hidden", "unsure"};
    json_t *j = json_object();
    json_object_set_new(j, "function", report_string(p->function));
    json_object_set_new(j, "change", json_string(p->added ? "added" : "removed"));
    json_object_set_new(j, "feature", report_string(p->text));
    json_object_set_new(j, "line", report_string(p->line));
    json_object_set_new(j, "state", json_string(state[p->state]));
    json_object_set_new(j, "address", p->address != ASK_NO_PLACE ? report_address(p->address) : json_null());
    return j;
}

static json_t *result_record(const struct ask_present_result *r)
{
    json_t *j = json_object(), *features = json_array(), *functions = json_array(), *parts = json_array();
    for (size_t i = 0; i < r->nfunctions; i++)
        json_array_append_new(functions, function_record(&r->function[i]));
    for (size_t i = 0; i < r->nparts; i++)
        json_array_append_new(parts, part_record(&r->part[i]));
    for (size_t i = 0; i < r->nevidence; i++)
        json_array_append_new(features, evidence_record(&r->evidence[i]));
    json_object_set_new(j, "patch", report_string(r->patch));
    json_object_set_new(j, "target", report_string(r->target));
    if (r->asked) {
        json_object_set_new(j, "sha256", report_string(r->sha256));
        json_object_set_new(j, "build_id", report_string(r->build_id));
        json_object_set_new(j, "architecture", report_string(r->architecture));
    }
    json_object_set_new(j, "verdict", json_string(present_verdict_name((enum present_verdict)r->verdict)));
    json_object_set_new(j, "confidence", share(r->confidence));
    json_object_set_new(j, "reason", report_string(r->reason));
    json_object_set_new(j, "functions", functions);
    json_object_set_new(j, "parts", parts);
    json_object_set_new(j, "features", features);
    return j;
}

struct report *report_present(const struct ask_present_answer *a)
{
    struct report *r = report_new("present");
    json_t *patches = json_array(), *targets = json_array(), *summary = json_object();
    for (size_t i = 0; i < a->npatches; i++)
        json_array_append_new(patches, report_string(a->patch[i]));
    for (size_t i = 0; i < a->q->ntargets; i++)
        json_array_append_new(targets, report_string(a->q->target[i]));
    report_add(r, "input", json_pack("{s:o, s:o}", "patches", patches, "targets", targets));
    report_add(r, "results", json_array());
    for (size_t i = 0; i < a->result.len; i++)
        report_add(r, "results[]", result_record(&a->result.data[i]));
    for (int v = 0; v <= PRESENT_LAST; v++)
        json_object_set_new(summary, present_verdict_name((enum present_verdict)v),
                            json_integer((json_int_t)a->count[v]));
    report_add(r, "verdict", json_string(present_verdict_name(a->verdict)));
    report_add(r, "confidence", share(a->confidence));
    report_add(r, "summary", summary);
    report_cut(r, &a->end);
    return r;
}

bool present_is_unfixed(const char *verdict)
{
    return strcmp(verdict, present_verdict_name(PRESENT_VULNERABLE)) == 0 ||
           strcmp(verdict, present_verdict_name(PRESENT_PARTIAL)) == 0;
}
