/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random programs over every kind of term there is: all operators at all widths, arrays, uninterpreted and
 * pure functions. A program is a list of steps, so that it can be built again with other rules switched on.
 */
#ifndef TESTS_SOLVE_WILD_H
#define TESTS_SOLVE_WILD_H

#include "term/term.h"

enum { WILD_MAX = 96, WILD_WIDTHS = 5, WILD_KIDS = 4 };

enum wild_kind {
    WILD_VAR,
    WILD_CONST,
    WILD_OP,
    WILD_READ,
    WILD_WRITE,
    WILD_ARRAY_ITE,
    WILD_ARRAY_CONST,
    WILD_ARRAY_EQ,
    WILD_APPLY,
    WILD_APPLY_ARRAY,
    WILD_PURE,
};

struct wild_step {
    uint8_t kind, op, nkids;
    uint16_t width; /* 0: the program's array sort */
    uint32_t lo;    /* extract: low bit; otherwise which symbol or function */
    uint8_t kid[WILD_KIDS];
    struct bits value;
};

/* What a program may be made of. */
struct wild_style {
    unsigned width[WILD_WIDTHS]; /* operands have one of these widths more often than any other */
    bool arrays, functions, array_functions, pures, floats;
    bool overloaded; /* functions of one name and several signatures */
    bool fields;     /* arrays are only read, most of the time at constants from one base */
    unsigned float_width;
};

struct wild {
    struct wild_style style;
    unsigned index_width, cell_width;
    struct wild_step step[WILD_MAX];
    unsigned n;
    bool opaque;    /* has what a solver takes for uninterpreted although it is not */
    bool of_arrays; /* has a function that takes or returns an array: a model gives values to single
                       applications */
};

struct bits wild_bits(uint64_t *seed, unsigned width);
unsigned wild_below(uint64_t *seed, unsigned n);
void wild_random(struct wild *w, uint64_t *seed, const struct wild_style *style, unsigned size);
/* Builds every step into out[WILD_MAX]. */
void wild_build(struct terms *t, const struct wild *w, term *out);
void wild_rules(struct terms *t, bool on);
/* A random value for every symbol and every function of the terms. */
struct term_model *wild_model(struct terms *t, const struct wild *w, uint64_t *seed);
void wild_print(const struct wild *w);

/* A script of one assertion over symbols that all have a value: one question of arithmetic. */
struct buf;
void wild_script(struct buf *out, uint64_t *seed);

#endif
