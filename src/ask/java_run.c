/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program itself, on the virtual machine: failures are shown by running it with the inputs that were
 * found, and cases become JUnit tests. The classes that call a method with such inputs are data/java; they
 * stand in for those that the program asks for inputs. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask/java.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/system.h"
#include "base/vec.h"
#include "run/scratch.h"

extern const char *const java_source_run[], *const java_source_input[], *const java_source_verifier[],
                                                                            *const java_source_debug[];

static const struct {
    const char *folder, *name;
    const char *const *line;
} source[] = {
    {"assay", "Run", java_source_run},
    {"assay", "Input", java_source_input},
    {"org/sosy_lab/sv_benchmarks", "Verifier", java_source_verifier},
    {"gov/nasa/jpf/symbc", "Debug", java_source_debug},
};
enum { SOURCES = sizeof source / sizeof *source };

/* ---- files ---- */

static bool make_folders(const char *path, struct error *err)
{
    char *copy = xstrdup(path);
    bool ok = true;
    for (char *p = copy + 1; ok; p++) {
        char c = *p;
        if (c != '/' && c)
            continue;
        *p = 0;
        ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
        if (!ok)
            error_set(err, ERROR_INPUT, "cannot make the directory %s: %s", copy, strerror(errno));
        *p = c;
        if (!c)
            break;
    }
    free(copy);
    return ok;
}

static bool write_sources(const char *dir, struct error *err)
{
    bool ok = true;
    for (unsigned i = 0; i < SOURCES && ok; i++) {
        struct buf text = BUF_INIT, path = BUF_INIT;
        for (const char *const *l = source[i].line; *l; l++)
            buf_printf(&text, "%s\n", *l);
        buf_printf(&path, "%s/%s", dir, source[i].folder);
        ok = make_folders(buf_text(&path), err);
        buf_printf(&path, "/%s.java", source[i].name);
        ok = ok && file_write(buf_text(&path), buf_text(&text), text.len, err);
        buf_free(&text);
        buf_free(&path);
    }
    return ok;
}

/* ---- running ---- */

enum { RUN_MS = 300000, EXIT_NO_EXEC = 127 };

/* The exit status, or -1: it did not end in time, or by itself. What it prints goes nowhere, as what it asks
 * for. */
static int run(char *const *argv, const char *directory, const volatile int *cancel)
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        setpgid(0, 0);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        if (!directory || chdir(directory) == 0)
            execvp(argv[0], argv);
        _exit(EXIT_NO_EXEC);
    }
    if (pid < 0)
        return -1;
    uint64_t begun = now_ms();
    int status = 0;
    for (unsigned wait = 1;; wait = wait < 50 ? wait * 2 : 50) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (now_ms() - begun > RUN_MS || (cancel && *cancel))
            break;
        poll(NULL, 0, (int)wait);
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return -1;
}

/* Class path entries are relative to where the command was started. */
static char *compile(const char *home, const char *dir, const char *class_path,
                     const struct ask_session *session, struct error *err)
{
    struct buf javac = BUF_INIT, path = BUF_INIT, made = BUF_INIT;
    char *file[SOURCES];
    VEC(char *) argv = VEC_INIT;
    buf_printf(&javac, "%s/bin/javac", home);
    buf_printf(&made, "%s/classes", dir);
    bool ok = write_sources(dir, err) && make_folders(buf_text(&made), err);
    const char *fixed[] = {buf_text(&javac), "-nowarn", "-d", buf_text(&made)};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        vec_push(&argv, (char *)fixed[i]);
    for (unsigned i = 0; i < SOURCES; i++) {
        struct buf one = BUF_INIT;
        buf_printf(&one, "%s/%s/%s.java", dir, source[i].folder, source[i].name);
        file[i] = xstrdup(buf_text(&one));
        buf_free(&one);
        vec_push(&argv, file[i]);
    }
    vec_push(&argv, NULL);
    if (ok && run(argv.data, NULL, session->cancel) != 0)
        ok = error_set(err, ERROR_INPUT,
                       "%s: cannot compile what calls the method: --replay needs a JDK with its compiler",
                       buf_text(&javac));
    if (ok)
        buf_printf(&path, "%s:%s", buf_text(&made), class_path);
    char *out = ok ? xstrdup(buf_text(&path)) : NULL;
    for (unsigned i = 0; i < SOURCES; i++)
        free(file[i]);
    vec_free(&argv);
    buf_free(&javac);
    buf_free(&path);
    buf_free(&made);
    return out;
}

static const char *name_end(const char *method)
{
    const char *desc = strchr(method, '('), *dot = desc;
    while (dot > method && *dot != '.')
        dot--;
    return dot;
}

static void replay_one(struct ask_java_answer *a, struct ask_java_failure *f, const char *home,
                       const char *dir, const char *path, const struct ask_session *session)
{
    enum { SAID_MOST = 1 << 20 };
    struct buf java = BUF_INIT, said = BUF_INIT, spoken = BUF_INIT;
    VEC(char *) argv = VEC_INIT;
    const char *dot = name_end(a->method), *desc = strchr(a->method, '(');
    buf_printf(&java, "%s/bin/java", home);
    buf_printf(&said, "%s/said", dir);
    unlink(buf_text(&said));
    const char *fixed[] = {buf_text(&java),
                           "-ea",
                           "-Xshare:auto",
                           "-cp",
                           path,
                           "assay.Run",
                           buf_text(&said),
                           arena_strndup(&a->arena, a->method, (size_t)(dot - a->method)),
                           arena_strndup(&a->arena, dot + 1, (size_t)(desc - dot - 1)),
                           desc};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        vec_push(&argv, (char *)fixed[i]);
    for (size_t i = 0; i < f->ninputs; i++)
        vec_push(&argv,
                 arena_printf(&a->arena, "%s %s %s", f->input[i].type, f->input[i].name, f->input[i].value));
    vec_push(&argv, NULL);
    int status = run(argv.data, NULL, session->cancel);
    /* "threw java.lang.X" */
    file_read(buf_text(&said), SAID_MOST, &spoken, NULL);
    const char *text = buf_text(&spoken);
    if (strncmp(text, "threw ", 6) == 0 && strcmp(text + 6, f->exception) == 0) {
        f->replay = JAVA_REPLAY_CONFIRMED;
    } else {
        f->replay = JAVA_REPLAY_DIFFERS;
        f->replay_said = text[0]        ? arena_strdup(&a->arena, text)
                         : status == -1 ? "did not end in time"
                                        : "the virtual machine could not be started";
    }
    vec_free(&argv);
    buf_free(&java);
    buf_free(&said);
    buf_free(&spoken);
}

bool java_replay(struct ask_java_answer *a, const struct ask_session *session, struct error *err)
{
    struct scratch dir;
    if (!scratch_open(&dir, err))
        return false;
    char *path = compile(a->home, dir.path, a->q->class_path, session, err);
    for (size_t i = 0; path && i < a->failure.len; i++)
        replay_one(a, &a->failure.data[i], a->home, dir.path, path, session);
    scratch_close(&dir);
    free(path);
    return path != NULL;
}

/* ---- tests ---- */

static void put_text(struct buf *out, const char *text)
{
    buf_putc(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            buf_putc(out, '\\');
        buf_putc(out, *p);
    }
    buf_putc(out, '"');
}

static void put_case(struct buf *out, const struct ask_java_answer *a, const struct ask_java_case *c,
                     size_t number)
{
    const char *dot = name_end(a->method), *desc = strchr(a->method, '(');
    struct buf owner = BUF_INIT, name = BUF_INIT;
    buf_put(&owner, a->method, (size_t)(dot - a->method));
    buf_put(&name, dot + 1, (size_t)(desc - dot - 1));
    buf_printf(out, "\n    /** %s%s", c->exception ? "Throws " : "Returns", c->exception ? c->exception : "");
    for (size_t i = 0; i < c->nreaches; i++) {
        const struct ask_java_place *p = &c->reaches[i];
        buf_printf(out, "%s%s:%u", i ? ", " : "; first to reach ", p->file, p->line);
        if (p->branch)
            buf_printf(out, " (branch to %u)", p->to_line);
    }
    buf_printf(out, ". */\n    @Test\n    public void case%zu() throws Throwable {\n        assay.Run.%s(",
               number, c->exception ? "expect" : "call");
    if (c->exception) {
        put_text(out, c->exception);
        buf_puts(out, ", ");
    }
    put_text(out, buf_text(&owner));
    buf_puts(out, ", ");
    put_text(out, buf_text(&name));
    buf_puts(out, ", ");
    put_text(out, desc);
    for (size_t i = 0; i < c->ninputs; i++) {
        struct buf one = BUF_INIT;
        buf_printf(&one, "%s %s %s", c->input[i].type, c->input[i].name, c->input[i].value);
        buf_puts(out, ",\n            ");
        put_text(out, buf_text(&one));
        buf_free(&one);
    }
    buf_puts(out, ");\n    }\n");
    buf_free(&owner);
    buf_free(&name);
}

bool java_write_tests(const struct ask_java_answer *a, const char *dir, struct error *err)
{
    struct buf text = BUF_INIT, class = BUF_INIT, path = BUF_INIT;
    const char *desc = strchr(a->method, '(');
    for (const char *p = a->method; p < desc; p++)
        buf_putc(&class, *p == '.' || *p == '$' ? '_' : *p == '<' || *p == '>' ? 'x' : *p);
    buf_puts(&class, "_Test");
    buf_printf(&text,
               "import org.junit.Test;\n\n/** %s: cases that assay java found. Compile them together with "
               "the other files here, which stand in"
               " for the\n * classes that the program asks for inputs, and put them before the program in "
               "the class path. Assertions have to be"
               " enabled (-ea). */\npublic class %s {",
               a->method, buf_text(&class));
    for (size_t i = 0; i < a->cases.len; i++)
        put_case(&text, a, &a->cases.data[i], i + 1);
    buf_puts(&text, "}\n");
    buf_printf(&path, "%s/%s.java", dir, buf_text(&class));
    bool ok = make_folders(dir, err) && write_sources(dir, err) &&
              file_write(buf_text(&path), buf_text(&text), text.len, err);
    buf_free(&text);
    buf_free(&class);
    buf_free(&path);
    return ok;
}

/* ---- the source ---- */

char *java_source(const struct ask_java_answer *a, const struct ask_java_line *l)
{
    static const char *const below[] = {"", "src/", "src/main/java/", "src/test/java/"};
    enum { LARGEST = 16 << 20 };
    const char *slash = strrchr(l->class, '/');
    char *text = NULL;
    for (size_t i = 0; a->q->sources && i < 2 * sizeof below / sizeof *below && !text; i++) {
        struct buf path = BUF_INIT;
        int package = slash && i % 2 == 0 ? (int)(slash + 1 - l->class) : 0;
        buf_printf(&path, "%s/%s%.*s%s", a->q->sources, below[i / 2], package, l->class, l->file);
        struct buf b = BUF_INIT;
        if (file_read(buf_text(&path), LARGEST, &b, NULL))
            text = xstrdup(buf_text(&b));
        buf_free(&b);
        buf_free(&path);
    }
    return text;
}
