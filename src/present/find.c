/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/find.h"

#include <stdlib.h>
#include <string.h>

#include "match/match.h"

enum {
    CANDIDATES = 12, /* that are executed when there are names to go by */
    PLAIN_MAX = 300, /* and when there are none */
    LEAST_FOUND = 3, /* features that must be the same */
};
/* How similar to the reference the best candidate must be, and by how much it must lead. */
#define LIKE_ENOUGH 0.3
#define LIKE_MORE 1.25

/* ---- what the reference refers to ---- */

struct search {
    const struct object *o;
    const struct flow_function *function;
    struct strmap word; /* strings and callees of the reference -> index */
    VEC(uint32_t) used; /* by word: how many functions refer to it */
    VEC(uint32_t) hit;  /* pairs of function and word */
    VEC(struct match_look) plain;
    uint32_t blocks; /* of the reference's largest version */
};

static void learn(struct search *s, const struct exprs *e, expr x, struct map *seen)
{
    if (x == EXPR_NONE || !map_set(seen, x, 1))
        return;
    enum expr_kind k = expr_kind(e, x);
    const char *name = expr_name(e, x);
    if ((k == EXPR_STRING || k == EXPR_CALL || k == EXPR_SYMBOL) && name && *name &&
        !strmap_get(&s->word, name, NULL)) {
        strmap_set(&s->word, name, s->used.len);
        vec_push(&s->used, 0);
    }
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        learn(s, e, expr_kid(e, x, i), seen);
}

static void learn_all(struct search *s, const struct exprs *e, const struct reference_function *f)
{
    struct map seen = {0};
    for (size_t i = 0; i < f->variant.len; i++)
        for (int side = 0; side < 2; side++) {
            const struct features *set = side ? &f->variant.data[i].new : &f->variant.data[i].old;
            s->blocks = set->blocks > s->blocks ? set->blocks : s->blocks;
            for (size_t k = 0; k < set->list.len; k++) {
                learn(s, e, set->list.data[k].what, &seen);
                learn(s, e, set->list.data[k].value, &seen);
            }
        }
    map_free(&seen);
}

/* ---- what the program's functions refer to ---- */

static void note(struct search *s, uint32_t function, const char *name)
{
    uint64_t word;
    if (!name || !strmap_get(&s->word, name, &word))
        return;
    for (size_t i = s->hit.len; i >= 2 && s->hit.data[i - 2] == function; i -= 2)
        if (s->hit.data[i - 1] == word)
            return;
    vec_push(&s->hit, function);
    vec_push(&s->hit, (uint32_t)word);
    s->used.data[word]++;
}

static void on_look(void *ctx, const struct match_look *l)
{
    struct search *s = ctx;
    const struct flow_function *f = &s->function[l->function];
    if (f->named || (f->flags & FLOW_PART))
        return; /* it has a name, and it is another one */
    for (size_t i = 0; i < l->nrefs; i++) {
        const struct object_stub *stub = object_stub_at(s->o, l->ref[i]);
        const struct object_symbol *symbol = object_symbol_at(s->o, l->ref[i], NULL);
        size_t len;
        char text[256];
        const char *string = object_string(s->o, l->ref[i], &len);
        if (stub)
            note(s, l->function, stub->name);
        else if (symbol && symbol->address == l->ref[i])
            note(s, l->function, symbol->name);
        if (string && len < sizeof text) {
            memcpy(text, string, len);
            text[len] = 0;
            note(s, l->function, text);
        }
    }
    vec_push(&s->plain, *l);
}

struct candidate {
    uint32_t function;
    double score;
};

static int by_score(const void *a, const void *b)
{
    const struct candidate *l = a, *r = b;
    if (l->score != r->score)
        return l->score > r->score ? -1 : 1;
    return l->function < r->function ? -1 : l->function > r->function;
}

typedef VEC(struct candidate) candidates;

static void choose(struct search *s, candidates *out)
{
    for (size_t i = 0; i < s->hit.len; i += 2) {
        if (!out->len || vec_last(out).function != s->hit.data[i])
            vec_push(out, (struct candidate){.function = s->hit.data[i]});
        vec_last(out).score += 1.0 / s->used.data[s->hit.data[i + 1]];
    }
    vec_sort(out, by_score);
    if (out->len > CANDIDATES)
        out->len = CANDIDATES;
    if (out->len)
        return;
    /* Only its size is known. */
    for (size_t i = 0; i < s->plain.len && out->len < PLAIN_MAX; i++) {
        const struct match_look *l = &s->plain.data[i];
        if (l->nblocks * 4 >= s->blocks && l->nblocks <= s->blocks * 4 + 8)
            vec_push(out, (struct candidate){.function = l->function});
    }
}

/* ---- likeness ---- */

/* How many features of a set the other has. */
static double share(struct exprs *e, const struct features *of, const struct features *in, unsigned *found)
{
    unsigned n = 0;
    *found = 0;
    for (size_t i = 0; i < of->list.len; i++)
        if (!feature_is_minor(e, of, &of->list.data[i])) {
            *found += features_have(in, &of->list.data[i], false);
            n++;
        }
    return n ? (double)*found / n : 0;
}

static double like_set(struct exprs *e, const struct features *reference, const struct features *target,
                       unsigned *found)
{
    unsigned back;
    return share(e, reference, target, found) * share(e, target, reference, &back);
}

/* The product of both shares for the version and variant that fits best. */
static double likeness(struct exprs *e, const struct reference_function *f, const struct features *target)
{
    double most = 0;
    for (size_t i = 0; i < f->variant.len; i++)
        for (int side = 0; side < 2; side++) {
            unsigned found;
            const struct reference_variant *v = &f->variant.data[i];
            double like = like_set(e, side ? &v->new : &v->old, target, &found);
            if (found >= LEAST_FOUND && like > most)
                most = like;
        }
    return most;
}

const struct flow_function *find_function(struct program *p, const struct reference *r,
                                          const struct reference_function *f, find_features_fn *features,
                                          void *ctx, bool *several, const char **why)
{
    struct search s = {.o = program_object(p)};
    candidates list = VEC_INIT;
    uint32_t best = UINT32_MAX;
    double most = 0, next = 0;
    program_functions(p, &s.function);
    learn_all(&s, r->e, f);
    match_look(p, on_look, &s);
    choose(&s, &list);
    for (size_t i = 0; i < list.len; i++) {
        const struct features *target = features(ctx, &s.function[list.data[i].function]);
        double like = target ? likeness(r->e, f, target) : 0;
        if (like > most) {
            next = most;
            most = like;
            best = list.data[i].function;
        } else if (like > next) {
            next = like;
        }
    }
    bool like = most >= LIKE_ENOUGH * LIKE_ENOUGH, alone = most >= next * LIKE_MORE;
    *several = like && !alone;
    *why = *several ? "several functions of the target are equally similar"
                    : "no sufficiently similar function found";
    strmap_free(&s.word);
    vec_free(&s.used);
    vec_free(&s.hit);
    vec_free(&s.plain);
    vec_free(&list);
    return like && alone ? &s.function[best] : NULL;
}
