/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which share of inputs a condition covers, when every argument, and every value read from memory or returned
 * by a callee, takes each of its values equally often. */
#ifndef TELL_SHARE_H
#define TELL_SHARE_H

#include "term/term.h"

struct share {
    double likely;    /* estimated from samples, 0..1; negative: not known */
    double low, high; /* sound bounds; 0 and 1 when none was cheap */
};

/* That `when` (TERM_NONE: always) and `differ` hold; without `differ` (TERM_NONE) there is no lower bound. */
struct share share_of(struct terms *t, term when, term differ);

#endif
