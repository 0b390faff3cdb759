/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/solve share. Nobody else includes this. */
#ifndef SOLVE_INTERNAL_H
#define SOLVE_INTERNAL_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "solve/solve.h"
#include "term/smtlib.h"
#include "term/term.h"

struct term_list {
    term *data;
    size_t len, cap;
};

/* ---- values and assignments (model.c) ---- */

struct cell {
    uint64_t index;
    struct bits value;
};

/* A bit-vector, or an array as a default cell and exceptions. */
struct value {
    bool is_array;
    struct bits bits; /* the value, or the default cell */
    VEC(struct cell) cell;
};

void value_free(struct value *v);
struct value value_copy(const struct value *v);

/* Values for some terms: symbols, and applications of uninterpreted functions. */
struct assignment {
    VEC(term) of;
    VEC(struct value) value;
};

void assignment_add(struct assignment *a, term x, struct value v); /* takes the value's cells */
void assignment_append(struct assignment *a, const struct assignment *b);
void assignment_truncate(struct assignment *a, size_t n); /* all but the first n */
void assignment_free(struct assignment *a);

/* What a model has to give values for: the symbols and the applications of uninterpreted functions in these
 * terms, operands before what uses them. `abstract` (may be NULL) gets the nodes whose meaning is known here
 * but may be left uninterpreted for the solver: pure functions that can be computed, and floating-point
 * operators. */
void model_wanted(struct terms *t, const term *x, size_t n, struct term_list *wanted,
                  struct term_list *abstract);

/* Does an uninterpreted function that takes or returns an array occur? Its values belong to single
 * applications. */
bool model_has_array_functions(struct terms *t, const term *x, size_t n);
/* The model of an assignment; NULL when it gives one function two values for the same arguments. */
struct term_model *model_build(struct terms *t, const struct assignment *a);

enum model_check { MODEL_HOLDS, MODEL_FAILS, MODEL_CANNOT_SAY };
/* Evaluates every term. Functions of arrays are given values application by application, so it is also
 * checked that no two applications with equal arguments differ. */
enum model_check model_check(struct terms *t, const struct term_model *m, const term *x, size_t n);

/* ---- asking a solver ---- */

struct question {
    struct smt_graph *graph;
    struct terms *terms;
    const smt_node *assertion;
    size_t nassertions;
    const term *wanted; /* terms to have values for when satisfiable */
    const smt_node *wanted_node;
    size_t nwanted;
    unsigned timeout_ms, effort;
    uint64_t memory_mb;
    /* When set, Z3 works in a thread of its own and this is called meanwhile, once or twice for a query.
     * It returns true when `done` can be read, or false when Z3 need not go on: then it is not waited for
     * before the next query, or a fork. */
    bool (*meanwhile)(void *ctx, int done);
    void *meanwhile_ctx;
};

/* Why there is no answer. */
enum reply_why { WHY_OTHER, WHY_STEPS, WHY_TIME, WHY_MEMORY };

struct reply {
    enum solve_answer answer;
    struct assignment model; /* when SAT */
    enum reply_why why;      /* when UNKNOWN, for programs ... */
    char reason[256];        /* ... and for people */
    uint64_t steps;          /* that Z3 needed, if they were to be limited */
};

void reply_free(struct reply *r);
void reply_unknown(struct reply *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A limit of the query was met. */
void reply_limit(struct reply *r, const struct question *q, enum reply_why why);
/* Reads a solver's output: the answer, then the values of q->wanted in order. */
void reply_parse(struct reply *r, const struct question *q, const char *text, size_t n);
/* Is the answer there with all that belongs to it, whatever may follow? */
bool reply_is_complete(const struct question *q, const char *text, size_t n);

/* Z3 in this process (z3.c). Translations are kept from query to query until the context has grown
 * large. */
struct z3;
struct z3 *z3_new(void);
void z3_free(struct z3 *z);
void z3_ask(struct z3 *z, const struct question *q, struct reply *r);

/* Running a command on scripts, one at a time (minder.c). No process is started before that. */
enum { MINDER_NO_EXEC = 127 }; /* exit code of a command that could not be run */
struct minder;
struct minder *minder_new(char *const *argv); /* borrowed */
void minder_free(struct minder *m);
/* Starts the command on a script, with its output to `out`; one that still runs is ended. False with errno. */
bool minder_start(struct minder *m, int script, const struct question *q, int out);
/* Ends the command if it still runs, without waiting for it to be gone. */
void minder_stop(struct minder *m);
/* Ends the command if it does not end by itself in so much time. Returns its exit code, 128 + N when a signal
 * ended it. */
int minder_exit_code(struct minder *m, unsigned patience_ms);

/* Asking it (child.c). `name` is the command's in messages. */
void child_ask(struct minder *m, const char *name, const struct question *q, struct reply *r);
/* Accepts a reply or, by returning false, has the race go on. */
typedef bool accept_fn(void *ctx, struct reply *r);
/* Has Z3 work on it in this process and, from `head_start_ms` on, the command in parallel; the first definite
 * reply that is accepted wins. */
void child_race(struct minder *m, const char *name, struct z3 *z, struct question *q, unsigned head_start_ms,
                accept_fn *accept, void *ctx, struct reply *r);

/* ---- deciding without a solver (cheap.c) ---- */

enum cheap { CHEAP_UNSAT, CHEAP_SAT, CHEAP_UNKNOWN };

/* Looks for a contradiction, or for an assignment that satisfies all (then *found has it). `conjunct` may be
 * replaced by an equivalent shorter list, in which case *changed is set; values implied for what disappeared
 * are added to *found in every case. */
enum cheap cheap_decide(struct terms *t, struct term_list *conjunct, struct assignment *found, bool *changed);

/* Puts constants for the symbols that must have them. A symbol that was replaced everywhere leaves the query,
 * and its value goes to *found. False on a contradiction. */
bool cheap_propagate(struct terms *t, struct term_list *conjunct, struct assignment *found, bool *changed);

/* Splits conjunctions, drops what is true and what is there twice, sorts by number. False on a contradiction
 * between two of them or a false one. */
bool conjuncts_flatten(struct terms *t, const term *x, size_t n, struct term_list *out);

/* ---- arrays that are only read (cells.c) ---- */

struct cell_read {
    term read, array, base; /* base is TERM_NONE for constant indices */
    uint64_t offset;
    unsigned n;  /* cells */
    term symbol; /* what stands for the read */
};

struct cells {
    VEC(struct cell_read) read;
};

/* Replaces the reads of arrays that are no more than their reads by symbols. The result is satisfiable
 * exactly when the conjuncts were. False when there was nothing to replace. */
bool cells_eliminate(struct terms *t, struct term_list *conjunct, struct cells *c);
/* Gives the arrays the contents that make the reads what their symbols are in *a. */
void cells_restore(struct terms *t, const struct cells *c, struct assignment *a);
/* Is x a symbol that stands for a read? These never leave this folder. */
bool cells_made(const struct terms *t, term x);
void cells_free(struct cells *c);

/* ---- reads past writes at computed places (words.c) ---- */

/* The terms with reads past writes that they meet wholly or not at all written as choices; equivalent. False when there
 * are none, or too many: then *out is of no use. */
bool words_expand(struct terms *t, const term *x, size_t n, struct term_list *out);

/* ---- cases of choices (split.c) ---- */

/* Decides a case without choices (flat); appends to *model. */
typedef enum solve_answer split_ask(void *ctx, const struct term_list *conjunct, struct assignment *model);
/* Decides what is easily decided once it is said which way choices go. UNKNOWN: not so. *model gets values
 * when SAT, which are to be checked. */
enum solve_answer split_decide(struct terms *t, const term *x, size_t n, split_ask *ask, void *ctx,
                               struct assignment *model);

/* ---- equal parts of large terms (sweep.c) ---- */

struct sweep_memo {
    struct map known; /* queries: was it refuted */
    uint64_t asked, merged;
};
/* Cannot this small query be satisfied, as far as is found out with little effort? */
typedef bool sweep_ask(void *ctx, term question);
/* The conjuncts with what was proved to be equal made the same; equivalent. False when nothing was. */
bool sweep(struct terms *t, const struct term_list *conjunct, struct sweep_memo *memo, sweep_ask *ask, void *ctx,
           struct budget *until, struct term_list *out);
void sweep_memo_free(struct sweep_memo *memo);

/* ---- remembering (cache.c) ---- */

struct cache;
struct cache *cache_new(void);
void cache_free(struct cache *c);
/* `x` is sorted. True when the answer is known: SAT with *model borrowed until the next addition; UNSAT, also
 * as a superset of what was found unsatisfiable; UNKNOWN with the *reason, so that what took all its time
 * once does not take it again, unless twice the work is allowed: `units`, of which 0 is no limit. */
bool cache_find(const struct cache *c, const term *x, size_t n, enum solve_answer *answer,
                const struct assignment **model, const char **reason, enum reply_why *why, uint64_t units);
void cache_add(struct cache *c, const term *x, size_t n, enum solve_answer answer,
               const struct assignment *model, const char *reason, enum reply_why why, uint64_t units);
/* The i-th newest model, NULL when there are fewer. */
const struct assignment *cache_recent(const struct cache *c, size_t i);

/* ---- models of similar queries (repair.c) ---- */

/* Tries to turn an assignment that almost satisfies the terms into one that does (*out, empty before). */
bool repair_model(struct terms *t, const struct assignment *start, const term *x, size_t n, struct assignment *out);

/* ---- how conditions are joined (skeleton.c) ---- */

struct skeleton;
struct skeleton *skeleton_new(struct terms *t);
void skeleton_free(struct skeleton *s);
/* Does it follow from how their conditions are joined that the terms cannot hold together? If not, *literal
 * has comparisons that make them hold, as far as they were looked at. */
bool skeleton_refutes(struct skeleton *s, const term *x, size_t n, struct term_list *literal);

/* ---- independent parts (slice.c) ---- */

struct slicer;
struct slicer *slicer_new(struct terms *t);
void slicer_free(struct slicer *s);
/* Sets part[i] of every term to the number of its component, counted from 0: two terms that share a symbol or
 * an uninterpreted function are in one. Returns the number of components. */
size_t slice(struct slicer *s, const term *x, size_t n, size_t *part);

#endif
