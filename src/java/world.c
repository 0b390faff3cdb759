/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "java/world.h"

#include <string.h>

enum { LOADING_MAX = 200 }; /* superclasses of superclasses */

void java_world_init(struct java_world *w, struct java_path *path)
{
    *w = (struct java_world){.path = path};
    vec_push(&w->class, NULL);
}

void java_world_free(struct java_world *w)
{
    strmap_free(&w->by_name);
    vec_free(&w->class);
    vec_free(&w->loading);
    arena_free(&w->arena);
}

void java_world_add(struct java_world *w, struct java_class *c)
{
    c->id = (uint32_t)w->class.len;
    vec_push(&w->class, c);
    strmap_set(&w->by_name, c->name, (uint64_t)(uintptr_t)c);
}

static const char *primitive(char letter)
{
    switch (letter) {
    case 'B':
        return "byte";
    case 'C':
        return "char";
    case 'D':
        return "double";
    case 'F':
        return "float";
    case 'I':
        return "int";
    case 'J':
        return "long";
    case 'S':
        return "short";
    case 'Z':
        return "boolean";
    case 'V':
        return "void";
    }
    return NULL;
}

static struct java_class *made(struct java_world *w, const char *name)
{
    struct java_class *c = arena_new(&w->arena, struct java_class);
    c->name = arena_strdup(&w->arena, name);
    c->origin = "";
    c->flags = JAVA_PUBLIC | JAVA_FINAL | JAVA_ABSTRACT;
    return c;
}

struct java_class *java_world_type(struct java_world *w, const char *desc, struct error *err)
{
    const char *name = primitive(*desc), *end;
    uint64_t known;
    if (*desc == 'L') {
        size_t n = strlen(desc);
        return java_world_class(w, arena_strndup(&w->arena, desc + 1, n < 2 ? 0 : n - 2), err);
    }
    if (*desc == '[' && java_type(desc, &end) && !*end)
        return java_world_class(w, desc, err);
    if (!name) {
        error_set(err, ERROR_INPUT, "%s: not a type", desc);
        return NULL;
    }
    if (strmap_get(&w->by_name, name, &known))
        return (struct java_class *)(uintptr_t)known;
    struct java_class *c = made(w, name);
    java_world_add(w, c);
    return c;
}

static struct java_class *array_class(struct java_world *w, const char *name, struct error *err)
{
    static const char *const interface[] = {"java/lang/Cloneable", "java/io/Serializable"};
    struct java_class *component = java_world_type(w, name + 1, err), *c = made(w, name);
    if (!component)
        return NULL;
    c->component = component;
    c->super_name = "java/lang/Object";
    c->super = java_world_class(w, c->super_name, err);
    c->interface_name = interface;
    c->ninterfaces = 2;
    c->interface = arena_array(&w->arena, struct java_class *, 2);
    for (unsigned i = 0; i < 2; i++)
        if (!(c->interface[i] = java_world_class(w, interface[i], err)))
            return NULL;
    if (!c->super)
        return NULL;
    java_world_add(w, c);
    return c;
}

static struct java_class *link_class(struct java_world *w, struct java_class *c, struct error *err)
{
    if (c->super_name && !(c->super = java_world_class(w, c->super_name, err)))
        return NULL;
    c->interface = arena_array(&w->arena, struct java_class *, c->ninterfaces + 1u);
    for (unsigned i = 0; i < c->ninterfaces; i++)
        if (!(c->interface[i] = java_world_class(w, c->interface_name[i], err)))
            return NULL;
    if (c->super && c->super->flags & JAVA_INTERFACE) {
        error_set(err, ERROR_INPUT, "%s: its superclass %s is an interface", c->origin, c->super_name);
        return NULL;
    }
    return c;
}

struct java_class *java_world_class(struct java_world *w, const char *name, struct error *err)
{
    uint64_t known;
    const char *end, *origin;
    size_t size;
    if (strmap_get(&w->by_name, name, &known)) {
        struct java_class *c = (struct java_class *)(uintptr_t)known;
        if (!c)
            error_set(err, ERROR_INPUT, "%s: this class is missing or was not read", name);
        return c;
    }
    for (size_t i = 0; i < w->loading.len; i++)
        if (w->loading.len > LOADING_MAX || strcmp(w->loading.data[i], name) == 0) {
            error_set(err, ERROR_INPUT, "%s: is its own superclass, or has too many", name);
            return NULL;
        }
    if (*name == '[')
        return java_type(name, &end) && !*end ? array_class(w, name, err) : NULL;
    const char *file = arena_printf(&w->arena, "%s.class", name);
    struct error why = {0};
    const uint8_t *data = java_path_find(w->path, file, &size, &origin, &w->arena, &why);
    struct java_class *c = data ? java_class_read(data, size, origin, &w->arena, &why) : NULL;
    if (!data && !why.kind)
        error_set(&why, ERROR_INPUT, "%s: no such class in the class path or the JDK", name);
    if (c && strcmp(c->name, name) != 0) {
        error_set(&why, ERROR_INPUT, "%s: has the class %s", origin, c->name);
        c = NULL;
    }
    if (c) {
        c->system = java_path_is_system(w->path, origin);
        vec_push(&w->loading, c->name);
        c = link_class(w, c, &why);
        w->loading.len--;
    }
    if (c) {
        java_world_add(w, c);
    } else {
        strmap_set(&w->by_name, arena_strdup(&w->arena, name), 0);
        if (err)
            *err = why;
    }
    return c;
}

struct java_class *java_world_array(struct java_world *w, struct java_class *component, struct error *err)
{
    static const char letter[] = "BCDFIJSZ";
    for (const char *l = letter; *l; l++)
        if (strcmp(primitive(*l), component->name) == 0)
            return java_world_class(w, arena_printf(&w->arena, "[%c", *l), err);
    return java_world_class(w,
                            component->component ? arena_printf(&w->arena, "[%s", component->name)
                                                 : arena_printf(&w->arena, "[L%s;", component->name),
                            err);
}

bool java_subclass(const struct java_class *c, const struct java_class *of)
{
    if (c == of)
        return true;
    if (c->component && of->component)
        return java_subclass(c->component, of->component) && c->component->super_name != NULL;
    for (unsigned i = 0; i < c->ninterfaces; i++)
        if (java_subclass(c->interface[i], of))
            return true;
    if (c->flags & JAVA_INTERFACE && strcmp(of->name, "java/lang/Object") == 0)
        return true;
    return c->super && java_subclass(c->super, of);
}

struct java_field *java_field(struct java_class *c, const char *name, const char *desc)
{
    for (; c; c = c->super) {
        for (unsigned i = 0; i < c->nfields; i++)
            if (strcmp(c->field[i].name, name) == 0 && strcmp(c->field[i].desc, desc) == 0)
                return &c->field[i];
        for (unsigned i = 0; i < c->ninterfaces; i++) {
            struct java_field *f = java_field(c->interface[i], name, desc);
            if (f)
                return f;
        }
    }
    return NULL;
}

static struct java_method *declared(struct java_class *c, const char *name, const char *desc)
{
    for (unsigned i = 0; i < c->nmethods; i++)
        if (strcmp(c->method[i].name, name) == 0 && strcmp(c->method[i].desc, desc) == 0)
            return &c->method[i];
    return NULL;
}

/* The method of a superinterface; one with code before one without, the most specific one of several. */
static void in_interfaces(struct java_class *c, const char *name, const char *desc, struct java_method **best,
                          bool *clash)
{
    for (; c; c = c->super) {
        for (unsigned i = 0; i < c->ninterfaces; i++) {
            struct java_method *m = declared(c->interface[i], name, desc);
            if (m && !(m->flags & (JAVA_STATIC | JAVA_PRIVATE))) {
                struct java_method *b = *best;
                if (!b || (java_subclass(m->owner, b->owner) && m->owner != b->owner)) {
                    *best = m;
                    *clash = false;
                } else if (!java_subclass(b->owner, m->owner)) {
                    if (!b->code && m->code)
                        *best = m;
                    else if (b->code && m->code)
                        *clash = true;
                }
            }
            in_interfaces(c->interface[i], name, desc, best, clash);
        }
    }
}

struct java_method *java_method(struct java_class *c, const char *name, const char *desc)
{
    for (struct java_class *k = c; k; k = k->super) {
        struct java_method *m = declared(k, name, desc);
        if (m)
            return m;
    }
    struct java_method *best = NULL;
    bool clash = false;
    in_interfaces(c, name, desc, &best, &clash);
    return best;
}

static bool same_package(const struct java_class *a, const struct java_class *b)
{
    const char *l = strrchr(a->name, '/'), *r = strrchr(b->name, '/');
    size_t n = l ? (size_t)(l - a->name) : 0;
    return n == (r ? (size_t)(r - b->name) : 0) && strncmp(a->name, b->name, n) == 0;
}

struct java_method *java_select(struct java_class *c, struct java_method *resolved)
{
    const uint16_t seen = JAVA_PUBLIC | JAVA_PROTECTED;
    if (resolved->flags & JAVA_PRIVATE)
        return resolved;
    for (struct java_class *k = c; k; k = k->super) {
        struct java_method *m = declared(k, resolved->name, resolved->desc);
        bool overrides = m && !(m->flags & (JAVA_STATIC | JAVA_PRIVATE)) &&
                         (resolved->flags & seen || same_package(k, resolved->owner));
        if (m == resolved || overrides)
            return m;
    }
    struct java_method *best = NULL;
    bool clash = false;
    in_interfaces(c, resolved->name, resolved->desc, &best, &clash);
    return clash ? NULL : best;
}

unsigned java_line(const struct java_method *m, unsigned pc)
{
    unsigned line = 0, best = 0;
    bool found = false;
    for (uint32_t i = 0; i < m->nlines; i++)
        if (m->line[i].pc <= pc && (!found || m->line[i].pc >= best)) {
            best = m->line[i].pc;
            line = m->line[i].line;
            found = true;
        }
    return line;
}
