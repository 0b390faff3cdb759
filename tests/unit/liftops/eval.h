/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the IR that an operator becomes, on given operands. */
#ifndef TESTS_LIFTOPS_EVAL_H
#define TESTS_LIFTOPS_EVAL_H

#include "test.h"

#include "lift/lift.h"
#include "lift/vex/ops.h"

struct eval;

struct eval *eval_new(enum machine_arch arch);
void eval_free(struct eval *e);

/* The operator on these operands, each of the width VEX says. Computed twice, with operands known when the code is
 * made (so that the builder folds everything) and not known until it runs; asserts that both give the same. */
struct bits eval_op(struct eval *e, IROp op, const struct bits *arg);

/* A pure function, lowered for arguments of which those in the set `known` are constants, then run. */
struct bits eval_pure(struct eval *e, unsigned index, const struct bits *arg, unsigned known);

/* Only makes the code, for operators without a concrete meaning; asserts that it is well formed. */
void eval_lower(struct eval *e, IROp op);

/* Widths of an operator as libVEX says: its result, its operands. */
unsigned eval_result_width(IROp op);
unsigned eval_arity(IROp op);
unsigned eval_arg_width(IROp op, unsigned i);

/* A pseudo-random number; the same sequence in every run. */
uint64_t eval_random(struct eval *e);

/* Operands likely to find mistakes: random bits, or lanes of `lane` bits each taken from the ends of the range,
 * small numbers, single bits, and for floats zeros, infinities, NaNs, subnormals. */
struct bits eval_operand(struct eval *e, unsigned width, unsigned lane);
struct bits eval_float_operand(struct eval *e, unsigned width, unsigned lane);

/* Fails with the operator, its operands and both results when they differ. */
void eval_check(struct eval *e, IROp op, const struct bits *arg, struct bits expected);

#endif
