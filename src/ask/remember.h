/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts of functions, remembered from run to run in a database of the user (base/cachedir.h).
 *
 * A verdict is found by the SHA-256 of everything it depends on: the contents of both files and of their debug
 * files, the two functions, what is asked and with which limits, what the analyst and libraries say, and the
 * build of the program and of every library it runs with. What the database holds is not trusted: a value
 * carries a digest of itself and its key, and is decoded as a worker's message is. Whatever is wrong with the
 * database costs its use, never an answer. */
#ifndef ASK_REMEMBER_H
#define ASK_REMEMBER_H

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

struct remember; /* open */

/* Where it is; false when there is no place for it. */
bool remember_path(struct buf *out);
/* How many verdicts it holds. */
bool remember_count(uint64_t *out, struct error *err);

/* NULL when there is none: quietly, with *err empty, where there is no place for one. */
struct remember *remember_open(struct error *err);
void remember_close(struct remember *m);
/* The message of a function, decoded; false when it is not there. Texts live in the arena. */
bool remember_get(struct remember *m, const char *key, struct arena *arena, struct ask_verified *out,
                  struct error *err);
/* `bytes`: the message, which holds the key. */
bool remember_put(struct remember *m, const char *key, const char *bytes, size_t n, struct error *err);

#endif
