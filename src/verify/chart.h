/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One version of a function as a map, for runs that are to go somewhere (probe.c): which blocks changed and
 * where what they leave is looked at, how far it is from each block to where a run is to go, and what was
 * taken already. */
#ifndef VERIFY_CHART_H
#define VERIFY_CHART_H

#include "verify/private.h"

/* What makes edges longer: they were taken, they led to a difference in doubt, no input takes them or is
 * accepted behind them. */
enum { TAKEN_COSTS = 3, DOUBT_COSTS = 12, BARRED_COSTS = 40 };

struct chart {
    const struct flow_graph *g;
    uint32_t *length; /* by edge */
    uint8_t *taken;   /* by edge: in some run that was compared */
    uint32_t *near;   /* by block: how far to where the run is to go */
    uint8_t *changed; /* by block */
    uint8_t *leaves;  /* by block: what the other version does not compute */
    uint8_t *looks;   /* by block: at what is left so */
    uint8_t *reached; /* by block: in some run that was compared */
    uint16_t *visits; /* by block: how often this run left it by a choice */
    int32_t *beside; /* by block: what it is paired with is on the path of the other version's run, the sooner
                        the more (at least 1), or not (-1); 0: it is not paired */
};

/* Nothing changed, and all edges are as long. */
struct chart chart_of(const struct flow_graph *g);
/* The blocks of version s that the other does not have like that, or goes on from elsewhere. */
void chart_start(struct check *c, struct chart *m, int s);
/* Paired blocks look at the same, whichever of them what is left reaches. */
void chart_share_looks(struct check *c, struct chart m[2]);
void chart_end(struct chart *m);

/* No block was visited yet. */
void chart_begin_run(struct chart *m);
/* From now on the run is to go there, or to a return. */
void chart_head_for(struct chart *m, uint32_t target);
void chart_head_for_return(struct chart *m);
bool chart_leads_there(const struct chart *m, uint32_t block);
/* The way that is nearer: by the edge from a block to another (YES), or by another edge from it (NO). */
enum answer chart_nearer(const struct chart *m, uint32_t from, uint32_t to, enum answer otherwise);

/* The edge to there from a block, or the other ones, got longer. */
void chart_lengthen(struct chart *m, uint32_t from, uint32_t to, bool other, uint32_t by);
/* What was taken is not to be taken again. */
void chart_leave(struct chart *m, const struct exec_path *path);
/* The block behind the last edge that could have been another one is to be gone to no more. */
void chart_leave_last(struct chart *m, const struct exec_path *path);
void chart_mark_taken(struct chart *m, uint32_t from, uint32_t to);

/* Where version s would go if it did what this path of the other does. */
void chart_mark_beside(struct check *c, struct chart *m, int s, const struct exec_path *path);
/* How soon the other version went to where an edge leads, or the other edges do. */
int32_t chart_beside(const struct chart *m, uint32_t from, uint32_t to, bool other);

#endif
