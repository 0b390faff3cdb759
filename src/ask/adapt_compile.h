/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C of an adapter, compiled and run. */
#ifndef ASK_ADAPT_COMPILE_H
#define ASK_ADAPT_COMPILE_H

#include "base/alloc.h"
#include "base/error.h"

/* Makes a shared library of C text in a directory that is there. `with`: a library to link it with, or NULL.
 * NULL: *why not. */
const char *ask_adapt_compile(const char *text, const char *directory, const char *with, struct arena *arena,
                              const char **why);

#endif
