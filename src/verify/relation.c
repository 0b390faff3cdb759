/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/relation.h"

#include <stdlib.h>
#include <string.h>

/* A location of one side at a cut. */
struct location {
    term *native;  /* where its term is kept, of the stored point; NULL for words of the frame */
    term stored;   /* what the relation says it holds, of its own side */
    term arrived;  /* what it holds now, of its own side */
    term relation; /* `stored`, canonical */
    term now;      /* `arrived`, canonical and as seen */
    /* The same four without what the count makes of them; their lower halves where that is all there is. */
    term rest, rest_now, native_rest, native_rest_now;
    int64_t offset; /* of a word of the frame */
    uint64_t key;   /* names it from arrival to arrival */
    uint64_t step;
    unsigned width; /* of `rest`; 0: an array */
    term weakened;  /* what stands for `rest` now */
    size_t class;   /* index + 1 */
    uint8_t side;
    bool narrow, exact, derived;
};

/* One symbol for all locations that went from `base` + offset to `now` + offset. */
struct class
{
    term base;   /* of the relation, without the offset */
    term now;    /* of the first one, with it */
    uint64_t at; /* the first one's offset */
    unsigned width;
    term symbol; /* what stands for base */
    unsigned sides;
    bool fresh;
};

enum { MODELS_MAX = 6, ASKED_MAX = 120, LITERALS_MAX = 64, GUESSES_MAX = 12, NODES_MAX = 300 };

/* The relation and an arrival, being joined. */
struct join {
    struct check *c;
    struct relation *r;
    struct view *v;
    bool rich, again;
    bool first; /* nothing was counted so far */
    struct exec_point *a[2];
    VEC(struct location) all;
    VEC(struct class) class;
    struct map equal; /* two terms -> are they equal now */
    struct map kept;  /* own symbol -> class that keeps it + 1 */
    term count_now;
    uint64_t counted; /* it is the count and so much more; 0: it is not */
    struct term_model *model[MODELS_MAX];
    unsigned nmodels, asked, nodes;
    bool changed;
    /* What the relation's symbols are now. */
    VEC(term) from, to;
};

void relation_free(struct relation *r)
{
    map_free(&r->own);
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
static bool frame_words(const struct check *c, const struct side *s, term frame, struct map *byte)
{
    term root = explorer_symbols(s->x).mem;
    for (term at = frame; at != root; at = term_kid(c->t, at, 0)) {
        int64_t off;
        if (term_kind(c->t, at) != TERM_WRITE || !is_sp_offset(c, term_kid(c->t, at, 1), &off))
            return false;
        unsigned bytes = term_width(c->t, term_kid(c->t, at, 2)) / 8;
        for (unsigned i = 0; i < bytes; i++)
            mark_byte(byte, off + i, BYTE_WRITTEN);
        mark_byte(byte, off, BYTE_EDGE);
        mark_byte(byte, off + bytes, BYTE_EDGE);
    }
    return true;
}

static term frame_read(const struct check *c, term frame, int64_t off, unsigned bytes)
{
    return term_read(c->t, frame, term_add_const(c->t, c->sp, (uint64_t)off), bytes * 8);
}

/* Brings the stored point and the one that arrived to the same notion of where locals live. */
static bool align(struct check *c, struct side *s, struct exec_point *t, struct exec_point *a,
                  struct map *bytes)
{
    if (!exec_point_agree(s->x, t, a))
        return false;
    if (!t->escaped && !a->escaped) {
        bool ok = frame_words(c, s, t->frame, bytes) && frame_words(c, s, a->frame, bytes);
        if (ok)
            return true;
        map_clear(bytes);
    }
    exec_point_escape(s->x, t);
    exec_point_escape(s->x, a);
    /* what is left there are saved registers */
    return frame_words(c, s, t->frame, bytes) && frame_words(c, s, a->frame, bytes);
}

/* The words of a frame, cut where what was written begins and ends: a variable is to be one word in both
 * versions, whatever lies beside it. */
static void add_words(struct join *j, unsigned side, const struct map *bytes)
{
    struct check *c = j->c;
    VEC(int64_t) off = VEC_INIT;
    uint64_t key, what;
    int64_t unit = c->width / 8;
    for (size_t i = 0; (i = map_next(bytes, i, &key, &what));)
        if (what & BYTE_WRITTEN)
            vec_push(&off, (int64_t)key);
    vec_sort(&off, by_offset);
    for (size_t i = 0, n; i < off.len; i += n) {
        n = 1;
        while (i + n < off.len && off.data[i + n] == off.data[i] + (int64_t)n && (int64_t)n < unit &&
               !(map_find(bytes, (uint64_t)off.data[i + n], 0) & BYTE_EDGE))
            n++;
        vec_push(&j->all,
                 (struct location){.side = (uint8_t)side,
                                   .offset = off.data[i],
                                   .key = UINT64_C(1) << 63 | (uint64_t)off.data[i] << 8 | n,
                                   .stored = frame_read(c, j->r->at[side]->frame, off.data[i], (unsigned)n),
                                   .arrived = frame_read(c, j->a[side]->frame, off.data[i], (unsigned)n)});
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
    struct check *c = j->c;
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
        l->relation = norm(c, &c->side[l->side], l->stored);
        l->now = view_side(j->v, l->side ? j->v->n : j->v->o, l->arrived);
        l->width = term_is_array(c->t, l->relation) ? 0 : term_width(c->t, l->relation);
    }
}

/* Puts the locations' terms back into the stored points. */
static void store_locations(struct join *j)
{
    struct check *c = j->c;
    term frame[2];
    for (int s = 0; s < 2; s++)
        frame[s] = explorer_symbols(c->side[s].x).mem;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        if (l->native)
            *l->native = l->stored;
        else
            frame[l->side] =
                term_write(c->t, frame[l->side], term_add_const(c->t, c->sp, (uint64_t)l->offset), l->stored);
    }
    for (int s = 0; s < 2; s++)
        j->r->at[s]->frame = frame[s];
}

/* ---- symbols ---- */

static bool is_own(void *ctx, term x)
{
    const struct relation *r = ctx;
    return map_get(&r->own, x, NULL);
}

static bool has_own(struct join *j, term x)
{
    return term_any(j->c->t, x, is_own, j->r);
}

/* A register as callees, or nobody, left it; *called: some callee. */
static bool is_left(struct join *j, const struct location *l, term x, bool *called)
{
    struct terms *t = j->c->t;
    unsigned kind = term_kind(t, x), unit = j->c->width / 8;
    if (kind == TERM_APPLY && is_left_by_callee(j->c, x)) {
        *called = true;
        return true;
    }
    if (x == explorer_entry(j->c->side[l->side].x, (unsigned)l->key * unit, j->c->width))
        return true;
    if (kind == OP_EXTRACT || kind == OP_ZEXT)
        return is_left(j, l, term_kid(t, x, 0), called);
    if (kind == OP_CONCAT || kind == OP_ITE)
        return is_left(j, l, term_kid(t, x, kind == OP_ITE), called) &&
               is_left(j, l, term_kid(t, x, kind == OP_ITE ? 2 : 1), called);
    return false;
}

static bool is_leaving(struct join *j, const struct location *l)
{
    bool called = false;
    return l->native && l->width && l->key < j->r->at[l->side]->nregs && is_left(j, l, l->stored, &called) &&
           is_left(j, l, l->arrived, &called) && called;
}

/* A pointer into the frame must stay recognisable as one, and so must what a callee left in a register. */
static term fresh_symbol(struct join *j, const struct location *l)
{
    struct check *c = j->c;
    struct terms *t = c->t;
    term s;
    if (!l->width) {
        s = term_fresh_array(t, "cut", term_index_width(t, l->relation), term_cell_width(t, l->relation));
    } else {
        s = term_fresh(t, "cut", l->width);
        map_set(&j->r->own, s, 1);
        if (is_leaving(j, l)) {
            s = term_apply(t, "clobber:cut", l->width, &s, 1);
            map_set(&j->r->own, s, 1);
            return s;
        }
        bool was = explorer_in_frame(c->side[l->side].x, l->stored),
             is = explorer_in_frame(c->side[l->side].x, l->arrived);
        if (l->width == c->width && was && is) {
            s = term_bin(t, OP_ADD, c->sp, s);
        } else if (l->width == c->width && (was || is)) {
            term which = term_fresh(t, "cut", 1), other = term_fresh(t, "cut", l->width);
            map_set(&j->r->own, which, 1);
            map_set(&j->r->own, other, 1);
            s = term_ite(t, which, term_bin(t, OP_ADD, c->sp, s), other);
        }
    }
    map_set(&j->r->own, s, 1);
    return s;
}

/* The symbol can stand for what the location holds now. */
static bool fits(struct join *j, term symbol, const struct location *l)
{
    struct check *c = j->c;
    return term_is_array(c->t, symbol) || term_kind(c->t, symbol) != OP_ADD ||
           explorer_in_frame(c->side[l->side].x, l->arrived);
}

static void split(struct check *c, term x, term *base, uint64_t *off)
{
    *base = x;
    *off = 0;
    if (!term_is_array(c->t, x) && term_width(c->t, x) <= 64)
        term_split(c->t, x, base, off);
}

/* ---- what is equal now ---- */

static bool told_apart(struct join *j, term a, term b)
{
    struct terms *t = j->c->t;
    for (unsigned i = 0; i < j->nmodels; i++) {
        struct bits x, y;
        if (term_eval(t, j->model[i], a, &x) && term_eval(t, j->model[i], b, &y) && !bits_eq(x, y))
            return true;
    }
    return false;
}

/* What a callee left in a register is equal to itself only. */
static bool has_leavings(struct join *j, term x)
{
    struct terms *t = j->c->t;
    unsigned kind = term_kind(t, x);
    if (kind == OP_EXTRACT || kind == OP_ZEXT || kind == OP_SEXT)
        return has_leavings(j, term_kid(t, x, 0));
    if (kind == OP_CONCAT || kind == OP_ITE)
        return has_leavings(j, term_kid(t, x, kind == OP_ITE)) ||
               has_leavings(j, term_kid(t, x, kind == OP_ITE ? 2 : 1));
    return kind == TERM_APPLY && is_left_by_callee(j->c, x);
}

static bool equal_now(struct join *j, term a, term b);

/* Both choose between the same two by the same condition, or the other way round. */
static bool same_choice(struct join *j, term a, term b)
{
    struct terms *t = j->c->t;
    if (term_kind(t, a) != OP_ITE || term_kind(t, b) != OP_ITE)
        return false;
    term p = term_kid(t, a, 0), q = term_kid(t, b, 0), x = term_kid(t, a, 1), y = term_kid(t, a, 2),
         u = term_kid(t, b, 1), v = term_kid(t, b, 2);
    if ((x == u || same_choice(j, x, u)) && (y == v || same_choice(j, y, v)))
        return equal_now(j, p, q);
    return (x == v || same_choice(j, x, v)) && (y == u || same_choice(j, y, u)) &&
           equal_now(j, p, term_not(t, q));
}

static bool ask_equal(struct join *j, term a, term b)
{
    struct terms *t = j->c->t;
    if (term_is_array(t, a))
        return memory_identical(j->v, a, b);
    if (told_apart(j, a, b))
        return false;
    if (same_choice(j, a, b))
        return true;
    if (has_leavings(j, a) || has_leavings(j, b) || j->asked >= ASKED_MAX)
        return false;
    struct term_model *model = NULL;
    j->asked++;
    enum answer r = view_same(j->v, TERM_NONE, a, b, j->nmodels < MODELS_MAX ? &model : NULL);
    if (r == NO && model)
        j->model[j->nmodels++] = model;
    else
        term_model_free(model);
    return r == YES;
}

static bool equal_now(struct join *j, term a, term b)
{
    struct terms *t = j->c->t;
    uint64_t known;
    if (a == b)
        return true;
    if (!j->rich || a == TERM_NONE || b == TERM_NONE || term_is_array(t, a) != term_is_array(t, b) ||
        term_width(t, a) != term_width(t, b) || (term_is_const(t, a) && term_is_const(t, b)))
        return false;
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    if (map_get(&j->equal, key, &known))
        return known;
    bool same = ask_equal(j, a, b);
    map_set(&j->equal, key, same);
    return same;
}

/* ---- narrow values ---- */

enum { HALF = 32 };

static bool known_small(struct check *c, term x)
{
    struct term_known k = term_known(c->t, x);
    for (unsigned i = HALF; i < 2 * HALF; i++)
        if (!bits_bit(k.zero, i))
            return false;
    return true;
}

/* A word that is half as wide holds the same two numbers. */
static bool has_half(const struct join *j, const struct location *l)
{
    struct terms *t = j->c->t;
    term was = term_extract(t, l->relation, 0, HALF), is = term_extract(t, l->now, 0, HALF);
    for (size_t i = 0; i < j->all.len; i++)
        if (j->all.data[i].width == HALF && j->all.data[i].relation == was && j->all.data[i].now == is)
            return true;
    return false;
}

/* The location holds no more than its lower half, then and now. */
static bool is_narrow(struct join *j, const struct location *l)
{
    struct check *c = j->c;
    if (l->width != 2 * HALF || !known_small(c, l->relation))
        return false;
    if (j->rich && term_is_const(c->t, l->relation) && term_is_const(c->t, l->now))
        return known_small(c, l->now) && has_half(j, l);
    return known_small(c, l->now) ||
           equal_now(j, term_extract(c->t, l->now, HALF, HALF), term_const(c->t, HALF, 0));
}

static void see_narrow(struct join *j)
{
    for (size_t i = 0; i < j->all.len; i++)
        j->all.data[i].narrow = is_narrow(j, &j->all.data[i]);
}

/* ---- counting ---- */

static bool difference(struct check *c, term from, term to, uint64_t *d)
{
    return term_const_u64(c->t, term_bin(c->t, OP_SUB, to, from), d);
}

static bool difference_of(struct join *j, const struct location *l, uint64_t *d)
{
    struct terms *t = j->c->t;
    if (!l->width || l->width > 64 || l->width < 32)
        return false;
    if (l->narrow)
        return difference(j->c, term_extract(t, l->relation, 0, HALF), term_extract(t, l->now, 0, HALF), d);
    return difference(j->c, l->relation, l->now, d);
}

static int64_t as_signed(uint64_t d, unsigned width)
{
    return width == 64 ? (int64_t)d : (int64_t)(int32_t)(uint32_t)d;
}

/* The count in as many bits. */
static term count_as(struct join *j, term count, unsigned width)
{
    return term_width(j->c->t, count) == width ? count : term_extract(j->c->t, count, 0, width);
}

static uint64_t least_step(struct join *j, unsigned side)
{
    uint64_t least = 0, d;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        if (l->side != side || !difference_of(j, l, &d) || !d)
            continue;
        int64_t step = as_signed(d, l->narrow ? HALF : l->width);
        uint64_t size = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
        least = !least || size < least ? size : least;
    }
    return least;
}

/* The two go round at different speeds: where both were the same, the one is always so many steps ahead. */
static void compare_speed(struct join *j)
{
    enum { FASTEST = 8 };
    struct check *c = j->c;
    unsigned votes[2][FASTEST + 1] = {{0}}, side = OLD, ratio = 1;
    bool any = false;
    for (int pointers = 1; pointers >= 0 && !any; pointers--)
        for (size_t i = 0; i < j->all.len; i++)
            for (size_t k = 0; k < j->all.len; k++) {
                const struct location *o = &j->all.data[i], *n = &j->all.data[k];
                uint64_t a, b;
                if (o->side != OLD || n->side != NEW || o->relation != n->relation || o->width != n->width ||
                    term_is_const(c->t, o->relation) == pointers || !difference_of(j, o, &a) || !a ||
                    !difference_of(j, n, &b) || !b)
                    continue;
                int64_t x = as_signed(a, o->width), y = as_signed(b, o->width);
                any = true;
                for (int64_t m = 1; m <= FASTEST; m++) {
                    votes[OLD][m] += y == m * x;
                    votes[NEW][m] += x == m * y;
                }
            }
    /* An index of the one and a pointer of the other begin differently. */
    uint64_t least[2] = {least_step(j, OLD), least_step(j, NEW)};
    for (unsigned s = 0; s < 2 && !any; s++)
        for (unsigned m = 2; m <= FASTEST; m++)
            votes[s][m] += least[s] && least[!s] == m * least[s];
    for (unsigned s = 0; s < 2; s++)
        for (unsigned m = 2; m <= FASTEST; m++)
            if (votes[s][m] > votes[side][ratio]) {
                side = s;
                ratio = m;
            }
    j->r->rounds[side] = ratio;
    j->r->rounds[!side] = 1;
}

/* On the second arrival: what grows by a constant is counted. */
static void start_count(struct join *j)
{
    struct relation *r = j->r;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        uint64_t d;
        if (difference_of(j, l, &d) && d)
            map_set(&r->step[l->side], l->key, d);
    }
    if (!r->step[OLD].len && !r->step[NEW].len)
        return;
    compare_speed(j);
    r->count = term_fresh(j->c->t, "count", j->c->width);
    map_set(&r->own, r->count, 1);
    j->count_now = term_const(j->c->t, j->c->width, 1);
    j->counted = 1;
    j->changed = true;
}

/* Later: how much further it is now, as most say. */
static void go_on_counting(struct join *j)
{
    struct check *c = j->c;
    struct map votes = {0};
    uint64_t best = 0, most = 0;
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *l = &j->all.data[i];
        uint64_t step, d;
        if (!map_get(&j->r->step[l->side], l->key, &step) || !difference_of(j, l, &d) || !d)
            continue;
        unsigned width = l->narrow ? HALF : l->width;
        int64_t a = as_signed(d, width), b = as_signed(step, width);
        if (b == 0 || a % b != 0 || a / b < 0)
            continue;
        uint64_t n = map_find(&votes, (uint64_t)(a / b), 0) + 1;
        map_set(&votes, (uint64_t)(a / b), n);
        if (n > most) {
            most = n;
            best = (uint64_t)(a / b);
        }
    }
    map_free(&votes);
    j->counted = best;
    j->count_now = best ? term_add_const(c->t, j->r->count, best) : term_const(c->t, c->width, 0);
}

static term times(struct join *j, term count, uint64_t step, unsigned width)
{
    struct terms *t = j->c->t;
    return term_bin(t, OP_MUL, count_as(j, count, width), term_const(t, width, step));
}

/* What of a location is not the count's. */
static void take_apart(struct join *j, struct location *l)
{
    struct terms *t = j->c->t;
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
        *rest[i] =
            term_bin(t, OP_SUB, *rest[i], times(j, i < 2 ? j->r->count : j->count_now, l->step, l->width));
    }
}

/* ---- weakening ---- */

/* It stays what it is. */
static bool is_exact(struct join *j, const struct location *l)
{
    struct check *c = j->c;
    if (l->rest == l->rest_now && l->native_rest == l->native_rest_now)
        return true;
    /* where the two versions have the same terms there is nothing of either's own in them */
    return l->native_rest == l->rest && norm(c, &c->side[l->side], l->arrived) == l->arrived &&
           equal_now(j, l->rest, l->rest_now);
}

static size_t class_of(struct join *j, struct location *l)
{
    struct check *c = j->c;
    term base;
    uint64_t off;
    split(c, l->rest, &base, &off);
    for (size_t k = 0; k < j->class.len; k++) {
        const struct class *d = &j->class.data[k];
        if (d->base == base && d->width == l->width &&
            equal_now(j, l->rest_now,
                      l->width && l->width <= 64 ? term_add_const(c->t, d->now, off - d->at) : d->now) &&
            fits(j, d->symbol, l))
            return k;
    }
    struct class n = {.base = base, .now = l->rest_now, .at = off, .width = l->width};
    bool own = base != TERM_NONE && map_get(&j->r->own, base, NULL);
    /* the first class that comes to a symbol keeps it */
    if (own && fits(j, base, l) && map_set(&j->kept, base, j->class.len + 1)) {
        n.symbol = base;
    } else {
        n.symbol = fresh_symbol(j, l);
        n.fresh = true;
        j->changed = true;
    }
    vec_push(&j->class, n);
    return j->class.len - 1;
}

/* The location's term, made of what is left of it and the count. */
static term put_together(struct join *j, const struct location *l, term rest)
{
    struct terms *t = j->c->t;
    if (l->step)
        rest = term_bin(t, OP_ADD, rest, times(j, j->r->count, l->step, l->width));
    return l->narrow ? term_zext(t, rest, 2 * HALF) : rest;
}

static void weaken_location(struct join *j, struct location *l)
{
    struct check *c = j->c;
    term base;
    uint64_t off, native;
    size_t k = class_of(j, l);
    struct class *d = &j->class.data[k];
    l->class = k + 1;
    d->sides |= 1u << l->side;
    term rest = d->symbol;
    if (l->width && l->width <= 64) {
        /* An offset in the frame is one of its own frame. */
        split(c, l->rest, &base, &off);
        split(c, l->native_rest, &base, &native);
        rest = term_add_const(c->t, rest, base == c->sp ? native : off);
    }
    l->weakened = rest;
    l->stored = put_together(j, l, rest);
}

/* What the relation's symbols are at this arrival. */
static void find_values(struct join *j)
{
    struct check *c = j->c;
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
            value = term_add_const(c->t, value, 0 - d->at);
        if (d->width && term_kind(c->t, inner) == OP_ADD) {
            inner = term_kid(c->t, inner, term_kid(c->t, inner, 0) == c->sp);
            value = term_bin(c->t, OP_SUB, value, c->sp);
        }
        if (term_kind(c->t, inner) != TERM_VAR)
            continue;
        vec_push(&j->from, inner);
        vec_push(&j->to, value);
    }
}

/* A canonical term over the relation's symbols as it is at this arrival; TERM_NONE: not known. */
static term value_now(struct join *j, term x)
{
    enum { SYMBOLS_MAX = 256 };
    struct terms *t = j->c->t;
    term symbol[SYMBOLS_MAX];
    size_t n = term_symbols(t, x, symbol, SYMBOLS_MAX);
    if (n > SYMBOLS_MAX)
        return TERM_NONE;
    for (size_t i = 0; i < n; i++) {
        bool known = !map_get(&j->r->own, symbol[i], NULL);
        for (size_t k = 0; k < j->from.len && !known; k++)
            known = j->from.data[k] == symbol[i];
        if (!known)
            return TERM_NONE;
    }
    return term_substitute(t, x, j->from.data, j->to.data, j->from.len);
}

/* ---- locations that are computed from others ---- */

/* What other locations can be computed from: it is counted, or both versions have it. */
static bool is_anchor(const struct join *j, const struct location *l)
{
    return !l->derived && ((l->exact && l->step) || (l->class && j->class.data[l->class - 1].sides == 3));
}

/* Of the relation's symbols it has the count at the most. */
static bool only_counts(struct join *j, term x)
{
    term symbol[16];
    size_t n = term_symbols(j->c->t, x, symbol, 16);
    bool only = n <= 16;
    for (size_t i = 0; i < n && only; i++)
        only = symbol[i] == j->r->count || !map_get(&j->r->own, symbol[i], NULL);
    return only;
}

/* One term that was x and is y, both of the one side; TERM_NONE: none was found. */
static term generalise(struct join *j, unsigned side, term x, term y)
{
    struct terms *t = j->c->t;
    if (x == y && !has_own(j, x))
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
        if (!array && width <= 64 && difference(j->c, l->native_rest, x, &a) &&
            difference(j->c, l->arrived, y, &b) && a == b)
            return term_add_const(t, l->stored, a);
    }
    if (j->r->count != TERM_NONE && !j->first && only_counts(j, x) &&
        term_substitute(t, x, &j->r->count, &j->count_now, 1) == y)
        return x;
    uint64_t d;
    if (j->r->count != TERM_NONE && j->first && !array && (width == 32 || width == 64) &&
        width <= j->c->width && !has_own(j, x) && difference(j->c, x, y, &d))
        return term_bin(t, OP_ADD, x, times(j, j->r->count, d, width));
    unsigned n = term_nkids(t, x);
    if (!n || n > 4 || term_kind(t, x) != term_kind(t, y) || n != term_nkids(t, y) ||
        (term_kind(t, x) == OP_EXTRACT && term_extract_lo(t, x) != term_extract_lo(t, y)) ||
        strcmp(term_name(t, x) ? term_name(t, x) : "", term_name(t, y) ? term_name(t, y) : "") != 0)
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
    struct explorer *x = j->c->side[l->side].x;
    return l->width <= 64 && l->native_rest == l->rest && !explorer_in_frame(x, l->stored) &&
           !explorer_in_frame(x, l->arrived);
}

/* A pointer of the new version that went as far as an index of the old one: computed from that; TERM_NONE:
 * there is none. */
static term as_far(struct join *j, const struct location *l)
{
    struct terms *t = j->c->t;
    if (l->side != NEW || !is_common(j, l))
        return TERM_NONE;
    term way = term_bin(t, OP_SUB, l->rest_now, l->rest);
    for (size_t i = 0; i < j->all.len; i++) {
        const struct location *o = &j->all.data[i];
        if (o->side == OLD && o->width == l->width && is_alone(j, o) && !o->derived && is_common(j, o) &&
            equal_now(j, way, term_bin(t, OP_SUB, o->rest_now, o->rest)))
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
        if (x == TERM_NONE || !has_own(j, x))
            continue;
        l->derived = true;
        l->stored = put_together(j, l, x);
    }
}

/* ---- joining ---- */

/* Weakens the relation until it covers the arrival. */
static void weaken(struct join *j)
{
    struct check *c = j->c;
    see_narrow(j);
    if (!j->first)
        go_on_counting(j);
    else if (j->rich && j->again)
        start_count(j);
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        term base;
        uint64_t off;
        take_apart(j, l);
        split(c, l->rest, &base, &off);
        bool root = base != TERM_NONE && map_get(&j->r->own, base, NULL), own = has_own(j, l->rest);
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
        term value = j->rich ? value_now(j, l->rest) : TERM_NONE;
        if (value != TERM_NONE && equal_now(j, value, l->rest_now))
            continue;
        l->derived = false;
        weaken_location(j, l);
    }
    if (j->rich)
        derive(j);
}

/* Keeps the literals that hold now. */
static void keep_literals(struct join *j, unsigned s)
{
    struct check *c = j->c;
    struct exec_point *t = j->r->at[s];
    const struct exec_point *a = j->a[s];
    struct map have = {0};
    VEC(term) both = VEC_INIT;
    for (unsigned i = 0; i < a->nliterals; i++)
        map_set(&have, a->literal[i], 1);
    for (unsigned i = 0; i < t->nliterals; i++) {
        term l = t->literal[i];
        bool own = has_own(j, l), holds = !own && map_get(&have, l, NULL);
        if (!holds && j->rich && t->nliterals <= LITERALS_MAX) {
            term now = norm(c, &c->side[s], l);
            now = own ? value_now(j, now) : now;
            term q[] = {j->v->v, now == TERM_NONE ? TERM_NONE : term_not(c->t, now)};
            holds = now != TERM_NONE && possible(c, q, 2, NULL) == NO;
        }
        if (holds)
            vec_push(&both, l);
        else
            map_set(&j->r->dropped, l, 1);
    }
    j->changed = j->changed || both.len != t->nliterals;
    t->literal = arena_dup(c->arena, both.data, both.len * sizeof(term));
    t->nliterals = (unsigned)both.len;
    vec_free(&both);
    map_free(&have);
}

static void add_literal(struct join *j, unsigned s, term l)
{
    struct exec_point *t = j->r->at[s];
    VEC(term) all = VEC_INIT;
    for (unsigned i = 0; i < t->nliterals; i++)
        vec_push(&all, t->literal[i]);
    vec_push(&all, l);
    t->literal = arena_dup(j->c->arena, all.data, all.len * sizeof(term));
    t->nliterals = (unsigned)all.len;
    vec_free(&all);
}

/* Counters are small numbers, unless they are seen not to be. */
static void guess_small(struct join *j)
{
    struct terms *t = j->c->t;
    term count = j->r->count;
    unsigned width = term_width(t, count);
    for (unsigned bits = HALF - 1; bits <= HALF && bits < width; bits++)
        add_literal(j, OLD,
                    term_eq(t, term_extract(t, count, bits, width - bits), term_const(t, width - bits, 0)));
}

/* A loop that ends where what is counted meets a bound: how far it is from there, which shrinks by *step with
 * each round; TERM_NONE: it is no such literal. */
static term distance(struct join *j, term l, uint64_t *step)
{
    struct terms *t = j->c->t;
    if (term_kind(t, l) != OP_NOT || term_kind(t, term_kid(t, l, 0)) != OP_EQ)
        return TERM_NONE;
    term a = term_kid(t, term_kid(t, l, 0), 0), b = term_kid(t, term_kid(t, l, 0), 1), count = j->r->count;
    if (term_is_array(t, a) || term_width(t, a) < HALF || term_width(t, a) > 64)
        return TERM_NONE;
    term far = term_bin(t, OP_SUB, a, b), next = term_add_const(t, count, 1);
    if (!difference(j->c, term_substitute(t, far, &count, &next, 1), far, step) || !*step)
        return TERM_NONE;
    int64_t by = as_signed(*step, term_width(t, a));
    *step = (uint64_t)(by < 0 ? -by : by);
    return by < 0 ? term_un(t, OP_NEG, far) : far;
}

/* It has not come there yet. */
static term not_yet(struct join *j, term l)
{
    struct terms *t = j->c->t;
    uint64_t step;
    term far = distance(j, l, &step);
    if (far == TERM_NONE)
        return TERM_NONE;
    term none = term_const(t, term_width(t, j->r->count), 0);
    return term_bin(t, OP_ULT, times(j, j->r->count, step, term_width(t, far)),
                    term_substitute(t, far, &j->r->count, &none, 1));
}

static bool guess(struct join *j, unsigned s, term l, struct map *have)
{
    if (l == TERM_NONE || term_is_const(j->c->t, l) || map_get(&j->r->dropped, l, NULL) ||
        !map_set(have, l, 1))
        return false;
    add_literal(j, s, l);
    return true;
}

/* What was decided on the way round the loop, as it was one round before. */
static bool guess_decided(struct join *j, unsigned s, struct map *have)
{
    struct terms *t = j->c->t;
    term count = j->r->count, before = term_add_const(t, count, 0 - j->counted);
    unsigned n = 0;
    for (unsigned i = 0; i < j->a[s]->nliterals && n < GUESSES_MAX; i++) {
        term l = j->a[s]->literal[i];
        if (!has_own(j, l) || !only_counts(j, l) || map_get(have, l, NULL))
            continue;
        l = term_substitute(t, l, &count, &before, 1);
        n += guess(j, s, l, have);
        n += guess(j, s, not_yet(j, l), have);
    }
    return n;
}

/* Both have the same way to go. */
static bool guess_same_way(struct join *j, struct map *have)
{
    struct check *c = j->c;
    unsigned n = 0;
    for (unsigned i = 0; i < j->a[OLD]->nliterals; i++)
        for (unsigned k = 0; k < j->a[NEW]->nliterals && n < GUESSES_MAX; k++) {
            uint64_t step[2];
            term far[] = {distance(j, j->a[OLD]->literal[i], &step[OLD]),
                          distance(j, j->a[NEW]->literal[k], &step[NEW])};
            if (far[OLD] == TERM_NONE || far[NEW] == TERM_NONE || step[OLD] != step[NEW])
                continue;
            /* what is of one version only means nothing to the other */
            bool shared = true;
            for (unsigned s = 0; s < 2; s++) {
                shared = shared && norm(c, &c->side[s], far[s]) == far[s];
                if (term_width(c->t, far[s]) < term_width(c->t, far[!s]))
                    far[s] = term_zext(c->t, far[s], term_width(c->t, far[!s]));
            }
            if (shared)
                n += guess(j, OLD, term_eq(c->t, far[OLD], far[NEW]), have);
        }
    return n;
}

static bool guess_literals(struct join *j)
{
    struct map have[2] = {{0}, {0}};
    bool any = false;
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned i = 0; i < j->r->at[s]->nliterals; i++)
            map_set(&have[s], j->r->at[s]->literal[i], 1);
        any = guess_decided(j, s, &have[s]) || any;
    }
    any = guess_same_way(j, &have[OLD]) || any;
    for (unsigned s = 0; s < 2; s++)
        map_free(&have[s]);
    return any;
}

/* On the first arrival: values that are equal only because calls made the same get a symbol, since the terms
 * that say so are not in the states. */
static void name_united(struct join *j)
{
    struct check *c = j->c;
    struct map symbol = {0};
    uint64_t known;
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        if (l->side == NEW && j->v->known.len && l->now != norm(c, &c->side[NEW], l->stored) &&
            !term_is_const(c->t, l->now) && !map_get(&symbol, l->now, NULL))
            map_set(&symbol, l->now, fresh_symbol(j, l));
    }
    for (size_t i = 0; i < j->all.len; i++) {
        struct location *l = &j->all.data[i];
        if (map_get(&symbol, l->now, &known))
            l->stored = (term)known;
    }
    map_free(&symbol);
}

static enum relation_change join(struct join *j)
{
    struct relation *r = j->r;
    if (!r->arrivals) {
        name_united(j);
        store_locations(j);
        return RELATION_WEAKER;
    }
    bool counting = r->count != TERM_NONE;
    if (j->again && counting && j->rich && !r->guessed) {
        see_narrow(j);
        go_on_counting(j);
        r->guessed = true;
        if (j->counted && guess_literals(j))
            return RELATION_STRONGER;
    }
    weaken(j);
    for (unsigned s = 0; s < 2; s++) {
        keep_literals(j, s);
        r->at[s]->argset &= j->a[s]->argset;
    }
    if (!counting && r->count != TERM_NONE)
        guess_small(j);
    store_locations(j);
    return j->changed ? RELATION_WEAKER : RELATION_COVERS;
}

enum relation_change relation_arrive(struct relation *r, struct view *v, bool rich, bool again)
{
    struct check *c = v->c;
    struct join j = {.c = c, .r = r, .v = v, .rich = rich, .again = again, .first = r->count == TERM_NONE};
    const struct end *e[2] = {v->o, v->n};
    struct map bytes[2] = {{0}, {0}};
    bool ok = true;
    for (int s = 0; s < 2; s++) {
        j.a[s] = exec_point_copy(c->side[s].x, e[s]->path->point);
        if (r->arrivals)
            continue;
        r->at[s] = exec_point_copy(c->side[s].x, j.a[s]);
        if (r->at[s]->length != TERM_NONE)
            r->at[s]->length = term_const(c->t, 32, EXEC_LENGTH_LOOPS);
    }
    for (int s = 0; s < 2 && ok; s++)
        ok = align(c, &c->side[s], r->at[s], j.a[s], &bytes[s]);
    enum relation_change change = RELATION_FAILS;
    if (ok) {
        if (rich && possible(c, &v->v, 1, &j.model[0]) == YES && j.model[0])
            j.nmodels = 1;
        gather(&j, bytes);
        change = join(&j);
        r->arrivals++;
    }
    for (int s = 0; s < 2; s++)
        map_free(&bytes[s]);
    for (unsigned i = 0; i < j.nmodels; i++)
        term_model_free(j.model[i]);
    vec_free(&j.all);
    vec_free(&j.class);
    vec_free(&j.from);
    vec_free(&j.to);
    map_free(&j.kept);
    map_free(&j.equal);
    return change;
}
