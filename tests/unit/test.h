/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every cmocka test includes, and a reproducible source of random numbers. */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline uint64_t test_random(uint64_t *seed)
{
    uint64_t x = *seed;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *seed = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

#endif
