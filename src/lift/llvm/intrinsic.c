/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LLVM's intrinsics. A name is looked up without "llvm." and without the types after it; one that is not in
 * the table is called as if it were a function. */
#include <stdio.h>
#include <string.h>

#include "lift/llvm/internal.h"

enum { COPY_MAX = 1024 }; /* bytes that are copied or filled in place */

typedef bool intrinsic_fn(struct translation *t, LLVMValueRef v, struct parts *out);

static LLVMValueRef argument(const struct translation *t, LLVMValueRef v, unsigned i)
{
    return t->L->GetOperand(v, i);
}

static const struct shape *result_shape(struct translation *t, LLVMValueRef v)
{
    return shape_of(t->m, t->L->TypeOf(v));
}

/* ---- lane by lane ---- */

typedef ir_val unary_fn(struct translation *t, const struct scalar *s, ir_val x);
typedef ir_val binary_fn(struct translation *t, const struct scalar *s, ir_val x, ir_val y);

static bool each(struct translation *t, LLVMValueRef v, unary_fn *f, struct parts *out)
{
    const struct shape *s = result_shape(t, v);
    struct parts x = translate_use(t, argument(t, v, 0));
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        if ((out->v[i] = f(t, &s->scalar[i], x.v[i])) == IR_NONE)
            return false;
    return true;
}

static bool each_pair(struct translation *t, LLVMValueRef v, binary_fn *f, struct parts *out)
{
    const struct shape *s = shape_of(t->m, t->L->TypeOf(argument(t, v, 0)));
    struct parts x = translate_use(t, argument(t, v, 0)), y = translate_use(t, argument(t, v, 1));
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        if ((out->v[i] = f(t, &s->scalar[i], x.v[i], y.v[y.n == 1 ? 0 : i])) == IR_NONE)
            return false;
    return true;
}

#define LANES(name, expression)                                                                              \
    static ir_val name##_lane(struct translation *t, const struct scalar *s, ir_val x)                       \
    {                                                                                                        \
        (void)s;                                                                                             \
        return expression;                                                                                   \
    }                                                                                                        \
    static bool name(struct translation *t, LLVMValueRef v, struct parts *out)                               \
    {                                                                                                        \
        return each(t, v, name##_lane, out);                                                                 \
    }
#define PAIRS(name, expression)                                                                              \
    static ir_val name##_lane(struct translation *t, const struct scalar *s, ir_val x, ir_val y)             \
    {                                                                                                        \
        (void)s;                                                                                             \
        return expression;                                                                                   \
    }                                                                                                        \
    static bool name(struct translation *t, LLVMValueRef v, struct parts *out)                               \
    {                                                                                                        \
        return each_pair(t, v, name##_lane, out);                                                            \
    }

static ir_val zero(struct translation *t, ir_val like)
{
    return ir_const(t->b, ir_width(t->b, like), 0);
}

static ir_val negative(struct translation *t, ir_val x)
{
    return ir_bin(t->b, OP_SLT, x, zero(t, x));
}

static ir_val least(struct translation *t, unsigned width)
{
    return ir_const_bits(t->b, width, bits_shl(bits_u64(1, 64), width - 1));
}

static ir_val greatest(struct translation *t, unsigned width)
{
    return ir_const_bits(t->b, width,
                         bits_mask(bits_lshr(bits_ones(OP_MAX_WIDTH), OP_MAX_WIDTH - (width - 1)), width));
}

PAIRS(umax, arith_min_max(t, true, false, x, y))
PAIRS(umin, arith_min_max(t, false, false, x, y))
PAIRS(smax, arith_min_max(t, true, true, x, y))
PAIRS(smin, arith_min_max(t, false, true, x, y))

static ir_val magnitude(struct translation *t, ir_val x)
{
    return ir_ite(t->b, negative(t, x), ir_un(t->b, OP_NEG, x), x);
}

LANES(absolute, magnitude(t, x))
LANES(popcount, ir_un(t->b, OP_POPCNT, x))
LANES(leading, ir_un(t->b, OP_CLZ, x))
LANES(trailing, ir_un(t->b, OP_CTZ, x))
LANES(byteswap, arith_swap(t, x))

static ir_val reverse_bits(struct translation *t, ir_val x)
{
    ir_val out = ir_extract(t->b, x, 0, 1);
    for (unsigned i = 1; i < ir_width(t->b, x); i++)
        out = ir_bin(t->b, OP_CONCAT, out, ir_extract(t->b, x, i, 1));
    return out;
}

LANES(bitreverse, reverse_bits(t, x))

/* ---- funnel shifts ---- */

static bool funnel(struct translation *t, LLVMValueRef v, bool left, struct parts *out)
{
    struct parts x = translate_use(t, argument(t, v, 0)), y = translate_use(t, argument(t, v, 1)), by = translate_use(t, argument(t, v, 2));
    struct ir_builder *b = t->b;
    *out = parts_new(t, x.n);
    for (uint32_t i = 0; i < x.n; i++) {
        unsigned width = ir_width(b, x.v[i]);
        if (2 * width > OP_MAX_WIDTH)
            return false;
        ir_val n = ir_zext(b, ir_bin(b, OP_UREM, by.v[i], ir_const(b, width, width)), 2 * width);
        ir_val both = ir_bin(b, OP_CONCAT, x.v[i], y.v[i]);
        out->v[i] = left ? ir_extract(b, ir_bin(b, OP_SHL, both, n), width, width)
                         : ir_extract(b, ir_bin(b, OP_LSHR, both, n), 0, width);
    }
    return true;
}

static bool funnel_left(struct translation *t, LLVMValueRef v, struct parts *out)
{
    return funnel(t, v, true, out);
}

static bool funnel_right(struct translation *t, LLVMValueRef v, struct parts *out)
{
    return funnel(t, v, false, out);
}

/* ---- overflow and saturation: computed with room to spare ---- */

static ir_val wide(struct translation *t, enum op op, bool is_signed, ir_val x, ir_val y)
{
    unsigned width = ir_width(t->b, x), room = op == OP_MUL ? 2 * width : width + 1;
    if (room > OP_MAX_WIDTH)
        return IR_NONE;
    x = is_signed ? ir_sext(t->b, x, room) : ir_zext(t->b, x, room);
    y = is_signed ? ir_sext(t->b, y, room) : ir_zext(t->b, y, room);
    return ir_bin(t->b, op, x, y);
}

static ir_val overflowed(struct translation *t, bool is_signed, ir_val exact, unsigned width)
{
    unsigned room = ir_width(t->b, exact);
    ir_val cut = ir_extract(t->b, exact, 0, width);
    cut = is_signed ? ir_sext(t->b, cut, room) : ir_zext(t->b, cut, room);
    return arith_not(t, ir_bin(t->b, OP_EQ, exact, cut));
}

static bool with_overflow(struct translation *t, LLVMValueRef v, enum op op, bool is_signed,
                          struct parts *out)
{
    struct parts x = translate_use(t, argument(t, v, 0)), y = translate_use(t, argument(t, v, 1));
    *out = parts_new(t, 2 * x.n);
    for (uint32_t i = 0; i < x.n; i++) {
        unsigned width = ir_width(t->b, x.v[i]);
        ir_val exact = wide(t, op, is_signed, x.v[i], y.v[i]);
        if (exact == IR_NONE)
            return false;
        out->v[i] = ir_extract(t->b, exact, 0, width);
        out->v[x.n + i] = overflowed(t, is_signed, exact, width);
    }
    return true;
}

#define OVERFLOW(name, op, is_signed)                                                                        \
    static bool name(struct translation *t, LLVMValueRef v, struct parts *out)                               \
    {                                                                                                        \
        return with_overflow(t, v, op, is_signed, out);                                                      \
    }
OVERFLOW(sadd_overflow, OP_ADD, true)
OVERFLOW(uadd_overflow, OP_ADD, false)
OVERFLOW(ssub_overflow, OP_SUB, true)
OVERFLOW(usub_overflow, OP_SUB, false)
OVERFLOW(smul_overflow, OP_MUL, true)
OVERFLOW(umul_overflow, OP_MUL, false)

static ir_val saturate(struct translation *t, enum op op, bool is_signed, ir_val x, ir_val y)
{
    unsigned width = ir_width(t->b, x);
    ir_val exact = wide(t, op, is_signed, x, y), limit;
    if (exact == IR_NONE)
        return IR_NONE;
    if (is_signed)
        limit = ir_ite(t->b, negative(t, exact), least(t, width), greatest(t, width));
    else
        limit = op == OP_SUB ? ir_const(t->b, width, 0) : ir_const_bits(t->b, width, bits_ones(width));
    return ir_ite(t->b, overflowed(t, is_signed, exact, width), limit, ir_extract(t->b, exact, 0, width));
}

PAIRS(sadd_sat, saturate(t, OP_ADD, true, x, y))
PAIRS(uadd_sat, saturate(t, OP_ADD, false, x, y))
PAIRS(ssub_sat, saturate(t, OP_SUB, true, x, y))
PAIRS(usub_sat, saturate(t, OP_SUB, false, x, y))

/* -1, 0 or 1. */
static bool three_way(struct translation *t, LLVMValueRef v, enum op less, struct parts *out)
{
    const struct shape *s = result_shape(t, v);
    struct parts x = translate_use(t, argument(t, v, 0)), y = translate_use(t, argument(t, v, 1));
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        unsigned width = s->scalar[i].width;
        ir_val more = ir_zext(t->b, ir_bin(t->b, less, y.v[i], x.v[i]), width);
        out->v[i] = ir_ite(t->b, ir_bin(t->b, less, x.v[i], y.v[i]),
                           ir_const_bits(t->b, width, bits_ones(width)), more);
    }
    return true;
}

static bool signed_compare(struct translation *t, LLVMValueRef v, struct parts *out)
{
    return three_way(t, v, OP_SLT, out);
}

static bool unsigned_compare(struct translation *t, LLVMValueRef v, struct parts *out)
{
    return three_way(t, v, OP_ULT, out);
}

/* ---- floating point ---- */

static ir_val without_sign(struct translation *t, ir_val x)
{
    unsigned width = ir_width(t->b, x);
    return ir_bin(t->b, OP_AND, x, greatest(t, width));
}

static ir_val with_sign_of(struct translation *t, ir_val x, ir_val sign)
{
    return ir_bin(t->b, OP_OR, without_sign(t, x), ir_bin(t->b, OP_AND, sign, least(t, ir_width(t->b, x))));
}

static ir_val round_to(struct translation *t, const struct scalar *s, ir_val x, unsigned mode)
{
    static const char *const x87[] = {[OP_RNE] = "x87.rint",
                                      [OP_RTN] = "x87.floor",
                                      [OP_RTP] = "x87.ceil",
                                      [OP_RTZ] = "x87.trunc",
                                      [OP_RNA] = "x87.round"};
    if (s->kind == SCALAR_X87)
        return arith_pure(t, x87[mode], &x, 1);
    return s->kind == SCALAR_FLOAT ? arith_round(t, OP_FRINT, x, mode) : IR_NONE;
}

static ir_val root(struct translation *t, const struct scalar *s, ir_val x)
{
    if (s->kind == SCALAR_X87)
        return arith_pure(t, "x87.sqrt", &x, 1);
    return s->kind == SCALAR_FLOAT ? arith_round(t, OP_FSQRT, x, OP_RNE) : IR_NONE;
}

LANES(fabsolute, without_sign(t, x))
LANES(square_root, root(t, s, x))
LANES(floor_of, round_to(t, s, x, OP_RTN))
LANES(ceiling_of, round_to(t, s, x, OP_RTP))
LANES(truncated, round_to(t, s, x, OP_RTZ))
LANES(nearest_even, round_to(t, s, x, OP_RNE))
LANES(nearest_away, round_to(t, s, x, OP_RNA))
PAIRS(copy_sign, with_sign_of(t, x, y))

/* minnum: a NaN gives way to a number. minimum: a NaN wins. Zeros are told apart by their signs. */
static ir_val extreme(struct translation *t, const struct scalar *s, ir_val x, ir_val y, bool max,
                      bool nan_wins)
{
    struct ir_builder *b = t->b;
    if (s->kind != SCALAR_FLOAT)
        return IR_NONE;
    ir_val less = max ? ir_bin(b, OP_FLT, y, x) : ir_bin(b, OP_FLT, x, y);
    ir_val equal = ir_bin(b, OP_FEQ, x, y);
    /* of two zeros the negative one is less; of two that are the same it does not matter */
    ir_val same = max ? ir_bin(b, OP_AND, x, y) : ir_bin(b, OP_OR, x, y);
    ir_val out = ir_ite(b, equal, same, ir_ite(b, less, x, y));
    ir_val xn = ir_bin(b, OP_FUNORD, x, x), yn = ir_bin(b, OP_FUNORD, y, y);
    if (nan_wins)
        return ir_ite(b, xn, x, ir_ite(b, yn, y, out));
    return ir_ite(b, xn, y, ir_ite(b, yn, x, out));
}

PAIRS(minnum, extreme(t, s, x, y, false, false))
PAIRS(maxnum, extreme(t, s, x, y, true, false))
PAIRS(minimum, extreme(t, s, x, y, false, true))
PAIRS(maximum, extreme(t, s, x, y, true, true))

static bool multiply_add(struct translation *t, LLVMValueRef v, bool fused, struct parts *out)
{
    const struct shape *s = result_shape(t, v);
    struct parts x = translate_use(t, argument(t, v, 0)), y = translate_use(t, argument(t, v, 1)), z = translate_use(t, argument(t, v, 2));
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->scalar[i].kind == SCALAR_X87 && !fused)
            out->v[i] = arith_pure(
                t, "x87.add", (ir_val[]){arith_pure(t, "x87.mul", (ir_val[]){x.v[i], y.v[i]}, 2), z.v[i]}, 2);
        else if (s->scalar[i].kind != SCALAR_FLOAT)
            return false;
        else if (fused)
            out->v[i] = ir_op(t->b, OP_FMA, s->scalar[i].width,
                              (ir_val[]){ir_const(t->b, OP_RM_WIDTH, OP_RNE), x.v[i], y.v[i], z.v[i]}, 4);
        else
            out->v[i] = arith_float(t, OP_FADD, arith_float(t, OP_FMUL, x.v[i], y.v[i]), z.v[i]);
    }
    return true;
}

static bool fused_multiply_add(struct translation *t, LLVMValueRef v, struct parts *out)
{
    return multiply_add(t, v, true, out);
}

/* Which of the two it is, is up to the target. */
static bool maybe_fused(struct translation *t, LLVMValueRef v, struct parts *out)
{
    return multiply_add(t, v, t->m->fuses, out);
}

static bool to_int(struct translation *t, LLVMValueRef v, enum op op, struct parts *out)
{
    const struct shape *s = result_shape(t, v), *from = shape_of(t->m, t->L->TypeOf(argument(t, v, 0)));
    struct parts x = translate_use(t, argument(t, v, 0));
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        if (from->scalar[i].kind != SCALAR_FLOAT)
            return false;
        out->v[i] =
            ir_op(t->b, op, s->scalar[i].width, (ir_val[]){ir_const(t->b, OP_RM_WIDTH, OP_RTZ), x.v[i]}, 2);
    }
    return true;
}

static bool to_signed(struct translation *t, LLVMValueRef v, struct parts *out)
{
    return to_int(t, v, OP_F2S, out);
}

static bool to_unsigned(struct translation *t, LLVMValueRef v, struct parts *out)
{
    return to_int(t, v, OP_F2U, out);
}

/* A NaN, infinite, normal, subnormal or zero, of one sign or the other: ten bits, from LLVM's FPClassTest. */
static bool is_class(struct translation *t, LLVMValueRef v, struct parts *out)
{
    const struct shape *s = shape_of(t->m, t->L->TypeOf(argument(t, v, 0)));
    struct parts x = translate_use(t, argument(t, v, 0));
    struct ir_builder *b = t->b;
    uint64_t wanted;
    if (!ir_is_const(b, translate_use_one(t, argument(t, v, 1)), &wanted))
        return false;
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        unsigned width = s->scalar[i].width, fraction = width == 16   ? 10
                                                        : width == 32 ? 23
                                                        : width == 64 ? 52
                                                                      : 112;
        if (s->scalar[i].kind != SCALAR_FLOAT)
            return false;
        ir_val minus = ir_extract(b, x.v[i], width - 1, 1),
               e = ir_extract(b, x.v[i], fraction, width - 1 - fraction),
               f = ir_extract(b, x.v[i], 0, fraction);
        ir_val e0 = ir_bin(b, OP_EQ, e, zero(t, e)), f0 = ir_bin(b, OP_EQ, f, zero(t, f)),
               e1 = ir_bin(b, OP_EQ, e,
                           ir_const_bits(b, width - 1 - fraction, bits_ones(width - 1 - fraction))),
               quiet = ir_extract(b, f, fraction - 1, 1), nan = ir_bin(b, OP_AND, e1, arith_not(t, f0)),
               plus = arith_not(t, minus), normal = arith_not(t, ir_bin(b, OP_OR, e0, e1)),
               infinite = ir_bin(b, OP_AND, e1, f0), subnormal = ir_bin(b, OP_AND, e0, arith_not(t, f0)),
               none = ir_bin(b, OP_AND, e0, f0);
        const ir_val class[10][2] = {{nan, arith_not(t, quiet)},
                                     {nan, quiet},
                                     {infinite, minus},
                                     {normal, minus},
                                     {subnormal, minus},
                                     {none, minus},
                                     {none, plus},
                                     {subnormal, plus},
                                     {normal, plus},
                                     {infinite, plus}};
        out->v[i] = ir_const(b, 1, 0);
        for (unsigned k = 0; k < 10; k++)
            if (wanted >> k & 1)
                out->v[i] = ir_bin(b, OP_OR, out->v[i], ir_bin(b, OP_AND, class[k][0], class[k][1]));
    }
    return true;
}

/* ---- all lanes to one ---- */

static bool reduce(struct translation *t, LLVMValueRef v, binary_fn *f, unsigned first, struct parts *out)
{
    LLVMValueRef vector = argument(t, v, first);
    const struct shape *s = shape_of(t->m, t->L->TypeOf(vector));
    struct parts x = translate_use(t, vector);
    ir_val all = first ? translate_use_one(t, argument(t, v, 0)) : x.v[0];
    for (uint32_t i = first ? 0 : 1; i < x.n && all != IR_NONE; i++)
        all = f(t, &s->scalar[i], all, x.v[i]);
    *out = parts_one(t, all);
    return all != IR_NONE;
}

static ir_val plain(struct translation *t, const struct scalar *s, enum op op, ir_val x, ir_val y)
{
    bool floats = op == OP_FADD || op == OP_FMUL;
    if (floats && s->kind != SCALAR_FLOAT)
        return IR_NONE;
    return floats ? arith_float(t, op, x, y) : ir_bin(t->b, op, x, y);
}

#define REDUCE(name, lane, first)                                                                            \
    static bool name(struct translation *t, LLVMValueRef v, struct parts *out)                               \
    {                                                                                                        \
        return reduce(t, v, lane, first, out);                                                               \
    }
#define REDUCE_OP(name, op, first)                                                                           \
    static ir_val name##_lane(struct translation *t, const struct scalar *s, ir_val x, ir_val y)             \
    {                                                                                                        \
        return plain(t, s, op, x, y);                                                                        \
    }                                                                                                        \
    REDUCE(name, name##_lane, first)
REDUCE_OP(reduce_add, OP_ADD, 0)
REDUCE_OP(reduce_mul, OP_MUL, 0)
REDUCE_OP(reduce_and, OP_AND, 0)
REDUCE_OP(reduce_or, OP_OR, 0)
REDUCE_OP(reduce_xor, OP_XOR, 0)
REDUCE_OP(reduce_fadd, OP_FADD, 1)
REDUCE_OP(reduce_fmul, OP_FMUL, 1)
REDUCE(reduce_smax, smax_lane, 0)
REDUCE(reduce_smin, smin_lane, 0)
REDUCE(reduce_umax, umax_lane, 0)
REDUCE(reduce_umin, umin_lane, 0)
REDUCE(reduce_fmax, maxnum_lane, 0)
REDUCE(reduce_fmin, minnum_lane, 0)

/* ---- memory ---- */

static bool seen_event(struct translation *t, const char *name, ir_val a, ir_val b)
{
    struct ir_event e = {.name = name, .guard = IR_NONE, .mem_addr = IR_NONE, .observable = true};
    ir_event(t->b, &e, (ir_val[]){a, b}, 2, 0);
    return true;
}

static bool is_volatile(struct translation *t, LLVMValueRef v)
{
    struct bits c;
    return t->L->GetNumArgOperands(v) > 3 && constant_bits(t->m, argument(t, v, 3), &c) && !bits_is_zero(c);
}

static bool copy(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)out;
    struct bits n;
    ir_val to = translate_use_one(t, argument(t, v, 0)), from = translate_use_one(t, argument(t, v, 1));
    if (!constant_bits(t->m, argument(t, v, 2), &n))
        return false;
    access_copy(t, to, from, bits_low(n));
    return !is_volatile(t, v) || seen_event(t, "volatile.copy", to, from);
}

static bool fill(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)out;
    struct bits n;
    ir_val to = translate_use_one(t, argument(t, v, 0)), byte = translate_use_one(t, argument(t, v, 1));
    if (!constant_bits(t->m, argument(t, v, 2), &n))
        return false;
    access_fill(t, to, byte, bits_low(n));
    return !is_volatile(t, v) || seen_event(t, "volatile.fill", to, byte);
}

/* Lane i of a vector in memory, as a shape of its own. */
static struct shape lane_shape(const struct shape *s, uint32_t i, struct scalar *room)
{
    *room = s->scalar[i];
    return (struct shape){room, 1, room->bytes};
}

static bool masked_load(struct translation *t, LLVMValueRef v, struct parts *out)
{
    const struct shape *s = result_shape(t, v);
    ir_val address = translate_use_one(t, argument(t, v, 0));
    struct parts mask = translate_use(t, argument(t, v, 2)), otherwise = translate_use(t, argument(t, v, 3));
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        struct scalar room;
        struct shape one = lane_shape(s, i, &room);
        struct parts other = {&otherwise.v[i], 1};
        if (room.width % 8)
            return false;
        out->v[i] = access_load(t, &one, address, mask.v[i], &other).v[0];
    }
    return true;
}

static bool masked_store(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)out;
    const struct shape *s = shape_of(t->m, t->L->TypeOf(argument(t, v, 0)));
    struct parts value = translate_use(t, argument(t, v, 0)), mask = translate_use(t, argument(t, v, 3));
    ir_val address = translate_use_one(t, argument(t, v, 1));
    for (uint32_t i = 0; i < s->n; i++) {
        struct scalar room;
        struct shape one = lane_shape(s, i, &room);
        if (room.width % 8)
            return false;
        access_store(t, &one, address, (struct parts){&value.v[i], 1}, mask.v[i]);
    }
    return true;
}

static bool gather(struct translation *t, LLVMValueRef v, struct parts *out)
{
    const struct shape *s = result_shape(t, v);
    struct parts address = translate_use(t, argument(t, v, 0)), mask = translate_use(t, argument(t, v, 2)),
                 otherwise = translate_use(t, argument(t, v, 3));
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        struct scalar room;
        struct shape one = lane_shape(s, i, &room);
        struct parts other = {&otherwise.v[i], 1};
        if (room.width % 8)
            return false;
        room.offset = 0;
        out->v[i] = access_load(t, &one, address.v[i], mask.v[i], &other).v[0];
    }
    return true;
}

static bool scatter(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)out;
    const struct shape *s = shape_of(t->m, t->L->TypeOf(argument(t, v, 0)));
    struct parts value = translate_use(t, argument(t, v, 0)), address = translate_use(t, argument(t, v, 1)),
                 mask = translate_use(t, argument(t, v, 3));
    for (uint32_t i = 0; i < s->n; i++) {
        struct scalar room;
        struct shape one = lane_shape(s, i, &room);
        if (room.width % 8)
            return false;
        room.offset = 0;
        access_store(t, &one, address.v[i], (struct parts){&value.v[i], 1}, mask.v[i]);
    }
    return true;
}

/* ---- the rest ---- */

static bool nothing(struct translation *t, LLVMValueRef v, struct parts *out)
{
    const struct shape *s = result_shape(t, v);
    if (!s || !s->n)
        return true;
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        out->v[i] = translate_any(t, "unknown", s->scalar[i].width);
    return true;
}

static bool first_argument(struct translation *t, LLVMValueRef v, struct parts *out)
{
    *out = translate_use(t, argument(t, v, 0));
    return true;
}

static bool is_false(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)v;
    *out = parts_one(t, ir_const(t->b, 1, 0));
    return true;
}

/* The size of an object that is not known: the least or the most, as asked. */
static bool object_size(struct translation *t, LLVMValueRef v, struct parts *out)
{
    uint64_t least_wanted;
    unsigned width = result_shape(t, v)->scalar[0].width;
    if (!ir_is_const(t->b, translate_use_one(t, argument(t, v, 1)), &least_wanted))
        return false;
    *out =
        parts_one(t, least_wanted ? ir_const(t->b, width, 0) : ir_const_bits(t->b, width, bits_ones(width)));
    return true;
}

static bool pointer_mask(struct translation *t, LLVMValueRef v, struct parts *out)
{
    struct parts x = translate_use(t, argument(t, v, 0)), mask = translate_use(t, argument(t, v, 1));
    *out = parts_new(t, x.n);
    for (uint32_t i = 0; i < x.n; i++) {
        ir_val m = mask.v[mask.n == 1 ? 0 : i];
        if (ir_width(t->b, m) != t->pointer)
            return false;
        out->v[i] = ir_bin(t->b, OP_AND, x.v[i], m);
    }
    return true;
}

static bool save_stack(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)v;
    ir_val top = t->top != UINT32_MAX ? ir_get(t->b, t->top, t->pointer)
                                      : access_add(t, ir_get(t->b, t->sp, t->pointer), -t->frame);
    *out = parts_one(t, top);
    return true;
}

static bool restore_stack(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)out;
    if (t->top != UINT32_MAX)
        ir_put(t->b, t->top, translate_use_one(t, argument(t, v, 0)));
    return true;
}

/* What a va_list holds is the business of the target's convention. */
static bool start_arguments(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)out;
    ir_val list = translate_use_one(t, argument(t, v, 0));
    struct ir_event e = {.name = "va_start",
                         .guard = IR_NONE,
                         .mem_write = true,
                         .mem_addr = list,
                         .mem_bytes = t->m->va_list_bytes,
                         .observable = true};
    ir_event(t->b, &e, &list, 1, 0);
    return true;
}

static bool copy_arguments(struct translation *t, LLVMValueRef v, struct parts *out)
{
    (void)out;
    access_copy(t, translate_use_one(t, argument(t, v, 0)), translate_use_one(t, argument(t, v, 1)), t->m->va_list_bytes);
    return true;
}

/* Tables of offsets from their own address, in place of addresses. */
static bool load_relative(struct translation *t, LLVMValueRef v, struct parts *out)
{
    ir_val base = translate_use_one(t, argument(t, v, 0)), offset = translate_use_one(t, argument(t, v, 1));
    unsigned width = ir_width(t->b, offset);
    offset = width < t->pointer ? ir_sext(t->b, offset, t->pointer) : ir_extract(t->b, offset, 0, t->pointer);
    struct scalar word = {.kind = SCALAR_INT, .width = 32, .bytes = 4};
    struct shape s = {&word, 1, 4};
    ir_val x = access_load(t, &s, ir_bin(t->b, OP_ADD, base, offset), IR_NONE, NULL).v[0];
    *out = parts_one(t, ir_bin(t->b, OP_ADD, base, ir_sext(t->b, x, t->pointer)));
    return true;
}

/* To and from half precision, for targets that only store it. */
static bool convert_half(struct translation *t, LLVMValueRef v, struct parts *out)
{
    const struct shape *s = result_shape(t, v);
    if (s->scalar[0].kind != SCALAR_FLOAT && s->scalar[0].width != 16)
        return false;
    *out = parts_one(t, ir_op(t->b, OP_F2F, s->scalar[0].width,
                              (ir_val[]){ir_const(t->b, OP_RM_WIDTH, OP_RNE), translate_use_one(t, argument(t, v, 0))},
                              2));
    return true;
}

static bool reverse_vector(struct translation *t, LLVMValueRef v, struct parts *out)
{
    struct parts x = translate_use(t, argument(t, v, 0));
    *out = parts_new(t, x.n);
    for (uint32_t i = 0; i < x.n; i++)
        out->v[i] = x.v[x.n - 1 - i];
    return true;
}

/* Lane i is on when base + i is below the limit, without wrapping. */
static bool lane_mask(struct translation *t, LLVMValueRef v, struct parts *out)
{
    const struct shape *s = result_shape(t, v);
    ir_val base = translate_use_one(t, argument(t, v, 0)), limit = translate_use_one(t, argument(t, v, 1));
    unsigned room = ir_width(t->b, base) + 32;
    if (room > OP_MAX_WIDTH)
        return false;
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        out->v[i] =
            ir_bin(t->b, OP_ULT, ir_bin(t->b, OP_ADD, ir_zext(t->b, base, room), ir_const(t->b, room, i)),
                   ir_zext(t->b, limit, room));
    return true;
}

/* ---- the table ---- */

static const struct intrinsic {
    const char *name;
    intrinsic_fn *make;
} table[] = {
    {"dbg", nothing},
    {"lifetime", nothing},
    {"assume", nothing},
    {"donothing", nothing},
    {"sideeffect", nothing},
    {"invariant", nothing},
    {"experimental.noalias.scope.decl", nothing},
    {"var.annotation", nothing},
    {"prefetch", nothing},
    {"pseudoprobe", nothing},
    {"va_end", nothing},
    {"load.relative", load_relative},
    {"convert.to.fp16", convert_half},
    {"convert.from.fp16", convert_half},
    {"va_start", start_arguments},
    {"va_copy", copy_arguments},
    {"expect", first_argument},
    {"launder.invariant.group", first_argument},
    {"strip.invariant.group", first_argument},
    {"ptr.annotation", first_argument},
    {"annotation", first_argument},
    {"ssa.copy", first_argument},
    {"threadlocal.address", first_argument},
    {"arithmetic.fence", first_argument},
    {"is.constant", is_false},
    {"objectsize", object_size},
    {"ptrmask", pointer_mask},
    {"stacksave", save_stack},
    {"stackrestore", restore_stack},
    {"memcpy", copy},
    {"memmove", copy},
    {"memset", fill},
    {"masked.load", masked_load},
    {"masked.store", masked_store},
    {"masked.gather", gather},
    {"masked.scatter", scatter},
    {"get.active.lane.mask", lane_mask},
    {"vector.reverse", reverse_vector},
    {"experimental.vector.reverse", reverse_vector},
    {"umax", umax},
    {"umin", umin},
    {"smax", smax},
    {"smin", smin},
    {"abs", absolute},
    {"ctpop", popcount},
    {"ctlz", leading},
    {"cttz", trailing},
    {"bswap", byteswap},
    {"bitreverse", bitreverse},
    {"fshl", funnel_left},
    {"fshr", funnel_right},
    {"sadd.with.overflow", sadd_overflow},
    {"uadd.with.overflow", uadd_overflow},
    {"ssub.with.overflow", ssub_overflow},
    {"usub.with.overflow", usub_overflow},
    {"smul.with.overflow", smul_overflow},
    {"umul.with.overflow", umul_overflow},
    {"sadd.sat", sadd_sat},
    {"uadd.sat", uadd_sat},
    {"ssub.sat", ssub_sat},
    {"usub.sat", usub_sat},
    {"scmp", signed_compare},
    {"ucmp", unsigned_compare},
    {"fabs", fabsolute},
    {"sqrt", square_root},
    {"floor", floor_of},
    {"ceil", ceiling_of},
    {"trunc", truncated},
    {"rint", nearest_even},
    {"nearbyint", nearest_even},
    {"roundeven", nearest_even},
    {"round", nearest_away},
    {"copysign", copy_sign},
    {"minnum", minnum},
    {"maxnum", maxnum},
    {"minimum", minimum},
    {"maximum", maximum},
    {"fma", fused_multiply_add},
    {"fmuladd", maybe_fused},
    {"fptosi.sat", to_signed},
    {"fptoui.sat", to_unsigned},
    {"is.fpclass", is_class},
    {"vector.reduce.add", reduce_add},
    {"vector.reduce.mul", reduce_mul},
    {"vector.reduce.and", reduce_and},
    {"vector.reduce.or", reduce_or},
    {"vector.reduce.xor", reduce_xor},
    {"vector.reduce.fadd", reduce_fadd},
    {"vector.reduce.fmul", reduce_fmul},
    {"vector.reduce.smax", reduce_smax},
    {"vector.reduce.smin", reduce_smin},
    {"vector.reduce.umax", reduce_umax},
    {"vector.reduce.umin", reduce_umin},
    {"vector.reduce.fmax", reduce_fmax},
    {"vector.reduce.fmin", reduce_fmin},
};

/* These are functions of libm under other names. */
static const char *const libm[] = {"sin", "cos",  "tan",  "exp",  "exp2", "exp10", "log",  "log2", "log10",
                                   "pow", "sinh", "cosh", "tanh", "asin", "acos",  "atan", "ldexp"};

/* The rest of `name` after `head`, when that is a whole part of it. */
static bool begins(const char *name, const char *head)
{
    size_t n = strlen(head);
    return strncmp(name, head, n) == 0 && (name[n] == 0 || name[n] == '.');
}

/* The longest that fits: round is not roundeven, memcpy is also memcpy.inline. */
static const struct intrinsic *find(const char *name)
{
    const struct intrinsic *best = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (begins(name, table[i].name) && (!best || strlen(table[i].name) > strlen(best->name)))
            best = &table[i];
    return best;
}

static const char *intrinsic_name(struct translation *t, LLVMValueRef call)
{
    LLVMValueRef callee = t->L->GetCalledValue(call);
    if (t->L->GetValueKind(callee) != LLVMFunctionValueKind)
        return NULL;
    const char *name = module_name(t->m, callee);
    return strncmp(name, "llvm.", 5) == 0 ? name + 5 : NULL;
}

static const char *library_name(struct translation *t, LLVMValueRef call, const char *name)
{
    for (size_t i = 0; i < sizeof libm / sizeof *libm; i++) {
        if (!begins(name, libm[i]))
            continue;
        switch (t->L->GetTypeKind(t->L->TypeOf(call))) {
        case LLVMFloatTypeKind:
            return arena_printf(&t->m->arena, "%sf", libm[i]);
        case LLVMDoubleTypeKind:
            return libm[i];
        case LLVMX86_FP80TypeKind:
        case LLVMFP128TypeKind:
            return arena_printf(&t->m->arena, "%sl", libm[i]);
        default:
            return NULL;
        }
    }
    return NULL;
}

enum intrinsic_way intrinsic_way(struct translation *t, LLVMValueRef call, const char **name, unsigned *nargs)
{
    const char *own = intrinsic_name(t, call);
    struct bits n;
    *name = NULL;
    *nargs = t->L->GetNumArgOperands(call);
    if (!own)
        return INTRINSIC_CALL;
    if (begins(own, "trap") || begins(own, "debugtrap") || begins(own, "ubsantrap"))
        return INTRINSIC_TRAP;
    if (begins(own, "memcpy") || begins(own, "memmove") || begins(own, "memset")) {
        /* memcpy.element.unordered.atomic has an element size where others say whether they are volatile. */
        bool element = strstr(own, "element.unordered.atomic") != NULL;
        if (!element && constant_bits(t->m, argument(t, call, 2), &n) && bits_low(n) <= COPY_MAX)
            return INTRINSIC_INLINE;
        if (!element) {
            *name = begins(own, "memcpy") ? "memcpy" : begins(own, "memmove") ? "memmove" : "memset";
            *nargs = 3;
        }
        return INTRINSIC_CALL;
    }
    if (find(own))
        return INTRINSIC_INLINE;
    *name = library_name(t, call, own);
    return INTRINSIC_CALL;
}

bool intrinsic_translate(struct translation *t, LLVMValueRef call, struct parts *out)
{
    const struct intrinsic *i = find(intrinsic_name(t, call));
    return i->make(t, call, out);
}
