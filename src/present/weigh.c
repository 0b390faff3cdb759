/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/weigh.h"

#include <string.h>

/* Worth of a feature with a name or a string, or with a number, that the other version does not have; a
 * feature that is in both versions but under other conditions; a generalisation by how much is left of it. */
#define WORTH_NAME 5.0
#define WORTH_NUMBER 2.5
#define WORTH_PLACE 0.4
#define PART_GENERAL 0.25
#define PART_SPECIAL 0.6
#define PART_FIRST 0.4 /* of that, where the target has it in the first iteration of a loop only */
enum { SPECIAL = 3 };  /* complexity */

static bool is_number(const struct exprs *e, expr x)
{
    return expr_kind(e, x) == EXPR_CONST && expr_value(e, x) != 0 && expr_value(e, x) != 1 &&
           expr_value(e, x) != -1;
}

/* The key of what x says by itself, without its operands; 0: nothing much. */
static uint64_t word(const struct exprs *e, expr x)
{
    const char *name = expr_name(e, x);
    switch (expr_kind(e, x)) {
    case EXPR_CALL:
    case EXPR_STRING:
    case EXPR_SYMBOL:
        return name && strcmp(name, "next") != 0 && strcmp(name, "chain") != 0 && strcmp(name, "reads") != 0
                   ? hash_bytes(name, strlen(name)) | 1
                   : 0;
    case EXPR_CONST:
        return is_number(e, x) ? hash_u64((uint64_t)expr_value(e, x)) | 1 : 0;
    default:
        return 0;
    }
}

static void learn(const struct exprs *e, expr x, struct map *words, struct map *seen)
{
    if (x == EXPR_NONE || !map_set(seen, x, 1))
        return;
    uint64_t k = word(e, x);
    if (k)
        map_set(words, k, 1);
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        learn(e, expr_kid(e, x, i), words, seen);
}

static uint64_t key_of(const struct feature *f, bool placed)
{
    return hash_u64(hash_u64((uint64_t)f->what << 32 | f->value) ^ (placed ? f->under + UINT64_C(1) : 0)) *
               8 +
           f->kind;
}

void weigher_init(struct weigher *w, struct exprs *e, const struct reference_function *f, unsigned bits)
{
    *w = (struct weigher){.e = e, .f = f};
    for (unsigned side = 0; side < 2; side++) {
        struct map seen = {0};
        for (size_t i = 0; i < f->variant.len; i++) {
            if (bits && f->variant.data[i].bits != bits)
                continue;
            const struct features *set = side ? &f->variant.data[i].new : &f->variant.data[i].old;
            for (size_t k = 0; k < set->list.len; k++) {
                const struct feature *x = &set->list.data[k];
                map_set(&w->feature[side], key_of(x, false), 1);
                map_set(&w->placed[side], key_of(x, true), 1);
                learn(e, x->what, &w->words[side], &seen);
                learn(e, x->value, &w->words[side], &seen);
            }
        }
        map_free(&seen);
    }
}

void weigher_free(struct weigher *w)
{
    for (unsigned i = 0; i < 2; i++) {
        map_free(&w->words[i]);
        map_free(&w->feature[i]);
        map_free(&w->placed[i]);
    }
}

static double worth(const struct weigher *w, expr x, const struct map *others)
{
    double most = 1;
    if (x == EXPR_NONE)
        return most;
    uint64_t k = word(w->e, x);
    if (k && !map_get(others, k, NULL))
        most = expr_kind(w->e, x) == EXPR_CONST ? WORTH_NUMBER : WORTH_NAME;
    for (unsigned i = 0; i < expr_nkids(w->e, x) && most < WORTH_NAME; i++) {
        double kid = worth(w, expr_kid(w->e, x, i), others);
        most = kid > most ? kid : most;
    }
    return most;
}

bool weigh_has(const struct weigher *w, const struct feature *f, bool new)
{
    return map_get(&w->feature[new], key_of(f, false), NULL);
}

double weigh_feature(const struct weigher *w, const struct feature *f, bool new)
{
    double what = worth(w, f->what, &w->words[!new]), value = worth(w, f->value, &w->words[!new]);
    return what > value ? what : value;
}

double weigh_side(const struct weigher *w, const struct signature_pair *p, bool new)
{
    const struct feature *f = new ? &p->new : &p->old;
    if (p->place || (f->kind == FEATURE_CALL && expr_kind(w->e, f->what) == EXPR_OTHER))
        return WORTH_PLACE;
    return weigh_feature(w, f, new);
}

double weigh_found(struct weigher *w, const struct signature_pair *p, bool new, const struct features *target,
                   const struct feature **found)
{
    const struct feature *pattern = new ? &p->new : &p->old;
    const struct map *own = p->place ? &w->placed[new] : &w->feature[new],
                     *other = p->place ? &w->placed[!new] : &w->feature[!new];
    double most = 0;
    for (size_t i = 0; i < target->list.len; i++) {
        const struct feature *f = &target->list.data[i];
        uint64_t key = key_of(f, p->place);
        if (!signature_instance(w->e, pattern, f) || map_get(other, key, NULL))
            continue;
        unsigned left = expr_complexity(w->e, pattern->what) +
                        (pattern->value == EXPR_NONE ? 0 : expr_complexity(w->e, pattern->value));
        double part = map_get(own, key, NULL) ? 1 : left >= SPECIAL ? PART_SPECIAL : PART_GENERAL;
        part *= f->first ? PART_FIRST : 1;
        if (part > most) {
            most = part;
            *found = f;
        }
    }
    for (size_t i = 0; w->prover && most == 0 && i < target->list.len; i++) {
        const struct feature *f = &target->list.data[i];
        if (map_get(other, key_of(f, p->place), NULL) || !prover_instance(w->prover, pattern, f))
            continue;
        most = PART_SPECIAL;
        *found = f;
        w->solved++;
    }
    return most;
}
