/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/libraries.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "base/system.h"
#include "base/vec.h"
#include "object/unpack.h"

enum { OLD, NEW };

/* ---- what is to be found out ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct wanted {
    struct strmap seen;
    VEC(const char *) name;
};

/* The import that an address of a program stands for. */
static const struct object_stub *import_at(struct program *p, uint64_t address)
{
    bool arm = program_machine(p)->arch == MACHINE_ARM;
    const struct object_stub *stub =
        object_stub_at(program_object(p), arm ? address & ~UINT64_C(1) : address);
    return stub && stub->name && !stub->target ? stub : NULL;
}

static void want(struct match *m, int side, uint32_t function, unsigned depth, struct wanted *w)
{
    struct program *p = match_program(m, side);
    const struct flow_function *all, *f;
    struct flow_prototype known;
    size_t n = match_references(m, side, function, NULL, 0);
    uint64_t *to = xcalloc(n + 1, sizeof *to);
    match_references(m, side, function, to, n);
    program_functions(p, &all);
    for (size_t i = 0; i < n; i++) {
        const struct object_stub *stub = import_at(p, to[i]);
        if (stub && !flow_library_prototype(p, stub->name, &known) && strmap_set(&w->seen, stub->name, 1))
            vec_push(&w->name, stub->name);
        /* The code of callees may be run, too. */
        else if (!stub && depth && (f = program_function_at(p, to[i])))
            want(m, side, (uint32_t)(f - all), depth - 1, w);
    }
    free(to);
}

size_t libraries_wanted(struct match *m, const struct match_pair *pair, size_t n, struct arena *arena,
                        const char *const **out)
{
    struct wanted w = {.seen = {0}};
    for (size_t i = 0; i < n; i++)
        if (pair[i].status != MATCH_IDENTICAL && pair[i].old != MATCH_NONE && pair[i].new != MATCH_NONE) {
            want(m, OLD, pair[i].old, 1, &w);
            want(m, NEW, pair[i].new, 1, &w);
        }
    vec_sort(&w.name, by_name);
    size_t found = w.name.len;
    const char **name = arena_array(arena, const char *, found + 1);
    for (size_t i = 0; i < found; i++)
        name[i] = w.name.data[i];
    *out = name;
    strmap_free(&w.seen);
    vec_free(&w.name);
    return found;
}

/* ---- libraries ---- */

/* A function that is asked about, as a library defines it. */
struct definition {
    size_t wanted;
    const struct object_symbol *symbol;
};

struct library {
    const char *key; /* what was opened */
    const char *name;
    struct object *object;   /* until there is a program of it, or if there never is */
    struct program *program; /* NULL: not needed yet */
    VEC(struct definition) defines;
};

struct search {
    struct arena *arena;
    struct match *m;
    const struct library_places *places;
    const char *const *name;
    size_t n;
    struct strmap wanted;          /* name -> index */
    VEC(struct library *) library; /* of both versions */
    VEC(struct library *) needed[2];
    VEC(const char *) warning;
};

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void warn(struct search *s, const char *text)
{
    for (size_t i = 0; i < s->warning.len; i++)
        if (strcmp(s->warning.data[i], text) == 0)
            return;
    vec_push(&s->warning, text);
}

static void note_definitions(struct search *s, struct library *l)
{
    const struct object_symbol *all;
    uint64_t index;
    size_t n = object_symbols(l->object, &all);
    for (size_t i = 0; i < n; i++)
        if (all[i].dynamic && !all[i].undefined && all[i].bind != BIND_LOCAL && all[i].name &&
            strmap_get(&s->wanted, all[i].name, &index))
            vec_push(&l->defines, (struct definition){(size_t)index, &all[i]});
}

/* A library that was opened, NULL after a warning when it cannot be used. Takes the object. */
static struct library *keep(struct search *s, int side, const char *key, const char *name, struct object *o,
                            const struct error *err)
{
    struct library *l = arena_new(s->arena, struct library);
    *l = (struct library){.key = key, .name = name, .object = o};
    const struct object_info *info = o ? object_info(o) : NULL,
                             *mine = object_info(program_object(match_program(s->m, side)));
    vec_push(&s->library, l);
    if (!o) {
        warn(s, arena_printf(s->arena, "libraries: %s is ignored: %s", name, err->text));
    } else if (info->arch != mine->arch || info->arch == MACHINE_NONE || info->type == OBJECT_RELOCATABLE) {
        warn(s,
             arena_printf(s->arena, "libraries: %s is ignored: not a library for %s", key, mine->arch_name));
    } else {
        note_definitions(s, l);
        return l;
    }
    object_free(l->object);
    l->object = NULL;
    return l;
}

static struct library *known(const struct search *s, const char *key)
{
    for (size_t i = 0; i < s->library.len; i++)
        if (strcmp(s->library.data[i]->key, key) == 0)
            return s->library.data[i];
    return NULL;
}

static struct library *open_path(struct search *s, int side, const char *name, const char *path)
{
    struct error err = {0};
    if (!is_file(path))
        return NULL;
    struct library *l = known(s, path);
    return l ? l
             : keep(s, side, arena_strdup(s->arena, path), name,
                    object_open(path, &(struct object_options){0}, &err), &err);
}

/* In a directory that may also be the root of a system. */
static struct library *open_in(struct search *s, int side, const char *name, const char *dir)
{
    const struct object_info *mine = object_info(program_object(match_program(s->m, side)));
    const char *const *below = library_dirs(mine->arch, s->arena);
    struct library *l = open_path(s, side, name, arena_printf(s->arena, "%s/%s", dir, name));
    for (; *below && !l; below++)
        l = open_path(s, side, name, arena_printf(s->arena, "%s/%s/%s", dir, *below, name));
    return l;
}

/* Both are libfoo.so.something. */
static bool same_stem(const char *a, const char *b)
{
    const char *end = strstr(a, ".so");
    return end && strncmp(a, b, (size_t)(end - a) + 3) == 0;
}

/* In the same package or tree: by its name there, or by the one it has for the linker. */
static struct library *open_beside(struct search *s, int side, const char *name)
{
    const struct library_places *at = &s->places[side];
    for (int exact = 1; exact >= 0; exact--)
        for (size_t i = 0; i < at->nfiles; i++) {
            const struct match_file *f = &at->file[i];
            const char *base = path_base(f->path);
            if (exact ? strcmp(base, name) != 0 : !same_stem(name, base))
                continue;
            const char *key = arena_printf(s->arena, "%s of the %s version", f->path, side ? "new" : "old");
            struct error err = {0};
            struct library *l = known(s, key);
            if (l)
                return l;
            struct object *o =
                object_open_memory(f->path, f->data, f->size, &(struct object_options){0}, &err);
            const char *soname = o ? object_info(o)->soname : NULL;
            if (exact || (soname && strcmp(soname, name) == 0))
                return keep(s, side, key, name, o, &err);
            object_free(o);
        }
    return NULL;
}

static void open_needed(struct search *s, int side)
{
    const struct object_dynamic *d;
    const struct library_places *at = &s->places[side];
    size_t n = object_dynamic(program_object(match_program(s->m, side)), &d);
    for (size_t i = 0; i < n; i++) {
        if (d[i].tag != DT_NEEDED || !d[i].text || !*path_base(d[i].text))
            continue;
        const char *name = arena_strdup(s->arena, path_base(d[i].text));
        struct library *l = NULL;
        for (size_t k = 0; at->dir && at->dir[k] && !l; k++)
            l = open_in(s, side, name, at->dir[k]);
        l = l ? l : open_beside(s, side, name);
        if (!l && at->program_dir)
            l = open_path(s, side, name, arena_printf(s->arena, "%s/%s", at->program_dir, name));
        /* A library that was not found may define it first: those after it are not asked. */
        if (!l || !l->object)
            break;
        vec_push(&s->needed[side], l);
    }
}

/* ---- what they tell ---- */

/* The one symbol that an import means; NULL: none, or it is not certain which. */
static const struct object_symbol *meant(const struct library *l, size_t wanted, const char *version)
{
    const struct object_symbol *found = NULL;
    for (size_t i = 0; i < l->defines.len; i++) {
        const struct object_symbol *x = l->defines.data[i].symbol;
        bool fits = !x->version || (version ? strcmp(version, x->version) == 0 : x->version_default);
        if (l->defines.data[i].wanted != wanted || !fits)
            continue;
        if (found && found->address != x->address)
            return NULL;
        found = x;
    }
    return found;
}

static bool defines(const struct library *l, size_t wanted)
{
    for (size_t i = 0; i < l->defines.len; i++)
        if (l->defines.data[i].wanted == wanted)
            return true;
    return false;
}

static bool tell(struct search *s, struct library *l, const struct object_symbol *x, struct flow_takes *out)
{
    struct error err = {0};
    if (!l->program) {
        /* A program that is not opened has taken the object, too; symbols die with it. */
        struct object *o = l->object;
        l->object = NULL;
        l->program = program_from_object(o, &(struct program_options){0}, &err);
        if (!l->program) {
            warn(s, arena_printf(s->arena, "libraries: %s is ignored: %s", l->key, err.text));
            vec_clear(&l->defines);
            return false;
        }
    }
    const struct flow_function *f =
        x->type == SYMBOL_FUNC ? program_function_at(l->program, x->address) : NULL;
    return f && flow_takes(l->program, f, out);
}

static const struct object_stub *import_of(const struct object *o, const char *name)
{
    const struct object_stub *stub;
    size_t n = object_stubs(o, &stub);
    for (size_t i = 0; i < n; i++)
        if (stub[i].name && !stub[i].target && strcmp(stub[i].name, name) == 0)
            return &stub[i];
    return NULL;
}

/* What the libraries of one version tell; false: nothing. *library: who. */
static bool told(struct search *s, int side, size_t wanted, const struct object_stub *import,
                 struct flow_takes *out, const char **library)
{
    struct library *who = NULL;
    for (size_t i = 0; i < s->needed[side].len; i++)
        if (defines(s->needed[side].data[i], wanted)) {
            if (who)
                return false;
            who = s->needed[side].data[i];
        }
    const struct object_symbol *x = who ? meant(who, wanted, import->version) : NULL;
    *library = who ? who->name : NULL;
    return x && tell(s, who, x, out);
}

/* A program's own function of that name comes before a library's. */
static bool has_own(struct program *p, const char *name)
{
    const struct flow_function *f = program_function(p, name, NULL);
    return f && !(f->flags & (FLOW_PLT | FLOW_EXTERN));
}

static bool ask_both(struct search *s, size_t wanted, struct verify_import *out)
{
    bool any = false;
    *out = (struct verify_import){.name = s->name[wanted]};
    for (int side = 0; side < 2; side++) {
        struct program *p = match_program(s->m, side);
        const struct object_stub *import = import_of(program_object(p), s->name[wanted]);
        struct flow_takes takes;
        const char *library;
        if (has_own(p, s->name[wanted]))
            return false;
        if (!import)
            continue;
        if (!told(s, side, wanted, import, &takes, &library) || (any && takes.nargs != out->takes.nargs))
            return false;
        /* How wide arguments are may be seen in one only. */
        if (any) {
            out->takes.floats = out->takes.floats || takes.floats;
            out->takes.back |= takes.back;
            for (unsigned i = 0; i < MACHINE_MAX_ARGS; i++)
                if (takes.bits[i] != out->takes.bits[i])
                    out->takes.bits[i] = 0;
        } else {
            out->takes = takes;
            out->library = library;
        }
        any = true;
    }
    return any;
}

void libraries_ask(struct match *m, const struct library_places places[2], const char *const *name, size_t n,
                   struct arena *arena, struct library_answers *out)
{
    struct search s = {.arena = arena, .m = m, .places = places, .name = name, .n = n};
    for (size_t i = 0; i < n; i++)
        strmap_set(&s.wanted, name[i], i);
    open_needed(&s, OLD);
    open_needed(&s, NEW);
    *out = (struct library_answers){.import = arena_array(arena, struct verify_import, n + 1)};
    for (size_t i = 0; i < n; i++)
        out->nimports += ask_both(&s, i, &out->import[out->nimports]);
    out->warning = arena_array(arena, const char *, s.warning.len + 1);
    for (size_t i = 0; i < s.warning.len; i++)
        out->warning[out->nwarnings++] = s.warning.data[i];
    for (size_t i = 0; i < s.library.len; i++) {
        struct library *l = s.library.data[i];
        vec_free(&l->defines);
        if (l->program)
            program_free(l->program);
        object_free(l->object);
    }
    vec_free(&s.library);
    vec_free(&s.needed[OLD]);
    vec_free(&s.needed[NEW]);
    vec_free(&s.warning);
    strmap_free(&s.wanted);
}
