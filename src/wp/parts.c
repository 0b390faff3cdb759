/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the data of two programs lies together.
 *
 * An object of the original and its partner are one thing, and what lies behind them is one thing only if the
 * next objects are partners, too, as far apart. So data is cut into PARTS: stretches of the modified program
 * in which everything has its partner at the same distance. Inside a part an address of one version is that
 * of the other. A part that is not all of its section gets a number, and lies, as the analysis writes it, far
 * from everything else: an address outside shows from which part it was made, and is looked up again in the
 * layout of the version that accesses it. There it is in another part, or in data that only this version has.
 * Where all of a section lies together in both versions no index has bounds but those of the section, which
 * is assumed to be kept to.
 *
 * Variables of a part may begin with different contents in the two files. When the function is called, each
 * still holds what its file says, or the same in both. */
#include <stdlib.h>
#include <string.h>

#include "wp/internal.h"

enum {
    SCAN_MAX = 1 << 16, /* bytes, in each direction */
    NEAR = 1 << 14,     /* an index that is shown leads no further away, where there is one */
    NEIGHBOURS = 2,     /* parts on either side that an index may lead to */
    CHANGES_MAX = 256,
    COMPARED_MAX = 1 << 20,
};

/* How far apart numbered parts are written. */
static uint64_t spacing(const struct wp *w)
{
    return w->side[0].m->pointer_width == 64 ? UINT64_C(1) << 36 : UINT64_C(1) << 24;
}

static unsigned numbers(const struct wp *w)
{
    return w->side[0].m->pointer_width == 64 ? 250 : 15;
}

static uint64_t narrow(const struct wp *w, uint64_t v)
{
    return w->side[0].m->pointer_width == 64 ? v : (uint32_t)v;
}

static int64_t distance(const struct wp *w, uint64_t v)
{
    return w->side[0].m->pointer_width == 64 ? (int64_t)v : (int64_t)(int32_t)(uint32_t)v;
}

static const struct object_section *section_of(const struct side *s, uint64_t own)
{
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && !x[i].tls && own - x[i].address < x[i].size)
            return &x[i];
    return NULL;
}

static const struct object_symbol *variable(const struct side *s, uint64_t own, uint64_t *offset)
{
    const struct object_symbol *y = object_symbol_at(s->o, own, offset);
    return y && y->type == SYMBOL_OBJECT && *offset < y->size ? y : NULL;
}

bool part_is_for(const struct side *s, uint64_t own)
{
    const struct object_section *x = section_of(s, own);
    uint64_t offset;
    if (!x || x->exec || strncmp(x->name, ".got", 4) == 0 || strcmp(x->name, ".dynamic") == 0)
        return false;
    return !object_is_readonly(s->o, own, 1) || variable(s, own, &offset);
}

static bool has_names(const struct wp *w)
{
    return !object_info(w->side[0].o)->stripped && !object_info(w->side[1].o)->stripped;
}

/* How many bytes from `own` on, and back to *before, are those of the original at a distance. */
static uint64_t together(struct wp *w, uint64_t own, uint64_t shift, uint64_t *before)
{
    const struct side *a = &w->side[0], *b = &w->side[1];
    uint64_t there = narrow(w, own + shift), to, off[2] = {0, 0};
    const struct object_symbol *y[2] = {variable(a, there, &off[0]), variable(b, own, &off[1])};
    *before = 1;
    unsigned reasons = 0;
    bool known = match_data_back(w->match, own, &to, &reasons);
    if (known && reasons == MATCH_BY_ORDER && y[1])
        return 0; /* it only lies where something else did */
    if (known && to != there)
        return 0;
    if (has_names(w) && (!y[0] != !y[1] || (y[0] && off[0] != off[1])))
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
    if (constant && !match_same_address(w->match, there - off[0], own - off[1]))
        return 0;
    *before = off[1] + 1;
    uint64_t size = y[0]->size < y[1]->size ? y[0]->size : y[1]->size;
    return off[1] < size ? size - off[1] : 0;
}

static struct data_part scan(struct wp *w, uint64_t own, uint64_t shift)
{
    const struct object_section *b = section_of(&w->side[1], own),
                                *a = section_of(&w->side[0], narrow(w, own + shift));
    uint64_t low = own, high = own, n, before;
    while (high < b->address + b->size && high - own < SCAN_MAX && (n = together(w, high, shift, &before)))
        high += n;
    while (low > b->address && own - low < SCAN_MAX && together(w, low - 1, shift, &before))
        low -= before < low - b->address ? before : low - b->address;
    if (high > b->address + b->size)
        high = b->address + b->size;
    /* each byte is in one part */
    for (size_t i = 0; i < w->part.len; i++) {
        uint64_t from = w->part.data[i].low[1], to = from + w->part.data[i].size;
        if (to <= own && low < to)
            low = to;
        if (from > own && high > from)
            high = from;
    }
    return (struct data_part){.low = {narrow(w, low + shift), low},
                              .size = high - low,
                              .whole = a && low == b->address && high == b->address + b->size &&
                                       a->address == narrow(w, low + shift) && a->size == b->size};
}

const struct data_part *part_at(struct wp *w, unsigned side, uint64_t own)
{
    uint64_t there = own, before;
    if (w->nsides < 2)
        return NULL;
    for (size_t i = 0; i < w->part.len; i++)
        if (own - w->part.data[i].low[side] < w->part.data[i].size)
            return &w->part.data[i];
    if (!part_is_for(&w->side[side], own))
        return NULL;
    if (side == 0 ? !match_data(w->match, there, &own, NULL) : !match_data_back(w->match, own, &there, NULL))
        return NULL;
    if (!section_of(&w->side[1], own) || !part_is_for(&w->side[1], own) ||
        !together(w, own, there - own, &before))
        return NULL;
    struct data_part r = scan(w, own, there - own);
    if (!r.size)
        return NULL;
    vec_push(&w->part, r);
    return &vec_last(&w->part);
}

uint64_t part_offset(struct wp *w, const struct data_part *r, uint64_t inside)
{
    struct data_part *known = &w->part.data[r - w->part.data];
    if (!r->whole && !r->number && w->nparts < numbers(w))
        known->number = ++w->nparts;
    w->part_open = w->part_open || (!r->whole && !r->number);
    return narrow(w, r->low[0] + r->number * spacing(w) + inside);
}

const struct data_part *part_made_from(const struct wp *w, uint64_t offset, int64_t *inside)
{
    for (size_t i = 0; i < w->part.len; i++) {
        const struct data_part *r = &w->part.data[i];
        if (!r->number)
            continue;
        int64_t d = distance(w, offset - (r->low[0] + r->number * spacing(w))),
                half = (int64_t)spacing(w) / 2;
        if (d >= -half && d < half) {
            *inside = d;
            return r;
        }
    }
    return NULL;
}

bool part_to_side(const struct wp *w, unsigned side, uint64_t offset, uint64_t *own)
{
    int64_t inside;
    const struct data_part *r = w->nsides == 2 ? part_made_from(w, offset, &inside) : NULL;
    if (r)
        *own = narrow(w, r->low[side] + (uint64_t)inside);
    return r != NULL;
}

unsigned part_settle(struct side *s, uint64_t own, unsigned bytes, unsigned *together_, uint64_t *offset)
{
    struct wp *w = s->w;
    const struct data_part *r = part_at(w, s->index, own);
    *together_ = bytes;
    if (r) {
        uint64_t inside = own - r->low[s->index];
        if (r->size - inside < bytes && !r->whole)
            *together_ = (unsigned)(r->size - inside);
        *offset = part_offset(w, r, inside);
        return 0;
    }
    for (unsigned i = 1; i < bytes; i++)
        if (part_at(w, s->index, own + i)) {
            *together_ = i;
            break;
        }
    *offset = own;
    return s->index;
}

/* The largest that the term can be. */
static uint64_t at_most(struct wp *w, term x)
{
    struct term_known k = term_known(w->t, x);
    unsigned width = term_width(w->t, x);
    return ~bits_low(k.zero) & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

/* Data of the version at a computed address: in one of the parts near by, or in none. */
static term one_of(struct side *s, const struct data_part *first, uint64_t own, term index, unsigned bytes)
{
    struct wp *w = s->w;
    struct terms *t = w->t;
    unsigned width = s->m->pointer_width, n = 0;
    const struct object_section *x = section_of(s, own);
    struct data_part part[2 * NEIGHBOURS + 1];
    for (int way = -1; x && first && way <= 1; way += 2) {
        struct data_part at = *first;
        for (unsigned i = 0; i < NEIGHBOURS; i++) {
            const struct data_part *next = NULL;
            uint64_t from = way < 0 ? at.low[s->index] - 1 : at.low[s->index] + at.size;
            for (unsigned gap = 0; gap < 64 && !next && from - x->address < x->size;
                 gap++, from += (uint64_t)way)
                next = part_at(w, s->index, from);
            if (!next)
                break;
            part[n++] = at = *next;
        }
    }
    term out = term_bin(t, OP_ADD, index, term_add_const(t, w->data[s->index], own));
    for (unsigned i = 0; i <= n; i++) {
        if (i == n && !first)
            break;
        struct data_part r = i < n ? part[i] : *first;
        if (r.size < bytes)
            continue;
        const struct data_part *known = part_at(w, s->index, r.low[s->index]);
        uint64_t inside = own - r.low[s->index];
        term from = term_add_const(t, index, inside);
        term within = term_bin(t, OP_ULE, from, term_const(t, width, r.size - bytes));
        term there = term_bin(t, OP_ADD, index, term_add_const(t, w->data[0], part_offset(w, known, inside)));
        out = term_ite(t, within, there, out);
    }
    vec_push(&w->near,
             term_bin(t, OP_ULE, term_add_const(t, index, NEAR), term_const(t, width, UINT64_C(2) * NEAR)));
    return out;
}

term part_place(struct side *s, term address, unsigned bytes, unsigned *together_)
{
    struct wp *w = s->w;
    struct terms *t = w->t;
    term base;
    uint64_t offset, own;
    int64_t inside = 0;
    *together_ = bytes;
    if (term_kind(t, address) == OP_ITE)
        return address;
    term_split(t, address, &base, &offset);
    term symbol = address_data(w, base);
    if (symbol == TERM_NONE)
        return address;
    const struct data_part *r = symbol == w->data[0] ? part_made_from(w, offset, &inside) : NULL;
    if (symbol == w->data[0] && !r)
        return address;
    if (symbol == w->data[1] && s->index == 0)
        return address;
    own = r ? narrow(w, r->low[s->index] + (uint64_t)inside) : offset;
    if (base == symbol) {
        unsigned which = part_settle(s, own, bytes, together_, &offset);
        return term_add_const(t, w->data[which], offset);
    }
    /* what an offset that is no index is added to says where the array is */
    const struct data_part *here = part_at(w, s->index, own);
    r = here ? here : r;
    if (!r)
        return address;
    inside = (int64_t)(own - r->low[s->index]);
    term index = term_bin(t, OP_SUB, address, term_add_const(t, symbol, offset));
    uint64_t most = at_most(w, index);
    if (inside >= 0 && most < r->size && (uint64_t)inside + most + bytes <= r->size)
        return term_bin(t, OP_ADD, index, term_add_const(t, w->data[0], part_offset(w, r, (uint64_t)inside)));
    if (r->whole)
        return address;
    return one_of(s, r, own, index, bytes);
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
static bool same_address(struct wp *w, uint64_t there, uint64_t own, unsigned n)
{
    unsigned word = w->side[0].m->pointer_width / 8;
    uint64_t a = 0, b = 0;
    return n == word && object_read(w->side[0].o, there, &a, word) &&
           object_read(w->side[1].o, own, &b, word) && match_same_address(w->match, a, b);
}

static void change(struct wp *w, const struct data_part *r, uint64_t inside, unsigned n)
{
    struct terms *t = w->t;
    const struct side *a = &w->side[0], *b = &w->side[1];
    uint64_t own = r->low[1] + inside, there = r->low[0] + inside;
    uint8_t old[8], new[8];
    if (!object_read(a->o, there, old, n) || !object_read(b->o, own, new, n) || memcmp(old, new, n) == 0 ||
        same_address(w, there, own, n))
        return;
    if (w->change.len == CHANGES_MAX) {
        w->unequal++;
        return;
    }
    w->data_used = true;
    term at = term_add_const(t, w->data[0], part_offset(w, r, inside));
    term is[2] = {term_const_bits(t, n * 8, bits_from_bytes(old, n)),
                  term_const_bits(t, n * 8, bits_from_bytes(new, n))};
    if (w->opt->init_mem) {
        vec_push(&w->change, ((struct data_change){{at, is[1]}, TERM_NONE}));
        return;
    }
    term now = term_read(
        t, origin_array(t, (struct term_origin){.kind = ORIGIN_MEMORY}, a->m->pointer_width, 8), at, n * 8);
    term still = term_eq(
        t,
        origin_symbol(
            t, (struct term_origin){.kind = ORIGIN_STAND_IN, .name = "initial", .offset = w->change.len}, 8),
        term_const(t, 8, 0));
    vec_push(&w->change, ((struct data_change){{at, term_ite(t, still, is[1], now)},
                                               term_implies(t, still, term_eq(t, now, is[0]))}));
}

/* Elements are not known: words, unless the whole is no more than two. */
static unsigned unit_at(struct wp *w, uint64_t own, uint64_t *begin)
{
    uint64_t offset;
    const struct object_symbol *y = variable(&w->side[1], own, &offset);
    uint64_t start = y ? own - offset : own & ~UINT64_C(3), size = y ? y->size : 4;
    unsigned word = w->side[0].m->pointer_width / 8;
    unsigned n = size <= 8 ? (unsigned)size : size % 4 ? 1 : 4;
    if (size > 8 && size % word == 0 && object_pointer_at(w->side[1].o, start + (own - start) / word * word))
        n = word;
    *begin = start + (own - start) / n * n;
    return n;
}

void part_compare(struct wp *w)
{
    if (w->nsides < 2)
        return;
    const struct object_section *x;
    size_t n = object_sections(w->side[1].o, &x), compared = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_data(&x[i]))
            continue;
        for (uint64_t own = x[i].address; own < x[i].address + x[i].size && compared < COMPARED_MAX;) {
            const struct data_part *r = part_at(w, 1, own);
            const struct object_section *old =
                r ? section_of(&w->side[0], r->low[0] + (own - r->low[1])) : NULL;
            if (!r || (x[i].nobits && old && old->nobits)) {
                uint64_t offset;
                const struct object_symbol *y = variable(&w->side[1], own, &offset);
                uint64_t by = r ? r->low[1] + r->size - own : y ? y->size - offset : 1;
                own += by;
                compared += by < 64 ? by : 64;
                continue;
            }
            size_t part = (size_t)(r - w->part.data);
            uint64_t low = r->low[1], high = low + r->size, shift = r->low[0] - low;
            for (; own < high && compared < COMPARED_MAX; compared++) {
                uint8_t a = 0, b = 0;
                if (!object_read(w->side[0].o, narrow(w, own + shift), &a, 1) ||
                    !object_read(w->side[1].o, own, &b, 1) || a == b) {
                    own++;
                    continue;
                }
                uint64_t begin;
                unsigned unit = unit_at(w, own, &begin);
                if (begin < low || begin + unit > high)
                    begin = own, unit = 1;
                change(w, &w->part.data[part], begin - low, unit);
                own = begin + unit;
            }
        }
    }
}

void part_note(struct wp *w)
{
    bool bounds = false;
    for (size_t i = 0; i < w->part.len; i++)
        bounds = bounds || w->part.data[i].number;
    if (!w->data_used || w->nsides < 2)
        return;
    wp_note(w, "constants that the code refers to as addresses are addresses");
    if (!w->opt->init_mem && w->change.len)
        wp_note(w,
                "paired data is equal at the call, or (%zu place%s) what each file begins with, where these "
                "differ",
                w->change.len, w->change.len == 1 ? "" : "s");
    else
        wp_note(w, "paired data is equal at the call");
    if (w->unequal)
        wp_note(w, "%zu more places begin with other contents in the two files, and are taken to be equal",
                w->unequal);
    wp_note(w, "%s",
            bounds ? "what is reached through a pointer from elsewhere is within the object it points to"
                   : "what is reached from an object's address is in its section of data");
    if (w->part_open)
        wp_note(w, "some objects are taken to be followed by the same data in both versions");
}

void part_free(struct wp *w)
{
    vec_free(&w->part);
    vec_free(&w->change);
    vec_free(&w->near);
    w->nparts = 0;
}
