/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/store.h"

#include <stddef.h>

#include "base/deadline.h"

enum {
    PATIENCE_MS = 60000, /* with another process that writes */
    TRY_AGAIN_MS = 10,
};

bool store_failed(const struct store *s, struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s: not a store that can be used: %s", s->path, sqlite3_errmsg(s->db));
}

/* SQLite refuses at once, without waiting, where waiting could be a deadlock: two that read a new store and both want
 * to change its mode. */
static int run_patiently(struct store *s, const char *sql)
{
    const uint64_t begun = time_now().clock_ms;
    int rc;
    while ((rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL)) == SQLITE_BUSY &&
           time_now().clock_ms - begun < PATIENCE_MS)
        sqlite3_sleep(TRY_AGAIN_MS);
    return rc;
}

bool store_open(struct store *s, const char *path, const char *tables, struct error *err)
{
    s->path = path;
    bool ok = sqlite3_open(path, &s->db) == SQLITE_OK &&
              sqlite3_busy_timeout(s->db, PATIENCE_MS) == SQLITE_OK &&
              run_patiently(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;") == SQLITE_OK &&
              run_patiently(s, tables) == SQLITE_OK;
    if (ok)
        return true;
    store_failed(s, err);
    store_close(s);
    return false;
}

void store_close(struct store *s)
{
    sqlite3_close(s->db);
    s->db = NULL;
}

sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct error *err)
{
    sqlite3_stmt *out = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &out, NULL) != SQLITE_OK)
        store_failed(s, err);
    return out;
}

bool store_run(struct store *s, const char *sql, struct error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || store_failed(s, err);
}
