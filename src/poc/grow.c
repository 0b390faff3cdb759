/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs on which the overflowed block is larger. Where its contents stand in the input behind their length, both can
 * be made longer, and with them a number in the contents that the call is given: so it is not only around the size of
 * the proof of concept that the two programs are compared. Which places of the input those are is found out once, by
 * running the original to the call; then candidates are run on inputs with blocks of some sizes. No path is followed
 * for that. */
#include <stdlib.h>
#include <string.h>

#include "poc/input.h"

enum { BEFORE = 32, SHORT = 3, TRIES = 24, KEPT = 2 };

/* The input with a block that is `by` bytes longer. */
static struct change change_of(const struct poc_growth *g, uint64_t by, uint8_t fill)
{
    struct change c = {.piece = g->piece};
    char bytes[256];
    for (unsigned i = 0; i < 2; i++) {
        const struct poc_growth_number *n = &g->number[i];
        uint8_t to[8];
        for (unsigned k = 0; k < n->bytes; k++)
            to[n->big ? n->bytes - 1 - k : k] = (uint8_t)((n->was + by) >> k * 8);
        if (n->bytes)
            c.edit[c.n++] = input_edit(n->at, n->bytes, to, n->bytes);
    }
    memset(bytes, fill, sizeof bytes);
    c.edit[c.n++] = input_edit(g->end, 0, bytes, by < sizeof bytes ? by : sizeof bytes);
    return c;
}

static void change_end(struct change *c)
{
    for (unsigned i = 0; i < c->n; i++)
        free(c->edit[i].by);
}

/* Whether on such an input the original comes to the call with the block one byte longer, and what the call is given as
 * much larger. */
static bool leads_there(const struct poc_growth *g, const struct poc_growing *of, const struct input *in)
{
    struct arena arena = ARENA_INIT;
    struct change c = change_of(g, 1, 0);
    const struct change *all[] = {&c};
    struct input changed;
    struct poc_input given;
    struct snapshot s = {0};
    struct error err;
    bool ok = false;
    if (input_apply(in, all, 1, &changed)) {
        if (input_give(&changed, of->old->scratch, &given, &arena)) {
            struct run_target t = *of->old;
            t.argument = given.argument;
            t.narguments = given.narguments;
            t.input = given.input;
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
        input_free(&changed);
    }
    change_end(&c);
    arena_free(&arena);
    return ok;
}

static struct poc_growth_number number_of(const struct length_field *f, size_t from, uint64_t was)
{
    return (struct poc_growth_number){.at = from + f->at, .bytes = f->bytes, .big = f->big, .was = was};
}

/* Where the contents of the block stand: with each number before them that may be their length, and each in them that
 * may be what the call is given. */
static void try_place(struct poc_growths *out, const struct poc_growing *of, const struct input *in, size_t piece,
                      size_t begin, unsigned *tries)
{
    const struct piece *x = &in->piece[piece];
    const struct poc_abstract *a = of->side->a;
    size_t size = (size_t)of->crash->size, from = begin > BEFORE ? begin - BEFORE : 0;
    struct piece before = {.data = x->data + from, .len = begin - from}, inside = {.data = x->data + begin, .len = size};
    length_fields length = VEC_INIT;
    input_lengths(&before, before.len, size, size + 1, &length);
    for (size_t i = 0; i < length.len; i++) {
        /* a byte or two stand in many places */
        if (size < SHORT && from + length.data[i].at + length.data[i].bytes != begin)
            continue;
        struct poc_growth g = {.piece = piece, .end = begin + size, .number = {number_of(&length.data[i], from, size)}};
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

void poc_growths_find(struct poc_growths *out, const struct poc_growing *of)
{
    size_t there;
    unsigned tries = TRIES;
    const uint8_t *contents = of->crash->size ? snapshot_at(of->side->s, of->crash->base, &there) : NULL;
    if (!contents || there < of->crash->size || !of->side->s->guarded)
        return;
    struct input in = input_read(of->input);
    for (struct input_place at = {0}; tries && input_place(&in, contents, (size_t)of->crash->size, &at);)
        try_place(out, of, &in, at.piece, at.begin, &tries);
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

/* Where both crash, it must be what the proof of concept does. */
static bool counts(const struct poc_runs *r, const struct poc_did *o, const struct poc_did *n,
                   const struct poc_confirmation *c)
{
    if (c->which != POC_CRASH_SAME)
        return true;
    return poc_crash_same(&o->crash, r->crash) && same_block(&o->crash, r->crash) && same_block(&n->crash, r->crash);
}

static const uint8_t longer[] = {1, 2, 3, 4, 7, 8, 11, 12, 15, 16, 24, 32};

/* The n-th input of a way to make them: the block is filled up with 0 or 1. */
static bool make_input(const struct poc_growth *g, unsigned n, const struct input *in, const char *scratch,
                       struct poc_input *given, const char **digest, const char **told, struct arena *arena)
{
    struct change c = change_of(g, longer[n / 2], n % 2);
    const struct change *one[] = {&c};
    struct input changed;
    bool ok = input_apply(in, one, 1, &changed);
    if (ok) {
        ok = input_give(&changed, scratch, given, arena);
        *digest = input_digest(&changed, arena);
        *told = input_told(in, one, 1, arena);
        input_free(&changed);
    }
    change_end(&c);
    return ok;
}

bool poc_growths_try(struct poc_runs *r, const struct poc_growths *all, struct poc_confirmation *out, uint64_t *size,
                     struct arena *arena)
{
    const char *digest;
    const struct poc_growth *by = NULL;
    unsigned nth = 0;
    if (!all->growth.len)
        return false;
    struct input in = input_read(r->input);
    for (size_t i = 0; i < all->growth.len; i++)
        for (unsigned k = 0; k < sizeof longer * 2 && (!by || out->which == POC_NORMAL_NORMAL); k++) {
            struct poc_confirmation now = {0};
            struct poc_input given;
            struct poc_did o, n;
            if (!make_input(&all->growth.data[i], k, &in, r->old->scratch, &given, &digest, &now.told, arena) ||
                !poc_compare_on(r, &given, digest, &now, &o, &n) || !counts(r, &o, &n, &now) ||
                (by && now.which == POC_NORMAL_NORMAL))
                continue;
            by = &all->growth.data[i];
            nth = k;
            *out = now;
        }
    if (by) {
        out->how = POC_BY_INPUT;
        *size = r->crash->size + longer[nth / 2];
        /* its files may have been overwritten since */
        make_input(by, nth, &in, r->old->scratch, &out->changed, &digest, &out->told, arena);
    }
    input_free(&in);
    return by != NULL;
}
