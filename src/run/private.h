/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two ways to drive a process; inside src/run only. */
#ifndef RUN_PRIVATE_H
#define RUN_PRIVATE_H

#include <signal.h>
#include <sys/types.h>

#include "base/system.h"
#include "run/process.h"

struct process_break {
    uint64_t address;
    uint8_t saved[4];
    unsigned bytes; /* of them, where memory has been written over */
};

struct process {
    const struct run_target *t;
    const struct process_ways *ways;
    const struct ir_machine *m;
    pid_t pid;   /* of the process, or of the stub that runs it */
    pid_t child; /* remote.c: of the process, where the stub is gdbserver; else 0 */
    int mem;     /* /proc/PID/mem, or -1 */
    int pages;   /* /proc/PID/pagemap, or -1 */
    uint64_t base;
    uint64_t deadline; /* by now_ms */
    VEC(struct process_break) point;
    int output[2];     /* standard output and error, or -1 */
    int fd;            /* remote.c: the connection, or -1 */
    bool late;         /* remote.c: the time is up */
    bool errors_apart; /* remote.c: the program's standard error is PROCESS_ERRORS, not the stub's */
    uint64_t guest;    /* remote.c: where address 0 of the program is in the emulator */
    void *kept;        /* remote.c: how registers lie in packets; native.c: where they are in the file */
    bool ended;
    bool begun;               /* it has come to its first own instruction */
    struct process_ready *of; /* stock.c: what it is a copy of, or NULL */
    const char *image,
        *real;    /* ... the file of that, and the one that it stands for; NULL: they are the same */
    bool blocked; /* SIGCHLD, which was not: `mask` is what was */
    sigset_t mask;
};

struct process_ways {
    bool (*start)(struct process *p, const char *program, struct error *err);
    void (*end)(struct process *p);
    struct process_event (*resume)(struct process *p, bool step);
    bool (*insert)(struct process *p, struct process_break *b);
    void (*withdraw)(struct process *p, struct process_break *b);
    bool (*read)(struct process *p, uint64_t address, void *out, size_t n);
    bool (*write)(struct process *p, uint64_t address, const void *in, size_t n);
    bool (*registers)(struct process *p, uint8_t *file);
    uint64_t (*get)(struct process *p, unsigned offset); /* one register; NULL: they come together */
    bool (*set)(struct process *p, unsigned offset, uint64_t value);
    size_t (*auxv)(struct process *p, uint8_t *out, size_t cap);
    /* Makes one ready to be copied that stands at its first own instruction, and p a copy of it; NULL: there
     * are none. */
    bool (*ready)(struct process *p);
    bool (*copy)(struct process *of, struct process *p);
};
extern const struct process_ways process_native, process_remote;

/* Starts the program, which is traced and stops at its beginning; without one, what argv names. It has
 * directory, limits, session, files and personality of the target. -1: it cannot be started. */
pid_t process_spawn(const struct process *p, const struct run_target *t, const char *program,
                    char *const *argv, char *const *env);
/* Starts the program, and runs it to its first own instruction if `ahead`. */
struct process *process_launch(const struct run_target *t, bool ahead, struct error *err);
/* One that is a copy of what stands ready, which is started for that if need be; NULL: it has to be started
 * by itself. What `scratch` has to have is there. */
struct process *stock_copy(const struct run_target *t);
void stock_copied_end(struct process *p);
/* Places for names of arguments have a few sizes: so stacks look alike, whatever the arguments are, and those
 * of a copy can be others. */
size_t process_room(const char *argument);
bool process_put_arguments(struct process *p, uint64_t sp);
/* The process whose memory is the program's. */
pid_t process_id(const struct process *p);
/* Where an instruction is: the address of a Thumb one says that it is one, too. */
uint64_t process_code(const struct process *p, uint64_t address);
/* What tells the loader of the program what to load before its own libraries, and where to look for these
 * first: "LD_PRELOAD=...", "LD_LIBRARY_PATH=...", those that are needed. NULL behind the last. */
enum { LOADER_VARIABLES = 3 };
void process_loader(const struct run_target *t, struct arena *arena, const char *out[LOADER_VARIABLES]);
/* The environment that programs get, with these or without. */
char *const *process_environment(const struct run_target *t, struct arena *arena, bool loader);
/* The name by which the program is started: the same for every program, so that stacks look alike. */
#define PROCESS_NAME "target"
#define LIBRARY_NAME "library.so"
#define ROOT_NAME "root"
/* A descriptor that a stub hands on to the program. */
#define PROCESS_ERRORS 3

bool process_put(const struct ir_machine *m, uint8_t *file, const char *reg, const void *value,
                 unsigned bytes);

#endif
