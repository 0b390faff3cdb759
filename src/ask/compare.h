/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What questions about two programs share: opening and matching them, and the parts of their answers. */
#ifndef ASK_COMPARE_H
#define ASK_COMPARE_H

#include "ask/pairs.h"

/* Two programs and what of one is what of the other. */
struct compared {
    struct program *p[2];
    const struct flow_function *f[2]; /* program_functions of each */
    size_t n[2];
    struct match *m;
};

struct compare_options {
    const char *old, *new; /* the containers, for messages */
    const struct object_options *object;
    const char *const *function; /* what the user wants to see; functions begin at the addresses among them */
    size_t nfunctions;
    const struct verify_name *name; /* what the user calls functions that have no name */
    size_t nnames;
};
/* The colon between the two functions of OLD:NEW, NULL when it is only one. */
const char *compare_colon(const char *spec);
/* Opens and matches a pair of files, and says so. */
bool compare_open(struct compared *c, const struct match_file_pair *pair, const struct compare_options *opt,
                  struct ask_sink *say, struct error *err);
void compare_close(struct compared *c);

/* ---- parts of answers; texts live in an arena, or in the programs ---- */

struct ask_place { /* a function */
    const char *name;
    uint64_t address, size;
};
extern const struct wire_type ask_place_type;
struct ask_place compare_place(const struct program *p, const struct flow_function *f);

/* A data object whose content differs. */
struct ask_datum {
    const char *name; /* or NULL */
    uint64_t old, new, old_size, new_size;
    bool writable;
    const char *old_content, *new_content;
};
extern const struct wire_type ask_datum_type;
size_t compare_data(const struct compared *c, struct arena *arena, const struct ask_datum **out);

extern const struct wire_type ask_outside_type; /* struct match_outside */

/* What lies at an address: a string in quotes, "name+0x10", "0x1234". */
const char *compare_described(struct program *p, uint64_t address, struct arena *arena);
/* The instruction at a mark, with the name of a function after its address, at the end of a call or jump. */
const char *compare_code(struct program *p, const struct ir_block *b, const struct ir_mark *m,
                         struct arena *arena);

#endif
