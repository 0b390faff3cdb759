/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct patch *p;
    const char *at, *end;
    size_t number;    /* of the line last read */
    const char *from; /* a file is renamed */
};

static bool next_line(struct reader *r, const char **line, size_t *len)
{
    if (r->at >= r->end)
        return false;
    const char *nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
    *line = r->at;
    *len = (size_t)((nl ? nl : r->end) - r->at);
    r->at = nl ? nl + 1 : r->end;
    r->number++;
    return true;
}

static bool begins(const char *line, size_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && memcmp(line, with, n) == 0;
}

/* The name in "--- a/x.c<tab>date". NULL for /dev/null. */
static const char *file_name(struct reader *r, const char *line, size_t len)
{
    const char *name = line + 4, *tab = memchr(line, '\t', len);
    size_t n = (size_t)((tab ? tab : line + len) - name);
    while (n && (name[n - 1] == '\r' || name[n - 1] == ' '))
        n--;
    if (n >= 2 && name[0] == '"' && name[n - 1] == '"') {
        name++;
        n -= 2;
    }
    return n == 9 && memcmp(name, "/dev/null", 9) == 0 ? NULL : arena_strndup(&r->p->arena, name, n);
}

/* "-12,7" or "-12". */
static bool read_range(const char **s, char sign, size_t *start, size_t *count)
{
    char *end;
    if (**s != sign)
        return false;
    *start = strtoul(*s + 1, &end, 10);
    *count = 1;
    if (end == *s + 1)
        return false;
    if (*end == ',') {
        char *more = end + 1;
        *count = strtoul(more, &end, 10);
        if (end == more)
            return false;
    }
    *s = end;
    return true;
}

static bool read_hunk(struct reader *r, const char *line, size_t len, struct patch_hunk *h, struct error *err)
{
    size_t old, new;
    const char *head = arena_strndup(&r->p->arena, line, len), *s = head + 3;
    h->at = r->number;
    bool ok = read_range(&s, '-', &h->old_start, &old);
    while (ok && *s == ' ')
        s++;
    if (!ok || !read_range(&s, '+', &h->new_start, &new) || strncmp(s, " @@", 3) != 0)
        return error_set(err, ERROR_INPUT, "%s: line %zu: expected '@@ -OLD,COUNT +NEW,COUNT @@'", r->p->name,
                         r->number);
    while (old || new) {
        struct patch_line l = {.kind = ' '};
        if (!next_line(r, &line, &len))
            return error_set(err, ERROR_INPUT, "%s: ends in the middle of the hunk at line %zu", r->p->name,
                             h->at);
        if (len && line[0] == '\\') {
            if (h->line.len)
                vec_last(&h->line).no_end = true;
            continue;
        }
        /* An empty line of context may have lost its blank on the way. */
        if (len) {
            l.kind = line[0];
            line++;
            len--;
        }
        bool in_old = l.kind != '+', in_new = l.kind != '-';
        if ((l.kind != ' ' && l.kind != '-' && l.kind != '+') || (in_old && !old) || (in_new && !new))
            return error_set(err, ERROR_INPUT,
                             "%s: line %zu does not fit the hunk at line %zu; the diff is damaged",
                             r->p->name, r->number, h->at);
        old -= in_old;
        new -= in_new;
        l.text = line;
        l.len = len;
        vec_push(&h->line, l);
    }
    if (r->at < r->end && *r->at == '\\' && next_line(r, &line, &len) && h->line.len)
        vec_last(&h->line).no_end = true;
    return true;
}

/* What "rename from" and "rename to" say, with git's prefixes; the names that perhaps follow are the same. */
static void see_rename(struct reader *r, const char *line, size_t len)
{
    static const char from[] = "rename from ", to[] = "rename to ";
    struct arena *arena = &r->p->arena;
    if (begins(line, len, from)) {
        size_t n = strlen(from);
        r->from = arena_printf(arena, "a/%.*s", (int)(len - n), line + n);
    } else if (r->from && begins(line, len, to)) {
        size_t n = strlen(to);
        vec_push(&r->p->file, (struct patch_file){.old_path = r->from,
                                                  .new_path = arena_printf(arena, "b/%.*s", (int)(len - n), line + n),
                                                  .renamed = true});
        r->from = NULL;
    }
}

static void begin_file(struct patch *p, struct patch_file f)
{
    struct patch_file *last = p->file.len ? &vec_last(&p->file) : NULL;
    bool same = last && last->renamed && !last->hunk.len && f.old_path && f.new_path &&
                strcmp(f.old_path, last->old_path) == 0 && strcmp(f.new_path, last->new_path) == 0;
    if (!same)
        vec_push(&p->file, f);
}

bool patch_read(struct patch *p, const char *name, const char *text, size_t n, struct error *err)
{
    const char *line, *copy;
    size_t len;
    *p = (struct patch){.name = NULL};
    p->name = arena_strdup(&p->arena, name);
    copy = arena_dup(&p->arena, text, n);
    struct reader r = {.p = p, .at = copy, .end = copy + n};
    while (next_line(&r, &line, &len)) {
        if (begins(line, len, "--- ")) {
            const char *old = file_name(&r, line, len), *next = r.at;
            size_t number = r.number;
            if (!next_line(&r, &line, &len) || !begins(line, len, "+++ ")) {
                r.at = next; /* a line of the message around it */
                r.number = number;
                continue;
            }
            begin_file(p, (struct patch_file){.old_path = old, .new_path = file_name(&r, line, len)});
        } else if (begins(line, len, "@@ ") && p->file.len) {
            struct patch_hunk h = {0};
            bool ok = read_hunk(&r, line, len, &h, err);
            vec_push(&vec_last(&p->file).hunk, h);
            if (!ok)
                return false;
        } else if (begins(line, len, "GIT binary patch")) {
            return error_set(err, ERROR_INPUT, "%s: line %zu: binary patches do not describe source code",
                             name, r.number);
        } else {
            see_rename(&r, line, len);
        }
    }
    bool any = false;
    for (size_t i = 0; i < p->file.len; i++)
        any = any || p->file.data[i].hunk.len || p->file.data[i].renamed;
    return any ||
           error_set(err, ERROR_INPUT, "%s: not a unified diff, as 'git diff' and 'diff -u' write it", name);
}

void patch_free(struct patch *p)
{
    for (size_t i = 0; i < p->file.len; i++) {
        for (size_t k = 0; k < p->file.data[i].hunk.len; k++)
            vec_free(&p->file.data[i].hunk.data[k].line);
        vec_free(&p->file.data[i].hunk);
    }
    vec_free(&p->file);
    arena_free(&p->arena);
}

/* ---- applying ---- */

struct text_line {
    const char *text;
    size_t len;
};

typedef VEC(struct text_line) text_lines;

static void split(const char *text, size_t n, text_lines *out)
{
    for (const char *at = text, *end = text + n; at < end;) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        vec_push(out, (struct text_line){at, (size_t)((nl ? nl : end) - at)});
        at = nl ? nl + 1 : end;
    }
}

/* Trees and diffs go through programs that change the ends of lines. */
static bool same_line(struct text_line a, const struct patch_line *b)
{
    size_t n = a.len, k = b->len;
    n -= n && a.text[n - 1] == '\r';
    k -= k && b->text[k - 1] == '\r';
    return n == k && memcmp(a.text, b->text, n) == 0;
}

static bool fits(const text_lines *file, const struct patch_hunk *h, size_t at, char removed)
{
    for (size_t i = 0; i < h->line.len; i++) {
        const struct patch_line *l = &h->line.data[i];
        if (l->kind != ' ' && l->kind != removed)
            continue;
        if (at >= file->len || !same_line(file->data[at], l))
            return false;
        at++;
    }
    return true;
}

/* Where the hunk fits, nearest to where it should be, and not before `least`. */
static bool place(const text_lines *file, const struct patch_hunk *h, size_t wanted, size_t least,
                  char removed, size_t *at)
{
    for (size_t off = 0; off <= file->len; off++) {
        if (wanted + off <= file->len && wanted + off >= least && fits(file, h, wanted + off, removed)) {
            *at = wanted + off;
            return true;
        }
        if (off <= wanted && wanted - off >= least && fits(file, h, wanted - off, removed)) {
            *at = wanted - off;
            return true;
        }
    }
    return false;
}

static void put_line(struct buf *out, const char *text, size_t len, bool end)
{
    buf_put(out, text, len);
    if (end)
        buf_putc(out, '\n');
}

bool patch_apply(const struct patch *p, const struct patch_file *f, const char *text, size_t n, bool reverse,
                 struct buf *out, struct error *err)
{
    text_lines file = VEC_INIT;
    char removed = reverse ? '+' : '-', added = reverse ? '-' : '+';
    size_t done = 0;
    long drift = 0; /* how far the last hunk was from where it should be */
    bool ends = n == 0 || text[n - 1] == '\n';
    split(text, n, &file);
    for (size_t i = 0; i < f->hunk.len; i++) {
        const struct patch_hunk *h = &f->hunk.data[i];
        size_t start = reverse ? h->new_start : h->old_start, at;
        long wanted = (long)start - (start > 0) + drift;
        if (!place(&file, h, wanted < 0 ? 0 : (size_t)wanted, done, removed, &at)) {
            vec_free(&file);
            return error_set(
                err, ERROR_INPUT,
                "%s: hunk %zu of %s (line %zu of the diff) does not apply: the context around line "
                "%zu is missing; is this the version the patch was made for?",
                p->name, i + 1, f->new_path ? f->new_path : f->old_path, h->at, start);
        }
        drift = (long)at - ((long)start - (start > 0));
        for (; done < at; done++)
            put_line(out, file.data[done].text, file.data[done].len, true);
        for (size_t k = 0; k < h->line.len; k++) {
            const struct patch_line *l = &h->line.data[k];
            if (l->kind == added) {
                put_line(out, l->text, l->len, !l->no_end);
            } else {
                if (l->kind == ' ')
                    put_line(out, file.data[done].text, file.data[done].len, done + 1 < file.len || ends);
                done++;
            }
        }
    }
    for (; done < file.len; done++)
        put_line(out, file.data[done].text, file.data[done].len, done + 1 < file.len || ends);
    vec_free(&file);
    return true;
}

const char *patch_path(const char *path, unsigned strip)
{
    if (path[0] == '/')
        return NULL;
    for (; strip; strip--) {
        path = strchr(path, '/');
        if (!path)
            return NULL;
        while (*path == '/')
            path++;
    }
    for (const char *s = path; *s;) {
        size_t n = strcspn(s, "/");
        if (n == 2 && s[0] == '.' && s[1] == '.')
            return NULL;
        s += n + (s[n] == '/');
    }
    return *path ? path : NULL;
}
