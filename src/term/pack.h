/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms as bytes, to be built again in another table, or by another process.
 *
 * Every node is written once, operands by number, symbols and functions by their origin. Nothing of the table
 * that they were in is left: symbols that term_fresh made are made anew. What is read is built with the
 * constructors, as it may have been written by anybody, and in another order than the table would have it. */
#ifndef TERM_PACK_H
#define TERM_PACK_H

#include "base/pack.h"
#include "term/term.h"

/* The roots, which may be TERM_NONE, and all below them. False: there is a term among them that says something
 * of its table alone. */
bool term_pack(struct buf *out, const struct terms *t, const term *root, size_t n);

/* What whoever reads them knows and the table does not. */
struct term_knows {
    term_spell_fn *spell;
    /* Whether there can be a symbol of that origin (width 0: an array), or, with `function`, a function. */
    bool (*sound)(const struct term_origin *o, bool function, unsigned width);
    const struct pure *pure;
    size_t npures;
};

/* Terms that were read, and that fit together and into the table; nothing is in the table yet. */
struct packed;
/* NULL: there are none. What `knows` refers to outlives them. */
struct packed *packed_read(struct unpack *from, const struct terms *t, const struct term_knows *knows);
size_t packed_roots(const struct packed *p);
/* Root i is a bit-vector of that width; 0: it is TERM_NONE. */
bool packed_is(const struct packed *p, size_t i, unsigned width);
bool packed_is_array(const struct packed *p, size_t i, unsigned index_width, unsigned cell_width);
/* The roots, in a table in which nothing was made since it was read for it. */
void packed_build(const struct packed *p, struct terms *t, term *root);
void packed_free(struct packed *p);

#endif
