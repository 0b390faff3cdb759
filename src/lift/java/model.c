/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What runs instead of native methods, and of the few others that would need a running virtual machine. One
 * table; what is not in it and native is named when it is called, and the path ends there. */
#include <string.h>

#include "lift/java/internal.h"

struct model {
    const char *owner, *name;
    const char *desc; /* NULL: any */
    void (*make)(struct synth *s, struct java_method *m);
    const char *list; /* what is said where it was used; NULL: nothing, it does what the method does */
};

static char result_of(const struct java_method *m)
{
    return strchr(m->desc, ')')[1];
}

/* ---- bodies ---- */

static void nothing(struct synth *s, struct java_method *m)
{
    switch (result_of(m)) {
    case 'V':
        break;
    case 'J':
        synth_op(s, J_LCONST_0);
        break;
    case 'L':
    case '[':
        synth_op(s, J_ACONST_NULL);
        break;
    default:
        synth_int(s, 0);
        break;
    }
    synth_return(s, result_of(m));
}

static void itself(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 0);
    synth_return(s, 'L');
}

static void second(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 1);
    synth_return(s, 'L');
}

static void get_class(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 0);
    synth_own(s, OWN_CLASS_OF);
    synth_mirror(s);
    synth_return(s, 'L');
}

static void hash(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 0);
    unsigned null = synth_jump(s, J_IFNULL);
    synth_load(s, 'L', 0);
    synth_own(s, OWN_HASH);
    synth_return(s, 'I');
    synth_land(s, null);
    synth_int(s, 0);
    synth_return(s, 'I');
}

/* A method that every class has though no file says so. */
static void for_class(struct synth *s, const char *name, bool mirrored)
{
    struct java_method *m;
    if (!synth_known(s->l, name, &m)) {
        struct java_class *c = arena_new(&s->l->arena, struct java_class);
        c->name = "assay";
        m = arena_new(&s->l->arena, struct java_method);
        *m = (struct java_method){.owner = c, .name = name, .desc = "*", .flags = JAVA_STATIC};
        synth_keep(s->l, name, m);
    }
    synth_load(s, 'L', 0);
    synth_load(s, 'L', 0);
    synth_own(s, mirrored ? OWN_TO_INT : OWN_CLASS_OF);
    synth_own_text(s, OWN_DISPATCH, name);
    synth_return(s, 'L');
}

static void clone(struct synth *s, struct java_method *m)
{
    (void)m;
    for_class(s, "*clone", false);
}

static void class_name(struct synth *s, struct java_method *m)
{
    (void)m;
    for_class(s, "*name", true);
}

static void enum_constants(struct synth *s, struct java_method *m)
{
    (void)m;
    for_class(s, "*values", true);
}

static void simple_name(struct synth *s, struct java_method *m)
{
    (void)m;
    for_class(s, "*simple", true);
}

static void canonical_name(struct synth *s, struct java_method *m)
{
    (void)m;
    for_class(s, "*canonical", true);
}

static void super_class(struct synth *s, struct java_method *m)
{
    (void)m;
    for_class(s, "*super", true);
}

static void assertion_status(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_int(s, s->l->assertions);
    synth_return(s, 'I');
}

static void is_array(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 0);
    synth_own(s, OWN_TO_INT);
    synth_own(s, OWN_ELEMENT);
    unsigned no = synth_jump(s, J_IFEQ);
    synth_int(s, 1);
    synth_return(s, 'I');
    synth_land(s, no);
    synth_int(s, 0);
    synth_return(s, 'I');
}

static void component_type(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 0);
    synth_own(s, OWN_TO_INT);
    synth_own(s, OWN_COMPONENT);
    synth_op(s, J_DUP);
    unsigned none = synth_jump(s, J_IFEQ);
    synth_mirror(s);
    synth_return(s, 'L');
    synth_land(s, none);
    synth_op(s, J_POP);
    synth_op(s, J_ACONST_NULL);
    synth_return(s, 'L');
}

static const char *const primitives[] = {"Zboolean", "Bbyte",  "Cchar",   "Sshort", "Iint",
                                         "Jlong",    "Ffloat", "Ddouble", "Vvoid"};

static void primitive_class(struct synth *s, struct java_method *m)
{
    (void)m;
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
        struct java_class *c = java_world_type(s->l->w, (char[]){primitives[i][0], 0}, NULL);
        synth_text(s, primitives[i] + 1, strlen(primitives[i] + 1));
        synth_load(s, 'L', 0);
        synth_member(s, J_INVOKEVIRTUAL, "java/lang/String", "equals", "(Ljava/lang/Object;)Z");
        unsigned other = synth_jump(s, J_IFEQ);
        synth_int(s, (int32_t)c->id);
        synth_mirror(s);
        synth_return(s, 'L');
        synth_land(s, other);
    }
    synth_own_text(s, OWN_UNKNOWN, "java.lang.Class.getPrimitiveClass of no primitive type");
}

static void is_primitive(struct synth *s, struct java_method *m)
{
    (void)m;
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
        struct java_class *c = java_world_type(s->l->w, (char[]){primitives[i][0], 0}, NULL);
        synth_load(s, 'L', 0);
        synth_own(s, OWN_TO_INT);
        synth_int(s, (int32_t)c->id);
        unsigned other = synth_jump(s, J_IF_ICMPEQ + 1);
        synth_int(s, 1);
        synth_return(s, 'I');
        synth_land(s, other);
    }
    synth_int(s, 0);
    synth_return(s, 'I');
}

static void is_instance(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 1);
    unsigned null = synth_jump(s, J_IFNULL);
    synth_load(s, 'L', 0);
    synth_own(s, OWN_TO_INT);
    synth_load(s, 'L', 1);
    synth_own(s, OWN_CLASS_OF);
    synth_own(s, OWN_SUBCLASS);
    synth_return(s, 'I');
    synth_land(s, null);
    synth_int(s, 0);
    synth_return(s, 'I');
}

static void is_assignable(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 1);
    synth_member(s, J_INVOKEVIRTUAL, "java/lang/Object", "getClass", "()Ljava/lang/Class;");
    synth_op(s, J_POP);
    synth_load(s, 'L', 0);
    synth_own(s, OWN_TO_INT);
    synth_load(s, 'L', 1);
    synth_own(s, OWN_TO_INT);
    synth_own(s, OWN_SUBCLASS);
    synth_return(s, 'I');
}

static void new_array(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'I', 1);
    synth_op(s, J_NEWARRAY); /* throws when it is negative */
    synth_op(s, 10);
    synth_op(s, J_POP);
    synth_load(s, 'L', 0);
    synth_own(s, OWN_TO_INT);
    synth_own(s, OWN_ARRAY_OF);
    synth_own(s, OWN_NEW);
    synth_op(s, J_DUP);
    synth_load(s, 'I', 1);
    synth_own(s, OWN_SET_LENGTH);
    synth_return(s, 'L');
}

static void floats(struct synth *s, struct java_method *m)
{
    char from = m->desc[1], to = result_of(m);
    synth_load(s, from, 0);
    synth_own(s, from == 'F'   ? OWN_BITS_F
                 : from == 'D' ? OWN_BITS_D
                 : from == 'I' ? OWN_FROM_BITS_F
                               : OWN_FROM_BITS_D);
    synth_return(s, to);
}

static void rounding(struct synth *s, struct java_method *m)
{
    synth_load(s, 'D', 0);
    synth_own(s, strcmp(m->name, "sqrt") == 0    ? OWN_SQRT
                 : strcmp(m->name, "floor") == 0 ? OWN_FLOOR
                 : strcmp(m->name, "ceil") == 0  ? OWN_CEIL
                                                 : OWN_RINT);
    synth_return(s, 'D');
}

static void multiply_add(struct synth *s, struct java_method *m)
{
    char type = m->desc[1];
    for (unsigned i = 0; i < 3; i++)
        synth_load(s, type, type == 'D' ? 2 * i : i);
    synth_own(s, type == 'D' ? OWN_FMA_D : OWN_FMA_F);
    synth_return(s, type);
}

/* Small values are boxed once, others each time anew: what the JDK does with its tables. */
static void box(struct synth *s, struct java_method *m)
{
    for (unsigned i = 0; i < JAVA_BOXES; i++) {
        const struct java_boxed *b = &java_boxed[i];
        if (strcmp(b->class, m->owner->name) != 0)
            continue;
        unsigned jump[2], n = 0;
        for (unsigned k = 0; k < 2 && b->type != 'B'; k++) {
            synth_load(s, b->type, 0);
            if (b->type == 'J') {
                synth_long(s, (uint64_t)(int64_t)(k ? b->high : b->low));
                synth_op(s, J_LCMP);
                jump[n++] = synth_jump(s, k ? J_IFGT : J_IFLT);
            } else {
                synth_int(s, k ? b->high : b->low);
                jump[n++] = synth_jump(s, k ? J_IF_ICMPEQ + 4 : J_IF_ICMPEQ + 2);
            }
        }
        synth_load(s, b->type, 0);
        synth_own(s, (enum java_own)(OWN_BOX_BYTE + i));
        synth_return(s, 'L');
        if (!n)
            return;
        synth_land(s, jump[0]);
        synth_land(s, jump[1]);
        synth_type(s, J_NEW, b->class);
        synth_op(s, J_DUP);
        synth_load(s, b->type, 0);
        synth_member(s, J_INVOKESPECIAL, b->class, "<init>", arena_printf(&s->l->arena, "(%c)V", b->type));
        synth_return(s, 'L');
    }
}

/* ---- System.arraycopy ---- */

/* Copies from low to high, or the other way round where the two overlap so. Locals: 0 source, 1 from, 2
 * destination, 3 to, 4 count, 5 counter. */
static void copy_loop(struct synth *s, unsigned element, bool up, bool checked)
{
    synth_int(s, 0);
    if (!up) {
        synth_op(s, J_POP);
        synth_load(s, 'I', 4);
        synth_int(s, 1);
        synth_op(s, J_ISUB);
    }
    synth_store(s, 'I', 5);
    unsigned loop = synth_here(s), done;
    synth_load(s, 'I', 5);
    if (up) {
        synth_load(s, 'I', 4);
        done = synth_jump(s, J_IF_ICMPEQ + 3);
    } else {
        done = synth_jump(s, J_IFLT);
    }
    synth_load(s, 'L', 2);
    synth_load(s, 'I', 3);
    synth_load(s, 'I', 5);
    synth_op(s, J_IADD);
    synth_load(s, 'L', 0);
    synth_load(s, 'I', 1);
    synth_load(s, 'I', 5);
    synth_op(s, J_IADD);
    synth_own(s, (enum java_own)(OWN_GET_BYTE + element - JAVA_BYTES));
    if (checked)
        synth_op(s, J_AASTORE);
    else
        synth_own(s, (enum java_own)(OWN_SET_BYTE + element - JAVA_BYTES));
    synth_iinc(s, 5, up ? 1 : -1);
    synth_back(s, J_GOTO, loop);
    synth_land(s, done);
    synth_op(s, J_RETURN);
}

static void copy_both(struct synth *s, unsigned element)
{
    synth_load(s, 'L', 0);
    synth_load(s, 'L', 2);
    unsigned apart = synth_jump(s, J_IF_ACMPNE);
    synth_load(s, 'I', 1);
    synth_load(s, 'I', 3);
    unsigned up = synth_jump(s, J_IF_ICMPEQ + 3);
    copy_loop(s, element, false, false);
    synth_land(s, apart);
    synth_land(s, up);
    copy_loop(s, element, true, false);
}

/* a + b > length, all of them not negative as ints */
static void check_range(struct synth *s, unsigned array, unsigned from, unsigned *bad)
{
    synth_load(s, 'I', from);
    bad[0] = synth_jump(s, J_IFLT);
    synth_load(s, 'I', from);
    synth_op(s, J_I2L);
    synth_load(s, 'I', 4);
    synth_op(s, J_I2L);
    synth_op(s, J_IADD + 1);
    synth_load(s, 'L', array);
    synth_op(s, J_ARRAYLENGTH);
    synth_op(s, J_I2L);
    synth_op(s, J_LCMP);
    bad[1] = synth_jump(s, J_IFGT);
}

static void array_copy(struct synth *s, struct java_method *m)
{
    (void)m;
    unsigned bad[8], nbad = 0, store[4], nstore = 0;
    for (unsigned i = 0; i <= 2; i += 2) {
        synth_load(s, 'L', i); /* null, and not an array */
        synth_member(s, J_INVOKEVIRTUAL, "java/lang/Object", "getClass", "()Ljava/lang/Class;");
        synth_own(s, OWN_TO_INT);
        synth_own(s, OWN_ELEMENT);
        synth_store(s, 'I', 5 + i / 2);
    }
    synth_load(s, 'I', 5);
    store[nstore++] = synth_jump(s, J_IFEQ);
    synth_load(s, 'I', 5);
    synth_load(s, 'I', 6);
    store[nstore++] = synth_jump(s, J_IF_ICMPEQ + 1);
    /* arrays of bytes and of booleans are kept alike, and are not the same */
    synth_load(s, 'I', 5);
    synth_int(s, JAVA_BYTES);
    unsigned fine = synth_jump(s, J_IF_ICMPEQ + 1);
    synth_load(s, 'L', 0);
    synth_own(s, OWN_CLASS_OF);
    synth_load(s, 'L', 2);
    synth_own(s, OWN_CLASS_OF);
    store[nstore++] = synth_jump(s, J_IF_ICMPEQ + 1);
    synth_land(s, fine);
    synth_load(s, 'I', 4);
    bad[nbad++] = synth_jump(s, J_IFLT);
    check_range(s, 0, 1, &bad[nbad]);
    nbad += 2;
    check_range(s, 2, 3, &bad[nbad]);
    nbad += 2;
    for (unsigned e = JAVA_BYTES; e < JAVA_REFERENCES; e++) {
        synth_load(s, 'I', 5);
        synth_int(s, (int32_t)e);
        unsigned other = synth_jump(s, J_IF_ICMPEQ + 1);
        copy_both(s, e);
        synth_land(s, other);
    }
    /* References: checked one by one unless all fit. */
    synth_load(s, 'L', 2);
    synth_own(s, OWN_CLASS_OF);
    synth_load(s, 'L', 0);
    synth_own(s, OWN_CLASS_OF);
    synth_own(s, OWN_SUBCLASS);
    unsigned checked = synth_jump(s, J_IFEQ);
    copy_both(s, JAVA_REFERENCES);
    synth_land(s, checked);
    copy_loop(s, JAVA_REFERENCES, true, true);
    static const char *const what[] = {"java/lang/ArrayIndexOutOfBoundsException",
                                       "java/lang/ArrayStoreException"};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < (i ? nstore : nbad); k++)
            synth_land(s, i ? store[k] : bad[k]);
        synth_type(s, J_NEW, what[i]);
        synth_op(s, J_DUP);
        synth_member(s, J_INVOKESPECIAL, what[i], "<init>", "()V");
        synth_op(s, J_DUP);
        synth_int(s, 2);
        synth_member(s, J_PUTFIELD, "java/lang/Throwable", "assay message", "I");
        synth_op(s, J_ATHROW);
    }
}

/* ---- messages of the machine's own exceptions ---- */

static void message(struct synth *s, struct java_method *m)
{
    static const char owner[] = "java/lang/Throwable", builder[] = "java/lang/StringBuilder";
    static const char *const text[] = {"Index ", " out of bounds for length "};
    (void)m;
    synth_load(s, 'L', 0);
    synth_member(s, J_GETFIELD, owner, "assay message", "I");
    synth_store(s, 'I', 1);
    synth_load(s, 'I', 1);
    unsigned usual = synth_jump(s, J_IFEQ);
    synth_load(s, 'I', 1);
    synth_int(s, 1);
    unsigned bounds = synth_jump(s, J_IF_ICMPEQ);
    synth_own_text(s, OWN_UNKNOWN, "the message of an exception that the virtual machine throws");
    synth_land(s, bounds);
    synth_type(s, J_NEW, builder);
    synth_op(s, J_DUP);
    synth_member(s, J_INVOKESPECIAL, builder, "<init>", "()V");
    for (unsigned i = 0; i < 2; i++) {
        synth_text(s, text[i], strlen(text[i]));
        synth_member(s, J_INVOKEVIRTUAL, builder, "append", "(Ljava/lang/String;)Ljava/lang/StringBuilder;");
        synth_load(s, 'L', 0);
        synth_member(s, J_GETFIELD, owner, i ? "assay length" : "assay index", "I");
        synth_member(s, J_INVOKEVIRTUAL, builder, "append", "(I)Ljava/lang/StringBuilder;");
    }
    synth_member(s, J_INVOKEVIRTUAL, builder, "toString", "()Ljava/lang/String;");
    synth_return(s, 'L');
    synth_land(s, usual);
    synth_load(s, 'L', 0);
    synth_member(s, J_GETFIELD, owner, "detailMessage", "Ljava/lang/String;");
    synth_store(s, 'L', 2);
    synth_load(s, 'L', 2);
    synth_own(s, OWN_TO_INT);
    synth_int(s, (int32_t)synth_literal(s->l, java_message, strlen(java_message)));
    unsigned known = synth_jump(s, J_IF_ICMPEQ + 1);
    synth_own_text(s, OWN_UNKNOWN, "the message of an exception, made of numbers and strings");
    synth_land(s, known);
    synth_load(s, 'L', 2);
    synth_return(s, 'L');
}

/* The exception for an index, without its text: getMessage makes that of one index and one length. */
static void out_of_bounds(struct synth *s, struct java_method *m)
{
    static const char class[] = "java/lang/IndexOutOfBoundsException", owner[] = "java/lang/Throwable";
    bool single = strcmp(m->name, "outOfBoundsCheckIndex") == 0 && strstr(m->desc, "II)");
    unsigned made = 7;
    synth_load(s, 'L', 0);
    unsigned usual = synth_jump(s, J_IFNULL);
    synth_own_text(s, OWN_UNKNOWN, "an exception for an index that is out of bounds, of a kind of its own");
    synth_land(s, usual);
    synth_type(s, J_NEW, class);
    synth_op(s, J_DUP);
    synth_member(s, J_INVOKESPECIAL, class, "<init>", "()V");
    synth_store(s, 'L', made);
    for (unsigned i = 0; single && i < 2; i++) {
        synth_load(s, 'L', made);
        synth_load(s, 'I', 1 + i);
        synth_member(s, J_PUTFIELD, owner, i ? "assay length" : "assay index", "I");
    }
    synth_load(s, 'L', made);
    synth_int(s, single ? 1 : 2);
    synth_member(s, J_PUTFIELD, owner, "assay message", "I");
    synth_load(s, 'L', made);
    synth_return(s, 'L');
}

/* ---- strings ---- */

static void intern(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 0);
    synth_own(s, OWN_TO_INT);
    synth_int(s, JAVA_FIRST_OBJECT);
    unsigned other = synth_jump(s, J_IF_ICMPEQ + 3);
    synth_load(s, 'L', 0);
    synth_return(s, 'L');
    synth_land(s, other);
    synth_own_text(s, OWN_UNKNOWN, "java.lang.String.intern of a string that is in no constant pool");
}

/* What is printed to System.out and System.err is not looked at; toString of what is printed is called. */
static void print(struct synth *s, struct java_method *m)
{
    char type = m->desc[1];
    static const char *const name[] = {"out", "err"};
    for (unsigned i = 0; i < 2; i++) {
        synth_load(s, 'L', 0);
        synth_own(s, OWN_TO_INT);
        synth_int(s, (int32_t)synth_object(s->l, name[i], "java/io/PrintStream"));
        unsigned other = synth_jump(s, J_IF_ICMPEQ + 1);
        if (strcmp(m->desc, "(Ljava/lang/Object;)V") == 0) {
            synth_load(s, 'L', 1);
            synth_member(s, J_INVOKESTATIC, "java/lang/String", "valueOf",
                         "(Ljava/lang/Object;)Ljava/lang/String;");
            synth_op(s, J_POP);
        } else if (type == '[') {
            synth_load(s, 'L', 1);
            synth_op(s, J_ARRAYLENGTH);
            synth_op(s, J_POP);
        }
        synth_op(s, J_RETURN);
        synth_land(s, other);
    }
    synth_own_text(s, OWN_UNKNOWN, "a java.io.PrintStream that is not System.out");
}

/* ---- inputs ---- */

static void input(struct synth *s, struct java_method *m)
{
    char type = result_of(m);
    if (type == 'L') {
        synth_call(s, start_string(s->l));
        synth_return(s, type);
        return;
    }
    synth_input(s, type, java_primitive(type));
    synth_return(s, type);
}

static void assume(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'I', 0);
    synth_own(s, OWN_ASSUME);
    synth_op(s, J_RETURN);
}

/* How far apart elements are: what the JDK computes with that is not run (vectorizedMismatch). */
static void index_scale(struct synth *s, struct java_method *m)
{
    (void)m;
    for (unsigned e = JAVA_BYTES; e < JAVA_ELEMENT_KINDS; e++) {
        synth_load(s, 'L', 1);
        synth_own(s, OWN_TO_INT);
        synth_own(s, OWN_ELEMENT);
        synth_int(s, (int32_t)e);
        unsigned other = synth_jump(s, J_IF_ICMPEQ + 1);
        synth_int(s, (int32_t)(java_element_width(e) / 8));
        synth_return(s, 'I');
        synth_land(s, other);
    }
    synth_int(s, 0);
    synth_return(s, 'I');
}

static void base_offset(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_int(s, 16);
    synth_return(s, 'I');
}

/* It looks at as many elements as it likes, none too, and says how many it left. */
static void mismatch(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'I', 6);
    synth_int(s, -1);
    synth_op(s, J_IXOR);
    synth_return(s, 'I');
}

static void time_of(struct synth *s, struct java_method *m)
{
    synth_input(s, 'J', m->name);
    synth_return(s, 'J');
}

static void one(struct synth *s, struct java_method *m)
{
    char type = result_of(m);
    if (type == 'J')
        synth_op(s, J_LCONST_0 + 1);
    else
        synth_int(s, 1);
    synth_return(s, type);
}

static void run_action(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'L', 0);
    synth_member(s, J_INVOKEINTERFACE, "java/security/PrivilegedAction", "run", "()Ljava/lang/Object;");
    synth_return(s, 'L');
}

static void false_box(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_member(s, J_GETSTATIC, "java/lang/Boolean", "FALSE", "Ljava/lang/Boolean;");
    synth_return(s, 'L');
}

/* It differs from run to run. */
static void any_order(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_own_text(s, OWN_UNKNOWN, "the order of what Set.of and Map.of hold");
}

/* What a virtual machine sets up when it starts, and nothing here does. */
static void not_there(struct synth *s, struct java_method *m)
{
    synth_own_text(
        s, OWN_UNKNOWN,
        arena_printf(&s->l->arena, "%s.%s: set up by the virtual machine", m->owner->name, m->name));
}

static void not_supported(struct synth *s, const char *what, const struct java_method *m)
{
    synth_own_text(s, OWN_UNKNOWN,
                   arena_printf(&s->l->arena, "%s not supported (%s.%s)", what, m->owner->name, m->name));
}

static void thread(struct synth *s, struct java_method *m)
{
    not_supported(s, "threads are", m);
}

static void reflection(struct synth *s, struct java_method *m)
{
    not_supported(s, "reflection is", m);
}

#define VERIFIER "org/sosy_lab/sv_benchmarks/Verifier"
#define DEBUG "gov/nasa/jpf/symbc/Debug"
#define OURS "assay/Input"
static const char output_ignored[] = "output to System.out and System.err is not looked at";

static const char any_hash[] =
    "hash codes of objects that do not define their own are any numbers that are not negative";

static const struct model table[] = {
    {NULL, "registerNatives", "()V", nothing, NULL},
    {NULL, "initIDs", "()V", nothing, NULL},
    {"java/lang/Object", "getClass", NULL, get_class, NULL},
    {"java/lang/Object", "hashCode", NULL, hash, any_hash},
    {"java/lang/Object", "clone", NULL, clone, NULL},
    {"java/lang/Object", "notify", NULL, nothing, NULL},
    {"java/lang/Object", "notifyAll", NULL, nothing, NULL},
    {"java/lang/Object", "wait", NULL, thread, NULL},
    {"java/lang/Thread", "<init>", NULL, thread, NULL},
    {"java/lang/Thread", "currentThread", NULL, thread, NULL},
    {"java/lang/Thread", "start", NULL, thread, NULL},
    {"java/lang/Thread", "sleep", NULL, thread, NULL},
    {"java/lang/Thread", "yield", NULL, thread, NULL},
    {"java/lang/Class", "forName", NULL, reflection, NULL},
    {"java/lang/Class", "getMethod", NULL, reflection, NULL},
    {"java/lang/Class", "getMethods", NULL, reflection, NULL},
    {"java/lang/Class", "getDeclaredMethod", NULL, reflection, NULL},
    {"java/lang/Class", "getDeclaredMethods", NULL, reflection, NULL},
    {"java/lang/Class", "getField", NULL, reflection, NULL},
    {"java/lang/Class", "getFields", NULL, reflection, NULL},
    {"java/lang/Class", "getDeclaredField", NULL, reflection, NULL},
    {"java/lang/Class", "getDeclaredFields", NULL, reflection, NULL},
    {"java/lang/Class", "getConstructor", NULL, reflection, NULL},
    {"java/lang/Class", "getDeclaredConstructor", NULL, reflection, NULL},
    {"java/lang/Class", "newInstance", NULL, reflection, NULL},
    {"java/lang/System", "identityHashCode", NULL, hash, any_hash},
    {"java/lang/System", "arraycopy", NULL, array_copy, NULL},
    {"java/lang/System", "nanoTime", NULL, time_of, NULL},
    {"java/lang/System", "currentTimeMillis", NULL, time_of, NULL},
    {"java/lang/System", "getSecurityManager", NULL, nothing, NULL},
    {"java/lang/System", "getProperty", NULL, not_there, NULL},
    {"java/lang/System", "getProperties", NULL, not_there, NULL},
    {"java/lang/System", "getenv", NULL, not_there, NULL},
    {"java/lang/System", "lineSeparator", NULL, not_there, NULL},
    {"java/lang/System", "console", NULL, not_there, NULL},
    /* the class can be initialised without the default, which is asked for by methods */
    {"java/util/Locale", "initDefault", "()Ljava/util/Locale;", nothing, NULL},
    {"java/util/Locale", "initDefault", "(Ljava/util/Locale$Category;)Ljava/util/Locale;", not_there, NULL},
    {"java/util/Locale", "getDefault", NULL, not_there, NULL},
    {"jdk/internal/access/SharedSecrets", "getJavaLangAccess", NULL, not_there, NULL},
    {"java/lang/Class", "desiredAssertionStatus", NULL, assertion_status, NULL},
    {"java/lang/Class", "desiredAssertionStatus0", NULL, assertion_status, NULL},
    {"java/lang/Class", "getPrimitiveClass", NULL, primitive_class, NULL},
    {"java/lang/Class", "isArray", NULL, is_array, NULL},
    {"java/lang/Class", "isPrimitive", NULL, is_primitive, NULL},
    {"java/lang/Class", "isInstance", NULL, is_instance, NULL},
    {"java/lang/Class", "isAssignableFrom", NULL, is_assignable, NULL},
    {"java/lang/Class", "getComponentType", NULL, component_type, NULL},
    {"java/lang/Class", "initClassName", NULL, class_name, NULL},
    {"java/lang/Class", "getEnumConstantsShared", NULL, enum_constants, NULL},
    {"java/lang/Class", "getSimpleName", NULL, simple_name, NULL},
    {"java/lang/Class", "getCanonicalName", NULL, canonical_name, NULL},
    {"java/lang/Class", "getSuperclass", NULL, super_class, NULL},
    {"java/util/EnumMap", "getKeyUniverse", NULL, enum_constants, NULL},
    {"java/util/EnumSet", "getUniverse", NULL, enum_constants, NULL},
    {"java/lang/reflect/Array", "newArray", NULL, new_array, NULL},
    {"java/lang/Byte", "valueOf", "(B)Ljava/lang/Byte;", box, NULL},
    {"java/lang/Short", "valueOf", "(S)Ljava/lang/Short;", box, NULL},
    {"java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", box, NULL},
    {"java/lang/Long", "valueOf", "(J)Ljava/lang/Long;", box, NULL},
    {"java/lang/Character", "valueOf", "(C)Ljava/lang/Character;", box, NULL},
    {"java/lang/Integer", "getChars", "(II[B)I", decimal_digits, NULL},
    {"java/lang/Float", "floatToRawIntBits", NULL, floats, NULL},
    {"java/lang/Float", "intBitsToFloat", NULL, floats, NULL},
    {"java/lang/Double", "doubleToRawLongBits", NULL, floats, NULL},
    {"java/lang/Double", "longBitsToDouble", NULL, floats, NULL},
    {"java/lang/Math", "sqrt", NULL, rounding, NULL},
    {"java/lang/Math", "floor", NULL, rounding, NULL},
    {"java/lang/Math", "ceil", NULL, rounding, NULL},
    {"java/lang/Math", "rint", NULL, rounding, NULL},
    {"java/lang/Math", "fma", NULL, multiply_add, NULL},
    {"java/lang/StrictMath", "sqrt", NULL, rounding, NULL},
    {"java/lang/StrictMath", "floor", NULL, rounding, NULL},
    {"java/lang/StrictMath", "ceil", NULL, rounding, NULL},
    {"java/lang/StrictMath", "rint", NULL, rounding, NULL},
    {"jdk/internal/util/Preconditions", "outOfBoundsCheckIndex", NULL, out_of_bounds, NULL},
    {"jdk/internal/util/Preconditions", "outOfBoundsCheckFromToIndex", NULL, out_of_bounds, NULL},
    {"jdk/internal/util/Preconditions", "outOfBoundsCheckFromIndexSize", NULL, out_of_bounds, NULL},
    {"java/lang/Throwable", "fillInStackTrace", NULL, itself, NULL},
    {"java/lang/Throwable", "getMessage", NULL, message, NULL},
    {"java/lang/Throwable", "printStackTrace", "()V", nothing, output_ignored},
    {"java/lang/String", "intern", NULL, intern, NULL},
    {"java/lang/StringUTF16", "isBigEndian", NULL, nothing, NULL},
    {"java/io/PrintStream", "println", NULL, print, output_ignored},
    {"java/io/PrintStream", "print", NULL, print, output_ignored},
    {"java/io/PrintStream", "flush", NULL, nothing, output_ignored},
    {"jdk/internal/misc/VM", "getSavedProperty", NULL, nothing, NULL},
    {"jdk/internal/misc/VM", "initialize", NULL, nothing, NULL},
    {"jdk/internal/misc/VM", "isBooted", NULL, nothing, NULL},
    {"jdk/internal/misc/CDS", "isDumpingClassList0", NULL, nothing, NULL},
    {"jdk/internal/misc/CDS", "isDumpingArchive0", NULL, nothing, NULL},
    {"jdk/internal/misc/CDS", "isSharingEnabled0", NULL, nothing, NULL},
    {"jdk/internal/misc/CDS", "initializeFromArchive", NULL, nothing, NULL},
    /* not 0, which asks for the time: the order that follows from it is not looked at */
    {"jdk/internal/misc/CDS", "getRandomSeedForDumping", NULL, one, NULL},
    {"java/util/ImmutableCollections$SetN", "iterator", NULL, any_order, NULL},
    {"java/util/ImmutableCollections$SetN", "toArray", NULL, any_order, NULL},
    {"java/util/ImmutableCollections$Set12", "iterator", NULL, any_order, NULL},
    {"java/util/ImmutableCollections$Set12", "toArray", NULL, any_order, NULL},
    {"java/util/ImmutableCollections$MapN", "entrySet", NULL, any_order, NULL},
    {"java/security/AccessController", "doPrivileged", "(Ljava/security/PrivilegedAction;)Ljava/lang/Object;",
     run_action, NULL},
    {"sun/security/action/GetBooleanAction", "run", "()Ljava/lang/Boolean;", false_box, NULL},
    {"jdk/internal/misc/Unsafe", "arrayBaseOffset0", NULL, base_offset, NULL},
    {"jdk/internal/misc/Unsafe", "arrayIndexScale0", NULL, index_scale, NULL},
    {"jdk/internal/util/ArraysSupport", "vectorizedMismatch", NULL, mismatch, NULL},
    {"sun/security/action/GetPropertyAction", "privilegedGetProperty",
     "(Ljava/lang/String;)Ljava/lang/String;", nothing, NULL},
    {"sun/security/action/GetPropertyAction", "privilegedGetProperty",
     "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;", second, NULL},
    {VERIFIER, "assume", "(Z)V", assume, NULL},
    {VERIFIER, "nondetInt", "()I", input, NULL},
    {VERIFIER, "nondetShort", "()S", input, NULL},
    {VERIFIER, "nondetByte", "()B", input, NULL},
    {VERIFIER, "nondetLong", "()J", input, NULL},
    {VERIFIER, "nondetChar", "()C", input, NULL},
    {VERIFIER, "nondetBoolean", "()Z", input, NULL},
    {VERIFIER, "nondetFloat", "()F", input, NULL},
    {VERIFIER, "nondetDouble", "()D", input, NULL},
    {VERIFIER, "nondetString", "()Ljava/lang/String;", input, NULL},
    {DEBUG, "makeSymbolicInteger", "(Ljava/lang/String;)I", input, NULL},
    {DEBUG, "makeSymbolicLong", "(Ljava/lang/String;)J", input, NULL},
    {DEBUG, "makeSymbolicShort", "(Ljava/lang/String;)S", input, NULL},
    {DEBUG, "makeSymbolicByte", "(Ljava/lang/String;)B", input, NULL},
    {DEBUG, "makeSymbolicChar", "(Ljava/lang/String;)C", input, NULL},
    {DEBUG, "makeSymbolicBoolean", "(Ljava/lang/String;)Z", input, NULL},
    {DEBUG, "makeSymbolicReal", "(Ljava/lang/String;)D", input, NULL},
    {DEBUG, "makeSymbolicString", "(Ljava/lang/String;)Ljava/lang/String;", input, NULL},
    {DEBUG, "addSymbolicInt", "(ILjava/lang/String;)I", input, NULL},
    {DEBUG, "addSymbolicLong", "(JLjava/lang/String;)J", input, NULL},
    {DEBUG, "addSymbolicShort", "(SLjava/lang/String;)S", input, NULL},
    {DEBUG, "addSymbolicByte", "(BLjava/lang/String;)B", input, NULL},
    {DEBUG, "addSymbolicChar", "(CLjava/lang/String;)C", input, NULL},
    {DEBUG, "addSymbolicBoolean", "(ZLjava/lang/String;)Z", input, NULL},
    {DEBUG, "addSymbolicDouble", "(DLjava/lang/String;)D", input, NULL},
    {DEBUG, "assume", "(Z)V", assume, NULL},
    {OURS, "anyInt", "()I", input, NULL},
    {OURS, "anyShort", "()S", input, NULL},
    {OURS, "anyByte", "()B", input, NULL},
    {OURS, "anyLong", "()J", input, NULL},
    {OURS, "anyChar", "()C", input, NULL},
    {OURS, "anyBoolean", "()Z", input, NULL},
    {OURS, "anyFloat", "()F", input, NULL},
    {OURS, "anyDouble", "()D", input, NULL},
    {OURS, "assume", "(Z)V", assume, NULL},
};

static const struct model *find(const char *owner, const char *name, const char *desc)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0 && (!table[i].owner || strcmp(table[i].owner, owner) == 0) &&
            (!table[i].desc || strcmp(table[i].desc, desc) == 0))
            return &table[i];
    return NULL;
}

bool model_row(size_t i, const char **owner, const char **name, const char **desc)
{
    if (i >= sizeof table / sizeof *table)
        return false;
    *owner = table[i].owner;
    *name = table[i].name;
    *desc = table[i].desc;
    return true;
}

bool model_known(const char *owner, const char *name, const char *desc)
{
    const struct model *t = find(owner, name, desc);
    return t && t->owner &&
           (strcmp(owner, VERIFIER) == 0 || strcmp(owner, DEBUG) == 0 || strcmp(owner, OURS) == 0);
}

struct java_method *model_of(struct java_lift *l, struct java_method *m)
{
    const struct model *t = find(m->owner->name, m->name, m->desc);
    if (!t || !m->owner->origin || (!t->owner && !(m->flags & JAVA_NATIVE)))
        return NULL;
    if (t->list)
        java_model_used(l, t->list);
    /* static, with the object as its first argument */
    const char *desc =
        m->flags & JAVA_STATIC ? m->desc : arena_printf(&l->arena, "(Ljava/lang/Object;%s", m->desc + 1);
    struct synth s;
    synth_begin(&s, l, NULL, m->name, desc, 8);
    t->make(&s, m);
    return synth_end(&s);
}
