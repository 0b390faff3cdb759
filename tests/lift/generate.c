/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate.h"

#include <stddef.h>
#include <string.h>

const char *const isa_name[ISA_COUNT] = {"x86-64", "i386", "arm", "thumb", "aarch64"};

uint64_t random_next(uint64_t *seed)
{
    uint64_t x = *seed;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *seed = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

static const char *const *patterns_of(enum isa isa)
{
    switch (isa) {
    case ISA_ARM: return patterns_arm;
    case ISA_THUMB: return patterns_thumb;
    case ISA_AARCH64: return patterns_arm64;
    default: return patterns_x86;
    }
}

unsigned generate_pattern_count(enum isa isa)
{
    unsigned n = 0;
    while (patterns_of(isa)[n])
        n++;
    return n;
}

const char *generate_pattern_text(enum isa isa, unsigned i)
{
    return patterns_of(isa)[i];
}

static uint64_t interesting(uint64_t *seed)
{
    static const uint64_t corner[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                                      UINT64_C(0x7fffffffffffffff), UINT64_C(0x8000000000000000), UINT64_MAX};
    uint64_t r = random_next(seed);
    switch (r % 4) {
    case 0: return corner[(r >> 8) % (sizeof corner / sizeof *corner)];
    case 1: return (r >> 8) % 64;
    default: return random_next(seed);
    }
}

/* Vector contents: raw bits, small integers in lanes, or ordinary floating-point numbers. */
static void fill_vector(uint64_t *seed, uint8_t *v)
{
    static const float singles[] = {0.0f, -0.0f, 1.0f, -1.0f, 1.5f, 2.5f, -3.75f, 1e10f, -1e-10f, 65504.0f, 2147483648.0f, 0.1f};
    static const double doubles[] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e100, -1e-100, 4294967296.0, 9.2e18, 0.1, 3.0};
    uint64_t kind = random_next(seed) % 4;
    for (unsigned i = 0; i < CASE_VECTOR_BYTES; i += 8) {
        uint64_t r = random_next(seed);
        if (kind == 0) {
            r = interesting(seed);
        } else if (kind == 1) {
            float f[2] = {singles[r % 12], singles[(r >> 20) % 12]};
            memcpy(&r, f, 8);
        } else if (kind == 2) {
            memcpy(&r, &doubles[r % 12], 8);
        }
        memcpy(v + i, &r, 8);
    }
}

/* Registers that always hold a pointer into the data page (generated code changes them only by small amounts), and
 * one that holds a small index. */
static bool is_pointer(enum isa isa, unsigned r)
{
    switch (isa) {
    case ISA_X86_64:
    case ISA_I386: return r >= 4 && r <= 7;
    case ISA_AARCH64: return (r >= 19 && r <= 22) || r == 31;
    default: return r == 6 || r == 7 || r == 13;
    }
}

static bool is_index(enum isa isa, unsigned r)
{
    return isa == ISA_AARCH64 ? r == 23 : isa == ISA_ARM || isa == ISA_THUMB ? r == 5 : r == 3;
}

static void random_state(struct generator *g, struct machine_state *s)
{
    bool wide = g->isa == ISA_X86_64 || g->isa == ISA_AARCH64;
    memset(s, 0, sizeof *s);
    unsigned gprs = g->isa == ISA_AARCH64 ? 32 : g->isa == ISA_I386 ? 8 : g->isa == ISA_X86_64 ? 16 : 15;
    unsigned vectors = g->isa == ISA_AARCH64 ? 32 : g->isa == ISA_I386 ? 8 : 16;
    for (unsigned i = 0; i < gprs; i++) {
        uint64_t v = interesting(&g->seed);
        if (is_pointer(g->isa, i))
            v = CASE_DATA + 1024 + random_next(&g->seed) % 64 * 32;
        else if (is_index(g->isa, i))
            v = random_next(&g->seed) % 8;
        s->gpr[i] = wide ? v : (uint32_t)v;
    }
    if (g->isa == ISA_AARCH64)
        s->gpr[28] = CASE_CONTEXT;
    if (g->isa == ISA_ARM || g->isa == ISA_THUMB)
        s->gpr[9] = CASE_CONTEXT;
    uint64_t f = random_next(&g->seed);
    s->flags = g->isa == ISA_X86_64 || g->isa == ISA_I386 ? (f & 0x8d5) | 0x202 : (f & 0xf) << 28;
    for (unsigned i = 0; i < vectors; i++) {
        fill_vector(&g->seed, s->vector[i]);
        if (g->isa != ISA_X86_64)
            memset(s->vector[i] + 16, 0, 16);
    }
}

static bool generate_one(struct generator *g, struct diff_case *c, struct case_notes *notes)
{
    if (g->isa == ISA_X86_64 || g->isa == ISA_I386)
        return generate_x86(g, g->isa == ISA_X86_64, c->code, &c->code_len, &notes->undefined_flags, notes);
    return generate_arm(g, c->code, &c->code_len, notes);
}

static void put(struct diff_case *c, uint32_t word, unsigned bytes)
{
    memcpy(c->code + c->code_len, &word, bytes);
    c->code_len += bytes;
}

/* A conditional branch over the next instruction, or a Thumb IT in front of it. */
static bool generate_skipped(struct generator *g, struct diff_case *c, struct case_notes *notes)
{
    if (c->code_len + 4 > CASE_CODE_BYTES)
        return false;
    uint32_t start = c->code_len, r = (uint32_t)random_next(&g->seed), cond = r % 14;
    uint64_t undefined = notes->undefined_flags;
    bool it = g->isa == ISA_THUMB && r >> 8 & 1;
    switch (g->isa) {
    case ISA_X86_64:
    case ISA_I386:
        if (undefined)
            put(c, 0xc839, 2); /* cmp eax, ecx */
        undefined = 0;
        notes->undefined_flags = 0;
        put(c, 0x70 | r % 16, 2);
        break;
    case ISA_ARM: put(c, cond << 28 | 0x0a000000, 4); break;
    case ISA_THUMB: put(c, it ? 0xbf08 | cond << 4 : 0xd000 | cond << 8, 2); break;
    default:
        if (r >> 8 & 1) /* b.cond */
            put(c, 0x54000040 | cond, 4);
        else if (r >> 9 & 1) /* cbz, cbnz */
            put(c, 0x34000040 | (r >> 10 & 0x81) << 24 | (r >> 16) % 19, 4);
        else /* tbz, tbnz */
            put(c, 0x36000040 | (r >> 10 & 0x81) << 24 | (r >> 20 & 31) << 19 | (r >> 14) % 19, 4);
        break;
    }
    uint32_t next = c->code_len;
    if (!generate_one(g, c, notes)) {
        c->code_len = start;
        return false;
    }
    uint32_t skipped = c->code_len - next;
    if (g->isa == ISA_X86_64 || g->isa == ISA_I386)
        c->code[next - 1] = (uint8_t)skipped;
    else if (g->isa == ISA_THUMB && !it)
        c->code[next - 2] = (uint8_t)(skipped / 2 - 1);
    notes->undefined_flags |= undefined;
    return true;
}

void generate_state(struct generator *g, struct diff_case *c)
{
    memset(c, 0, sizeof *c);
    c->thumb = g->isa == ISA_THUMB;
    c->data_seed = random_next(&g->seed) | 1;
    random_state(g, &c->before);
}

void generate_case(struct generator *g, unsigned most, struct diff_case *c, struct case_notes *notes)
{
    memset(notes, 0, sizeof *notes);
    generate_state(g, c);
    unsigned n = 1 + (unsigned)(random_next(&g->seed) % most);
    for (unsigned i = 0; i < n; i++) {
        if (!(random_next(&g->seed) % 6 == 0 ? generate_skipped : generate_one)(g, c, notes))
            break;
    }
}
