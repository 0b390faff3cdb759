/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A question, put in a worker or in this process.
 *
 * What is found out is said in messages: a number that tells which, and a value of a type that the question's
 * header describes (ask/wire.h). In a worker they go through its pipe in frames as they are made; so what was
 * said before it died, ran into a limit or was interrupted has arrived. Workers may have workers below them,
 * and pass on what those say. In this process a message is decoded from the same bytes, so that there is one
 * way for both. */
#ifndef ASK_RUN_H
#define ASK_RUN_H

#include "ask/wire.h"
#include "base/error.h"
#include "work/work.h"

/* The listener; false: it has heard enough, or did not understand. */
typedef bool ask_hear_fn(void *ctx, unsigned message, const char *bytes, size_t n);
typedef void ask_progress_fn(void *ctx, const char *what, size_t done, size_t total);

/* Where messages go: into a worker's buffer, or straight to the listener. */
struct ask_sink {
    struct buf *out;
    uint64_t sent, progressed; /* when messages and when progress were sent last, ms */
    ask_hear_fn *hear;   /* when out is NULL */
    void *ctx;
    bool progress; /* is of interest */
    /* Gets every message before it goes on; true: it keeps this one. Or NULL. */
    ask_hear_fn *overhear;
    void *overhear_ctx;
};

/* Messages of questions are numbered below this. */
enum { ASK_MESSAGES = 200 };

/* False tells the maker to stop. */
bool ask_say(struct ask_sink *s, unsigned message, const struct wire_type *type, const void *value);
void ask_progress(struct ask_sink *s, const char *what, size_t done, size_t total);
/* Its function for libraries that take one: ctx is a struct ask_sink. */
ask_progress_fn *ask_progress_of(const struct ask_sink *s);
/* Sends what is held back; before a long wait. */
void ask_flush(struct ask_sink *s);

/* A sink for a worker below, over the buffer it was given. */
struct ask_sink ask_below(struct buf *out);
/* Says that the worker failed; what it may say last. */
void ask_say_error(struct ask_sink *s, const struct error *err);
/* What a worker below said: messages that are whole are passed on as they are and counted in *messages, the
 * error it ended with is told. Returns how many bytes that took. */
size_t ask_hand_on(struct ask_sink *s, const char *frames, size_t n, size_t *messages, struct error *err);
/* The same for one who listens to it: hear gets the messages. */
void ask_hear_below(const char *frames, size_t n, ask_hear_fn *hear, void *ctx, struct error *err);
/* Reads the frames that are whole; returns how many bytes they took. */
size_t ask_read(const char *frames, size_t n, ask_hear_fn *hear, void *ctx, bool *understood);

/* ---- the question ---- */

/* Runs where the work is done. */
typedef bool ask_fn(void *ctx, struct ask_sink *say, struct error *err);

struct ask_run {
    ask_fn *ask;
    ask_hear_fn *hear;
    void *ctx;
    struct work_options limits; /* timeout_ms, grace_ms, memory_bytes */
    ask_progress_fn *progress;  /* or NULL */
    void *progress_ctx;
    const volatile int *cancel;
};

/* How it ended. */
struct ask_end {
    enum work_outcome outcome;
    struct error err;    /* of WORK_FAILED, when the worker said one */
    char reason[160];    /* why it was not WORK_DONE, in words */
    bool not_understood; /* something of what it said */
};

/* In a worker. False when none could be started. */
bool ask_in_worker(const struct ask_run *r, struct ask_end *end, struct error *err);
/* In this process. */
bool ask_here(ask_fn *ask, ask_hear_fn *hear, void *ctx, struct error *err);

#endif
