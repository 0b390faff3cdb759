/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic, comparisons, conversions, and the taking apart and putting together of vectors and aggregates.
 */
#include <stdio.h>
#include <string.h>

#include "lift/llvm/internal.h"

ir_val arith_not(struct translation *t, ir_val x)
{
    return ir_un(t->b, OP_NOT, x);
}

ir_val arith_round(struct translation *t, enum op op, ir_val x, unsigned mode)
{
    return ir_op(t->b, op, ir_width(t->b, x), (ir_val[]){ir_const(t->b, OP_RM_WIDTH, mode), x}, 2);
}

ir_val arith_float(struct translation *t, enum op op, ir_val x, ir_val y)
{
    return ir_op(t->b, op, ir_width(t->b, x), (ir_val[]){ir_const(t->b, OP_RM_WIDTH, OP_RNE), x, y}, 3);
}

ir_val arith_pure(struct translation *t, const char *name, const ir_val *arg, unsigned nargs)
{
    struct ir_pures p = bitcode_pures();
    for (unsigned i = 0; i < p.count; i++)
        if (strcmp(p.table[i].name, name) == 0)
            return ir_pure(t->b, i, p.table[i].width, arg, nargs);
    return IR_NONE;
}

ir_val arith_any(struct translation *t, struct parts p)
{
    ir_val any = ir_const(t->b, 1, 0);
    for (uint32_t i = 0; i < p.n; i++)
        any = ir_bin(t->b, OP_OR, any, p.v[i]);
    return any;
}

ir_val arith_swap(struct translation *t, ir_val x)
{
    unsigned width = ir_width(t->b, x);
    ir_val out = ir_extract(t->b, x, 0, 8);
    for (unsigned at = 8; at < width; at += 8)
        out = ir_bin(t->b, OP_CONCAT, out, ir_extract(t->b, x, at, 8));
    return out;
}

ir_val arith_min_max(struct translation *t, bool max, bool is_signed, ir_val x, ir_val y)
{
    ir_val less = ir_bin(t->b, is_signed ? OP_SLT : OP_ULT, x, y);
    return max ? ir_ite(t->b, less, y, x) : ir_ite(t->b, less, x, y);
}

/* ---- two operands ---- */

static ir_val float_binary(struct translation *t, LLVMOpcode op, const struct scalar *s, ir_val x, ir_val y)
{
    char name[32];
    static const struct {
        LLVMOpcode op;
        enum op ours;
        const char *name;
    } table[] = {{LLVMFAdd, OP_FADD, "add"},
                 {LLVMFSub, OP_FSUB, "sub"},
                 {LLVMFMul, OP_FMUL, "mul"},
                 {LLVMFDiv, OP_FDIV, "div"},
                 {LLVMFRem, OP_COUNT_, "rem"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].op != op || s->kind == SCALAR_BFLOAT)
            continue;
        if (s->kind == SCALAR_FLOAT && table[i].ours != OP_COUNT_)
            return arith_float(t, table[i].ours, x, y);
        if (s->kind == SCALAR_X87)
            snprintf(name, sizeof name, "x87.%s", table[i].name);
        else
            snprintf(name, sizeof name, "f%u.%s", s->width, table[i].name);
        return arith_pure(t, name, (ir_val[]){x, y}, 2);
    }
    return IR_NONE;
}

static bool int_operator(LLVMOpcode op, enum op *out)
{
    static const struct {
        LLVMOpcode op;
        enum op ours;
    } table[] = {{LLVMAdd, OP_ADD},   {LLVMSub, OP_SUB},   {LLVMMul, OP_MUL},   {LLVMUDiv, OP_UDIV},
                 {LLVMSDiv, OP_SDIV}, {LLVMURem, OP_UREM}, {LLVMSRem, OP_SREM}, {LLVMShl, OP_SHL},
                 {LLVMLShr, OP_LSHR}, {LLVMAShr, OP_ASHR}, {LLVMAnd, OP_AND},   {LLVMOr, OP_OR},
                 {LLVMXor, OP_XOR}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op) {
            *out = table[i].ours;
            return true;
        }
    return false;
}

/* The least number by -1. */
static ir_val does_not_fit(struct translation *t, ir_val x, ir_val y)
{
    unsigned width = ir_width(t->b, x);
    struct bits least = bits_shl(bits_u64(1, 64), width - 1);
    return ir_bin(t->b, OP_AND, ir_bin(t->b, OP_EQ, x, ir_const_bits(t->b, width, least)),
                  ir_bin(t->b, OP_EQ, y, ir_const_bits(t->b, width, bits_ones(width))));
}

/* Leaves where an element has no quotient. */
static void check_quotients(struct translation *t, enum op op, const struct shape *s, const struct parts *x,
                            const struct parts *y)
{
    struct parts zero = parts_new(t, s->n), large = parts_new(t, s->n);
    bool is_signed = op == OP_SDIV || op == OP_SREM;
    for (uint32_t i = 0; i < s->n; i++) {
        zero.v[i] = ir_bin(t->b, OP_EQ, y->v[i], ir_const(t->b, ir_width(t->b, y->v[i]), 0));
        if (is_signed)
            large.v[i] = does_not_fit(t, x->v[i], y->v[i]);
    }
    ir_exit(t->b, arith_any(t, zero), IR_EXIT_DIVISION, t->site);
    if (is_signed)
        ir_exit(t->b, arith_any(t, large), IR_EXIT_QUOTIENT, t->site);
}

static bool binary(struct translation *t, LLVMOpcode op, LLVMValueRef v, const struct shape *s,
                   struct parts *out)
{
    struct parts x = translate_use(t, translate_operand(t, v, 0)), y = translate_use(t, translate_operand(t, v, 1));
    enum op ours = OP_COUNT_;
    bool integers = int_operator(op, &ours);
    *out = parts_new(t, s->n);
    if (integers && (ours == OP_UDIV || ours == OP_SDIV || ours == OP_UREM || ours == OP_SREM))
        check_quotients(t, ours, s, &x, &y);
    for (uint32_t i = 0; i < s->n; i++) {
        out->v[i] = integers ? ir_bin(t->b, ours, x.v[i], y.v[i])
                             : float_binary(t, op, &s->scalar[i], x.v[i], y.v[i]);
        if (out->v[i] == IR_NONE)
            return false;
    }
    return true;
}

/* ---- comparisons ---- */

static ir_val compare_ints(struct translation *t, LLVMIntPredicate p, ir_val x, ir_val y)
{
    struct ir_builder *b = t->b;
    switch (p) {
    case LLVMIntEQ:
        return ir_bin(b, OP_EQ, x, y);
    case LLVMIntNE:
        return arith_not(t, ir_bin(b, OP_EQ, x, y));
    case LLVMIntUGT:
        return ir_bin(b, OP_ULT, y, x);
    case LLVMIntUGE:
        return ir_bin(b, OP_ULE, y, x);
    case LLVMIntULT:
        return ir_bin(b, OP_ULT, x, y);
    case LLVMIntULE:
        return ir_bin(b, OP_ULE, x, y);
    case LLVMIntSGT:
        return ir_bin(b, OP_SLT, y, x);
    case LLVMIntSGE:
        return ir_bin(b, OP_SLE, y, x);
    case LLVMIntSLT:
        return ir_bin(b, OP_SLT, x, y);
    case LLVMIntSLE:
        return ir_bin(b, OP_SLE, x, y);
    }
    return IR_NONE;
}

static ir_val compare_floats(struct translation *t, enum op op, const struct scalar *s, ir_val x, ir_val y)
{
    if (s->kind == SCALAR_FLOAT)
        return ir_bin(t->b, op, x, y);
    if (s->kind == SCALAR_BFLOAT)
        return IR_NONE;
    const char *name = op == OP_FEQ   ? "x87.eq"
                       : op == OP_FLT ? "x87.lt"
                       : op == OP_FLE ? "x87.le"
                                      : "x87.unord";
    return arith_pure(t, name, (ir_val[]){x, y}, 2);
}

ir_val arith_compare(struct translation *t, LLVMRealPredicate p, const struct scalar *s, ir_val x, ir_val y)
{
    enum op op;
    bool swap = false, negate = false;
    if (s->kind == SCALAR_BFLOAT)
        return IR_NONE;
    switch (p) {
    case LLVMRealPredicateFalse:
    case LLVMRealPredicateTrue:
        return ir_const(t->b, 1, p == LLVMRealPredicateTrue);
    case LLVMRealONE:
    case LLVMRealUEQ: {
        ir_val other =
            ir_bin(t->b, OP_OR, compare_floats(t, OP_FEQ, s, x, y), compare_floats(t, OP_FUNORD, s, x, y));
        return p == LLVMRealUEQ ? other : arith_not(t, other);
    }
    case LLVMRealOEQ:
        op = OP_FEQ;
        break;
    case LLVMRealUNE:
        op = OP_FEQ, negate = true;
        break;
    case LLVMRealOLT:
        op = OP_FLT;
        break;
    case LLVMRealOLE:
        op = OP_FLE;
        break;
    case LLVMRealOGT:
        op = OP_FLT, swap = true;
        break;
    case LLVMRealOGE:
        op = OP_FLE, swap = true;
        break;
    case LLVMRealULT: /* not x >= y */
        op = OP_FLE, swap = negate = true;
        break;
    case LLVMRealULE:
        op = OP_FLT, swap = negate = true;
        break;
    case LLVMRealUGT:
        op = OP_FLE, negate = true;
        break;
    case LLVMRealUGE:
        op = OP_FLT, negate = true;
        break;
    case LLVMRealUNO:
        op = OP_FUNORD;
        break;
    case LLVMRealORD:
        op = OP_FUNORD, negate = true;
        break;
    default:
        return IR_NONE;
    }
    ir_val r = swap ? compare_floats(t, op, s, y, x) : compare_floats(t, op, s, x, y);
    return negate ? arith_not(t, r) : r;
}

static bool comparison(struct translation *t, LLVMOpcode op, LLVMValueRef v, struct parts *out)
{
    const struct shape *from = shape_of(t->m, t->L->TypeOf(translate_operand(t, v, 0)));
    struct parts x = translate_use(t, translate_operand(t, v, 0)), y = translate_use(t, translate_operand(t, v, 1));
    *out = parts_new(t, x.n);
    for (uint32_t i = 0; i < x.n; i++) {
        out->v[i] = op == LLVMICmp
                        ? compare_ints(t, t->L->GetICmpPredicate(v), x.v[i], y.v[i])
                        : arith_compare(t, t->L->GetFCmpPredicate(v), &from->scalar[i], x.v[i], y.v[i]);
        if (out->v[i] == IR_NONE)
            return false;
    }
    return true;
}

/* ---- conversions ---- */

static ir_val resize(struct translation *t, ir_val x, unsigned width, bool is_signed)
{
    unsigned from = ir_width(t->b, x);
    if (width <= from)
        return ir_extract(t->b, x, 0, width);
    return is_signed ? ir_sext(t->b, x, width) : ir_zext(t->b, x, width);
}

static ir_val rounded(struct translation *t, enum op op, unsigned mode, ir_val x, unsigned width)
{
    return ir_op(t->b, op, width, (ir_val[]){ir_const(t->b, OP_RM_WIDTH, mode), x}, 2);
}

/* To and from the 80-bit format there are functions for double, float and 64-bit integers. */
static ir_val convert_x87(struct translation *t, LLVMOpcode op, const struct scalar *from,
                          const struct scalar *to, ir_val x)
{
    bool is_signed = op == LLVMSIToFP || op == LLVMFPToSI;
    char name[32];
    switch (op) {
    case LLVMFPExt:
        snprintf(name, sizeof name, "x87.from_f%u", from->width);
        return from->kind == SCALAR_FLOAT ? arith_pure(t, name, &x, 1) : IR_NONE;
    case LLVMFPTrunc:
        snprintf(name, sizeof name, "x87.to_f%u", to->width);
        return to->kind == SCALAR_FLOAT ? arith_pure(t, name, &x, 1) : IR_NONE;
    case LLVMSIToFP:
    case LLVMUIToFP:
        if (from->width > 64)
            return IR_NONE;
        x = resize(t, x, 64, is_signed);
        return arith_pure(t, is_signed ? "x87.from_s64" : "x87.from_u64", &x, 1);
    default:
        if (to->width > 64)
            return IR_NONE;
        x = arith_pure(t, is_signed ? "x87.to_s64" : "x87.to_u64", &x, 1);
        return resize(t, x, to->width, false);
    }
}

static ir_val convert(struct translation *t, LLVMOpcode op, const struct scalar *from,
                      const struct scalar *to, ir_val x)
{
    bool floats = op == LLVMFPToUI || op == LLVMFPToSI || op == LLVMUIToFP || op == LLVMSIToFP ||
                  op == LLVMFPTrunc || op == LLVMFPExt;
    if (floats && (from->kind == SCALAR_BFLOAT || to->kind == SCALAR_BFLOAT))
        return IR_NONE;
    if (floats && (from->kind == SCALAR_X87 || to->kind == SCALAR_X87))
        return convert_x87(t, op, from, to, x);
    switch (op) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
        return resize(t, x, to->width, false);
    case LLVMSExt:
        return resize(t, x, to->width, true);
    case LLVMFPToUI:
        return rounded(t, OP_F2U, OP_RTZ, x, to->width);
    case LLVMFPToSI:
        return rounded(t, OP_F2S, OP_RTZ, x, to->width);
    case LLVMUIToFP:
        return rounded(t, OP_U2F, OP_RNE, x, to->width);
    case LLVMSIToFP:
        return rounded(t, OP_S2F, OP_RNE, x, to->width);
    case LLVMFPTrunc:
    case LLVMFPExt:
        return rounded(t, OP_F2F, OP_RNE, x, to->width);
    default:
        return IR_NONE;
    }
}

/* The same bits, cut differently; the first lane has the lowest ones. */
static struct parts recut(struct translation *t, struct parts x, const struct shape *to)
{
    struct parts out = parts_new(t, to->n);
    uint32_t at = 0;
    unsigned used = 0; /* bits of x.v[at] */
    for (uint32_t i = 0; i < to->n; i++) {
        ir_val whole = IR_NONE;
        for (unsigned have = 0; have < to->scalar[i].width;) {
            unsigned left = ir_width(t->b, x.v[at]) - used, want = to->scalar[i].width - have;
            unsigned n = left < want ? left : want;
            ir_val piece = ir_extract(t->b, x.v[at], used, n);
            whole = whole == IR_NONE ? piece : ir_bin(t->b, OP_CONCAT, piece, whole);
            have += n;
            used += n;
            if (n == left) {
                at++;
                used = 0;
            }
        }
        out.v[i] = whole;
    }
    return out;
}

static bool conversion(struct translation *t, LLVMOpcode op, LLVMValueRef v, const struct shape *s,
                       struct parts *out)
{
    const struct shape *from = shape_of(t->m, t->L->TypeOf(translate_operand(t, v, 0)));
    struct parts x = translate_use(t, translate_operand(t, v, 0));
    if (op == LLVMBitCast) {
        if (from->n != s->n && t->m->info.big_endian)
            return false;
        *out = from->n == s->n ? x : recut(t, x, s);
        return true;
    }
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        out->v[i] = convert(t, op, &from->scalar[i], &s->scalar[i], x.v[i]);
        if (out->v[i] == IR_NONE)
            return false;
    }
    return true;
}

/* ---- vectors and aggregates ---- */

static struct parts choose(struct translation *t, LLVMValueRef v, const struct shape *s)
{
    struct parts c = translate_use(t, translate_operand(t, v, 0)), x = translate_use(t, translate_operand(t, v, 1)), y = translate_use(t, translate_operand(t, v, 2));
    struct parts out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        out.v[i] = ir_ite(t->b, c.v[c.n == 1 ? 0 : i], x.v[i], y.v[i]);
    return out;
}

/* An index that is not known chooses among all lanes; one that is too large gives the last. */
static ir_val is_lane(struct translation *t, ir_val index, uint32_t i)
{
    unsigned width = ir_width(t->b, index);
    if (width < 32 && i >> width)
        return ir_const(t->b, 1, 0);
    return ir_bin(t->b, OP_EQ, index, ir_const(t->b, width, i));
}

static struct parts extract_element(struct translation *t, LLVMValueRef v)
{
    struct parts x = translate_use(t, translate_operand(t, v, 0));
    ir_val index = translate_use_one(t, translate_operand(t, v, 1)), out = x.v[x.n - 1];
    for (uint32_t i = x.n - 1; i-- > 0;)
        out = ir_ite(t->b, is_lane(t, index, i), x.v[i], out);
    return parts_one(t, out);
}

static struct parts insert_element(struct translation *t, LLVMValueRef v)
{
    struct parts x = translate_use(t, translate_operand(t, v, 0)), out = parts_new(t, x.n);
    ir_val e = translate_use_one(t, translate_operand(t, v, 1)), index = translate_use_one(t, translate_operand(t, v, 2));
    for (uint32_t i = 0; i < x.n; i++)
        out.v[i] = ir_ite(t->b, is_lane(t, index, i), e, x.v[i]);
    return out;
}

static struct parts shuffle(struct translation *t, LLVMValueRef v, const struct shape *s)
{
    struct parts x = translate_use(t, translate_operand(t, v, 0)), y = translate_use(t, translate_operand(t, v, 1)), out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        int k = t->L->GetMaskValue(v, i);
        if (k >= 0 && (uint32_t)k < x.n)
            out.v[i] = x.v[k];
        else if (k >= 0 && (uint32_t)k < x.n + y.n)
            out.v[i] = y.v[(uint32_t)k - x.n];
        else
            out.v[i] = translate_any(t, "undef", s->scalar[i].width);
    }
    return out;
}

/* Where in the scalars of an aggregate the member named by an instruction's indices begins. */
static uint32_t member_of(struct translation *t, LLVMValueRef v, uint32_t *n)
{
    LLVMTypeRef type = t->L->TypeOf(translate_operand(t, v, 0));
    unsigned depth = t->L->GetNumIndices(v);
    const unsigned *index = t->L->GetIndices(v);
    uint32_t at = 0;
    for (unsigned i = 0; i < depth; i++)
        at += shape_member(t->m, type, index[i], &type);
    *n = shape_of(t->m, type)->n;
    return at;
}

static struct parts extract_value(struct translation *t, LLVMValueRef v)
{
    uint32_t n, at = member_of(t, v, &n);
    struct parts x = translate_use(t, translate_operand(t, v, 0)), out = parts_new(t, n);
    for (uint32_t i = 0; i < n; i++)
        out.v[i] = x.v[at + i];
    return out;
}

static struct parts insert_value(struct translation *t, LLVMValueRef v)
{
    uint32_t n, at = member_of(t, v, &n);
    struct parts x = translate_use(t, translate_operand(t, v, 0)), e = translate_use(t, translate_operand(t, v, 1)), out = parts_new(t, x.n);
    for (uint32_t i = 0; i < x.n; i++)
        out.v[i] = i >= at && i < at + n ? e.v[i - at] : x.v[i];
    return out;
}

static struct parts negate(struct translation *t, LLVMValueRef v, const struct shape *s)
{
    struct parts x = translate_use(t, translate_operand(t, v, 0)), out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        unsigned width = s->scalar[i].width;
        out.v[i] =
            ir_bin(t->b, OP_XOR, x.v[i], ir_const_bits(t->b, width, bits_shl(bits_u64(1, 64), width - 1)));
    }
    return out;
}

bool arith_instruction(struct translation *t, LLVMOpcode op, LLVMValueRef v, struct parts *out)
{
    const struct shape *s = shape_of(t->m, t->L->TypeOf(v));
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        return binary(t, op, v, s, out);
    case LLVMICmp:
    case LLVMFCmp:
        return comparison(t, op, v, out);
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
        return conversion(t, op, v, s, out);
    case LLVMFNeg:
        *out = negate(t, v, s);
        return true;
    case LLVMSelect:
        *out = choose(t, v, s);
        return true;
    case LLVMFreeze:
        *out = translate_use(t, translate_operand(t, v, 0));
        return true;
    case LLVMExtractElement:
        *out = extract_element(t, v);
        return true;
    case LLVMInsertElement:
        *out = insert_element(t, v);
        return true;
    case LLVMShuffleVector:
        *out = shuffle(t, v, s);
        return true;
    case LLVMExtractValue:
        *out = extract_value(t, v);
        return true;
    case LLVMInsertValue:
        *out = insert_value(t, v);
        return true;
    default:
        return false;
    }
}
