/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running the two versions together.
 *
 * Each version is cut at its loop heads, and the heads of the two are paired. From a pair of corresponding
 * states both are run, merging, to the next heads and to their exits. Exits are compared. At a pair of heads
 * that can be reached together, what is known is put as a RELATION: every location (register, word of the
 * frame, memory) of either version holds a term, and locations of the two that hold the same term are thereby
 * equal. On the first arrival these are the very terms; on a later one every location whose term has changed
 * is given a fresh symbol, the same for locations that agreed both times (up to a constant between them). A
 * relation can only get weaker this way, so this ends; and when nothing changes any more it holds at every
 * arrival, however often the loops go round.
 *
 * A symbol s of the relation stands for any value: an arrival is covered when some value for each s makes the
 * relation's terms what the locations hold. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { ROUNDS_MAX = 400, LATER_MAX = 40 };

struct cut {
    uint32_t block[2];
    struct exec_point *at[2]; /* NULL: never reached */
    struct map own;           /* terms that are symbols of this relation */
    bool waiting;
    unsigned arrivals;
};

struct walk {
    struct check *c;
    const uint8_t *stop[2];
    VEC(struct cut) cut;
    unsigned rounds;
    const char *reason;
};

/* ---- segments ---- */

static bool collect(void *ctx, const struct exec_path *p)
{
    VEC(const struct exec_path *) *all = ctx;
    vec_push(all, p);
    return true;
}

static bool run_side(struct check *c, struct side *s, const struct exec_point *from, const uint8_t *stop,
                     ends *out, const char **reason)
{
    VEC(const struct exec_path *) paths = VEC_INIT;
    struct error err = {0};
    bool ok = explore_segment(s->x, s->f, from, stop, collect, &paths, &err);
    c->stats.segments++;
    if (!ok)
        *reason = arena_strdup(c->arena, err.text);
    else if (explorer_stats(s->x).dropped) {
        *reason = "out of time while exploring";
        ok = false;
    }
    for (size_t i = 0; ok && i < paths.len; i++) {
        const struct exec_path *p = paths.data[i];
        for (unsigned b = 0; b < p->nblocks; b++)
            c->reached[s->new][p->block[b]] = 1;
        vec_push(out, end_of(c, s, p));
    }
    vec_free(&paths);
    return ok;
}

static void explorers(struct check *c, unsigned visits)
{
    for (int s = 0; s < 2; s++) {
        struct explore_options o = {.merge = true,
                                    .merge_returns = true,
                                    .no_cost_heuristic = true,
                                    .keep_regs = true,
                                    .count_blocks = c->exits.count,
                                    .visits = visits,
                                    .max_depth = 1000000,
                                    .max_paths = UINT64_MAX / 2,
                                    .axioms = c->opt->axioms,
                                    .timeout_ms = c->opt->timeout_ms};
        side_explorer(c, &c->side[s], &o);
    }
}

static void explorers_done(struct check *c)
{
    for (int s = 0; s < 2; s++) {
        struct explore_stats st = explorer_stats(c->side[s].x);
        c->stats.states += st.states;
        c->stats.merges += st.merges;
        side_done(&c->side[s]);
    }
}

/* ---- relations ---- */

/* A location of one side at a cut. */
struct location {
    term *native;   /* where its term is kept, of the stored point; NULL for words of the frame */
    term stored;    /* what the relation says it holds, of its own side */
    term arrived;   /* what it holds now, of its own side */
    term relation;  /* `stored`, canonical */
    term now;       /* `arrived`, canonical and as seen */
    int64_t offset; /* of a word of the frame */
    uint8_t side;
    bool exact; /* the term stays what it is */
};
typedef VEC(struct location) locations;

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

/* The words of a frame, cut where what was written begins and ends: a variable is to be one word in both
 * versions, whatever lies beside it. */
static void add_words(struct check *c, locations *all, unsigned side, const struct exec_point *t,
                      const struct exec_point *a, const struct map *bytes)
{
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
        vec_push(all, (struct location){.side = (uint8_t)side,
                                        .offset = off.data[i],
                                        .stored = frame_read(c, t->frame, off.data[i], (unsigned)n),
                                        .arrived = frame_read(c, a->frame, off.data[i], (unsigned)n)});
    }
    vec_free(&off);
}

static void add_location(locations *all, unsigned side, term *stored, term arrived)
{
    vec_push(all, (struct location){
                      .side = (uint8_t)side, .native = stored, .stored = *stored, .arrived = arrived});
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

/* One symbol for all locations that went from `base` to `now` + shift. */
struct class
{
    term base, now;
    uint64_t shift;
    unsigned width;
    bool array;
    term symbol; /* what stands for base */
};

static bool known_small(struct check *c, term x)
{
    struct term_known k = term_known(c->t, x);
    for (unsigned i = 32; i < 64; i++)
        if (!bits_bit(k.zero, i))
            return false;
    return true;
}

/* The symbol of a class. A pointer into the frame must stay recognisable as one. */
static term fresh_symbol(struct walk *w, struct cut *cut, const struct location *l)
{
    struct check *c = w->c;
    struct terms *t = c->t;
    term s;
    if (term_is_array(t, l->relation)) {
        s = term_fresh_array(t, "cut", term_index_width(t, l->relation), term_cell_width(t, l->relation));
    } else {
        unsigned width = term_width(t, l->relation);
        bool small = width == 64 && known_small(c, l->relation) && known_small(c, l->now);
        s = term_fresh(t, "cut", small ? 32 : width);
        if (small)
            s = term_zext(t, s, 64);
        bool tb = explorer_in_frame(c->side[l->side].x, l->stored),
             ta = explorer_in_frame(c->side[l->side].x, l->arrived);
        if (width == c->width && tb && ta)
            s = term_bin(t, OP_ADD, c->sp, s);
        else if (width == c->width && (tb || ta))
            s = term_ite(t, term_fresh(t, "cut", 1), term_bin(t, OP_ADD, c->sp, s),
                         term_fresh(t, "cut", width));
    }
    map_set(&cut->own, s, 1);
    return s;
}

static bool is_own(void *ctx, term x)
{
    const struct cut *cut = ctx;
    return map_get(&cut->own, x, NULL);
}

static void split(struct check *c, term x, term *base, uint64_t *off)
{
    *base = x;
    *off = 0;
    if (!term_is_array(c->t, x) && term_width(c->t, x) <= 64)
        term_split(c->t, x, base, off);
}

/* Weakens the relation until it covers the arrival. True when it had to be changed. */
static bool weaken(struct walk *w, struct cut *cut, locations *all)
{
    struct check *c = w->c;
    VEC(struct class) class = VEC_INIT;
    struct map kept = {0}; /* own symbol -> index of the class that keeps it + 1 */
    bool changed = false;
    for (size_t i = 0; i < all->len; i++) {
        struct location *l = &all->data[i];
        term bt, ba;
        uint64_t kt, ka;
        split(c, l->relation, &bt, &kt);
        split(c, l->now, &ba, &ka);
        bool own = bt != TERM_NONE && map_get(&cut->own, bt, NULL);
        if (l->relation == l->now && !own && l->stored == l->arrived) {
            l->exact = true;
            continue;
        }
        unsigned width = term_is_array(c->t, l->relation) ? 0 : term_width(c->t, l->relation);
        uint64_t shift = ka - kt, mask = width && width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
        shift &= mask;
        size_t k = 0;
        while (k < class.len && !(class.data[k].base == bt && class.data[k].now == ba &&
                                  class.data[k].shift == shift && class.data[k].width == width))
            k++;
        if (k == class.len) {
            struct class n = {.base = bt, .now = ba, .shift = shift, .width = width};
            /* the first class that comes to a symbol keeps it */
            if (own && map_set(&kept, bt, k + 1)) {
                n.symbol = bt;
            } else {
                n.symbol = fresh_symbol(w, cut, l);
                changed = true;
            }
            vec_push(&class, n);
        }
        term s = class.data[k].symbol;
        if (!width)
            l->stored = s;
        else if (width <= 64) {
            /* An offset in the frame is one of its own frame. */
            term base;
            uint64_t native;
            split(c, l->stored, &base, &native);
            l->stored = term_add_const(c->t, s, base == c->sp ? native : kt);
        } else
            l->stored = s;
    }
    vec_free(&class);
    map_free(&kept);
    return changed;
}

/* Puts the locations' terms back into the stored points. */
static void store_locations(struct check *c, struct cut *cut, const locations *all)
{
    term frame[2];
    for (int s = 0; s < 2; s++)
        frame[s] = explorer_symbols(c->side[s].x).mem;
    for (size_t i = 0; i < all->len; i++) {
        const struct location *l = &all->data[i];
        if (l->native)
            *l->native = l->stored;
        else
            frame[l->side] =
                term_write(c->t, frame[l->side], term_add_const(c->t, c->sp, (uint64_t)l->offset), l->stored);
    }
    for (int s = 0; s < 2; s++)
        cut->at[s]->frame = frame[s];
}

static void common_literals(struct walk *w, struct cut *cut, unsigned s, const struct exec_point *a)
{
    struct exec_point *t = cut->at[s];
    struct map have = {0};
    VEC(term) both = VEC_INIT;
    for (unsigned i = 0; i < a->nliterals; i++)
        map_set(&have, a->literal[i], 1);
    for (unsigned i = 0; i < t->nliterals; i++)
        if (map_get(&have, t->literal[i], NULL) && !term_any(w->c->t, t->literal[i], is_own, cut))
            vec_push(&both, t->literal[i]);
    t->literal = arena_dup(w->c->arena, both.data, both.len * sizeof(term));
    t->nliterals = (unsigned)both.len;
    vec_free(&both);
    map_free(&have);
}

/* On the first arrival: values that are equal only because calls made the same get a symbol, since the terms
 * that say so are not in the states. */
static void name_united(struct walk *w, struct view *v, struct cut *cut, locations *all)
{
    struct check *c = w->c;
    struct map symbol = {0};
    uint64_t known;
    for (size_t i = 0; i < all->len; i++) {
        struct location *l = &all->data[i];
        if (l->side == NEW && v->known.len && l->now != norm(c, &c->side[NEW], l->stored) &&
            !term_is_const(c->t, l->now) && !map_get(&symbol, l->now, NULL)) {
            term keep = l->relation;
            l->relation = l->now;
            map_set(&symbol, l->now, fresh_symbol(w, cut, l));
            l->relation = keep;
        }
    }
    for (size_t i = 0; i < all->len; i++) {
        struct location *l = &all->data[i];
        if (map_get(&symbol, l->now, &known))
            l->stored = (term)known;
    }
    map_free(&symbol);
}

static void gather(struct check *c, struct view *v, struct cut *cut, struct exec_point *const a[2],
                   const struct map *bytes, locations *all)
{
    for (unsigned s = 0; s < 2; s++) {
        struct exec_point *t = cut->at[s];
        for (unsigned i = 0; i < t->nregs; i++)
            add_location(all, s, &t->reg[i], a[s]->reg[i]);
        add_location(all, s, &t->mem, a[s]->mem);
        add_location(all, s, &t->world, a[s]->world);
        add_words(c, all, s, t, a[s], &bytes[s]);
    }
    for (size_t i = 0; i < all->len; i++) {
        struct location *l = &all->data[i];
        l->relation = norm(c, &c->side[l->side], l->stored);
        l->now = view_side(v, l->side ? v->n : v->o, l->arrived);
    }
}

/* A pair of heads is reached together. False when no relation can be had. */
static bool arrive(struct walk *w, const struct end *o, const struct end *n)
{
    struct check *c = w->c;
    struct cut *cut = NULL;
    for (size_t i = 0; i < w->cut.len && !cut; i++)
        if (w->cut.data[i].block[OLD] == o->path->point->block &&
            w->cut.data[i].block[NEW] == n->path->point->block)
            cut = &w->cut.data[i];
    if (!cut)
        return false;
    size_t before = c->failed.len;
    struct view v;
    view_start(&v, c, o, n, term_and(c->t, o->cond, n->cond));
    view_calls(&v);
    bool ok = c->failed.len == before;
    for (size_t i = before; i < c->failed.len; i++)
        c->failed.data[i].refuted = false;
    struct exec_point *a[2] = {exec_point_copy(c->side[OLD].x, o->path->point),
                               exec_point_copy(c->side[NEW].x, n->path->point)};
    bool first = !cut->at[OLD];
    if (ok && first)
        for (int s = 0; s < 2; s++) {
            cut->at[s] = exec_point_copy(c->side[s].x, a[s]);
            if (cut->at[s]->length != TERM_NONE)
                cut->at[s]->length = term_const(c->t, 32, EXEC_LENGTH_LOOPS);
        }
    struct map bytes[2] = {{0}, {0}};
    for (int s = 0; s < 2 && ok; s++)
        ok = align(c, &c->side[s], cut->at[s], a[s], &bytes[s]);
    locations all = VEC_INIT;
    bool changed = first;
    if (ok) {
        gather(c, &v, cut, a, bytes, &all);
        if (first) {
            name_united(w, &v, cut, &all);
        } else {
            changed = weaken(w, cut, &all);
            for (unsigned s = 0; s < 2; s++) {
                unsigned had = cut->at[s]->nliterals;
                common_literals(w, cut, s, a[s]);
                changed = changed || had != cut->at[s]->nliterals;
                cut->at[s]->argset &= a[s]->argset;
            }
        }
        store_locations(c, cut, &all);
        if (changed && !cut->waiting)
            cut->waiting = true;
        cut->arrivals++;
    }
    for (int s = 0; s < 2; s++)
        map_free(&bytes[s]);
    vec_free(&all);
    view_end(&v);
    if (!ok && c->failed.len == before)
        w->reason = "the frames at a loop head do not compare";
    return ok && cut->arrivals < LATER_MAX;
}

/* ---- the walk ---- */

static bool is_paired(const struct walk *w, uint32_t o, uint32_t n)
{
    for (size_t i = 0; i < w->cut.len; i++)
        if (w->cut.data[i].block[OLD] == o && w->cut.data[i].block[NEW] == n)
            return true;
    return false;
}

/* One of the two goes on where the other has ended, or at another loop. */
static bool diverge(struct walk *w, const struct end *o, const struct end *n)
{
    struct check *c = w->c;
    term q[] = {o->cond, n->cond, term_not(c->t, n->error)};
    if (term_is_true(c->t, n->error) || possible(c, q, 3, NULL) == NO)
        return true;
    w->reason =
        arena_printf(c->arena,
                     "the two versions part at %#llx and %#llx: one goes on in a loop and the other "
                     "does not",
                     (unsigned long long)o->path->end_address, (unsigned long long)n->path->end_address);
    return false;
}

static bool step(struct walk *w, struct cut *from)
{
    struct check *c = w->c;
    ends e[2] = {VEC_INIT, VEC_INIT};
    bool ok = true;
    for (int s = 0; s < 2 && ok; s++)
        ok = run_side(c, &c->side[s], from ? from->at[s] : NULL, w->stop[s], &e[s], &w->reason);
    size_t before = c->failed.len;
    if (ok) {
        exits_report(c, &e[OLD]);
        exits_report(c, &e[NEW]);
        compare_exits(c, &e[OLD], &e[NEW]);
        /* From a relation a difference may be one that no input makes. */
        for (size_t i = before; from && i < c->failed.len; i++)
            c->failed.data[i].refuted = false;
        ok = c->failed.len == before;
    }
    for (size_t i = 0; i < e[OLD].len && ok; i++)
        for (size_t k = 0; k < e[NEW].len && ok; k++) {
            const struct end *o = &e[OLD].data[i], *n = &e[NEW].data[k];
            bool oc = o->path->end == PATH_CUT, nc = n->path->end == PATH_CUT;
            if (!oc && !nc)
                continue;
            term q[] = {o->cond, n->cond};
            if (possible(c, q, 2, NULL) == NO)
                continue;
            if (oc && nc && is_paired(w, o->path->point->block, n->path->point->block))
                ok = arrive(w, o, n);
            else
                ok = diverge(w, o, n);
        }
    vec_free(&e[OLD]);
    vec_free(&e[NEW]);
    if (out_of_time(c)) {
        w->reason = "out of time";
        ok = false;
    }
    return ok;
}

/* Which loop of one is which of the other: by the pairing of blocks, the rest by order. */
static void pair_heads(struct walk *w)
{
    struct check *c = w->c;
    const struct match_blocks *b = match_blocks(c->m, c->side[OLD].index, c->side[NEW].index);
    const struct flow_graph *g[2] = {c->side[OLD].g, c->side[NEW].g};
    uint8_t *used = xcalloc(g[NEW]->nblocks + 1, 1);
    VEC(uint32_t) left = VEC_INIT;
    for (uint32_t i = 0; i < g[OLD]->nblocks; i++) {
        if (!w->stop[OLD][i])
            continue;
        uint32_t n = b && i < b->nold ? b->new_of_old[i] : MATCH_NONE;
        if (n == MATCH_NONE || !w->stop[NEW][n]) {
            vec_push(&left, i);
            continue;
        }
        used[n] = 1;
        vec_push(&w->cut, (struct cut){.block = {i, n}});
    }
    uint32_t n = 0;
    for (size_t i = 0; i < left.len; i++) {
        while (n < g[NEW]->nblocks && (!w->stop[NEW][n] || used[n]))
            n++;
        if (n < g[NEW]->nblocks)
            vec_push(&w->cut, (struct cut){.block = {left.data[i], n++}});
    }
    c->stats.cut_points = w->cut.len;
    vec_free(&left);
    free(used);
}

bool converge(struct check *c, const char **reason)
{
    struct walk w = {.c = c};
    explorers(c, 2);
    for (int s = 0; s < 2; s++)
        w.stop[s] = explorer_loop_heads(c->side[s].x, c->side[s].f);
    pair_heads(&w);
    bool ok = step(&w, NULL);
    for (bool more = ok; more && ok;) {
        more = false;
        for (size_t i = 0; i < w.cut.len && ok; i++) {
            if (!w.cut.data[i].waiting)
                continue;
            w.cut.data[i].waiting = false;
            more = true;
            if (++w.rounds > ROUNDS_MAX) {
                w.reason = "the relation at the loop heads did not settle";
                ok = false;
                break;
            }
            ok = step(&w, &w.cut.data[i]);
        }
    }
    for (size_t i = 0; i < w.cut.len; i++)
        map_free(&w.cut.data[i].own);
    vec_free(&w.cut);
    explorers_done(c);
    *reason = w.reason;
    return ok;
}

bool unroll(struct check *c, unsigned visits, bool *complete, const char **reason)
{
    ends e[2] = {VEC_INIT, VEC_INIT};
    bool ok = true;
    *complete = true;
    explorers(c, visits);
    for (int s = 0; s < 2 && ok; s++)
        ok = run_side(c, &c->side[s], NULL, NULL, &e[s], reason);
    for (int s = 0; s < 2 && ok; s++) {
        size_t n = 0;
        for (size_t i = 0; i < e[s].len; i++) {
            if (e[s].data[i].path->end == PATH_LOOP_BOUND)
                *complete = false;
            else
                e[s].data[n++] = e[s].data[i];
        }
        e[s].len = n;
        exits_report(c, &e[s]);
    }
    if (ok)
        compare_exits(c, &e[OLD], &e[NEW]);
    vec_free(&e[OLD]);
    vec_free(&e[NEW]);
    explorers_done(c);
    return ok;
}
