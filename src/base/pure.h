/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pure functions too intricate to be worth spelling out in operators (an AES round, a SHA step, a CRC, a polynomial
 * multiplication, an x87 transcendental). Each has a name and fixed widths. Where a concrete implementation exists
 * the interpreter and constant folding use it; for the solver it is an uninterpreted function of its arguments,
 * which is sound: equal arguments give equal results, and nothing else is known.
 *
 * The table is made once by the code that knows the functions (a lifter) and is constant afterwards. */
#ifndef BASE_PURE_H
#define BASE_PURE_H

#include "base/bits.h"

enum { PURE_MAX_ARGS = 6 };

struct pure {
    const char *name;
    unsigned short width; /* of the result */
    unsigned short arg_width[PURE_MAX_ARGS];
    unsigned char nargs;
    /* NULL when there is no concrete meaning: then the interpreter stops with "no meaning for NAME". */
    struct bits (*eval)(const struct bits *arg);
};

#endif
