/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "pair/pair.h"

enum {
    SCAN_MAX = 1 << 16, /* bytes, in each direction */
    NEAR = 1 << 14,     /* an index that is shown leads no further away, where there is one */
    NEIGHBOURS = 2,     /* parts on either side that an index may lead to, ... */
    REACHED_MAX = 16,   /* ... or those that one of which the largest is known leads to: no more than these, ... */
    REACH_MAX = 4096,   /* ... nor in more bytes */
    CHANGES_MAX = 256,
    COMPARED_MAX = 1 << 20,
};

/* How far apart numbered parts are written. */
static uint64_t spacing(const struct pair *pair)
{
    return pair->width == 64 ? UINT64_C(1) << 36 : UINT64_C(1) << 24;
}

static unsigned numbers(const struct pair *pair)
{
    return pair->width == 64 ? 250 : 15;
}

static uint64_t narrow(const struct pair *pair, uint64_t v)
{
    return pair->width == 64 ? v : (uint32_t)v;
}

static int64_t distance(const struct pair *pair, uint64_t v)
{
    return pair->width == 64 ? (int64_t)v : (int64_t)(int32_t)(uint32_t)v;
}

static const struct object_section *section_of(const struct pair_side *s, uint64_t own)
{
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && !x[i].tls && own - x[i].address < x[i].size)
            return &x[i];
    return NULL;
}

static const struct object_symbol *variable(const struct pair_side *s, uint64_t own, uint64_t *offset)
{
    const struct object_symbol *y = object_symbol_at(s->o, own, offset);
    return y && y->type == SYMBOL_OBJECT && *offset < y->size ? y : NULL;
}

bool parts_is_for(const struct pair_side *s, uint64_t own)
{
    const struct object_section *x = section_of(s, own);
    uint64_t offset;
    if (!x || x->exec || strncmp(x->name, ".got", 4) == 0 || strcmp(x->name, ".dynamic") == 0)
        return false;
    return !object_is_readonly(s->o, own, 1) || variable(s, own, &offset);
}

static bool has_names(const struct pair *pair)
{
    return !object_info(pair->side[0].o)->stripped && !object_info(pair->side[1].o)->stripped;
}

/* How many bytes from `own` on, and back to *before, are those of the original at a distance. */
static uint64_t together(struct pair *pair, uint64_t own, uint64_t shift, uint64_t *before)
{
    const struct pair_side *a = &pair->side[0], *b = &pair->side[1];
    uint64_t there = narrow(pair, own + shift), to, off[2] = {0, 0};
    const struct object_symbol *y[2] = {variable(a, there, &off[0]), variable(b, own, &off[1])};
    *before = 1;
    unsigned reasons = 0;
    bool known = match_data_back(pair->m, own, &to, &reasons);
    if (known && reasons == MATCH_BY_ORDER && y[1])
        return 0; /* it only lies where something else did */
    if (known && to != there)
        return 0;
    if (has_names(pair) && (!y[0] != !y[1] || (y[0] && off[0] != off[1])))
        return 0;
    bool constant = object_is_readonly(b->o, own, 1);
    if (constant != object_is_readonly(a->o, there, 1))
        return 0;
    if (!known || (constant && !y[1])) { /* nothing lies there, or nobody knows what */
        uint8_t byte[2];
        return (!y[0] && !y[1]) && section_of(a, there) && object_read(a->o, there, &byte[0], 1) &&
               object_read(b->o, own, &byte[1], 1) && byte[0] == byte[1];
    }
    if (!y[0] || !y[1])
        return 1;
    if (constant && !match_same_address(pair->m, there - off[0], own - off[1]))
        return 0;
    *before = off[1] + 1;
    uint64_t size = y[0]->size < y[1]->size ? y[0]->size : y[1]->size;
    return off[1] < size ? size - off[1] : 0;
}

static struct part scan(struct pair *pair, uint64_t own, uint64_t shift)
{
    const struct object_section *b = section_of(&pair->side[1], own),
                                *a = section_of(&pair->side[0], narrow(pair, own + shift));
    uint64_t low = own, high = own, n, before;
    while (high < b->address + b->size && high - own < SCAN_MAX && (n = together(pair, high, shift, &before)))
        high += n;
    while (low > b->address && own - low < SCAN_MAX && together(pair, low - 1, shift, &before))
        low -= before < low - b->address ? before : low - b->address;
    if (high > b->address + b->size)
        high = b->address + b->size;
    /* each byte of either version is in one part */
    for (size_t i = 0; i < pair->parts.all.len; i++)
        for (unsigned side = 0; side < 2; side++) {
            uint64_t moved = side ? 0 : shift, size = pair->parts.all.data[i].size,
                     from = narrow(pair, pair->parts.all.data[i].low[side] - moved), to = from + size;
            if (to <= own && low < to)
                low = to;
            if (from > own && high > from)
                high = from;
        }
    return (struct part){.low = {narrow(pair, low + shift), low},
                         .size = high - low,
                         .whole = a && low == b->address && high == b->address + b->size &&
                                  a->address == narrow(pair, low + shift) && a->size == b->size};
}

const struct part *parts_at(struct pair *pair, unsigned side, uint64_t own)
{
    uint64_t there = own, before;
    if (!pair->side[NEW].p)
        return NULL;
    for (size_t i = 0; i < pair->parts.all.len; i++)
        if (own - pair->parts.all.data[i].low[side] < pair->parts.all.data[i].size)
            return &pair->parts.all.data[i];
    if (!parts_is_for(&pair->side[side], own))
        return NULL;
    if (side == 0 ? !match_data(pair->m, there, &own, NULL) : !match_data_back(pair->m, own, &there, NULL))
        return NULL;
    for (size_t i = 0; i < pair->parts.all.len; i++) /* padding: its partner is that of something else */
        if (there - pair->parts.all.data[i].low[0] < pair->parts.all.data[i].size ||
            own - pair->parts.all.data[i].low[1] < pair->parts.all.data[i].size)
            return NULL;
    if (!section_of(&pair->side[1], own) || !parts_is_for(&pair->side[1], own) ||
        !together(pair, own, there - own, &before))
        return NULL;
    struct part r = scan(pair, own, there - own);
    if (!r.size)
        return NULL;
    vec_push(&pair->parts.all, r);
    return &vec_last(&pair->parts.all);
}

uint64_t parts_offset(struct pair *pair, const struct part *r, uint64_t inside)
{
    struct part *known = &pair->parts.all.data[r - pair->parts.all.data];
    if (!r->whole && !r->number && pair->parts.numbered < numbers(pair))
        known->number = ++pair->parts.numbered;
    pair->parts.open = pair->parts.open || (!r->whole && !r->number);
    return narrow(pair, r->low[0] + r->number * spacing(pair) + inside);
}

const struct part *parts_made_from(const struct pair *pair, uint64_t offset, int64_t *inside)
{
    for (size_t i = 0; i < pair->parts.all.len; i++) {
        const struct part *r = &pair->parts.all.data[i];
        if (!r->number)
            continue;
        int64_t d = distance(pair, offset - (r->low[0] + r->number * spacing(pair))),
                half = (int64_t)spacing(pair) / 2;
        if (d >= -half && d < half) {
            *inside = d;
            return r;
        }
    }
    return NULL;
}

bool parts_to_side(const struct pair *pair, unsigned side, uint64_t offset, uint64_t *own)
{
    int64_t inside;
    const struct part *r = pair->side[NEW].p ? parts_made_from(pair, offset, &inside) : NULL;
    if (r)
        *own = narrow(pair, r->low[side] + (uint64_t)inside);
    return r != NULL;
}

unsigned parts_settle(struct pair_side *s, uint64_t own, unsigned bytes, unsigned *together_,
                      uint64_t *offset)
{
    struct pair *pair = s->pair;
    const struct part *r = parts_at(pair, s->new, own);
    *together_ = bytes;
    if (r) {
        uint64_t inside = own - r->low[s->new];
        if (r->size - inside < bytes && !r->whole)
            *together_ = (unsigned)(r->size - inside);
        *offset = parts_offset(pair, r, inside);
        return 0;
    }
    for (unsigned i = 1; i < bytes; i++)
        if (parts_at(pair, s->new, own + i)) {
            *together_ = i;
            break;
        }
    *offset = own;
    return s->new;
}

/* The largest that the term can be. */
static uint64_t at_most(struct pair *pair, term x)
{
    struct term_known k = term_known(pair->t, x);
    unsigned width = term_width(pair->t, x);
    return ~bits_low(k.zero) & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

/* The parts near by, on either side; how many. */
static unsigned neighbours(struct pair_side *s, struct part of, uint64_t own, struct part *out)
{
    unsigned n = 0;
    const struct object_section *x = section_of(s, own);
    for (int way = -1; x && way <= 1; way += 2) {
        struct part at = of;
        for (unsigned i = 0; i < NEIGHBOURS; i++) {
            const struct part *next = NULL;
            uint64_t from = way < 0 ? at.low[s->new] - 1 : at.low[s->new] + at.size;
            for (unsigned gap = 0; gap < 64 && !next && from - x->address < x->size;
                 gap++, from += (uint64_t)way)
                next = parts_at(s->pair, s->new, from);
            if (!next)
                break;
            out[n++] = at = *next;
        }
    }
    out[n++] = of;
    return n;
}

/* The parts that bytes from there on belong to; how many, 0: too many. */
static unsigned reached(struct pair_side *s, uint64_t own, uint64_t bytes, struct part *out)
{
    unsigned n = 0;
    for (uint64_t at = own; at - own < bytes;) {
        const struct part *r = parts_at(s->pair, s->new, at);
        if (r && n == REACHED_MAX)
            return 0;
        if (r)
            out[n++] = *r;
        at = r ? r->low[s->new] + r->size : at + 1;
    }
    return n;
}

/* Data of the version at a computed address: in one of the parts that it may lead to, or in none. Byte by byte
 * where an access may begin in one and end in another. */
static term one_of(struct pair_side *s, const struct part *of, uint64_t own, term index, unsigned bytes,
                   unsigned *together_)
{
    struct pair *pair = s->pair;
    struct terms *t = pair->t;
    unsigned width = s->pair->width;
    uint64_t most = at_most(pair, index);
    _Static_assert(REACHED_MAX > 2 * NEIGHBOURS, "there is room for either");
    struct part part[REACHED_MAX], first = *of; /* the list of parts grows */
    unsigned n = most < REACH_MAX ? reached(s, own, most + bytes, part) : 0;
    if (!n)
        n = neighbours(s, first, own, part);
    for (unsigned i = 0; i < n; i++)
        if (bytes > 1 && ((part[i].low[s->new] - own) % bytes || part[i].size % bytes))
            *together_ = bytes = 1;
    term out = term_bin(t, OP_ADD, index, term_add_const(t, pair->symbolic.data[s->new], own));
    for (unsigned i = 0; i < n; i++) {
        struct part r = part[i];
        const struct part *known = parts_at(pair, s->new, r.low[s->new]);
        uint64_t inside = own - r.low[s->new];
        term from = term_add_const(t, index, inside);
        term within = term_bin(t, OP_ULE, from, term_const(t, width, r.size - bytes));
        term there = term_bin(t, OP_ADD, index,
                              term_add_const(t, pair->symbolic.data[0], parts_offset(pair, known, inside)));
        out = term_ite(t, within, there, out);
    }
    vec_push(&pair->parts.near,
             term_bin(t, OP_ULE, term_add_const(t, index, NEAR), term_const(t, width, UINT64_C(2) * NEAR)));
    return out;
}

/* The address is one of two, of which at least one is of data: that of *c, or not. */
static bool is_choice(const struct pair *pair, term address, term *c, term of[2])
{
    struct terms *t = pair->t;
    if (term_kind(t, address) == OP_ITE) {
        *c = term_kid(t, address, 0);
        of[0] = term_kid(t, address, 1);
        of[1] = term_kid(t, address, 2);
        return symbolic_data(pair, of[0]) != TERM_NONE || symbolic_data(pair, of[1]) != TERM_NONE;
    }
    for (unsigned i = 0; i < 2 && term_kind(t, address) == OP_ADD; i++)
        if (is_choice(pair, term_kid(t, address, i), c, of)) {
            for (unsigned k = 0; k < 2; k++)
                of[k] = term_bin(t, OP_ADD, of[k], term_kid(t, address, !i));
            return true;
        }
    return false;
}

static term place(struct pair_side *s, term address, unsigned bytes, unsigned *together_, unsigned depth)
{
    struct pair *pair = s->pair;
    struct terms *t = pair->t;
    term base, c, of[2];
    uint64_t offset, own;
    int64_t inside = 0;
    *together_ = bytes;
    if (depth && is_choice(pair, address, &c, of)) {
        unsigned n;
        term x = place(s, of[0], bytes, together_, depth - 1), y = place(s, of[1], bytes, &n, depth - 1);
        *together_ = n < *together_ ? n : *together_;
        return term_ite(t, c, x, y);
    }
    if (term_kind(t, address) == OP_ITE)
        return address;
    term_split(t, address, &base, &offset);
    term symbol = symbolic_data(pair, base);
    if (symbol == TERM_NONE)
        return address;
    const struct part *r = symbol == pair->symbolic.data[0] ? parts_made_from(pair, offset, &inside) : NULL;
    if (symbol == pair->symbolic.data[0] && !r)
        return address;
    if (symbol == pair->symbolic.data[1] && s->new == 0)
        return address;
    own = r ? narrow(pair, r->low[s->new] + (uint64_t)inside) : offset;
    if (base == symbol) {
        unsigned which = parts_settle(s, own, bytes, together_, &offset);
        return term_add_const(t, pair->symbolic.data[which], offset);
    }
    /* what an offset that is no index is added to says where the array is */
    const struct part *here = parts_at(pair, s->new, own);
    r = here ? here : r;
    if (!r)
        return address;
    inside = (int64_t)(own - r->low[s->new]);
    term index = term_bin(t, OP_SUB, address, term_add_const(t, symbol, offset));
    uint64_t most = at_most(pair, index);
    if (inside >= 0 && most < r->size && (uint64_t)inside + most + bytes <= r->size)
        return term_bin(t, OP_ADD, index,
                        term_add_const(t, pair->symbolic.data[0], parts_offset(pair, r, (uint64_t)inside)));
    if (r->whole)
        return address;
    return one_of(s, r, own, index, bytes, together_);
}

term parts_place(struct pair_side *s, term address, unsigned bytes, unsigned *together_)
{
    enum { CHOICES = 4 };
    return place(s, address, bytes, together_, CHOICES);
}

/* ---- what memory begins with ---- */

static bool is_data(const struct object_section *x)
{
    static const char *const other[] = {".got",   ".dynamic", ".init_array",    ".fini_array",
                                        ".ctors", ".dtors",   ".preinit_array", ".tm_clone_table"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strncmp(x->name, other[i], strlen(other[i])) == 0)
            return false;
    return x->alloc && x->write && !x->exec && !x->tls && !x->relro;
}

/* A word that both fill with the address of the same thing. */
static bool same_address(struct pair *pair, uint64_t there, uint64_t own, unsigned n)
{
    unsigned word = pair->width / 8;
    uint64_t a = 0, b = 0;
    return n == word && object_read(pair->side[0].o, there, &a, word) &&
           object_read(pair->side[1].o, own, &b, word) && match_same_address(pair->m, a, b);
}

static void change(struct pair *pair, const struct part *r, uint64_t inside, unsigned n, bool initial)
{
    struct terms *t = pair->t;
    const struct pair_side *a = &pair->side[0], *b = &pair->side[1];
    uint64_t own = r->low[1] + inside, there = r->low[0] + inside;
    uint8_t old[8], new[8];
    if (!object_read(a->o, there, old, n) || !object_read(b->o, own, new, n) || memcmp(old, new, n) == 0 ||
        same_address(pair, there, own, n))
        return;
    if (pair->parts.change.len == CHANGES_MAX) {
        pair->parts.unequal++;
        return;
    }
    pair->symbolic.used = true;
    term at = term_add_const(t, pair->symbolic.data[0], parts_offset(pair, r, inside));
    term is[2] = {term_const_bits(t, n * 8, bits_from_bytes(old, n)),
                  term_const_bits(t, n * 8, bits_from_bytes(new, n))};
    if (initial) {
        vec_push(&pair->parts.change, ((struct part_change){{at, is[1]}, TERM_NONE}));
        return;
    }
    term now =
        term_read(t, origin_array(t, (struct term_origin){.kind = ORIGIN_MEMORY}, pair->width, 8), at, n * 8);
    term still = term_eq(t,
                         origin_symbol(t,
                                       (struct term_origin){.kind = ORIGIN_STAND_IN,
                                                            .name = "initial",
                                                            .offset = pair->parts.change.len},
                                       8),
                         term_const(t, 8, 0));
    vec_push(&pair->parts.change, ((struct part_change){{at, term_ite(t, still, is[1], now)},
                                                        term_implies(t, still, term_eq(t, now, is[0]))}));
}

/* Elements are not known: words, unless the whole is no more than two. */
static unsigned unit_at(struct pair *pair, uint64_t own, uint64_t *begin)
{
    uint64_t offset;
    const struct object_symbol *y = variable(&pair->side[1], own, &offset);
    uint64_t start = y ? own - offset : own & ~UINT64_C(3), size = y ? y->size : 4;
    unsigned word = pair->width / 8;
    unsigned n = size <= 8 ? (unsigned)size : size % 4 ? 1 : 4;
    if (size > 8 && size % word == 0 &&
        object_pointer_at(pair->side[1].o, start + (own - start) / word * word))
        n = word;
    *begin = start + (own - start) / n * n;
    return n;
}

void parts_compare(struct pair *pair, bool initial)
{
    if (!pair->side[NEW].p)
        return;
    const struct object_section *x;
    size_t n = object_sections(pair->side[1].o, &x), compared = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_data(&x[i]))
            continue;
        for (uint64_t own = x[i].address; own < x[i].address + x[i].size && compared < COMPARED_MAX;) {
            const struct part *r = parts_at(pair, 1, own);
            const struct object_section *old =
                r ? section_of(&pair->side[0], r->low[0] + (own - r->low[1])) : NULL;
            if (!r || (x[i].nobits && old && old->nobits)) {
                uint64_t offset;
                const struct object_symbol *y = variable(&pair->side[1], own, &offset);
                uint64_t by = r ? r->low[1] + r->size - own : y ? y->size - offset : 1;
                own += by;
                compared += by < 64 ? by : 64;
                continue;
            }
            size_t part = (size_t)(r - pair->parts.all.data);
            uint64_t low = r->low[1], high = low + r->size, shift = r->low[0] - low;
            for (; own < high && compared < COMPARED_MAX; compared++) {
                uint8_t a = 0, b = 0;
                if (!object_read(pair->side[0].o, narrow(pair, own + shift), &a, 1) ||
                    !object_read(pair->side[1].o, own, &b, 1) || a == b) {
                    own++;
                    continue;
                }
                uint64_t begin;
                unsigned unit = unit_at(pair, own, &begin);
                if (begin < low || begin + unit > high)
                    begin = own, unit = 1;
                change(pair, &pair->parts.all.data[part], begin - low, unit, initial);
                own = begin + unit;
            }
        }
    }
}

void parts_free(struct pair *pair)
{
    vec_free(&pair->parts.all);
    vec_free(&pair->parts.change);
    vec_free(&pair->parts.near);
}
