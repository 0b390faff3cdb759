/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named functions that are simple enough to be written in operators, at least for the constants that instructions
 * pass: rotates through the carry, the decimal adjustments of i386, fxam, and a few MMX and BMI ones. */
#include "lift/vex/ops_row.h"
#include "lift/vex/pure.h"

enum { FLAG_C = 0, FLAG_P = 2, FLAG_A = 4, FLAG_Z = 6, FLAG_S = 7, FLAG_O = 11 };

static ir_val bit(struct vex_ctx *c, ir_val x, unsigned i)
{
    return ir_extract(c->b, x, i, 1);
}

/* A width of w with b (1 bit) at position i. */
static ir_val at(struct vex_ctx *c, ir_val b, unsigned w, unsigned i)
{
    return ir_bin(c->b, OP_SHL, ir_zext(c->b, b, w), ir_const(c->b, w, i));
}

static ir_val or_(struct vex_ctx *c, ir_val x, ir_val y)
{
    return ir_bin(c->b, OP_OR, x, y);
}

static ir_val is_constant(struct vex_ctx *c, ir_val x, uint64_t value)
{
    return ir_bin(c->b, OP_EQ, x, ir_const(c->b, ir_width(c->b, x), value));
}

/* ---- rcl, rcr ---- */

struct rotated {
    ir_val value; /* n bits */
    ir_val flags; /* as given, with carry and overflow changed */
};

/* The carry above an n-bit number is one number of n+1 bits that rotates. A count of zero leaves the flags alone. */
static struct rotated rotate(struct vex_ctx *c, bool left, ir_val value, ir_val count, ir_val flags, unsigned n)
{
    struct ir_builder *b = c->b;
    unsigned w = n + 1, flags_width = ir_width(b, flags);
    ir_val masked = ir_bin(b, OP_AND, ir_extract(b, count, 0, 8), ir_const(b, 8, n == 64 ? 63 : 31));
    ir_val k = ir_zext(b, masked, w);
    if (n < 32)
        k = ir_bin(b, OP_UREM, k, ir_const(b, w, w));
    ir_val rest = ir_bin(b, OP_SUB, ir_const(b, w, w), k);
    ir_val carry = bit(c, flags, FLAG_C);
    ir_val whole = ir_bin(b, OP_CONCAT, carry, value);
    ir_val r = or_(c, ir_bin(b, left ? OP_SHL : OP_LSHR, whole, k), ir_bin(b, left ? OP_LSHR : OP_SHL, whole, rest));
    ir_val overflow = left ? ir_bin(b, OP_XOR, bit(c, r, n - 1), bit(c, r, n))
                           : ir_bin(b, OP_XOR, bit(c, value, n - 1), carry);
    uint64_t others = ~(UINT64_C(1) << FLAG_C | UINT64_C(1) << FLAG_O);
    ir_val changed = ir_bin(b, OP_AND, flags, ir_const(b, flags_width, others));
    changed = or_(c, changed, at(c, bit(c, r, n), flags_width, FLAG_C));
    changed = or_(c, changed, at(c, overflow, flags_width, FLAG_O));
    return (struct rotated){ir_extract(b, r, 0, n), ir_ite(b, is_constant(c, masked, 0), flags, changed)};
}

/* The size in bytes is the last argument; for x86-64 a negative one asks for the flags instead of the value. */
static ir_val rotate_amd64(struct vex_ctx *c, bool left, const ir_val *arg)
{
    uint64_t size;
    if (!ir_is_const(c->b, arg[3], &size))
        return IR_NONE;
    bool want_flags = (int64_t)size < 0;
    uint64_t bytes = want_flags ? -size : size;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return IR_NONE;
    unsigned n = (unsigned)bytes * 8;
    struct rotated r = rotate(c, left, ir_extract(c->b, arg[0], 0, n), arg[1], arg[2], n);
    return want_flags ? r.flags : ir_zext(c->b, r.value, 64);
}

/* For i386 the flags are the upper half of the result. */
static ir_val rotate_x86(struct vex_ctx *c, bool left, const ir_val *arg)
{
    uint64_t bytes;
    if (!ir_is_const(c->b, arg[3], &bytes) || (bytes != 1 && bytes != 2 && bytes != 4))
        return IR_NONE;
    unsigned n = (unsigned)bytes * 8;
    struct rotated r = rotate(c, left, ir_extract(c->b, arg[0], 0, n), arg[1], arg[2], n);
    return ir_bin(c->b, OP_CONCAT, r.flags, ir_zext(c->b, r.value, 32));
}

/* ---- decimal arithmetic of i386: flags << 16 | ah << 8 | al in and out ---- */

struct decimal {
    ir_val al, ah, a, carry;
};

static ir_val parity(struct vex_ctx *c, ir_val x)
{
    return ir_un(c->b, OP_NOT, bit(c, ir_un(c->b, OP_POPCNT, x), 0));
}

/* The overflow flag is undefined; VEX clears it. */
static ir_val pack_decimal(struct vex_ctx *c, struct decimal d, bool by_result)
{
    struct ir_builder *b = c->b;
    ir_val r = ir_zext(b, ir_bin(b, OP_CONCAT, d.ah, d.al), 32);
    r = or_(c, r, at(c, d.a, 32, 16 + FLAG_A));
    r = or_(c, r, at(c, d.carry, 32, 16 + FLAG_C));
    if (!by_result)
        return r;
    r = or_(c, r, at(c, bit(c, d.al, 7), 32, 16 + FLAG_S));
    r = or_(c, r, at(c, is_constant(c, d.al, 0), 32, 16 + FLAG_Z));
    return or_(c, r, at(c, parity(c, d.al), 32, 16 + FLAG_P));
}

static ir_val add_if(struct vex_ctx *c, ir_val condition, enum op op, ir_val x, uint64_t value)
{
    return ir_ite(c->b, condition, ir_bin(c->b, op, x, ir_const(c->b, 8, value)), x);
}

static ir_val adjust(struct vex_ctx *c, const ir_val *arg)
{
    struct ir_builder *b = c->b;
    uint64_t opcode;
    if (!ir_is_const(b, arg[1], &opcode) || (opcode != 0x27 && opcode != 0x2f && opcode != 0x37 && opcode != 0x3f))
        return IR_NONE;
    ir_val al = ir_extract(b, arg[0], 0, 8), ah = ir_extract(b, arg[0], 8, 8);
    ir_val carry = bit(c, arg[0], 16 + FLAG_C);
    ir_val above_nine = ir_bin(b, OP_ULT, ir_const(b, 4, 9), ir_extract(b, al, 0, 4));
    ir_val low = or_(c, above_nine, bit(c, arg[0], 16 + FLAG_A));
    enum op op = opcode == 0x27 || opcode == 0x37 ? OP_ADD : OP_SUB;
    ir_val below_six = ir_bin(b, OP_ULT, al, ir_const(b, 8, 6));
    struct decimal d = {.ah = ah, .a = low};
    d.al = add_if(c, low, op, al, 6);
    if (opcode == 0x37 || opcode == 0x3f) {
        /* aaa, aas: ax as a whole is adjusted, then al is cut to a digit. */
        ir_val nudge = op == OP_ADD ? ir_bin(b, OP_ULT, ir_const(b, 8, 0xf9), al) : below_six;
        d.ah = add_if(c, low, op, ah, 1);
        d.ah = add_if(c, ir_bin(b, OP_AND, low, nudge), op, d.ah, 1);
        d.al = ir_bin(b, OP_AND, d.al, ir_const(b, 8, 15));
        d.carry = low;
        return pack_decimal(c, d, false);
    }
    ir_val high = or_(c, ir_bin(b, OP_ULT, ir_const(b, 8, 0x99), al), carry);
    d.al = add_if(c, high, op, d.al, 0x60);
    d.carry = op == OP_ADD ? high : or_(c, high, ir_bin(b, OP_AND, low, below_six));
    return pack_decimal(c, d, true);
}

static ir_val ascii_adjust(struct vex_ctx *c, const ir_val *arg)
{
    struct ir_builder *b = c->b;
    uint64_t opcode;
    if (!ir_is_const(b, arg[1], &opcode) || (opcode != 0xd4 && opcode != 0xd5))
        return IR_NONE;
    ir_val al = ir_extract(b, arg[0], 0, 8), ah = ir_extract(b, arg[0], 8, 8), ten = ir_const(b, 8, 10);
    ir_val none = ir_const(b, 1, 0);
    struct decimal d = {.a = none, .carry = none};
    if (opcode == 0xd4) {
        d.ah = ir_bin(b, OP_UDIV, al, ten);
        d.al = ir_bin(b, OP_UREM, al, ten);
    } else {
        d.ah = ir_const(b, 8, 0);
        d.al = ir_bin(b, OP_ADD, ir_bin(b, OP_MUL, ah, ten), al);
    }
    return pack_decimal(c, d, true);
}

/* ---- fxam: what kind of number is it ---- */

static ir_val examine(struct vex_ctx *c, ir_val tag, ir_val x, unsigned width)
{
    enum { C0 = 1 << 8, C1 = 9, C2 = 1 << 10, C3 = 1 << 14 };
    struct ir_builder *b = c->b;
    ir_val exponent = ir_extract(b, x, 52, 11), no_fraction = is_constant(c, ir_extract(b, x, 0, 52), 0);
    ir_val small = ir_ite(b, no_fraction, ir_const(b, width, C3), ir_const(b, width, C3 | C2));
    ir_val large = ir_ite(b, no_fraction, ir_const(b, width, C2 | C0), ir_const(b, width, C0));
    ir_val r = ir_ite(b, is_constant(c, exponent, 0x7ff), large, ir_const(b, width, C2));
    r = ir_ite(b, is_constant(c, exponent, 0), small, r);
    r = ir_ite(b, is_constant(c, tag, 0), ir_const(b, width, C3 | C0), r);
    return or_(c, r, at(c, bit(c, x, 63), width, C1));
}

/* ---- MMX, SSE ---- */

static ir_val multiply_add(struct vex_ctx *c, const ir_val *arg)
{
    struct lanes x = lanes_split(c, arg[0], 16), y = lanes_split(c, arg[1], 16), out = {.n = 2};
    for (unsigned i = 0; i < 4; i++)
        x.v[i] = ir_bin(c->b, OP_MUL, ir_sext(c->b, x.v[i], 32), ir_sext(c->b, y.v[i], 32));
    for (unsigned i = 0; i < 2; i++)
        out.v[i] = ir_bin(c->b, OP_ADD, x.v[2 * i], x.v[2 * i + 1]);
    return lanes_join(c, &out);
}

static ir_val sum_of_differences(struct vex_ctx *c, const ir_val *arg)
{
    struct lanes x = lanes_split(c, arg[0], 8), y = lanes_split(c, arg[1], 8);
    ir_val sum = ir_const(c->b, 64, 0);
    for (unsigned i = 0; i < x.n; i++) {
        ir_val more = vex_lane2(c, LANE_MAX_U, x.v[i], y.v[i]), less = vex_lane2(c, LANE_MIN_U, x.v[i], y.v[i]);
        sum = ir_bin(c->b, OP_ADD, sum, ir_zext(c->b, ir_bin(c->b, OP_SUB, more, less), 64));
    }
    return sum;
}

/* phminposuw: the least of eight words and where it first is. */
static ir_val least_word(struct vex_ctx *c, const ir_val *arg)
{
    ir_val least = ir_extract(c->b, arg[0], 0, 16), index = ir_const(c->b, 16, 0);
    for (unsigned i = 1; i < 8; i++) {
        ir_val x = ir_extract(c->b, arg[i / 4], i % 4 * 16, 16), less = ir_bin(c->b, OP_ULT, x, least);
        least = ir_ite(c->b, less, x, least);
        index = ir_ite(c->b, less, ir_const(c->b, 16, i), index);
    }
    return ir_zext(c->b, ir_bin(c->b, OP_CONCAT, index, least), 64);
}

/* ---- pext, pdep, when the mask is known ---- */

static ir_val gather(struct vex_ctx *c, ir_val x, ir_val mask, bool scatter)
{
    uint64_t m;
    if (!ir_is_const(c->b, mask, &m))
        return IR_NONE;
    ir_val r = ir_const(c->b, 64, 0);
    unsigned packed = 0;
    for (unsigned i = 0; i < 64;) {
        unsigned n = 0;
        while (i + n < 64 && m >> (i + n) & 1)
            n++;
        if (n > 0) {
            ir_val run = ir_zext(c->b, ir_extract(c->b, x, scatter ? packed : i, n), 64);
            r = or_(c, r, ir_bin(c->b, OP_SHL, run, ir_const(c->b, 64, scatter ? i : packed)));
            packed += n;
        }
        i += n + 1;
    }
    return r;
}

ir_val vex_pure_lower(struct vex_ctx *c, unsigned index, const ir_val *arg)
{
    switch (index) {
    case VEX_PURE_AMD64_RCL: return rotate_amd64(c, true, arg);
    case VEX_PURE_AMD64_RCR: return rotate_amd64(c, false, arg);
    case VEX_PURE_X86_RCL: return rotate_x86(c, true, arg);
    case VEX_PURE_X86_RCR: return rotate_x86(c, false, arg);
    case VEX_PURE_X86_DAA_DAS_AAA_AAS: return adjust(c, arg);
    case VEX_PURE_X86_AAD_AAM: return ascii_adjust(c, arg);
    case VEX_PURE_AMD64_FXAM: return examine(c, arg[0], arg[1], 64);
    case VEX_PURE_X86_FXAM: return examine(c, arg[0], arg[1], 32);
    case VEX_PURE_AMD64_PMADDWD:
    case VEX_PURE_X86_PMADDWD: return multiply_add(c, arg);
    case VEX_PURE_AMD64_PSADBW:
    case VEX_PURE_X86_PSADBW: return sum_of_differences(c, arg);
    case VEX_PURE_AMD64_PHMINPOSUW: return least_word(c, arg);
    case VEX_PURE_AMD64_PEXT: return gather(c, arg[0], arg[1], false);
    case VEX_PURE_AMD64_PDEP: return gather(c, arg[0], arg[1], true);
    default: return IR_NONE;
    }
}
