/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control-flow graph of a bitcode function, as other layers know graphs. Its blocks are those of the
 * code, so a block of the module with calls in it is several. */
#ifndef FLOW_BITCODE_H
#define FLOW_BITCODE_H

#include "flow/flow.h"
#include "lift/llvm/bitcode.h"

/* Lives in the arena and refers to the code. */
struct flow_graph *flow_bitcode(const struct bitcode_code *c, struct arena *arena);

#endif
