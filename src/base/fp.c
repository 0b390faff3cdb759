/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fp.h"

#include <assert.h>

struct format {
    int precision; /* significant bits, the implicit one included */
    int exponent;  /* bits */
};

static struct format format_of(unsigned width)
{
    switch (width) {
    case 16: return (struct format){11, 5};
    case 32: return (struct format){24, 8};
    case 64: return (struct format){53, 11};
    default: assert(width == 128); return (struct format){113, 15};
    }
}

static int bias_of(struct format f)
{
    return (1 << (f.exponent - 1)) - 1;
}

enum class { ZERO, FINITE, INFINITE, NAN_ };

/* A FINITE number is (-1)^sign * m * 2^exp with m != 0. */
struct number {
    enum class class;
    bool sign;
    int exp;
    struct bits m;
};

static const struct bits nothing;

static struct bits one_at(unsigned i)
{
    return bits_shl(bits_u64(1, 64), i);
}

static struct number unpack(struct bits x, unsigned width)
{
    struct format f = format_of(width);
    struct number n = {ZERO, bits_bit(x, width - 1), 0, nothing};
    int field = (int)(bits_low(bits_lshr(x, (unsigned)f.precision - 1)) & ((1u << f.exponent) - 1));
    n.m = bits_mask(x, (unsigned)f.precision - 1);
    if (field == (1 << f.exponent) - 1) {
        n.class = bits_is_zero(n.m) ? INFINITE : NAN_;
    } else if (field == 0) {
        n.class = bits_is_zero(n.m) ? ZERO : FINITE;
        n.exp = 1 - bias_of(f) - (f.precision - 1);
    } else {
        n.class = FINITE;
        n.m = bits_add(n.m, one_at((unsigned)f.precision - 1));
        n.exp = field - bias_of(f) - (f.precision - 1);
    }
    return n;
}

static struct bits pack(unsigned width, bool sign, unsigned field, struct bits fraction)
{
    struct format f = format_of(width);
    struct bits r = bits_mask(fraction, (unsigned)f.precision - 1);
    r = bits_add(r, bits_shl(bits_u64(field, 64), (unsigned)f.precision - 1));
    return sign ? bits_add(r, one_at(width - 1)) : r;
}

static struct bits pack_nan(unsigned width)
{
    struct format f = format_of(width);
    return pack(width, false, (1u << f.exponent) - 1, one_at((unsigned)f.precision - 2));
}

static struct bits pack_infinity(unsigned width, bool sign)
{
    return pack(width, sign, (1u << format_of(width).exponent) - 1, nothing);
}

static struct bits pack_zero(unsigned width, bool sign)
{
    return pack(width, sign, 0, nothing);
}

static unsigned rounding_mode(struct bits rm)
{
    unsigned m = (unsigned)bits_low(rm);
    return m <= OP_RNA ? m : OP_RNE;
}

/* Should the magnitude grow by one unit, given its last bit, the first bit dropped and whether anything was left? */
static bool rounds_up(unsigned rm, bool sign, bool odd, bool half, bool rest)
{
    switch (rm) {
    case OP_RTN: return sign && (half || rest);
    case OP_RTP: return !sign && (half || rest);
    case OP_RTZ: return false;
    case OP_RNA: return half;
    default: return half && (rest || odd);
    }
}

/* m * 2^exp (plus a little when sticky) rounded to a multiple of 2^unit: the multiple. */
static struct bits round_to_unit(struct bits m, int exp, bool sticky, int unit, unsigned rm, bool sign)
{
    int drop = unit - exp;
    if (drop <= 0)
        return bits_shl(m, (unsigned)-drop);
    bool half = false, rest = sticky;
    struct bits kept = nothing;
    if (drop > OP_MAX_WIDTH) {
        rest |= !bits_is_zero(m);
    } else {
        half = bits_bit(m, (unsigned)drop - 1);
        rest |= !bits_is_zero(bits_mask(m, (unsigned)drop - 1));
        kept = bits_lshr(m, (unsigned)drop);
    }
    if (rounds_up(rm, sign, bits_bit(kept, 0), half, rest))
        kept = bits_add(kept, bits_u64(1, 64));
    return kept;
}

/* The float nearest to (-1)^sign * m * 2^exp (plus a little when sticky). With sticky set, m must have more bits
 * than the format's precision, so that what is missing is below the rounding bit. */
static struct bits round_pack(unsigned width, bool sign, int exp, struct bits m, bool sticky, unsigned rm)
{
    struct format f = format_of(width);
    int bias = bias_of(f), precision = f.precision;
    if (bits_is_zero(m) && !sticky)
        return pack_zero(width, sign);
    int least = 1 - bias - (precision - 1); /* exponent of the smallest subnormal */
    int unit = exp + (int)bits_len(m) - precision;
    if (unit < least)
        unit = least;
    m = round_to_unit(m, exp, sticky, unit, rm, sign);
    if ((int)bits_len(m) > precision) {
        m = bits_lshr(m, 1);
        unit++;
    }
    if ((int)bits_len(m) < precision)
        return pack(width, sign, 0, m);
    int field = unit + precision - 1 + bias;
    if (field >= (1 << f.exponent) - 1) {
        bool to_infinity = rm == OP_RNE || rm == OP_RNA || rm == (sign ? OP_RTN : OP_RTP);
        return to_infinity ? pack_infinity(width, sign)
                           : pack(width, sign, (1u << f.exponent) - 2, bits_ones((unsigned)precision - 1));
    }
    return pack(width, sign, (unsigned)field, m);
}

/* Sum of two finite nonzero numbers of any precision up to 226 bits, rounded. */
static struct bits add_finite(unsigned width, struct number a, struct number b, unsigned rm)
{
    enum { FAR = 250, ROOM = 130 };
    int top_a = a.exp + (int)bits_len(a.m), top_b = b.exp + (int)bits_len(b.m);
    if (top_a < top_b) {
        struct number t = a;
        a = b;
        b = t;
        int u = top_a;
        top_a = top_b;
        top_b = u;
    }
    if (top_a - top_b > FAR) {
        /* b only tips the rounding: a little more than a, or a little less */
        struct bits m = bits_shl(a.m, ROOM);
        if (a.sign != b.sign)
            m = bits_sub(m, bits_u64(1, 64));
        return round_pack(width, a.sign, a.exp - ROOM, m, true, rm);
    }
    int exp = a.exp < b.exp ? a.exp : b.exp;
    struct bits ma = bits_shl(a.m, (unsigned)(a.exp - exp)), mb = bits_shl(b.m, (unsigned)(b.exp - exp));
    if (a.sign == b.sign)
        return round_pack(width, a.sign, exp, bits_add(ma, mb), false, rm);
    int c = bits_ucmp(ma, mb);
    if (c == 0)
        return pack_zero(width, rm == OP_RTN);
    return c > 0 ? round_pack(width, a.sign, exp, bits_sub(ma, mb), false, rm)
                 : round_pack(width, b.sign, exp, bits_sub(mb, ma), false, rm);
}

static struct bits add_numbers(unsigned width, struct number a, struct number b, unsigned rm)
{
    if (a.class == NAN_ || b.class == NAN_)
        return pack_nan(width);
    if (a.class == INFINITE)
        return b.class == INFINITE && a.sign != b.sign ? pack_nan(width) : pack_infinity(width, a.sign);
    if (b.class == INFINITE)
        return pack_infinity(width, b.sign);
    if (a.class == ZERO && b.class == ZERO)
        return pack_zero(width, a.sign == b.sign ? a.sign : rm == OP_RTN);
    if (a.class == ZERO)
        return round_pack(width, b.sign, b.exp, b.m, false, rm);
    if (b.class == ZERO)
        return round_pack(width, a.sign, a.exp, a.m, false, rm);
    return add_finite(width, a, b, rm);
}

/* The exact product. */
static struct number multiply(struct number a, struct number b)
{
    struct number r = {FINITE, a.sign != b.sign, a.exp + b.exp, nothing};
    if (a.class == NAN_ || b.class == NAN_)
        r.class = NAN_;
    else if (a.class == INFINITE || b.class == INFINITE)
        r.class = a.class == ZERO || b.class == ZERO ? NAN_ : INFINITE;
    else if (a.class == ZERO || b.class == ZERO)
        r.class = ZERO;
    else
        r.m = bits_mul(a.m, b.m);
    return r;
}

static struct bits pack_number(unsigned width, struct number n, unsigned rm)
{
    switch (n.class) {
    case NAN_: return pack_nan(width);
    case INFINITE: return pack_infinity(width, n.sign);
    case ZERO: return pack_zero(width, n.sign);
    default: return round_pack(width, n.sign, n.exp, n.m, false, rm);
    }
}

static struct bits divide_numbers(unsigned width, struct number a, struct number b, unsigned rm)
{
    bool sign = a.sign != b.sign;
    if (a.class == NAN_ || b.class == NAN_ || (a.class == INFINITE && b.class == INFINITE) ||
        (a.class == ZERO && b.class == ZERO))
        return pack_nan(width);
    if (a.class == INFINITE || b.class == ZERO)
        return pack_infinity(width, sign);
    if (b.class == INFINITE || a.class == ZERO)
        return pack_zero(width, sign);
    int up = format_of(width).precision + 3 + (int)bits_len(b.m) - (int)bits_len(a.m);
    if (up < 0)
        up = 0;
    struct bits q, r;
    bits_udivrem(bits_shl(a.m, (unsigned)up), b.m, &q, &r);
    return round_pack(width, sign, a.exp - up - b.exp, q, !bits_is_zero(r), rm);
}

static struct bits square_root(unsigned width, struct number a, unsigned rm)
{
    if (a.class == ZERO)
        return pack_zero(width, a.sign);
    if (a.class == NAN_ || a.sign)
        return pack_nan(width);
    if (a.class == INFINITE)
        return pack_infinity(width, false);
    int up = 2 * (format_of(width).precision + 3) - (int)bits_len(a.m);
    if (up < 0)
        up = 0;
    if ((a.exp - up) & 1)
        up++;
    struct bits rest = bits_shl(a.m, (unsigned)up), root = nothing;
    for (unsigned i = (bits_len(rest) + 1) / 2 + 1; i-- > 0;) {
        /* (root + 2^i)^2 - root^2 = root * 2^(i+1) + 2^2i */
        struct bits step = bits_add(bits_shl(root, i + 1), one_at(2 * i));
        if (bits_ucmp(rest, step) >= 0) {
            rest = bits_sub(rest, step);
            root = bits_add(root, one_at(i));
        }
    }
    return round_pack(width, false, (a.exp - up) / 2, root, !bits_is_zero(rest), rm);
}

static struct bits round_integral(unsigned width, struct number a, unsigned rm)
{
    if (a.class != FINITE || a.exp >= 0)
        return pack_number(width, a, rm);
    struct bits m = round_to_unit(a.m, a.exp, false, 0, rm, a.sign);
    return round_pack(width, a.sign, 0, m, false, rm);
}

static struct bits remainder_of(unsigned width, struct number a, struct number b)
{
    if (a.class == NAN_ || b.class == NAN_ || a.class == INFINITE || b.class == ZERO)
        return pack_nan(width);
    if (a.class == ZERO || b.class == INFINITE)
        return pack_number(width, a, OP_RNE);
    /* To a common exponent: |a| = r * 2^exp with r reduced bit by bit, |b| = d * 2^exp. */
    struct bits r = a.m, d = b.m;
    int exp = b.exp;
    bool odd = false; /* last bit of the integer quotient so far */
    if (a.exp < b.exp) {
        int up = b.exp - a.exp;
        if (up > 200)
            return pack_number(width, a, OP_RNE); /* |a| is far below |b|/2 */
        d = bits_shl(d, (unsigned)up);
        exp = a.exp;
    }
    struct bits q;
    bits_udivrem(r, d, &q, &r);
    odd = bits_bit(q, 0);
    for (int n = a.exp - b.exp; n > 0; n--) {
        r = bits_shl(r, 1);
        odd = bits_ucmp(r, d) >= 0;
        if (odd)
            r = bits_sub(r, d);
    }
    int half = bits_ucmp(bits_shl(r, 1), d);
    bool sign = a.sign;
    if (half > 0 || (half == 0 && odd)) {
        r = bits_sub(d, r);
        sign = !sign;
    }
    if (bits_is_zero(r))
        return pack_zero(width, a.sign);
    return round_pack(width, sign, exp, r, false, OP_RNE);
}

static bool less(struct number a, struct number b)
{
    if (a.class == ZERO && b.class == ZERO)
        return false;
    if (a.class == ZERO)
        return !b.sign;
    if (b.class == ZERO)
        return a.sign;
    if (a.sign != b.sign)
        return a.sign;
    if (a.class == INFINITE || b.class == INFINITE)
        return a.sign ? b.class != INFINITE : a.class != INFINITE;
    /* Both unpacked from one format: with equal exponents significands compare, else a normal number of larger
     * exponent is larger. */
    int c = a.exp != b.exp ? (a.exp < b.exp ? -1 : 1) : bits_ucmp(a.m, b.m);
    return a.sign ? c > 0 : c < 0;
}

static bool same(struct number a, struct number b)
{
    if (a.class == ZERO || b.class == ZERO)
        return a.class == b.class;
    return a.class == b.class && a.sign == b.sign &&
           (a.class == INFINITE || (a.exp == b.exp && bits_eq(a.m, b.m)));
}

static struct bits to_integer(unsigned width, struct number a, unsigned rm, bool is_signed)
{
    struct bits most = is_signed ? bits_ones(width - 1) : bits_ones(width);
    struct bits least = is_signed ? one_at(width - 1) : nothing; /* as a magnitude */
    if (a.class == NAN_ || a.class == ZERO)
        return nothing;
    if (a.class == INFINITE || a.exp + (int)bits_len(a.m) > (int)width + 1)
        return a.sign ? least : most;
    struct bits m = round_to_unit(a.m, a.exp, false, 0, rm, a.sign);
    struct bits limit = a.sign ? least : most;
    if (bits_ucmp(m, limit) > 0)
        return limit;
    return a.sign ? bits_mask(bits_sub(nothing, m), width) : m;
}

static struct bits from_integer(unsigned width, struct bits x, unsigned from, unsigned rm, bool is_signed)
{
    bool sign = is_signed && bits_bit(x, from - 1);
    if (sign)
        x = bits_mask(bits_sub(nothing, x), from);
    return round_pack(width, sign, 0, x, false, rm);
}

struct bits fp_apply(enum op op, unsigned width, const struct bits *arg, const unsigned *arg_width)
{
    unsigned shape = op_info[op].shape;
    if (shape == OP_SHAPE_FCMP || shape == OP_SHAPE_FSAME) {
        struct number a = unpack(arg[0], arg_width[0]), b = unpack(arg[1], arg_width[1]);
        bool unordered = a.class == NAN_ || b.class == NAN_;
        switch (op) {
        case OP_FEQ: return bits_u64(!unordered && same(a, b), 1);
        case OP_FLT: return bits_u64(!unordered && less(a, b), 1);
        case OP_FLE: return bits_u64(!unordered && !less(b, a), 1);
        case OP_FUNORD: return bits_u64(unordered, 1);
        default: assert(op == OP_FREM); return remainder_of(width, a, b);
        }
    }
    unsigned rm = rounding_mode(arg[0]);
    if (shape == OP_SHAPE_I2F)
        return from_integer(width, arg[1], arg_width[1], rm, op == OP_S2F);
    struct number a = unpack(arg[1], arg_width[1]);
    switch (op) {
    case OP_FADD: return add_numbers(width, a, unpack(arg[2], width), rm);
    case OP_FSUB: {
        struct number b = unpack(arg[2], width);
        b.sign = !b.sign;
        return add_numbers(width, a, b, rm);
    }
    case OP_FMUL: return pack_number(width, multiply(a, unpack(arg[2], width)), rm);
    case OP_FDIV: return divide_numbers(width, a, unpack(arg[2], width), rm);
    case OP_FMA: return add_numbers(width, multiply(a, unpack(arg[2], width)), unpack(arg[3], width), rm);
    case OP_FSQRT: return square_root(width, a, rm);
    case OP_FRINT: return round_integral(width, a, rm);
    case OP_F2F: return pack_number(width, a, rm);
    case OP_F2S:
    case OP_F2U: return to_integer(width, a, rm, op == OP_F2S);
    default: assert(!"not a float operator"); return nothing;
    }
}
