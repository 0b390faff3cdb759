/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of one side on the concrete interpreter, recorded as it is replayed: the blocks with what they
 * changed and accessed, the calls, and the state it ends in. Numbers are those of the run (biased, or with
 * pinned symbols); who shows them translates. Whether the run confirms what was predicted, struct replay
 * says. */
#ifndef PAIR_RUN_H
#define PAIR_RUN_H

#include "base/map.h"
#include "base/vec.h"
#include "exec/replay.h"

struct pair_side;

struct run_register {
    const struct machine_register *reg;
    struct bits value;
};

struct run_access {
    uint64_t address;
    unsigned bytes;
    bool write;
    bool known; /* value: as the step leaves it, or as a callee finds it */
    struct bits value;
};

enum { RUN_END = UINT32_MAX };

/* A block of the function itself; what callees access counts for the block that calls them. */
struct run_step {
    uint32_t block; /* RUN_END: the state behind the last one */
    /* Registers as wide as a pointer or a vector of 128 bits, as they are when it begins: in the first step
     * all, later those that changed since the step before. */
    const struct run_register *reg;
    size_t nregs;
    const struct run_access *access; /* the first few, each place once */
    size_t naccesses;
};

struct run_call {
    const char *name; /* NULL: computed */
    uint64_t site;
    const struct exec_event *event; /* says what it did; NULL: its code is run */
};

/* Which callees that were summarised are run by their code, where the program has it. */
struct run_real {
    bool (*is)(void *ctx, const struct flow_function *f); /* NULL: none */
    void *ctx;
};

struct run {
    struct pair_side *s;
    struct arena *arena;
    struct run_real real;
    VEC(struct run_step) step;     /* the first RUN_STEPS */
    VEC(struct run_access) access; /* of the step under way */
    VEC(struct run_call) call;
    VEC(struct run_access) read; /* what is read before anything else touches it; no value */
    struct map touched;          /* bytes */
    bool null;                   /* something in the first or the last page is accessed */
    struct map constant;         /* bytes of either file that are never written -> how they are accessed */
    bool locked;                 /* one of them is stored to */
    bool overlaid;               /* ... and read */
    bool ended;
    enum path_end end;
    uint8_t *last; /* register file at the step before */
    uint8_t *regs; /* ... at the end, when the last callee, too, has returned; NULL: it did not end */
};

enum { RUN_STEPS = 3000 };

/* Replays the model on that path of the side's explorer. The run is to be freed, whatever is returned; its
 * steps are in the arena. */
bool run_side(struct run *r, struct arena *arena, struct pair_side *s, const struct exec_path *path,
              struct term_model *model, struct run_real real, struct replay *out);
void run_free(struct run *r);
bool run_returned(const struct run *r); /* to its caller, itself or through the callee it ended in */

#endif
