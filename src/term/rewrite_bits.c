/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of not, and, or, xor. */
#include "term/internal.h"

term rule_not_not(struct terms *t, const struct form *f)
{
    return kind_of(t, f->kid[0]) == OP_NOT ? kid_of(t, f->kid[0], 0) : TERM_NONE;
}

term rule_not_order(struct terms *t, const struct form *f)
{
    unsigned op;
    switch (kind_of(t, f->kid[0])) {
    case OP_ULT:
        op = OP_ULE;
        break;
    case OP_ULE:
        op = OP_ULT;
        break;
    case OP_SLT:
        op = OP_SLE;
        break;
    case OP_SLE:
        op = OP_SLT;
        break;
    default:
        return TERM_NONE;
    }
    return build2(t, op, 1, kid_of(t, f->kid[0], 1), kid_of(t, f->kid[0], 0));
}

term rule_not_bool(struct terms *t, const struct form *f)
{
    unsigned op = kind_of(t, f->kid[0]);
    if (f->width != 1 || (op != OP_AND && op != OP_OR))
        return TERM_NONE;
    term x = term_not(t, kid_of(t, f->kid[0], 0)), y = term_not(t, kid_of(t, f->kid[0], 1));
    return build2(t, op == OP_AND ? OP_OR : OP_AND, 1, x, y);
}

term rule_not_xor(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    if (kind_of(t, x) != OP_XOR || !is_const(t, kid_of(t, x, 1)))
        return TERM_NONE;
    return build2(t, OP_XOR, f->width, kid_of(t, x, 0), term_not(t, kid_of(t, x, 1)));
}

term rule_not_parts(struct terms *t, const struct form *f)
{
    term x = f->kid[0];
    if (kind_of(t, x) == OP_CONCAT)
        return term_concat(t, term_not(t, kid_of(t, x, 0)), term_not(t, kid_of(t, x, 1)));
    if (kind_of(t, x) == OP_SEXT)
        return term_sext(t, term_not(t, kid_of(t, x, 0)), f->width);
    return TERM_NONE;
}

term rule_and_unit(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    if (x == y || is_ones(t, y))
        return x;
    if (is_zero(t, y) || is_complement(t, x, y))
        return zero_of(t, f->width);
    return TERM_NONE;
}

term rule_or_unit(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    if (x == y || is_zero(t, y))
        return x;
    if (is_ones(t, y) || is_complement(t, x, y))
        return table_const(t, f->width, bits_ones(f->width));
    return TERM_NONE;
}

term rule_xor_unit(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    if (x == y)
        return zero_of(t, f->width);
    if (is_zero(t, y))
        return x;
    return is_ones(t, y) ? term_not(t, x) : TERM_NONE;
}

term rule_xor_not(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; i < 2; i++) {
        if (kind_of(t, f->kid[i]) == OP_NOT) {
            term x = kid_of(t, f->kid[i], 0);
            return term_not(t, build2(t, OP_XOR, f->width, x, f->kid[1 - i]));
        }
    }
    return TERM_NONE;
}

term rule_chain_const(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; i < 2; i++) {
        term x = f->kid[i], y = f->kid[1 - i];
        if (kind_of(t, x) != f->op || !is_const(t, kid_of(t, x, 1)))
            continue;
        term c = kid_of(t, x, 1);
        x = kid_of(t, x, 0);
        if (is_const(t, y))
            return build2(t, f->op, f->width, x, build2(t, f->op, f->width, c, y));
        return build2(t, f->op, f->width, build2(t, f->op, f->width, x, y), c);
    }
    return TERM_NONE;
}

/* ---- chains: a & b & c & ... leans to the left, operands in the order of their numbers ---- */

/* Conditions are ordered as far as they may be long. Of wider chains, which hash functions nest without end,
 * every link of every chain would be a term of its own. */
enum { OPERANDS_MAX = 24, OPERANDS_WIDE_MAX = 8 };

struct operands {
    term x[OPERANDS_MAX];
    unsigned n, visited;
};

static unsigned operands_max(const struct terms *t, term x)
{
    return width_of(t, x) == 1 ? OPERANDS_MAX : OPERANDS_WIDE_MAX;
}

static bool operands_add(struct operands *s, const struct terms *t, unsigned op, term x)
{
    unsigned max = operands_max(t, x);
    while (kind_of(t, x) == op) {
        if (s->visited++ >= 2 * max || !operands_add(s, t, op, kid_of(t, x, 1)))
            return false;
        x = kid_of(t, x, 0);
    }
    unsigned i = 0;
    while (i < s->n && s->x[i] < x)
        i++;
    if (i < s->n && s->x[i] == x) {
        if (op == OP_XOR) { /* x ^ x goes away, otherwise once is enough */
            for (s->n--; i < s->n; i++)
                s->x[i] = s->x[i + 1];
        }
        return true;
    }
    if (s->n == max)
        return false;
    for (unsigned j = s->n++; j > i; j--)
        s->x[j] = s->x[j - 1];
    s->x[i] = x;
    return true;
}

static bool operands_of(struct operands *s, const struct terms *t, const struct form *f)
{
    return operands_add(s, t, f->op, f->kid[1]) && operands_add(s, t, f->op, f->kid[0]);
}

static term plain_chain(struct terms *t, unsigned op, unsigned width, const struct operands *s)
{
    term r = s->x[0];
    for (unsigned i = 1; i < s->n; i++) {
        term kid[2] = {r, s->x[i]};
        r = table_cons(
            t, &(struct term_key){.kind = (uint8_t)op, .sort = (uint16_t)width, .kid = kid, .nkids = 2});
    }
    return r;
}

/* The chain without operands i and j (which may be the same), and with x. */
static term chain_with(struct terms *t, const struct form *f, const struct operands *s, unsigned i,
                       unsigned j, term x)
{
    for (unsigned k = 0; k < s->n; k++) {
        if (k != i && k != j)
            x = x == TERM_NONE ? s->x[k] : build2(t, f->op, f->width, x, s->x[k]);
    }
    return x;
}

static bool operands_have(const struct operands *s, term x)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (s->x[i] == x)
            return true;
    }
    return false;
}

/* x is an operand, or a chain of operands. */
static bool operands_imply(const struct operands *s, const struct terms *t, unsigned op, term x)
{
    for (unsigned i = 0; i < OPERANDS_MAX && kind_of(t, x) == op; i++) {
        if (!operands_have(s, kid_of(t, x, 1)))
            return false;
        x = kid_of(t, x, 0);
    }
    return operands_have(s, x);
}

/* The complement of x is an operand, or a chain of operands. */
static bool operands_refute(const struct operands *s, const struct terms *t, unsigned op, term x)
{
    if (kind_of(t, x) == OP_NOT)
        return operands_imply(s, t, op, kid_of(t, x, 0));
    for (unsigned i = 0; i < s->n; i++) {
        if (is_complement(t, s->x[i], x))
            return true;
    }
    return false;
}

term rule_absorb(struct terms *t, const struct form *f)
{
    unsigned dual = f->op == OP_AND ? OP_OR : OP_AND;
    struct operands s = {.n = 0};
    if (is_const(t, f->kid[1]) || !operands_of(&s, t, f))
        return TERM_NONE;
    for (unsigned i = 0; i < s.n; i++) {
        term y = s.x[i];
        if (kind_of(t, y) != dual)
            continue;
        for (unsigned j = 0; j < 2; j++) {
            if (operands_imply(&s, t, f->op, kid_of(t, y, j)))
                return chain_with(t, f, &s, i, i, TERM_NONE);
            if (operands_refute(&s, t, f->op, kid_of(t, y, j)))
                return chain_with(t, f, &s, i, i, kid_of(t, y, 1 - j));
        }
    }
    return TERM_NONE;
}

/* Two operands of a chain are simplified as if they stood alone. */
static term chain_pair(struct terms *t, const struct form *f, term x, term y)
{
    static const struct {
        enum term_rule_id id;
        term_rule_fn *fn;
        uint64_t on;
    } pair[] = {
        {TERM_RULE_order_eq, rule_order_eq, ON(OP_AND) | ON(OP_OR)},
        {TERM_RULE_order_both, rule_order_both, ON(OP_AND) | ON(OP_OR)},
        {TERM_RULE_de_morgan, rule_de_morgan, ON(OP_AND) | ON(OP_OR)},
        {TERM_RULE_and_sext_bit, rule_and_sext_bit, ON(OP_AND)},
        {TERM_RULE_or_parts, rule_or_parts, ON(OP_OR) | ON(OP_XOR)},
        {TERM_RULE_sign_overflow, rule_sign_overflow, ON(OP_AND) | ON(OP_OR) | ON(OP_XOR)},
    };
    struct form two = {.op = f->op, .nkids = 2, .width = f->width, .kid = {x, y}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        if (!(pair[i].on >> f->op & 1) || !rule_on(t, pair[i].id))
            continue;
        term r = pair[i].fn(t, &two);
        if (r != TERM_NONE) {
            rule_count(t, pair[i].id);
            return r;
        }
    }
    return TERM_NONE;
}

/* Whether the operand came from kid i of the form: only pairs across the two are new. */
static bool comes_from(const struct terms *t, const struct form *f, unsigned i, term x)
{
    term y = f->kid[i];
    for (unsigned k = 0; k < OPERANDS_MAX && kind_of(t, y) == f->op; k++) {
        if (kid_of(t, y, 1) == x)
            return true;
        y = kid_of(t, y, 0);
    }
    return y == x;
}

term rule_chain_order(struct terms *t, const struct form *f)
{
    struct operands s = {.n = 0};
    bool left = kind_of(t, f->kid[0]) == f->op, right = kind_of(t, f->kid[1]) == f->op;
    if ((!left && !right) || is_const(t, f->kid[1]))
        return TERM_NONE;
    if (!operands_of(&s, t, f)) {
        bool swap = (right && !left) || (right && f->kid[0] > f->kid[1]);
        return swap ? build2(t, f->op, f->width, f->kid[1], f->kid[0]) : TERM_NONE;
    }
    for (unsigned i = 0; i < s.n && f->op != OP_XOR; i++) {
        if (operands_refute(&s, t, f->op, s.x[i]))
            return f->op == OP_AND ? zero_of(t, f->width) : table_const(t, f->width, bits_ones(f->width));
    }
    if (s.n == 0)
        return zero_of(t, f->width);
    if (s.n <= 2) /* new neighbours: let the other rules see them */
        return s.n == 1 ? s.x[0] : build2(t, f->op, f->width, s.x[0], s.x[1]);
    uint32_t first = 0; /* a set of operands */
    for (unsigned i = 0; i < s.n; i++)
        first |= (uint32_t)comes_from(t, f, 0, s.x[i]) << i;
    for (unsigned i = 0; i < s.n; i++) {
        for (unsigned j = i + 1; j < s.n; j++) {
            if ((first >> i & 1) == (first >> j & 1))
                continue;
            term x = chain_pair(t, f, s.x[i], s.x[j]);
            if (x != TERM_NONE)
                return chain_with(t, f, &s, i, j, x);
        }
    }
    term r = plain_chain(t, f->op, f->width, &s);
    return kid_of(t, r, 0) == f->kid[0] && kid_of(t, r, 1) == f->kid[1] ? TERM_NONE : r;
}

term rule_de_morgan(struct terms *t, const struct form *f)
{
    if (f->width == 1 || kind_of(t, f->kid[0]) != OP_NOT || kind_of(t, f->kid[1]) != OP_NOT)
        return TERM_NONE;
    term x = kid_of(t, f->kid[0], 0), y = kid_of(t, f->kid[1], 0);
    return term_not(t, build2(t, f->op == OP_AND ? OP_OR : OP_AND, f->width, x, y));
}

/* ---- constants and known bits ---- */

static bool covers(struct bits a, struct bits b)
{
    for (unsigned i = 0; i < OP_MAX_WIDTH / 64; i++) {
        if (b.w[i] & ~a.w[i])
            return false;
    }
    return true;
}

static struct bits bits_not(struct bits a, unsigned width)
{
    return bits_apply(OP_NOT, width, &a, &width, 0);
}

term rule_and_known(struct terms *t, const struct form *f)
{
    struct bits c;
    if (!term_const_value(t, f->kid[1], &c))
        return TERM_NONE;
    struct bits zero = term_known(t, f->kid[0]).zero;
    if (covers(zero, c)) /* nothing is left */
        return zero_of(t, f->width);
    return covers(zero, bits_not(c, f->width)) ? f->kid[0] : TERM_NONE;
}

term rule_or_known(struct terms *t, const struct form *f)
{
    struct bits c;
    if (!term_const_value(t, f->kid[1], &c))
        return TERM_NONE;
    struct bits one = term_known(t, f->kid[0]).one;
    if (covers(one, bits_not(c, f->width))) /* everything else is set */
        return table_const(t, f->width, bits_ones(f->width));
    return covers(one, c) ? f->kid[0] : TERM_NONE;
}

term rule_and_mask(struct terms *t, const struct form *f)
{
    struct bits c;
    if (!term_const_value(t, f->kid[1], &c))
        return TERM_NONE;
    unsigned k = 0;
    while (k < f->width && bits_bit(c, k))
        k++;
    if (k == 0 || k == f->width || !bits_eq(c, bits_ones(k)))
        return TERM_NONE;
    return term_zext(t, term_extract(t, f->kid[0], 0, k), f->width);
}

term rule_parts_const(struct terms *t, const struct form *f)
{
    term x = f->kid[0], c = f->kid[1];
    if (!is_const(t, c))
        return TERM_NONE;
    if (kind_of(t, x) == OP_CONCAT) {
        term hi = kid_of(t, x, 0), lo = kid_of(t, x, 1);
        unsigned n = width_of(t, lo), m = width_of(t, hi);
        hi = build2(t, f->op, m, hi, term_extract(t, c, n, m));
        return term_concat(t, hi, build2(t, f->op, n, lo, term_extract(t, c, 0, n)));
    }
    if (kind_of(t, x) == OP_ZEXT) {
        term lo = kid_of(t, x, 0);
        unsigned n = width_of(t, lo);
        term rest = f->op == OP_AND ? zero_of(t, f->width - n) : term_extract(t, c, n, f->width - n);
        return term_concat(t, rest, build2(t, f->op, n, lo, term_extract(t, c, 0, n)));
    }
    return TERM_NONE;
}

term rule_and_sext_bit(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; i < 2; i++) {
        term b = f->kid[i];
        if (kind_of(t, b) == OP_SEXT && width_of(t, kid_of(t, b, 0)) == 1)
            return term_ite(t, kid_of(t, b, 0), f->kid[1 - i], zero_of(t, f->width));
    }
    return TERM_NONE;
}

/* Splits at k when below it x is zero and above it y is zero, or either is zero on one side of a
 * concatenation. */
static term join_parts(struct terms *t, const struct form *f, term x, term y)
{
    unsigned width = f->width, tz = known_trailing_zeros(t, x), lz = known_leading_zeros(t, y),
             k = width - lz;
    if (tz >= k && k > 0 && k < width)
        return term_concat(t, term_extract(t, x, k, width - k), term_extract(t, y, 0, k));
    if (kind_of(t, x) != OP_CONCAT)
        return TERM_NONE;
    k = width_of(t, kid_of(t, x, 1));
    if (lz < width - k && known_trailing_zeros(t, y) < k)
        return TERM_NONE;
    term hi = build2(t, f->op, width - k, kid_of(t, x, 0), term_extract(t, y, k, width - k));
    return term_concat(t, hi, build2(t, f->op, k, kid_of(t, x, 1), term_extract(t, y, 0, k)));
}

term rule_or_parts(struct terms *t, const struct form *f)
{
    if (f->width == 1 || is_const(t, f->kid[1]))
        return TERM_NONE;
    term r = join_parts(t, f, f->kid[0], f->kid[1]);
    return r != TERM_NONE ? r : join_parts(t, f, f->kid[1], f->kid[0]);
}

/* ---- comparisons joined ---- */

static bool same_pair(const struct terms *t, term x, term y)
{
    term a = kid_of(t, x, 0), b = kid_of(t, x, 1), c = kid_of(t, y, 0), d = kid_of(t, y, 1);
    return (a == c && b == d) || (a == d && b == c);
}

term rule_order_eq(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; f->width == 1 && i < 2; i++) {
        term x = f->kid[i], y = f->kid[1 - i];
        unsigned kx = kind_of(t, x), ky = kind_of(t, y);
        if (f->op == OP_OR && ky == OP_EQ && (kx == OP_ULT || kx == OP_SLT) && same_pair(t, x, y))
            return build2(t, kx == OP_ULT ? OP_ULE : OP_SLE, 1, kid_of(t, x, 0), kid_of(t, x, 1));
        if (f->op == OP_OR && ky == OP_EQ && (kx == OP_ULE || kx == OP_SLE) && same_pair(t, x, y))
            return x;
        if (f->op == OP_AND && ky == OP_NOT && (kx == OP_ULE || kx == OP_SLE)) {
            y = kid_of(t, y, 0);
            if (kind_of(t, y) == OP_EQ && same_pair(t, x, y))
                return build2(t, kx == OP_ULE ? OP_ULT : OP_SLT, 1, kid_of(t, x, 0), kid_of(t, x, 1));
        }
        if (f->op == OP_AND && ky == OP_NOT && (kx == OP_ULT || kx == OP_SLT)) {
            y = kid_of(t, y, 0);
            if (kind_of(t, y) == OP_EQ && same_pair(t, x, y))
                return x;
        }
    }
    return TERM_NONE;
}

term rule_order_both(struct terms *t, const struct form *f)
{
    term x = f->kid[0], y = f->kid[1];
    unsigned kx = kind_of(t, x), ky = kind_of(t, y);
    if (f->width != 1 || kx != ky || (kx != OP_ULT && kx != OP_ULE && kx != OP_SLT && kx != OP_SLE))
        return TERM_NONE;
    term a = kid_of(t, x, 0), b = kid_of(t, x, 1);
    if (kid_of(t, y, 0) != b || kid_of(t, y, 1) != a)
        return TERM_NONE;
    bool strict = kx == OP_ULT || kx == OP_SLT;
    if (f->op == OP_AND)
        return strict ? t->no : term_eq(t, a, b);
    return strict ? term_not(t, term_eq(t, a, b)) : t->yes;
}

/* ---- flags of a subtraction ----
 *
 * Processors derive conditions from the sign bits of a, b and r = a - b: overflow is (a ^ b) & (a ^ r),
 * less-than is sign(r) ^ overflow, borrow is (~a & b) | (~(a ^ b) & r). However such an expression is
 * written, it is a truth table over at most three sign bits; two tables are order relations of a and b. */

struct signs {
    term bit[3];
    unsigned n, visited;
};

static const unsigned sign_column[3] = {0xaa, 0xcc, 0xf0};

/* The one-bit terms under and, or, xor, not: at most three. */
static bool signs_collect(struct signs *s, const struct terms *t, term x)
{
    if (s->visited++ > 24)
        return false;
    switch (kind_of(t, x)) {
    case OP_NOT:
        return signs_collect(s, t, kid_of(t, x, 0));
    case OP_AND:
    case OP_OR:
    case OP_XOR:
        return signs_collect(s, t, kid_of(t, x, 0)) && signs_collect(s, t, kid_of(t, x, 1));
    case OP_EXTRACT:
        break;
    default:
        return false;
    }
    for (unsigned i = 0; i < s->n; i++) {
        if (s->bit[i] == x)
            return true;
    }
    if (s->n == 3)
        return false;
    s->bit[s->n++] = x;
    return true;
}

/* Bit i of the table: the value when sign j of s is bit j of i. */
static unsigned signs_table(const struct signs *s, const struct terms *t, term x)
{
    for (unsigned j = 0; j < s->n; j++) {
        if (s->bit[j] == x)
            return sign_column[j];
    }
    unsigned a = signs_table(s, t, kid_of(t, x, 0));
    if (kind_of(t, x) == OP_NOT)
        return ~a & 0xff;
    unsigned b = signs_table(s, t, kid_of(t, x, 1));
    return kind_of(t, x) == OP_AND ? a & b : kind_of(t, x) == OP_OR ? a | b : a ^ b;
}

/* The column of the sign of x: a constant, one of the bits or the complement of one. */
static bool signs_column(const struct signs *s, struct terms *t, term x, unsigned *column)
{
    term bit = term_extract(t, x, width_of(t, x) - 1, 1);
    unsigned flip = 0;
    if (kind_of(t, bit) == OP_NOT) {
        bit = kid_of(t, bit, 0);
        flip = 0xff;
    }
    if (is_const(t, bit)) {
        *column = bit == t->yes ? 0xff : 0;
        return true;
    }
    for (unsigned j = 0; j < s->n; j++) {
        if (s->bit[j] == bit) {
            *column = sign_column[j] ^ flip;
            return true;
        }
    }
    return false;
}

/* With r = a - b and r's column: is the table an order relation of a and b? */
static term signs_relation(const struct signs *s, struct terms *t, unsigned table, term a, term b,
                           unsigned cr)
{
    unsigned ca, cb;
    if (!signs_column(s, t, a, &ca) || !signs_column(s, t, b, &cb))
        return TERM_NONE;
    unsigned same = ~(ca ^ cb) & cr, slt = ((ca & ~cb) | same) & 0xff, ult = ((~ca & cb) | same) & 0xff;
    if (table == slt)
        return build2(t, OP_SLT, 1, a, b);
    if (table == (~slt & 0xff))
        return build2(t, OP_SLE, 1, b, a);
    if (table == ult)
        return build2(t, OP_ULT, 1, a, b);
    if (table == (~ult & 0xff))
        return build2(t, OP_ULE, 1, b, a);
    return TERM_NONE;
}

static bool top_bit_of(const struct terms *t, term bit, term *x)
{
    *x = kid_of(t, bit, 0);
    return width_of(t, bit) == 1 && term_extract_lo(t, bit) == width_of(t, *x) - 1 && width_of(t, *x) <= 64;
}

/* Tries the ways of writing r as a - b: as its node says, and with every other term whose sign is there. */
static term signs_of_difference(const struct signs *s, struct terms *t, unsigned table, unsigned i)
{
    term r, a, x = TERM_NONE;
    if (!top_bit_of(t, s->bit[i], &r))
        return TERM_NONE;
    unsigned kind = kind_of(t, r), width = width_of(t, r), cr = sign_column[i];
    if (kind == OP_SUB) {
        x = signs_relation(s, t, table, kid_of(t, r, 0), kid_of(t, r, 1), cr);
    } else if (kind == OP_ADD && is_const(t, kid_of(t, r, 1))) {
        term y = kid_of(t, r, 0), c = kid_of(t, r, 1);
        x = kind_of(t, y) == OP_NEG ? signs_relation(s, t, table, c, kid_of(t, y, 0), cr)
                                    : signs_relation(s, t, table, y, build1(t, OP_NEG, width, c), cr);
    } else if (kind != OP_ADD) {
        return TERM_NONE;
    }
    for (unsigned j = 0; x == TERM_NONE && j < s->n; j++) {
        if (j == i || !top_bit_of(t, s->bit[j], &a) || width_of(t, a) != width)
            continue;
        x = signs_relation(s, t, table, a, build2(t, OP_SUB, width, a, r), cr);
    }
    return x;
}

term rule_sign_overflow(struct terms *t, const struct form *f)
{
    struct signs s = {.n = 0};
    if (f->width != 1 || !signs_collect(&s, t, f->kid[0]) || !signs_collect(&s, t, f->kid[1]) || s.n < 2)
        return TERM_NONE;
    unsigned x = signs_table(&s, t, f->kid[0]), y = signs_table(&s, t, f->kid[1]);
    unsigned table = f->op == OP_AND ? x & y : f->op == OP_OR ? x | y : x ^ y;
    for (unsigned i = 0; i < s.n; i++) {
        term found = signs_of_difference(&s, t, table, i);
        if (found != TERM_NONE)
            return found;
    }
    return TERM_NONE;
}
