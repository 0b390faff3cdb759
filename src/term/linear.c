/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums as linear combinations k1*x1 + k2*x2 + ... + c modulo 2^width, for widths 2 to 64.
 *
 * Normal form: like terms collected; addends in the order of their numbers, those with coefficient -1 last,
 * as subtractions; the constant outermost; -x - 1 is ~x; x / y * y + x % y is x. Sums of more than LINEAR_MAX addends stay as they
 * were written. */
#include "term/internal.h"

struct linear {
    unsigned width, n, visited;
    uint64_t c;
    struct {
        term x;
        uint64_t k;
    } at[LINEAR_MAX];
};

static void linear_remove(struct linear *l, unsigned i)
{
    for (l->n--; i < l->n; i++)
        l->at[i] = l->at[i + 1];
}

static bool linear_leaf(struct linear *l, term x, uint64_t k)
{
    unsigned i = 0;
    while (i < l->n && l->at[i].x < x)
        i++;
    if (i < l->n && l->at[i].x == x) {
        l->at[i].k = (l->at[i].k + k) & mask64(l->width);
        if (l->at[i].k == 0)
            linear_remove(l, i);
        return true;
    }
    if (l->n == LINEAR_MAX)
        return false;
    for (unsigned j = l->n++; j > i; j--)
        l->at[j] = l->at[j - 1];
    l->at[i].x = x;
    l->at[i].k = k;
    return true;
}

static bool is_linear(const struct terms *t, term x)
{
    switch (kind_of(t, x)) {
    case OP_ADD:
    case OP_SUB:
    case OP_NEG:
    case OP_NOT:
        return true;
    case OP_MUL:
        return is_const(t, kid_of(t, x, 1));
    default:
        return false;
    }
}

/* Adds k * x. False when there are too many addends. The nesting is bounded by `visited`. */
static bool linear_add(struct linear *l, const struct terms *t, term x, uint64_t k)
{
    uint64_t c = 0, mask = mask64(l->width);
    k &= mask;
    if (k == 0)
        return true;
    if (l->visited++ >= 8 * LINEAR_MAX)
        return false;
    switch (kind_of(t, x)) {
    case TERM_CONST:
        small_const(t, x, &c);
        l->c = (l->c + k * c) & mask;
        return true;
    case OP_ADD:
        return linear_add(l, t, kid_of(t, x, 1), k) && linear_add(l, t, kid_of(t, x, 0), k);
    case OP_SUB:
        return linear_add(l, t, kid_of(t, x, 1), -k) && linear_add(l, t, kid_of(t, x, 0), k);
    case OP_NEG:
        return linear_add(l, t, kid_of(t, x, 0), -k);
    case OP_NOT:
        l->c = (l->c - k) & mask;
        return linear_add(l, t, kid_of(t, x, 0), -k);
    case OP_MUL:
        if (small_const(t, kid_of(t, x, 1), &c))
            return linear_add(l, t, kid_of(t, x, 0), k * c);
        break;
    default:
        break;
    }
    return linear_leaf(l, x, k);
}

static bool is_remainder(const struct terms *t, term x)
{
    return kind_of(t, x) == OP_UREM || kind_of(t, x) == OP_SREM;
}

/* Whether addend j is k * (x / y * y), where addend i is k * (x % y). */
static bool is_quotient_of(const struct linear *l, const struct terms *t, unsigned j, unsigned i)
{
    term rest = l->at[i].x, product = l->at[j].x, y = kid_of(t, rest, 1), quotient = product;
    uint64_t k = l->at[i].k, c;
    if (small_const(t, y, &c)) {
        k = k * c & mask64(l->width);
    } else {
        if (kind_of(t, product) != OP_MUL || (kid_of(t, product, 0) != y && kid_of(t, product, 1) != y))
            return false;
        quotient = kid_of(t, product, kid_of(t, product, 0) == y);
    }
    return l->at[j].k == k &&
           kind_of(t, quotient) == (kind_of(t, rest) == OP_UREM ? (unsigned)OP_UDIV : (unsigned)OP_SDIV) &&
           kid_of(t, quotient, 0) == kid_of(t, rest, 0) && kid_of(t, quotient, 1) == y;
}

/* x / y * y + x % y = x; by zero, too: 0 + x. False when there are too many addends. */
static bool linear_divide(struct linear *l, const struct terms *t)
{
    for (unsigned i = 0; i < l->n; i++) {
        unsigned j = is_remainder(t, l->at[i].x) ? 0 : l->n;
        while (j < l->n && !is_quotient_of(l, t, j, i))
            j++;
        if (j == l->n)
            continue;
        term x = kid_of(t, l->at[i].x, 0);
        uint64_t k = l->at[i].k;
        linear_remove(l, i > j ? i : j);
        linear_remove(l, i > j ? j : i);
        return linear_add(l, t, x, k) && linear_divide(l, t);
    }
    return true;
}

static term plain2(struct terms *t, unsigned op, unsigned width, term a, term b)
{
    term kid[2] = {a, b};
    return table_cons(
        t, &(struct term_key){.kind = (uint8_t)op, .sort = (uint16_t)width, .kid = kid, .nkids = 2});
}

static term plain1(struct terms *t, unsigned op, unsigned width, term a)
{
    return table_cons(
        t, &(struct term_key){.kind = (uint8_t)op, .sort = (uint16_t)width, .kid = &a, .nkids = 1});
}

static term linear_addends(struct terms *t, const struct linear *l)
{
    uint64_t minus = mask64(l->width);
    term sum = TERM_NONE;
    for (unsigned i = 0; i < l->n; i++) {
        if (l->at[i].k == minus)
            continue;
        term x = l->at[i].x;
        if (l->at[i].k != 1)
            x = plain2(t, OP_MUL, l->width, x, term_const(t, l->width, l->at[i].k));
        sum = sum == TERM_NONE ? x : plain2(t, OP_ADD, l->width, sum, x);
    }
    for (unsigned i = 0; i < l->n; i++) {
        if (l->at[i].k != minus)
            continue;
        sum = sum == TERM_NONE ? plain1(t, OP_NEG, l->width, l->at[i].x)
                               : plain2(t, OP_SUB, l->width, sum, l->at[i].x);
    }
    return sum;
}

static term linear_build(struct terms *t, const struct linear *l)
{
    term sum = linear_addends(t, l), c = term_const(t, l->width, l->c);
    if (sum == TERM_NONE)
        return c;
    if (l->n == 1 && l->at[0].k == mask64(l->width) && l->c == mask64(l->width))
        return build1(t, OP_NOT, l->width, l->at[0].x);
    return l->c ? plain2(t, OP_ADD, l->width, sum, c) : sum;
}

/* The built term, or TERM_NONE when it is the very form it was made from. */
static term unless_same(const struct terms *t, const struct form *f, term x)
{
    const struct term_node *n = node_of(t, x);
    if (n->kind != f->op || n->kid[0] != f->kid[0] || (f->nkids > 1 && n->kid[1] != f->kid[1]))
        return x;
    return TERM_NONE;
}

bool linear_difference(struct terms *t, term x, term y, uint64_t *c)
{
    struct linear l = {.width = width_of(t, x)};
    if (l.width > 64 || !linear_add(&l, t, x, 1) || !linear_add(&l, t, y, UINT64_MAX) || l.n)
        return false;
    *c = l.c;
    return true;
}

/* A number of this many bits, sign-extended. */
static uint64_t signed_part(uint64_t v, unsigned bits)
{
    return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

term linear_unscale(struct terms *t, term x, unsigned k)
{
    struct linear l = {.width = width_of(t, x)};
    if (l.width > 64 || k >= l.width || !linear_add(&l, t, x, 1) || l.c & mask64(k))
        return TERM_NONE;
    for (unsigned i = 0; i < l.n; i++) {
        if (l.at[i].k & mask64(k))
            return TERM_NONE;
        l.at[i].k = signed_part(l.at[i].k >> k, l.width - k) & mask64(l.width);
    }
    l.c = signed_part(l.c >> k, l.width - k) & mask64(l.width);
    return linear_build(t, &l);
}

term rule_sum_linear(struct terms *t, const struct form *f)
{
    term a = f->kid[0], b = f->nkids > 1 ? f->kid[1] : a;
    if (f->width < 2 || f->width > 64)
        return TERM_NONE;
    /* what is in order already: a + b, a + c, a - b, -a of terms that are no sums */
    if (!is_linear(t, a) && !is_linear(t, b) && !is_remainder(t, a) && !is_remainder(t, b)) {
        bool in_order = f->op == OP_NEG ||
                        (f->op == OP_SUB && a != b && !is_const(t, a) && !is_const(t, b)) ||
                        (f->op == OP_ADD && !is_const(t, a) && (a < b || is_const(t, b)) && a != b);
        if (in_order)
            return TERM_NONE;
    }
    struct linear l = {.width = f->width};
    bool fits;
    switch (f->op) {
    case OP_ADD:
        fits = linear_add(&l, t, a, 1) && linear_add(&l, t, b, 1);
        break;
    case OP_SUB:
        fits = linear_add(&l, t, a, 1) && linear_add(&l, t, b, UINT64_MAX);
        break;
    default:
        fits = linear_add(&l, t, a, UINT64_MAX);
        break;
    }
    return fits && linear_divide(&l, t) ? unless_same(t, f, linear_build(t, &l)) : TERM_NONE;
}

term rule_mul_linear(struct terms *t, const struct form *f)
{
    struct linear l = {.width = f->width};
    uint64_t c;
    if (f->width < 2 || f->width > 64 || !small_const(t, f->kid[1], &c) || !linear_add(&l, t, f->kid[0], c))
        return TERM_NONE;
    return unless_same(t, f, linear_build(t, &l));
}

term rule_not_sum(struct terms *t, const struct form *f)
{
    struct linear l = {.width = f->width};
    unsigned kind = kind_of(t, f->kid[0]);
    if (f->width < 2 || f->width > 64 || (kind != OP_ADD && kind != OP_SUB && kind != OP_NEG))
        return TERM_NONE;
    l.c = mask64(l.width);
    if (!linear_add(&l, t, f->kid[0], UINT64_MAX))
        return TERM_NONE;
    return linear_build(t, &l);
}

static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (unsigned i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

/* k * x == r, k not zero */
static term eq_scaled(struct terms *t, unsigned width, term x, uint64_t k, uint64_t r)
{
    unsigned s = (unsigned)__builtin_ctzll(k);
    if (r & mask64(s))
        return t->no;
    uint64_t v = (r >> s) * inverse(k >> s) & mask64(width - s);
    return term_eq(t, s ? term_extract(t, x, 0, width - s) : x, term_const(t, width - s, v));
}

term rule_eq_linear(struct terms *t, const struct form *f)
{
    term a = f->kid[0], b = f->kid[1];
    struct linear l = {.width = width_of(t, a)};
    if (l.width < 2 || l.width > 64 || (!is_linear(t, a) && !is_linear(t, b)))
        return TERM_NONE;
    uint64_t mask = mask64(l.width);
    if (!linear_add(&l, t, a, 1) || !linear_add(&l, t, b, UINT64_MAX) || !linear_divide(&l, t))
        return TERM_NONE;
    if (l.n == 0)
        return l.c ? t->no : t->yes;
    if (l.n == 1)
        return eq_scaled(t, l.width, l.at[0].x, l.at[0].k, -l.c & mask);
    if (l.at[0].k > mask >> 1) { /* the equation and its negation are one: the first addend is positive */
        for (unsigned i = 0; i < l.n; i++)
            l.at[i].k = -l.at[i].k & mask;
        l.c = -l.c & mask;
    }
    struct linear left = {.width = l.width}, right = {.width = l.width, .c = -l.c & mask};
    for (unsigned i = 0; i < l.n; i++) {
        struct linear *side = l.c == 0 && l.at[i].k == mask ? &right : &left;
        side->at[side->n++] = l.at[i];
        if (side == &right)
            side->at[side->n - 1].k = 1;
    }
    a = linear_build(t, &left);
    b = linear_build(t, &right);
    if (a > b && !is_const(t, b)) {
        term swap = a;
        a = b;
        b = swap;
    }
    if (a == f->kid[0] && b == f->kid[1])
        return TERM_NONE;
    return build2(t, OP_EQ, 1, a, b);
}
