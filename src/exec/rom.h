/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that are never written: what a load at a computed place of one gives.
 *
 * A table is the object that a symbol describes, or what follows an address in its section, up to a size. It
 * becomes an array with the file's contents, made once; words that the dynamic linker fills have no number
 * yet, and a table with one of them is none. */
#ifndef EXEC_ROM_H
#define EXEC_ROM_H

#include "base/alloc.h"
#include "object/object.h"
#include "term/term.h"

struct roms {
    struct terms *t;
    const struct object *o;
    struct arena *arena;
    unsigned width; /* of a pointer */
    struct map at;  /* address -> table */
    struct map around; /* address -> struct rom, of what is around it */
    struct map near; /* address -> nearest_readonly: a file has many sections, and code loads often */
};

/* A load at `address`, in or near the table that has the file's address `own`, for which the term `here`
 * stands. `otherwise`: what it gives outside the table, and where there is none. */
term roms_load(struct roms *r, uint64_t own, term here, term address, unsigned width, term otherwise);
/* ... where an index need not begin at 0, so that the table may be one before or behind that: they are tried
 * when it is not inside. */
term roms_load_around(struct roms *r, uint64_t own, term here, term address, unsigned width, term otherwise);
void roms_free(struct roms *r);

#endif
