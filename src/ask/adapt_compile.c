/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/adapt_compile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

enum { EXIT_NO_EXEC = 127, MESSAGES_MAX = 1 << 20 };

#define MESSAGES "messages"

static _Noreturn void compiler_main(char *const *argv, const char *directory)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (chdir(directory) == 0) {
        int null = open("/dev/null", O_RDWR);
        int said = open(MESSAGES, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(said, STDERR_FILENO);
        execvp(argv[0], argv);
    }
    _exit(EXIT_NO_EXEC);
}

/* The first line of what the compiler said that is about an error. */
static const char *first_error(const char *directory, struct arena *arena)
{
    struct buf text = BUF_INIT;
    struct error err = {0};
    const char *line = "the compiler failed";
    if (file_read(arena_printf(arena, "%s/" MESSAGES, directory), MESSAGES_MAX, &text, &err)) {
        const char *all = buf_text(&text), *at = strstr(all, "error");
        while (at && at > all && at[-1] != '\n')
            at--;
        if (at)
            line = arena_strndup(arena, at, strcspn(at, "\n"));
    }
    buf_free(&text);
    return line;
}

const char *ask_adapt_compile(const char *text, const char *directory, const char *with, struct arena *arena,
                              const char **why)
{
    struct error err = {0};
    char *real = with ? realpath(with, NULL) : NULL;
    const char *argv[] = {"cc",         "-O1",       "-w", "-shared", "-fPIC", "-o", "wrapper.so",
                          "wrapper.c", real, NULL};
    int status = 0;
    if (!file_write(arena_printf(arena, "%s/wrapper.c", directory), text, strlen(text), &err)) {
        *why = arena_strdup(arena, err.text);
        free(real);
        return NULL;
    }
    pid_t pid = fork();
    if (pid == 0)
        compiler_main((char *const *)argv, directory);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    free(real);
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return arena_printf(arena, "%s/wrapper.so", directory);
    *why = pid < 0                                                          ? "no process can be started"
           : WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_EXEC ? "there is no C compiler (cc)"
                                                                      : first_error(directory, arena);
    return NULL;
}
