/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What conditions leave of an expression's values. */
#include "flow/sym.h"

static struct range overlap(struct range a, struct range b)
{
    uint64_t alast = a.start + (a.count - 1), blast = b.start + (b.count - 1);
    uint64_t lo = a.start > b.start ? a.start : b.start, hi = alast < blast ? alast : blast;
    return lo <= hi ? (struct range){lo, hi - lo + 1} : (struct range){0, 0};
}

struct range range_both(unsigned width, struct range a, struct range b)
{
    if (a.count == 0)
        return b;
    if (b.count == 0)
        return a;
    /* How far each runs below the point where numbers wrap. */
    uint64_t aroom = word_ones(width) - a.start, broom = word_ones(width) - b.start;
    bool awraps = a.count - 1 > aroom, bwraps = b.count - 1 > broom;
    if (!awraps && !bwraps) {
        struct range r = overlap(a, b);
        if (r.count)
            return r;
    } else if (awraps != bwraps) {
        struct range w = awraps ? a : b, s = awraps ? b : a;
        uint64_t room = awraps ? aroom : broom;
        struct range high = overlap((struct range){w.start, room + 1}, s);
        struct range low = overlap((struct range){0, w.count - 1 - room}, s);
        if (!high.count != !low.count)
            return high.count ? high : low;
    }
    return a.count < b.count ? a : b;
}

struct range range_either(struct range a, struct range b)
{
    if (a.count == 0 || b.count == 0)
        return (struct range){0, 0};
    uint64_t alast = a.start + (a.count - 1), blast = b.start + (b.count - 1);
    if (alast < a.start || blast < b.start)
        return a.start == b.start && a.count == b.count ? a : (struct range){0, 0};
    uint64_t lo = a.start < b.start ? a.start : b.start, hi = alast > blast ? alast : blast;
    return (struct range){lo, hi - lo + 1}; /* 0, everything, when that wraps */
}

static struct range up_to(uint64_t last)
{
    return (struct range){0, last + 1};
}

struct range sym_shape_range(const struct sym_pool *p, sym x)
{
    const struct sym_node *n = sym_at(p, x);
    struct range all = {0, 0};
    uint64_t k;
    switch (n->op) {
    case SYM_CONST:
        return (struct range){n->imm, 1};
    case OP_ZEXT: {
        struct range r = sym_shape_range(p, n->a);
        return r.count ? r : up_to(word_ones(sym_at(p, n->a)->width));
    }
    case OP_AND:
        if (sym_is_const(p, n->b, &k))
            return up_to(k);
        break;
    case OP_UREM:
        if (sym_is_const(p, n->b, &k) && k)
            return up_to(k - 1);
        break;
    case OP_ITE: {
        struct range r = range_either(sym_shape_range(p, n->b), sym_shape_range(p, n->c));
        if (r.count)
            return r;
        break;
    }
    }
    return n->width < 64 ? up_to(word_ones(n->width)) : all;
}

bool sym_shape_fits(const struct sym_pool *p, sym x, unsigned bits)
{
    struct range r = sym_shape_range(p, x);
    return r.count && r.start + (r.count - 1) >= r.start && r.start + (r.count - 1) <= word_ones(bits);
}

/* x is base_x + k or a widening of it: turns a range of y into one of x, when y is made of x that way. */
static bool range_through(const struct sym_pool *p, sym y, struct range r, sym x, struct range *out)
{
    for (unsigned i = 0; i < 8; i++) {
        if (y == x) {
            *out = r;
            return true;
        }
        const struct sym_node *n = sym_at(p, y);
        uint64_t k;
        if (r.count == 0)
            return false;
        if (n->op == OP_ADD && sym_is_const(p, n->b, &k)) {
            r.start = (r.start - k) & word_ones(n->width);
            y = n->a;
        } else if (n->op == OP_EXTRACT && n->imm && n->imm + n->width == sym_at(p, n->a)->width && n->imm < 64) {
            /* all but the low bits: libVEX writes x < 8 as x >> 3 == 0 */
            uint64_t most = word_ones(n->width), last = r.start + (r.count - 1);
            if (last < r.start || r.start > most)
                return false;
            if (last > most)
                last = most;
            if (last - r.start + 1 > UINT64_MAX >> n->imm)
                return false;
            r = (struct range){r.start << n->imm, (last - r.start + 1) << n->imm};
            y = n->a;
        } else if (n->op == OP_SHL && sym_is_const(p, n->b, &k) && k < n->width) {
            /* libVEX compares 16 bits so, at the top of a word; none of them is lost */
            uint64_t last = r.start + (r.count - 1), least = r.start ? ((r.start - 1) >> k) + 1 : 0;
            if (last < r.start || last > word_ones(n->width) || least > last >> k ||
                !sym_shape_fits(p, n->a, n->width - (unsigned)k))
                return false;
            r = (struct range){least, (last >> k) - least + 1};
            y = n->a;
        } else if (n->op == OP_ZEXT || n->op == OP_SEXT) {
            unsigned inner = sym_at(p, n->a)->width;
            uint64_t most = n->op == OP_ZEXT ? word_ones(inner) : word_ones(inner - 1);
            uint64_t last = r.start + (r.count - 1);
            if (last < r.start || r.start > most)
                return false;
            if (n->op == OP_SEXT && last > most)
                return false;
            if (last > most)
                r.count = most - r.start + 1;
            y = n->a;
        } else {
            return false;
        }
    }
    return false;
}

static struct range range_if(const struct sym_pool *p, sym cond, bool truth, sym x)
{
    const struct sym_node *n = sym_at(p, cond);
    struct range all = {0, 0}, r;
    uint64_t k;
    switch (n->op) {
    case OP_NOT:
        return range_if(p, n->a, !truth, x);
    case OP_AND:
    case OP_OR: {
        if (n->width != 1)
            return all;
        struct range a = range_if(p, n->a, truth, x), b = range_if(p, n->b, truth, x);
        return (n->op == OP_AND) == truth ? range_both(sym_at(p, x)->width, a, b) : range_either(a, b);
    }
    case OP_ITE:
        if (sym_is_const(p, n->c, &k) && !k && truth)
            return range_both(sym_at(p, x)->width, range_if(p, n->a, true, x), range_if(p, n->b, true, x));
        return all;
    case OP_EQ:
        if (sym_is_const(p, n->b, &k) && truth && range_through(p, n->a, (struct range){k, 1}, x, &r))
            return r;
        return all;
    case OP_ULT:
    case OP_ULE: {
        /* a < b: as a range of the side that is no constant */
        unsigned width = sym_at(p, n->a)->width;
        bool strict = n->op == OP_ULT;
        sym side;
        struct range s = all;
        if (sym_is_const(p, n->b, &k)) {
            side = n->a;
            if (truth)
                s = strict ? (k ? up_to(k - 1) : all) : up_to(k);
            else {
                uint64_t from = strict ? k : k + 1;
                s = (struct range){from, word_ones(width) - from + 1};
            }
        } else if (sym_is_const(p, n->a, &k)) {
            side = n->b;
            if (!truth)
                s = strict ? up_to(k) : (k ? up_to(k - 1) : all);
            else {
                uint64_t from = strict ? k + 1 : k;
                s = (struct range){from, word_ones(width) - from + 1};
            }
        } else {
            return all;
        }
        return range_through(p, side, s, x, &r) ? r : all;
    }
    case OP_SLT:
    case OP_SLE: {
        unsigned width = sym_at(p, n->a)->width;
        uint64_t least = UINT64_C(1) << (width - 1), greatest = least - 1;
        bool strict = n->op == OP_SLT;
        sym side;
        uint64_t from = least, to = greatest; /* as a modular interval */
        if (sym_is_const(p, n->b, &k)) {
            side = n->a;
            if (truth)
                to = strict ? k - 1 : k;
            else
                from = strict ? k : k + 1;
        } else if (sym_is_const(p, n->a, &k)) {
            side = n->b;
            if (!truth)
                to = strict ? k : k - 1;
            else
                from = strict ? k + 1 : k;
        } else {
            return all;
        }
        struct range s = {from & word_ones(width), ((to - from) & word_ones(width)) + 1};
        return range_through(p, side, s, x, &r) ? r : all;
    }
    }
    return all;
}

struct range sym_range_if(const struct sym_pool *p, sym cond, bool truth, sym x)
{
    struct range r = range_if(p, cond, truth, x);
    const struct sym_node *n = sym_at(p, x);
    uint64_t k;
    if (r.count)
        return r;
    /* The condition may be about what x is made of. */
    if (n->op == OP_ZEXT)
        return sym_range_if(p, cond, truth, n->a);
    if (n->op == OP_ADD && sym_is_const(p, n->b, &k)) {
        r = sym_range_if(p, cond, truth, n->a);
        if (r.count)
            r.start = (r.start + k) & word_ones(n->width);
        return r;
    }
    if (n->op == OP_SEXT) {
        r = sym_range_if(p, cond, truth, n->a);
        uint64_t most = word_ones(sym_at(p, n->a)->width - 1u);
        if (r.count && r.start <= most && r.count - 1 <= most - r.start)
            return r;
    }
    return (struct range){0, 0};
}
