/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/relation.h"

#include <stdlib.h>
#include <string.h>

#include "verify/join.h"

void relation_free(struct relation *r)
{
    map_free(&r->symbols);
    map_free(&r->dropped);
    for (int s = 0; s < 2; s++)
        map_free(&r->step[s]);
}

/* ---- locations ---- */

/* What is known of a byte of the frame. */
enum { BYTE_WRITTEN = 1, BYTE_EDGE = 2 /* something that was written as a whole begins or has ended here */ };

static void mark_byte(struct map *byte, int64_t off, uint64_t what)
{
    map_set(byte, (uint64_t)off, map_find(byte, (uint64_t)off, 0) | what);
}

/* The bytes of the frame that were written, by offset; false when some were written at a computed place. */
static bool frame_words(const struct pair *pair, const struct pair_side *s, term frame, struct map *byte)
{
    term root = explorer_symbols(s->x).mem;
    for (term at = frame; at != root; at = term_kid(pair->t, at, 0)) {
        int64_t off;
        if (term_kind(pair->t, at) != TERM_WRITE || !pair_sp_offset(pair, term_kid(pair->t, at, 1), &off))
            return false;
        unsigned bytes = term_width(pair->t, term_kid(pair->t, at, 2)) / 8;
        for (unsigned i = 0; i < bytes; i++)
            mark_byte(byte, off + i, BYTE_WRITTEN);
        mark_byte(byte, off, BYTE_EDGE);
        mark_byte(byte, off + bytes, BYTE_EDGE);
    }
    return true;
}

static term frame_read(const struct pair *pair, term frame, int64_t off, unsigned bytes)
{
    return term_read(pair->t, frame, term_add_const(pair->t, pair->sp, (uint64_t)off), bytes * 8);
}

/* Makes the stored point and the arriving one agree on where locals live. */
static bool align(struct pair *pair, struct pair_side *s, struct exec_point *t, struct exec_point *a,
                  struct map *bytes)
{
    if (!exec_point_agree(s->x, t, a))
        return false;
    if (!t->escaped && !a->escaped) {
        bool ok = frame_words(pair, s, t->frame, bytes) && frame_words(pair, s, a->frame, bytes);
        if (ok)
            return true;
        map_clear(bytes);
    }
    exec_point_escape(s->x, t);
    exec_point_escape(s->x, a);
    /* what is left there are saved registers */
    return frame_words(pair, s, t->frame, bytes) && frame_words(pair, s, a->frame, bytes);
}

/* The words of a frame, cut where what was written begins and ends: a variable is one word in both versions,
 * whatever lies next to it. */
static void add_words(struct join *j, unsigned side, const struct map *bytes)
{
    struct pair *pair = j->pair;
    VEC(int64_t) off = VEC_INIT;
    uint64_t key, what;
    int64_t unit = pair->width / 8;
    for (size_t i = 0; (i = map_next(bytes, i, &key, &what));)
        if (what & BYTE_WRITTEN)
            vec_push(&off, (int64_t)key);
    vec_sort(&off, frame_by_offset);
    for (size_t i = 0, n; i < off.len; i += n) {
        n = 1;
        while (i + n < off.len && off.data[i + n] == off.data[i] + (int64_t)n && (int64_t)n < unit &&
               !(map_find(bytes, (uint64_t)off.data[i + n], 0) & BYTE_EDGE))
            n++;
        vec_push(&j->all, (struct location){
                              .side = (uint8_t)side,
                              .offset = off.data[i],
                              .key = UINT64_C(1) << 63 | (uint64_t)off.data[i] << 8 | n,
                              .stored = frame_read(pair, j->r->at[side]->frame, off.data[i], (unsigned)n),
                              .arrived = frame_read(pair, j->a[side]->frame, off.data[i], (unsigned)n)});
    }
    vec_free(&off);
}

static void add_location(struct join *j, unsigned side, unsigned index, term *stored, term arrived)
{
    vec_push(
        &j->all,
        (struct location){
            .side = (uint8_t)side, .key = index, .native = stored, .stored = *stored, .arrived = arrived});
}

static void gather(struct join *j, const struct map *bytes)
{
    struct pair *pair = j->pair;
    for (unsigned s = 0; s < 2; s++) {
        struct exec_point *t = j->r->at[s], *a = j->a[s];
        for (unsigned i = 0; i < t->nregs; i++)
            add_location(j, s, i, &t->reg[i], a->reg[i]);
        add_location(j, s, t->nregs, &t->mem, a->mem);
        add_location(j, s, t->nregs + 1, &t->world, a->world);
        add_words(j, s, &bytes[s]);
    }
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        l->relation = canonical_term(pair, &pair->side[l->side], l->stored);
        l->now = view_side(j->v, l->side ? j->v->n : j->v->o, l->arrived);
        l->width = term_is_array(pair->t, l->relation) ? 0 : term_width(pair->t, l->relation);
    }
}

/* Puts the locations' terms back into the stored points. */
static void store_locations(struct join *j)
{
    struct pair *pair = j->pair;
    term frame[2];
    for (int s = 0; s < 2; s++)
        frame[s] = explorer_symbols(pair->side[s].x).mem;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        if (l->native)
            *l->native = l->stored;
        else
            frame[l->side] = term_write(pair->t, frame[l->side],
                                        term_add_const(pair->t, pair->sp, (uint64_t)l->offset), l->stored);
    }
    for (int s = 0; s < 2; s++)
        j->r->at[s]->frame = frame[s];
}

/* ---- symbols ---- */

/* Looks for a part of a register that neither callees nor nobody left. */
struct leaving {
    struct join *j;
    const struct location *l;
    bool called; /* some callee left a part */
};

static enum term_visit find_no_leaving(void *ctx, term x)
{
    struct leaving *e = ctx;
    struct join *j = e->j;
    const struct location *l = e->l;
    unsigned kind = term_kind(j->pair->t, x), unit = j->pair->width / 8;
    if (kind == TERM_APPLY && clobbered_by_callee(j->v->c, x)) {
        e->called = true;
        return TERM_PAST;
    }
    /* between a call and a loop nobody hands on a parameter; between a call and a join somebody may */
    if (x == explorer_entry(j->pair->side[l->side].x, (unsigned)l->key * unit, j->pair->width) &&
        (!j->forgets || carries_no_parameter(j->v->c, (int)l->side, (unsigned)l->key * unit)))
        return TERM_PAST;
    return kind == OP_EXTRACT || kind == OP_ZEXT || kind == OP_CONCAT || kind == OP_ITE ? TERM_INTO
                                                                                        : TERM_STOP;
}

static bool is_leaving(struct join *j, const struct location *l)
{
    struct leaving e = {.j = j, .l = l};
    return l->native && l->width && l->key < j->r->at[l->side]->nregs &&
           !term_visit_parts(j->pair->t, l->stored, find_no_leaving, &e) &&
           !term_visit_parts(j->pair->t, l->arrived, find_no_leaving, &e) && e.called;
}

/* A pointer into the frame must stay recognisable as one, and so must what a callee left in a register. */
static term fresh_symbol(struct join *j, const struct location *l)
{
    struct pair *pair = j->pair;
    struct terms *t = pair->t;
    term s;
    if (!l->width) {
        s = term_fresh_array(t, "loop", term_index_width(t, l->relation), term_cell_width(t, l->relation));
    } else {
        s = term_fresh(t, "loop", l->width);
        map_set(&j->r->symbols, s, 1);
        if (is_leaving(j, l)) {
            struct term_origin left = {.kind = ORIGIN_CLOBBERED, .part = ORIGIN_CLOBBERED_CUT};
            s = origin_apply(t, left, l->width, &s, 1);
            map_set(&j->r->symbols, s, 1);
            return s;
        }
        bool was = explorer_in_frame(pair->side[l->side].x, l->stored),
             is = explorer_in_frame(pair->side[l->side].x, l->arrived);
        if (l->width == pair->width && was && is) {
            s = term_bin(t, OP_ADD, pair->sp, s);
        } else if (l->width == pair->width && (was || is)) {
            term which = term_fresh(t, "loop", 1), other = term_fresh(t, "loop", l->width);
            map_set(&j->r->symbols, which, 1);
            map_set(&j->r->symbols, other, 1);
            s = term_ite(t, which, term_bin(t, OP_ADD, pair->sp, s), other);
        }
    }
    map_set(&j->r->symbols, s, 1);
    return s;
}

/* The symbol can stand for what the location holds now. */
static bool fits(struct join *j, term symbol, const struct location *l)
{
    struct pair *pair = j->pair;
    return term_is_array(pair->t, symbol) || term_kind(pair->t, symbol) != OP_ADD ||
           explorer_in_frame(pair->side[l->side].x, l->arrived);
}

static void split(struct pair *pair, term x, term *base, uint64_t *off)
{
    *base = x;
    *off = 0;
    if (!term_is_array(pair->t, x) && term_width(pair->t, x) <= 64)
        term_split(pair->t, x, base, off);
}

/* What of a location is not the count's. */
static void take_apart(struct join *j, struct location *l)
{
    struct terms *t = j->pair->t;
    term *rest[] = {&l->rest, &l->native_rest, &l->rest_now, &l->native_rest_now};
    const term whole[] = {l->relation, l->stored, l->now, l->arrived};
    for (int i = 0; i < 4; i++)
        *rest[i] = l->narrow ? term_extract(t, whole[i], 0, HALF) : whole[i];
    if (l->narrow)
        l->width = HALF;
    if (j->r->count == TERM_NONE || !map_get(&j->r->step[l->side], l->key, &l->step))
        return;
    for (int i = 0; i < 4; i++) {
        /* the relation of the first arrival has counted nothing */
        if (i < 2 && j->first)
            continue;
        *rest[i] = term_bin(t, OP_SUB, *rest[i],
                            join_times(j, i < 2 ? j->r->count : j->count_now, l->step, l->width));
    }
}

/* ---- weakening ---- */

/* It stays what it is. */
static bool is_exact(struct join *j, const struct location *l)
{
    struct pair *pair = j->pair;
    if (l->rest == l->rest_now && l->native_rest == l->native_rest_now)
        return true;
    /* where the two versions have the same terms there is nothing of either's own in them */
    return l->native_rest == l->rest &&
           canonical_term(pair, &pair->side[l->side], l->arrived) == l->arrived &&
           join_equal(j, l->rest, l->rest_now);
}

/* Adds a class; returns its index. */
static size_t add_class(struct join *j, struct class d)
{
    d.next = map_find(&j->of_base, d.base, 0);
    vec_push(&j->class, d);
    map_set(&j->of_base, d.base, j->class.len);
    return j->class.len - 1;
}

static void drop_classes(struct join *j)
{
    j->class.len = 0;
    map_clear(&j->of_base);
}

static size_t class_of(struct join *j, struct location *l)
{
    struct pair *pair = j->pair;
    term base;
    uint64_t off;
    split(pair, l->rest, &base, &off);
    for (size_t k = map_find(&j->of_base, base, 0); k--; k = j->class.data[k].next) {
        const struct class *d = &j->class.data[k];
        if (d->width == l->width &&
            join_equal(j, l->rest_now,
                       l->width && l->width <= 64 ? term_add_const(pair->t, d->now, off - d->at) : d->now) &&
            fits(j, d->symbol, l))
            return k;
    }
    struct class n = {.base = base, .now = l->rest_now, .at = off, .width = l->width};
    bool own = base != TERM_NONE && map_get(&j->r->symbols, base, NULL);
    /* the first class that comes to a symbol keeps it */
    if (own && fits(j, base, l) && map_set(&j->kept, base, 1)) {
        n.symbol = base;
    } else {
        n.symbol = fresh_symbol(j, l);
        n.fresh = true;
        j->changed = true;
    }
    return add_class(j, n);
}

/* The location's term, made of what is left of it and the count. */
static term put_together(struct join *j, const struct location *l, term rest)
{
    struct terms *t = j->pair->t;
    if (l->step)
        rest = term_bin(t, OP_ADD, rest, join_times(j, j->r->count, l->step, l->width));
    return l->narrow ? term_zext(t, rest, 2 * HALF) : rest;
}

static void weaken_location(struct join *j, struct location *l)
{
    struct pair *pair = j->pair;
    term base;
    uint64_t off, native;
    size_t k = class_of(j, l);
    struct class *d = &j->class.data[k];
    l->class = k + 1;
    d->sides |= 1u << l->side;
    term rest = d->symbol;
    if (l->width && l->width <= 64) {
        /* An offset in the frame is one of its own frame. */
        split(pair, l->rest, &base, &off);
        split(pair, l->native_rest, &base, &native);
        rest = term_add_const(pair->t, rest, base == pair->sp ? native : off);
    }
    l->weakened = rest;
    l->stored = put_together(j, l, rest);
}

/* What the relation's symbols are at this arrival. */
static void find_values(struct join *j)
{
    struct pair *pair = j->pair;
    if (j->r->count != TERM_NONE && !j->first) {
        vec_push(&j->from, j->r->count);
        vec_push(&j->to, j->count_now);
    }
    for (size_t k = 0; k < j->class.len; k++) {
        const struct class *d = &j->class.data[k];
        term inner = d->symbol, value = d->now;
        if (d->fresh)
            continue;
        if (d->width && d->width <= 64)
            value = term_add_const(pair->t, value, 0 - d->at);
        if (d->width && term_kind(pair->t, inner) == OP_ADD) {
            inner = term_kid(pair->t, inner, term_kid(pair->t, inner, 0) == pair->sp);
            value = term_bin(pair->t, OP_SUB, value, pair->sp);
        }
        if (term_kind(pair->t, inner) != TERM_VAR)
            continue;
        vec_push(&j->from, inner);
        vec_push(&j->to, value);
    }
}

/* ---- locations that are computed from others ---- */

/* What other locations can be computed from: it is counted, or both versions have it. */
static bool is_anchor(const struct join *j, const struct location *l)
{
    return !l->derived && ((l->exact && l->step) || (l->class && j->class.data[l->class - 1].sides == 3));
}

/* One term that was x and is y, both of the one side; TERM_NONE: none was found. */
static term generalise(struct join *j, unsigned side, term x, term y)
{
    struct terms *t = j->pair->t;
    if (x == y && !join_has_symbols(j, x))
        return x;
    if (++j->nodes > NODES_MAX || term_is_array(t, x) != term_is_array(t, y))
        return TERM_NONE;
    bool array = term_is_array(t, x);
    unsigned width = array ? 0 : term_width(t, x);
    if (!array && width != term_width(t, y))
        return TERM_NONE;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        uint64_t a, b;
        if (l->side != side || l->step || l->narrow || l->width != width || !is_anchor(j, l) ||
            term_is_array(t, l->arrived) != array)
            continue;
        if (l->native_rest == x && l->arrived == y)
            return l->stored;
        if (!array && width <= 64 && join_difference(j->pair, l->native_rest, x, &a) &&
            join_difference(j->pair, l->arrived, y, &b) && a == b)
            return term_add_const(t, l->stored, a);
    }
    if (j->r->count != TERM_NONE && !j->first && join_only_counts(j, x) &&
        term_substitute(t, x, &j->r->count, &j->count_now, 1) == y)
        return x;
    uint64_t d;
    if (j->r->count != TERM_NONE && j->first && !array && (width == 32 || width == 64) &&
        width <= j->pair->width && !join_has_symbols(j, x) && join_difference(j->pair, x, y, &d))
        return term_bin(t, OP_ADD, x, join_times(j, j->r->count, d, width));
    unsigned n = term_nkids(t, x);
    if (!n || n > 4 || !term_same_head(t, x, y))
        return TERM_NONE;
    term kid[4];
    for (unsigned i = 0; i < n; i++) {
        kid[i] = generalise(j, side, term_kid(t, x, i), term_kid(t, y, i));
        if (kid[i] == TERM_NONE)
            return TERM_NONE;
    }
    return term_rebuild(t, x, kid);
}

/* It changed, for the first time, and no location of the other version changed alike. */
static bool is_alone(const struct join *j, const struct location *l)
{
    return l->class && j->class.data[l->class - 1].fresh && j->class.data[l->class - 1].sides != 3 &&
           l->width;
}

/* It is no pointer into a frame, and means the same in both versions. */
static bool is_common(const struct join *j, const struct location *l)
{
    struct explorer *x = j->pair->side[l->side].x;
    return l->width <= 64 && l->native_rest == l->rest && !explorer_in_frame(x, l->stored) &&
           !explorer_in_frame(x, l->arrived);
}

/* A pointer of the new version that went as far as an index of the old one: computed from that; TERM_NONE:
 * there is none. */
static term as_far(struct join *j, const struct location *l)
{
    struct terms *t = j->pair->t;
    if (l->side != NEW || !is_common(j, l))
        return TERM_NONE;
    term way = term_bin(t, OP_SUB, l->rest_now, l->rest);
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *o = &j->all.data[i];
        if (o->side == OLD && o->width == l->width && is_alone(j, o) && !o->derived && is_common(j, o) &&
            join_equal(j, way, term_bin(t, OP_SUB, o->rest_now, o->rest)))
            return term_bin(t, OP_ADD, l->rest, term_bin(t, OP_SUB, o->weakened, o->rest));
    }
    return TERM_NONE;
}

static void derive(struct join *j)
{
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        if (!is_alone(j, l))
            continue;
        term far = as_far(j, l);
        if (far != TERM_NONE) {
            l->derived = true;
            l->stored = put_together(j, l, far);
        }
        if (far != TERM_NONE || l->step)
            continue;
        j->nodes = 0;
        term x = generalise(j, l->side, l->native_rest, l->native_rest_now);
        if (x == TERM_NONE || !join_has_symbols(j, x))
            continue;
        l->derived = true;
        l->stored = put_together(j, l, x);
    }
}

/* ---- joining ---- */

/* Weakens the relation until it covers the arrival. */
static void weaken(struct join *j)
{
    struct pair *pair = j->pair;
    join_see_narrow(j);
    if (!j->first)
        join_go_on_counting(j);
    else if (j->rich && j->again)
        join_start_count(j);
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        term base;
        uint64_t off;
        take_apart(j, l);
        split(pair, l->rest, &base, &off);
        bool root = base != TERM_NONE && map_get(&j->r->symbols, base, NULL), own = join_has_symbols(j, l->rest);
        l->derived = own && !root;
        if (l->derived)
            continue;
        l->exact = !own && is_exact(j, l);
        if (!l->exact)
            weaken_location(j, l);
        else if (l->step)
            l->stored = put_together(j, l, l->native_rest);
    }
    find_values(j);
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        if (!l->derived)
            continue;
        term value = j->rich ? join_value_now(j, l->rest) : TERM_NONE;
        if (value != TERM_NONE && join_equal(j, value, l->rest_now))
            continue;
        l->derived = false;
        weaken_location(j, l);
    }
    if (j->rich)
        derive(j);
}

/* On the first arrival: values that are equal only because calls made the same get a symbol, since the terms
 * that say so are not in the states. */
static void name_united(struct join *j)
{
    struct pair *pair = j->pair;
    struct map symbol = {0};
    uint64_t known;
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        if (l->side == NEW && j->v->known.len &&
            l->now != canonical_term(pair, &pair->side[NEW], l->stored) && !term_is_const(pair->t, l->now) &&
            !map_get(&symbol, l->now, NULL))
            map_set(&symbol, l->now, fresh_symbol(j, l));
    }
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        if (map_get(&symbol, l->now, &known))
            l->stored = (term)known;
    }
    map_free(&symbol);
}

/* ---- forgetting ---- */

/* A number, as in both files. */
static bool is_number(const struct pair *pair, term x)
{
    enum { NO_ADDRESS = 4096 };
    uint64_t v;
    return term_is_const(pair->t, x) && term_const_u64(pair->t, x, &v) && v < NO_ADDRESS;
}

static bool is_callers(void *ctx, term x)
{
    return origin_is(ctx, x, ORIGIN_CALLER);
}

/* A register as it was at entry. */
static bool is_untouched(const struct join *j, const struct location *l)
{
    const struct pair *pair = j->pair;
    return l->native && l->width == pair->width && l->key < j->r->at[l->side]->nregs &&
           l->stored ==
               explorer_entry(pair->side[l->side].x, (unsigned)l->key * (pair->width / 8), pair->width);
}

/* Neither a number nor a register as it was at entry, nor made of these alone. */
static bool is_of_more(void *ctx, term x)
{
    const struct terms *t = ctx;
    const unsigned kind = term_kind(t, x);
    unsigned n;
    if (term_is_const(t, x) || origin_is_argument(t, x, &n) || origin_is_register(t, x))
        return false;
    return term_is_array(t, x) || kind == OP_ITE || kind >= OP_COUNT_;
}

/* A little is computed of what the function was given, which stays what it is: one version keeps it and the
 * other computes it again. */
static bool is_of_parameters(const struct terms *t, term x)
{
    enum { NODES = 12 };
    return !term_is_array(t, x) && term_size_to(t, x, NODES) <= NODES &&
           !term_any(t, x, is_of_more, (void *)t);
}

/* It says how it came about no more than a symbol does, with a number added or not, or must stay what it is:
 * addresses of the program, of the stack, and of what was allocated. */
static bool is_bare(struct join *j, const struct location *l)
{
    struct terms *t = j->pair->t;
    term base;
    uint64_t off;
    split(j->pair, l->stored, &base, &off);
    if (base == TERM_NONE || base == j->pair->sp || term_kind(t, base) == TERM_VAR ||
        term_is_const(t, l->stored) || is_untouched(j, l))
        return true;
    return l->width && (origin_is_new_object(t, base) || is_of_parameters(t, l->stored) ||
                        term_any(t, l->stored, is_callers, t));
}

/* The class of what the location holds, without a constant that is added. */
static size_t class_of_value(struct join *j, struct location *l, term value)
{
    struct pair *pair = j->pair;
    term base;
    uint64_t off;
    split(pair, value, &base, &off);
    for (size_t k = map_find(&j->of_base, base, 0); k--; k = j->class.data[k].next)
        if (j->class.data[k].width == l->width && fits(j, j->class.data[k].symbol, l))
            return k;
    for (size_t k = 0; !l->width && k < j->class.len; k++)
        if (!j->class.data[k].width && memory_identical(j->v, j->class.data[k].base, base))
            return k;
    return add_class(
        j, (struct class){
               .base = base, .now = value, .width = l->width, .symbol = fresh_symbol(j, l), .fresh = true});
}

/* On the first arrival: locations that hold the same get a symbol, and that is all that is known of them.
 * What is a symbol already, stays one, so that what a segment leaves alone costs nothing. */
static void forget(struct join *j)
{
    struct pair *pair = j->pair;
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        term value = l->now, base;
        uint64_t off;
        bool same = canonical_term(pair, &pair->side[l->side], l->stored) == value;
        if (same && is_bare(j, l))
            continue;
        if (is_number(pair, value)) {
            l->stored = value;
            continue;
        }
        if (l->width == 2 * HALF && term_kind(pair->t, value) == OP_ZEXT &&
            term_width(pair->t, term_kid(pair->t, value, 0)) == HALF &&
            !explorer_in_frame(pair->side[l->side].x, l->stored)) {
            l->narrow = true;
            l->width = HALF;
            value = term_kid(pair->t, value, 0);
        }
        size_t k = class_of_value(j, l, value);
        term symbol = j->class.data[k].symbol;
        split(pair, value, &base, &off);
        l->stored = l->width && l->width <= 64 ? term_add_const(pair->t, symbol, off) : symbol;
        if (l->narrow)
            l->stored = term_zext(pair->t, l->stored, 2 * HALF);
    }
    for (unsigned s = 0; s < 2; s++)
        j->r->at[s]->nliterals = 0;
    map_clear(&j->kept);
    drop_classes(j);
}

/* ---- lengths ---- */

/* The longest, or the shortest, of an if-then-else of constants. `seen`: of parts of it. */
static uint64_t length_bound(const struct terms *t, term length, bool most, struct map *seen)
{
    uint64_t v = EXEC_LENGTH_LOOPS;
    if (term_kind(t, length) != OP_ITE) {
        term_const_u64(t, length, &v);
        return v;
    }
    if (map_get(seen, length, &v))
        return v;
    uint64_t a = length_bound(t, term_kid(t, length, 1), most, seen),
             b = length_bound(t, term_kid(t, length, 2), most, seen);
    v = (a < b) == most ? b : a;
    map_set(seen, length, v);
    return v;
}

/* An exit of the new version is an error for being short: it is taken for as long as it may be, and that of
 * the old version for as short. True when that is something new. */
static bool join_lengths(struct join *j)
{
    struct terms *t = j->pair->t;
    bool changed = false;
    for (unsigned s = 0; s < 2; s++) {
        struct exec_point *at = j->r->at[s];
        if (at->length == TERM_NONE)
            continue;
        struct map seen = {0};
        uint64_t was = length_bound(t, at->length, s == NEW, &seen),
                 is = length_bound(t, j->a[s]->length, s == NEW, &seen);
        map_free(&seen);
        uint64_t both = !j->r->arrivals || (was < is) == (s == NEW) ? is : was;
        changed |= both != was;
        at->length = term_const(t, 32, both);
    }
    return changed;
}

/* What may be given to the next call is compared when it is called: one too many is in vain, one too few may
 * be the one that matters. Registers that only some rounds of a loop set are no arguments behind it. True when
 * that is something new. */
static bool join_arguments(struct join *j)
{
    bool more = false;
    for (unsigned s = 0; s < 2; s++) {
        struct exec_point *at = j->r->at[s];
        if (j->forgets) {
            more |= (j->a[s]->argset & ~at->argset) != 0;
            at->argset |= j->a[s]->argset;
        } else {
            at->argset &= j->a[s]->argset;
        }
        more |= exec_point_join_pending(j->pair->side[s].x, at, j->a[s]);
    }
    return more;
}

static enum relation_change join(struct join *j)
{
    struct relation *r = j->r;
    bool longer = j->forgets && join_lengths(j), more = join_arguments(j);
    if (!r->arrivals) {
        if (j->forgets)
            forget(j);
        else
            name_united(j);
        store_locations(j);
        return RELATION_WEAKER;
    }
    bool counting = r->count != TERM_NONE;
    if (j->again && counting && j->rich && !r->guessed) {
        join_see_narrow(j);
        join_go_on_counting(j);
        r->guessed = true;
        if (j->counted && join_guess_literals(j))
            return RELATION_STRONGER;
    }
    weaken(j);
    for (unsigned s = 0; s < 2; s++)
        join_keep_literals(j, s);
    if (!counting && r->count != TERM_NONE)
        join_guess_small(j);
    store_locations(j);
    return j->changed || longer || more ? RELATION_WEAKER : RELATION_COVERS;
}

enum relation_change relation_arrive(struct relation *r, struct view *v, enum relation_kind kind, bool again)
{
    struct pair *pair = &v->c->pair;
    bool rich = kind == RELATION_RICH;
    struct join j = {.pair = pair,
                     .arena = v->c->arena,
                     .r = r,
                     .v = v,
                     .rich = rich,
                     .forgets = kind == RELATION_FORGETS,
                     .again = again,
                     .first = r->count == TERM_NONE};
    const struct end *e[2] = {v->o, v->n};
    struct map bytes[2] = {{0}, {0}};
    bool ok = true;
    for (int s = 0; s < 2; s++) {
        j.a[s] = exec_point_copy(pair->side[s].x, e[s]->path->point);
        if (r->arrivals)
            continue;
        r->at[s] = exec_point_copy(pair->side[s].x, j.a[s]);
        if (j.forgets)
            continue;
        if (r->at[s]->length != TERM_NONE)
            r->at[s]->length = term_const(pair->t, 32, EXEC_LENGTH_LOOPS);
    }
    for (int s = 0; s < 2 && ok; s++)
        ok = align(pair, &pair->side[s], r->at[s], j.a[s], &bytes[s]);
    enum relation_change change = RELATION_FAILS;
    if (ok) {
        if (rich && query_possible(v->c, &v->v, 1, &j.model[0]) == YES && j.model[0])
            j.nmodels = 1;
        gather(&j, bytes);
        change = join(&j);
        r->arrivals++;
        /* What of memory differs is not told apart from what does not: then nothing would follow from this.
         */
        const struct pair_side *new = &pair->side[NEW];
        if (j.forgets && (canonical_term(pair, new, r->at[NEW]->mem) != r->at[OLD]->mem ||
                          canonical_term(pair, new, r->at[NEW]->world) != r->at[OLD]->world))
            change = RELATION_FAILS;
    }
    for (int s = 0; s < 2; s++)
        map_free(&bytes[s]);
    for (unsigned i = 0; i < j.nmodels; i++) {
        term_model_free(j.model[i]);
        map_free(&j.valued[i]);
    }
    vec_free(&j.value);
    vec_free(&j.all);
    vec_free(&j.class);
    map_free(&j.of_base);
    vec_free(&j.from);
    vec_free(&j.to);
    map_free(&j.kept);
    map_free(&j.equal);
    return change;
}
