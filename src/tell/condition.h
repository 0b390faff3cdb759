/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The condition under which something is so, as a person reads it: "n > 64 && s[0] == '-'". Nothing in it is
 * said twice, and parts that are too long to be read are counted instead. */
#ifndef TELL_CONDITION_H
#define TELL_CONDITION_H

#include "base/alloc.h"
#include "tell/words.h"
#include "term/term.h"

/* What it takes to write one. */
struct condition_teller {
    struct terms *t;
    struct words *words;
    /* Whether the n terms certainly never hold together; false if that is unknown, or if the budget is spent.
     * NULL: nobody can say, and parts that follow from the others are written, too. */
    bool (*impossible)(void *ctx, const term *q, unsigned n);
    void *ctx;
};

struct condition_said {
    term when;   /* TERM_NONE: always */
    term differ; /* that the values differ, which are reported separately; or TERM_NONE */
    bool write;  /* of a write that only one version makes: that it changes what was there goes without saying
                  */
    unsigned rounds; /* it is known for this many rounds of loops only; 0: for any number */
};

/* In the arena. NULL: always. */
const char *condition_text(struct arena *a, const struct condition_teller *by,
                           const struct condition_said *x);

#endif
