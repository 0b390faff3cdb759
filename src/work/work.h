/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of forked workers. A job runs in its own process with its own time and memory limit; its result comes back
 * as bytes through a pipe. A worker that crashes, is killed, exceeds a limit or writes too much is one failed job
 * with a reason, never the end of the run. */
#ifndef WORK_WORK_H
#define WORK_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum work_outcome { WORK_DONE, WORK_TIMEOUT, WORK_MEMORY, WORK_CRASH, WORK_FAILED, WORK_CANCELLED };

typedef void work_output_fn(void *ctx, size_t job, const char *bytes, size_t n);

struct work_options {
    unsigned jobs;         /* at once; 0: number of processors */
    unsigned timeout_ms;   /* for one job, of processor time as base/deadline.h says; 0: none */
    unsigned grace_ms;     /* on top of timeout_ms, for a job that looks at the limit itself and then needs to say so */
    uint64_t memory_bytes; /* address space of one worker beyond what it started with; 0: none */
    size_t max_output;     /* bytes of one result; 0: 256 MiB */
    work_output_fn *output; /* gets a job's output as it arrives, in the parent, called with work_run's ctx;
                             * the result then has none. NULL: it is kept for the result */
};

struct work_result {
    size_t job;
    enum work_outcome outcome;
    const char *output; /* what the job wrote, also when it failed half way */
    size_t output_len;
    char reason[160];   /* "killed by signal 11 (SIGSEGV)", "time limit of 5000 ms", ... */
};

/* Runs in the worker: fills out; the return value false marks the job WORK_FAILED. */
typedef bool work_job_fn(void *ctx, size_t job, struct buf *out);
/* Runs in the worker, with the `out` the job was given: sends what is in it to the parent at once and empties it, so that
 * it is not lost when the job is ended half way. Workers hold no reference to the parent's stdin; their process group is
 * their own, and they die with their parent, so a job may itself call work_run. */
void work_flush(struct buf *out);
/* Runs in a worker: from now on it may go on for so long, whatever the pool's own limit is; 0: no longer limited.
 * For a part of a job, such as opening a file before other workers take over, whose limits are their own. */
void work_limit_time(unsigned ms);
/* Runs in the parent, called in job order (0, 1, 2, ...) whatever order they finish in. */
typedef void work_done_fn(void *ctx, const struct work_result *r);

/* Runs jobs 0..n-1. *cancel, when not NULL, is looked at whenever something happens; when it becomes nonzero (a
 * SIGINT handler sets it) workers are ended, and what had not finished is reported as WORK_CANCELLED. False when no
 * worker could be started at all. */
bool work_run(size_t n, const struct work_options *opt, work_job_fn *job, work_done_fn *done, void *ctx,
              const volatile int *cancel, struct error *err);

const char *work_outcome_name(enum work_outcome o);

#endif
