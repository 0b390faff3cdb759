/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things are kept from one run to the next: $XDG_CACHE_HOME/assay, or ~/.cache/assay. */
#ifndef BASE_CACHEDIR_H
#define BASE_CACHEDIR_H

#include <stdbool.h>

#include "base/buf.h"

/* Writes the directory's path. False when the environment names no place for it. */
bool cache_dir(struct buf *out);
/* The same, and makes it, for this user only. False when that is not possible. */
bool cache_dir_make(struct buf *out);

#endif
