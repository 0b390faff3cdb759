/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs on which the overflowed block is larger. Where its contents stand in the input behind their length,
 * both can be made longer, and with them a number in the contents that the call is given: so it is not only
 * around the size of the proof of concept that the two programs are compared. Which places of the input those
 * are is found out once, by running the original to the call; then candidates are run on inputs with blocks
 * of some sizes. No path is followed for that. */
#include <stdlib.h>
#include <string.h>

#include "poc/confirm.h"
#include "poc/input.h"

enum {
    BEFORE = 32,
    SHORT = 3,
    LEAST = 4,
    TRIES = 24,
    KEPT = 2,
    CLOSE = 16,
    STEP = 8,
    LOOKED = 96,
    MOST = 256
};

/* The input with a block that is `by` bytes longer. */
static struct change change_of(const struct poc_growth *g, uint64_t by, uint8_t fill)
{
    struct change c = {.piece = g->piece};
    char bytes[MOST];
    for (unsigned i = 0; i < 2; i++) {
        const struct poc_growth_number *n = &g->number[i];
        uint8_t to[8];
        unsigned first = n->bytes, end = 0; /* of the bytes that change: others may be of something else */
        for (unsigned k = 0; k < n->bytes; k++) {
            unsigned place = n->big ? n->bytes - 1 - k : k;
            to[place] = (uint8_t)((n->was + by) >> k * 8);
            if (to[place] != (uint8_t)(n->was >> k * 8)) {
                first = place < first ? place : first;
                end = place + 1 > end ? place + 1 : end;
            }
        }
        if (first < end)
            c.edit[c.n++] = input_edit(n->at + first, end - first, to + first, end - first);
    }
    memset(bytes, fill, sizeof bytes);
    c.edit[c.n++] = input_edit(g->end, 0, bytes, by < MOST ? by : MOST);
    return c;
}

static void change_end(struct change *c)
{
    for (unsigned i = 0; i < c->n; i++)
        free(c->edit[i].by);
}

/* The original's run on the input with a block that is `by` bytes longer; false: there is no such input. */
static bool target_of(const struct poc_growth *g, uint64_t by, const struct poc_growing *of,
                      const struct input *in, struct run_target *t, struct arena *arena)
{
    struct change c = change_of(g, by, 0);
    const struct change *all[] = {&c};
    struct input changed;
    struct poc_input given;
    bool ok = input_apply(in, all, 1, &changed);
    if (ok) {
        ok = input_give(&changed, of->old->scratch, &given, arena);
        input_free(&changed);
    }
    change_end(&c);
    *t = *of->old;
    if (ok) {
        t->argument = given.argument;
        t->narguments = given.narguments;
        t->input = given.input;
    }
    return ok;
}

/* Whether on such an input the original comes to the call with the block one byte longer, and what the call
 * is given as much larger. */
static bool leads_there(const struct poc_growth *g, const struct poc_growing *of, const struct input *in)
{
    struct arena arena = ARENA_INIT;
    struct run_target t;
    struct snapshot s = {0};
    struct error err;
    bool ok = false;
    if (target_of(g, 1, of, in, &t, &arena)) {
        struct process *p = watch_call(&t, of->side->f->address, of->call, &err);
        struct guard_chunk chunk;
        ok = p && snapshot_take(p, &t, of->side->s, &s, &err) &&
             guard_chunk_at(&s.pool, of->crash->base + of->crash->size - 1, &chunk) &&
             chunk.state == GUARD_LIVE && chunk.size == of->crash->size + 1;
        uint64_t v = 0;
        const struct ir_machine *m = of->side->s->m;
        if (ok && g->number[1].bytes) {
            memcpy(&v, s.registers + m->arg[g->argument], m->pointer_width / 8);
            ok = (uint32_t)v == (uint32_t)(g->number[1].was + 1);
        }
        process_end(p);
        snapshot_free(&s);
    }
    arena_free(&arena);
    return ok;
}

static bool still_crashes(const struct poc_growth *g, uint64_t by, const struct poc_growing *of,
                          const struct input *in)
{
    struct arena arena = ARENA_INIT;
    struct run_target t;
    struct watch_run w;
    struct error err;
    bool crashes = true;
    if (target_of(g, by, of, in, &t, &arena) && watch_run(&t, NULL, 0, &w, &err)) {
        crashes = w.end == WATCH_CRASH;
        watch_run_free(&w);
    }
    arena_free(&arena);
    return crashes;
}

/* How much larger the block has to be for the original not to crash: repairs that reject too much or too
 * little differ there from those that do not. */
static void find_least(struct poc_growth *g, const struct poc_growing *of, const struct input *in)
{
    uint64_t ends = 1;
    while (ends <= LOOKED && still_crashes(g, ends, of, in))
        ends += ends < CLOSE ? 1 : STEP;
    if (ends > LOOKED)
        return;
    for (uint64_t first = ends > CLOSE ? ends - STEP + 1 : ends; first < ends; first++)
        if (!still_crashes(g, first, of, in))
            ends = first;
    g->least = ends;
}

static struct poc_growth_number number_of(const struct length_field *f, size_t from, uint64_t was)
{
    return (struct poc_growth_number){.at = from + f->at, .bytes = f->bytes, .big = f->big, .was = was};
}

/* Where the contents of the block stand, `size` bytes: with each number before them that may be their length,
 * and each in them that may be what the call is given. */
static void try_place(struct poc_growths *out, const struct poc_growing *of, const struct input *in,
                      size_t piece, size_t begin, size_t size, unsigned *tries)
{
    const struct piece *x = &in->piece[piece];
    const struct poc_abstract *a = of->side->a;
    size_t from = begin > BEFORE ? begin - BEFORE : 0;
    struct piece before = {.data = x->data + from, .len = begin - from},
                 inside = {.data = x->data + begin, .len = size};
    length_fields length = VEC_INIT;
    input_lengths(&before, before.len, size, size + 1, &length);
    size_t nbefore = length.len;
    /* or the length counts itself */
    if (size >= SHORT)
        input_lengths(&inside, size, size, size + 1, &length);
    for (size_t i = 0; i < length.len; i++) {
        /* a byte or two stand in many places */
        if (size < SHORT && from + length.data[i].at + length.data[i].bytes != begin)
            continue;
        struct poc_growth g = {.piece = piece,
                               .end = begin + size,
                               .slack = of->crash->size - size,
                               .number = {number_of(&length.data[i], i < nbefore ? from : begin, size)}};
        for (unsigned k = 0; k < a->narguments && k < of->side->s->m->nargs && size >= SHORT; k++) {
            length_fields number = VEC_INIT;
            uint64_t v = a->argument[k].value;
            if (!a->argument[k].pointer && v <= size)
                input_lengths(&inside, size, v, v + 1, &number);
            for (size_t n = 0; n < number.len && *tries && out->growth.len < KEPT; n++, --*tries) {
                struct poc_growth with = g;
                with.number[1] = number_of(&number.data[n], begin, v);
                with.argument = k;
                if (leads_there(&with, of, in))
                    vec_push(&out->growth, with);
            }
            vec_free(&number);
        }
        if (*tries && out->growth.len < KEPT && (--*tries, leads_there(&g, of, in)))
            vec_push(&out->growth, g);
    }
    vec_free(&length);
}

static void try_places(struct poc_growths *out, const struct poc_growing *of, const struct input *in,
                       const uint8_t *contents, size_t size, unsigned *tries)
{
    for (struct input_place at = {0}; *tries && input_place(in, contents, size, &at);)
        try_place(out, of, in, at.piece, at.begin, size, tries);
}

void poc_growths_find(struct poc_growths *out, const struct poc_growing *of)
{
    size_t there;
    unsigned tries = TRIES;
    const uint8_t *contents = of->crash->size ? snapshot_at(of->side->s, of->crash->base, &there) : NULL;
    if (!contents || there < of->crash->size || !of->side->s->guarded)
        return;
    struct input in = input_read(of->input);
    size_t size = (size_t)of->crash->size, written = size;
    while (written && !contents[written - 1])
        written--;
    try_places(out, of, &in, contents, size, &tries);
    /* the block may have more room than there are contents */
    for (size_t n = written; n >= LEAST && n < size && n < written + LEAST && !out->growth.len; n++)
        try_places(out, of, &in, contents, n, &tries);
    for (size_t i = 0; i < out->growth.len; i++)
        find_least(&out->growth.data[i], of, &in);
    input_free(&in);
}

void poc_growths_free(struct poc_growths *g)
{
    vec_free(&g->growth);
}

/* Whether two crashes overflow the same block, whatever its size: it ends at the end of its slot. */
static bool same_block(const struct poc_crash *x, const struct poc_crash *y)
{
    return x->size && y->size && x->base + x->size == y->base + y->size;
}

/* Where both crash, it must be what the proof of concept does. Where both do not, and the original was in
 * what the block has behind its contents, it may have gone wrong without a fault. */
static bool counts(const struct poc_runs *r, const struct poc_growth *g, uint64_t by, const struct poc_did *o,
                   const struct poc_did *n, const struct poc_confirmation *c)
{
    if (c->which == POC_NORMAL_NORMAL && g->slack)
        return g->least && by >= g->least + g->slack;
    if (c->which != POC_CRASH_SAME)
        return true;
    return poc_crash_same(&o->crash, r->crash) && same_block(&o->crash, r->crash) &&
           same_block(&n->crash, r->crash);
}

enum { LENGTHS = 9 };

/* By how much blocks become larger: where it is known, around where the original does not leave them, or what
 * is in them, any more. */
static unsigned lengths_of(const struct poc_growth *g, uint64_t length[LENGTHS])
{
    static const int around[] = {0, -1, 1, 2, 4, 8, 32}, plain[] = {1, 2, 4, 8, 32};
    unsigned n = 0;
    for (size_t i = 0; !g->least && i < sizeof plain / sizeof *plain; i++)
        length[n++] = (uint64_t)plain[i];
    if (!g->least)
        return n;
    length[n++] = 1;
    if (g->slack && g->least > 2)
        length[n++] = g->least - 1;
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        uint64_t by = g->least + g->slack + (uint64_t)(int64_t)around[i];
        if (by > 1 && by <= MOST && (!g->slack || by != g->least - 1))
            length[n++] = by;
    }
    return n;
}

/* The input with a block that is so much longer, filled up with `fill`. Where `known` says that nothing is
 * wrong there, it is not given to anybody: *o is what the original does. */
static bool make_input(struct poc_runs *known, bool crashes, struct poc_did *o, const struct poc_growth *g,
                       uint64_t by, uint8_t fill, const struct input *in, const char *scratch,
                       struct poc_input *given, const char **digest, const char **told, struct arena *arena)
{
    struct poc_confirmation shown = {0};
    struct change c = change_of(g, by, fill);
    const struct change *one[] = {&c};
    struct input changed;
    bool ok = input_apply(in, one, 1, &changed);
    if (ok) {
        *digest = input_digest(&changed, arena);
        ok = !(known && confirm_known(known, *digest, crashes, &shown, o)) &&
             input_give(&changed, scratch, given, arena);
        *told = input_told(in, one, 1, arena);
        input_free(&changed);
    }
    change_end(&c);
    return ok;
}

bool poc_growths_confirm(struct poc_runs *r, const struct poc_growths *all, const struct poc_witness *w,
                         struct poc_confirmation *out, struct arena *arena)
{
    bool found = false;
    for (size_t i = 0; i < all->growth.len && !found; i++) {
        const struct poc_growth *g = &all->growth.data[i];
        struct change c = change_of(g, g->least + g->slack, 0);
        /* what the witness has for the length of the contents, the change has another value for */
        struct poc_witness rest = {.value = arena_array(arena, struct poc_value, w->nvalues + 1)};
        for (size_t k = 0; k < w->nvalues; k++)
            if (w->value[k].was != g->number[0].was)
                rest.value[rest.nvalues++] = w->value[k];
        found = g->least && input_confirm(r, &rest, &c, out, arena);
        change_end(&c);
    }
    return found;
}

bool poc_growths_try(struct poc_runs *r, const struct poc_growths *all, bool crashes,
                     struct poc_confirmation *out, uint64_t *size, struct arena *arena)
{
    const char *digest;
    const struct poc_growth *by = NULL;
    uint64_t longer = 0;
    uint8_t with = 0;
    if (!all->growth.len)
        return false;
    struct input in = input_read(r->input);
    for (size_t i = 0; i < all->growth.len; i++) {
        const struct poc_growth *g = &all->growth.data[i];
        uint64_t length[LENGTHS];
        unsigned n = lengths_of(g, length);
        for (unsigned k = 0; k < n && (!by || crashes); k++) {
            struct poc_did o[2] = {{0}}, did;
            for (uint8_t fill = 0; fill < 2 && (!by || crashes); fill++) {
                struct poc_confirmation now = {0};
                struct poc_input given;
                if (!make_input(r, crashes, &o[fill], g, length[k], fill, &in, r->old->scratch, &given,
                                &digest, &now.told, arena))
                    continue;
                /* where the original does not look at what is new, nothing else in it tells more */
                if (fill && (poc_original_on(r, &given, digest, &o[1]), confirm_same_end(&o[0], &o[1])))
                    continue;
                if (!poc_compare_on(r, &given, digest, crashes, &now, &o[fill], &did) ||
                    !counts(r, g, length[k], &o[fill], &did, &now))
                    continue;
                by = g;
                longer = length[k];
                with = fill;
                *out = now;
                crashes = now.which == POC_NORMAL_NORMAL;
            }
        }
    }
    if (by) {
        out->how = POC_BY_INPUT;
        *size = r->crash->size + longer;
        /* its files may have been overwritten since */
        make_input(NULL, false, NULL, by, longer, with, &in, r->old->scratch, &out->changed, &digest,
                   &out->told, arena);
    }
    input_free(&in);
    return by != NULL;
}
