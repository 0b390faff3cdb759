/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/jsonfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"

enum { FILE_MAX = 64 << 20 };

bool jsonfile_read(struct jsonfile *f, const char *path, struct error *err)
{
    struct buf b = BUF_INIT;
    *f = (struct jsonfile){.path = path};
    if (!file_read(path, FILE_MAX, &b, err)) {
        buf_free(&b);
        return false;
    }
    buf_puts(&b, "");
    f->text = b.data ? b.data : xstrdup("");
    f->size = b.len;
    json_error_t e;
    f->root = json_loadb(f->text, f->size, JSON_REJECT_DUPLICATES, &e);
    if (!f->root) {
        error_set(err, ERROR_INPUT, "%s:%d:%d: %s", path, e.line, e.column, e.text);
    } else if (!json_is_object(f->root)) {
        error_set(err, ERROR_INPUT, "%s:1:1: expected an object { ... }", path);
    } else {
        return true;
    }
    jsonfile_free(f);
    return false;
}

void jsonfile_free(struct jsonfile *f)
{
    json_decref(f->root);
    free(f->text);
    *f = (struct jsonfile){0};
}

/* ---- where something stands ---- */

/* The text is well-formed here, and the tree has its members in the order of the text: both are walked
 * together until the wanted place comes by. */
struct walk {
    const char *at, *end, *found;
    struct jsonfile_place wanted;
};

static void skip_space(struct walk *w)
{
    while (w->at < w->end && strchr(" \t\r\n", *w->at) && *w->at)
        w->at++;
}

static void skip_string(struct walk *w)
{
    for (w->at++; w->at < w->end && *w->at != '"'; w->at++)
        if (*w->at == '\\')
            w->at++;
    if (w->at < w->end)
        w->at++;
}

/* Past the comma or the closing bracket. */
static void skip_separator(struct walk *w)
{
    skip_space(w);
    if (w->at < w->end)
        w->at++;
}

static void pass(struct walk *w, json_t *value)
{
    skip_space(w);
    if (w->found || w->at >= w->end)
        return;
    if (json_is_object(value)) {
        const char *key;
        json_t *member;
        w->at++;
        json_object_foreach(value, key, member)
        {
            skip_space(w);
            if (value == w->wanted.in && w->wanted.key && strcmp(key, w->wanted.key) == 0) {
                w->found = w->at;
                return;
            }
            skip_string(w);
            skip_separator(w); /* the colon */
            pass(w, member);
            skip_separator(w);
        }
        if (json_object_size(value) == 0)
            skip_separator(w);
    } else if (json_is_array(value)) {
        size_t i;
        json_t *element;
        w->at++;
        json_array_foreach(value, i, element)
        {
            skip_space(w);
            if (value == w->wanted.in && !w->wanted.key && i == w->wanted.index) {
                w->found = w->at;
                return;
            }
            pass(w, element);
            skip_separator(w);
        }
        if (json_array_size(value) == 0)
            skip_separator(w);
    } else if (*w->at == '"') {
        skip_string(w);
    } else {
        while (w->at < w->end && !strchr(",]} \t\r\n", *w->at))
            w->at++;
    }
}

bool jsonfile_error(const struct jsonfile *f, struct jsonfile_place at, struct error *err, const char *fmt,
                    ...)
{
    struct walk w = {.at = f->text, .end = f->text + f->size, .wanted = at};
    pass(&w, f->root);
    int line = 1, column = 1;
    for (const char *c = f->text; w.found && c < w.found; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return error_set(err, ERROR_INPUT, "%s:%d:%d: %s", f->path, line, column, text);
}

/* ---- writing ---- */

static bool write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    bool ok = out && fputs(text, out) >= 0 && fputc('\n', out) != EOF;
    return out && fclose(out) == 0 && ok;
}

bool jsonfile_write(const char *path, const json_t *value, struct error *err)
{
    enum { INDENT = 2 };
    char *text = json_dumps(value, JSON_INDENT(INDENT));
    if (!text)
        alloc_exhausted(0);
    struct stat s;
    bool ok;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode)) { /* a pipe, a terminal: nothing to be replaced */
        ok = write_text(path, text);
    } else {
        struct buf fresh = BUF_INIT;
        buf_printf(&fresh, "%s.%ld.new", path, (long)getpid());
        ok = write_text(buf_text(&fresh), text) && rename(buf_text(&fresh), path) == 0;
        int why = errno;
        if (!ok)
            remove(buf_text(&fresh));
        errno = why;
        buf_free(&fresh);
    }
    if (!ok)
        error_set(err, ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
    free(text);
    return ok;
}
