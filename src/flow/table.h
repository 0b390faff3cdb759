/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a computed jump is: a switch through a table, a return, an indirect tail call, or not understood.
 *
 * The destination is an expression (flow/value.h). When it depends on one quantity only, that quantity is
 * bounded by comparisons on every path to the jump, and everything else is constants and read-only memory,
 * then the destinations are what the expression evaluates to for every value of the quantity. No compiler's
 * pattern is looked for: tables of addresses, of offsets of any size and sign, inline in the code or
 * elsewhere, and computed branches are all that. */
#ifndef FLOW_TABLE_H
#define FLOW_TABLE_H

#include "flow/value.h"

enum jump_kind { JUMP_UNKNOWN, JUMP_TABLE, JUMP_RETURN, JUMP_TAIL };

struct jump_dest {
    ir_label label;
    uint64_t value; /* of the selector */
};

struct jump_answer {
    enum jump_kind kind;
    VEC(struct jump_dest) dest; /* one for each value, in order */
    uint64_t table;             /* address of the first entry, 0 when there is none in memory */
    unsigned entry_size;
    uint64_t target; /* JUMP_TAIL: when known */
    const char *name;
};

/* answer must be zeroed; its dest is the caller's to free. */
void table_resolve(struct builder *b, struct values *v, uint32_t bb, struct jump_answer *answer);

#endif
