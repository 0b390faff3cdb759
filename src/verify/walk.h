/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walking two versions from cut to cut (converge.c), and plans of where to cut them (plan.c). */
#ifndef VERIFY_WALK_H
#define VERIFY_WALK_H

#include "verify/relation.h"

/* Indices of cuts. */
typedef VEC(size_t) cut_list;

struct cut {
    uint32_t block[2];
    struct relation r;
    cut_list to; /* where its segments led when they were run last */
    bool waiting;
    /* Block by block: */
    bool gone;   /* it is none any more */
    bool failed; /* there is no relation */
    bool stale;  /* its relation is of a plan with more cuts: one made anew may say more */
};

/* This many rounds of the one are one of the other. */
struct speed {
    uint32_t block[2];
    unsigned rounds[2];
};

/* Where the two are cut. */
struct plan {
    enum relation_kind kind; /* rich: pairing what is reached together, too */
    uint8_t *stop[2];        /* by block */
    /* Block by block: */
    uint32_t *rank;   /* by block of the old version: the lower, the earlier */
    uint8_t *head[2]; /* by block: a loop needs it as a cut */
    unsigned tries, learned;
    VEC(struct speed) speed;
    unsigned visits; /* of a block between two cuts */
};

struct walk {
    struct check *c;
    struct plan *plan;
    VEC(struct cut) cut;
    cut_list entry_to; /* as cut.to, from the entry */
    cut_list wrong;    /* from where the two did not come together */
    bool entry;        /* the segment from the entry is to be run (again) */
    unsigned rounds;
    bool differ; /* calls that were made on the way to a cut, or memory there */
    struct verify_reason reason;
    /* One stood at this cut when the other had ended, or was elsewhere; side 2: that was not so. */
    unsigned parted_side;
    uint32_t parted_at;
    /* Blocks of the old version that are cuts: where too little is known to go on, and where the two have not
     * come together. */
    VEC(uint32_t) blamed[2];
};

enum { TOO_LITTLE, TOO_EARLY };

/* Instead of a cut: the entry. */
static const size_t ENTRY = SIZE_MAX;

/* ---- plan.c ---- */
/* Cuts at loop heads, and, if that is the kind of plan, at all blocks that are paired. */
void plan_start(struct check *c, struct plan *p);
void plan_end(struct plan *p);
/* The block is a loop of one instruction that is repeated so many times (x86: rep stos), a number that is set
 * before it: it is run to its end, as what lies in the frame is not known where it is written at a place that
 * depends on how often it went round. */
bool plan_runs_through(const struct flow_graph *g, uint32_t block);
/* Another way to cut the two, after what went wrong; false when there is none. */
bool plan_again(const struct walk *w, struct plan *p);
/* Block by block: takes away the cuts that are to blame and, as that goes on not to do, more of what leads to
 * them, where too little is known, or of what they lead to, where the two have not come together. False:
 * there is nothing left to take away. */
bool plan_coarser(const struct walk *w, struct plan *p);

#endif
