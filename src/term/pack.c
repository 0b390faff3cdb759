/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "term/pack.h"

#include "term/internal.h"

/* ---- writing ---- */

struct packing {
    struct buf *out;
    const struct terms *t;
    VEC(term) order; /* as they were made, so kids first; what is ordered by that stays as it is */
    struct map node; /* term -> 1 + its number */
    struct map name; /* of the table -> 1 + its number */
    VEC(uint32_t) names;
    bool whole;
};

static bool is_named(unsigned kind)
{
    return kind == TERM_VAR || kind == TERM_APPLY;
}

static bool list_term(void *ctx, term x)
{
    struct packing *p = ctx;
    vec_push(&p->order, x);
    return false;
}

static int by_number(const void *x, const void *y)
{
    const term a = *(const term *)x, b = *(const term *)y;
    return (a > b) - (a < b);
}

static void number_node(struct packing *p, size_t number)
{
    const term x = p->order.data[number];
    const struct term_node *n = node_of(p->t, x);
    map_set(&p->node, x, number + 1);
    if (!is_named(n->kind) || map_get(&p->name, n->aux, NULL))
        return;
    const unsigned from = p->t->origin.data[n->aux].kind;
    p->whole = p->whole && from != TERM_ORIGIN_READ && from != TERM_ORIGIN_PART &&
               !(from == TERM_ORIGIN_FRESH && n->kind == TERM_APPLY);
    vec_push(&p->names, n->aux);
    map_set(&p->name, n->aux, p->names.len);
}

static void put_origin(struct packing *p, uint32_t name)
{
    const struct term_origin *o = &p->t->origin.data[name];
    pack_number(p->out, o->kind);
    if (o->kind >= TERM_ORIGIN_OTHERS) {
        pack_number(p->out, o->part);
        pack_number(p->out, o->index);
        pack_number(p->out, o->offset);
    }
    pack_text(p->out, o->kind == TERM_ORIGIN_NONE ? p->t->name.data[name] : o->name);
}

static void put_sort(struct packing *p, unsigned sort)
{
    pack_number(p->out, sort_is_array(sort) ? 0 : sort);
    if (!sort_is_array(sort))
        return;
    pack_number(p->out, p->t->sort.data[sort - SORT_ARRAY].index);
    pack_number(p->out, p->t->sort.data[sort - SORT_ARRAY].cell);
}

static void put_node(struct packing *p, uint64_t number, term x)
{
    const struct term_node *n = node_of(p->t, x);
    pack_number(p->out, n->kind);
    put_sort(p, n->sort);
    if (n->kind == TERM_CONST) {
        uint8_t byte[OP_MAX_WIDTH / 8];
        struct bits value;
        term_const_value(p->t, x, &value);
        bits_to_bytes(value, byte, (n->sort + 7u) / 8);
        buf_put(p->out, byte, (n->sort + 7u) / 8);
    } else if (is_named(n->kind)) {
        pack_number(p->out, map_find(&p->name, n->aux, 0) - 1);
    } else if (n->kind == TERM_PURE) {
        pack_text(p->out, p->t->pure.data[n->aux]->name);
    } else if (n->kind == OP_EXTRACT) {
        pack_number(p->out, n->aux);
    }
    pack_number(p->out, nkids_of(p->t, x));
    for (unsigned i = 0; i < nkids_of(p->t, x); i++)
        pack_number(p->out, number - (map_find(&p->node, kid_of(p->t, x, i), 0) - 1));
}

bool term_pack(struct buf *out, const struct terms *t, const term *root, size_t n)
{
    struct packing p = {.out = out, .t = t, .whole = true};
    term_any_of(t, root, n, list_term, &p);
    vec_sort(&p.order, by_number);
    for (size_t i = 0; i < p.order.len; i++)
        number_node(&p, i);
    pack_number(out, p.names.len);
    for (size_t i = 0; i < p.names.len; i++)
        put_origin(&p, p.names.data[i]);
    pack_number(out, p.order.len);
    for (size_t i = 0; i < p.order.len; i++)
        put_node(&p, i, p.order.data[i]);
    pack_number(out, n);
    for (size_t i = 0; i < n; i++)
        pack_number(out, root[i] == TERM_NONE ? 0 : map_find(&p.node, root[i], 0));
    map_free(&p.node);
    map_free(&p.name);
    vec_free(&p.order);
    vec_free(&p.names);
    return p.whole;
}

/* ---- reading ---- */

struct sort {
    uint16_t width; /* 0: an array */
    uint16_t index, cell;
};

struct node {
    uint8_t kind;
    struct sort sort;
    uint32_t what; /* a constant's value, a name, a pure function, the low bit: an index, or the number */
    uint32_t kid, nkids;
};

struct packed {
    const struct terms *t;
    const struct term_knows *knows;
    struct arena text;
    VEC(struct term_origin) name;
    VEC(struct node) node;
    VEC(uint32_t) kid;
    VEC(struct bits) value;
    VEC(uint32_t) root; /* 1 + number of the node */
};

static bool same_sort(struct sort a, struct sort b)
{
    return a.width == b.width && a.index == b.index && a.cell == b.cell;
}

static struct sort sort_of(const struct terms *t, term x)
{
    return term_is_array(t, x) ? (struct sort){0, (uint16_t)term_index_width(t, x),
                                               (uint16_t)term_cell_width(t, x)}
                               : (struct sort){.width = (uint16_t)width_of(t, x)};
}

static bool read_width(struct unpack *u, uint16_t *out)
{
    *out = (uint16_t)unpack_upto(u, OP_MAX_WIDTH);
    return *out > 0;
}

static bool read_sort(struct unpack *u, struct sort *out)
{
    *out = (struct sort){0};
    return read_width(u, &out->width) || (!u->bad && read_width(u, &out->index) && read_width(u, &out->cell));
}

/* A name without an origin is one of its own only where nothing with an origin is spelled like that. */
static bool read_name(struct packed *p, struct unpack *u)
{
    struct term_origin o = {.kind = (uint16_t)unpack_upto(u, UINT16_MAX)};
    uint64_t id;
    if (o.kind >= TERM_ORIGIN_OTHERS) {
        o.part = (uint16_t)unpack_upto(u, UINT16_MAX);
        o.index = (uint32_t)unpack_upto(u, UINT32_MAX);
        o.offset = unpack_number(u);
    }
    o.name = unpack_text(u, &p->text);
    bool own = o.kind == TERM_ORIGIN_NONE || o.kind == TERM_ORIGIN_FRESH;
    if (u->bad || (own ? !o.name : o.kind < TERM_ORIGIN_OTHERS) ||
        (o.kind == TERM_ORIGIN_NONE && strmap_get(&p->t->name_id, o.name, &id) &&
         p->t->origin.data[id].kind != TERM_ORIGIN_NONE))
        return false;
    vec_push(&p->name, o);
    return true;
}

/* Each is there once: a symbol has one sort. */
static bool read_names(struct packed *p, struct unpack *u)
{
    struct map seen = {0};
    bool ok = true;
    for (uint64_t n = unpack_upto(u, (uint64_t)(u->end - u->at)); n-- && ok;) {
        const uint8_t *from = u->at;
        ok = read_name(p, u) &&
             (p->name.data[p->name.len - 1].kind == TERM_ORIGIN_FRESH ||
              map_set(&seen, hash_bytes(from, (size_t)(u->at - from)), 1));
    }
    map_free(&seen);
    return ok && !u->bad;
}

static struct sort kid_sort(const struct packed *p, const struct node *n, unsigned i)
{
    return p->node.data[p->kid.data[n->kid + i]].sort;
}

static bool is_sound(const struct packed *p, const struct node *n)
{
    const struct term_origin *o = &p->name.data[n->what];
    return o->kind < TERM_ORIGIN_OTHERS || p->knows->sound(o, n->kind == TERM_APPLY, n->sort.width);
}

/* The symbol is in the table already, and is something else there. */
static bool is_other_symbol(const struct packed *p, const struct term_origin *o, struct sort sort)
{
    uint32_t id;
    uint64_t named;
    if (o->kind == TERM_ORIGIN_FRESH)
        return false;
    if (o->kind != TERM_ORIGIN_NONE) {
        if (!table_find_origin(p->t, o, &id))
            return false;
    } else {
        if (!strmap_get(&p->t->name_id, o->name, &named))
            return false;
        id = (uint32_t)named;
    }
    const term x = p->t->symbol.data[id];
    return x != TERM_NONE && !same_sort(sort_of(p->t, x), sort);
}

static bool fits_array(struct sort array, struct sort index, struct sort value)
{
    return !array.width && index.width == array.index && value.width && value.width % array.cell == 0 &&
           (array.index >= 32 || value.width / array.cell <= 1u << array.index);
}

static bool fits_operator(const struct packed *p, const struct node *n)
{
    unsigned width[OP_MAX_ARITY] = {0};
    if (n->nkids != op_info[n->kind].arity || !n->sort.width)
        return false;
    if (n->kind == OP_EQ && !kid_sort(p, n, 0).width)
        return n->sort.width == 1 && same_sort(kid_sort(p, n, 0), kid_sort(p, n, 1));
    for (unsigned i = 0; i < n->nkids; i++) {
        width[i] = kid_sort(p, n, i).width;
        if (!width[i])
            return false;
    }
    return !op_check((enum op)n->kind, n->sort.width, width, n->what);
}

static bool fits_pure(const struct packed *p, const struct node *n)
{
    const struct pure *f = &p->knows->pure[n->what];
    bool ok = n->nkids == f->nargs && n->sort.width == f->width;
    for (unsigned i = 0; ok && i < n->nkids; i++)
        ok = kid_sort(p, n, i).width == f->arg_width[i];
    return ok;
}

static bool fits(const struct packed *p, const struct node *n)
{
    const struct sort none = {0};
    const struct sort a = n->nkids > 0 ? kid_sort(p, n, 0) : none, b = n->nkids > 1 ? kid_sort(p, n, 1) : none,
                      c = n->nkids > 2 ? kid_sort(p, n, 2) : none;
    switch (n->kind) {
    case TERM_CONST:
        return !n->nkids && n->sort.width;
    case TERM_VAR:
        return !n->nkids && is_sound(p, n) && !is_other_symbol(p, &p->name.data[n->what], n->sort);
    case TERM_APPLY:
        return p->name.data[n->what].kind != TERM_ORIGIN_FRESH && is_sound(p, n);
    case TERM_PURE:
        return fits_pure(p, n);
    case TERM_READ:
        return n->nkids == 2 && n->sort.width && fits_array(a, b, n->sort);
    case TERM_WRITE:
        return n->nkids == 3 && same_sort(n->sort, a) && fits_array(a, b, c);
    case TERM_AITE:
        return n->nkids == 3 && a.width == 1 && !b.width && same_sort(b, c) && same_sort(n->sort, b);
    case TERM_ACONST:
        return n->nkids == 1 && a.width && !n->sort.width && a.width == n->sort.cell;
    default:
        return n->kind < OP_COUNT_ && fits_operator(p, n);
    }
}

static bool read_constant(struct packed *p, struct unpack *u, struct node *n)
{
    const size_t bytes = (n->sort.width + 7u) / 8;
    const uint8_t *from = unpack_bytes(u, bytes);
    if (!from)
        return false;
    const struct bits value = bits_from_bytes(from, bytes);
    n->what = (uint32_t)p->value.len;
    vec_push(&p->value, value);
    return bits_eq(bits_mask(value, n->sort.width), value);
}

static bool read_pure(struct packed *p, struct unpack *u, struct node *n)
{
    const char *name = unpack_text(u, &p->text);
    for (size_t i = 0; name && i < p->knows->npures; i++)
        if (strcmp(p->knows->pure[i].name, name) == 0) {
            n->what = (uint32_t)i;
            return true;
        }
    return false;
}

/* What it has besides operands. */
static bool read_what(struct packed *p, struct unpack *u, struct node *n)
{
    if (n->kind == TERM_CONST)
        return n->sort.width && read_constant(p, u, n);
    if (n->kind == TERM_PURE)
        return read_pure(p, u, n);
    if (is_named(n->kind)) {
        n->what = (uint32_t)unpack_upto(u, p->name.len ? p->name.len - 1 : 0);
        return p->name.len > 0;
    }
    if (n->kind == OP_EXTRACT)
        n->what = (uint32_t)unpack_upto(u, OP_MAX_WIDTH);
    return true;
}

static bool read_node(struct packed *p, struct unpack *u)
{
    struct node n = {.kind = (uint8_t)unpack_upto(u, TERM_KIND_COUNT_ - 1), .kid = (uint32_t)p->kid.len};
    const uint32_t number = (uint32_t)p->node.len;
    if (u->bad || !read_sort(u, &n.sort) || !read_what(p, u, &n))
        return false;
    n.nkids = (uint32_t)unpack_upto(u, (uint64_t)(u->end - u->at));
    for (uint32_t i = 0; i < n.nkids && !u->bad; i++) {
        const uint64_t back = unpack_upto(u, number);
        if (!back)
            return false;
        vec_push(&p->kid, number - (uint32_t)back);
    }
    if (u->bad || !fits(p, &n))
        return false;
    vec_push(&p->node, n);
    return true;
}

/* A symbol has one sort, and is one node. */
static bool has_symbols_once(const struct packed *p)
{
    struct map seen = {0};
    bool ok = true;
    for (size_t i = 0; i < p->node.len && ok; i++)
        ok = p->node.data[i].kind != TERM_VAR || map_set(&seen, p->node.data[i].what, 1);
    map_free(&seen);
    return ok;
}

static bool read_all(struct packed *p, struct unpack *u)
{
    bool ok = read_names(p, u);
    const uint64_t nodes = unpack_upto(u, (uint64_t)(u->end - u->at));
    for (uint64_t i = 0; i < nodes && ok; i++)
        ok = nodes < UINT32_MAX && read_node(p, u);
    const uint64_t roots = ok ? unpack_upto(u, (uint64_t)(u->end - u->at)) : 0;
    for (uint64_t i = 0; i < roots && !u->bad; i++)
        vec_push(&p->root, (uint32_t)unpack_upto(u, nodes));
    return ok && !u->bad && has_symbols_once(p);
}

struct packed *packed_read(struct unpack *from, const struct terms *t, const struct term_knows *knows)
{
    struct packed *p = xcalloc(1, sizeof *p);
    p->t = t;
    p->knows = knows;
    if (read_all(p, from))
        return p;
    packed_free(p);
    from->bad = true;
    return NULL;
}

void packed_free(struct packed *p)
{
    if (!p)
        return;
    vec_free(&p->name);
    vec_free(&p->node);
    vec_free(&p->kid);
    vec_free(&p->value);
    vec_free(&p->root);
    arena_free(&p->text);
    free(p);
}

size_t packed_roots(const struct packed *p)
{
    return p->root.len;
}

bool packed_is(const struct packed *p, size_t i, unsigned width)
{
    const uint32_t root = p->root.data[i];
    return width ? root && p->node.data[root - 1].sort.width == width : !root;
}

bool packed_is_array(const struct packed *p, size_t i, unsigned index_width, unsigned cell_width)
{
    const uint32_t root = p->root.data[i];
    return root && same_sort(p->node.data[root - 1].sort,
                             (struct sort){0, (uint16_t)index_width, (uint16_t)cell_width});
}

/* ---- building ---- */

static term build_symbol(struct terms *t, const struct term_origin *o, const struct node *n,
                         const struct term_knows *knows)
{
    const struct sort s = n->sort;
    if (o->kind == TERM_ORIGIN_FRESH)
        return s.width ? term_fresh(t, o->name, s.width) : term_fresh_array(t, o->name, s.index, s.cell);
    if (o->kind == TERM_ORIGIN_NONE)
        return s.width ? term_var(t, o->name, s.width) : term_array_var(t, o->name, s.index, s.cell);
    return s.width ? term_symbol(t, o, knows->spell, s.width)
                   : term_array_symbol(t, o, knows->spell, s.index, s.cell);
}

static term build_application(struct terms *t, const struct term_origin *o, const struct node *n,
                              const term *kid, const struct term_knows *knows)
{
    const struct sort s = n->sort;
    if (o->kind == TERM_ORIGIN_NONE)
        return s.width ? term_apply(t, o->name, s.width, kid, n->nkids)
                       : term_apply_array(t, o->name, s.index, s.cell, kid, n->nkids);
    return s.width ? term_apply_origin(t, o, knows->spell, s.width, kid, n->nkids)
                   : term_apply_origin_array(t, o, knows->spell, s.index, s.cell, kid, n->nkids);
}

static term build_node(const struct packed *p, struct terms *t, const struct node *n, const term *kid)
{
    switch (n->kind) {
    case TERM_CONST:
        return term_const_bits(t, n->sort.width, p->value.data[n->what]);
    case TERM_VAR:
        return build_symbol(t, &p->name.data[n->what], n, p->knows);
    case TERM_APPLY:
        return build_application(t, &p->name.data[n->what], n, kid, p->knows);
    case TERM_PURE:
        return term_pure(t, &p->knows->pure[n->what], kid);
    case TERM_READ:
        return term_read(t, kid[0], kid[1], n->sort.width);
    case TERM_WRITE:
        return term_write(t, kid[0], kid[1], kid[2]);
    case TERM_AITE:
        return term_ite(t, kid[0], kid[1], kid[2]);
    case TERM_ACONST:
        return term_array_const(t, n->sort.index, kid[0]);
    case OP_EXTRACT:
        return term_extract(t, kid[0], n->what, n->sort.width);
    default:
        return term_op(t, (enum op)n->kind, n->sort.width, kid, n->nkids);
    }
}

void packed_build(const struct packed *p, struct terms *t, term *root)
{
    term *built = xcalloc(p->node.len + 1, sizeof *built);
    VEC(term) kid = VEC_INIT;
    /* first, before an origin is spelled like one of them */
    for (size_t i = 0; i < p->name.len; i++)
        if (p->name.data[i].kind == TERM_ORIGIN_NONE)
            table_name(t, p->name.data[i].name);
    for (size_t i = 0; i < p->node.len; i++) {
        const struct node *n = &p->node.data[i];
        vec_clear(&kid);
        for (unsigned k = 0; k < n->nkids; k++)
            vec_push(&kid, built[p->kid.data[n->kid + k]]);
        built[i] = build_node(p, t, n, kid.data);
    }
    for (size_t i = 0; i < p->root.len; i++)
        root[i] = p->root.data[i] ? built[p->root.data[i] - 1] : TERM_NONE;
    vec_free(&kid);
    free(built);
}
