/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms of one exploration as expressions. */
#ifndef PRESENT_NORMAL_H
#define PRESENT_NORMAL_H

#include "base/map.h"
#include "flow/flow.h"
#include "lift/llvm/bitcode.h"
#include "present/expr.h"
#include "term/term.h"

struct normaliser {
    struct exprs *e;
    struct terms *t;
    const struct ir_machine *machine;
    struct program *p; /* or */
    struct bitcode *m;
    const struct bitcode_code *code;
    uint64_t bias;    /* of addresses in position-independent code */
    struct map done;  /* term -> expr */
    struct map after; /* what registers that calls may clobber are functions of -> the call, as expr */
    struct map
        divided; /* the same for divisions -> the remainder, as expr, and above it whether of two words */
    struct map truth; /* condition -> expr, where it had to be taken apart */
};

void normal_free(struct normaliser *n);
expr normal_of(struct normaliser *n, term x);
/* Of a condition: taken apart into comparisons, where processors made more of it (present/truth.c). */
expr normal_truth(struct normaliser *n, term x);
/* What a call returned is the call. */
void normal_name(struct normaliser *n, term result, expr call);

/* What a division of ARM's leaves in registers other than that of the quotient. */
void normal_divided(struct normaliser *n, term token, expr remainder, bool two_words);

#endif
