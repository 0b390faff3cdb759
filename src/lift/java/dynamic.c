/* SPDX-License-Identifier: GPL-3.0-or-later */
/* invokedynamic: what its bootstrap method would have linked, for those that javac uses: string
 * concatenation, lambdas, and the methods of records. A call site becomes a static method made here, a lambda
 * an object of a class made here. */
#include <stdlib.h>
#include <string.h>

#include "lift/java/internal.h"

static void append(struct synth *s, const char *desc)
{
    synth_member(s, J_INVOKEVIRTUAL, "java/lang/StringBuilder", "append", desc);
}

static void append_text(struct synth *s, struct buf *text)
{
    if (text->len) {
        synth_text(s, text->data, text->len);
        append(s, "(Ljava/lang/String;)Ljava/lang/StringBuilder;");
    }
    buf_clear(text);
}

/* What is on the stack, of the type at `from`. */
static void append_value(struct synth *s, char type, const char *from)
{
    if (strncmp(from, "Ljava/lang/String;", 18) == 0)
        append(s, "(Ljava/lang/String;)Ljava/lang/StringBuilder;");
    else if (type == 'L' || type == '[')
        append(s, "(Ljava/lang/Object;)Ljava/lang/StringBuilder;");
    else {
        /* bytes and shorts are appended as ints */
        append(s, arena_printf(&s->l->arena, "(%c)Ljava/lang/StringBuilder;",
                               type == 'B' || type == 'S' ? 'I' : type));
    }
}

/* A constant of the recipe; false: of another kind. */
static bool put_constant(struct buf *out, const struct java_cp *e)
{
    switch (e->tag) {
    case JAVA_CP_STRING:
        buf_put(out, e->text, e->len);
        return true;
    case JAVA_CP_INTEGER:
        buf_printf(out, "%d", (int)(int32_t)e->bits);
        return true;
    case JAVA_CP_LONG:
        buf_printf(out, "%lld", (long long)e->bits);
        return true;
    }
    return false;
}

/* The recipe has \1 for an argument and \2 for a constant; without one it is arguments only. */
static struct java_method *concat(struct java_lift *l, struct java_class *c, const struct java_cp *e,
                                  const struct java_bootstrap *b, bool recipe, const char **why)
{
    const struct java_cp *r = recipe && b->nargs ? java_cp(c, b->arg[0], JAVA_CP_STRING) : NULL;
    if (recipe && !r) {
        *why = "a string concatenation without a recipe";
        return NULL;
    }
    struct synth s;
    struct buf text = BUF_INIT;
    const char *p = e->desc + 1;
    unsigned local = 0, next = 1;
    bool ok = true;
    synth_begin(&s, l, NULL, "concat", e->desc, 0);
    synth_type(&s, J_NEW, "java/lang/StringBuilder");
    synth_op(&s, J_DUP);
    synth_member(&s, J_INVOKESPECIAL, "java/lang/StringBuilder", "<init>", "()V");
    for (uint32_t i = 0; r ? i < r->len : *p != ')'; i++) {
        if (r && r->text[i] == 2) {
            ok = ok && next < b->nargs && put_constant(&text, &c->cp[b->arg[next]]);
            next++;
        } else if (r && r->text[i] != 1) {
            buf_putc(&text, r->text[i]);
        } else if (*p == ')') {
            ok = false;
        } else {
            const char *from = p;
            char type = java_type(p, &p);
            append_text(&s, &text);
            synth_load(&s, type, local);
            append_value(&s, type, from);
            local += type == 'J' || type == 'D' ? 2 : 1;
        }
    }
    append_text(&s, &text);
    synth_member(&s, J_INVOKEVIRTUAL, "java/lang/StringBuilder", "toString", "()Ljava/lang/String;");
    synth_return(&s, 'L');
    buf_free(&text);
    struct java_method *m = synth_end(&s);
    if (!ok)
        *why = "a string concatenation with a constant that is not a string or a number";
    return ok ? m : NULL;
}

/* ---- lambdas ---- */

static const struct {
    char type;
    const char *class, *value;
} boxes[] = {{'Z', "java/lang/Boolean", "booleanValue"}, {'B', "java/lang/Byte", "byteValue"},
             {'C', "java/lang/Character", "charValue"},  {'S', "java/lang/Short", "shortValue"},
             {'I', "java/lang/Integer", "intValue"},     {'J', "java/lang/Long", "longValue"},
             {'F', "java/lang/Float", "floatValue"},     {'D', "java/lang/Double", "doubleValue"}};
enum { BOXES = sizeof boxes / sizeof *boxes };

static bool is_reference(char type)
{
    return type == 'L' || type == '[';
}

/* The row of boxes; BOXES: there is none, for it is no number. */
static unsigned box_of(char type)
{
    unsigned i = 0;
    while (i < BOXES && boxes[i].type != type)
        i++;
    return i;
}

/* The class that a descriptor at p names, without L and ;. */
static const char *class_name(struct java_lift *l, const char *p)
{
    const char *end = p;
    java_type(p, &end);
    return *p == 'L' ? arena_strndup(&l->arena, p + 1, (size_t)(end - p) - 2)
                     : arena_strndup(&l->arena, p, (size_t)(end - p));
}

static void widen(struct synth *s, char from, char to)
{
    static const struct {
        char from, to;
        uint8_t op;
    } how[] = {{'I', 'J', J_I2L}, {'I', 'F', J_I2F}, {'I', 'D', J_I2D},
               {'J', 'F', J_L2F}, {'J', 'D', J_L2D}, {'F', 'D', J_F2D}};
    char f = strchr("BSCZ", from) ? 'I' : from;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        if (how[i].from == f && how[i].to == to)
            synth_op(s, how[i].op);
}

/* What is on the stack, of the type at `from`, as the type at `to`: casts, boxes, unboxes, widens. False: it
 * cannot be. */
static bool adapt(struct synth *s, const char *from, const char *to)
{
    if (*to == 'V') {
        if (*from != 'V')
            synth_op(s, *from == 'J' || *from == 'D' ? J_POP2 : J_POP);
        return true;
    }
    if (*from == 'V')
        return false;
    if (is_reference(*from) && is_reference(*to)) {
        const char *class = class_name(s->l, to);
        if (strcmp(class, "java/lang/Object") != 0)
            synth_type(s, J_CHECKCAST, class);
        return true;
    }
    if (is_reference(*from)) {
        const char *class = class_name(s->l, from);
        for (unsigned pass = 0; pass < 2; pass++)
            for (unsigned i = 0; i < BOXES; i++) {
                /* by what it is declared to be, else by what is wanted */
                if (pass == 0 ? strcmp(class, boxes[i].class) != 0 : boxes[i].type != *to)
                    continue;
                const char *desc = arena_printf(&s->l->arena, "()%c", boxes[i].type);
                if (pass)
                    synth_type(s, J_CHECKCAST, boxes[i].class);
                synth_member(s, J_INVOKEVIRTUAL, boxes[i].class, boxes[i].value, desc);
                widen(s, boxes[i].type, *to);
                return true;
            }
        return false;
    }
    if (is_reference(*to)) {
        unsigned i = box_of(*from);
        if (i < BOXES)
            synth_member(s, J_INVOKESTATIC, boxes[i].class, "valueOf",
                         arena_printf(&s->l->arena, "(%c)L%s;", boxes[i].type, boxes[i].class));
        return i < BOXES;
    }
    widen(s, *from, *to);
    return true;
}

static unsigned words_of(char type)
{
    return type == 'J' || type == 'D' ? 2 : 1;
}

enum { GETFIELD = 1, VIRTUAL = 5, STATIC, SPECIAL, NEW, INTERFACE }; /* kinds of handles */
enum { SERIALIZABLE = 1, BRIDGES = 4 };                              /* flags of a lambda */

/* The method of the lambda's class: captured values, then its arguments, to the implementation. `given` are
 * the types that the call passes, `sure` what the arguments are known to be. */
static bool lambda_body(struct synth *s, struct java_lift *l, const char *class, const char *captured,
                        const char *given, const char *sure, const struct java_cp *impl)
{
    unsigned local = 1, n = 0;
    if (impl->handle == NEW) {
        synth_type(s, J_NEW, impl->owner);
        synth_op(s, J_DUP);
    }
    const char *to = impl->desc + 1;
    bool receiver = impl->handle == VIRTUAL || impl->handle == SPECIAL || impl->handle == INTERFACE;
    const char *owner = impl->owner[0] == '[' ? impl->owner : arena_printf(&l->arena, "L%s;", impl->owner);
    for (const char *p = captured + 1; *p != ')'; n++) {
        const char *from = p;
        java_type(p, &p);
        synth_load(s, 'L', 0);
        synth_member(s, J_GETFIELD, class, arena_printf(&l->arena, "c%u", n),
                     arena_strndup(&l->arena, from, (size_t)(p - from)));
        const char *want = receiver ? owner : to;
        if (!receiver && *to == ')')
            return false;
        if (!adapt(s, from, want))
            return false;
        if (!receiver)
            java_type(to, &to);
        receiver = false;
    }
    const char *q = sure + 1;
    for (const char *p = given + 1; *p != ')';) {
        const char *from = p, *known = q;
        char type = java_type(p, &p);
        java_type(q, &q);
        synth_load(s, type, local);
        local += words_of(type);
        if (!adapt(s, from, known))
            return false;
        if (!receiver && *to == ')')
            return false;
        if (!adapt(s, known, receiver ? owner : to))
            return false;
        if (!receiver)
            java_type(to, &to);
        receiver = false;
    }
    if (*to != ')' || receiver)
        return false;
    unsigned op = impl->handle == STATIC      ? J_INVOKESTATIC
                  : impl->handle == VIRTUAL   ? J_INVOKEVIRTUAL
                  : impl->handle == INTERFACE ? J_INVOKEINTERFACE
                                              : J_INVOKESPECIAL;
    synth_member(s, op, impl->owner, impl->text, impl->desc);
    const char *made = impl->handle == NEW ? owner : to + 1, *wanted = strchr(sure, ')') + 1,
               *result = strchr(given, ')') + 1;
    if (*wanted != 'V' && !adapt(s, made, wanted))
        return false;
    if (*wanted == 'V' && !adapt(s, made, "V"))
        return false;
    if (*result != 'V' && !adapt(s, wanted, result))
        return false;
    synth_return(s, *result);
    return true;
}

static struct java_method *lambda(struct java_lift *l, struct java_class *c, const struct java_cp *e,
                                  const struct java_bootstrap *b, const char **why)
{
    const struct java_cp *given = b->nargs > 2 ? java_cp(c, b->arg[0], JAVA_CP_METHOD_TYPE) : NULL,
                         *impl = b->nargs > 2 ? java_cp(c, b->arg[1], JAVA_CP_HANDLE) : NULL,
                         *sure = b->nargs > 2 ? java_cp(c, b->arg[2], JAVA_CP_METHOD_TYPE) : NULL;
    const char *result = strchr(e->desc, ')') + 1;
    *why = "a lambda that is not made as javac makes them";
    if (!given || !impl || !sure || impl->handle < VIRTUAL || *result != 'L')
        return NULL;
    /* altMetafactory: flags follow, and how many bridges there are */
    const struct java_cp *flags = b->nargs > 3 ? java_cp(c, b->arg[3], JAVA_CP_INTEGER) : NULL,
                         *bridges = b->nargs > 4 ? java_cp(c, b->arg[4], JAVA_CP_INTEGER) : NULL;
    uint64_t flag = flags ? flags->bits : 0;
    if ((b->nargs > 3 && !flags) || flag & ~(uint64_t)(SERIALIZABLE | BRIDGES) ||
        ((flag & BRIDGES) != 0) != (b->nargs > 4) || (b->nargs > 4 && (!bridges || bridges->bits)))
        return NULL;
    unsigned words, count, sure_count;
    java_signature(given->text, &words, &count);
    java_signature(sure->text, &words, &sure_count);
    struct error err = {0};
    const char *iface_name = class_name(l, result);
    struct java_class *iface = java_world_class(l->w, iface_name, &err);
    if (!iface || count != sure_count)
        return NULL;
    java_signature(e->desc, &words, &count);
    struct synth s;
    const char *name = arena_printf(&l->arena, "%s$$Lambda$%u", c->name, ++l->classes_made);
    synth_begin(&s, l, name, e->text, given->text, 0);
    s.flags = JAVA_PUBLIC;
    struct java_field *f = arena_array(&l->arena, struct java_field, count + 1);
    unsigned n = 0;
    for (const char *p = e->desc + 1; *p != ')'; n++) {
        const char *from = p;
        java_type(p, &p);
        f[n] = (struct java_field){.owner = s.c,
                                   .name = arena_printf(&l->arena, "c%u", n),
                                   .desc = arena_strndup(&l->arena, from, (size_t)(p - from))};
    }
    s.c->field = f;
    s.c->nfields = (uint16_t)n;
    struct java_class *more =
        flag & SERIALIZABLE ? java_world_class(l->w, "java/io/Serializable", NULL) : NULL;
    s.c->interface = arena_array(&l->arena, struct java_class *, 2);
    const char **names = arena_array(&l->arena, const char *, 2);
    s.c->interface_name = names;
    s.c->ninterfaces = more ? 2 : 1;
    for (unsigned i = 0; i < s.c->ninterfaces; i++) {
        s.c->interface[i] = i ? more : iface;
        names[i] = s.c->interface[i]->name;
    }
    bool ok = lambda_body(&s, l, name, e->desc, given->text, sure->text, impl);
    synth_end(&s);
    if (!ok)
        return NULL;
    synth_begin(&s, l, NULL, "lambda", e->desc, 0);
    synth_type(&s, J_NEW, name);
    unsigned local = 0;
    for (unsigned i = 0; i < n; i++) {
        synth_op(&s, J_DUP);
        synth_load(&s, f[i].desc[0], local);
        synth_member(&s, J_PUTFIELD, name, f[i].name, f[i].desc);
        local += words_of(f[i].desc[0]);
    }
    synth_return(&s, 'L');
    return synth_end(&s);
}

/* ---- records ---- */

static void put_equals(struct synth *s, const char *type)
{
    unsigned i = box_of(*type);
    if (i < BOXES)
        synth_member(s, J_INVOKESTATIC, boxes[i].class, "compare",
                     arena_printf(&s->l->arena, "(%c%c)I", *type, *type));
    else
        synth_member(s, J_INVOKESTATIC, "java/util/Objects", "equals",
                     "(Ljava/lang/Object;Ljava/lang/Object;)Z");
}

static void put_hash(struct synth *s, const char *type)
{
    unsigned i = box_of(*type);
    if (i < BOXES)
        synth_member(s, J_INVOKESTATIC, boxes[i].class, "hashCode",
                     arena_printf(&s->l->arena, "(%c)I", *type));
    else
        synth_member(s, J_INVOKESTATIC, "java/util/Objects", "hashCode", "(Ljava/lang/Object;)I");
}

static void get_component(struct synth *s, unsigned local, const struct java_cp *getter)
{
    synth_load(s, 'L', local);
    synth_type(s, J_CHECKCAST, getter->owner);
    synth_member(s, J_GETFIELD, getter->owner, getter->text, getter->desc);
}

static void record_equals(struct synth *s, const char *class, const struct java_cp *const *getter, unsigned n)
{
    synth_load(s, 'L', 1);
    synth_type(s, J_INSTANCEOF, class);
    unsigned same = synth_jump(s, J_IFEQ + 1);
    synth_int(s, 0);
    synth_return(s, 'I');
    synth_land(s, same);
    for (unsigned i = 0; i < n; i++) {
        bool reference = is_reference(getter[i]->desc[0]);
        for (unsigned local = 0; local < 2; local++)
            get_component(s, local, getter[i]);
        put_equals(s, getter[i]->desc);
        same = synth_jump(s, reference ? J_IFEQ + 1 : J_IFEQ);
        synth_int(s, 0);
        synth_return(s, 'I');
        synth_land(s, same);
    }
    synth_int(s, 1);
    synth_return(s, 'I');
}

/* As the JDK combines them, though it does not promise that. */
static void record_hash(struct synth *s, const struct java_cp *const *getter, unsigned n)
{
    synth_int(s, 0);
    for (unsigned i = 0; i < n; i++) {
        synth_int(s, 31);
        synth_op(s, J_IMUL);
        get_component(s, 0, getter[i]);
        put_hash(s, getter[i]->desc);
        synth_op(s, J_IADD);
    }
    synth_return(s, 'I');
}

static void record_text(struct synth *s, const char *name, const struct java_cp *const *getter, unsigned n)
{
    struct buf text = BUF_INIT;
    synth_type(s, J_NEW, "java/lang/StringBuilder");
    synth_op(s, J_DUP);
    synth_member(s, J_INVOKESPECIAL, "java/lang/StringBuilder", "<init>", "()V");
    buf_printf(&text, "%s[", name);
    for (unsigned i = 0; i < n; i++) {
        buf_printf(&text, "%s%s=", i ? ", " : "", getter[i]->text);
        append_text(s, &text);
        get_component(s, 0, getter[i]);
        append_value(s, getter[i]->desc[0], getter[i]->desc);
    }
    buf_putc(&text, ']');
    append_text(s, &text);
    synth_member(s, J_INVOKEVIRTUAL, "java/lang/StringBuilder", "toString", "()Ljava/lang/String;");
    synth_return(s, 'L');
    buf_free(&text);
}

/* equals, hashCode and toString of a record: of its class, the names of its components, and their getters. */
static struct java_method *record_method(struct java_lift *l, struct java_class *c, const struct java_cp *e,
                                         const struct java_bootstrap *b, const char **why)
{
    const struct java_cp *class = b->nargs > 1 ? java_cp(c, b->arg[0], JAVA_CP_CLASS) : NULL;
    unsigned n = b->nargs > 1 ? b->nargs - 2u : 0;
    const struct java_cp **getter = arena_array(&l->arena, const struct java_cp *, n + 1);
    *why = "a method of a record that is not made as javac makes them";
    if (!class || strcmp(class->text, c->name) != 0)
        return NULL;
    for (unsigned i = 0; i < n; i++) {
        getter[i] = java_cp(c, b->arg[2 + i], JAVA_CP_HANDLE);
        if (!getter[i] || getter[i]->handle != GETFIELD || strcmp(getter[i]->owner, c->name) != 0)
            return NULL;
    }
    const char *self = arena_printf(&l->arena, "(L%s;", c->name);
    size_t len = strlen(self);
    const char *rest = strncmp(e->desc, self, len) == 0 ? e->desc + len : "";
    bool equals = strcmp(e->text, "equals") == 0 && strcmp(rest, "Ljava/lang/Object;)Z") == 0,
         hash = strcmp(e->text, "hashCode") == 0 && strcmp(rest, ")I") == 0,
         text = strcmp(e->text, "toString") == 0 && strcmp(rest, ")Ljava/lang/String;") == 0;
    if (!equals && !hash && !text)
        return NULL;
    struct synth s;
    synth_begin(&s, l, NULL, e->text, e->desc, 0);
    if (equals)
        record_equals(&s, c->name, getter, n);
    else if (hash)
        record_hash(&s, getter, n);
    else
        record_text(&s, java_simple_name(l, c), getter, n);
    return synth_end(&s);
}

struct java_method *dynamic_method(struct java_lift *l, struct java_class *c, unsigned index,
                                   const char **why)
{
    uint64_t known, key = (uint64_t)c->id << 16 | index;
    const struct java_cp *e = java_cp(c, index, JAVA_CP_INVOKE_DYNAMIC);
    if (map_get(&l->dynamics, key, &known))
        return (struct java_method *)(uintptr_t)known;
    *why = "an invokedynamic without its bootstrap method";
    if (!e || e->a >= c->nbootstraps)
        return NULL;
    const struct java_bootstrap *b = &c->bootstrap[e->a];
    const struct java_cp *h = java_cp(c, b->method, JAVA_CP_HANDLE);
    struct java_method *m = NULL;
    *why = arena_printf(&l->arena, "invokedynamic of %s.%s", h->owner, h->text);
    if (strcmp(h->owner, "java/lang/invoke/StringConcatFactory") == 0)
        m = concat(l, c, e, b, strcmp(h->text, "makeConcatWithConstants") == 0, why);
    else if (strcmp(h->owner, "java/lang/invoke/LambdaMetafactory") == 0 &&
             (strcmp(h->text, "metafactory") == 0 || strcmp(h->text, "altMetafactory") == 0))
        m = lambda(l, c, e, b, why);
    else if (strcmp(h->owner, "java/lang/runtime/ObjectMethods") == 0)
        m = record_method(l, c, e, b, why);
    if (m)
        map_set(&l->dynamics, key, (uint64_t)(uintptr_t)m);
    return m;
}
