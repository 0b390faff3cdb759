/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is one version of a function safe to apply in place of another?
 *
 * SAFE TO APPLY, after VeriBin (NDSS 2025): for every input
 *   P1  what the new version accepts, the old one accepted too;
 * and for every input both accept
 *   P2  they leave the same memory outside their own frames, at the end and at every call;
 *   P3  they return the same value, if they return one;
 *   P4  they make the same calls, in the same order, with the same arguments.
 * An input is accepted when the run it causes ends in a valid exit; which exits are error exits is decided by
 * the heuristics of exits.c, and every exit says which one classed it.
 *
 * A verdict is SAFE only when all four are proved, under the assumptions listed with it; UNSAFE only with an
 * input on which they differ, found by the solver, evaluated, and replayed on the concrete interpreter where
 * that is possible. BOUNDED(K): neither is known, and paths that run each block at most K times show no
 * difference. Everything else is UNKNOWN. Both have a reason. */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "base/alloc.h"
#include "exec/explore.h"
#include "match/match.h"
#include "verify/reason.h"

enum verify_verdict { VERIFY_SAFE, VERIFY_UNSAFE, VERIFY_UNKNOWN, VERIFY_BOUNDED, VERIFY_VERDICTS };
/* A set. */
enum verify_property {
    VERIFY_P1 = 1,
    VERIFY_P2 = 2,
    VERIFY_P3 = 4,
    VERIFY_P4 = 8,
    VERIFY_PROPERTIES_ALL = VERIFY_P1 | VERIFY_P2 | VERIFY_P3 | VERIFY_P4
};
enum verify_strategy { VERIFY_CONVERGE, VERIFY_PATHS };

/* What an analyst can be asked about a difference (table I of the paper). */
enum verify_question {
    VERIFY_Q_NONE, /* P1, P3: nothing to be granted but the whole difference */
    VERIFY_Q1,     /* a different value is written */
    VERIFY_Q2,     /* a write too many or too few */
    VERIFY_Q3,     /* a call replaced by another */
    VERIFY_Q4,     /* a call made a different number of times */
    VERIFY_Q5,     /* a different argument */
};

/* Heuristics that class exits; a set. USER: the configuration's exit edges, error functions, invalid values.
 */
enum verify_heuristic {
    VERIFY_BY_A = 1,
    VERIFY_BY_B = 2,
    VERIFY_BY_C = 4,
    VERIFY_BY_USER = 8,
    VERIFY_BY_ALL = 15
};

/* What may be assumed, each listed with the verdict when it was used; a set. --assume none clears it. */
enum verify_assume {
    VERIFY_ASSUME_FRAME = 1,      /* frames laid out differently correspond slot by slot */
    VERIFY_ASSUME_DATA = 2,       /* paired data at different addresses is the same data */
    VERIFY_ASSUME_PRIVATE = 4,    /* a local that only one version has is out of the reach of its callees */
    VERIFY_ASSUME_ARGUMENTS = 8,  /* a function takes no more arguments than it, or some call of it, shows */
    VERIFY_ASSUME_RESULT = 16,    /* what of the result's registers is set for nothing is no part of it */
    VERIFY_ASSUME_LIBRARIES = 32, /* imports take what the code of the available libraries shows */
    VERIFY_ASSUME_ALIASING = 64,  /* a pointer that accesses more than a variable has does not lead into it */
    VERIFY_ASSUME_ALL = 127
};

/* ---- what the user states (config.c fills it; all members may be empty) ---- */

struct verify_prototype {
    const char *name; /* function */
    int nargs;        /* -1: not said */
    int returns;      /* 1, 0, -1 not said */
    bool variadic;
    uint32_t outputs; /* bit i: argument i points to what it fills in; 0: not said */
    bool used;
};
struct verify_name {
    bool new; /* of the new program */
    uint64_t address;
    const char *name;
    bool used;
};
struct verify_equal {
    const char *old, *new; /* functions to treat as equal */
    bool used;
};
struct verify_value {
    const char *function; /* NULL: any */
    int64_t value;        /* a return value that means an error */
    bool used;
};
struct verify_edge {
    bool new;
    uint64_t from, to; /* instruction or block addresses: whoever takes this edge is an error exit */
    bool used;
};
struct verify_word {
    const char *text;
    bool used;
};
struct verify_knowledge {
    struct verify_prototype *prototype;
    size_t nprototypes;
    struct verify_name *name;
    size_t nnames;
    struct verify_equal *equal;
    size_t nequals;
    struct verify_word *error_function; /* calls that end in error */
    size_t nerror_functions;
    struct verify_word *pure_function; /* without side effects: calls to it do not count */
    size_t npure_functions;
    struct verify_word *ignore; /* functions not to look at */
    size_t nignores;
    struct verify_value *invalid;
    size_t ninvalid;
    struct verify_edge *edge;
    size_t nedges;
    struct verify_word *accepted; /* keys of differences that were accepted (verify_difference.key) */
    size_t naccepted;
};

/* What an available library tells about a function that both versions import (libraries.c). */
struct verify_import {
    const char *name;
    const char *library; /* that defines it: its soname */
    struct flow_takes takes;
};

/* ---- the answer ---- */

struct verify_exit {
    bool new;
    uint8_t end; /* enum path_end */
    uint64_t address;
    bool error;       /* an error exit; false: valid */
    bool sometimes;   /* error under `when` only, valid otherwise */
    unsigned by;      /* enum verify_heuristic that classed it, 0 for a valid one */
    const char *why;  /* "calls abort, which does not return", "returns -1" */
    const char *when; /* or NULL */
};

/* Inputs that the old version accepts and the new one rejects. */
struct verify_rejection {
    const char *when; /* NULL: whatever the input is, as far as is known */
    uint64_t site;    /* the new version's exit */
    const char *line; /* "file.c:12", or NULL */
};

struct verify_input {
    const char *name;  /* "arg0", "png", "mem[0x601040]", "ret:read" */
    const char *value; /* hexadecimal, or a string in quotes */
};

/* A block of a run: registers that changed since the one before (at the first: the arguments), and what it
 * accesses, as that is when the block was run. The last step has no block: it is where the run ends. */
struct verify_access {
    const char *place; /* "total", "[sp at entry - 0x8]", "[0x1000]" */
    const char *value;
    bool write;
};
struct verify_step {
    uint64_t block;
    const struct verify_input *reg;
    size_t nregs;
    const struct verify_access *access;
    size_t naccesses;
};

enum verify_replay { VERIFY_NOT_REPLAYED, VERIFY_REPLAYED, VERIFY_REPLAY_FAILED };

struct verify_difference {
    unsigned property; /* one of enum verify_property */
    uint8_t question;  /* enum verify_question */
    const char *key;   /* says what it is without addresses: stays the same in the next build; NULL: it cannot
                        * be   told from others, and not be accepted */
    const char *what;  /* "argument 2 of memcpy", "global_count", "the return value" */
    const char *old_text, *new_text;  /* the smallest expressions that differ; NULL where there is none */
    const char *condition;            /* under which the two versions differ, simplified; NULL: always */
    double share;                     /* estimated share of inputs it covers, 0..1; negative: not estimated */
    double share_low, share_high;     /* sound bounds; 0 and 1 when none was cheap */
    uint64_t old_site, new_site;      /* instructions; 0 where there is none */
    const char *old_line, *new_line;  /* "file.c:12", or NULL */
    const struct verify_input *input; /* the counterexample */
    size_t ninputs;
    const uint64_t *old_trace, *new_trace; /* addresses of the blocks it runs through */
    size_t nold_trace, nnew_trace;
    const struct verify_step *old_step, *new_step; /* when they were asked for */
    size_t nold_steps, nnew_steps;
    uint8_t replay;         /* enum verify_replay */
    const char *replay_why; /* when it failed or was not tried */
    bool accepted;          /* by the analyst */
};

struct verify_assumption {
    const char *name; /* "frame", "data", "private", "heap", "abi", ... */
    const char *text; /* "sp-0x28 here is sp-0x18 there" */
    uint64_t count;
    const char *denied_by; /* "--assume without frame"; NULL: nothing does */
};

struct verify_stats {
    uint64_t terms, queries, by_solver, cut_points, segments, paths, states, merges;
    uint64_t work; /* units of base/budget.h */
};

struct verify_result {
    enum verify_verdict verdict;
    unsigned failed; /* set of enum verify_property: UNSAFE: refuted ones; else those not proved */
    unsigned rounds; /* BOUNDED: K */
    struct verify_reason
        reason; /* why UNKNOWN or BOUNDED; of SAFE only the text, on what it rests ("identical code") */
    const struct verify_difference *difference;
    size_t ndifferences;
    size_t naccepted; /* of them */
    const struct verify_exit *exit;
    size_t nexits;
    const struct verify_rejection *rejection; /* of SAFE: what it now rejects */
    size_t nrejections;
    bool rejects_otherwise; /* of SAFE: inputs that both versions reject leave something else in memory */
    const struct verify_assumption *assumption; /* the ledger */
    size_t nassumptions;
    const char *const *warning; /* "changed block at 0x.. was never reached" */
    size_t nwarnings;
    const char *const *rests_on; /* callees that changed, whose verdicts this one presupposes */
    size_t nrests_on;
    bool divisible;      /* paths: every path found its partner */
    uint64_t path_pairs; /* paths: matching path pairs */
    struct verify_stats stats;
};

/* ---- asking ---- */

struct verify_options {
    enum verify_strategy strategy;
    unsigned heuristics; /* set of enum verify_heuristic */
    unsigned assume;     /* set of enum verify_assume */
    unsigned axioms;     /* set of enum exec_axiom */
    double short_ratio;  /* heuristic C; 0: 0.8 */
    unsigned timeout_ms; /* for one function, see base/deadline.h; 0: none */
    struct solve_options solve;
    struct verify_knowledge *know; /* or NULL; `used` marks are set */
    const struct verify_import *import; /* by name */
    size_t nimports;
    bool steps;                    /* of the counterexamples' runs are wanted */
};

/* Compares two functions of the matched programs (indices into program_functions). Everything in *out lives
 * in `arena`. Never fails: what cannot be done is UNKNOWN. */
void verify_functions(struct match *m, uint32_t old, uint32_t new, const struct verify_options *opt,
                      struct arena *arena, struct verify_result *out);

/* Fills in what a verdict about a function rests on: callees that changed, and, `through` those that did
 * not, theirs. */
void verify_rests_on(struct match *m, uint32_t old, bool through, struct arena *arena,
                     struct verify_result *out);

const char *verify_verdict_name(enum verify_verdict v);   /* "safe", "unsafe", "unknown", "bounded" */
bool verify_is_open(enum verify_verdict v);               /* neither proved nor refuted */
const char *verify_question_name(enum verify_question q); /* "Q1"; "" for none */
/* "P1,P4" written into out. */
const char *verify_properties_text(unsigned set, char *out, size_t cap);

#endif
