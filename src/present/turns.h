/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which parts of a path are the first iteration of a loop.
 *
 * What a loop does in its first iteration is seen with values that depend on how a compiler turned the loop
 * round; the second iteration is the one that counts (exec/loop.c). */
#ifndef PRESENT_TURNS_H
#define PRESENT_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/flow.h"

struct turns {
    uint32_t *cycle; /* by block: the strongly connected component that it is in, from 1 on; 0: in no cycle */
    bool *turned;    /* by component: some path went round a second time */
    uint32_t *seen;  /* by block: the path that came by last */
    uint32_t ncycles, nblocks, paths;
};

void turns_init(struct turns *t, const struct flow_graph *g);
void turns_free(struct turns *t);
/* For each block of a path, the cycle of which this is the first iteration, or 0. */
void turns_of_path(struct turns *t, const uint32_t *block, unsigned n, uint32_t *first);

#endif
