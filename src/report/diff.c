/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay diff`: what of two programs is the same, file by file and function by function. */
#include <stdio.h>
#include <string.h>

#include "report/code.h"
#include "report/compare.h"
#include "report/page.h"

/* ---- one function ---- */

static const char *status_name(unsigned status)
{
    switch (status) {
    case MATCH_IDENTICAL:
        return "unchanged";
    case MATCH_CHANGED:
        return "changed";
    case MATCH_REMOVED:
        return "removed";
    case MATCH_ADDED:
        return "added";
    }
    return "?";
}

static json_t *reason_list(unsigned reasons)
{
    json_t *list = json_array();
    for (unsigned bit = 1; bit <= MATCH_BY_USE; bit <<= 1) {
        char word[64];
        if (reasons & bit)
            json_array_append_new(list, json_string(match_reasons_text(bit, word, sizeof word)));
    }
    return list;
}

static json_t *block_record(struct program *p, const struct ir_block *b)
{
    bool arm = program_machine(p)->arch == MACHINE_ARM;
    json_t *lines = json_array();
    for (uint32_t i = 0; i < b->nmark; i++) {
        char text[CODE_TEXT];
        code_text(p, b, &b->mark[i], text);
        compare_name_target(p, text, sizeof text);
        json_array_append_new(lines, report_string(text));
    }
    json_t *j = json_object();
    json_object_set_new(j, "address", report_address(arm ? b->label & ~UINT64_C(1) : b->label));
    json_object_set_new(j, "instructions", lines);
    return j;
}

/* The blocks of a changed function: how many of each kind, and those that are not identical. */
static void add_blocks(const struct compared *c, const struct match_pair *x, json_t *j)
{
    const struct match_blocks *b = match_blocks(c->m, x->old, x->new);
    const struct flow_graph *g1 = flow_graph(c->p[0], &c->f[0][x->old]),
                            *g2 = flow_graph(c->p[1], &c->f[1][x->new]);
    json_int_t identical = 0, changed = 0, removed = 0, added = 0;
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->nold; i++) {
        if (b->old_status[i] == MATCH_BLOCK_IDENTICAL) {
            identical++;
            continue;
        }
        bool pair = b->new_of_old[i] != MATCH_NONE;
        *(pair ? &changed : &removed) += 1;
        json_t *k = json_object();
        json_object_set_new(k, "status", json_string(pair ? "changed" : "removed"));
        json_object_set_new(k, "old", block_record(c->p[0], &g1->block[i]));
        if (pair)
            json_object_set_new(k, "new", block_record(c->p[1], &g2->block[b->new_of_old[i]]));
        json_array_append_new(list, k);
    }
    for (uint32_t i = 0; i < b->nnew; i++) {
        if (b->old_of_new[i] != MATCH_NONE)
            continue;
        added++;
        json_t *k = json_object();
        json_object_set_new(k, "status", json_string("added"));
        json_object_set_new(k, "new", block_record(c->p[1], &g2->block[i]));
        json_array_append_new(list, k);
    }
    json_object_set_new(j, "blocks",
                        json_pack("{s:I, s:I, s:I, s:I}", "unchanged", identical, "changed", changed,
                                  "removed", removed, "added", added));
    json_object_set_new(j, "block_changes", list);
    flow_drop(c->p[0], &c->f[0][x->old]);
    flow_drop(c->p[1], &c->f[1][x->new]);
}

static json_t *function_record(const struct compared *c, const struct match_pair *x)
{
    json_t *j = json_object();
    json_object_set_new(j, "status", json_string(status_name(x->status)));
    if (x->old != MATCH_NONE)
        json_object_set_new(j, "old", compare_place(&c->f[0][x->old]));
    if (x->new != MATCH_NONE)
        json_object_set_new(j, "new", compare_place(&c->f[1][x->new]));
    if (x->old == MATCH_NONE || x->new == MATCH_NONE)
        return j;
    /* Two digits are as much as this means, and the same on every machine. */
    json_object_set_new(j, "sure", json_integer((json_int_t)(x->sure * 100 + 0.5)));
    json_object_set_new(j, "similar", json_integer((json_int_t)(x->similar * 100)));
    json_object_set_new(j, "reasons", reason_list(x->reasons));
    if (x->status != MATCH_CHANGED)
        return j;
    static const char *const change[] = {"none", "code", "callee", "data"};
    json_object_set_new(j, "change", json_string(change[x->change]));
    if (x->change != MATCH_CHANGE_CODE && (x->old_at || x->new_at))
        json_object_set_new(j, "refers_to",
                            json_pack("{s:o, s:o}", "old", compare_described(c->p[0], x->old_at), "new",
                                      compare_described(c->p[1], x->new_at)));
    add_blocks(c, x, j);
    return j;
}

/* ---- one file ---- */

static bool wanted(const struct compared *c, const struct match_pair *x,
                   const struct flow_function *const only[2])
{
    if (!only[0] && !only[1])
        return true;
    return (x->old != MATCH_NONE && &c->f[0][x->old] == only[0]) ||
           (x->new != MATCH_NONE && & c->f[1][x->new] == only[1]);
}

static bool put_functions(struct compared *c, const struct report_diff *opt, struct report_sink sink,
                          struct error *err)
{
    const struct flow_function *only[2] = {NULL, NULL};
    if (opt->function) {
        only[0] = program_function(c->p[0], opt->function, err);
        only[1] = program_function(c->p[1], opt->function, NULL);
        if (!only[0] && !only[1])
            return false;
    }
    const struct match_pair *x;
    size_t n = match_pairs(c->m, &x), count[4] = {0}, data = 0;
    sink.put(sink.ctx, "files.functions", json_array());
    for (size_t i = 0; i < n; i++) {
        if (!wanted(c, &x[i], only))
            continue;
        count[x[i].status]++;
        if (sink.progress)
            sink.progress(sink.ctx, "functions compared", i + 1, n);
        if (x[i].status != MATCH_IDENTICAL || opt->all || opt->function)
            if (!sink.put(sink.ctx, "files.functions[]", function_record(c, &x[i])))
                break;
    }
    sink.put(sink.ctx, "files.data", json_array());
    sink.put(sink.ctx, "files.outside", json_array());
    const struct match_outside *outside;
    size_t others = 0;
    if (!opt->function) {
        data = compare_put_data(c, sink);
        compare_put_outside(c, false, sink);
        others = match_outside(c->m, &outside);
    }
    bool same = !count[MATCH_CHANGED] && !count[MATCH_ADDED] && !count[MATCH_REMOVED] && !data && !others;
    sink.put(sink.ctx, "files.status", json_string(same ? "unchanged" : "changed"));
    sink.put(sink.ctx, "files.summary",
             json_pack("{s:I, s:I, s:I, s:I, s:I}", "changed", (json_int_t)count[MATCH_CHANGED], "added",
                       (json_int_t)count[MATCH_ADDED], "removed", (json_int_t)count[MATCH_REMOVED],
                       "unchanged", (json_int_t)count[MATCH_IDENTICAL], "data_changed", (json_int_t)data));
    return true;
}

bool report_diff_file(const struct match_file_pair *pair, const struct report_diff *opt,
                      struct report_sink sink, struct error *err)
{
    json_t *j = json_object();
    json_object_set_new(j, "old", pair->old ? compare_file(pair->old) : json_null());
    json_object_set_new(j, "new", pair->new ? compare_file(pair->new) : json_null());
    json_object_set_new(j, "renamed", json_boolean(pair->renamed));
    bool same = pair->old && pair->new &&strcmp(pair->old->sha256, pair->new->sha256) == 0;
    if (!pair->old || !pair->new || (same && !opt->function)) {
        json_object_set_new(j, "status", json_string(same ? "identical" : pair->old ? "removed" : "added"));
        sink.put(sink.ctx, "files[]", j);
        return true;
    }
    sink.put(sink.ctx, "files[]", j);
    struct compared c;
    if (!compare_open(&c, pair,
                      &(struct compare_options){opt->old, opt->new, &opt->object, &opt->function, opt->function != NULL},
                      sink, err))
        return false;
    bool ok = put_functions(&c, opt, sink, err);
    compare_close(&c);
    return ok;
}

/* ---- for people ---- */

static enum ink status_ink(const char *status)
{
    return strcmp(status, "added") == 0     ? INK_GREEN
           : strcmp(status, "removed") == 0 ? INK_RED
           : strcmp(status, "changed") == 0 ? INK_YELLOW
                                            : INK_DIM;
}

/* Lines of a pair of blocks: what both begin and end with is left out. */
static void text_block(const struct page *p, json_t *k, size_t lines)
{
    json_t *old = json_object_get(k, "old"), *new = json_object_get(k, "new");
    json_t *a = json_object_get(old, "instructions"), *b = json_object_get(new, "instructions");
    size_t na = json_array_size(a), nb = json_array_size(b), n = na < nb ? na : nb, head = 0, tail = 0;
    if (old && new) {
        while (head < n && json_equal(json_array_get(a, head), json_array_get(b, head)))
            head++;
        while (tail < n - head &&
               json_equal(json_array_get(a, na - 1 - tail), json_array_get(b, nb - 1 - tail)))
            tail++;
    }
    buf_printf(p->out, "    block ");
    if (old && new)
        buf_printf(p->out, "%s -> %s, changed\n", str(old, "address"), str(new, "address"));
    else
        buf_printf(p->out, "%s, %s\n", str(old ? old : new, "address"), str(k, "status"));
    struct buf line = BUF_INIT;
    for (int side = 0; side < 2; side++) {
        json_t *list = side ? b : a;
        size_t end = json_array_size(list) - (list ? tail : 0);
        for (size_t i = head; i < end; i++) {
            if (i - head == lines) {
                buf_printf(p->out, "      and %zu more instructions\n", end - i);
                break;
            }
            buf_clear(&line);
            buf_printf(&line, "    %c %s", side ? '+' : '-', json_string_value(json_array_get(list, i)));
            ink(p, side ? INK_GREEN : INK_RED, buf_text(&line));
            buf_putc(p->out, '\n');
        }
    }
    if (old && new &&head + tail >= na && head + tail >= nb)
        buf_puts(p->out, "      the same instructions; what they refer to differs\n");
    buf_free(&line);
}

static void text_function(const struct page *p, json_t *f, bool all_blocks)
{
    enum { BRIEF = 6, BRIEF_LINES = 12 };
    json_t *old = json_object_get(f, "old"), *new = json_object_get(f, "new"), *reason, *k;
    size_t i;
    buf_puts(p->out, "  ");
    ink(p, status_ink(str(f, "status")), str(f, "status"));
    buf_putc(p->out, ' ');
    ink(p, INK_BOLD, str(new ? new : old, "name"));
    put_readable(p->out, str(new ? new : old, "name"));
    if (old && new) {
        if (strcmp(str(old, "name"), str(new, "name")) != 0)
            buf_printf(p->out, ", was %s,", str(old, "name"));
        buf_printf(p->out, " at %s -> %s, %lld %% sure by ", str(old, "address"), str(new, "address"),
                   (long long)num(f, "sure"));
        json_array_foreach(json_object_get(f, "reasons"), i, reason)
            buf_printf(p->out, "%s%s", i ? ", " : "", json_string_value(reason));
    } else {
        buf_printf(p->out, " at %s, %lld bytes", str(old ? old : new, "address"),
                   (long long)num(old ? old : new, "size"));
    }
    json_t *blocks = json_object_get(f, "blocks"), *to = json_object_get(f, "refers_to");
    if (blocks)
        buf_printf(p->out, "; blocks: %lld unchanged, %lld changed, %lld removed, %lld added",
                   (long long)num(blocks, "unchanged"), (long long)num(blocks, "changed"),
                   (long long)num(blocks, "removed"), (long long)num(blocks, "added"));
    buf_putc(p->out, '\n');
    if (to)
        buf_printf(p->out, "    refers to %s instead of %s\n", str(to, "new"), str(to, "old"));
    json_t *list = json_object_get(f, "block_changes");
    json_array_foreach(list, i, k)
    {
        if (i == BRIEF && !all_blocks) {
            buf_printf(p->out, "    and %zu more block%s; --func %s shows all\n",
                       json_array_size(list) - BRIEF, plural((json_int_t)(json_array_size(list) - BRIEF)),
                       str(new, "name"));
            break;
        }
        text_block(p, k, all_blocks ? SIZE_MAX : BRIEF_LINES);
    }
}

static void text_file(const struct page *p, json_t *file, bool single, bool all_blocks)
{
    json_t *old = json_object_get(file, "old"), *new = json_object_get(file, "new"),
           *s = json_object_get(file, "summary"), *e;
    bool both = json_is_object(old) && json_is_object(new);
    size_t i;
    if (!single) {
        buf_putc(p->out, '\n');
        ink(p, INK_BOLD, str(json_is_object(new) ? new : old, "path"));
        if (json_is_true(json_object_get(file, "renamed")))
            buf_printf(p->out, ", was %s", str(old, "path"));
        buf_puts(p->out, ": ");
        if (both && s)
            buf_printf(p->out, "%lld changed, %lld added, %lld removed, %lld unchanged\n",
                       (long long)num(s, "changed"), (long long)num(s, "added"), (long long)num(s, "removed"),
                       (long long)num(s, "unchanged"));
        else if (json_object_get(file, "error"))
            buf_printf(p->out, "not compared: %s\n", str(file, "error"));
        else
            buf_printf(p->out, "%s\n", str(file, "status"));
    }
    json_array_foreach(json_object_get(file, "functions"), i, e) text_function(p, e, all_blocks);
    json_array_foreach(json_object_get(file, "data"), i, e)
    {
        buf_printf(p->out, "  data ");
        if (json_is_string(json_object_get(e, "name")))
            buf_printf(p->out, "%s ", str(e, "name"));
        buf_printf(p->out, "at %s -> %s changed: %s, now %s\n", str(e, "old"), str(e, "new"),
                   str(e, "old_content"), str(e, "new_content"));
    }
    json_array_foreach(json_object_get(file, "outside"), i, e) buf_printf(p->out, "  file: %s\n", str(e, "text"));
}

void report_diff_text(json_t *doc, bool color, struct buf *out)
{
    struct page p = {out, color};
    json_t *files = json_object_get(doc, "files"), *f, *t = json_object_get(doc, "summary");
    size_t i, n = json_array_size(files);
    if (!t) {
        buf_puts(out, "not complete\n");
    } else if (strcmp(str(doc, "verdict"), "identical") == 0) {
        buf_puts(out, n == 1 ? "identical: both are the same file\n" : "identical: all files are the same\n");
        return;
    } else {
        buf_printf(out, "%lld function%s changed, %lld added, %lld removed, %lld unchanged",
                   (long long)num(t, "changed"), plural(num(t, "changed")), (long long)num(t, "added"),
                   (long long)num(t, "removed"), (long long)num(t, "unchanged"));
        if (num(t, "data_changed"))
            buf_printf(out, "; %lld data object%s changed", (long long)num(t, "data_changed"),
                       plural(num(t, "data_changed")));
        if (n > 1)
            buf_printf(out,
                       "; %zu files: %lld identical, %lld unchanged, %lld changed, %lld added, %lld removed",
                       n, (long long)num(t, "files_identical"), (long long)num(t, "files_unchanged"),
                       (long long)num(t, "files_changed"), (long long)num(t, "files_added"),
                       (long long)num(t, "files_removed"));
        if (num(t, "files_failed"))
            buf_printf(out, "; %lld not compared", (long long)num(t, "files_failed"));
        buf_putc(out, '\n');
    }
    bool all_blocks = json_is_string(json_object_get(json_object_get(doc, "input"), "function"));
    json_array_foreach(files, i, f) text_file(&p, f, is_single(files), all_blocks);
}

/* ---- the sum ---- */

void report_diff_sum(struct report *r)
{
    static const char *const functions[] = {"changed", "added", "removed", "unchanged", "data_changed"};
    static const char *const states[] = {"identical", "unchanged", "changed", "added", "removed"};
    json_t *doc = report_document(r), *files = json_object_get(doc, "files"), *f, *t = json_object();
    json_int_t sum[5] = {0}, state[5] = {0}, failed = 0;
    size_t i;
    json_array_foreach(files, i, f)
    {
        for (int k = 0; k < 5; k++) {
            sum[k] += num(json_object_get(f, "summary"), functions[k]);
            state[k] += strcmp(str(f, "status"), states[k]) == 0;
        }
        failed += !json_object_get(f, "status");
    }
    for (int k = 0; k < 5; k++) {
        char name[32];
        snprintf(name, sizeof name, "files_%s", states[k]);
        json_object_set_new(t, functions[k], json_integer(sum[k]));
        json_object_set_new(t, name, json_integer(state[k]));
    }
    json_object_set_new(t, "files_failed", json_integer(failed));
    bool same = state[0] + state[1] == (json_int_t)json_array_size(files);
    const char *verdict = failed                                           ? "unknown"
                          : state[0] == (json_int_t)json_array_size(files) ? "identical"
                          : same                                           ? "unchanged"
                                                                           : "changed";
    report_add(r, "summary", t);
    report_add(r, "verdict", json_string(verdict));
}
