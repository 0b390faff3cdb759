/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The normal form of operators: what compilers write in many ways and means the same is one expression. */
#include <string.h>

#include "present/expr_table.h"

static bool is_const(const struct exprs *t, expr x)
{
    return node_of(t, x)->kind == EXPR_CONST;
}

/* Orders by key; insertion sort, as there are few. */
static void in_order(const struct exprs *t, expr *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && node_of(t, x[k - 1])->key > node_of(t, x[k])->key; k--) {
            expr swap = x[k];
            x[k] = x[k - 1];
            x[k - 1] = swap;
        }
}

/* Addends of x, those of a difference negated, to `out`; constants to *sum. */
static void add_up(struct exprs *t, expr x, bool minus, expr_list *out, uint64_t *sum)
{
    const struct node n = *node_of(t, x);
    if (n.kind == EXPR_CONST) {
        *sum += minus ? -(uint64_t)n.value : (uint64_t)n.value;
    } else if (is_op(t, x, OP_ADD)) {
        for (unsigned i = 0; i < n.nkids; i++)
            add_up(t, n.kid[i], minus, out, sum);
    } else if (is_op(t, x, OP_NEG)) {
        add_up(t, n.kid[0], !minus, out, sum);
    } else if (expr_is_boolean(t, x)) {
        expr choice[] = {x, expr_const(t, minus ? -1 : 1), expr_const(t, 0)};
        vec_push(out, expr_node(t, EXPR_OP, OP_ITE, NULL, choice, 3));
    } else {
        int64_t op = OP_NEG;
        vec_push(out, minus ? expr_node(t, EXPR_OP, op, NULL, &x, 1) : x);
    }
}

/* Cancels what is both added and subtracted. */
static void cancel(const struct exprs *t, expr_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        if (!is_op(t, list->data[i], OP_NEG))
            continue;
        expr x = node_of(t, list->data[i])->kid[0];
        size_t k = 0, left = 0;
        while (k < list->len && list->data[k] != x)
            k++;
        if (k == list->len)
            continue;
        for (size_t j = 0; j < list->len; j++)
            if (j != i && j != k)
                list->data[left++] = list->data[j];
        list->len = left;
        i = SIZE_MAX; /* from the beginning */
    }
}

/* An addend as something times a constant. */
static expr factor(const struct exprs *t, expr x, int64_t *by)
{
    *by = 1;
    if (is_op(t, x, OP_NEG)) {
        *by = -1;
        x = node_of(t, x)->kid[0];
    }
    const struct node *n = node_of(t, x);
    if (is_op(t, x, OP_MUL) && n->nkids == 2 && is_const(t, n->kid[1])) {
        *by = (int64_t)((uint64_t)*by * (uint64_t)node_of(t, n->kid[1])->value);
        x = n->kid[0];
    }
    return x;
}

static expr sum_of(struct exprs *t, const expr *kid, unsigned nkids, bool difference);

/* Bytes that are loaded one by one and put together are one number: m(a) + 256 * m(a + 1). */
static void join_bytes(struct exprs *t, expr_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        for (size_t k = 0; k < list->len; k++) {
            int64_t low, high;
            expr a = factor(t, list->data[i], &low), b = factor(t, list->data[k], &high);
            if (i == k || node_of(t, a)->kind != EXPR_MEM || node_of(t, b)->kind != EXPR_MEM)
                continue;
            expr between = sum_of(t, (expr[]){node_of(t, b)->kid[0], node_of(t, a)->kid[0]}, 2, true);
            int64_t d = is_const(t, between) ? node_of(t, between)->value : 0;
            if (d < 1 || d > 7 || (uint64_t)high != (uint64_t)low << 8 * d)
                continue;
            memmove(&list->data[k], &list->data[k + 1], (list->len - k - 1) * sizeof *list->data);
            list->len--;
            i -= i > k;
            k--;
        }
}

static expr sum_of(struct exprs *t, const expr *kid, unsigned nkids, bool difference)
{
    expr_list list = VEC_INIT;
    uint64_t sum = 0;
    for (unsigned i = 0; i < nkids; i++)
        add_up(t, kid[i], difference && i > 0, &list, &sum);
    in_order(t, list.data, list.len);
    cancel(t, &list);
    if (list.len > 1)
        join_bytes(t, &list);
    if (list.len == 0 || sum)
        vec_push(&list, expr_const(t, (int64_t)sum));
    expr r =
        list.len == 1 ? list.data[0] : expr_node(t, EXPR_OP, OP_ADD, NULL, list.data, (unsigned)list.len);
    vec_free(&list);
    return r;
}

static bool is_next(const struct exprs *t, expr x);

/* x times a constant: the constant last, and into sums. */
static expr times(struct exprs *t, expr x, int64_t c)
{
    const struct node n = *node_of(t, x);
    if (c == 1 || is_next(t, x))
        return x;
    if (c == -1)
        return sum_of(t, (expr[]){expr_const(t, 0), x}, 2, true);
    if (n.kind == EXPR_CONST)
        return expr_const(t, (int64_t)((uint64_t)n.value * (uint64_t)c));
    if (expr_is_boolean(t, x)) /* how branch-free code writes a choice */
        return expr_node(t, EXPR_OP, OP_ITE, NULL, (expr[]){x, expr_const(t, c), expr_const(t, 0)}, 3);
    if (is_op(t, x, OP_NEG))
        return times(t, n.kid[0], -c);
    if (is_op(t, x, OP_MUL) && is_const(t, n.kid[1]))
        return times(t, n.kid[0], (int64_t)((uint64_t)node_of(t, n.kid[1])->value * (uint64_t)c));
    if (is_op(t, x, OP_ADD)) {
        expr_list list = VEC_INIT;
        for (unsigned i = 0; i < n.nkids; i++)
            vec_push(&list, times(t, n.kid[i], c));
        expr r = sum_of(t, list.data, (unsigned)list.len, false);
        vec_free(&list);
        return r;
    }
    return expr_node(t, EXPR_OP, OP_MUL, NULL, (expr[]){x, expr_const(t, c)}, 2);
}

static expr junction(struct exprs *t, enum op op, const expr *kid, unsigned nkids);

static expr negation(struct exprs *t, expr x)
{
    const struct node n = *node_of(t, x);
    if (is_const(t, x) && (n.value == 0 || n.value == 1))
        return expr_const(t, !n.value);
    if (is_op(t, x, OP_NOT))
        return n.kid[0];
    /* of bits, one by one: so that both ways to write ~(a | b) are one */
    if ((is_op(t, x, OP_OR) || is_op(t, x, OP_AND)) && !expr_is_boolean(t, x)) {
        expr_list list = VEC_INIT;
        for (unsigned i = 0; i < n.nkids; i++)
            vec_push(&list, is_const(t, n.kid[i]) ? expr_const(t, ~node_of(t, n.kid[i])->value)
                                                  : negation(t, n.kid[i]));
        expr r = junction(t, n.value == OP_OR ? OP_AND : OP_OR, list.data, n.nkids);
        vec_free(&list);
        return r;
    }
    return expr_node(t, EXPR_OP, OP_NOT, NULL, &x, 1);
}

bool expr_is_boolean(const struct exprs *t, expr x)
{
    const struct node *n = node_of(t, x);
    if (n->kind != EXPR_OP)
        return false;
    switch ((enum op)n->value) {
    case OP_EQ:
    case OP_ULT:
    case OP_SLT:
    case OP_FEQ:
    case OP_FLT:
    case OP_FLE:
    case OP_FUNORD:
        return true;
    case OP_NOT:
        return expr_is_boolean(t, n->kid[0]);
    case OP_AND:
    case OP_OR:
    case OP_XOR:
        for (unsigned i = 0; i < n->nkids; i++)
            if (!expr_is_boolean(t, n->kid[i]))
                return false;
        return true;
    case OP_ITE:
        return expr_is_boolean(t, n->kid[1]) && expr_is_boolean(t, n->kid[2]);
    default:
        return false;
    }
}

/* Operands of x where it is such an operation, else x; constants to *c. */
static void take_apart(struct exprs *t, enum op op, expr x, expr_list *out, uint64_t *c)
{
    const struct node n = *node_of(t, x);
    if (n.kind == EXPR_CONST)
        *c = op == OP_AND  ? *c & (uint64_t)n.value
             : op == OP_OR ? *c | (uint64_t)n.value
                           : *c ^ (uint64_t)n.value;
    else if (is_op(t, x, op))
        for (unsigned i = 0; i < n.nkids; i++)
            take_apart(t, op, n.kid[i], out, c);
    else
        vec_push(out, x);
}

/* Leaves one of each; of an exclusive or, one of an odd number. */
static void once_each(enum op op, expr_list *list)
{
    size_t left = 0;
    for (size_t i = 0; i < list->len; i++) {
        size_t k = 0;
        while (k < left && list->data[k] != list->data[i])
            k++;
        if (k == left)
            list->data[left++] = list->data[i];
        else if (op == OP_XOR)
            list->data[k] = list->data[--left];
    }
    list->len = left;
}

/* Operands of and, or, exclusive or: flat, in order, each once, the constant last. */
static expr junction(struct exprs *t, enum op op, const expr *kid, unsigned nkids)
{
    expr_list list = VEC_INIT;
    uint64_t nothing = op == OP_AND ? UINT64_MAX : 0, c = nothing;
    bool boolean = true;
    expr r;
    for (unsigned i = 0; i < nkids; i++)
        take_apart(t, op, kid[i], &list, &c);
    once_each(op, &list);
    for (size_t i = 0; i < list.len; i++)
        boolean = boolean && expr_is_boolean(t, list.data[i]);
    boolean = boolean && list.len;
    if (boolean && op == OP_AND && c != nothing)
        c = c & 1 ? nothing : 0;
    in_order(t, list.data, list.len);
    if (list.len == 0 || (op == OP_AND && c == 0) || (op == OP_OR && (c == UINT64_MAX || (boolean && c & 1))))
        r = expr_const(t, (int64_t)c);
    else if (op == OP_XOR && (boolean ? c == 1 : c == UINT64_MAX))
        r = negation(t, junction(t, op, list.data, (unsigned)list.len));
    else {
        if (c != nothing && !(list.len == 1 && is_next(t, list.data[0])))
            vec_push(&list, expr_const(t, (int64_t)c));
        r = list.len == 1 ? list.data[0] : expr_node(t, EXPR_OP, op, NULL, list.data, (unsigned)list.len);
    }
    vec_free(&list);
    return r;
}

/* x + c1 < c2, with nothing else added to x: how compilers write lo <= x && x < hi. Whether the comparisons
 * were signed can no longer be told, so both are there. */
static expr range(struct exprs *t, expr sum, int64_t below)
{
    enum { MOST = 1 << 30 };
    const struct node *n = node_of(t, sum);
    if (!is_op(t, sum, OP_ADD) || n->nkids != 2 || !is_const(t, n->kid[1]))
        return EXPR_NONE;
    expr x = n->kid[0];
    int64_t lo = -node_of(t, n->kid[1])->value, hi = lo + below;
    /* x - lo < hi - lo with hi < lo, which is nearly all that there is: all but hi <= x < lo. */
    if (below < 0 && below >= -MOST && lo > 0 && lo <= MOST && hi >= 0)
        return negation(t, expr_op(t, OP_ULT,
                                   (expr[]){expr_op(t, OP_ADD, (expr[]){x, expr_const(t, -hi)}, 2),
                                            expr_const(t, -below)},
                                   2));
    if (below <= 0 || below > MOST || lo <= -MOST || lo > MOST || lo == 0)
        return EXPR_NONE;
    expr bound[2] = {expr_const(t, lo), expr_const(t, hi)}, both[2];
    for (unsigned i = 0; i < 2; i++) {
        enum op op = i ? OP_SLT : OP_ULT;
        expr least = negation(t, expr_op(t, op, (expr[]){x, bound[0]}, 2)),
             most = expr_op(t, op, (expr[]){x, bound[1]}, 2);
        both[i] = junction(t, OP_AND, (expr[]){least, most}, 2);
    }
    return lo < 0 ? both[1] : junction(t, OP_AND, both, 2);
}

/* x + c < x, which the carry of an addition says: x + c is among the first c numbers. */
static expr wraps(struct exprs *t, const expr *k)
{
    enum { MOST = 1 << 30 };
    if (!is_op(t, k[0], OP_ADD) && !is_op(t, k[1], OP_ADD))
        return EXPR_NONE;
    expr by = sum_of(t, k, 2, true);
    int64_t c = is_const(t, by) ? node_of(t, by)->value : 0;
    if (c > 0 && c <= MOST)
        return expr_op(t, OP_ULT, (expr[]){k[0], by}, 2);
    if (c < 0 && c >= -MOST)
        return negation(t, expr_op(t, OP_ULT, (expr[]){k[1], expr_const(t, -c)}, 2));
    return EXPR_NONE;
}

/* x == c. */
static expr equal_const(struct exprs *t, expr x, int64_t c)
{
    const struct node n = *node_of(t, x);
    if (expr_is_boolean(t, x) && (c == 0 || c == 1))
        return c ? x : negation(t, x);
    if (is_op(t, x, OP_XOR) && c == 0 && n.nkids == 2)
        return expr_op(t, OP_EQ, n.kid, 2);
    if (is_op(t, x, OP_SEXT))
        return expr_op(t, OP_EQ, (expr[]){n.kid[0], expr_const(t, c)}, 2);
    if (!is_op(t, x, OP_ADD) || n.nkids != 2)
        return EXPR_NONE;
    if (is_const(t, n.kid[1]))
        return expr_op(
            t, OP_EQ,
            (expr[]){n.kid[0], expr_const(t, (int64_t)((uint64_t)c - (uint64_t)node_of(t, n.kid[1])->value))},
            2);
    for (unsigned i = 0; i < 2 && c == 0; i++)
        if (is_op(t, n.kid[i], OP_NEG))
            return expr_op(t, OP_EQ, (expr[]){n.kid[1 - i], node_of(t, n.kid[i])->kid[0]}, 2);
    return EXPR_NONE;
}

/* The number of iterations of a loop that x has in it, times what; 0: none. */
static int64_t counter_step(const struct exprs *t, expr x)
{
    const struct node *n = node_of(t, x);
    if (n->kind == EXPR_OTHER)
        return n->name && strcmp(n->name, "n") == 0;
    if (is_op(t, x, OP_NEG))
        return -counter_step(t, n->kid[0]);
    if (is_op(t, x, OP_MUL) && is_const(t, n->kid[1]))
        return counter_step(t, n->kid[0]) * node_of(t, n->kid[1])->value;
    return 0;
}

static expr place_of(struct exprs *t, expr address, int64_t least)
{
    const struct node n = *node_of(t, address);
    int64_t step = 0;
    if (!is_op(t, address, OP_ADD) || !is_const(t, n.kid[n.nkids - 1]))
        return address;
    for (unsigned i = 0; i + 1 < n.nkids; i++)
        step = step ? step : counter_step(t, n.kid[i]);
    int64_t offset = node_of(t, n.kid[n.nkids - 1])->value, by = step < 0 ? -step : step;
    if (by < least)
        return address;
    expr change = expr_const(t, (offset % by + by) % by - offset);
    return sum_of(t, (expr[]){address, change}, 2, false);
}

expr expr_place(struct exprs *t, expr address)
{
    return place_of(t, address, 1);
}

expr expr_maybe_place(struct exprs *t, expr x)
{
    return place_of(t, x, 2);
}

/* x / by, where that is x times something or nothing is left over; EXPR_NONE. */
static expr divided(struct exprs *t, expr x, int64_t by)
{
    const struct node n = *node_of(t, x);
    expr r = EXPR_NONE;
    if (by == 1)
        return x;
    if (n.kind == EXPR_CONST)
        return n.value % by == 0 ? expr_const(t, n.value / by) : EXPR_NONE;
    if (is_op(t, x, OP_MUL) && is_const(t, n.kid[1]) && node_of(t, n.kid[1])->value % by == 0)
        return times(t, n.kid[0], node_of(t, n.kid[1])->value / by);
    if (is_op(t, x, OP_NEG) && (r = divided(t, n.kid[0], by)) != EXPR_NONE)
        return times(t, r, -1);
    if (is_op(t, x, OP_ADD)) {
        r = expr_const(t, 0);
        for (unsigned i = 0; i < n.nkids && r != EXPR_NONE; i++) {
            expr part = divided(t, n.kid[i], by);
            r = part == EXPR_NONE ? EXPR_NONE : sum_of(t, (expr[]){r, part}, 2, false);
        }
    }
    return r;
}

/* A comparison that a loop's counter is in, whatever it counts and from where, as n < times. A loop that ends
 * when its counter is equal to a number is one that ends when it is no longer less. EXPR_NONE: there is no
 * counter in it. */
static expr loop_comparison(struct exprs *t, enum op op, const expr *k)
{
    expr difference = sum_of(t, k, 2, true), rest = EXPR_NONE;
    const struct node n = *node_of(t, difference);
    int64_t step = 0;
    unsigned addends = is_op(t, difference, OP_ADD) ? n.nkids : 1;
    for (unsigned i = 0; i < addends; i++) {
        expr addend = addends > 1 ? n.kid[i] : difference;
        int64_t s = counter_step(t, addend);
        if (s && step)
            return EXPR_NONE;
        if (s) {
            step = s;
            rest = sum_of(t, (expr[]){addend, difference}, 2, true); /* minus all others */
        }
    }
    if (step == 0)
        return EXPR_NONE;
    /* step * n - rest against 0 */
    int64_t by = step < 0 ? -step : step;
    expr bound = step < 0 ? times(t, rest, -1) : rest, q = divided(t, bound, by);
    if (q == EXPR_NONE && is_const(t, bound) && node_of(t, bound)->value > 0)
        q = expr_const(t, (node_of(t, bound)->value + by - 1) / by);
    if (q == EXPR_NONE)
        return EXPR_NONE;
    bool not = op != OP_EQ && step < 0;
    if (not ) /* bound < n */
        q = sum_of(t, (expr[]){q, expr_const(t, 1)}, 2, false);
    expr r = expr_node(t, EXPR_OP, OP_ULT, NULL, (expr[]){expr_leaf(t, EXPR_OTHER, "n", 0), q}, 2);
    return not || op == OP_EQ ? negation(t, r) : r;
}

/* (x | y) < 16, or == 0: how compilers write x < 16 && y < 16. */
static expr each_below(struct exprs *t, enum op op, expr sum, expr bound)
{
    const struct node n = *node_of(t, sum);
    VEC(expr) list = VEC_INIT;
    for (unsigned i = 0; i < n.nkids; i++)
        vec_push(&list, expr_op(t, op, (expr[]){n.kid[i], bound}, 2));
    expr r = junction(t, OP_AND, list.data, n.nkids);
    vec_free(&list);
    return r;
}

/* Comparisons of which another form is the normal one; EXPR_NONE: this is. */
static expr compared(struct exprs *t, enum op op, const expr *k)
{
    expr x = loop_comparison(t, op, k), by;
    if (x != EXPR_NONE)
        return x;
    for (unsigned i = 0; i < 2; i++)
        if (is_op(t, k[i], OP_ADD) && node_of(t, k[i])->nkids == 2 && is_next(t, node_of(t, k[i])->kid[0]) &&
            is_const(t, node_of(t, k[i])->kid[1]))
            return expr_op(
                t, op, (expr[]){i ? k[0] : node_of(t, k[0])->kid[0], i ? node_of(t, k[1])->kid[0] : k[1]}, 2);
    x = k[0];
    if (op == OP_ULT && !is_const(t, k[0]) && !is_const(t, k[1]))
        return wraps(t, k);
    if (!is_const(t, k[1]))
        return EXPR_NONE;
    int64_t c = node_of(t, k[1])->value;
    if (is_op(t, x, OP_OR) && !expr_is_boolean(t, x) &&
        ((op == OP_EQ && c == 0) || (op == OP_ULT && c > 1 && (c & (c - 1)) == 0)))
        return each_below(t, op, x, k[1]);
    if (op == OP_EQ) {
        /* x >> 6 == 0 is how x < 64 is written where that is cheaper */
        by = is_op(t, x, OP_LSHR) ? node_of(t, x)->kid[1] : EXPR_NONE;
        if (c == 0 && by != EXPR_NONE && is_const(t, by) && node_of(t, by)->value > 0 &&
            node_of(t, by)->value < 62)
            return expr_op(
                t, OP_ULT,
                (expr[]){node_of(t, x)->kid[0], expr_const(t, INT64_C(1) << node_of(t, by)->value)}, 2);
        /* some bits of x >> 6 are those of x */
        const struct node n = *node_of(t, x);
        if (c == 0 && is_op(t, x, OP_AND) && n.nkids == 2 && is_const(t, n.kid[1]) &&
            is_op(t, n.kid[0], OP_LSHR)) {
            by = node_of(t, n.kid[0])->kid[1];
            int64_t mask = node_of(t, n.kid[1])->value, shift = is_const(t, by) ? node_of(t, by)->value : 63;
            if (mask > 0 && shift >= 0 && shift < 32 && mask < INT64_C(1) << 31)
                return expr_op(
                    t, OP_EQ,
                    (expr[]){expr_op(t, OP_AND,
                                     (expr[]){node_of(t, n.kid[0])->kid[0], expr_const(t, mask << shift)}, 2),
                             k[1]},
                    2);
        }
        return equal_const(t, x, c);
    }
    if (op == OP_ULT && c == 1)
        return expr_op(t, OP_EQ, (expr[]){x, expr_const(t, 0)}, 2);
    if (op == OP_ULT)
        return range(t, x, c);
    if (op == OP_SLT && is_op(t, x, OP_SEXT))
        return expr_op(t, OP_SLT, (expr[]){node_of(t, x)->kid[0], k[1]}, 2);
    return EXPR_NONE;
}

/* A value that changes in an unknown way from one iteration of a loop to the next: it is one before the
 * change and after it. */
static bool is_next(const struct exprs *t, expr x)
{
    const struct node *n = node_of(t, x);
    return n->kind == EXPR_CALL && n->name && strcmp(n->name, "next") == 0;
}

static bool is_quotient(const struct exprs *t, expr x, expr by)
{
    return (is_op(t, x, OP_UDIV) || is_op(t, x, OP_SDIV)) && node_of(t, x)->kid[1] == by;
}

static bool expr_compares(enum op op)
{
    return op == OP_EQ || op == OP_ULT || op == OP_SLT || op_info[op].shape == OP_SHAPE_FCMP;
}

/* Of two constants; false: not one of those that are computed. Their width is unknown, so nothing is computed
 * whose result depends on it. */
static bool folded(enum op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case OP_MUL:
        *out = (int64_t)((uint64_t)a * (uint64_t)b);
        return true;
    case OP_UDIV:
    case OP_SDIV:
        *out = b > 0 ? a / b : 0;
        return a >= 0 && b > 0;
    case OP_UREM:
    case OP_SREM:
        *out = b > 0 ? a % b : 0;
        return a >= 0 && b > 0;
    case OP_LSHR:
    case OP_ASHR:
        *out = b >= 0 && b < 63 ? a >> b : 0;
        return a >= 0 && b >= 0 && b < 63;
    case OP_EQ:
        *out = a == b;
        return true;
    case OP_ULT:
    case OP_SLT:
        *out = a < b;
        return a >= 0 && b >= 0;
    default:
        return false;
    }
}

expr expr_op(struct exprs *t, enum op op, const expr *kid, unsigned nkids)
{
    expr k[OP_MAX_ARITY];
    int64_t value;
    if (op == OP_AND || op == OP_OR || op == OP_XOR)
        return junction(t, op, kid, nkids);
    assert(nkids <= OP_MAX_ARITY || op == OP_ADD);
    if (nkids == 2 && is_const(t, kid[0]) && is_const(t, kid[1]) &&
        folded(op, node_of(t, kid[0])->value, node_of(t, kid[1])->value, &value))
        return expr_const(t, value);
    switch (op) {
    case OP_ADD:
        return sum_of(t, kid, nkids, false);
    case OP_SUB:
        return sum_of(t, kid, nkids, true);
    case OP_NEG:
        return sum_of(t, (expr[]){expr_const(t, 0), kid[0]}, 2, true);
    case OP_NOT:
        return negation(t, kid[0]);
    case OP_ULE:
        return negation(t, expr_op(t, OP_ULT, (expr[]){kid[1], kid[0]}, 2));
    case OP_SLE:
        return negation(t, expr_op(t, OP_SLT, (expr[]){kid[1], kid[0]}, 2));
    case OP_ULT:
    case OP_SLT:
        /* c < x is the opposite of x < c + 1 */
        if (is_const(t, kid[0]) && !is_const(t, kid[1]) && node_of(t, kid[0])->value != -1 &&
            node_of(t, kid[0])->value != INT64_MAX)
            return negation(
                t, expr_op(t, op, (expr[]){kid[1], expr_const(t, node_of(t, kid[0])->value + 1)}, 2));
        break;
    case OP_MUL:
        for (unsigned i = 0; i < 2; i++)
            if (is_const(t, kid[i]) && !is_const(t, kid[1 - i]))
                return times(t, kid[1 - i], node_of(t, kid[i])->value);
        break;
    case OP_SHL:
        if (is_const(t, kid[1]) && node_of(t, kid[1])->value >= 0 && node_of(t, kid[1])->value < 62)
            return times(t, kid[0], INT64_C(1) << node_of(t, kid[1])->value);
        break;
    case OP_FMUL: /* twice a number, as a float or a double */
        for (unsigned i = 0; i < 2; i++)
            if (is_const(t, kid[i]) && (node_of(t, kid[i])->value == INT64_C(0x4000000000000000) ||
                                        node_of(t, kid[i])->value == 0x40000000))
                return expr_node(t, EXPR_OP, OP_FADD, NULL, (expr[]){kid[1 - i], kid[1 - i]}, 2);
        break;
    case OP_FLE: /* but for what is not a number */
        return negation(t, expr_node(t, EXPR_OP, OP_FLT, NULL, (expr[]){kid[1], kid[0]}, 2));
    case OP_ITE:
        if (is_const(t, kid[0]))
            return kid[node_of(t, kid[0])->value ? 1 : 2];
        /* Division by zero gives zero on some processors, which no source mentions. */
        if (is_op(t, kid[0], OP_EQ) && is_const(t, node_of(t, kid[0])->kid[1]) &&
            is_quotient(t, kid[2], node_of(t, kid[0])->kid[0]))
            return kid[2];
        if (is_op(t, kid[0], OP_FUNORD) && kid[0] != EXPR_NONE && !expr_is_boolean(t, kid[2]))
            return kid[2];
        break;
    default:
        break;
    }
    memcpy(k, kid, nkids * sizeof *k);
    if (nkids == 2 && is_const(t, k[1]) && is_next(t, k[0]) && !expr_compares(op))
        return k[0];
    if (commutes(op)) {
        in_order(t, k, nkids);
        if (nkids == 2 && is_const(t, k[0])) {
            expr c = k[0];
            k[0] = k[1];
            k[1] = c;
        }
    }
    if (op == OP_EQ || op == OP_ULT || op == OP_SLT) {
        expr other = compared(t, op, k);
        if (other != EXPR_NONE)
            return other;
    }
    return expr_node(t, EXPR_OP, op, NULL, k, nkids);
}
