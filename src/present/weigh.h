/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much a feature says.
 *
 * The paper lets the first pair decide of which a target has one side and not the other. That is as good as
 * the order; here all of them are added up, each as much as it says. A name, a string or a number that the
 * other version does not know anywhere says much; a feature that is the reference's own says more than one
 * that is only an instance of its generalisation; and a feature of the target that the other version has as
 * well, however that was compiled, says nothing. */
#ifndef PRESENT_WEIGH_H
#define PRESENT_WEIGH_H

#include "base/map.h"
#include "present/prove.h"
#include "present/reference.h"

struct weigher {
    struct exprs *e;
    const struct reference_function *f;
    /* By version, old and new: keys of the names and numbers in it, and of its features with and without what
     * they sit under, in all variants. */
    struct map words[2], feature[2], placed[2];
    struct prover *prover; /* for features that do not look the same; NULL: form only */
    uint64_t solved;       /* features that it found */
};

/* Of the variants with pointers of this many bits; 0: all. */
void weigher_init(struct weigher *w, struct exprs *e, const struct reference_function *f, unsigned bits);
void weigher_free(struct weigher *w);

/* Whether a version has exactly this feature, in some variant. */
bool weigh_has(const struct weigher *w, const struct feature *f, bool new);
/* What a feature of a version is worth: 1, or more when it has a name or a number unknown to the other. */
double weigh_feature(const struct weigher *w, const struct feature *f, bool new);
/* What a side of a pair is worth when it is found in full. */
double weigh_side(const struct weigher *w, const struct signature_pair *p, bool new);
/* How much of a side the target has, 0 to 1, and the feature that it is. */
double weigh_found(struct weigher *w, const struct signature_pair *p, bool new, const struct features *target,
                   const struct feature **found);

#endif
