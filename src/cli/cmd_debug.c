/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assay debug: the terminal, the pipe or the file commands come from, and the worker that runs them.
 *
 * As with every command, what touches the input files is in a worker. It sends messages "KIND LENGTH\n" and
 * LENGTH bytes: 'o' output, 'e' an error of a command, 'f' one that ends it all, 'c' and 'w' words for
 * completion, 'v' the verdict, and 'p': it waits for a command, which goes to it through a pipe of its own.
 */
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

#include "base/system.h"
#include "base/vec.h"
#include "cli/session.h"
#include "debug/session.h"
#include "work/work.h"

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
     .help = "registers and memory at the beginning: JSON, or YAML as of bildb; once for each program",
     .at = AT(init)},
    {"func", 'f', OPTION_TEXT, .value = "FUNC", .help = "where to begin, when the init file does not say",
     .at = AT(function)},
    {"func-new", 0, OPTION_TEXT, .value = "FUNC", .help = "the same for MODIFIED, when its name is another",
     .at = AT(function_new)},
    {"commands", 'x', OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "take commands from there first; ends after them unless on a terminal", .at = AT(commands)},
    {"uninitialised", 0, OPTION_CHOICE, .value = "zero|stop", .initial = "zero",
     .help = "a read of memory without a value: gives 0 and a note, or stops", .at = AT(uninitialised)},
    {"calls", 0, OPTION_CHOICE, .value = "stop|zero", .initial = "stop",
     .help = "a call of a function that is not there: stops, or returns 0 and makes a note", .at = AT(calls)},
    {"max-steps", 0, OPTION_NUMBER, .value = "N", .max = UINT64_C(1000000000000), .initial = "10000000",
     .help = "instructions one command may run; 0: no limit", .at = AT(max_steps)},
    {"history", 0, OPTION_SIZE, .value = "SIZE", .min = 1 << 16, .max = UINT64_C(1) << 40, .initial = "512M",
     .help = "memory for the way back", .at = AT(history)},
};

struct terminal {
    const struct debug_command_options *o;
    char **file;
    int nfiles;
    int command[2];          /* pipe to the worker */
    volatile int *interrupt; /* shared with the worker */

    /* messages */
    struct buf in;

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
    bool failed; /* a message said why */
    struct work_result result;
};

/* Signal handlers and readline's callbacks carry no context. */
static struct terminal *the_terminal;
static volatile int terminated;

/* ---- in the worker ---- */

static void send(struct buf *out, char kind, const char *text, size_t n)
{
    char head[32];
    buf_put(out, head, (size_t)snprintf(head, sizeof head, "%c %zu\n", kind, n));
    buf_put(out, text, n);
}

static void send_buf(struct buf *out, char kind, struct buf *text)
{
    if (text->len)
        send(out, kind, buf_text(text), text->len);
    buf_clear(text);
}

/* What the worker has open. */
struct opened {
    struct program *p[2];
    struct debug_init *init[2];
    struct match *m;
    struct debug_session *s;
};

static void close_all(struct opened *w)
{
    debug_session_free(w->s);
    match_free(w->m);
    for (int i = 0; i < 2; i++) {
        program_free(w->p[i]);
        debug_init_free(w->init[i]);
    }
}

/* 'assay wp' writes the state of the second of two programs beside that of the first: x.json, x_mod.json. */
static bool find_second(const char *first, char *out, size_t cap)
{
    const char *slash = strrchr(first, '/'), *dot = strrchr(first, '.');
    if (!dot || (slash && dot < slash))
        dot = first + strlen(first);
    snprintf(out, cap, "%.*s_mod%s", (int)(dot - first), first, dot);
    return access(out, R_OK) == 0;
}

/* Which init file is which program's. *state[i] borrows. */
static bool read_inits(const struct terminal *t, struct opened *w, const struct debug_init *state[2],
                       struct error *err)
{
    const struct option_list *l = &t->o->init;
    size_t n = l->n;
    char second[4096];
    if (n > (size_t)t->nfiles)
        return error_set(err, ERROR_USAGE, "debug: more init files than programs");
    for (size_t i = 0; i < n; i++)
        if (!(w->init[i] = debug_init_read(l->item[i], err)))
            return false;
    if (n == 1 && t->nfiles == 2 && w->init[0]->version == INIT_OLD &&
        find_second(l->item[0], second, sizeof second)) {
        if (!(w->init[1] = debug_init_read(second, err)))
            return false;
        n = 2;
    }
    if (n == 2 && w->init[0]->version != INIT_BOTH && w->init[0]->version == w->init[1]->version)
        return error_set(err, ERROR_INPUT, "%s and %s are both for the same version", w->init[0]->name,
                         w->init[1]->name);
    bool swapped = n == 2 && (w->init[0]->version == INIT_NEW || w->init[1]->version == INIT_OLD);
    state[0] = w->init[swapped ? 1 : 0];
    state[1] = n == 2 ? w->init[swapped ? 0 : 1] : w->init[0];
    return true;
}

/* The function that is the partner of one of the program `from`; the same words when there is none. */
static const char *partner(struct opened *w, int from, const char *spec, char *out, size_t cap)
{
    struct error ignored = {0};
    const struct flow_function *f = spec ? program_function(w->p[from], spec, &ignored) : NULL, *all;
    const struct match_pair *pair = !f          ? NULL
                                    : from == 0 ? match_function(w->m, f->address)
                                                : match_function_new(w->m, f->address);
    size_t n = program_functions(w->p[!from], &all);
    uint32_t index = !pair ? MATCH_NONE : from == 0 ? pair->new : pair->old;
    if (index == MATCH_NONE || index >= n)
        return spec;
    snprintf(out, cap, "0x%llx", (unsigned long long)all[index].address);
    return out;
}

/* Where each program begins. A function that an init file names is one of the program the file is for. */
static void choose_functions(const struct terminal *t, struct opened *w,
                             const struct debug_init *const state[2], char *address, size_t cap,
                             const char *out[2])
{
    const struct debug_command_options *o = t->o;
    out[0] = o->function ? o->function : state[0] ? state[0]->function : NULL;
    if (t->nfiles == 1)
        return;
    bool apart = state[0] != state[1];
    out[1] = o->function_new ? o->function_new : !o->function && apart ? state[1]->function : NULL;
    if (!o->function && !apart && state[0] && state[0]->version == INIT_NEW) {
        out[1] = o->function_new ? o->function_new : state[0]->function;
        out[0] = partner(w, 1, state[0]->function, address, cap);
    } else if (!out[1]) {
        out[1] = partner(w, 0, out[0], address, cap);
    } else if (!out[0]) {
        out[0] = partner(w, 1, out[1], address, cap);
    }
}

static bool open_all(struct terminal *t, struct opened *w, struct error *err)
{
    const struct debug_command_options *o = t->o;
    const struct debug_init *state[2] = {NULL, NULL};
    if (!read_inits(t, w, state, err))
        return false;
    for (int i = 0; i < t->nfiles; i++)
        if (!(w->p[i] = session_open(&o->common, t->file[i], false, err)))
            return false;
    if (t->nfiles == 2 && !(w->m = match_programs(w->p[0], w->p[1], &(struct match_options){0}, err)))
        return false;
    struct debuggee_options opt = {.stop_uninitialised = o->uninitialised == 1,
                                   .zero_calls = o->calls == 1,
                                   .history = o->history / (unsigned)t->nfiles};
    struct debuggee *d[2] = {NULL, NULL};
    const char *function[2] = {NULL, NULL};
    char address[32];
    choose_functions(t, w, state, address, sizeof address, function);
    for (int i = 0; i < t->nfiles; i++) {
        d[i] = debuggee_new(w->p[i],
                            t->nfiles == 1 ? ""
                            : i            ? "new"
                                           : "old",
                            function[i], state[i], &opt, err);
        if (!d[i]) {
            debuggee_free(d[0]);
            return false;
        }
    }
    struct debug_session_options so = {
        .max_steps = o->max_steps, .timeout_ms = o->common.timeout, .interrupt = t->interrupt};
    w->s = debug_session_new(d[0], d[1], w->m, &so);
    return true;
}

/* What a command may take beyond its own limit, which it looks at itself, before the worker is ended. */
static void limit(const struct terminal *t)
{
    enum { GRACE_MS = 10000 };
    work_limit_time(t->o->common.timeout ? (unsigned)t->o->common.timeout + GRACE_MS : 0);
}

static void serve(struct terminal *t, struct debug_session *s, struct buf *out)
{
    FILE *in = fdopen(t->command[0], "r");
    struct buf text = BUF_INIT;
    char *line = NULL;
    size_t cap = 0;
    debug_session_banner(s, &text);
    send_buf(out, 'o', &text);
    debug_session_commands(&text);
    send_buf(out, 'c', &text);
    debug_session_words(s, &text);
    send_buf(out, 'w', &text);
    enum debug_reply reply = DEBUG_OK;
    while (in && reply != DEBUG_QUIT) {
        char verdict = (char)('0' + debug_session_verdict(s));
        send(out, 'v', &verdict, 1);
        send(out, 'p', "", 0);
        work_limit_time(0);
        work_flush(out);
        ssize_t n = getline(&line, &cap, in);
        if (n < 0)
            break;
        if (n && line[n - 1] == '\n')
            line[n - 1] = 0;
        limit(t);
        struct error err = {0};
        reply = debug_session_command(s, line, &text, &err);
        *t->interrupt = 0; /* one that comes from now on is for the next command */
        send_buf(out, 'o', &text);
        if (reply == DEBUG_BAD)
            send(out, 'e', err.text, strlen(err.text));
    }
    free(line);
    buf_free(&text);
    if (in)
        fclose(in);
}

static bool work(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    struct terminal *t = ctx;
    struct opened w = {0};
    struct error err = {0};
    close(t->command[1]);
    limit(t);
    bool ok = open_all(t, &w, &err);
    if (ok) {
        serve(t, w.s, out);
    } else {
        struct buf text = BUF_INIT;
        buf_printf(&text, "%d %s", error_exit_code(err.kind), err.text);
        send_buf(out, 'f', &text);
        buf_free(&text);
    }
    close_all(&w);
    return ok;
}

/* ---- in the parent: signals ---- */

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

/* Called by readline when a signal came while it reads, and now and then while it waits. */
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

/* ---- in the parent: completion ---- */

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
    /* a signal may also come while it is busy with what was typed, and does not tell of those */
    rl_event_hook = after_signal;
    stifle_history(10000);
}

/* ---- in the parent: commands ---- */

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

static bool next_typed_line(struct terminal *t)
{
    char *line = readline("(assay) ");
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
        complain("debug: a command of more than %d characters", LONGEST);
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

/* A command that is wrong is passed over on a terminal; a script ends there. */
static void command_failed(struct terminal *t, const char *text)
{
    if (t->interactive && !t->script) {
        struct buf line = BUF_INIT;
        buf_put_printable(&line, text);
        fprintf(stderr, "%s\n", buf_text(&line));
        buf_free(&line);
        return;
    }
    complain("%s:%u: %s", t->script_name ? t->script_name : "standard input", t->line, text);
    t->code = EXIT_BAD;
    t->failed = true;
    t->over = true;
}

/* ---- in the parent: messages ---- */

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
    if (write_out(&out, EXIT_YES) != EXIT_YES) {
        t->code = EXIT_UNKNOWN;
        t->failed = t->over = true;
    }
    buf_free(&out);
    buf_free(&line);
}

static void hear_message(struct terminal *t, char kind, char *text, size_t n)
{
    switch (kind) {
    case 'o':
        show(t, text, n);
        break;
    case 'e':
        command_failed(t, text);
        break;
    case 'f':
        complain("%s", text + 2);
        t->code = text[0] - '0';
        t->failed = true;
        break;
    case 'c':
        buf_put(&t->commands, text, n);
        break;
    case 'w':
        buf_put(&t->words, text, n);
        break;
    case 'v':
        if (!t->failed && t->nfiles == 2)
            t->code = text[0] - '0' == DEBUG_SAME        ? EXIT_YES
                      : text[0] - '0' == DEBUG_DIFFERENT ? EXIT_NO
                                                         : EXIT_UNKNOWN;
        break;
    case 'p':
        give_command(t);
        break;
    }
}

static void hear(void *ctx, size_t job, const char *bytes, size_t n)
{
    (void)job;
    struct terminal *t = ctx;
    buf_put(&t->in, bytes, n);
    size_t at = 0;
    for (;;) {
        const char *head = t->in.data + at, *nl = memchr(head, '\n', t->in.len - at);
        if (!nl || nl - head < 3)
            break;
        size_t len = strtoull(head + 2, NULL, 10), begin = (size_t)(nl + 1 - t->in.data);
        if (t->in.len - begin < len)
            break;
        char kind = *head, *text = xmalloc(len + 1);
        memcpy(text, t->in.data + begin, len);
        text[len] = 0;
        at = begin + len;
        hear_message(t, kind, text, len);
        free(text);
    }
    memmove(t->in.data, t->in.data + at, t->in.len - at);
    t->in.len -= at;
}

static void ended(void *ctx, const struct work_result *r)
{
    struct terminal *t = ctx;
    t->result = *r;
    t->result.output = NULL;
}

static int settle(struct terminal *t)
{
    const char *why = t->result.reason;
    switch (t->result.outcome) {
    case WORK_DONE:
        return t->code;
    case WORK_FAILED:
        if (!t->failed)
            complain("%s: %s", t->file[0], why);
        return t->failed ? t->code : EXIT_UNKNOWN;
    case WORK_TIMEOUT:
        complain("%s: %s reached; --timeout gives it more", t->file[0], why);
        break;
    case WORK_MEMORY:
        complain("%s: %s reached; --memory gives it more, --history needs less", t->file[0], why);
        break;
    case WORK_CRASH:
        complain("%s: the worker was %s%s", t->file[0], why,
                 strstr(why, "SIGKILL") ? "" : "; this is a bug in assay");
        break;
    case WORK_CANCELLED:
        complain("%s: interrupted", t->file[0]);
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
            complain("debug: %s: %s", o->commands, strerror(errno));
            return false;
        }
    }
    if (pipe2(t->command, O_CLOEXEC) != 0) {
        complain("debug: cannot make a pipe: %s", strerror(errno));
        return false;
    }
    t->interrupt =
        mmap(NULL, sizeof *t->interrupt, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t->interrupt == MAP_FAILED) {
        complain("debug: cannot share memory: %s", strerror(errno));
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
    struct terminal t = {.o = o, .file = argv, .nfiles = argc, .code = argc == 2 ? EXIT_UNKNOWN : EXIT_YES};
    int code = EXIT_UNKNOWN;
    struct error err = {0};
    struct work_options w = {
        .jobs = 1, .memory_bytes = o->common.memory, .output = hear, .max_output = SIZE_MAX};
    if (o->commands && !*o->commands) {
        complain("debug: --commands needs a file");
        return EXIT_BAD;
    }
    if (!prepare(&t))
        code = EXIT_BAD;
    else if (!work_run(1, &w, work, ended, &t, &terminated, &err))
        complain("%s", err.text);
    else
        code = settle(&t);
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
    buf_free(&t.in);
    buf_free(&t.commands);
    buf_free(&t.words);
    return code;
}

const struct command command_debug = {
    .name = "debug",
    .arguments = "FILE [MODIFIED]",
    .summary = "run a function step by step, forwards and backwards; or two versions side by side",
    .details = "Runs a function of FILE on an interpreter, from registers and memory as an init file gives "
               "them, such as 'assay wp'\n"
               "writes from a countermodel. The machine need not be able to run FILE. Commands come from the "
               "terminal, a pipe or a\n"
               "file; 'h' lists them. With MODIFIED both are run, and 'continue' stops at the first "
               "difference: exit status 0 then\n"
               "says that both ran to the end alike, 1 that they differ, 3 that neither is known.",
    .examples = "assay debug --init countermodel.json a.out\nassay debug --func parse a.out\n"
                "echo continue | assay debug old.so new.so --init countermodel.json",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct debug_command_options),
    .min_args = 1,
    .max_args = 2,
    .one_job = true,
    .run = run,
};
