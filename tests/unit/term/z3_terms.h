/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms in Z3, for tests only and on its own: src/solve is not used, so that neither can hide the other's
 * mistake. */
#ifndef TESTS_TERM_Z3_TERMS_H
#define TESTS_TERM_Z3_TERMS_H

#include "term/term.h"

enum z3_verdict { Z3_SAME, Z3_DIFFERENT, Z3_NO_ANSWER };

/* A solver to ask many questions. */
struct z3;
struct z3 *z3_new(void);
void z3_free(struct z3 *z);
/* Are x and y equal whatever the symbols are? Effort is in Z3's own units, not in time: answers do not depend
 * on how busy the machine is. */
enum z3_verdict z3_compare(struct z3 *z, struct terms *t, term x, term y, unsigned effort);

#endif
