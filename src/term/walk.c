/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walking over terms: substitution, symbols, size. Explicit stacks everywhere: terms get 100,000 deep. */
#include <stdlib.h>
#include <string.h>

#include "term/internal.h"

/* ---- what a walk has seen ---- */

/* The terms whose mark is the number of the walk, and what each was found to become, where that is looked
 * for. */
struct seen {
    uint32_t *mark; /* by term, */
    term *value;    /* and this, too */
    size_t cap;
    uint32_t walk;
};

/* A walk may begin within a walk: the set at `depth` is free. */
struct seen_sets {
    VEC(struct seen *) set;
    size_t depth;
};

struct seen_sets *seen_sets_new(void)
{
    return xcalloc(1, sizeof(struct seen_sets));
}

void seen_sets_free(struct seen_sets *all)
{
    for (size_t i = 0; i < all->set.len; i++) {
        free(all->set.data[i]->mark);
        free(all->set.data[i]->value);
        free(all->set.data[i]);
    }
    vec_free(&all->set);
    free(all);
}

static struct seen *seen_begin(const struct terms *t)
{
    struct seen_sets *all = t->seen;
    if (all->depth == all->set.len)
        vec_push(&all->set, xcalloc(1, sizeof(struct seen)));
    struct seen *s = all->set.data[all->depth++];
    if (s->walk == UINT32_MAX) {
        memset(s->mark, 0, s->cap * sizeof *s->mark);
        s->walk = 0;
    }
    s->walk++;
    return s;
}

static void seen_end(const struct terms *t)
{
    t->seen->depth--;
}

static bool seen_has(const struct seen *s, term x)
{
    return x < s->cap && s->mark[x] == s->walk;
}

/* True: it was not there. Terms may have been made since the walk began. */
static bool seen_add(const struct terms *t, struct seen *s, term x)
{
    if (x >= s->cap) {
        const size_t cap = t->count + t->count / 2;
        s->mark = xreallocarray(s->mark, cap, sizeof *s->mark);
        s->value = xreallocarray(s->value, cap, sizeof *s->value);
        memset(s->mark + s->cap, 0, (cap - s->cap) * sizeof *s->mark);
        s->cap = cap;
    }
    const bool fresh = s->mark[x] != s->walk;
    s->mark[x] = s->walk;
    return fresh;
}

/* ---- rewriting ---- */

term term_rebuild(struct terms *t, term x, const term *kid)
{
    struct term_node n = *node_of(t, x);
    switch (n.kind) {
    case TERM_CONST:
    case TERM_VAR:
        return x;
    case TERM_APPLY:
    case TERM_ACONST:
        return table_cons(
            t, &(struct term_key){
                   .kind = n.kind, .sort = n.sort, .aux = n.aux, .kid = kid, .nkids = nkids_of(t, x)});
    case TERM_PURE:
        return term_pure(t, t->pure.data[n.aux], kid);
    case TERM_READ:
        return term_read(t, kid[0], kid[1], n.sort);
    case TERM_WRITE:
        return term_write(t, kid[0], kid[1], kid[2]);
    case TERM_AITE:
        return term_ite(t, kid[0], kid[1], kid[2]);
    case OP_EXTRACT:
        return term_extract(t, kid[0], n.aux, n.sort);
    default:
        return term_op(t, (enum op)n.kind, n.sort, kid, nkids_of(t, x));
    }
}

static bool is_leaf(const struct terms *t, term x)
{
    return nkids_of(t, x) == 0;
}

/* Neither it nor its kids have more than leaves below them, so nothing need be remembered on the way. */
static bool is_flat(const struct terms *t, term x)
{
    bool flat = true;
    for (unsigned i = nkids_of(t, x); i-- > 0 && flat;)
        flat = is_leaf(t, kid_of(t, x, i));
    return flat;
}

/* What terms became so far: in a map, which its owner keeps, or for one walk. */
struct done {
    struct map *map; /* NULL: for one walk */
    struct seen *seen;
};

static bool done_get(const struct done *d, term x, term *y)
{
    uint64_t known = 0;
    if (!d->map) {
        const bool has = seen_has(d->seen, x);
        *y = has ? d->seen->value[x] : TERM_NONE;
        return has;
    }
    const bool has = map_get(d->map, x, &known);
    *y = (term)known;
    return has;
}

static void done_set(const struct terms *t, const struct done *d, term x, term y)
{
    if (d->map) {
        map_set(d->map, x, y);
        return;
    }
    seen_add(t, d->seen, x);
    d->seen->value[x] = y;
}

static term rewrite(struct terms *t, term x, const struct done *done, term_rewriter node, void *ctx)
{
    VEC(term) stack = VEC_INIT;
    VEC(term) kid = VEC_INIT;
    term known;
    if (done_get(done, x, &known))
        return known;
    if (is_leaf(t, x) && !node)
        return x;
    vec_push(&stack, x);
    while (stack.len) {
        term y = vec_last(&stack);
        if (done_get(done, y, &known)) {
            stack.len--;
            continue;
        }
        unsigned nkids = nkids_of(t, y);
        size_t before = stack.len;
        bool changed = false;
        vec_clear(&kid);
        for (unsigned i = nkids; i-- > 0;)
            if (!done_get(done, kid_of(t, y, i), &known))
                vec_push(&stack, kid_of(t, y, i));
        if (stack.len > before)
            continue;
        for (unsigned i = 0; i < nkids; i++) {
            done_get(done, kid_of(t, y, i), &known);
            vec_push(&kid, known);
            changed |= known != kid_of(t, y, i);
        }
        stack.len--;
        done_set(t, done, y, node ? node(ctx, y, kid.data) : changed ? term_rebuild(t, y, kid.data) : y);
    }
    vec_free(&stack);
    vec_free(&kid);
    done_get(done, x, &known);
    return known;
}

term term_rewrite(struct terms *t, term x, struct map *done, term_rewriter node, void *ctx)
{
    return rewrite(t, x, &(struct done){.map = done}, node, ctx);
}

term term_substitute(struct terms *t, term x, const term *from, const term *to, size_t n)
{
    const struct done done = {.seen = seen_begin(t)};
    for (size_t i = 0; i < n; i++) {
        assert(node_of(t, from[i])->sort == node_of(t, to[i])->sort);
        done_set(t, &done, from[i], to[i]);
    }
    x = rewrite(t, x, &done, NULL, NULL);
    seen_end(t);
    return x;
}

bool term_is_that(void *ctx, term x)
{
    return x == *(const term *)ctx;
}

struct choosing {
    struct terms *t;
    term_leaf leaf;
    void *ctx;
    struct map done;
};

static term choose(struct choosing *c, term x)
{
    uint64_t known;
    term y;
    if (map_get(&c->done, x, &known))
        return (term)known;
    if (kind_of(c->t, x) == OP_ITE) {
        term yes = choose(c, kid_of(c->t, x, 1)), no = choose(c, kid_of(c->t, x, 2));
        y = term_ite(c->t, kid_of(c->t, x, 0), yes, no);
    } else {
        y = c->leaf(c->ctx, x);
    }
    map_set(&c->done, x, y);
    return y;
}

term term_choose(struct terms *t, term x, term_leaf leaf, void *ctx)
{
    struct choosing c = {.t = t, .leaf = leaf, .ctx = ctx};
    if (kind_of(t, x) != OP_ITE)
        return leaf(ctx, x);
    term y = choose(&c, x);
    map_free(&c.done);
    return y;
}

/* The kids of x that are parts of it: from `first` on. */
static unsigned first_part(const struct terms *t, term x)
{
    switch (kind_of(t, x)) {
    case OP_EXTRACT:
    case OP_ZEXT:
    case OP_SEXT:
    case OP_CONCAT:
        return 0;
    case OP_ITE:
        return 1;
    default:
        return nkids_of(t, x);
    }
}

bool term_visit_parts(const struct terms *t, term x, term_visitor visit, void *ctx)
{
    struct seen *seen = seen_begin(t);
    VEC(term) stack = VEC_INIT;
    enum term_visit said = visit(ctx, x);
    while (said == TERM_INTO && nkids_of(t, x) - first_part(t, x) == 1) {
        x = kid_of(t, x, 0);
        said = visit(ctx, x);
    }
    for (;;) {
        for (unsigned i = nkids_of(t, x); said == TERM_INTO && i-- > first_part(t, x);)
            if (seen_add(t, seen, kid_of(t, x, i)))
                vec_push(&stack, kid_of(t, x, i));
        if (said == TERM_STOP || !stack.len)
            break;
        x = vec_pop(&stack);
        said = visit(ctx, x);
    }
    seen_end(t);
    vec_free(&stack);
    return said == TERM_STOP;
}

bool term_any(const struct terms *t, term x, term_test is, void *ctx)
{
    if (x == TERM_NONE || !is_flat(t, x))
        return term_any_of(t, &x, 1, is, ctx);
    bool found = is(ctx, x);
    for (unsigned i = 0; i < nkids_of(t, x) && !found; i++) {
        bool again = false;
        for (unsigned k = 0; k < i; k++)
            again = again || kid_of(t, x, k) == kid_of(t, x, i);
        found = !again && is(ctx, kid_of(t, x, i));
    }
    return found;
}

bool term_any_of(const struct terms *t, const term *x, size_t n, term_test is, void *ctx)
{
    struct seen *seen = seen_begin(t);
    VEC(term) stack = VEC_INIT;
    bool found = false;
    while (n-- > 0)
        if (x[n] != TERM_NONE)
            vec_push(&stack, x[n]);
    while (stack.len && !found) {
        term y = vec_pop(&stack);
        if (!seen_add(t, seen, y))
            continue;
        found = is(ctx, y);
        for (unsigned i = nkids_of(t, y); i-- > 0;)
            if (!seen_has(seen, kid_of(t, y, i)))
                vec_push(&stack, kid_of(t, y, i));
    }
    seen_end(t);
    vec_free(&stack);
    return found;
}

struct half_asked {
    term x;
    unsigned next; /* of its kids */
};

bool term_any_of_many(const struct terms *t, term x, struct map *known, term_test is, void *ctx)
{
    VEC(struct half_asked) above = VEC_INIT;
    uint64_t answer = 0;
    if (x == TERM_NONE || map_get(known, x, &answer))
        return answer;
    bool found = is(ctx, x);
    vec_push(&above, (struct half_asked){x, 0});
    while (above.len) {
        struct half_asked *e = &above.data[above.len - 1];
        if (found || e->next == nkids_of(t, e->x)) {
            map_set(known, e->x, found);
            above.len--;
            continue;
        }
        term kid = kid_of(t, e->x, e->next++);
        if (map_get(known, kid, &answer)) {
            found = answer;
        } else {
            found = is(ctx, kid);
            vec_push(&above, (struct half_asked){kid, 0});
        }
    }
    vec_free(&above);
    return found;
}

struct listing {
    const struct terms *t;
    term *out;
    size_t cap, symbols;
};

static bool list(void *ctx, term x)
{
    struct listing *l = ctx;
    if (kind_of(l->t, x) == TERM_VAR) {
        if (l->symbols < l->cap)
            l->out[l->symbols] = x;
        l->symbols++;
    }
    return false;
}

size_t term_symbols(const struct terms *t, term x, term *out, size_t cap)
{
    struct listing l = {.t = t, .out = out, .cap = cap};
    term_any(t, x, list, &l);
    return l.symbols;
}

size_t term_size(const struct terms *t, term x)
{
    return term_size_to(t, x, SIZE_MAX);
}

struct counting {
    size_t nodes, most;
};

static bool count(void *ctx, term x)
{
    struct counting *c = ctx;
    (void)x;
    return c->nodes++ >= c->most;
}

size_t term_size_to(const struct terms *t, term x, size_t most)
{
    struct counting c = {.most = most};
    term_any(t, x, count, &c);
    return c.nodes;
}
