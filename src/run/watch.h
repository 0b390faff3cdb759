/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program does on its proof of concept: how it ends, which call of a function it ends in, and the
 * whole state of the process when that call began.
 *
 * Functions are told by addresses of the program's file. A CALL of one is its number among all calls of it in
 * a run, from 1 on; runs are the same every time (process.h), so that number is the same call in the next
 * run. */
#ifndef RUN_WATCH_H
#define RUN_WATCH_H

#include "run/guard.h"
#include "run/process.h"

struct snapshot;

struct watch_place {
    const char *file; /* that has the code; NULL: none */
    uint64_t address; /* in the file */
};

enum watch_end { WATCH_EXIT, WATCH_CRASH };
struct watch_run {
    enum watch_end end;
    int code;   /* WATCH_EXIT */
    int signal; /* WATCH_CRASH */
    struct watch_place place;
    uint64_t address; /* that could not be accessed, when `addressed` */
    bool addressed;
    bool quotient; /* SIGFPE: there is one, and it does not fit */
    enum guard_state chunk; /* WATCH_CRASH: what the address is of, or behind; GUARD_NEVER: of no chunk */
    uint64_t chunk_base, chunk_size; /* of it, when there is one */
    /* The innermost call that had not returned, of those that were watched; call 0: none. */
    size_t function;
    uint64_t call;
    uint64_t calls;      /* of all of them, in all */
    const char *text[2]; /* what it printed, to standard output and error */
    size_t ntext[2];
    struct arena arena;
};

/* Runs it to its end. False and an error when that cannot be told: it hangs, forks, cannot be started. */
bool watch_run(const struct run_target *t, const uint64_t *function, size_t n, struct watch_run *out,
               struct error *err);
/* The same; of at most 32 functions only which are called, a set: those that are called often cost no more.
 * Where memory is filled, so is the stack below each of their first calls. */
bool watch_reach(const struct run_target *t, const uint64_t *function, size_t n, uint32_t *reached,
                 struct watch_run *out, struct error *err);
/* The same; wherever it comes to one of these addresses somebody may look at it, until he has seen enough and
 * says false. */
bool watch_stops(const struct run_target *t, const uint64_t *at, size_t n,
                 bool (*stop)(void *ctx, struct process *p, uint64_t pc), void *ctx, struct watch_run *out,
                 struct error *err);
void watch_run_free(struct watch_run *w);
/* The same, with the state at the beginning of a call; *taken: whether it came there. What `like` has, too,
 * is borrowed from it (snapshot_take). */
bool watch_through(const struct run_target *t, uint64_t function, uint64_t call, const struct snapshot *like,
                   struct snapshot *s, bool *taken, struct watch_run *out, struct error *err);

/* Runs it to the beginning of a call. NULL and an error when it does not come there. Where memory is filled,
 * so is the stack below it. */
struct process *watch_call(const struct run_target *t, uint64_t function, uint64_t call, struct error *err);
/* On from there to the next call of it; false: there is none. */
bool watch_again(struct process *p, uint64_t function);
/* The state of the guarding allocator; false: it has none. */
bool watch_pool(struct process *p, const struct run_target *t, struct guard_pool *pool);
/* From there on until the call has returned or the program has ended. */
struct watch_outcome {
    bool returned;
    struct watch_run run; /* when it has not */
};
bool watch_return(struct process *p, const struct run_target *t, struct watch_outcome *out,
                  struct error *err);
/* From wherever it stands to its end. */
bool watch_end(struct process *p, const struct run_target *t, struct watch_run *out, struct error *err);

/* ---- the state of a process ---- */

struct snapshot_part {
    uint64_t low, high, offset;
    const char *file;
    bool read, write, exec;
    bool as_file;        /* holds what the file does: the process has not written to it */
    const uint8_t *byte; /* NULL: all zero */
    bool own;            /* of a copy: not shared with what it was copied from */
};
struct snapshot {
    const struct ir_machine *m;
    uint64_t base; /* of the program */
    const uint8_t *registers;
    const struct snapshot_part *part; /* sorted */
    size_t nparts;
    bool guarded;
    struct guard_pool pool;
    uint64_t pool_at; /* guard_pool in the process */
    const uint8_t *auxv;
    size_t nauxv;
    struct arena arena;
};
/* What `like` has at the same addresses is borrowed from it, so it must outlive *s; NULL: nothing is. */
bool snapshot_take(struct process *p, const struct run_target *t, const struct snapshot *like,
                   struct snapshot *s, struct error *err);
/* Another one that shares memory with it until it is written to; `s` must outlive it. */
void snapshot_copy(const struct snapshot *s, struct snapshot *out);
/* Changes a copy; false when the memory is not there. The guard's state follows. */
bool snapshot_write(struct snapshot *s, uint64_t address, const void *in, size_t n);
void snapshot_register_set(struct snapshot *s, unsigned offset, uint64_t value);
void snapshot_free(struct snapshot *s);
/* The part that has an address; NULL: it is not mapped. */
const struct snapshot_part *snapshot_part_at(const struct snapshot *s, uint64_t address);
/* Whether the address is below `top` on the stack: what the call makes there is its own. The stack grows. */
bool snapshot_below(const struct snapshot *s, uint64_t address, uint64_t top);
/* Pointer to the byte at an address; NULL: it is not mapped. *n: how many follow. */
const uint8_t *snapshot_at(const struct snapshot *s, uint64_t address, size_t *n);

#endif
