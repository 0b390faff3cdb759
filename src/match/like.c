/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A match made from another one. Of many programs that are compared with the same old one, most differ from
 * each other in a number or two of one function. Where its code refers to the same things in the same places,
 * all that was found out about the rest holds for the next program, too; only that function is read and
 * judged again. */
#include <string.h>

#include "match/private.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_named_place(const struct object_symbol *s)
{
    return s->type != SYMBOL_FILE && s->type != SYMBOL_SECTION;
}

static bool same_symbols(const struct object *x, const struct object *y)
{
    const struct object_symbol *a, *b;
    const size_t na = object_symbols(x, &a), nb = object_symbols(y, &b);
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < na && !is_named_place(&a[i]))
            i++;
        while (k < nb && !is_named_place(&b[k]))
            k++;
        if (i == na || k == nb)
            return i == na && k == nb;
        if (a[i].address != b[k].address || a[i].size != b[k].size || a[i].type != b[k].type ||
            a[i].bind != b[k].bind || a[i].undefined != b[k].undefined || a[i].dynamic != b[k].dynamic ||
            a[i].thumb != b[k].thumb || !same_text(a[i].name, b[k].name) ||
            !same_text(a[i].version, b[k].version))
            return false;
    }
}

/* Of what is in memory. */
static bool same_sections(const struct object *x, const struct object *y)
{
    const struct object_section *a, *b;
    const size_t na = object_sections(x, &a), nb = object_sections(y, &b);
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < na && !a[i].alloc)
            i++;
        while (k < nb && !b[k].alloc)
            k++;
        if (i == na || k == nb)
            return i == na && k == nb;
        if (a[i].address != b[k].address || a[i].size != b[k].size || a[i].exec != b[k].exec ||
            a[i].nobits != b[k].nobits || a[i].tls != b[k].tls || !same_text(a[i].name, b[k].name))
            return false;
    }
}

static bool same_functions(const struct side *s, struct program *p, const struct flow_function **out)
{
    const struct flow_function *f;
    bool same = program_functions(p, &f) == s->nfunctions;
    for (size_t i = 0; i < s->nfunctions && same; i++)
        same = f[i].address == s->function[i].address && f[i].size == s->function[i].size &&
               f[i].flags == s->function[i].flags && f[i].parent == s->function[i].parent &&
               f[i].sources == s->function[i].sources && same_text(f[i].name, s->function[i].name);
    *out = f;
    return same;
}

/* Whether two codes differ in numbers only. */
static bool same_but_numbers(const struct code *a, const struct code *b)
{
    bool same = a->ninsns == b->ninsns && a->nblocks == b->nblocks && a->nrefs == b->nrefs &&
                a->ncalls == b->ncalls && a->weak == b->weak && a->broken == b->broken;
    for (uint32_t i = 0; i < a->nrefs && same; i++)
        same = a->ref[i].value == b->ref[i].value && a->ref[i].insn == b->ref[i].insn &&
               a->ref[i].kind == b->ref[i].kind && a->ref[i].aligned == b->ref[i].aligned;
    for (uint32_t i = 0; i < a->nblocks && same; i++) {
        const struct code_block *x = &a->block[i], *y = &b->block[i];
        same = x->first_insn == y->first_insn && x->ninsns == y->ninsns && x->first_ref == y->first_ref &&
               x->nrefs == y->nrefs && x->weak == y->weak;
    }
    return same;
}

/* Whether both have the same blocks in common with another one: what those refer to was paired. */
static bool same_alignment(const struct code *old, const struct code *a, const struct code *b)
{
    uint32_t *to[2] = {xcalloc(old->nblocks + 1, sizeof *to[0]), xcalloc(old->nblocks + 1, sizeof *to[1])};
    code_align(old, a, to[0]);
    code_align(old, b, to[1]);
    const bool same = memcmp(to[0], to[1], old->nblocks * sizeof *to[0]) == 0;
    free(to[0]);
    free(to[1]);
    return same;
}

void side_borrow(struct side *s, const struct side *of)
{
    *s = *of;
    s->data = s->data_reasons = s->places.place = (struct map){0};
    memset(&s->known, 0, sizeof s->known);
    s->sorted = false;
    s->places.function = MATCH_NONE;
    s->borrowed = true;
}

static void *copy_of(const void *p, size_t n)
{
    return memcpy(xmalloc(n), p, n);
}

/* The function that holds all that differs between the new program of a match and another one, which has been
 * paired by its name and changed; MATCH_NONE: there is none. */
static uint32_t only_function(const struct match *of, const struct object *o)
{
    const struct side *s = &of->side[1];
    uint64_t first, behind;
    if (object_info(o)->type == OBJECT_RELOCATABLE || !object_differ(s->o, o, 0, &first) ||
        first == UINT64_MAX)
        return MATCH_NONE;
    const uint32_t j = side_covering(s, first);
    if (j == MATCH_NONE || first >= s->end[j] || object_differ(s->o, o, s->end[j], &behind) ||
        of->row[1].data[j] == MATCH_NONE)
        return MATCH_NONE;
    const struct match_pair *x = &of->pairs.data[of->row[1].data[j]];
    const bool code = x->old != MATCH_NONE && x->status == MATCH_CHANGED && x->change == MATCH_CHANGE_CODE;
    /* places in its blocks may mean something to the rest */
    const bool asked = code && map_get(&of->blocks, (uint64_t)x->old << 32 | j, NULL);
    return code && !asked && x->reasons & MATCH_BY_NAME ? j : MATCH_NONE;
}

struct match *match_like(const struct match *of, struct program *new)
{
    const struct object *o = program_object(new);
    const struct side *s = &of->side[1];
    const struct flow_function *f;
    const uint32_t j = only_function(of, o);
    if (j == MATCH_NONE || !same_sections(s->o, o) || !same_symbols(s->o, o) || !same_functions(s, new, &f))
        return NULL;
    struct match *m = xcalloc(1, sizeof *m);
    const uint32_t row = of->row[1].data[j], i = of->pairs.data[row].old;
    const struct code *old = &of->side[0].code[i], *like = &s->code[j];
    side_borrow(&m->side[0], &of->side[0]);
    side_borrow(&m->side[1], s);
    struct side *n = &m->side[1];
    n->p = n->context.program = new;
    n->o = n->context.object = o;
    n->function = f;
    n->code = arena_dup(&m->arena, s->code, (s->nfunctions + 1) * sizeof *s->code);
    n->code[j] = (struct code){0};
    code_make(n, &m->arena, j);
    code_deepen(n, &n->code[j]);
    if (!same_but_numbers(like, &n->code[j]) || code_equal(old, &n->code[j]) ||
        !same_alignment(old, like, &n->code[j])) {
        match_free(m);
        return NULL;
    }
    m->ignore_names = of->ignore_names;
    m->rounds = of->rounds;
    m->settled = of->settled;
    for (unsigned side = 0; side < 2; side++) {
        const struct side *from = &of->side[side];
        m->side[side].data = map_copy(&from->data);
        m->side[side].data_reasons = map_copy(&from->data_reasons);
        m->pair[side] = copy_of(of->pair[side], (from->nfunctions + 1) * sizeof **m->pair);
        vec_append(&m->row[side], &of->row[side]);
    }
    m->reasons = copy_of(of->reasons, (of->side[0].nfunctions + 1) * sizeof *m->reasons);
    m->sure = copy_of(of->sure, (of->side[0].nfunctions + 1) * sizeof *m->sure);
    vec_append(&m->pairs, &of->pairs);
    vec_append(&m->node, &of->node);
    vec_append(&m->edge, &of->edge);
    m->compared = map_copy(&of->compared);
    m->suspects = map_copy(&of->suspects);
    m->strays = map_copy(&of->strays);
    m->distance = map_copy(&of->distance);
    m->pairs.data[row].similar = code_similarity(old, &n->code[j]);
    return m;
}
