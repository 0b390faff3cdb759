/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/diff.h"

#include <stdio.h>
#include <string.h>

#include "report/page.h"
#include "report/pair.h"

/* ---- the document ---- */

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

static json_t *code_record(uint64_t address, const char *const *line, size_t n)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(lines, report_string(line[i]));
    return json_pack("{s:o, s:o}", "address", report_address(address), "instructions", lines);
}

static json_t *block_record(const struct ask_diff_block *b)
{
    json_t *j = json_object();
    json_object_set_new(j, "status",
                        json_string(b->has_old && b->has_new ? "changed"
                                    : b->has_old             ? "removed"
                                                             : "added"));
    if (b->has_old)
        json_object_set_new(j, "old", code_record(b->old_address, b->old_code, b->nold_code));
    if (b->has_new)
        json_object_set_new(j, "new", code_record(b->new_address, b->new_code, b->nnew_code));
    return j;
}

static json_t *function_record(const struct ask_diff_function *f)
{
    static const char *const status[] = {[MATCH_IDENTICAL] = "unchanged",
                                         [MATCH_CHANGED] = "changed",
                                         [MATCH_REMOVED] = "removed",
                                         [MATCH_ADDED] = "added"};
    static const char *const change[] = {"none", "code", "callee", "data"};
    json_t *j = json_object();
    json_object_set_new(j, "status", json_string(status[f->status]));
    if (f->status != MATCH_ADDED)
        json_object_set_new(j, "old", pair_place(&f->old));
    if (f->status != MATCH_REMOVED)
        json_object_set_new(j, "new", pair_place(&f->new));
    if (f->status == MATCH_ADDED || f->status == MATCH_REMOVED)
        return j;
    json_object_set_new(j, "sure", json_integer(f->sure));
    json_object_set_new(j, "similar", json_integer(f->similar));
    json_object_set_new(j, "reasons", reason_list(f->reasons));
    if (f->status != MATCH_CHANGED)
        return j;
    json_object_set_new(j, "change", json_string(change[f->change]));
    if (f->old_refers)
        json_object_set_new(j, "refers_to",
                            json_pack("{s:o, s:o}", "old", report_string(f->old_refers), "new", report_string(f->new_refers)));
    const struct ask_diff_blocks *n = &f->blocks;
    json_t *list = json_array();
    for (size_t i = 0; i < f->nblocks; i++)
        json_array_append_new(list, block_record(&f->block[i]));
    json_object_set_new(j, "blocks",
                        json_pack("{s:I, s:I, s:I, s:I}", "unchanged", (json_int_t)n->unchanged, "changed",
                                  (json_int_t)n->changed, "removed", (json_int_t)n->removed, "added", (json_int_t)n->added));
    json_object_set_new(j, "block_changes", list);
    return j;
}

static json_t *summary(const struct ask_diff_counts *c)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "changed", (json_int_t)c->function[MATCH_CHANGED], "added",
                     (json_int_t)c->function[MATCH_ADDED], "removed", (json_int_t)c->function[MATCH_REMOVED], "unchanged",
                     (json_int_t)c->function[MATCH_IDENTICAL], "data_changed", (json_int_t)c->data);
}

static const char *const status_name[] = {[DIFF_IDENTICAL] = "identical", [DIFF_UNCHANGED] = "unchanged",
                                          [DIFF_CHANGED] = "changed",     [DIFF_ADDED] = "added",
                                          [DIFF_REMOVED] = "removed",     [DIFF_FAILED] = "failed"};

static json_t *file_record(const struct ask_diff_file *f)
{
    json_t *j = pair_record(&f->pair);
    if (f->status != DIFF_FAILED)
        json_object_set_new(j, "status", json_string(status_name[f->status]));
    if (f->pair.opened) {
        json_t *functions = json_array();
        for (size_t i = 0; i < f->function.len; i++)
            json_array_append_new(functions, function_record(&f->function.data[i]));
        json_object_set_new(j, "functions", functions);
    }
    if (f->finished) {
        json_object_set_new(j, "data", pair_data(f->summary.data, f->summary.ndata));
        json_object_set_new(j, "outside", pair_outside(f->summary.outside, f->summary.noutside));
        json_object_set_new(j, "summary", summary(&f->summary.count));
    }
    return j;
}

struct report *report_diff(const struct ask_diff_answer *a)
{
    static const char *const verdict[] = {[DIFF_SAYS_IDENTICAL] = "identical",
                                          [DIFF_SAYS_UNCHANGED] = "unchanged",
                                          [DIFF_SAYS_CHANGED] = "changed",
                                          [DIFF_SAYS_UNKNOWN] = "unknown"};
    struct report *r = report_new("diff");
    json_t *input = json_pack("{s:o, s:o}", "old", report_string(a->q->old), "new", report_string(a->q->new));
    json_t *sum = summary(&a->count);
    if (a->q->function)
        json_object_set_new(input, "function", report_string(a->q->function));
    report_add(r, "input", input);
    for (size_t i = 0; i < a->file.len; i++)
        report_add(r, "files[]", file_record(&a->file.data[i]));
    for (int k = 0; k <= DIFF_FAILED; k++) {
        char name[32];
        snprintf(name, sizeof name, "files_%s", status_name[k]);
        json_object_set_new(sum, name, json_integer((json_int_t)a->files[k]));
    }
    report_add(r, "summary", sum);
    report_add(r, "verdict", json_string(verdict[a->verdict]));
    report_cut(r, &a->end);
    return r;
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
        buf_puts(p->out, "      same instructions with different references\n");
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
