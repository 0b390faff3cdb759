/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Candidates that are given as diffs: each is applied to a copy of the source tree, and built there by the
 * user's command. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask/poc_internal.h"
#include "base/file.h"
#include "present/patch.h"

enum { FILE_MOST = 64 << 20 };

/* The file of the copy that a path of the diff means; NULL: none. */
static const char *path_in(const char *dir, const char *path, bool there, struct arena *arena)
{
    enum { STRIP = 4 };
    for (unsigned i = 0; i < STRIP; i++) {
        const char *rest = patch_path(path, i == 0 ? 1 : i == 1 ? 0 : i);
        const char *full = rest ? arena_printf(arena, "%s/%s", dir, rest) : NULL;
        if (full && (!there || access(full, F_OK) == 0))
            return full;
    }
    return NULL;
}

static bool apply_file(const struct patch *p, const struct patch_file *f, const char *dir,
                       struct arena *arena, struct error *err)
{
    const char *name = f->old_path ? f->old_path : f->new_path;
    const char *path = path_in(dir, name, f->old_path != NULL, arena);
    struct buf text = BUF_INIT, out = BUF_INIT;
    bool ok =
        path || error_set(err, ERROR_INPUT, "%s: the source tree has no file %s", p->name, name);
    ok = ok && (!f->old_path || file_read(path, FILE_MOST, &text, err)) && patch_apply(p, f, buf_text(&text), text.len, false, &out, err);
    if (ok && f->new_path)
        ok = file_write(path, buf_text(&out), out.len, err);
    else if (ok && unlink(path) != 0)
        ok = error_set(err, ERROR_SYSTEM, "cannot remove %s: %s", path, strerror(errno));
    buf_free(&text);
    buf_free(&out);
    return ok;
}

static bool apply(const char *diff, const char *dir, struct arena *arena, struct error *err)
{
    struct buf text = BUF_INIT;
    struct patch p = {0};
    bool ok = file_read(diff, FILE_MOST, &text, err) && patch_read(&p, diff, buf_text(&text), text.len, err);
    for (size_t i = 0; ok && i < p.file.len; i++)
        ok = apply_file(&p, &p.file.data[i], dir, arena, err);
    patch_free(&p);
    buf_free(&text);
    return ok;
}

/* Runs it by the shell; what it says goes to `log`. */
static bool shell(const char *dir, const char *log, char *const *argv)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int null = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (null >= 0 && out >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 &&
            chdir(dir) == 0)
            execv("/bin/sh", argv);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && status == 0;
}

/* The line that names an error, else the first, else that nothing was said. */
static void say_failure(const char *what, const char *how, const char *log, struct error *err)
{
    struct buf text = BUF_INIT;
    file_read(log, FILE_MOST, &text, NULL);
    const char *all = buf_text(&text), *at = strstr(all, "error");
    while (at && at > all && at[-1] != '\n')
        at--;
    at = at ? at : *all ? all : "the command does not write {}";
    error_set(err, ERROR_INPUT, "%s cannot be %s: %.*s", what, how, (int)strcspn(at, "\n"), at);
    buf_free(&text);
}

/* "{}" of the command is the program that is to be made. */
static char *command_for(const char *cc, const char *program, struct arena *arena)
{
    struct buf b = BUF_INIT;
    for (const char *at = cc, *next; *at; at = next) {
        next = strstr(at, "{}");
        buf_put(&b, at, next ? (size_t)(next - at) : strlen(at));
        if (!next)
            break;
        buf_puts(&b, program);
        next += 2;
    }
    char *out = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return out;
}

bool poc_build(struct poc_asking *a, const char *diff, size_t index, const char **program, struct error *err)
{
    const struct ask_poc *q = a->q;
    char *real = realpath(q->source, NULL);
    const char *dir = arena_printf(&a->arena, "%s/source%zu", a->all, index);
    const char *log = arena_printf(&a->arena, "%s/build%zu.log", a->all, index);
    *program = arena_printf(&a->arena, "%s/built%06zu", a->all, index);
    char *copy[] = {"sh", "-c", "cp -RL -- \"$0\" \"$1\"", real, (char *)dir, NULL};
    char *build[] = {"sh", "-c", command_for(q->cc, *program, &a->arena), NULL};
    bool ok = real || error_set(err, ERROR_INPUT, "%s: %s", q->source, strerror(errno));
    if (ok && !shell(a->all, log, copy)) {
        say_failure(q->source, "copied", log, err);
        ok = false;
    }
    ok = ok && apply(diff, dir, &a->arena, err);
    if (ok && (!shell(dir, log, build) || access(*program, X_OK) != 0)) {
        say_failure(diff, "built", log, err);
        ok = false;
    }
    free(real);
    return ok;
}
