/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One question, answered by a worker.
 *
 * The input is untrusted and the libraries that read it are large, so a question is put in a forked worker
 * with the limits of the command line. It sends the records of its report as it finds them. If the worker
 * dies, runs into a limit or the user presses Ctrl-C, what arrived is still shown, and the exit code is 3. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/cli.h"
#include "report/report.h"

enum session_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_DOT, FORMAT_SVG, FORMAT_SARIF };

/* Puts the question; runs in the worker. */
typedef bool session_ask_fn(void *ctx, struct report_sink sink, struct error *err);

struct session {
    const struct common *common;
    const char *kind;    /* of the report */
    const char *subject; /* the file, for messages */
    enum session_format format;
    session_ask_fn *ask;
    void *ctx;
    uint64_t timeout; /* ms for the worker; 0: none */
    unsigned grace;   /* ms on top, for one that looks at the limit itself */
    /* Called in the parent when the worker is done, or has ended early: may add to the report. The exit code
     * of a complete answer; NULL: 0. */
    int (*conclude)(struct report *r);
    /* Called in the parent with what is about to be printed and the exit code, which it may change. Given
     * SESSION_AGAIN, nothing is printed, and session_run returns that. NULL: nothing to be done. */
    int (*finish)(void *ctx, struct report *r, int code);
};
enum { SESSION_AGAIN = -1 };

/* Asks, prints the report to stdout and complaints to stderr; returns the exit code. */
int session_run(const struct session *s);
/* The same for a command that asks one thing about one file, within --timeout. */
int session_ask(const struct command *c, const struct common *common, unsigned format, const char *file,
                session_ask_fn *ask, int (*conclude)(struct report *r), void *ctx);

/* Opens the program a command is about, with --debug-dir. `deep`: look for functions in the code as well. */
struct program *session_open(const struct common *common, const char *path, bool deep, struct error *err);

/* A sink for a worker below the session's own, over the buffer it was given. Records go to its parent in
 * bunches as they are made, so that they are not lost when the worker is ended half way. */
struct session_sender {
    struct buf *out;
    uint64_t sent, told; /* when records and when progress were sent last, ms */
};
struct report_sink session_send(struct session_sender *s);
/* Sends what it holds back; before a long wait. */
void session_flush(void *sender);
/* Its `progress`, for a worker whose parent reads it as it comes: a record of the place "!progress". */
void session_tell(void *sender, const char *what, size_t done, size_t total);

/* Writes all of it to stdout; the exit code: `code`, or 3 after a complaint when it could not be written. A
 * reader that has gone away (head, less) is nobody's error. */
int write_out(const struct buf *text, int code);

/* Ctrl-C and SIGTERM from now on end the session that runs, with what it knows, instead of the process;
 * SIGPIPE and SIGXFSZ are ignored. */
void session_signals(void);
/* Whether this process is a worker of one that called session_signals. */
bool session_in_worker(void);

#endif
