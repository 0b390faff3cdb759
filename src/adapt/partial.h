/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms over words of which some bits are not known.
 *
 * A CIRCUIT is a term over the arguments of a function, as a list in which everything comes after what it is
 * made of. It is evaluated on words with unknown bits: what it yields is right for every way to fill them in,
 * but need not say all that could be said. */
#ifndef ADAPT_PARTIAL_H
#define ADAPT_PARTIAL_H

#include "base/bits.h"
#include "base/vec.h"
#include "term/term.h"

struct partial {
    uint64_t known, value; /* value has 0 where nothing is known, and above the width both have */
};

struct gate {
    term x;
    uint64_t constant;  /* of a constant; which argument, of one of these */
    uint32_t kid[3];
    uint32_t arguments; /* that it is made of; a set */
    uint8_t kind, width, low, nkids;
};

struct circuit {
    VEC(struct gate) gate; /* the last is what is computed */
    struct partial *at;    /* the values of all in the last run */
    bool broken;           /* in it, a gate was known to be other than it was forced to be */
};

/* False: the term has something in it that circuits have not. `argument`: the symbols that it may be made of. */
bool circuit_make(struct circuit *c, const struct terms *t, term x, const term *argument, unsigned nargs);
void circuit_free(struct circuit *c);
/* `instead`: for each gate 1 + which of `value` it is, whatever it is made of; 0: it is computed. NULL: all are.
 * `forced`: for each gate 1 or 2 when it is 0 or 1, one bit wide, whatever is computed; or NULL. */
struct partial circuit_run(struct circuit *c, const struct partial *argument, const uint8_t *instead,
                           const struct partial *value, const uint8_t *forced);
/* With all of the arguments known. */
uint64_t circuit_number(struct circuit *c, const uint64_t *argument);

struct partial partial_of(uint64_t x, unsigned width);
/* The low `bits` bits, extended to the width. */
struct partial partial_extend(struct partial x, unsigned bits, unsigned width, bool sign);
/* Whether it is not 0, as a word. */
struct partial partial_truth(struct partial x, unsigned from, unsigned width);

#endif
