/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classes of a program: loaded when they are first named, each with its superclasses and superinterfaces,
 * and never unloaded. There is one class loader, and so one class of a name. Arrays and primitive types are
 * classes here too, as they are for java.lang.Class.
 *
 * Looking up members follows the Java Virtual Machine Specification, 5.4.3 and 5.4.6. Access rights are not
 * checked. */
#ifndef JAVA_WORLD_H
#define JAVA_WORLD_H

#include "base/map.h"
#include "base/vec.h"
#include "java/class.h"
#include "java/path.h"

struct java_world {
    struct java_path *path;
    struct arena arena;
    struct strmap by_name;          /* -> struct java_class * */
    VEC(struct java_class *) class; /* by id, from 1; [0] is NULL */
    VEC(const char *) loading;      /* names of those being loaded, against cycles */
};

void java_world_init(struct java_world *w, struct java_path *path);
void java_world_free(struct java_world *w); /* the path is the caller's */

/* NULL and *err when it is missing or cannot be read. */
struct java_class *java_world_class(struct java_world *w, const char *name, struct error *err);
/* The class that a descriptor of a field names: I is int. */
struct java_class *java_world_type(struct java_world *w, const char *desc, struct error *err);
/* The array of that class. */
struct java_class *java_world_array(struct java_world *w, struct java_class *component, struct error *err);
/* Makes a class known that was not read from a file; its superclass and interfaces are set. */
void java_world_add(struct java_world *w, struct java_class *c);

bool java_subclass(const struct java_class *c, const struct java_class *of);
struct java_field *java_field(struct java_class *c, const char *name, const char *desc);
/* As an instruction that names it finds it: in the class, its superclasses, its superinterfaces. */
struct java_method *java_method(struct java_class *c, const char *name, const char *desc);
/* What a call of `resolved` on an object of that class runs; NULL: nothing, or it is not clear what. */
struct java_method *java_select(struct java_class *c, struct java_method *resolved);
/* The line of an instruction; 0: not known. */
unsigned java_line(const struct java_method *m, unsigned pc);

#endif
