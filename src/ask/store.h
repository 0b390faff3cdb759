/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An SQLite database that several processes may use at once. A process that is forked while it is open
 * neither uses nor closes it. */
#ifndef ASK_STORE_H
#define ASK_STORE_H

#include <sqlite3.h>

#include "base/error.h"

struct store {
    sqlite3 *db;
    const char *path; /* the caller's */
};

/* Opens it, or makes it, with its tables (`CREATE TABLE IF NOT EXISTS ...`). */
bool store_open(struct store *s, const char *path, const char *tables, struct error *err);
void store_close(struct store *s);
/* NULL and *err when that does not work. */
sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct error *err);
/* Runs one without parameters. */
bool store_run(struct store *s, const char *sql, struct error *err);
/* "PATH: WHY"; returns false. */
bool store_failed(const struct store *s, struct error *err);

#endif
