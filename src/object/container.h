/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading files, recognising containers, and names of members; shared by container.c, open.c and unpack.c. */
#ifndef OBJECT_CONTAINER_H
#define OBJECT_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The whole of a regular file or pipe, up to CONTAINER_TOTAL_LIMIT; free() it. NULL and an error otherwise.
 */
uint8_t *container_read_file(const char *path, size_t *size, struct error *err);
bool container_is_elf(const uint8_t *data, size_t size);

/* A member path as one compares it: no "." components, no doubled or leading slashes, ".." taken back; free()
 * it. */
char *container_normalise(const char *path);
/* Where a symbolic link inside a container points, as a member to look for; free() it. */
char *container_link(const char *path, const char *link);
/* The normalised path of the member that object_open() would open; free() it. NULL and an error when there is
 * none. */
char *container_member(const char *path, const char *member, struct error *err);

/* Unpacked bytes of one file, all levels together, and how deep containers may nest: what stops a bomb. */
#define CONTAINER_TOTAL_LIMIT (UINT64_C(2) << 30)
enum { CONTAINER_DEPTH_LIMIT = 8, CONTAINER_ENTRY_LIMIT = 1 << 20 };

#endif
