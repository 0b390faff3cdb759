/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings, tried out. From the state: both programs are run to the call, the witness is written into them,
 * and they go on. From the input: where a value that the witness changes is found in the input as it is in
 * the state (a number as text or bytes, the contents or the length of a text), it is changed there; both
 * programs are run on that from their beginning. What they do then is all that counts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "poc/poc.h"

/* ---- from the state ---- */

static bool write_witness(struct process *p, const struct poc_side *side, const poc_patches *patch,
                          const struct poc_witness *w)
{
    const struct ir_machine *m = side->s->m;
    bool ok = true;
    for (size_t i = 0; i < patch->len && ok; i++) {
        const struct poc_patch *x = &patch->data[i];
        ok = x->is_register ? process_register_set(p, (unsigned)x->at, x->value)
                            : process_write(p, x->at, &x->value, x->bytes);
    }
    uint64_t sp = 0;
    memcpy(&sp, side->s->registers + m->sp, m->pointer_width / 8);
    for (size_t i = 0; i < w->nvalues && ok; i++) {
        const struct poc_value *v = &w->value[i];
        if (!v->argument)
            ok = process_write(p, v->address, &v->is, v->bytes);
        else if (v->index < m->nargs)
            ok = process_register_set(p, m->arg[v->index], v->is);
        else
            ok =
                process_write(p, sp + m->stack_arg + (uint64_t)(v->index - m->nargs) * (m->pointer_width / 8),
                              &v->is, v->bytes);
    }
    return ok;
}

struct ended {
    bool ok, returned;
    struct poc_crash crash;
    uint64_t result;
    uint8_t *objects; /* what objects of the abstract state hold afterwards */
    size_t nobjects;
};

static struct ended go_on(struct poc_runs *r, unsigned which, const struct poc_finding *f)
{
    struct poc_side *side = r->side[which];
    const struct run_target *t = which ? r->new : r->old;
    const struct ir_machine *m = side->s->m;
    struct ended e = {0};
    struct error err = {0};
    struct watch_outcome out = {0};
    struct process *p = watch_call(t, side->f->address, r->call, &err);
    bool there = p && write_witness(p, side, &r->patch[which], &f->witness);
    struct snapshot s;
    if (there && side->checked && snapshot_take(p, t, side->s, &s, &err)) {
        e.crash = poc_check_call(side, &s);
        snapshot_free(&s);
        e.ok = e.crash.kind != POC_NONE;
    }
    if (there && !e.ok && watch_return(p, t, &out, &err)) {
        e.ok = true;
        e.returned = out.returned;
        if (out.returned) {
            e.result = process_register(p, m->ret);
            const struct poc_abstract *a = r->side[0]->a;
            for (size_t i = 0; i < a->object.len; i++)
                e.nobjects += a->object.data[i].kind == POC_HEAP ? a->object.data[i].size : 0;
            e.objects = xcalloc(1, e.nobjects + 1);
            size_t at = 0;
            for (size_t i = 0; i < a->object.len; i++)
                if (a->object.data[i].kind == POC_HEAP) {
                    process_read(p, a->object.data[i].base, e.objects + at, a->object.data[i].size);
                    at += a->object.data[i].size;
                }
        } else {
            e.crash = poc_crash_of(&out.run, side->p, r->guard_file, side->guard);
        }
    }
    watch_run_free(&out.run);
    process_end(p);
    return e;
}

bool poc_confirm_state(struct poc_runs *r, const struct poc_finding *f)
{
    struct ended n = go_on(r, 1, f);
    bool ok = false;
    if (n.ok && f->which != POC_NORMAL_NORMAL) {
        ok = !n.returned && poc_crash_same(&n.crash, &f->crash);
    } else if (n.ok && n.returned) {
        struct ended o = go_on(r, 0, f);
        const struct object_function_debug *d =
            object_debug_function(program_object(r->side[0]->p), r->side[0]->f->address);
        uint64_t size = d && d->result ? d->result->size : 0;
        uint64_t mask = size && size < 8 ? (UINT64_C(1) << size * 8) - 1 : ~UINT64_C(0);
        bool result = !d || d->result;
        ok = o.ok && o.returned &&
             ((result && ((o.result ^ n.result) & mask)) ||
              (o.nobjects == n.nobjects && memcmp(o.objects, n.objects, n.nobjects) != 0));
        free(o.objects);
    }
    free(n.objects);
    return ok;
}

/* ---- from the input ---- */

/* A piece of the input that can be changed. */
struct piece {
    char *data;
    size_t len;
    size_t argument; /* index */
    bool file;       /* the argument names it; or standard input: */
    bool standard;
};

struct input {
    struct piece *piece;
    size_t n;
};

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

static struct input input_read(const struct poc_input *in)
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

static void input_free(struct input *in)
{
    for (size_t i = 0; i < in->n; i++)
        free(in->piece[i].data);
    free(in->piece);
}

/* One way to change it: one place, or a few of a piece. */
struct edit {
    size_t at, len; /* what is there now */
    char *by;
    size_t bylen;
};
struct change {
    size_t piece;
    struct edit edit[3];
    unsigned n;
};
typedef VEC(struct change) changes;

static struct edit edit_of(size_t at, size_t len, const void *by, size_t bylen)
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
    one.edit[0] = edit_of(at, len, by, bylen);
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

/* Numbers in a piece that are `was`, as bytes; each is to become `is`. Those just before a place come first.
 */
struct length_field {
    size_t at;
    unsigned bytes;
    uint8_t to[8];
};
typedef VEC(struct length_field) length_fields;

static void find_lengths(const struct piece *x, size_t before, uint64_t was, uint64_t is, length_fields *out)
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
                    struct length_field one = {.at = at, .bytes = bytes};
                    memcpy(one.to, to, bytes);
                    vec_push(out, one);
                    found++;
                }
        }
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
    for (size_t p = 0; p < in->n; p++) {
        const struct piece *x = &in->piece[p];
        if (!x->file && !x->standard)
            continue;
        for (const char *at = x->data; (at = memmem(at, x->len - (size_t)(at - x->data), contents, was));
             at++) {
            length_fields field = VEC_INIT;
            size_t begin = (size_t)(at - x->data), end = begin + (size_t)was;
            find_lengths(x, begin, v->was, v->is, &field);
            for (size_t i = 0; i <= field.len && c->len < WAYS; i++) {
                /* a byte or two stand in many places: only behind their length */
                if (was < LEAST && (i == field.len || field.data[i].at + field.data[i].bytes != begin))
                    continue;
                struct change one = {.piece = p, .n = 1};
                one.edit[0] = is < was ? edit_of(begin + (size_t)is, (size_t)(was - is), "", 0)
                                       : edit_of(end, 0, by, (size_t)(is - was));
                if (i < field.len) {
                    const struct length_field *f = &field.data[i];
                    one.edit[one.n++] = edit_of(f->at, f->bytes, f->to, f->bytes);
                }
                vec_push(c, one);
            }
            vec_free(&field);
        }
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
    for (size_t p = 0; p < in->n; p++) {
        const struct piece *x = &in->piece[p];
        if (!x->file && !x->standard)
            continue;
        for (const char *at = x->data; (at = memmem(at, x->len - (size_t)(at - x->data), contents, was));
             at++) {
            size_t begin = (size_t)(at - x->data), end = begin + was, first = begin > NEAR ? begin - NEAR : 0;
            struct piece inside = {.data = x->data + begin, .len = was},
                         before = {.data = x->data + first, .len = begin - first};
            length_fields number = VEC_INIT, length = VEC_INIT;
            find_lengths(&inside, was, v->was, v->is, &number);
            find_lengths(&before, before.len, was, was + by, &length);
            for (size_t i = 0; i < length.len; i++)
                for (size_t k = 0; k < number.len && c->len < WAYS; k++) {
                    const struct length_field *l = &length.data[i], *m = &number.data[k];
                    struct change one = {.piece = p, .n = 3};
                    one.edit[0] = edit_of(first + l->at, l->bytes, l->to, l->bytes);
                    one.edit[1] = edit_of(begin + m->at, m->bytes, m->to, m->bytes);
                    one.edit[2] = edit_of(end, 0, none, by);
                    vec_push(c, one);
                }
            vec_free(&number);
            vec_free(&length);
        }
    }
}

static void change_free(changes *c)
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

/* Applies changes that do not overlap. */
static bool apply(const struct input *in, const struct change *const *change, size_t n, struct input *out)
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

/* As the program can be given it: files are written to the scratch directory, each under one name. */
static bool give(const struct input *in, const char *scratch, struct poc_input *out, struct arena *arena)
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
        if (!file_write(path, x->data, x->len, NULL))
            return false;
        if (x->standard)
            out->input = path;
        else
            argument[out->narguments++] = path;
    }
    return true;
}

static struct poc_did behave(struct poc_runs *r, unsigned which, const struct poc_input *in)
{
    struct run_target t = *(which ? r->new : r->old);
    struct poc_side *side = r->side[which];
    struct poc_did b = {0};
    struct watch_run w;
    struct error err;
    t.argument = in->argument;
    t.narguments = in->narguments;
    t.input = in->input;
    if (!watch_run(&t, NULL, 0, &w, &err))
        return b;
    b.ok = true;
    b.crash = poc_crash_of(&w, side->p, r->guard_file, side->guard);
    uint64_t call;
    /* what the program notices later, and as something else, is what the checks saw first */
    if (side->checked && !poc_crash_same(&b.crash, r->crash)) {
        struct poc_crash seen = poc_check_run(side, &t, &call);
        b.crash = seen.kind ? seen : b.crash;
    }
    b.code = w.end == WATCH_EXIT ? w.code : -1;
    sha256_hex(w.text[0], w.ntext[0], b.text);
    watch_run_free(&w);
    return b;
}

/* Whether the original comes to the call on that input with chunks of the same sizes as on the proof of
 * concept, but for those whose size is open; what was found out about the second halves of chunks holds only
 * then. */
static bool same_heap(struct poc_runs *r, const struct poc_input *in)
{
    struct run_target t = *r->old;
    const struct snapshot *s = r->side[0]->s;
    struct snapshot there = {0};
    struct error err;
    t.argument = in->argument;
    t.narguments = in->narguments;
    t.input = in->input;
    struct process *p = watch_call(&t, r->side[0]->f->address, r->call, &err);
    bool same = p && snapshot_take(p, &t, s, &there, &err) && there.guarded == s->guarded;
    const struct poc_abstract *a = r->side[0]->a;
    for (size_t i = 0; same && a->open_sizes && i < a->size.len; i++) {
        struct guard_chunk chunk;
        if (guard_chunk_at(&s->pool, a->size.data[i].base, &chunk))
            there.pool.size[chunk.slot] = chunk.size;
    }
    same = same && memcmp(&there.pool, &s->pool, sizeof s->pool) == 0;
    snapshot_free(&there);
    process_end(p);
    return same;
}

/* What the two do on one input, in the rubric's words. */
static bool compare(const struct poc_runs *r, const struct poc_did *o, const struct poc_did *n,
                    struct poc_confirmation *out)
{
    if (!o->ok || !n->ok)
        return false;
    out->crash = n->crash;
    if (poc_crash_same(&n->crash, r->crash)) {
        out->which = o->crash.kind ? POC_CRASH_SAME : POC_NORMAL_SAME;
        return true;
    }
    if (n->crash.kind && !o->crash.kind) {
        out->which = POC_NORMAL_OTHER;
        return true;
    }
    if (n->crash.kind || o->crash.kind)
        return false;
    out->which = POC_NORMAL_NORMAL;
    return o->code != n->code || strcmp(o->text, n->text) != 0;
}

/* What the original did on the input in this directory; the arena has what it names. */
static bool did_here(struct poc_runs *r, const char *digest, struct poc_did *did, bool put)
{
    struct poc_here *h = r->here;
    const char *key = arena_printf(&r->memory->arena, "%s %s", r->old->scratch, digest);
    uint64_t known;
    if (put) {
        did->crash.function = did->crash.function ? arena_strdup(&h->arena, did->crash.function) : NULL;
        vec_push(&h->all, *did);
        strmap_set(&h->seen, arena_strdup(&h->arena, key), h->all.len);
    } else if (strmap_get(&h->seen, key, &known)) {
        *did = h->all.data[known - 1];
        return true;
    }
    return false;
}

/* The original may have been run on the input for another candidate. That it did something else in another
 * directory shows nothing before it does so here. */
static bool goes_wrong(struct poc_runs *r, const struct poc_input *in, const char *digest,
                       struct poc_confirmation *out)
{
    struct poc_did n = behave(r, 1, in), o = {0};
    r->budget -= r->budget > 0;
    out->tried++;
    if (!n.ok)
        return false;
    bool here = did_here(r, digest, &o, false);
    bool known = here || poc_shared_get(r->shared, digest, &o, &r->memory->arena);
    if (!known || (!here && compare(r, &o, &n, out))) {
        o = behave(r, 0, in);
        did_here(r, digest, &o, true);
        if (!known)
            poc_shared_put(r->shared, digest, &o);
    }
    bool wrong = compare(r, &o, &n, out);
    out->elsewhere = wrong && out->which == POC_NORMAL_NORMAL && !same_heap(r, in);
    return wrong;
}

static const char *digest_of(const struct input *in, struct arena *arena)
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

/* The same, once for each input. */
static bool tried_wrong(struct poc_runs *r, const struct input *in, struct poc_input *given,
                        struct poc_confirmation *out, struct arena *arena)
{
    struct poc_memory *m = r->memory;
    const char *digest = digest_of(in, &m->arena);
    uint64_t known;
    if (strmap_get(&m->seen, digest, &known)) {
        const struct poc_tried *t = &m->all.data[known - 1];
        out->tried++;
        out->which = t->which;
        out->crash = t->crash;
        out->elsewhere = t->elsewhere;
        /* its files may have been overwritten since */
        return t->wrong && give(in, r->old->scratch, given, arena);
    }
    if (!r->budget || !give(in, r->old->scratch, given, arena))
        return false;
    bool wrong = goes_wrong(r, given, digest, out);
    vec_push(&m->all, (struct poc_tried){wrong, out->which, out->crash, out->elsewhere});
    strmap_set(&m->seen, digest, m->all.len);
    return wrong;
}

void poc_here_free(struct poc_here *h)
{
    strmap_free(&h->seen);
    vec_free(&h->all);
    arena_free(&h->arena);
}

void poc_memory_free(struct poc_memory *m)
{
    strmap_free(&m->seen);
    vec_free(&m->all);
    arena_free(&m->arena);
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

static const char *told_changes(const struct input *in, const struct change *const *change, size_t n,
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

/* How long the text is that an object begins with, in the snapshot and with a witness; false: it is none, or is as
 * long as it was. */
static bool text_lengths(const struct poc_side *old, const struct poc_object *o, const struct poc_witness *w,
                         uint64_t *was, uint64_t *is)
{
    enum { MOST = 4096 };
    size_t there;
    const uint8_t *p = snapshot_at(old->s, o->base, &there);
    const uint8_t *end = p && o->size <= MOST && there >= o->size ? memchr(p, 0, o->size) : NULL;
    if (!end || end == p)
        return false;
    uint8_t text[MOST];
    memcpy(text, p, o->size);
    for (size_t i = 0; i < w->nvalues; i++) {
        const struct poc_value *v = &w->value[i];
        uint64_t at = v->address - o->base;
        if (!v->argument && at < o->size && v->bytes <= o->size - at)
            memcpy(text + at, &v->is, v->bytes);
    }
    const uint8_t *then = memchr(text, 0, o->size);
    *was = (uint64_t)(end - p);
    *is = then ? (uint64_t)(then - text) : 0;
    return then && *is != *was;
}

/* The witness with the lengths of texts in place of their bytes: a program may have been given those instead. False
 * when there are none. */
static bool lengths_of(const struct poc_runs *r, const struct poc_witness *w, struct poc_witness *out,
                       struct arena *arena)
{
    const struct poc_object *last = NULL;
    bool any = false;
    *out = (struct poc_witness){.value = arena_array(arena, struct poc_value, w->nvalues + 1)};
    for (size_t i = 0; i < w->nvalues; i++) {
        const struct poc_value *v = &w->value[i];
        const struct poc_object *o = v->argument ? NULL : poc_object_at(r->side[0]->a, v->address);
        struct poc_value length = {.argument = true, .bytes = 4, .name = v->name};
        if (o && o == last)
            continue; /* its values stand together */
        if (!o || !text_lengths(r->side[0], o, w, &length.was, &length.is)) {
            out->value[out->nvalues++] = *v;
            continue;
        }
        last = o;
        any = true;
        out->value[out->nvalues++] = length;
    }
    return any;
}

static bool search_input(struct poc_runs *r, const struct poc_witness *w, struct poc_confirmation *out,
                         struct arena *arena)
{
    enum { VALUES = 12, TRIES = 36 };
    const struct poc_value *value[VALUES];
    size_t n = 0;
    for (size_t i = 0; i < w->nvalues; i++)
        if (!w->value[i].grown) {
            if (n == VALUES)
                return false;
            value[n++] = &w->value[i];
        }
    if (!n)
        return false;
    struct input in = input_read(r->input);
    changes c[VALUES];
    size_t pick[VALUES] = {0};
    bool found = false, possible = true;
    memset(c, 0, sizeof c);
    for (size_t i = 0; i < n; i++) {
        const struct poc_value *v = value[i];
        add_size(&c[i], &in, r->side[0], w, v);
        add_contents(&c[i], &in, r->side[0], v);
        add_number(&c[i], &in, v);
        add_length(&c[i], &in, v);
        add_bytes(&c[i], &in, v);
        add_grown(&c[i], &in, r, v);
        possible = possible && c[i].len;
    }
    for (unsigned tries = 0; possible && !found && tries < TRIES; tries++) {
        const struct change *change[VALUES];
        struct input changed;
        struct poc_input given;
        for (size_t i = 0; i < n; i++)
            change[i] = &c[i].data[pick[i]];
        if (apply(&in, change, n, &changed)) {
            if (tried_wrong(r, &changed, &given, out, arena)) {
                found = true;
                out->how = POC_BY_INPUT;
                out->changed = given;
                out->told = told_changes(&in, change, n, arena);
            }
            input_free(&changed);
        }
        size_t i = 0;
        while (i < n && ++pick[i] == c[i].len)
            pick[i++] = 0;
        if (i == n)
            break;
    }
    for (size_t i = 0; i < n; i++)
        change_free(&c[i]);
    input_free(&in);
    return found;
}

bool poc_confirm_input(struct poc_runs *r, const struct poc_witness *w, struct poc_confirmation *out,
                       struct arena *arena)
{
    struct poc_witness lengths;
    struct poc_confirmation guess = {0};
    if (search_input(r, w, out, arena))
        return true;
    /* that a number is the length of a text is a guess: where it leads elsewhere, nothing is said */
    bool found = lengths_of(r, w, &lengths, arena) && search_input(r, &lengths, &guess, arena);
    if (found)
        *out = guess;
    return found;
}
