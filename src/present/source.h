/* SPDX-License-Identifier: GPL-3.0-or-later */
/* References from source code: a tree and a patch, or two trees, compiled to bitcode without optimisation and
 * with.
 *
 * The tree is not copied and nothing is written. The version that is not in the tree is laid over it for the
 * compiler (clang's -ivfsoverlay), from files in memory, and bitcode comes back through another such file; so
 * nothing is left behind, whatever ends the process, and headers are found as always. */
#ifndef PRESENT_SOURCE_H
#define PRESENT_SOURCE_H

#include "present/patch.h"
#include "present/reference.h"

struct source_options {
    const char *tree;             /* before the patch, or after it: both are tried */
    const struct patch *patch;    /* or */
    const char *before;           /* another tree; `tree` is the one after */
    const char *cc;               /* compiler and options: "clang -Iinclude"; NULL: "clang" */
    const char *compile_commands; /* a compile_commands.json; NULL: none */
    const char *const *unit;      /* to be compiled in addition to the source files that the patch changes */
    size_t nunits;
    /* Told of every file that was read, but for the diff; may be NULL. */
    void (*read)(void *ctx, const char *path);
    void *ctx;
};

/* Adds a variant for each level to the reference. `message`, when something could not be compiled: what the
 * compiler said. */
bool source_add(struct reference *r, const struct source_options *s, const struct reference_options *opt,
                struct buf *message, struct error *err);

#endif
