/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function is which. Each step only looks at functions without a partner, and only pairs what a key or
 * a neighbour singles out; after a step that paired something the cheaper and surer ones before it are tried
 * again. */
#include <math.h>
#include <string.h>

#include "match/private.h"

/* How sure a pair is when this is all that speaks for it. */
#define SURE_NAME 1.0
#define SURE_STEM 0.95
#define SURE_CODE 0.98
#define SURE_CALLS 0.95
#define SURE_GROUP 0.85
#define SURE_KEYS 0.9
#define SURE_WEAK 0.85
#define SURE_ORDER 0.75

/* Less in common than this, and two functions that keys or neighbours suggest are not paired. */
#define ALIKE_KEYS 0.25
#define ALIKE_ORDER 0.3
#define ALIKE_NAMED 0.5

enum { GAP_MAX = 64, GROUP_MAX = 1 << 20 };

static bool is_free(const struct match *m, int side, uint32_t i)
{
    return m->side[side].is_item[i] && m->pair[side][i] == MATCH_NONE;
}

static bool has_name(const struct match *m, int side, uint32_t i)
{
    return !m->ignore_names && m->side[side].function[i].named;
}

/* The register that an i386 function puts its return address into and does nothing else
 * (__x86.get_pc_thunk.bx); -1 when it is another function. */
static int thunk_register(const struct side *s, uint32_t i)
{
    uint8_t b[4];
    if (s->context.arch != MACHINE_X86 || !object_read(s->o, s->function[i].address, b, sizeof b))
        return -1;
    return b[0] == 0x8b && (b[1] & 0xc7) == 0x04 && b[2] == 0x24 && b[3] == 0xc3 ? b[1] >> 3 & 7 : -1;
}

static bool join(struct match *m, uint32_t i, uint32_t j, double sure, unsigned reasons)
{
    if (!is_free(m, 0, i) || !is_free(m, 1, j))
        return false;
    /* A caller that wants another register calls another thunk: neither became the other. */
    if (thunk_register(&m->side[0], i) != thunk_register(&m->side[1], j))
        return false;
    m->pair[0][i] = j;
    m->pair[1][j] = i;
    m->sure[i] = sure;
    m->reasons[i] = (uint8_t)reasons;
    vec_push(&m->queue, i);
    return true;
}

/* ---- how much two functions have in common ---- */

struct weight {
    uint64_t hash;
    uint32_t n;
};

static int by_hash(const void *x, const void *y)
{
    const struct weight *a = x, *b = y;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static uint64_t common(const struct code *a, const struct code *b, bool weak)
{
    struct weight *wa = xcalloc(a->nblocks + 1, sizeof *wa), *wb = xcalloc(b->nblocks + 1, sizeof *wb);
    for (uint32_t i = 0; i < a->nblocks; i++)
        wa[i] = (struct weight){weak ? a->block[i].weak : a->block[i].strong, a->block[i].ninsns};
    for (uint32_t i = 0; i < b->nblocks; i++)
        wb[i] = (struct weight){weak ? b->block[i].weak : b->block[i].strong, b->block[i].ninsns};
    qsort(wa, a->nblocks, sizeof *wa, by_hash);
    qsort(wb, b->nblocks, sizeof *wb, by_hash);
    uint64_t n = 0;
    for (uint32_t i = 0, j = 0; i < a->nblocks && j < b->nblocks;) {
        if (wa[i].hash == wb[j].hash) {
            n += wa[i].n;
            i++;
            j++;
        } else if (wa[i].hash < wb[j].hash) {
            i++;
        } else {
            j++;
        }
    }
    free(wa);
    free(wb);
    return n;
}

double code_similarity(const struct code *a, const struct code *b)
{
    double all = (double)a->ninsns + b->ninsns;
    if (all == 0)
        return 1;
    if (code_equal(a, b))
        return 1;
    double strong = 2.0 * (double)common(a, b, false) / all, weak = 2.0 * (double)common(a, b, true) / all;
    return (strong + weak) / 2;
}

static double bag_similarity(const struct code *a, const struct code *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0, j = 0; i < a->ninsns && j < b->ninsns;) {
        if (a->bag[i] == b->bag[j]) {
            n++;
            i++;
            j++;
        } else if (a->bag[i] < b->bag[j]) {
            i++;
        } else {
            j++;
        }
    }
    double all = (double)a->ninsns + b->ninsns;
    return all > 0 ? 2.0 * n / all : 1;
}

/* Blocks, instructions and shape in one number: a small function with one change may have no block in common
 * with its partner. */
static double alike(const struct code *a, const struct code *b)
{
    if (code_equal(a, b))
        return 1;
    double big = fmax(a->ninsns, b->ninsns), small = fmin(a->ninsns, b->ninsns);
    double blocks = fmin(a->nblocks, b->nblocks) / fmax(1, fmax(a->nblocks, b->nblocks));
    double calls = fmin(a->ncalls, b->ncalls) / fmax(1, fmax(a->ncalls, b->ncalls));
    if (a->ncalls == 0 && b->ncalls == 0)
        calls = 1;
    double shape = big > 0 ? small / big * (0.5 + 0.25 * blocks + 0.25 * calls) : 1;
    return 0.35 * code_similarity(a, b) + 0.35 * bag_similarity(a, b) + 0.3 * shape;
}

/* ---- blocks that correspond ---- */

static void index_blocks(const struct code *c, struct map *first)
{
    for (uint32_t i = 0; i < c->nblocks; i++) {
        uint64_t old;
        if (map_get(first, c->block[i].strong, &old))
            map_set(first, c->block[i].strong, MATCH_NONE);
        else
            map_set(first, c->block[i].strong, i);
    }
}

void code_align(const struct code *a, const struct code *b, uint32_t *to)
{
    struct map in_a = {0}, in_b = {0};
    index_blocks(a, &in_a);
    index_blocks(b, &in_b);
    uint8_t *taken = xcalloc(b->nblocks + 1, 1);
    for (uint32_t i = 0; i < a->nblocks; i++) {
        uint64_t h = a->block[i].strong, j = map_find(&in_b, h, MATCH_NONE);
        to[i] = MATCH_NONE;
        if (j != MATCH_NONE && map_find(&in_a, h, MATCH_NONE) == i) {
            to[i] = (uint32_t)j;
            taken[j] = 1;
        }
    }
    /* Blocks that are not unique follow their neighbours. */
    for (uint32_t i = 0; i < a->nblocks; i++) {
        uint32_t j = i == 0 ? 0 : to[i - 1] == MATCH_NONE ? MATCH_NONE : to[i - 1] + 1;
        if (to[i] == MATCH_NONE && j != MATCH_NONE && j < b->nblocks && !taken[j] &&
            a->block[i].strong == b->block[j].strong) {
            to[i] = j;
            taken[j] = 1;
        }
    }
    for (uint32_t i = a->nblocks; i-- > 0;) {
        uint32_t j = i + 1 == a->nblocks                         ? b->nblocks - 1
                     : to[i + 1] == MATCH_NONE || to[i + 1] == 0 ? MATCH_NONE
                                                                 : to[i + 1] - 1;
        if (to[i] == MATCH_NONE && j != MATCH_NONE && j < b->nblocks && !taken[j] &&
            a->block[i].strong == b->block[j].strong) {
            to[i] = j;
            taken[j] = 1;
        }
    }
    free(taken);
    map_free(&in_a);
    map_free(&in_b);
}

/* ---- by name ---- */

/* Pairs functions whose keys occur once on each side. key: 0 for none. */
typedef uint64_t key_fn(const struct match *m, int side, uint32_t i);

static size_t pair_unique(struct match *m, key_fn *key, double sure, unsigned reasons, double least)
{
    struct map at[2] = {{0}, {0}};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < m->side[side].nfunctions; i++) {
            uint64_t k = is_free(m, side, i) ? key(m, side, i) : 0;
            if (k)
                map_set(&at[side], k, map_get(&at[side], k, NULL) ? MATCH_NONE : i);
        }
    size_t n = 0;
    for (uint32_t i = 0; i < m->side[0].nfunctions; i++) {
        uint64_t k = is_free(m, 0, i) ? key(m, 0, i) : 0;
        if (!k || map_find(&at[0], k, MATCH_NONE) != i)
            continue;
        uint32_t j = (uint32_t)map_find(&at[1], k, MATCH_NONE);
        if (j == MATCH_NONE || (least > 0 && alike(&m->side[0].code[i], &m->side[1].code[j]) < least))
            continue;
        n += join(m, i, j, sure, reasons);
    }
    map_free(&at[0]);
    map_free(&at[1]);
    return n;
}

static uint64_t full_name(const struct match *m, int side, uint32_t i)
{
    const char *name = m->side[side].function[i].name;
    return has_name(m, side, i) ? hash_bytes(name, strlen(name)) | 1 : 0;
}

static uint64_t stem_name(const struct match *m, int side, uint32_t i)
{
    const char *name = m->side[side].function[i].name;
    if (!has_name(m, side, i))
        return 0;
    size_t n = name_stem(name);
    bool part = strstr(name + n, ".cold") != NULL; /* a part is not the function */
    return (hash_bytes(name, n) | 1) ^ (part ? 2 : 0);
}

/* Static functions of several files with one name: by name and code, and by name and order as many as there
 * are. */
static uint64_t name_and_code(const struct match *m, int side, uint32_t i)
{
    uint64_t k = full_name(m, side, i);
    return k ? hash_u64(k ^ m->side[side].code[i].deep) | 1 : 0;
}

/* ---- by code ---- */

static uint64_t deep_key(const struct match *m, int side, uint32_t i)
{
    return m->side[side].code[i].ninsns ? m->side[side].code[i].deep | 1 : 0;
}

static uint64_t code_key(const struct match *m, int side, uint32_t i)
{
    return m->side[side].code[i].ninsns ? m->side[side].code[i].key | 1 : 0;
}

static uint64_t weak_key(const struct match *m, int side, uint32_t i)
{
    const struct code *c = &m->side[side].code[i];
    return c->ninsns >= 8 ? c->weak | 1 : 0;
}

/* Groups that share a key and are equally many on both sides, in order. */
static size_t pair_groups(struct match *m, key_fn *key, double sure, unsigned reasons)
{
    struct map count[2] = {{0}, {0}}, head = {0};
    uint32_t *next = xcalloc(m->side[1].nfunctions + 1, sizeof *next);
    for (int side = 0; side < 2; side++)
        for (uint32_t n = (uint32_t)m->side[side].nfunctions, i = n; i-- > 0;) {
            uint64_t k = is_free(m, side, i) ? key(m, side, i) : 0;
            if (!k)
                continue;
            map_set(&count[side], k, map_find(&count[side], k, 0) + 1);
            if (side == 1) {
                next[i] = (uint32_t)map_find(&head, k, MATCH_NONE);
                map_set(&head, k, i);
            }
        }
    size_t n = 0;
    for (uint32_t i = 0; i < m->side[0].nfunctions; i++) {
        uint64_t k = is_free(m, 0, i) ? key(m, 0, i) : 0;
        if (!k || map_find(&count[0], k, 0) != map_find(&count[1], k, 0))
            continue;
        uint32_t j = (uint32_t)map_find(&head, k, MATCH_NONE);
        if (j == MATCH_NONE)
            continue;
        map_set(&head, k, next[j]);
        n += join(m, i, j, sure, reasons);
    }
    map_free(&count[0]);
    map_free(&count[1]);
    map_free(&head);
    free(next);
    return n;
}

/* ---- by calls and pointers ---- */

/* Two functions at the same place of something paired. */
static void suggest(struct match *m, uint64_t a1, uint64_t a2, double sure, unsigned reasons, bool same_code)
{
    const struct object_stub *t1 = object_stub_at(m->side[0].o, a1), *t2 = object_stub_at(m->side[1].o, a2);
    if (t1 && t1->target)
        a1 = t1->target;
    if (t2 && t2->target)
        a2 = t2->target;
    uint32_t i = side_function_at(&m->side[0], a1), j = side_function_at(&m->side[1], a2);
    if (i == MATCH_NONE || j == MATCH_NONE || !is_free(m, 0, i) || !is_free(m, 1, j))
        return;
    const struct code *c1 = &m->side[0].code[i], *c2 = &m->side[1].code[j];
    bool equal = code_equal(c1, c2);
    if (!equal) {
        double least = has_name(m, 0, i) && has_name(m, 1, j) ? ALIKE_NAMED : same_code ? 0 : ALIKE_KEYS;
        if (alike(c1, c2) < least)
            return;
    }
    join(m, i, j, equal ? SURE_CODE : sure, reasons | (equal ? MATCH_BY_CODE : 0));
}

static void suggest_table(struct match *m, uint64_t a1, uint64_t a2)
{
    enum { TABLE_MAX = 4096 };
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    unsigned word = program_machine(s1->p)->pointer_width / 8;
    const struct object_pointer *p1 = object_pointer_at(s1->o, a1), *p2 = object_pointer_at(s2->o, a2);
    uint64_t n1 = data_extent(s1, a1), n2 = data_extent(s2, a2), n = n1 < n2 ? n1 : n2;
    if (!n || n1 != n2 || n > (uint64_t)TABLE_MAX * word)
        return;
    (void)p1;
    (void)p2;
    for (uint64_t at = 0; at + word <= n; at += word) {
        p1 = object_pointer_at(s1->o, a1 + at);
        p2 = object_pointer_at(s2->o, a2 + at);
        if (p1 && p2 && !p1->name && !p2->name)
            suggest(m, p1->target, p2->target, SURE_CALLS, MATCH_BY_DATA, true);
    }
}

static void suggest_refs(struct match *m, const struct ref *r1, const struct ref *r2, uint32_t n,
                         bool same_code, struct map *tables)
{
    for (uint32_t k = 0; k < n; k++) {
        uint64_t a1, a2;
        if (r1[k].kind != r2[k].kind || !ref_address(&m->side[0], &r1[k], &a1) ||
            !ref_address(&m->side[1], &r2[k], &a2))
            continue;
        suggest(m, a1, a2, SURE_CALLS, MATCH_BY_CALLS, same_code);
        const struct object_section *x1 = side_section(&m->side[0], a1), *x2 = side_section(&m->side[1], a2);
        if (x1 && x2 && !x1->exec && !x2->exec && map_set(tables, hash_u64(a1) ^ a2, 1))
            suggest_table(m, a1, a2);
    }
}

static size_t spread(struct match *m, struct map *tables)
{
    size_t n = 0;
    while (m->queue.len) {
        uint32_t i = vec_pop(&m->queue), j = m->pair[0][i];
        const struct code *c1 = &m->side[0].code[i], *c2 = &m->side[1].code[j];
        size_t before = m->queue.len;
        if (code_equal(c1, c2)) {
            suggest_refs(m, c1->ref, c2->ref, c1->nrefs, true, tables);
        } else {
            uint32_t *to = xcalloc(c1->nblocks + 1, sizeof *to);
            code_align(c1, c2, to);
            for (uint32_t b = 0; b < c1->nblocks; b++) {
                if (to[b] == MATCH_NONE)
                    continue;
                const struct code_block *b1 = &c1->block[b], *b2 = &c2->block[to[b]];
                if (b1->nrefs == b2->nrefs)
                    suggest_refs(m, c1->ref + b1->first_ref, c2->ref + b2->first_ref, b1->nrefs,
                                 b1->ninsns >= 6, tables);
            }
            free(to);
        }
        n += m->queue.len - before;
    }
    return n;
}

/* ---- by what they refer to ---- */

struct key {
    uint64_t key;
    uint32_t function;
};
typedef VEC(struct key) keys;

static int by_key(const void *x, const void *y)
{
    const struct key *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->function < b->function ? -1 : a->function > b->function;
}

enum { TAG_STRING = 1, TAG_CALLEE, TAG_CALLER, TAG_BLOCK, TAG_DATA };

static uint64_t tagged(unsigned tag, uint64_t x)
{
    return hash_u64(x * 8 + tag);
}

/* Keys that mean the same on both sides: a partner is named by its index in the old program. */
static void make_keys(struct match *m, int side, keys *out)
{
    struct side *s = &m->side[side];
    for (uint32_t i = 0; i < s->nfunctions; i++) {
        if (!s->is_item[i])
            continue;
        bool mine = is_free(m, side, i);
        uint32_t id = mine ? MATCH_NONE : side ? m->pair[1][i] : i;
        const struct code *c = &s->code[i];
        for (uint32_t k = 0; k < c->nrefs; k++) {
            uint64_t a;
            if (!ref_address(s, &c->ref[k], &a))
                continue;
            uint32_t f = side_function_at(s, a);
            if (f != MATCH_NONE && is_free(m, side, f) && id != MATCH_NONE)
                vec_push(out, (struct key){tagged(TAG_CALLER, id), f});
            if (!mine)
                continue;
            size_t len = 0;
            const char *text = object_string(s->o, a, &len);
            const struct object_stub *t = object_stub_at(s->o, a);
            if (f != MATCH_NONE && !is_free(m, side, f))
                vec_push(out, (struct key){tagged(TAG_CALLEE, side ? m->pair[1][f] : f), i});
            else if (t && t->name)
                vec_push(out, (struct key){tagged(TAG_STRING, hash_bytes(t->name, strlen(t->name))), i});
            else if (text && len > 3)
                vec_push(out, (struct key){tagged(TAG_STRING, hash_bytes(text, len)), i});
        }
        for (uint32_t b = 0; mine && b < c->nblocks; b++)
            if (c->block[b].ninsns >= 5)
                vec_push(out, (struct key){tagged(TAG_BLOCK, c->block[b].strong), i});
    }
    vec_sort(out, by_key);
    size_t n = 0;
    for (size_t i = 0; i < out->len; i++)
        if (!n || out->data[n - 1].key != out->data[i].key ||
            out->data[n - 1].function != out->data[i].function)
            out->data[n++] = out->data[i];
    out->len = n;
}

struct candidate {
    uint32_t i, j, votes;
    double alike;
};

static int by_candidate(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->i != b->i)
        return a->i < b->i ? -1 : 1;
    return a->j < b->j ? -1 : a->j > b->j;
}

static int by_worth(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    double wa = a->alike + 0.02 * fmin(a->votes, 20), wb = b->alike + 0.02 * fmin(b->votes, 20);
    if (wa != wb)
        return wa > wb ? -1 : 1;
    return by_candidate(x, y);
}

/* Functions that share a rare key are compared; the best are paired first. */
static size_t pair_by_keys(struct match *m)
{
    enum { RARE = 4 };
    keys k[2] = {VEC_INIT, VEC_INIT};
    VEC(struct candidate) c = VEC_INIT;
    make_keys(m, 0, &k[0]);
    make_keys(m, 1, &k[1]);
    for (size_t i = 0, j = 0; i < k[0].len && j < k[1].len;) {
        uint64_t x = k[0].data[i].key;
        if (x != k[1].data[j].key) {
            if (x < k[1].data[j].key)
                i++;
            else
                j++;
            continue;
        }
        size_t ni = i, nj = j;
        while (ni < k[0].len && k[0].data[ni].key == x)
            ni++;
        while (nj < k[1].len && k[1].data[nj].key == x)
            nj++;
        if (ni - i <= RARE && nj - j <= RARE)
            for (size_t a = i; a < ni; a++)
                for (size_t b = j; b < nj; b++)
                    vec_push(&c, (struct candidate){k[0].data[a].function, k[1].data[b].function, 1, 0});
        i = ni;
        j = nj;
    }
    vec_sort(&c, by_candidate);
    size_t n = 0;
    for (size_t i = 0; i < c.len; i++) {
        if (n && by_candidate(&c.data[n - 1], &c.data[i]) == 0)
            c.data[n - 1].votes++;
        else
            c.data[n++] = c.data[i];
    }
    c.len = n;
    for (size_t i = 0; i < c.len; i++)
        c.data[i].alike = alike(&m->side[0].code[c.data[i].i], &m->side[1].code[c.data[i].j]);
    vec_sort(&c, by_worth);
    size_t made = 0;
    for (size_t i = 0; i < c.len; i++) {
        const struct candidate *x = &c.data[i];
        bool named = has_name(m, 0, x->i) && has_name(m, 1, x->j);
        double least = named ? ALIKE_NAMED : x->votes > 1 ? ALIKE_KEYS : ALIKE_KEYS + 0.25;
        if (x->alike >= least)
            made += join(m, x->i, x->j, SURE_KEYS * (0.5 + 0.5 * x->alike), MATCH_BY_DATA | MATCH_BY_SHAPE);
    }
    vec_free(&c);
    vec_free(&k[0]);
    vec_free(&k[1]);
    return made;
}

/* ---- by order ---- */

static uint32_t step_item(const struct match *m, int side, uint32_t i, int by)
{
    const struct side *s = &m->side[side];
    for (int64_t k = (int64_t)i + by; k >= 0 && k < (int64_t)s->nfunctions; k += by)
        if (s->is_item[k])
            return (uint32_t)k;
    return MATCH_NONE;
}

/* The function after (or before) a pair on both sides, when their code is the same. */
static size_t walk_along(struct match *m, int by)
{
    size_t n = 0, count = m->side[0].nfunctions;
    for (size_t k = 0; k < count; k++) {
        uint32_t i = (uint32_t)(by > 0 ? k : count - 1 - k);
        if (!m->side[0].is_item[i] || m->pair[0][i] == MATCH_NONE)
            continue;
        uint32_t a = step_item(m, 0, i, by), b = step_item(m, 1, m->pair[0][i], by);
        if (a == MATCH_NONE || b == MATCH_NONE || !is_free(m, 0, a) || !is_free(m, 1, b))
            continue;
        if (m->side[0].code[a].deep == m->side[1].code[b].deep &&
            code_equal(&m->side[0].code[a], &m->side[1].code[b]))
            n += join(m, a, b, SURE_CODE, MATCH_BY_CODE | MATCH_BY_ORDER);
    }
    return n;
}

/* Functions between two neighbouring pairs, aligned so that what they have in common is largest; of equally
 * good ways the one that pairs what comes first. */
static size_t align_gap(struct match *m, const uint32_t *a, size_t na, const uint32_t *b, size_t nb)
{
    double score[GAP_MAX + 1][GAP_MAX + 1], like[GAP_MAX][GAP_MAX];
    for (size_t i = na + 1; i-- > 0;)
        for (size_t j = nb + 1; j-- > 0;) {
            score[i][j] = 0;
            if (i == na || j == nb)
                continue;
            double s = alike(&m->side[0].code[a[i]], &m->side[1].code[b[j]]);
            bool named = has_name(m, 0, a[i]) && has_name(m, 1, b[j]);
            like[i][j] = s >= (named ? ALIKE_NAMED : ALIKE_ORDER) ? s : 0;
            score[i][j] = fmax(fmax(score[i + 1][j], score[i][j + 1]), score[i + 1][j + 1] + like[i][j]);
        }
    size_t n = 0;
    for (size_t i = 0, j = 0; i < na && j < nb;) {
        double s = like[i][j];
        if (s > 0 && score[i][j] == score[i + 1][j + 1] + s) {
            n += join(m, a[i], b[j], SURE_ORDER * (0.5 + 0.5 * s), MATCH_BY_ORDER | MATCH_BY_SHAPE);
            i++;
            j++;
        } else if (score[i][j] == score[i][j + 1]) {
            j++;
        } else {
            i++;
        }
    }
    return n;
}

static size_t pair_gaps(struct match *m)
{
    size_t n = 0;
    uint32_t from = MATCH_NONE; /* partner of the last paired function; MATCH_NONE: the beginning */
    VEC(uint32_t) a = VEC_INIT, b = VEC_INIT;
    for (uint32_t i = 0; i <= m->side[0].nfunctions; i++) {
        bool end = i == m->side[0].nfunctions;
        if (!end && !m->side[0].is_item[i])
            continue;
        if (!end && m->pair[0][i] == MATCH_NONE) {
            vec_push(&a, i);
            continue;
        }
        uint32_t to = end ? (uint32_t)m->side[1].nfunctions : m->pair[0][i];
        if (a.len && a.len <= GAP_MAX && (from == MATCH_NONE || from < to)) {
            vec_clear(&b);
            for (uint32_t j = from == MATCH_NONE ? 0 : from + 1; j < to && b.len <= GAP_MAX; j++)
                if (is_free(m, 1, j))
                    vec_push(&b, j);
            if (b.len && b.len <= GAP_MAX)
                n += align_gap(m, a.data, a.len, b.data, b.len);
        }
        vec_clear(&a);
        from = to;
    }
    vec_free(&a);
    vec_free(&b);
    return n;
}

/* ---- all together ---- */

/* Steps that leave little doubt, until none of them moves. */
static void settle(struct match *m, struct map *tables)
{
    size_t n;
    do {
        n = pair_unique(m, deep_key, SURE_CODE, MATCH_BY_CODE, 0);
        n += spread(m, tables);
        n += walk_along(m, 1) + walk_along(m, -1);
        n += spread(m, tables);
        n += pair_unique(m, code_key, SURE_CODE, MATCH_BY_CODE, 0);
        n += spread(m, tables);
        m->rounds++;
    } while (n);
}

/* Doubtful steps, the surer first: when one pairs something, the sure ones are tried again. */
static size_t step_groups_deep(struct match *m)
{
    return pair_groups(m, deep_key, SURE_GROUP, MATCH_BY_CODE | MATCH_BY_ORDER);
}
static size_t step_weak(struct match *m)
{
    return pair_unique(m, weak_key, SURE_WEAK, MATCH_BY_SHAPE, 0);
}
static size_t step_groups_code(struct match *m)
{
    return pair_groups(m, code_key, SURE_GROUP, MATCH_BY_CODE | MATCH_BY_ORDER);
}

void pair_functions(struct match *m)
{
    static size_t (*const step[])(struct match *) = {step_weak, pair_by_keys, step_groups_deep,
                                                     step_groups_code, pair_gaps};
    struct map tables = {0};
    if (!m->ignore_names) {
        pair_unique(m, full_name, SURE_NAME, MATCH_BY_NAME, 0);
        pair_unique(m, name_and_code, SURE_NAME, MATCH_BY_NAME | MATCH_BY_CODE, 0);
        pair_groups(m, full_name, SURE_STEM, MATCH_BY_NAME | MATCH_BY_ORDER);
        pair_unique(m, stem_name, SURE_STEM, MATCH_BY_NAME, 0);
        pair_groups(m, stem_name, SURE_STEM, MATCH_BY_NAME | MATCH_BY_ORDER);
    }
    settle(m, &tables);
    for (size_t k = 0; k < sizeof step / sizeof *step;) {
        if (step[k](m)) {
            settle(m, &tables);
            k = 0;
        } else {
            k++;
        }
    }
    map_free(&tables);
}
