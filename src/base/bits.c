/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/bits.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/fp.h"

__extension__ typedef unsigned __int128 u128;

enum { WORDS = OP_MAX_WIDTH / 64 };

static uint64_t mask64(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static int64_t signed64(uint64_t x, unsigned width)
{
    return width >= 64 ? (int64_t)x : (int64_t)(x << (64 - width)) >> (64 - width);
}

struct bits bits_u64(uint64_t x, unsigned width)
{
    struct bits r = {{x & mask64(width)}};
    return r;
}

struct bits bits_mask(struct bits x, unsigned width)
{
    for (unsigned i = 0; i < WORDS; i++) {
        if (width <= i * 64)
            x.w[i] = 0;
        else
            x.w[i] &= mask64(width - i * 64);
    }
    return x;
}

struct bits bits_ones(unsigned width)
{
    struct bits r;
    memset(&r, 0xff, sizeof r);
    return bits_mask(r, width);
}

bool bits_eq(struct bits a, struct bits b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

bool bits_is_zero(struct bits a)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < WORDS; i++)
        any |= a.w[i];
    return any == 0;
}

bool bits_bit(struct bits a, unsigned i)
{
    assert(i < OP_MAX_WIDTH);
    return a.w[i / 64] >> (i % 64) & 1;
}

uint64_t bits_low(struct bits a)
{
    return a.w[0];
}

bool bits_to_u64(struct bits a, uint64_t *x)
{
    uint64_t high = 0;
    for (unsigned i = 1; i < WORDS; i++)
        high |= a.w[i];
    *x = a.w[0];
    return high == 0;
}

struct bits bits_from_bytes(const uint8_t *p, size_t n)
{
    assert(n <= OP_MAX_WIDTH / 8);
    struct bits r = {{0}};
    for (size_t i = 0; i < n; i++)
        r.w[i / 8] |= (uint64_t)p[i] << (i % 8 * 8);
    return r;
}

void bits_to_bytes(struct bits a, uint8_t *p, size_t n)
{
    assert(n <= OP_MAX_WIDTH / 8);
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(a.w[i / 8] >> (i % 8 * 8));
}

struct bits bits_add(struct bits a, struct bits b)
{
    u128 carry = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        carry += (u128)a.w[i] + b.w[i];
        a.w[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

static struct bits bits_not(struct bits a)
{
    for (unsigned i = 0; i < WORDS; i++)
        a.w[i] = ~a.w[i];
    return a;
}

struct bits bits_sub(struct bits a, struct bits b)
{
    uint64_t borrow = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        uint64_t d = a.w[i] - b.w[i], d2 = d - borrow;
        borrow = (a.w[i] < b.w[i]) | (d < borrow);
        a.w[i] = d2;
    }
    return a;
}

struct bits bits_mul(struct bits a, struct bits b)
{
    struct bits r = {{0}};
    for (unsigned i = 0; i < WORDS; i++) {
        if (!a.w[i])
            continue;
        u128 carry = 0;
        for (unsigned j = 0; i + j < WORDS; j++) {
            carry += (u128)a.w[i] * b.w[j] + r.w[i + j];
            r.w[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
    }
    return r;
}

struct bits bits_shl(struct bits a, unsigned n)
{
    struct bits r = {{0}};
    unsigned word = n / 64, bit = n % 64;
    for (unsigned i = word; i < WORDS; i++) {
        r.w[i] = a.w[i - word] << bit;
        if (bit && i > word)
            r.w[i] |= a.w[i - word - 1] >> (64 - bit);
    }
    return r;
}

struct bits bits_lshr(struct bits a, unsigned n)
{
    struct bits r = {{0}};
    unsigned word = n / 64, bit = n % 64;
    for (unsigned i = 0; i + word < WORDS; i++) {
        r.w[i] = a.w[i + word] >> bit;
        if (bit && i + word + 1 < WORDS)
            r.w[i] |= a.w[i + word + 1] << (64 - bit);
    }
    return r;
}

int bits_ucmp(struct bits a, struct bits b)
{
    for (unsigned i = WORDS; i-- > 0;)
        if (a.w[i] != b.w[i])
            return a.w[i] < b.w[i] ? -1 : 1;
    return 0;
}

unsigned bits_len(struct bits a)
{
    for (unsigned i = WORDS; i-- > 0;)
        if (a.w[i])
            return i * 64 + 64 - (unsigned)__builtin_clzll(a.w[i]);
    return 0;
}

void bits_udivrem(struct bits a, struct bits b, struct bits *quot, struct bits *rem)
{
    struct bits q = {{0}};
    unsigned la = bits_len(a), lb = bits_len(b);
    assert(lb > 0);
    if (la <= 64 && lb <= 64) {
        *quot = bits_u64(a.w[0] / b.w[0], 64);
        *rem = bits_u64(a.w[0] % b.w[0], 64);
        return;
    }
    if (la >= lb) {
        struct bits d = bits_shl(b, la - lb);
        for (unsigned i = la - lb + 1; i-- > 0;) {
            if (bits_ucmp(a, d) >= 0) {
                a = bits_sub(a, d);
                q.w[i / 64] |= UINT64_C(1) << (i % 64);
            }
            d = bits_lshr(d, 1);
        }
    }
    *quot = q;
    *rem = a;
}

struct bits bits_sext(struct bits a, unsigned from, unsigned to)
{
    if (!bits_bit(a, from - 1))
        return a;
    struct bits high = bits_shl(bits_ones(OP_MAX_WIDTH), from);
    for (unsigned i = 0; i < WORDS; i++)
        a.w[i] |= high.w[i];
    return bits_mask(a, to);
}

/* The same operators on numbers that fit a machine word: most of what programs compute. False: not handled here. Inline, so
 * that a loop over many values knows the operator. */
static inline __attribute__((always_inline)) bool apply64(enum op op, unsigned width, uint64_t a, uint64_t b,
                                                          const unsigned *arg_width, unsigned lo, uint64_t *out)
{
    unsigned aw = arg_width[0];
    switch (op) {
    case OP_NOT: *out = ~a; break;
    case OP_NEG: *out = -a; break;
    case OP_ADD: *out = a + b; break;
    case OP_SUB: *out = a - b; break;
    case OP_MUL: *out = a * b; break;
    case OP_UDIV: *out = b ? a / b : UINT64_MAX; break;
    case OP_UREM: *out = b ? a % b : a; break;
    case OP_SDIV: {
        int64_t x = signed64(a, aw), y = signed64(b, aw);
        *out = y == 0 ? (x < 0 ? 1 : UINT64_MAX) : y == -1 ? -(uint64_t)x : (uint64_t)(x / y);
        break;
    }
    case OP_SREM: {
        int64_t x = signed64(a, aw), y = signed64(b, aw);
        *out = y == 0 ? (uint64_t)x : y == -1 ? 0 : (uint64_t)(x % y);
        break;
    }
    case OP_AND: *out = a & b; break;
    case OP_OR: *out = a | b; break;
    case OP_XOR: *out = a ^ b; break;
    case OP_SHL: *out = b >= width ? 0 : a << b; break;
    case OP_LSHR: *out = b >= width ? 0 : a >> b; break;
    case OP_ASHR: *out = (uint64_t)(signed64(a, aw) >> (b >= width ? width - 1 : b)); break;
    case OP_EQ: *out = a == b; break;
    case OP_ULT: *out = a < b; break;
    case OP_ULE: *out = a <= b; break;
    case OP_SLT: *out = signed64(a, aw) < signed64(b, aw); break;
    case OP_SLE: *out = signed64(a, aw) <= signed64(b, aw); break;
    case OP_CONCAT: *out = a << arg_width[1] | b; break;
    case OP_EXTRACT: *out = a >> lo; break;
    case OP_ZEXT: *out = a; break;
    case OP_SEXT: *out = (uint64_t)signed64(a, aw); break;
    case OP_CLZ: *out = a ? (uint64_t)__builtin_clzll(a) - (64 - width) : width; break;
    case OP_CTZ: *out = a ? (uint64_t)__builtin_ctzll(a) : width; break;
    case OP_POPCNT: *out = (uint64_t)__builtin_popcountll(a); break;
    default: return false;
    }
    *out &= mask64(width);
    return true;
}

static bool negative(struct bits a, unsigned width)
{
    return bits_bit(a, width - 1);
}

static struct bits negate(struct bits a, unsigned width)
{
    return bits_mask(bits_sub((struct bits){{0}}, a), width);
}

static struct bits divide(enum op op, unsigned width, struct bits a, struct bits b)
{
    struct bits q, r;
    bool is_signed = op == OP_SDIV || op == OP_SREM;
    bool na = is_signed && negative(a, width), nb = is_signed && negative(b, width);
    if (bits_is_zero(b)) {
        if (op == OP_UREM || op == OP_SREM)
            return a;
        return na ? bits_u64(1, width) : bits_ones(width);
    }
    bits_udivrem(na ? negate(a, width) : a, nb ? negate(b, width) : b, &q, &r);
    if (op == OP_UDIV || op == OP_SDIV)
        return na != nb ? negate(q, width) : q;
    return na ? negate(r, width) : r;
}

static struct bits shift(enum op op, unsigned width, struct bits a, struct bits b)
{
    uint64_t n;
    if (!bits_to_u64(b, &n) || n >= width)
        return op == OP_ASHR && negative(a, width) ? bits_ones(width) : (struct bits){{0}};
    if (op == OP_SHL)
        return bits_mask(bits_shl(a, (unsigned)n), width);
    struct bits r = bits_lshr(a, (unsigned)n);
    return op == OP_ASHR ? bits_sext(r, width - (unsigned)n, width) : r;
}

static int signed_compare(struct bits a, struct bits b, unsigned width)
{
    bool na = negative(a, width), nb = negative(b, width);
    return na != nb ? (na ? -1 : 1) : bits_ucmp(a, b);
}

static struct bits bits_count(enum op op, unsigned width, struct bits a)
{
    unsigned n = 0;
    if (op == OP_CLZ) {
        n = width - bits_len(a);
    } else if (op == OP_POPCNT) {
        for (unsigned i = 0; i < WORDS; i++)
            n += (unsigned)__builtin_popcountll(a.w[i]);
    } else {
        while (n < width && !bits_bit(a, n))
            n++;
    }
    return bits_u64(n, width);
}

bool bits_apply_word(enum op op, unsigned width, const uint64_t *arg, const unsigned *arg_width, unsigned lo,
                     uint64_t *out)
{
    assert(!op_check(op, width, arg_width, lo));
    if (width > 64 || arg_width[0] > 64)
        return false;
    if (op == OP_ITE) {
        *out = arg[0] ? arg[1] : arg[2];
        return true;
    }
    return apply64(op, width, arg[0], op_info[op].arity > 1 ? arg[1] : 0, arg_width, lo, out);
}

struct bits bits_apply(enum op op, unsigned width, const struct bits *arg, const unsigned *arg_width, unsigned lo)
{
    assert(!op_check(op, width, arg_width, lo));
    if (op == OP_ITE)
        return bits_low(arg[0]) ? arg[1] : arg[2];
    uint64_t small;
    struct bits a = arg[0], b = op_info[op].arity > 1 ? arg[1] : (struct bits){{0}};
    if (width <= 64 && arg_width[0] <= 64 && apply64(op, width, a.w[0], b.w[0], arg_width, lo, &small)) {
        struct bits r = {{small}};
        return r;
    }
    switch (op) {
    case OP_NOT: return bits_mask(bits_not(a), width);
    case OP_NEG: return negate(a, width);
    case OP_ADD: return bits_mask(bits_add(a, b), width);
    case OP_SUB: return bits_mask(bits_sub(a, b), width);
    case OP_MUL: return bits_mask(bits_mul(a, b), width);
    case OP_UDIV:
    case OP_UREM:
    case OP_SDIV:
    case OP_SREM: return divide(op, width, a, b);
    case OP_AND:
        for (unsigned i = 0; i < WORDS; i++)
            a.w[i] &= b.w[i];
        return a;
    case OP_OR:
        for (unsigned i = 0; i < WORDS; i++)
            a.w[i] |= b.w[i];
        return a;
    case OP_XOR:
        for (unsigned i = 0; i < WORDS; i++)
            a.w[i] ^= b.w[i];
        return a;
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR: return shift(op, width, a, b);
    case OP_EQ: return bits_u64(bits_eq(a, b), 1);
    case OP_ULT: return bits_u64(bits_ucmp(a, b) < 0, 1);
    case OP_ULE: return bits_u64(bits_ucmp(a, b) <= 0, 1);
    case OP_SLT: return bits_u64(signed_compare(a, b, arg_width[0]) < 0, 1);
    case OP_SLE: return bits_u64(signed_compare(a, b, arg_width[0]) <= 0, 1);
    case OP_CONCAT: {
        struct bits hi = bits_shl(a, arg_width[1]);
        for (unsigned i = 0; i < WORDS; i++)
            hi.w[i] |= b.w[i];
        return hi;
    }
    case OP_EXTRACT: return bits_mask(bits_lshr(a, lo), width);
    case OP_ZEXT: return a;
    case OP_SEXT: return bits_sext(a, arg_width[0], width);
    case OP_CLZ:
    case OP_CTZ:
    case OP_POPCNT: return bits_count(op, width, a);
    default: return fp_apply(op, width, arg, arg_width);
    }
}

static inline __attribute__((always_inline)) bool apply_each(enum op op, unsigned width, const uint64_t *const *arg,
                                                             const unsigned *arg_width, unsigned lo, size_t n,
                                                             uint64_t *out)
{
    const uint64_t *a = arg[0], *b = op_info[op].arity > 1 ? arg[1] : a;
    for (size_t i = 0; i < n; i++)
        if (!apply64(op, width, a[i], b[i], arg_width, lo, &out[i]))
            return false;
    return true;
}

bool bits_apply_words(enum op op, unsigned width, const uint64_t *const *arg, const unsigned *arg_width, unsigned lo,
                      size_t n, uint64_t *out)
{
    assert(!op_check(op, width, arg_width, lo));
    for (unsigned k = 0; k < op_info[op].arity; k++)
        if (arg_width[k] > 64)
            return false;
    if (width > 64)
        return false;
    if (op == OP_ITE) {
        for (size_t i = 0; i < n; i++)
            out[i] = arg[0][i] ? arg[1][i] : arg[2][i];
        return true;
    }
    switch (op) {
#define EACH(id, name, arity, shape) \
    case id: return apply_each(id, width, arg, arg_width, lo, n, out);
        OP_TABLE(EACH)
#undef EACH
    default: return false;
    }
}

size_t bits_format_hex(struct bits a, unsigned width, char *out, size_t cap)
{
    a = bits_mask(a, width);
    unsigned top = WORDS;
    while (top > 1 && !a.w[top - 1])
        top--;
    char text[OP_MAX_WIDTH / 4 + 3];
    int n = snprintf(text, sizeof text, "0x%llx", (unsigned long long)a.w[top - 1]);
    for (unsigned i = top - 1; i-- > 0;)
        n += snprintf(text + n, sizeof text - (size_t)n, "%016llx", (unsigned long long)a.w[i]);
    snprintf(out, cap, "%s", text);
    return (size_t)n;
}

bool bits_parse_hex(const char *s, size_t n, unsigned width, struct bits *out)
{
    struct bits r = {{0}};
    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = s[i];
        unsigned d;
        if (c >= '0' && c <= '9')
            d = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            d = (unsigned)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            d = (unsigned)(c - 'A' + 10);
        else
            return false;
        if (bits_len(r) > OP_MAX_WIDTH - 4)
            return false;
        r = bits_shl(r, 4);
        r.w[0] |= d;
    }
    *out = r;
    return bits_len(r) <= width;
}
