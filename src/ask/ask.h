/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the questions share: limits, verdicts summed up, the exit status.
 *
 * A question is one file (ask/verify.c, ask/diff.c, ...): a struct says what is asked, a function opens the
 * files, selects what is to be looked at, runs the work in workers (or in this process, for the library),
 * collects a typed answer and sums it up. All decisions about an answer are made here; src/report renders it,
 * src/cli reads options and src/lib passes it to its caller. */
#ifndef ASK_ASK_H
#define ASK_ASK_H

#include "ask/run.h"
#include "verify/verify.h"

/* What an answer comes to: the exit status of the command. */
enum ask_status { ASK_YES = 0, ASK_NO = 1, ASK_BAD = 2, ASK_UNKNOWN = 3 };

struct ask_limits {
    bool here;        /* no workers: all in this process, without the limits below */
    unsigned jobs;    /* workers at once; 0: one a processor */
    uint64_t timeout; /* of one job, ms; 0: none */
    uint64_t memory;  /* of one worker, bytes; 0: none */
};

/* Where the question is put, and who receives its progress. */
struct ask_session {
    ask_progress_fn *progress; /* or NULL */
    void *progress_ctx;
    const volatile int *cancel; /* or NULL */
};

/* Puts a question in a worker, or in this process when the limits say `here`; *end says how it went.
 * `timeout` and `grace` are of that worker, ms. False when it could not even be put. */
bool ask_put(ask_fn *ask, ask_hear_fn *hear, void *ctx, const struct ask_limits *limits, uint64_t timeout,
             unsigned grace, const struct ask_session *session, struct ask_end *end, struct error *err);

/* The one way to sum up verdicts: one that is unsafe makes the whole unsafe, one that is unknown makes it
 * unknown. */
enum verify_verdict ask_worst(enum verify_verdict a, enum verify_verdict b);
/* The same of statuses: no, unknown, yes. */
enum ask_status ask_worst_status(enum ask_status a, enum ask_status b);
enum ask_status ask_verdict_status(enum verify_verdict v);

/* Makes the directory for the queries of one of many functions, so that they do not overwrite each other's
 * files. */
/* Addresses of answers are as shown (object_display_address), so 0 is one. */
#define ASK_NO_PLACE UINT64_MAX

const char *ask_dump_dir(const char *dir, uint64_t address, struct arena *arena);

#endif
