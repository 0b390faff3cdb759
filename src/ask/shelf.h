/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept from run to run: bytes by a key, in a database of the user (base/cachedir.h), which several
 * processes may use at once.
 *
 * A key is made of everything that the bytes depend on, the build of the program and of every library it runs
 * with among it. What the database holds is not trusted: a value carries a digest of itself and its key, and is
 * decoded as if anybody had written it. Whatever is wrong with the database costs its use, never an answer. */
#ifndef ASK_SHELF_H
#define ASK_SHELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct shelf_kind {
    const char *file, *table;
};

/* Into a key: the program and its libraries, by their build-ids. */
void shelf_put_build(struct buf *key);

/* Where it is; false when there is no place for it. */
bool shelf_path(const struct shelf_kind *kind, struct buf *out);
/* How many values it holds. */
bool shelf_count(const struct shelf_kind *kind, uint64_t *out, struct error *err);

struct shelf; /* open; a process that is forked meanwhile neither uses nor closes it */
/* NULL when there is none: quietly, with *err empty, where there is no place for one. */
struct shelf *shelf_open(const struct shelf_kind *kind, struct error *err);
void shelf_close(struct shelf *s);
/* Appends them; false, and nothing is appended, when they are not there. */
bool shelf_get(struct shelf *s, const char *key, struct buf *out, struct error *err);
bool shelf_put(struct shelf *s, const char *key, const char *bytes, size_t n, struct error *err);

#endif
