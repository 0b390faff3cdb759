/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A debugging session: commands in, text out. One program, or two versions of one side by side.
 *
 * A session knows no terminal: a line is a command, and what it prints goes into a buffer. Names of input
 * files are in that text as they are; the caller makes it printable. */
#ifndef DEBUG_SESSION_H
#define DEBUG_SESSION_H

#include "debug/debuggee.h"

struct debug_session;

struct debug_session_options {
    uint64_t max_steps;            /* instructions one command may run; 0: no limit */
    uint64_t timeout_ms;           /* for one command; 0: none */
    const volatile int *interrupt; /* set from outside to stop a command; may be NULL */
};

/* Takes the debuggees; `new` may be NULL, `old` is then the only one. `m` (borrowed, of the two programs) is
 * NULL with one.
 */
struct match;
struct debug_session *debug_session_new(struct debuggee *old, struct debuggee *new, struct match *m,
                                        const struct debug_session_options *opt);
void debug_session_free(struct debug_session *s);

/* What is said when a session begins: the architecture, the registers that are not zero, where it is. */
void debug_session_banner(struct debug_session *s, struct buf *out);

enum debug_reply { DEBUG_OK, DEBUG_BAD, DEBUG_QUIT };
/* Runs a command. DEBUG_BAD: *err says why, and nothing was done. */
enum debug_reply debug_session_command(struct debug_session *s, const char *line, struct buf *out,
                                       struct error *err);

/* What the session found when it compared two versions. */
enum debug_verdict {
    DEBUG_NO_VERDICT, /* one program, or they did not run to their ends */
    DEBUG_SAME,       /* both ran to the end without a difference */
    DEBUG_DIFFERENT,
};
enum debug_verdict debug_session_verdict(const struct debug_session *s);

/* For completion, one a line: names of commands; names of registers and functions. */
void debug_session_commands(struct buf *out);
void debug_session_words(const struct debug_session *s, struct buf *out);

#endif
