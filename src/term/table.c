/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table: hash-consing and nothing else. A node that is there is found, one that is not is added. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "term/internal.h"

static uint32_t key_hash(const struct term_key *k)
{
    uint64_t h = ((uint64_t)k->kind << 48 | (uint64_t)k->sort << 32 | k->aux) * 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < k->nkids; i++) {
        h ^= k->kid[i];
        h *= 0xd6e8feb86659fd93u;
        h ^= h >> 29;
    }
    h ^= h >> 32;
    return (uint32_t)h;
}

static void table_grow_slots(struct terms *t)
{
    size_t old_slots = t->slots;
    struct term_slot *old = t->slot;
    t->slots = old_slots ? old_slots * 2 : 4096;
    t->slot = xcalloc(t->slots, sizeof *t->slot);
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i].id == TERM_NONE)
            continue;
        size_t at = old[i].hash & (t->slots - 1);
        while (t->slot[at].id != TERM_NONE)
            at = (at + 1) & (t->slots - 1);
        t->slot[at] = old[i];
    }
    free(old);
}

static term node_add(struct terms *t, struct term_node n)
{
    if (t->count == t->cap) {
        assert(t->cap < UINT32_MAX / 2);
        t->cap += t->cap / 2;
        t->node = xreallocarray(t->node, t->cap, sizeof *t->node);
    }
    t->node[t->count] = n;
    return (term)t->count++;
}

/* Where the node with that hash is or belongs. */
#define TABLE_PROBE(t, h, same, at)                                                                          \
    for (at = (h) & ((t)->slots - 1); (t)->slot[at].id != TERM_NONE; at = (at + 1) & ((t)->slots - 1)) {     \
        if ((t)->slot[at].hash == (h) && (same)) {                                                           \
            (t)->hits++;                                                                                     \
            return (t)->slot[at].id;                                                                         \
        }                                                                                                    \
    }

static bool node_is(const struct terms *t, term x, const struct term_key *k)
{
    const struct term_node *n = &t->node[x];
    if (n->kind != k->kind || n->sort != k->sort || n->aux != k->aux || nkids_of(t, x) != k->nkids)
        return false;
    const term *kid = kids_of(t, x);
    for (unsigned i = 0; i < k->nkids; i++) {
        if (kid[i] != k->kid[i])
            return false;
    }
    return true;
}

static void table_reserve(struct terms *t)
{
    enum { WORK = 10 };
    t->lookups++;
    t->work += WORK;
    if (t->count * 4 >= t->slots * 3)
        table_grow_slots(t);
}

term table_cons(struct terms *t, const struct term_key *k)
{
    table_reserve(t);
    uint32_t h = key_hash(k);
    size_t at;
    TABLE_PROBE(t, h, node_is(t, t->slot[at].id, k), at)
    struct term_node n = {.kind = k->kind, .sort = k->sort, .aux = k->aux};
    if (k->nkids <= NODE_INLINE) {
        n.nkids = (uint8_t)k->nkids;
        for (unsigned i = 0; i < k->nkids; i++)
            n.kid[i] = k->kid[i];
    } else {
        n.nkids = NODE_POOLED;
        n.kid[0] = (uint32_t)t->pool.len;
        n.kid[1] = k->nkids;
        vec_reserve(&t->pool, t->pool.len + k->nkids);
        /* k->kid may point into the pool only through a copy: callers pass arrays of their own. */
        memcpy(t->pool.data + t->pool.len, k->kid, k->nkids * sizeof *k->kid);
        t->pool.len += k->nkids;
    }
    term x = node_add(t, n);
    t->slot[at] = (struct term_slot){h, x};
    return x;
}

static bool const_is(const struct terms *t, term x, unsigned width, const uint64_t *word)
{
    const struct term_node *n = &t->node[x];
    if (n->kind != TERM_CONST || n->sort != width)
        return false;
    if (width <= 64)
        return ((uint64_t)n->kid[1] << 32 | n->kid[0]) == word[0];
    return memcmp(&t->words.data[n->kid[0]], word, words_of(width) * sizeof *word) == 0;
}

term table_const(struct terms *t, unsigned width, struct bits value)
{
    assert(width >= 1 && width <= OP_MAX_WIDTH);
    table_reserve(t);
    uint64_t mix = width;
    for (unsigned i = 0; i < words_of(width); i++)
        mix = hash_u64(mix * 31 + value.w[i]);
    uint32_t h = (uint32_t)(mix ^ mix >> 32);
    size_t at;
    TABLE_PROBE(t, h, const_is(t, t->slot[at].id, width, value.w), at)
    struct term_node n = {.kind = TERM_CONST, .sort = (uint16_t)width};
    if (width <= 64) {
        n.kid[0] = (uint32_t)value.w[0];
        n.kid[1] = (uint32_t)(value.w[0] >> 32);
    } else {
        n.kid[0] = (uint32_t)t->words.len;
        for (unsigned i = 0; i < words_of(width); i++)
            vec_push(&t->words, value.w[i]);
    }
    term x = node_add(t, n);
    t->slot[at] = (struct term_slot){h, x};
    return x;
}

static uint32_t name_add(struct terms *t, const char *name, const struct term_origin *o)
{
    const char *own = arena_strdup(&t->text, name);
    uint32_t id = (uint32_t)t->name.len;
    vec_push(&t->name, own);
    vec_push(&t->origin, *o);
    vec_push(&t->symbol, TERM_NONE);
    strmap_set(&t->name_id, own, id);
    return id;
}

uint32_t table_name(struct terms *t, const char *name)
{
    static const struct term_origin none = {0};
    uint64_t id;
    return strmap_get(&t->name_id, name, &id) ? (uint32_t)id : name_add(t, name, &none);
}

static uint64_t origin_hash(const struct term_origin *o)
{
    uint64_t h = hash_u64((uint64_t)o->kind << 48 | (uint64_t)o->part << 32 | o->index);
    h = hash_u64(h ^ o->offset);
    return o->name ? hash_u64(h ^ hash_bytes(o->name, strlen(o->name))) : h;
}

static bool origin_is(const struct term_origin *a, const struct term_origin *b)
{
    return a->kind == b->kind && a->part == b->part && a->index == b->index && a->offset == b->offset &&
           !a->name == !b->name && (!a->name || strcmp(a->name, b->name) == 0);
}

/* *slot: where it belongs. */
static bool find_origin(const struct terms *t, const struct term_origin *o, uint64_t *slot, uint64_t *id)
{
    for (*slot = origin_hash(o); map_get(&t->origin_id, *slot, id); ++*slot)
        if (origin_is(&t->origin.data[*id], o))
            return true;
    return false;
}

bool table_find_origin(const struct terms *t, const struct term_origin *o, uint32_t *id)
{
    uint64_t slot, found = 0;
    bool there = find_origin(t, o, &slot, &found);
    *id = (uint32_t)found;
    return there;
}

uint32_t table_origin(struct terms *t, const struct term_origin *o, term_spell_fn *spell)
{
    assert(o->kind != TERM_ORIGIN_NONE);
    uint64_t h, id;
    if (find_origin(t, o, &h, &id))
        return (uint32_t)id;
    struct buf text = BUF_INIT;
    spell(&text, o);
    size_t len = text.len;
    for (unsigned n = 2; strmap_get(&t->name_id, buf_text(&text), NULL); n++) {
        text.len = len;
        buf_printf(&text, "#%u", n);
    }
    struct term_origin own = *o;
    own.name = o->name ? arena_strdup(&t->text, o->name) : NULL;
    id = name_add(t, buf_text(&text), &own);
    map_set(&t->origin_id, h, id);
    buf_free(&text);
    return (uint32_t)id;
}

uint16_t table_array_sort(struct terms *t, unsigned index_width, unsigned cell_width)
{
    assert(index_width >= 1 && index_width <= OP_MAX_WIDTH && cell_width >= 1 && cell_width <= OP_MAX_WIDTH);
    for (size_t i = 0; i < t->sort.len; i++) {
        if (t->sort.data[i].index == index_width && t->sort.data[i].cell == cell_width)
            return (uint16_t)(SORT_ARRAY + i);
    }
    struct term_sort s = {(uint16_t)index_width, (uint16_t)cell_width};
    vec_push(&t->sort, s);
    return (uint16_t)(SORT_ARRAY + t->sort.len - 1);
}

struct terms *terms_new(void)
{
    struct terms *t = xcalloc(1, sizeof *t);
    t->seen = seen_sets_new();
    t->cap = 1024;
    t->node = xreallocarray(NULL, t->cap, sizeof *t->node);
    t->node[0] = (struct term_node){0};
    t->count = 1; /* number 0 is TERM_NONE */
    table_grow_slots(t);
    rewrite_init(t);
    t->no = table_const(t, 1, bits_u64(0, 1));
    t->yes = table_const(t, 1, bits_u64(1, 1));
    return t;
}

void terms_free(struct terms *t)
{
    if (!t)
        return;
    free(t->node);
    free(t->slot);
    free(t->memo);
    free(t->evaluated);
    seen_sets_free(t->seen);
    vec_free(&t->pool);
    vec_free(&t->words);
    vec_free(&t->sort);
    vec_free(&t->name);
    vec_free(&t->origin);
    vec_free(&t->symbol);
    vec_free(&t->pure);
    vec_free(&t->known_at);
    vec_free(&t->known);
    strmap_free(&t->name_id);
    map_free(&t->origin_id);
    arena_free(&t->text);
    free(t);
}

size_t terms_count(const struct terms *t)
{
    return t->count - 1;
}

uint64_t *terms_work(struct terms *t)
{
    return &t->work;
}

struct terms_stats terms_stats(const struct terms *t)
{
    uint64_t bytes = t->cap * sizeof *t->node + t->slots * sizeof *t->slot + t->memo_cap * sizeof *t->memo +
                     t->pool.cap * sizeof *t->pool.data + t->words.cap * sizeof *t->words.data +
                     t->known_at.cap * sizeof *t->known_at.data + t->known.cap * sizeof *t->known.data +
                     t->text.total +
                     t->name.cap * (sizeof *t->name.data + sizeof *t->symbol.data + sizeof *t->origin.data) +
                     t->name_id.cap * (sizeof *t->name_id.key + sizeof *t->name_id.value);
    return (struct terms_stats){.nodes = t->count - 1,
                                .lookups = t->lookups,
                                .hits = t->hits,
                                .rewrites = t->rewrites,
                                .bytes = bytes};
}

/* ---- looking ---- */

unsigned term_kind(const struct terms *t, term x)
{
    return kind_of(t, x);
}

unsigned term_width(const struct terms *t, term x)
{
    return width_of(t, x);
}

bool term_is_array(const struct terms *t, term x)
{
    return sort_is_array(node_of(t, x)->sort);
}

unsigned term_index_width(const struct terms *t, term x)
{
    assert(term_is_array(t, x));
    return t->sort.data[node_of(t, x)->sort - SORT_ARRAY].index;
}

unsigned term_cell_width(const struct terms *t, term x)
{
    assert(term_is_array(t, x));
    return t->sort.data[node_of(t, x)->sort - SORT_ARRAY].cell;
}

unsigned term_nkids(const struct terms *t, term x)
{
    return nkids_of(t, x);
}

term term_kid(const struct terms *t, term x, unsigned i)
{
    return kid_of(t, x, i);
}

unsigned term_extract_lo(const struct terms *t, term x)
{
    assert(kind_of(t, x) == OP_EXTRACT);
    return node_of(t, x)->aux;
}

const char *term_name(const struct terms *t, term x)
{
    const struct term_node *n = node_of(t, x);
    switch (n->kind) {
    case TERM_VAR:
    case TERM_APPLY:
        return t->name.data[n->aux];
    case TERM_PURE:
        return t->pure.data[n->aux]->name;
    default:
        return NULL;
    }
}

struct term_origin term_origin(const struct terms *t, term x)
{
    const struct term_node *n = node_of(t, x);
    bool named = n->kind == TERM_VAR || n->kind == TERM_APPLY;
    return named ? t->origin.data[n->aux] : (struct term_origin){0};
}

bool term_same_head(const struct terms *t, term x, term y)
{
    const struct term_node *n = node_of(t, x), *o = node_of(t, y);
    return n->kind == o->kind && n->aux == o->aux && nkids_of(t, x) == nkids_of(t, y) &&
           (n->kind != TERM_CONST || x == y);
}

const struct pure *term_pure_of(const struct terms *t, term x)
{
    const struct term_node *n = node_of(t, x);
    return n->kind == TERM_PURE ? t->pure.data[n->aux] : NULL;
}

bool term_is_const(const struct terms *t, term x)
{
    return is_const(t, x);
}

bool term_const_value(const struct terms *t, term x, struct bits *value)
{
    const struct term_node *n = node_of(t, x);
    if (n->kind != TERM_CONST)
        return false;
    *value = (struct bits){{0}};
    if (n->sort <= 64)
        value->w[0] = (uint64_t)n->kid[1] << 32 | n->kid[0];
    else
        memcpy(value->w, &t->words.data[n->kid[0]], words_of(n->sort) * sizeof value->w[0]);
    return true;
}

bool term_const_u64(const struct terms *t, term x, uint64_t *value)
{
    return small_const(t, x, value);
}

bool term_is_true(const struct terms *t, term x)
{
    return x == t->yes;
}

bool term_is_false(const struct terms *t, term x)
{
    return x == t->no;
}
