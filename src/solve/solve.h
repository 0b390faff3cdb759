/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deciding whether a set of terms can hold together.
 *
 * A query goes through stages, each cheaper than the next: the rewriter may already have made it constant; a
 * cheap decision (known bits, contradicting literals, intervals of one symbol, a handful of sample models);
 * the cache; how the conditions are joined, whatever they compare; the model of a similar query, changed a
 * little; equal parts of large terms, each proved by a small query; the cases of the conditions that choices
 * hang on; then the solver: Z3 in process, or an SMT-LIB child process, or both in a race. A "sat" carries a
 * model, and the model is evaluated against every assertion before it is believed: one that fails is
 * SOLVE_UNKNOWN with a reason, and is counted. */
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "term/term.h"

enum solve_answer { SOLVE_UNSAT, SOLVE_SAT, SOLVE_UNKNOWN };

enum solve_engine { SOLVE_Z3, SOLVE_EXTERNAL, SOLVE_RACE };

enum { SOLVE_STEPS_MS = 2500 };

struct solve_options {
    enum solve_engine engine;
    const char
        *command; /* external solver: a command line reading SMT-LIB from a file given last; NULL: "cvc5" */
    unsigned timeout_ms; /* for one query; 0: 10000 */
    unsigned effort; /* for one query, in steps as Z3 counts them, about SOLVE_STEPS_MS a millisecond: a limit
                      * that is the same on every machine; 0: none */
    const char *dump_dir; /* write every query that reaches a solver there as NNNNNN.smt2, with the answer as
                             a comment */
    bool fp_theory;       /* floats in the solver's theory; otherwise as uninterpreted functions at first, */
    bool fp_functions;    /* or always: that theory does not look at the clock */
    uint64_t memory_mb;   /* 0: no limit of its own */
    unsigned head_start_ms; /* race: Z3 alone for so long before the other process is started; 0: 5 */
};

struct solve_stats {
    uint64_t queries, by_rewriting, by_cheap, by_cache, by_solver, sat, unsat, unknown, models_rejected;
    uint64_t repaired; /* parts of queries satisfied by changing the model of a similar one */
    uint64_t merged;   /* parts of large queries found equal to others, by queries of their own */
    uint64_t solver_ms;
};

struct solver;
struct error;

/* NULL and *err when the options are unusable (an unknown solver command, an unwritable directory). */
struct solver *solver_new(struct terms *t, const struct solve_options *opt, struct error *err);
void solver_free(struct solver *s);

/* From here on no query gets more than is left of that, but a tenth of it in any case, so that what was found
 * just before can still be confirmed. Only with a limit of steps is work counted. */
void solver_until(struct solver *s, struct budget b);

/* Is the conjunction satisfiable? When SAT and model is not NULL, *model is a checked model the caller frees.
 */
enum solve_answer solve_check(struct solver *s, const term *assertion, size_t n, struct term_model **model);
/* The same, with a small share of the effort. */
enum solve_answer solve_try(struct solver *s, const term *assertion, size_t n, struct term_model **model);
/* Is it still with `extra`, where it is known to be without? Only what shares symbols with that is looked at.
 */
enum solve_answer solve_extends(struct solver *s, const term *known, size_t n, term extra);
/* Does x hold always, given the assumptions? UNSAT of the negation: yes. */
enum solve_answer solve_valid(struct solver *s, const term *assume, size_t n, term x);
/* Why the last answer was SOLVE_UNKNOWN: "time limit of 10000 ms", "model does not satisfy the query", ... */
const char *solver_reason(const struct solver *s);
/* At which limit it was, if at one. */
enum solve_limit { SOLVE_NO_LIMIT, SOLVE_LIMIT_WORK, SOLVE_LIMIT_MEMORY };
enum solve_limit solver_limit(const struct solver *s);
struct solve_stats solver_stats(const struct solver *s);

#endif
