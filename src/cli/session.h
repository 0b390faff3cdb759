/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One question from the command line: progress, Ctrl-C, its outcome, and the answer on standard output.
 *
 * The input is untrusted and the libraries that read it are large, so a question is put in a forked worker
 * with the limits of the command line (ask/run.h). If the worker dies, runs into a limit or the user presses
 * Ctrl-C, what arrived is still shown, and the exit code is 3. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "ask/ask.h"
#include "cli/cli.h"
#include "report/report.h"

struct session {
    const struct common *common;
    const char *subject;    /* the file, for messages */
    struct ask_session ask; /* for the question */
    struct error err;       /* why it could not be asked */
    /* Its own: */
    uint64_t begun; /* ms */
    bool bar_shown;
};

void session_begin(struct session *s, const struct common *common, const char *subject);
struct ask_limits session_limits(const struct common *common);
/* Takes the progress bar off the screen. */
void session_clear(struct session *s);
/* Reports that a question could not be asked; returns the exit status. */
int session_failed(const struct session *s);
/* Reports that an answer is incomplete. `begun`: there is part of one; `status`: the exit status if it were
 * complete. Returns the exit status. */
int session_ended(struct session *s, const struct ask_end *end, bool begun, enum ask_status status);
/* Whether there is an answer to show; otherwise there is only an error. */
bool session_answered(const struct ask_end *end, bool begun);
/* Prints the report to stdout, unless it is NULL, and with --stats the counters to stderr; the exit code:
 * `code`, unless that fails. */
int session_show(struct session *s, struct report *r, enum report_format format, int code);
/* Both for an answer of which nothing else is made: session_ended, then session_show, then the report is
 * freed. */
int session_finish(struct session *s, const struct ask_end *end, bool begun, enum ask_status status,
                   struct report *r, enum report_format format);

/* Writes all of it to stdout and returns the exit status: `code`, or 3 after an error message if it could not
 * be written. A reader that has gone away (head, less) is not an error. */
int session_write(const struct buf *text, int code);
/* Writes a file. */
bool session_write_file(const char *path, const struct buf *text, struct error *err);

/* Ctrl-C and SIGTERM from now on end the session that runs, with what it knows, instead of the process;
 * SIGPIPE and SIGXFSZ are ignored. */
void session_signals(void);
/* Whether this process is a worker of one that called session_signals. */
bool session_in_worker(void);

#endif
