/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading files and recognising containers; shared by container.c and open.c. */
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

/* Unpacked bytes of one file, all levels together, and how deep containers may nest: what stops a bomb. */
#define CONTAINER_TOTAL_LIMIT (UINT64_C(2) << 30)
enum { CONTAINER_DEPTH_LIMIT = 8, CONTAINER_ENTRY_LIMIT = 1 << 20 };

#endif
