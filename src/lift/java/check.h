/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a class file verifier checks of a method, as far as translating it rests on it: every instruction is
 * one, jumps lead to instructions, operands are of the kinds that instructions take (int, long, float,
 * double, reference, return address), the stack stays within its bounds and is the same wherever ways join.
 * Which classes references are of is not looked at: a field of a wrong object is only a cell of another
 * index. */
#ifndef LIFT_JAVA_CHECK_H
#define LIFT_JAVA_CHECK_H

#include "base/vec.h"
#include "java/class.h"

struct java_checked {
    /* By pc: what is on the stack before it, one letter a word: I J2 F D2 A R. NULL: nothing comes here. */
    const char **stack;
    bool *leader;             /* a block begins there */
    VEC(uint32_t) subroutine; /* behind a jsr: where ret may lead */
    const char *why;          /* it is not well formed; NULL: it is */
    uint32_t why_pc;
    struct arena arena;
};

void java_check(const struct java_method *m, struct java_checked *out);
void java_checked_free(struct java_checked *c);

#endif
