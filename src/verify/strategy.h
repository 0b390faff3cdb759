/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways to decide a pair of functions, in the order in which they are tried: a table, walked by one loop.
 *
 * A row is tried when what it needs is given, with a fresh attempt and its share of what is left of the
 * budget. One that proves ends it. Differences that one found are confirmed before the next row is tried:
 * then that ends it, too, unless their input passes calls of small functions of the file and shows nothing once
 * the code of these is run: then the table is walked again, with it. A row that only does the one before it again, knowing more, is tried in its stead,
 * before that. */
#ifndef VERIFY_STRATEGY_H
#define VERIFY_STRATEGY_H

#include "verify/attempt.h"

/* A set. */
enum strategy_needs {
    STRATEGY_TIME = 1,     /* there is some left */
    STRATEGY_LOOPS = 2,    /* the versions were cut somewhere */
    STRATEGY_FRAMES = 4,   /* locals escaped, and more is known of how the frames correspond */
    STRATEGY_INLINED = 8,  /* there are callees that the other version may have inlined */
    STRATEGY_CUT_SHORT = 32, /* the row that it does again ran out of its share, or the one in its stead; or was not tried */
    STRATEGY_LARGE = 64,   /* a version has many blocks */
    STRATEGY_INSTEAD = 16, /* nothing: it takes the place of the attempt before it */
};

struct strategy {
    const char *name;
    enum attempt_outcome (*run)(struct check *c, const struct strategy *how, struct attempt *a);
    unsigned needs;  /* set of enum strategy_needs */
    unsigned rounds; /* of loops that are followed; 0: all, or as it likes */
    unsigned
        share; /* of the time that is left it gets one in this many, and no more than its effort; 0: all */
    unsigned effort; /* in ms; 0: a part of the limit */
    unsigned again;  /* index of the row that it does again */
    bool reason_counts; /* its reason is told when the last attempt has none */
    bool learns;    /* tried again as long as it shows more of the frames */
};

/* The table for what was asked for. */
const struct strategy *strategy_table(enum verify_strategy which, size_t *n);
/* Walks a table. What is left in *found is the last attempt, or, where it is not known, the one that found no
 * difference in the most rounds of loops (`within`); *reason says why it is not known. */
enum verify_verdict strategy_walk(struct check *c, const struct strategy *table, size_t n,
                                  struct attempt *found, struct verify_reason *reason);

#endif
