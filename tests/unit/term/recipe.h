/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random expressions as recipes: lists of steps that can be built again and again, with other rules switched
 * on, in another table, or in a solver. */
#ifndef TESTS_TERM_RECIPE_H
#define TESTS_TERM_RECIPE_H

#include "term/term.h"

/* Deterministic random numbers (xorshift64*). */
struct rng {
    uint64_t s;
};
uint64_t rng_next(struct rng *r);
unsigned rng_below(struct rng *r, unsigned n);

enum { RECIPE_MAX = 64, RECIPE_VARS = 3, STEP_VAR = 200, STEP_CONST = 201 };

struct step {
    uint8_t op; /* enum op, STEP_VAR or STEP_CONST */
    uint16_t width;
    uint32_t lo; /* extract: low bit; variable: which */
    uint8_t kid[OP_MAX_ARITY];
    struct bits value;
};

struct recipe {
    struct step step[RECIPE_MAX];
    unsigned n;
};

/* A value that is often one at which something happens: 0, 1, -1, the least, a power of two, a mask. */
struct bits random_bits(struct rng *r, unsigned width);
/* About `size` operators over widths around `width`; the last step is the root. */
void recipe_random(struct recipe *p, struct rng *r, unsigned width, unsigned size);
/* The variable of that width and number. */
term recipe_var(struct terms *t, unsigned width, unsigned i);
/* Builds all steps; out has room for RECIPE_MAX. Returns the root. */
term recipe_build(struct terms *t, const struct recipe *p, term *out);
/* Gives every variable of x a random value. */
void random_model(struct terms *t, struct term_model *m, struct rng *r, term x);
void all_rules(struct terms *t, bool on);
/* Every node of x again through the constructors, from the leaves up. */
term rebuild_all(struct terms *t, term x);

#endif
