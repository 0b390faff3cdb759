/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/cache.h"
#include "present/sense.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/assay.h"
#include "base/cachedir.h"
#include "base/system.h"
#include "object/container.h"

/* ---- bytes ---- */

static void put_number(struct buf *b, uint64_t x)
{
    for (; x >= 0x80; x >>= 7)
        buf_putc(b, (char)(x | 0x80));
    buf_putc(b, (char)x);
}

/* NULL is not the same as "". */
static void put_text(struct buf *b, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    put_number(b, s ? n + 1 : 0);
    buf_put(b, s, n);
}

struct reader {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t get_number(struct reader *r)
{
    uint64_t x = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->at >= r->end)
            break;
        uint8_t c = *r->at++;
        x |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80))
            return x;
    }
    r->bad = true;
    return 0;
}

/* No more than there are bytes left, as each element has at least one. */
static uint64_t get_count(struct reader *r)
{
    uint64_t n = get_number(r);
    if (n > (uint64_t)(r->end - r->at)) {
        r->bad = true;
        return 0;
    }
    return n;
}

static const char *get_text(struct reader *r, struct arena *a)
{
    uint64_t n = get_count(r);
    if (n == 0 || r->bad)
        return NULL;
    const char *s = arena_strndup(a, (const char *)r->at, n - 1);
    r->at += n - 1;
    return s;
}

/* ---- a reference ---- */

struct writer {
    const struct exprs *e;
    struct buf nodes, body;
    struct map index; /* expression -> its number in the file, from 1 on */
};

static uint64_t write_expr(struct writer *w, expr x)
{
    uint64_t known;
    if (x == EXPR_NONE)
        return 0;
    if (map_get(&w->index, x, &known))
        return known;
    unsigned n = expr_nkids(w->e, x);
    uint64_t *kid = xcalloc(n + 1, sizeof *kid);
    for (unsigned i = 0; i < n; i++)
        kid[i] = write_expr(w, expr_kid(w->e, x, i));
    put_number(&w->nodes, expr_kind(w->e, x));
    put_number(&w->nodes, (uint64_t)expr_value(w->e, x));
    put_text(&w->nodes, expr_name(w->e, x));
    put_number(&w->nodes, n);
    for (unsigned i = 0; i < n; i++)
        put_number(&w->nodes, kid[i]);
    free(kid);
    known = w->index.len + 1;
    map_set(&w->index, x, known);
    return known;
}

static void write_features(struct writer *w, const struct features *f)
{
    put_number(&w->body, f->blocks);
    put_number(&w->body, f->executed);
    put_number(&w->body, f->unknown);
    put_number(&w->body, f->complete);
    put_number(&w->body, f->list.len);
    for (size_t i = 0; i < f->list.len; i++) {
        const struct feature *x = &f->list.data[i];
        put_number(&w->body, x->kind);
        put_number(&w->body, write_expr(w, x->what));
        put_number(&w->body, write_expr(w, x->value));
        put_number(&w->body, write_expr(w, x->under));
        put_number(&w->body, x->site);
        put_text(&w->body, x->file);
        put_number(&w->body, x->line);
        put_number(&w->body, x->first);
        put_number(&w->body, x->sites);
    }
    put_number(&w->body, f->note.len);
    for (size_t i = 0; i < f->note.len; i++)
        put_number(&w->body, write_expr(w, f->note.data[i]));
}

void reference_write(const struct reference *r, struct buf *out)
{
    struct writer w = {.e = r->e};
    put_number(&w.body, r->arity.len);
    for (size_t i = 0; i < r->arity.cap; i++)
        if (r->arity.key[i]) {
            put_text(&w.body, r->arity.key[i]);
            put_number(&w.body, r->arity.value[i]);
        }
    put_number(&w.body, r->function.len);
    for (size_t i = 0; i < r->function.len; i++) {
        const struct reference_function *f = &r->function.data[i];
        put_text(&w.body, f->name);
        put_number(&w.body, f->variant.len);
        for (size_t k = 0; k < f->variant.len; k++) {
            put_text(&w.body, f->variant.data[k].how);
            put_number(&w.body, f->variant.data[k].bits);
            write_features(&w, &f->variant.data[k].old);
            write_features(&w, &f->variant.data[k].new);
        }
    }
    put_number(out, w.index.len);
    buf_put(out, w.nodes.data, w.nodes.len);
    buf_put(out, w.body.data, w.body.len);
    buf_free(&w.nodes);
    buf_free(&w.body);
    map_free(&w.index);
}

typedef VEC(expr) expr_list;

static void read_exprs(struct reader *in, struct reference *r, expr_list *out)
{
    uint64_t n = get_count(in);
    vec_push(out, EXPR_NONE);
    for (uint64_t i = 0; i < n && !in->bad; i++) {
        uint64_t kind = get_number(in);
        int64_t value = (int64_t)get_number(in);
        const char *name = get_text(in, &r->arena);
        uint64_t nkids = get_count(in);
        expr *kid = xcalloc(nkids + 1, sizeof *kid);
        for (uint64_t k = 0; k < nkids; k++) {
            uint64_t at = get_number(in);
            in->bad = in->bad || at == 0 || at >= out->len;
            kid[k] = in->bad ? EXPR_NONE : out->data[at];
        }
        in->bad = in->bad || kind > EXPR_LAST || (kind == EXPR_OP && (uint64_t)value >= OP_COUNT_) ||
                  ((kind == EXPR_STRING || kind == EXPR_SYMBOL) && !name);
        vec_push(out, in->bad ? EXPR_NONE
                              : expr_node(r->e, (enum expr_kind)kind, value, name, kid, (unsigned)nkids));
        free(kid);
    }
}

static expr get_expr(struct reader *in, const expr_list *list)
{
    uint64_t at = get_number(in);
    if (at < list->len)
        return list->data[at];
    in->bad = true;
    return EXPR_NONE;
}

static void read_features(struct reader *in, struct reference *r, const expr_list *list, struct features *out)
{
    *out = (struct features){.blocks = (uint32_t)get_number(in)};
    out->executed = get_number(in);
    out->unknown = get_number(in);
    out->complete = get_number(in);
    uint64_t n = get_count(in);
    for (uint64_t i = 0; i < n && !in->bad; i++) {
        struct feature f = {.kind = (uint8_t)get_number(in)};
        f.what = get_expr(in, list);
        f.value = get_expr(in, list);
        f.under = get_expr(in, list);
        f.site = get_number(in);
        f.file = get_text(in, &r->arena);
        f.line = (unsigned)get_number(in);
        f.first = get_number(in);
        f.sites = (unsigned)get_number(in);
        in->bad = in->bad || f.kind > FEATURE_LAST || f.what == EXPR_NONE ||
                  (f.kind == FEATURE_STORE && f.value == EXPR_NONE);
        vec_push(&out->list, f);
    }
    n = get_count(in);
    for (uint64_t i = 0; i < n && !in->bad; i++) {
        vec_push(&out->note, get_expr(in, list));
        in->bad = in->bad || !sense_is_note(r->e, vec_last(&out->note));
    }
}

bool reference_read(struct reference *r, const uint8_t *bytes, size_t n)
{
    struct reader in = {.at = bytes, .end = bytes + n};
    expr_list list = VEC_INIT;
    read_exprs(&in, r, &list);
    for (uint64_t i = get_count(&in); i > 0 && !in.bad; i--) {
        const char *name = get_text(&in, &r->arena);
        uint64_t value = get_number(&in);
        if (name)
            strmap_set(&r->arity, name, value);
    }
    for (uint64_t i = get_count(&in); i > 0 && !in.bad; i--) {
        struct reference_function f = {.name = get_text(&in, &r->arena)};
        in.bad = in.bad || !f.name;
        for (uint64_t k = get_count(&in); k > 0 && !in.bad; k--) {
            struct reference_variant v = {.how = get_text(&in, &r->arena)};
            v.bits = (unsigned)get_number(&in);
            in.bad = in.bad || !v.how;
            read_features(&in, r, &list, &v.old);
            read_features(&in, r, &list, &v.new);
            vec_push(&f.variant, v);
        }
        vec_push(&r->function, f);
    }
    vec_free(&list);
    return !in.bad && in.at == in.end;
}

/* ---- keys ---- */

void cache_key_add(struct cache_key *k, const char *what, const void *bytes, size_t n)
{
    char hex[SHA256_HEX];
    sha256_hex(bytes, n, hex);
    buf_printf(&k->text, "%s %s\n", what, hex);
}

bool cache_key_file(struct cache_key *k, const char *path)
{
    size_t n;
    uint8_t *bytes = container_read_file(path, &n, NULL);
    if (bytes)
        cache_key_add(k, "file", bytes, n);
    free(bytes);
    return bytes;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

bool cache_key_tree(struct cache_key *k, const char *path)
{
    char *root = realpath(path, NULL);
    char *const roots[] = {root, NULL};
    FTS *walk = root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
    struct buf text = BUF_INIT;
    for (FTSENT *e; walk && (e = fts_read(walk));)
        if (e->fts_info == FTS_F)
            buf_printf(&text, "%s %lld %lld.%ld\n", e->fts_path, (long long)e->fts_statp->st_size,
                       (long long)e->fts_statp->st_mtim.tv_sec, e->fts_statp->st_mtim.tv_nsec);
    cache_key_add(k, "tree", buf_text(&text), text.len);
    buf_free(&text);
    if (walk)
        fts_close(walk);
    free(root);
    return walk;
}

void cache_key_free(struct cache_key *k)
{
    buf_free(&k->text);
}

/* ---- files ---- */

static const char magic[] = "assay present 2\n";

/* Makes the directories, and returns the entry's path; false when there is no place for it. */
static bool entry_path(const struct cache_key *k, struct buf *out)
{
    char hex[SHA256_HEX];
    struct stat self = {0};
    struct buf text = BUF_INIT;
    if (!cache_dir_make(out))
        return false;
    buf_puts(out, "/present");
    mkdir(buf_text(out), 0700);
    /* Another build of assay finds other features. */
    if (stat("/proc/self/exe", &self) != 0)
        return false;
    buf_printf(&text, "%s %lld %lld.%ld\n%s", ASSAY_VERSION, (long long)self.st_size,
               (long long)self.st_mtim.tv_sec, self.st_mtim.tv_nsec, buf_text(&k->text));
    sha256_hex(buf_text(&text), text.len, hex);
    buf_free(&text);
    buf_printf(out, "/%s", hex);
    return true;
}

static void put_file(struct buf *b, const char *path)
{
    struct stat st = {0};
    char hex[SHA256_HEX] = "";
    size_t n;
    uint8_t *bytes = stat(path, &st) == 0 ? container_read_file(path, &n, NULL) : NULL;
    if (bytes)
        sha256_hex(bytes, n, hex);
    free(bytes);
    put_text(b, path);
    put_number(b, (uint64_t)st.st_size);
    put_number(b, (uint64_t)st.st_mtim.tv_sec);
    put_number(b, (uint64_t)st.st_mtim.tv_nsec);
    put_text(b, hex);
}

/* Whether a file is as it was. One that looks older or newer may still hold the same. */
static bool same_file(struct reader *in, struct arena *a)
{
    const char *path = get_text(in, a);
    uint64_t size = get_number(in), seconds = get_number(in), ns = get_number(in);
    const char *was = get_text(in, a);
    struct stat st;
    if (in->bad || !path || !was || stat(path, &st) != 0 || (uint64_t)st.st_size != size)
        return false;
    if ((uint64_t)st.st_mtim.tv_sec == seconds && (uint64_t)st.st_mtim.tv_nsec == ns)
        return true;
    size_t n;
    char hex[SHA256_HEX];
    uint8_t *bytes = container_read_file(path, &n, NULL);
    if (!bytes)
        return false;
    sha256_hex(bytes, n, hex);
    free(bytes);
    return strcmp(hex, was) == 0;
}

static bool load(struct reader *in, struct reference *r)
{
    bool same = true;
    for (uint64_t i = get_count(in); i > 0 && same && !in->bad; i--)
        same = same_file(in, &r->arena);
    return same && !in->bad && reference_read(r, in->at, (size_t)(in->end - in->at));
}

bool cache_load(const struct cache_key *k, struct reference *r)
{
    struct buf path = BUF_INIT;
    size_t n = 0, head = sizeof magic - 1;
    uint8_t *bytes = entry_path(k, &path) && access(buf_text(&path), R_OK) == 0
                         ? container_read_file(buf_text(&path), &n, NULL)
                         : NULL;
    bool ok = false;
    if (bytes && n > head + SHA256_BYTES && memcmp(bytes, magic, head) == 0) {
        uint8_t sum[SHA256_BYTES];
        struct reader in = {.at = bytes + head, .end = bytes + n - SHA256_BYTES};
        sha256(bytes, n - SHA256_BYTES, sum);
        ok = memcmp(sum, in.end, SHA256_BYTES) == 0 && load(&in, r);
        if (!ok) {
            struct exprs *e = r->e;
            reference_free(r);
            reference_init(r, e);
        }
    }
    free(bytes);
    buf_free(&path);
    return ok;
}

void cache_save(const struct cache_key *k, const cache_files *files, const struct reference *r)
{
    struct buf path = BUF_INIT, b = BUF_INIT, temporary = BUF_INIT;
    uint8_t sum[SHA256_BYTES];
    if (entry_path(k, &path)) {
        buf_puts(&b, magic);
        put_number(&b, files->len);
        for (size_t i = 0; i < files->len; i++)
            put_file(&b, files->data[i]);
        reference_write(r, &b);
        sha256(b.data, b.len, sum);
        buf_put(&b, sum, sizeof sum);
        /* Complete or not there: others may read it at this moment. */
        buf_printf(&temporary, "%s.%d", buf_text(&path), (int)getpid());
        int fd = open(buf_text(&temporary), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        bool ok = fd >= 0 && write_all(fd, b.data, b.len);
        if (fd >= 0)
            ok = close(fd) == 0 && ok;
        if (fd >= 0 && (!ok || rename(buf_text(&temporary), buf_text(&path)) != 0))
            unlink(buf_text(&temporary));
    }
    buf_free(&path);
    buf_free(&temporary);
    buf_free(&b);
}
