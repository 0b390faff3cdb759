/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON files that people write: every complaint names line and column, also those about the meaning. */
#ifndef VERIFY_JSONFILE_H
#define VERIFY_JSONFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct jsonfile {
    const char *path; /* borrowed */
    char *text;
    size_t size;
    json_t *root; /* an object */
};

/* False and an error "FILE:LINE:COLUMN: ..." when it cannot be read or is not a JSON object. */
bool jsonfile_read(struct jsonfile *f, const char *path, struct error *err);
void jsonfile_free(struct jsonfile *f);

/* Where in the file something stands: member `key` of the object, or element `index` of the array, `in`. */
struct jsonfile_place {
    const json_t *in;
    const char *key;
    size_t index;
};
/* Fills *err with FILE:LINE:COLUMN in front; returns false. */
bool jsonfile_error(const struct jsonfile *f, struct jsonfile_place at, struct error *err, const char *fmt,
                    ...) __attribute__((format(printf, 4, 5)));

/* Writes a value to a file so that people can edit it; all of it or nothing. */
bool jsonfile_write(const char *path, const json_t *value, struct error *err);

#endif
