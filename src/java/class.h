/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Class files as the Java Virtual Machine Specification, chapter 4, has them, versions 45 to 65.
 *
 * A file is read once, and everything in it is checked where it is read: lengths against the bytes at hand,
 * indices of the constant pool against its size and the kind of entry that belongs there, names and
 * descriptors against their grammar. What is not needed for running code (annotations, stack maps, debug
 * information but for lines) is skipped. Instructions are checked by who translates them (lift/java).
 *
 * All of a class lives in the arena it was read into; names are terminated strings in modified UTF-8, which
 * has no byte 0 inside. */
#ifndef JAVA_CLASS_H
#define JAVA_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

enum { JAVA_VERSION_MIN = 45, JAVA_VERSION_MAX = 65 }; /* Java 1.1 to 21 */

enum java_flag {
    JAVA_PUBLIC = 0x1,
    JAVA_PRIVATE = 0x2,
    JAVA_PROTECTED = 0x4,
    JAVA_STATIC = 0x8,
    JAVA_FINAL = 0x10,
    JAVA_NATIVE = 0x100,
    JAVA_INTERFACE = 0x200,
    JAVA_ABSTRACT = 0x400,
};

enum java_cp_tag {
    JAVA_CP_UTF8 = 1,
    JAVA_CP_INTEGER = 3,
    JAVA_CP_FLOAT = 4,
    JAVA_CP_LONG = 5,
    JAVA_CP_DOUBLE = 6,
    JAVA_CP_CLASS = 7,
    JAVA_CP_STRING = 8,
    JAVA_CP_FIELD = 9,
    JAVA_CP_METHOD = 10,
    JAVA_CP_INTERFACE_METHOD = 11,
    JAVA_CP_NAME_AND_TYPE = 12,
    JAVA_CP_HANDLE = 15,
    JAVA_CP_METHOD_TYPE = 16,
    JAVA_CP_DYNAMIC = 17,
    JAVA_CP_INVOKE_DYNAMIC = 18,
    JAVA_CP_MODULE = 19,
    JAVA_CP_PACKAGE = 20,
};

/* An entry; what the indices in it lead to is resolved when the class is read. */
struct java_cp {
    uint8_t tag;      /* enum java_cp_tag; 0: none, or the second half of a long */
    uint8_t handle;   /* JAVA_CP_HANDLE: 1 to 9, as the specification numbers them */
    uint16_t a, b;    /* as in the file; DYNAMIC, INVOKE_DYNAMIC: a is the bootstrap method */
    uint64_t bits;    /* numbers; floats as their bits */
    const char *text; /* UTF8, STRING; the name of CLASS and of members; the descriptor of METHOD_TYPE */
    uint32_t len;     /* of text, in bytes */
    const char *owner, *desc; /* of members: the class; the descriptor. Of a HANDLE: those of its member */
};

struct java_handler {
    uint16_t start, end, at; /* [start, end) is covered */
    const char *type;        /* NULL: anything */
};

struct java_line {
    uint16_t pc, line;
};

struct java_class;

struct java_field {
    struct java_class *owner;
    const char *name, *desc;
    uint16_t flags;
    uint16_t constant; /* index in the constant pool; 0: none */
    uint32_t space;    /* lift/java: 1 + its number; 0: none yet */
};

struct java_method {
    struct java_class *owner;
    const char *name, *desc;
    uint16_t flags;
    uint16_t max_stack, max_locals;
    const uint8_t *code; /* NULL: abstract or native */
    uint32_t ncode;
    const struct java_handler *handler;
    uint16_t nhandlers;
    const struct java_line *line;
    uint32_t nlines;
    uint32_t number; /* lift/java: among those that were called; 0: none yet */
};

struct java_bootstrap {
    uint16_t method; /* a HANDLE */
    uint16_t nargs;
    const uint16_t *arg;
};

struct java_class {
    const char *name;       /* java/lang/String; [I; int */
    const char *super_name; /* NULL: java/lang/Object, primitives */
    const char *source;     /* file name, or NULL */
    const char *simple_name; /* of a nested class; "": it has none; NULL: what follows the package */
    const char *outer_name;  /* of the class that a nested one is a member of; NULL: it is not one */
    const char *origin;     /* where it was found */
    uint16_t flags, version;
    struct java_cp *cp;
    uint16_t ncp;
    const char *const *interface_name;
    uint16_t ninterfaces;
    struct java_field *field;
    uint16_t nfields;
    struct java_method *method;
    uint16_t nmethods;
    struct java_bootstrap *bootstrap;
    uint16_t nbootstraps;
    /* Set by who loads it (java/world.h). */
    struct java_class *super, **interface;
    struct java_class *component; /* of an array */
    uint32_t id;                  /* from 1 */
    bool system;                  /* of the JDK */
};

/* NULL and *err, which names the place, when the bytes are not a class. `origin` is for messages. */
struct java_class *java_class_read(const uint8_t *data, size_t size, const char *origin, struct arena *arena,
                                   struct error *err);

const char *java_dotted(struct arena *arena, const char *name); /* java.lang.String of java/lang/String */
/* The first of several types at p: its letter (BCDFIJSZ, V, L, [) and where it ends; 0: none. */
char java_type(const char *p, const char **end);
/* How many words of the operand stack the arguments take, and how many there are; false: not a method's. */
bool java_signature(const char *desc, unsigned *words, unsigned *count);
/* The entry of that kind; NULL: none. */
const struct java_cp *java_cp(const struct java_class *c, unsigned index, unsigned tag);

#endif
