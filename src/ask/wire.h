/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typed values as bytes, and back: what a worker found out goes to its parent through a pipe.
 *
 * A struct is described once, by a table of its members; encoding and decoding read that table, so they
 * cannot disagree. Both ends are the same program, forked, so numbers travel as they lie in memory. The
 * reader trusts nothing of it all the same, for a worker that reads hostile files may send anything: lengths
 * are checked against what there is, truth values are 0 or 1, and enumerations stay within their names.
 *
 * Texts and lists of a decoded value live in the arena that is given. */
#ifndef ASK_WIRE_H
#define ASK_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buf.h"

enum wire_kind {
    WIRE_NUMBER, /* of any size */
    WIRE_TRUTH,  /* bool */
    WIRE_NAMED,  /* a number below `limit` */
    WIRE_STRING, /* const char *; NULL unless there is a limit */
    WIRE_PART,   /* a struct inside */
    WIRE_MANY,   /* a pointer to structs and, at `count`, a size_t that says how many */
};

struct wire_type;
struct wire_field {
    uint8_t kind;
    uint16_t size; /* of a number */
    uint32_t at, count;
    uint64_t limit;
    const struct wire_type *type;
};
struct wire_type {
    size_t size;
    const struct wire_field *field;
    size_t nfields;
};

/* Members of tables of fields: `type` is the struct, `member` one of it. */
#define WIRE_VALUE(type_, member)                                                                            \
    {                                                                                                        \
        .kind = _Generic(((type_ *)0)->member, bool                                                          \
                         : WIRE_TRUTH, default                                                               \
                         : WIRE_NUMBER),                                                                     \
        .size = sizeof(((type_ *)0)->member), .at = offsetof(type_, member)                                  \
    }
#define WIRE_ENUM(type_, member, limit_)                                                                     \
    {                                                                                                        \
        .kind = WIRE_NAMED, .size = sizeof(((type_ *)0)->member), .at = offsetof(type_, member),             \
        .limit = (limit_)                                                                                    \
    }
#define WIRE_TEXT(type_, member)                                                                             \
    {                                                                                                        \
        .kind = WIRE_STRING, .at = offsetof(type_, member)                                                   \
    }
#define WIRE_NAME(type_, member)                                                                             \
    {                                                                                                        \
        .kind = WIRE_STRING, .at = offsetof(type_, member), .limit = 1                                       \
    } /* never NULL */
#define WIRE_STRUCT(type_, member, of)                                                                       \
    {                                                                                                        \
        .kind = WIRE_PART, .at = offsetof(type_, member), .type = (of)                                       \
    }
#define WIRE_LIST(type_, member, count_, of)                                                                 \
    {                                                                                                        \
        .kind = WIRE_MANY, .at = offsetof(type_, member), .count = offsetof(type_, count_), .type = (of)     \
    }
/* The table of a struct from its fields. */
#define WIRE_TYPE(type_, fields)                                                                             \
    {                                                                                                        \
        sizeof(type_), fields, sizeof(fields) / sizeof *(fields)                                             \
    }

/* For lists of texts, none of which is NULL, and of numbers. */
extern const struct wire_type wire_text, wire_u64, wire_u32, wire_u8;

void wire_put(struct buf *out, const struct wire_type *t, const void *value);
/* False when the bytes are no such value, or there are more of them. */
bool wire_get(const char *bytes, size_t n, const struct wire_type *t, void *value, struct arena *arena);

#endif
