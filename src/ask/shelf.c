/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/shelf.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ask/store.h"
#include "base/cachedir.h"
#include "base/pack.h"
#include "base/sha256.h"

/* ---- the build ---- */

static bool put_notes(struct buf *b, const char *p, size_t n)
{
    bool found = false;
    ElfW(Nhdr) h;
    while (n >= sizeof h) {
        memcpy(&h, p, sizeof h);
        size_t name = (h.n_namesz + 3u) & ~(size_t)3, desc = (h.n_descsz + 3u) & ~(size_t)3;
        if (name > n - sizeof h || desc > n - sizeof h - name)
            break;
        if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof "GNU" &&
            memcmp(p + sizeof h, "GNU", sizeof "GNU") == 0) {
            pack_number(b, h.n_descsz);
            buf_put(b, p + sizeof h + name, h.n_descsz);
            found = true;
        }
        p += sizeof h + name + desc;
        n -= sizeof h + name + desc;
    }
    return found;
}

/* A program or library of this process by its build-id; one that has none by what its file looks like. */
static int put_loaded(struct dl_phdr_info *o, size_t size, void *ctx)
{
    (void)size;
    struct buf *b = ctx;
    struct stat st = {0};
    bool found = false;
    for (int i = 0; i < o->dlpi_phnum; i++)
        if (o->dlpi_phdr[i].p_type == PT_NOTE)
            found = put_notes(b, (const char *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr), o->dlpi_phdr[i].p_memsz) ||
                    found;
    if (!found && stat(o->dlpi_name[0] ? o->dlpi_name : "/proc/self/exe", &st) == 0) {
        pack_text(b, o->dlpi_name);
        pack_number(b, (uint64_t)st.st_size);
        pack_number(b, (uint64_t)st.st_mtim.tv_sec);
        pack_number(b, (uint64_t)st.st_mtim.tv_nsec);
    }
    return 0;
}

void shelf_put_build(struct buf *key)
{
    dl_iterate_phdr(put_loaded, key);
}

/* ---- the database ---- */

struct shelf {
    struct store store;
    char *path, *table;
    sqlite3_stmt *get, *put;
};

bool shelf_path(const struct shelf_kind *kind, struct buf *out)
{
    if (!cache_dir(out))
        return false;
    buf_printf(out, "/%s", kind->file);
    return true;
}

static sqlite3_stmt *prepare(struct shelf *s, const char *before, const char *after, struct error *err)
{
    struct buf sql = BUF_INIT;
    buf_printf(&sql, "%s %s %s", before, s->table, after);
    sqlite3_stmt *out = store_prepare(&s->store, buf_text(&sql), err);
    buf_free(&sql);
    return out;
}

static bool open_database(struct shelf *s, struct error *err)
{
    struct buf sql = BUF_INIT;
    buf_printf(&sql,
               "CREATE TABLE IF NOT EXISTS %s (key TEXT PRIMARY KEY, digest TEXT NOT NULL, message BLOB NOT NULL);",
               s->table);
    bool ok = store_open(&s->store, s->path, buf_text(&sql), err) &&
              (s->get = prepare(s, "SELECT digest, message FROM", "WHERE key = ?1", err)) &&
              (s->put = prepare(s, "INSERT OR REPLACE INTO", "VALUES (?1, ?2, ?3)", err));
    buf_free(&sql);
    return ok;
}

struct shelf *shelf_open(const struct shelf_kind *kind, struct error *err)
{
    struct buf path = BUF_INIT;
    struct shelf *s = NULL;
    if (cache_dir_make(&path)) {
        buf_clear(&path);
        shelf_path(kind, &path);
        s = xcalloc(1, sizeof *s);
        s->path = xstrdup(buf_text(&path));
        s->table = xstrdup(kind->table);
        if (!open_database(s, err)) {
            shelf_close(s);
            s = NULL;
        }
    }
    buf_free(&path);
    return s;
}

/* The oldest go when it has become large; the file does not grow then. */
static void make_room(struct shelf *s)
{
    enum { LARGEST_MB = 512 };
    struct buf sql = BUF_INIT;
    sqlite3_stmt *size = store_prepare(
        &s->store, "SELECT (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size()) "
                   "- (SELECT freelist_count FROM pragma_freelist_count()) * (SELECT page_size FROM pragma_page_size())",
        NULL);
    bool large = size && sqlite3_step(size) == SQLITE_ROW &&
                 sqlite3_column_int64(size, 0) > (sqlite3_int64)LARGEST_MB << 20;
    sqlite3_finalize(size);
    buf_printf(&sql, "DELETE FROM %s WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM %s)", s->table, s->table);
    if (large)
        store_run(&s->store, buf_text(&sql), NULL);
    buf_free(&sql);
}

void shelf_close(struct shelf *s)
{
    if (!s)
        return;
    if (s->put)
        make_room(s);
    sqlite3_finalize(s->get);
    sqlite3_finalize(s->put);
    store_close(&s->store);
    free(s->path);
    free(s->table);
    free(s);
}

bool shelf_count(const struct shelf_kind *kind, uint64_t *out, struct error *err)
{
    struct shelf *s = shelf_open(kind, err);
    sqlite3_stmt *q = s ? prepare(s, "SELECT count(*) FROM", "", err) : NULL;
    int step = q ? sqlite3_step(q) : SQLITE_ERROR;
    if (step == SQLITE_ROW)
        *out = (uint64_t)sqlite3_column_int64(q, 0);
    else if (q)
        store_failed(&s->store, err);
    sqlite3_finalize(q);
    shelf_close(s);
    return step == SQLITE_ROW;
}

/* Of the key and the bytes: neither a damaged value nor one of another key has it. */
static void digest_of(const char *key, const char *bytes, size_t n, char hex[SHA256_HEX])
{
    struct buf b = BUF_INIT;
    pack_text(&b, key);
    buf_put(&b, bytes, n);
    sha256_hex(buf_text(&b), b.len, hex);
    buf_free(&b);
}

bool shelf_get(struct shelf *s, const char *key, struct buf *out, struct error *err)
{
    bool found = false;
    sqlite3_reset(s->get);
    sqlite3_bind_text(s->get, 1, key, -1, SQLITE_TRANSIENT);
    int step = sqlite3_step(s->get);
    if (step == SQLITE_ROW) {
        char hex[SHA256_HEX];
        const char *digest_text = (const char *)sqlite3_column_text(s->get, 0);
        const char *bytes = sqlite3_column_blob(s->get, 1);
        size_t n = (size_t)sqlite3_column_bytes(s->get, 1);
        digest_of(key, bytes ? bytes : "", n, hex);
        found = bytes && digest_text && strcmp(hex, digest_text) == 0;
        if (found)
            buf_put(out, bytes, n);
    } else if (step != SQLITE_DONE) {
        store_failed(&s->store, err);
    }
    sqlite3_reset(s->get);
    return found;
}

bool shelf_put(struct shelf *s, const char *key, const char *bytes, size_t n, struct error *err)
{
    char hex[SHA256_HEX];
    digest_of(key, bytes, n, hex);
    sqlite3_reset(s->put);
    sqlite3_bind_text(s->put, 1, key, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s->put, 2, hex, -1, SQLITE_TRANSIENT);
    sqlite3_bind_blob64(s->put, 3, bytes, n, SQLITE_TRANSIENT);
    bool ok = sqlite3_step(s->put) == SQLITE_DONE || store_failed(&s->store, err);
    sqlite3_reset(s->put);
    return ok;
}
