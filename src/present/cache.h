/* SPDX-License-Identifier: GPL-3.0-or-later */
/* References on disk: the features of a patch are computed once, and used for many programs.
 *
 * An entry is a file in $XDG_CACHE_HOME/assay/present (~/.cache/assay/present), named by a hash of what the
 * reference was made from. What is known before it is made goes into the name: the contents of the
 * references, or the diff and how it is compiled, and which assay it is. What only the compiler knows, the
 * headers that were included, is listed in the entry, and compared when it is read. A damaged or unwritable
 * entry counts as missing. */
#ifndef PRESENT_CACHE_H
#define PRESENT_CACHE_H

#include "base/sha256.h"
#include "present/reference.h"

struct cache_key {
    struct buf text; /* what it is made from; hashed in the end */
};

void cache_key_add(struct cache_key *k, const char *what, const void *bytes, size_t n);
/* The contents of a file; false when it cannot be read. */
bool cache_key_file(struct cache_key *k, const char *path);
/* The files of a tree, by name, size and time; false when it cannot be read. */
bool cache_key_tree(struct cache_key *k, const char *path);
void cache_key_free(struct cache_key *k);

/* Files that a reference was made from in addition to those in the key. */
typedef VEC(const char *) cache_files;

/* Fills a reference that was initialised; reference_settle is still to be called. */
bool cache_load(const struct cache_key *k, struct reference *r);
void cache_save(const struct cache_key *k, const cache_files *files, const struct reference *r);

/* The functions of a reference with their features, as bytes and back. */
void reference_write(const struct reference *r, struct buf *out);
bool reference_read(struct reference *r, const uint8_t *bytes, size_t n);

#endif
