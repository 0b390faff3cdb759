/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ARM and Thumb. Addresses come from literal pools or from MOVW and MOVT, and position-independent code then
 * adds the program counter. Registers are followed in the order of the code only, which is how compilers emit
 * the pairs. Words that a literal load reads are data and have no place in the normal form; what they hold is
 * a reference. */
#include <string.h>

#include "match/private.h"

enum { REGISTERS = 16, NOTHING = -1 };

struct pending {
    ptrdiff_t insn; /* that loaded the value; NOTHING: none */
    ptrdiff_t low;  /* the MOVW before a MOVT, or NOTHING */
    uint32_t value;
};

struct decoder {
    const struct insn_context *c;
    const uint8_t *p;
    uint64_t lo, hi;
    bool thumb;
    uint8_t *data; /* by byte: 1 in a literal, 2 in a table of branch offsets */
    struct pending reg[REGISTERS];
    struct insn_stream *out;
};

static uint32_t half_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t word_at(const uint8_t *p)
{
    return half_at(p) | half_at(p + 2) << 16;
}

static uint64_t sign_extend(uint64_t x, unsigned bits)
{
    return (x ^ UINT64_C(1) << (bits - 1)) - (UINT64_C(1) << (bits - 1));
}

static void put_halves(struct insn *x, uint32_t h1, uint32_t h2)
{
    uint8_t b[4] = {(uint8_t)h1, (uint8_t)(h1 >> 8), (uint8_t)h2, (uint8_t)(h2 >> 8)};
    memcpy(x->bytes, b, x->length);
}

static void put_word(struct insn *x, uint32_t w)
{
    put_halves(x, w & 0xffff, w >> 16);
}

/* A load of `size` bytes from the literal at `place`. */
static void literal(struct decoder *d, struct insn *x, unsigned rt, uint64_t place, unsigned size)
{
    for (unsigned i = 0; i < size; i += 4) {
        uint8_t word[4];
        if (!object_read(d->c->object, place + i, word, 4)) {
            x->ref[x->nrefs++] = (struct ref){.value = place & UINT32_MAX, .kind = REF_ADDRESS};
            return;
        }
        uint32_t value = word_at(word);
        bool number = d->c->marked && !object_is_relocated(d->c->object, place + i, 4);
        x->ref[x->nrefs++] = (struct ref){
            .value = value, .kind = number ? REF_NUMBER : d->c->fixed ? REF_MAYBE : REF_GOT};
        if (size == 4 && rt < REGISTERS)
            d->reg[rt] = (struct pending){(ptrdiff_t)d->out->insn.len, NOTHING, value};
    }
    /* Where tables end a function before its literals, they are outside. */
    for (unsigned i = 0; i < size && place >= d->lo && place + size <= d->hi; i++)
        d->data[place - d->lo + i] = 1;
}

/* The program counter is added to what the register holds: that is an address. */
static void add_pc(struct decoder *d, struct insn *x, unsigned rn, uint64_t pc)
{
    struct pending *q = &d->reg[rn];
    if (q->insn == NOTHING)
        return;
    struct ref r = {.value = (q->value + pc) & UINT32_MAX, .kind = REF_ADDRESS};
    struct insn *load = &d->out->insn.data[q->insn];
    if (q->low != NOTHING) {
        memset(load->bytes + 2, 0, 2);
        load->bytes[0] = 0;
        memset(d->out->insn.data[q->low].bytes, 0, 2);
        x->ref[x->nrefs++] = r;
        load->nrefs = 0;
    } else {
        load->ref[0] = r;
    }
    q->insn = NOTHING;
}

static void move_half(struct decoder *d, struct insn *x, unsigned rd, uint32_t imm, bool top)
{
    struct pending *q = &d->reg[rd];
    if (!top) {
        *q = (struct pending){(ptrdiff_t)d->out->insn.len, NOTHING, imm};
        return;
    }
    if (q->insn == NOTHING || q->low != NOTHING)
        return;
    q->low = q->insn;
    q->insn = (ptrdiff_t)d->out->insn.len;
    q->value = imm << 16 | (q->value & 0xffff);
    if (insn_may_be_address(d->c, d->out->address.data[q->low], 4)) {
        x->ref[x->nrefs++] = (struct ref){.value = q->value, .kind = REF_MAYBE};
        memset(x->bytes, 0, 4);
        memset(d->out->insn.data[q->low].bytes, 0, 4);
        x->bytes[3] = d->out->insn.data[q->low].bytes[3] = (uint8_t)rd;
    }
}

static void thumb_branch(struct insn *x, uint32_t h1, uint32_t h2, uint64_t pc)
{
    uint32_t s = h1 >> 10 & 1, j1 = h2 >> 13 & 1, j2 = h2 >> 11 & 1;
    if ((h2 & 0xd000) == 0x8000) {
        uint64_t imm = (uint64_t)s << 20 | j2 << 19 | j1 << 18 | (h1 & 0x3f) << 12 | (h2 & 0x7ff) << 1;
        x->target = pc + sign_extend(imm, 21);
        x->flow = INSN_BRANCH;
        put_halves(x, h1 & 0xfbc0, h2 & 0xd000);
        return;
    }
    uint64_t imm = (uint64_t)s << 24 | (uint64_t)(!(j1 ^ s)) << 23 | (uint64_t)(!(j2 ^ s)) << 22 |
                   (h1 & 0x3ff) << 12 | (h2 & 0x7ff) << 1;
    bool exchange = (h2 & 0xd000) == 0xc000;
    x->target = (exchange ? pc & ~UINT64_C(3) : pc) + sign_extend(imm, 25);
    x->flow = h2 & 0x4000 ? INSN_CALL : INSN_JUMP;
    /* The linker turns bl into blx and back, as the callee is ARM or Thumb. */
    put_halves(x, 0xf000, h2 & 0x4000 ? 0xd000 : 0x9000);
}

/* tbb and tbh with the table after them: its size follows from where its entries lead. */
static void branch_table(struct decoder *d, uint64_t pc, bool halves)
{
    uint64_t limit = d->hi, at = pc;
    unsigned size = halves ? 2 : 1;
    for (; at + size <= limit; at += size) {
        const uint8_t *e = d->p + (at - d->lo);
        uint64_t to = pc + 2 * (uint64_t)(halves ? half_at(e) : *e);
        if (to < limit && to > at)
            limit = to;
        memset(d->data + (at - d->lo), 2, size);
    }
}

static void thumb32(struct decoder *d, struct insn *x, uint32_t h1, uint32_t h2, uint64_t at)
{
    uint64_t pc = at + 4, aligned = pc & ~UINT64_C(3);
    x->length = x->kept = 4;
    x->weak = (h1 & 0xfff0) << 4 | (h2 >> 12 & 8);
    put_halves(x, h1, h2);
    if ((h1 & 0xf800) == 0xf000 && h2 & 0x8000 && ((h2 & 0xd000) != 0x8000 || (h1 >> 6 & 15) < 14)) {
        thumb_branch(x, h1, h2, pc);
    } else if ((h1 & 0xff7f) == 0xf85f) {
        uint32_t imm = h2 & 0xfff;
        put_halves(x, h1 & 0xff7f, h2 & 0xf000);
        literal(d, x, h2 >> 12, h1 >> 7 & 1 ? aligned + imm : aligned - imm, 4);
        if (h2 >> 12 == 15)
            x->flow = INSN_INDIRECT;
    } else if ((h1 & 0xff3f) == 0xed1f && (h2 & 0x0e00) == 0x0a00) {
        uint64_t imm = (uint64_t)(h2 & 0xff) * 4;
        put_halves(x, h1 & 0xff7f, h2 & 0xff00);
        literal(d, x, REGISTERS, h1 >> 7 & 1 ? aligned + imm : aligned - imm, h2 & 0x100 ? 8 : 4);
    } else if ((h1 & 0xfbff) == 0xf20f || (h1 & 0xfbff) == 0xf2af) {
        uint32_t imm = (h1 >> 10 & 1) << 11 | (h2 >> 12 & 7) << 8 | (h2 & 0xff);
        put_halves(x, 0xf20f, h2 & 0x0f00);
        x->ref[x->nrefs++] =
            (struct ref){.value = (h1 & 0xa0) == 0xa0 ? aligned - imm : aligned + imm, .kind = REF_ADDRESS};
    } else if ((h1 & 0xfbf0) == 0xf240 || (h1 & 0xfbf0) == 0xf2c0) {
        uint32_t imm = (h1 & 15) << 12 | (h1 >> 10 & 1) << 11 | (h2 >> 12 & 7) << 8 | (h2 & 0xff);
        move_half(d, x, h2 >> 8 & 15, imm, (h1 & 0x80) != 0);
    } else if ((h1 == 0xe8bd && h2 & 0x8000) || (h1 == 0xf85d && h2 == 0xfb04)) {
        x->flow = INSN_RETURN;
    } else if ((h1 & 0xfff0) == 0xe8d0 && (h2 & 0xffe0) == 0xf000) {
        x->flow = INSN_INDIRECT;
        if ((h1 & 15) == 15)
            branch_table(d, pc, h2 >> 4 & 1);
    }
}

static void thumb16(struct decoder *d, struct insn *x, uint32_t h, uint64_t at)
{
    uint64_t pc = at + 4, aligned = pc & ~UINT64_C(3);
    x->length = x->kept = 2;
    x->weak = h >> 9;
    put_halves(x, h, 0);
    if ((h & 0xf000) == 0xd000 && (h >> 8 & 15) < 14) {
        x->target = pc + sign_extend((uint64_t)(h & 0xff) << 1, 9);
        x->flow = INSN_BRANCH;
        put_halves(x, h & 0xff00, 0);
    } else if ((h & 0xf800) == 0xe000) {
        x->target = pc + sign_extend((uint64_t)(h & 0x7ff) << 1, 12);
        x->flow = INSN_JUMP;
        put_halves(x, 0xe000, 0);
    } else if ((h & 0xf500) == 0xb100) {
        x->target = pc + ((h >> 9 & 1) << 6 | (h >> 3 & 31) << 1);
        x->flow = INSN_BRANCH;
        put_halves(x, h & 0xfd07, 0);
    } else if ((h & 0xf800) == 0x4800) {
        put_halves(x, h & 0xff00, 0);
        literal(d, x, h >> 8 & 7, aligned + (uint64_t)(h & 0xff) * 4, 4);
    } else if ((h & 0xf800) == 0xa000) {
        put_halves(x, h & 0xff00, 0);
        x->ref[x->nrefs++] = (struct ref){.value = aligned + (uint64_t)(h & 0xff) * 4, .kind = REF_ADDRESS};
    } else if ((h & 0xff78) == 0x4478) {
        add_pc(d, x, (h & 7) | (h >> 4 & 8), pc);
    } else if (h == 0x4770 || (h & 0xff00) == 0xbd00) {
        x->flow = INSN_RETURN;
    } else if ((h & 0xff80) == 0x4780) {
        x->flow = INSN_CALL;
    } else if ((h & 0xff80) == 0x4700 || (h & 0xff87) == 0x4687) {
        x->flow = INSN_INDIRECT;
    } else if ((h & 0xff00) == 0xde00 || (h & 0xff00) == 0xbe00) {
        x->flow = INSN_STOP;
    }
}

static void arm_word(struct decoder *d, struct insn *x, uint32_t w, uint64_t at)
{
    uint64_t pc = at + 8;
    uint32_t cond = w >> 28;
    x->length = x->kept = 4;
    x->weak = w >> 20;
    put_word(x, w);
    if ((w & 0x0e000000) == 0x0a000000) {
        x->target = pc + sign_extend((uint64_t)(w & 0xffffff) << 2, 26) + (cond == 15 ? w >> 23 & 2 : 0);
        bool call = cond == 15 || w >> 24 & 1;
        x->flow = call ? INSN_CALL : cond == 14 ? INSN_JUMP : INSN_BRANCH;
        put_word(x, call && cond >= 14 ? 0xeb000000 : w & 0xff000000);
    } else if ((w & 0x0f7f0000) == 0x051f0000) {
        uint32_t imm = w & 0xfff;
        put_word(x, w & 0xff7ff000);
        literal(d, x, w >> 12 & 15, w >> 23 & 1 ? pc + imm : pc - imm, 4);
        if ((w >> 12 & 15) == 15)
            x->flow = INSN_INDIRECT;
    } else if ((w & 0x0f3f0e00) == 0x0d1f0a00) {
        uint64_t imm = (uint64_t)(w & 0xff) * 4;
        put_word(x, w & 0xff7fff00);
        literal(d, x, REGISTERS, w >> 23 & 1 ? pc + imm : pc - imm, w & 0x100 ? 8 : 4);
    } else if ((w & 0x0fff0ff0) == 0x079f0000) {
        add_pc(d, x, w & 15, pc);
    } else if ((w & 0x0fef0ff0) == 0x008f0000 && (w >> 12 & 15) != 15) {
        add_pc(d, x, w & 15, pc);
    } else if ((w & 0x0fe00fff) == 0x0080000f && (w >> 12 & 15) != 15) {
        add_pc(d, x, w >> 16 & 15, pc);
    } else if ((w & 0x0fff0000) == 0x028f0000 || (w & 0x0fff0000) == 0x024f0000) {
        uint32_t rotate = (w >> 8 & 15) * 2, imm = w & 0xff;
        imm = rotate ? imm >> rotate | imm << (32 - rotate) : imm;
        put_word(x, (w & 0xf000f000) | 0x028f0000);
        x->ref[x->nrefs++] =
            (struct ref){.value = (w >> 23 & 1 ? pc + imm : pc - imm) & UINT32_MAX, .kind = REF_ADDRESS};
    } else if ((w & 0x0ff00000) == 0x03000000 || (w & 0x0ff00000) == 0x03400000) {
        move_half(d, x, w >> 12 & 15, (w >> 4 & 0xf000) | (w & 0xfff), w >> 22 & 1);
    } else if ((w & 0x0fffffff) == 0x012fff1e || (w & 0x0fff8000) == 0x08bd8000 ||
               (w & 0x0fffffff) == 0x049df004) {
        x->flow = cond == 14 ? INSN_RETURN : INSN_NEXT;
    } else if ((w & 0x0ffffff0) == 0x012fff30) {
        x->flow = INSN_CALL;
    } else if ((w & 0x0ffffff0) == 0x012fff10 ||
               ((w & 0x0c00f000) == 0x0000f000 && (w & 0x0f000000) != 0x01000000)) {
        x->flow = INSN_INDIRECT;
    }
}

void insn_arm(const struct insn_context *c, const uint8_t *p, uint64_t lo, uint64_t hi, bool thumb,
              struct insn_stream *out)
{
    struct decoder d = {.c = c, .p = p, .lo = lo, .hi = hi, .thumb = thumb, .out = out};
    d.data = xcalloc((size_t)(hi - lo) + 1, 1);
    for (unsigned i = 0; i < REGISTERS; i++)
        d.reg[i] = (struct pending){NOTHING, NOTHING, 0};
    unsigned least = thumb ? 2 : 4;
    for (uint64_t at = lo; at + least <= hi;) {
        const uint8_t *q = p + (at - lo);
        struct insn x = {0};
        if (d.data[at - lo]) {
            if (d.data[at - lo] == 2) { /* offsets of branches count as they are */
                x.length = x.kept = (uint8_t)least;
                memcpy(x.bytes, q, least);
                vec_push(&out->insn, x);
                vec_push(&out->address, at);
            }
            at += least;
            continue;
        }
        if (!thumb)
            arm_word(&d, &x, word_at(q), at);
        else if (half_at(q) >> 11 >= 0x1d && at + 4 <= hi)
            thumb32(&d, &x, half_at(q), half_at(q + 2), at);
        else
            thumb16(&d, &x, half_at(q), at);
        x.target &= UINT32_MAX & ~UINT64_C(1);
        uint32_t whole = x.length == 4 ? word_at(q) : half_at(q);
        x.nop = thumb ? whole == 0xbf00 || whole == 0x46c0 || whole == 0x8000f3af
                      : whole == 0xe320f000 || whole == 0xe1a00000;
        vec_push(&out->insn, x);
        vec_push(&out->address, at);
        at += x.length;
    }
    free(d.data);
}
