/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of a similar query, changed a little.
 *
 * Queries come in families: a path condition, then the same with one more branch. The model of the last one
 * usually fails only in the new conjunct. So look at what that conjunct reads under the model (symbols, and
 * cells of array symbols below writes that turn out not to be in the way), and try for each the values its
 * constants suggest. A change is kept when fewer conjuncts fail than before. Whatever comes out is checked
 * like any other model. */
#include "solve/internal.h"

enum { LEAVES_MAX = 12, CONSTANTS_MAX = 12, NODES_MAX = 400, TRIES_MAX = 600, ROUNDS_MAX = 6 };
/* In all: a try looks at every term of the query, and the solver answers most queries in about that time. */
enum { WORK_MAX = 20 * BUDGET_MS };

/* Something whose value may be chosen: a symbol, or `cells` cells of an array symbol. */
struct leaf {
    term symbol, read; /* `read` is TERM_NONE for a symbol that is no array */
    uint64_t index;
    unsigned width, cell_width;
};

struct change {
    struct leaf leaf;
    struct bits value;
};

struct repair {
    struct terms *t;
    struct term_model *m;
    const term *x;
    size_t n;
    struct bits *value;
    bool *known;
    unsigned tries;
    struct budget budget;
    VEC(struct leaf) leaf;
    VEC(struct bits) constant;
    VEC(struct change) change;
};

/* How many conjuncts fail; *which is the last of them. SIZE_MAX when the model cannot say. */
static size_t failing(struct repair *r, size_t *which)
{
    size_t bad = 0;
    term_eval_all(r->t, r->m, r->x, r->n, r->value, r->known);
    for (size_t i = 0; i < r->n; i++) {
        if (!r->known[i])
            return SIZE_MAX;
        if (bits_is_zero(r->value[i])) {
            bad++;
            *which = i;
        }
    }
    return bad;
}

static void set_leaf(struct repair *r, const struct leaf *l, struct bits v)
{
    if (l->read == TERM_NONE) {
        term_model_set(r->m, l->symbol, v);
        return;
    }
    unsigned width = term_index_width(r->t, l->symbol);
    for (unsigned i = 0; i < l->width / l->cell_width; i++) {
        uint64_t at = bits_low(bits_u64(l->index + i, width));
        term_model_set_cell(r->m, l->symbol, at, bits_mask(bits_lshr(v, i * l->cell_width), l->cell_width));
    }
}

static void add_constant(struct repair *r, struct bits v)
{
    for (size_t i = 0; i < r->constant.len; i++)
        if (bits_eq(r->constant.data[i], v))
            return;
    if (r->constant.len < CONSTANTS_MAX)
        vec_push(&r->constant, v);
}

static void add_leaf(struct repair *r, struct leaf l)
{
    for (size_t i = 0; i < r->leaf.len; i++)
        if (r->leaf.data[i].symbol == l.symbol && r->leaf.data[i].read == l.read)
            return;
    if (r->leaf.len < LEAVES_MAX)
        vec_push(&r->leaf, l);
}

/* Follows a read through writes and joins, as they are under the model, to the term stored or the cells of a symbol. */
static void resolve(struct repair *r, term read, struct term_list *todo)
{
    struct terms *t = r->t;
    term array = term_kid(t, read, 0);
    struct bits v;
    unsigned cell = term_cell_width(t, array), cells = term_width(t, read) / cell;
    uint64_t index, at;
    if (!term_eval(t, r->m, term_kid(t, read, 1), &v) || !bits_to_u64(v, &index))
        return;
    for (;;) {
        unsigned kind = term_kind(t, array);
        if (kind == TERM_WRITE) {
            if (!term_eval(t, r->m, term_kid(t, array, 1), &v) || !bits_to_u64(v, &at))
                return;
            unsigned stored = term_width(t, term_kid(t, array, 2)) / cell;
            if (index - at < stored && index - at + cells <= stored) {
                vec_push(todo, term_kid(t, array, 2));
                vec_push(todo, term_kid(t, array, 1));
                return;
            }
            if (index - at < stored || at - index < cells)
                return; /* partly covered */
            array = term_kid(t, array, 0);
        } else if (kind == TERM_AITE) {
            if (!term_eval(t, r->m, term_kid(t, array, 0), &v))
                return;
            array = term_kid(t, array, bits_is_zero(v) ? 2 : 1);
        } else {
            break;
        }
    }
    if (term_kind(t, array) != TERM_VAR || term_index_width(t, array) > 64)
        return;
    term where = term_const(t, term_index_width(t, array), index);
    add_leaf(r, (struct leaf){array, term_read(t, array, where, cells * cell), index, cells * cell, cell});
}

/* The leaves and constants of a conjunct. */
static void inspect(struct repair *r, term conjunct)
{
    struct terms *t = r->t;
    struct term_list todo = {0};
    struct map seen = {0};
    vec_clear(&r->leaf);
    vec_clear(&r->constant);
    vec_push(&todo, conjunct);
    while (todo.len && seen.len < NODES_MAX) {
        term u = vec_pop(&todo);
        struct bits v;
        if (!map_set(&seen, u, 1) || term_is_array(t, u))
            continue;
        switch (term_kind(t, u)) {
        case TERM_CONST:
            term_const_value(t, u, &v);
            add_constant(r, v);
            continue;
        case TERM_VAR:
            add_leaf(r, (struct leaf){u, TERM_NONE, 0, term_width(t, u), 0});
            continue;
        case TERM_READ:
            resolve(r, u, &todo);
            vec_push(&todo, term_kid(t, u, 1));
            continue;
        case TERM_APPLY:
            continue;
        case OP_EQ:
        case OP_ULT:
        case OP_ULE:
        case OP_SLT:
        case OP_SLE:
            for (unsigned i = 0; i < 2; i++)
                if (!term_is_array(t, term_kid(t, u, i)) && term_eval(t, r->m, term_kid(t, u, i), &v))
                    add_constant(r, v);
            break;
        default:
            break;
        }
        for (unsigned i = 0; i < term_nkids(t, u); i++)
            vec_push(&todo, term_kid(t, u, i));
    }
    vec_free(&todo);
    map_free(&seen);
}

/* The k-th value worth trying for a leaf that holds `now`; false when there are no more. */
static bool candidate(const struct repair *r, const struct leaf *l, struct bits now, unsigned k, struct bits *v)
{
    enum { PER_CONSTANT = 4, FIXED = 6 };
    struct bits one = bits_u64(1, 64), c;
    if (k < r->constant.len * PER_CONSTANT) {
        c = r->constant.data[k / PER_CONSTANT];
        switch (k % PER_CONSTANT) {
        case 0: *v = c; break;
        case 1: *v = bits_add(c, one); break;
        case 2: *v = bits_sub(c, one); break;
        default:
            for (unsigned i = 0; i < sizeof c.w / sizeof *c.w; i++)
                v->w[i] = now.w[i] ^ c.w[i];
            break;
        }
    } else {
        struct bits top = bits_shl(one, l->width - 1);
        switch (k - r->constant.len * PER_CONSTANT) {
        case 0: *v = bits_u64(0, 64); break;
        case 1: *v = bits_ones(l->width); break;
        case 2: *v = top; break;
        case 3: *v = bits_sub(top, one); break;
        case 4: *v = one; break;
        case 5: *v = bits_add(now, bits_u64(0x100000, 64)); break; /* a pointer to somewhere else */
        default: return false;
        }
    }
    *v = bits_mask(*v, l->width);
    return true;
}

/* The conjunct holds now: only then is it worth looking at the others. */
static bool is_mended(struct repair *r, size_t which)
{
    struct bits v;
    r->tries++;
    return term_eval(r->t, r->m, r->x[which], &v) && !bits_is_zero(v);
}

/* Tries to have fewer than *bad conjuncts fail by one change. */
static bool improve(struct repair *r, size_t *bad, size_t *which)
{
    inspect(r, r->x[*which]);
    for (size_t i = 0; i < r->leaf.len; i++) {
        struct leaf l = r->leaf.data[i];
        struct bits now, v;
        if (!term_eval(r->t, r->m, l.read == TERM_NONE ? l.symbol : l.read, &now))
            continue;
        for (unsigned k = 0; r->tries < TRIES_MAX && candidate(r, &l, now, k, &v); k++) {
            size_t at = *which, fail;
            if (bits_eq(v, now))
                continue;
            if (budget_spent(&r->budget))
                break;
            set_leaf(r, &l, v);
            if (!is_mended(r, *which))
                continue;
            fail = failing(r, &at);
            if (fail < *bad) {
                vec_push(&r->change, (struct change){l, v});
                *bad = fail;
                *which = at;
                return true;
            }
        }
        set_leaf(r, &l, now);
    }
    return false;
}

static void apply_change(struct assignment *a, const struct terms *t, const struct change *c)
{
    size_t i = 0;
    while (i < a->of.len && a->of.data[i] != c->leaf.symbol)
        i++;
    if (i == a->of.len)
        assignment_add(a, c->leaf.symbol, (struct value){.is_array = c->leaf.read != TERM_NONE});
    struct value *v = &a->value.data[i];
    if (c->leaf.read == TERM_NONE) {
        v->bits = c->value;
        return;
    }
    unsigned width = c->leaf.cell_width;
    for (unsigned k = 0; k < c->leaf.width / width; k++) {
        uint64_t at = bits_low(bits_u64(c->leaf.index + k, term_index_width(t, c->leaf.symbol)));
        struct bits cell = bits_mask(bits_lshr(c->value, k * width), width);
        size_t j = 0;
        while (j < v->cell.len && v->cell.data[j].index != at)
            j++;
        if (j == v->cell.len)
            vec_push(&v->cell, (struct cell){at, cell});
        v->cell.data[j].value = cell;
    }
}

bool repair_model(struct terms *t, const struct assignment *start, const term *x, size_t n, struct assignment *out)
{
    enum { FAILING_MAX = 3 };
    struct repair r = {.t = t,
                       .m = model_build(t, start),
                       .x = x,
                       .n = n,
                       .budget = budget_of(terms_work(t), WORK_MAX, 0)};
    if (!r.m)
        return false;
    r.value = xcalloc(n + 1, sizeof *r.value);
    r.known = xcalloc(n + 1, sizeof *r.known);
    size_t which = 0, bad = failing(&r, &which);
    if (bad <= FAILING_MAX)
        for (unsigned round = 0; bad && round < ROUNDS_MAX && improve(&r, &bad, &which); round++)
            ;
    if (!bad) {
        assignment_append(out, start);
        for (size_t i = 0; i < r.change.len; i++)
            apply_change(out, t, &r.change.data[i]);
    }
    term_model_free(r.m);
    free(r.value);
    free(r.known);
    vec_free(&r.leaf);
    vec_free(&r.constant);
    vec_free(&r.change);
    return bad == 0;
}
