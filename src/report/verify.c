/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The document of `assay verify`, from its answer. */
#include "report/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/page.h"
#include "report/pair.h"

/* ---- one function ---- */

static json_t *properties(unsigned set)
{
    static const char *const name[] = {"P1", "P2", "P3", "P4"};
    json_t *list = json_array();
    for (unsigned i = 0; i < 4; i++)
        if (set >> i & 1)
            json_array_append_new(list, json_string(name[i]));
    return list;
}

static json_t *address_or_null(uint64_t address)
{
    return address != ASK_NO_PLACE ? report_address(address) : json_null();
}

static json_t *addresses(const uint64_t *address, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, report_address(address[i]));
    return list;
}

/* A bound stays one when it is rounded. */
static json_t *per_million(double share, double (*rounded)(double))
{
    enum { MILLION = 1000000 };
    double n = rounded(share * MILLION);
    return json_integer(n < 0 ? 0 : n > MILLION ? MILLION : (json_int_t)n);
}

static json_t *steps(const struct verify_step *s, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *reg = json_array(), *access = json_array();
        for (size_t k = 0; k < s[i].nregs; k++)
            json_array_append_new(reg, json_pack("[o, o]", report_string(s[i].reg[k].name), report_string(s[i].reg[k].value)));
        for (size_t k = 0; k < s[i].naccesses; k++)
            json_array_append_new(access, json_pack("[o, o, b]", report_string(s[i].access[k].place),
                                                    report_string(s[i].access[k].value), s[i].access[k].write));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "block", address_or_null(s[i].block), "registers", reg,
                                              "memory", access));
    }
    return list;
}

static json_t *difference_record(const struct verify_difference *d, bool page)
{
    static const char *const replay[] = {"not tried", "replayed", "failed"};
    json_t *j = json_object(), *inputs = json_array(), *property = properties(d->property);
    json_object_set(j, "property", json_array_get(property, 0));
    json_decref(property);
    json_object_set_new(j, "question",
                        d->question == VERIFY_Q_NONE ? json_null()
                                                     : json_string(verify_question_name(d->question)));
    json_object_set_new(j, "key", report_string(d->key));
    json_object_set_new(j, "what", report_string(d->what));
    json_object_set_new(j, "old", report_string(d->old_text));
    json_object_set_new(j, "new", report_string(d->new_text));
    json_object_set_new(j, "condition", report_string(d->condition));
    json_object_set_new(j, "share_ppm", d->share < 0 ? json_null() : per_million(d->share, round));
    json_object_set_new(j, "share_ppm_low", per_million(d->share_low, floor));
    json_object_set_new(j, "share_ppm_high", per_million(d->share_high, ceil));
    json_object_set_new(j, "old_site", address_or_null(d->old_site));
    json_object_set_new(j, "new_site", address_or_null(d->new_site));
    json_object_set_new(j, "old_line", report_string(d->old_line));
    json_object_set_new(j, "new_line", report_string(d->new_line));
    for (size_t i = 0; i < d->ninputs; i++)
        json_array_append_new(inputs, json_pack("{s:o, s:o}", "name", report_string(d->input[i].name),
                                                "value", report_string(d->input[i].value)));
    json_object_set_new(j, "inputs", inputs);
    json_object_set_new(j, "old_trace", addresses(d->old_trace, d->nold_trace));
    json_object_set_new(j, "new_trace", addresses(d->new_trace, d->nnew_trace));
    if (page && d->nold_steps)
        json_object_set_new(j, "old_steps", steps(d->old_step, d->nold_steps));
    if (page && d->nnew_steps)
        json_object_set_new(j, "new_steps", steps(d->new_step, d->nnew_steps));
    json_object_set_new(j, "replay", json_string(replay[d->replay]));
    json_object_set_new(j, "replay_reason", report_string(d->replay_why));
    json_object_set_new(j, "accepted", json_boolean(d->accepted));
    return j;
}

static const struct {
    const char *name, *text;
} sentence[] = {
    {"Q1", "A stored value changed. Are the two values equivalent?"},
    {"Q2", "A store was added or removed. Is it without effect?"},
    {"Q3", "A call was replaced by another. Are the two equivalent?"},
    {"Q4", "The number of calls to a function changed. Is the function without effect?"},
    {"Q5", "An argument changed. Are the two values equivalent?"},
    {"P1", "The new version accepts inputs that the old one rejects. Is that intended?"},
    {"P3", "The return value changed. Are the two values equivalent?"},
};

static const char *question_of(json_t *d)
{
    const char *name = has(d, "question") ? str(d, "question") : str(d, "property");
    for (size_t i = 0; i < sizeof sentence / sizeof *sentence; i++)
        if (strcmp(sentence[i].name, name) == 0)
            return sentence[i].text;
    return "The two versions differ. Is that intended?";
}

json_t *report_verify_question(const struct ask_question *q)
{
    static const char *const kept[] = {"property", "question", "what",     "old",      "new",   "condition",
                                       "old_line", "new_line", "old_site", "new_site", "inputs"};
    json_t *d = difference_record(q->difference, false), *j = json_object();
    json_object_set(j, "key", json_object_get(d, "key"));
    json_object_set_new(j, "answer", json_string(""));
    json_object_set_new(j, "asks", json_string(question_of(d)));
    json_object_set_new(j, "function", report_string(q->function->name));
    for (size_t m = 0; m < sizeof kept / sizeof *kept; m++)
        if (json_object_get(d, kept[m]) && !json_is_null(json_object_get(d, kept[m])))
            json_object_set(j, kept[m], json_object_get(d, kept[m]));
    json_decref(d);
    return j;
}

static json_t *exit_record(const struct verify_exit *e)
{
    static const char *const heuristic[] = {"A", "B", "C", "user"};
    struct buf by = BUF_INIT;
    for (unsigned i = 0; i < 4; i++)
        if (e->by >> i & 1)
            buf_printf(&by, "%s%s", by.len ? "," : "", heuristic[i]);
    json_t *j = json_object();
    json_object_set_new(j, "side", json_string(e->new ? "new" : "old"));
    json_object_set_new(j, "address", report_address(e->address));
    json_object_set_new(j, "end", json_string(path_end_name((enum path_end)e->end)));
    json_object_set_new(j, "class", json_string(e->sometimes ? "sometimes" : e->error ? "error" : "valid"));
    json_object_set_new(j, "by", by.len ? json_string(buf_text(&by)) : json_null());
    json_object_set_new(j, "why", report_string(e->why));
    json_object_set_new(j, "when", report_string(e->when));
    buf_free(&by);
    return j;
}

static json_t *stats_record(const struct verify_stats *s)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "work", (json_int_t)s->work, "terms", (json_int_t)s->terms, "queries",
                     (json_int_t)s->queries, "queries_by_solver", (json_int_t)s->by_solver, "cut_points",
                     (json_int_t)s->cut_points, "segments", (json_int_t)s->segments, "paths",
                     (json_int_t)s->paths, "states", (json_int_t)s->states, "merges", (json_int_t)s->merges);
}

static json_t *callees(const struct ask_callee *c, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:s, s:b}", "name", report_string(c[i].name), "verdict",
                                        c[i].asked ? verify_verdict_name(c[i].verdict) : "not asked",
                                        "given_accepted", c[i].given_accepted));
    return list;
}

static json_t *blocks(const struct ask_block *b, size_t n)
{
    static const char *const name[] = {"same", "changed", "alone"};
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *j = json_object(), *code = json_array(), *successors = json_array();
        for (size_t k = 0; k < b[i].ninsns; k++) {
            json_t *insn = json_object();
            json_object_set_new(insn, "address", report_address(b[i].insn[k].address));
            json_object_set_new(insn, "text", report_string(b[i].insn[k].text));
            if (b[i].insn[k].source)
                json_object_set_new(insn, "source", report_string(b[i].insn[k].source));
            json_array_append_new(code, insn);
        }
        for (size_t k = 0; k < b[i].nsuccessors; k++)
            json_array_append_new(successors, json_pack("{s:I, s:o}", "to", (json_int_t)b[i].successor[k].to, "kind",
                                                        report_string(b[i].successor[k].kind)));
        json_object_set_new(j, "address", report_address(b[i].address));
        json_object_set_new(j, "status", json_string(name[b[i].status]));
        json_object_set_new(j, "partner",
                            b[i].partner == MATCH_NONE ? json_null() : json_integer((json_int_t)b[i].partner));
        json_object_set_new(j, "instructions", code);
        json_object_set_new(j, "successors", successors);
        json_array_append_new(list, j);
    }
    return list;
}

static const char *file_name(const struct ask_pair *p)
{
    return p->has_new ? p->new.path : p->old.path;
}

static json_t *function_record(const struct ask_verified *f, const struct ask_verify_answer *a,
                               const struct report_verify *how)
{
    static const char *const change[] = {"none", "code", "callee", "data"};
    static const char *const minor[] = {[ASK_MINOR_LINES] = "line numbers",
                                        [ASK_MINOR_VERSION] = "version strings",
                                        [ASK_MINOR_FIELD] = "moved field"};
    const struct ask_verify *q = a->q;
    const struct verify_result *r = &f->result;
    json_t *j = json_object();
    json_object_set_new(j, "name", report_string(f->name));
    json_object_set_new(j, "old", pair_place(&f->old));
    json_object_set_new(j, "new", pair_place(&f->new));
    json_object_set_new(j, "status", json_string(f->identical ? "identical" : "changed"));
    json_object_set_new(j, "change", json_string(change[f->change]));
    json_object_set_new(j, "sure", json_integer(f->sure));
    json_object_set_new(j, "similar", json_integer(f->similar));
    json_t *list = json_array();
    json_object_set_new(j, "verdict", json_string(verify_verdict_name(r->verdict)));
    json_object_set_new(j, "failed", properties(r->failed));
    json_object_set_new(j, "reason", report_string(r->reason.text));
    if (r->verdict == VERIFY_BOUNDED)
        json_object_set_new(j, "rounds", json_integer(r->rounds));
    if (verify_is_open(r->verdict))
        json_object_set_new(j, "remedy", report_string(verify_remedy_text(r->reason.remedy)));
    if (verify_is_open(r->verdict) && f->limit_ms)
        json_object_set_new(j, "limit_ms", json_integer(f->limit_ms));
    json_object_set_new(j, "accepted", json_integer((json_int_t)r->naccepted));
    for (size_t i = 0; i < r->ndifferences; i++)
        json_array_append_new(list, difference_record(&r->difference[i], how->page));
    json_object_set_new(j, "differences", list);
    list = json_array();
    for (size_t i = 0; i < r->nexits; i++)
        json_array_append_new(list, exit_record(&r->exit[i]));
    json_object_set_new(j, "exits", list);
    list = json_array();
    for (size_t i = 0; i < r->nrejections; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "when", report_string(r->rejection[i].when),
                                              "site", report_address(r->rejection[i].site), "line",
                                              report_string(r->rejection[i].line)));
    json_object_set_new(j, "now_rejects", list);
    if (f->minor != ASK_MINOR_NONE)
        json_object_set_new(j, "group", json_string(minor[f->minor]));
    if (f->shared)
        json_object_set_new(j, "same_in", report_string(file_name(&a->file.data[f->shared_file].pair)));
    if (f->also)
        json_object_set_new(j, "also_in", json_integer((json_int_t)f->also));
    list = json_array();
    for (size_t i = 0; i < r->nassumptions; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:o}", "name", report_string(r->assumption[i].name), "text",
                            report_string(r->assumption[i].text), "count", (json_int_t)r->assumption[i].count,
                            "denied_by", report_string(r->assumption[i].denied_by)));
    json_object_set_new(j, "assumptions", list);
    json_object_set_new(j, "warnings", report_strings(r->warning, r->nwarnings));
    json_object_set_new(j, "rests_on", callees(f->rests_on, f->nrests_on));
    if (q->how.strategy == VERIFY_PATHS) {
        json_object_set_new(j, "divisible", json_boolean(r->divisible));
        json_object_set_new(j, "path_pairs", json_integer((json_int_t)r->path_pairs));
    }
    if (how->stats)
        json_object_set_new(j, "stats", stats_record(&r->stats));
    if (how->page && f->has_graphs)
        json_object_set_new(j, "graphs",
                            json_pack("{s:o, s:o}", "old", blocks(f->block[0], f->nblocks[0]), "new",
                                      blocks(f->block[1], f->nblocks[1])));
    return j;
}

/* ---- one file ---- */

static json_t *summary(const struct ask_verify_counts *c)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "safe", (json_int_t)c->verdict[VERIFY_SAFE],
        "unsafe", (json_int_t)c->verdict[VERIFY_UNSAFE], "unknown", (json_int_t)c->verdict[VERIFY_UNKNOWN],
        "bounded", (json_int_t)c->verdict[VERIFY_BOUNDED], "identical", (json_int_t)c->identical, "added",
        (json_int_t)c->added, "removed", (json_int_t)c->removed, "ignored", (json_int_t)c->ignored,
        "accepted", (json_int_t)c->accepted, "given_accepted", (json_int_t)c->given_accepted);
}

static json_t *identical(const struct ask_identical *x, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "name", report_string(x[i].name), "old",
                                              report_address(x[i].old), "new", report_address(x[i].new)));
    return list;
}

static json_t *file_record(const struct ask_verify_file *f, const struct ask_verify_answer *a,
                           const struct report_verify *how)
{
    static const char *const status[] = {[FILE_COMPARED] = "compared",
                                         [FILE_IDENTICAL] = "identical",
                                         [FILE_ADDED] = "added",
                                         [FILE_REMOVED] = "removed"};
    const struct ask_selection *s = &f->selection;
    json_t *j = pair_record(&f->pair), *functions = json_array();
    json_object_set_new(j, "status", json_string(status[f->status]));
    json_object_set_new(j, "summary", summary(&f->count));
    json_object_set_new(j, "verdict", json_string(verify_verdict_name(f->verdict)));
    if (f->pair.lost) {
        json_decref(functions);
        return j;
    }
    for (size_t i = 0; i < f->function.len; i++)
        json_array_append_new(functions, function_record(&f->function.data[i], a, how));
    json_object_set_new(j, "functions", functions);
    json_object_set_new(j, "reasons", report_strings(f->reason.data, f->reason.len));
    json_object_set_new(j, "identical", identical(s->identical, s->nidentical));
    json_object_set_new(j, "added", pair_places(s->added, s->nadded));
    json_object_set_new(j, "removed", pair_places(s->removed, s->nremoved));
    json_object_set_new(j, "ignored", report_strings(s->ignored, s->nignored));
    json_object_set_new(j, "outside", pair_outside(s->outside, s->noutside));
    json_object_set_new(j, "data", pair_data(s->data, s->ndata));
    if (s->not_found)
        json_object_set_new(j, "not_found", report_string(s->not_found));
    return j;
}

/* ---- the whole ---- */

static json_t *words_of(const char *list)
{
    json_t *out = json_array();
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n && strncmp(list, "none", n) != 0)
            json_array_append_new(out, json_stringn(list, n));
        list += n + (list[n] == ',');
    }
    return out;
}

static json_t *input_record(const struct ask_verify *q)
{
    json_t *j = json_pack("{s:o, s:o}", "old", report_string(q->old), "new", report_string(q->new));
    if (!q->heuristics)
        return j;
    json_object_set_new(j, "strategy", json_string(q->how.strategy == VERIFY_PATHS ? "paths" : "converge"));
    json_object_set_new(j, "heuristics", words_of(q->heuristics));
    json_object_set_new(j, "assume", words_of(q->assume));
    json_object_set_new(j, "functions", report_strings(q->function, q->nfunctions));
    return j;
}

/* ---- what happened ---- */

static void count(struct buf *b, const char *before, uint64_t n, const char *after)
{
    buf_printf(b, "%s%llu function%s%s", before, (unsigned long long)n, n == 1 ? "" : "s", after);
}

static json_t *headline(const struct ask_headline *h)
{
    static const char *const kind[] = {
        [ASK_NO_CODE_CHANGED] = "no code changed",     [ASK_SAME_BEHAVIOUR] = "same behaviour",
        [ASK_ONLY_REJECTS_MORE] = "only rejects more", [ASK_MINOR_CHANGES] = "minor changes",
        [ASK_BEHAVIOUR_CHANGES] = "behaviour changes", [ASK_UNDECIDED] = "undecided",
        [ASK_SAME_WITHIN_ROUNDS] = "bounded"};
    struct buf b = BUF_INIT;
    switch (h->kind) {
    case ASK_NO_CODE_CHANGED:
        buf_puts(&b, h->data ? "NO CODE CHANGED: the functions are the same; only data differs"
                             : "NO CODE CHANGED: the files differ, but neither functions nor data do");
        break;
    case ASK_SAME_BEHAVIOUR:
        buf_puts(&b,
                 h->otherwise ? "behaviour stays the same for accepted inputs" : "behaviour stays the same");
        break;
    case ASK_ONLY_REJECTS_MORE:
        count(&b, "only rejects more: ", h->rejects,
              h->rejects == 1 ? " rejects inputs that it accepted" : " reject inputs that they accepted");
        break;
    case ASK_MINOR_CHANGES:
    case ASK_BEHAVIOUR_CHANGES:
    case ASK_UNDECIDED:
    case ASK_SAME_WITHIN_ROUNDS:
        if (h->changes)
            count(&b, "behaviour changes in ", h->changes, "");
        if (h->minor)
            count(&b, b.len ? "; " : "", h->minor,
                  h->minor == 1 ? " differs only in line numbers, version strings or moved fields"
                                : " differ only in line numbers, version strings or moved fields");
        if (h->undecided)
            count(&b, b.len ? "; undecided in " : "undecided in ", h->undecided, "");
        if (h->bounded)
            count(&b,
                  b.len ? "; no difference in a few rounds of loops in "
                        : "no difference in a few rounds of loops in ",
                  h->bounded, ", more rounds are not proved");
        if (h->rejects)
            count(&b, b.len ? "; rejects more in " : "rejects more in ", h->rejects, "");
        if (!b.len)
            buf_puts(&b, "undecided");
        break;
    }
    if (h->otherwise)
        count(&b, "; rejected inputs leave something else in memory in ", h->otherwise, "");
    json_t *j =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "kind", kind[h->kind], "text", buf_text(&b),
                  "behaviour_changes", (json_int_t)h->changes, "minor", (json_int_t)h->minor, "rejects_more",
                  (json_int_t)h->rejects, "undecided", (json_int_t)h->undecided, "bounded",
                  (json_int_t)h->bounded, "rejected_otherwise", (json_int_t)h->otherwise);
    buf_free(&b);
    return j;
}

struct report *report_verify(const struct ask_verify_answer *a, const struct report_verify *how)
{
    struct report *r = report_new("verify");
    json_t *s = summary(&a->count);
    report_add(r, "input", input_record(a->q));
    for (size_t i = 0; i < a->file.len; i++)
        report_add(r, "files[]", file_record(&a->file.data[i], a, how));
    json_object_set_new(s, "files", json_integer((json_int_t)a->file.len));
    report_add(r, "summary", s);
    report_add(r, "headline", headline(&a->headline));
    report_add(r, "warnings", report_strings(a->warning.data, a->warning.len));
    report_add(r, "verdict", json_string(verify_verdict_name(a->verdict)));
    if (a->all_identical)
        report_add(r, "reason", json_string("identical"));
    else if (a->file.len < a->pairs)
        report_add(r, "reason", json_string("some files were not reached"));
    report_cut(r, &a->end);
    return r;
}

const char *report_verdict_text(const char *verdict)
{
    return strcmp(verdict, "safe") == 0      ? "safe to apply"
           : strcmp(verdict, "unsafe") == 0  ? "not safe to apply"
           : strcmp(verdict, "bounded") == 0 ? "bounded"
                                             : "unknown";
}

json_t *report_verify_remedies(json_t *doc)
{
    json_t *out = json_array(), *file, *f, *one;
    size_t i, k, n;
    json_array_foreach(json_object_get(doc, "files"), i, file)
        json_array_foreach(json_object_get(file, "functions"), k, f)
    {
        const char *remedy = json_string_value(json_object_get(f, "remedy"));
        json_t *same = NULL;
        json_array_foreach(
            out, n, one) if (remedy && strcmp(json_string_value(json_object_get(one, "remedy")), remedy) == 0)
            same = one;
        if (!remedy)
            continue;
        json_int_t number = same ? json_integer_value(json_object_get(same, "number")) + 1 : 1;
        char text[32];
        snprintf(text, sizeof text, "%lld functions", (long long)number);
        if (!same)
            json_array_append_new(
                out, same = json_pack("{s:s, s:O}", "remedy", remedy, "for", json_object_get(f, "name")));
        else
            json_object_set_new(same, "for", json_string(text));
        json_object_set_new(same, "number", json_integer(number));
    }
    return out;
}
