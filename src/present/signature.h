/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells a patched function from the one before (sections 3.2 and 3.3 of the paper named in
 * present/expr.h).
 *
 * The features that only one of two references has are generalised as far as they stay unknown to the other,
 * paired by likeness, and ordered: pairs before single ones, simple ones before complex ones. A target is
 * decided by the first pair of which it has one side and not the other. */
#ifndef PRESENT_SIGNATURE_H
#define PRESENT_SIGNATURE_H

#include "present/feature.h"

struct signature_pair {
    struct feature old, new; /* patterns: `what` and `value` may hold EXPR_ANY */
    bool has_old, has_new;   /* a side that is not there has no partner */
    bool place;              /* both versions have the feature, but under other conditions */
};

struct signature {
    VEC(struct signature_pair) pair;
    bool deletion; /* the patch only takes away: nothing in the new version was not in the old one */
};

/* Leave a step out, to see what it is worth. */
struct signature_options {
    bool no_refinement, no_ranking;
};

/* Fails (false) when the features of the two are the same: then they tell nothing. */
bool signature_make(struct exprs *t, const struct features *old, const struct features *new,
                    const struct signature_options *opt, struct signature *out);
void signature_free(struct signature *s);

/* The feature, generalised as far as it stays unlike all of the others. */
struct feature signature_refine(struct exprs *t, struct feature f, const struct features *others);
/* Whether it says something of its own: "_ == 0" is in every other function. */
bool signature_says_something(const struct exprs *t, const struct feature *f);

bool signature_instance(const struct exprs *t, const struct feature *pattern, const struct feature *f);
/* The first instance of a pattern that a target has; NULL when there is none. */
const struct feature *signature_find(const struct exprs *t, const struct feature *pattern,
                                     const struct features *target);

enum signature_answer { SIGNATURE_OLD, SIGNATURE_NEW, SIGNATURE_NEITHER };

struct signature_verdict {
    enum signature_answer answer; /* NEITHER: no pair decides */
    enum signature_answer
        paper;         /* what the paper makes of it: OLD when no pair decides, NEW after a pure deletion */
    size_t decided_by; /* index of the pair; SIZE_MAX: none */
    unsigned for_old, for_new; /* pairs that speak for either */
};
struct signature_verdict signature_test(const struct exprs *t, const struct signature *s,
                                        const struct features *target);

/* Maximum-weight matching in a bipartite graph (Kuhn 1955, Munkres 1957). weight[i * columns + k] joins row i
 * and column k; partner[i] is the column of row i, or UINT32_MAX: an edge of weight 0 joins nothing. */
void assign_best(const unsigned *weight, size_t rows, size_t columns, uint32_t *partner);

#endif
