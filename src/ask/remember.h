/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts of functions, remembered from run to run (ask/shelf.h).
 *
 * A verdict is found by the SHA-256 of everything it depends on: the contents of both files and of their
 * debug files, the two functions, what is asked and with which limits, what the analyst and libraries say,
 * and the build. A value is decoded as a worker's message is. */
#ifndef ASK_REMEMBER_H
#define ASK_REMEMBER_H

#include "ask/shelf.h"
#include "ask/verify.h"
#include "base/sha256.h"

/* ---- keys ---- */

/* Everything that all functions of a pair of files share. `import`: what libraries told. */
struct remember_file {
    const struct ask_verify *q;
    const struct match_file_pair *pair;
    const struct compared *compared;
    const struct verify_import *import;
    size_t nimports;
};
/* Whether verdicts of this question can be remembered at all: queries are not to be written out, and the solver
 * is the one whose limits count work. */
bool remember_possible(const struct ask_verify *q);
/* As hexadecimal digits, in the arena. */
const char *remember_file_key(const struct remember_file *f, struct arena *arena);
const char *remember_key(const char *file_key, const struct match_pair *x, unsigned limit_ms, struct arena *arena);
/* Whether a verdict is the same the next time: neither the clock nor memory had a part in it. */
bool remember_lasts(const struct verify_result *r);

/* ---- the database ---- */

extern const struct shelf_kind remember_shelf;
/* The message of a function, decoded; false when it is not there. Texts live in the arena. */
bool remember_get(struct shelf *s, const char *key, struct arena *arena, struct ask_verified *out,
                  struct error *err);

#endif
