/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/remember.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ask/store.h"
#include "assay/assay.h"
#include "base/cachedir.h"

/* ---- keys ---- */

static void put_number(struct buf *b, uint64_t n)
{
    buf_put(b, &n, sizeof n);
}

static void put_text(struct buf *b, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    put_number(b, text ? n + 1 : 0);
    buf_put(b, text ? text : "", n);
}

static void put_texts(struct buf *b, const char *const *text, size_t n)
{
    put_number(b, n);
    for (size_t i = 0; i < n; i++)
        put_text(b, text[i]);
}

static const char *digest(struct buf *b, struct arena *arena)
{
    char hex[SHA256_HEX];
    sha256_hex(buf_text(b), b->len, hex);
    buf_free(b);
    return arena_strdup(arena, hex);
}

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
            put_number(b, h.n_descsz);
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
        put_text(b, o->dlpi_name);
        put_number(b, (uint64_t)st.st_size);
        put_number(b, (uint64_t)st.st_mtim.tv_sec);
        put_number(b, (uint64_t)st.st_mtim.tv_nsec);
    }
    return 0;
}

static void put_knowledge(struct buf *b, const struct verify_knowledge *k)
{
    static const struct verify_knowledge nothing;
    k = k ? k : &nothing;
    put_number(b, k->nprototypes);
    for (size_t i = 0; i < k->nprototypes; i++) {
        const struct verify_prototype *p = &k->prototype[i];
        put_text(b, p->name);
        put_number(b, (uint64_t)p->nargs);
        put_number(b, (uint64_t)p->returns);
        put_number(b, p->variadic);
        put_number(b, p->outputs);
    }
    put_number(b, k->nnames);
    for (size_t i = 0; i < k->nnames; i++) {
        put_number(b, k->name[i].new);
        put_number(b, k->name[i].address);
        put_text(b, k->name[i].name);
    }
    put_number(b, k->nequals);
    for (size_t i = 0; i < k->nequals; i++) {
        put_text(b, k->equal[i].old);
        put_text(b, k->equal[i].new);
    }
    const struct {
        const struct verify_word *word;
        size_t n;
    } list[] = {{k->error_function, k->nerror_functions},
                {k->pure_function, k->npure_functions},
                {k->ignore, k->nignores},
                {k->accepted, k->naccepted}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        put_number(b, list[i].n);
        for (size_t j = 0; j < list[i].n; j++)
            put_text(b, list[i].word[j].text);
    }
    put_number(b, k->ninvalid);
    for (size_t i = 0; i < k->ninvalid; i++) {
        put_text(b, k->invalid[i].function);
        put_number(b, (uint64_t)k->invalid[i].value);
    }
    put_number(b, k->nedges);
    for (size_t i = 0; i < k->nedges; i++) {
        put_number(b, k->edge[i].new);
        put_number(b, k->edge[i].from);
        put_number(b, k->edge[i].to);
    }
}

static void put_imports(struct buf *b, const struct verify_import *import, size_t n)
{
    put_number(b, n);
    for (size_t i = 0; i < n; i++) {
        put_text(b, import[i].name);
        put_text(b, import[i].library);
        put_number(b, import[i].takes.nargs);
        put_number(b, import[i].takes.floats);
        put_number(b, import[i].takes.back);
        buf_put(b, import[i].takes.bits, sizeof import[i].takes.bits);
    }
}

bool remember_possible(const struct ask_verify *q)
{
    return q->remember && !q->limits.here && !q->how.solve.dump_dir && q->how.solve.engine == SOLVE_Z3 &&
           !q->how.solve.command;
}

const char *remember_file_key(const struct remember_file *f, struct arena *arena)
{
    const struct ask_verify *q = f->q;
    const struct verify_options *how = &q->how;
    struct buf b = BUF_INIT;
    put_text(&b, "assay verdict 1 " ASSAY_VERSION);
    dl_iterate_phdr(put_loaded, &b);
    put_text(&b, f->pair->old->sha256);
    put_text(&b, f->pair->new->sha256);
    for (int side = 0; side < 2; side++) {
        char hex[SHA256_HEX];
        object_debug_digest(program_object(f->compared->p[side]), hex);
        put_text(&b, hex);
    }
    put_number(&b, q->object.no_debug);
    put_texts(&b, q->function, q->nfunctions);
    put_number(&b, q->no_libraries);
    put_number(&b, q->graphs);
    put_number(&b, how->strategy);
    put_number(&b, how->heuristics);
    put_number(&b, how->assume);
    put_number(&b, how->axioms);
    put_number(&b, (uint64_t)(how->short_ratio * 1000000));
    put_number(&b, how->steps);
    put_number(&b, how->solve.timeout_ms);
    put_number(&b, how->solve.effort);
    put_number(&b, how->solve.fp_theory);
    put_number(&b, how->solve.memory_mb);
    put_knowledge(&b, how->know);
    put_imports(&b, f->import, f->nimports);
    return digest(&b, arena);
}

const char *remember_key(const char *file_key, const struct match_pair *x, unsigned limit_ms, struct arena *arena)
{
    struct buf b = BUF_INIT;
    put_text(&b, file_key);
    put_number(&b, x->old);
    put_number(&b, x->new);
    put_number(&b, x->status);
    put_number(&b, x->change);
    put_number(&b, (uint64_t)(x->sure * 1000000));
    put_number(&b, limit_ms);
    return digest(&b, arena);
}

bool remember_lasts(const struct verify_result *r)
{
    switch (r->reason.code) {
    case VERIFY_REASON_OUT_OF_TIME:
    case VERIFY_REASON_OUT_OF_TIME_EXPLORING:
    case VERIFY_REASON_OUT_OF_MEMORY:
    case VERIFY_REASON_WORKER_DIED:
    case VERIFY_REASON_SOLVER_MISSING:
    case VERIFY_REASON_SOLVER_MEMORY:
    case VERIFY_REASON_SOLVER_GAVE_UP:
        return false;
    default:
        return true;
    }
}

/* ---- the database ---- */

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS verdict (key TEXT PRIMARY KEY, digest TEXT NOT NULL, message BLOB NOT NULL);";

struct remember {
    struct store store;
    char *path;
    sqlite3_stmt *get, *put;
};

bool remember_path(struct buf *out)
{
    if (!cache_dir(out))
        return false;
    buf_puts(out, "/verdicts.sqlite");
    return true;
}

struct remember *remember_open(struct error *err)
{
    struct buf path = BUF_INIT;
    struct remember *m = NULL;
    if (cache_dir_make(&path)) {
        buf_clear(&path);
        remember_path(&path);
        m = xcalloc(1, sizeof *m);
        m->path = xstrdup(buf_text(&path));
        if (!store_open(&m->store, m->path, tables, err) ||
            !(m->get = store_prepare(&m->store, "SELECT digest, message FROM verdict WHERE key = ?1", err)) ||
            !(m->put = store_prepare(&m->store, "INSERT OR REPLACE INTO verdict VALUES (?1, ?2, ?3)", err))) {
            remember_close(m);
            m = NULL;
        }
    }
    buf_free(&path);
    return m;
}

/* The oldest go when it has become large; the file does not grow then. */
static void make_room(struct remember *m)
{
    enum { LARGEST_MB = 512 };
    sqlite3_stmt *size = store_prepare(
        &m->store, "SELECT (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size()) "
                   "- (SELECT freelist_count FROM pragma_freelist_count()) * (SELECT page_size FROM pragma_page_size())",
        NULL);
    bool large = size && sqlite3_step(size) == SQLITE_ROW &&
                 sqlite3_column_int64(size, 0) > (sqlite3_int64)LARGEST_MB << 20;
    sqlite3_finalize(size);
    if (large)
        store_run(&m->store,
                  "DELETE FROM verdict WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM verdict)", NULL);
}

void remember_close(struct remember *m)
{
    if (!m)
        return;
    if (m->put)
        make_room(m);
    sqlite3_finalize(m->get);
    sqlite3_finalize(m->put);
    store_close(&m->store);
    free(m->path);
    free(m);
}

bool remember_count(uint64_t *out, struct error *err)
{
    struct remember *m = remember_open(err);
    sqlite3_stmt *q = m ? store_prepare(&m->store, "SELECT count(*) FROM verdict", err) : NULL;
    int step = q ? sqlite3_step(q) : SQLITE_ERROR;
    if (step == SQLITE_ROW)
        *out = (uint64_t)sqlite3_column_int64(q, 0);
    else if (q)
        store_failed(&m->store, err);
    sqlite3_finalize(q);
    remember_close(m);
    return step == SQLITE_ROW;
}

/* Of the key and the message: neither a damaged value nor one of another key has it. */
static void digest_of(const char *key, const char *bytes, size_t n, char hex[SHA256_HEX])
{
    struct buf b = BUF_INIT;
    put_text(&b, key);
    buf_put(&b, bytes, n);
    sha256_hex(buf_text(&b), b.len, hex);
    buf_free(&b);
}

bool remember_get(struct remember *m, const char *key, struct arena *arena, struct ask_verified *out,
                  struct error *err)
{
    bool found = false;
    sqlite3_reset(m->get);
    sqlite3_bind_text(m->get, 1, key, -1, SQLITE_TRANSIENT);
    int step = sqlite3_step(m->get);
    if (step == SQLITE_ROW) {
        char hex[SHA256_HEX];
        const char *digest_text = (const char *)sqlite3_column_text(m->get, 0);
        const char *bytes = sqlite3_column_blob(m->get, 1);
        size_t n = (size_t)sqlite3_column_bytes(m->get, 1);
        digest_of(key, bytes ? bytes : "", n, hex);
        found = bytes && digest_text && strcmp(hex, digest_text) == 0 &&
                wire_get(bytes, n, &ask_verified_type, out, arena) && out->key && strcmp(out->key, key) == 0 &&
                remember_lasts(&out->result);
    } else if (step != SQLITE_DONE) {
        store_failed(&m->store, err);
    }
    sqlite3_reset(m->get);
    return found;
}

bool remember_put(struct remember *m, const char *key, const char *bytes, size_t n, struct error *err)
{
    char hex[SHA256_HEX];
    digest_of(key, bytes, n, hex);
    sqlite3_reset(m->put);
    sqlite3_bind_text(m->put, 1, key, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(m->put, 2, hex, -1, SQLITE_TRANSIENT);
    sqlite3_bind_blob(m->put, 3, bytes, (int)n, SQLITE_TRANSIENT);
    bool ok = sqlite3_step(m->put) == SQLITE_DONE || store_failed(&m->store, err);
    sqlite3_reset(m->put);
    return ok;
}
