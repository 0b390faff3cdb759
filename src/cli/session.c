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

#include "base/alloc.h"
#include "base/file.h"
#include "base/system.h"
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

int session_write(const struct buf *text, int code)
{
    const char *p = buf_text(text);
    for (size_t n = text->len; n;) {
        ssize_t k = write(STDOUT_FILENO, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0 && errno == EPIPE)
            return code;
        if (k <= 0) {
            print_error("cannot write the result: %s", strerror(errno));
            return EXIT_UNKNOWN;
        }
        p += k;
        n -= (size_t)k;
    }
    return code;
}

bool session_write_file(const char *path, const struct buf *text, struct error *err)
{
    return file_write(path, buf_text(text), text->len, err);
}

/* A terminal that understands escape sequences. */
static bool is_terminal(int fd)
{
    const char *terminal = getenv("TERM");
    return isatty(fd) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static void show_progress(void *ctx, const char *what, size_t done, size_t total)
{
    enum { WIDTH = 30 };
    struct session *s = ctx;
    char bar[WIDTH + 1] = "";
    if (total > 0)
        for (size_t i = 0; i < WIDTH; i++)
            strcat(bar, i < done * WIDTH / total ? "#" : ".");
    if (total > 0)
        fprintf(stderr, "\r\033[K%s [%s] %zu of %zu", what, bar, done, total);
    else if (done > 0)
        fprintf(stderr, "\r\033[K%zu %s", done, what);
    else
        fprintf(stderr, "\r\033[K%s", what);
    fflush(stderr);
    s->bar_shown = true;
}

void session_begin(struct session *s, const struct common *common, const char *subject)
{
    *s = (struct session){.common = common, .subject = subject, .begun = now_ms()};
    s->ask = (struct ask_session){.progress_ctx = s, .cancel = &cancelled};
    if (is_terminal(STDERR_FILENO) && !common->quiet)
        s->ask.progress = show_progress;
}

struct ask_limits session_limits(const struct common *common)
{
    return (struct ask_limits){.jobs = (unsigned)common->jobs, .timeout = common->timeout, .memory = common->memory};
}

void session_clear(struct session *s)
{
    if (s->bar_shown)
        fputs("\r\033[K", stderr);
    s->bar_shown = false;
}

int session_failed(const struct session *s)
{
    print_error("%s", s->err.text);
    return EXIT_UNKNOWN;
}

int session_ended(struct session *s, const struct ask_end *end, bool begun, enum ask_status status)
{
    session_clear(s);
    switch (end->outcome) {
    case WORK_DONE:
        if (!end->not_understood)
            return (int)status;
        print_error("%s: cannot read the worker's answer", s->subject);
        break;
    case WORK_FAILED:
        if (end->err.kind) {
            print_error("%s", end->err.text);
            return error_exit_code(end->err.kind);
        }
        print_error("%s: %s", s->subject, end->reason);
        break;
    case WORK_TIMEOUT:
        print_error("%s: %s reached; raise it with --timeout", s->subject, end->reason);
        break;
    case WORK_MEMORY:
        print_error("%s: %s reached; raise it with --memory", s->subject, end->reason);
        break;
    case WORK_CRASH:
        /* SIGKILL comes from outside: an administrator, or the kernel short of memory. */
        print_error("%s: the analysis was %s%s", s->subject, end->reason,
                    strstr(end->reason, "SIGKILL") ? "" : "; this is a bug in assay");
        break;
    case WORK_CANCELLED:
        print_error("%s: interrupted%s", s->subject,
                    begun ? "; partial results follow" : " before there were any results");
        break;
    }
    return EXIT_UNKNOWN;
}

bool session_answered(const struct ask_end *end, bool begun)
{
    return end->outcome != WORK_FAILED && begun;
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
        buf_printf(out, "cannot pass the graph to dot: %s", strerror(errno));
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
        buf_puts(out, "'dot' failed; --dot prints its input");
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
        print_error("%s: %s", d->subject, r->output_len ? r->output : r->reason);
}

static bool draw_svg(const struct session *s, struct buf *dot, struct buf *out)
{
    struct drawing d = {dot, out, s->subject, false};
    struct work_options w = {
        .jobs = 1, .timeout_ms = (unsigned)s->common->timeout, .memory_bytes = s->common->memory};
    struct error err = {0};
    if (!work_run(1, &w, draw, drawn, &d, &cancelled, &err))
        print_error("%s", err.text);
    return d.ok;
}

static int render(const struct session *s, struct report *r, enum report_format format, int code)
{
    struct buf out = BUF_INIT, drawing = BUF_INIT;
    report_render(r, format, (struct report_style){.color = use_color(s->common)}, &out);
    if (format == FORMAT_SVG && !draw_svg(s, &out, &drawing))
        code = EXIT_UNKNOWN;
    code = session_write(format == FORMAT_SVG ? &drawing : &out, code);
    buf_free(&drawing);
    buf_free(&out);
    return code;
}

static void print_stats(const struct session *s, const struct report *r)
{
    if (!s->common->stats)
        return;
    struct buf b = BUF_INIT;
    uint64_t ms = now_ms() - s->begun;
    if (r)
        report_stats_text(r, &b);
    fputs(buf_text(&b), stderr);
    buf_free(&b);
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    fprintf(stderr, "time %llu.%03llu s, peak memory %ld MiB\n", (unsigned long long)ms / 1000,
            (unsigned long long)ms % 1000, u.ru_maxrss / 1024);
}

int session_show(struct session *s, struct report *r, enum report_format format, int code)
{
    if (r)
        code = render(s, r, format, code);
    print_stats(s, r);
    return code;
}

int session_finish(struct session *s, const struct ask_end *end, bool begun, enum ask_status status,
                   struct report *r, enum report_format format)
{
    int code = session_show(s, r, format, session_ended(s, end, begun, status));
    report_free(r);
    return code;
}
