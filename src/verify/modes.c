/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the processor that the IR has no registers for, found by the bytes of the instructions that set
 * it: modes of SSE other than rounding, segment and system registers, and the precision of the x87 unit. */
#include <stdlib.h>
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"

enum { LONGEST = 15 }; /* instruction of x86 */

static bool is_x86(const struct ir_machine *m)
{
    return m->arch == MACHINE_AMD64 || m->arch == MACHINE_X86;
}

/* The bytes of an instruction; how many, 0: they are not there. */
static unsigned code_of(const struct pair_side *s, const struct ir_mark *mark, uint8_t code[LONGEST])
{
    return mark->length <= LONGEST && object_read(s->o, mark->address, code, mark->length) ? mark->length : 0;
}

/* Behind prefixes. */
static unsigned opcode_at(const struct ir_machine *m, const uint8_t *code, unsigned length)
{
    static const uint8_t prefix[] = {0x66, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65};
    unsigned i = 0;
    while (i < length &&
           (memchr(prefix, code[i], sizeof prefix) || (m->arch == MACHINE_AMD64 && code[i] >> 4 == 4)))
        i++;
    return i;
}

/* The group of ldmxcsr: that, fxrstor and xrstor load from memory, wrfsbase and wrgsbase from a register. */
static bool group_loads(uint8_t modrm)
{
    enum { REGISTERS = 0xc0 };
    unsigned which = modrm >> 3 & 7;
    return which == 2 || (modrm < REGISTERS ? which == 1 || which == 5 : which == 3);
}

static bool x86_loads(const struct ir_machine *m, const uint8_t *code, unsigned length)
{
    enum {
        TWO_BYTES = 0x0f,
        VEX_2 = 0xc5,
        VEX_3 = 0xc4,
        MOV_SEGMENT = 0x8e,
        GROUP = 0xae,
        SYSTEM = 0x01, /* xsetbv, wrpkru: with one operand each */
        XSETBV = 0xd1,
        WRPKRU = 0xef
    };
    static const uint8_t segment[] = {0xa1, 0xa9, 0xb2, 0xb4, 0xb5}; /* pop fs, pop gs, lss, lfs, lgs */
    unsigned i = opcode_at(m, code, length);
    if (i == length)
        return false;
    /* The segments of i386 are registers of the IR. */
    if (code[i] == MOV_SEGMENT)
        return m->arch == MACHINE_AMD64;
    bool two = code[i] == TWO_BYTES;
    i += two ? 1 : code[i] == VEX_2 ? 2 : code[i] == VEX_3 ? 3 : length;
    if (i >= length)
        return false;
    if (two && memchr(segment, code[i], sizeof segment))
        return m->arch == MACHINE_AMD64;
    if (i + 1 == length)
        return false;
    return code[i] == GROUP ? group_loads(code[i + 1])
                            : two && code[i] == SYSTEM && (code[i + 1] == XSETBV || code[i + 1] == WRPKRU);
}

/* msr, other than of the registers that the IR has. */
static bool arm64_loads(const uint8_t *code, unsigned length)
{
    static const uint32_t msr_mask = 0xfff00000, msr = 0xd5100000, immediate_mask = 0xfff8f01f,
                          immediate = 0xd500401f;
    enum {
        REGISTER = 0x1fffe0,
        NZCV = 0x1b4200,
        FPCR = 0x1b4400,
        FPSR = 0x1b4420,
        TPIDR_EL0 = 0x1bd040,
        FIELD = 0x700e0,
        AXFLAG = 0x40 /* the last of those that change flags only */
    };
    if (length != 4)
        return false;
    uint32_t word =
        (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
    uint32_t reg = word & REGISTER;
    if ((word & immediate_mask) == immediate)
        return (word & FIELD) > AXFLAG;
    return (word & msr_mask) == msr && reg != NZCV && reg != FPCR && reg != FPSR && reg != TPIDR_EL0;
}

/* Those that take the registers of the x87 unit as vectors. */
static bool is_mmx(const struct ir_machine *m, const uint8_t *code, unsigned length)
{
    enum { TWO_BYTES = 0x0f, WIDE = 0x66, REPEAT = 0xf3, REPEAT_NOT = 0xf2, MOVQ = 0xd6, CONVERT = 0x2a };
    unsigned i = opcode_at(m, code, length);
    if (i + 1 >= length || code[i] != TWO_BYTES)
        return false;
    bool wide = memchr(code, WIDE, i), repeat = memchr(code, REPEAT, i) || memchr(code, REPEAT_NOT, i);
    uint8_t op = code[i + 1];
    if (op == MOVQ)
        return repeat;
    if (op == CONVERT || op == CONVERT + 2 || op == CONVERT + 3)
        return !repeat;
    return !wide && !repeat &&
           ((op >= 0x60 && op <= 0x77) || op == 0x7e || op == 0x7f || op == 0x38 || op == 0x3a ||
            op == 0xc4 || op == 0xc5 || (op > 0xd0 && op < 0xff));
}

static bool loads(const struct ir_machine *m, const uint8_t *code, unsigned length)
{
    return m->arch == MACHINE_ARM64 ? arm64_loads(code, length) : is_x86(m) && x86_loads(m, code, length);
}

/* An instruction of the version is such a one. */
static bool any_of(const struct pair_side *s, const struct flow_graph *g,
                   bool (*is)(const struct ir_machine *, const uint8_t *, unsigned))
{
    for (uint32_t k = 0; k < g->nblocks; k++) {
        const struct ir_block *b = &g->block[k];
        for (uint32_t i = 0; i < b->nmark; i++) {
            uint8_t code[LONGEST];
            unsigned length = code_of(s, &b->mark[i], code);
            if (length && is(program_machine(s->p), code, length))
                return true;
        }
    }
    return false;
}

static bool any(const struct pair_side *s, bool (*is)(const struct ir_machine *, const uint8_t *, unsigned))
{
    return any_of(s, s->g, is);
}

bool modes_unlifted(const struct pair_side *s)
{
    return any(s, loads);
}

/* ---- rounding ---- */

static const struct flow_library_entry *library_of(const struct pair_side *s, const char *name)
{
    return name ? flow_library_find(program_library(s->p), name) : NULL;
}

static bool is_rounding(const struct pair_side *s, const char *name)
{
    const struct flow_library_entry *l = library_of(s, name);
    return l && l->attrs & LIBRARY_ROUNDING;
}

/* It computes a number that depends on how numbers are rounded, or calls a function of the library that does.
 */
static bool rounds(const struct pair_side *s, const struct flow_graph *g)
{
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const struct flow_library_entry *l = library_of(s, g->call[i].name);
        if (l && (l->returns_float || l->nfargs))
            return true;
    }
    for (uint32_t k = 0; k < g->nblocks; k++)
        for (uint32_t i = 0; i < g->block[k].ninsn; i++) {
            const uint8_t op = g->block[k].insn[i].op;
            const unsigned shape = op < OP_COUNT_ ? op_info[op].shape : OP_SHAPE_SAME;
            if (shape == OP_SHAPE_FROUND || shape == OP_SHAPE_F2F || shape == OP_SHAPE_F2I ||
                shape == OP_SHAPE_I2F)
                return true;
        }
    return false;
}

/* It calls a function of the library that changes how numbers are rounded, which the IR takes callees to
 * leave alone. */
static bool calls_rounding(const struct pair_side *s, const struct flow_graph *g)
{
    bool calls = false;
    for (uint32_t i = 0; i < g->ncalls && !calls; i++)
        calls = is_rounding(s, g->call[i].name);
    return calls;
}

/* The file has, or imports, such a function. */
static bool has_rounding(const struct pair_side *s)
{
    const struct object_symbol *y;
    size_t n = object_symbols(s->o, &y);
    bool has = false;
    for (size_t i = 0; i < n && !has; i++)
        has = is_rounding(s, y[i].name);
    return has;
}

bool modes_sets_rounding(const struct pair_side *s)
{
    enum { FAR = 256 };
    if (calls_rounding(s, s->g))
        return true;
    bool computes = rounds(s, s->g), sets = false;
    if (!computes && !has_rounding(s))
        return false;
    /* the functions of the file that it calls, and those that these call */
    VEC(const struct flow_graph *) way = VEC_INIT;
    struct map seen = {0};
    vec_push(&way, s->g);
    for (size_t i = 0; i < way.len && way.len < FAR && !(sets && computes); i++) {
        const struct flow_graph *g = way.data[i];
        computes = computes || rounds(s, g);
        sets = sets || calls_rounding(s, g) || any_of(s, g, loads);
        for (uint32_t k = 0; k < g->ncalls; k++) {
            const struct flow_function *f =
                g->call[k].target ? program_function_at(s->p, g->call[k].target) : NULL;
            const struct flow_graph *of = f && map_set(&seen, f->address, 1) ? flow_graph(s->p, f) : NULL;
            if (of)
                vec_push(&way, of);
        }
    }
    const bool many = way.len >= FAR;
    vec_free(&way);
    map_free(&seen);
    return (sets && computes) || (many && has_rounding(s));
}

bool modes_mmx(const struct pair_side *s)
{
    return is_x86(program_machine(s->p)) && any(s, is_mmx);
}

/* ---- signed return addresses of AArch64, which the IR takes for plain ones ---- */

enum { PLAIN = 1, SIGNED_A = 2, SIGNED_B = 4, BROKEN = 8 }; /* sets of what the link register may be */

/* paciasp, autiasp and the like, by either key, with the stack pointer or with zero. */
static unsigned sign(unsigned from, uint32_t word)
{
    enum { KEY_B = 0x40, CHECKS = 0x80 };
    if ((word & 0xffffff1f) != 0xd503231f)
        return from;
    unsigned is = word & KEY_B ? SIGNED_B : SIGNED_A, needs = word & CHECKS ? is : PLAIN;
    unsigned to = word & CHECKS ? PLAIN : is;
    return (from & needs ? to : 0u) | (from & ~needs ? BROKEN : 0u);
}

/* retaa and retab check what the others return to as it is. */
static unsigned wanted(uint32_t word)
{
    return word == 0xd65f0bff ? SIGNED_A : word == 0xd65f0fff ? SIGNED_B : PLAIN;
}

static bool leaves(const struct flow_graph *g, uint32_t block)
{
    bool tail = false;
    for (uint32_t i = 0; i < g->ncalls && !tail; i++)
        tail = g->call[i].block == block &&
               (g->call[i].kind == CALL_TAIL || g->call[i].kind == CALL_TAIL_INDIRECT);
    return tail || g->block[block].end.kind == IR_END_RET;
}

bool modes_return_signed(const struct pair_side *s)
{
    const struct flow_graph *g = s->g;
    bool found = false;
    if (program_machine(s->p)->arch != MACHINE_ARM64 || !g->nblocks)
        return false;
    uint8_t *in = xcalloc(g->nblocks, 1);
    VEC(uint32_t) todo = VEC_INIT;
    in[0] = PLAIN;
    vec_push(&todo, 0);
    while (todo.len && !found) {
        uint32_t at = vec_pop(&todo), word = 0;
        unsigned state = in[at];
        for (uint32_t i = 0; i < g->block[at].nmark; i++) {
            uint8_t code[LONGEST];
            if (code_of(s, &g->block[at].mark[i], code) != 4)
                continue;
            word = (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
                   (uint32_t)code[3] << 24;
            state = sign(state, word);
        }
        found = leaves(g, at) && state != wanted(word);
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++) {
            uint32_t to = g->edge[e].to;
            if (in[to] == (in[to] | state))
                continue;
            in[to] |= (uint8_t)state;
            vec_push(&todo, to);
        }
    }
    vec_free(&todo);
    free(in);
    return found;
}

/* What an instruction of the x87 unit rounds by, as a number; 0: it rounds nothing, or is no such
 * instruction. Numbers of 80 bits are loaded and stored as they are; which of two registers is read first
 * does not matter. */
static uint64_t x87_kind(const struct ir_machine *m, const uint8_t *code, unsigned length)
{
    enum { ESCAPE = 0xd8, LOAD_80 = 0x5db, STORE_80 = 0x7db, REGISTERS = 0xc0, ARITHMETIC = 0x1000 };
    unsigned i = opcode_at(m, code, length);
    if (i + 1 >= length || (code[i] & 0xf8) != ESCAPE)
        return 0;
    unsigned kind = (unsigned)(code[i + 1] >> 3 & 7) << 8 | code[i];
    if (code[i + 1] < REGISTERS)
        return kind == LOAD_80 || kind == STORE_80 ? 0 : kind;
    bool computes =
        code[i] == 0xd8 || code[i] == 0xdc || code[i] == 0xde || (code[i] == 0xd9 && code[i + 1] >= 0xf0);
    return computes ? ARITHMETIC : 0;
}

uint64_t modes_x87(const struct pair_side *s, size_t *n)
{
    enum { WIDE = 80 };
    const struct ir_machine *m = program_machine(s->p);
    uint64_t all = 0;
    *n = 0;
    for (uint32_t k = 0; is_x86(m) && k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->nmark; i++) {
            uint8_t code[LONGEST];
            unsigned length = code_of(s, &b->mark[i], code);
            uint64_t kind = length ? x87_kind(m, code, length) : 0;
            all += kind ? hash_u64(kind) : 0;
            *n += kind != 0;
        }
        for (uint32_t i = 0; i < b->ninsn; i++) {
            uint8_t number[WIDE / 8];
            const struct ir_insn *in = &b->insn[i];
            if (in->op != IR_LOAD || in->width != WIDE)
                continue;
            ++*n;
            const struct ir_insn *at = &b->insn[in->a];
            uint64_t address = at->op == IR_CONST ? ir_imm(at->a, at->b) : 0;
            if (address && object_is_readonly(s->o, address, sizeof number) &&
                object_read(s->o, address, number, sizeof number))
                all += hash_bytes(number, sizeof number);
        }
    }
    return all;
}

bool modes_x87_matters(const struct check *c)
{
    size_t n[2];
    uint64_t old = modes_x87(&c->pair.side[OLD], &n[OLD]), new = modes_x87(&c->pair.side[NEW], &n[NEW]);
    return old != new || (n[OLD] && !(c->opt->axioms & AXIOM_X87));
}
