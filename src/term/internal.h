/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/term: the table's layout and what its files share. Not included from elsewhere. */
#ifndef TERM_INTERNAL_H
#define TERM_INTERNAL_H

#include <assert.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "term/rules.h"
#include "term/term.h"

/* clang-format off */
/* 20 bytes. `sort` is a bit-vector width, or SORT_ARRAY plus an index into terms.sort.
 *
 *   kind         aux                  kid
 *   TERM_CONST   0                    low and high half of the value; wider than 64 bits: index into terms.words
 *   TERM_VAR     name                 -
 *   TERM_APPLY   name                 arguments
 *   TERM_PURE    index of terms.pure  arguments
 *   OP_EXTRACT   low bit              operand
 *   others       0                    operands
 *
 * nkids is the number of kids, or NODE_POOLED: then kid[0] is an index into terms.pool and kid[1] the number. */
/* clang-format on */
struct term_node {
    uint8_t kind, nkids;
    uint16_t sort;
    uint32_t aux;
    uint32_t kid[3];
};

enum { NODE_INLINE = 3, NODE_POOLED = 255, SORT_ARRAY = 0x8000 };

struct term_sort {
    uint16_t index, cell;
};

struct term_slot {
    uint32_t hash;
    term id;
};

/* An operator about to be applied, before rewriting. Also TERM_READ (kids array, index) and TERM_WRITE. */
struct form {
    uint8_t op, nkids;
    uint16_t width;
    uint32_t lo;
    term kid[OP_MAX_ARITY];
};

struct form_memo {
    struct form form;
    term result;
    uint32_t generation;
};

enum {
    RULES_PER_OP = 40,
    REWRITE_DEPTH = 300, /* nesting of constructors inside rules: bounds the C stack */
    REWRITE_FUEL = 5000, /* constructors run for one caller's constructor: bounds the time */
    LINEAR_MAX = 16,     /* addends of a sum kept in order; longer sums stay as they were written */
    CHAIN_MAX = 4096,    /* writes a read looks past */
    SINK_MAX = 48,       /* writes a write is moved below, or looks under for one it hides */
};

struct terms {
    struct term_node *node;
    size_t count, cap;
    struct term_slot *slot;
    size_t slots;
    VEC(uint32_t) pool;
    VEC(uint64_t) words;
    VEC(struct term_sort) sort;

    struct arena text;
    struct strmap name_id;
    VEC(const char *) name;
    VEC(struct term_origin) origin; /* by name */
    VEC(term) symbol;               /* by name: the TERM_VAR, or TERM_NONE */
    struct map origin_id;           /* hash of an origin, or the next number that was free -> name */
    VEC(const struct pure *) pure;
    uint64_t fresh;
    term yes, no;

    struct term_distinct distinct;

    /* rewriting */
    uint8_t rule_list[TERM_KIND_COUNT_][RULES_PER_OP];
    uint8_t rule_len[TERM_KIND_COUNT_];
    bool rule_off[TERM_RULE_COUNT_];
    uint64_t fired[TERM_RULE_COUNT_];
    struct form_memo *memo; /* direct-mapped */
    size_t memo_cap;
    uint32_t generation;
    unsigned depth;
    unsigned fuel;
    bool starved; /* fuel or depth ran out since the outermost constructor began */

    /* known bits: known_at[x] is 0 or 1 + the index into known of 2 * words(width) words, zeros first */
    VEC(uint32_t) known_at;
    VEC(uint64_t) known;

    /* evaluating (eval.c) */
    uint64_t *evaluated; /* by term */
    size_t evaluated_cap;
    uint32_t evaluation; /* its number */

    struct seen_sets *seen; /* of walks (walk.c) */

    uint64_t lookups, hits, rewrites, work;
};

/* ---- walk.c ---- */
struct seen_sets *seen_sets_new(void);
void seen_sets_free(struct seen_sets *all);

/* ---- table.c ---- */
struct term_key {
    uint8_t kind;
    uint16_t sort;
    uint32_t aux;
    const term *kid;
    unsigned nkids;
};
term table_cons(struct terms *t, const struct term_key *key);
term table_const(struct terms *t, unsigned width, struct bits value);
uint32_t table_name(struct terms *t, const char *name);
uint32_t table_origin(struct terms *t, const struct term_origin *o, term_spell_fn *spell);
/* False: nothing of that origin was made yet. */
bool table_find_origin(const struct terms *t, const struct term_origin *o, uint32_t *id);
uint16_t table_array_sort(struct terms *t, unsigned index_width, unsigned cell_width);

static inline const struct term_node *node_of(const struct terms *t, term x)
{
    assert(x != TERM_NONE && x < t->count);
    return &t->node[x];
}

static inline unsigned kind_of(const struct terms *t, term x)
{
    return node_of(t, x)->kind;
}

static inline bool sort_is_array(unsigned sort)
{
    return sort >= SORT_ARRAY;
}

static inline unsigned width_of(const struct terms *t, term x)
{
    unsigned sort = node_of(t, x)->sort;
    return sort_is_array(sort) ? 0 : sort;
}

static inline const term *kids_of(const struct terms *t, term x)
{
    const struct term_node *n = node_of(t, x);
    return n->nkids == NODE_POOLED ? &t->pool.data[n->kid[0]] : n->kid;
}

static inline unsigned nkids_of(const struct terms *t, term x)
{
    const struct term_node *n = node_of(t, x);
    return n->nkids == NODE_POOLED ? n->kid[1] : n->nkids;
}

static inline term kid_of(const struct terms *t, term x, unsigned i)
{
    assert(i < nkids_of(t, x));
    return kids_of(t, x)[i];
}

static inline bool is_const(const struct terms *t, term x)
{
    return kind_of(t, x) == TERM_CONST;
}

/* A constant of at most 64 bits. */
static inline bool small_const(const struct terms *t, term x, uint64_t *v)
{
    const struct term_node *n = node_of(t, x);
    if (n->kind != TERM_CONST || n->sort > 64)
        return false;
    *v = (uint64_t)n->kid[1] << 32 | n->kid[0];
    return true;
}

static inline uint64_t mask64(unsigned width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static inline unsigned words_of(unsigned width)
{
    return (width + 63) / 64;
}

/* ---- rewrite.c ---- */
void rewrite_init(struct terms *t);
/* What everything is built with: rewrites, then hash-conses. */
term rewrite_build(struct terms *t, const struct form *f);
/* False while a rule is switched off; counts when fired. For rules that are part of a larger walk. */
bool rule_on(const struct terms *t, enum term_rule_id id);
void rule_count(struct terms *t, enum term_rule_id id);

/* A rule yields the new term, or TERM_NONE when it does not apply. */
typedef term term_rule_fn(struct terms *t, const struct form *f);
#define RULE_DECLARE(id, ops, text) term rule_##id(struct terms *t, const struct form *f);
TERM_RULES(RULE_DECLARE)
#undef RULE_DECLARE

/* ---- rewrite_parts.c ---- */
/* What is under an extension (ext is OP_ZEXT or OP_SEXT) of an operand *width bits wide; of any width when
 * *width is 0, which then is set. A constant counts when it is the extension of one of *width bits. */
bool narrow_operand(struct terms *t, unsigned ext, term x, unsigned *width, term *out);

/* ---- known.c ---- */
/* Range of an unsigned value, width at most 64: lo <= x <= hi. */
void term_range(struct terms *t, term x, uint64_t *lo, uint64_t *hi);
unsigned known_trailing_zeros(struct terms *t, term x);
unsigned known_leading_zeros(struct terms *t, term x);
bool known_top_zero(struct terms *t, term x);

/* ---- linear.c ---- */
/* x - y when that is a constant (width at most 64). */
bool linear_difference(struct terms *t, term x, term y, uint64_t *c);
/* A sum y with x = y * 2^k, the smallest in its coefficients; TERM_NONE when there is none. */
term linear_unscale(struct terms *t, term x, unsigned k);

/* ---- memory.c ---- */
term memory_write(struct terms *t, term array, term index, term value);
term memory_ite(struct terms *t, term c, term x, term y);

/* ---- small helpers used by rules ---- */
static inline bool is_zero(const struct terms *t, term x)
{
    struct bits v;
    return term_const_value(t, x, &v) && bits_is_zero(v);
}

static inline bool is_one(const struct terms *t, term x)
{
    struct bits v;
    return term_const_value(t, x, &v) && bits_eq(v, bits_u64(1, width_of(t, x)));
}

static inline bool is_ones(const struct terms *t, term x)
{
    struct bits v;
    return term_const_value(t, x, &v) && bits_eq(v, bits_ones(width_of(t, x)));
}

/* 2^k: which k. */
static inline bool is_pow2(const struct terms *t, term x, unsigned *k)
{
    struct bits v;
    unsigned n = 0;
    *k = 0;
    if (!term_const_value(t, x, &v))
        return false;
    for (unsigned i = 0; i < OP_MAX_WIDTH / 64; i++) {
        n += (unsigned)__builtin_popcountll(v.w[i]);
        if (v.w[i])
            *k = i * 64 + (unsigned)__builtin_ctzll(v.w[i]);
    }
    return n == 1;
}

/* y is ~x, as far as the top nodes show. */
static inline bool is_complement(const struct terms *t, term x, term y)
{
    unsigned a = kind_of(t, x), b = kind_of(t, y);
    if (a == OP_NOT || b == OP_NOT)
        return (a == OP_NOT && kid_of(t, x, 0) == y) || (b == OP_NOT && kid_of(t, y, 0) == x);
    bool order = (a == OP_ULT && b == OP_ULE) || (a == OP_ULE && b == OP_ULT) ||
                 (a == OP_SLT && b == OP_SLE) || (a == OP_SLE && b == OP_SLT);
    return order && kid_of(t, x, 0) == kid_of(t, y, 1) && kid_of(t, x, 1) == kid_of(t, y, 0);
}

static inline term zero_of(struct terms *t, unsigned width)
{
    return table_const(t, width, bits_u64(0, width));
}

static inline term build1(struct terms *t, unsigned op, unsigned width, term a)
{
    return rewrite_build(t,
                         &(struct form){.op = (uint8_t)op, .nkids = 1, .width = (uint16_t)width, .kid = {a}});
}

static inline term build2(struct terms *t, unsigned op, unsigned width, term a, term b)
{
    return rewrite_build(
        t, &(struct form){.op = (uint8_t)op, .nkids = 2, .width = (uint16_t)width, .kid = {a, b}});
}

#endif
