/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How structures are laid out, as runs of both functions on the interpreter show: which entries they access
 * through which argument. */
#include <string.h>

#include "adapt/layout.h"

enum { RUNS = 120, FEW = 6 };

/* Arguments that are addresses: memory near them is accessed when they are far apart. */
static uint32_t find_pointers(struct runner *r, unsigned side, unsigned nargs)
{
    struct touches all = {0};
    uint32_t pointers = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
        runner_touch(r, side, (1u << nargs) - 1, seed * 1000, &all);
    for (size_t i = 0; i < all.list.len; i++)
        pointers |= 1u << all.list.data[i].arg;
    vec_free(&all.list);
    map_free(&all.seen);
    return pointers;
}

/* An entry is written as a whole, and may be read in part. */
static int telling_first(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    if (x->write != y->write)
        return x->write ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_offset(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The bytes from `offset` on that nobody has claimed, as an entry; what is wider than a register is several.
 */
static unsigned claim(uint8_t *taken, uint32_t offset, const struct touch *x, struct entry *out)
{
    unsigned n = 8;
    while (n > 1 && (offset + n > x->offset + x->bytes || (offset - x->offset) % n))
        n /= 2;
    for (unsigned k = 1; k < n; k++)
        if (taken[offset + k])
            n = k & (k - 1) ? 1 : k;
    memset(taken + offset, 1, n);
    *out = (struct entry){offset, n};
    return n;
}

/* The narrowest stores say what an entry is, then the narrowest loads. */
static void find_entries(struct layout *l, const struct touches *t, unsigned arg)
{
    uint8_t taken[ADAPT_STRUCTURE + 64] = {0};
    for (size_t i = 0; i < t->list.len; i++) {
        const struct touch *x = &t->list.data[i];
        for (uint32_t at = x->offset; x->arg == arg && at < x->offset + x->bytes && at < ADAPT_STRUCTURE;) {
            struct entry e = {0, 1};
            if (!taken[at]) {
                claim(taken, at, x, &e);
                vec_push(&l->entry, e);
            }
            at += e.bytes;
        }
    }
    vec_sort(&l->entry, by_offset);
}

void layouts_find(struct layouts *out, struct runner *r, unsigned side, unsigned nargs)
{
    struct touches all = {0};
    out->pointers = find_pointers(r, side, nargs);
    for (uint64_t seed = 1; seed <= RUNS; seed++)
        runner_touch(r, side, out->pointers, seed, &all);
    vec_sort(&all.list, telling_first);
    for (unsigned i = 0; i < nargs; i++)
        if (out->pointers >> i & 1)
            find_entries(&out->of[i], &all, i);
    vec_free(&all.list);
    map_free(&all.seen);
}

void layouts_free(struct layouts *l)
{
    for (unsigned i = 0; i < ADAPT_ARGUMENTS; i++)
        vec_free(&l->of[i].entry);
}

/* ---- views ---- */

static bool follows(const struct adapt_field *f, const struct entry *inner, const struct entry *target)
{
    return f->inner_bytes == inner->bytes && f->target_bytes == target->bytes &&
           inner->offset == f->inner + f->count * f->inner_bytes &&
           target->offset == f->target + f->count * f->target_bytes;
}

/* Entry order[i] of the inner function's is entry i of the target's; `signs`: which fields have one. */
static bool make_view(const struct layout *inner, const struct layout *target, const unsigned *order,
                      uint32_t signs, struct adapt_view *v)
{
    v->nfields = 0;
    v->size = 0;
    for (size_t i = 0; i < target->entry.len; i++) {
        const struct entry *x = &target->entry.data[i], *y = &inner->entry.data[order ? order[i] : i];
        uint32_t end = y->offset + y->bytes;
        v->size = end > v->size ? end : v->size;
        if (v->nfields && follows(&v->field[v->nfields - 1], y, x)) {
            v->field[v->nfields - 1].count++;
            continue;
        }
        if (v->nfields == ADAPT_FIELDS)
            return false;
        v->field[v->nfields] = (struct adapt_field){.inner = y->offset,
                                                    .target = x->offset,
                                                    .inner_bytes = (uint8_t)y->bytes,
                                                    .target_bytes = (uint8_t)x->bytes,
                                                    .count = 1};
        v->nfields++;
    }
    for (unsigned i = 0; i < v->nfields; i++)
        v->field[i].sign = signs >> i & 1 && v->field[i].inner_bytes != v->field[i].target_bytes;
    v->size = (v->size + 15) & ~15u;
    return v->nfields && signs >> v->nfields == 0;
}

static bool next_order(unsigned *order, unsigned n)
{
    unsigned i = n - 1, j = n - 1;
    while (i && order[i - 1] >= order[i])
        i--;
    if (!i)
        return false;
    while (order[j] <= order[i - 1])
        j--;
    unsigned x = order[i - 1];
    order[i - 1] = order[j];
    order[j] = x;
    for (j = n - 1; i < j; i++, j--) {
        x = order[i];
        order[i] = order[j];
        order[j] = x;
    }
    return true;
}

/* A sign where there is nothing to extend is the same view once more. */
static bool is_repeated(const struct adapt_view *v, uint32_t signs)
{
    for (unsigned i = 0; i < v->nfields; i++)
        if (signs >> i & 1 && !v->field[i].sign)
            return true;
    return false;
}

static bool views_of(const struct layout *inner, const struct layout *target, struct adapt_view *v,
                     view_fn *fn, void *ctx)
{
    size_t n = target->entry.len;
    if (!n || n != inner->entry.len)
        return false;
    unsigned order[FEW];
    for (unsigned i = 0; i < FEW; i++)
        order[i] = i;
    do {
        for (uint32_t signs = 0; signs < 1u << ADAPT_FIELDS; signs++) {
            if (!make_view(inner, target, n <= FEW ? order : NULL, signs, v))
                break;
            if (!is_repeated(v, signs) && fn(ctx, v))
                return true;
        }
    } while (n <= FEW && next_order(order, (unsigned)n));
    return false;
}

/* Entries may be accessed several at once: none is wider than that. */
static void split(const struct layout *l, unsigned bytes, struct layout *out)
{
    vec_clear(&out->entry);
    for (size_t i = 0; i < l->entry.len; i++) {
        struct entry e = l->entry.data[i];
        uint32_t end = e.offset + e.bytes;
        e.bytes = e.bytes < bytes ? e.bytes : bytes;
        for (; e.offset < end; e.offset += e.bytes)
            vec_push(&out->entry, e);
    }
}

bool views_each(const struct layout *inner, const struct layout *target, struct adapt_view *v, view_fn *fn,
                void *ctx)
{
    struct layout x = {0}, y = {0};
    bool found = false;
    size_t inner_before = 0;
    for (unsigned i = 8; i && !found; i /= 2) {
        split(inner, i, &y);
        size_t target_before = 0;
        bool same = y.entry.len == inner_before;
        inner_before = y.entry.len;
        for (unsigned k = 8; k && !found && !same; k /= 2) {
            split(target, k, &x);
            if (x.entry.len != target_before)
                found = views_of(&y, &x, v, fn, ctx);
            target_before = x.entry.len;
        }
    }
    vec_free(&x.entry);
    vec_free(&y.entry);
    return found;
}
