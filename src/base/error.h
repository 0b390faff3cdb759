/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors a user can act on.
 *
 * Three kinds of trouble are kept apart everywhere:
 *   - bad input or bad usage is an `error`, filled where it is noticed and returned to the caller;
 *   - a caller's mistake is an assert: it is a bug in assay;
 *   - running out of memory goes through base/alloc.h, which ends the process (workers are processes, so it
 *     costs one job).
 *
 * A function that can fail returns false or NULL and has filled *err; it never prints. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

enum error_kind {
    ERROR_NONE = 0,
    ERROR_USAGE,       /* the command line or an argument is wrong: exit 2 */
    ERROR_INPUT,       /* a file is missing, malformed or contradicts itself: exit 2 */
    ERROR_UNSUPPORTED, /* understood but not handled (an architecture, a format version): exit 3 */
    ERROR_RESOURCE,    /* a time, memory or size limit was reached: exit 3 */
    ERROR_SYSTEM,      /* the operating system refused (fork, open for writing, ...): exit 3 */
};

struct error {
    enum error_kind kind;
    char text[768]; /* one line, names the file, the offset where there is one, and what to do; no newline */
};

/* Fills *err (unless err is NULL) and returns false, so that `return error_set(err, ...)` reads well. */
bool error_set(struct error *err, enum error_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before what *err already says. */
void error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The process exit code that goes with a kind: 2 or 3. */
int error_exit_code(enum error_kind kind);

#endif
