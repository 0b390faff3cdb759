/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counterexample's run as a person follows it: at every block the registers that changed, and what of
 * memory it reads and writes, in the program's words. */
#ifndef VERIFY_STEPS_H
#define VERIFY_STEPS_H

#include "pair/run.h"
#include "verify/verify.h"

/* "0x1f" */
const char *steps_hex(struct arena *arena, struct bits v, unsigned width);
/* The first steps of a run, in the arena. */
const struct verify_step *steps_tell(struct arena *arena, const struct run *r, size_t *n);

#endif
