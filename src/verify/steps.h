/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of one run on the concrete interpreter: start, give the watch to the replay, end. */
#ifndef VERIFY_STEPS_H
#define VERIFY_STEPS_H

#include "base/buf.h"
#include "base/vec.h"
#include "exec/replay.h"
#include "verify/verify.h"

struct steps_access {
    uint64_t address;
    unsigned bytes;
    bool write;
};

struct steps {
    struct arena *arena;
    struct program *p;
    const struct flow_graph *g;
    uint64_t bias, sp; /* what the interpreter adds to addresses; the stack pointer at entry */
    unsigned bits;
    uint8_t *last; /* registers at the step before */
    VEC(struct verify_step) step;
    VEC(struct steps_access) access;
};

/* "0x1f" */
const char *steps_hex(struct arena *arena, struct bits v, unsigned width);
/* Steps go into the arena. */
void steps_start(struct steps *st, struct arena *arena, struct program *p, const struct flow_graph *g,
                 uint64_t bias);
struct replay_watch steps_watch(struct steps *st);
const struct verify_step *steps_end(struct steps *st, size_t *n);

#endif
