/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a run begins: a method that makes the arguments of the one asked for. */
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
    static const char types[] = "IBCSZJFD";
    synth_own_text(&a->s, (enum java_own)(OWN_INPUT_I + (unsigned)(strchr(types, type) - types)), name);
}

/* The length of an array, within bounds. */
static void length(struct starter *a, const char *name, unsigned local)
{
    struct synth *s = &a->s;
    input(a, 'I', arena_printf(&a->l->arena, "%s.length", name));
    synth_store(s, 'I', local);
    synth_load(s, 'I', local);
    synth_int(s, 0);
    unsigned low = synth_jump(s, J_IF_ICMPEQ + 2); /* < */
    synth_load(s, 'I', local);
    synth_int(s, (int32_t)a->how->length);
    unsigned high = synth_jump(s, J_IF_ICMPEQ + 4); /* > */
    unsigned fine = synth_jump(s, J_GOTO);
    synth_land(s, low);
    synth_land(s, high);
    synth_int(s, 0);
    synth_own(s, OWN_ASSUME);
    synth_land(s, fine);
}

static bool value(struct starter *a, const char *desc, const char *name);

/* Elements beyond the length are there and nobody sees them. */
static bool array(struct starter *a, const char *desc, const char *name)
{
    struct synth *s = &a->s;
    unsigned n = a->next++, ref = a->next++;
    struct java_class *c = java_world_class(a->l->w, desc, a->err);
    if (!c)
        return false;
    unsigned element = java_element_of(c);
    a->how->lengths = arena_printf(
        &a->l->arena, "arrays and strings that are arguments have at most %u elements, and are not null",
        a->how->length);
    length(a, name, n);
    synth_int(s, (int32_t)c->id);
    synth_own(s, OWN_NEW);
    synth_store(s, 'L', ref);
    synth_load(s, 'L', ref);
    synth_load(s, 'I', n);
    synth_own(s, OWN_SET_LENGTH);
    for (unsigned i = 0; i < a->how->length; i++) {
        synth_load(s, 'L', ref);
        synth_int(s, (int32_t)i);
        if (!value(a, desc + 1, arena_printf(&a->l->arena, "%s[%u]", name, i)))
            return false;
        synth_own(s, (enum java_own)(OWN_SET_BYTE + element - JAVA_BYTES));
    }
    synth_load(s, 'L', ref);
    return true;
}

/* Characters below 256, so that each is a byte. */
static bool string(struct starter *a, const char *name)
{
    struct synth *s = &a->s;
    unsigned bytes = a->next++, ref = a->next++;
    struct java_class *c = java_world_class(a->l->w, "java/lang/String", a->err);
    if (!c || !array(a, "[B", name))
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

static bool value(struct starter *a, const char *desc, const char *name)
{
    const char *end = desc;
    bool ok;
    char type = java_type(desc, &end);
    const char *text = arena_strndup(&a->l->arena, desc, (size_t)(end - desc));
    if (type != 'L' && type != '[') {
        input(a, type, name);
        return true;
    }
    if (++a->depth > 3 || a->next > 200) {
        synth_op(&a->s, J_ACONST_NULL);
        ok = true;
    } else if (type == '[') {
        ok = array(a, text, name);
    } else if (strcmp(text, "Ljava/lang/String;") == 0) {
        ok = string(a, name);
    } else {
        ok = object(a, arena_strndup(&a->l->arena, text + 1, strlen(text) - 2), name);
    }
    a->depth--;
    return ok;
}

struct java_method *java_start_method(struct java_lift *l, struct java_method *m, struct java_start *how,
                                      struct error *err)
{
    struct starter a = {.l = l, .how = how, .err = err};
    unsigned n = 0;
    bool ok = true, is_main = strcmp(m->name, "main") == 0 && strcmp(m->desc, "([Ljava/lang/String;)V") == 0;
    synth_begin(&a.s, l, NULL, "start", "()V", 250);
    if (!(m->flags & JAVA_STATIC))
        ok = object(&a, m->owner->name, "this");
    for (const char *p = m->desc + 1; ok && *p != ')'; n++) {
        if (is_main && !how->args) {
            synth_int(&a.s, 0);
            synth_type(&a.s, J_ANEWARRAY, "java/lang/String");
        } else {
            ok = value(&a, p, arena_printf(&l->arena, "arg%u", n));
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
