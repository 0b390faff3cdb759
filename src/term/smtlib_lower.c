/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From terms to SMT-LIB's own functions. See smtlib.h. */
#include "term/smtlib.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const struct smt_op_info smt_op_info[SMT_CONST] = {
#define SMT_INFO(id, name, arity, numerals) {name, arity, numerals},
    SMT_TABLE(SMT_INFO)
#undef SMT_INFO
};

void smt_graph_init(struct smt_graph *g, struct terms *t, bool fp_theory)
{
    memset(g, 0, sizeof *g);
    g->terms = t;
    g->fp_theory = fp_theory;
    vec_push(&g->node, (struct smt_info){0});
}

void smt_graph_free(struct smt_graph *g)
{
    vec_free(&g->node);
    vec_free(&g->kid);
    vec_free(&g->value);
    map_free(&g->of_term);
    map_free(&g->by_hash);
    map_free(&g->float_of);
    strmap_free(&g->names);
    arena_free(&g->arena);
}

/* ---- hash-consing of nodes ---- */

static const struct smt_sort bool_sort = {SMT_SORT_BITS, 1, 0};

static struct smt_sort bits_sort(unsigned width)
{
    return (struct smt_sort){SMT_SORT_BITS, (uint16_t)width, 0};
}

static bool sort_eq(struct smt_sort a, struct smt_sort b)
{
    return a.kind == b.kind && a.a == b.a && a.b == b.b;
}

static const char *intern(struct smt_graph *g, const char *name)
{
    uint64_t known;
    if (strmap_get(&g->names, name, &known))
        return (const char *)(uintptr_t)known;
    const char *copy = arena_strdup(&g->arena, name);
    strmap_set(&g->names, copy, (uintptr_t)copy);
    return copy;
}

/* `name` must be interned; `value` is for literals only. */
static smt_node node(struct smt_graph *g, struct smt_info want, const smt_node *kid, const struct bits *value)
{
    uint64_t h =
        hash_u64((uint64_t)want.op << 48 | (uint64_t)want.p << 32 | (uint64_t)want.q << 16 | want.sort.kind);
    h = hash_u64(h ^ ((uint64_t)want.sort.a << 16 | want.sort.b) ^ (uint64_t)(uintptr_t)want.name << 20);
    for (unsigned i = 0; i < want.nkids; i++)
        h = hash_u64(h * 31 + kid[i]);
    if (value)
        h ^= hash_bytes(value, sizeof *value);
    uint32_t first = (uint32_t)map_find(&g->by_hash, h, 0);
    for (uint32_t i = first; i; i = g->node.data[i].next) {
        const struct smt_info *n = &g->node.data[i];
        if (n->op != want.op || n->nkids != want.nkids || n->p != want.p || n->q != want.q ||
            n->name != want.name || !sort_eq(n->sort, want.sort))
            continue;
        if (value ? bits_eq(g->value.data[n->kid], *value)
                  : !want.nkids || !memcmp(&g->kid.data[n->kid], kid, want.nkids * sizeof *kid))
            return i;
    }
    if (value) {
        want.kid = (uint32_t)g->value.len;
        vec_push(&g->value, *value);
    } else {
        want.kid = (uint32_t)g->kid.len;
        for (unsigned i = 0; i < want.nkids; i++)
            vec_push(&g->kid, kid[i]);
    }
    want.next = first;
    uint32_t id = (uint32_t)g->node.len;
    vec_push(&g->node, want);
    map_set(&g->by_hash, h, id);
    return id;
}

static struct smt_sort sort_of(const struct smt_graph *g, smt_node n)
{
    return g->node.data[n].sort;
}

static unsigned width_of(const struct smt_graph *g, smt_node n)
{
    assert(g->node.data[n].sort.kind == SMT_SORT_BITS);
    return g->node.data[n].sort.a;
}

static smt_node op1(struct smt_graph *g, enum smt_op op, struct smt_sort sort, smt_node a)
{
    return node(g, (struct smt_info){.op = op, .nkids = 1, .sort = sort}, &a, NULL);
}

static smt_node op2(struct smt_graph *g, enum smt_op op, struct smt_sort sort, smt_node a, smt_node b)
{
    return node(g, (struct smt_info){.op = op, .nkids = 2, .sort = sort}, (smt_node[]){a, b}, NULL);
}

static smt_node op3(struct smt_graph *g, enum smt_op op, struct smt_sort sort, smt_node a, smt_node b,
                    smt_node c)
{
    return node(g, (struct smt_info){.op = op, .nkids = 3, .sort = sort}, (smt_node[]){a, b, c}, NULL);
}

static smt_node literal(struct smt_graph *g, struct bits value, unsigned width)
{
    return node(g, (struct smt_info){.op = SMT_CONST, .sort = bits_sort(width)}, NULL, &value);
}

static smt_node number(struct smt_graph *g, uint64_t value, unsigned width)
{
    return literal(g, bits_u64(value, width), width);
}

static smt_node negate(struct smt_graph *g, smt_node a)
{
    return op1(g, SMT_NOT, bool_sort, a);
}

static smt_node ite(struct smt_graph *g, smt_node c, smt_node a, smt_node b)
{
    return op3(g, SMT_ITE, sort_of(g, a), c, a, b);
}

/* ---- Bool and bit-vector of width 1. The sort (_ BitVec 1) exists only inside one lowering: what needs it
 * takes it at once, and what yields it is made Bool at once. ---- */

static struct smt_sort raw_sort(unsigned width)
{
    struct smt_sort s = bits_sort(width);
    if (width == 1)
        s.b = SMT_RAW;
    return s;
}

static smt_node raw_literal(struct smt_graph *g, unsigned bit)
{
    struct bits v = bits_u64(bit, 1);
    return node(g, (struct smt_info){.op = SMT_CONST, .sort = raw_sort(1)}, NULL, &v);
}

static smt_node to_raw(struct smt_graph *g, smt_node x)
{
    if (sort_of(g, x).a != 1 || sort_of(g, x).b == SMT_RAW)
        return x;
    return op3(g, SMT_ITE, raw_sort(1), x, raw_literal(g, 1), raw_literal(g, 0));
}

static smt_node from_raw(struct smt_graph *g, smt_node x)
{
    if (sort_of(g, x).b != SMT_RAW)
        return x;
    return op2(g, SMT_EQ, bool_sort, x, raw_literal(g, 1));
}

static smt_node extract(struct smt_graph *g, smt_node x, unsigned lo, unsigned width)
{
    if (width_of(g, x) == width)
        return x;
    struct smt_info want = {.op = SMT_EXTRACT, .nkids = 1, .sort = raw_sort(width)};
    want.p = (uint16_t)(lo + width - 1);
    want.q = (uint16_t)lo;
    return from_raw(g, node(g, want, &x, NULL));
}

static smt_node extend(struct smt_graph *g, smt_node x, unsigned width, bool sign)
{
    unsigned from = width_of(g, x);
    if (from == width)
        return x;
    if (from == 1)
        return ite(g, x, sign ? literal(g, bits_ones(width), width) : number(g, 1, width),
                   number(g, 0, width));
    struct smt_info want = {
        .op = sign ? SMT_SIGN_EXTEND : SMT_ZERO_EXTEND, .nkids = 1, .sort = bits_sort(width)};
    want.p = (uint16_t)(width - from);
    return node(g, want, &x, NULL);
}

static smt_node concat(struct smt_graph *g, smt_node hi, smt_node lo)
{
    unsigned width = width_of(g, hi) + width_of(g, lo);
    return op2(g, SMT_CONCAT, bits_sort(width), to_raw(g, hi), to_raw(g, lo));
}

/* ---- integer operators ---- */

/* Width 1: the operators as Boolean functions, by the definitions of base/op.h. */
static smt_node lower_bool(struct smt_graph *g, enum op op, const smt_node *k)
{
    switch (op) {
    case OP_NOT:
    case OP_CLZ:
    case OP_CTZ:
        return negate(g, k[0]);
    case OP_NEG:
    case OP_POPCNT:
    case OP_ASHR:
        return k[0];
    case OP_ADD:
    case OP_SUB:
    case OP_XOR:
        return op2(g, SMT_XOR, bool_sort, k[0], k[1]);
    case OP_MUL:
    case OP_AND:
        return op2(g, SMT_AND, bool_sort, k[0], k[1]);
    case OP_OR:
        return op2(g, SMT_OR, bool_sort, k[0], k[1]);
    case OP_UDIV:
    case OP_SDIV:
        return op2(g, SMT_OR, bool_sort, negate(g, k[1]), k[0]);
    case OP_UREM:
    case OP_SREM:
    case OP_SHL:
    case OP_LSHR:
        return op2(g, SMT_AND, bool_sort, k[0], negate(g, k[1]));
    case OP_EQ:
        return op2(g, SMT_EQ, bool_sort, k[0], k[1]);
    case OP_ULT:
        return op2(g, SMT_AND, bool_sort, negate(g, k[0]), k[1]);
    case OP_ULE:
        return op2(g, SMT_OR, bool_sort, negate(g, k[0]), k[1]);
    case OP_SLT:
        return op2(g, SMT_AND, bool_sort, k[0], negate(g, k[1]));
    case OP_SLE:
        return op2(g, SMT_OR, bool_sort, k[0], negate(g, k[1]));
    default:
        assert(!"an operator of width 1");
        return k[0];
    }
}

static const uint8_t bv_op[OP_COUNT_] = {
    [OP_NOT] = SMT_BVNOT,   [OP_NEG] = SMT_BVNEG,   [OP_ADD] = SMT_BVADD,   [OP_SUB] = SMT_BVSUB,
    [OP_MUL] = SMT_BVMUL,   [OP_UDIV] = SMT_BVUDIV, [OP_UREM] = SMT_BVUREM, [OP_SDIV] = SMT_BVSDIV,
    [OP_SREM] = SMT_BVSREM, [OP_AND] = SMT_BVAND,   [OP_OR] = SMT_BVOR,     [OP_XOR] = SMT_BVXOR,
    [OP_SHL] = SMT_BVSHL,   [OP_LSHR] = SMT_BVLSHR, [OP_ASHR] = SMT_BVASHR, [OP_EQ] = SMT_EQ,
    [OP_ULT] = SMT_BVULT,   [OP_ULE] = SMT_BVULE,   [OP_SLT] = SMT_BVSLT,   [OP_SLE] = SMT_BVSLE,
};

/* The position of the first set bit seen from one end, as a chain of choices; w when there is none. */
static smt_node lower_count_zeros(struct smt_graph *g, smt_node x, bool leading)
{
    unsigned w = width_of(g, x);
    smt_node result = number(g, w, w);
    for (unsigned i = w; i-- > 0;)
        result = ite(g, extract(g, x, leading ? w - 1 - i : i, 1), number(g, i, w), result);
    return result;
}

/* Ones are added up in a tree whose numbers are just wide enough for the total. */
static smt_node lower_popcnt(struct smt_graph *g, smt_node x)
{
    unsigned w = width_of(g, x), narrow = 1;
    while (w >> narrow)
        narrow++;
    if (narrow > w)
        narrow = w;
    smt_node part[OP_MAX_WIDTH];
    unsigned n = w;
    for (unsigned i = 0; i < w; i++)
        part[i] = extend(g, extract(g, x, i, 1), narrow, false);
    while (n > 1) {
        unsigned half = 0;
        for (unsigned i = 0; i + 1 < n; i += 2)
            part[half++] = op2(g, SMT_BVADD, bits_sort(narrow), part[i], part[i + 1]);
        if (n & 1)
            part[half++] = part[n - 1];
        n = half;
    }
    return extend(g, part[0], w, false);
}

/* ---- floats ---- */

static struct smt_sort float_sort(unsigned width)
{
    unsigned exponent = width == 16 ? 5 : width == 32 ? 8 : width == 64 ? 11 : 15;
    return (struct smt_sort){SMT_SORT_FLOAT, (uint16_t)exponent, (uint16_t)(width - exponent)};
}

static smt_node float_node(struct smt_graph *g, enum smt_op op, struct smt_sort sort, const smt_node *kid,
                           unsigned n)
{
    struct smt_info want = {.op = op, .nkids = (uint16_t)n, .sort = sort};
    if (op == SMT_FP_FROM_BITS || op == SMT_FP_FROM_FP || op == SMT_FP_FROM_SBV || op == SMT_FP_FROM_UBV) {
        want.p = sort.a;
        want.q = sort.b;
    }
    return node(g, want, kid, NULL);
}

/* All NaNs are one value of the float sort, so a result that was just made into bits is used as it was. */
static smt_node as_float(struct smt_graph *g, smt_node bits)
{
    uint64_t known;
    if (map_get(&g->float_of, bits, &known))
        return (smt_node)known;
    return float_node(g, SMT_FP_FROM_BITS, float_sort(width_of(g, bits)), &bits, 1);
}

static smt_node as_bits(struct smt_graph *g, smt_node f)
{
    struct smt_sort s = sort_of(g, f);
    unsigned width = s.a + s.b;
    /* The canonical NaN: exponent all ones and the highest bit of the fraction. */
    struct bits nan = bits_ones(s.a + 1u), shift = bits_u64(s.b - 2u, width);
    nan = bits_apply(OP_SHL, width, (struct bits[]){nan, shift}, (unsigned[]){width, width}, 0);
    smt_node pattern = op1(g, SMT_FP_TO_BITS, bits_sort(width), f);
    smt_node result = ite(g, op1(g, SMT_FP_ISNAN, bool_sort, f), literal(g, nan, width), pattern);
    map_set(&g->float_of, result, f);
    return result;
}

static smt_node rounding_literal(struct smt_graph *g, unsigned mode)
{
    struct smt_info want = {.op = SMT_ROUNDING, .sort = {SMT_SORT_ROUNDING, 0, 0}};
    want.p = (uint16_t)(mode > OP_RNA ? OP_RNE : mode);
    return node(g, want, NULL, NULL);
}

static bool is_literal(const struct smt_graph *g, smt_node n)
{
    return g->node.data[n].op == SMT_CONST;
}

static smt_node rounding(struct smt_graph *g, smt_node mode)
{
    assert(is_literal(g, mode));
    return rounding_literal(g, (unsigned)bits_low(g->value.data[g->node.data[mode].kid]));
}

/* The float 2^k, or infinity when the format ends below it. */
static smt_node power_of_two(struct smt_graph *g, unsigned k, unsigned width, bool negative, bool *infinite)
{
    struct smt_sort s = float_sort(width);
    unsigned bias = (1u << (s.a - 1)) - 1, exponent = k + bias, top = (1u << s.a) - 1;
    *infinite = exponent >= top;
    if (*infinite)
        exponent = top;
    struct bits v = bits_u64(exponent | (negative ? 1u << s.a : 0), width);
    struct bits shift = bits_u64(s.b - 1u, width);
    v = bits_apply(OP_SHL, width, (struct bits[]){v, shift}, (unsigned[]){width, width}, 0);
    return as_float(g, literal(g, v, width));
}

/* Rounded to an integral value, clamped to the range of the result; a NaN gives 0 (base/op.h). SMT-LIB leaves
 * conversions out of range unspecified, so they are guarded by comparisons with the two limits. */
static smt_node lower_float_to_int(struct smt_graph *g, bool sign, unsigned width, smt_node mode, smt_node f)
{
    struct smt_sort s = sort_of(g, f);
    unsigned fwidth = s.a + s.b;
    smt_node whole = float_node(g, SMT_FP_RINT, s, (smt_node[]){mode, f}, 2);
    bool infinite;
    smt_node limit = power_of_two(g, sign ? width - 1 : width, fwidth, false, &infinite);
    smt_node over = op2(g, SMT_FP_LEQ, bool_sort, limit, whole);
    struct bits least = bits_u64(0, width);
    struct bits most = !sign ? bits_ones(width) : width > 1 ? bits_ones(width - 1) : least;
    smt_node under;
    if (sign) {
        limit = power_of_two(g, width - 1, fwidth, true, &infinite);
        under = op2(g, infinite ? SMT_FP_LEQ : SMT_FP_LT, bool_sort, whole, limit);
        least = bits_apply(OP_NOT, width, &most, &width, 0);
    } else {
        under = op2(g, SMT_FP_LT, bool_sort, whole, as_float(g, number(g, 0, fwidth)));
    }
    struct smt_info want = {.op = sign ? SMT_FP_TO_SBV : SMT_FP_TO_UBV, .nkids = 2, .sort = raw_sort(width)};
    want.p = (uint16_t)width;
    smt_node inside = from_raw(g, node(g, want, (smt_node[]){mode, f}, NULL));
    smt_node result = ite(g, under, literal(g, least, width), inside);
    result = ite(g, over, literal(g, most, width), result);
    return ite(g, op1(g, SMT_FP_ISNAN, bool_sort, f), number(g, 0, width), result);
}

void smt_fp_name(char *out, size_t cap, enum op op, unsigned width, unsigned arg_width)
{
    const char *name = op_info[op].name;
    switch (op_info[op].shape) {
    case OP_SHAPE_F2F:
    case OP_SHAPE_F2I:
    case OP_SHAPE_I2F:
        snprintf(out, cap, "fp.%s.%u.%u", name, arg_width, width);
        break;
    case OP_SHAPE_FCMP:
        snprintf(out, cap, "fp.%s.%u", name + 1, arg_width);
        break;
    default:
        snprintf(out, cap, "fp.%s.%u", name[1] == 'm' && name[2] == 'a' ? name : name + 1, width);
    }
}

bool smt_fp_op(const char *name, enum op *op, unsigned *width, unsigned *arg_width)
{
    static const unsigned format[] = {16, 32, 64, 128};
    if (strncmp(name, "fp.", 3))
        return false;
    char made[64];
    for (unsigned o = OP_FADD; o <= OP_U2F; o++) {
        unsigned shape = op_info[o].shape;
        bool converts = shape == OP_SHAPE_F2F || shape == OP_SHAPE_F2I || shape == OP_SHAPE_I2F;
        if (converts) {
            unsigned from, to;
            int used = 0;
            char pattern[32];
            snprintf(pattern, sizeof pattern, "fp.%s.%%u.%%u%%n", op_info[o].name);
            if (strlen(name) > 24 || sscanf(name, pattern, &from, &to, &used) != 2 || name[used])
                continue;
            if (!from || !to || from > OP_MAX_WIDTH || to > OP_MAX_WIDTH ||
                op_check(o, to, (unsigned[]){OP_RM_WIDTH, from}, 0))
                return false;
            *op = o;
            *width = to;
            *arg_width = from;
            return true;
        }
        for (unsigned i = 0; i < 4; i++) {
            smt_fp_name(made, sizeof made, o, format[i], format[i]);
            if (!strcmp(made, name)) {
                *op = o;
                *width = shape == OP_SHAPE_FCMP ? 1 : format[i];
                *arg_width = format[i];
                return true;
            }
        }
    }
    return false;
}

static smt_node apply(struct smt_graph *g, const char *name, struct smt_sort sort, const smt_node *kid,
                      unsigned n)
{
    struct smt_info want = {.op = SMT_APPLY, .nkids = (uint16_t)n, .sort = sort, .name = intern(g, name)};
    return node(g, want, kid, NULL);
}

static smt_node lower_float(struct smt_graph *g, enum op op, unsigned width, const smt_node *k);

/* A rounding mode that is not known: the operation in each, and a choice among the results. An if-then-else of the sort
 * RoundingMode would be shorter, but Z3 4.8.12 ends the process over one whose branches it can compute. */
static smt_node lower_float_by_mode(struct smt_graph *g, enum op op, unsigned width, const smt_node *k)
{
    smt_node in_mode[OP_MAX_ARITY], result = 0;
    memcpy(in_mode, k, op_info[op].arity * sizeof *k);
    for (unsigned m = OP_RNE; m <= OP_RNA; m++) {
        in_mode[0] = number(g, m, OP_RM_WIDTH);
        smt_node one = lower_float(g, op, width, in_mode);
        result = m == OP_RNE ? one : ite(g, op2(g, SMT_EQ, bool_sort, k[0], in_mode[0]), one, result);
    }
    return result;
}

static smt_node lower_float(struct smt_graph *g, enum op op, unsigned width, const smt_node *k)
{
    static const uint8_t fp_op[OP_COUNT_] = {
        [OP_FADD] = SMT_FP_ADD, [OP_FSUB] = SMT_FP_SUB,   [OP_FMUL] = SMT_FP_MUL,   [OP_FDIV] = SMT_FP_DIV,
        [OP_FMA] = SMT_FP_FMA,  [OP_FSQRT] = SMT_FP_SQRT, [OP_FRINT] = SMT_FP_RINT, [OP_FEQ] = SMT_FP_EQ,
        [OP_FLT] = SMT_FP_LT,   [OP_FLE] = SMT_FP_LEQ,
    };
    unsigned arity = op_info[op].arity;
    smt_node ordered[OP_MAX_ARITY];
    memcpy(ordered, k, arity * sizeof *k);
    /* Operands in one order make commuted operations the same node; no solver is good at finding that out. */
    unsigned first = op == OP_FADD || op == OP_FMUL || op == OP_FMA ? 1 : 0;
    if ((first || op == OP_FEQ || op == OP_FUNORD) && ordered[first] > ordered[first + 1]) {
        ordered[first] = k[first + 1];
        ordered[first + 1] = k[first];
    }
    k = ordered;
    /* Solvers disagree about the remainder, so it stays uninterpreted: that proves less and never too much.
     */
    if (!g->fp_theory || op == OP_FREM) {
        char name[64];
        smt_fp_name(name, sizeof name, op, width, width_of(g, k[arity - 1]));
        return apply(g, name, bits_sort(width), k, arity);
    }
    if (op_info[op].shape != OP_SHAPE_FCMP && !is_literal(g, k[0]))
        return lower_float_by_mode(g, op, width, k);
    smt_node arg[OP_MAX_ARITY];
    switch (op_info[op].shape) {
    case OP_SHAPE_FROUND:
        arg[0] = rounding(g, k[0]);
        for (unsigned i = 1; i < arity; i++)
            arg[i] = as_float(g, k[i]);
        return as_bits(g, float_node(g, fp_op[op], float_sort(width), arg, arity));
    case OP_SHAPE_FCMP:
        arg[0] = as_float(g, k[0]);
        arg[1] = as_float(g, k[1]);
        if (op == OP_FUNORD)
            return op2(g, SMT_OR, bool_sort, op1(g, SMT_FP_ISNAN, bool_sort, arg[0]),
                       op1(g, SMT_FP_ISNAN, bool_sort, arg[1]));
        return op2(g, fp_op[op], bool_sort, arg[0], arg[1]);
    case OP_SHAPE_F2F:
        arg[0] = rounding(g, k[0]);
        arg[1] = as_float(g, k[1]);
        return as_bits(g, float_node(g, SMT_FP_FROM_FP, float_sort(width), arg, 2));
    case OP_SHAPE_F2I:
        return lower_float_to_int(g, op == OP_F2S, width, rounding(g, k[0]), as_float(g, k[1]));
    default:
        assert(op_info[op].shape == OP_SHAPE_I2F);
        arg[0] = rounding(g, k[0]);
        arg[1] = to_raw(g, k[1]);
        return as_bits(
            g, float_node(g, op == OP_S2F ? SMT_FP_FROM_SBV : SMT_FP_FROM_UBV, float_sort(width), arg, 2));
    }
}

/* ---- arrays ---- */

static smt_node index_plus(struct smt_graph *g, smt_node index, unsigned k)
{
    unsigned w = width_of(g, index);
    if (!k)
        return index;
    if (w == 1)
        return k & 1 ? negate(g, index) : index;
    const struct smt_info *n = &g->node.data[index];
    struct bits off = bits_u64(k, w);
    if (n->op == SMT_CONST)
        return literal(
            g, bits_apply(OP_ADD, w, (struct bits[]){g->value.data[n->kid], off}, (unsigned[]){w, w}, 0), w);
    return op2(g, SMT_BVADD, bits_sort(w), index, literal(g, off, w));
}

static smt_node lower_read(struct smt_graph *g, smt_node array, smt_node index, unsigned width)
{
    unsigned cell = sort_of(g, array).b;
    smt_node result = 0;
    for (unsigned i = 0; i < width / cell; i++) {
        smt_node one = op2(g, SMT_SELECT, bits_sort(cell), array, index_plus(g, index, i));
        result = i ? concat(g, one, result) : one;
    }
    return result;
}

static smt_node lower_write(struct smt_graph *g, smt_node array, smt_node index, smt_node value)
{
    struct smt_sort sort = sort_of(g, array);
    unsigned n = width_of(g, value) / sort.b;
    for (unsigned i = 0; i < n; i++)
        array =
            op3(g, SMT_STORE, sort, array, index_plus(g, index, i), extract(g, value, i * sort.b, sort.b));
    return array;
}

/* ---- the walk ---- */

static struct smt_sort term_sort(const struct terms *t, term x)
{
    if (term_is_array(t, x))
        return (struct smt_sort){SMT_SORT_ARRAY, (uint16_t)term_index_width(t, x),
                                 (uint16_t)term_cell_width(t, x)};
    return bits_sort(term_width(t, x));
}

static smt_node lower_op(struct smt_graph *g, enum op op, term x, const smt_node *k)
{
    unsigned width = term_width(g->terms, x);
    switch (op) {
    case OP_CONCAT:
        return concat(g, k[0], k[1]);
    case OP_EXTRACT:
        return extract(g, k[0], term_extract_lo(g->terms, x), width);
    case OP_ZEXT:
    case OP_SEXT:
        return extend(g, k[0], width, op == OP_SEXT);
    case OP_ITE:
        return ite(g, k[0], k[1], k[2]);
    default:
        break;
    }
    if (op >= OP_FADD)
        return lower_float(g, op, width, k);
    if (op == OP_EQ && sort_of(g, k[0]).kind == SMT_SORT_ARRAY)
        return op2(g, SMT_EQ, bool_sort, k[0], k[1]);
    if (width_of(g, k[0]) == 1)
        return lower_bool(g, op, k);
    if (op == OP_CLZ || op == OP_CTZ)
        return lower_count_zeros(g, k[0], op == OP_CLZ);
    if (op == OP_POPCNT)
        return lower_popcnt(g, k[0]);
    if (op_info[op].arity == 1)
        return op1(g, bv_op[op], bits_sort(width), k[0]);
    return op2(g, bv_op[op], bits_sort(width), k[0], k[1]);
}

static smt_node lower_node(struct smt_graph *g, term x, const smt_node *k, unsigned nkids)
{
    const struct terms *t = g->terms;
    unsigned kind = term_kind(t, x);
    struct smt_sort sort = term_sort(t, x);
    struct bits value;
    switch (kind) {
    case TERM_CONST:
        term_const_value(t, x, &value);
        return literal(g, value, sort.a);
    case TERM_VAR:
        return node(g, (struct smt_info){.op = SMT_SYMBOL, .sort = sort, .name = intern(g, term_name(t, x))},
                    NULL, NULL);
    case TERM_APPLY:
    case TERM_PURE:
        return apply(g, term_name(t, x), sort, k, nkids);
    case TERM_READ:
        return lower_read(g, k[0], k[1], sort.a);
    case TERM_WRITE:
        return lower_write(g, k[0], k[1], k[2]);
    case TERM_AITE:
        return ite(g, k[0], k[1], k[2]);
    case TERM_ACONST:
        return op1(g, SMT_CONST_ARRAY, sort, k[0]);
    default:
        return lower_op(g, (enum op)kind, x, k);
    }
}

smt_node smt_lower(struct smt_graph *g, term root)
{
    VEC(term) stack = VEC_INIT;
    VEC(smt_node) kids = VEC_INIT;
    vec_push(&stack, root);
    while (stack.len) {
        term x = vec_last(&stack);
        if (map_get(&g->of_term, x, NULL)) {
            (void)vec_pop(&stack);
            continue;
        }
        unsigned n = term_nkids(g->terms, x);
        bool ready = true;
        vec_clear(&kids);
        for (unsigned i = 0; i < n; i++) {
            term kid = term_kid(g->terms, x, i);
            uint64_t done = map_find(&g->of_term, kid, 0);
            vec_push(&kids, (smt_node)done);
            if (!done) {
                ready = false;
                vec_push(&stack, kid);
            }
        }
        if (!ready)
            continue;
        map_set(&g->of_term, x, lower_node(g, x, kids.data, n));
        (void)vec_pop(&stack);
    }
    vec_free(&stack);
    vec_free(&kids);
    return (smt_node)map_find(&g->of_term, root, 0);
}

static int node_order(const void *a, const void *b)
{
    smt_node x = *(const smt_node *)a, y = *(const smt_node *)b;
    return (x > y) - (x < y);
}

void smt_reachable(const struct smt_graph *g, const smt_node *root, size_t n, struct smt_nodes *out)
{
    VEC(smt_node) stack = VEC_INIT;
    struct map seen = {0};
    out->len = 0;
    for (size_t i = 0; i < n; i++) {
        vec_push(&stack, root[i]);
        while (stack.len) {
            smt_node x = vec_pop(&stack);
            if (!map_set(&seen, x, 1))
                continue;
            vec_push(out, x);
            const struct smt_info *info = &g->node.data[x];
            if (info->op != SMT_CONST)
                for (unsigned j = 0; j < info->nkids; j++)
                    vec_push(&stack, g->kid.data[info->kid + j]);
        }
    }
    vec_free(&stack);
    map_free(&seen);
    /* Operands have smaller numbers. */
    vec_sort(out, node_order);
}
