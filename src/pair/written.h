/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memories as what was written to them. A memory is a term: an array, writes to it, and where paths were
 * merged a choice between two. All here is read off the terms; nobody is asked whether two addresses are the
 * same. */
#ifndef PAIR_WRITTEN_H
#define PAIR_WRITTEN_H

#include "base/map.h"
#include "base/vec.h"
#include "term/term.h"

struct pair;

typedef VEC(term) written_list;

/* All writes that a memory is made of, those of both branches where it was merged; the last ones first. */
void written_all(const struct terms *t, term array, written_list *out);
/* The array is made by writing that value there; by writing this many bytes there; besides whatever else. */
bool written_has(const struct terms *t, term array, term at, term value);
bool written_bytes(const struct terms *t, term array, term at, unsigned bytes);
/* The array with another value in the place of one that is written to it, or (TERM_NONE) without it; the same
 * array when it is not written. */
term written_instead(struct terms *t, term array, term at, term from, term to);
/* The last writes of a memory that are at constant distances from one place (TERM_NONE: numbers): adds their
 * bytes, and says what they are made to. */
term written_last(const struct terms *t, term array, term *base, struct map *bytes);
/* Writes of two memories, one a place outside of the frames: where one of them writes what the other does
 * not, then where either writes. */
void written_places(const struct pair *pair, term a, term b, written_list *out);
/* What reads the same as the array outside of the frames. Only what it is made by last is looked at, not what
 * callees saw or what values were read from. */
term written_outside(const struct pair *pair, term array);

#endif
