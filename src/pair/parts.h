/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the data of two programs lies together.
 *
 * An object of the old program and its partner are one thing, and what lies behind them is one thing only if
 * the next objects are partners, too, as far apart. So data is cut into PARTS: stretches of the new program
 * in which everything has its partner at the same distance. Inside a part an address of one version is that
 * of the other. A part that is not all of its section gets a number, and lies, as symbolic addresses write it
 * (symbolic.h), far from everything else: an address outside shows from which part it was made, and is looked
 * up again in the layout of the version that accesses it. There it is in another part, or in data that only
 * this version has. Where all of a section lies together in both versions no index has bounds but those of
 * the section, which is assumed to be kept to.
 *
 * Variables of a part may begin with different contents in the two files. When the function is called, each
 * still holds what its file says, or the same in both. */
#ifndef PAIR_PARTS_H
#define PAIR_PARTS_H

#include "base/vec.h"
#include "exec/start.h"
#include "term/term.h"

struct pair;
struct pair_side;

/* A stretch of data that lies together in both versions. */
struct part {
    uint64_t low[2]; /* where it begins in each */
    uint64_t size;
    bool whole;      /* a section, all of it */
    unsigned number; /* from 1 on when it was met; else 0 */
};

/* A unit of data that the two files do not begin with the same contents of. */
struct part_change {
    struct exec_store store; /* what the new version begins with */
    term fact;               /* what is known of it; TERM_NONE: nothing */
};

struct parts {
    VEC(struct part) all; /* that were met; a pointer to one is good until the next is met */
    unsigned numbered;
    bool open; /* there were more than can be numbered */
    VEC(struct part_change) change;
    size_t unequal; /* units beyond those in `change` */
    VEC(term) near; /* of indices that may leave what they begin in: not by more than can be shown */
};

/* The part that has the address of that side (OLD, NEW); NULL: none, or there is one program only. */
const struct part *parts_at(struct pair *pair, unsigned side, uint64_t own);
/* Data there is paired as a part, or not at all. */
bool parts_is_for(const struct pair_side *s, uint64_t own);
/* What is added to the symbol for the old program's data to get an address in the part. */
uint64_t parts_offset(struct pair *pair, const struct part *r, uint64_t inside);
/* The numbered part that an address was made from, in which it need not be; NULL: none. */
const struct part *parts_made_from(const struct pair *pair, uint64_t offset, int64_t *inside);
/* The other way round, also for a place somewhat outside; false when it is in no part. */
bool parts_to_side(const struct pair *pair, unsigned side, uint64_t offset, uint64_t *own);
/* The symbol (OLD, NEW), and what is added to it, for data at that address; *together of the bytes from there
 * on lie in one place. */
unsigned parts_settle(struct pair_side *s, uint64_t own, unsigned bytes, unsigned *together,
                      uint64_t *offset);
/* A symbolic address that is accessed, as the layout of the side has it. */
term parts_place(struct pair_side *s, term address, unsigned bytes, unsigned *together);
/* Fills parts.change; `initial`: memory is known to hold what the files say. */
void parts_compare(struct pair *pair, bool initial);
void parts_free(struct pair *pair);

#endif
