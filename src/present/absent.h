/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Proof that nothing of a function is in a program.
 *
 * That no function has its name proves nothing: a compiler may have inlined it, a linker renamed it, and
 * somebody stripped the program. No compiler removes the strings that a function passes to others. If the
 * program contains none of them anywhere, nor any name that this function calls and a C library does not
 * have, the function is not in it in any shape. A function that passes no strings is never proved absent. */
#ifndef PRESENT_ABSENT_H
#define PRESENT_ABSENT_H

#include "present/reference.h"

/* *why, when it is not proved, says what is missing for it. */
bool absent_proved(struct program *p, const struct reference *r, const struct reference_function *f,
                   const char **why);

#endif
