/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/adapt_store.h"

#include <stdlib.h>
#include <string.h>

#include "ask/adapt_sweep.h"
#include "ask/store.h"

struct adapt_store {
    struct store store;
    sqlite3_stmt *put;
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS question (text TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS task (target TEXT NOT NULL, inner TEXT NOT NULL, verdict INTEGER NOT NULL, "
    "adapter TEXT, "
    "family TEXT, reason TEXT, trivial INTEGER NOT NULL, bounded INTEGER NOT NULL, ms INTEGER NOT NULL, "
    "cluster INTEGER NOT NULL, "
    "PRIMARY KEY (target, inner));";

/* The question is written once, and must be the same later. */
static bool same_question(struct adapt_store *s, const char *question, struct error *err)
{
    sqlite3_stmt *q = store_prepare(&s->store, "SELECT text FROM question", err);
    bool ok;
    if (!q)
        return false;
    if (sqlite3_step(q) == SQLITE_ROW) {
        ok = strcmp((const char *)sqlite3_column_text(q, 0), question) == 0 ||
             error_set(err, ERROR_USAGE, "%s: the store is of another sweep: %s", s->store.path,
                       (const char *)sqlite3_column_text(q, 0));
        sqlite3_finalize(q);
        return ok;
    }
    sqlite3_finalize(q);
    q = store_prepare(&s->store, "INSERT INTO question VALUES (?1)", err);
    ok = q && sqlite3_bind_text(q, 1, question, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
         sqlite3_step(q) == SQLITE_DONE;
    if (q && !ok)
        store_failed(&s->store, err);
    sqlite3_finalize(q);
    return ok;
}

struct adapt_store *adapt_store_open(const char *path, const char *question, struct error *err)
{
    struct adapt_store *s = xcalloc(1, sizeof *s);
    if (store_open(&s->store, path, schema, err) && same_question(s, question, err) &&
        (s->put = store_prepare(
             &s->store, "INSERT OR REPLACE INTO task VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", err)))
        return s;
    adapt_store_close(s);
    return NULL;
}

void adapt_store_close(struct adapt_store *s)
{
    sqlite3_finalize(s->put);
    store_close(&s->store);
    free(s);
}

bool adapt_store_put(struct adapt_store *s, const struct ask_swept *t, struct error *err)
{
    sqlite3_stmt *p = s->put;
    sqlite3_reset(p);
    sqlite3_bind_text(p, 1, t->target, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(p, 2, t->inner, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(p, 3, t->verdict);
    sqlite3_bind_text(p, 4, t->adapter, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(p, 5, t->family, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(p, 6, t->reason, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(p, 7, t->trivial);
    sqlite3_bind_int(p, 8, t->bounded);
    sqlite3_bind_int64(p, 9, (sqlite3_int64)t->ms);
    sqlite3_bind_int64(p, 10, (sqlite3_int64)t->cluster);
    return sqlite3_step(p) == SQLITE_DONE ||
           error_set(err, ERROR_SYSTEM, "the store cannot be written: %s", sqlite3_errmsg(s->store.db));
}

bool adapt_store_each(struct adapt_store *s, adapt_store_fn *fn, void *ctx, struct error *err)
{
    sqlite3_stmt *q = NULL;
    int step = sqlite3_prepare_v2(
        s->store.db,
        "SELECT target, inner, verdict, adapter, family, reason, trivial, bounded, ms, cluster FROM task "
        "ORDER BY rowid",
        -1, &q, NULL);
    while (step == SQLITE_OK || step == SQLITE_ROW) {
        step = sqlite3_step(q);
        if (step != SQLITE_ROW)
            break;
        const char *text[6];
        for (int i = 0; i < 6; i++)
            text[i] = (const char *)sqlite3_column_text(q, i);
        int verdict = sqlite3_column_int(q, 2);
        fn(ctx,
           &(struct ask_swept){
               .target = text[0] ? text[0] : "",
               .inner = text[1] ? text[1] : "",
               .verdict = (uint8_t)(verdict < 0 || verdict > ADAPT_UNDECIDED ? ADAPT_UNDECIDED : verdict),
               .adapter = text[3],
               .family = text[4],
               .reason = text[5],
               .trivial = sqlite3_column_int(q, 6) != 0,
               .bounded = sqlite3_column_int(q, 7) != 0,
               .ms = (uint64_t)sqlite3_column_int64(q, 8),
               .cluster = (uint64_t)sqlite3_column_int64(q, 9)});
    }
    sqlite3_finalize(q);
    return step == SQLITE_DONE ||
           error_set(err, ERROR_SYSTEM, "the store cannot be read: %s", sqlite3_errmsg(s->store.db));
}
