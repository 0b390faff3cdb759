/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Canonical addresses that are symbols: for formulas that a person reads, in which an address must stay free.
 *
 * While a side is run the address of something is written as a symbol plus where the thing lies in the old
 * program: `data@orig` + 0x4010 in both, wherever the linker put it in the new one. Things that only the new
 * version has are written with a second symbol. The symbols are free, so nothing can be concluded from
 * numbers that happen to be equal; only for showing a run they get values (they are pinned). What is an
 * address and what a number: a constant in code is one when src/match found the function to refer to it;
 * anything that is accessed is. Which bytes around an address are those of the other version too, parts.h
 * says; what is paired with what, canonical.h does.
 *
 * The hooks need pair_side.hooks.ctx to be the side. */
#ifndef PAIR_SYMBOLIC_H
#define PAIR_SYMBOLIC_H

#include "base/map.h"
#include "base/vec.h"
#include "term/term.h"

struct pair;
struct pair_side;

struct symbolic_table {
    uint64_t low, size;
};

/* What is known of the code that was met of one side. */
struct symbolic_code {
    struct map refers;                /* function -> struct map * of addresses it refers to */
    VEC(struct symbolic_table) table; /* jump tables */
};

struct symbolic {
    term data[2]; /* where data of the old program lies; where data that only the new one has lies */
    bool used;    /* an address was written with one of them */
    struct symbolic_code code[2];
};

void symbolic_start(struct pair *pair);
void symbolic_free(struct pair *pair);
/* Sets those of the side's hooks that translate addresses. */
void symbolic_hooks(struct pair_side *s);
/* Something lies there: in a section that is in memory; in the file, and no small number. */
bool symbolic_is_mapped(const struct pair_side *s, uint64_t value);
bool symbolic_in_image(const struct pair_side *s, uint64_t value);
/* What of an address without its constant is a symbol for where data lies; TERM_NONE: none of it. */
term symbolic_data(const struct pair *pair, term base);
/* An address of the side's own as a symbol plus where the thing lies in the old program. */
term symbolic_address(struct pair_side *s, uint64_t value);
/* From where the thing lies in the old program to where it is in the side's own. */
bool symbolic_own_address(struct pair_side *s, uint64_t there, uint64_t *value);
/* A value of a run with pinned symbols in the side's own addresses. */
uint64_t symbolic_to_side(struct pair_side *s, uint64_t value);
term symbolic_apart(struct pair *pair); /* data of the two does not overlap */
term symbolic_pin(struct pair *pair);   /* where data lies when a run is to be shown */

#endif
