/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms in the words of the program they come from.
 *
 *     png->width * 32    "empty order"    s[i] == '\n'    strlen(name) + 1    *(int *)(arg0 + 8)
 *
 * For people: names of parameters and fields where debug information has them, of globals and functions where
 * there are symbols, contents of strings. It is short rather than exact: conversions that C would do by
 * itself and the state of memory that a read sees are left out, and what is deep or long is cut with "...".
 * Nothing is to be concluded from two texts being the same. */
#ifndef TELL_WORDS_H
#define TELL_WORDS_H

#include "base/buf.h"
#include "flow/flow.h"
#include "term/term.h"

struct words;

/* Keeps references to all three. f is the function whose arguments arg0, arg1, ... are; it may be NULL. */
struct words *words_new(struct terms *t, struct program *p, const struct flow_function *f);
void words_free(struct words *w);

/* From now on `text` (copied) is written wherever the term occurs. */
void words_call(struct words *w, term x, const char *text);

/* For terms in which addresses are written in a way of their own: the address that x is, and of which program
 * (*of is the one given above when it is called); false when it is none. A number that is the address of a
 * function, a symbol or a string is taken for it when there is no such function, or when `guess` says so. */
typedef bool words_address_fn(void *ctx, term x, struct program **of, uint64_t *address);
void words_addresses(struct words *w, words_address_fn *fn, void *ctx, bool guess);

/* The state of memory that a read sees is left out, so different things may be written alike. Those among the
 * parts of these terms say from now on which they are: `n at entry`, `n after fill`, `next() (call 2)`. n is
 * 0: nothing does any more. */
void words_tell_apart(struct words *w, const term *x, size_t n);

void words_term(struct buf *out, struct words *w, term x);
/* As one of several things that all hold, joined by &&; false when something of it had to be left out. */
bool words_part(struct buf *out, struct words *w, term x);
/* As words_term, cut only when it is very long, and with the calls that memory comes from: for keys. */
void words_exactly(struct buf *out, struct words *w, term x);
/* What is there, as something that can be assigned to: "png->width", "g_count", "*(int *)(arg0 + 8)". */
void words_place(struct buf *out, struct words *w, term address, unsigned bytes);
/* An address of the program: "g_table + 16", "\"empty order\"", "0x1234". */
void words_address(struct buf *out, struct words *w, uint64_t address);

/* Goes from two terms down to the smallest parts that make the difference, but not down to bare numbers:
 * of png->width * 32 + x and png->width * 8 + x that is png->width * 32 and png->width * 8. What is read and
 * what a callee returns are not gone into. */
void words_smallest(const struct terms *t, term *a, term *b);

#endif
