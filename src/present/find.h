/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding a function of the source in a program without names.
 *
 * The code of the program is only decoded to see which strings and imported functions each function refers
 * to; the few that have most in common with the reference, counting what is rare more, are then executed as
 * the reference was. The one whose features are most similar to those of either version is chosen if it is
 * similar enough and no other comes close: a function that was inlined, or is absent, must not be mistaken
 * for another. */
#ifndef PRESENT_FIND_H
#define PRESENT_FIND_H

#include "present/reference.h"

/* The features of a candidate; owned by the caller of find_function. NULL: it cannot be executed. */
typedef const struct features *find_features_fn(void *ctx, const struct flow_function *f);

/* NULL when it is not there, or, *several, not to be told from others; *why then says so. */
const struct flow_function *find_function(struct program *p, const struct reference *r,
                                          const struct reference_function *f, find_features_fn *features,
                                          void *ctx, bool *several, const char **why);

#endif
