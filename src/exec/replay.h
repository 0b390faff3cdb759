/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic against concrete: an input for a path is solved for, run on the concrete interpreter, and must
 * take that path, make those calls and leave those results and that memory. */
#ifndef EXEC_REPLAY_H
#define EXEC_REPLAY_H

#include "exec/concrete.h"
#include "exec/explore.h"

enum replay_outcome {
    REPLAY_OK,
    REPLAY_DIFFERS,  /* the two executions disagree: a bug here, or a broken axiom; `why` says where */
    REPLAY_NO_INPUT, /* no input takes the path (it is infeasible), or the solver found none */
    REPLAY_UNABLE,   /* the concrete interpreter has no meaning for something, or a callee was followed */
};

struct replay {
    enum replay_outcome outcome;
    char why[256];
};

/* The path must come from the explorer's last exploration, of graph g. The solver is the explorer's; without
 * one the outcome is REPLAY_NO_INPUT. True when the outcome is REPLAY_OK. */
bool replay_path(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                 struct replay *out);

/* With an input given: a model of the path's condition and of explorer_assumptions. The model is completed
 * with values for what the path uses and it lacks. */
bool replay_model(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                  struct term_model *model, struct replay *out);

/* For whoever wants to see the run. Any function may be NULL. */
struct replay_watch {
    void *ctx;
    /* Before a block is run; depth 0: of the function itself. */
    void (*block)(void *ctx, uint32_t block, unsigned depth, struct concrete *c);
    void (*access)(void *ctx, uint64_t address, unsigned bytes, bool write);
    /* A call; `name` as the hooks of the exploration have it. `e`: the event that says what it did; NULL: its
     * code is run. */
    void (*call)(void *ctx, const char *name, uint64_t site, const struct exec_event *e, struct concrete *c);
    /* In the state the run ends in, before it is compared. */
    void (*end)(void *ctx, enum path_end end, struct concrete *c);
    /* Runs the code of callees that were summarised, where the program has it and `real` says so; then nothing
     * is compared with the path. */
    bool (*real)(void *ctx, const struct flow_function *f);
};
bool replay_watched(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                    struct term_model *model, const struct replay_watch *watch, struct replay *out);

#endif
