/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods made here: a small assembler, and what the machine itself does with it. */
#include <stdlib.h>
#include <string.h>

#include "lift/java/internal.h"

enum { STACK = 64, LITERAL_PART = 4000 /* bytes of a string that one method stores */ };

void synth_begin(struct synth *s, struct java_lift *l, const char *class, const char *name, const char *desc,
                 unsigned locals)
{
    *s = (struct synth){.l = l, .name = name, .desc = desc, .flags = JAVA_STATIC, .locals = locals};
    s->c = arena_new(&l->arena, struct java_class);
    s->c->name = class ? class : arena_printf(&l->arena, "assay/Made%u", ++l->classes_made);
    vec_push(&s->cp, (struct java_cp){0});
}

struct java_method *synth_end(struct synth *s)
{
    struct java_lift *l = s->l;
    struct java_class *c = s->c;
    struct java_method *m = arena_new(&l->arena, struct java_method);
    unsigned words, count;
    java_signature(s->desc, &words, &count);
    words += !(s->flags & JAVA_STATIC);
    c->cp = arena_dup(&l->arena, s->cp.data, s->cp.len * sizeof *s->cp.data);
    c->ncp = (uint16_t)s->cp.len;
    c->method = m;
    c->nmethods = 1;
    if (!c->super) {
        c->super = java_world_class(l->w, "java/lang/Object", NULL);
        c->super_name = "java/lang/Object";
    }
    *m = (struct java_method){
        .owner = c,
        .name = s->name,
        .desc = s->desc,
        .flags = s->flags,
        .max_stack = STACK,
        .max_locals = (uint16_t)(words + s->locals),
        .code = arena_dup(&l->arena, s->code.data, s->code.len),
        .ncode = (uint32_t)s->code.len,
        .handler = arena_dup(&l->arena, s->handler.data, s->handler.len * sizeof *s->handler.data),
        .nhandlers = (uint16_t)s->handler.len};
    java_world_add(l->w, c);
    buf_free(&s->code);
    vec_free(&s->cp);
    vec_free(&s->handler);
    return m;
}

bool synth_known(struct java_lift *l, const char *key, struct java_method **out)
{
    uint64_t known;
    if (!strmap_get(&l->made, key, &known))
        return false;
    *out = (struct java_method *)(uintptr_t)known;
    return true;
}

struct java_method *synth_keep(struct java_lift *l, const char *key, struct java_method *m)
{
    strmap_set(&l->made, arena_strdup(&l->arena, key), (uint64_t)(uintptr_t)m);
    return m;
}

/* ---- instructions ---- */

void synth_op(struct synth *s, unsigned op)
{
    buf_putc(&s->code, (char)op);
}

static void u16(struct synth *s, unsigned v)
{
    synth_op(s, v >> 8 & 0xff);
    synth_op(s, v & 0xff);
}

static unsigned entry(struct synth *s, struct java_cp e)
{
    vec_push(&s->cp, e);
    if (e.tag == JAVA_CP_LONG || e.tag == JAVA_CP_DOUBLE)
        vec_push(&s->cp, (struct java_cp){0});
    return (unsigned)(s->cp.len - 1 - (e.tag == JAVA_CP_LONG || e.tag == JAVA_CP_DOUBLE));
}

void synth_own(struct synth *s, enum java_own own)
{
    synth_op(s, J_OWN);
    synth_op(s, own);
}

void synth_own_text(struct synth *s, enum java_own own, const char *text)
{
    synth_own(s, own);
    u16(s, entry(s, (struct java_cp){.tag = JAVA_CP_UTF8, .text = arena_strdup(&s->l->arena, text)}));
}

void synth_input(struct synth *s, char type, const char *name)
{
    unsigned i = (unsigned)(strchr(JAVA_INPUT_TYPES, type) - JAVA_INPUT_TYPES);
    synth_own_text(s, (enum java_own)(OWN_INPUT_I + i), name);
}

void synth_int(struct synth *s, int32_t v)
{
    if (v >= -1 && v <= 5) {
        synth_op(s, (unsigned)(J_ICONST_0 + v));
        return;
    }
    if (v >= INT16_MIN && v <= INT16_MAX) {
        synth_op(s, J_SIPUSH);
        u16(s, (unsigned)v & 0xffff);
        return;
    }
    synth_op(s, J_LDC_W);
    u16(s, entry(s, (struct java_cp){.tag = JAVA_CP_INTEGER, .bits = (uint32_t)v}));
}

void synth_long(struct synth *s, uint64_t v)
{
    synth_op(s, J_LDC2_W);
    u16(s, entry(s, (struct java_cp){.tag = JAVA_CP_LONG, .bits = v}));
}

void synth_text(struct synth *s, const char *text, size_t n)
{
    synth_op(s, J_LDC_W);
    u16(s, entry(s, (struct java_cp){.tag = JAVA_CP_STRING,
                                     .text = arena_strndup(&s->l->arena, text, n),
                                     .len = (uint32_t)n}));
}

static unsigned kind_index(char type)
{
    return type == 'J'                                 ? 1
           : type == 'F'                               ? 2
           : type == 'D'                               ? 3
           : type == 'L' || type == '[' || type == 'A' ? 4
                                                       : 0;
}

void synth_load(struct synth *s, char type, unsigned local)
{
    synth_op(s, J_ILOAD + kind_index(type));
    synth_op(s, local);
}

void synth_store(struct synth *s, char type, unsigned local)
{
    synth_op(s, J_ISTORE + kind_index(type));
    synth_op(s, local);
}

void synth_return(struct synth *s, char type)
{
    synth_op(s, type == 'V' ? J_RETURN : J_IRETURN + kind_index(type));
}

void synth_iinc(struct synth *s, unsigned local, int by)
{
    synth_op(s, J_IINC);
    synth_op(s, local);
    synth_op(s, (unsigned)by & 0xff);
}

void synth_type(struct synth *s, unsigned op, const char *class)
{
    synth_op(s, op);
    u16(s, entry(s, (struct java_cp){.tag = JAVA_CP_CLASS, .text = arena_strdup(&s->l->arena, class)}));
}

void synth_member(struct synth *s, unsigned op, const char *owner, const char *name, const char *desc)
{
    bool field = op >= J_GETSTATIC && op <= J_PUTFIELD;
    struct java_cp e = {.tag = field                     ? JAVA_CP_FIELD
                               : op == J_INVOKEINTERFACE ? JAVA_CP_INTERFACE_METHOD
                                                         : JAVA_CP_METHOD,
                        .a = 1,
                        .text = name,
                        .owner = owner,
                        .desc = desc};
    synth_op(s, op);
    u16(s, entry(s, e));
    if (op == J_INVOKEINTERFACE)
        u16(s, 0x0100);
}

void synth_call(struct synth *s, struct java_method *m)
{
    synth_op(s, J_INVOKESTATIC);
    u16(s, entry(s, (struct java_cp){.tag = JAVA_CP_METHOD,
                                     .bits = (uint64_t)(uintptr_t)m,
                                     .text = m->name,
                                     .owner = m->owner->name,
                                     .desc = m->desc}));
}

unsigned synth_here(const struct synth *s)
{
    return (unsigned)s->code.len;
}

unsigned synth_jump(struct synth *s, unsigned op)
{
    unsigned at = synth_here(s);
    synth_op(s, op);
    u16(s, 0);
    return at;
}

void synth_land(struct synth *s, unsigned jump)
{
    unsigned by = synth_here(s) - jump;
    s->code.data[jump + 1] = (char)(by >> 8);
    s->code.data[jump + 2] = (char)by;
}

void synth_back(struct synth *s, unsigned op, unsigned to)
{
    unsigned by = to - synth_here(s);
    synth_op(s, op);
    u16(s, by & 0xffff);
}

void synth_handler(struct synth *s, unsigned start, unsigned end, const char *type)
{
    vec_push(&s->handler,
             (struct java_handler){(uint16_t)start, (uint16_t)end, (uint16_t)synth_here(s), type});
}

/* ---- what the machine does ---- */

static void push_new(struct synth *s, const char *class)
{
    synth_type(s, J_NEW, class);
    synth_op(s, J_DUP);
    synth_member(s, J_INVOKESPECIAL, class, "<init>", "()V");
}

struct java_method *synth_exception(struct java_lift *l, enum vm_exception e)
{
    static const char *const class[] = {
        "java/lang/NullPointerException",       "java/lang/ArrayIndexOutOfBoundsException",
        "java/lang/ArithmeticException",        "java/lang/ClassCastException",
        "java/lang/NegativeArraySizeException", "java/lang/ArrayStoreException"};
    struct java_method *m;
    const char *key = arena_printf(&l->arena, "throw %s", class[e]);
    if (synth_known(l, key, &m))
        return m;
    struct synth s;
    synth_begin(&s, l, NULL, "exception", "(JII)Ljava/lang/Throwable;", 1);
    if (e == VM_DIVIDE) {
        synth_type(&s, J_NEW, class[e]);
        synth_op(&s, J_DUP);
        synth_text(&s, "/ by zero", 9);
        synth_member(&s, J_INVOKESPECIAL, class[e], "<init>", "(Ljava/lang/String;)V");
    } else {
        push_new(&s, class[e]);
    }
    synth_op(&s, J_DUP);
    synth_load(&s, 'J', 0);
    synth_own(&s, OWN_THROWN_AT);
    /* What the message is made of, where there is one: java.lang.Throwable.getMessage (model.c) makes it. */
    if (e != VM_DIVIDE && e != VM_NULL) {
        synth_store(&s, 'L', 4);
        synth_load(&s, 'L', 4);
        synth_load(&s, 'I', 2);
        synth_member(&s, J_PUTFIELD, "java/lang/Throwable", "assay index", "I");
        synth_load(&s, 'L', 4);
        synth_load(&s, 'I', 3);
        synth_member(&s, J_PUTFIELD, "java/lang/Throwable", "assay length", "I");
        synth_load(&s, 'L', 4);
        synth_int(&s, e == VM_BOUNDS ? 1 : 2);
        synth_member(&s, J_PUTFIELD, "java/lang/Throwable", "assay message", "I");
        synth_load(&s, 'L', 4);
    }
    synth_return(&s, 'L');
    return synth_keep(l, key, synth_end(&s));
}

static struct java_method *own_initialiser(struct java_class *c)
{
    for (unsigned i = 0; i < c->nmethods; i++)
        if (strcmp(c->method[i].name, "<clinit>") == 0 && c->method[i].code)
            return &c->method[i];
    return NULL;
}

/* An interface is initialised with a class only if it has code that the class may run. */
static bool has_default(const struct java_class *c)
{
    for (unsigned i = 0; i < c->nmethods; i++)
        if (c->method[i].code && !(c->method[i].flags & JAVA_STATIC))
            return true;
    return false;
}

static void initialise_interfaces(struct synth *s, struct java_class *c)
{
    for (unsigned i = 0; i < c->ninterfaces; i++) {
        initialise_interfaces(s, c->interface[i]);
        struct java_method *m =
            has_default(c->interface[i]) ? synth_initialiser(s->l, c->interface[i]) : NULL;
        if (m)
            synth_call(s, m);
    }
}

static bool needs_initialiser(struct java_class *c)
{
    if (own_initialiser(c))
        return true;
    for (unsigned i = 0; i < c->ninterfaces; i++)
        if (has_default(c->interface[i]) && needs_initialiser(c->interface[i]))
            return true;
    return c->super && !(c->flags & JAVA_INTERFACE) && needs_initialiser(c->super);
}

/* As the specification, 5.5, for one thread. */
struct java_method *synth_initialiser(struct java_lift *l, struct java_class *c)
{
    static const char error[] = "java/lang/ExceptionInInitializerError",
                      again[] = "java/lang/NoClassDefFoundError";
    uint64_t known;
    if (map_get(&l->initialisers, c->id, &known))
        return (struct java_method *)(uintptr_t)known;
    if (!c->origin || c->component || !needs_initialiser(c)) {
        map_set(&l->initialisers, c->id, 0);
        return NULL;
    }
    struct synth s;
    synth_begin(&s, l, NULL, "initialise", "()V", 1);
    synth_int(&s, (int32_t)c->id);
    synth_own(&s, OWN_READY);
    unsigned fresh = synth_jump(&s, J_IFEQ);
    synth_int(&s, (int32_t)c->id);
    synth_own(&s, OWN_READY);
    synth_int(&s, 1);
    unsigned failed = synth_jump(&s, J_IF_ICMPEQ + 1);
    synth_op(&s, J_RETURN);
    synth_land(&s, failed);
    push_new(&s, again);
    synth_op(&s, J_ATHROW);
    synth_land(&s, fresh);
    synth_int(&s, (int32_t)c->id);
    synth_int(&s, 1);
    synth_own(&s, OWN_SET_READY);
    unsigned start = synth_here(&s);
    struct java_method *super =
        c->super && !(c->flags & JAVA_INTERFACE) ? synth_initialiser(l, c->super) : NULL;
    if (super)
        synth_call(&s, super);
    if (!(c->flags & JAVA_INTERFACE))
        initialise_interfaces(&s, c);
    if (own_initialiser(c))
        synth_call(&s, own_initialiser(c));
    synth_op(&s, J_RETURN);
    synth_handler(&s, start, synth_here(&s), NULL);
    synth_store(&s, 'L', 0);
    /* Those of the JDK do not throw on a virtual machine that was started as it should be. */
    if (c->system) {
        synth_own_text(
            &s, OWN_UNKNOWN,
            arena_printf(&l->arena,
                         "the static initialiser of %s needs more of a virtual machine than there is here",
                         c->name));
        struct java_method *m = synth_end(&s);
        map_set(&l->initialisers, c->id, (uint64_t)(uintptr_t)m);
        return m;
    }
    synth_int(&s, (int32_t)c->id);
    synth_int(&s, 2);
    synth_own(&s, OWN_SET_READY);
    synth_load(&s, 'L', 0);
    synth_type(&s, J_INSTANCEOF, "java/lang/Error");
    unsigned wrap = synth_jump(&s, J_IFEQ);
    synth_load(&s, 'L', 0);
    synth_op(&s, J_ATHROW);
    synth_land(&s, wrap);
    synth_type(&s, J_NEW, error);
    synth_op(&s, J_DUP);
    synth_load(&s, 'L', 0);
    synth_member(&s, J_INVOKESPECIAL, error, "<init>", "(Ljava/lang/Throwable;)V");
    synth_op(&s, J_ATHROW);
    struct java_method *m = synth_end(&s);
    map_set(&l->initialisers, c->id, (uint64_t)(uintptr_t)m);
    return m;
}

/* For objects that are made without `new`, which would do it. */
void synth_ready(struct synth *s, struct java_class *c)
{
    struct java_method *m = synth_initialiser(s->l, c);
    if (m)
        synth_call(s, m);
}

/* Modified UTF-8 to UTF-16. */
static size_t decode(const char *text, size_t n, uint16_t *out)
{
    const uint8_t *p = (const uint8_t *)text;
    size_t k = 0;
    for (size_t i = 0; i < n; k++) {
        if (p[i] < 0x80) {
            out[k] = p[i];
            i += 1;
        } else if ((p[i] & 0xe0) == 0xc0) {
            out[k] = (uint16_t)((p[i] & 0x1f) << 6 | (p[i + 1] & 0x3f));
            i += 2;
        } else {
            out[k] = (uint16_t)((p[i] & 0xf) << 12 | (p[i + 1] & 0x3f) << 6 | (p[i + 2] & 0x3f));
            i += 3;
        }
    }
    return k;
}

/* Stores a part of a string's bytes, so that no method is too long. UTF-16 is in the machine's order:
 * little-endian, on every machine that this is asked on. */
static struct java_method *literal_part(struct java_lift *l, const uint16_t *unit, size_t bytes, bool wide,
                                        size_t from)
{
    struct synth s;
    synth_begin(&s, l, NULL, "part", "(Ljava/lang/Object;)V", 0);
    for (size_t i = from; i < bytes && i < from + LITERAL_PART; i++) {
        unsigned v = !wide ? unit[i] : i & 1 ? unit[i / 2] >> 8 : unit[i / 2] & 0xff;
        if (!v)
            continue;
        synth_load(&s, 'L', 0);
        synth_int(&s, (int32_t)i);
        synth_int(&s, (int32_t)v);
        synth_own(&s, OWN_SET_BYTE);
    }
    synth_op(&s, J_RETURN);
    return synth_end(&s);
}

/* A java.lang.String as the JDK lays them out: bytes, one or two a character. */
uint32_t synth_literal(struct java_lift *l, const char *text, size_t n)
{
    uint64_t known;
    if (strmap_get(&l->literals, text, &known))
        return (uint32_t)known;
    uint16_t *unit = xreallocarray(NULL, n + 1, sizeof *unit);
    size_t len = decode(text, n, unit);
    bool wide = false;
    for (size_t i = 0; i < len; i++)
        wide = wide || unit[i] > 0xff;
    uint32_t ref = JAVA_FIRST_LITERAL + (uint32_t)l->literal.len;
    struct java_class *string = java_world_class(l->w, "java/lang/String", NULL),
                      *bytes = java_world_class(l->w, "[B", NULL);
    struct synth s;
    synth_begin(&s, l, NULL, "literal", "()V", 1);
    vec_push(&l->literal, NULL); /* it and its bytes */
    vec_push(&l->literal, NULL);
    if (!string || !bytes || ref + 1 >= JAVA_FIRST_OBJECT || len << wide > INT32_MAX / 2) {
        synth_own_text(&s, OWN_UNKNOWN, string && bytes ? "a very long string" : "no java.lang.String");
    } else {
        synth_ready(&s, string);
        /* The objects have references of their own, which OWN_NEW would not give. */
        synth_int(&s, (int32_t)ref);
        synth_own(&s, OWN_TO_REFERENCE);
        synth_int(&s, (int32_t)string->id);
        synth_own(&s, OWN_SET_CLASS);
        synth_int(&s, (int32_t)ref + 1);
        synth_own(&s, OWN_TO_REFERENCE);
        synth_int(&s, (int32_t)bytes->id);
        synth_own(&s, OWN_SET_CLASS);
        synth_int(&s, (int32_t)ref + 1);
        synth_own(&s, OWN_TO_REFERENCE);
        synth_store(&s, 'L', 0);
        synth_load(&s, 'L', 0);
        synth_int(&s, (int32_t)(len << wide));
        synth_own(&s, OWN_SET_LENGTH);
        for (size_t i = 0; i < len << wide; i += LITERAL_PART) {
            synth_load(&s, 'L', 0);
            synth_call(&s, literal_part(l, unit, len << wide, wide, i));
        }
        synth_int(&s, (int32_t)ref);
        synth_own(&s, OWN_TO_REFERENCE);
        synth_load(&s, 'L', 0);
        synth_member(&s, J_PUTFIELD, "java/lang/String", "value", "[B");
        synth_int(&s, (int32_t)ref);
        synth_own(&s, OWN_TO_REFERENCE);
        synth_int(&s, wide);
        synth_member(&s, J_PUTFIELD, "java/lang/String", "coder", "B");
        synth_int(&s, (int32_t)ref);
        synth_int(&s, 1);
        synth_own(&s, OWN_SET_READY);
        synth_op(&s, J_RETURN);
    }
    free(unit);
    struct java_method *m = synth_end(&s);
    l->literal.data[ref - JAVA_FIRST_LITERAL] = l->literal.data[ref + 1 - JAVA_FIRST_LITERAL] = m;
    strmap_set(&l->literals, arena_strndup(&l->arena, text, n), ref);
    return ref;
}

/* multianewarray: all sizes are looked at before anything is made. */
struct java_method *synth_many(struct java_lift *l, const char *array, unsigned dims)
{
    struct java_method *m;
    const char *key = arena_printf(&l->arena, "many %u %s", dims, array);
    if (synth_known(l, key, &m))
        return m;
    struct buf desc = BUF_INIT;
    buf_putc(&desc, '(');
    for (unsigned i = 0; i < dims; i++)
        buf_putc(&desc, 'I');
    buf_puts(&desc, ")Ljava/lang/Object;");
    struct synth s;
    synth_begin(&s, l, NULL, "many", arena_strdup(&l->arena, buf_text(&desc)), 2);
    buf_free(&desc);
    const char *component = array + 1;
    char *name = arena_strdup(&l->arena, *component == 'L' ? component + 1 : component);
    if (*component == 'L')
        name[strlen(name) - 1] = 0;
    for (unsigned i = 1; i < dims; i++) {
        synth_load(&s, 'I', i);
        synth_op(&s, J_NEWARRAY);
        synth_op(&s, 10);
        synth_op(&s, J_POP);
    }
    synth_load(&s, 'I', 0);
    static const char letters[] = "ZCFDBSIJ";
    if (*component != 'L' && *component != '[') {
        synth_op(&s, J_NEWARRAY);
        synth_op(&s, 4 + (unsigned)(strchr(letters, *component) - letters));
    } else {
        synth_type(&s, J_ANEWARRAY, name);
    }
    if (dims == 1) {
        synth_return(&s, 'L');
        return synth_keep(l, key, synth_end(&s));
    }
    synth_store(&s, 'L', dims);
    synth_int(&s, 0);
    synth_store(&s, 'I', dims + 1);
    unsigned loop = synth_here(&s);
    synth_load(&s, 'I', dims + 1);
    synth_load(&s, 'I', 0);
    unsigned done = synth_jump(&s, J_IF_ICMPEQ + 3); /* >= */
    synth_load(&s, 'L', dims);
    synth_load(&s, 'I', dims + 1);
    for (unsigned i = 1; i < dims; i++)
        synth_load(&s, 'I', i);
    synth_call(&s, synth_many(l, component, dims - 1));
    synth_own(&s, OWN_SET_REFERENCE);
    synth_iinc(&s, dims + 1, 1);
    synth_back(&s, J_GOTO, loop);
    synth_land(&s, done);
    synth_load(&s, 'L', dims);
    synth_return(&s, 'L');
    return synth_keep(l, key, synth_end(&s));
}

struct java_method *synth_unknown(struct java_lift *l, const struct java_method *m, const char *why)
{
    struct java_method *made;
    const char *text = arena_printf(&l->arena, "%s: %s.%s%s", why, m->owner->name, m->name, m->desc);
    const char *key = arena_printf(&l->arena, "unknown %s", text);
    if (synth_known(l, key, &made))
        return made;
    struct synth s;
    synth_begin(&s, l, NULL, m->name, m->desc[0] == '(' ? m->desc : "(Ljava/lang/Object;)Ljava/lang/Object;",
                0);
    s.flags = m->desc[0] == '(' ? m->flags & JAVA_STATIC : JAVA_STATIC;
    synth_own_text(&s, OWN_UNKNOWN, text);
    return synth_keep(l, key, synth_end(&s));
}

/* ---- what every class can do ---- */

static void copy_elements(struct synth *s, unsigned element)
{
    unsigned loop = synth_here(s);
    synth_load(s, 'I', 2);
    synth_load(s, 'I', 3);
    unsigned done = synth_jump(s, J_IF_ICMPEQ + 3);
    synth_load(s, 'L', 1);
    synth_load(s, 'I', 2);
    synth_load(s, 'L', 0);
    synth_load(s, 'I', 2);
    synth_own(s, (enum java_own)(OWN_GET_BYTE + element - JAVA_BYTES));
    synth_own(s, (enum java_own)(OWN_SET_BYTE + element - JAVA_BYTES));
    synth_iinc(s, 2, 1);
    synth_back(s, J_GOTO, loop);
    synth_land(s, done);
}

struct java_method *synth_clone(struct java_lift *l, struct java_class *c)
{
    struct java_method *m;
    const char *key = arena_printf(&l->arena, "clone %u", c->id);
    if (synth_known(l, key, &m))
        return m;
    struct java_class *cloneable = java_world_class(l->w, "java/lang/Cloneable", NULL);
    struct synth s;
    synth_begin(&s, l, NULL, "clone", "(Ljava/lang/Object;)Ljava/lang/Object;", 3);
    if (!cloneable || !java_subclass(c, cloneable)) {
        push_new(&s, "java/lang/CloneNotSupportedException");
        synth_op(&s, J_ATHROW);
        return synth_keep(l, key, synth_end(&s));
    }
    synth_int(&s, (int32_t)c->id);
    synth_own(&s, OWN_NEW);
    synth_store(&s, 'L', 1);
    if (c->component) {
        synth_load(&s, 'L', 0);
        synth_op(&s, J_ARRAYLENGTH);
        synth_store(&s, 'I', 3);
        synth_load(&s, 'L', 1);
        synth_load(&s, 'I', 3);
        synth_own(&s, OWN_SET_LENGTH);
        synth_int(&s, 0);
        synth_store(&s, 'I', 2);
        copy_elements(&s, java_element_of(c));
    }
    for (struct java_class *k = c; k; k = k->super)
        for (unsigned i = 0; i < k->nfields; i++) {
            struct java_field *f = &k->field[i];
            if (f->flags & JAVA_STATIC)
                continue;
            synth_load(&s, 'L', 1);
            synth_load(&s, 'L', 0);
            synth_member(&s, J_GETFIELD, k->name, f->name, f->desc);
            synth_member(&s, J_PUTFIELD, k->name, f->name, f->desc);
        }
    synth_load(&s, 'L', 1);
    synth_return(&s, 'L');
    return synth_keep(l, key, synth_end(&s));
}

/* Returns the text; null: NULL. */
static struct java_method *text_method(struct java_lift *l, const char *key, const char *text)
{
    struct java_method *m;
    if (synth_known(l, key, &m))
        return m;
    struct synth s;
    synth_begin(&s, l, NULL, "name", "(Ljava/lang/Object;)Ljava/lang/Object;", 0);
    if (text)
        synth_text(&s, text, strlen(text));
    else
        synth_op(&s, J_ACONST_NULL);
    synth_return(&s, 'L');
    return synth_keep(l, key, synth_end(&s));
}

struct java_method *synth_name(struct java_lift *l, struct java_class *c)
{
    return text_method(l, arena_printf(&l->arena, "name %u", c->id), java_dotted(&l->arena, c->name));
}

const char *java_simple_name(struct java_lift *l, const struct java_class *c)
{
    if (c->component)
        return arena_printf(&l->arena, "%s[]", java_simple_name(l, c->component));
    const char *slash = strrchr(c->name, '/');
    return c->simple_name ? c->simple_name : slash ? slash + 1 : c->name;
}

struct java_method *synth_simple_name(struct java_lift *l, struct java_class *c)
{
    return text_method(l, arena_printf(&l->arena, "simple name %u", c->id), java_simple_name(l, c));
}

/* NULL: it has none, for it is local, or in one that is. */
static const char *canonical_name(struct java_lift *l, struct java_class *c, unsigned depth)
{
    enum { DEEPEST = 64 };
    if (c->component) {
        const char *of = canonical_name(l, c->component, depth);
        return of ? arena_printf(&l->arena, "%s[]", of) : NULL;
    }
    if (!c->simple_name)
        return java_dotted(&l->arena, c->name);
    struct java_class *outer =
        c->outer_name && depth < DEEPEST ? java_world_class(l->w, c->outer_name, NULL) : NULL;
    const char *of = outer ? canonical_name(l, outer, depth + 1) : NULL;
    return of && *c->simple_name ? arena_printf(&l->arena, "%s.%s", of, c->simple_name) : NULL;
}

struct java_method *synth_canonical_name(struct java_lift *l, struct java_class *c)
{
    return text_method(l, arena_printf(&l->arena, "canonical name %u", c->id), canonical_name(l, c, 0));
}

void synth_mirror(struct synth *s)
{
    struct java_class *c = java_world_class(s->l->w, "java/lang/Class", NULL);
    synth_own(s, OWN_TO_REFERENCE);
    synth_op(s, J_DUP);
    synth_int(s, c ? (int32_t)c->id : 0);
    synth_own(s, OWN_SET_CLASS);
}

struct java_method *synth_super(struct java_lift *l, struct java_class *c)
{
    struct java_method *m;
    const char *key = arena_printf(&l->arena, "super %u", c->id);
    if (synth_known(l, key, &m))
        return m;
    struct synth s;
    synth_begin(&s, l, NULL, "super", "(Ljava/lang/Object;)Ljava/lang/Object;", 0);
    if (c->super && !(c->flags & JAVA_INTERFACE)) {
        synth_int(&s, (int32_t)c->super->id);
        synth_mirror(&s);
    } else {
        synth_op(&s, J_ACONST_NULL);
    }
    synth_return(&s, 'L');
    return synth_keep(l, key, synth_end(&s));
}

struct java_method *synth_values(struct java_lift *l, struct java_class *c)
{
    struct java_method *m;
    const char *key = arena_printf(&l->arena, "values %u", c->id);
    if (synth_known(l, key, &m))
        return m;
    struct java_class *base = java_world_class(l->w, "java/lang/Enum", NULL);
    const char *desc = arena_printf(&l->arena, "()[L%s;", c->name);
    struct synth s;
    synth_begin(&s, l, NULL, "values", "(Ljava/lang/Object;)Ljava/lang/Object;", 0);
    if (base && c != base && java_subclass(c, base) && !c->component && java_method(c, "values", desc))
        synth_member(&s, J_INVOKESTATIC, c->name, "values", desc);
    else
        synth_op(&s, J_ACONST_NULL);
    synth_return(&s, 'L');
    return synth_keep(l, key, synth_end(&s));
}

uint32_t synth_object(struct java_lift *l, const char *name, const char *class)
{
    uint64_t known;
    /* no text of a constant pool has such a byte */
    const char *key = arena_printf(&l->arena, "\001%s %s", class, name);
    if (strmap_get(&l->literals, key, &known))
        return (uint32_t)known;
    uint32_t ref = JAVA_FIRST_LITERAL + (uint32_t)l->literal.len;
    struct java_class *c = java_world_class(l->w, class, NULL);
    struct synth s;
    synth_begin(&s, l, NULL, "object", "()V", 0);
    if (!c || ref >= JAVA_FIRST_OBJECT) {
        synth_own_text(&s, OWN_UNKNOWN, arena_printf(&l->arena, "no class %s", class));
    } else {
        synth_int(&s, (int32_t)ref);
        synth_own(&s, OWN_TO_REFERENCE);
        synth_int(&s, (int32_t)c->id);
        synth_own(&s, OWN_SET_CLASS);
        synth_int(&s, (int32_t)ref);
        synth_int(&s, 1);
        synth_own(&s, OWN_SET_READY);
        synth_op(&s, J_RETURN);
    }
    vec_push(&l->literal, synth_end(&s));
    strmap_set(&l->literals, key, ref);
    return ref;
}
