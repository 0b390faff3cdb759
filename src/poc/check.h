/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes wrong though the processor lets it: accesses that leave the variable they began in, signed arithmetic that
 * overflows; inside src/poc only. */
#ifndef POC_CHECK_H
#define POC_CHECK_H

#include "poc/poc.h"

/* Variables of the function's own frame, as debug information has them. */
void check_find_locals(struct poc_side *side);
/* When an access leaves its variable; false: it is not known to belong to one. */
bool check_leaves(struct poc_side *side, const struct exec_moment *at, term address, unsigned bytes, term *when);
/* The same of an address that is added up from that of a variable or member. */
bool check_leaves_sum(struct poc_side *side, const struct exec_moment *at, term address, unsigned bytes,
                      term *when);
/* Notes in a byte that no program has when something happens. */
void check_mark(struct poc_side *side, struct exec_moment *at, uint64_t where, term when);
/* Values that a path stores or returns and that were computed with signed arithmetic that overflowed; none, where
 * types do not say that it is signed. */
struct check_overflow {
    term when;
    uint64_t site; /* that stores it; 0: it is returned */
};
unsigned check_overflows(struct poc_side *side, const struct exec_path *path, struct check_overflow *out, unsigned cap);
/* When a product on the path does not fit, whatever the signs of its factors are: a size that is computed so
 * is not meant. */
term check_products(struct poc_side *side, const struct exec_path *path);
/* When something of the path may have overflowed, signed or not, in any order of its sums: what it does then need not be
 * what it should do. */
term check_unclear(struct poc_side *side, const struct exec_path *path);

#endif
