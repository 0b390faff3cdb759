/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a run begins: a method that makes the arguments of the one asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lift/java/internal.h"

struct starter {
    struct synth s;
    struct java_lift *l;
    struct java_start *how;
    unsigned next; /* free local */
    unsigned depth;
    struct error *err;
};

static void input(struct starter *a, char type, const char *name)
{
    synth_input(&a->s, type, name);
}

/* What the list says of an argument or static field. */
struct wish {
    bool listed, elements;
    int32_t length; /* -1: any */
};

static struct wish wish_for(const struct starter *a, const char *name)
{
    struct wish w = {.listed = !a->how->symbolic, .elements = !a->how->symbolic, .length = -1};
    size_t n = strlen(name);
    for (const char *p = a->how->symbolic; p && *p; p += strcspn(p, ","), p += *p == ',') {
        size_t len = strcspn(p, ",");
        if (len < n || strncmp(p, name, n) != 0)
            continue;
        bool length = len == n + 7 && strncmp(p + n, ".length", 7) == 0;
        bool fixed = len > n + 2 && p[n] == '[' && p[len - 1] == ']';
        if (len != n && !length && !fixed)
            continue;
        w.listed = true;
        w.elements = w.elements || !length;
        if (fixed)
            w.length = (int32_t)strtol(p + n + 1, NULL, 10);
    }
    return w;
}

/* The length of an array, within bounds. */
static void length(struct starter *a, const char *name, unsigned local, int32_t fixed)
{
    int32_t least = fixed < 0 ? 0 : fixed, most = fixed < 0 ? (int32_t)a->how->length : fixed;
    struct synth *s = &a->s;
    input(a, 'I', arena_printf(&a->l->arena, "%s.length", name));
    synth_store(s, 'I', local);
    synth_load(s, 'I', local);
    synth_int(s, least);
    unsigned low = synth_jump(s, J_IF_ICMPEQ + 2); /* < */
    synth_load(s, 'I', local);
    synth_int(s, most);
    unsigned high = synth_jump(s, J_IF_ICMPEQ + 4); /* > */
    unsigned fine = synth_jump(s, J_GOTO);
    synth_land(s, low);
    synth_land(s, high);
    synth_int(s, 0);
    synth_own(s, OWN_ASSUME);
    synth_land(s, fine);
}

static bool value(struct starter *a, const char *desc, const char *name, struct wish w);

/* Elements beyond the length are there and nobody sees them. */
static bool array(struct starter *a, const char *desc, const char *name, struct wish w)
{
    struct synth *s = &a->s;
    const struct wish every = {true, true, -1};
    unsigned n = a->next++, ref = a->next++;
    struct java_class *c = java_world_class(a->l->w, desc, a->err);
    if (!c)
        return false;
    unsigned element = java_element_of(c);
    a->how->lengths = arena_printf(
        &a->l->arena, "arrays and strings that are arguments have at most %u elements, and are not null",
        a->how->length);
    length(a, name, n, w.length);
    unsigned most = w.length < 0 ? a->how->length : (unsigned)w.length;
    synth_int(s, (int32_t)c->id);
    synth_own(s, OWN_NEW);
    synth_store(s, 'L', ref);
    synth_load(s, 'L', ref);
    synth_load(s, 'I', n);
    synth_own(s, OWN_SET_LENGTH);
    for (unsigned i = 0; w.elements && i < most; i++) {
        synth_load(s, 'L', ref);
        synth_int(s, (int32_t)i);
        if (!value(a, desc + 1, arena_printf(&a->l->arena, "%s[%u]", name, i), every))
            return false;
        synth_own(s, (enum java_own)(OWN_SET_BYTE + element - JAVA_BYTES));
    }
    synth_load(s, 'L', ref);
    return true;
}

/* Characters below 256, so that each is a byte. */
static bool string(struct starter *a, const char *name, struct wish w)
{
    struct synth *s = &a->s;
    unsigned bytes = a->next++, ref = a->next++;
    struct java_class *c = java_world_class(a->l->w, "java/lang/String", a->err);
    if (!c || !array(a, "[B", name, w))
        return false;
    synth_store(s, 'L', bytes);
    synth_ready(s, c);
    synth_int(s, (int32_t)c->id);
    synth_own(s, OWN_NEW);
    synth_store(s, 'L', ref);
    synth_load(s, 'L', ref);
    synth_load(s, 'L', bytes);
    synth_member(s, J_PUTFIELD, "java/lang/String", "value", "[B");
    synth_load(s, 'L', ref);
    return true;
}

struct java_method *start_string(struct java_lift *l)
{
    const struct wish any = {true, true, -1};
    struct error err = {0};
    struct java_start how = {.length = l->length};
    struct starter a = {.l = l, .how = &how, .err = &err};
    struct java_method *m;
    if (synth_known(l, "string", &m))
        return m;
    l->strings =
        arena_printf(&l->arena, "strings that are inputs have at most %u characters, below 256", l->length);
    synth_begin(&a.s, l, NULL, "string", "()Ljava/lang/String;", 8);
    if (string(&a, "string", any))
        synth_return(&a.s, 'L');
    else
        synth_own_text(&a.s, OWN_UNKNOWN, err.text);
    return synth_keep(l, "string", synth_end(&a.s));
}

/* An object as its constructor without arguments makes it; without one, its numbers are inputs and its
 * references null. */
static bool object(struct starter *a, const char *class, const char *name)
{
    struct synth *s = &a->s;
    struct java_class *c = java_world_class(a->l->w, class, a->err);
    if (!c)
        return false;
    a->how->objects = "objects that are arguments are as their constructor without arguments makes them, or "
                      "have no references";
    if (c->flags & (JAVA_ABSTRACT | JAVA_INTERFACE)) {
        synth_op(s, J_ACONST_NULL);
        return true;
    }
    struct java_method *make = java_method(c, "<init>", "()V");
    synth_type(s, J_NEW, class);
    if (make && make->owner == c) {
        synth_op(s, J_DUP);
        synth_member(s, J_INVOKESPECIAL, class, "<init>", "()V");
        return true;
    }
    for (struct java_class *k = c; k; k = k->super)
        for (unsigned i = 0; i < k->nfields; i++) {
            const struct java_field *f = &k->field[i];
            if (f->flags & JAVA_STATIC || f->desc[0] == 'L' || f->desc[0] == '[')
                continue;
            synth_op(s, J_DUP);
            input(a, f->desc[0], arena_printf(&a->l->arena, "%s.%s", name, f->name));
            synth_member(s, J_PUTFIELD, k->name, f->name, f->desc);
        }
    return true;
}

static void synth_zero(struct synth *s, char type)
{
    synth_op(s, type == 'J' ? J_LCONST_0 : type == 'F' ? J_FCONST_0 : type == 'D' ? J_DCONST_0 : J_ICONST_0);
}

static bool value(struct starter *a, const char *desc, const char *name, struct wish w)
{
    const char *end = desc;
    bool ok;
    char type = java_type(desc, &end);
    const char *text = arena_strndup(&a->l->arena, desc, (size_t)(end - desc));
    if (!w.listed) {
        if (type == 'L' || type == '[')
            synth_op(&a->s, J_ACONST_NULL);
        else
            synth_zero(&a->s, type);
        return true;
    }
    if (type != 'L' && type != '[') {
        input(a, type, name);
        return true;
    }
    if (++a->depth > 3 || a->next > 200) {
        synth_op(&a->s, J_ACONST_NULL);
        ok = true;
    } else if (type == '[') {
        ok = array(a, text, name, w);
    } else if (strcmp(text, "Ljava/lang/String;") == 0) {
        ok = string(a, name, w);
    } else {
        ok = object(a, arena_strndup(&a->l->arena, text + 1, strlen(text) - 2), name);
    }
    a->depth--;
    return ok;
}

/* Static fields that are inputs: set once their class is initialised. Names that mean nothing are an error.
 */
static bool statics(struct starter *a, unsigned nargs)
{
    struct synth *s = &a->s;
    for (const char *p = a->how->symbolic; p && *p; p += strcspn(p, ","), p += *p == ',') {
        char *name = arena_strndup(&a->l->arena, p, strcspn(p, ","));
        const char *full = arena_strdup(&a->l->arena, name);
        unsigned number;
        if (sscanf(name, "arg%u", &number) == 1) {
            if (number >= nargs)
                return error_set(a->err, ERROR_USAGE, "--symbolic %s: the method has %u argument%s", full,
                                 nargs, nargs == 1 ? "" : "s");
            continue;
        }
        name[strcspn(name, "[")] = 0;
        size_t n = strlen(name);
        if (n > 7 && strcmp(name + n - 7, ".length") == 0)
            name[n - 7] = 0;
        const char *shown = arena_strdup(&a->l->arena, name);
        char *dot = strrchr(name, '.');
        for (char *q = name; *q; q++)
            *q = *q == '.' && q != dot ? '/' : *q;
        if (dot)
            *dot = 0;
        struct java_class *c = dot ? java_world_class(a->l->w, name, NULL) : NULL;
        struct java_field *f = NULL;
        for (unsigned i = 0; c && i < c->nfields; i++)
            if (c->field[i].flags & JAVA_STATIC && strcmp(c->field[i].name, dot + 1) == 0)
                f = &c->field[i];
        if (!f)
            return error_set(a->err, ERROR_USAGE,
                             "--symbolic %s: no such argument (arg0) or static field (pack.Class.field)",
                             full);
        synth_ready(s, c);
        if (!value(a, f->desc, shown, wish_for(a, shown)))
            return false;
        synth_member(s, J_PUTSTATIC, c->name, f->name, f->desc);
    }
    return true;
}

struct java_method *java_start_method(struct java_lift *l, struct java_method *m, struct java_start *how,
                                      struct error *err)
{
    struct starter a = {.l = l, .how = how, .err = err};
    unsigned n = 0;
    bool ok = true, is_main = strcmp(m->name, "main") == 0 && strcmp(m->desc, "([Ljava/lang/String;)V") == 0;
    unsigned words, nargs;
    l->length = how->length;
    synth_begin(&a.s, l, NULL, "start", "()V", 250);
    ok = java_signature(m->desc, &words, &nargs) && statics(&a, nargs);
    if (ok && !(m->flags & JAVA_STATIC))
        ok = object(&a, m->owner->name, "this");
    for (const char *p = m->desc + 1; ok && *p != ')'; n++) {
        if (is_main && !how->args && !how->symbolic) {
            synth_int(&a.s, 0);
            synth_type(&a.s, J_ANEWARRAY, "java/lang/String");
        } else {
            const char *name = arena_printf(&l->arena, "arg%u", n);
            ok = value(&a, p, name, wish_for(&a, name));
        }
        java_type(p, &p);
    }
    unsigned op = m->flags & JAVA_STATIC             ? J_INVOKESTATIC
                  : m->owner->flags & JAVA_INTERFACE ? J_INVOKEINTERFACE
                  : strcmp(m->name, "<init>") == 0   ? J_INVOKESPECIAL
                                                     : J_INVOKEVIRTUAL;
    synth_member(&a.s, op, m->owner->name, m->name, m->desc);
    char result = strchr(m->desc, ')')[1];
    if (result == 'J' || result == 'D')
        synth_op(&a.s, J_POP2);
    else if (result != 'V')
        synth_op(&a.s, J_POP);
    synth_op(&a.s, J_RETURN);
    struct java_method *start = synth_end(&a.s);
    return ok ? start : NULL;
}
