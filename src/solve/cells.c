/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that are only read, at constant distances from one base and without overlap, are no more than a
 * symbol for each read: cells at different indices are independent. Most conditions on the fields of a
 * structure behind a pointer are of this kind, and without the array they are queries about bit-vectors. */
#include "base/buf.h"
#include "solve/internal.h"

bool cells_made(const struct terms *t, term x)
{
    return term_origin(t, x).kind == TERM_ORIGIN_READ;
}

static void spell_read(struct buf *out, const struct term_origin *o)
{
    buf_printf(out, "|read#%u", o->index);
}

static int by_array_and_offset(const void *a, const void *b)
{
    const struct cell_read *x = a, *y = b;
    if (x->array != y->array)
        return x->array < y->array ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Collects reads straight from array symbols; arrays used in any other way go to *bad. */
static void collect(struct terms *t, const struct term_list *conjunct, struct cells *c, struct map *bad)
{
    struct map seen = {0}, base_of = {0};
    struct term_list stack = {0};
    for (size_t i = 0; i < conjunct->len; i++)
        vec_push(&stack, conjunct->data[i]);
    while (stack.len) {
        term x = vec_pop(&stack);
        if (!map_set(&seen, x, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(t, x); i++) {
            term kid = term_kid(t, x, i);
            vec_push(&stack, kid);
            if (!term_is_array(t, kid) || term_kind(t, kid) != TERM_VAR)
                continue;
            if (term_kind(t, x) != TERM_READ || term_index_width(t, kid) > 64) {
                map_set(bad, kid, 1);
                continue;
            }
            struct cell_read r = {.read = x, .array = kid};
            term_split(t, term_kid(t, x, 1), &r.base, &r.offset);
            r.n = term_width(t, x) / term_cell_width(t, kid);
            if (map_find(&base_of, kid, r.base) != r.base)
                map_set(bad, kid, 1);
            map_set(&base_of, kid, r.base);
            vec_push(&c->read, r);
        }
    }
    vec_free(&stack);
    map_free(&seen);
    map_free(&base_of);
}

/* Sorted by array and offset: neighbours must not overlap, nor the last with the first around the end. */
static void check_overlap(struct terms *t, const struct cells *c, struct map *bad)
{
    for (size_t i = 0; i < c->read.len; i++) {
        const struct cell_read *r = &c->read.data[i];
        unsigned w = term_index_width(t, r->array);
        uint64_t last = w == 64 ? UINT64_MAX : ((uint64_t)1 << w) - 1;
        bool same = i + 1 < c->read.len && r[1].array == r->array;
        if (same ? r[1].offset - r->offset < r->n : last - r->offset < r->n - 1u)
            map_set(bad, r->array, 1);
    }
}

bool cells_eliminate(struct terms *t, struct term_list *conjunct, struct cells *c)
{
    struct map bad = {0};
    struct term_list from = {0}, to = {0};
    size_t kept = 0;
    collect(t, conjunct, c, &bad);
    vec_sort(&c->read, by_array_and_offset);
    check_overlap(t, c, &bad);
    for (size_t i = 0; i < c->read.len; i++) {
        struct cell_read r = c->read.data[i];
        if (map_get(&bad, r.array, NULL))
            continue;
        struct term_origin read = {.kind = TERM_ORIGIN_READ, .index = r.read};
        r.symbol = term_symbol(t, &read, spell_read, term_width(t, r.read));
        c->read.data[kept++] = r;
        vec_push(&from, r.read);
        vec_push(&to, r.symbol);
    }
    c->read.len = kept;
    for (size_t i = 0; i < conjunct->len && kept; i++)
        conjunct->data[i] = term_substitute(t, conjunct->data[i], from.data, to.data, kept);
    map_free(&bad);
    vec_free(&from);
    vec_free(&to);
    return kept != 0;
}

static bool value_of(const struct assignment *a, term x, struct bits *v)
{
    for (size_t i = 0; i < a->of.len; i++)
        if (a->of.data[i] == x) {
            *v = a->value.data[i].bits;
            return true;
        }
    *v = (struct bits){0};
    return false;
}

/* A base may itself be made of reads from another array, so arrays get their contents until none waits for
 * another: as many rounds as there are arrays are enough. */
void cells_restore(struct terms *t, const struct cells *c, struct assignment *a)
{
    size_t arrays = 0, before = a->of.len;
    for (size_t i = 0; i < c->read.len; i++)
        arrays += !i || c->read.data[i].array != c->read.data[i - 1].array;
    for (size_t round = 0; round < arrays; round++) {
        struct term_model *m = model_build(t, a);
        assignment_truncate(a, before);
        if (!m)
            return;
        struct value contents = {.is_array = true};
        for (size_t i = 0; i < c->read.len; i++) {
            const struct cell_read *r = &c->read.data[i];
            unsigned iw = term_index_width(t, r->array), cw = term_cell_width(t, r->array), w = cw * r->n;
            struct bits base = {0}, v;
            if (r->base != TERM_NONE)
                term_eval(t, m, r->base, &base);
            value_of(a, r->symbol, &v);
            for (unsigned k = 0; k < r->n; k++) {
                struct cell cell = {.index = bits_low(bits_u64(bits_low(base) + r->offset + k, iw)),
                                    .value = bits_apply(OP_EXTRACT, cw, &v, &w, k * cw)};
                vec_push(&contents.cell, cell);
            }
            if (i + 1 == c->read.len || r[1].array != r->array) {
                assignment_add(a, r->array, contents);
                contents = (struct value){.is_array = true};
            }
        }
        term_model_free(m);
    }
}

void cells_free(struct cells *c)
{
    vec_free(&c->read);
}
