/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/system.h"
#include "present/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REFUSED_MAX = 32 /* options that clang does not know, left out one by one */, EXIT_NO_EXEC = 127 };

/* ---- words ---- */

/* Splits words as a shell does: by blanks, with quotes and backslashes, and without expanding anything. */
static void split_words(struct arena *a, const char *s, word_list *out)
{
    struct buf word = BUF_INIT;
    while (*s) {
        while (*s == ' ' || *s == '\t' || *s == '\n')
            s++;
        if (!*s)
            break;
        char quote = 0;
        buf_clear(&word);
        for (; *s && (quote || (*s != ' ' && *s != '\t' && *s != '\n')); s++) {
            if (quote ? *s == quote : *s == '\'' || *s == '"') {
                quote = quote ? 0 : *s;
            } else if (*s == '\\' && quote != '\'' && s[1]) {
                buf_putc(&word, *++s);
            } else {
                buf_putc(&word, *s);
            }
        }
        vec_push(out, arena_strndup(a, buf_text(&word), word.len));
    }
    buf_free(&word);
}

bool compiler_open(struct compiler *c, const char *command, const char *database, struct error *err)
{
    *c = (struct compiler){.database_name = database};
    split_words(&c->arena, command ? command : "clang", &c->word);
    if (!c->word.len)
        return error_set(err, ERROR_USAGE, "--cc: which compiler? use 'clang' and its options");
    if (!database)
        return true;
    json_error_t wrong;
    c->database = json_load_file(database, 0, &wrong);
    if (!c->database)
        return error_set(err, ERROR_INPUT, "%s: line %d: %s", database, wrong.line, wrong.text);
    if (!json_is_array(c->database))
        return error_set(err, ERROR_INPUT,
                         "%s: expected a list of commands, as CMake, Meson and bear write it", database);
    return true;
}

void compiler_close(struct compiler *c)
{
    vec_free(&c->word);
    json_decref(c->database);
    arena_free(&c->arena);
}

/* ---- the database ---- */

static const char *text_of(json_t *entry, const char *name)
{
    const char *s = json_string_value(json_object_get(entry, name));
    return s ? s : "";
}

/* Does the entry's file, seen from its directory, name the unit? */
static bool is_of(json_t *entry, const char *unit)
{
    char path[PATH_MAX], real[PATH_MAX];
    const char *file = text_of(entry, "file"), *directory = text_of(entry, "directory");
    snprintf(path, sizeof path, "%s%s%s", file[0] == '/' ? "" : directory, file[0] == '/' ? "" : "/", file);
    return realpath(path, real) && strcmp(real, unit) == 0;
}

/* Options that choose the kind of output and where it goes, both of which are decided here. */
static bool is_ours(const char *word, bool *takes_next)
{
    static const char *const alone[] = {"-c", "-S", "-E", "-MD", "-MMD", "-MP", "-M", "-MM", "-MG", "-pipe"};
    static const char *const with[] = {"-o", "-MF", "-MT", "-MQ"};
    *takes_next = false;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (strcmp(word, alone[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (strncmp(word, with[i], strlen(with[i])) == 0) {
            *takes_next = word[strlen(with[i])] == '\0';
            return true;
        }
    return strncmp(word, "-O", 2) == 0 || strncmp(word, "-g", 2) == 0 || strncmp(word, "-flto", 5) == 0 ||
           strncmp(word, "-W", 2) == 0 || strncmp(word, "-save-temps", 11) == 0;
}

static void add_options(struct arena *a, json_t *entry, const char *unit, word_list *out)
{
    word_list word = VEC_INIT;
    json_t *arguments = json_object_get(entry, "arguments"), *one;
    size_t i;
    if (json_is_array(arguments)) {
        json_array_foreach(arguments, i, one) if (json_is_string(one))
            vec_push(&word, arena_strdup(a, json_string_value(one)));
    } else {
        split_words(a, text_of(entry, "command"), &word);
    }
    for (i = 1; i < word.len; i++) {
        bool next;
        if (is_ours(word.data[i], &next))
            i += next;
        else if (strcmp(path_base(word.data[i]), path_base(unit)) != 0 || word.data[i][0] == '-')
            vec_push(out, word.data[i]);
    }
    vec_free(&word);
}

/* ---- running it ---- */

static void read_back(int fd, struct buf *out)
{
    char chunk[65536];
    ssize_t n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, chunk, sizeof chunk)) > 0)
        buf_put(out, chunk, (size_t)n);
}

static _Noreturn void compiler_main(char *const *argv, const char *directory, int out, int messages)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    if (chdir(directory) == 0)
        execvp(argv[0], argv);
    _exit(EXIT_NO_EXEC);
}

static bool run(char *const *argv, const char *directory, struct buf *out, struct buf *message, int *status,
                struct error *err)
{
    int code = memfd_create("bitcode", 0), said = memfd_create("messages", 0);
    pid_t pid = code < 0 || said < 0 ? -1 : fork();
    if (pid == 0)
        compiler_main(argv, directory, code, said);
    if (pid > 0) {
        while (waitpid(pid, status, 0) < 0 && errno == EINTR)
            ;
        buf_clear(out);
        buf_clear(message);
        read_back(code, out);
        read_back(said, message);
    } else {
        error_set(err, ERROR_SYSTEM, "cannot start '%s': %s", argv[0], strerror(errno));
    }
    close(code);
    close(said);
    return pid > 0;
}

/* Removes an option that clang rejected as unknown, such as one of gcc's. False if that was not it. */
static bool forget_refused(word_list *argv, const struct buf *message)
{
    static const char *const said[] = {"unknown argument: '", "unknown argument '", "unsupported option '",
                                       "unsupported argument '"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const char *at = strstr(buf_text(message), said[i]);
        if (!at)
            continue;
        at += strlen(said[i]);
        size_t n = strcspn(at, "'");
        for (size_t k = 1; k < argv->len; k++)
            if (argv->data[k] && strlen(argv->data[k]) == n && memcmp(argv->data[k], at, n) == 0) {
                memmove(&argv->data[k], &argv->data[k + 1], (argv->len - k - 1) * sizeof *argv->data);
                argv->len--;
                return true;
            }
    }
    return false;
}

/* The first line of a message that reports an error. */
static void first_error(const struct buf *message, char *out, size_t cap)
{
    const char *text = buf_text(message), *at = strstr(text, "error:");
    while (at && at > text && at[-1] != '\n')
        at--;
    at = at ? at : text;
    snprintf(out, cap, "%.*s", (int)(strcspn(at, "\n") < cap ? strcspn(at, "\n") : cap - 1), at);
}

bool compile_bitcode(const struct compiler *c, const char *unit, const char *directory, const char *level,
                     const char *overlay, struct buf *out, struct buf *reads, struct buf *message,
                     struct error *err)
{
    struct arena arena = ARENA_INIT;
    word_list argv = VEC_INIT;
    json_t *entry, *mine = NULL;
    size_t i;
    int status = 0;
    json_array_foreach(c->database, i, entry) if (!mine && is_of(entry, unit)) mine = entry;
    if (c->database && !mine)
        return error_set(err, ERROR_INPUT, "%s: no entry for %s, which the patch changes", c->database_name,
                         unit);
    for (i = 0; i < c->word.len; i++)
        vec_push(&argv, c->word.data[i]);
    if (mine) {
        add_options(&arena, mine, unit, &argv);
        directory = *text_of(mine, "directory") ? text_of(mine, "directory") : directory;
    }
    char list[64];
    int files = memfd_create("files", 0);
    snprintf(list, sizeof list, "/proc/%d/fd/%d", (int)getpid(), files);
    const char *const last[] = {"-w", level, "-g", "-emit-llvm", "-MD", "-MF", list, "-c", "-o", "-", unit};
    if (*overlay) {
        vec_push(&argv, "-ivfsoverlay");
        vec_push(&argv, overlay);
    }
    for (i = 0; i < sizeof last / sizeof *last; i++)
        vec_push(&argv, last[i]);
    vec_push(&argv, NULL);
    bool ran = false;
    for (int tries = 0; tries < REFUSED_MAX; tries++) {
        ran = run((char *const *)(uintptr_t)argv.data, directory, out, message, &status, err);
        if (!ran || (WIFEXITED(status) && WEXITSTATUS(status) == 0) || !forget_refused(&argv, message))
            break;
    }
    buf_clear(reads);
    read_back(files, reads);
    close(files);
    char line[512];
    first_error(message, line, sizeof line);
    bool ok = ran && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ran && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_EXEC)
        error_set(err, ERROR_SYSTEM, "cannot run '%s'; install clang, or name one with --cc", argv.data[0]);
    else if (ran && !ok)
        error_set(err, ERROR_INPUT, "%s does not compile: %s", unit,
                  *line ? line : "the compiler gives no reason");
    vec_free(&argv);
    arena_free(&arena);
    return ok;
}
