/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walking over terms: substitution, symbols, size. Explicit stacks everywhere: terms get 100,000 deep. */
#include <string.h>

#include "term/internal.h"

term term_rebuild(struct terms *t, term x, const term *kid)
{
    struct term_node n = *node_of(t, x);
    switch (n.kind) {
    case TERM_CONST:
    case TERM_VAR:
        return x;
    case TERM_APPLY:
    case TERM_ACONST:
        return table_cons(
            t, &(struct term_key){
                   .kind = n.kind, .sort = n.sort, .aux = n.aux, .kid = kid, .nkids = nkids_of(t, x)});
    case TERM_PURE:
        return term_pure(t, t->pure.data[n.aux], kid);
    case TERM_READ:
        return term_read(t, kid[0], kid[1], n.sort);
    case TERM_WRITE:
        return term_write(t, kid[0], kid[1], kid[2]);
    case TERM_AITE:
        return term_ite(t, kid[0], kid[1], kid[2]);
    case OP_EXTRACT:
        return term_extract(t, kid[0], n.aux, n.sort);
    default:
        return term_op(t, (enum op)n.kind, n.sort, kid, nkids_of(t, x));
    }
}

term term_substitute(struct terms *t, term x, const term *from, const term *to, size_t n)
{
    struct map done = {0};
    VEC(term) stack = VEC_INIT;
    VEC(term) kid = VEC_INIT;
    for (size_t i = 0; i < n; i++) {
        assert(node_of(t, from[i])->sort == node_of(t, to[i])->sort);
        map_set(&done, from[i], to[i]);
    }
    vec_push(&stack, x);
    while (stack.len) {
        term y = vec_last(&stack);
        if (map_get(&done, y, NULL)) {
            stack.len--;
            continue;
        }
        unsigned nkids = nkids_of(t, y);
        size_t before = stack.len;
        bool changed = false;
        vec_clear(&kid);
        for (unsigned i = nkids; i-- > 0;) {
            term k = kid_of(t, y, i);
            uint64_t k2;
            if (!map_get(&done, k, &k2)) {
                vec_push(&stack, k);
            } else {
                changed |= k2 != k;
                vec_push(&kid, (term)k2);
            }
        }
        if (stack.len > before)
            continue;
        for (unsigned i = 0; i < nkids / 2; i++) {
            term k = kid.data[i];
            kid.data[i] = kid.data[nkids - 1 - i];
            kid.data[nkids - 1 - i] = k;
        }
        stack.len--;
        map_set(&done, y, changed ? term_rebuild(t, y, kid.data) : y);
    }
    term r = (term)map_find(&done, x, x);
    map_free(&done);
    vec_free(&stack);
    vec_free(&kid);
    return r;
}

/* Visits each node below x once, depth first, kids from left to right. */
static size_t visit(const struct terms *t, term x, bool symbols, term *out, size_t cap)
{
    struct map seen = {0};
    VEC(term) stack = VEC_INIT;
    size_t found = 0;
    vec_push(&stack, x);
    while (stack.len) {
        term y = vec_pop(&stack);
        if (!map_set(&seen, y, 1))
            continue;
        if (!symbols) {
            found++;
        } else if (kind_of(t, y) == TERM_VAR) {
            if (found < cap)
                out[found] = y;
            found++;
        }
        for (unsigned i = nkids_of(t, y); i-- > 0;) {
            term k = kid_of(t, y, i);
            if (!map_get(&seen, k, NULL))
                vec_push(&stack, k);
        }
    }
    map_free(&seen);
    vec_free(&stack);
    return found;
}

size_t term_symbols(const struct terms *t, term x, term *out, size_t cap)
{
    return visit(t, x, true, out, cap);
}

size_t term_size(const struct terms *t, term x)
{
    return visit(t, x, false, NULL, 0);
}
