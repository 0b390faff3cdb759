/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay explore`: what functions do, path by path. */
#ifndef ASK_EXPLORE_H
#define ASK_EXPLORE_H

#include "ask/ask.h"
#include "ask/facts.h"
#include "base/vec.h"
#include "exec/explore.h"

/* ---- a path, its terms written out ---- */

/* A name that texts of the path use. */
struct ask_definition {
    const char *name, *term;
};

struct ask_event {
    uint8_t kind; /* enum event_kind */
    uint64_t site;
    const char *name;                             /* or NULL: */
    const char *target;                           /* what it calls, or NULL */
    const char *const *argument, *const *besides; /* besides: what it reads without being given it */
    size_t narguments, nbesides;
    const char *result; /* or NULL */
    const char *guard;  /* it happens only then; NULL: always */
};

struct ask_write {
    uint64_t site;
    const char *address, *value, *guard;
    uint32_t bytes;
};

struct ask_path {
    uint8_t end; /* enum path_end */
    uint64_t end_address;
    const char *const *condition; /* what was decided on the way; none: it is always taken */
    size_t nconditions;
    const char *result; /* NULL when it does not return one */
    bool merged;
    const struct ask_write *write; /* outside the function's own frame */
    size_t nwrites;
    uint32_t local_writes;
    const struct ask_event *event;
    size_t nevents;
    const uint32_t *block;
    size_t nblocks;
    const struct ask_definition *where;
    size_t nwhere;
};

/* ---- the question ---- */

struct ask_explore {
    struct program *open; /* a program that is open already; or NULL: */
    const char *file;
    struct object_options object;
    const char *const *function; /* NAME or 0xADDRESS */
    size_t nfunctions;
    bool all; /* instead of those */
    struct explore_options explore;
    struct solve_options solve;
    struct ask_limits limits; /* `timeout` is for a function */
    /* Told of every path as it is found, and may stop it; the answer then has none. */
    bool (*each)(void *ctx, const struct ask_path *path);
    void *ctx;
};

/* ---- the answer ---- */

/* What is known at the end: what was assumed and given up, and counters. */
struct ask_ledger {
    struct explore_stats explore;
    struct solve_stats solve;
    struct terms_stats terms;
};

struct ask_explored {
    const char *function;
    uint64_t address;
    bool begun; /* false: its worker died before it said anything */
    VEC(struct ask_path) path;
    bool finished; /* the ledger is there */
    struct ask_ledger ledger;
    bool complete;
    const char *reason; /* why not; NULL: not known */
};

struct ask_explore_answer {
    bool begun; /* there is something to show */
    struct ask_facts facts;
    VEC(struct ask_explored) explored;
    struct ask_end end;
    /* Its own: */
    const struct ask_explore *q;
    struct arena arena;
};

bool ask_explore(const struct ask_explore *q, const struct ask_session *session, struct ask_explore_answer *a,
                 struct error *err);
void ask_explore_free(struct ask_explore_answer *a);
enum ask_status ask_explore_status(const struct ask_explore_answer *a);

#endif
