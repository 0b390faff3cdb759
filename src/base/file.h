/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* Appends the contents to *out; a file of more than `most` bytes is an error. */
bool file_read(const char *path, size_t most, struct buf *out, struct error *err);

/* Makes or replaces the file. */
bool file_write(const char *path, const void *data, size_t size, struct error *err);

#endif
