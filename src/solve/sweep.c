/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equal parts of large terms.
 *
 * Two compilations of long straight code compute the same values step by step, each step written another way.
 * Whether the last ones are equal is beyond a solver; whether those of one step are, given those of the step
 * before, is not. So all parts are evaluated on a few random inputs, and of those that come out alike each is
 * compared with the first by a query of its own, from the inside out (as in the sweeping of and-inverter
 * graphs: Kuehlmann and Krohm 1997). What the two have in common is a symbol in that query, and addends
 * that both have are left away. What is proved equal is replaced by the first everywhere: then steps further
 * out are compared over what was found equal further in. Symbols stand for anything, so that a proof with
 * them holds for what they stand for. */
#include "solve/internal.h"

#include <stdio.h>

enum {
    NODES_LEAST = 1500,
    NODES_MAX = 400000,
    SAMPLES = 8,
    ALIKE_MAX = 3,    /* different ones of one value that another is compared with */
    CONE = 128,       /* nodes of a query on either side */
    RESIDUE_MAX = 12, /* addends that are not in both sums */
    ADDENDS_MAX = 4000,
    WIDTH_LEAST = 2, /* fewer bits are alike too often */
    WORD = 32,       /* bits of a read that is one symbol */
    FAILED_MAX = 200,
    LEAF_UNITS = 20, /* for one evaluated */
};

struct sweeper {
    struct terms *t;
    struct sweep_memo *memo;
    sweep_ask *ask;
    void *ctx;
    struct map
        value; /* of a node: a hash of what it evaluates to; absent: not evaluated, or always the same */
    struct map alike; /* of that hash and a number: a node */
    struct budget *until;
    size_t merged, failed;
};

/* ---- samples ---- */

struct listing {
    struct terms *t;
    struct term_list node, read;
};

static bool list_node(void *ctx, term x)
{
    struct listing *l = ctx;
    vec_push(&l->node, x);
    if (term_kind(l->t, x) == TERM_READ)
        vec_push(&l->read, x);
    return l->node.len > NODES_MAX;
}

static struct bits random_bits(uint64_t seed, unsigned width)
{
    struct bits v = {{0}};
    for (unsigned i = 0; i < (width + 63) / 64; i++)
        v.w[i] = hash_u64(seed * 8 + i);
    return bits_mask(v, width);
}

/* Cells of the arrays below a read where it reads. */
static void sample_read(struct sweeper *s, struct term_model *m, uint64_t seed, term read, struct bits at)
{
    struct terms *t = s->t;
    term array = term_kid(t, read, 0);
    while (term_kind(t, array) == TERM_WRITE || term_kind(t, array) == TERM_AITE)
        array = term_kid(t, array, term_kind(t, array) == TERM_AITE);
    if (term_kind(t, array) != TERM_VAR || term_index_width(t, array) > 64)
        return;
    unsigned cw = term_cell_width(t, array);
    for (unsigned i = 0; i < term_width(t, read) / cw; i++) {
        uint64_t index = bits_low(bits_u64(bits_low(at) + i, term_index_width(t, array)));
        term_model_set_cell(m, array, index, random_bits(hash_u64(index + seed), cw));
    }
}

static struct term_model *sample(struct sweeper *s, const struct listing *l, uint64_t seed)
{
    struct terms *t = s->t;
    struct term_model *m = term_model_new();
    struct term_list index = {0};
    for (size_t i = 0; i < l->node.len; i++) {
        term x = l->node.data[i];
        unsigned kind = term_kind(t, x);
        if ((kind == TERM_VAR || kind == TERM_APPLY) && !term_is_array(t, x))
            term_model_set(m, x, random_bits(hash_u64(seed << 32 | x), term_width(t, x)));
    }
    for (size_t i = 0; i < l->read.len; i++)
        vec_push(&index, term_kid(t, l->read.data[i], 1));
    struct bits *at = xcalloc(index.len + 1, sizeof *at);
    bool *known = xcalloc(index.len + 1, sizeof *known);
    term_eval_all(t, m, index.data, index.len, at, known);
    for (size_t i = 0; i < index.len; i++)
        if (known[i])
            sample_read(s, m, hash_u64(seed), l->read.data[i], at[i]);
    free(at);
    free(known);
    vec_free(&index);
    return m;
}

/* Evaluates all nodes. False when there are too few to be worth it, or too many. */
static bool evaluate(struct sweeper *s, const struct term_list *conjunct)
{
    struct terms *t = s->t;
    struct listing l = {.t = t};
    struct map seen = {0};
    bool fits = true;
    for (size_t i = 0; i < conjunct->len && fits; i++)
        fits = !term_any(t, conjunct->data[i], list_node, &l);
    fits = fits && l.node.len >= NODES_LEAST;
    struct term_list node = {0};
    for (size_t i = 0; i < l.node.len && fits; i++)
        if (!term_is_array(t, l.node.data[i]) && term_width(t, l.node.data[i]) >= WIDTH_LEAST &&
            map_set(&seen, l.node.data[i], 1))
            vec_push(&node, l.node.data[i]);
    fits = fits && node.len;
    struct bits *value = fits ? xcalloc(node.len, sizeof *value) : NULL;
    bool *known = fits ? xcalloc(node.len, sizeof *known) : NULL;
    uint64_t *first = fits ? xcalloc(node.len, sizeof *first) : NULL;
    bool *varies = fits ? xcalloc(node.len, sizeof *varies) : NULL;
    for (uint64_t seed = 1; fits && seed <= SAMPLES; seed++) {
        struct term_model *m = sample(s, &l, seed);
        term_eval_all(t, m, node.data, node.len, value, known);
        term_model_free(m);
        for (size_t i = 0; i < node.len; i++) {
            uint64_t h = hash_bytes(value[i].w, sizeof value[i].w),
                     sum = map_find(&s->value, node.data[i], 0);
            if (seed == 1)
                first[i] = h;
            varies[i] = known[i] && (varies[i] || h != first[i]);
            map_set(&s->value, node.data[i], hash_u64(sum + h) + term_width(t, node.data[i]));
        }
    }
    for (size_t i = 0; i < node.len && fits; i++)
        if (!varies[i])
            map_remove(&s->value, node.data[i]);
    *terms_work(t) += (uint64_t)l.node.len * SAMPLES * LEAF_UNITS;
    free(value);
    free(known);
    free(first);
    free(varies);
    vec_free(&node);
    vec_free(&l.node);
    vec_free(&l.read);
    map_free(&seen);
    return fits;
}

/* ---- the query of a pair ---- */

static bool is_leaf(const struct terms *t, term x)
{
    unsigned kind = term_kind(t, x);
    return kind >= OP_COUNT_ || term_is_array(t, x) || (kind == OP_EQ && term_is_array(t, term_kid(t, x, 0)));
}

/* The nodes nearest to x. */
static void cone(const struct terms *t, term x, struct map *in)
{
    struct term_list queue = {0};
    vec_push(&queue, x);
    map_set(in, x, 1);
    for (size_t i = 0; i < queue.len && !is_leaf(t, x); i++) {
        term y = queue.data[i];
        for (unsigned k = 0; !is_leaf(t, y) && k < term_nkids(t, y); k++)
            if (in->len < CONE && map_set(in, term_kid(t, y, k), 1))
                vec_push(&queue, term_kid(t, y, k));
    }
    vec_free(&queue);
}

/* What of that which both sides have is a symbol. */
enum depth { ALL_COMMON, COMMON_BUT_AND, COMMON_BUT_BITWISE, DEPTHS };

struct cut {
    struct terms *t;
    const struct map *left, *right; /* the cones */
    enum depth depth;
    struct map done;
    unsigned symbols;
};

static bool is_open(const struct cut *c, term x)
{
    unsigned kind = term_kind(c->t, x);
    if (c->depth == ALL_COMMON)
        return false;
    return kind == OP_AND || kind == OP_OR || kind == OP_NOT ||
           (c->depth == COMMON_BUT_BITWISE && kind == OP_XOR);
}

static void put_symbol(struct cut *c, term x);

/* Reads of several words and reads of them one by one have the words in common. */
static term words_of_read(struct cut *c, term x)
{
    struct terms *t = c->t;
    term array = term_kid(t, x, 0), all = TERM_NONE;
    unsigned cells = WORD / term_cell_width(t, array);
    for (unsigned i = 0; i < term_width(t, x) / WORD; i++) {
        term word = term_read(t, array, term_add_const(t, term_kid(t, x, 1), i * cells), WORD);
        if (!map_get(&c->done, word, NULL))
            put_symbol(c, word);
        word = (term)map_find(&c->done, word, word);
        all = all == TERM_NONE ? word : term_concat(t, word, all);
    }
    return all;
}

static void spell_part(struct buf *out, const struct term_origin *o)
{
    buf_printf(out, "part!%u!%u", o->part, o->index);
}

/* A symbol for it, and for what is its complement: that of a sum is written as a sum. Symbols are numbered as
 * they are met, so that equal queries about different nodes are one. */
static void put_symbol(struct cut *c, term x)
{
    struct terms *t = c->t;
    unsigned width = term_width(t, x), kind = term_kind(t, x);
    if (term_is_array(t, x)) {
        map_set(&c->done, x, x);
        return;
    }
    if (term_kind(t, x) == TERM_READ && width > WORD && width % WORD == 0 &&
        WORD % term_cell_width(t, term_kid(t, x, 0)) == 0) {
        map_set(&c->done, x, words_of_read(c, x));
        return;
    }
    struct term_origin from = {.kind = TERM_ORIGIN_PART, .index = c->symbols++, .part = (uint16_t)width};
    term symbol = term_symbol(t, &from, spell_part, width);
    map_set(&c->done, x, symbol);
    if (kind == OP_ADD || kind == OP_SUB || kind == OP_NEG || kind == OP_NOT)
        map_set(&c->done, term_not(t, x), term_not(t, symbol));
}

/* Puts symbols for what is not looked into. */
static void put_symbols(struct cut *c, term x)
{
    struct terms *t = c->t;
    struct term_list queue = {0};
    struct map seen = {0};
    vec_push(&queue, x);
    for (size_t i = 0; i < queue.len; i++) {
        term y = queue.data[i];
        if (!map_set(&seen, y, 1) || map_get(&c->done, y, NULL) || term_is_const(t, y))
            continue;
        bool l = map_get(c->left, y, NULL), r = map_get(c->right, y, NULL);
        if (is_leaf(t, y) || (!l && !r) || (l && r && !is_open(c, y))) {
            put_symbol(c, y);
            continue;
        }
        for (unsigned k = 0; k < term_nkids(t, y); k++)
            vec_push(&queue, term_kid(t, y, k));
    }
    vec_free(&queue);
    map_free(&seen);
}

static term question(struct terms *t, term a, term b, enum depth depth)
{
    struct map left = {0}, right = {0};
    cone(t, a, &left);
    cone(t, b, &right);
    struct cut c = {.t = t, .left = &left, .right = term_is_const(t, b) ? &left : &right, .depth = depth};
    put_symbols(&c, a);
    put_symbols(&c, b);
    a = term_rewrite(t, a, &c.done, NULL, NULL);
    b = term_rewrite(t, b, &c.done, NULL, NULL);
    map_free(&c.done);
    map_free(&left);
    map_free(&right);
    return term_not(t, term_eq(t, a, b));
}

static bool refuted(struct sweeper *s, term q)
{
    uint64_t known;
    if (term_is_const(s->t, q))
        return term_is_false(s->t, q);
    if (!map_get(&s->memo->known, q, &known)) {
        s->memo->asked++;
        known = s->ask(s->ctx, q);
        map_set(&s->memo->known, q, known);
    }
    return known;
}

/* ---- what two sums do not have in common ---- */

struct addend {
    term x;
    uint64_t k;
};

struct residue {
    VEC(struct addend) at;
    uint64_t c;
};

static uint64_t mask_of(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static bool is_sum(const struct terms *t, term x)
{
    unsigned kind = term_kind(t, x);
    return kind == OP_ADD || kind == OP_SUB || kind == OP_NEG || kind == OP_NOT ||
           (kind == OP_MUL && term_is_const(t, term_kid(t, x, 1)));
}

/* Bits of one and bits of another: x ^ y of two that have no bit in common is x + y, and z ^ (x & (y ^ z)) is
 * (x & y) + (z & ~x). */
static bool is_choice(struct sweeper *s, term x, term part[2])
{
    struct terms *t = s->t;
    unsigned kind = term_kind(t, x);
    if (kind != OP_XOR && kind != OP_OR)
        return false;
    term p = term_kid(t, x, 0), q = term_kid(t, x, 1);
    if (term_kind(t, p) == OP_AND && term_kind(t, q) == OP_AND) {
        part[0] = p;
        part[1] = q;
        term meet = term_bin(t, OP_AND, p, q);
        return refuted(s, question(t, meet, term_const(t, term_width(t, x), 0), COMMON_BUT_AND)) ||
               refuted(s, question(t, meet, term_const(t, term_width(t, x), 0), COMMON_BUT_BITWISE));
    }
    for (unsigned i = 0; i < 4 && kind == OP_XOR; i++) {
        term z = i & 1 ? p : q, and = i & 1 ? q : p;
        if (term_kind(t, and) != OP_AND)
            continue;
        term w = term_kid(t, and, i >> 1), c = term_kid(t, and, !(i >> 1));
        if (term_kind(t, w) != OP_XOR || (term_kid(t, w, 0) != z && term_kid(t, w, 1) != z))
            continue;
        part[0] = term_bin(t, OP_AND, c, term_kid(t, w, term_kid(t, w, 0) == z));
        part[1] = term_bin(t, OP_AND, z, term_not(t, c));
        return true;
    }
    return false;
}

/* a - b as a sum of multiples of what is no sum; the low bits of a sum are a sum. False when it is too long.
 */
static bool subtract(struct sweeper *s, term a, term b, struct residue *out)
{
    struct terms *t = s->t;
    struct map of = {0};
    VEC(struct addend) todo = VEC_INIT;
    struct term_list order = {0};
    unsigned width = term_width(t, a);
    uint64_t mask = mask_of(width), k;
    term part[2];
    size_t seen = 0;
    vec_push(&todo, ((struct addend){b, mask}));
    vec_push(&todo, ((struct addend){a, 1}));
    while (todo.len && seen++ < ADDENDS_MAX) {
        struct addend e = vec_pop(&todo);
        unsigned kind = term_kind(t, e.x);
        e.k &= mask;
        while (kind == OP_EXTRACT && term_extract_lo(t, e.x) == 0 && is_sum(t, term_kid(t, e.x, 0)) &&
               term_width(t, term_kid(t, e.x, 0)) <= 64) {
            e.x = term_kid(t, e.x, 0);
            kind = term_kind(t, e.x);
        }
        if (term_const_u64(t, e.x, &k)) {
            out->c += e.k * k;
        } else if (kind == OP_ADD || kind == OP_SUB) {
            vec_push(&todo, ((struct addend){term_kid(t, e.x, 1), kind == OP_ADD ? e.k : -e.k}));
            vec_push(&todo, ((struct addend){term_kid(t, e.x, 0), e.k}));
        } else if (kind == OP_NEG || kind == OP_NOT) {
            out->c -= kind == OP_NOT ? e.k : 0;
            vec_push(&todo, ((struct addend){term_kid(t, e.x, 0), -e.k}));
        } else if (kind == OP_MUL && term_const_u64(t, term_kid(t, e.x, 1), &k)) {
            vec_push(&todo, ((struct addend){term_kid(t, e.x, 0), e.k * k}));
        } else if (is_choice(s, e.x, part)) {
            vec_push(&todo, ((struct addend){part[1], e.k}));
            vec_push(&todo, ((struct addend){part[0], e.k}));
        } else {
            e.x = term_extract(t, e.x, 0, width);
            if (!map_get(&of, e.x, NULL))
                vec_push(&order, e.x);
            map_set(&of, e.x, (map_find(&of, e.x, 0) + e.k) & mask);
        }
    }
    out->c &= mask;
    for (size_t i = 0; i < order.len; i++)
        if ((k = map_find(&of, order.data[i], 0)))
            vec_push(&out->at, ((struct addend){order.data[i], k}));
    bool whole = todo.len == 0;
    map_free(&of);
    vec_free(&todo);
    vec_free(&order);
    return whole && out->at.len <= RESIDUE_MAX;
}

/* Divides by a power of two that all have: what then is equal was before. */
static void simplify(struct residue *r, unsigned width)
{
    uint64_t all = r->c;
    for (size_t i = 0; i < r->at.len; i++)
        all |= r->at.data[i].k;
    if (!all)
        return;
    unsigned by = (unsigned)__builtin_ctzll(all), above = 64 - width;
    for (size_t i = 0; i < r->at.len; i++)
        r->at.data[i].k = (uint64_t)((int64_t)(r->at.data[i].k << above) >> above >> by) & mask_of(width);
    r->c = (uint64_t)((int64_t)(r->c << above) >> above >> by) & mask_of(width);
}

/* The equation a == b without what both sides have: if then *a == *b, they are equal. False when that is none
 * for a small query. */
static bool reduce(struct sweeper *s, term *a, term *b)
{
    struct terms *t = s->t;
    unsigned width = term_width(t, *a);
    if (width < 2 || width > 64)
        return true;
    struct residue r = {0};
    bool fits = subtract(s, *a, *b, &r);
    if (fits) {
        uint64_t mask = mask_of(width);
        simplify(&r, width);
        *a = term_const(t, width, r.c);
        *b = term_const(t, width, 0);
        for (size_t i = 0; i < r.at.len; i++) {
            bool plus = r.at.data[i].k <= mask >> 1;
            term *side = plus ? a : b,
                 k = term_const(t, width, plus ? r.at.data[i].k : -r.at.data[i].k & mask);
            *side = term_bin(t, OP_ADD, *side, term_bin(t, OP_MUL, r.at.data[i].x, k));
        }
    }
    vec_free(&r.at);
    return fits;
}

static bool is_equal(struct sweeper *s, term a, term b)
{
    if (a == b)
        return true;
    if (s->failed > FAILED_MAX || budget_over(s->until) || !reduce(s, &a, &b))
        return false;
    bool equal = false;
    for (unsigned depth = 0; depth < DEPTHS && !equal; depth++)
        equal = refuted(s, question(s->t, a, b, (enum depth)depth));
    s->failed += !equal;
    return equal;
}

/* ---- from the inside out ---- */

static term sweep_node(void *ctx, term x, const term *kid)
{
    struct sweeper *s = ctx;
    struct terms *t = s->t;
    uint64_t value, other;
    bool changed = false;
    for (unsigned i = 0; i < term_nkids(t, x); i++)
        changed |= kid[i] != term_kid(t, x, i);
    term y = changed ? term_rebuild(t, x, kid) : x;
    if (!map_get(&s->value, x, &value))
        return y;
    for (unsigned i = 0; i < ALIKE_MAX; i++) {
        if (!map_get(&s->alike, hash_u64(value + i), &other)) {
            map_set(&s->alike, hash_u64(value + i), y);
            return y;
        }
        if (term_width(t, (term)other) == term_width(t, y) && is_equal(s, (term)other, y)) {
            s->merged += y != other;
            return (term)other;
        }
    }
    return y;
}

bool sweep(struct terms *t, const struct term_list *conjunct, struct sweep_memo *memo, sweep_ask *ask,
           void *ctx, struct budget *until, struct term_list *out)
{
    struct sweeper s = {.t = t, .memo = memo, .ask = ask, .ctx = ctx, .until = until};
    struct map done = {0};
    if (evaluate(&s, conjunct))
        for (size_t i = 0; i < conjunct->len; i++)
            vec_push(out, term_rewrite(t, conjunct->data[i], &done, sweep_node, &s));
    memo->merged += s.merged;
    map_free(&done);
    map_free(&s.value);
    map_free(&s.alike);
    return s.merged;
}

void sweep_memo_free(struct sweep_memo *memo)
{
    map_free(&memo->known);
}
