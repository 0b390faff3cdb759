/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/expr.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "present/expr_table.h"

struct exprs *exprs_new(void)
{
    struct exprs *t = xcalloc(1, sizeof *t);
    vec_push(&t->node, (struct node){.kind = EXPR_OTHER}); /* EXPR_NONE */
    return t;
}

void exprs_free(struct exprs *t)
{
    if (!t)
        return;
    vec_free(&t->node);
    map_free(&t->by_key);
    arena_free(&t->arena);
    free(t);
}

static unsigned plus(unsigned a, unsigned b)
{
    return a + b < a ? UINT32_MAX : a + b;
}

expr expr_node(struct exprs *t, enum expr_kind kind, int64_t value, const char *name, const expr *kid,
               unsigned nkids)
{
    uint64_t key = hash_u64((uint64_t)kind + 1) ^ hash_u64((uint64_t)value * 31 + 7);
    if (name)
        key ^= hash_bytes(name, strlen(name));
    for (unsigned i = 0; i < nkids; i++)
        key = hash_u64(key * 3 + t->node.data[kid[i]].key);
    uint64_t found;
    for (; map_get(&t->by_key, key, &found); key++) { /* another expression may have had the key first */
        const struct node *n = &t->node.data[found];
        if (n->kind == kind && n->value == value && n->nkids == nkids && text_same(n->name, name) &&
            (nkids == 0 || memcmp(n->kid, kid, nkids * sizeof *kid) == 0))
            return (expr)found;
    }
    struct node n = {.kind = (uint8_t)kind, .value = value, .nkids = nkids, .key = key};
    n.name = name ? arena_strdup(&t->arena, name) : NULL;
    n.kid = arena_dup(&t->arena, kid, nkids * sizeof *kid);
    n.complexity = kind == EXPR_ANY ? 0 : 1;
    for (unsigned i = 0; i < nkids; i++)
        n.complexity = plus(n.complexity, t->node.data[kid[i]].complexity);
    vec_push(&t->node, n);
    map_set(&t->by_key, key, t->node.len - 1);
    return (expr)(t->node.len - 1);
}

/* ---- building ---- */

expr expr_any(struct exprs *t)
{
    return expr_node(t, EXPR_ANY, 0, NULL, NULL, 0);
}

expr expr_const(struct exprs *t, int64_t value)
{
    return expr_node(t, EXPR_CONST, value, NULL, NULL, 0);
}

expr expr_leaf(struct exprs *t, enum expr_kind kind, const char *name, int64_t value)
{
    return expr_node(t, kind, value, name, NULL, 0);
}

expr expr_mem(struct exprs *t, expr address)
{
    address = expr_place(t, address);
    return expr_node(t, EXPR_MEM, 0, NULL, &address, 1);
}

expr expr_call(struct exprs *t, const char *name, const expr *kid, unsigned nkids)
{
    return expr_node(t, EXPR_CALL, 0, name, kid, nkids);
}

expr expr_chain(struct exprs *t, expr first, int64_t offset)
{
    /* Loops may begin with the second element. */
    while (node_of(t, first)->kind == EXPR_MEM) {
        expr link = node_of(t, first)->kid[0],
             before = expr_op(t, OP_ADD, (expr[]){link, expr_const(t, -offset)}, 2);
        const struct node *n = node_of(t, before);
        if (offset && n->kind == EXPR_OP && n->kid[n->nkids - 1] != EXPR_NONE &&
            node_of(t, n->kid[n->nkids - 1])->kind == EXPR_CONST)
            break;
        first = before;
    }
    return expr_node(t, EXPR_CALL, 0, "chain", &first, 1);
}

expr expr_pattern(struct exprs *t, expr x, const expr *kid)
{
    const struct node n = *node_of(t, x);
    return expr_node(t, (enum expr_kind)n.kind, n.value, n.name, kid, n.nkids);
}

static expr replace(struct exprs *t, expr x, expr from, expr to, struct map *done)
{
    uint64_t known;
    if (x == from)
        return to;
    const struct node n = *node_of(t, x);
    if (n.nkids == 0)
        return x;
    if (map_get(done, x, &known))
        return (expr)known;
    expr_list kid = VEC_INIT;
    bool changed = false;
    expr r = x;
    for (unsigned i = 0; i < n.nkids; i++) {
        vec_push(&kid, replace(t, n.kid[i], from, to, done));
        changed = changed || kid.data[i] != n.kid[i];
    }
    if (changed && n.kind == EXPR_OP)
        r = expr_op(t, (enum op)n.value, kid.data, n.nkids);
    else if (changed)
        r = expr_node(t, (enum expr_kind)n.kind, n.value, n.name, kid.data, n.nkids);
    vec_free(&kid);
    map_set(done, x, r);
    return r;
}

expr expr_replace(struct exprs *t, expr x, expr from, expr to)
{
    struct map done = {0};
    expr r = replace(t, x, from, to, &done);
    map_free(&done);
    return r;
}

static expr choice(const struct exprs *t, expr x, unsigned depth)
{
    const struct node *n = node_of(t, x);
    if (is_op(t, x, OP_ITE))
        return x;
    for (unsigned i = 0; i < n->nkids && depth; i++) {
        expr found = choice(t, n->kid[i], depth - 1);
        if (found != EXPR_NONE)
            return found;
    }
    return EXPR_NONE;
}

expr expr_choice(const struct exprs *t, expr x)
{
    enum { DEPTH = 5 };
    return choice(t, x, DEPTH);
}

expr expr_branch(struct exprs *t, expr condition)
{
    return is_op(t, condition, OP_NOT) ? node_of(t, condition)->kid[0] : condition;
}

/* ---- looking ---- */

enum expr_kind expr_kind(const struct exprs *t, expr x)
{
    return (enum expr_kind)node_of(t, x)->kind;
}

int64_t expr_value(const struct exprs *t, expr x)
{
    return node_of(t, x)->value;
}

const char *expr_name(const struct exprs *t, expr x)
{
    return node_of(t, x)->name;
}

unsigned expr_nkids(const struct exprs *t, expr x)
{
    return node_of(t, x)->nkids;
}

expr expr_kid(const struct exprs *t, expr x, unsigned i)
{
    assert(i < node_of(t, x)->nkids);
    return node_of(t, x)->kid[i];
}

uint64_t expr_key(const struct exprs *t, expr x)
{
    return node_of(t, x)->key;
}

static bool same_head(const struct node *a, const struct node *b)
{
    return a->kind == b->kind && a->value == b->value && a->nkids == b->nkids && text_same(a->name, b->name);
}

/* Whether operands i, i+1, ... of a pattern match operands that are not in `used`, in any order. */
static bool match_rest(const struct exprs *t, const struct node *p, const struct node *n, unsigned i,
                       unsigned used)
{
    if (i == p->nkids)
        return true;
    for (unsigned k = 0; k < n->nkids; k++)
        if (!(used >> k & 1) && expr_matches(t, p->kid[i], n->kid[k]) &&
            match_rest(t, p, n, i + 1, used | 1u << k))
            return true;
    return false;
}

bool expr_matches(const struct exprs *t, expr pattern, expr x)
{
    enum { ANY_ORDER = 6 }; /* sums of more are compared in their order */
    const struct node *p = node_of(t, pattern), *n = node_of(t, x);
    if (pattern == x || p->kind == EXPR_ANY)
        return true;
    /* How many arguments a call has is not always known, and compilers take some away. */
    if (p->kind == EXPR_CALL && n->kind == EXPR_CALL && p->nkids != n->nkids && p->name &&
        text_same(p->name, n->name)) {
        for (unsigned i = 0; i < p->nkids; i++)
            if (i < n->nkids ? !expr_matches(t, p->kid[i], n->kid[i])
                             : node_of(t, p->kid[i])->kind != EXPR_ANY)
                return false;
        return n->nkids > p->nkids;
    }
    if (p->nkids == 0 || !same_head(p, n))
        return false;
    if (p->kind == EXPR_OP && (commutes((enum op)p->value) || p->value == OP_ADD) && p->nkids <= ANY_ORDER)
        return match_rest(t, p, n, 0, 0);
    for (unsigned i = 0; i < p->nkids; i++)
        if (!expr_matches(t, p->kid[i], n->kid[i]))
            return false;
    return true;
}

unsigned expr_similarity(const struct exprs *t, expr x, expr y)
{
    const struct node *a = node_of(t, x), *b = node_of(t, y);
    if (a->kind == EXPR_ANY || b->kind == EXPR_ANY)
        return 1;
    if (!same_head(a, b))
        return 0;
    unsigned s = 1, turned = 1;
    for (unsigned i = 0; i < a->nkids; i++)
        s = plus(s, expr_similarity(t, a->kid[i], b->kid[i]));
    if (a->kind == EXPR_OP && a->nkids == 2 && (commutes((enum op)a->value) || a->value == OP_ADD))
        for (unsigned i = 0; i < 2; i++)
            turned = plus(turned, expr_similarity(t, a->kid[i], b->kid[1 - i]));
    return s > turned ? s : turned;
}

unsigned expr_complexity(const struct exprs *t, expr x)
{
    return node_of(t, x)->complexity;
}

const char *exprs_keep(struct exprs *t, const char *text)
{
    return arena_strdup(&t->arena, text);
}
