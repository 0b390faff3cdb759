/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What features are made of: expressions over arguments, memory, calls and constants (figure 5 of Zhan et
 * al., "REACT: IR-Level Patch Presence Test for Binary", 2024).
 *
 * An expression is a term without everything that differs between compilers and processors: widths and
 * extensions, the state of memory a load sees, where locals lie, the addresses of data. So equal expressions
 * are a strong hint and no proof; the solver has the terms.
 *
 * Expressions are hash-consed: two of one table are equal exactly when they are the same number. Sums and
 * other commutative operators are in an order that depends on their operands only, so tables agree with each
 * other, and an expression's `key` is the same in every run. */
#ifndef PRESENT_EXPR_H
#define PRESENT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/op.h"

typedef uint32_t expr;
#define EXPR_NONE ((expr)0)

enum expr_kind {
    EXPR_ANY,    /* matches everything: the top of the lattice */
    EXPR_CONST,  /* value */
    EXPR_STRING, /* name is its text */
    EXPR_ARG,    /* value is its number, among integers and pointers */
    EXPR_FARG,   /* the same among floats */
    EXPR_LOCAL,  /* an address in the function's own frame */
    EXPR_SYMBOL, /* the address of something with a name */
    EXPR_OTHER,  /* a symbol of no meaning outside this function */
    EXPR_MEM,    /* what is at the address */
    EXPR_CALL,   /* name is the callee, or NULL: then the first kid is its address */
    EXPR_OP,     /* value is the operator: an enum op */
};

#define EXPR_LAST EXPR_OP

struct exprs;

struct exprs *exprs_new(void);
void exprs_free(struct exprs *t);

expr expr_any(struct exprs *t);
expr expr_const(struct exprs *t, int64_t value);
expr expr_leaf(struct exprs *t, enum expr_kind kind, const char *name, int64_t value);
/* An address as a place in memory. In the array that a loop walks through only what is the same in every
 * iteration counts: compilers begin at the first element or before it. */
expr expr_place(struct exprs *t, expr address);
/* The same of a value that may be an address: of steps of more than one only. */
expr expr_maybe_place(struct exprs *t, expr x);
expr expr_mem(struct exprs *t, expr address);
expr expr_call(struct exprs *t, const char *name, const expr *kid, unsigned nkids);
/* Some element of a list, the first of which is known; the link to the next is so far into each. How far is
 * not part of it, as that depends on the processor. */
expr expr_chain(struct exprs *t, expr first, int64_t offset);
/* Brings it into the normal form: operands of commutative operators in order, sums flat with their constant
 * last, `le` as the negation of a swapped `lt`, constants folded. */
expr expr_op(struct exprs *t, enum op op, const expr *kid, unsigned nkids);
/* The node as it is, which was in normal form when it was written down. */
expr expr_node(struct exprs *t, enum expr_kind kind, int64_t value, const char *name, const expr *kid,
               unsigned nkids);
/* The operator of x over other operands, in x's own order: of a pattern, which is not to be folded. */
expr expr_pattern(struct exprs *t, expr x, const expr *kid);
/* x with every `from` in it replaced, in the normal form again. */
expr expr_replace(struct exprs *t, expr x, expr from, expr to);
/* An if-then-else in x, not too deep down; EXPR_NONE when there is none. */
expr expr_choice(const struct exprs *t, expr x);
bool expr_is_boolean(const struct exprs *t, expr x);
/* Without negations around it: a condition and its opposite are the same branch. */
expr expr_branch(struct exprs *t, expr condition);

enum expr_kind expr_kind(const struct exprs *t, expr x);
int64_t expr_value(const struct exprs *t, expr x);
const char *expr_name(const struct exprs *t, expr x);
unsigned expr_nkids(const struct exprs *t, expr x);
expr expr_kid(const struct exprs *t, expr x, unsigned i);
uint64_t expr_key(const struct exprs *t, expr x);

/* Is x an instance of the pattern: equal where the pattern is not EXPR_ANY. */
bool expr_matches(const struct exprs *t, expr pattern, expr x);
unsigned expr_similarity(const struct exprs *t, expr x, expr y); /* definition 3.3 */
unsigned expr_complexity(const struct exprs *t, expr x);         /* definition 3.4 */
/* A copy that lives as long as the table. */
const char *exprs_keep(struct exprs *t, const char *text);

struct buf;
void expr_print(struct buf *out, const struct exprs *t, expr x);

#endif
