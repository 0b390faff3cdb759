/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from how conditions are joined, whatever they compare.
 *
 * Where paths were merged, the path condition says which of them it may have been, and a value is a choice
 * between what they made of it. That the bound of an array holds on each of them follows from the conditions
 * as if they were propositions: no model has to be looked for, and no arithmetic done. So a comparison of
 * choices becomes a choice of comparisons, comparisons without choices become variables, and the whole a
 * binary decision diagram (Bryant, "Graph-based algorithms for Boolean function manipulation", 1986). Where
 * that is false, nothing satisfies the query; anything else says nothing, as the variables are not
 * independent.
 *
 * Diagrams are kept from query to query: path conditions repeat. Variables are in the order in which they
 * were met, which is mostly that of the program. What is too deep or takes too long is a variable, or left
 * out. */
#include "solve/internal.h"

enum {
    DEPTH_MAX = 400,      /* of terms, and of calls */
    VARIABLES_MAX = 1000, /* more begin anew ... */
    NODES_MAX = 100000,   /* ... and so do more nodes; they have to fit into BITS */
    BITS = 21,
    FALSE_NODE = 0,
    TRUE_NODE = 1,
    LOOK = 4,             /* how far below a comparison choices are looked for */
    WORK_MAX = BUDGET_MS, /* for one query */
    WORK_NODE = 2,
};

typedef uint32_t node;

struct decision {
    uint32_t variable; /* TRUE and FALSE have the last one */
    node low, high;
};

struct skeleton {
    struct terms *t;
    VEC(struct decision) node;
    struct map unique;         /* a decision -> its node */
    struct map joined;         /* three nodes of join -> the node */
    struct map made;           /* term -> its node */
    VEC(term) of;              /* by variable */
    struct map variable, hard; /* terms */
    struct budget budget;
};

static void begin(struct skeleton *s)
{
    s->node.len = s->of.len = 0;
    map_clear(&s->unique);
    map_clear(&s->joined);
    map_clear(&s->made);
    map_clear(&s->variable);
    map_clear(&s->hard);
    vec_push(&s->node, (struct decision){UINT32_MAX, FALSE_NODE, FALSE_NODE});
    vec_push(&s->node, (struct decision){UINT32_MAX, TRUE_NODE, TRUE_NODE});
}

struct skeleton *skeleton_new(struct terms *t)
{
    struct skeleton *s = xcalloc(1, sizeof *s);
    s->t = t;
    begin(s);
    return s;
}

void skeleton_free(struct skeleton *s)
{
    vec_free(&s->node);
    vec_free(&s->of);
    map_free(&s->unique);
    map_free(&s->joined);
    map_free(&s->made);
    map_free(&s->variable);
    map_free(&s->hard);
    free(s);
}

/* Nodes that are made then are of no use. */
static bool is_over(const struct skeleton *s)
{
    return s->node.len > NODES_MAX || s->variable.len > VARIABLES_MAX || budget_spent(&s->budget);
}

static uint64_t triple(uint64_t a, uint64_t b, uint64_t c)
{
    return a << 2 * BITS | b << BITS | c;
}

static node decision(struct skeleton *s, uint32_t variable, node low, node high)
{
    uint64_t known, key = triple(variable, low, high);
    if (low == high)
        return low;
    if (map_get(&s->unique, key, &known))
        return (node)known;
    vec_push(&s->node, (struct decision){variable, low, high});
    map_set(&s->unique, key, s->node.len - 1);
    return (node)s->node.len - 1;
}

static node side(const struct skeleton *s, node x, uint32_t variable, bool high)
{
    const struct decision *d = &s->node.data[x];
    return d->variable != variable ? x : high ? d->high : d->low;
}

/* If f then g, else h. As deep as there are variables. */
static node join(struct skeleton *s, node f, node g, node h)
{
    uint64_t known, key = triple(f, g, h);
    if (f == TRUE_NODE || g == h)
        return g;
    if (f == FALSE_NODE)
        return h;
    if (g == TRUE_NODE && h == FALSE_NODE)
        return f;
    if (map_get(&s->joined, key, &known))
        return (node)known;
    if (is_over(s))
        return TRUE_NODE;
    *terms_work(s->t) += WORK_NODE;
    uint32_t first = s->node.data[f].variable, other = s->node.data[g].variable;
    first = other < first ? other : first;
    other = s->node.data[h].variable;
    first = other < first ? other : first;
    node low = join(s, side(s, f, first, false), side(s, g, first, false), side(s, h, first, false));
    node high = join(s, side(s, f, first, true), side(s, g, first, true), side(s, h, first, true));
    node made = decision(s, first, low, high);
    if (!is_over(s))
        map_set(&s->joined, key, made);
    return made;
}

static node negated(struct skeleton *s, node x)
{
    return join(s, x, FALSE_NODE, TRUE_NODE);
}

/* The one of two forms that has the smaller number. */
static node variable(struct skeleton *s, term x)
{
    term not = term_not(s->t, x), plain = not < x ? not : x;
    uint64_t number = map_find(&s->variable, plain, s->of.len);
    if (map_set(&s->variable, plain, number))
        vec_push(&s->of, plain);
    node made = decision(s, (uint32_t)number, FALSE_NODE, TRUE_NODE);
    return plain == x ? made : negated(s, made);
}

/* The condition of the first choice in a term, and the term with either side in its place. False: there is
 * none. */
static bool sides(struct terms *t, term x, unsigned depth, term *condition, term *taken, term *other)
{
    const unsigned kind = term_kind(t, x);
    if (kind == OP_ITE) {
        *condition = term_kid(t, x, 0);
        *taken = term_kid(t, x, 1);
        *other = term_kid(t, x, 2);
        return true;
    }
    for (unsigned i = 0; kind < OP_COUNT_ && depth < LOOK && i < term_nkids(t, x); i++) {
        if (term_is_array(t, term_kid(t, x, i)) ||
            !sides(t, term_kid(t, x, i), depth + 1, condition, taken, other))
            continue;
        term kid[OP_MAX_ARITY];
        for (unsigned k = 0; k < term_nkids(t, x); k++)
            kid[k] = term_kid(t, x, k);
        kid[i] = *taken;
        *taken = term_rebuild(t, x, kid);
        kid[i] = *other;
        *other = term_rebuild(t, x, kid);
        return true;
    }
    return false;
}

static node of_term(struct skeleton *s, term x, unsigned depth);

static node of_operator(struct skeleton *s, term x, unsigned depth)
{
    struct terms *t = s->t;
    const unsigned kind = term_kind(t, x);
    const term a = term_nkids(t, x) ? term_kid(t, x, 0) : TERM_NONE,
               b = term_nkids(t, x) > 1 ? term_kid(t, x, 1) : TERM_NONE;
    const bool plain = a != TERM_NONE && !term_is_array(t, a) && term_width(t, a) == 1;
    switch (kind) {
    case OP_NOT:
        return negated(s, of_term(s, a, depth));
    case OP_AND:
        return join(s, of_term(s, a, depth), of_term(s, b, depth), FALSE_NODE);
    case OP_OR:
        return join(s, of_term(s, a, depth), TRUE_NODE, of_term(s, b, depth));
    case OP_ITE:
        return join(s, of_term(s, a, depth), of_term(s, b, depth), of_term(s, term_kid(t, x, 2), depth));
    }
    if (plain && (kind == OP_EQ || kind == OP_XOR)) {
        node f = of_term(s, a, depth), g = of_term(s, b, depth), not_g = negated(s, g);
        return kind == OP_EQ ? join(s, f, g, not_g) : join(s, f, not_g, g);
    }
    term condition, taken, other;
    if (!sides(t, x, 0, &condition, &taken, &other))
        return variable(s, x);
    return join(s, of_term(s, condition, depth), of_term(s, taken, depth), of_term(s, other, depth));
}

static node of_term(struct skeleton *s, term x, unsigned depth)
{
    uint64_t known;
    if (term_is_const(s->t, x))
        return term_is_true(s->t, x) ? TRUE_NODE : FALSE_NODE;
    if (map_get(&s->made, x, &known))
        return (node)known;
    if (is_over(s))
        return TRUE_NODE;
    if (depth > DEPTH_MAX)
        return variable(s, x);
    node made = of_operator(s, x, depth + 1);
    if (!is_over(s))
        map_set(&s->made, x, made);
    return made;
}

/* One way to make it true: the variables that it takes, or their negations. */
static void case_of(struct skeleton *s, node x, struct term_list *literal)
{
    while (x != TRUE_NODE) {
        const struct decision d = s->node.data[x];
        term v = s->of.data[d.variable];
        vec_push(literal, d.low == FALSE_NODE ? v : term_not(s->t, v));
        x = d.low == FALSE_NODE ? d.high : d.low;
    }
}

bool skeleton_refutes(struct skeleton *s, const term *x, size_t n, struct term_list *literal)
{
    node all = TRUE_NODE;
    s->budget = budget_of(terms_work(s->t), WORK_MAX, 0);
    for (size_t i = 0; i < n && all != FALSE_NODE && !budget_spent(&s->budget); i++) {
        if (map_get(&s->hard, x[i], NULL))
            continue;
        node with = join(s, of_term(s, x[i], 0), all, FALSE_NODE);
        if (!is_over(s)) {
            all = with;
        } else if (budget_spent(&s->budget)) {
            map_set(&s->hard, x[i], 1);
        } else {
            begin(s);
            all = TRUE_NODE;
        }
    }
    if (all != FALSE_NODE)
        case_of(s, all, literal);
    return all == FALSE_NODE;
}
