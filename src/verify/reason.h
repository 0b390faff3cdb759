/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a verdict is *unknown*, as a code with its text; and what a person can do about it. The table is
 * reasons.def. */
#ifndef VERIFY_REASON_H
#define VERIFY_REASON_H

#include "base/alloc.h"

enum verify_reason_code {
    VERIFY_REASON_NONE, /* it is known */
#define X(code, text, remedy) VERIFY_REASON_##code,
#include "verify/reasons.def"
#undef X
    VERIFY_REASONS
};

enum verify_remedy {
    VERIFY_NOTHING_KNOWN,
    VERIFY_MORE_TIME,
    VERIFY_MORE_BUDGET, /* of the whole run */
    VERIFY_MORE_MEMORY,
    VERIFY_MORE_SOLVING,
    VERIFY_OTHER_STRATEGY,
    VERIFY_PROTOTYPE,      /* of a callee */
    VERIFY_ARGUMENT_WIDTH, /* of a callee */
    VERIFY_NAMES,
    VERIFY_RETURNS, /* the function itself */
    VERIFY_RESULT_WIDTH,
    VERIFY_ZERO_FAILS,
    VERIFY_HEURISTICS,
    VERIFY_REMEDIES
};

struct verify_reason {
    enum verify_reason_code code; /* VERIFY_REASON_NONE: text is NULL */
    enum verify_remedy remedy;    /* of the code, unless it does not help here */
    const char *text;             /* one line */
};

/* A reason with its text, which is in the arena, made from what its row takes. What else is given is not
 * looked at. */
struct verify_reason reason_of(struct arena *arena, enum verify_reason_code code, ...);
/* "raise --timeout"; NULL: nothing that is known helps. */
const char *verify_remedy_text(enum verify_remedy remedy);

#endif
