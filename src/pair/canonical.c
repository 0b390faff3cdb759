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

bool canonical_is_place(const struct pair_side *s, uint64_t v)
{
    const uint64_t own = v - s->bias;
    return in_image(s->o, s->pair->width == 32 ? (uint32_t)own : own);
}

/* The constant that holds the address of another one, and where that is. */
static bool holds_constant(const struct pair *pair, const struct pair_side *s, uint64_t at, uint64_t *to)
{
    const struct object_pointer *p = object_pointer_at(s->o, at);
    *to = p && !p->name && !p->other ? p->target : 0;
    /* A program for a fixed address has no list of them. */
    if (!p && object_info(s->o)->type == OBJECT_EXECUTABLE && !object_read(s->o, at, to, pair->width / 8))
        return false;
    return *to && object_is_readonly(s->o, at, pair->width / 8) && object_is_readonly(s->o, *to, 1) &&
           !canonical_is_code(s->o, *to);
}

enum { TABLE_GAP = 8, TABLES_WORDS = 1024 };

/* What the constant table there leads to. Without a symbol it ends before so many words that lead to none. */
static void add_table(const struct pair *pair, const struct pair_side *s, uint64_t at, addresses *out)
{
    uint64_t offset = 0, to;
    const struct object_symbol *y = object_symbol_at(s->o, at, &offset);
    const bool sized = y && y->type == SYMBOL_OBJECT && offset < y->size;
    const unsigned word = pair->width / 8;
    const uint64_t words = sized ? (y->size - offset) / word : UINT64_MAX;
    for (uint64_t i = 0, last = 0; i < words && i < TABLES_WORDS && (sized || i - last < TABLE_GAP); i++)
        if (holds_constant(pair, s, at + i * word, &to)) {
            vec_push(out, to);
            last = i;
        }
}

/* What the function refers to, itself (so many), and through tables of constants: compilers make one of a
 * `switch` between texts, or do not. */
static size_t references(const struct pair *pair, const struct pair_side *s, addresses *out)
{
    const size_t n = match_references(pair->m, s->new, s->index, NULL, 0);
    for (size_t i = 0; i < n; i++)
        vec_push(out, 0);
    match_references(pair->m, s->new, s->index, out->data, n);
    struct map seen = {0};
    for (size_t i = 0; i < out->len && out->len - n < TABLES_WORDS; i++)
        if (map_set(&seen, out->data[i], 1))
            add_table(pair, s, out->data[i], out);
    map_free(&seen);
    return n;
}

static const char *text_at(const struct pair_side *s, uint64_t at)
{
    size_t n = 0;
    const char *text = object_string(s->o, at, &n);
    return n ? text : NULL;
}

/* Constants that the old version refers to. */
struct literals {
    addresses own;      /* itself */
    struct strmap text; /* texts, also through a table */
};

static bool find_literal(struct pair *pair, const struct literals *all, uint64_t new, uint64_t *out)
{
    const char *text = text_at(&pair->side[NEW], new);
    if (text && strmap_get(&all->text, text, out) && match_same_address(pair->m, *out, new))
        return true;
    for (size_t i = 0; i < all->own.len; i++)
        if (match_same_address(pair->m, *out = all->own.data[i], new))
            return true;
    return false;
}

/* Constants that an index may lead into: no text, nor a table of where the function itself goes on. A few
 * letters may be a number. */
static bool is_table(const struct pair_side *s, uint64_t at)
{
    enum { LETTERS = 5 };
    const struct object_section *x;
    const size_t n = object_sections(s->o, &x);
    const char *text = text_at(s, at);
    bool jumps = false, texts = text && strlen(text) >= LETTERS && !object_pointer_at(s->o, at);
    for (size_t i = 0; i < n; i++)
        texts = texts || (x[i].merge & 1 && at >= x[i].address && at - x[i].address < x[i].size);
    for (uint32_t i = 0; i < s->g->ntables; i++)
        jumps = jumps || s->g->table[i].table == at;
    return !jumps && !texts;
}

/* A reference of each version to data that the pairing of the programs knows nothing of: the same content, or
 * the same place among the references of its kind. */
static void learn_places(struct pair *pair)
{
    addresses ref[2] = {VEC_INIT, VEC_INIT}, open[2] = {VEC_INIT, VEC_INIT};
    struct literals literal = {.own = VEC_INIT};
    for (int s = 0; s < 2; s++) {
        const struct pair_side *sd = &pair->side[s];
        addresses all = VEC_INIT;
        const size_t own = references(pair, sd, &all);
        struct map seen = {0};
        for (size_t i = 0; i < all.len; i++) {
            uint64_t at = all.data[i], to, begin;
            if (match_before_data(pair->m, s, at, &begin))
                at = begin;
            const char *text;
            if (!map_set(&seen, at, 1))
                continue;
            bool known =
                s == OLD ? match_data(pair->m, at, &to, NULL) : match_data_back(pair->m, at, &to, NULL);
            const bool constant = object_is_readonly(sd->o, at, 1);
            if (known && constant)
                known = s == OLD ? match_same_address(pair->m, at, to) : match_same_address(pair->m, to, at);
            if (s == OLD && constant && i < own)
                vec_push(&literal.own, at);
            if (s == OLD && constant && (text = text_at(sd, at)))
                strmap_set(&literal.text, text, at);
            /* what another file defines is known by its name alone */
            const struct object_stub *import = object_stub_at(sd->o, at);
            if (!known && !(import && import->name) && in_image(sd->o, at) && !canonical_is_code(sd->o, at))
                vec_push(&ref[s], at);
        }
        map_free(&seen);
        vec_free(&all);
    }
    for (size_t i = 0; i < ref[NEW].len; i++) {
        uint64_t v = ref[NEW].data[i], to;
        if (!object_is_readonly(pair->side[NEW].o, v, 1))
            vec_push(&open[NEW], v);
        else if (!find_literal(pair, &literal, v, &to))
            pair->canonical.table = is_table(&pair->side[NEW], v) ? v : pair->canonical.table;
        else if (pair->may.move_data)
            map_set(&pair->canonical.place, v, to);
    }
    for (size_t i = 0; i < ref[OLD].len; i++)
        if (!object_is_readonly(pair->side[OLD].o, ref[OLD].data[i], 1))
            vec_push(&open[OLD], ref[OLD].data[i]);
    const bool pairs = pair->may.move_data && open[OLD].len == open[NEW].len;
    for (size_t i = 0; pairs && i < open[NEW].len; i++)
        map_set(&pair->canonical.place, open[NEW].data[i], open[OLD].data[i]);
    strmap_free(&literal.text);
    vec_free(&literal.own);
    for (int s = 0; s < 2; s++) {
        vec_free(&ref[s]);
        vec_free(&open[s]);
    }
}

void canonical_start(struct pair *pair)
{
    const size_t n = references(pair, &pair->side[NEW], &pair->canonical.refers);
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

/* Code of the function names that very address. */
static bool is_referred_to(const struct pair *pair, uint64_t a)
{
    bool is = false;
    for (size_t i = 0; i < pair->canonical.refers.len && !is; i++)
        is = pair->canonical.refers.data[i] == a;
    return is;
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
    uint64_t begin;
    if (is_referred_to(pair, a) && match_before_data(pair->m, true, a, &begin)) {
        if (canonical_partner(pair, begin, &to))
            return term_const(pair->t, pair->width, to - (begin - a) + pair->side[OLD].bias);
        return s->bias ? x : term_const(pair->t, pair->width, elsewhere(pair, v));
    }
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
