/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs, as pieces that can be changed: arguments, files that they name, standard input. Inside src/poc only. */
#ifndef POC_INPUT_H
#define POC_INPUT_H

#include "poc/poc.h"

/* A piece of the input that can be changed. */
struct piece {
    char *data;
    size_t len;
    size_t argument; /* index */
    bool file;       /* the argument names it; or standard input: */
    bool standard;
};

struct input {
    struct piece *piece;
    size_t n;
};

/* One way to change it: one place, or a few of a piece. */
struct edit {
    size_t at, len; /* what is there now */
    char *by;
    size_t bylen;
};
struct change {
    size_t piece;
    struct edit edit[3];
    unsigned n;
};
typedef VEC(struct change) changes;

/* A number in a piece that is to become another one. */
struct length_field {
    size_t at;
    unsigned bytes;
    bool big; /* the most significant byte first */
    uint8_t to[8];
};
typedef VEC(struct length_field) length_fields;

struct input input_read(const struct poc_input *in);
void input_free(struct input *in);
struct edit input_edit(size_t at, size_t len, const void *by, size_t bylen);
/* Goes to the next place where the contents of a block stand in files or standard input; false: there is none. Places
 * may overlap. Begins with all 0. */
struct input_place {
    size_t piece, begin, end;
};
bool input_place(const struct input *in, const void *contents, size_t len, struct input_place *at);
/* Adds the numbers before a place that are `was`, as bytes, and are to become `is`; the nearest first. */
void input_lengths(const struct piece *x, size_t before, uint64_t was, uint64_t is, length_fields *out);
/* Adds the ways to change the input so that a value of a witness becomes what it has there. */
void input_changes(changes *c, const struct input *in, const struct poc_runs *r, const struct poc_witness *w,
                   const struct poc_value *v);
void input_changes_free(changes *c);
/* Applies changes; false when they overlap. */
bool input_apply(const struct input *in, const struct change *const *change, size_t n, struct input *out);
/* As the program can be given it: files are written to the scratch directory, each under one name. */
bool input_give(const struct input *in, const char *scratch, struct poc_input *out, struct arena *arena);
const char *input_digest(const struct input *in, struct arena *arena);
/* Changes in words: "argument 2, byte 0: ..." */
const char *input_told(const struct input *in, const struct change *const *change, size_t n, struct arena *arena);

/* Looks for an input that a witness is found in, changed in another way, too (NULL: in none), and runs both
 * programs (confirm.c). */
bool input_confirm(struct poc_runs *r, const struct poc_witness *w, const struct change *too,
                   struct poc_confirmation *out, struct arena *arena);

#endif
