/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/reference.h"

#include <stdlib.h>
#include <string.h>

#include "match/match.h"
#include "object/container.h"
#include "present/parts.h"

/* In one number of `arity`: arguments that are no floats, and above them those that are. */
enum { ARITY_BITS = 16, ARITY_MOST = (1 << ARITY_BITS) - 1 };

void reference_init(struct reference *r, struct exprs *e)
{
    *r = (struct reference){.e = e};
}

static void free_variant(struct reference_variant *v)
{
    features_free(&v->old);
    features_free(&v->new);
    signature_free(&v->signature);
}

static void free_function(struct reference_function *f)
{
    for (size_t k = 0; k < f->variant.len; k++)
        free_variant(&f->variant.data[k]);
    for (size_t k = 0; k < f->parts.len; k++)
        vec_free(&f->parts.data[k].part);
    vec_free(&f->variant);
    vec_free(&f->parts);
}

void reference_free(struct reference *r)
{
    for (size_t i = 0; i < r->function.len; i++)
        free_function(&r->function.data[i]);
    vec_free(&r->function);
    strmap_free(&r->arity);
    arena_free(&r->arena);
}

static struct reference_function *function_named(struct reference *r, const char *name)
{
    for (size_t i = 0; i < r->function.len; i++)
        if (strcmp(r->function.data[i].name, name) == 0)
            return &r->function.data[i];
    vec_push(&r->function, (struct reference_function){.name = arena_strdup(&r->arena, name)});
    return &vec_last(&r->function);
}

static bool wanted(const struct reference_options *opt, const char *name)
{
    for (size_t i = 0; i < opt->nfunctions; i++)
        if (strcmp(opt->function[i], name) == 0)
            return true;
    return opt->nfunctions == 0;
}

/* Takes the features. */
static void add_variant(struct reference *r, const char *name, const char *how, unsigned bits,
                        struct features *old, struct features *new)
{
    struct reference_variant v = {
        .how = arena_strdup(&r->arena, how), .bits = bits, .old = *old, .new = *new};
    vec_push(&function_named(r, name)->variant, v);
}

/* ---- bitcode ---- */

static void note_arities(struct reference *r, const struct bitcode *m)
{
    const struct bitcode_function *f;
    size_t n = bitcode_functions(m, &f);
    /* Optimisation takes arguments away that are always the same. */
    for (size_t i = 0; i < n; i++)
        if (!f[i].variadic && (strmap_find(&r->arity, f[i].name, 0) & ARITY_MOST) <= f[i].nargs &&
            f[i].nargs <= ARITY_MOST)
            strmap_set(&r->arity, arena_strdup(&r->arena, f[i].name),
                       f[i].nargs | (uint64_t)f[i].nfargs << ARITY_BITS);
}

int reference_arity(void *ctx, const char *name)
{
    const struct reference *r = ctx;
    uint64_t arity;
    return strmap_get(&r->arity, name, &arity) ? (int)(arity & ARITY_MOST) : -1;
}

int reference_floats(void *ctx, const char *name)
{
    const struct reference *r = ctx;
    uint64_t arity;
    return strmap_get(&r->arity, name, &arity) ? (int)(arity >> ARITY_BITS) : -1;
}

static bool add_modules(struct reference *r, const char *how, struct bitcode *old, struct bitcode *new,
                        const struct reference_options *opt, struct error *err)
{
    const struct bitcode_function *f;
    size_t n = bitcode_functions(new, &f);
    struct features_options fo = {.lines = true};
    note_arities(r, new);
    note_arities(r, old);
    for (size_t i = 0; i < n; i++) {
        if (f[i].declared || !wanted(opt, f[i].name))
            continue;
        const struct bitcode_function *before = bitcode_function(old, f[i].name, NULL);
        struct features v, p;
        if (!before || before->declared)
            continue;
        if (!features_of_bitcode(r->e, old, before, &fo, &v, err))
            return false;
        if (!features_of_bitcode(r->e, new, &f[i], &fo, &p, err)) {
            features_free(&v);
            return false;
        }
        add_variant(r, f[i].name, how, bitcode_info(new)->pointer_width, &v, &p);
    }
    return true;
}

static bool add_bytes(struct reference *r, const char *how, const char *name, const struct buf *old,
                      const struct buf *new, bool narrow, bool *wide, const struct reference_options *opt,
                      struct error *err)
{
    struct bitcode *v = bitcode_read(name, (const uint8_t *)buf_text(old), old->len, err),
                   *p = v ? bitcode_read(name, (const uint8_t *)buf_text(new), new->len, err) : NULL;
    *wide = p && bitcode_info(p)->pointer_width == 64;
    if (p && narrow) {
        bitcode_lay_out_32(v);
        bitcode_lay_out_32(p);
    }
    bool ok = p && add_modules(r, how, v, p, opt, err);
    bitcode_free(v);
    bitcode_free(p);
    return ok;
}

bool reference_add_bitcode(struct reference *r, const char *how, const char *name, const struct buf *old,
                           const struct buf *new, const struct reference_options *opt, struct error *err)
{
    bool wide, again;
    return add_bytes(r, how, name, old, new, false, &wide, opt, err) &&
           (!wide || add_bytes(r, how, name, old, new, true, &again, opt, err));
}

/* ---- machine code ---- */

static bool add_pair(struct reference *r, const char *how, struct program *old,
                     const struct flow_function *before, struct program *new,
                     const struct flow_function *after, struct error *err)
{
    struct features_options fo = {.lines = true};
    struct features v, p;
    if (!features_of_function(r->e, old, before, &fo, &v, err))
        return false;
    if (!features_of_function(r->e, new, after, &fo, &p, err)) {
        features_free(&v);
        return false;
    }
    add_variant(r, after->name, how, program_machine(new)->pointer_width, &v, &p);
    return true;
}

static bool add_programs(struct reference *r, const char *how, struct program *old, struct program *new,
                         const struct reference_options *opt, struct error *err)
{
    const struct flow_function *before, *after;
    const struct match_pair *pair;
    struct match *m = match_programs(old, new, &(struct match_options){0}, err);
    bool ok = m;
    size_t n = m ? match_pairs(m, &pair) : 0;
    program_functions(old, &before);
    program_functions(new, &after);
    for (size_t i = 0; i < n && ok; i++) {
        if (pair[i].status != MATCH_CHANGED || !wanted(opt, after[pair[i].new].name) ||
            (after[pair[i].new].flags & (FLOW_PLT | FLOW_PART | FLOW_EXTERN)))
            continue;
        ok = add_pair(r, how, old, &before[pair[i].old], new, &after[pair[i].new], err);
    }
    match_free(m);
    return ok;
}

static bool read_whole(const char *path, struct buf *out, struct error *err)
{
    size_t n;
    uint8_t *bytes = container_read_file(path, &n, err);
    if (bytes)
        buf_put(out, bytes, n);
    free(bytes);
    return bytes;
}

bool reference_add(struct reference *r, const char *how, const char *old, const char *new,
                   const struct reference_options *opt, struct error *err)
{
    bool ok;
    if (bitcode_is_file(old) != bitcode_is_file(new))
        return error_set(err, ERROR_USAGE,
                         "%s and %s are of different kinds; give two bitcode files or two programs", old,
                         new);
    if (bitcode_is_file(new)) {
        struct buf v = BUF_INIT, p = BUF_INIT;
        ok = read_whole(old, &v, err) && read_whole(new, &p, err) &&
             reference_add_bitcode(r, how, new, &v, &p, opt, err);
        buf_free(&v);
        buf_free(&p);
    } else {
        struct program_options po = {.object = opt->object};
        struct program *v = program_open(old, &po, err), *p = v ? program_open(new, &po, err) : NULL;
        ok = p && add_programs(r, how, v, p, opt, err);
        program_free(v);
        program_free(p);
    }
    return ok;
}

/* ---- together ---- */

static int by_name(const void *a, const void *b)
{
    const struct reference_function *l = a, *r = b;
    return strcmp(l->name, r->name);
}

bool reference_settle(struct reference *r, const struct reference_options *opt, struct error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->function.len; i++) {
        struct reference_function *f = &r->function.data[i];
        bool tells = false;
        for (size_t k = 0; k < f->variant.len; k++) {
            struct reference_variant *v = &f->variant.data[k];
            v->tells = signature_make(r->e, &v->old, &v->new, &opt->signature, &v->signature);
            tells = tells || v->tells;
        }
        if (tells)
            r->function.data[kept++] = *f;
        else
            free_function(f);
    }
    r->function.len = kept;
    vec_sort(&r->function, by_name);
    parts_find(r);
    if (kept == 0 && opt->nfunctions)
        return error_set(
            err, ERROR_INPUT,
            "the two versions of '%s' cannot be distinguished: the patch does not change their behaviour",
            opt->function[0]);
    return kept || error_set(err, ERROR_INPUT, "the patch changes the behaviour of no function");
}
