/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A relation and an arrival, being joined: what the parts of relation.h share. */
#ifndef VERIFY_JOIN_H
#define VERIFY_JOIN_H

#include "verify/relation.h"

enum { HALF = 32 };

/* A location of one side at a cut. */
struct location {
    term *native;  /* where its term is kept, of the stored point; NULL for words of the frame */
    term stored;   /* what the relation says it holds, of its own side */
    term arrived;  /* what it holds now, of its own side */
    term relation; /* `stored`, canonical */
    term now;      /* `arrived`, canonical and as seen */
    /* The same four without what the count makes of them; their lower halves where that is all there is. */
    term rest, rest_now, native_rest, native_rest_now;
    int64_t offset; /* of a word of the frame */
    uint64_t key;   /* names it from arrival to arrival */
    uint64_t step;
    unsigned width; /* of `rest`; 0: an array */
    term weakened;  /* what stands for `rest` now */
    size_t class;   /* index + 1 */
    uint8_t side;
    bool narrow, exact, derived;
};

/* One symbol for all locations that went from `base` + offset to `now` + offset. */
struct class
{
    term base;   /* of the relation, without the offset */
    term now;    /* of the first one, with it */
    uint64_t at; /* the first one's offset */
    unsigned width;
    term symbol; /* what stands for base */
    unsigned sides;
    bool fresh;
    size_t next; /* another one of the same base, + 1; 0: none */
};

enum { MODELS_MAX = 6, ASKED_MAX = 120, LITERALS_MAX = 64, GUESSES_MAX = 12, NODES_MAX = 300 };

/* The relation and an arrival, being joined. */
struct join {
    struct pair *pair;
    struct arena *arena; /* of literals that are kept */
    struct relation *r;
    struct view *v;
    bool rich, forgets, again;
    bool first; /* nothing was counted so far */
    struct exec_point *a[2];
    VEC(struct location) all;
    VEC(struct class) class;
    struct map of_base; /* base -> its last class + 1 */
    struct map equal; /* two terms -> are they equal now */
    struct map kept;  /* own symbol -> class that keeps it + 1 */
    term count_now;
    uint64_t counted; /* it is the count and so much more; 0: it is not */
    struct term_model *model[MODELS_MAX];
    struct map valued[MODELS_MAX]; /* term -> 1 + index into `value`; 0: the model does not tell */
    VEC(struct bits) value;
    unsigned nmodels, asked, nodes;
    bool changed;
    /* What the relation's symbols are now. */
    VEC(term) from, to;
};

/* join.c */
bool join_has_symbols(struct join *j, term x);     /* there are symbols of the relation in it */
bool join_only_counts(struct join *j, term x);     /* of these the count at most */
/* A canonical term over the relation's symbols as it is at this arrival; TERM_NONE: not known. */
term join_value_now(struct join *j, term x);

/* equal.c */
bool join_equal(struct join *j, term a, term b);
void join_see_narrow(struct join *j); /* locations that hold no more than their lower half, then and now */

/* count.c */
bool join_difference(struct pair *pair, term from, term to, uint64_t *d);
term join_times(struct join *j, term count, uint64_t step, unsigned width);
/* On the second arrival: what grows by a constant is counted. */
void join_start_count(struct join *j);
/* Later: how much further it is now, as most say. */
void join_go_on_counting(struct join *j);
/* Keeps the literals that hold now. */
void join_keep_literals(struct join *j, unsigned s);
/* Counters are small numbers, unless they are seen not to be. */
void join_guess_small(struct join *j);
/* What was decided on the way round the loop, and what may follow from it; false: there is nothing new. */
bool join_guess_literals(struct join *j);

#endif
