/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that the user's commands make. Of candidates that are given as diffs each is applied to a copy of
 * the source tree, and built there; object files are linked where the user is. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ask/poc_internal.h"
#include "base/file.h"
#include "base/system.h"
#include "present/patch.h"

enum { FILE_MOST = 64 << 20 };

/* How many components the names of the diff have before those of the tree: so many that all its files are
 * there. -1: there is no such number. */
static int strip_of(const struct patch *p, const char *dir, const char **missing, struct arena *arena)
{
    static const int tried[] = {1, 0, 2, 3};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        bool all = true;
        for (size_t i = 0; i < p->file.len && all; i++) {
            const char *name = p->file.data[i].old_path ? p->file.data[i].old_path : p->file.data[i].new_path;
            const char *rest = name ? patch_path(name, (unsigned)tried[k]) : NULL;
            all = rest && (!p->file.data[i].old_path ||
                           access(arena_printf(arena, "%s/%s", dir, rest), F_OK) == 0);
            if (!all && k == 0)
                *missing = name ? name : "/dev/null";
        }
        if (all)
            return tried[k];
    }
    return -1;
}

/* Makes the directories that lead to it. */
static void make_parents(const char *dir, const char *path, struct arena *arena)
{
    char *name = arena_strdup(arena, path);
    for (char *at = name + strlen(dir) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(name, 0777);
    }
}

static bool apply_file(const struct patch *p, const struct patch_file *f, unsigned strip, const char *dir,
                       struct arena *arena, struct error *err)
{
    const char *name[] = {f->old_path, f->renamed || !f->old_path ? f->new_path : f->old_path};
    const char *path[2] = {NULL, NULL};
    for (unsigned i = 0; i < 2; i++) {
        const char *rest = name[i] ? patch_path(name[i], strip) : NULL;
        path[i] = rest ? arena_printf(arena, "%s/%s", dir, rest) : NULL;
        if (name[i] && !rest)
            return error_set(err, ERROR_INPUT, "%s: %s is no name in the source tree", p->name, name[i]);
    }
    struct buf text = BUF_INIT, out = BUF_INIT;
    bool ok = (!path[0] || file_read(path[0], FILE_MOST, &text, err)) &&
              patch_apply(p, f, buf_text(&text), text.len, false, &out, err);
    if (ok && f->new_path) {
        make_parents(dir, path[1], arena);
        ok = file_write(path[1], buf_text(&out), out.len, err);
    }
    if (ok && path[0] && (!f->new_path || strcmp(path[0], path[1]) != 0) && unlink(path[0]) != 0)
        ok = error_set(err, ERROR_SYSTEM, "cannot remove %s: %s", path[0], strerror(errno));
    buf_free(&text);
    buf_free(&out);
    return ok;
}

static bool apply(const char *diff, const char *dir, struct arena *arena, struct error *err)
{
    struct buf text = BUF_INIT;
    struct patch p = {0};
    const char *missing = NULL;
    bool ok = file_read(diff, FILE_MOST, &text, err) && patch_read(&p, diff, buf_text(&text), text.len, err);
    int strip = ok ? strip_of(&p, dir, &missing, arena) : -1;
    if (ok && strip < 0)
        ok = error_set(err, ERROR_INPUT, "%s: the source tree has no file %s", diff, missing);
    for (size_t i = 0; ok && i < p.file.len; i++)
        ok = apply_file(&p, &p.file.data[i], (unsigned)strip, dir, arena, err);
    patch_free(&p);
    buf_free(&text);
    return ok;
}

enum shell_end { SHELL_DONE, SHELL_FAILED, SHELL_LATE };

/* Runs it by the shell, with all that it starts; what it says goes to `log`. */
static enum shell_end shell(const char *dir, const char *log, char *const *argv, uint64_t most_ms)
{
    int status = -1;
    pid_t pid = fork(), got = 0;
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        int null = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (null >= 0 && out >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 &&
            chdir(dir) == 0)
            execv("/bin/sh", argv);
        _exit(127);
    }
    if (pid < 0)
        return SHELL_FAILED;
    uint64_t deadline = now_ms() + most_ms;
    while ((got = waitpid(pid, &status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (now_ms() >= deadline) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return SHELL_LATE;
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return got == pid && status == 0 ? SHELL_DONE : SHELL_FAILED;
}

/* The line that names an error, else the first, else that nothing was said. */
static void say_failure(const char *what, const char *how, const char *log, struct error *err)
{
    /* of compilers; linkers do not call what they miss an error, and who called them only says that they
     * failed */
    static const char *const mark[] = {"error",       "undefined reference", "multiple definition",
                                       "cannot find", "wrong format",        "incompatible"};
    struct buf text = BUF_INIT;
    file_read(log, FILE_MOST, &text, NULL);
    const char *all = buf_text(&text), *at = NULL;
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
        const char *found = strstr(all, mark[i]);
        at = found && (!at || found < at) ? found : at;
    }
    while (at && at > all && at[-1] != '\n')
        at--;
    at = at ? at : *all ? all : "the command does not write {}";
    error_set(err, ERROR_INPUT, "%s cannot be %s: %.*s", what, how, (int)strcspn(at, "\n"), at);
    buf_free(&text);
}

/* A command with the names of files in it. */
static char *command_for(const char *command, const char *program, const char *object, struct arena *arena)
{
    static const char *const mark[] = {"{}", "{object}"};
    const char *name[] = {program, object};
    struct buf b = BUF_INIT;
    for (const char *at = command; *at;) {
        size_t i = 0;
        while (i < 2 && !(name[i] && strncmp(at, mark[i], strlen(mark[i])) == 0))
            i++;
        if (i < 2)
            buf_puts(&b, name[i]);
        else
            buf_putc(&b, *at);
        at += i < 2 ? strlen(mark[i]) : 1;
    }
    char *out = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return out;
}

/* Runs a command that is to make the program, in a directory. */
static bool run_command(struct poc_asking *a, const char *what, const char *how, const char *dir,
                        const char *log, char *command, const char *program, struct error *err)
{
    char *argv[] = {"sh", "-c", command, NULL};
    enum shell_end end = shell(dir, log, argv, a->q->build_ms);
    if (end == SHELL_LATE)
        return error_set(err, ERROR_INPUT, "%s is not %s after %llu ms (--build-timeout)", what, how,
                         (unsigned long long)a->q->build_ms);
    if (end == SHELL_DONE && access(program, F_OK) == 0)
        return true;
    say_failure(what, how, log, err);
    return false;
}

bool poc_build(struct poc_asking *a, size_t index, struct poc_file *diff, struct error *err)
{
    const struct ask_poc *q = a->q;
    char *real = realpath(q->source, NULL);
    const char *dir = arena_printf(&a->arena, "%s/source%zu", a->all, index);
    const char *log = arena_printf(&a->arena, "%s/build%zu.log", a->all, index);
    const char *program = arena_printf(&a->arena, "%s/built%06zu", a->all, index);
    char *copy[] = {"sh", "-c", "cp -RL -- \"$0\" \"$1\"", real, (char *)dir, NULL};
    bool ok = real || error_set(err, ERROR_INPUT, "%s: %s", q->source, strerror(errno));
    if (ok && shell(a->all, log, copy, q->build_ms) != SHELL_DONE) {
        say_failure(q->source, "copied", log, err);
        ok = false;
    }
    ok = ok && apply(diff->name, dir, &a->arena, err) &&
         run_command(a, diff->name, "built", dir, log, command_for(q->cc, program, NULL, &a->arena), program,
                     err);
    if (ok)
        diff->path = program;
    free(real);
    return ok;
}

bool poc_link(struct poc_asking *a, size_t index, struct poc_file *object, struct error *err)
{
    const char *log = arena_printf(&a->arena, "%s/link%zu.log", a->all, index);
    const char *program = arena_printf(&a->arena, "%s/linked%06zu", a->all, index);
    char *real = realpath(object->path, NULL);
    /* a name that means nothing to the shell */
    object->object = arena_printf(&a->arena, "%s/object%06zu.o", a->all, index);
    bool ok = (real && symlink(real, object->object) == 0) ||
              error_set(err, ERROR_INPUT, "%s: %s", object->name, strerror(errno));
    free(real);
    ok = ok && run_command(a, object->name, "linked", ".", log,
                           command_for(a->q->link, program, object->object, &a->arena), program, err);
    if (ok)
        object->path = program;
    return ok;
}
