/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known when two versions stand before a pair of blocks.
 *
 * Every location (register, word of the frame, memory) of either version holds a term over symbols; the
 * relation is that for some values of its own symbols all of these terms are what the locations hold, and
 * that the literals hold. Locations of the two that hold the same term are thereby equal. On the first
 * arrival these are the very terms. On a later one the relation is weakened until it covers that arrival,
 * too: a location whose term has changed is given a symbol of its own, one for all locations that changed
 * alike. So it ends; and when nothing changes any more, the relation holds at every arrival.
 *
 * One symbol is special, `count`. It stands for how often the loop went round: where a constant was added to
 * a location, its term is start + constant * count, which ties an index to a pointer, and a counter that goes
 * up to one that goes down. A location may also hold what is computed from others, such as the element of an
 * array that was read in advance.
 *
 * Literals over `count` are guesses first, taken from what the code compares. Whoever makes the relation
 * stronger has everything run again, so that all arrivals are looked at with it; a literal that does not hold
 * at one of them is dropped for good. */
#ifndef VERIFY_RELATION_H
#define VERIFY_RELATION_H

#include "verify/private.h"

struct relation {
    struct exec_point *at[2]; /* NULL: never reached */
    struct map symbols;           /* terms that are its symbols */
    term count;               /* TERM_NONE: not counted */
    struct map step[2];       /* location -> how much it grows with the count */
    struct map dropped;       /* literals that are not to be guessed again */
    bool guessed;
    unsigned arrivals;
    unsigned rounds[2]; /* this many of the one are one of the other, as it seems; 0: nothing is known */
};

enum relation_change {
    RELATION_COVERS,   /* it is as it was */
    RELATION_WEAKER,   /* what follows from it is to be looked at again */
    RELATION_STRONGER, /* so is what it follows from */
    RELATION_FAILS,    /* there is none */
};

enum relation_kind {
    RELATION_TERMS,   /* what is the same term is equal */
    RELATION_RICH,    /* with a count, and with the solver's help */
    RELATION_FORGETS, /* on the first arrival, too, what both have is a symbol, and how it came about
                         forgotten */
};

/* Makes it cover the arrival that v is a view of. again: the arrival comes from the relation itself, round
 * the loop. */
enum relation_change relation_arrive(struct relation *r, struct view *v, enum relation_kind kind, bool again);
void relation_free(struct relation *r);

#endif
