/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tell/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "exec/origin.h"
#include "tell/spell.h"

enum {
    STRING_MAX = 40, /* characters shown of a string */
    FIELDS_MAX = 8,  /* structures inside each other */
};

/* ---- parameters ---- */

/* Which parameter is in which argument register or stack word. Floats have registers of their own but on
 * i386; a structure handed over by value ends what is known. */
static void name_arguments(struct words *w, const struct flow_function *f)
{
    const struct object_function_debug *d = f ? object_debug_function(w->o, f->address) : NULL;
    if (!d || d->address != f->address)
        return;
    const struct ir_machine *m = program_machine(w->p);
    unsigned unit = m->pointer_width / 8, at = 0;
    for (size_t i = 0; i < d->nparams; i++) {
        type *t = d->param[i].type;
        if (!t || (t->kind != TYPE_INT && t->kind != TYPE_BOOL && t->kind != TYPE_POINTER &&
                   t->kind != TYPE_ENUM && t->kind != TYPE_FLOAT))
            return;
        if (t->kind == TYPE_FLOAT && m->arch != MACHINE_X86)
            continue;
        unsigned words = (unsigned)((t->size + unit - 1) / unit);
        if (words == 2 && m->arch == MACHINE_ARM && at % 2)
            at++;
        if (words == 0 || at + words > ARGS_MAX)
            return;
        if (t->kind != TYPE_FLOAT && words == 1)
            w->arg[at] = &d->param[i];
        at += words;
    }
}

struct words *words_new(struct terms *t, struct program *p, const struct flow_function *f)
{
    struct words *w = xcalloc(1, sizeof *w);
    w->t = t;
    w->p = p;
    w->o = program_object(p);
    w->width = program_machine(p)->pointer_width;
    w->guess = true;
    w->params = f ? flow_prototype(p, f).nargs : -1;
    name_arguments(w, f);
    return w;
}

void words_free(struct words *w)
{
    if (!w)
        return;
    map_free(&w->names);
    map_free(&w->apart);
    arena_free(&w->arena);
    free(w);
}

void words_call(struct words *w, term x, const char *text)
{
    map_set(&w->names, x, (uint64_t)(uintptr_t)arena_strdup(&w->arena, text));
}

void words_addresses(struct words *w, words_address_fn *fn, void *ctx, bool guess)
{
    w->address = fn;
    w->ctx = ctx;
    w->guess = guess;
}

/* ---- types ---- */

const struct object_param *words_parameter(const struct words *w, term x)
{
    unsigned i;
    return origin_is_argument(w->t, x, &i) && !term_origin(w->t, x).part && i < ARGS_MAX ? w->arg[i] : NULL;
}

type *words_part_at(type *t, uint64_t offset, uint64_t bytes, struct buf *path)
{
    for (int depth = 0; t && depth < FIELDS_MAX; depth++) {
        if (offset == 0 && (bytes ? t->size == bytes && t->kind != TYPE_STRUCT && t->kind != TYPE_UNION
                                  : t->kind != TYPE_STRUCT && t->kind != TYPE_UNION && t->kind != TYPE_ARRAY))
            return t;
        type *next = NULL;
        if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION) {
            for (size_t i = 0; i < t->nfields && !next; i++) {
                const struct object_field *f = &t->field[i];
                if (f->type && !f->bit_size && offset >= f->offset &&
                    (offset - f->offset < f->type->size || offset == f->offset) && f->type->size >= bytes) {
                    next = f->type;
                    offset -= f->offset;
                    if (f->name)
                        buf_printf(path, ".%s", f->name);
                }
            }
        } else if (t->kind == TYPE_ARRAY && t->target && t->target->size) {
            buf_printf(path, "[%" PRIu64 "]", offset / t->target->size);
            next = t->target;
            offset %= next->size;
        }
        if (!next)
            return NULL;
        t = next;
    }
    return NULL;
}

type *words_pointee(struct words *w, term x, int depth, term *base, uint64_t *offset)
{
    if (term_width(w->t, x) != w->width)
        return NULL;
    term_split(w->t, x, base, offset);
    type *t = *base != TERM_NONE ? words_type_of(w, *base, depth + 1) : NULL;
    return t && t->kind == TYPE_POINTER ? t->target : NULL;
}

type *words_type_of(struct words *w, term x, int depth)
{
    if (depth > SPELL_DEPTH_MAX || term_is_array(w->t, x))
        return NULL;
    const struct object_param *p = words_parameter(w, x);
    if (p)
        return p->type;
    switch (term_kind(w->t, x)) {
    case TERM_READ: {
        term base;
        uint64_t offset;
        type *t = words_pointee(w, term_kid(w->t, x, 1), depth, &base, &offset);
        struct buf path = BUF_INIT;
        t = words_part_at(t, offset, term_width(w->t, x) / 8, &path);
        buf_free(&path);
        return t;
    }
    case TERM_APPLY:
        if (origin_is(w->t, x, ORIGIN_RESULT)) {
            const char *name = term_origin(w->t, x).name;
            const struct flow_function *f = name ? program_function(w->p, name, NULL) : NULL;
            const struct object_function_debug *d = f ? object_debug_function(w->o, f->address) : NULL;
            return d ? d->result : NULL;
        }
        return NULL;
    case OP_ZEXT:
    case OP_SEXT:
        return words_type_of(w, term_kid(w->t, x, 0), depth + 1);
    case OP_EXTRACT: {
        type *t = term_extract_lo(w->t, x) ? NULL : words_type_of(w, term_kid(w->t, x, 0), depth + 1);
        return t && t->size * 8 == term_width(w->t, x) ? t : NULL;
    }
    }
    return NULL;
}

/* ---- addresses ---- */

static void put_string(struct buf *out, const char *s, size_t len)
{
    buf_putc(out, '"');
    for (size_t i = 0; i < len && i < STRING_MAX; i++) {
        if (s[i] == '\n')
            buf_puts(out, "\\n");
        else if (s[i] == '\t')
            buf_puts(out, "\\t");
        else if (s[i] == '"' || s[i] == '\\')
            buf_printf(out, "\\%c", s[i]);
        else
            buf_putc(out, s[i]);
    }
    buf_puts(out, len > STRING_MAX ? "...\"" : "\"");
}

const struct object_symbol *words_symbol(struct program *p, uint64_t address, uint64_t *offset)
{
    *offset = 0;
    const struct object_symbol *s = object_symbol_at(program_object(p), address, offset);
    bool data = s && (s->type == SYMBOL_OBJECT || s->type == SYMBOL_NONE || s->type == SYMBOL_TLS);
    return data && s->name[0] && strncmp(s->name, ".L", 2) != 0 ? s : NULL;
}

bool words_known_address(struct program *p, uint64_t address, bool exact, struct buf *out)
{
    enum { WITHIN_LEN = 4 };
    size_t len;
    uint64_t offset;
    const struct flow_function *f = program_function_at(p, address);
    const struct object_stub *stub = object_stub_at(program_object(p), address);
    const char *string = object_string(program_object(p), address, &len);
    const struct object_symbol *s = words_symbol(p, address, &offset);
    /* A few bytes within a variable are rather a part of a number or an address. */
    if (string && s && offset && offset < s->size && len < WITHIN_LEN)
        string = NULL;
    if (f || (stub && stub->name)) {
        buf_puts(out, f ? f->name : stub->name);
    } else if (string && (len > 1 || !exact) && !(s && offset == 0)) {
        put_string(out, string, len);
    } else if (s && (offset == 0 || (!exact && offset < s->size))) {
        buf_printf(out, "&%s", s->name);
        if (offset)
            buf_printf(out, " + %" PRIu64, offset);
    } else {
        return false;
    }
    return true;
}

void words_put_address(struct buf *out, struct program *p, uint64_t address)
{
    if (!words_known_address(p, address, false, out))
        buf_printf(out, "0x%" PRIx64, object_display_address(program_object(p), address));
}

void words_address(struct buf *out, struct words *w, uint64_t address)
{
    words_put_address(out, w->p, address);
}

bool words_fixed_address(struct words *w, term x, struct program **of, uint64_t *address)
{
    *of = w->p;
    if (term_width(w->t, x) != w->width)
        return false;
    if (w->address && w->address(w->ctx, x, of, address))
        return true;
    *of = w->p;
    return w->guess && term_const_u64(w->t, x, address);
}

static void begin(struct words *w, struct buf *out)
{
    w->out = out;
    w->begun = out->len;
    w->cut = w->lost = false;
}

void words_term(struct buf *out, struct words *w, term x)
{
    begin(w, out);
    spell(w, x, PREC_CHOICE, 0);
}

bool words_part(struct buf *out, struct words *w, term x)
{
    begin(w, out);
    spell(w, x, PREC_BITS, 0);
    return !w->lost;
}

/* ---- what is written alike ---- */

struct alike {
    struct words *w;
    VEC(term) x;            /* what is read, and what callees return */
    VEC(const char *) text; /* of each */
};

static bool collect_alike(void *ctx, term x)
{
    enum { MANY = 64 };
    struct alike *a = ctx;
    struct terms *t = a->w->t;
    unsigned kind = term_kind(t, x);
    if ((kind != TERM_READ && kind != TERM_APPLY) || term_is_array(t, x))
        return false;
    struct buf b = BUF_INIT;
    words_term(&b, a->w, x);
    vec_push(&a->x, x);
    vec_push(&a->text, arena_strdup(&a->w->arena, buf_text(&b)));
    buf_free(&b);
    return a->x.len >= MANY;
}

/* Which state of memory it is; NULL: hard to say. */
static const char *state_of(struct words *w, term x)
{
    struct terms *t = w->t;
    bool stored = false;
    term m = term_kid(t, x, 0);
    for (; term_kind(t, m) == TERM_WRITE; m = term_kid(t, m, 0))
        stored = true;
    if (stored)
        return NULL;
    if (origin_is(t, m, ORIGIN_MEMORY))
        return " at entry";
    if (term_kind(t, m) != TERM_APPLY || !origin_is(t, m, ORIGIN_MEMORY_AFTER))
        return NULL;
    const char *callee = term_origin(t, m).name;
    return arena_printf(&w->arena, " after %s", callee && *callee ? callee : "the call");
}

static void name_alike(struct alike *a, size_t first)
{
    struct words *w = a->w;
    unsigned number = 0;
    for (size_t i = first; i < a->x.len; i++) {
        if (strcmp(a->text.data[i], a->text.data[first]) != 0)
            continue;
        bool read = term_kind(w->t, a->x.data[i]) == TERM_READ;
        const char *state = read ? state_of(w, a->x.data[i]) : NULL;
        bool twice = !state;
        number++;
        for (size_t k = first; k < a->x.len && state; k++)
            if (k != i && strcmp(a->text.data[k], a->text.data[first]) == 0) {
                const char *other =
                    term_kind(w->t, a->x.data[k]) == TERM_READ ? state_of(w, a->x.data[k]) : NULL;
                twice = twice || (other && strcmp(other, state) == 0);
            }
        if (twice)
            state =
                arena_printf(&w->arena, "%s (%s %u)", state ? state : "", read ? "state" : "call", number);
        map_set(&w->apart, a->x.data[i], (uint64_t)(uintptr_t)state);
    }
}

void words_tell_apart(struct words *w, const term *x, size_t n)
{
    struct alike a = {.w = w};
    map_free(&w->apart);
    w->apart = (struct map){0};
    if (n)
        term_any_of(w->t, x, n, collect_alike, &a);
    for (size_t i = 0; i < a.x.len; i++) {
        bool first = true, again = false;
        for (size_t k = 0; k < a.x.len; k++)
            if (k != i && strcmp(a.text.data[i], a.text.data[k]) == 0) {
                first = first && k > i;
                again = true;
            }
        if (again && first)
            name_alike(&a, i);
    }
    vec_free(&a.x);
    vec_free(&a.text);
}

void words_exactly(struct buf *out, struct words *w, term x)
{
    begin(w, out);
    w->exact = true;
    spell(w, x, PREC_CHOICE, 0);
    w->exact = false;
}

void words_place(struct buf *out, struct words *w, term address, unsigned bytes)
{
    begin(w, out);
    spell_place(w, address, bytes, PREC_CHOICE, 0);
}

/* ---- the smallest difference ---- */

static bool same_node(const struct terms *t, term a, term b)
{
    return term_same_head(t, a, b) && term_nkids(t, a) && term_width(t, a) == term_width(t, b);
}

void words_smallest(const struct terms *t, term *a, term *b)
{
    /* What is read, or returned by a callee, is not the place or the argument. */
    while (*a != *b && same_node(t, *a, *b) && term_kind(t, *a) != TERM_READ &&
           term_kind(t, *a) != TERM_APPLY) {
        unsigned differ = 0, at = 0;
        for (unsigned i = 0; i < term_nkids(t, *a); i++)
            if (term_kid(t, *a, i) != term_kid(t, *b, i)) {
                differ++;
                at = i;
            }
        term x = term_kid(t, *a, at), y = term_kid(t, *b, at);
        if (differ != 1 || term_is_array(t, x) || term_is_const(t, x) || term_is_const(t, y))
            return;
        *a = x;
        *b = y;
    }
}
