/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/pairs.h"

#include <string.h>

/* ---- what is said ---- */

static const struct wire_field file_field[] = {
    WIRE_TEXT(struct ask_file, path),
    WIRE_TEXT(struct ask_file, sha256),
    WIRE_VALUE(struct ask_file, size),
    WIRE_TEXT(struct ask_file, build_id),
};
static const struct wire_type file_type = WIRE_TYPE(struct ask_file, file_field);
static const struct wire_field pair_field[] = {
    WIRE_VALUE(struct ask_pair, has_old),          WIRE_VALUE(struct ask_pair, has_new),
    WIRE_STRUCT(struct ask_pair, old, &file_type), WIRE_STRUCT(struct ask_pair, new, &file_type),
    WIRE_VALUE(struct ask_pair, renamed),          WIRE_VALUE(struct ask_pair, lost),
    WIRE_VALUE(struct ask_pair, opened),           WIRE_TEXT(struct ask_pair, error),
};
static const struct wire_type pair_type = WIRE_TYPE(struct ask_pair, pair_field);

static struct ask_file file_of(const struct match_file *f)
{
    return f ? (struct ask_file){.path = f->path, .sha256 = f->sha256, .size = f->size}
             : (struct ask_file){0};
}

static struct ask_pair pair_of(const struct match_file_pair *x)
{
    return (struct ask_pair){.has_old = x->old != NULL,
                             .has_new = x->new != NULL,
                             .old = file_of(x->old),
                             .new = file_of(x->new),
                             .renamed = x->renamed};
}

bool ask_pair_same(const struct ask_pair *p)
{
    return p->has_old && p->has_new && p->old.sha256 &&
           p->new.sha256 &&strcmp(p->old.sha256, p->new.sha256) == 0;
}

void ask_say_pair(struct ask_sink *say, const struct match_file_pair *pair)
{
    struct ask_pair p = pair_of(pair);
    ask_say(say, PAIR_FILE, &pair_type, &p);
}

bool ask_hear_pair(unsigned message, const char *bytes, size_t n, struct arena *arena, struct ask_pair *p,
                   size_t *pairs)
{
    uint64_t count;
    struct ask_pair opened;
    switch (message) {
    case PAIR_BEGUN:
        if (!wire_get(bytes, n, &wire_u64, &count, arena))
            return false;
        *pairs = (size_t)count;
        return true;
    case PAIR_FILE:
        return wire_get(bytes, n, &pair_type, p, arena);
    case PAIR_OPENED:
        if (!wire_get(bytes, n, &pair_type, &opened, arena))
            return false;
        p->opened = true;
        p->old.build_id = opened.old.build_id;
        p->new.build_id = opened.new.build_id;
        return true;
    case PAIR_ERROR:
        return wire_get(bytes, n, &wire_text, &p->error, arena);
    }
    return false;
}

void ask_say_opened(struct ask_sink *say, const char *old_build_id, const char *new_build_id)
{
    struct ask_pair p = {.old = {.build_id = old_build_id}, .new = {.build_id = new_build_id}};
    ask_say(say, PAIR_OPENED, &pair_type, &p);
}

static void say_text(struct ask_sink *say, unsigned message, const char *text)
{
    ask_say(say, message, &wire_text, &text);
}

/* ---- asking ---- */

bool pairs_open(struct pairs *p, const struct ask_limits *limits, const char *old, const char *new,
                struct error *err)
{
    /* The workers have limits of their own, which do not hold for opening the two. */
    if (!limits->here)
        work_limit_time((unsigned)limits->timeout);
    p->files = match_files_open(old, new, err);
    if (!limits->here)
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
    struct ask_sink say = ask_below(out);
    say.progress = p->streams;
    bool ok = p->ask(p->ctx, &p->pair[job], &say, &err);
    if (!ok && !p->again) {
        say_text(&say, PAIR_ERROR, err.text);
        ask_say_error(&say, &err);
    }
    return ok;
}

static void hear(void *ctx, size_t job, const char *bytes, size_t n)
{
    (void)job;
    struct pairs *p = ctx;
    buf_put(&p->heard, bytes, n);
    size_t taken = ask_hand_on(p->say, p->heard.data, p->heard.len, &p->messages, &p->first);
    memmove(p->heard.data, p->heard.data + taken, p->heard.len - taken);
    p->heard.len -= taken;
    if (taken)
        ask_flush(p->say);
}

static void asked_one(void *ctx, const struct work_result *r)
{
    struct pairs *p = ctx;
    if (!p->streams)
        ask_hand_on(p->say, r->output, r->output_len, &p->messages, &p->first);
    if (r->outcome != WORK_DONE && r->outcome != WORK_FAILED && !p->again) {
        struct ask_pair lost = pair_of(&p->pair[r->job]);
        lost.lost = true;
        if (!p->messages)
            ask_say(p->say, PAIR_FILE, &pair_type, &lost);
        say_text(p->say, PAIR_ERROR, r->reason);
    }
    p->messages = 0;
    buf_clear(&p->heard);
    ask_flush(p->say);
    if (p->n > 1 && !p->streams)
        ask_progress(p->say, "files compared", r->job + 1, p->n);
}

/* One that cannot be compared is not the end of the others. */
static bool run_here(struct pairs *p, struct error *err)
{
    for (size_t i = 0; i < p->n; i++) {
        struct error wrong = {0};
        if (p->ask(p->ctx, &p->pair[i], p->say, &wrong) || p->again)
            continue;
        if (p->n == 1) {
            *err = wrong;
            return false;
        }
        say_text(p->say, PAIR_ERROR, wrong.text);
    }
    return true;
}

bool pairs_run(struct pairs *p, const struct ask_limits *limits, struct work_options own,
               struct ask_sink *say, struct error *err)
{
    p->say = say;
    if (!p->again)
        ask_say(say, PAIR_BEGUN, &wire_u64, &(uint64_t){p->n});
    if (limits->here)
        return run_here(p, err);
    p->streams = p->n == 1 || own.jobs == 1;
    own.output = p->streams ? hear : NULL;
    if (!work_run(p->n, &own, ask_one, asked_one, p, NULL, err))
        return false;
    if (p->n == 1 && p->first.kind && !p->again) {
        *err = p->first;
        return false;
    }
    return true;
}
