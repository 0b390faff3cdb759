/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger of a verdict: every assumption it rests on, how often, and what denies it. The rows are
 * ledger.def. Work on a pair of functions counts and says; at its end the ledger is listed, in the table's
 * order. */
#ifndef VERIFY_LEDGER_H
#define VERIFY_LEDGER_H

#include "base/vec.h"
#include "verify/verify.h"

enum ledger_row {
#define X(row, name, by, text) LEDGER_##row,
#include "verify/ledger.def"
#undef X
    LEDGER_ROWS
};

struct ledger_entry {
    enum ledger_row row;
    const char *text;
};

struct ledger {
    uint64_t count[LEDGER_ROWS];
    VEC(struct ledger_entry) said;
};

/* It was relied on this many times more. */
void ledger_count(struct ledger *l, enum ledger_row row, uint64_t n);
/* It is relied on for this, once; the text is made from what the row takes, in the arena. */
void ledger_say(struct ledger *l, struct arena *arena, enum ledger_row row, ...);
/* All that was counted or said, in the arena. */
const struct verify_assumption *ledger_list(const struct ledger *l, struct arena *arena, size_t *n);
void ledger_free(struct ledger *l);

#endif
