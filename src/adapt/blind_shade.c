/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of values that are made of what is not known.
 *
 * A constant that an adapter gives lies between two numbers, at first any. It is run with the least of them:
 * a value that is the constant plus something has what it is then, and says which constant it is made of
 * (SHADE_BASE). Where it is compared with a number, the outcome is known if it is the same for all constants
 * in between. Else it HINGES on where the outcome changes; a run that cannot go on without it ends there, and
 * the constants below and above are tried by themselves. */
#include "adapt/blind.h"

enum { FEW = 256 }; /* constants that are tried one by one */

/* ---- hinges ---- */

shade blind_mixed(shade x, shade y)
{
    const bool impure = (is_unknown(x) && !(x & SHADE_PURE)) || (is_unknown(y) && !(y & SHADE_PURE));
    shade both = without_base(x) | (without_base(y) & ~(shade)(x & SHADE_HINGE ? SHADE_HINGE : 0));
    return impure ? both & ~SHADE_PURE : both;
}

uint64_t blind_others(const struct run *r, shade s)
{
    unsigned k = base_of(s);
    return r->high[k] - r->low[k];
}

/* The constant is below `at`, or not; 0: there are no more hinges. */
static shade hinge(struct run *r, unsigned k, uint64_t at)
{
    if (r->nhinges == HINGES)
        return 0;
    r->hinge[r->nhinges++] = (struct hinge){(uint8_t)k, at};
    return (shade)r->nhinges << HINGE_SHIFT;
}

/* One of few constants. */
static shade hinge_in_middle(struct run *r, shade s)
{
    unsigned k = base_of(s);
    uint64_t n = blind_others(r, s);
    return n && n < FEW ? hinge(r, k, r->low[k] + n / 2 + 1) : 0;
}

shade blind_few(struct run *r, shade s)
{
    if (s & SHADE_HINGE || !(s & SHADE_BASE))
        return s & SHADE_HINGE;
    return hinge_in_middle(r, s);
}

bool blind_hinges(struct run *r, shade s)
{
    unsigned i = r->like ? blind_few(r, s) >> HINGE_SHIFT : 0;
    if (!i || i > r->nhinges)
        return false;
    r->k = r->hinge[i - 1].k;
    r->value = r->hinge[i - 1].at;
    return r->value > r->low[r->k] && r->value <= r->high[r->k];
}

bool blind_is_in_page(const struct run *r, uint64_t address, shade s)
{
    return is_exact(s) && (address & word_ones(PAGE_BITS)) + blind_others(r, s) <= word_ones(PAGE_BITS) &&
           blind_others(r, s) <= word_ones(PAGE_BITS);
}

uint64_t blind_added(const struct run *r, uint64_t value, shade s)
{
    return (value - r->low[base_of(s)]) & word_ones(r->s->w->m->pointer_width);
}

/* ---- bytes ---- */

shade blind_joined(const struct world *w, const shade *byte, unsigned n)
{
    const shade kept = SHADE_BASE | SHADE_NEAR | SHADE_HALF;
    unsigned unit = w->m->pointer_width / 8, same = 0;
    shade all = 0, base = byte[0] & kept, offset = n == unit ? SHADE_OFFSET : 0, pure = SHADE_PURE;
    for (unsigned i = 0; i < n; i++) {
        all = blind_mixed(all, byte[i]);
        offset &= byte[i];
        pure &= byte[i];
        if (same == i && (byte[i] & kept) == base && (byte[i] >> BYTE_SHIFT & 7) == i % 8)
            same++;
    }
    all = (all & ~SHADE_PURE) | offset | pure; /* beside it there may be a part of an address */
    if (!(base & SHADE_BASE) || (n != unit && n != 4))
        return all;
    if (same == n)
        return all | (n < unit ? base & ~(shade)SHADE_HALF : base);
    return same >= 4 && !(base & SHADE_NEAR) ? all | base | SHADE_HALF : all;
}

shade blind_split(const struct world *w, shade s, unsigned i, unsigned n)
{
    if (!(s & SHADE_BASE))
        return s;
    if (n < w->m->pointer_width / 8u) /* what is behind it belongs to another sum */
        s |= SHADE_HALF;
    return s & SHADE_HALF && i % 8 >= 4 ? without_base(s) : s | (i % 8) << BYTE_SHIFT;
}

/* ---- operators ---- */

/* A number that only takes bits away that are less than a page. */
static bool is_rounding(const struct run *r, uint32_t value)
{
    const struct world *w = r->s->w;
    uint64_t ones = word_ones(w->m->pointer_width);
    return !is_unknown(w->value[value]) &&
           ((concrete_word(r->s->c, value) | word_ones(PAGE_BITS)) & ones) == ones;
}

/* Of a constant plus something, which has `width` bits and is that now: the outcome of an operator that
 * changes where it becomes one of these. False: it does not change. *out: it hinges on the first. */
static bool changes(struct run *r, shade of, uint64_t now, unsigned width, const uint64_t *where, unsigned n,
                    shade *out)
{
    uint64_t first = UINT64_MAX, others = blind_others(r, of);
    *out = 0;
    if (others > word_ones(width)) /* it comes there more than once */
        return true;
    for (unsigned i = 0; i < n; i++) {
        uint64_t far = (where[i] - now) & word_ones(width);
        if (far && far <= others && far < first)
            first = far;
    }
    if (first == UINT64_MAX)
        return false;
    *out = hinge(r, base_of(of), r->low[base_of(of)] + first);
    return true;
}

bool blind_is_comparison(unsigned op)
{
    return op == OP_EQ || op == OP_ULT || op == OP_ULE || op == OP_SLT || op == OP_SLE;
}

/* A comparison of a constant plus something, the first or the second operand, with a number. */
static shade compared(struct run *r, const struct ir_block *block, const struct ir_insn *i, bool second)
{
    const struct world *w = r->s->w;
    uint32_t x = second ? i->b : i->a, y = second ? i->a : i->b;
    unsigned width = block->insn[x].width;
    uint64_t number = concrete_word(r->s->c, y);
    bool from = (i->op == OP_ULT || i->op == OP_SLT) != second; /* it changes at the number, not behind it */
    const uint64_t where[] = {from || i->op == OP_EQ ? number : number + 1,
                              i->op == OP_EQ                       ? number + 1
                              : i->op == OP_ULT || i->op == OP_ULE ? 0
                                                                   : UINT64_C(1) << (width - 1)};
    shade given = (w->value[x] | w->value[y]) & SHADE_GIVEN, hangs;
    if (!changes(r, w->value[x], concrete_word(r->s->c, x), width, where, 2, &hangs))
        return given;
    return SHADE_UNKNOWN | given | hangs;
}

static shade extended(struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    const struct world *w = r->s->w;
    shade of = w->value[i->a], hangs;
    unsigned from = block->insn[i->a].width;
    const uint64_t turn = i->op == OP_SEXT ? UINT64_C(1) << (from - 1) : 0;
    if (from != 32 || i->width != w->m->pointer_width)
        return without_base(of);
    return changes(r, of, concrete_word(r->s->c, i->a), from, &turn, 1, &hangs) ? without_base(of) | hangs
                                                                                : of;
}

/* The shade of what is a constant plus something still, or hangs on it; 0: it is neither. */
static shade linear(struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    const struct world *w = r->s->w;
    const shade kept = SHADE_BASE | SHADE_NEAR | SHADE_HALF;
    unsigned width = w->m->pointer_width, arity = op_info[i->op].arity;
    shade x = w->value[i->a], y = arity > 1 ? w->value[i->b] : 0;
    if (blind_is_comparison(i->op) && (block->insn[i->a].width == width || block->insn[i->a].width == 32)) {
        if (is_exact(x) && !is_unknown(y))
            return compared(r, block, i, false);
        return is_exact(y) && !is_unknown(x) ? compared(r, block, i, true) : 0;
    }
    if (arity == 1 && i->op == OP_EXTRACT && x & SHADE_BASE && !(x & SHADE_NEAR))
        return i->b == 0 && i->width == 32 ? x & ~(shade)SHADE_HALF : 0;
    if (arity == 1 && (i->op == OP_ZEXT || i->op == OP_SEXT) && is_exact(x))
        return extended(r, block, i);
    if (arity != 2 || (i->width != width && i->width != 32))
        return 0;
    switch (i->op) {
    case OP_ADD:
        if (y & SHADE_BASE && !is_unknown(x))
            return blind_mixed(x, y) | (y & kept);
        __attribute__((fallthrough));
    case OP_SUB:
        return x & SHADE_BASE && !is_unknown(y) ? blind_mixed(x, y) | (x & kept) : 0;
    case OP_OR:
        return i->a == i->b ? x : 0;
    case OP_AND: /* rounded down */
        if (i->a == i->b)
            return x;
        if (i->width != width)
            return 0;
        if (is_exact(x) && is_rounding(r, i->b))
            return blind_mixed(x, y) | (x & kept) | SHADE_NEAR;
        return is_exact(y) && is_rounding(r, i->a) ? blind_mixed(x, y) | (y & kept) | SHADE_NEAR : 0;
    default:
        return 0;
    }
}

/* A known address outside, and what the run has of its own is not within reach of it. */
static bool is_place(const struct run *r, uint32_t value)
{
    uint64_t at = concrete_word(r->s->c, value);
    return !is_unknown(r->s->w->value[value]) && at >> PAGE_BITS >= NULL_PAGES &&
           blind_where(r->s->w, at) == OUTSIDE && blind_is_far(r->s->w, at);
}

/* A known number leads from a place to no other. */
static bool is_small(const struct run *r, const struct ir_block *block, uint32_t value)
{
    enum { FAR = 1 << 30 };
    unsigned width = block->insn[value].width;
    return width <= 64 && ((concrete_word(r->s->c, value) + FAR) & word_ones(width)) < 2 * (uint64_t)FAR;
}

static bool is_step(const struct run *r, const struct ir_block *block, uint32_t value)
{
    shade of = r->s->w->value[value];
    return is_unknown(of) ? of & SHADE_PURE && !(of & SHADE_ARGS) : is_small(r, block, value);
}

/* What is made of a constant and of part of an address is not made of constants alone. */
static bool may_be_pure(const struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    const uint32_t operand[] = {i->a, i->b, i->c, i->d};
    const struct world *w = r->s->w;
    unsigned arity = op_info[i->op].arity;
    for (unsigned k = 0; k < arity; k++)
        if (!is_unknown(w->value[operand[k]]) && !is_small(r, block, operand[k]))
            return false;
    return i->op != OP_CONCAT || (is_unknown(w->value[i->a]) && is_unknown(w->value[i->b])) ||
           (!is_unknown(w->value[i->a]) && !concrete_word(r->s->c, i->a));
}

/* What is a known address outside, plus something made of constants alone. Constants are chosen before
 * anybody knows where the stack is, or the file, or what the kernel gave: it is an address of none of these.
 */
static bool is_offset(const struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    const struct world *w = r->s->w;
    const uint32_t x = i->a, y = i->b;
    if (i->width != w->m->pointer_width || (i->op != OP_ADD && i->op != OP_SUB && i->op != OP_AND))
        return false;
    const bool from_x = w->value[x] & SHADE_OFFSET, from_y = w->value[y] & SHADE_OFFSET;
    if (i->op == OP_AND)
        return (from_x && is_rounding(r, y)) || (from_y && is_rounding(r, x));
    if ((from_x || (is_place(r, x) && is_unknown(w->value[y]))) && is_step(r, block, y))
        return true;
    return i->op == OP_ADD && (from_y || (is_place(r, y) && is_unknown(w->value[x]))) && is_step(r, block, x);
}

/* A part of what a register had may be known where the rest is not: *out is its shade. False: it is no such
 * part, or it was written since. */
static bool part_of_register(const struct run *r, const struct ir_block *block, const struct ir_insn *i,
                             shade *out)
{
    const struct ir_insn *get = &block->insn[i->a];
    if (i->op != OP_EXTRACT || get->op != IR_GET || i->b % 8 || i->width % 8)
        return false;
    uint32_t from = get->a + i->b / 8, bytes = i->width / 8u;
    for (const struct ir_insn *k = get + 1; k < i; k++) {
        uint32_t written = k->op == IR_PUT ? (block->insn[k->b].width + 7u) / 8 : 0;
        if (k->op == IR_EVENT || (written && k->a < from + bytes && from < k->a + written))
            return false;
    }
    *out = blind_joined(r->s->w, &r->s->reg[from], bytes);
    return true;
}

/* What is in the lower half of a register may be known where the rest is not. False: the operator looks at
 * more of it. */
static bool of_lower_half(const struct run *r, const struct ir_block *block, const struct ir_insn *i,
                          shade *out)
{
    const struct world *w = r->s->w;
    const uint32_t operand[] = {i->a, i->b};
    if (i->op == OP_EXTRACT) {
        *out = w->half[i->a];
        return block->insn[i->a].op == IR_GET && i->b + i->width <= 32 && !is_unknown(*out);
    }
    for (unsigned k = 0; k < 2 && i->op == OP_AND && i->width <= 64; k++) {
        uint32_t x = operand[k], y = operand[1 - k];
        *out = w->half[x] | w->value[y];
        if (block->insn[x].op == IR_GET && !is_unknown(*out) && concrete_word(r->s->c, y) <= UINT32_MAX)
            return true;
    }
    return false;
}

/* Bits of which all are known are taken out of what is not known. */
static bool of_known_bytes(const struct run *r, const struct ir_insn *i, shade *out)
{
    const struct world *w = r->s->w;
    const uint32_t operand[] = {i->a, i->b};
    for (unsigned k = 0; k < 2 && i->op == OP_AND && i->width <= 64; k++) {
        uint32_t x = operand[k], y = operand[1 - k];
        *out = (w->value[x] & SHADE_GIVEN) | w->value[y];
        if (!is_unknown(w->value[y]) && concrete_word(r->s->c, y) <= word_ones(w->known[x] * 8u))
            return true;
    }
    return false;
}

static shade of_operator(struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    const struct world *w = r->s->w;
    const uint32_t operand[] = {i->a, i->b, i->c, i->d};
    unsigned arity = op_info[i->op].arity;
    shade all = 0, few = 0;
    if (i->op == OP_EXTRACT && i->b == 0)
        w->known[i - block->insn] = w->known[i->a] < i->width / 8 ? w->known[i->a] : (uint8_t)(i->width / 8);
    if (is_unknown(w->value[i->a]) && !(w->value[i->a] & SHADE_BASE) && part_of_register(r, block, i, &all))
        return all;
    if (arity && is_unknown(w->value[i->a] | (arity > 1 && i->op != OP_EXTRACT ? w->value[i->b] : 0)) &&
        (of_lower_half(r, block, i, &all) || of_known_bytes(r, i, &all)))
        return all;
    all = 0;
    if (i->op == OP_ITE && !is_unknown(w->value[i->a]))
        return w->value[concrete_word(r->s->c, i->a) ? i->b : i->c] | (w->value[i->a] & SHADE_GIVEN);
    for (unsigned k = 0; k < arity; k++) {
        shade x = w->value[operand[k]];
        if (i->op == OP_AND && !is_unknown(x) && bits_is_zero(concrete_value(r->s->c, operand[k])))
            return x;
        all = blind_mixed(all, x);
        few = x & SHADE_BASE ? x : few;
    }
    shade known = few ? linear(r, block, i) : 0;
    if (known)
        return known;
    if (is_unknown(all) && arity == 2 && is_offset(r, block, i))
        all = (all & ~SHADE_PURE) | SHADE_OFFSET;
    return all & SHADE_HINGE ? all : all | blind_few(r, few);
}

shade blind_operator(struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    shade of = of_operator(r, block, i);
    return of & SHADE_PURE && !may_be_pure(r, block, i) ? of & ~SHADE_PURE : of;
}
