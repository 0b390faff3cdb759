/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "poc/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"

static bool slurp(const char *path, char **out, size_t *len)
{
    enum { MOST = 1 << 20 };
    struct stat st;
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool ok = fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST;
    if (ok) {
        *out = xcalloc(1, (size_t)st.st_size + 1);
        *len = fread(*out, 1, (size_t)st.st_size, f);
    }
    fclose(f);
    return ok;
}

struct input input_read(const struct poc_input *in)
{
    struct input out = {.piece = xcalloc(2 * in->narguments + 1, sizeof(struct piece))};
    for (size_t i = 0; i < in->narguments; i++) {
        struct piece *p = &out.piece[out.n];
        p->argument = i;
        p->file = in->argument[i][0] == '/' && slurp(in->argument[i], &p->data, &p->len);
        if (!p->file) {
            p->data = xstrdup(in->argument[i]);
            p->len = strlen(p->data);
        }
        out.n++;
    }
    if (in->input && slurp(in->input, &out.piece[out.n].data, &out.piece[out.n].len))
        out.piece[out.n++].standard = true;
    return out;
}

void input_free(struct input *in)
{
    for (size_t i = 0; i < in->n; i++)
        free(in->piece[i].data);
    free(in->piece);
}

struct edit input_edit(size_t at, size_t len, const void *by, size_t bylen)
{
    struct edit e = {at, len, xmalloc(bylen + 1), bylen};
    memcpy(e.by, by, bylen);
    return e;
}

static void add_change(changes *c, size_t piece, size_t at, size_t len, const void *by, size_t bylen)
{
    enum { MOST = 12 };
    if (c->len >= MOST)
        return;
    struct change one = {.piece = piece, .n = 1};
    one.edit[0] = input_edit(at, len, by, bylen);
    vec_push(c, one);
}

static bool is_digit(char ch)
{
    return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f') || (ch >= 'A' && ch <= 'F') || ch == 'x';
}

static int number_text(char *out, size_t cap, unsigned how, uint64_t v)
{
    switch (how) {
    case 0:
        return snprintf(out, cap, "%lld", (long long)v);
    case 1:
        return snprintf(out, cap, "%llu", (unsigned long long)v);
    case 2:
        return snprintf(out, cap, "0x%llx", (unsigned long long)v);
    default:
        return snprintf(out, cap, "%llx", (unsigned long long)v);
    }
}

static void add_number(changes *c, const struct input *in, const struct poc_value *v)
{
    unsigned bits = v->bytes * 8;
    int64_t was = bits == 64 ? (int64_t)v->was : (int64_t)(v->was << (64 - bits)) >> (64 - bits);
    int64_t is = bits == 64 ? (int64_t)v->is : (int64_t)(v->is << (64 - bits)) >> (64 - bits);
    enum { SIGNED, UNSIGNED, HEX, BARE_HEX, FORMATS };
    for (size_t p = 0; p < in->n; p++) {
        const struct piece *x = &in->piece[p];
        for (unsigned k = 0; k < FORMATS; k++) {
            char from[40], to[40];
            int n = number_text(from, sizeof from, k, k == SIGNED ? (uint64_t)was : v->was);
            int m = number_text(to, sizeof to, k, k == SIGNED ? (uint64_t)is : v->is);
            if (k == UNSIGNED && was >= 0)
                continue;
            for (const char *at = x->data;
                 (at = memmem(at, x->len - (size_t)(at - x->data), from, (size_t)n)); at++) {
                size_t off = (size_t)(at - x->data);
                if ((off && is_digit(at[-1])) || (off + (size_t)n < x->len && is_digit(at[n])))
                    continue;
                add_change(c, p, off, (size_t)n, to, (size_t)m);
            }
        }
    }
}

static void add_bytes(changes *c, const struct input *in, const struct poc_value *v)
{
    for (size_t p = 0; p < in->n; p++) {
        const struct piece *x = &in->piece[p];
        if (!x->file && !x->standard)
            continue;
        for (unsigned size = v->bytes; size; size /= 2) {
            if (size < 8 && (v->was >> size * 8 || v->is >> size * 8))
                break;
            for (unsigned big = 0; big < (size > 1 ? 2u : 1u); big++) {
                uint8_t from[8], to[8];
                for (unsigned i = 0; i < size; i++) {
                    unsigned k = big ? size - 1 - i : i;
                    from[k] = (uint8_t)(v->was >> i * 8);
                    to[k] = (uint8_t)(v->is >> i * 8);
                }
                for (const char *at = x->data; (at = memmem(at, x->len - (size_t)(at - x->data), from, size));
                     at++)
                    add_change(c, p, (size_t)(at - x->data), size, to, size);
            }
        }
    }
}

/* The object that the value is in, found in the input as it is. */
static void add_contents(changes *c, const struct input *in, const struct poc_side *old,
                         const struct poc_value *v)
{
    enum { LEAST = 2 };
    const struct poc_object *o = v->argument ? NULL : poc_object_at(old->a, v->address);
    if (!o)
        return;
    uint64_t off = v->address - o->base;
    for (uint64_t from = off > 16 ? off - 16 : 0; from <= off; from++) {
        size_t n;
        const uint8_t *p = snapshot_at(old->s, o->base + from, &n);
        size_t len = (size_t)(off - from) + v->bytes;
        if (!p || n < len || len < LEAST)
            continue;
        for (size_t i = 0; i < in->n; i++) {
            const char *at = memmem(in->piece[i].data, in->piece[i].len, p, len);
            if (!at)
                continue;
            add_change(c, i, (size_t)(at - in->piece[i].data) + (size_t)(off - from), v->bytes, &v->is,
                       v->bytes);
        }
        if (c->len)
            return;
    }
}

/* The value is the length of a piece, or of one without its newline. */
static void add_length(changes *c, const struct input *in, const struct poc_value *v)
{
    enum { MOST = 1 << 16 };
    for (size_t p = 0; p < in->n; p++) {
        const struct piece *x = &in->piece[p];
        size_t tail = x->len && x->data[x->len - 1] == '\n', body = x->len - tail;
        if ((v->was != x->len && v->was != body) || v->is > MOST || !body)
            continue;
        size_t want = (size_t)v->is - (v->was == body ? 0 : tail);
        if (v->was != body && v->is < tail)
            continue;
        char *by = xcalloc(1, want + 1);
        for (size_t i = 0; i < want; i++)
            by[i] = x->data[i < body ? i : body - 1];
        add_change(c, p, 0, body, by, want);
        free(by);
    }
}

void input_lengths(const struct piece *x, size_t before, uint64_t was, uint64_t is, length_fields *out)
{
    enum { MOST = 4 };
    for (unsigned bytes = 4; bytes; bytes /= 2)
        for (unsigned big = 0; big < (bytes > 1 ? 2u : 1u) && !(was >> bytes * 8) && !(is >> bytes * 8);
             big++) {
            uint8_t from[8], to[8];
            unsigned found = 0;
            for (unsigned i = 0; i < bytes; i++) {
                from[big ? bytes - 1 - i : i] = (uint8_t)(was >> i * 8);
                to[big ? bytes - 1 - i : i] = (uint8_t)(is >> i * 8);
            }
            for (size_t at = before + 1; at-- > 0 && found < MOST;)
                if (at + bytes <= before && memcmp(x->data + at, from, bytes) == 0) {
                    struct length_field one = {.at = at, .bytes = bytes, .big = big};
                    memcpy(one.to, to, bytes);
                    vec_push(out, one);
                    found++;
                }
        }
}

bool input_place(const struct input *in, const void *contents, size_t len, struct input_place *at)
{
    bool again = at->end != 0;
    /* nothing stands everywhere */
    if (!len)
        return false;
    for (; at->piece < in->n; at->piece++, again = false) {
        const struct piece *x = &in->piece[at->piece];
        const char *from = x->data + (again ? at->begin + 1 : 0);
        const char *found =
            x->file || x->standard ? memmem(from, x->len - (size_t)(from - x->data), contents, len) : NULL;
        if (!found)
            continue;
        at->begin = (size_t)(found - x->data);
        at->end = at->begin + len;
        return true;
    }
    return false;
}

/* The value is how much a chunk holds whose contents stand in the input: they become longer or shorter there,
 * by what the witness has in them, and a number before them that says how long they are follows. */
static void add_size(changes *c, const struct input *in, const struct poc_side *old,
                     const struct poc_witness *w, const struct poc_value *v)
{
    enum { LEAST = 3, WAYS = 12, GROWN = 4096 };
    const struct poc_size *z = NULL;
    for (size_t i = 0; i < old->a->size.len && old->a->open_sizes && !z; i++) {
        const struct poc_size *y = &old->a->size.data[i];
        if (y->argument == v->argument && (y->argument ? y->index == v->index : y->address == v->address))
            z = y;
    }
    size_t there;
    const uint8_t *contents = z ? snapshot_at(old->s, z->base, &there) : NULL;
    uint64_t was = z ? z->size : 0, is = z ? v->is * z->scale : 0;
    if (!contents || there < was || !was || is > z->most || z->most - was > GROWN)
        return;
    char by[GROWN] = {0};
    for (size_t i = 0; i < w->nvalues; i++) {
        const struct poc_value *x = &w->value[i];
        uint64_t off = x->address - z->base - was;
        if (x->grown && off < sizeof by - 8)
            memcpy(by + off, &x->is, x->bytes);
    }
    for (struct input_place at = {0}; input_place(in, contents, (size_t)was, &at);) {
        length_fields field = VEC_INIT;
        input_lengths(&in->piece[at.piece], at.begin, v->was, v->is, &field);
        for (size_t i = 0; i <= field.len && c->len < WAYS; i++) {
            /* a byte or two stand in many places: only behind their length */
            if (was < LEAST && (i == field.len || field.data[i].at + field.data[i].bytes != at.begin))
                continue;
            struct change one = {.piece = at.piece, .n = 1};
            one.edit[0] = is < was ? input_edit(at.begin + (size_t)is, (size_t)(was - is), "", 0)
                                   : input_edit(at.end, 0, by, (size_t)(is - was));
            if (i < field.len) {
                const struct length_field *f = &field.data[i];
                one.edit[one.n++] = input_edit(f->at, f->bytes, f->to, f->bytes);
            }
            vec_push(c, one);
        }
        vec_free(&field);
    }
}

/* The value is a number in a chunk whose contents stand in the input, perhaps how long a part of them is:
 * where it grows, they do, and a number before them that says how long they are follows. */
static void add_grown(changes *c, const struct input *in, const struct poc_runs *r, const struct poc_value *v)
{
    enum { LEAST = 4, WAYS = 24, NEAR = 32, GROWN = 256 };
    const struct poc_side *old = r->side[0];
    size_t there, was = (size_t)r->crash->size;
    const uint8_t *contents = r->crash->size ? snapshot_at(old->s, r->crash->base, &there) : NULL;
    static const char none[GROWN];
    if (!contents || there < was || was < LEAST || v->is <= v->was || v->is - v->was > GROWN)
        return;
    size_t by = (size_t)(v->is - v->was);
    for (struct input_place at = {0}; input_place(in, contents, was, &at);) {
        char *data = in->piece[at.piece].data;
        size_t first = at.begin > NEAR ? at.begin - NEAR : 0;
        struct piece inside = {.data = data + at.begin, .len = was},
                     before = {.data = data + first, .len = at.begin - first};
        length_fields number = VEC_INIT, length = VEC_INIT;
        input_lengths(&inside, was, v->was, v->is, &number);
        input_lengths(&before, before.len, was, was + by, &length);
        for (size_t i = 0; i < length.len; i++)
            for (size_t k = 0; k < number.len && c->len < WAYS; k++) {
                const struct length_field *l = &length.data[i], *m = &number.data[k];
                struct change one = {.piece = at.piece, .n = 3};
                one.edit[0] = input_edit(first + l->at, l->bytes, l->to, l->bytes);
                one.edit[1] = input_edit(at.begin + m->at, m->bytes, m->to, m->bytes);
                one.edit[2] = input_edit(at.end, 0, none, by);
                vec_push(c, one);
            }
        vec_free(&number);
        vec_free(&length);
    }
}

void input_changes(changes *c, const struct input *in, const struct poc_runs *r, const struct poc_witness *w,
                   const struct poc_value *v)
{
    add_size(c, in, r->side[0], w, v);
    add_contents(c, in, r->side[0], v);
    add_number(c, in, v);
    add_length(c, in, v);
    add_bytes(c, in, v);
    add_grown(c, in, r, v);
}

void input_changes_free(changes *c)
{
    for (size_t i = 0; i < c->len; i++)
        for (unsigned k = 0; k < c->data[i].n; k++)
            free(c->data[i].edit[k].by);
    vec_free(c);
}

static int by_at(const void *a, const void *b)
{
    const struct edit *x = *(const struct edit *const *)a, *y = *(const struct edit *const *)b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->len < y->len ? -1 : x->len > y->len;
}

bool input_apply(const struct input *in, const struct change *const *change, size_t n, struct input *out)
{
    bool ok = true;
    *out = (struct input){.piece = xcalloc(in->n + 1, sizeof *in->piece), .n = in->n};
    for (size_t p = 0; p < in->n; p++) {
        VEC(const struct edit *) edit = VEC_INIT;
        for (size_t i = 0; i < n; i++)
            for (unsigned k = 0; k < change[i]->n && change[i]->piece == p; k++)
                vec_push(&edit, &change[i]->edit[k]);
        vec_sort(&edit, by_at);
        struct buf b = BUF_INIT;
        size_t at = 0;
        for (size_t i = 0; i < edit.len && ok; i++) {
            const struct edit *e = edit.data[i], *same = i ? edit.data[i - 1] : NULL;
            if (same && e->len && same->at == e->at && same->len == e->len && same->bylen == e->bylen &&
                memcmp(same->by, e->by, e->bylen) == 0)
                continue;
            ok = e->at >= at;
            if (ok)
                buf_put(&b, in->piece[p].data + at, e->at - at);
            buf_put(&b, e->by, e->bylen);
            at = e->at + e->len;
        }
        if (ok)
            buf_put(&b, in->piece[p].data + at, in->piece[p].len - at);
        out->piece[p] = in->piece[p];
        out->piece[p].data = xmalloc(b.len + 1);
        memcpy(out->piece[p].data, buf_text(&b), b.len);
        out->piece[p].data[b.len] = '\0';
        out->piece[p].len = b.len;
        buf_free(&b);
        vec_free(&edit);
    }
    if (!ok)
        input_free(out);
    return ok;
}

/* All files are of one time: a program may tell it, and is run on the same input more than once. */
static bool write_dated(const char *path, const struct piece *x)
{
    enum { YEAR_2001 = 978307200 };
    const struct timespec then[2] = {{.tv_sec = YEAR_2001}, {.tv_sec = YEAR_2001}};
    return file_write(path, x->data, x->len, NULL) && utimensat(AT_FDCWD, path, then, 0) == 0;
}

bool input_give(const struct input *in, const char *scratch, struct poc_input *out, struct arena *arena)
{
    const char **argument = arena_array(arena, const char *, in->n + 1);
    *out = (struct poc_input){.argument = argument};
    for (size_t i = 0; i < in->n; i++) {
        const struct piece *x = &in->piece[i];
        if (!x->file && !x->standard) {
            if (memchr(x->data, '\0', x->len))
                return false;
            argument[out->narguments++] = arena_strndup(arena, x->data, x->len);
            continue;
        }
        const char *path = arena_printf(arena, "%s/input%zu", scratch, i);
        if (!write_dated(path, x))
            return false;
        if (x->standard)
            out->input = path;
        else
            argument[out->narguments++] = path;
    }
    return true;
}

const char *input_digest(const struct input *in, struct arena *arena)
{
    struct buf b = BUF_INIT;
    char *hex = arena_alloc(arena, SHA256_HEX);
    for (size_t i = 0; i < in->n; i++) {
        buf_put(&b, &in->piece[i].len, sizeof in->piece[i].len);
        buf_put(&b, in->piece[i].data, in->piece[i].len);
    }
    sha256_hex(buf_text(&b), b.len, hex);
    buf_free(&b);
    return hex;
}

static void tell_edit(struct buf *b, const struct piece *x, const struct edit *e)
{
    if (e->len > 24 || e->bylen > 24) {
        buf_printf(b, ": %zu bytes become %zu", e->len, e->bylen);
        return;
    }
    buf_printf(b, ", byte %zu: ", e->at);
    for (unsigned k = 0; k < 2; k++) {
        const char *s = k ? e->by : x->data + e->at;
        size_t len = k ? e->bylen : e->len;
        bool text = true;
        for (size_t c = 0; c < len; c++)
            text = text && s[c] >= ' ' && s[c] < 127;
        if (text)
            buf_printf(b, "\"%.*s\"", (int)len, s);
        for (size_t c = 0; c < len && !text; c++)
            buf_printf(b, "%s%02x", c ? " " : "", (unsigned char)s[c]);
        buf_puts(b, k ? "" : " becomes ");
    }
}

const char *input_told(const struct input *in, const struct change *const *change, size_t n,
                                struct arena *arena)
{
    struct buf b = BUF_INIT;
    for (size_t i = 0; i < n; i++) {
        const struct piece *x = &in->piece[change[i]->piece];
        if (b.len)
            buf_puts(&b, "; ");
        if (x->standard)
            buf_puts(&b, "standard input");
        else
            buf_printf(&b, x->file ? "file of argument %zu" : "argument %zu", x->argument + 1);
        for (unsigned k = 0; k < change[i]->n; k++)
            tell_edit(&b, x, &change[i]->edit[k]);
    }
    const char *out = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return out;
}
