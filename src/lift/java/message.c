/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of exceptions that are made of numbers and strings, and that hardly anybody reads.
 *
 * To write a number that is not known in decimal takes a loop with a division in each turn, and its length
 * decides where everything behind it lies. So where a string is put together only to be given to the
 * constructor of one of the JDK's exceptions, it is not: the exception gets a literal in its place, and
 * Throwable.getMessage, when it finds it, ends the path as unknown (model.c). Only what cannot have another
 * effect is left out: appending numbers and strings. */
#include <string.h>

#include "lift/java/internal.h"

const char java_message[] = "a message made of numbers and strings (assay)";

static const char builder[] = "java/lang/StringBuilder";

/* Whether the instruction gives the string on top of the stack to the constructor of an exception of the JDK.
 */
static bool is_given(struct java_lift *l, const struct java_method *m, uint32_t pc)
{
    if (pc + 2 >= m->ncode || m->code[pc] != J_INVOKESPECIAL)
        return false;
    const struct java_cp *e = java_cp(m->owner, java_u16(m->code + pc + 1), JAVA_CP_METHOD);
    if (!e || strcmp(e->text, "<init>") != 0 ||
        (strcmp(e->desc, "(Ljava/lang/String;)V") != 0 &&
         (strcmp(e->desc, "(Ljava/lang/Object;)V") != 0 ||
          strcmp(e->owner, "java/lang/AssertionError") != 0)))
        return false;
    if (!m->owner->system && (pc + 3 >= m->ncode || m->code[pc + 3] != J_ATHROW))
        return false;
    const struct java_class *c = java_world_class(l->w, e->owner, NULL),
                            *any = java_world_class(l->w, "java/lang/Throwable", NULL);
    return c && any && c->system && java_subclass(c, any);
}

/* append of something that has no code of its own */
static bool is_append(const struct java_cp *e)
{
    return e && strcmp(e->owner, builder) == 0 && strcmp(e->text, "append") == 0 &&
           (e->desc[2] == ')' || strncmp(e->desc, "(Ljava/lang/String;)", 20) == 0);
}

static bool is_call(const struct java_method *m, uint32_t pc, unsigned op, const char *name, const char *desc)
{
    const struct java_cp *e =
        m->code[pc] == op ? java_cp(m->owner, java_u16(m->code + pc + 1), JAVA_CP_METHOD) : NULL;
    return e && strcmp(e->owner, builder) == 0 && strcmp(e->text, name) == 0 && strcmp(e->desc, desc) == 0;
}

/* Pushes a local, a constant number or a constant string. */
static bool is_plain(const struct java_method *m, uint32_t pc)
{
    unsigned op = m->code[pc];
    if (op == J_LDC || op == J_LDC_W) {
        const struct java_cp *e = &m->owner->cp[op == J_LDC ? m->code[pc + 1] : java_u16(m->code + pc + 1)];
        return e->tag == JAVA_CP_STRING || e->tag == JAVA_CP_INTEGER;
    }
    return (op >= J_ICONST_0 - 1 && op <= J_BIPUSH + 1) || (op >= J_ILOAD && op <= J_ILOAD + 24);
}

uint32_t message_made(struct java_lift *l, const struct java_method *m, uint32_t pc)
{
    enum { LONGEST = 64 };
    const struct java_cp *made =
        m->code[pc] == J_NEW ? java_cp(m->owner, java_u16(m->code + pc + 1), JAVA_CP_CLASS) : NULL;
    if (!made || strcmp(made->text, builder) != 0)
        return 0;
    uint32_t at = pc + 3;
    if (at + 4 >= m->ncode || m->code[at] != J_DUP || !is_call(m, at + 1, J_INVOKESPECIAL, "<init>", "()V"))
        return 0;
    at += 4;
    for (unsigned n = 0; n < LONGEST && at < m->ncode; n++) {
        if (is_call(m, at, J_INVOKEVIRTUAL, "toString", "()Ljava/lang/String;"))
            return is_given(l, m, at + 3) ? at + 3 : 0;
        bool append = m->code[at] == J_INVOKEVIRTUAL &&
                      is_append(java_cp(m->owner, java_u16(m->code + at + 1), JAVA_CP_METHOD));
        if (!append && !is_plain(m, at))
            return 0;
        at += java_length(m, at);
    }
    return 0;
}

bool message_joined(struct java_lift *l, const struct java_method *m, uint32_t pc, const char *desc)
{
    for (const char *p = desc + 1; *p != ')';) {
        const char *from = p;
        char type = java_type(p, &p);
        if (type == '[' || (type == 'L' && strncmp(from, "Ljava/lang/String;", 18) != 0))
            return false;
    }
    return is_given(l, m, pc + 5);
}
