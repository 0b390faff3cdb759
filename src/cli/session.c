/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/system.h"
#include "base/alloc.h"
#include "report/verify.h"
#include "work/work.h"

/* A signal handler has no parameter to carry a context: this one flag is the only state outside one. */
static volatile int cancelled;

static void on_signal(int sig)
{
    (void)sig;
    cancelled = 1;
}

void session_signals(void)
{
    struct sigaction a = {.sa_handler = on_signal};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    a.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &a, NULL);
    sigaction(SIGXFSZ, &a, NULL); /* a file that may not grow is an error of write() */
}

/* Workers are started with the signals' own actions. */
bool session_in_worker(void)
{
    struct sigaction a;
    return sigaction(SIGINT, NULL, &a) == 0 && a.sa_handler != on_signal;
}

int write_out(const struct buf *text, int code)
{
    const char *p = buf_text(text);
    for (size_t n = text->len; n;) {
        ssize_t k = write(STDOUT_FILENO, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0 && errno == EPIPE)
            return code;
        if (k <= 0) {
            complain("cannot write the result: %s", strerror(errno));
            return EXIT_UNKNOWN;
        }
        p += k;
        n -= (size_t)k;
    }
    return code;
}

struct program *session_open(const struct common *common, const char *path, bool deep, struct error *err)
{
    struct program_options o = {.object = {.debug_dirs = common->debug_dirs.item}, .deep = deep};
    return program_open(path, &o, err);
}

/* What the parent keeps while the worker runs; the worker has a copy of it. */
struct listener {
    const struct session *s;
    struct report *report;
    struct buf line;  /* a line that has not ended yet */
    struct error err; /* from the worker */
    struct work_result result;
    bool bar, bar_shown, garbled;
};

/* ---- in the worker ---- */

/* What is not sent when a worker is ended is lost: a few milliseconds of work, no more. */
enum { SEND_EVERY_MS = 5, TELL_EVERY_MS = 100, SEND_BYTES = 64 * 1024 };

static bool send_record(void *ctx, const char *place, json_t *value)
{
    struct session_sender *s = ctx;
    report_line(s->out, place, value);
    uint64_t now = now_ms();
    if (s->out->len >= SEND_BYTES || now - s->sent >= SEND_EVERY_MS) {
        work_flush(s->out);
        s->sent = now;
    }
    return true;
}

struct report_sink session_send(struct session_sender *s)
{
    return (struct report_sink){.put = send_record, .ctx = s};
}

void session_flush(void *sender)
{
    struct session_sender *s = sender;
    work_flush(s->out);
    s->sent = now_ms();
}

/* Places that begin with '!' are for the session and not for the report. */
void session_tell(void *ctx, const char *what, size_t done, size_t total)
{
    struct session_sender *s = ctx;
    uint64_t now = now_ms();
    if (now - s->told >= TELL_EVERY_MS) {
        report_line(
            s->out, "!progress",
            json_pack("{s:s, s:I, s:I}", "what", what, "done", (json_int_t)done, "total", (json_int_t)total));
        work_flush(s->out);
        s->sent = s->told = now;
    }
}

static bool answer(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    const struct session *s = ((struct listener *)ctx)->s;
    struct session_sender sender = {.out = out};
    struct report_sink sink = session_send(&sender);
    sink.progress = session_tell;
    struct error err = {0};
    bool ok = s->ask(s->ctx, sink, &err);
    if (!ok)
        report_line(out, "!error",
                    json_pack("{s:i, s:o}", "kind", (int)err.kind, "text", report_string(err.text)));
    return ok;
}

/* ---- in the parent ---- */

static void clear_bar(struct listener *l)
{
    if (l->bar_shown)
        fputs("\r\033[K", stderr);
    l->bar_shown = false;
}

static void show_progress(struct listener *l, json_t *p)
{
    enum { WIDTH = 30 };
    if (!l->bar)
        return;
    const char *what = json_string_value(json_object_get(p, "what"));
    json_int_t done = json_integer_value(json_object_get(p, "done")),
               total = json_integer_value(json_object_get(p, "total"));
    char bar[WIDTH + 1] = "";
    if (total > 0)
        for (int i = 0; i < WIDTH; i++)
            strcat(bar, i < done * WIDTH / total ? "#" : ".");
    if (total > 0)
        fprintf(stderr, "\r\033[K%s [%s] %lld of %lld", what ? what : "", bar, (long long)done,
                (long long)total);
    else
        fprintf(stderr, "\r\033[K%lld %s", (long long)done, what ? what : "");
    fflush(stderr);
    l->bar_shown = true;
}

static void hear_line(struct listener *l, const char *line, size_t n)
{
    if (line[0] != '!') {
        if (!report_add_line(l->report, line, n))
            l->garbled = true;
        return;
    }
    const char *space = memchr(line, ' ', n);
    json_t *value = space ? json_loadb(space + 1, n - (size_t)(space + 1 - line), 0, NULL) : NULL;
    if (strncmp(line, "!progress ", 10) == 0) {
        show_progress(l, value);
    } else if (strncmp(line, "!error ", 7) == 0) {
        const char *text = json_string_value(json_object_get(value, "text"));
        error_set(&l->err, (enum error_kind)json_integer_value(json_object_get(value, "kind")), "%s",
                  text ? text : "");
    }
    json_decref(value);
}

static void hear(void *ctx, size_t job, const char *bytes, size_t n)
{
    (void)job;
    struct listener *l = ctx;
    const char *nl;
    while (n && (nl = memchr(bytes, '\n', n))) {
        size_t k = (size_t)(nl - bytes);
        buf_put(&l->line, bytes, k);
        if (l->line.len)
            hear_line(l, buf_text(&l->line), l->line.len);
        buf_clear(&l->line);
        bytes += k + 1;
        n -= k + 1;
    }
    buf_put(&l->line, bytes, n);
}

static void heard_all(void *ctx, const struct work_result *r)
{
    struct listener *l = ctx;
    l->result = *r;
    l->result.output = NULL;
}

/* Whether there is something to print. */
static bool has_answer(struct report *r)
{
    json_t *doc = report_document(r);
    return json_object_get(doc, "input") || json_object_get(doc, "members");
}

/* What became of the worker, as an exit code; complaints and the note in the report are made here. */
static int settle(struct listener *l)
{
    const struct session *s = l->s;
    const char *why = l->result.reason;
    switch (l->result.outcome) {
    case WORK_DONE:
        if (l->garbled) {
            complain("%s: the worker's answer could not be read", s->subject);
            return EXIT_UNKNOWN;
        }
        if (s->conclude)
            return s->conclude(l->report);
        return report_complete(l->report) ? EXIT_YES : EXIT_UNKNOWN;
    case WORK_FAILED:
        if (l->err.kind) {
            complain("%s", l->err.text);
            return error_exit_code(l->err.kind);
        }
        complain("%s: %s", s->subject, why);
        break;
    case WORK_TIMEOUT:
        complain("%s: %s reached; --timeout gives it more", s->subject, why);
        break;
    case WORK_MEMORY:
        complain("%s: %s reached; --memory gives it more", s->subject, why);
        break;
    case WORK_CRASH:
        /* SIGKILL comes from outside: an administrator, or the kernel short of memory. */
        complain("%s: the analysis was %s%s", s->subject, why,
                 strstr(why, "SIGKILL") ? "" : "; this is a bug in assay");
        break;
    case WORK_CANCELLED:
        complain("%s: interrupted%s", s->subject,
                 has_answer(l->report) ? "; this is what is known so far" : " before anything was known");
        break;
    }
    if (s->conclude)
        s->conclude(l->report);
    report_add(l->report, "complete", json_false());
    report_add(l->report, "reason", report_string(why));
    json_t *explored = json_object_get(report_document(l->report), "explored");
    json_t *last = json_array_get(explored, json_array_size(explored) - 1);
    if (last && !json_is_true(json_object_get(last, "complete")))
        json_object_set_new(last, "reason", report_string(why));
    return EXIT_UNKNOWN;
}

/* A terminal that understands escape sequences. */
static bool is_terminal(int fd)
{
    const char *terminal = getenv("TERM");
    return isatty(fd) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static bool use_color(const struct common *c)
{
    const char *no = getenv("NO_COLOR");
    if (c->color == 2 || (no && *no))
        return false;
    return c->color == 1 || is_terminal(STDOUT_FILENO);
}

/* ---- drawing: `dot` runs in a worker of its own, so that it obeys the time limit ---- */

struct drawing {
    const struct buf *dot;
    struct buf *out;
    const char *subject;
    bool ok;
};

static bool draw(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    const struct buf *dot = ((struct drawing *)ctx)->dot;
    int in = memfd_create("graph", MFD_CLOEXEC), result = memfd_create("drawing", MFD_CLOEXEC);
    if (in < 0 || result < 0 || write(in, buf_text(dot), dot->len) != (ssize_t)dot->len ||
        lseek(in, 0, SEEK_SET) != 0) {
        buf_printf(out, "cannot hand the graph to dot: %s", strerror(errno));
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, result, STDOUT_FILENO);
    char *const argv[] = {(char[]){"dot"}, (char[]){"-Tsvg"}, NULL};
    pid_t pid;
    int e = posix_spawnp(&pid, "dot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (e != 0) {
        buf_printf(out, "cannot run 'dot' (%s); install graphviz, or use --dot", strerror(e));
        return false;
    }
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) { /* posix_spawn may also say it this way */
        buf_puts(out, "cannot run 'dot'; install graphviz, or use --dot");
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        buf_puts(out, "'dot' failed; --dot prints what it was given");
        return false;
    }
    char chunk[65536];
    ssize_t n;
    lseek(result, 0, SEEK_SET);
    while ((n = read(result, chunk, sizeof chunk)) > 0)
        buf_put(out, chunk, (size_t)n);
    return true;
}

static void drawn(void *ctx, const struct work_result *r)
{
    struct drawing *d = ctx;
    d->ok = r->outcome == WORK_DONE;
    if (d->ok)
        buf_put(d->out, r->output, r->output_len);
    else
        complain("%s: %s", d->subject, r->output_len ? r->output : r->reason);
}

static bool draw_svg(const struct session *s, struct buf *dot, struct buf *out)
{
    struct drawing d = {dot, out, s->subject, false};
    struct work_options w = {
        .jobs = 1, .timeout_ms = (unsigned)s->timeout, .memory_bytes = s->common->memory};
    struct error err = {0};
    if (!work_run(1, &w, draw, drawn, &d, &cancelled, &err))
        complain("%s", err.text);
    return d.ok;
}

static int render(const struct session *s, struct report *r, int code)
{
    struct buf out = BUF_INIT;
    switch (s->format) {
    case FORMAT_TEXT:
        report_text(r, (struct report_style){.color = use_color(s->common)}, &out);
        break;
    case FORMAT_JSON:
        report_json(r, &out);
        break;
    case FORMAT_DOT:
        report_dot(r, &out);
        break;
    case FORMAT_SARIF:
        report_sarif(r, &out);
        break;
    case FORMAT_SVG: {
        struct buf dot = BUF_INIT;
        report_dot(r, &dot);
        if (!draw_svg(s, &dot, &out))
            code = EXIT_UNKNOWN;
        buf_free(&dot);
        break;
    }
    }
    code = write_out(&out, code);
    buf_free(&out);
    return code;
}

static void print_stats(struct report *r, uint64_t ms)
{
    struct buf b = BUF_INIT;
    report_stats_text(r, &b);
    fputs(buf_text(&b), stderr);
    buf_free(&b);
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    fprintf(stderr, "time %llu.%03llu s, peak memory %ld MiB\n", (unsigned long long)ms / 1000,
            (unsigned long long)ms % 1000, u.ru_maxrss / 1024);
}

int session_run(const struct session *s)
{
    struct listener l = {
        .s = s, .report = report_new(s->kind), .bar = is_terminal(STDERR_FILENO) && !s->common->quiet};
    struct work_options w = {.jobs = 1,
                             .timeout_ms = (unsigned)s->timeout,
                             .grace_ms = s->grace,
                             .memory_bytes = s->common->memory,
                             .output = hear};
    uint64_t begun = now_ms();
    struct error err = {0};
    int code = EXIT_UNKNOWN;
    if (!work_run(1, &w, answer, heard_all, &l, &cancelled, &err)) {
        complain("%s", err.text);
    } else {
        clear_bar(&l);
        code = settle(&l);
        /* An error is all there is to say; anything else may have left a part of an answer. */
        bool answered = l.result.outcome != WORK_FAILED && has_answer(l.report);
        if (answered && s->finish)
            code = s->finish(s->ctx, l.report, code);
        if (answered && code != SESSION_AGAIN)
            code = render(s, l.report, code);
        if (s->common->stats && code != SESSION_AGAIN)
            print_stats(l.report, now_ms() - begun);
    }
    buf_free(&l.line);
    report_free(l.report);
    return code;
}

int session_ask(const struct command *c, const struct common *common, unsigned format, const char *file,
                session_ask_fn *ask, int (*conclude)(struct report *r), void *ctx)
{
    return session_run(&(struct session){.common = common,
                                         .kind = c->name,
                                         .subject = file,
                                         .format = (enum session_format)format,
                                         .ask = ask,
                                         .ctx = ctx,
                                         .timeout = common->timeout,
                                         .conclude = conclude});
}
