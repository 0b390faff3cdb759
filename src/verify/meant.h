/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What library functions return that look at strings and memory. */
#ifndef ASSAY_VERIFY_MEANT_H
#define ASSAY_VERIFY_MEANT_H

#include "verify/private.h"

enum { MEANT_SHOWN = 48 }; /* bytes that decide a result, at most */

/* The call of a library function that a term is the result of. */
struct meant {
    term result;
    const struct flow_library_entry *l;
    term arg[3], mem;
};

/* What is so of the first bytes, and when they say what the result is; what is so where it ends or was found,
 * however far that is; what every caller sees to. */
struct meaning {
    term fact, decided, far, given;
};

/* False: it is not known. */
bool meant_meaning(struct check *c, const struct meant *m, unsigned bytes, struct meaning *out);
/* It compares two strings. */
bool meant_is_order(const struct meant *m);
/* What it means takes several comparisons a byte. */
bool meant_is_large(const struct meant *m);
/* It returns an address in what it looks at, or NULL. */
bool meant_is_place(const struct meant *m);
/* The result of a comparison has that sign. */
term meant_sign_is(struct check *c, term result, int sign);
/* Byte i of what the argument leads to. */
term meant_byte(struct check *c, const struct meant *m, unsigned arg, unsigned i);
term meant_number(struct check *c, uint64_t n);
term meant_implies(struct terms *t, term a, term b);

/* ---- copied.c ---- */
/* Where these terms look at memory that a library function copied in, that is as its source was, and the rest
 * as before: for inputs that are to show a difference. The name of the first of them; NULL: there is none. */
const char *copied_facts(struct check *c, const term *of, size_t n, question *out);

/* ---- strings.c ---- */
enum { STRINGS_REACH = 1024 }; /* bytes of a string that are looked at */
/* The model's memory, with other bytes where results ask for them, makes every result what it is, and all of
 * q is so in it. */
bool strings_fit(struct check *c, const struct meant *of, unsigned n, const term *q, size_t nq,
                 struct term_model **model);

#endif
