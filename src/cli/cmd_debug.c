/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assay debug: the terminal, the pipe or the file commands come from. What touches the input files is in a worker
 * (ask/debug.h), and says when it waits for a command. */
#include <errno.h>
#include <fcntl.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ask/debug.h"
#include "base/system.h"
#include "cli/session.h"

struct debug_command_options {
    struct common common;
    const char *function, *function_new, *commands;
    struct option_list init;
    unsigned uninitialised, calls;
    uint64_t max_steps, history;
};

#define AT(member) offsetof(struct debug_command_options, member)
static const struct option table[] = {
    {"init", 'i', OPTION_LIST, .hint_file = true, .value = "FILE",
     .help = "initial registers and memory: JSON, or bildb YAML; once per program", .at = AT(init)},
    {"func", 'f', OPTION_TEXT, .value = "FUNC", .help = "function to run, if the init file names none",
     .at = AT(function)},
    {"func-new", 0, OPTION_TEXT, .value = "FUNC", .help = "the function in MODIFIED, if its name differs",
     .at = AT(function_new)},
    {"commands", 'x', OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "read commands from FILE first; then exit, unless on a terminal", .at = AT(commands)},
    {"uninitialised", 0, OPTION_CHOICE, .value = "zero|stop", .initial = "zero",
     .help = "on a read of uninitialised memory: yield 0 with a note, or stop", .at = AT(uninitialised)},
    {"calls", 0, OPTION_CHOICE, .value = "stop|zero", .initial = "stop",
     .help = "on a call to a missing function: stop, or return 0 with a note", .at = AT(calls)},
    {"max-steps", 0, OPTION_NUMBER, .value = "N", .max = UINT64_C(1000000000000), .initial = "10000000",
     .help = "instruction limit per command; 0: none", .at = AT(max_steps)},
    {"history", 0, OPTION_SIZE, .value = "SIZE", .min = 1 << 16, .max = UINT64_C(1) << 40, .initial = "512M",
     .help = "memory for reverse execution", .at = AT(history)},
};

struct terminal {
    const struct debug_command_options *o;
    char **file;
    int command[2];          /* pipe to the worker */
    volatile int *interrupt; /* shared with the worker */

    /* where commands come from */
    FILE *script; /* NULL: standard input */
    const char *script_name;
    unsigned line;
    bool interactive, over, asked;
    char *text; /* getline's */
    size_t cap;
    char *last; /* repeated by an empty line */

    struct buf commands, words;
    int code;
    bool failed; /* `code` is the exit status, whatever the verdict is; a message said why */
};

/* Signal handlers and readline's callbacks carry no context. */
static struct terminal *the_terminal;
static volatile int terminated;

/* ---- signals ---- */

/* Ctrl-C stops the command that runs; pressed again before it has stopped, it ends the session. */
static void on_interrupt(int sig)
{
    (void)sig;
    if (!the_terminal)
        return;
    if (*the_terminal->interrupt && !the_terminal->asked)
        terminated = 1;
    *the_terminal->interrupt = 1;
}

static void on_terminate(int sig)
{
    (void)sig;
    terminated = 1;
}

/* Called by readline when a signal arrives while it reads, and periodically while it waits. */
static int after_signal(void)
{
    if (terminated) {
        rl_done = 1;
    } else if (the_terminal && *the_terminal->interrupt) {
        *the_terminal->interrupt = 0;
        fputs("^C\n", rl_outstream);
        rl_replace_line("", 0);
        rl_on_new_line();
        rl_redisplay();
    }
    return 0;
}

/* ---- completion ---- */

/* The next line of a list that begins with the word. */
static char *next_match(const char *word, int state)
{
    static const char *at; /* readline asks again and again, with nothing but this number */
    const struct buf *list =
        rl_point - (int)strlen(word) <= 0 ? &the_terminal->commands : &the_terminal->words;
    size_t n = strlen(word);
    if (!state)
        at = buf_text(list);
    while (*at) {
        size_t len = strcspn(at, "\n");
        const char *this = at;
        at += len + (at[len] == '\n');
        if (len >= n && strncmp(this, word, n) == 0) {
            char *copy = malloc(len + 1); /* readline frees it */
            if (!copy)
                return NULL;
            memcpy(copy, this, len);
            copy[len] = 0;
            return copy;
        }
    }
    return NULL;
}

static char **complete(const char *word, int start, int end)
{
    (void)start;
    (void)end;
    rl_attempted_completion_over = 1; /* or it would offer names of files */
    return rl_completion_matches(word, next_match);
}

static void prepare_readline(void)
{
    rl_readline_name = "assay";
    rl_instream = stdin;
    rl_outstream = stderr;
    rl_attempted_completion_function = complete;
    rl_basic_word_break_characters = " \t\n()[]*+,=<>!&|~^%";
    rl_signal_event_hook = after_signal;
    /* readline does not report signals that arrive while it handles what was typed */
    rl_event_hook = after_signal;
    stifle_history(10000);
}

/* ---- commands ---- */

static bool next_script_line(struct terminal *t)
{
    errno = 0;
    ssize_t n = getline(&t->text, &t->cap, t->script ? t->script : stdin);
    if (n < 0)
        return false;
    t->line++;
    t->text[strcspn(t->text, "\r\n")] = 0;
    return true;
}

/* readline keeps a signal that arrives as the line ends until it reads again: let our handler see it now. */
static void take_pending_signal(void)
{
    if (!rl_pending_signal())
        return;
    rl_check_signals();
    /* it prepared for more typing */
    rl_deprep_terminal();
    rl_clear_signals();
}

static bool next_typed_line(struct terminal *t)
{
    char *line = readline("(assay) ");
    take_pending_signal();
    if (!line || terminated) {
        free(line);
        if (!terminated)
            fputc('\n', stderr);
        return false;
    }
    if (!line[strspn(line, " \t")] && t->last) {
        free(line);
        line = xstrdup(t->last);
    } else if (*line) {
        add_history(line);
        free(t->last);
        t->last = xstrdup(line);
    }
    free(t->text);
    t->text = line;
    t->cap = strlen(line) + 1;
    return true;
}

/* The next command; false: there are no more. */
static bool next_line(struct terminal *t)
{
    if (t->over || terminated)
        return false;
    if (t->script) {
        if (next_script_line(t))
            return true;
        fclose(t->script);
        t->script = NULL;
        if (!t->interactive)
            return false;
    }
    return t->interactive ? next_typed_line(t) : t->script_name ? false : next_script_line(t);
}

static void give_command(struct terminal *t)
{
    enum { LONGEST = 65536 };
    if (t->command[1] < 0)
        return;
    t->asked = true;
    bool more = next_line(t);
    t->asked = false;
    if (more && strlen(t->text) > LONGEST) {
        print_error("debug: command longer than %d characters", LONGEST);
        t->code = EXIT_BAD;
        t->failed = true;
        more = false;
    }
    struct buf line = BUF_INIT;
    if (more)
        buf_printf(&line, "%s\n", t->text);
    if (!more || !write_all(t->command[1], buf_text(&line), line.len)) {
        close(t->command[1]); /* the worker reads the end, and ends */
        t->command[1] = -1;
    }
    buf_free(&line);
}

/* On a terminal a wrong command is skipped; a script ends there. */
static void command_failed(struct terminal *t, const char *text)
{
    if (t->interactive && !t->script) {
        struct buf line = BUF_INIT;
        buf_put_printable(&line, text);
        fprintf(stderr, "%s\n", buf_text(&line));
        buf_free(&line);
        return;
    }
    print_error("%s:%u: %s", t->script_name ? t->script_name : "standard input", t->line, text);
    t->code = EXIT_BAD;
    t->failed = true;
    t->over = true;
}

/* ---- messages ---- */

static void show(struct terminal *t, const char *text, size_t n)
{
    struct buf out = BUF_INIT, line = BUF_INIT;
    while (n) {
        const char *nl = memchr(text, '\n', n);
        size_t k = nl ? (size_t)(nl - text) : n;
        buf_clear(&line);
        buf_put(&line, text, k);
        buf_put_printable(&out, buf_text(&line));
        buf_putc(&out, '\n');
        text += k + (nl != NULL);
        n -= k + (nl != NULL);
    }
    if (session_write(&out, EXIT_YES) != EXIT_YES) {
        t->code = EXIT_UNKNOWN;
        t->failed = t->over = true;
    }
    buf_free(&out);
    buf_free(&line);
}

static void hear(void *ctx, enum ask_debug_says what, const char *text)
{
    struct terminal *t = ctx;
    switch (what) {
    case DEBUG_SAYS_OUTPUT:
        show(t, text, strlen(text));
        break;
    case DEBUG_SAYS_BAD:
        command_failed(t, text);
        break;
    case DEBUG_SAYS_COMMANDS:
        buf_puts(&t->commands, text);
        break;
    case DEBUG_SAYS_WORDS:
        buf_puts(&t->words, text);
        break;
    case DEBUG_SAYS_WAITING:
        give_command(t);
        break;
    case DEBUG_SAYS_VERDICT:
        break;
    }
}

static int settle(struct terminal *t, const struct ask_debug_answer *a)
{
    const char *why = a->end.reason;
    switch (a->end.outcome) {
    case WORK_DONE:
        return t->failed ? t->code : (int)ask_debug_status(a);
    case WORK_FAILED:
        if (t->failed)
            return t->code;
        print_error("%s", a->end.err.text);
        return error_exit_code(a->end.err.kind);
    case WORK_TIMEOUT:
        print_error("%s: %s reached; raise it with --timeout", t->file[0], why);
        break;
    case WORK_MEMORY:
        print_error("%s: %s reached; raise it with --memory, or lower --history", t->file[0], why);
        break;
    case WORK_CRASH:
        print_error("%s: the worker was %s%s", t->file[0], why,
                    strstr(why, "SIGKILL") ? "" : "; this is a bug in assay");
        break;
    case WORK_CANCELLED:
        print_error("%s: interrupted", t->file[0]);
        break;
    }
    return EXIT_UNKNOWN;
}

static bool prepare(struct terminal *t)
{
    const struct debug_command_options *o = t->o;
    t->interactive = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    if (o->commands) {
        t->script_name = o->commands;
        t->script = fopen(o->commands, "re");
        if (!t->script) {
            print_error("debug: %s: %s", o->commands, strerror(errno));
            return false;
        }
    }
    if (pipe2(t->command, O_CLOEXEC) != 0) {
        print_error("debug: cannot create a pipe: %s", strerror(errno));
        return false;
    }
    t->interrupt =
        mmap(NULL, sizeof *t->interrupt, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t->interrupt == MAP_FAILED) {
        print_error("debug: cannot share memory: %s", strerror(errno));
        return false;
    }
    the_terminal = t;
    struct sigaction a = {.sa_handler = on_interrupt};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    a.sa_handler = on_terminate;
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGHUP, &a, NULL);
    if (t->interactive)
        prepare_readline();
    return true;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    const struct debug_command_options *o = options;
    struct terminal t = {.o = o, .file = argv};
    struct ask_debug q = {.file = argv,
                          .nfiles = argc,
                          .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
                          .function = o->function,
                          .function_new = o->function_new,
                          .init = o->init.item,
                          .ninits = o->init.n,
                          .stop_uninitialised = o->uninitialised == 1,
                          .zero_calls = o->calls == 1,
                          .max_steps = o->max_steps,
                          .history = o->history,
                          .limits = session_limits(&o->common),
                          .cancel = &terminated,
                          .hear = hear,
                          .ctx = &t};
    struct ask_debug_answer a;
    struct error err = {0};
    int code = EXIT_UNKNOWN;
    if (o->commands && !*o->commands) {
        print_error("debug: --commands needs a file");
        return EXIT_BAD;
    }
    if (!prepare(&t)) {
        code = EXIT_BAD;
    } else {
        memcpy(q.commands, t.command, sizeof q.commands);
        q.interrupt = t.interrupt;
        if (ask_debug(&q, &a, &err))
            code = settle(&t, &a);
        else
            print_error("%s", err.text);
    }
    if (o->common.stats) {
        struct rusage u;
        getrusage(RUSAGE_CHILDREN, &u);
        fprintf(stderr, "time %ld.%03ld s, peak memory %ld MiB\n", (long)u.ru_utime.tv_sec,
                (long)u.ru_utime.tv_usec / 1000, u.ru_maxrss / 1024);
    }
    the_terminal = NULL;
    if (t.script)
        fclose(t.script);
    free(t.text);
    free(t.last);
    buf_free(&t.commands);
    buf_free(&t.words);
    return code;
}

const struct command command_debug = {
    .name = "debug",
    .arguments = "FILE [MODIFIED]",
    .summary = "step through a function, forwards and backwards; or two versions side by side",
    .details =
        "Interprets a function of FILE, starting from the registers and memory in an init file; 'assay wp' "
        "writes one for\n"
        "each countermodel. The host need not be able to run FILE. Commands come from the terminal, a "
        "pipe or a file;\n"
        "'h' lists them. With MODIFIED, both run, and 'continue' stops at the first difference. Exit "
        "status then: 0 if both\n"
        "ran to the end without a difference, 1 if they differ, 3 if undetermined.",
    .examples = "assay debug --init countermodel.json a.out\nassay debug --func parse a.out\n"
                "echo continue | assay debug old.so new.so --init countermodel.json",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct debug_command_options),
    .min_args = 1,
    .max_args = 2,
    .one_job = true,
    .run = run,
};
