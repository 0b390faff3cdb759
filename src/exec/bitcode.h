/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution of LLVM bitcode.
 *
 * START is as for machine code: arguments are arg0, arg1, ... (arg0.0, arg0.1 for the scalars of one that is
 * not a scalar), memory is `mem`, the stack pointer `sp`. The address of a global is a symbol named after it,
 * `&table`; it is not null unless it is weak, and is aligned as the module says. Constant globals have their
 * contents, others are inputs.
 *
 * CALLS are events as they are for machine code, with the same names and the same unknown functions, and the
 * C library is known. Callees in the module are followed as those of machine code are, each with a register
 * file of its own (exec/code.h), but for those that take a vector or any number of arguments.
 *
 * There is one axiom more: object, that an address made from one global does not reach into another. */
#ifndef EXEC_BITCODE_H
#define EXEC_BITCODE_H

#include "exec/front.h"
#include "lift/llvm/bitcode.h"

/* Explores the code of one function, with explore_graph. Keeps references to the module and its code. */
struct explorer *explorer_new_bitcode(struct bitcode *m, const struct bitcode_code *c, struct terms *t,
                                      struct solver *s, const struct explore_options *opt);

extern const struct front_end front_bitcode; /* a file is a struct bitcode */

#endif
