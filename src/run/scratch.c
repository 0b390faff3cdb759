/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/private.h"

#define PLACE "/tmp"
#define PREFIX "assay-run-"

/* Nothing is followed out of the directory: neither links nor what is mounted there under another name. */
static void remove_below(int dir, const char *name, unsigned fuel)
{
    if (unlinkat(dir, name, 0) == 0 || !fuel)
        return;
    fchmodat(dir, name, 0700, 0);
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove_below(fd, e->d_name, fuel - 1);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    unlinkat(dir, name, AT_REMOVEDIR);
}

enum { DEEPEST = 200 };

void scratch_tidy(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            strcmp(e->d_name, PROCESS_NAME) != 0)
            remove_below(dirfd(d), e->d_name, DEEPEST);
    if (d)
        closedir(d);
}

static int take_lock(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &st) != 0 || st.st_uid != geteuid() ||
                    !st.st_nlink)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void remove_abandoned(void)
{
    DIR *d = opendir(PLACE);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[sizeof PLACE + 1 + sizeof e->d_name];
        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        snprintf(path, sizeof path, PLACE "/%s", e->d_name);
        int lock = take_lock(path);
        if (lock < 0)
            continue;
        remove_below(dirfd(d), e->d_name, DEEPEST);
        close(lock);
    }
    if (d)
        closedir(d);
}

/* The namespaces of a process that has given up the network; they stay as long as they are open here. */
static struct run_without without_network(void)
{
    struct run_without out = {-1, -1};
    int made[2], done[2];
    if (pipe2(made, O_CLOEXEC) != 0)
        return out;
    if (pipe2(done, O_CLOEXEC) != 0) {
        close(made[0]);
        close(made[1]);
        return out;
    }
    pid_t pid = fork();
    char c = 0;
    if (!pid) {
        close(done[1]);
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && write(made[1], &c, 1) == 1)
            (void)(read(done[0], &c, 1) == 0);
        _exit(0);
    }
    close(made[1]);
    if (pid > 0 && read(made[0], &c, 1) == 1) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%ld/ns/user", (long)pid);
        out.user = open(path, O_RDONLY | O_CLOEXEC);
        snprintf(path, sizeof path, "/proc/%ld/ns/net", (long)pid);
        out.network = open(path, O_RDONLY | O_CLOEXEC);
    }
    close(made[0]);
    close(done[0]);
    close(done[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return out;
}

bool scratch_open(struct scratch *s, struct error *err)
{
    enum { TRIES = 16 };
    remove_abandoned();
    /* somebody who tidies up may be faster than the lock */
    for (unsigned i = 0; i < TRIES; i++) {
        snprintf(s->path, sizeof s->path, PLACE "/" PREFIX "XXXXXX");
        if (!mkdtemp(s->path))
            break;
        s->lock = take_lock(s->path);
        if (s->lock >= 0) {
            s->without = without_network();
            return true;
        }
    }
    s->path[0] = '\0';
    return error_set(err, ERROR_SYSTEM, "cannot make a scratch directory in " PLACE ": %s", strerror(errno));
}

void scratch_close(struct scratch *s)
{
    if (!s->path[0])
        return;
    remove_below(AT_FDCWD, s->path, DEEPEST);
    close(s->lock);
    if (s->without.user >= 0)
        close(s->without.user);
    if (s->without.network >= 0)
        close(s->without.network);
    s->path[0] = '\0';
}
