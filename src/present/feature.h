/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The features of a function: what it returns, the conditions it branches on, what it calls with which
 * arguments, and what it stores outside its own frame (section 3.1 of the paper named in present/expr.h).
 * Machine code and bitcode yield them through the same symbolic execution, so they can be compared.
 *
 * The function is executed depth first, each block as often as there are ways into it, and at least twice
 * (the paper does so where a block begins with a phi, and once otherwise; variables in memory have no phis):
 * the work grows with the number of edges and not with that of paths. No solver is asked. Loads see what was
 * stored on the path; where nothing was, they are mem(address). String literals are read out.
 *
 * A feature keeps the condition it depends on: the last one decided on the way to it at a branch from which
 * the function can also end without it. The paper does not, and names it as a cause of wrong answers (section
 * 5.1.3). The same feature under two conditions is two. */
#ifndef PRESENT_FEATURE_H
#define PRESENT_FEATURE_H

#include "base/error.h"
#include "base/vec.h"
#include "flow/flow.h"
#include "lift/llvm/bitcode.h"
#include "present/expr.h"

enum feature_kind { FEATURE_RETURN, FEATURE_CONDITION, FEATURE_CALL, FEATURE_STORE };

#define FEATURE_LAST FEATURE_STORE

struct feature {
    uint8_t kind;
    expr what;     /* the value returned; the condition, without a negation around it; the call; the address
                      stored to */
    expr value;    /* stores: what is stored; else EXPR_NONE */
    expr under;    /* the condition it depends on, as it was decided; EXPR_NONE when there is none */
    uint64_t site; /* where it was seen first: an instruction's address */
    const char
        *file; /* and the line it was made from; NULL when that is not known. Lives with the expressions */
    unsigned line;
    bool first; /* it was only seen in the first iteration of a loop: whether it is depends on the compiler */
    unsigned sites; /* at how many instructions it was seen, whatever it sits under */
};

/* Each feature once; ordered by kind, then by keys, so that two runs agree. */
struct features {
    VEC(struct feature) list;
    VEC(expr) note;    /* what is not searched for, but compared (present/sense.h); each once */
    uint32_t blocks;   /* of the function */
    uint64_t executed; /* blocks run */
    uint64_t unknown;  /* instructions that were not understood, and jumps that were not resolved */
    bool complete;     /* no limit was met */
};

struct features_options {
    unsigned timeout_ms; /* 0: none */
    uint64_t max_blocks; /* to run; 0: 20000 */
    /* How many words a function takes that the program does not tell the prototype of; -1: not known. The
     * sources that the program is compared with know. May be NULL. */
    int (*arity)(void *ctx, const char *name);
    int (*floats)(void *ctx, const char *name); /* and how many floats */
    void *arity_ctx;
    /* Another name for what is called; NULL: its own. Functions of a stripped program have none. */
    const char *(*rename)(void *ctx, const char *name);
    void *rename_ctx;
    bool lines; /* find the lines of the source too */
};
/* Such functions over a module: ctx is the struct bitcode. */
int features_arity_of_bitcode(void *module, const char *name);
int features_floats_of_bitcode(void *module, const char *name);

bool features_of_function(struct exprs *t, struct program *p, const struct flow_function *f,
                          const struct features_options *opt, struct features *out, struct error *err);
bool features_of_bitcode(struct exprs *t, struct bitcode *m, const struct bitcode_function *f,
                         const struct features_options *opt, struct features *out, struct error *err);
void features_free(struct features *f);

/* Whether the set has it; where it was seen does not matter, and the condition it sits under only when
 * `under`. */
bool features_have(const struct features *f, const struct feature *x, bool under);
/* But for where it was seen and the condition it sits under. */
bool feature_same(const struct feature *a, const struct feature *b);
/* Whether it calls the function of that name; whether one of them does. */
bool feature_calls(const struct exprs *t, const struct feature *f, const char *name);
bool features_call(const struct exprs *t, const struct features *f, const char *name);
/* Whether it is no store, but what a local holds whose address a callee is given. */
bool feature_is_given(const struct exprs *t, const struct feature *f);
/* And whether it is no call, but which call comes after which. */
bool feature_is_order(const struct exprs *t, const struct feature *f);
/* Of these: which call comes first or last. Any later version may have another one there, so it only counts
 * as part of a patch. */
bool feature_is_edge(const struct exprs *t, const struct feature *f);
/* Whether a store so many bytes further on has the same value, or copies from as much further on: then both
 * may be steps of one that fills or copies memory. */
bool features_have_run(struct exprs *t, const struct features *f, const struct feature *x, int64_t by);
/* Whether it says little by itself: which call is the first or last, or a further step of such a store. */
bool feature_is_minor(struct exprs *t, const struct features *f, const struct feature *x);
const char *feature_kind_name(enum feature_kind k); /* "return", "condition", "call", "store" */
struct buf;
void feature_print(struct buf *out, const struct exprs *t, const struct feature *f);
void feature_print_under(struct buf *out, const struct exprs *t,
                         const struct feature *f); /* with its condition */

#endif
