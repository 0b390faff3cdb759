/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arm's reciprocal and reciprocal square root estimates, which the architecture defines to the bit (Arm Architecture
 * Reference Manual, shared pseudocode FPRecipEstimate, FPRSqrtEstimate, UnsignedRecipEstimate and
 * UnsignedRSqrtEstimate). */
#include "lift/vex/pure_eval.h"

/* RecipEstimate: 256 <= a < 512, so is the result. */
static unsigned recip_estimate(unsigned a)
{
    a = a * 2 + 1;
    return ((1u << 19) / a + 1) / 2;
}

/* RecipSqrtEstimate: 128 <= a < 512, 256 <= result < 512. */
static unsigned rsqrt_estimate(unsigned a)
{
    a = a < 256 ? a * 2 + 1 : ((a >> 1 << 1) + 1) * 2;
    unsigned b = 512;
    while (a * (b + 1) * (b + 1) < 1u << 28)
        b++;
    return (b + 1) / 2;
}

/* A float taken apart; the fraction is left-aligned in 52 bits whatever the format. */
struct parts {
    unsigned fraction_bits;
    int max_exponent;
    uint64_t sign;
    int exponent;
    uint64_t fraction;
};

static struct parts take_apart(uint64_t x, unsigned width)
{
    struct parts p;
    p.fraction_bits = width == 32 ? 23 : 52;
    p.max_exponent = width == 32 ? 0xff : 0x7ff;
    p.sign = x >> (width - 1) & 1;
    p.exponent = (int)(x >> p.fraction_bits) & p.max_exponent;
    p.fraction = (x & ((UINT64_C(1) << p.fraction_bits) - 1)) << (52 - p.fraction_bits);
    return p;
}

static struct bits put_together(struct parts p, unsigned width)
{
    uint64_t x = p.sign << (width - 1) | (uint64_t)p.exponent << p.fraction_bits |
                 p.fraction >> (52 - p.fraction_bits);
    return bits_u64(x, width);
}

static const uint64_t fraction_mask = (UINT64_C(1) << 52) - 1;
static const uint64_t fraction_top = UINT64_C(1) << 51;

static struct bits special(struct parts p, unsigned width, int exponent, uint64_t fraction)
{
    p.exponent = exponent;
    p.fraction = fraction;
    return put_together(p, width);
}

static struct bits frecpe(uint64_t x, unsigned width)
{
    struct parts p = take_apart(x, width);
    if (p.exponent == p.max_exponent)
        return p.fraction ? special(p, width, p.max_exponent, p.fraction | fraction_top) : special(p, width, 0, 0);
    /* Zero, and what is so small that its reciprocal overflows. */
    if (p.exponent == 0 && p.fraction < fraction_top >> 1)
        return special(p, width, p.max_exponent, 0);
    if (p.exponent == 0) {
        if (p.fraction & fraction_top) {
            p.fraction = p.fraction << 1 & fraction_mask;
        } else {
            p.exponent = -1;
            p.fraction = p.fraction << 2 & fraction_mask;
        }
    }
    unsigned estimate = recip_estimate(256 | (unsigned)(p.fraction >> 44));
    p.exponent = p.max_exponent - 2 - p.exponent;
    p.fraction = (uint64_t)(estimate & 0xff) << 44;
    if (p.exponent == 0) {
        p.fraction = fraction_top | p.fraction >> 1;
    } else if (p.exponent == -1) {
        p.fraction = fraction_top >> 1 | p.fraction >> 2;
        p.exponent = 0;
    }
    return put_together(p, width);
}

static struct bits frsqrte(uint64_t x, unsigned width)
{
    struct parts p = take_apart(x, width);
    if (p.exponent == p.max_exponent && p.fraction)
        return special(p, width, p.max_exponent, p.fraction | fraction_top);
    if (p.exponent == 0 && p.fraction == 0)
        return special(p, width, p.max_exponent, 0);
    if (p.sign) {
        p.sign = 0;
        return special(p, width, p.max_exponent, fraction_top);
    }
    if (p.exponent == p.max_exponent)
        return special(p, width, 0, 0);
    if (p.exponent == 0) {
        while (!(p.fraction & fraction_top)) {
            p.fraction <<= 1;
            p.exponent--;
        }
        p.fraction = p.fraction << 1 & fraction_mask;
    }
    unsigned scaled = p.exponent & 1 ? 128 | (unsigned)(p.fraction >> 45) : 256 | (unsigned)(p.fraction >> 44);
    unsigned estimate = rsqrt_estimate(scaled);
    p.exponent = ((width == 32 ? 380 : 3068) - p.exponent) / 2;
    p.fraction = (uint64_t)(estimate & 0xff) << 44;
    return put_together(p, width);
}

struct bits vex_eval_ARM_RECIP_EST_F32(const struct bits *a)
{
    return frecpe(a[0].w[0], 32);
}

struct bits vex_eval_ARM_RECIP_EST_F64(const struct bits *a)
{
    return frecpe(a[0].w[0], 64);
}

struct bits vex_eval_ARM_RSQRT_EST_F32(const struct bits *a)
{
    return frsqrte(a[0].w[0], 32);
}

struct bits vex_eval_ARM_RSQRT_EST_F64(const struct bits *a)
{
    return frsqrte(a[0].w[0], 64);
}

struct bits vex_eval_ARM_RECIP_EST_U32(const struct bits *a)
{
    uint64_t x = a[0].w[0];
    if (x >> 31 == 0)
        return bits_ones(32);
    return bits_u64((uint64_t)recip_estimate((unsigned)(x >> 23)) << 23, 32);
}

struct bits vex_eval_ARM_RSQRT_EST_U32(const struct bits *a)
{
    uint64_t x = a[0].w[0];
    if (x >> 30 == 0)
        return bits_ones(32);
    return bits_u64((uint64_t)rsqrt_estimate((unsigned)(x >> 23)) << 23, 32);
}
