/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86: how long an instruction is, and where in it addresses are. Only the layout matters here (prefixes,
 * opcode, ModRM, SIB, displacement, immediate: Intel's manual, volume 2, chapter 2 and the opcode maps of
 * appendix A), not the meaning. */
#include <string.h>

#include "match/private.h"

/* What follows an opcode: a letter for each, rows of sixteen.
 *   .  nothing        m  ModRM           b  imm8      w  imm16      z  imm16/32    v  imm16/32/64
 *   B  ModRM + imm8   Z  ModRM + imm32   j  rel8      J  rel16/32   o  moffs       e  imm16 + imm8
 *   f  far pointer    g  ModRM, imm8 when reg < 2     G  the same with imm32      x  no such instruction */
static const char one_byte[] = "mmmmbz..mmmmbz.x"
                               "mmmmbz..mmmmbz.."
                               "mmmmbzx.mmmmbzx."
                               "mmmmbzx.mmmmbzx."
                               "................"
                               "................"
                               "..mmxxxxzZbB...."
                               "jjjjjjjjjjjjjjjj"
                               "BZBBmmmmmmmmmmmm"
                               "..........f....."
                               "oooo....bz......"
                               "bbbbbbbbvvvvvvvv"
                               "BBw.mmBZe.w..b.."
                               "mmmmbb..mmmmmmmm"
                               "jjjjbbbbJJfj...."
                               "x.xx..gG......mm";
static const char two_byte[] = "mmmm........xm.B"
                               "mmmmmmmmmmmmmmmm"
                               "mmmmxxxxmmmmmmmm"
                               "........xxxxxxxx"
                               "mmmmmmmmmmmmmmmm"
                               "mmmmmmmmmmmmmmmm"
                               "mmmmmmmmmmmmmmmm"
                               "BBBBmmm.mmmmmmmm"
                               "JJJJJJJJJJJJJJJJ"
                               "mmmmmmmmmmmmmmmm"
                               "...mBmxx...mBmmm"
                               "mmmmmmmmmmBmmmmm"
                               "mmBmBBBm........"
                               "mmmmmmmmmmmmmmmm"
                               "mmmmmmmmmmmmmmmm"
                               "mmmmmmmmmmmmmmmm";
_Static_assert(sizeof one_byte == 257 && sizeof two_byte == 257, "sixteen rows of sixteen");

/* Below this a constant is a number: nothing is linked there. */
#define LOWEST_ADDRESS 0x10000

struct fields {
    unsigned map; /* 0: one byte, 1: 0f, 2: 0f38, 3: 0f3a, others: EVEX only */
    uint8_t opcode, modrm;
    bool has_modrm;
    unsigned disp, disp_size; /* offset in the instruction, bytes */
    unsigned imm, imm_size;
    unsigned length;
    uint8_t prefix; /* f2, f3, or else 66, which tell instructions for vectors apart; 0: none of them */
    bool vex;       /* VEX or EVEX: memory need not be aligned */
    char form;
};

static int64_t signed_field(const uint8_t *p, unsigned size)
{
    switch (size) {
    case 1:
        return (int8_t)p[0];
    case 2:
        return (int16_t)(p[0] | p[1] << 8);
    case 4: {
        int32_t x;
        memcpy(&x, p, 4);
        return x;
    }
    case 8: {
        int64_t x;
        memcpy(&x, p, 8);
        return x;
    }
    }
    return 0;
}

/* ModRM, SIB and displacement from p[at]; the offset after them, or 0 when bytes are missing. */
static unsigned operand(const uint8_t *p, size_t n, unsigned at, bool small_address, struct fields *f)
{
    if (at >= n)
        return 0;
    uint8_t modrm = p[at++];
    unsigned mod = modrm >> 6, rm = modrm & 7;
    f->modrm = modrm;
    f->has_modrm = true;
    if (mod == 3)
        return at;
    unsigned size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    if (small_address) {
        size = mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0;
    } else if (rm == 4) {
        if (at >= n)
            return 0;
        if (mod == 0 && (p[at] & 7) == 5)
            size = 4;
        at++;
    } else if (mod == 0 && rm == 5) {
        size = 4;
    }
    f->disp = at;
    f->disp_size = size;
    return at + size <= n ? at + size : 0;
}

/* False when the bytes are no instruction. */
static bool layout(bool is64, const uint8_t *p, size_t n, struct fields *f)
{
    unsigned at = 0, limit = n < 15 ? (unsigned)n : 15;
    bool small_operand = false, small_address = false, wide = false;
    *f = (struct fields){0};
    for (; at < limit; at++) {
        if (p[at] == 0xf2 || p[at] == 0xf3 || (p[at] == 0x66 && !f->prefix))
            f->prefix = p[at];
        if (p[at] == 0x66)
            small_operand = true;
        else if (p[at] == 0x67)
            small_address = true;
        else if (p[at] != 0xf2 && p[at] != 0xf3 && p[at] != 0xf0 && p[at] != 0x2e && p[at] != 0x36 &&
                 p[at] != 0x3e && p[at] != 0x26 && p[at] != 0x64 && p[at] != 0x65)
            break;
    }
    if (is64 && at < limit && (p[at] & 0xf0) == 0x40)
        wide = p[at++] & 8;
    if (at >= limit)
        return false;
    uint8_t op = p[at++];
    bool vector = at < limit && (is64 || p[at] >= 0xc0) && (op == 0xc5 || op == 0xc4 || op == 0x62);
    f->vex = vector;
    if (vector) {
        unsigned more = op == 0xc5 ? 1 : op == 0xc4 ? 2 : 3;
        if (at + more >= limit)
            return false;
        f->map = op == 0xc5 ? 1 : op == 0xc4 ? p[at] & 31 : p[at] & 7;
        wide = false;
        small_operand = false;
        at += more;
        f->opcode = p[at++];
        if (f->map == 0)
            return false;
        f->form = f->map == 3 ? 'B' : f->map == 1 ? two_byte[f->opcode] : 'm';
        if (f->form == 'J' || f->form == 'x')
            f->form = 'm'; /* mask instructions (kmov, kortest) stand where jcc and others do */
        if (f->map == 1 && f->opcode == 0x77)
            f->form = '.';
    } else if (op == 0x0f) {
        if (at >= limit)
            return false;
        op = p[at++];
        f->map = op == 0x38 ? 2 : op == 0x3a ? 3 : 1;
        if (f->map != 1) {
            if (at >= limit)
                return false;
            op = p[at++];
        }
        f->opcode = op;
        f->form = f->map == 1 ? two_byte[op] : f->map == 2 ? 'm' : 'B';
    } else {
        f->opcode = op;
        f->form = one_byte[op];
        if (is64 && (op == 0x9a || op == 0xea || op == 0xd4 || op == 0xd5 || op == 0x62))
            return false;
    }
    if (f->form == 'x')
        return false;
    if (strchr("mBZgG", f->form)) {
        at = operand(p, limit, at, small_address && !is64, f);
        if (!at)
            return false;
    }
    unsigned z = small_operand ? 2 : 4, reg = f->modrm >> 3 & 7;
    switch (f->form) {
    case 'b':
    case 'B':
    case 'j':
        f->imm_size = 1;
        break;
    case 'w':
        f->imm_size = 2;
        break;
    case 'z':
    case 'Z':
        f->imm_size = z;
        break;
    case 'v':
        f->imm_size = wide ? 8 : z;
        break;
    case 'J':
        f->imm_size = is64 ? 4 : z;
        break;
    case 'o':
        f->imm_size = is64 ? (small_address ? 4 : 8) : small_address ? 2 : 4;
        break;
    case 'e':
        f->imm_size = 3;
        break;
    case 'f':
        f->imm_size = z + 2;
        break;
    case 'g':
        f->imm_size = reg < 2 ? 1 : 0;
        break;
    case 'G':
        f->imm_size = reg < 2 ? z : 0;
        break;
    }
    f->imm = at;
    f->length = at + f->imm_size;
    return f->length <= limit;
}

static bool is_group(const struct fields *f)
{
    if (f->map == 1)
        return f->opcode == 0xba || f->opcode == 0xae || f->opcode == 0xc7 ||
               (f->opcode >= 0x71 && f->opcode <= 0x73);
    return f->map == 0 &&
           ((f->opcode >= 0x80 && f->opcode <= 0x83) || f->opcode == 0xc0 || f->opcode == 0xc1 ||
            (f->opcode >= 0xd0 && f->opcode <= 0xd3) || (f->opcode >= 0xd8 && f->opcode <= 0xdf) ||
            f->opcode == 0xf6 || f->opcode == 0xf7 || f->opcode >= 0xfe);
}

/* What assemblers fill with. In 32-bit code also a lea of a register to itself. */
static bool is_nop(bool is64, const struct fields *f, const uint8_t *p)
{
    if (f->map == 1)
        return f->opcode == 0x1f;
    if (f->map != 0)
        return false;
    if (f->opcode == 0x90) {
        for (unsigned i = 0; i + 1 < f->length; i++) /* neither pause nor xchg with r8 is a nop */
            if (p[i] == 0xf3 || (p[i] & 0xf0) == 0x40)
                return false;
        return true;
    }
    if (is64)
        return false;
    unsigned reg = f->modrm >> 3 & 7, rm = f->modrm & 7, mod = f->modrm >> 6;
    if (f->opcode == 0x89 && f->length == 2)
        return f->modrm == 0xf6;
    if (f->opcode != 0x8d || (mod != 1 && mod != 2))
        return false;
    for (unsigned i = 0; i < f->disp_size; i++)
        if (p[f->disp + i])
            return false;
    if (rm == 4)
        return (p[f->disp - 1] & 7) == reg && (p[f->disp - 1] >> 3 & 7) == 4;
    return rm == reg;
}

/* An instruction of SSE faults unless its memory operand of 16 bytes is aligned (Intel's manual, volume 1,
 * 11.6.10.1). Where that depends on more than the opcode, it is taken to. */
static bool needs_alignment(const struct fields *f)
{
    const uint8_t op = f->opcode;
    const bool wide = f->prefix == 0x66, plain = wide || !f->prefix;
    if (f->vex || f->modrm >> 6 == 3)
        return false;
    switch (f->map) {
    case 1:
        if (op == 0x14 || op == 0x15 || op == 0x28 || op == 0x29 || op == 0x2b ||
            (op >= 0x51 && op <= 0x5f) || op == 0xc2 || op == 0xc6)
            return plain && !(op == 0x5a && !wide);
        return wide && ((op >= 0x60 && op <= 0x7f && op != 0x6e && op != 0x7e) || (op >= 0xd0 && op != 0xd6));
    case 2: /* but those that extend a part of a vector */
        return wide && !(op >= 0x20 && op <= 0x25) && !(op >= 0x30 && op <= 0x35);
    case 3: /* but those of single elements */
        return wide && op != 0x0a && op != 0x0b && !(op >= 0x14 && op <= 0x17) && !(op >= 0x20 && op <= 0x22);
    default:
        return false;
    }
}

static void take_out(struct insn *x, unsigned at, unsigned size, enum ref_kind kind, uint64_t value)
{
    memset(x->bytes + at, 0, size);
    x->ref[x->nrefs++] = (struct ref){.value = value, .kind = (uint8_t)kind};
}

static void flow_of(bool is64, const struct fields *f, const uint8_t *p, uint64_t address, struct insn *x)
{
    if (f->form == 'j' || f->form == 'J') {
        uint64_t to = address + f->length + (uint64_t)signed_field(p + f->imm, f->imm_size);
        x->target = is64 ? to : to & UINT32_MAX;
        x->flow = f->map == 0 && f->opcode == 0xe8                          ? INSN_CALL
                  : f->map == 0 && (f->opcode == 0xe9 || f->opcode == 0xeb) ? INSN_JUMP
                                                                            : INSN_BRANCH;
        memset(x->bytes + f->imm, 0, f->imm_size);
        return;
    }
    unsigned reg = f->modrm >> 3 & 7;
    if (f->map == 0 && (f->opcode == 0xc3 || f->opcode == 0xc2 || f->opcode == 0xcb || f->opcode == 0xca))
        x->flow = INSN_RETURN;
    else if (f->map == 0 && f->opcode == 0xff && (reg == 4 || reg == 5))
        x->flow = INSN_INDIRECT;
    else if (f->map == 0 && f->opcode == 0xff && (reg == 2 || reg == 3))
        x->flow = INSN_CALL;
    else if ((f->map == 0 && (f->opcode == 0xf4 || f->opcode == 0xcc)) || (f->map == 1 && f->opcode == 0x0b))
        x->flow = INSN_STOP;
}

void insn_x86(const struct insn_context *c, const uint8_t *p, size_t n, uint64_t address, struct insn *x)
{
    enum { GOT_DISTANCE = 64 }; /* between reading the program counter and adding the distance of the GOT */
    bool is64 = c->arch == MACHINE_AMD64;
    struct fields f;
    *x = (struct insn){0};
    if (!layout(is64, p, n, &f))
        return;
    x->length = x->kept = (uint8_t)f.length;
    memcpy(x->bytes, p, f.length);
    x->nop = is_nop(is64, &f, p);
    x->weak = f.map << 16 | (uint32_t)f.opcode << 8 | (is_group(&f) ? f.modrm >> 3 & 7 : 0);
    flow_of(is64, &f, p, address, x);
    int64_t disp = f.disp_size ? signed_field(p + f.disp, f.disp_size) : 0;
    bool no_base = f.disp_size == 4 && f.modrm >> 6 == 0;
    if (is64 && no_base && (f.modrm & 7) == 5) {
        take_out(x, f.disp, 4, REF_ADDRESS, address + f.length + (uint64_t)disp);
        x->ref[x->nrefs - 1].aligned = needs_alignment(&f);
    } else if (f.disp_size == 4) {
        bool may = insn_may_be_address(c, address + f.disp, 4);
        if (may &&
            disp >= LOWEST_ADDRESS) { /* without a base register it is the address of a table or variable */
            take_out(x, f.disp, 4, no_base ? REF_ADDRESS : REF_MAYBE, (uint64_t)disp);
            x->ref[x->nrefs - 1].aligned = no_base && needs_alignment(&f);
        } else if (!is64 && c->got && f.modrm >> 6 == 2)
            take_out(x, f.disp, 4, REF_GOT_MAYBE, (uint64_t)disp);
        else if (may && !is64 && disp < 0)
            take_out(x, f.disp, 4, REF_MAYBE, (uint32_t)disp);
        unsigned rm = f.modrm & 7;
        if (f.modrm >> 6 == 2)
            x->base = (uint8_t)(1 + (rm == 4 ? p[f.disp - 1] & 7 : rm));
        x->disp = (uint8_t)f.disp;
    }
    if (x->target || x->flow == INSN_RETURN || !f.imm_size)
        return;
    uint64_t imm = 0;
    memcpy(&imm, p + f.imm, f.imm_size < 8 ? f.imm_size : 8);
    bool got = false;
    if (!is64 && f.imm_size == 4 && f.map == 0 && (f.opcode == 0x05 || f.opcode == 0x81) && c->got) {
        uint64_t pc = (c->got - imm) & UINT32_MAX;
        got = pc <= address && address - pc <= GOT_DISTANCE;
        if (got) {
            take_out(x, f.imm, 4, REF_ADDRESS, c->got);
            x->got_register = (uint8_t)(1 + (f.opcode == 0x05 ? 0 : f.modrm & 7));
        }
    }
    if (!got && (f.imm_size == 4 || f.imm_size == 8) && imm >= LOWEST_ADDRESS && imm <= UINT64_MAX >> 8 &&
        insn_may_be_address(c, address + f.imm, f.imm_size)) {
        take_out(x, f.imm, f.imm_size, REF_MAYBE, imm);
    }
}
