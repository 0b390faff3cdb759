/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a property hold of a function, or of two versions of it?
 *
 * The function is run symbolically with every branch joined again where its sides meet (exec/explore.h),
 * loops unrolled up to a bound. What comes out is one condition over the entry state whose size grows with
 * the code and not with its paths. GOALS are collected on the way (an access that must not go through a null
 * pointer, an assertion that must not fail, a postcondition); each says when its point is reached and what
 * must hold there. One question goes to the solver: can the precondition hold and some goal not? No: the
 * property holds. Yes: there is a countermodel, which names the goals it refutes, and is run on the concrete
 * interpreter before it is believed.
 *
 * Two versions run over the same entry symbols in one term table. What they call are the same unknown
 * functions, by name, of arguments and memory. Addresses of data are written as a symbol plus where the thing
 * lies in the original, so that relinking makes no difference (pair/symbolic.h). */
#ifndef WP_WP_H
#define WP_WP_H

#include "base/bits.h"
#include "exec/explore.h"
#include "flow/flow.h"
#include "match/match.h"
#include "solve/solve.h"

enum wp_verdict { WP_UNSAT, WP_SAT, WP_UNKNOWN };

enum { WP_UNROLL_AUTO = 40, WP_UNROLL_MOST = 120 }; /* where deepening ends, and the largest number */

struct wp_options {
    /* What must hold. Texts are as on the command line; NULL: not asked for. */
    bool trip_asserts, null_derefs, invalid_derefs, func_calls;
    const char *post_regs;                           /* R1,R2 */
    const char *precond, *postcond, *loop_invariant; /* SMT-LIB */
    const char *const *pre, *const *post;            /* C-like, NULL-terminated */
    /* How. */
    const char *follow; /* POSIX regular expression of callees that are followed */
    unsigned unroll;    /* how often a loop's body is repeated */
    bool unroll_auto;   /* deepen until it makes no difference, up to `unroll` */
    const char *fun_specs;
    const char *user_specs, *user_specs_orig, *user_specs_mod;
    const char *name_map;
    bool init_mem;
    const char *pointer_regs;
    uint64_t stack_base, stack_size;
    struct solve_options solve;
    unsigned timeout_ms; /* for building the condition */
    bool want_smtlib, want_internal;
};

struct wp_register {
    const char *name;
    unsigned width;
    struct bits value;
    bool matters; /* the question mentions it */
};

struct wp_piece {
    uint64_t address;
    const uint8_t *bytes;
    size_t n;
    bool matters; /* not only the return address */
};

/* A goal that the countermodel refutes. */
struct wp_goal {
    const char *tag;    /* "null dereference at 0x1139", "RAX_orig = RAX_mod" */
    const char *values; /* "0x1 = 0x2"; NULL: nothing to add */
    unsigned side;
    uint64_t site; /* 0: the end of the function */
};

/* What a version does from the countermodel on. */
struct wp_step {
    uint32_t block;
    uint64_t address;              /* of the block */
    const struct wp_register *reg; /* that changed since the step before */
    size_t nregs;
};
struct wp_call {
    const char *name;
    uint64_t site;
    bool summarised; /* what it did is the countermodel's choice */
    bool has_result;
    uint64_t result;
};
struct wp_run {
    bool replayed;
    const struct wp_step *step;
    size_t nsteps;
    const struct wp_call *call;
    size_t ncalls;
    const char *end; /* "returns", ... */
    const struct flow_graph *graph;
    /* The state it starts in, in this program's own addresses. */
    const struct wp_register *reg;
    size_t nregs;
    const struct wp_piece *memory;
    size_t nmemory;
};

struct wp_stats {
    size_t goals, terms, condition, blocks[2], instructions[2], symbols;
    uint64_t merges, paths, rounds, build_ms, solve_ms;
    struct solve_stats solve;
};

struct wp_result {
    enum wp_verdict verdict;
    const char *reason; /* of an unknown; of a countermodel that is not believed */
    bool spurious;      /* there is a countermodel, and it was not confirmed */
    const struct wp_goal *goal;
    size_t ngoals;
    unsigned nruns;
    struct wp_run run[2];
    const char *const *note; /* what the answer rests on */
    size_t nnotes;
    unsigned unrolled; /* repetitions of loops looked at */
    bool bounded;      /* and more are possible */
    bool vacuous;      /* no run comes to its end within them, so that nothing was said of the end */
    const char *smtlib, *internal;
    struct wp_stats stats;
    struct arena arena;
};

/* mod NULL: a property of one function. False and *err when the question makes no sense (an unknown register,
 * a malformed condition). The match is of the two programs; the result is freed with wp_result_free. */
bool wp_check(struct program *orig, const struct flow_function *f, struct program *mod,
              const struct flow_function *g, struct match *match, const struct wp_options *opt,
              struct wp_result *out, struct error *err);
void wp_result_free(struct wp_result *r);

/* Conditions on the state at a function's entry in the C-like language, NULL-terminated, as one term over the
 * entry symbols of any explorer of that table that has the program at the bias. False and *err when one is
 * malformed. */
bool wp_read_assumptions(struct terms *t, struct program *p, const struct flow_function *f, uint64_t bias,
                         struct solver *s, const char *const *text, struct arena *arena, term *out,
                         struct error *err);

/* Which function of the modified program the original's is: by name, through the name map, or as the match
 * pairs them. */
const struct flow_function *wp_counterpart(struct program *mod, const struct flow_function *f,
                                           struct match *match, const char *name_map, struct error *err);

/* ---- what a countermodel can be written as (wp/output.c) ---- */
struct buf;
void wp_write_gdb(struct buf *out, struct program *p, const struct flow_function *f,
                  const struct wp_run *run);
void wp_write_bildb(struct buf *out, const struct wp_run *run);
void wp_write_debug(struct buf *out, struct program *p, const struct flow_function *f,
                    const struct wp_run *run, const char *version);

#endif
