/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the parts of a patch do in a target what they do in the patch.
 *
 * All parts of a patch can be in a target that it is not in: one of two loops is not bounded, a check is made
 * only if an option is set, a store comes before a call that it came after, or a recursion no longer counts what
 * the patch limits. That is seen by what surrounds the parts. Compilers change that as well, so that a target with
 * one of these is unknown, not partially patched.
 *
 * Loops and stores are compared by the notes of a function (features.note), which are no features:
 * bounds(x, ..., k): k loops end by a comparison of their counter with something made of x and so on;
 * follows(f, place, value): f is the last call before the value is stored there. */
#ifndef PRESENT_SENSE_H
#define PRESENT_SENSE_H

#include "present/weigh.h"

#define SENSE_BOUNDS "bounds"
#define SENSE_FOLLOWS "follows"

/* Whether it is a note, as a cache may hold anything. */
bool sense_is_note(const struct exprs *e, expr x);

/* What speaks against the patch, for the report; NULL: nothing. `parts` may be NULL; `found` is the name that
 * the function has in the target. */
const char *sense_against(const struct weigher *w, const struct reference_parts *parts,
                          const struct features *target, unsigned bits, const char *found);

#endif
