/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays: reading past writes, writing over writes, joining two memories.
 *
 * All of it rests on relate(): how far apart two indices are, modulo 2^(index width). */
#include "term/internal.h"

enum relation {
    APART, /* the ranges have no cell in common */
    KNOWN, /* the distance is a constant; the ranges may or may not overlap */
    UNSURE,
};

/* The ranges start a known distance apart: has [0, n) a cell in common with [delta, delta + m), modulo 2^iw?
 */
static bool overlaps(uint64_t delta, unsigned n, unsigned m, unsigned iw)
{
    return delta < n || (-delta & mask64(iw)) < m;
}

/* Relates n cells at index a with m cells at index b; *delta is b - a when KNOWN. */
static enum relation relate(struct terms *t, term a, unsigned n, term b, unsigned m, uint64_t *delta)
{
    unsigned iw = width_of(t, a);
    *delta = 0;
    if (a == b)
        return KNOWN;
    if (iw > 64)
        return UNSURE;
    term base_a, base_b;
    uint64_t off_a, off_b;
    if (small_const(t, a, &off_a) && small_const(t, b, &off_b)) {
        *delta = (off_b - off_a) & mask64(iw);
        return overlaps(*delta, n, m, iw) ? KNOWN : APART;
    }
    term_split(t, a, &base_a, &off_a);
    term_split(t, b, &base_b, &off_b);
    if (base_a == base_b) {
        *delta = (off_b - off_a) & mask64(iw);
        return overlaps(*delta, n, m, iw) ? KNOWN : APART;
    }
    if (t->distinct.fn && t->distinct.fn(t->distinct.ctx, base_a, base_b))
        return APART;
    /* b - a is at least n and at most 2^iw - m, by its range or by its low bits */
    term d = build2(t, OP_SUB, iw, b, a);
    uint64_t lo, hi;
    if (small_const(t, d, delta))
        return overlaps(*delta, n, m, iw) ? KNOWN : APART;
    term_range(t, d, &lo, &hi);
    if (lo >= n && hi <= mask64(iw) - (m - 1))
        return APART;
    struct term_known k = term_known(t, d);
    uint64_t unknown = ~(k.zero.w[0] | k.one.w[0]);
    unsigned low = unknown ? (unsigned)__builtin_ctzll(unknown) : 64;
    if (low && low < iw && m <= mask64(low) && n <= mask64(low)) {
        uint64_t v = k.one.w[0] & mask64(low);
        if (v >= n && v <= mask64(low) - (m - 1))
            return APART;
    }
    return UNSURE;
}

static term plain_write(struct terms *t, term array, term index, term value)
{
    term kid[3] = {array, index, value};
    return table_cons(
        t, &(struct term_key){.kind = TERM_WRITE, .sort = node_of(t, array)->sort, .kid = kid, .nkids = 3});
}

term memory_write(struct terms *t, term array, term index, term value)
{
    return rewrite_build(
        t, &(struct form){
               .op = TERM_WRITE, .nkids = 3, .width = node_of(t, array)->sort, .kid = {array, index, value}});
}

term memory_ite(struct terms *t, term c, term x, term y)
{
    return rewrite_build(
        t, &(struct form){.op = TERM_AITE, .nkids = 3, .width = node_of(t, x)->sort, .kid = {c, x, y}});
}

/* ---- reading ---- */

enum { PIECES_MAX = 64 };

/* Where each cell of a read comes from: cell `cell` of `value`, or still the array when value is TERM_NONE.
 */
struct pieces {
    struct {
        term value;
        unsigned cell;
    } at[PIECES_MAX];
    unsigned n, missing;
};

static void collect(struct pieces *p, term value, unsigned m, uint64_t delta, unsigned iw)
{
    for (unsigned i = 0; i < p->n; i++) {
        uint64_t cell = (i - delta) & mask64(iw);
        if (p->at[i].value != TERM_NONE || cell >= m)
            continue;
        p->at[i].value = value;
        p->at[i].cell = (unsigned)cell;
        p->missing--;
    }
}

/* From the lowest cell up, a run of cells of one source at a time. */
static term assemble(struct terms *t, const struct pieces *p, term array, term index)
{
    unsigned cw = term_cell_width(t, array);
    term whole = TERM_NONE;
    for (unsigned i = 0, run; i < p->n; i += run) {
        term v = p->at[i].value;
        for (run = 1; i + run < p->n && p->at[i + run].value == v; run++) {
            if (v != TERM_NONE && p->at[i + run].cell != p->at[i].cell + run)
                break;
        }
        term part = v != TERM_NONE ? term_extract(t, v, p->at[i].cell * cw, run * cw)
                                   : term_read(t, array, term_add_const(t, index, i), run * cw);
        whole = whole == TERM_NONE ? part : term_concat(t, part, whole);
    }
    return whole;
}

term rule_read_write(struct terms *t, const struct form *f)
{
    term array = f->kid[0], index = f->kid[1];
    unsigned cw = term_cell_width(t, array), iw = term_index_width(t, array);
    struct pieces p = {.n = f->width / cw, .missing = f->width / cw};
    bool small = p.n <= PIECES_MAX, any = false;
    for (unsigned steps = 0; steps < CHAIN_MAX && kind_of(t, array) == TERM_WRITE && p.missing; steps++) {
        term value = kid_of(t, array, 2);
        unsigned m = width_of(t, value) / cw;
        uint64_t delta;
        enum relation r = relate(t, index, p.n, kid_of(t, array, 1), m, &delta);
        if (r == UNSURE)
            break;
        if (r == KNOWN && (iw > 64 || overlaps(delta, p.n, m, iw))) {
            uint64_t skip = -delta & mask64(iw > 64 ? 64 : iw);
            if (!any && skip < m && p.n <= m - skip) /* wholly inside this write */
                return term_extract(t, value, (unsigned)skip * cw, f->width);
            if (!small)
                break;
            collect(&p, value, m, delta, iw > 64 ? 64 : iw);
            any = true;
        }
        array = kid_of(t, array, 0);
    }
    if (any)
        return assemble(t, &p, array, index);
    return array == f->kid[0] ? TERM_NONE : term_read(t, array, index, f->width);
}

term rule_read_const_array(struct terms *t, const struct form *f)
{
    if (kind_of(t, f->kid[0]) != TERM_ACONST)
        return TERM_NONE;
    term cell = kid_of(t, f->kid[0], 0), whole = cell;
    while (width_of(t, whole) < f->width)
        whole = term_concat(t, cell, whole);
    return whole;
}

term rule_read_ite(struct terms *t, const struct form *f)
{
    if (kind_of(t, f->kid[0]) != TERM_AITE)
        return TERM_NONE;
    term c = kid_of(t, f->kid[0], 0), x = kid_of(t, f->kid[0], 1), y = kid_of(t, f->kid[0], 2);
    x = term_read(t, x, f->kid[1], f->width);
    y = term_read(t, y, f->kid[1], f->width);
    return term_ite(t, c, x, y);
}

/* ---- writing ---- */

term rule_write_back(struct terms *t, const struct form *f)
{
    term value = f->kid[2];
    if (kind_of(t, value) != TERM_READ || kid_of(t, value, 1) != f->kid[1] ||
        term_read(t, f->kid[0], f->kid[1], width_of(t, value)) != value)
        return TERM_NONE;
    return f->kid[0];
}

struct written {
    term index, value;
};

/* How a new write (index, n cells) meets the write on top of `array`. */
static enum relation meets(struct terms *t, term index, unsigned n, term array, uint64_t *delta)
{
    unsigned cw = term_cell_width(t, array);
    return relate(t, index, n, kid_of(t, array, 1), width_of(t, kid_of(t, array, 2)) / cw, delta);
}

term rule_write_hides(struct terms *t, const struct form *f)
{
    term array = f->kid[0], index = f->kid[1], value = f->kid[2];
    unsigned cw = term_cell_width(t, array), n = width_of(t, value) / cw;
    struct written above[SINK_MAX];
    unsigned k = 0;
    uint64_t delta;
    for (; k < SINK_MAX && kind_of(t, array) == TERM_WRITE; k++, array = kid_of(t, array, 0)) {
        enum relation r = meets(t, index, n, array, &delta);
        above[k] = (struct written){kid_of(t, array, 1), kid_of(t, array, 2)};
        if (r == APART)
            continue;
        unsigned m = width_of(t, above[k].value) / cw;
        if (r == UNSURE || delta >= n || m > n - delta)
            return TERM_NONE;
        if (delta == 0 && above[k].value == value)
            return f->kid[0];
        array = kid_of(t, array, 0);
        while (k-- > 0)
            array = memory_write(t, array, above[k].index, above[k].value);
        return memory_write(t, array, index, value);
    }
    return TERM_NONE;
}

/* The order of writes that do not touch each other: lower base number, then lower offset on top. The stack
 * grows down, so pushes are in order as they come. */
static bool goes_below(const struct terms *t, term index, term top)
{
    term base, base_top;
    uint64_t offset, offset_top;
    term_split(t, index, &base, &offset);
    term_split(t, top, &base_top, &offset_top);
    return base != base_top ? base_top < base : offset_top < offset;
}

term rule_write_order(struct terms *t, const struct form *f)
{
    term array = f->kid[0], index = f->kid[1], value = f->kid[2];
    unsigned n = width_of(t, value) / term_cell_width(t, array);
    struct written above[SINK_MAX];
    unsigned k = 0;
    uint64_t delta;
    if (term_index_width(t, array) > 64)
        return TERM_NONE;
    for (; kind_of(t, array) == TERM_WRITE; array = kid_of(t, array, 0)) {
        if (!goes_below(t, index, kid_of(t, array, 1)) || meets(t, index, n, array, &delta) != APART)
            break;
        if (k == SINK_MAX)
            return TERM_NONE;
        above[k++] = (struct written){kid_of(t, array, 1), kid_of(t, array, 2)};
    }
    if (k == 0)
        return TERM_NONE;
    array = plain_write(t, array, index, value);
    while (k-- > 0)
        array = plain_write(t, array, above[k].index, above[k].value);
    return array;
}

/* ---- choosing ---- */

term rule_aite_same(struct terms *t, const struct form *f)
{
    (void)t;
    return f->kid[1] == f->kid[2] ? f->kid[1] : TERM_NONE;
}

term rule_aite_const(struct terms *t, const struct form *f)
{
    if (!is_const(t, f->kid[0]))
        return TERM_NONE;
    return f->kid[0] == t->yes ? f->kid[1] : f->kid[2];
}

term rule_aite_not(struct terms *t, const struct form *f)
{
    if (kind_of(t, f->kid[0]) != OP_NOT)
        return TERM_NONE;
    return memory_ite(t, kid_of(t, f->kid[0], 0), f->kid[2], f->kid[1]);
}

enum { JOIN_MAX = 32 };

/* The writes of x above `stop`, newest first; false when there are more than cap or it is not met. */
static bool writes_above(const struct terms *t, term x, term stop, struct written *w, unsigned cap,
                         unsigned *n)
{
    for (*n = 0; x != stop; x = kid_of(t, x, 0)) {
        if (*n == cap || kind_of(t, x) != TERM_WRITE)
            return false;
        w[(*n)++] = (struct written){kid_of(t, x, 1), kid_of(t, x, 2)};
    }
    return true;
}

static term common_below(const struct terms *t, term x, term y)
{
    for (unsigned i = 0; i <= JOIN_MAX; i++) {
        term z = y;
        for (unsigned j = 0; j <= JOIN_MAX; j++) {
            if (x == z)
                return x;
            if (kind_of(t, z) != TERM_WRITE)
                break;
            z = kid_of(t, z, 0);
        }
        if (kind_of(t, x) != TERM_WRITE)
            break;
        x = kid_of(t, x, 0);
    }
    return TERM_NONE;
}

/* c ? x : y where both are writes on one memory: first x's writes made to happen only if c, then y's only if
 * not. Writing back what is there is how a write does not happen, so this holds however the indices alias. */
term rule_aite_writes(struct terms *t, const struct form *f)
{
    term c = f->kid[0], x = f->kid[1], y = f->kid[2], z = common_below(t, x, y);
    struct written wx[JOIN_MAX], wy[JOIN_MAX];
    unsigned nx, ny;
    if (z == TERM_NONE || !writes_above(t, x, z, wx, JOIN_MAX, &nx) ||
        !writes_above(t, y, z, wy, JOIN_MAX - nx, &ny))
        return TERM_NONE;
    while (nx-- > 0) {
        term old = term_read(t, z, wx[nx].index, width_of(t, wx[nx].value));
        z = memory_write(t, z, wx[nx].index, term_ite(t, c, wx[nx].value, old));
    }
    while (ny-- > 0) {
        term old = term_read(t, z, wy[ny].index, width_of(t, wy[ny].value));
        z = memory_write(t, z, wy[ny].index, term_ite(t, c, old, wy[ny].value));
    }
    return z;
}

term term_array_root(const struct terms *t, term x)
{
    while (term_kind(t, x) == TERM_WRITE)
        x = term_kid(t, x, 0);
    return x;
}
