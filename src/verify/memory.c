/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do two memories hold the same?
 *
 * First by structure: the same writes in the same order, the same choices. Then the solver is asked about the
 * places that either has written, and last about any address outside the frames. Inside them what a callee
 * can see is compared slot by slot where both versions have the slot. A slot that only one version has is
 * assumed to be out of the callee's reach if it lies in nothing that callees were given (the assumption
 * `private`). */
#include "flow/library.h"
#include "pair/written.h"
#include "verify/private.h"

enum { WRITES_MAX = 200, NESTING_MAX = 12 };

/* There is nothing to compare. */
static bool is_never(struct view *w, term when)
{
    term q[] = {w->v, when};
    return when != TERM_NONE && query_possible(w->c, q, 2, NULL) == NO;
}

static term both(struct check *c, term when, term cond)
{
    return when == TERM_NONE ? cond : term_and(c->t, when, cond);
}

static bool same_array(struct view *w, term when, term a, term b, unsigned depth);

static term place_at(struct check *c, term base, uint64_t off)
{
    return base == TERM_NONE ? term_const(c->t, c->width, off) : term_add_const(c->t, base, off);
}

/* The bytes at these distances, in words: each begins at a number of the list and has `n` bytes. */
static size_t word_at(const struct check *c, const int64_t *off, size_t len, size_t i)
{
    size_t n = 1;
    while (i + n < len && n < c->width / 8 && off[i + n] == off[i] + (int64_t)n)
        n++;
    return n;
}

/* Both wrote around one place last, in whatever order and sizes: they are equal if what is there is, and what
 * was before. */
static bool same_around(struct view *w, term when, term a, term b, unsigned depth)
{
    struct check *c = w->c;
    struct map bytes[2] = {{0}, {0}};
    term base[2] = {TERM_NONE, TERM_NONE};
    term ra = written_last(c->t, a, &base[0], &bytes[0]), rb = written_last(c->t, b, &base[1], &bytes[1]);
    bool ok = ra != a && rb != b && base[0] == base[1] && same_array(w, when, ra, rb, depth);
    VEC(int64_t) off = VEC_INIT;
    uint64_t key, one;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; ok && (i = map_next(&bytes[s], i, &key, &one));)
            if (!s || !map_get(&bytes[0], key, NULL))
                vec_push(&off, (int64_t)key);
    vec_sort(&off, frame_by_offset);
    for (size_t i = 0, n; i < off.len && ok; i += n) {
        n = word_at(c, off.data, off.len, i);
        term at = place_at(c, base[0], (uint64_t)off.data[i]);
        term x = term_read(c->t, a, at, (unsigned)n * 8);
        term y = term_substitute(c->t, term_read(c->t, b, at, (unsigned)n * 8), &rb, &ra, 1);
        ok = x == y || view_same(w, when, x, y, NULL) == YES;
    }
    vec_free(&off);
    map_free(&bytes[0]);
    map_free(&bytes[1]);
    return ok;
}

/* Places that are known to hold the same, or are written later: at these distances from a base. */
struct settled {
    term base;
    struct map bytes;
};

/* Two memories hold the same but, perhaps, there. What either wrote around one place last is compared, and
 * then what was before, of which what was written does not matter any more. */
static bool same_but(struct view *w, term when, term a, term b, struct settled *but, unsigned depth)
{
    struct check *c = w->c;
    struct terms *t = c->t;
    if (a == b)
        return true;
    if (!depth || query_is_late(c))
        return false;
    const unsigned ka = term_kind(t, a), kb = term_kind(t, b);
    if (ka == TERM_AITE || kb == TERM_AITE) {
        const term ite = ka == TERM_AITE ? a : b, other = ka == TERM_AITE ? b : a, cond = term_kid(t, ite, 0);
        const bool alike = ka == kb && (cond == term_kid(t, other, 0) ||
                                        view_same(w, when, cond, term_kid(t, other, 0), NULL) == YES);
        bool ok = true;
        for (unsigned i = 1; i <= 2 && ok; i++) {
            struct settled so_far = {but->base, {0}};
            uint64_t key, one;
            for (size_t k = 0; (k = map_next(&but->bytes, k, &key, &one));)
                map_set(&so_far.bytes, key, one);
            ok = same_but(w, both(c, when, i == 1 ? cond : term_not(t, cond)), term_kid(t, ite, i),
                          alike ? term_kid(t, other, i) : other, &so_far, depth - 1);
            map_free(&so_far.bytes);
        }
        return ok;
    }
    struct map bytes[2] = {{0}, {0}};
    term base[2] = {TERM_NONE, TERM_NONE}, rest[2] = {a, b};
    if (ka == TERM_WRITE)
        rest[0] = written_last(t, a, &base[0], &bytes[0]);
    if (kb == TERM_WRITE && (ka != TERM_WRITE || term_kid(t, b, 0) != a))
        rest[1] = written_last(t, b, &base[1], &bytes[1]);
    if (ka == TERM_WRITE && kb == TERM_WRITE && base[0] != base[1]) {
        rest[1] = b;
        map_clear(&bytes[1]);
    }
    const term place = rest[0] != a ? base[0] : base[1];
    bool ok = rest[0] != a || rest[1] != b;
    VEC(int64_t) off = VEC_INIT;
    uint64_t key, one;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; ok && (i = map_next(&bytes[s], i, &key, &one));)
            if ((!s || !map_get(&bytes[0], key, NULL)) &&
                !(but->bytes.len && place == but->base && map_get(&but->bytes, key, NULL)))
                vec_push(&off, (int64_t)key);
    vec_sort(&off, frame_by_offset);
    for (size_t i = 0, n; i < off.len && ok; i += n) {
        n = word_at(c, off.data, off.len, i);
        const term at = place_at(c, place, (uint64_t)off.data[i]);
        const term x = term_read(t, a, at, (unsigned)n * 8), y = term_read(t, b, at, (unsigned)n * 8);
        ok = x == y || view_same(w, when, x, y, NULL) == YES;
    }
    if (ok && (!but->bytes.len || but->base == place)) {
        but->base = place;
        for (size_t i = 0; i < off.len; i++)
            map_set(&but->bytes, (uint64_t)off.data[i], 1);
    }
    vec_free(&off);
    map_free(&bytes[0]);
    map_free(&bytes[1]);
    return ok && same_but(w, when, rest[0], rest[1], but, depth - 1);
}

/* The same, of memories of which what was written is not the same write by write. */
static bool same_otherwise(struct view *w, term when, term a, term b, unsigned depth)
{
    struct settled none = {TERM_NONE, {0}};
    const bool same = same_around(w, when, a, b, depth) || same_but(w, when, a, b, &none, depth);
    map_free(&none.bytes);
    return same;
}

/* True when it can be seen without asking about arrays that two are equal: the same writes in the same order,
 * the same choices. Addresses and values are asked for one at a time. */
static bool same_array(struct view *w, term when, term a, term b, unsigned depth)
{
    struct check *c = w->c;
    struct terms *t = c->t;
    if (a == b)
        return true;
    if (!depth || query_is_late(c))
        return false;
    unsigned ka = term_kind(t, a), kb = term_kind(t, b);
    if (ka == TERM_AITE && kb == TERM_AITE &&
        (term_kid(t, a, 0) == term_kid(t, b, 0) ||
         view_same(w, when, term_kid(t, a, 0), term_kid(t, b, 0), NULL) == YES)) {
        term cond = term_kid(t, a, 0);
        return same_array(w, both(c, when, cond), term_kid(t, a, 1), term_kid(t, b, 1), depth - 1) &&
               same_array(w, both(c, when, term_not(t, cond)), term_kid(t, a, 2), term_kid(t, b, 2),
                          depth - 1);
    }
    if (ka == TERM_AITE || kb == TERM_AITE) {
        term ite = ka == TERM_AITE ? a : b, other = ka == TERM_AITE ? b : a, cond = term_kid(t, ite, 0);
        return same_array(w, both(c, when, cond), term_kid(t, ite, 1), other, depth - 1) &&
               same_array(w, both(c, when, term_not(t, cond)), term_kid(t, ite, 2), other, depth - 1);
    }
    if (ka != TERM_WRITE || kb != TERM_WRITE)
        return is_never(w, when);
    const term top[] = {a, b};
    term ca[WRITES_MAX], cb[WRITES_MAX], from[WRITES_MAX], to[WRITES_MAX];
    unsigned na = 0, nb = 0, nknown = 0;
    for (; term_kind(t, a) == TERM_WRITE && na < WRITES_MAX; a = term_kid(t, a, 0))
        ca[na++] = a;
    for (; term_kind(t, b) == TERM_WRITE && nb < WRITES_MAX; b = term_kid(t, b, 0))
        cb[nb++] = b;
    if (na != nb || !same_array(w, when, a, b, depth - 1))
        return same_otherwise(w, when, top[0], top[1], depth - 1) || is_never(w, when);
    while (na) {
        term x = ca[--na], y = cb[na], ax = term_kid(t, x, 1), ay = term_kid(t, y, 1);
        if (ax != ay && view_same(w, when, ax, ay, NULL) != YES)
            return same_otherwise(w, when, top[0], top[1], depth - 1);
        /* what is known to be equal by now */
        if (nknown + 2 > WRITES_MAX)
            nknown = 0;
        from[nknown] = b;
        to[nknown++] = a;
        from[nknown] = ay;
        to[nknown++] = ax;
        term vy = term_substitute(t, term_kid(t, y, 2), from, to, nknown);
        if (vy != term_kid(t, x, 2) && view_same(w, when, term_kid(t, x, 2), vy, NULL) != YES)
            return false;
        a = x;
        b = y;
    }
    return true;
}

bool memory_identical(struct view *w, term a, term b)
{
    return same_array(w, TERM_NONE, a, b, NESTING_MAX);
}

/* Looks for a difference where one of the two has written: small questions, before the one about any address.
 * *text: a place where the two only differ in the address of the same text; else TERM_NONE. */
static bool differs_where_written(struct view *w, term when, term a, term b, struct term_model **model,
                                  term *at, term *text)
{
    enum { TRIED_MAX = 48 };
    struct check *c = w->c;
    struct terms *t = c->t;
    unsigned tried = 0;
    bool found = false;
    written_list place = VEC_INIT;
    written_places(&c->pair, a, b, &place);
    for (size_t k = 0; k < place.len && tried < TRIED_MAX && !found; k++) {
        unsigned bytes = term_width(t, term_kid(t, place.data[k], 2)) / 8;
        for (unsigned i = 0; i < bytes && !found && tried < TRIED_MAX; i++) {
            term p = term_add_const(t, term_kid(t, place.data[k], 1), i);
            if (i % (c->width / 8) == 0 && bytes - i >= c->width / 8) {
                term x = term_read(t, a, p, c->width), y = term_read(t, b, p, c->width);
                if (x != y && canonical_same_text(&c->pair, x, y)) {
                    *text = p;
                    i += c->width / 8 - 1;
                    continue;
                }
            }
            term va = term_read(t, a, p, 8), vb = term_read(t, b, p, 8);
            if (va == vb)
                continue;
            tried++;
            term q[] = {w->v, when == TERM_NONE ? term_true(t) : when, pair_outside_frames(&c->pair, p),
                        term_not(t, term_eq(t, va, vb))};
            found = query_possible(c, q, 4, model) == YES;
            if (found)
                *at = p;
            else if (c->now->unknown_answers)
                tried += TRIED_MAX / 8; /* these are not small */
        }
    }
    vec_free(&place);
    return found;
}

/* ---- memory that was merged again and again ---- */

/* The memory that both branches of a merge, and theirs, come from; a write comes from what it is made to.
 * TERM_NONE: there is none. Terms are numbered as they are made, so what a term comes from has a lower
 * number. */
static term comes_from(struct view *w, term x)
{
    struct terms *t = w->c->t;
    uint64_t known;
    if (term_kind(t, x) == TERM_WRITE)
        return term_kid(t, x, 0);
    if (term_kind(t, x) != TERM_AITE)
        return TERM_NONE;
    if (map_get(&w->origin, x, &known))
        return (term)known;
    term p = term_kid(t, x, 1), q = term_kid(t, x, 2);
    while (p != q && p != TERM_NONE && q != TERM_NONE) {
        term *later = p > q ? &p : &q;
        *later = comes_from(w, *later);
    }
    term out = p == q ? p : TERM_NONE;
    map_set(&w->origin, x, out);
    return out;
}

/* The merges that a memory went through, the first one first. */
static void merges_of(struct view *w, term x, written_list *out)
{
    for (; x != TERM_NONE; x = comes_from(w, x))
        if (term_kind(w->c->t, x) == TERM_AITE)
            vec_push(out, x);
    for (size_t i = 0; i < out->len / 2; i++) {
        term swap = out->data[i];
        out->data[i] = out->data[out->len - 1 - i];
        out->data[out->len - 1 - i] = swap;
    }
}

/* Two memories that went through the same merges, but for a few: once one pair is known to be equal, what is
 * made from it reads the same. b is as seen then. */
static term sweep(struct view *w, term a, term b)
{
    written_list x = VEC_INIT, y = VEC_INIT;
    merges_of(w, a, &x);
    merges_of(w, b, &y);
    size_t n = x.len == y.len && x.len > 1 ? x.len : 0;
    for (size_t i = 0; i + 1 < n; i++) {
        term z = view_see(w, y.data[i]);
        if (z == x.data[i])
            continue;
        if (!same_array(w, TERM_NONE, x.data[i], z, NESTING_MAX))
            break;
        map_set(&w->known, y.data[i], x.data[i]);
        map_set(&w->known, z, x.data[i]);
        map_clear(&w->rewritten);
    }
    vec_free(&x);
    vec_free(&y);
    return n ? view_see(w, b) : b;
}

/* The address of errno is held apart from any address of which nothing is known, and so from the one that is
 * asked about for all others: what either wrote there is compared by itself. */
static struct memory_answer same_errno(struct view *w, term when, term a, term b)
{
    struct terms *t = w->c->t;
    written_list place = VEC_INIT;
    struct memory_answer out = {.same = YES};
    written_places(&w->c->pair, a, b, &place);
    for (size_t i = 0; i < place.len && out.same == YES; i++) {
        const term at = term_kid(t, place.data[i], 1);
        const unsigned width = term_width(t, term_kid(t, place.data[i], 2));
        term base;
        uint64_t off;
        term_split(t, at, &base, &off);
        if (base != TERM_NONE && origin_is(t, base, ORIGIN_ERRNO_PLACE) &&
            view_same(w, when, term_read(t, a, at, width), term_read(t, b, at, width), NULL) != YES)
            out = (struct memory_answer){.same = UNDECIDED, .at = at};
    }
    vec_free(&place);
    return out;
}

struct memory_answer memory_same(struct view *w, term when, term a, term b, struct term_model **model)
{
    struct check *c = w->c;
    for (unsigned i = 0; i < w->granted.n; i++) {
        term *x = w->granted.old[i] ? &a : &b;
        *x = w->granted.at[i] == TERM_NONE
                 ? term_substitute(c->t, *x, &w->granted.from[i], &w->granted.to[i], 1)
                 : written_instead(c->t, *x, w->granted.at[i], w->granted.from[i], w->granted.to[i]);
    }
    if (a != b)
        b = sweep(w, a, b);
    a = written_outside(&c->pair, a);
    b = written_outside(&c->pair, b);
    if (same_array(w, when, a, b, NESTING_MAX))
        return (struct memory_answer){.same = YES};
    struct term_model *unused = NULL;
    term at = TERM_NONE, text = TERM_NONE;
    /* That is not worth the effort where it only counts whether they are the same. */
    bool differ =
        !c->query.quick && differs_where_written(w, when, a, b, model ? model : &unused, &at, &text);
    term_model_free(unused);
    if (differ)
        return (struct memory_answer){.same = NO, .at = at};
    if (text != TERM_NONE)
        return (struct memory_answer){.same = UNDECIDED, .at = text, .text = true};
    /* Any address: one that nothing is known of. */
    if (c->at == TERM_NONE)
        c->at = term_fresh(c->t, "differs_at", c->width);
    at = c->at;
    term q[] = {w->v, when == TERM_NONE ? term_true(c->t) : when, pair_outside_frames(&c->pair, at),
                term_not(c->t, term_eq(c->t, term_read(c->t, a, at, 8), term_read(c->t, b, at, 8))),
                w->granted.where == TERM_NONE ? term_true(c->t) : w->granted.where};
    enum answer r = query_possible(c, q, 5, model);
    if (r == NO)
        return same_errno(w, when, a, b);
    return (struct memory_answer){.same = r == YES ? NO : UNDECIDED, .at = at};
}

/* Something was stored at a computed address in the frame since the last call. */
static bool writes_computed(struct check *c, term x)
{
    written_list all = VEC_INIT;
    bool found = false;
    written_all(c->t, x, &all);
    for (size_t i = 0; i < all.len && !found; i++) {
        term base;
        uint64_t off;
        term_split(c->t, term_kid(c->t, all.data[i], 1), &base, &off);
        found = base != c->sp && base != TERM_NONE && explorer_in_frame(c->pair.side[OLD].x, base);
    }
    vec_free(&all);
    return found;
}

/* Both versions have the bytes, and neither gives away a local that they are part of. */
static bool out_of_reach(struct check *c, int64_t canonical, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        for (int s = 0; s < 2; s++) {
            uint64_t native;
            if (!map_get(&c->pair.slots.of[s], (uint64_t)canonical + i, &native) ||
                !frame_out_of_reach(&c->pair, s, (int64_t)native))
                return false;
        }
    return true;
}

/* Callees are assumed to leave the bytes as they are, in both versions; if not, that is learned for the next
 * attempt. What lies there may differ only then: after a call it would be taken for the same. */
static bool is_kept(struct check *c, int64_t canonical, size_t bytes)
{
    bool kept = c->opt->axioms & AXIOM_RETURN;
    for (int s = 0; s < 2; s++)
        for (size_t k = 0; k < bytes; k++) {
            uint64_t at = (uint64_t)canonical + k;
            int64_t native = (int64_t)map_find(&c->pair.slots.of[s], at, at);
            kept = kept && frame_keeps(&c->pair, s, native);
            frame_see_apart(&c->pair, s, native);
        }
    return kept;
}

/* Bytes of the frame that a version does not access itself but has had a function of the library write. They
 * differ for certain only if both have them. */
static struct memory_answer same_written(struct view *w, term when, term a, term b, int side,
                                         struct term_model **model)
{
    struct check *c = w->c;
    written_list all = VEC_INIT;
    struct memory_answer out = {.same = YES};
    written_all(c->t, side ? b : a, &all);
    for (size_t i = 0; i < all.len && out.same == YES; i++) {
        term at = term_kid(c->t, all.data[i], 1);
        unsigned bytes = term_width(c->t, term_kid(c->t, all.data[i], 2)) / 8;
        int64_t off;
        bool seen = true;
        if (!pair_sp_offset(&c->pair, at, &off))
            continue;
        for (unsigned k = 0; k < bytes; k++)
            seen = seen && map_get(&c->pair.slots.of[side], (uint64_t)(off + k), NULL);
        if (seen)
            continue;
        bool both_write = written_bytes(c->t, side ? a : b, at, bytes);
        enum answer r = view_same(w, when, term_read(c->t, a, at, bytes * 8),
                                  term_read(c->t, b, at, bytes * 8), both_write ? model : NULL);
        if (r == NO && !both_write)
            r = UNDECIDED;
        out = (struct memory_answer){.same = r, .at = at, .bytes = bytes};
    }
    vec_free(&all);
    return out;
}

/* The call that left what is in the byte of the frame, in its own place; NULL: none did. */
static const struct exec_event *left_by(struct check *c, const struct exec_path *p,
                                        const struct exec_event *call, int64_t native)
{
    term at = term_add_const(c->t, c->sp, (uint64_t)native), x = term_read(c->t, call->mem_before, at, 8);
    if (term_kind(c->t, x) == TERM_READ)
        for (const struct exec_event *e = p->event; e < call; e++)
            if (e->mem_made != TERM_NONE && e->mem_made == term_kid(c->t, x, 0))
                return e;
    return NULL;
}

/* The local that the bytes are part of was given to nobody yet, or not to the callee that is assumed to have
 * changed it: that they differ shows nothing. */
static bool is_own_yet(struct view *w, const struct exec_event *const call[2], int64_t canonical)
{
    struct check *c = w->c;
    const struct end *end[] = {w->o, w->n};
    for (int s = 0; s < 2; s++) {
        int64_t native = (int64_t)map_find(&c->pair.slots.of[s], (uint64_t)canonical, (uint64_t)canonical);
        const struct exec_event *by = left_by(c, end[s]->path, call[s], native);
        if (!frame_escaped_by(&c->pair, s, end[s]->path, call[s], native) ||
            (by && !frame_escaped_by(&c->pair, s, end[s]->path, by, native)))
            return true;
    }
    return false;
}

/* A callee that takes what a format lists from a va_list: it reaches all that lies behind what the caller of
 * a variadic function passed, and reads only what the format asks for. */
static bool takes_list(struct view *w, const struct exec_event *const call[2])
{
    for (int s = 0; s < 2; s++) {
        const struct flow_library_entry *l = names_library(w->c, &w->c->pair.side[s], call[s]);
        if (l && l->attrs & LIBRARY_LIST)
            return true;
    }
    return false;
}

/* Both jump to the callee with the stack as they found it: it is given nothing of their frames. */
static bool frames_are_gone(struct view *w, const struct exec_event *const call[2])
{
    const struct end *end[] = {w->o, w->n};
    bool gone = true;
    for (int s = 0; s < 2 && gone; s++) {
        const struct exec_path *p = end[s]->path;
        gone = call[s]->tail && p->end == PATH_TAIL_CALL &&
               exec_path_register(end[s]->s->x, p, end[s]->s->m->sp, w->c->width) == w->c->sp;
    }
    return gone;
}

struct memory_answer memory_same_frames(struct view *w, term when, const struct exec_event *const call[2],
                                        term a, term b, struct term_model **model)
{
    struct check *c = w->c;
    struct memory_answer out = {.same = YES};
    if (a == b || frames_are_gone(w, call))
        return out;
    if (writes_computed(c, a) || writes_computed(c, b)) {
        out.same = same_array(w, when, a, b, NESTING_MAX) ? YES : UNDECIDED;
        return out;
    }
    const bool list = takes_list(w, call);
    VEC(int64_t) common = VEC_INIT;
    uint64_t key, own;
    for (size_t i = 0; (i = map_next(&c->pair.slots.of[NEW], i, &key, &own));)
        if (map_get(&c->pair.slots.of[OLD], key, NULL))
            vec_push(&common, (int64_t)key);
    vec_sort(&common, frame_by_offset);
    for (size_t i = 0, n; i < common.len && out.same != NO; i += n) {
        n = 1;
        while (i + n < common.len && n < 8 && common.data[i + n] == common.data[i] + (int64_t)n)
            n++;
        term at = term_add_const(c->t, c->sp, (uint64_t)common.data[i]);
        enum answer r = view_same(w, when, term_read(c->t, a, at, (unsigned)n * 8),
                                  term_read(c->t, b, at, (unsigned)n * 8), model);
        if (r != YES && c->opt->assume & VERIFY_ASSUME_PRIVATE && out_of_reach(c, common.data[i], n)) {
            if (is_kept(c, common.data[i], n)) {
                ledger_count(&c->ledger, LEDGER_PRIVATE, 1);
                continue;
            }
            r = UNDECIDED;
        }
        for (size_t k = 0; k < n && r == NO; k++)
            r = list || is_own_yet(w, call, common.data[i + k]) ? UNDECIDED : NO;
        if (r != YES)
            out.same = r;
        if (r == NO) {
            out.at = at;
            out.bytes = (unsigned)n;
        }
    }
    /* Bytes that only one accesses itself. */
    for (int s = 0; s < 2 && out.same != NO; s++)
        for (size_t i = 0; (i = map_next(&c->pair.slots.of[s], i, &key, &own));) {
            if (map_get(&c->pair.slots.of[!s], key, NULL))
                continue;
            term at = term_add_const(c->t, c->sp, key);
            if (frame_out_of_reach(&c->pair, s, (int64_t)own) && c->opt->assume & VERIFY_ASSUME_PRIVATE)
                ledger_count(&c->ledger, LEDGER_PRIVATE, 1);
            else if (out.same == YES &&
                     view_same(w, when, term_read(c->t, a, at, 8), term_read(c->t, b, at, 8), NULL) != YES)
                out.same = UNDECIDED;
        }
    for (int s = 0; s < 2 && out.same == YES; s++)
        out = same_written(w, when, a, b, s, model);
    vec_free(&common);
    return out;
}

/* ---- what a callee is given the address of ---- */

/* The byte, as a constant that the version has put there since it last called anybody. It is neither a word
 * that a callee was given, nor one that the version reads itself: another local may have lain in the same
 * place. */
static bool is_set_for(struct view *w, const struct end *end, const struct exec_event *e, int64_t native,
                       term byte)
{
    struct check *c = w->c;
    const struct exec_event *last = NULL;
    if (!term_is_const(c->t, byte) || map_get(&c->pair.observed.loaded[end->s->new], (uint64_t)native, NULL))
        return false;
    for (const struct exec_event *k = end->path->event; k < e; k++)
        last = k->kind == EVENT_CALL && pair_call_is_transparent(k->name) ? last : k;
    if (!last)
        return true;
    term at = term_add_const(c->t, c->sp, (uint64_t)native);
    return term_read(c->t, last->escaped ? last->mem_after : last->frame_after, at, 8) != byte;
}

/* It is what lay on the stack when the function was called. */
static bool is_uninitialised(const struct terms *t, term byte)
{
    return term_kind(t, byte) == TERM_READ && term_kind(t, term_kid(t, byte, 0)) == TERM_VAR;
}

bool memory_argument_differs(struct view *w, term when, const struct exec_event *o,
                             const struct exec_event *n, unsigned argument, struct term_model **model,
                             bool *certain)
{
    struct check *c = w->c;
    *certain = true;
    const struct exec_event *e[] = {o, n};
    const struct end *end[] = {w->o, w->n};
    term byte[2];
    bool set[2];
    for (int s = 0; s < 2; s++) {
        int64_t off, other;
        if (!e[s]->escaped || e[s]->depth || !pair_sp_offset(&c->pair, e[s]->arg[argument], &off) || off >= 0)
            return false;
        /* The end of what another argument points to is none of its bytes. */
        for (unsigned i = 0; i < e[s]->nargs; i++)
            if (term_width(c->t, e[s]->arg[i]) == c->width &&
                pair_sp_offset(&c->pair, e[s]->arg[i], &other) && other < off)
                return false;
        term at = view_side(w, end[s], e[s]->arg[argument]);
        byte[s] = term_read(c->t, view_side(w, end[s], e[s]->mem_before), at, 8);
        set[s] = is_set_for(w, end[s], e[s], off, byte[s]);
        *certain = *certain && (set[s] || is_uninitialised(c->t, byte[s]));
    }
    return (set[OLD] || set[NEW]) && (set[OLD] || !term_is_const(c->t, byte[OLD])) &&
           (set[NEW] || !term_is_const(c->t, byte[NEW])) &&
           view_same(w, when, byte[OLD], byte[NEW], model) == NO;
}
