/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the work of verify is shared out among the functions of a run.
 *
 * Every function is first asked with a small limit. What that leaves undecided is asked again with larger ones,
 * smallest first, as far as the budget of the whole run goes. Limits and budget count work, and what is asked in
 * a round depends only on the results of the rounds before; so neither the clock nor the number of workers
 * decides anything.
 *
 * It listens to the messages of the functions (ask_verify's) and knows from them what is left. */
#ifndef ASK_VERIFY_SCHEDULE_H
#define ASK_VERIFY_SCHEDULE_H

#include "ask/verify.h"

/* A function that more work may decide. */
struct schedule_item {
    uint32_t file;     /* in the order of the files */
    uint64_t old, new; /* addresses, as shown */
    uint64_t size;     /* of both, bytes */
    unsigned spent_ms; /* the limit it was asked with */
    bool chosen;       /* for this round */
};

struct schedule {
    unsigned timeout_ms; /* the last limit of a function; 0: none */
    uint64_t budget_ms;  /* of the run; 0: none */
    unsigned limit_ms;   /* of this round; 0: none */
    uint64_t used;       /* units of work */
    uint32_t file;       /* that messages are about */
    uint32_t files;      /* that were begun */
    VEC(struct schedule_item) left;
};

/* For one file or all of them. */
struct schedule schedule_begin(const struct ask_verify *q);
void schedule_end(struct schedule *s);
/* The first limit, for a file with so many functions. */
unsigned schedule_first(const struct schedule *s, size_t nfiles, size_t nfunctions);
/* What a message says; an ask_hear_fn that takes nothing away. */
bool schedule_hear(void *ctx, unsigned message, const char *bytes, size_t n);
/* Chooses what is asked in the next round, and its limit. False when there is nothing. */
bool schedule_next(struct schedule *s);
const struct schedule_item *schedule_find(const struct schedule *s, uint32_t file, uint64_t old, uint64_t new);
/* Whether a result with this limit leaves it open, and more work may decide it. */
bool schedule_may_decide(const struct verify_result *r, unsigned limit_ms);

#endif
