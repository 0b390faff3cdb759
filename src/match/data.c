/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which data of one program is which of the other. */
#include <string.h>

#include "match/private.h"

static int by_value(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

void side_learn(struct match *m, uint64_t a1, uint64_t a2, unsigned reasons)
{
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    if (map_get(&s1->data, a1, NULL) || map_get(&s2->data, a2, NULL))
        return;
    map_set(&s1->data, a1, a2);
    map_set(&s2->data, a2, a1);
    map_set(&s1->data_reasons, a1, reasons);
    map_set(&s2->data_reasons, a2, reasons);
    s1->sorted = s2->sorted = false;
}

void data_by_symbol(struct match *m)
{
    if (m->ignore_names)
        return;
    const struct object_symbol *y1;
    size_t n = object_symbols(m->side[0].o, &y1);
    for (int pass = 0; pass < 2;
         pass++) /* globals first: a local one of the same name must not take its place */
        for (size_t i = 0; i < n; i++) {
            if (y1[i].undefined || y1[i].type != SYMBOL_OBJECT || !y1[i].name ||
                name_is_numbered(y1[i].name) || (y1[i].bind == BIND_LOCAL) != (pass == 1))
                continue;
            const struct object_symbol *y2 = object_symbol_by_name(m->side[1].o, y1[i].name);
            if (y2 && !y2->undefined && y2->type == SYMBOL_OBJECT && (y2->bind == BIND_LOCAL) == (pass == 1))
                side_learn(m, y1[i].address, y2->address, MATCH_BY_NAME);
        }
}

struct vote {
    uint64_t a1, a2;
    uint32_t count;
    uint32_t certain; /* how many of them are addresses beyond doubt */
};

static int by_old(const void *x, const void *y)
{
    const struct vote *a = x, *b = y;
    if (a->a1 != b->a1)
        return a->a1 < b->a1 ? -1 : 1;
    return a->a2 < b->a2 ? -1 : a->a2 > b->a2;
}

typedef VEC(struct vote) votes;

/* A slot of the GOT stands for what it points to. */
static void through_slot(const struct side *s, uint64_t *a)
{
    const struct object_stub *t = object_stub_at(s->o, *a);
    const struct object_section *x = side_section(s, *a);
    const struct object_pointer *p;
    if (t && t->target)
        *a = t->target;
    else if (!t && x && strncmp(x->name, ".got", 4) == 0 && (p = object_pointer_at(s->o, *a)) && !p->name)
        *a = p->target;
}

static void vote_refs(struct match *m, votes *v, const struct ref *r1, const struct ref *r2, uint32_t n,
                      uint32_t f1, uint32_t f2);

/* Code that no table knows uses data as well. Each place is looked at once. */
static void vote_stray(struct match *m, votes *v, uint64_t a1, uint64_t a2)
{
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    if (side_covering(s1, a1) != MATCH_NONE || side_covering(s2, a2) != MATCH_NONE ||
        object_stub_at(s1->o, a1) || object_stub_at(s2->o, a2) || !map_set(&m->strays, a1, a2))
        return;
    struct code c1 = {0}, c2 = {0};
    bool thumb = s1->context.arch == MACHINE_ARM && object_code_mode(s1->o, a1) == 1;
    code_read(s1, &m->arena, a1, side_stray_end(s1, a1), thumb, &c1);
    code_read(s2, &m->arena, a2, side_stray_end(s2, a2), thumb, &c2);
    if (code_equal(&c1, &c2))
        vote_refs(m, v, c1.ref, c2.ref, c1.nrefs, MATCH_NONE, MATCH_NONE);
}

static void vote_refs(struct match *m, votes *v, const struct ref *r1, const struct ref *r2, uint32_t n,
                      uint32_t f1, uint32_t f2)
{
    const struct side *s1 = &m->side[0], *s2 = &m->side[1];
    for (uint32_t k = 0; k < n; k++) {
        uint64_t a1, a2;
        if (r1[k].kind != r2[k].kind || r1[k].kind == REF_GOT_MAYBE || !ref_address(s1, &r1[k], &a1) ||
            !ref_address(s2, &r2[k], &a2))
            continue;
        through_slot(s1, &a1);
        through_slot(s2, &a2);
        const struct object_section *x1 = side_section(s1, a1), *x2 = side_section(s2, a2);
        if (x1 && x2 && x1->exec && x2->exec)
            vote_stray(m, v, a1, a2);
        if (!x1 || !x2 || x1->exec || x2->exec || object_stub_at(s1->o, a1) || object_stub_at(s2->o, a2))
            continue;
        bool fixed1 = object_is_readonly(s1->o, a1, 1), fixed2 = object_is_readonly(s2->o, a2, 1);
        if (fixed1 != fixed2 || x1->tls != x2->tls)
            continue;
        if (fixed1 && data_same(m, a1, a2, f1, f2) != SAME_YES) {
            map_set(&m->suspects, a1, a2);
            continue;
        }
        vec_push(v, (struct vote){a1, a2, 1, r1[k].kind != REF_MAYBE});
    }
}

/* A section's data mostly moves as a whole: of candidates seen equally often the one that moved with the
 * others is preferred. */
static void prefer_common(struct match *m, votes *v)
{
    struct map seen = {0}, most = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < v->len; i++) {
            struct vote *x = &v->data[i];
            uint64_t section = side_section(&m->side[0], x->a1)->address, moved = x->a2 - x->a1;
            if (pass == 0) {
                uint64_t key = hash_u64(section) ^ hash_u64(moved * 31),
                         n = map_find(&seen, key, 0) + x->count;
                map_set(&seen, key, n);
                if (n > map_find(&most, section, 0)) {
                    map_set(&most, section, n);
                    map_set(&m->distance, section, moved);
                }
            } else {
                x->count = x->count * 2 + (map_find(&m->distance, section, 0) == moved);
            }
        }
    map_free(&seen);
    map_free(&most);
}

/* Of several candidates the one seen most often, unless there is a tie. */
static void elect(struct match *m, votes *v)
{
    vec_sort(v, by_old);
    size_t n = 0;
    for (size_t i = 0; i < v->len; i++) {
        if (n && v->data[n - 1].a1 == v->data[i].a1 && v->data[n - 1].a2 == v->data[i].a2)
            v->data[n - 1].count++, v->data[n - 1].certain += v->data[i].certain;
        else
            v->data[n++] = v->data[i];
    }
    v->len = n;
    prefer_common(m, v);
    struct map best1 = {0}, best2 = {0}; /* address to count << 1 | tie */
    for (size_t i = 0; i < n; i++) {
        struct map *best[2] = {&best1, &best2};
        uint64_t at[2] = {v->data[i].a1, v->data[i].a2};
        for (int k = 0; k < 2; k++) {
            uint64_t old = map_find(best[k], at[k], 0), count = v->data[i].count;
            if (count > old >> 1)
                map_set(best[k], at[k], count << 1);
            else if (count == old >> 1)
                map_set(best[k], at[k], old | 1);
        }
    }
    uint64_t last = 0;
    const struct object_section *in = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct vote *x = &v->data[i];
        uint64_t wanted = (uint64_t)x->count << 1;
        if (map_find(&best1, x->a1, 0) != wanted || map_find(&best2, x->a2, 0) != wanted)
            continue;
        const struct object_section *s = side_section(&m->side[0], x->a1);
        bool fixed = object_is_readonly(m->side[0].o, x->a1, 1);
        if (s != in)
            last = 0;
        in = s;
        if (!x->certain && map_find(&m->distance, s->address, 0) != x->a2 - x->a1)
            continue;
        /* Linkers keep the order of variables; a pair that breaks it needs two observations. */
        if (!fixed && x->a2 < last && x->count < 4)
            continue;
        if (x->a2 > last)
            last = x->a2;
        side_learn(m, x->a1, x->a2, fixed ? MATCH_BY_DATA | MATCH_BY_USE : MATCH_BY_USE);
    }
    map_free(&best1);
    map_free(&best2);
}

void data_by_use(struct match *m)
{
    votes v = VEC_INIT;
    for (uint32_t i = 0; i < m->side[0].nfunctions; i++) {
        uint32_t j = m->pair[0][i];
        if (j == MATCH_NONE)
            continue;
        const struct code *c1 = &m->side[0].code[i], *c2 = &m->side[1].code[j];
        if (code_equal(c1, c2)) {
            vote_refs(m, &v, c1->ref, c2->ref, c1->nrefs, i, j);
            continue;
        }
        uint32_t *to = xcalloc(c1->nblocks, sizeof *to);
        code_align(c1, c2, to);
        for (uint32_t b = 0; b < c1->nblocks; b++) {
            if (to[b] == MATCH_NONE)
                continue;
            const struct code_block *b1 = &c1->block[b], *b2 = &c2->block[to[b]];
            if (b1->nrefs == b2->nrefs)
                vote_refs(m, &v, c1->ref + b1->first_ref, c2->ref + b2->first_ref, b1->nrefs, i, j);
        }
        free(to);
    }
    elect(m, &v);
    vec_free(&v);
}

/* ---- questions ---- */

static void sort_known(struct side *s)
{
    if (s->sorted)
        return;
    vec_clear(&s->known);
    uint64_t k, v;
    for (size_t i = 0; (i = map_next(&s->data, i, &k, &v));)
        vec_push(&s->known, k);
    vec_sort(&s->known, by_value);
    s->sorted = true;
}

/* Between two paired places that moved by the same distance. */
static bool between(struct side *from, const struct side *to, uint64_t a, uint64_t *out)
{
    sort_known(from);
    const struct object_section *x = side_section(from, a);
    size_t i = sorted_upper(from->known.data, from->known.len, a);
    if (!x || i == 0 || from->known.data[i - 1] < x->address)
        return false;
    uint64_t low = from->known.data[i - 1], moved = map_find(&from->data, low, 0) - low;
    if (i < from->known.len && from->known.data[i] < x->address + x->size) {
        uint64_t high = from->known.data[i];
        if (map_find(&from->data, high, 0) - high != moved)
            return false;
    }
    const struct object_section *y = side_section(to, a + moved);
    *out = a + moved;
    return y && strcmp(x->name, y->name) == 0;
}

static bool stub_elsewhere(const struct side *to, const struct object_stub *t, uint64_t *out)
{
    const struct object_stub *all;
    size_t n = object_stubs(to->o, &all);
    for (size_t i = 0; i < n && t->name; i++)
        if (all[i].kind == t->kind && all[i].called == t->called && all[i].name &&
            strcmp(all[i].name, t->name) == 0 &&
            (!t->version || !all[i].version || strcmp(t->version, all[i].version) == 0)) {
            *out = all[i].address;
            return true;
        }
    return false;
}

static bool is_slot(const struct side *s, uint64_t a)
{
    const struct object_section *x = side_section(s, a);
    return !x || strncmp(x->name, ".got", 4) == 0;
}

/* A slot that holds something else than an address is found by what it holds. */
static bool slot_elsewhere(const struct side *from, const struct side *to, uint64_t a, uint64_t *out)
{
    const struct object_pointer *p = object_pointer_at(from->o, a), *all;
    if (!p || !p->other || !is_slot(from, a))
        return false;
    size_t n = object_pointers(to->o, &all);
    for (size_t i = 0; i < n; i++)
        if (all[i].other && all[i].addend == p->addend && strcmp(all[i].name, p->name) == 0 &&
            is_slot(to, all[i].address)) {
            *out = all[i].address;
            return true;
        }
    return false;
}

static bool translate(struct match *m, int side, uint64_t a, uint64_t *out, unsigned *reasons)
{
    struct side *from = &m->side[side], *to = &m->side[!side];
    unsigned none;
    if (!reasons)
        reasons = &none;
    int64_t off = 0;
    const struct object_stub *t = object_stub_at(from->o, a);
    if (!t)
        t = object_extern_at(from->o, a, &off);
    *reasons = MATCH_BY_NAME;
    if (t && stub_elsewhere(to, t, out)) {
        *out += (uint64_t)off;
        return true;
    }
    if (slot_elsewhere(from, to, a, out))
        return true;
    uint32_t f = side_function_at(from, a);
    if (f != MATCH_NONE) {
        uint32_t g = m->pair[side][f];
        if (g == MATCH_NONE)
            return false;
        *out = to->function[g].address;
        *reasons = m->reasons[side ? g : f];
        return true;
    }
    uint64_t known, offset;
    if (map_get(&from->data, a, &known)) {
        *out = known;
        *reasons = (unsigned)map_find(&from->data_reasons, a, 0);
        return true;
    }
    const struct object_symbol *y = m->ignore_names ? NULL : side_variable(from, a, &offset);
    if (y && map_get(&from->data, a - offset, &known)) {
        *out = known + offset;
        return true;
    }
    *reasons = MATCH_BY_ORDER;
    const struct object_section *x = side_section(from, a);
    return x && !x->exec && between(from, to, a, out);
}

bool match_data(struct match *m, uint64_t old_address, uint64_t *new_address, unsigned *reasons)
{
    return translate(m, 0, old_address, new_address, reasons);
}

bool match_data_back(struct match *m, uint64_t new_address, uint64_t *old_address, unsigned *reasons)
{
    return translate(m, 1, new_address, old_address, reasons);
}

bool match_before_data(const struct match *m, bool new, uint64_t address, uint64_t *begin)
{
    return side_before_data(&m->side[new], address, begin);
}

struct program *match_program(const struct match *m, bool new)
{
    return m->side[new].p;
}

bool match_same_address(struct match *m, uint64_t old_address, uint64_t new_address)
{
    enum same r = data_same(m, old_address, new_address, MATCH_NONE, MATCH_NONE);
    uint64_t to;
    if (r == SAME_UNKNOWN && !side_is_code(&m->side[0], old_address))
        return match_data(m, old_address, &to, NULL) && to == new_address;
    return r == SAME_YES;
}

size_t match_references(struct match *m, bool new, uint32_t function, uint64_t *out, size_t cap)
{
    const struct side *s = &m->side[new];
    const struct code *c = &s->code[function];
    size_t n = 0;
    uint64_t a;
    for (uint32_t i = 0; i < c->nrefs; i++)
        if (ref_address(s, &c->ref[i], &a)) {
            if (n < cap)
                out[n] = a;
            n++;
        }
    return n;
}

static int by_datum(const void *x, const void *y)
{
    const struct match_datum *a = x, *b = y;
    if (a->old != b->old)
        return a->old < b->old ? -1 : 1;
    return a->new < b->new ? -1 : a->new > b->new;
}

size_t match_data_changes(struct match *m, const struct match_datum **out)
{
    if (!m->changes_made) {
        m->changes_made = true;
        const struct side *s1 = &m->side[0], *s2 = &m->side[1];
        const struct object_symbol *y1;
        size_t n = m->ignore_names ? 0 : object_symbols(s1->o, &y1);
        struct map told = {0};
        for (size_t i = 0; i < n; i++) {
            uint64_t to;
            if (y1[i].undefined || y1[i].type != SYMBOL_OBJECT || !y1[i].size ||
                name_is_numbered(y1[i].name) || !map_get(&s1->data, y1[i].address, &to) ||
                !map_set(&told, y1[i].address, 1))
                continue;
            const struct object_symbol *y2 = object_symbol_by_name(s2->o, y1[i].name);
            const struct object_section *x = side_section(s1, y1[i].address);
            if (!y2 || y2->address != to || !x || y1[i].size > CONTENT_MAX)
                continue;
            if (y1[i].size == y2->size &&
                same_bytes(m, y1[i].address, to, y1[i].size, MATCH_NONE, MATCH_NONE) != SAME_NO)
                continue;
            vec_push(&m->changes, (struct match_datum){y1[i].address, to, y1[i].name, y1[i].size, y2->size,
                                                       !object_is_readonly(s1->o, y1[i].address, 1)});
        }
        uint64_t a1, a2;
        for (size_t i = 0; (i = map_next(&m->suspects, i, &a1, &a2));)
            if (!map_get(&told, a1, NULL) && !map_get(&s1->data, a1, NULL) && !map_get(&s2->data, a2, NULL))
                vec_push(&m->changes, (struct match_datum){.old = a1, .new = a2});
        map_free(&told);
        vec_sort(&m->changes, by_datum);
    }
    *out = m->changes.data;
    return m->changes.len;
}
