/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in constant tables, told to the solver. */
#include "verify/private.h"

enum { TABLE_BYTES = 512 };

/* What is in the constant table from a canonical address on. */
static void add_table(struct check *c, uint64_t at, question *out)
{
    bool word = true;
    for (unsigned i = 0; i < TABLE_BYTES; i += c->width / 8) {
        bool was = word;
        word = query_add_constant(c, at + i, c->width, out);
        /* The end of the table may be no whole word. */
        for (unsigned k = 0; !word && was && k < c->width / 8; k++)
            query_add_constant(c, at + i + k, 8, out);
    }
}

struct tables {
    struct check *c;
    term mem;
    struct map told;
    question *out;
};

/* x reads memory at a computed distance from a constant address. */
static bool is_of_table(struct check *c, term mem, term x, term *distance, uint64_t *start)
{
    if (term_kind(c->t, x) != TERM_READ || term_array_root(c->t, term_kid(c->t, x, 0)) != mem)
        return false;
    term_split(c->t, term_kid(c->t, x, 1), distance, start);
    return *distance != TERM_NONE && *distance != c->sp && *start;
}

static bool see_table(void *ctx, term x)
{
    struct tables *all = ctx;
    struct check *c = all->c;
    term base;
    uint64_t off;
    if (is_of_table(c, all->mem, x, &base, &off) && map_set(&all->told, off, 1))
        add_table(c, off, all->out);
    return false;
}

/* Reads of memory as it was at a computed distance from a constant address: elements of a table. Conditions
 * are asked about again and again, and most have none. */
void tables_add(struct check *c, term x, question *out)
{
    struct tables all = {.c = c, .mem = explorer_symbols(c->pair.side[OLD].x).mem, .out = out};
    if (map_get(&c->query.no_tables, x, NULL))
        return;
    term_any(c->t, x, see_table, &all);
    if (!all.told.len)
        map_set(&c->query.no_tables, x, 1);
    map_free(&all.told);
}

/* ---- what a model says of them ---- */

struct told {
    struct check *c;
    term mem;
    const struct term_model *model;
    struct map begins; /* where a part of a table begins of which it says something else */
};

/* x reads a constant at a place that is computed, and the model says something else of it. */
static bool see_other(void *ctx, term x)
{
    struct told *w = ctx;
    struct terms *t = w->c->t;
    struct bits at, v, known;
    if (term_kind(t, x) != TERM_READ || term_kid(t, x, 0) != w->mem || term_is_const(t, term_kid(t, x, 1)) ||
        !term_eval(t, w->model, term_kid(t, x, 1), &at))
        return false;
    const term is = query_constant(w->c, bits_low(at), term_width(t, x));
    if (is != TERM_NONE && term_const_value(t, is, &known) &&
        !(term_eval(t, w->model, x, &v) && bits_eq(known, v)))
        map_set(&w->begins, bits_low(at) / TABLE_BYTES * TABLE_BYTES, 1);
    return false;
}

bool tables_differ(struct check *c, const struct term_model *model, question *all)
{
    struct told w = {.c = c, .mem = explorer_symbols(c->pair.side[OLD].x).mem, .model = model};
    uint64_t at, one;
    term_any_of(c->t, all->data, all->len, see_other, &w);
    for (size_t i = 0; (i = map_next(&w.begins, i, &at, &one));)
        add_table(c, at, all);
    const bool differ = w.begins.len;
    map_free(&w.begins);
    return differ;
}

/* ---- reads within ---- */

struct within {
    struct check *c;
    term mem;
    struct map known; /* where a table begins -> how many bytes of it are known */
    question read, value, is;
};

static uint64_t known_bytes(struct within *w, uint64_t start)
{
    uint64_t n;
    if (map_get(&w->known, start, &n))
        return n;
    for (n = 0; n < TABLE_BYTES && query_constant(w->c, start + n, 8) != TERM_NONE; n++)
        ;
    map_set(&w->known, start, n);
    return n;
}

static term word_at(struct check *c, uint64_t at, unsigned bytes)
{
    term v = query_constant(c, at, 8);
    for (unsigned i = 1; i < bytes; i++)
        v = term_concat(c->t, query_constant(c, at + i, 8), v);
    return v;
}

/* The value at this distance, by its bits: a tree whose leaves are the table from `first` on. */
static term value_at(struct check *c, uint64_t start, unsigned bytes, term distance, unsigned bit,
                     uint64_t first, uint64_t last)
{
    if (!bit)
        return word_at(c, start + first, bytes);
    const uint64_t middle = first + (UINT64_C(1) << (bit - 1));
    term low = value_at(c, start, bytes, distance, bit - 1, first, last);
    if (middle > last)
        return low;
    return term_ite(c->t, term_extract(c->t, distance, bit - 1, 1),
                    value_at(c, start, bytes, distance, bit - 1, middle, last), low);
}

static bool see_read(void *ctx, term x)
{
    struct within *w = ctx;
    struct check *c = w->c;
    const unsigned bytes = term_width(c->t, x) / 8;
    term distance;
    uint64_t start;
    if (!is_of_table(c, w->mem, x, &distance, &start) || term_kid(c->t, x, 0) != w->mem ||
        known_bytes(w, start) < bytes)
        return false;
    const uint64_t last = known_bytes(w, start) - bytes;
    unsigned bits = 0;
    while (last >> bits)
        bits++;
    vec_push(&w->read, x);
    vec_push(&w->value, value_at(c, start, bytes, distance, bits, 0, last));
    vec_push(&w->is, term_bin(c->t, OP_ULE, distance, term_const(c->t, c->width, last)));
    return false;
}

bool tables_within(struct check *c, const question *all, question *out)
{
    struct within w = {.c = c, .mem = explorer_symbols(c->pair.side[OLD].x).mem};
    term_any_of(c->t, all->data, all->len, see_read, &w);
    for (size_t i = 0; i < all->len && w.read.len; i++)
        vec_push(out, term_substitute(c->t, all->data[i], w.read.data, w.value.data, w.read.len));
    for (size_t i = 0; i < w.is.len; i++)
        vec_push(out, w.is.data[i]);
    const bool found = w.read.len;
    vec_free(&w.read);
    vec_free(&w.value);
    vec_free(&w.is);
    map_free(&w.known);
    return found;
}
