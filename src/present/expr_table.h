/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of expressions, as those see it who build and print them. */
#ifndef PRESENT_EXPR_TABLE_H
#define PRESENT_EXPR_TABLE_H

#include <assert.h>

#include "base/map.h"
#include "base/vec.h"
#include "present/expr.h"

struct node {
    uint8_t kind;
    int64_t value;
    const char *name;
    const expr *kid;
    uint32_t nkids;
    uint64_t key;
    unsigned complexity;
};

struct exprs {
    VEC(struct node) node;
    struct map by_key; /* key -> the first with it; others follow by linear search from there */
    struct arena arena;
};

typedef VEC(expr) expr_list;

static inline const struct node *node_of(const struct exprs *t, expr x)
{
    assert(x != EXPR_NONE && x < t->node.len);
    return &t->node.data[x];
}

static inline bool is_op(const struct exprs *t, expr x, enum op op)
{
    return node_of(t, x)->kind == EXPR_OP && node_of(t, x)->value == (int64_t)op;
}

static inline bool commutes(enum op op)
{
    return op == OP_MUL || op == OP_AND || op == OP_OR || op == OP_XOR || op == OP_EQ || op == OP_FEQ ||
           op == OP_FUNORD || op == OP_FADD || op == OP_FMUL;
}

#endif
