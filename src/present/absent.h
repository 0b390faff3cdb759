/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Proof that nothing of a function is in a program.
 *
 * That no function has its name proves nothing: a compiler may have inlined it, a linker renamed it, and
 * somebody stripped the program. What no compiler takes away are the texts that a function hands to others.
 * When the program holds none of them anywhere, and no function by a name that this one calls and a C library
 * does not have, the function is not in it, in whatever shape. A function without such texts is never proved
 * to be absent. */
#ifndef PRESENT_ABSENT_H
#define PRESENT_ABSENT_H

#include "present/reference.h"

/* *why, when it is not proved, says what is missing for it. */
bool absent_proved(struct program *p, const struct reference *r, const struct reference_function *f,
                   const char **why);

#endif
