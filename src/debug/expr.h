/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions a user types: conditions, addresses, values.
 *
 *   0x1f  31  'a'            numbers
 *   rax  eax  $rax  zf       registers, their parts, flags
 *   main  &main  'a name'    the address of a function or an object of the file
 *   n  p->next  v[i]  *p     variables of the function, where debug information tells; registers come first, $n is only a
 *                            register. Signed ones are compared as in C
 *   arg0  arg1  ret          by the calling convention; arg0 holds at a function's entry
 *   mem8[e] mem16[e] mem32[e] mem64[e]  [e]     memory; [e] is as wide as a pointer
 *   - ~ !   * / %   + -   << >>   < <= > >=   == !=   &   ^   |   && ||     as in C, on unsigned numbers as
 * wide as the wider operand; a constant takes the other's width, so that eax == -1 can hold <s <=s >s >=s /s
 * %s >>s  signed
 *
 * Division by zero gives 0, as there is nothing to stop for. */
#ifndef DEBUG_EXPR_H
#define DEBUG_EXPR_H

#include "debug/debuggee.h"
#include "debug/variable.h"

/* All of the text must be one expression. The error names the column. */
bool expr_eval(struct debuggee *d, const char *text, uint64_t *out, struct error *err);
/* Whether it is a variable or a part of one, which has a type. */
bool expr_thing(struct debuggee *d, const char *text, struct variable *out);
/* Takes as much as is an expression from *text and moves *text past it. *width (may be NULL) is its width
 * in bits, 64 for a constant. */
bool expr_take(struct debuggee *d, const char **text, uint64_t *out, unsigned *width, struct error *err);

#endif
