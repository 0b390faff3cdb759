/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which parts of a path are the first iteration of a loop.
 *
 * What a loop does in its first iteration is seen with values that depend on how a compiler rotated the
 * loop; the second iteration is the one that counts (exec/loop.c). */
#ifndef PRESENT_ITERATIONS_H
#define PRESENT_ITERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/flow.h"

struct iterations {
    uint32_t *cycle; /* by block: the strongly connected component that it is in, from 1 on; 0: in no cycle */
    bool *repeated;  /* by component: some path went round a second time */
    uint32_t *last_path; /* by block: the path that came by last */
    uint32_t ncycles, nblocks, paths;
};

void iterations_init(struct iterations *t, const struct flow_graph *g);
void iterations_free(struct iterations *t);
/* For each block of a path, the cycle of which this is the first iteration, or 0. */
void iterations_of_path(struct iterations *t, const uint32_t *block, unsigned n, uint32_t *first);

#endif
