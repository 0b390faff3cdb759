/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses that leave the variable they began in, though the processor lets them; inside src/poc only. */
#ifndef POC_CHECK_H
#define POC_CHECK_H

#include "poc/poc.h"

/* Variables of the function's own frame, as debug information has them. */
void check_find_locals(struct poc_side *side);
/* When an access leaves its variable: never, as far as that is known. */
term check_leaves(struct poc_side *side, const struct exec_moment *at, term address, unsigned bytes);

#endif
