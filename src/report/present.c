/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/present.h"

#include <string.h>

static json_t *pattern_text(const struct exprs *t, const struct feature *f)
{
    struct buf b = BUF_INIT;
    feature_print_under(&b, t, f);
    json_t *j = report_string(buf_text(&b));
    buf_free(&b);
    return j;
}

/* "file.c:12", or null. */
static json_t *source_line(const struct feature *f)
{
    struct buf b = BUF_INIT;
    if (!f->file)
        return json_null();
    buf_printf(&b, "%s:%u", f->file, f->line);
    json_t *j = report_string(buf_text(&b));
    buf_free(&b);
    return j;
}

static json_t *side(const struct exprs *t, bool has, const struct feature *f, bool found,
                    const struct program *in, uint64_t site)
{
    if (!has)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "feature", pattern_text(t, f));
    json_object_set_new(j, "line", source_line(f));
    json_object_set_new(j, "found", json_boolean(found));
    json_object_set_new(j, "address", found ? report_place(in, site) : json_null());
    return j;
}

static json_t *evidence_record(const struct exprs *t, const struct present_function *f,
                               const struct present_evidence *e, const struct program *in)
{
    const struct signature_pair *p = e->pair;
    json_t *j = json_object();
    const struct feature *one = p->has_new ? &p->new : &p->old;
    json_object_set_new(j, "function", report_string(f->f->name));
    json_object_set_new(j, "kind", json_string(feature_kind_name((enum feature_kind)one->kind)));
    json_object_set_new(j, "reference", report_string(f->f->variant.data[e->variant].how));
    json_object_set_new(j, "says",
                        json_string(e->old == e->new ? "nothing"
                                    : e->new         ? "patched"
                                                     : "vulnerable"));
    json_object_set_new(j, "decided", json_boolean(e->decided));
    json_object_set_new(j, "by", json_string(e->solved ? "solver" : "form"));
    json_object_set_new(j, "old", side(t, p->has_old, &p->old, e->old, in, e->old_site));
    json_object_set_new(j, "new", side(t, p->has_new, &p->new, e->new, in, e->new_site));
    return j;
}

static json_t *share(double x)
{
    return json_real((double)(int)(x * 1000 + 0.5) / 1000);
}

static json_t *function_record(const struct present_function *f, const struct program *in)
{
    json_t *j = json_object();
    json_object_set_new(j, "name", report_string(f->f->name));
    json_object_set_new(j, "found", report_string(f->found));
    json_object_set_new(j, "address", f->found ? report_place(in, f->address) : json_null());
    json_object_set_new(j, "by_likeness", json_boolean(f->guessed));
    json_object_set_new(j, "verdict", json_string(present_verdict_name(f->verdict)));
    json_object_set_new(j, "confidence", share(f->confidence));
    json_object_set_new(j, "common", share(f->context));
    json_object_set_new(j, "reason", report_string(f->reason));
    return j;
}

/* What the target has of one part of the patch. */
static json_t *part_record(const struct exprs *t, const struct present_function *f,
                           const struct present_part *p, const struct program *in)
{
    static const char *const state[] = {"there", "missing", "hidden", "unsure"};
    json_t *j = json_object();
    json_object_set_new(j, "function", report_string(f->f->name));
    json_object_set_new(j, "change", json_string(p->part->new ? "added" : "removed"));
    json_object_set_new(j, "feature", pattern_text(t, &p->part->whole));
    json_object_set_new(j, "line", source_line(&p->part->whole));
    json_object_set_new(j, "state", json_string(state[p->state]));
    json_object_set_new(j, "address", p->site ? report_place(in, p->site) : json_null());
    return j;
}

void report_present(const struct report_present_patch *patch, const char *target, const struct program *in,
                    const struct present_answer *a, struct report_sink sink)
{
    const struct object_info *about = object_info(program_object(in));
    json_t *j = json_object(), *features = json_array(), *functions = json_array(), *parts = json_array();
    for (size_t i = 0; i < a->function.len; i++) {
        const struct present_function *f = &a->function.data[i];
        json_array_append_new(functions, function_record(f, in));
        for (size_t k = 0; k < f->evidence.len; k++)
            json_array_append_new(features,
                                  evidence_record(patch->reference->e, f, &f->evidence.data[k], in));
        for (size_t k = 0; k < f->part.len; k++)
            json_array_append_new(parts, part_record(patch->reference->e, f, &f->part.data[k], in));
    }
    json_object_set_new(j, "patch", report_string(patch->name));
    json_object_set_new(j, "target", report_string(target));
    json_object_set_new(j, "sha256", json_string(about->sha256));
    json_object_set_new(j, "build_id", report_string(about->build_id));
    json_object_set_new(j, "architecture", report_string(about->arch_name));
    json_object_set_new(j, "verdict", json_string(present_verdict_name(a->verdict)));
    json_object_set_new(j, "confidence", share(a->confidence));
    json_object_set_new(j, "reason", report_string(a->reason));
    json_object_set_new(j, "functions", functions);
    json_object_set_new(j, "parts", parts);
    json_object_set_new(j, "features", features);
    sink.put(sink.ctx, "results[]", j);
}

static json_t *without(const char *patch, const char *target, enum present_verdict verdict,
                       const char *reason)
{
    json_t *j = json_object();
    json_object_set_new(j, "patch", report_string(patch));
    json_object_set_new(j, "target", report_string(target));
    json_object_set_new(j, "verdict", json_string(present_verdict_name(verdict)));
    json_object_set_new(j, "confidence", share(0));
    json_object_set_new(j, "reason", report_string(reason));
    json_object_set_new(j, "functions", json_array());
    json_object_set_new(j, "parts", json_array());
    json_object_set_new(j, "features", json_array());
    return j;
}

void report_present_without(const char *patch, const char *target, enum present_verdict verdict,
                            const char *reason, struct report_sink sink)
{
    sink.put(sink.ctx, "results[]", without(patch, target, verdict, reason));
}

bool present_is_unfixed(const char *verdict)
{
    return strcmp(verdict, present_verdict_name(PRESENT_VULNERABLE)) == 0 ||
           strcmp(verdict, present_verdict_name(PRESENT_PARTIAL)) == 0;
}

/* A result of the target, or of a program in it. */
static bool is_about(json_t *result, const char *patch, const char *target)
{
    const char *p = json_string_value(json_object_get(result, "patch")),
               *t = json_string_value(json_object_get(result, "target"));
    size_t n = strlen(target);
    return strcmp(p, patch) == 0 && strncmp(t, target, n) == 0 && (t[n] == '\0' || t[n] == ':');
}

/* Whatever ended the run: what was not asked is not known, and is said to be. */
static void answer_all(json_t *doc)
{
    json_t *input = json_object_get(doc, "input"), *results = json_object_get(doc, "results"), *target,
           *patch, *one;
    size_t i, k, n;
    json_array_foreach(json_object_get(input, "targets"), i, target)
    {
        json_array_foreach(json_object_get(input, "patches"), k, patch)
        {
            bool said = false;
            json_array_foreach(results, n, one) said =
                said || is_about(one, json_string_value(patch), json_string_value(target));
            if (!said)
                json_array_append_new(results,
                                      without(json_string_value(patch), json_string_value(target),
                                              PRESENT_UNKNOWN, "the run ended before it was asked about"));
        }
    }
}

void report_present_sum(struct report *r)
{
    static const char *const worst[] = {"vulnerable", "partially patched", "unknown", "not-there", "patched"};
    enum { N = sizeof worst / sizeof *worst };
    json_int_t count[N] = {0};
    double least[N] = {1, 1, 1, 1, 1};
    json_t *doc = report_document(r), *one, *summary = json_object();
    size_t i;
    answer_all(doc);
    json_array_foreach(json_object_get(doc, "results"), i, one)
    {
        const char *verdict = json_string_value(json_object_get(one, "verdict"));
        double sure = json_number_value(json_object_get(one, "confidence"));
        for (int k = 0; k < N; k++)
            if (strcmp(verdict, worst[k]) == 0) {
                count[k]++;
                least[k] = sure < least[k] ? sure : least[k];
            }
    }
    int k = 0;
    while (k < N - 1 && !count[k])
        k++;
    for (int v = 0; v < N; v++)
        json_object_set_new(summary, worst[v], json_integer(count[v]));
    bool any = count[k] != 0;
    json_object_set_new(doc, "verdict", json_string(any ? worst[k] : "unknown"));
    json_object_set_new(doc, "confidence", share(any ? least[k] : 0));
    json_object_set_new(doc, "summary", summary);
}
