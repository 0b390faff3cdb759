/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ARM, Thumb and AArch64 instructions from bit patterns, most significant bit first.
 *
 * In a pattern: 0 1 fixed bits; x any; letters are fields, their bits in order of appearance:
 *   d  register written (never a pointer, index or reserved one)     n m a  register read (any but the reserved one)
 *   B  register holding a pointer into the data page                 I  register holding a small index
 *   V U T  vector register                                           c  condition (ARM: never 1111)
 *   r  register read whose number stands in the instruction twice
 * Spaces are ignored. A leading word F says that NaN payloads may differ, E that the result is an estimate. A Thumb pattern has 16 or 32 bits;
 * the first halfword comes first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

static unsigned pick_register(struct generator *g, char field)
{
    static const uint8_t arm_write[] = {0, 1, 2, 3, 4, 8, 10, 11, 12, 14}, arm_base[] = {6, 7, 13}, thumb_write[] = {0, 1, 2, 3, 4},
                         thumb_base[] = {6, 7}, a64_base[] = {19, 20, 21, 22, 31};
    uint64_t r = random_next(&g->seed);
    unsigned v;
    switch (field) {
    case 'd':
        if (g->isa == ISA_AARCH64) {
            do
                v = (unsigned)(random_next(&g->seed) % 31);
            while ((v >= 19 && v <= 23) || v == 28);
            return v;
        }
        return arm_write[r % sizeof arm_write];
    case 'l': return thumb_write[r % sizeof thumb_write];
    case 'B': return g->isa == ISA_AARCH64 ? a64_base[r % 5] : arm_base[r % 3];
    case 'b': return thumb_base[r % 2];
    case 'I': return g->isa == ISA_AARCH64 ? 23 : 5;
    default:
        if (g->isa == ISA_AARCH64)
            return (unsigned)((r %= 32) == 28 ? 0 : r);
        return (unsigned)((r %= 13) == 9 ? 12 : r);
    }
}

static uint32_t field_value(struct generator *g, char field)
{
    switch (field) {
    case 'd':
    case 'l':
    case 'n':
    case 'm':
    case 'a':
    case 'B':
    case 'b':
    case 'r':
    case 'I': return pick_register(g, field);
    case 'c': {
        uint64_t r = random_next(&g->seed);
        return r % 4 ? 14 : (uint32_t)(r >> 8) % 15;
    }
    default: return (uint32_t)random_next(&g->seed);
    }
}

static const char *next_pattern(struct generator *g)
{
    unsigned count = generate_pattern_count(g->isa);
    return generate_pattern_text(g->isa, g->only ? g->only - 1 : (unsigned)(random_next(&g->seed) % count));
}

bool generate_arm(struct generator *g, uint8_t *code, uint32_t *len, struct case_notes *notes)
{
    const char *p = next_pattern(g);
    uint32_t word = 0, value[128], used[128] = {0};
    bool chosen[128] = {false};
    unsigned bits = 0, width[128] = {0};
    if (*p == 'F' || *p == 'E') {
        notes->any_nan = true;
        notes->approximate |= *p == 'E';
        p++;
    }
    for (const char *s = p; *s; s++)
        if (*s != ' ')
            width[(unsigned char)*s]++;
    for (const char *s = p; *s; s++) {
        if (*s == ' ')
            continue;
        unsigned char f = (unsigned char)*s;
        uint32_t bit;
        if (f == '0' || f == '1') {
            bit = f == '1';
        } else if (f == 'x') {
            bit = random_next(&g->seed) >> 40 & 1;
        } else {
            if (!chosen[f]) {
                value[f] = field_value(g, (char)f);
                chosen[f] = true;
            }
            unsigned position = width[f] - 1 - used[f]++;
            bit = value[f] >> (f == 'r' ? position % 4 : position) & 1;
        }
        word = word << 1 | bit;
        bits++;
    }
    if (bits != 16 && bits != 32) {
        fprintf(stderr, "pattern of %u bits: %s\n", bits, p);
        abort();
    }
    unsigned n = bits / 8;
    if (*len + n > CASE_CODE_BYTES)
        return false;
    uint32_t out = g->isa == ISA_THUMB && bits == 32 ? word << 16 | word >> 16 : word;
    memcpy(code + *len, &out, n);
    *len += n;
    return true;
}
