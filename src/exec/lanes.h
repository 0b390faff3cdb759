/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The concrete interpreter for many inputs at once, of code that only computes with registers.
 *
 * A lane is a register file. A block is run once for all lanes that have come to it, an instruction at a time for all of them,
 * by the same operators as in exec/concrete.h: a driver gathers lanes that go on at one label. */
#ifndef EXEC_LANES_H
#define EXEC_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"
#include "ir/machine.h"

enum { LANES = 64 };

struct lanes;

struct lanes *lanes_new(const struct ir_machine *m, struct ir_pures pures);
void lanes_free(struct lanes *l);
void lanes_reset(struct lanes *l); /* all registers of all lanes become 0 */
/* No wider than 64 bits. */
void lanes_set(struct lanes *l, unsigned lane, unsigned offset, unsigned width, uint64_t value);
uint64_t lanes_get(const struct lanes *l, unsigned lane, unsigned offset, unsigned width);
/* Runs a block for the lanes of a set, a bit each; next[lane] is where each goes on, by a jump, a call or a return. False: the block
 * does something else (it accesses memory, traps, has values of more than 64 bits, ...), and nothing was done. */
bool lanes_run_block(struct lanes *l, const struct ir_block *b, uint64_t set, ir_label *next);

#endif
