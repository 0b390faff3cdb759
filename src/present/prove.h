/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features that mean the same but do not look the same (section 3.3 of the paper named in present/expr.h).
 *
 * Arguments, what is in memory and what calls return are unknowns; memory and calls are the same unknown when
 * their operands are proved to be. The widths that were taken off expressions are put back as one width for
 * all, first that of a register and then that of an int: equal in one of them is enough, for in the other,
 * numbers as large as none of the two programs has may tell them apart. Before the solver is asked the two
 * are computed for some values, which nearly always differ where they can. */
#ifndef PRESENT_PROVE_H
#define PRESENT_PROVE_H

#include "present/signature.h"

struct prover;

struct prover *prover_new(struct exprs *e);
void prover_free(struct prover *p);
/* Whether a feature is proved to be an instance of the pattern. */
bool prover_instance(struct prover *p, const struct feature *pattern, const struct feature *f);
uint64_t prover_asked(const struct prover *p); /* questions to the solver */

#endif
