/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where classes are looked for: directories, jars and jmods (zip files), and the image of an installed JDK.
 *
 * Archives stay mapped, and nothing is unpacked before it is asked for: of a zip the list at its end is read
 * and checked, and libarchive unpacks one entry from where the list says that it begins; the JDK's own
 * classes lie unpacked in the file lib/modules, found by the hash table at its beginning. */
#ifndef JAVA_PATH_H
#define JAVA_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

struct java_path;

struct java_path *java_path_new(void);
void java_path_free(struct java_path *p);
/* Adds the parts of a class path, which colons separate. */
bool java_path_add(struct java_path *p, const char *list, struct error *err);
/* Adds the classes of the JDK in that directory; NULL: of the one that is installed (JAVA_HOME, then those
 * that Debian's packages install). */
bool java_path_jdk(struct java_path *p, const char *dir, struct error *err);
/* The directory of the JDK that was added; NULL: none. */
const char *java_path_home(const struct java_path *p);

/* The bytes of a file such as java/lang/String.class, in the arena or mapped; NULL when it is nowhere (then
 * *err is untouched) or could not be read. *origin says where it was. */
const uint8_t *java_path_find(struct java_path *p, const char *file, size_t *size, const char **origin,
                              struct arena *arena, struct error *err);
/* Whether such an origin is the JDK's. */
bool java_path_is_system(const struct java_path *p, const char *origin);
/* Calls fn for every class of the class path, the JDK's left out, by its name (java/lang/String). */
void java_path_each(struct java_path *p, void (*fn)(void *ctx, const char *name), void *ctx);

#endif
