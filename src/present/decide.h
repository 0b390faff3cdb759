/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a patch in a program? (section 3.3 of the paper named in present/expr.h, and past it)
 *
 * Each touched function that the program has is asked about. The evidence of all pairs of features is added
 * up (present/weigh.h), weighted by how much a variant resembles the target; the pair with the most weight
 * for the answer is reported as the one that decided. Then every part of the patch is asked about
 * (present/parts.h): a function with one missing is not patched. When no pair decides, a target that has
 * nearly all that both versions have is taken for vulnerable, or for patched when the patch only takes away;
 * one that does not is unknown: then it is not the code that the references are of, or it was not understood.
 * So is one that shows nothing of the old version either, unless it lacks a part.
 */
#ifndef PRESENT_DECIDE_H
#define PRESENT_DECIDE_H

#include "present/parts.h"

enum present_verdict {
    PRESENT_PATCHED,
    PRESENT_PARTIAL, /* some of its parts are there and some are not: it is not fixed */
    PRESENT_VULNERABLE,
    PRESENT_UNKNOWN,
    PRESENT_NOT_THERE
};
#define PRESENT_LAST PRESENT_NOT_THERE
const char *present_verdict_name(enum present_verdict v); /* "patched", "partially patched", ... */

/* What became of one pair of features. */
struct present_evidence {
    uint32_t variant;                  /* of the function */
    const struct signature_pair *pair; /* in the reference */
    bool old, new;                     /* which sides the target has */
    double says;                       /* above 0 for patched, below for vulnerable, by how much */
    bool solved;                       /* a side was found by the solver only */
    bool decided;                      /* this is the one */
    uint64_t old_site, new_site;       /* where in the target */
};

/* What became of one part of the patch. */
struct present_part {
    const struct reference_part *part;
    enum part_state state;
    uint64_t site; /* where in the target it is, or what it should have replaced; 0: nowhere */
    bool tells;    /* it has a name or a number that the other version does not know */
};

struct present_function {
    const struct reference_function *f;
    enum present_verdict verdict;
    double confidence;  /* 0 to 1 */
    uint64_t address;   /* in the target */
    const char *found;  /* the name it has there; NULL: it is not there */
    bool guessed;       /* found by what it is like, for it has no name there */
    const char *reason; /* why it is unknown or not there, or that nothing decided; NULL */
    VEC(struct present_evidence) evidence;
    VEC(struct present_part) part;
    double context; /* share of what both versions have that the target has too */
    double says;    /* what its evidence adds up to: above 0 for patched, below for vulnerable */
    const char *against; /* what speaks against the patch where all its parts are there; NULL: nothing */
    bool untouched; /* the variant most similar to it is one in which the patch does not change it */
    bool always;    /* the patch changes it however it is compiled */
};

struct present_answer {
    enum present_verdict verdict;
    double confidence;
    const char *reason;                    /* why the functions together are not known; NULL */
    VEC(struct present_function) function; /* as in the reference */
    size_t executed;                       /* functions of the target that were; others were not lifted */
    struct arena arena;
};

/* Where a function of the references is in the target, whatever it is called there. */
struct present_place {
    const char *name;
    uint64_t address;
};

struct present_options {
    const struct present_place *place;
    size_t nplaces;
    bool no_solver;
    unsigned timeout_ms; /* for one function; 0: none */
};

/* The answer keeps references to the reference, and not to the program. */
bool present_test(struct program *p, const struct reference *r, const struct present_options *opt,
                  struct present_answer *out, struct error *err);
void present_free(struct present_answer *a);

#endif
