/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay debug`: a session with one program, or two versions side by side, in a worker. Commands go to it
 * through a pipe, a line each; what it says is heard as it comes. */
#ifndef ASK_DEBUG_H
#define ASK_DEBUG_H

#include "ask/ask.h"
#include "debug/session.h"

enum ask_debug_says {
    DEBUG_SAYS_OUTPUT,
    DEBUG_SAYS_BAD,      /* what is wrong with a command */
    DEBUG_SAYS_COMMANDS, /* for completion, one a line: the commands */
    DEBUG_SAYS_WORDS,    /* and what may follow them */
    DEBUG_SAYS_WAITING,  /* for a command */
    DEBUG_SAYS_VERDICT,  /* kept for the answer */
};

struct ask_debug {
    char *const *file;
    int nfiles; /* 1, or 2: versions to be compared */
    struct object_options object;
    const char *function, *function_new; /* where to begin; NULL: as the init file says */
    const char *const *init;
    size_t ninits;
    bool stop_uninitialised; /* a read of memory without a value stops */
    bool zero_calls;         /* a call of a function that is not there returns 0 */
    uint64_t max_steps, history;
    struct ask_limits limits;   /* `timeout` is for one command */
    int commands[2];            /* the pipe */
    volatile int *interrupt;    /* shared with the worker: stops a command */
    const volatile int *cancel; /* ends the session */
    void (*hear)(void *ctx, enum ask_debug_says what, const char *text);
    void *ctx;
};

struct ask_debug_answer {
    enum debug_verdict verdict;
    struct ask_end end;
    const struct ask_debug *q;
};

bool ask_debug(const struct ask_debug *q, struct ask_debug_answer *a, struct error *err);
enum ask_status ask_debug_status(const struct ask_debug_answer *a);

#endif
