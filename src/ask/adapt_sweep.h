/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay adapt --sweep`: many pairs of functions, each function explored once. */
#ifndef ASK_ADAPT_SWEEP_H
#define ASK_ADAPT_SWEEP_H

#include "adapt/adapt.h"
#include "ask/ask.h"
#include "base/vec.h"

struct ask_adapt_sweep {
    const char *file;       /* of the targets */
    const char *against;    /* every function of it is asked about; NULL: */
    unsigned near;          /* so many neighbours on either side, in the order of addresses */
    bool fragments;         /* targets are fragments of the file instead of its functions */
    const char *tasks;      /* a file with lines "TARGET INNER" instead; NULL: none */
    unsigned slice, slices; /* only every slices-th task, from slice on; 0 slices: all */
    const char *store;      /* or NULL */
    struct object_options object;
    struct adapt_options how;
    bool keep; /* summaries may be taken from other workers and runs, and are kept for them */
    struct ask_limits limits;
};

struct ask_swept {
    const char *target, *inner;
    uint8_t verdict;     /* enum adapt_verdict */
    const char *adapter; /* "#0, 0 -> result"; or NULL */
    const char *family, *reason;
    bool trivial, bounded;
    uint64_t ms;      /* of processor time, without exploring the two */
    uint64_t made, found; /* summaries for it: functions that were explored, those that were known */
    uint64_t cluster; /* adapted inner functions that did the same on all runs have the same one; 0: none */
};

struct ask_adapt_swept {
    VEC(struct ask_swept) task; /* those of the store included */
    size_t stored;              /* so many were there before */
    uint64_t wanted;            /* tasks of the sweep */
    const char *trouble;        /* why summaries cannot be kept; or NULL */
    struct ask_end end;
    /* Its own: */
    const struct ask_adapt_sweep *q;
    struct adapt_store *store;
    struct strmap done;  /* "TARGET INNER" */
    struct error failed; /* of the store */
    struct arena arena;
};

bool ask_adapt_sweep(const struct ask_adapt_sweep *q, const struct ask_session *session,
                     struct ask_adapt_swept *a, struct error *err);
void ask_adapt_sweep_free(struct ask_adapt_swept *a);
enum ask_status ask_adapt_sweep_status(const struct ask_adapt_swept *a);

#endif
