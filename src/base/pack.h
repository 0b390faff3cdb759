/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and texts as bytes that are kept, or that go into a key, and reading them again. What is read is not
 * trusted: the first thing that is wrong makes the rest wrong. */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buf.h"

/* Seven bits a byte, the lowest first. */
void pack_number(struct buf *out, uint64_t n);
/* Its length and one, then its bytes; NULL: 0. */
void pack_text(struct buf *out, const char *text);

struct unpack {
    const uint8_t *at, *end;
    bool bad; /* from then on numbers are 0, and texts NULL */
};
struct unpack unpack_begin(const void *bytes, size_t n);
/* Each number has one spelling only. */
uint64_t unpack_number(struct unpack *u);
/* One that is at most `most`. */
uint64_t unpack_upto(struct unpack *u, uint64_t most);
/* In the arena; may be NULL. */
const char *unpack_text(struct unpack *u, struct arena *arena);
/* The next n bytes; NULL: there are not so many. */
const uint8_t *unpack_bytes(struct unpack *u, size_t n);
/* Everything was read, and nothing was wrong. */
bool unpack_done(const struct unpack *u);

#endif
