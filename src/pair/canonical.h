/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Canonical terms and addresses: one number for a thing, wherever the linker or the compiler put it in the
 * two versions.
 *
 * An offset in the new frame becomes one in the old frame (frame.h). An address of the new file that is
 * paired with something of the old one is replaced by the old address. What is not paired keeps an address
 * that no term of the old version has, and is equal to nothing. Read-only data counts as paired only if its
 * content is the same. */
#ifndef PAIR_CANONICAL_H
#define PAIR_CANONICAL_H

#include "base/map.h"
#include "base/vec.h"
#include "object/object.h"
#include "term/term.h"

struct pair;
struct pair_side;

/* A vector. */
typedef VEC(uint64_t) addresses;

struct canonical {
    struct map term;      /* of the new side -> canonical, under the map of the frames in use */
    uint64_t table; /* constants that the old version has no partner of, and that an index may lead into; 0 */
    addresses refers;     /* addresses that the new version's code has, or finds in a constant table */
    struct map place;     /* address of the new program -> of the old one, where references show it */
    struct map mapped;    /* the same of all that was used, for the ledger */
    struct map back;      /* ... and from the old one's address to the new one's that was used */
    bool any; /* other functions' code is run, too: a number may be an address that this one does not have */
};

void canonical_start(struct pair *pair);
void canonical_free(struct pair *pair);
/* A term of a side in canonical form: that of the old one. */
term canonical_term(struct pair *pair, const struct pair_side *s, term x);
/* The address of the old program that one of the new is paired with; false: none. The other way round, of
 * those that were asked for, or as src/match has it. */
bool canonical_partner(struct pair *pair, uint64_t a, uint64_t *out);
bool canonical_back(struct pair *pair, uint64_t there, uint64_t *out);
/* A constant of the new side as one of the old. */
term canonical_constant(struct pair *pair, term x);
/* The address of the new program that stands for itself in canonical terms, having no partner. */
uint64_t canonical_unpaired(const struct pair *pair, uint64_t v);
/* There is one in it, other than that of a constant. */
bool canonical_has_unpaired(struct pair *pair, term x);
/* A value of the old version and one of the new, canonical, are the same but for addresses of constants that
 * begin with the same text. What lies behind the text differs, so they are not paired; nothing shows that it
 * is read. */
bool canonical_same_text(struct pair *pair, term old, term new);

/* What the side runs with as the number is an address of its file. */
bool canonical_is_place(const struct pair_side *s, uint64_t v);
/* Constants may lie in the same segment as code. */
bool canonical_is_code(const struct object *o, uint64_t a);

#endif
