/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a patch changes, as references say: the functions that differ between two versions, and what tells the
 * versions of each apart.
 *
 * A reference is compiled in one or more ways (`variant`): without optimisation and with, as in the paper,
 * since what inlining does to one it does not do to the other; or it is one pair of files, bitcode or machine
 * code. A function is touched when its features differ in some variant. */
#ifndef PRESENT_REFERENCE_H
#define PRESENT_REFERENCE_H

#include "base/buf.h"
#include "base/map.h"
#include "object/object.h"
#include "present/signature.h"

struct reference_variant {
    const char *how; /* "-O0", or the name of the new file */
    unsigned bits;   /* of a pointer: variants of one width say little about targets of another */
    struct features old, new;
    struct signature signature;
    bool tells; /* the signature has something in it */
};

/* One change that the patch makes (present/parts.h). */
struct reference_part {
    struct feature pattern; /* unlike anything else in either version */
    struct feature whole;   /* as the reference has it */
    bool new;               /* the patch adds it; otherwise it takes it away */
    size_t instead;         /* the part that it replaces, or that replaces it; SIZE_MAX: none */
    unsigned times;         /* at how many places it must be; of conditions: others are put together */
};

struct reference_parts {
    VEC(struct reference_part) part;
    unsigned bits; /* of a pointer, in the variants that they are of */
    bool always;   /* the patch changes the function however it is compiled */
};

struct reference_function {
    const char *name;
    VEC(struct reference_variant) variant;
    VEC(struct reference_parts) parts; /* by width of pointers */
};

struct reference {
    struct exprs *e; /* borrowed */
    struct arena arena;
    VEC(struct reference_function) function; /* by name */
    struct strmap arity; /* of functions that are called: how many words they take, and floats */
};

struct reference_options {
    const char *const *function; /* only these */
    size_t nfunctions;
    struct object_options object;
    struct signature_options signature;
};

void reference_init(struct reference *r, struct exprs *e);
void reference_free(struct reference *r);

/* Adds a variant from two files of one kind, each bitcode or a program. */
bool reference_add(struct reference *r, const char *how, const char *old, const char *new,
                   const struct reference_options *opt, struct error *err);
/* The same from two modules in memory; `name` is for messages. */
bool reference_add_bitcode(struct reference *r, const char *how, const char *name, const struct buf *old,
                           const struct buf *new, const struct reference_options *opt, struct error *err);
/* Once all variants are there: forgets functions that no variant tells anything about. False when none is
 * left. */
bool reference_settle(struct reference *r, const struct reference_options *opt, struct error *err);

/* features_options.arity and .floats; ctx is the reference. */
int reference_arity(void *ctx, const char *name);
int reference_floats(void *ctx, const char *name);

#endif
