/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs that lead the target to where the others do not: most functions look at what they are given first,
 * and refuse it. What it compares with what (a byte of memory, an argument, a variable) says what to put
 * there for the comparison to come out otherwise; beside that, arguments and surroundings are changed one by
 * one. An input is kept that goes a way which none before it went. Any input will do, so that nothing rests
 * on how it was found. */
#include <string.h>

#include "adapt/blind.h"

enum {
    QUEUE = 96,
    COMPARISONS = 160,
    LOADS = 400,
    TEXTS = 48,
    EDGE_BITS = 14,
    TURN = 6, /* changes of one input before the next has its turn */
    GROW_STEPS = 6000000,
    OTHERS = 12,
    OTHERS_OF_ONE = 2,
};

/* ---- what is seen of a run ---- */

struct comparison {
    uint64_t x, y;
    unsigned width;
};

struct watch {
    struct comparison comparison[COMPARISONS];
    struct patch load[LOADS];
    uint64_t text[TEXTS]; /* of the file, where they begin */
    unsigned ncomparisons, nloads, ntexts;
    uint8_t edge[1 << (EDGE_BITS - 3)]; /* a set */
    uint64_t last;
};

static void note_edge(struct watch *w, uint64_t hash)
{
    uint64_t e = hash & word_ones(EDGE_BITS);
    w->edge[e / 8] |= (uint8_t)(1u << e % 8);
}

void blind_watch_edge(struct watch *w, uint64_t at)
{
    note_edge(w, hash_u64(w->last * 3 + at));
    w->last = at;
}

static void add_comparison(struct watch *w, uint64_t x, uint64_t y, unsigned width)
{
    for (unsigned i = 0; i < w->ncomparisons; i++)
        if (w->comparison[i].x == x && w->comparison[i].y == y)
            return;
    if (w->ncomparisons < COMPARISONS)
        w->comparison[w->ncomparisons++] = (struct comparison){x, y, width};
}

void blind_watch_comparison(struct watch *w, uint64_t at, uint64_t x, uint64_t y, unsigned width)
{
    note_edge(w, hash_u64(at * 5 +
                          (x == y))); /* what comes out may be counted or added up, and not be branched on */
    add_comparison(w, x, y, width);
}

void blind_watch_bits(struct watch *w, uint64_t x, uint64_t mask, unsigned width)
{
    enum { FEW = 4 };
    if (mask && __builtin_popcountll(mask) <= FEW)
        add_comparison(w, x, x ^ mask, width);
}

void blind_watch_load(struct watch *w, uint64_t address, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < w->nloads; i++)
        if (w->load[i].address == address && w->load[i].bytes == bytes)
            return;
    if (w->nloads < LOADS)
        w->load[w->nloads++] = (struct patch){address, value, bytes};
}

void blind_watch_text(struct watch *w, uint64_t address)
{
    for (unsigned i = 0; i < w->ntexts; i++)
        if (w->text[i] == address)
            return;
    if (w->ntexts < TEXTS)
        w->text[w->ntexts++] = address;
}

/* ---- changes ---- */

struct change {
    enum { CHANGE_ARGUMENT, CHANGE_MEMORY, CHANGE_TEXT, CHANGE_SCENE } kind;
    unsigned arg; /* or what of the scene */
    struct patch patch;
};

struct entry {
    struct input input;
    VEC(struct change) change;
    size_t next;
    unsigned others; /* that came of it, and do something else */
    bool begun;
};

struct growing {
    struct inputs *out;
    const struct target *target;
    struct world *w;
    struct entry entry[QUEUE];
    unsigned nentries;
    struct input other[OTHERS]; /* on which the target goes no new way, but does something else */
    unsigned nothers;
    struct watch watch;
    uint8_t seen[sizeof((struct watch *)0)->edge];
    struct side spare, plain; /* the plain one is of an input before it is changed */
    const struct deadline *until;
};

static void change_argument(struct entry *e, unsigned i, uint64_t value)
{
    vec_push(&e->change, (struct change){.kind = CHANGE_ARGUMENT, .arg = i, .patch.value = value});
}

/* An argument less a constant, or more: what C makes of a range is one comparison (c - '0' <= 9). */
static bool is_near(uint64_t arg, uint64_t x, uint64_t mask)
{
    const uint64_t far = mask >> 2 < 4096 ? mask >> 2 : 4096;
    return ((arg - x) & mask) <= far || ((x - arg) & mask) <= far;
}

/* x is to become y, wherever it is from: some low bits of an argument, or about that, or memory. */
static void find_sources(struct growing *g, struct entry *e, uint64_t x, uint64_t y, unsigned width)
{
    const uint64_t mask = word_ones(width);
    for (unsigned i = 0; i < g->target->nargs; i++)
        if (is_near(e->input.arg[i], x, mask))
            change_argument(e, i, (e->input.arg[i] & ~mask) | ((e->input.arg[i] + y - x) & mask));
    for (unsigned i = 0; i < g->watch.nloads; i++) {
        const struct patch *p = &g->watch.load[i];
        uint64_t all = word_ones(p->bytes * 8);
        /* it may have been extended since */
        if (p->value == (x & all) && (p->bytes * 8 >= width || x <= all || (x | all) == mask))
            vec_push(&e->change,
                     (struct change){.kind = CHANGE_MEMORY, .patch = {p->address, y & all, p->bytes}});
    }
}

enum { WORD_MOST = 16 };

/* A word of the file begins there, with no more than that before it ends. */
static bool is_word(const struct world *w, uint64_t address, uint8_t *word)
{
    const uint64_t at = address - w->guest.bias;
    uint8_t before = 0;
    memset(word, 0, WORD_MOST);
    if (!object_is_readonly(w->o, at, 2) || (object_read(w->o, at - 1, &before, 1) && before))
        return false;
    for (unsigned n = 0; n < WORD_MOST && object_read(w->o, at + n, &word[n], 1); n++) {
        if (!word[n])
            return n > 1;
        if (word[n] < ' ' || word[n] > '~')
            return false;
    }
    return false;
}

/* Words that the target looks at are what an argument leads to. */
static void find_words(struct growing *g, struct entry *e)
{
    uint8_t word[WORD_MOST];
    for (unsigned k = 0; k < g->watch.ntexts; k++) {
        if (!is_word(g->w, g->watch.text[k], word))
            continue;
        for (unsigned i = 0; i < g->target->nargs; i++)
            if (blind_where(g->w, e->input.arg[i]) == OUTSIDE)
                vec_push(&e->change,
                         (struct change){.kind = CHANGE_TEXT, .arg = i, .patch.address = g->watch.text[k]});
    }
}

static void find_changes(struct growing *g, struct entry *e, unsigned number)
{
    static const uint64_t usual[] = {0, 1, UINT64_MAX, 2, 8, 16, 64, 256, 4096};
    const unsigned nusual = sizeof usual / sizeof *usual;
    for (unsigned i = 0; i < g->watch.ncomparisons; i++) {
        const struct comparison *c = &g->watch.comparison[i];
        if (c->x == c->y) {
            find_sources(g, e, c->x, c->y + 1, c->width);
            continue;
        }
        for (unsigned turned = 0; turned < 2; turned++) {
            uint64_t x = turned ? c->y : c->x, y = turned ? c->x : c->y;
            find_sources(g, e, x, y, c->width);
            find_sources(g, e, x, x < y ? y + 1 : y - 1, c->width);
        }
    }
    for (unsigned i = 0; i < g->target->nargs; i++) {
        for (unsigned k = 0; k < nusual; k++)
            change_argument(e, i, usual[k] & word_ones(g->w->m->pointer_width));
        change_argument(e, i, blind_place(g->w, number, i) + 0x2130);
        change_argument(e, i, blind_place(g->w, number, i));
        if (i)
            change_argument(e, i, e->input.arg[0]);
    }
    find_words(g, e);
    for (unsigned k = 0; k < SCENES; k++)
        vec_push(&e->change, (struct change){.kind = CHANGE_SCENE, .arg = k});
    /* in an order like a random one: not all have their turn */
    for (size_t n = e->change.len; n > 1; n--) {
        size_t other = hash_u64(n * 31 + number) % n;
        struct change c = e->change.data[n - 1];
        e->change.data[n - 1] = e->change.data[other];
        e->change.data[other] = c;
    }
}

/* False: it changes nothing, or is no input: what a run has of its own nobody has been given an address of.
 */
static bool apply(const struct growing *g, const struct change *c, struct input *x)
{
    struct scene *s = &x->scene;
    uint64_t value = c->patch.value & word_ones(g->w->m->pointer_width);
    uint8_t word[WORD_MOST];
    if (c->kind < CHANGE_TEXT && blind_where(g->w, value) != OUTSIDE)
        return false;
    switch (c->kind) {
    case CHANGE_ARGUMENT: {
        uint64_t before = x->arg[c->arg];
        x->arg[c->arg] = value;
        blind_extend(g->target, x);
        return x->arg[c->arg] != before;
    }
    case CHANGE_MEMORY:
        if (s->npatches == PATCHES)
            return false;
        s->patch[s->npatches++] = c->patch;
        return true;
    case CHANGE_TEXT:
        if (s->npatches + 2 > PATCHES || !is_word(g->w, c->patch.address, word))
            return false;
        for (unsigned half = 0; half < 2; half++)
            s->patch[s->npatches++] =
                (struct patch){x->arg[c->arg] + 8 * half, bits_low(bits_from_bytes(word + 8 * half, 8)), 8};
        return true;
    case CHANGE_SCENE:
        return blind_change_scene(s, c->arg);
    }
    return false;
}

/* ---- growing ---- */

static bool goes_new_ways(struct growing *g)
{
    bool any = false;
    for (size_t i = 0; i < sizeof g->seen; i++) {
        any = any || g->watch.edge[i] & ~g->seen[i];
        g->seen[i] |= g->watch.edge[i];
    }
    return any;
}

static void run_watched(struct growing *g, const struct input *x)
{
    memset(&g->watch, 0, sizeof g->watch);
    blind_target(&g->spare, g->target, x, &g->watch);
}

static bool goes_on(const struct growing *g)
{
    return g->w->steps < GROW_STEPS && g->out->n < TESTS_GROWN && !deadline_over(g->until);
}

/* One change of the entry. */
static void try_change(struct growing *g, struct entry *e)
{
    const struct change *c = &e->change.data[e->next++];
    struct input x = e->input;
    if (!apply(g, c, &x))
        return;
    run_watched(g, &x);
    bool differs = blind_look_different(g->target, &g->plain, &g->spare);
    if (c->kind == CHANGE_ARGUMENT)
        g->out->needs[c->arg] = g->out->needs[c->arg] || differs;
    if (!goes_new_ways(g) || g->nentries == QUEUE) {
        if (differs && g->nothers < OTHERS && e->others < OTHERS_OF_ONE) {
            g->other[g->nothers++] = x;
            e->others++;
        }
        return;
    }
    struct entry *new = &g->entry[g->nentries++];
    *new = (struct entry){.input = x};
    if (blind_says_something(&g->spare) && g->out->n < TESTS_GROWN)
        g->out->input[g->out->n++] = x;
}

static void take_turn(struct growing *g, struct entry *e, unsigned number)
{
    if (!e->begun) {
        run_watched(g, &e->input);
        goes_new_ways(g);
        find_changes(g, e, number);
        e->begun = true;
    }
    if (e->next < e->change.len)
        blind_target(&g->plain, g->target, &e->input, NULL);
    for (unsigned k = 0; k < TURN && e->next < e->change.len && goes_on(g); k++)
        try_change(g, e);
}

/* Kept if it goes a way which none before it went, or anyway. */
static bool try_input(struct growing *g, const struct input *x, bool anyway)
{
    if (g->nentries == QUEUE || !goes_on(g))
        return false;
    run_watched(g, x);
    if (!goes_new_ways(g) && !anyway)
        return false;
    g->entry[g->nentries++].input = *x;
    if (blind_says_something(&g->spare) && g->out->n < TESTS_GROWN)
        g->out->input[g->out->n++] = *x;
    return true;
}

/* Texts that nothing leads to step by step: numbers that are too long, and what printf and scanf look for. */
static void add_texts(struct growing *g)
{
    static const uint8_t like[] = {0, 12, 11};
    static const uint64_t format[] = {
        0x7325206425 /* "%d %s" */,
        0x6725 /* "%g" */,
        0x6400000025 /* the beginning of it in characters of 32 bits */,
    };
    bool reads[CONTENTS] = {false};
    for (unsigned k = 0; k < sizeof like; k++) {
        struct input x = g->entry[like[k]].input;
        for (unsigned c = CONTENT_DIGITS; c <= CONTENT_WIDE; c++) {
            x.scene.content = (enum content)c;
            reads[c] = try_input(g, &x, reads[c]);
        }
        for (unsigned i = 0; i < g->target->nargs; i++)
            for (unsigned f = 0; f < sizeof format / sizeof *format; f++) {
                x = g->entry[like[k]].input;
                x.scene.patch[x.scene.npatches++] = (struct patch){x.arg[i], format[f], 8};
                if (blind_where(g->w, x.arg[i]) == OUTSIDE)
                    try_input(g, &x, false);
            }
    }
}

/* The same elsewhere: what is right for one place alone, as a constant is, is seen there. */
static bool move(const struct world *w, const struct input *from, unsigned nargs, struct input *to)
{
    enum { NEAR = 0x8000, BY = 0x4310000 };
    bool any = false;
    *to = *from;
    for (unsigned i = 0; i < nargs; i++) {
        uint64_t at = from->arg[i];
        if (!at || at >> PAGE_BITS < NULL_PAGES || at >> (w->m->pointer_width - 4) ||
            blind_where(w, at + BY) != OUTSIDE)
            continue;
        to->arg[i] = at + BY;
        any = true;
        for (unsigned k = 0; k < from->scene.npatches; k++)
            if (from->scene.patch[k].address - at + NEAR < 2 * NEAR)
                to->scene.patch[k].address = from->scene.patch[k].address + BY;
    }
    return any;
}

static void add_moved(struct growing *g, unsigned first)
{
    struct inputs *x = g->out;
    for (unsigned i = x->n; i-- > first && x->n < TESTS_MAX && !deadline_over(g->until);) {
        struct input moved;
        if (!move(g->w, &x->input[i], g->target->nargs, &moved))
            continue;
        blind_extend(g->target, &moved);
        run_watched(g, &moved);
        if (blind_says_something(&g->spare))
            x->input[x->n++] = moved;
    }
}

void blind_grow(struct inputs *x, struct world *w, const struct target *target, const struct deadline *until)
{
    struct growing *g = xcalloc(1, sizeof *g);
    *g = (struct growing){.out = x, .target = target, .w = w, .until = until};
    blind_open(&g->spare, w);
    blind_open(&g->plain, w);
    w->steps = 0;
    for (unsigned i = 0; i < x->n; i++) {
        g->entry[g->nentries++].input = x->input[i];
        run_watched(g, &x->input[i]);
        goes_new_ways(g);
    }
    add_texts(g);
    for (bool more = true; more && goes_on(g);) {
        more = false;
        for (unsigned i = g->nentries; i-- > 0 && goes_on(g);) { /* the newest have come farthest */
            take_turn(g, &g->entry[i], i);
            more = more || g->entry[i].next < g->entry[i].change.len;
        }
    }
    for (unsigned i = 0; i < g->nothers && x->n < TESTS_GROWN; i++)
        x->input[x->n++] = g->other[i];
    add_moved(g, TESTS);
    for (unsigned i = 0; i < g->nentries; i++)
        vec_free(&g->entry[i].change);
    blind_close(&g->spare);
    blind_close(&g->plain);
    free(g);
}
