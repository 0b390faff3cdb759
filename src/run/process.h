/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program and watches it.
 *
 * A process is started stopped, in a scratch directory, in a session of its own, with limits and, where the
 * kernel lets an ordinary user have that, without network; without address space randomisation and with all
 * symbols bound, so that two runs of it have the same addresses. The guarding allocator is preloaded. It ends
 * with the process that started it.
 *
 * It is driven through ptrace when its instruction set is the host's, else through the remote protocol of an
 * emulator (remote.c). Nothing here interprets anything: what a stop means is said by watch.c.
 *
 * Addresses are those of the process. */
#ifndef RUN_PROCESS_H
#define RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/vec.h"
#include "ir/machine.h"

/* ---- what is run ---- */

struct run_limits {
    unsigned time_ms; /* of one run, by the clock */
    uint64_t memory;  /* address space, bytes; 0: no limit */
    uint64_t output;  /* of each file that it writes, bytes; 0: no limit */
};

struct process;

/* Namespaces that programs are run in, so that they have no network; -1: the system does not let an ordinary
 * user have that. They are made once: each costs the system more than a run does. */
struct run_without {
    int user, network;
};

/* Bytes of a program's code that are others in the one that is run. */
struct run_patch {
    uint64_t address; /* in the file */
    const uint8_t *byte;
    size_t n;
};

struct process_stock;

struct run_target {
    const struct ir_machine *m;
    const char *program;         /* file */
    struct process_stock *stock; /* where programs stand ready; NULL: each run starts the program */
    const char *like; /* of the stock: a program that only differs in the bytes of `patch`; NULL: itself */
    const struct run_patch *patch;
    size_t npatches;
    uint64_t entry;              /* where it begins, as the file says it */
    const char *const *argument; /* behind the program's name */
    size_t narguments;
    const char *input;    /* a file for standard input, absolute; NULL: empty */
    const char *scratch;  /* directory that is there, absolute */
    const char *emulator; /* command; NULL: the processor runs it */
    const char *library;  /* file that is preloaded, and is asked about instead of the program; NULL: none */
    /* Directories of libraries that are searched first, below `root`; NULL behind the last, NULL: none.
     * Programs whose stacks are to look alike are given the same ones, whether they have a root or not. */
    const char *const *library_dir;
    const char *root;     /* directory, absolute; NULL: none */
    const char *guard;    /* file to preload; NULL: none */
    uint64_t guard_pool;  /* address of its state, in that file */
    uint8_t fill; /* what memory holds that the program has not written to: chunks of the heap, the stack
                     below its calls; 0: what is there */
    bool sanitized;       /* it is built with sanitizers, which are to stop at the first error */
    struct run_limits limits;
    const struct run_without *without; /* NULL: nothing is kept from it */
    /* Which address an instruction could not access, where nobody tells (emulators do not); or NULL. */
    bool (*accessed)(void *ctx, struct process *p, uint64_t pc, uint64_t *address);
    /* Whether a division failed because its quotient does not fit, not because it was by zero; or NULL. */
    bool (*quotient)(void *ctx, struct process *p, uint64_t pc);
    void *ctx;
};

/* ---- a process ---- */

enum process_stop {
    PROCESS_BREAK,  /* at a breakpoint; nothing of its instruction was done */
    PROCESS_SIGNAL, /* a fatal signal is about to be delivered */
    PROCESS_EXIT,   /* it has ended, with `code` */
    PROCESS_KILLED, /* by `signal`, without a stop */
    PROCESS_FORK,   /* it has made another process */
    PROCESS_TIMEOUT,
    PROCESS_LOST, /* the connection is broken */
};
struct process_event {
    enum process_stop stop;
    int signal, code;
    uint64_t pc;
    uint64_t address; /* PROCESS_SIGNAL: accessed, when `addressed` */
    bool addressed;
};

struct process_map {
    uint64_t low, high, offset;
    bool read, write, exec;
    bool private;     /* what is there is the file's, or zero, until the process writes there */
    const char *file; /* or NULL */
};

/* Before its first instruction: the program is mapped, its libraries are not; where a library is asked about,
 * when all are. NULL and an error when it cannot be started. */
struct process *process_start(const struct run_target *t, struct error *err);
void process_end(struct process *p); /* kills it and its group */

/* Programs that were started and stand at their first own instruction, where all that they are linked with is
 * mapped: runs with other arguments and inputs are copies of them, which costs a fifth of starting the
 * program. What libraries do before, they have done with the arguments of the first run. The stock is of the
 * process that fills it: one that was forked from that one, and uses it, begins with an empty one. */
struct process_stock *process_stock_new(void);
void process_stock_clear(struct process_stock *s); /* no run of it may be left */
void process_stock_free(struct process_stock *s);
struct process_event process_continue(struct process *p);
bool process_break(struct process *p, uint64_t address);
void process_unbreak(struct process *p, uint64_t address);
bool process_read(struct process *p, uint64_t address, void *out, size_t n);
bool process_write(struct process *p, uint64_t address, const void *in, size_t n);
/* The register file of the machine: general registers, those of vectors and the thread's. */
bool process_registers(struct process *p, uint8_t *file);
/* A general register, by its offset in the file; as wide as a pointer. */
bool process_register_set(struct process *p, unsigned offset, uint64_t value);
uint64_t process_register(struct process *p, unsigned offset);
/* Sorted; the arena has them. */
size_t process_maps(struct process *p, struct arena *arena, const struct process_map **out);
/* What the kernel says of n pages from an address on: 1 << 63 and so on of proc_pid_pagemap(5). False where
 * it does not. */
#define PROCESS_PAGE_THERE (UINT64_C(1) << 63)
#define PROCESS_PAGE_SWAPPED (UINT64_C(1) << 62)
#define PROCESS_PAGE_OF_FILE (UINT64_C(1) << 61)
bool process_pages(struct process *p, uint64_t address, uint64_t page, uint64_t *out, size_t n);
/* What it has printed: 0 to standard output, 1 to standard error. The arena has it, with a '\0' behind it. */
const char *process_output(const struct process *p, unsigned which, struct arena *arena, size_t *n);
/* Where address 0 of the program's file is, or of the library that is asked about; known from the start on.
 */
uint64_t process_base(const struct process *p);
/* A file of the process, as bytes: the auxiliary vector. Returns how many; fills up to cap. */
size_t process_auxv(struct process *p, uint8_t *out, size_t cap);

#endif
