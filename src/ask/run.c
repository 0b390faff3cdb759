/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/system.h"

/* What is not sent when a worker is ended is lost: a few milliseconds of work, no more. */
enum { SEND_EVERY_MS = 5, TELL_EVERY_MS = 100, SEND_BYTES = 64 * 1024 };

/* Messages of the run itself. */
enum { SAYS_PROGRESS = ASK_MESSAGES, SAYS_ERROR };

struct said_progress {
    const char *what;
    uint64_t done, total;
};
static const struct wire_field progress_field[] = {
    WIRE_TEXT(struct said_progress, what),
    WIRE_VALUE(struct said_progress, done),
    WIRE_VALUE(struct said_progress, total),
};
static const struct wire_type progress_type = WIRE_TYPE(struct said_progress, progress_field);

struct said_error {
    uint32_t kind;
    const char *text;
};
static const struct wire_field error_field[] = {
    WIRE_ENUM(struct said_error, kind, ERROR_SYSTEM + 1),
    WIRE_TEXT(struct said_error, text),
};
static const struct wire_type error_type = WIRE_TYPE(struct said_error, error_field);

/* ---- frames ---- */

struct head {
    uint32_t message;
    uint32_t size;
};

static void put_frame(struct buf *out, unsigned message, const struct wire_type *type, const void *value)
{
    struct head h = {message, 0};
    size_t at = out->len;
    buf_put(out, &h, sizeof h);
    wire_put(out, type, value);
    h.size = (uint32_t)(out->len - at - sizeof h);
    memcpy(out->data + at, &h, sizeof h);
}

size_t ask_read(const char *frames, size_t n, ask_hear_fn *hear, void *ctx, bool *understood)
{
    size_t at = 0;
    struct head h;
    while (n - at >= sizeof h) {
        memcpy(&h, frames + at, sizeof h);
        if (n - at - sizeof h < h.size)
            break;
        if (!hear(ctx, h.message, frames + at + sizeof h, h.size))
            *understood = false;
        at += sizeof h + h.size;
    }
    return at;
}

/* ---- saying ---- */

static void send_if_due(struct ask_sink *s)
{
    uint64_t now = now_ms();
    if (s->out->len >= SEND_BYTES || now - s->sent >= SEND_EVERY_MS) {
        work_flush(s->out);
        s->sent = now;
    }
}

/* Bytes of a message that were made elsewhere, or that somebody wants to hear. */
static bool pass_on(struct ask_sink *s, unsigned message, const char *bytes, size_t n)
{
    if (s->overhear && s->overhear(s->overhear_ctx, message, bytes, n))
        return true;
    if (!s->out)
        return s->hear(s->ctx, message, bytes, n);
    struct head head = {message, (uint32_t)n};
    buf_put(s->out, &head, sizeof head);
    buf_put(s->out, bytes, n);
    send_if_due(s);
    return true;
}

bool ask_say(struct ask_sink *s, unsigned message, const struct wire_type *type, const void *value)
{
    if (s->out && !s->overhear) {
        put_frame(s->out, message, type, value);
        send_if_due(s);
        return true;
    }
    struct buf b = BUF_INIT;
    wire_put(&b, type, value);
    bool more = pass_on(s, message, buf_text(&b), b.len);
    buf_free(&b);
    return more;
}

void ask_progress(struct ask_sink *s, const char *what, size_t done, size_t total)
{
    uint64_t now = now_ms();
    if (!s->out || !s->progress || now - s->progressed < TELL_EVERY_MS)
        return;
    put_frame(s->out, SAYS_PROGRESS, &progress_type, &(struct said_progress){what, done, total});
    work_flush(s->out);
    s->sent = s->progressed = now;
}

static void progress_to_sink(void *ctx, const char *what, size_t done, size_t total)
{
    ask_progress(ctx, what, done, total);
}

ask_progress_fn *ask_progress_of(const struct ask_sink *s)
{
    return s->progress ? progress_to_sink : NULL;
}

void ask_flush(struct ask_sink *s)
{
    if (s->out)
        work_flush(s->out);
    s->sent = now_ms();
}

struct ask_sink ask_below(struct buf *out)
{
    return (struct ask_sink){.out = out};
}

void ask_say_error(struct ask_sink *s, const struct error *err)
{
    put_frame(s->out, SAYS_ERROR, &error_type, &(struct said_error){err->kind, err->text});
}

static void take_error(const char *bytes, size_t n, struct error *err)
{
    struct arena arena = ARENA_INIT;
    struct said_error e;
    if (wire_get(bytes, n, &error_type, &e, &arena))
        error_set(err, (enum error_kind)e.kind, "%s", e.text ? e.text : "");
    arena_free(&arena);
}

struct handing {
    struct ask_sink *s;
    struct error *err;
    size_t messages;
};

static bool hand(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct handing *h = ctx;
    if (message == SAYS_ERROR) {
        take_error(bytes, n, h->err);
        return true;
    }
    if (message == SAYS_PROGRESS && !h->s->progress)
        return true;
    h->messages += message < ASK_MESSAGES;
    return pass_on(h->s, message, bytes, n);
}

size_t ask_hand_on(struct ask_sink *s, const char *frames, size_t n, size_t *messages, struct error *err)
{
    struct handing h = {s, err, 0};
    bool understood = true;
    size_t taken = ask_read(frames, n, hand, &h, &understood);
    *messages += h.messages;
    return taken;
}

struct hearing {
    ask_hear_fn *hear;
    void *ctx;
    struct error *err;
};

static bool hear_below(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct hearing *h = ctx;
    if (message == SAYS_ERROR)
        take_error(bytes, n, h->err);
    return message >= ASK_MESSAGES || h->hear(h->ctx, message, bytes, n);
}

void ask_hear_below(const char *frames, size_t n, ask_hear_fn *hear, void *ctx, struct error *err)
{
    struct hearing h = {hear, ctx, err};
    bool understood = true;
    ask_read(frames, n, hear_below, &h, &understood);
}

/* ---- the question ---- */

struct listening {
    const struct ask_run *r;
    struct ask_end *end;
    struct buf rest; /* of a frame that is not whole yet */
};

static bool answer(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    const struct ask_run *r = ((struct listening *)ctx)->r;
    struct ask_sink say = {.out = out, .progress = r->progress != NULL};
    struct error err = {0};
    bool ok = r->ask(r->ctx, &say, &err);
    if (!ok)
        ask_say_error(&say, &err);
    return ok;
}

static bool hear_frame(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct listening *l = ctx;
    if (message < ASK_MESSAGES)
        return l->r->hear(l->r->ctx, message, bytes, n);
    if (message == SAYS_ERROR) {
        take_error(bytes, n, &l->end->err);
    } else if (message == SAYS_PROGRESS && l->r->progress) {
        struct arena arena = ARENA_INIT;
        struct said_progress p;
        if (wire_get(bytes, n, &progress_type, &p, &arena))
            l->r->progress(l->r->progress_ctx, p.what ? p.what : "", (size_t)p.done, (size_t)p.total);
        arena_free(&arena);
    }
    return true;
}

static void hear(void *ctx, size_t job, const char *bytes, size_t n)
{
    (void)job;
    struct listening *l = ctx;
    bool understood = true;
    buf_put(&l->rest, bytes, n);
    size_t taken = ask_read(l->rest.data, l->rest.len, hear_frame, l, &understood);
    memmove(l->rest.data, l->rest.data + taken, l->rest.len - taken);
    l->rest.len -= taken;
    l->end->not_understood = l->end->not_understood || !understood;
}

static void ended(void *ctx, const struct work_result *r)
{
    struct listening *l = ctx;
    l->end->outcome = r->outcome;
    snprintf(l->end->reason, sizeof l->end->reason, "%s", r->reason);
}

bool ask_in_worker(const struct ask_run *r, struct ask_end *end, struct error *err)
{
    struct listening l = {.r = r, .end = end};
    struct work_options w = r->limits;
    *end = (struct ask_end){0};
    w.jobs = 1;
    w.output = hear;
    bool ok = work_run(1, &w, answer, ended, &l, r->cancel, err);
    buf_free(&l.rest);
    return ok;
}

bool ask_here(ask_fn *ask, ask_hear_fn *hear_fn, void *ctx, struct error *err)
{
    struct ask_sink say = {.hear = hear_fn, .ctx = ctx};
    return ask(ctx, &say, err);
}
