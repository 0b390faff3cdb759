/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a patch, each of which must be in a target for the patch to be.
 *
 * A patch is more than one change: conjuncts of a check, hunks, call sites. Finding one says nothing about
 * the rest, so each visible change is looked for by itself. A part is a feature that the new version has
 * however it was compiled, and the old one not in any way (or the other way round: a part that takes
 * something away). Its pattern is as general as it can be while it is unlike every feature of the old version
 * and every other one of the new. What only some compilations show is no part: its absence from a target says
 * nothing. Which call follows which, and under which condition a constant is returned, are parts as well;
 * compilers hide these, so that one of them is never surely missing.
 *
 * Where the patch changes a function only because another is inlined in it, the parts are those features that
 * come from lines which parts of other functions come from. */
#ifndef PRESENT_PARTS_H
#define PRESENT_PARTS_H

#include "present/weigh.h"

/* What a target has of a part. */
enum part_state {
    PART_THERE,   /* what the patch adds is there; what it takes away is not */
    PART_MISSING, /* the target is as a function without this part is */
    PART_HIDDEN,  /* neither: the compiler left nothing to see it by */
    PART_UNSURE,  /* it may be there in another form, or what is there may be something else */
};
#define PART_LAST PART_UNSURE

/* Fills in the parts of all functions of a reference, which has its signatures already. */
void parts_find(struct reference *r);
/* Those for targets with pointers of this many bits; 0: of the first variant. NULL: there are none. */
const struct reference_parts *parts_of(const struct reference_function *f, unsigned bits);

/* `found` is the feature of the target that tells, or NULL. */
enum part_state part_look(struct weigher *w, const struct reference_parts *all,
                          const struct reference_part *p, const struct features *target,
                          const struct feature **found);

#endif
