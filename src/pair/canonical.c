/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <stdlib.h>
#include <string.h>

#include "pair/pair.h"

/* Where an address of the new file goes that is paired with nothing, in programs that have no bias. */
static uint64_t elsewhere(const struct pair *pair, uint64_t a)
{
    return pair->width == 64 ? a + (UINT64_C(0x6e) << 40) : (uint32_t)(a + 0xc3000000u);
}

uint64_t canonical_unpaired(const struct pair *pair, uint64_t v)
{
    if (pair->side[NEW].bias)
        return v - pair->side[NEW].bias;
    uint64_t a = v - elsewhere(pair, 0);
    return pair->width == 64 ? a : (uint32_t)a;
}

/* Constants may lie in the same segment as code. */
bool canonical_is_code(const struct object *o, uint64_t a)
{
    const struct object_section *x;
    size_t n = object_sections(o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && a >= x[i].address && a - x[i].address < x[i].size)
            return x[i].exec;
    return object_is_exec(o, a);
}

static bool in_image(const struct object *o, uint64_t a)
{
    size_t n;
    return object_bytes(o, a, &n) != NULL || object_stub_at(o, a) != NULL;
}

/* A reference of each version to data that the pairing of the programs knows nothing of: the same content, or
 * the same place among the references of its kind. */
static void learn_places(struct pair *pair)
{
    if (!pair->may.move_data)
        return;
    VEC(uint64_t) ref[2] = {VEC_INIT, VEC_INIT}, literal = VEC_INIT;
    for (int s = 0; s < 2; s++) {
        const struct pair_side *sd = &pair->side[s];
        size_t n = match_references(pair->m, s, sd->index, NULL, 0);
        uint64_t *all = xcalloc(n + 1, sizeof *all);
        match_references(pair->m, s, sd->index, all, n);
        struct map seen = {0};
        for (size_t i = 0; i < n; i++) {
            uint64_t to;
            bool known = s == OLD ? match_data(pair->m, all[i], &to, NULL)
                                  : match_data_back(pair->m, all[i], &to, NULL);
            if (known && object_is_readonly(sd->o, all[i], 1))
                known = s == OLD ? match_same_address(pair->m, all[i], to)
                                 : match_same_address(pair->m, to, all[i]);
            if (s == OLD && object_is_readonly(sd->o, all[i], 1))
                vec_push(&literal, all[i]);
            /* what another file defines is known by its name alone */
            const struct object_stub *import = object_stub_at(sd->o, all[i]);
            if (!known && !(import && import->name) && in_image(sd->o, all[i]) &&
                !canonical_is_code(sd->o, all[i]) && map_set(&seen, all[i], 1))
                vec_push(&ref[s], all[i]);
        }
        map_free(&seen);
        free(all);
    }
    VEC(uint64_t) open[2] = {VEC_INIT, VEC_INIT};
    for (size_t i = 0; i < ref[NEW].len; i++) {
        uint64_t v = ref[NEW].data[i];
        bool constant = object_is_readonly(pair->side[NEW].o, v, 1), found = false;
        for (size_t k = 0; constant && k < literal.len && !found; k++) {
            found = match_same_address(pair->m, literal.data[k], v);
            if (found)
                map_set(&pair->canonical.place, v, literal.data[k]);
        }
        if (!constant)
            vec_push(&open[NEW], v);
    }
    for (size_t i = 0; i < ref[OLD].len; i++)
        if (!object_is_readonly(pair->side[OLD].o, ref[OLD].data[i], 1))
            vec_push(&open[OLD], ref[OLD].data[i]);
    for (size_t i = 0; open[OLD].len == open[NEW].len && i < open[NEW].len; i++)
        map_set(&pair->canonical.place, open[NEW].data[i], open[OLD].data[i]);
    vec_free(&literal);
    for (int s = 0; s < 2; s++) {
        vec_free(&ref[s]);
        vec_free(&open[s]);
    }
}

void canonical_start(struct pair *pair)
{
    size_t n = match_references(pair->m, NEW, pair->side[NEW].index, NULL, 0);
    for (size_t i = 0; i < n; i++)
        vec_push(&pair->canonical.refers, 0);
    match_references(pair->m, NEW, pair->side[NEW].index, pair->canonical.refers.data, n);
    /* What is referred to through a slot is in no instruction itself. */
    for (size_t i = 0; i < n && object_info(pair->side[NEW].o)->type == OBJECT_RELOCATABLE; i++) {
        uint64_t to = 0;
        if (object_read(pair->side[NEW].o, pair->canonical.refers.data[i], &to, pair->width / 8) &&
            in_image(pair->side[NEW].o, to))
            vec_push(&pair->canonical.refers, to);
    }
    learn_places(pair);
}

void canonical_free(struct pair *pair)
{
    map_free(&pair->canonical.term);
    map_free(&pair->canonical.place);
    map_free(&pair->canonical.mapped);
    map_free(&pair->canonical.back);
    vec_free(&pair->canonical.refers);
}

/* ---- addresses ---- */

/* A slot that the dynamic linker fills holds in both what it fills in. */
static bool same_slot(struct pair *pair, uint64_t old, uint64_t new)
{
    const struct object_pointer *p[2] = {object_pointer_at(pair->side[OLD].o, old),
                                         object_pointer_at(pair->side[NEW].o, new)};
    if (!p[OLD] || !p[NEW] || !p[OLD]->name || !p[NEW]->name)
        return !p[OLD] == !p[NEW] || canonical_is_code(pair->side[NEW].o, new);
    return strcmp(p[OLD]->name, p[NEW]->name) == 0 && p[OLD]->addend == p[NEW]->addend;
}

bool canonical_partner(struct pair *pair, uint64_t a, uint64_t *out)
{
    const struct object *o = pair->side[NEW].o;
    bool thumb = pair->side[NEW].p && program_machine(pair->side[NEW].p)->arch == MACHINE_ARM && a & 1 &&
                 canonical_is_code(o, a - 1);
    if (thumb)
        a--;
    bool known = map_get(&pair->canonical.place, a, out);
    if (!known && match_data_back(pair->m, a, out, NULL)) {
        bool moved = *out != a || pair->side[NEW].bias;
        known = (!object_is_readonly(o, a, 1) || canonical_is_code(o, a) ||
                 match_same_address(pair->m, *out, a)) &&
                (!moved || pair->may.move_data || canonical_is_code(o, a));
    }
    /* A program for a fixed address: perhaps it is only a number. */
    if (!known && !pair->side[NEW].bias && match_same_address(pair->m, a, a)) {
        *out = a;
        known = true;
    }
    if (known && !same_slot(pair, *out, a))
        known = false;
    if (known && *out != a)
        map_set(&pair->canonical.mapped, a, *out);
    if (known)
        map_set(&pair->canonical.back, *out, a);
    if (known && thumb)
        *out |= 1;
    return known;
}

bool canonical_back(struct pair *pair, uint64_t there, uint64_t *out)
{
    return map_get(&pair->canonical.back, there, out) || match_data(pair->m, there, out, NULL);
}

/* In a file that is not linked yet an address is where a relocation is; another number may look like one by
 * chance. What is computed from one lies behind it. */
static bool is_reference(const struct pair *pair, uint64_t a)
{
    enum { BEHIND = 1 << 16 };
    if (object_info(pair->side[NEW].o)->type != OBJECT_RELOCATABLE || pair->canonical.any)
        return true;
    for (size_t i = 0; i < pair->canonical.refers.len; i++)
        if (a >= pair->canonical.refers.data[i] && a - pair->canonical.refers.data[i] < BEHIND)
            return true;
    return false;
}

/* Each word of what may be a vector of addresses. */
static term words_of_constant(struct pair *pair, term x)
{
    term all = TERM_NONE;
    for (unsigned at = 0; at < term_width(pair->t, x); at += pair->width) {
        const term word = canonical_constant(pair, term_extract(pair->t, x, at, pair->width));
        all = all == TERM_NONE ? word : term_concat(pair->t, word, all);
    }
    return all;
}

term canonical_constant(struct pair *pair, term x)
{
    const struct pair_side *s = &pair->side[NEW];
    uint64_t v, to;
    if (term_width(pair->t, x) > pair->width && term_width(pair->t, x) % pair->width == 0)
        return words_of_constant(pair, x);
    if (term_width(pair->t, x) != pair->width || !term_const_u64(pair->t, x, &v))
        return x;
    uint64_t a = v - s->bias;
    if (pair->width == 32)
        a = (uint32_t)a;
    if ((!in_image(s->o, a) && !(a && in_image(s->o, a - 1))) || !is_reference(pair, a))
        return x;
    if (canonical_partner(pair, a, &to))
        return term_const(pair->t, pair->width, to + pair->side[OLD].bias);
    return s->bias ? x : term_const(pair->t, pair->width, elsewhere(pair, v));
}

/* An address of the new file that is paired with nothing, other than that of a constant. */
static bool is_unpaired(void *ctx, term x)
{
    struct pair *pair = ctx;
    const struct object *o = pair->side[NEW].o;
    uint64_t v;
    if (term_is_array(pair->t, x) || term_width(pair->t, x) != pair->width || !term_const_u64(pair->t, x, &v))
        return false;
    v = canonical_unpaired(pair, v);
    return in_image(o, v) && (!object_is_readonly(o, v, 1) || canonical_is_code(o, v));
}

bool canonical_has_unpaired(struct pair *pair, term x)
{
    return term_any(pair->t, x, is_unpaired, pair);
}

bool canonical_same_text(struct pair *pair, term old, term new)
{
    const struct terms *t = pair->t;
    uint64_t o, n;
    if (old == new)
        return true;
    if (term_width(t, old) != term_width(t, new))
        return false;
    if (term_width(t, old) == pair->width && term_const_u64(t, old, &o) && term_const_u64(t, new, &n)) {
        size_t lo = 0, ln = 0;
        o -= pair->side[OLD].bias;
        n = canonical_unpaired(pair, n);
        const char *a = object_string(pair->side[OLD].o, pair->width == 32 ? (uint32_t)o : o, &lo),
                   *b = object_string(pair->side[NEW].o, pair->width == 32 ? (uint32_t)n : n, &ln);
        return a && b && lo && lo == ln && memcmp(a, b, lo) == 0;
    }
    /* A choice between such values. */
    return term_kind(t, old) == OP_ITE && term_kind(t, new) == OP_ITE &&
           term_kid(t, old, 0) == term_kid(t, new, 0) &&
           canonical_same_text(pair, term_kid(t, old, 1), term_kid(t, new, 1)) &&
           canonical_same_text(pair, term_kid(t, old, 2), term_kid(t, new, 2));
}

/* ---- terms ---- */

/* sp is among the addends. */
static bool adds_sp(const struct pair *pair, term x)
{
    while (term_kind(pair->t, x) == OP_ADD || term_kind(pair->t, x) == OP_SUB) {
        if (term_kind(pair->t, x) == OP_ADD && term_kid(pair->t, x, 1) == pair->sp)
            return true;
        x = term_kid(pair->t, x, 0);
    }
    return x == pair->sp;
}

/* A constant added to one of several addresses: each sum is an address, whose partner may lie at another distance
 * than that of the address. `as` is x, canonical; where its arms are not those of x, as they are told by a
 * constant, it is added to all of it. */
static term add_to_choice(struct pair *pair, term x, term as, uint64_t off)
{
    struct terms *t = pair->t;
    if (term_is_const(t, x))
        return canonical_constant(pair, term_add_const(t, x, off));
    bool told = false, same = term_kind(t, x) == OP_ITE && term_kind(t, as) == OP_ITE;
    for (unsigned i = 1; i < 3 && same; i++)
        if (term_is_const(t, term_kid(t, x, i))) {
            told = true;
            same = canonical_constant(pair, term_kid(t, x, i)) == term_kid(t, as, i);
        }
    if (!told || !same)
        return term_add_const(t, as, off);
    return term_ite(t, term_kid(t, as, 0), add_to_choice(pair, term_kid(t, x, 1), term_kid(t, as, 1), off),
                    add_to_choice(pair, term_kid(t, x, 2), term_kid(t, as, 2), off));
}

static term canonical_node(void *ctx, term x, const term *kid)
{
    struct pair *pair = ctx;
    struct terms *t = pair->t;
    uint64_t off;
    if (term_is_const(t, x))
        return canonical_constant(pair, x);
    /* A constant added to the stack pointer is an offset in the frame. */
    if (term_kind(t, x) == OP_ADD && term_width(t, x) == pair->width &&
        term_const_u64(t, term_kid(t, x, 1), &off) && adds_sp(pair, term_kid(t, x, 0))) {
        int64_t to = frame_offset(&pair->frame, pair_signed(pair, off));
        return term_add_const(t, kid[0], (uint64_t)to);
    }
    if (term_kind(t, x) == OP_ADD && term_width(t, x) == pair->width &&
        term_const_u64(t, term_kid(t, x, 1), &off) && term_kind(t, term_kid(t, x, 0)) == OP_ITE)
        return add_to_choice(pair, term_kid(t, x, 0), kid[0], off);
    return term_nkids(t, x) ? term_rebuild(t, x, kid) : x;
}

term canonical_term(struct pair *pair, const struct pair_side *s, term x)
{
    return !s->new || x == TERM_NONE ? x
                                     : term_rewrite(pair->t, x, &pair->canonical.term, canonical_node, pair);
}
