/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic against concrete: an input for a path is solved for, run on the concrete interpreter, and must
 * take that path, make those calls and leave those results and that memory. */
#ifndef EXEC_REPLAY_H
#define EXEC_REPLAY_H

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

#endif
