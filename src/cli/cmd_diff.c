/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/session.h"
#include "match/match.h"
#include "work/work.h"

struct diff_options {
    struct common common;
    unsigned format;
    bool all;
    const char *function;
};

#define AT(member) offsetof(struct diff_options, member)
static const struct option table[] = {
    {"func", 'f', OPTION_TEXT, .value = "FUNC", .help = "only this function, with all of its blocks",
     .at = AT(function)},
    {"all", 'a', OPTION_FLAG, .help = "list unchanged functions too", .at = AT(all)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the differences as JSON", .at = AT(format)},
};

struct question {
    const struct diff_options *o;
    const char *old, *new;
    /* In the worker: */
    struct report_diff how;
    const struct match_file_pair *pair;
    size_t npairs;
    struct report_sink sink;
    struct error first; /* of a pair that could not be compared */
    struct buf heard;   /* of the only pair there is: a line that has not ended yet */
    size_t records;     /* of it */
};

/* ---- one worker a pair of files ---- */

static bool compare_one(void *ctx, size_t job, struct buf *out)
{
    struct question *q = ctx;
    struct error err = {0};
    struct session_sender sender = {.out = out};
    struct report_sink sink = session_send(&sender);
    if (q->npairs == 1)
        sink.progress = session_tell;
    bool ok = report_diff_file(&q->pair[job], &q->how, sink, &err);
    if (!ok) {
        report_line(out, "!kind", json_integer((json_int_t)err.kind));
        report_line(out, "files.error", report_string(err.text));
    }
    return ok;
}

/* A record of a worker, handed on; what went wrong with the only pair there is becomes the answer. */
static bool hand_on(void *ctx, const char *place, json_t *value)
{
    struct question *q = ctx;
    if (strcmp(place, "!kind") == 0) {
        q->first.kind = (enum error_kind)json_integer_value(value);
        json_decref(value);
        return true;
    }
    if (strcmp(place, "!progress") == 0) {
        if (q->sink.progress)
            q->sink.progress(q->sink.ctx, json_string_value(json_object_get(value, "what")),
                             (size_t)json_integer_value(json_object_get(value, "done")),
                             (size_t)json_integer_value(json_object_get(value, "total")));
        json_decref(value);
        return true;
    }
    if (strcmp(place, "files.error") == 0)
        snprintf(q->first.text, sizeof q->first.text, "%s", json_string_value(value));
    return q->sink.put(q->sink.ctx, place, value);
}

/* With one pair there is no order of files to keep to: its records are handed on as they come. */
static void hear(void *ctx, size_t job, const char *bytes, size_t n)
{
    (void)job;
    struct question *q = ctx;
    const char *end = memrchr(bytes, '\n', n);
    size_t whole = end ? (size_t)(end + 1 - bytes) : 0;
    buf_put(&q->heard, bytes, whole);
    if (whole) {
        q->records += report_read_lines(buf_text(&q->heard), q->heard.len, hand_on, q);
        buf_clear(&q->heard);
    }
    buf_put(&q->heard, bytes + whole, n - whole);
}

static void compared_one(void *ctx, const struct work_result *r)
{
    struct question *q = ctx;
    size_t records = q->npairs == 1 ? q->records : report_read_lines(r->output, r->output_len, hand_on, q);
    if (r->outcome != WORK_DONE && r->outcome != WORK_FAILED) {
        const struct match_file_pair *pair = &q->pair[r->job];
        if (!records)
            q->sink.put(q->sink.ctx, "files[]",
                        json_pack("{s:{s:o}, s:{s:o}}", "old", "path",
                                  report_string(pair->old ? pair->old->path : NULL), "new", "path",
                                  report_string(pair->new ? pair->new->path : NULL)));
        q->sink.put(q->sink.ctx, "files.error", report_string(r->reason));
    }
    if (q->sink.progress && q->npairs > 1)
        q->sink.progress(q->sink.ctx, "files compared", r->job + 1, q->npairs);
}

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    struct question *q = ctx;
    /* The workers below have limits of their own, which do not hold for opening the two. */
    work_limit_time((unsigned)q->o->common.timeout);
    struct match_files *files = match_files_open(q->old, q->new, err);
    work_limit_time(0);
    if (!files)
        return false;
    q->npairs = match_file_pairs(files, &q->pair);
    q->how = (struct report_diff){.old = q->old,
                                  .new = q->new,
                                  .object = {.debug_dirs = q->o->common.debug_dirs.item},
                                  .function = q->o->function,
                                  .all = q->o->all};
    q->sink = sink;
    json_t *input = json_pack("{s:o, s:o}", "old", report_string(q->old), "new", report_string(q->new));
    if (q->o->function)
        json_object_set_new(input, "function", report_string(q->o->function));
    sink.put(sink.ctx, "input", input);
    struct work_options w = {.jobs = (unsigned)q->o->common.jobs,
                             .timeout_ms = (unsigned)q->o->common.timeout,
                             .memory_bytes = q->o->common.memory,
                             .output = q->npairs == 1 ? hear : NULL};
    bool ok = work_run(q->npairs, &w, compare_one, compared_one, q, NULL, err);
    if (ok && q->npairs == 1 && q->first.kind) {
        *err = q->first;
        ok = false;
    }
    buf_free(&q->heard);
    match_files_free(files);
    return ok;
}

static int conclude(struct report *r)
{
    report_diff_sum(r);
    const char *verdict = json_string_value(json_object_get(report_document(r), "verdict"));
    if (strcmp(verdict, "unknown") == 0) {
        complain("some files could not be compared; they are listed with the reason");
        return EXIT_UNKNOWN;
    }
    return strcmp(verdict, "changed") == 0 ? EXIT_NO : EXIT_YES;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)argc;
    struct question q = {.o = options, .old = argv[0], .new = argv[1]};
    return session_run(&(struct session){.common = &q.o->common,
                                         .kind = c->name,
                                         .subject = q.new,
                                         .format = (enum session_format)q.o->format,
                                         .ask = ask,
                                         .ctx = &q,
                                         .conclude = conclude});
}

const struct command command_diff = {
    .name = "diff",
    .arguments = "OLD NEW",
    .summary = "which functions differ between two programs",
    .details = "Pairs the functions of OLD and NEW and says which changed, were added or removed; code that "
               "was only "
               "moved by the\n"
               "linker is not a change. OLD and NEW are programs, or packages or directories, which are "
               "compared file "
               "by file.\n"
               "For every pair it says how sure it is and by what the two were recognised; for a changed "
               "function, the "
               "blocks that\n"
               "differ. Exit status: 0 no difference, 1 differences, 2 bad usage or input, 3 not known.",
    .examples =
        "assay diff libfoo.so.1.2 libfoo.so.1.3\nassay diff --json old.deb new.deb | jq '.files[].summary'",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct diff_options),
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
