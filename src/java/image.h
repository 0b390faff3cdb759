/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JDK's image file lib/modules ("jimage"): all classes of all modules in one file, found by a perfect
 * hash. Format as in OpenJDK's src/java.base/share/native/libjimage/imageFile.hpp: header, two tables,
 * descriptions of places, names, contents. */
#ifndef JAVA_IMAGE_H
#define JAVA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct java_image {
    const uint8_t *data;
    size_t size;
    bool swapped; /* numbers are not in this machine's order */
    uint32_t length;
    size_t redirect, offsets, places, names, contents;
    uint32_t places_size, names_size;
};

/* False: not such a file. The bytes must outlive it. */
bool java_image_open(struct java_image *im, const uint8_t *data, size_t size);
/* The contents of "java/lang/String.class", whichever module has it; NULL: in none, or packed. */
const uint8_t *java_image_find(const struct java_image *im, const char *file, size_t *size);

#endif
