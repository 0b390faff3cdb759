/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/sym.h"

#include <string.h>

#include "base/bits.h"

enum { SYM_EVAL_DEPTH = 200 };

void sym_pool_init(struct sym_pool *p, const struct object *o, enum machine_arch arch)
{
    *p = (struct sym_pool){.object = o};
    switch (arch) {
    case MACHINE_AMD64: /* aligned to 16 before the call pushed the return address */
        p->sp_align = 16;
        p->sp_residue = 8;
        break;
    case MACHINE_ARM64:
        p->sp_align = 16;
        break;
    default:
        p->sp_align = 4;
        break;
    }
}

void sym_pool_free(struct sym_pool *p)
{
    vec_free(&p->node);
    map_free(&p->index);
}

const struct sym_node *sym_at(const struct sym_pool *p, sym x)
{
    return &p->node.data[x];
}

static uint64_t sign_extend(uint64_t x, unsigned width)
{
    return width >= 64 ? x : (uint64_t)((int64_t)(x << (64 - width)) >> (64 - width));
}

static bool node_eq(const struct sym_node *a, const struct sym_node *b)
{
    return a->op == b->op && a->lo == b->lo && a->width == b->width && a->a == b->a && a->b == b->b &&
           a->c == b->c && a->imm == b->imm;
}

static sym intern(struct sym_pool *p, struct sym_node n)
{
    uint64_t h = hash_u64(
        n.imm ^ hash_u64((uint64_t)n.op << 56 ^ (uint64_t)n.width << 40 ^ (uint64_t)n.lo << 32 ^ n.a));
    h = hash_u64(h ^ ((uint64_t)n.b << 32 | n.c));
    uint64_t i;
    for (; map_get(&p->index, h, &i); h++) {
        if (node_eq(&p->node.data[i], &n))
            return (sym)i;
    }
    i = p->node.len;
    vec_push(&p->node, n);
    map_set(&p->index, h, i);
    return (sym)i;
}

sym sym_leaf(struct sym_pool *p, enum sym_op op, unsigned width, uint64_t imm)
{
    return intern(p, (struct sym_node){(uint8_t)op, 0, (uint16_t)width, SYM_NONE, SYM_NONE, SYM_NONE, imm});
}

sym sym_const(struct sym_pool *p, unsigned width, uint64_t c)
{
    return sym_leaf(p, SYM_CONST, width, c & word_ones(width));
}

bool sym_is_const(const struct sym_pool *p, sym x, uint64_t *c)
{
    if (p->node.data[x].op != SYM_CONST)
        return false;
    if (c)
        *c = p->node.data[x].imm;
    return true;
}

void sym_split(const struct sym_pool *p, sym x, sym *base, int64_t *offset)
{
    const struct sym_node *n = sym_at(p, x);
    uint64_t c;
    if (n->op == SYM_CONST) {
        *base = SYM_NONE;
        *offset = (int64_t)n->imm;
    } else if (n->op == OP_ADD && sym_is_const(p, n->b, &c)) {
        *base = n->a;
        *offset = (int64_t)sign_extend(c, n->width);
    } else {
        *base = x;
        *offset = 0;
    }
}

bool sym_is_base(const struct sym_pool *p, sym x, enum sym_op leaf, int64_t *offset)
{
    sym base;
    int64_t at;
    sym_split(p, x, &base, &at);
    if (base == SYM_NONE || sym_at(p, base)->op != leaf)
        return false;
    if (offset)
        *offset = at;
    return true;
}

static bool read_constant(const struct sym_pool *p, uint64_t address, unsigned width, uint64_t *out)
{
    uint8_t raw[8];
    unsigned n = width / 8;
    if (width % 8 || n == 0 || n > 8 || !object_is_readonly(p->object, address, n) ||
        !object_read(p->object, address, raw, n))
        return false;
    *out = bits_low(bits_from_bytes(raw, n));
    return true;
}

sym sym_make_load(struct sym_pool *p, sym address, unsigned width)
{
    uint64_t at, c;
    /* A slot that the dynamic linker fills holds nothing yet that could be read here. */
    if (sym_is_const(p, address, &at) && !object_stub_at(p->object, at) && read_constant(p, at, width, &c))
        return sym_const(p, width, c);
    return intern(p, (struct sym_node){SYM_LOAD, 0, (uint16_t)width, address, SYM_NONE, SYM_NONE, 0});
}

static sym make(struct sym_pool *p, enum op op, unsigned width, sym a, sym b, sym c, unsigned lo)
{
    return intern(p, (struct sym_node){(uint8_t)op, (uint8_t)lo, (uint16_t)width, a, b, c, 0});
}

static bool fold(struct sym_pool *p, enum op op, unsigned width, const sym *arg, unsigned n, unsigned lo,
                 sym *out)
{
    struct bits x[OP_MAX_ARITY];
    unsigned w[OP_MAX_ARITY];
    for (unsigned i = 0; i < n; i++) {
        const struct sym_node *s = sym_at(p, arg[i]);
        if (s->op != SYM_CONST)
            return false;
        x[i] = bits_u64(s->imm, s->width);
        w[i] = s->width;
    }
    *out = sym_const(p, width, bits_low(bits_apply(op, width, x, w, lo)));
    return true;
}

static sym make_extract(struct sym_pool *p, unsigned width, sym a, unsigned lo)
{
    struct sym_node n = *sym_at(p, a);
    uint64_t c;
    if (n.width == width && lo == 0)
        return a;
    switch (n.op) {
    case SYM_CONST:
        return sym_const(p, width, lo >= 64 ? 0 : n.imm >> lo);
    case OP_EXTRACT:
        return make_extract(p, width, n.a, lo + n.lo);
    case OP_ZEXT:
    case OP_SEXT: {
        unsigned inner = sym_at(p, n.a)->width;
        if (lo + width <= inner)
            return make_extract(p, width, n.a, lo);
        if (n.op == OP_ZEXT && lo >= inner)
            return sym_const(p, width, 0);
        if (lo == 0)
            return sym_make(p, (enum op)n.op, width, n.a, SYM_NONE, SYM_NONE, 0);
        if (n.op == OP_ZEXT)
            return sym_make(p, OP_ZEXT, width, make_extract(p, inner - lo, n.a, lo), SYM_NONE, SYM_NONE, 0);
        break;
    }
    case OP_CONCAT: {
        unsigned low = sym_at(p, n.b)->width;
        if (lo + width <= low)
            return make_extract(p, width, n.b, lo);
        if (lo >= low)
            return make_extract(p, width, n.a, lo - low);
        break;
    }
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
        /* a rotated number is compared as a whole */
        if (n.op == OP_OR && lo && lo + width == n.width &&
            (sym_at(p, n.a)->op == OP_SHL || sym_at(p, n.b)->op == OP_SHL))
            break;
        if (lo == 0 || n.op == OP_AND || n.op == OP_OR || n.op == OP_XOR)
            return sym_make(p, (enum op)n.op, width, make_extract(p, width, n.a, lo),
                            make_extract(p, width, n.b, lo), SYM_NONE, 0);
        break;
    case OP_SHL:
        if (lo == 0 && sym_is_const(p, n.b, &c))
            return c >= width ? sym_const(p, width, 0)
                              : sym_make(p, OP_SHL, width, make_extract(p, width, n.a, 0),
                                         sym_const(p, width, c), SYM_NONE, 0);
        break;
    case OP_ITE:
        if (sym_is_const(p, n.b, NULL) || sym_is_const(p, n.c, NULL))
            return sym_make(p, OP_ITE, width, n.a, make_extract(p, width, n.b, lo),
                            make_extract(p, width, n.c, lo), 0);
        break;
    case SYM_LOAD:
        if (lo % 8 == 0 && width % 8 == 0) {
            unsigned aw = sym_at(p, n.a)->width;
            return sym_make_load(p, sym_make(p, OP_ADD, aw, n.a, sym_const(p, aw, lo / 8), SYM_NONE, 0),
                                 width);
        }
        break;
    }
    return make(p, OP_EXTRACT, width, a, SYM_NONE, SYM_NONE, lo);
}

static sym zext_low(struct sym_pool *p, unsigned width, sym x, unsigned bits, unsigned lo)
{
    return sym_make(p, OP_ZEXT, width, make_extract(p, bits, x, lo), SYM_NONE, SYM_NONE, 0);
}

/* Comparisons whose sides were both widened compare the narrow ones. */
static bool narrow(struct sym_pool *p, enum op op, sym *a, sym *b)
{
    struct sym_node x = *sym_at(p, *a), y = *sym_at(p, *b);
    bool is_signed = op == OP_SLT || op == OP_SLE;
    if (x.op == SYM_CONST && (y.op == OP_ZEXT || y.op == OP_SEXT)) {
        bool ok = narrow(p, op, b, a);
        return ok;
    }
    if (x.op != OP_ZEXT && x.op != OP_SEXT)
        return false;
    unsigned inner = sym_at(p, x.a)->width;
    if (x.op == OP_ZEXT && is_signed)
        return false;
    if (x.op == OP_SEXT && !is_signed && op != OP_EQ)
        return false;
    if (y.op == x.op && sym_at(p, y.a)->width == inner) {
        *a = x.a;
        *b = y.a;
        return true;
    }
    if (y.op == SYM_CONST) {
        uint64_t c = y.imm;
        bool fits = x.op == OP_ZEXT ? c <= word_ones(inner)
                                    : (sign_extend(c & word_ones(inner), inner) & word_ones(y.width)) == c;
        if (!fits)
            return false;
        *a = x.a;
        *b = sym_const(p, inner, c);
        return true;
    }
    return false;
}

static sym make_not(struct sym_pool *p, unsigned width, sym a)
{
    struct sym_node n = *sym_at(p, a);
    if (n.op == OP_NOT)
        return n.a;
    if (width == 1 && n.op == OP_ULT)
        return sym_make(p, OP_ULE, 1, n.b, n.a, SYM_NONE, 0);
    if (width == 1 && n.op == OP_ULE)
        return sym_make(p, OP_ULT, 1, n.b, n.a, SYM_NONE, 0);
    if (width == 1 && n.op == OP_SLT)
        return sym_make(p, OP_SLE, 1, n.b, n.a, SYM_NONE, 0);
    if (width == 1 && n.op == OP_SLE)
        return sym_make(p, OP_SLT, 1, n.b, n.a, SYM_NONE, 0);
    return make(p, OP_NOT, width, a, SYM_NONE, SYM_NONE, 0);
}

static sym make_eq(struct sym_pool *p, sym a, sym b)
{
    uint64_t c;
    if (a == b)
        return sym_const(p, 1, 1);
    if (sym_is_const(p, a, NULL)) {
        sym t = a;
        a = b;
        b = t;
    }
    while (narrow(p, OP_EQ, &a, &b))
        continue;
    struct sym_node n = *sym_at(p, a);
    if (sym_is_const(p, b, &c)) {
        if (n.op == OP_ZEXT) /* did not fit */
            return sym_const(p, 1, 0);
        if (n.width == 1)
            return c ? a : make_not(p, 1, a);
        uint64_t k;
        if (n.op == OP_ADD && sym_is_const(p, n.b, &k))
            return make_eq(p, n.a, sym_const(p, n.width, c - k));
        if (n.op == OP_ITE && sym_is_const(p, n.b, NULL) && sym_is_const(p, n.c, NULL)) {
            bool yes = sym_at(p, n.b)->imm == c, no = sym_at(p, n.c)->imm == c;
            return yes == no ? sym_const(p, 1, yes) : yes ? n.a : make_not(p, 1, n.a);
        }
        /* The upper bits are zero: how compilers compare with a power of two. */
        if (n.op == OP_EXTRACT && n.lo > 0 && c == 0) {
            unsigned width = n.lo + n.width;
            return sym_make(p, OP_ULT, 1, make_extract(p, width, n.a, 0),
                            sym_const(p, width, UINT64_C(1) << n.lo), SYM_NONE, 0);
        }
        if (n.op == OP_AND && c == 0 && sym_is_const(p, n.b, &k)) {
            uint64_t rest = ~k & word_ones(n.width);
            if ((rest & (rest + 1)) == 0)
                return sym_make(p, OP_ULT, 1, n.a, sym_const(p, n.width, rest + 1), SYM_NONE, 0);
        }
        if (n.op == OP_XOR && c == 0)
            return make_eq(p, n.a, n.b);
        if (n.op == OP_SUB && c == 0)
            return make_eq(p, n.a, n.b);
    } else if (a > b) {
        sym t = a;
        a = b;
        b = t;
    }
    return make(p, OP_EQ, 1, a, b, SYM_NONE, 0);
}

static sym make_and(struct sym_pool *p, unsigned width, sym a, sym b)
{
    uint64_t c;
    if (a == b)
        return a;
    if (sym_is_const(p, b, &c)) {
        if (c == 0)
            return b;
        if (c == word_ones(width))
            return a;
        if ((c & (c + 1)) == 0)
            return zext_low(p, width, a, (unsigned)__builtin_popcountll(c), 0);
        int64_t offset;
        uint64_t low = ~c & word_ones(width);
        if ((low & (low + 1)) == 0 && low < p->sp_align && sym_is_base(p, a, SYM_SP0, &offset)) {
            /* Aligning a frame address downward. */
            uint64_t beyond = ((uint64_t)offset + p->sp_residue) & low;
            return sym_make(p, OP_ADD, width, a, sym_const(p, width, 0 - beyond), SYM_NONE, 0);
        }
        struct sym_node n = *sym_at(p, a);
        if (n.op == OP_AND && sym_is_const(p, n.b, NULL))
            return make_and(p, width, n.a, sym_const(p, width, c & sym_at(p, n.b)->imm));
    }
    return make(p, OP_AND, width, a, b, SYM_NONE, 0);
}

static sym make_shift(struct sym_pool *p, enum op op, unsigned width, sym a, sym b)
{
    uint64_t c, k;
    if (!sym_is_const(p, b, &c))
        return make(p, op, width, a, b, SYM_NONE, 0);
    struct sym_node n = *sym_at(p, a);
    if (c == 0)
        return a;
    if (c >= width && op != OP_ASHR)
        return sym_const(p, width, 0);
    if (c >= width)
        return make(p, op, width, a, b, SYM_NONE, 0);
    if (op == OP_LSHR)
        return zext_low(p, width, a, width - (unsigned)c, (unsigned)c);
    if (op == OP_ASHR && n.op == OP_SHL && sym_is_const(p, n.b, &k) && k == c)
        return sym_make(p, OP_SEXT, width, make_extract(p, width - (unsigned)c, n.a, 0), SYM_NONE, SYM_NONE,
                        0);
    /* Distributes over a constant, so that the constant part of an address shows. */
    if (op == OP_SHL && n.op == OP_ADD && sym_is_const(p, n.b, &k))
        return sym_make(p, OP_ADD, width, make_shift(p, OP_SHL, width, n.a, b), sym_const(p, width, k << c),
                        SYM_NONE, 0);
    return make(p, op, width, a, b, SYM_NONE, 0);
}

static sym make_add(struct sym_pool *p, unsigned width, sym a, sym b)
{
    uint64_t c, k;
    if (sym_is_const(p, a, NULL)) {
        sym t = a;
        a = b;
        b = t;
    }
    struct sym_node n = *sym_at(p, a), m = *sym_at(p, b);
    if (sym_is_const(p, b, &c)) {
        if (c == 0)
            return a;
        if (n.op == SYM_CONST)
            return sym_const(p, width, n.imm + c);
        if (n.op == OP_ADD && sym_is_const(p, n.b, &k))
            return make_add(p, width, n.a, sym_const(p, width, k + c));
    } else {
        /* Constants move outward. */
        if (n.op == OP_ADD && sym_is_const(p, n.b, &k))
            return make_add(p, width, make_add(p, width, n.a, b), sym_const(p, width, k));
        if (m.op == OP_ADD && sym_is_const(p, m.b, &k))
            return make_add(p, width, make_add(p, width, a, m.a), sym_const(p, width, k));
        if (a > b) {
            sym t = a;
            a = b;
            b = t;
        }
    }
    return make(p, OP_ADD, width, a, b, SYM_NONE, 0);
}

sym sym_make(struct sym_pool *p, enum op op, unsigned width, sym a, sym b, sym c, unsigned lo)
{
    sym arg[OP_MAX_ARITY] = {a, b, c};
    unsigned arity = op_info[op].arity;
    bool wide = width > 64;
    for (unsigned i = 0; i < arity; i++)
        wide = wide || sym_at(p, arg[i])->width > 64;
    if (wide) { /* no arithmetic beyond 64 bits; equal operations on equal values are still equal */
        if (op == OP_EXTRACT && sym_at(p, a)->op == OP_CONCAT) {
            struct sym_node n = *sym_at(p, a);
            unsigned low = sym_at(p, n.b)->width;
            if (lo + width <= low)
                return sym_make(p, OP_EXTRACT, width, n.b, SYM_NONE, SYM_NONE, lo);
            if (lo >= low)
                return sym_make(p, OP_EXTRACT, width, n.a, SYM_NONE, SYM_NONE, lo - low);
        }
        if (op == OP_EXTRACT && (sym_at(p, a)->op == OP_ZEXT || sym_at(p, a)->op == OP_SEXT) &&
            lo + width <= sym_at(p, sym_at(p, a)->a)->width)
            return sym_make(p, OP_EXTRACT, width, sym_at(p, a)->a, SYM_NONE, SYM_NONE, lo);
        return make(p, op, width, a, b, c, lo);
    }
    sym out;
    if (fold(p, op, width, arg, arity, lo, &out))
        return out;
    uint64_t k;
    struct sym_node n = *sym_at(p, a);
    switch (op) {
    case OP_NOT:
        return make_not(p, width, a);
    case OP_ADD:
        return make_add(p, width, a, b);
    case OP_SUB:
        if (a == b)
            return sym_const(p, width, 0);
        if (sym_is_const(p, b, &k))
            return make_add(p, width, a, sym_const(p, width, 0 - k));
        break;
    case OP_MUL:
        if (sym_is_const(p, a, NULL)) {
            sym t = a;
            a = b;
            b = t;
        }
        if (sym_is_const(p, b, &k) && k && (k & (k - 1)) == 0)
            return make_shift(p, OP_SHL, width, a, sym_const(p, width, (uint64_t)__builtin_ctzll(k)));
        break;
    case OP_AND:
        return sym_is_const(p, a, NULL) ? make_and(p, width, b, a) : make_and(p, width, a, b);
    case OP_OR:
        if (a == b || (sym_is_const(p, b, &k) && k == 0))
            return a;
        if (sym_is_const(p, a, &k) && k == 0)
            return b;
        break;
    case OP_XOR:
        if (a == b)
            return sym_const(p, width, 0);
        if (sym_is_const(p, b, &k) && k == 0)
            return a;
        if (sym_is_const(p, a, &k) && k == 0)
            return b;
        if (width == 1 && sym_is_const(p, b, &k) && k == 1)
            return make_not(p, 1, a);
        break;
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR:
        return make_shift(p, op, width, a, b);
    case OP_EQ:
        return make_eq(p, a, b);
    case OP_ULT:
    case OP_ULE:
    case OP_SLT:
    case OP_SLE:
        if (a == b)
            return sym_const(p, 1, op == OP_ULE || op == OP_SLE);
        while (narrow(p, op, &a, &b))
            continue;
        break;
    case OP_CONCAT:
        if (sym_is_const(p, a, &k) && k == 0)
            return sym_make(p, OP_ZEXT, width, b, SYM_NONE, SYM_NONE, 0);
        /* The two halves of one value. */
        if (n.op == OP_EXTRACT && sym_at(p, b)->op == OP_EXTRACT && sym_at(p, b)->a == n.a &&
            n.lo == sym_at(p, b)->lo + sym_at(p, b)->width)
            return make_extract(p, width, n.a, sym_at(p, b)->lo);
        break;
    case OP_EXTRACT:
        return make_extract(p, width, a, lo);
    case OP_ZEXT:
        if (n.width == width)
            return a;
        if (n.op == OP_ZEXT)
            return sym_make(p, OP_ZEXT, width, n.a, SYM_NONE, SYM_NONE, 0);
        break;
    case OP_SEXT:
        if (n.width == width)
            return a;
        if (n.op == OP_SEXT || (n.op == OP_ZEXT && sym_at(p, n.a)->width < n.width))
            return sym_make(p, (enum op)n.op, width, n.a, SYM_NONE, SYM_NONE, 0);
        break;
    case OP_ITE:
        if (sym_is_const(p, a, &k))
            return k ? b : c;
        if (b == c)
            return b;
        if (n.op == OP_NOT)
            return sym_make(p, OP_ITE, width, n.a, c, b, 0);
        if (width == 1 && sym_is_const(p, b, &k) && sym_is_const(p, c, NULL))
            return k ? a : make_not(p, 1, a);
        break;
    default:
        break;
    }
    return make(p, op, width, a, b, c, lo);
}

/* ---- evaluation ---- */

static bool eval(const struct sym_pool *p, sym x, sym var, uint64_t number, uint64_t *out, unsigned depth)
{
    const struct sym_node *n = sym_at(p, x);
    if (x == var) {
        *out = number & word_ones(n->width);
        return true;
    }
    if (n->op == SYM_CONST) {
        *out = n->imm;
        return true;
    }
    if (depth > SYM_EVAL_DEPTH || n->width > 64)
        return false;
    uint64_t v;
    if (n->op == SYM_LOAD)
        return eval(p, n->a, var, number, &v, depth + 1) && read_constant(p, v, n->width, out);
    if (n->op >= OP_COUNT_)
        return false;
    if (n->op == OP_ITE) {
        if (!eval(p, n->a, var, number, &v, depth + 1))
            return false;
        return eval(p, v ? n->b : n->c, var, number, out, depth + 1);
    }
    const sym arg[OP_MAX_ARITY] = {n->a, n->b, n->c};
    struct bits xs[OP_MAX_ARITY];
    unsigned w[OP_MAX_ARITY];
    for (unsigned i = 0; i < op_info[n->op].arity; i++) {
        w[i] = sym_at(p, arg[i])->width;
        if (w[i] > 64 || !eval(p, arg[i], var, number, &v, depth + 1))
            return false;
        xs[i] = bits_u64(v, w[i]);
    }
    *out = bits_low(bits_apply((enum op)n->op, n->width, xs, w, n->lo));
    return true;
}

bool sym_eval(const struct sym_pool *p, sym x, sym var, uint64_t number, uint64_t *out)
{
    return eval(p, x, var, number, out, 0);
}
