/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "match/match.h"

/* ---- in the worker ---- */

static void say(struct ask_sink *to, enum ask_debug_says what, const char *text)
{
    ask_say(to, what, &wire_text, &text);
}

static void say_buf(struct ask_sink *to, enum ask_debug_says what, struct buf *text)
{
    if (text->len)
        say(to, what, buf_text(text));
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

/* 'assay wp' writes the state of the second of two programs next to that of the first: x.json, x_mod.json. */
static bool find_second(const char *first, char *out, size_t cap)
{
    const char *slash = strrchr(first, '/'), *dot = strrchr(first, '.');
    if (!dot || (slash && dot < slash))
        dot = first + strlen(first);
    snprintf(out, cap, "%.*s_mod%s", (int)(dot - first), first, dot);
    return access(out, R_OK) == 0;
}

/* Which init file is which program's. *state[i] borrows. */
static bool read_inits(const struct ask_debug *q, struct opened *w, const struct debug_init *state[2],
                       struct error *err)
{
    size_t n = q->ninits;
    char second[4096];
    if (n > (size_t)q->nfiles)
        return error_set(err, ERROR_USAGE, "debug: more init files than programs");
    for (size_t i = 0; i < n; i++)
        if (!(w->init[i] = debug_init_read(q->init[i], err)))
            return false;
    if (n == 1 && q->nfiles == 2 && w->init[0]->version == INIT_OLD &&
        find_second(q->init[0], second, sizeof second)) {
        if (!(w->init[1] = debug_init_read(second, err)))
            return false;
        n = 2;
    }
    if (n == 2 && w->init[0]->version != INIT_BOTH && w->init[0]->version == w->init[1]->version)
        return error_set(err, ERROR_INPUT, "%s and %s are for the same version", w->init[0]->name,
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
    snprintf(out, cap, "0x%llx",
             (unsigned long long)object_display_address(program_object(w->p[!from]), all[index].address));
    return out;
}

/* Where each program begins. A function that an init file names is one of the program the file is for. */
static void choose_functions(const struct ask_debug *q, struct opened *w,
                             const struct debug_init *const state[2], char *address, size_t cap,
                             const char *out[2])
{
    out[0] = q->function ? q->function : state[0] ? state[0]->function : NULL;
    if (q->nfiles == 1)
        return;
    bool apart = state[0] != state[1];
    out[1] = q->function_new ? q->function_new : !q->function && apart ? state[1]->function : NULL;
    if (!q->function && !apart && state[0] && state[0]->version == INIT_NEW) {
        out[1] = q->function_new ? q->function_new : state[0]->function;
        out[0] = partner(w, 1, state[0]->function, address, cap);
    } else if (!out[1]) {
        out[1] = partner(w, 0, out[0], address, cap);
    } else if (!out[0]) {
        out[0] = partner(w, 1, out[1], address, cap);
    }
}

static bool open_all(const struct ask_debug *q, struct opened *w, struct error *err)
{
    const struct debug_init *state[2] = {NULL, NULL};
    const struct program_options how = {.object = q->object};
    if (!read_inits(q, w, state, err))
        return false;
    for (int i = 0; i < q->nfiles; i++)
        if (!(w->p[i] = program_open(q->file[i], &how, err)))
            return false;
    const char *named = q->function ? q->function : state[0] ? state[0]->function : NULL;
    bool new = q->nfiles == 2 && !q->function && state[0] && state[0]->version == INIT_NEW;
    if (named && program_reach(w->p[new], named) && q->nfiles == 2)
        program_search(w->p[!new], NULL, NULL);
    if (q->nfiles == 2 && !(w->m = match_programs(w->p[0], w->p[1], &(struct match_options){0}, err)))
        return false;
    struct debuggee_options opt = {.stop_uninitialised = q->stop_uninitialised,
                                   .zero_calls = q->zero_calls,
                                   .history = q->history / (unsigned)q->nfiles};
    struct debuggee *d[2] = {NULL, NULL};
    const char *function[2] = {NULL, NULL};
    char address[32];
    choose_functions(q, w, state, address, sizeof address, function);
    for (int i = 0; i < q->nfiles; i++) {
        d[i] = debuggee_new(w->p[i],
                            q->nfiles == 1 ? ""
                            : i            ? "new"
                                           : "old",
                            function[i], state[i], &opt, err);
        if (!d[i]) {
            debuggee_free(d[0]);
            return false;
        }
    }
    struct debug_session_options so = {
        .max_steps = q->max_steps, .timeout_ms = q->limits.timeout, .interrupt = q->interrupt};
    w->s = debug_session_new(d[0], d[1], w->m, &so);
    return true;
}

/* Grace beyond a command's own limit, which it checks itself, before the worker is killed. */
static void limit(const struct ask_debug *q)
{
    enum { GRACE_MS = 10000 };
    work_limit_time(q->limits.timeout ? (unsigned)q->limits.timeout + GRACE_MS : 0);
}

static void serve(const struct ask_debug *q, struct debug_session *s, struct ask_sink *to)
{
    FILE *in = fdopen(q->commands[0], "r");
    struct buf text = BUF_INIT;
    char *line = NULL;
    size_t cap = 0;
    debug_session_banner(s, &text);
    say_buf(to, DEBUG_SAYS_OUTPUT, &text);
    debug_session_commands(&text);
    say_buf(to, DEBUG_SAYS_COMMANDS, &text);
    debug_session_words(s, &text);
    say_buf(to, DEBUG_SAYS_WORDS, &text);
    enum debug_reply reply = DEBUG_OK;
    while (in && reply != DEBUG_QUIT) {
        ask_say(to, DEBUG_SAYS_VERDICT, &wire_u64, &(uint64_t){debug_session_verdict(s)});
        say(to, DEBUG_SAYS_WAITING, "");
        work_limit_time(0);
        ask_flush(to);
        ssize_t n = getline(&line, &cap, in);
        if (n < 0)
            break;
        if (n && line[n - 1] == '\n')
            line[n - 1] = 0;
        limit(q);
        struct error err = {0};
        reply = debug_session_command(s, line, &text, &err);
        *q->interrupt = 0; /* one that comes from now on is for the next command */
        say_buf(to, DEBUG_SAYS_OUTPUT, &text);
        if (reply == DEBUG_BAD)
            say(to, DEBUG_SAYS_BAD, err.text);
    }
    free(line);
    buf_free(&text);
    if (in)
        fclose(in);
}

static bool ask(void *ctx, struct ask_sink *to, struct error *err)
{
    const struct ask_debug *q = ((struct ask_debug_answer *)ctx)->q;
    struct opened w = {0};
    close(q->commands[1]);
    limit(q);
    bool ok = open_all(q, &w, err);
    if (ok)
        serve(q, w.s, to);
    close_all(&w);
    return ok;
}

/* ---- the answer ---- */

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_debug_answer *a = ctx;
    struct arena arena = ARENA_INIT;
    const char *text;
    uint64_t verdict;
    bool ok = false;
    if (message == DEBUG_SAYS_VERDICT) {
        ok = wire_get(bytes, n, &wire_u64, &verdict, &arena) && verdict <= DEBUG_DIFFERENT;
        if (ok)
            a->verdict = (enum debug_verdict)verdict;
    } else if (message < DEBUG_SAYS_VERDICT) {
        ok = wire_get(bytes, n, &wire_text, &text, &arena);
        if (ok)
            a->q->hear(a->q->ctx, (enum ask_debug_says)message, text);
    }
    arena_free(&arena);
    return ok;
}

bool ask_debug(const struct ask_debug *q, struct ask_debug_answer *a, struct error *err)
{
    *a = (struct ask_debug_answer){.q = q};
    return ask_in_worker(
        &(struct ask_run){.ask = ask,
                          .hear = hear,
                          .ctx = a,
                          .limits = {.memory_bytes = q->limits.memory, .max_output = SIZE_MAX},
                          .cancel = q->cancel},
        &a->end, err);
}

enum ask_status ask_debug_status(const struct ask_debug_answer *a)
{
    if (a->q->nfiles == 1)
        return ASK_YES;
    return a->verdict == DEBUG_SAME ? ASK_YES : a->verdict == DEBUG_DIFFERENT ? ASK_NO : ASK_UNKNOWN;
}
