/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELF file in memory whose headers have been checked: what every other file of this layer reads from.
 *
 * The headers are read here and not through libelf, because each field is checked where it is read and an
 * error can name its offset; libelf only carries the file to libdw. After image_open has succeeded:
 *   - section and program header tables lie inside the file and their entries have the expected size;
 *   - every section that has contents lies inside the file (`data` points at it), its name is terminated;
 *   - all sections together claim no more than a few times the file, so work that is linear in each section
 * is linear in the file;
 *   - section links are not checked here (their meaning depends on the section type);
 *   - segment file ranges are not checked here: a detached debug file keeps program headers of bytes it
 * lacks. */
#ifndef OBJECT_IMAGE_H
#define OBJECT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

struct image_section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, address, offset, size, align, entsize;
    const uint8_t *data; /* NULL when it has no contents in the file */
    uint64_t header;     /* file offset of its section header, for messages */
};

struct image_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_size, size, align;
    uint64_t header;
};

struct image {
    const char *name; /* of the file, for messages */
    const uint8_t *data;
    size_t size;
    bool is64, big_endian;
    uint16_t type, machine;
    uint32_t flags;
    uint64_t entry;
    struct image_section *section;
    size_t nsections;
    struct image_segment *segment;
    size_t nsegments;
};

/* The image borrows data and name; tables go into the arena. */
bool image_open(struct image *im, struct arena *arena, const char *name, const uint8_t *data, size_t size,
                struct error *err);

uint16_t image_u16(const struct image *im, const uint8_t *p);
uint32_t image_u32(const struct image *im, const uint8_t *p);
uint64_t image_u64(const struct image *im, const uint8_t *p);
/* A word of the file's class: 4 or 8 bytes. */
uint64_t image_word(const struct image *im, const uint8_t *p);
size_t image_word_size(const struct image *im);

/* First section of that name, NULL when there is none. */
const struct image_section *image_section_named(const struct image *im, const char *name);
/* The terminated string at an offset of a string table; NULL when the offset or the string runs out of it. */
const char *image_string(const uint8_t *table, uint64_t size, uint64_t offset);
/* The build-id as lower-case hexadecimal in the arena, NULL when there is none (or it is malformed). */
const char *image_build_id(const struct image *im, struct arena *arena);

#endif
