/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads past writes at computed places, as choices among words.
 *
 * A local array that is written at a computed index and read elsewhere leaves reads that the rewriter cannot
 * take past the write. Left to a solver, every byte of the one is compared with every byte of the other. Most
 * such accesses are words of one size at a distance that is a multiple of it, so that they meet wholly or not
 * at all: a comparison of two indices decides. */
#include "solve/internal.h"

enum {
    ROUNDS = 64,     /* reads inside of what was written come next */
    CHOICES = 20000, /* comparisons made for one query */
    PARTS = 8,       /* of the larger access */
    NODES = 200000,  /* made for one query */
};

struct expansion {
    struct terms *t;
    size_t choices;
    struct map width; /* of array and base of the index -> width of what is read there; 0: of several */
};

/* This many low bits of x are zero. */
static unsigned low_zeros(struct terms *t, term x)
{
    struct term_known k = term_known(t, x);
    unsigned n = 0;
    while (n < term_width(t, x) && n < 16 && bits_bit(k.zero, n))
        n++;
    return n;
}

static term is_at(struct terms *t, term distance, uint64_t value)
{
    return term_eq(t, distance, term_const(t, term_width(t, distance), value));
}

/* `below` with a write of `value` above it, read at `index`: n cells; the write is `distance` away from it.
 * TERM_NONE when they may overlap in part. */
static term choose(struct expansion *e, term below, term index, unsigned n, term value, term distance)
{
    struct terms *t = e->t;
    unsigned cw = term_cell_width(t, below), m = term_width(t, value) / cw, small = n < m ? n : m;
    unsigned parts = (n < m ? m : n) / small;
    if (small & (small - 1) || (n < m ? m : n) % small || parts > PARTS ||
        1u << low_zeros(t, distance) < small)
        return TERM_NONE;
    e->choices += parts;
    if (n <= m) {
        term whole = term_read(t, below, index, n * cw);
        for (unsigned k = 0; k < parts; k++)
            whole = term_ite(t, is_at(t, distance, -(uint64_t)(k * n)),
                             term_extract(t, value, k * n * cw, n * cw), whole);
        return whole;
    }
    term whole = TERM_NONE;
    for (unsigned k = 0; k < parts; k++) {
        term part = term_read(t, below, term_add_const(t, index, k * m), m * cw);
        part = term_ite(t, is_at(t, distance, k * m), value, part);
        whole = whole == TERM_NONE ? part : term_concat(t, part, whole);
    }
    return whole;
}

static uint64_t place_of(struct terms *t, term read)
{
    term base;
    uint64_t offset;
    term_split(t, term_kid(t, read, 1), &base, &offset);
    return (uint64_t)term_kid(t, read, 0) << 32 | base;
}

static term expand(struct expansion *e, term read);

/* The same, of which others read other parts, cell by cell: what they have in common is then the same term. */
static term by_cells(struct expansion *e, term read)
{
    struct terms *t = e->t;
    term array = term_kid(t, read, 0), out = TERM_NONE;
    unsigned cw = term_cell_width(t, array), n = term_width(t, read) / cw;
    if (n == 1 || map_find(&e->width, place_of(t, read), 1))
        return TERM_NONE;
    e->choices += n;
    for (unsigned i = 0; i < n; i++) {
        term cell = term_read(t, array, term_add_const(t, term_kid(t, read, 1), i), cw), made = TERM_NONE;
        if (term_kind(t, cell) == TERM_READ && term_kind(t, term_kid(t, cell, 0)) == TERM_WRITE)
            made = expand(e, cell);
        cell = made == TERM_NONE ? cell : made;
        out = out == TERM_NONE ? cell : term_concat(t, cell, out);
    }
    return out == read ? TERM_NONE : out;
}

/* The read without the writes that it meets wholly or not at all; TERM_NONE when the first is not of that
 * kind. */
static term expand(struct expansion *e, term read)
{
    struct terms *t = e->t;
    term index = term_kid(t, read, 1);
    unsigned n = term_width(t, read) / term_cell_width(t, term_kid(t, read, 0));
    VEC(term) above = VEC_INIT;
    term array = term_kid(t, read, 0), out = read;
    /* down to the last write that is understood: what lies apart is passed by the rewriter */
    for (;;) {
        term distance = term_bin(t, OP_SUB, term_kid(t, array, 1), index);
        unsigned small = term_width(t, term_kid(t, array, 2)) / term_cell_width(t, array);
        small = n < small ? n : small;
        if (small & (small - 1) || 1u << low_zeros(t, distance) < small)
            break;
        vec_push(&above, array);
        out = term_read(t, term_kid(t, array, 0), index, term_width(t, read));
        if (term_kind(t, out) != TERM_READ || term_kid(t, out, 1) != index ||
            term_width(t, out) != term_width(t, read))
            break;
        array = term_kid(t, out, 0);
        if (term_kind(t, array) != TERM_WRITE)
            break;
    }
    bool ok = above.len > 0;
    /* one at a time from the lowest: each stands on what those below give */
    while (ok && above.len) {
        term w = vec_pop(&above), distance = term_bin(t, OP_SUB, term_kid(t, w, 1), index),
             value = term_kid(t, w, 2);
        unsigned m = term_width(t, value) / term_cell_width(t, w);
        if (m == n && (e->choices += 1)) {
            out = term_ite(t, is_at(t, distance, 0), value, out);
            continue;
        }
        /* of another size: the reads below are made anew, and looked at in the next round */
        term made = choose(e, term_kid(t, w, 0), index, n, value, distance);
        ok = made != TERM_NONE;
        out = made;
    }
    vec_free(&above);
    return ok ? out : by_cells(e, read);
}

static void collect(struct terms *t, const struct term_list *x, struct term_list *read)
{
    struct map seen = {0};
    struct term_list stack = {0};
    for (size_t i = 0; i < x->len; i++)
        vec_push(&stack, x->data[i]);
    while (stack.len) {
        term y = vec_pop(&stack);
        if (!map_set(&seen, y, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(t, y); i++)
            vec_push(&stack, term_kid(t, y, i));
        if (term_kind(t, y) == TERM_READ && term_kind(t, term_kid(t, y, 0)) == TERM_WRITE &&
            term_index_width(t, term_kid(t, y, 0)) <= 64)
            vec_push(read, y);
    }
    vec_free(&stack);
    map_free(&seen);
}

bool words_expand(struct terms *t, const term *x, size_t n, struct term_list *out)
{
    struct expansion e = {.t = t};
    size_t begun = terms_count(t);
    bool any = false, more = true;
    for (size_t i = 0; i < n; i++)
        vec_push(out, x[i]);
    for (unsigned round = 0; more && round < ROUNDS; round++) {
        struct term_list read = {0}, from = {0}, to = {0};
        collect(t, out, &read);
        map_clear(&e.width);
        for (size_t i = 0; i < read.len; i++) {
            uint64_t at = place_of(t, read.data[i]), width = term_width(t, read.data[i]);
            map_set(&e.width, at, map_find(&e.width, at, width) == width ? width : 0);
        }
        for (size_t i = 0; i < read.len; i++) {
            term made = expand(&e, read.data[i]);
            if (made == TERM_NONE)
                continue;
            vec_push(&from, read.data[i]);
            vec_push(&to, made);
        }
        more = from.len > 0;
        for (size_t i = 0; i < out->len && more; i++)
            out->data[i] = term_substitute(t, out->data[i], from.data, to.data, from.len);
        any = any || more;
        vec_free(&read);
        vec_free(&from);
        vec_free(&to);
        any = any && e.choices <= CHOICES && terms_count(t) - begun <= NODES;
        more = more && any;
    }
    map_free(&e.width);
    return any;
}
