/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Solvers in other processes.
 *
 * An external solver runs under a minder: a fork of this process that starts the solver in a process group of
 * its own, and waits for the solver to end or for the control pipe to close, which happens when the answer is
 * no longer wanted and also when this process dies in whatever way. Then it kills the group and ends. The
 * script is a file in memory that the solver opens through this process's entry in /proc. So neither
 * processes nor files are left behind, however any of the three ends.
 *
 * Between fork and exec only calls that are safe after forking a process with threads (Z3 has timer threads)
 * are made. The fork that runs Z3 itself does more than that: Z3 stops its timer threads around a fork. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/system.h"
#include "solve/internal.h"

enum {
    OUTPUT_MAX = 16 << 20,
    EXIT_NO_FORK = 125, /* the minder could not start the solver */
    EXIT_NO_EXEC = 127,
};

struct child {
    pid_t pid;
    int out;     /* its output; -1 when it has ended */
    int control; /* closing it ends the child; -1 for a fork, which is killed */
    int script;  /* what the child is to read; -1 for a fork */
    struct buf text;
    bool too_much;
};

/* ---- the minder ---- */

static _Noreturn void solver_main(char *const *argv, int out, pid_t minder, const struct question *q)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != minder)
        _exit(EXIT_NO_EXEC);
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        signal(caught[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (q->memory_mb) {
        struct rlimit limit = {q->memory_mb << 20, q->memory_mb << 20};
        setrlimit(RLIMIT_AS, &limit);
    }
    rlim_t seconds = q->timeout_ms / 1000 + 2;
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    execvp(argv[0], argv);
    _exit(EXIT_NO_EXEC);
}

/* Waits until the solver ends or nobody wants it any more; returns the minder's exit code. */
static int mind(pid_t solver, int control)
{
    int handle = (int)syscall(SYS_pidfd_open, solver, 0u), status = 0;
    struct pollfd p[2] = {{handle, POLLIN, 0}, {control, POLLIN, 0}};
    while (poll(p, 2, -1) < 0 && errno == EINTR)
        ;
    kill(-solver, SIGKILL);
    kill(solver, SIGKILL);
    while (waitpid(solver, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static _Noreturn void minder_main(char *const *argv, int out, int control, const struct question *q)
{
    setpgid(0, 0);
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    pid_t self = getpid(), solver = fork();
    if (!solver)
        solver_main(argv, out, self, q);
    close(out);
    if (solver < 0)
        _exit(EXIT_NO_FORK);
    setpgid(solver, solver);
    _exit(mind(solver, control));
}

static int write_script(const struct question *q)
{
    struct buf script = BUF_INIT;
    smt_print_script(&script, q->graph, q->assertion, q->nassertions, q->wanted_node, q->nwanted);
    int fd = memfd_create("query.smt2", MFD_CLOEXEC);
    if (fd >= 0 && !write_all(fd, buf_text(&script), script.len)) {
        close(fd);
        fd = -1;
    }
    buf_free(&script);
    return fd;
}

/* The command with the file's name last. cvc5 goes by the ending of that name unless it is told. */
static char **command_for(char *const *argv, char *path)
{
    const char *base = strrchr(argv[0], '/');
    bool cvc5 = strcmp(base ? base + 1 : argv[0], "cvc5") == 0;
    size_t n = 0, k = 0;
    while (argv[n])
        n++;
    char **full = xcalloc(n + 3, sizeof *full);
    full[k++] = argv[0];
    if (cvc5)
        full[k++] = "--lang=smt2";
    for (size_t i = 1; i < n; i++)
        full[k++] = argv[i];
    full[k] = path;
    return full;
}

static void close_all(int *fd, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

static bool start_solver(struct child *c, char *const *argv, const struct question *q, struct reply *r)
{
    enum { OUT_READ, OUT_WRITE, CONTROL_READ, CONTROL_WRITE, SCRIPT, NFDS };
    int fd[NFDS] = {-1, -1, -1, -1, -1};
    *c = (struct child){.out = -1, .control = -1, .script = -1};
    if (pipe2(fd + OUT_READ, O_CLOEXEC) < 0 || pipe2(fd + CONTROL_READ, O_CLOEXEC) < 0 ||
        (fd[SCRIPT] = write_script(q)) < 0) {
        reply_unknown(r, "cannot start the solver: %s", strerror(errno));
        close_all(fd, NFDS);
        return false;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fd[SCRIPT]);
    char **full = command_for(argv, path);
    c->pid = fork();
    if (!c->pid) {
        close(fd[OUT_READ]);
        close(fd[CONTROL_WRITE]);
        minder_main(full, fd[OUT_WRITE], fd[CONTROL_READ], q);
    }
    free(full);
    if (c->pid < 0) {
        reply_unknown(r, "cannot start the solver: %s", strerror(errno));
        close_all(fd, NFDS);
        return false;
    }
    close(fd[OUT_WRITE]);
    close(fd[CONTROL_READ]);
    c->out = fd[OUT_READ];
    c->control = fd[CONTROL_WRITE];
    c->script = fd[SCRIPT];
    return true;
}

/* ---- a fork of this process with Z3 ---- */

static _Noreturn void z3_main(struct z3 *z, const struct question *q, int out, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    struct reply r;
    struct buf text = BUF_INIT;
    z3_ask(z, q, &r);
    reply_print(&text, q, &r);
    _exit(write_all(out, buf_text(&text), text.len) ? 0 : 1);
}

/* The fork must not keep `other` alive by holding its pipes. */
static bool start_z3(struct child *c, struct z3 *z, const struct question *q, const struct child *other)
{
    int out[2];
    *c = (struct child){.out = -1, .control = -1, .script = -1};
    if (pipe2(out, O_CLOEXEC) < 0)
        return false;
    pid_t parent = getpid();
    c->pid = fork();
    if (!c->pid) {
        if (other->out >= 0) {
            close(other->out);
            close(other->control);
        }
        z3_main(z, q, out[1], parent);
    }
    close(out[1]);
    if (c->pid < 0)
        close(out[0]);
    else
        c->out = out[0];
    return c->pid > 0;
}

/* ---- listening ---- */

/* Ends the child whatever it is doing; returns its exit code, 128 + N when a signal ended it. */
static int stop(struct child *c)
{
    int status = 0;
    if (c->pid <= 0)
        return 0;
    if (c->control >= 0)
        close(c->control);
    else
        kill(c->pid, SIGKILL);
    if (c->out >= 0)
        close(c->out);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (c->script >= 0)
        close(c->script);
    c->pid = 0;
    c->out = c->control = c->script = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Takes what there is to read; false when the output has ended or is too much. */
static bool listen_to(struct child *c)
{
    char piece[65536];
    ssize_t n = read(c->out, piece, sizeof piece);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    buf_put(&c->text, piece, (size_t)n);
    c->too_much = c->text.len > OUTPUT_MAX;
    return n > 0 && !c->too_much;
}

/* The output has ended, and with it the process in all but the strangest cases: a moment for it to leave with
 * its own exit code. */
static void let_end(const struct child *c)
{
    int handle = (int)syscall(SYS_pidfd_open, c->pid, 0u);
    struct pollfd p = {handle, POLLIN, 0};
    if (handle < 0)
        return;
    poll(&p, 1, 100);
    close(handle);
}

static void understand(struct child *c, const char *name, const struct question *q, struct reply *r)
{
    if (c->too_much) {
        stop(c);
        reply_unknown(r, "%s wrote more than %d MB", name, OUTPUT_MAX >> 20);
        return;
    }
    let_end(c);
    int code = stop(c);
    if (!c->text.len && code == EXIT_NO_EXEC)
        reply_unknown(r, "%s cannot be run", name);
    else if (!c->text.len && code == EXIT_NO_FORK)
        reply_unknown(r, "%s cannot be started", name);
    else if (!c->text.len && code > 128)
        reply_unknown(r, "%s ended by signal %d without an answer", name, code - 128);
    else
        reply_parse(r, q, buf_text(&c->text), c->text.len);
}

/* Listens to the children until a reply is accepted, all have ended, or the time is up. */
static void listen_all(struct child *c, const char *const *name, size_t n, const struct question *q,
                       accept_fn *accept, void *ctx, struct reply *r)
{
    uint64_t deadline = now_ms() + q->timeout_ms;
    bool late = false;
    reply_unknown(r, "no solver could be started");
    for (;;) {
        struct pollfd p[2];
        size_t of[2], open = 0;
        for (size_t i = 0; i < n; i++)
            if (c[i].out >= 0) {
                p[open] = (struct pollfd){c[i].out, POLLIN, 0};
                of[open++] = i;
            }
        uint64_t now = now_ms();
        late = now >= deadline;
        if (!open || late)
            break;
        if (poll(p, (nfds_t)open, (int)(deadline - now)) < 0)
            continue;
        for (size_t k = 0; k < open; k++) {
            struct child *x = &c[of[k]];
            if (!p[k].revents || listen_to(x))
                continue;
            struct reply got = {0};
            understand(x, name[of[k]], q, &got);
            if (got.answer != SOLVE_UNKNOWN && (!accept || accept(ctx, &got))) {
                reply_free(r);
                *r = got;
                return;
            }
            if (got.answer == SOLVE_UNKNOWN)
                reply_unknown(r, "%s", got.reason);
            else
                reply_unknown(r, "the model of %s does not satisfy the query", name[of[k]]);
            reply_free(&got);
        }
    }
    if (late)
        reply_unknown(r, "time limit of %u ms", q->timeout_ms);
}

static void finish(struct child *c)
{
    stop(c);
    buf_free(&c->text);
}

void child_ask(char *const *argv, const struct question *q, struct reply *r)
{
    struct child c;
    *r = (struct reply){.answer = SOLVE_UNKNOWN};
    if (!start_solver(&c, argv, q, r))
        return;
    listen_all(&c, (const char *const[]){argv[0]}, 1, q, NULL, NULL, r);
    finish(&c);
}

void child_race(char *const *argv, struct z3 *z, const struct question *q, accept_fn *accept, void *ctx,
                struct reply *r)
{
    struct child c[2];
    *r = (struct reply){.answer = SOLVE_UNKNOWN};
    start_solver(&c[0], argv, q, r);
    start_z3(&c[1], z, q, &c[0]);
    listen_all(c, (const char *const[]){argv[0], "Z3"}, 2, q, accept, ctx, r);
    finish(&c[0]);
    finish(&c[1]);
}
