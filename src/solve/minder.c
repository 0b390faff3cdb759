/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command so that nothing of it is left behind, however this process ends.
 *
 * The command is a child of this process in a process group of its own; the kernel kills it when this process
 * dies. That is not so for what it may have started itself. Therefore there is a minder: a shell that is told
 * through a socket which group there is, and kills it when the socket closes, which it does in whatever way
 * this process dies. It is started with the first command, and stays.
 *
 * Both are started without a copy of this process, which with the memory of an analysis takes as long as many
 * an easy query, for Z3 too, which may be at work in another thread; and without what libraries want done
 * before a fork: Z3 waits there for its timers, which go on for as long as it works. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system.h"
#include "solve/internal.h"

struct minder {
    char **argv; /* the command, with room for the script's name as the last word */
    char **script;
    pid_t owner; /* the process that this is for: a fork of it has to start its own minder */
    pid_t pid;
    int socket;    /* to the minder; -1: there is none */
    pid_t command; /* 0: none */
};

/* ---- in other processes ---- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

static void handle_ending(void (*how)(int))
{
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        signal(ending[i], how);
}

/* Which group to mind, 0 for none. False when the minder has been killed. */
static bool tell(struct minder *m, pid_t group)
{
    char line[24];
    int n = snprintf(line, sizeof line, "%ld\n", (long)group);
    return send(m->socket, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) == n;
}

static _Noreturn void command_main(struct minder *m, const struct question *q, int out)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != m->owner)
        _exit(MINDER_NO_EXEC);
    tell(m, getpid()); /* before there can be anything else to mind */
    handle_ending(SIG_DFL);
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
    execvp(m->argv[0], m->argv);
    _exit(MINDER_NO_EXEC);
}

/* Keeps nothing open that others may wait for the end of. */
static _Noreturn void minder_main(int orders)
{
    setpgid(0, 0);
    handle_ending(SIG_IGN);
    int null = open("/dev/null", O_RDWR);
    dup2(orders, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    execl("/bin/sh", "sh", "-c",
          "while read -r p; do g=$p; done; test \"$g\" -gt 0 && kill -s KILL -- \"-$g\"", NULL);
    _exit(MINDER_NO_EXEC);
}

/* ---- in this process ---- */

/* cvc5 goes by the ending of a file's name unless it is told. */
struct minder *minder_new(char *const *argv)
{
    const char *base = strrchr(argv[0], '/');
    bool cvc5 = strcmp(base ? base + 1 : argv[0], "cvc5") == 0;
    struct minder *m = xcalloc(1, sizeof *m);
    size_t n = 0, k = 0;
    while (argv[n])
        n++;
    m->argv = xcalloc(n + 3, sizeof *m->argv);
    m->argv[k++] = argv[0];
    if (cvc5)
        m->argv[k++] = "--lang=smt2";
    for (size_t i = 1; i < n; i++)
        m->argv[k++] = argv[i];
    m->script = &m->argv[k];
    m->socket = -1;
    return m;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void minder_stop(struct minder *m)
{
    if (m->command <= 0 || m->owner != getpid())
        return;
    kill(-m->command, SIGKILL);
    kill(m->command, SIGKILL);
}

/* Returns the command's exit code. */
static int end_command(struct minder *m)
{
    pid_t pid = m->command;
    if (pid <= 0 || m->owner != getpid())
        return -1;
    minder_stop(m);
    tell(m, 0); /* before the number can be another's */
    m->command = 0;
    return wait_for(pid);
}

static void let_go(struct minder *m)
{
    end_command(m);
    if (m->socket < 0)
        return;
    close(m->socket);
    m->socket = -1;
    m->command = 0;
    if (m->owner == getpid())
        wait_for(m->pid);
}

void minder_free(struct minder *m)
{
    if (!m)
        return;
    let_go(m);
    free(m->argv);
    free(m);
}

static bool start_minder(struct minder *m)
{
    int orders[2];
    if (m->socket >= 0 && m->owner == getpid() && tell(m, 0))
        return true;
    let_go(m);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders) < 0)
        return false;
    m->owner = getpid();
    m->pid = vfork();
    if (!m->pid)
        minder_main(orders[0]);
    close(orders[0]);
    m->socket = orders[1];
    if (m->pid > 0)
        return true;
    close(m->socket);
    m->socket = -1;
    return false;
}

bool minder_start(struct minder *m, int script, const struct question *q, int out)
{
    char path[64];
    end_command(m);
    if (!start_minder(m))
        return false;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)m->owner, script);
    *m->script = path;
    pid_t pid = vfork();
    if (!pid)
        command_main(m, q, out);
    *m->script = NULL;
    if (pid < 0)
        return false;
    setpgid(pid, pid);
    m->command = pid;
    return true;
}

int minder_exit_code(struct minder *m, unsigned patience_ms)
{
    int handle = (int)syscall(SYS_pidfd_open, m->command, 0u);
    struct pollfd p = {handle, POLLIN, 0};
    if (handle >= 0) {
        poll(&p, 1, (int)patience_ms);
        close(handle);
    }
    return end_command(m);
}
