/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/absent.h"

#include <string.h>

#include "base/map.h"

/* Shorter strings are compiled to numbers, or occur in others by chance. One long string, or two, prove
 * something. */
enum { TEXT_MIN = 5, TEXT_LONG = 8 };

struct refers {
    const struct program *p;
    const struct reference *r;
    struct strmap text, callee;
};

/* Calls that compilers expand together with their strings, and calls that release builds leave out. */
static bool takes_text_along(const char *name)
{
    static const char *const known[] = {"mem", "str", "sprintf", "snprintf", "__assert", "printf", "puts"};
    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (strncmp(name, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

static void learn(struct refers *s, expr x, const char *caller, struct map *seen)
{
    const struct exprs *e = s->r->e;
    struct flow_prototype library;
    if (x == EXPR_NONE || map_get(seen, x, NULL))
        return;
    const char *name = expr_name(e, x);
    enum expr_kind k = expr_kind(e, x);
    if (k == EXPR_STRING) {
        if (!takes_text_along(caller))
            strmap_set(&s->text, name, 1);
        return; /* elsewhere it may be handed to another */
    }
    map_set(seen, x, 1);
    if (k == EXPR_CALL && name && reference_arity((void *)(uintptr_t)s->r, name) >= 0 &&
        !flow_library_prototype(s->p, name, &library))
        strmap_set(&s->callee, name, 1);
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        learn(s, expr_kid(e, x, i), k == EXPR_CALL ? name : caller, seen);
}

static void learn_all(struct refers *s, const struct reference_function *f)
{
    struct map seen = {0};
    for (size_t i = 0; i < f->variant.len; i++)
        for (int side = 0; side < 2; side++) {
            const struct features *set = side ? &f->variant.data[i].new : &f->variant.data[i].old;
            for (size_t k = 0; k < set->list.len; k++) {
                learn(s, set->list.data[k].what, NULL, &seen);
                learn(s, set->list.data[k].value, NULL, &seen);
            }
        }
    map_free(&seen);
}

/* Whether the bytes occur anywhere in loaded memory. */
static bool holds(const struct object *o, const char *text, size_t n)
{
    const struct object_section *x;
    size_t count = object_sections(o, &x), available;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = x[i].alloc ? object_bytes(o, x[i].address, &available) : NULL;
        if (bytes && memmem(bytes, available < x[i].size ? available : x[i].size, text, n))
            return true;
    }
    /* Without a table of sections: */
    const struct object_segment *s;
    count = count ? 0 : object_segments(o, &s);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = object_bytes(o, s[i].address, &available);
        if (bytes && memmem(bytes, available, text, n))
            return true;
    }
    return false;
}

static bool knows(const struct object *o, const char *name)
{
    const struct object_stub *stub;
    size_t n = object_stubs(o, &stub);
    for (size_t i = 0; i < n; i++)
        if (stub[i].name && strcmp(stub[i].name, name) == 0)
            return true;
    return object_symbol_by_name(o, name);
}

bool absent_proved(struct program *p, const struct reference *r, const struct reference_function *f,
                   const char **why)
{
    struct refers s = {.p = p, .r = r};
    const struct object *o = program_object(p);
    unsigned weight = 0;
    bool trace = false;
    learn_all(&s, f);
    for (size_t i = 0; i < s.text.cap && !trace; i++) {
        const char *text = s.text.key[i];
        size_t n = text ? strlen(text) : 0;
        /* printf("...\n") may have become puts("..."). */
        n -= n && text[n - 1] == '\n';
        if (n < TEXT_MIN)
            continue;
        trace = holds(o, text, n);
        weight += n >= TEXT_LONG ? 2 : 1;
    }
    for (size_t i = 0; i < s.callee.cap && !trace; i++)
        trace = s.callee.key[i] && knows(o, s.callee.key[i]);
    *why = trace ? "no sufficiently similar function found, but the target has what it refers to: it may be "
                   "inlined, or present under another name"
           : weight < 2
               ? "no sufficiently similar function found, and it refers to no string by which it could be "
                 "ruled out: it may be inlined"
               : NULL;
    strmap_free(&s.text);
    strmap_free(&s.callee);
    return !trace && weight >= 2;
}
