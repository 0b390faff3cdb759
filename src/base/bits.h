/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Concrete bit-vectors of up to 512 bits: the meaning of the operators of base/op.h.
 *
 * A `bits` is eight 64-bit words, least significant first. The width is passed separately; bits at and above
 * the width are zero (every function here keeps that, and expects it). The interpreter, constant folding and
 * the model checker all use this file and nothing else to compute, so there is one meaning to test. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/op.h"

struct bits {
    uint64_t w[OP_MAX_WIDTH / 64];
};

/* All ones in this many bits, in one word. */
static inline uint64_t word_ones(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

struct bits bits_u64(uint64_t x, unsigned width);  /* truncated to width */
struct bits bits_ones(unsigned width);             /* all ones */
struct bits bits_mask(struct bits x, unsigned width);
bool bits_eq(struct bits a, struct bits b);
bool bits_is_zero(struct bits a);
bool bits_bit(struct bits a, unsigned i);
uint64_t bits_low(struct bits a); /* the low 64 bits */
/* True when the value fits in 64 bits; then *x is it. */
bool bits_to_u64(struct bits a, uint64_t *x);

struct bits bits_from_bytes(const uint8_t *p, size_t n);       /* little-endian, n <= 64 */
void bits_to_bytes(struct bits a, uint8_t *p, size_t n);       /* little-endian */

/* Applies an operator. `width` is the result's; arg_width[i] the operands'. For OP_EXTRACT, lo is the low bit.
 * The widths must satisfy op_check. */
struct bits bits_apply(enum op op, unsigned width, const struct bits *arg, const unsigned *arg_width, unsigned lo);

/* The same of words. False: it is not an operator on integers, or a width is above 64. */
bool bits_apply_word(enum op op, unsigned width, const uint64_t *arg, const unsigned *arg_width, unsigned lo,
                     uint64_t *out);

/* The same of n values at once, each in one word: out[i] of arg[0][i], arg[1][i], ... False: it is not an operator on
 * integers, or a width is above 64. */
bool bits_apply_words(enum op op, unsigned width, const uint64_t *const *arg, const unsigned *arg_width, unsigned lo,
                      size_t n, uint64_t *out);

/* ---- arithmetic on all 512 bits, modulo 2^512: what the operators and base/fp.c are made of ---- */
struct bits bits_add(struct bits a, struct bits b);
struct bits bits_sub(struct bits a, struct bits b);
struct bits bits_mul(struct bits a, struct bits b);
struct bits bits_shl(struct bits a, unsigned n);  /* n >= 512: 0 */
struct bits bits_lshr(struct bits a, unsigned n); /* n >= 512: 0 */
int bits_ucmp(struct bits a, struct bits b);      /* -1, 0, 1 */
unsigned bits_len(struct bits a);                 /* position of the highest one plus 1; 0 for 0 */
void bits_udivrem(struct bits a, struct bits b, struct bits *quot, struct bits *rem); /* b != 0 */
struct bits bits_sext(struct bits a, unsigned from, unsigned to);

/* "0x1f" style, no leading zeros. */
size_t bits_format_hex(struct bits a, unsigned width, char *out, size_t cap);
/* Reads hexadecimal digits (no prefix); false when a digit is bad or the value does not fit width. */
bool bits_parse_hex(const char *s, size_t n, unsigned width, struct bits *out);

#endif
