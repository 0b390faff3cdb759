/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathering the features of a function from its paths, as they are explored: one gatherer a function. A
 * feature is kept once, however many paths show it. */
#ifndef PRESENT_GATHER_H
#define PRESENT_GATHER_H

#include "exec/explore.h"
#include "present/feature.h"
#include "present/normal.h"
#include "present/iterations.h"

/* Ends the name of a callee where a feature says what a local holds that it is given. */
#define GATHER_GIVEN "..."
/* Between the names of two callees where it says that the second comes right after the first. */
#define GATHER_THEN "; "
#define GATHER_START "<start>"
#define GATHER_RETURN "<return>"

/* Functions that compilers expand, remove or replace by others: which of them is called when says nothing. */
bool gather_is_expanded(const char *name);

struct load {
    term address;
    uint64_t site;
};

/* A call of the path that is being looked at; name is NULL where nobody knows. */
struct call {
    const char *name;
    const struct exec_event *event;
};

struct gatherer {
    struct normaliser n;
    struct exprs *e;
    struct features *out;
    struct map seen;  /* hash of kind and expressions -> where in the list, from 1 on */
    struct map at;    /* the same, without what it sits under, and an instruction -> 1 */
    struct map times; /* and of how many instructions */
    struct map noted; /* a note -> 1; bounds and a cycle -> 1; bounds -> of how many cycles */
    struct map block; /* label -> index */
    struct map sites; /* address of an instruction -> index of its block */
    const struct flow_graph *graph;
    uint8_t *
        *avoid; /* by block: the set of blocks from which the function can end without it; made on demand */
    uint8_t *left; /* how often a block may still be run */
    uint64_t max_blocks;
    struct map reads; /* address and instruction -> 1; address -> how many instructions read it */
    struct map loads_seen;
    struct arena arena;
    VEC(struct load) loads; /* of the whole function */
    struct map looked;      /* what of paths was looked at */
    const struct features_options *opt;
    bool returns; /* the function gives a result */
    struct iterations iterations;
    VEC(uint32_t) first;    /* of the path: by block, the cycle it is in the first iteration of */
    VEC(uint32_t) place;    /* and by literal, the place of its block; UINT32_MAX: not known */
    uint32_t in_first;      /* what is being added: such a cycle or 0 */
    VEC(struct call) calls; /* of the path */
    const char *follows;    /* what is being added is stored: the call before it; NULL: not known */
    VEC(uint32_t) cycle_of; /* by feature: that, when it was never seen otherwise */
};

/* ---- gather_add.c ---- */
uint64_t gather_identity(unsigned kind, expr what, expr value, expr under);
void gather_add(struct gatherer *g, enum feature_kind kind, expr what, expr value, expr under, uint64_t site);

/* ---- gather_note.c ---- */
/* That the loop which the block is in goes on by this condition. */
void gather_bounds(struct gatherer *g, expr condition, uint32_t block);
/* The last call of the path before a store, or GATHER_START; NULL: not known. */
const char *gather_before(struct gatherer *g, const struct exec_write *w);
/* That a call, which g->follows names, comes before a store. */
void gather_follows(struct gatherer *g, expr place, expr value);

/* ---- gather_under.c ---- */
bool gather_counts(struct gatherer *g, expr x);
/* x where it is known what something is equal to: where a path has found that, compilers use it. */
expr gather_known(struct gatherer *g, const struct exec_path *path, unsigned decided, expr x);
/* Whether a condition was branched on, and is not what a division traps by. */
bool gather_is_branch(const struct gatherer *g, const struct exec_path *path, unsigned i);
expr gather_under(struct gatherer *g, const struct exec_path *path, unsigned decided, uint64_t site);
uint64_t gather_last_site(const struct gatherer *g, uint32_t block);

/* ---- gather.c ---- */
/* Memory that is read again may have changed. In sources only volatile variables count: what is read how
 * often is the compiler's choice otherwise. */
void gather_read(struct gatherer *g, term address, uint64_t site);
void gather_path(struct gatherer *g, const struct exec_path *path);

#endif
