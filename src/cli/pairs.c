/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pairs.h"

#include <stdio.h>
#include <string.h>

bool pairs_open(struct pairs *p, const struct common *common, const char *old, const char *new,
                struct error *err)
{
    /* The workers have limits of their own, which do not hold for opening the two. */
    work_limit_time((unsigned)common->timeout);
    p->files = match_files_open(old, new, err);
    work_limit_time(0);
    if (!p->files)
        return false;
    p->n = match_file_pairs(p->files, &p->pair);
    return true;
}

void pairs_close(struct pairs *p)
{
    buf_free(&p->heard);
    match_files_free(p->files);
}

static bool ask_one(void *ctx, size_t job, struct buf *out)
{
    struct pairs *p = ctx;
    struct error err = {0};
    struct session_sender sender = {.out = out};
    struct report_sink sink = session_send(&sender);
    if (p->n == 1)
        sink.progress = session_tell;
    bool ok = p->ask(p->ctx, &p->pair[job], sink, &err);
    if (!ok) {
        report_line(out, "!kind", json_integer((json_int_t)err.kind));
        report_line(out, "files.error", report_string(err.text));
    }
    return ok;
}

static bool hand_on(void *ctx, const char *place, json_t *value)
{
    struct pairs *p = ctx;
    if (strcmp(place, "!kind") == 0) {
        p->first.kind = (enum error_kind)json_integer_value(value);
        json_decref(value);
        return true;
    }
    if (strcmp(place, "!progress") == 0) {
        if (p->sink.progress)
            p->sink.progress(p->sink.ctx, json_string_value(json_object_get(value, "what")),
                             (size_t)json_integer_value(json_object_get(value, "done")),
                             (size_t)json_integer_value(json_object_get(value, "total")));
        json_decref(value);
        return true;
    }
    if (strcmp(place, "files.error") == 0)
        snprintf(p->first.text, sizeof p->first.text, "%s", json_string_value(value));
    return p->sink.put(p->sink.ctx, place, value);
}

static void hear(void *ctx, size_t job, const char *bytes, size_t n)
{
    (void)job;
    struct pairs *p = ctx;
    const char *end = memrchr(bytes, '\n', n);
    size_t whole = end ? (size_t)(end + 1 - bytes) : 0;
    buf_put(&p->heard, bytes, whole);
    if (whole) {
        p->records += report_read_lines(buf_text(&p->heard), p->heard.len, hand_on, p);
        buf_clear(&p->heard);
        session_flush(p->sink.ctx);
    }
    buf_put(&p->heard, bytes + whole, n - whole);
}

static void asked_one(void *ctx, const struct work_result *r)
{
    struct pairs *p = ctx;
    size_t records = p->streams ? p->records : report_read_lines(r->output, r->output_len, hand_on, p);
    if (r->outcome != WORK_DONE && r->outcome != WORK_FAILED) {
        const struct match_file_pair *pair = &p->pair[r->job];
        if (!records)
            p->sink.put(p->sink.ctx, "files[]",
                        json_pack("{s:{s:o}, s:{s:o}, s:s*}", "old", "path",
                                  report_string(pair->old ? pair->old->path : NULL), "new", "path",
                                  report_string(pair->new ? pair->new->path : NULL), "status", p->status));
        p->sink.put(p->sink.ctx, "files.error", report_string(r->reason));
    }
    p->records = 0;
    buf_clear(&p->heard);
    session_flush(p->sink.ctx);
    if (p->sink.progress && p->n > 1)
        p->sink.progress(p->sink.ctx, "files compared", r->job + 1, p->n);
}

bool pairs_run(struct pairs *p, struct work_options limits, struct report_sink sink, struct error *err)
{
    p->sink = sink;
    p->streams = p->n == 1 || limits.jobs == 1;
    limits.output = p->streams ? hear : NULL;
    if (!work_run(p->n, &limits, ask_one, asked_one, p, NULL, err))
        return false;
    if (p->n == 1 && p->first.kind) {
        *err = p->first;
        return false;
    }
    return true;
}
