/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/work.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/system.h"

/* A worker's exit status when its job returned false; ALLOC_EXIT says it ran out of memory, anything else but
 * 0 that the job left by itself. */
enum { WORK_EXIT_FAILED = 76 };

enum { WORK_MAX_OUTPUT = 256 * 1024 * 1024, WORK_READ = 64 * 1024, WORK_MAX_JOBS = 1024 };

/* What a job's `out` really is: work_flush finds the pipe behind it. */
struct worker_out {
    struct buf buf; /* first, so that a pointer to it is a pointer to the whole */
    int fd;
};

enum slot_kill { KILL_NONE, KILL_TIMEOUT, KILL_OUTPUT, KILL_CANCEL };

struct slot {
    pid_t pid; /* 0 when the slot is free */
    int fd;    /* read end */
    size_t job;
    uint64_t deadline; /* of the clock, when its time is to be looked at; 0: none */
    uint64_t last;     /* of the clock: by then it has had time enough, whatever it did */
    enum slot_kill killed;
    struct buf out;
    size_t received;
};

struct finished {
    bool ready;
    struct work_result r;
    struct buf out;
};

struct pool {
    const struct work_options *opt;
    work_job_fn *job;
    work_done_fn *done;
    void *ctx;
    size_t n, next, reported;
    struct slot *slot;
    unsigned nslots, running;
    struct finished *fin; /* by job */
};

void work_flush(struct buf *out)
{
    struct worker_out *w = (struct worker_out *)out;
    if (!write_all(w->fd, buf_text(&w->buf), w->buf.len))
        _exit(WORK_EXIT_FAILED); /* the parent is gone: nobody wants the rest */
    buf_clear(&w->buf);
}

/* The signal's own action ends the process, and nothing else sends this one: reap takes it for the time
 * limit. */
void work_limit_time(unsigned ms)
{
    struct itimerval t = {.it_value = {.tv_sec = ms / 1000, .tv_usec = (suseconds_t)(ms % 1000) * 1000}};
    setitimer(ITIMER_REAL, &t, NULL);
}

/* The limit counts from what the process has mapped already. AddressSanitizer reserves terabytes of address
 * space, which is why it is relative and not absolute. */
static void limit_memory(uint64_t bytes)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f) {
        if (fscanf(f, "%llu", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    uint64_t total;
    if (__builtin_add_overflow((uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE), bytes, &total))
        return;
    struct rlimit lim;
    if (getrlimit(RLIMIT_AS, &lim) != 0)
        return;
    if (lim.rlim_max == RLIM_INFINITY || total < lim.rlim_max)
        lim.rlim_cur = total;
    setrlimit(RLIMIT_AS, &lim);
}

/* Libraries that do not look at what malloc returned crash when there is no memory left. That is the limit at
 * work and no bug: told apart by how near to it the process has ever been, for an exception on the way may
 * have freed much. */
static void on_crash(int sig)
{
    enum { NEAR = 16 << 20 };
    char text[2048];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    const char *c = strstr(text, "VmPeak:");
    unsigned long long peak = 0;
    for (c = c ? c + strcspn(c, "0123456789") : ""; *c >= '0' && *c <= '9'; c++)
        peak = peak * 10 + (unsigned)(*c - '0');
    struct rlimit lim;
    if (peak && getrlimit(RLIMIT_AS, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY &&
        peak * 1024 + NEAR > lim.rlim_cur)
        _exit(ALLOC_EXIT);
    raise(sig); /* the action is the default one again (SA_RESETHAND), and takes place on return */
}

/* A handler that is there already, a sanitizer's, stays. */
static void watch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction a = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND}, old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(signals[i], &a, NULL);
    }
}

_Noreturn static void worker_main(struct pool *p, size_t job, int fd, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the line above */
        _exit(WORK_EXIT_FAILED);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    struct rlimit nocore = {0, 0};
    setrlimit(RLIMIT_CORE, &nocore);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        if (null != STDIN_FILENO)
            close(null);
    }
    for (unsigned i = 0; i < p->nslots; i++)
        if (p->slot[i].pid)
            close(p->slot[i].fd);
    if (p->opt->memory_bytes) {
        limit_memory(p->opt->memory_bytes);
        watch_crashes();
    }
    struct worker_out w = {BUF_INIT, fd};
    bool ok = p->job(p->ctx, job, &w.buf);
    work_flush(&w.buf);
    _exit(ok ? 0 : WORK_EXIT_FAILED);
}

static uint64_t allowed_ms(const struct pool *p)
{
    return (uint64_t)p->opt->timeout_ms + p->opt->grace_ms;
}

static bool start(struct pool *p, struct slot *s, size_t job, struct error *err)
{
    int fd[2];
    if (pipe2(fd, O_CLOEXEC) != 0)
        return error_set(err, ERROR_SYSTEM, "cannot create a pipe for a worker: %s", strerror(errno));
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        int e = errno;
        close(fd[0]);
        close(fd[1]);
        return error_set(err, ERROR_SYSTEM, "cannot start a worker: %s", strerror(e));
    }
    if (pid == 0) {
        close(fd[0]);
        worker_main(p, job, fd[1], parent);
    }
    setpgid(pid, pid); /* both sides do it, so that it is done whoever runs first */
    close(fd[1]);
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    memset(s, 0, sizeof *s);
    s->pid = pid;
    s->fd = fd[0];
    s->job = job;
    if (p->opt->timeout_ms) {
        uint64_t now = now_ms();
        s->deadline = now + allowed_ms(p);
        s->last = now + allowed_ms(p) * DEADLINE_PATIENCE;
    }
    p->running++;
    return true;
}

static void report_in_order(struct pool *p)
{
    while (p->reported < p->n && p->fin[p->reported].ready) {
        struct finished *f = &p->fin[p->reported];
        f->r.job = p->reported;
        f->r.output = buf_text(&f->out);
        f->r.output_len = f->out.len;
        p->reported++;
        p->done(p->ctx, &f->r);
        buf_free(&f->out);
    }
}

static void finish(struct pool *p, size_t job, enum work_outcome o, const char *reason, struct buf *out)
{
    struct finished *f = &p->fin[job];
    assert(!f->ready);
    f->ready = true;
    f->r.outcome = o;
    snprintf(f->r.reason, sizeof f->r.reason, "%s", reason);
    if (out) {
        f->out = *out;
        memset(out, 0, sizeof *out);
    }
}

static const char *signal_name(int sig)
{
    const char *s = sigabbrev_np(sig);
    return s ? s : "?";
}

/* The worker closed its pipe or ended: collect it. What is left of its process group is killed while the
 * worker is still a zombie, for then the group's number cannot be someone else's yet. */
static void reap(struct pool *p, struct slot *s)
{
    siginfo_t si;
    while (waitid(P_PID, (id_t)s->pid, &si, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    kill(-s->pid, SIGKILL);
    int status = 0;
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(s->fd);
    char reason[160] = "";
    enum work_outcome o = WORK_DONE;
    if (s->killed == KILL_TIMEOUT) {
        o = WORK_TIMEOUT;
        snprintf(reason, sizeof reason, "time limit of %u ms", p->opt->timeout_ms);
    } else if (s->killed == KILL_OUTPUT) {
        o = WORK_FAILED;
        snprintf(reason, sizeof reason, "result larger than %zu bytes",
                 p->opt->max_output ? p->opt->max_output : (size_t)WORK_MAX_OUTPUT);
    } else if (s->killed == KILL_CANCEL) {
        o = WORK_CANCELLED;
        snprintf(reason, sizeof reason, "interrupted");
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        o = WORK_TIMEOUT;
        snprintf(reason, sizeof reason, "time limit");
    } else if (WIFSIGNALED(status)) {
        o = WORK_CRASH;
        snprintf(reason, sizeof reason, "killed by signal %d (SIG%s)", WTERMSIG(status),
                 signal_name(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) == ALLOC_EXIT) {
        o = WORK_MEMORY;
        if (p->opt->memory_bytes)
            snprintf(reason, sizeof reason, "memory limit of %llu MiB",
                     (unsigned long long)(p->opt->memory_bytes >> 20));
        else
            snprintf(reason, sizeof reason, "out of memory");
    } else if (WEXITSTATUS(status) == WORK_EXIT_FAILED) {
        o = WORK_FAILED;
        snprintf(reason, sizeof reason, "the job failed");
    } else if (WEXITSTATUS(status) != 0) {
        o = WORK_CRASH;
        snprintf(reason, sizeof reason, "exited with status %d", WEXITSTATUS(status));
    }
    finish(p, s->job, o, reason, &s->out);
    s->pid = 0;
    p->running--;
}

static void kill_slot(struct slot *s, enum slot_kill why)
{
    if (s->killed == KILL_NONE) {
        s->killed = why;
        kill(-s->pid, SIGKILL);
        kill(s->pid, SIGKILL);
    }
}

/* Takes what is in the pipe, but not without end: a worker may write faster than the output can be looked at,
 * and time limits and *cancel must be looked at too. True when the worker has closed its end. */
static bool drain(struct pool *p, struct slot *s)
{
    enum { CHUNKS = 4 };
    char chunk[WORK_READ];
    size_t max = p->opt->max_output ? p->opt->max_output : (size_t)WORK_MAX_OUTPUT;
    for (int i = 0; i < CHUNKS;) {
        ssize_t k = read(s->fd, chunk, sizeof chunk);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0 && errno == EAGAIN)
            return false;
        if (k <= 0)
            return true;
        if (s->killed)
            continue; /* it is dead: this ends */
        i++;
        if ((size_t)k > max - s->received) {
            kill_slot(s, KILL_OUTPUT);
            continue;
        }
        s->received += (size_t)k;
        if (p->opt->output)
            p->opt->output(p->ctx, s->job, chunk, (size_t)k);
        else
            buf_put(&s->out, chunk, (size_t)k);
    }
    return false;
}

static int next_timeout(const struct pool *p)
{
    uint64_t first = 0;
    for (unsigned i = 0; i < p->nslots; i++)
        if (p->slot[i].pid && p->slot[i].deadline && !p->slot[i].killed &&
            (!first || p->slot[i].deadline < first))
            first = p->slot[i].deadline;
    if (!first)
        return -1;
    uint64_t now = now_ms();
    uint64_t left = first > now ? first - now : 0;
    return left > 60000 ? 60000 : (int)left;
}

/* The wait is bounded for two events that poll may not see: a signal that sets *cancel just before the wait
 * begins, and a worker that ended while a child of its own still holds the pipe open. */
static int bounded(int timeout)
{
    enum { LOOK_EVERY_MS = 200 };
    return timeout < 0 || timeout > LOOK_EVERY_MS ? LOOK_EVERY_MS : timeout;
}

static bool has_ended(const struct slot *s)
{
    siginfo_t si = {0};
    return waitid(P_PID, (id_t)s->pid, &si, WEXITED | WNOWAIT | WNOHANG) == 0 && si.si_pid == s->pid;
}

/* All that an ended worker wrote before its end; a child of it that still writes does not keep us here for
 * ever. */
static void drain_ended(struct pool *p, struct slot *s)
{
    struct pollfd more = {.fd = s->fd, .events = POLLIN};
    for (int i = 0; i < WORK_MAX_OUTPUT / WORK_READ && poll(&more, 1, 0) > 0; i++)
        if (drain(p, s))
            break;
}

/* Its time is up on the clock. What other work on the machine kept from it, it may still have. */
static void when_due(const struct pool *p, struct slot *s, uint64_t now)
{
    enum { LOOK_AGAIN_MS = 20 };
    clockid_t its;
    struct timespec used;
    uint64_t allowed = allowed_ms(p), left = 0;
    if (now < s->last && clock_getcpuclockid(s->pid, &its) == 0 && clock_gettime(its, &used) == 0) {
        uint64_t ms = timespec_ms(used);
        left = ms >= allowed ? 0 : allowed - ms < LOOK_AGAIN_MS ? LOOK_AGAIN_MS : allowed - ms;
    }
    if (!left)
        kill_slot(s, KILL_TIMEOUT);
    else
        s->deadline = now + left < s->last ? now + left : s->last;
}

static void wait_once(struct pool *p, struct pollfd *pfd)
{
    unsigned *who = xcalloc(p->nslots, sizeof *who);
    nfds_t n = 0;
    for (unsigned i = 0; i < p->nslots; i++)
        if (p->slot[i].pid) {
            who[n] = i;
            pfd[n++] = (struct pollfd){.fd = p->slot[i].fd, .events = POLLIN};
        }
    int k = poll(pfd, n, bounded(next_timeout(p)));
    for (nfds_t j = 0; k > 0 && j < n; j++)
        if (pfd[j].revents && drain(p, &p->slot[who[j]]))
            reap(p, &p->slot[who[j]]);
    for (nfds_t j = 0; k == 0 && j < n; j++) {
        struct slot *s = &p->slot[who[j]];
        if (has_ended(s)) {
            drain_ended(p, s);
            reap(p, s);
        }
    }
    free(who);
    uint64_t now = now_ms();
    for (unsigned i = 0; i < p->nslots; i++)
        if (p->slot[i].pid && p->slot[i].deadline && p->slot[i].deadline <= now)
            when_due(p, &p->slot[i], now);
}

static struct slot *free_slot(struct pool *p)
{
    for (unsigned i = 0; i < p->nslots; i++)
        if (!p->slot[i].pid)
            return &p->slot[i];
    return NULL;
}

bool work_run(size_t n, const struct work_options *opt, work_job_fn *job, work_done_fn *done, void *ctx,
              const volatile int *cancel, struct error *err)
{
    static const struct work_options none;
    struct pool p = {.opt = opt ? opt : &none, .job = job, .done = done, .ctx = ctx, .n = n};
    unsigned jobs = p.opt->jobs;
    if (!jobs) {
        long cpus = sysconf(_SC_NPROCESSORS_ONLN);
        jobs = cpus > 0 ? (unsigned)cpus : 1;
    }
    if (jobs > WORK_MAX_JOBS)
        jobs = WORK_MAX_JOBS;
    p.nslots = n < jobs ? (unsigned)n : jobs;
    p.slot = xcalloc(p.nslots, sizeof *p.slot);
    p.fin = xcalloc(n, sizeof *p.fin);
    struct pollfd *pfd = xcalloc(p.nslots, sizeof *pfd);
    bool started = n == 0, ok = true;
    fflush(NULL); /* or a worker that exits through stdio would write it a second time */
    while (p.reported < n) {
        if (cancel && *cancel) {
            for (unsigned i = 0; i < p.nslots; i++)
                if (p.slot[i].pid)
                    kill_slot(&p.slot[i], KILL_CANCEL);
            for (; p.next < n; p.next++)
                finish(&p, p.next, WORK_CANCELLED, "interrupted", NULL);
        }
        struct slot *s;
        while (p.next < n && (s = free_slot(&p))) {
            struct error e = {0};
            if (start(&p, s, p.next, &e)) {
                started = true;
                p.next++;
            } else if (p.running) {
                break; /* out of processes for now: go on with those there are */
            } else if (started) {
                finish(&p, p.next++, WORK_FAILED, e.text, NULL);
            } else {
                if (err)
                    *err = e;
                ok = false;
                goto out;
            }
        }
        if (p.running)
            wait_once(&p, pfd);
        report_in_order(&p);
    }
out:
    free(pfd);
    free(p.slot);
    free(p.fin);
    return ok;
}

const char *work_outcome_name(enum work_outcome o)
{
    switch (o) {
    case WORK_DONE:
        return "done";
    case WORK_TIMEOUT:
        return "timeout";
    case WORK_MEMORY:
        return "memory";
    case WORK_CRASH:
        return "crash";
    case WORK_FAILED:
        return "failed";
    case WORK_CANCELLED:
        return "cancelled";
    }
    return "?";
}
