/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep found out, kept in an SQLite database: a row a task, written when the task is done. A sweep
 * that is run again leaves out what is there. */
#ifndef ASK_ADAPT_STORE_H
#define ASK_ADAPT_STORE_H

#include "base/error.h"

struct ask_swept;
struct adapt_store;

/* Opens or makes it. `question`: what the sweep asks; a database of another question is an error. */
struct adapt_store *adapt_store_open(const char *path, const char *question, struct error *err);
void adapt_store_close(struct adapt_store *s);
bool adapt_store_put(struct adapt_store *s, const struct ask_swept *t, struct error *err);
/* Every row, in the order they were written. Texts live during the call. */
typedef void adapt_store_fn(void *ctx, const struct ask_swept *t);
bool adapt_store_each(struct adapt_store *s, adapt_store_fn *fn, void *ctx, struct error *err);

#endif
