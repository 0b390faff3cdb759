/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of the function that runs, by their names in the source, where debug information tells. */
#ifndef DEBUG_VARIABLE_H
#define DEBUG_VARIABLE_H

#include "debug/debuggee.h"

/* Something with a type: in memory, in a register, or only a value. */
struct variable {
    const struct object_type_info *type; /* NULL: not known */
    enum object_place_kind kind;
    uint64_t at;                   /* the address, the offset of the register, or the value */
    unsigned bit_size, bit_offset; /* of a bit-field, else 0 */
};

/* The innermost variable of that name in scope here. False when there is none. */
bool variable_find(struct debuggee *d, const char *name, struct variable *out);
/* Its first 64 bits or fewer as a number; false when it has no value now. *known: all of it was given one. */
bool variable_value(const struct debuggee *d, const struct variable *v, uint64_t *out, unsigned *width,
                 bool *known);
/* False when it cannot be changed. */
bool variable_set(struct debuggee *d, const struct variable *v, uint64_t value);
/* A number of the type, and structures and arrays of such. */
void variable_text(struct debuggee *d, const struct variable *v, struct buf *out);
/* A member; what a pointer points to or an element of an array. False when there is no such thing. */
bool variable_member(const struct variable *v, const char *name, struct variable *out);
bool variable_element(const struct debuggee *d, const struct variable *v, uint64_t index, struct variable *out);
bool variable_is_signed(const struct variable *v);
/* All that are in scope, a line each: parameters, then variables. */
void variables_text(struct debuggee *d, const char *title, struct buf *out);

#endif
